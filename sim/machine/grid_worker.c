/* What one of several threads that share a launch does: it takes units, runs their blocks, and asks for help. */
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#include "sim/machine/grid_shared.h"

/* About as many instructions has the largest unit. */
#define UNIT_INSTRUCTIONS 2000000

/* ---- units --------------------------------------------------------------------------------------------- */

/* Small at first, when it is not known how much a block has to do, and at last, so that all end together. */
static uint64_t unit_size(const struct shared_launch *s)
{
    uint64_t cost = s->done ? s->executed / s->done + 1 : UNIT_INSTRUCTIONS;
    uint64_t size = (s->grid->block_count - s->next) / (4 * s->count), most = UNIT_INSTRUCTIONS / cost;
    size = size < most ? size : most;
    return size ? size : 1;
}

static bool take_unit(struct worker *w, struct unit *unit)
{
    struct shared_launch *s = w->shared;
    pthread_mutex_lock(&s->attempt.lock);
    uint64_t size = unit_size(s);
    *unit = (struct unit){.first = s->next, .end = s->next + size, .worker = w->index};
    bool any = s->next < s->grid->block_count && !attempt_stopped(&s->attempt);
    if (any)
        s->next += size;
    pthread_mutex_unlock(&s->attempt.lock);
    unit->log_begin = w->log.count;
    return any;
}

/* Adds up what was executed. Near the limit slices become shorter, and with them the order of warps: for
 * one. */
static bool add_executed(struct worker *w, uint64_t blocks)
{
    struct shared_launch *s = w->shared;
    uint64_t limit = s->grid->launch.sim->config.instruction_limit;
    pthread_mutex_lock(&s->attempt.lock);
    s->executed += w->executed;
    s->done += blocks;
    bool fine = !limit || s->executed + (uint64_t)BLOCK_SLICE < limit;
    pthread_mutex_unlock(&s->attempt.lock);
    w->executed = 0;
    return fine || tracker_stop(tracker_of(w), STOP_RESOURCE);
}

static bool note_unit(struct worker *w, struct unit *unit)
{
    struct shared_launch *s = w->shared;
    bool good = true;
    unit->log_end = w->log.count;
    pthread_mutex_lock(&s->attempt.lock);
    if (s->unit_count == s->unit_capacity) {
        size_t capacity = s->unit_capacity ? 2 * s->unit_capacity : 64;
        struct unit *units = realloc(s->units, capacity * sizeof *units);
        good = units != NULL;
        if (good) {
            s->units = units;
            s->unit_capacity = capacity;
        }
    }
    if (good)
        s->units[s->unit_count++] = *unit;
    pthread_mutex_unlock(&s->attempt.lock);
    return good || tracker_stop(tracker_of(w), STOP_RESOURCE);
}

/*
 * Whether the counters do not depend on the order of blocks, and the detector has nothing to report, and
 * knows as much as one that has seen all blocks: what is released to other blocks, and unusual
 * synchronization in blocks before, change how closely it looks.
 */
static bool watchers_agree(struct worker *w)
{
    const struct hazards *h = w->sim.hazards;
    if (w->log.failed)
        return tracker_stop(tracker_of(w), STOP_ORDER);
    if (!w->launch.hazards)
        return true;
    if (h->found || h->site_count + 2 >= SITE_LIMIT || h->next_stamp < w->first_stamp)
        return tracker_stop(tracker_of(w), STOP_REPORT);
    if (h->releases)
        return tracker_stop(tracker_of(w), STOP_ORDER);
    return !h->careful || w->shared->careful || tracker_stop(tracker_of(w), STOP_RETRY);
}

/*
 * While hazards are looked for, every thread has its own notes about each word that it touches, which must be
 * got from the system, and cleared. Measured with two threads: a stream through 256 MiB took 1.7 times as
 * long as with one, and a matrix product half as long.
 */
#define BYTES_AN_INSTRUCTION 8

bool shared_is_enough_work(const struct grid *grid, uint64_t instructions)
{
    const struct sim *sim = grid->launch.sim;
    size_t live = 0, peak;
    int count;
    if (!sim->config.hazards || sim->config.threads_from == 1)
        return true;
    sim_mem_usage(sim, &live, &peak, &count);
    return instructions >= live / BYTES_AN_INSTRUCTION;
}

/* ---- help ---------------------------------------------------------------------------------------------- */

static void *help(void *argument);

/* Signals of the program are for its own threads. */
static void start_helpers(struct shared_launch *s)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (unsigned i = 1; i < s->count; i++)
        if (pthread_create(&s->worker[i].thread, NULL, help, &s->worker[i]) == 0)
            s->worker[i].started = true;
        else
            __atomic_fetch_add(&s->present, 1, __ATOMIC_RELAXED);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Called by the first thread now and then. */
void shared_ask_for_help(struct worker *w)
{
    struct shared_launch *s = w->shared;
    if (w->index != 0 || s->help_from == UINT64_MAX)
        return;
    pthread_mutex_lock(&s->attempt.lock);
    uint64_t executed = s->executed + w->executed;
    bool wanted = executed >= s->help_from && s->next < s->grid->block_count;
    uint64_t all = executed / (s->done + 1) * s->grid->block_count;
    pthread_mutex_unlock(&s->attempt.lock);
    if (!wanted)
        return;
    s->help_from = UINT64_MAX;
    if (s->cost_known || shared_is_enough_work(s->grid, all))
        start_helpers(s);
}

/* ---- blocks -------------------------------------------------------------------------------------------- */

/* By the first thread, which is the one that launched. */
static void tell_progress(struct worker *w)
{
    struct shared_launch *s = w->shared;
    const struct sim_config *config = &w->sim.config;
    if (w->index != 0 || !config->progress || w->untold < PROGRESS_INSTRUCTIONS)
        return;
    w->untold = 0;
    pthread_mutex_lock(&s->attempt.lock);
    uint64_t begun = s->next;
    pthread_mutex_unlock(&s->attempt.lock);
    config->progress(s->grid->launch.kernel, begun, s->grid->block_count);
}

static enum block_state run_slice(struct worker *w)
{
    uint64_t before = w->block->executed;
    enum block_state state = block_run(w->block, BLOCK_SLICE);
    w->executed += w->block->executed - before;
    w->untold += w->block->executed - before;
    tell_progress(w);
    return state;
}

/*
 * False: the attempt has stopped. A block that outlasts its slice would take turns with those behind it, if
 * there were one thread: it must be independent of them too, and so ends its unit.
 */
static bool run_block(struct worker *w, uint64_t place, bool *outlasts)
{
    const uint64_t *order = w->shared->grid->order;
    block_start(w->block, order ? order[place] : place, place);
    enum block_state state = run_slice(w);
    while (state == BLOCK_READY) {
        *outlasts = true;
        if (!tracker_show_unit(tracker_of(w)) || !add_executed(w, 0))
            return false;
        shared_ask_for_help(w);
        state = run_slice(w);
    }
    if (state != BLOCK_DONE)
        return tracker_stop(tracker_of(w), state == BLOCK_FAULT ? STOP_REPORT : STOP_ORDER);
    return watchers_agree(w) && !attempt_stopped(&w->shared->attempt);
}

/*
 * The blocks [unit->first, end), or those before and with one that outlasts its slice. What a thread's blocks
 * have touched may well be one set, since it runs them in their order; but now and then others should see it.
 */
static bool run_unit(struct worker *w, struct unit *unit, uint64_t end)
{
    bool outlasts = false;
    for (unit->end = unit->first; unit->end < end && !outlasts;) {
        if (!run_block(w, unit->end++, &outlasts))
            return false;
        shared_ask_for_help(w);
    }
    w->unshown += w->executed;
    if (outlasts || w->unshown > w->shared->show_from) {
        if (!tracker_finish_unit(tracker_of(w)))
            return false;
        w->unshown = 0;
    }
    return add_executed(w, unit->end - unit->first) && note_unit(w, unit);
}

/* Tests: no thread begins before all are there, and all get their share even on one processor. */
static void let_others_in(struct worker *w, bool first)
{
    struct shared_launch *s = w->shared;
    if (s->show_from != 0)
        return;
    if (first)
        __atomic_fetch_add(&s->present, 1, __ATOMIC_RELAXED);
    while (__atomic_load_n(&s->present, __ATOMIC_RELAXED) < s->count)
        sched_yield();
    sched_yield();
}

void shared_run_units(struct worker *w)
{
    struct unit unit;
    let_others_in(w, true);
    while (take_unit(w, &unit)) {
        const uint64_t end = unit.end;
        let_others_in(w, false);
        while (unit.first < end) {
            if (!run_unit(w, &unit, end))
                return;
            unit.first = unit.end;
            unit.log_begin = w->log.count;
        }
    }
    tracker_finish_unit(tracker_of(w));
}

static void *help(void *argument)
{
    shared_run_units(argument);
    return NULL;
}
