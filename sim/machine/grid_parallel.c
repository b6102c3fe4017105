/*
 * Several host threads run the blocks of a launch, unit by unit: some blocks in a row, in their order. What
 * makes sure that the outcome is that of one thread is said in tracker.h. Each thread has contexts, counts
 * and a hazard detector of its own; afterwards they are added up.
 *
 * The launching thread begins alone. Threads are started when it has had so much to do that they are worth
 * it, and they end before the launch does: between launches there are none, so that a program may fork.
 */
#define _GNU_SOURCE /* sched_getaffinity */
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "sim/model/counter.h"
#include "sim/machine/grid.h"
#include "sim/hazard/hazard.h"
#include "sim/memory/tracker.h"

/* Warp instructions that the first thread runs before it asks for help: some milliseconds. */
#define THREADS_FROM 100000
/* Warps of the smallest launch of an unknown kernel that is worth the preparations. */
#define WARPS_FROM 64
/* About as many instructions has the largest unit. */
#define UNIT_INSTRUCTIONS 2000000
/* Conflicts are found so many instructions later at most. */
#define SHOW_INSTRUCTIONS 1000000
/* Launches in a row of a kernel whose blocks were not independent, at most, before it is tried again. */
#define ALONE_FOR_MAX 256
/* Attempts that end because the next one knows better what to look for. */
#define RETRIES_MAX 4

/* Blocks [first, end) of the order, done by one thread. */
struct unit {
    uint64_t first, end;
    unsigned worker;
    size_t log_begin, log_end; /* its part of the worker's log */
};

struct worker {
    struct shared_launch *shared;
    unsigned index;
    pthread_t thread;
    bool started;
    struct sim sim; /* the launch's, with a hazard detector of its own */
    struct launch launch;
    struct op_count *counts;
    struct counter_set *set;
    struct touch_log log;
    struct block *block;
    stamp_t first_stamp;
    uint64_t executed; /* since it was last added to the launch's … */
    uint64_t unshown;  /* … and since others could see what it has touched */
    uint64_t untold;   /* … and since somebody was told of the progress */
    char message[1024];
};

/* A launch that threads share. */
struct shared_launch {
    struct grid *grid;
    struct attempt attempt; /* its lock is also for the next four */
    uint64_t next;          /* the first block of the order that nobody has */
    uint64_t executed, done;
    struct unit *units;
    size_t unit_count, unit_capacity;
    bool cost_known;    /* from a launch before: what it is worth has been decided */
    uint64_t help_from; /* instructions, see THREADS_FROM … */
    uint64_t show_from; /* … and SHOW_INSTRUCTIONS; both 0 in tests that want to see threads meet */
    unsigned count;     /* of workers */
    unsigned present;   /* in such tests: that have begun; atomic */
    bool careful;       /* the detectors' `careful` from the beginning on */
    struct worker worker[WORKERS_MAX];
};

/* What is kept from one launch to the next; buffers because fresh pages are slow. */
struct workers {
    struct hazards *hazards[SHADOWS]; /* [0] is not used */
    struct buffers {
        touch_t *touches;
        size_t touch_capacity;
        unsigned char *arena;
        size_t arena_capacity;
    } buffers[WORKERS_MAX];
};

/* The largest of these buffers that is kept. */
#define KEPT_BYTES ((size_t)16 << 20)

void workers_destroy(struct workers *workers)
{
    for (int i = 1; workers && i < SHADOWS; i++)
        hazards_destroy(workers->hazards[i]);
    for (int i = 0; workers && i < WORKERS_MAX; i++) {
        free(workers->buffers[i].touches);
        free(workers->buffers[i].arena);
    }
    free(workers);
}

static void take_buffers(struct worker *w, struct tracker *tracker, struct buffers *b)
{
    w->log.touches = b->touches;
    w->log.capacity = b->touch_capacity;
    tracker->arena = b->arena;
    tracker->arena_capacity = b->arena_capacity;
    memset(b, 0, sizeof *b);
}

static void keep_buffers(struct worker *w, struct tracker *tracker, struct buffers *b)
{
    *b = (struct buffers){w->log.touches, w->log.capacity, tracker->arena, tracker->arena_capacity};
    if (b->touch_capacity * sizeof *b->touches > KEPT_BYTES) {
        free(b->touches);
        b->touches = NULL;
        b->touch_capacity = 0;
    }
    if (b->arena_capacity > KEPT_BYTES) {
        free(b->arena);
        b->arena = NULL;
        b->arena_capacity = 0;
    }
    tracker->arena = NULL;
}

/* ---- units ----------------------------------------------------------------------------------------------
 */

/* Small at first, when nobody knows how much a block has to do, and at last, so that all end together. */
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

static struct tracker *tracker_of(const struct worker *w)
{
    return &w->shared->attempt.tracker[w->index];
}

/* Adds up what was executed. Near the limit slices become shorter, and with them the order of warps: for one.
 */
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
 * synchronisation in blocks before, change how closely it looks.
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

static bool is_enough_work(const struct grid *grid, uint64_t instructions)
{
    const struct sim *sim = grid->launch.sim;
    size_t live = 0, peak;
    int count;
    if (!sim->config.hazards || sim->config.threads_from == 1)
        return true;
    sim_mem_usage(sim, &live, &peak, &count);
    return instructions >= live / BYTES_AN_INSTRUCTION;
}

/* ---- help ------------------------------------------------------------------------------------------------
 */

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
static void ask_for_help(struct worker *w)
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
    if (s->cost_known || is_enough_work(s->grid, all))
        start_helpers(s);
}

/* ---- blocks ----------------------------------------------------------------------------------------------
 */

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
    block_start(w->block, order ? order[place] : place);
    enum block_state state = run_slice(w);
    while (state == BLOCK_READY) {
        *outlasts = true;
        if (!tracker_show_unit(tracker_of(w)) || !add_executed(w, 0))
            return false;
        ask_for_help(w);
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
        ask_for_help(w);
    }
    w->unshown += w->executed;
    if (outlasts || w->unshown > w->shared->show_from) {
        if (!tracker_finish_unit(tracker_of(w)))
            return false;
        w->unshown = 0;
    }
    return add_executed(w, unit->end - unit->first) && note_unit(w, unit);
}

/* Tests: nobody begins before all are there, and all get their share even on one processor. */
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

static void run_units(struct worker *w)
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
    run_units(argument);
    return NULL;
}

/* ---- preparations ----------------------------------------------------------------------------------------
 */

static unsigned processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

static unsigned thread_count(const struct grid *grid)
{
    const struct sim_config *config = &grid->launch.sim->config;
    unsigned most = config->hazards ? WATCHED_WORKERS_MAX : WORKERS_MAX;
    unsigned count = config->threads ? config->threads : processors();
    count = count < most ? count : most;
    return count < grid->block_count ? count : (unsigned)grid->block_count;
}

/* Whether the launch seems large enough, and its kernel's blocks have been independent lately. */
static bool is_worth_it(const struct grid *grid, struct sim_kernel *kernel)
{
    const uint64_t from = grid->launch.sim->config.threads_from;
    uint64_t warps = grid->block_count * grid->launch.warp_count;
    uint64_t limit = grid->launch.sim->config.instruction_limit;
    if (limit && limit <= (uint64_t)BLOCK_SLICE)
        return false;
    if (from == 1)
        return true;
    if (kernel->alone_for) {
        kernel->alone_for--;
        return false;
    }
    if (!kernel->block_cost)
        return warps >= WARPS_FROM;
    const uint64_t instructions = kernel->block_cost * grid->block_count;
    return instructions >= 2 * (from ? from : THREADS_FROM) && is_enough_work(grid, instructions);
}

static bool prepare_hazards(struct worker *w, struct workers *kept, const struct sim_launch *request)
{
    struct hazards **hazards = &kept->hazards[1 + w->index];
    if (!*hazards)
        *hazards = hazards_create_for(&w->sim, 1 + w->index);
    if (!*hazards)
        return false;
    w->sim.hazards = *hazards;
    (*hazards)->sim = &w->sim;
    hazard_launch_begin(&w->sim, request);
    (*hazards)->careful = w->shared->careful;
    w->first_stamp = (*hazards)->next_stamp;
    return (*hazards)->site_of_pc != NULL;
}

static bool prepare_worker(struct worker *w, struct shared_launch *s, const struct sim_launch *request)
{
    struct grid *grid = s->grid;
    struct sim *sim = grid->launch.sim;
    w->shared = s;
    w->sim = *sim;
    w->launch = grid->launch;
    w->launch.sim = &w->sim;
    take_buffers(w, tracker_of(w), &sim->workers->buffers[w->index]);
    w->counts = calloc((size_t)grid->launch.code->count, sizeof *w->counts);
    if (!w->counts || (sim->config.hazards && !prepare_hazards(w, sim->workers, request)))
        return false;
    if (sim->config.counters) {
        static uint64_t serial;
        w->set = counter_set_create(request->kernel);
        w->log.set = 1 + w->index;
        w->log.launch = __atomic_add_fetch(&serial, 1, __ATOMIC_RELAXED) | UINT64_C(1) << 63;
        if (!w->set)
            return false;
        if (!counter_set_log(w->set, &w->log))
            return false;
    }
    w->block = block_create(&w->launch, w->counts, w->set, w->message);
    if (w->block)
        w->block->view.tracker = tracker_of(w);
    return w->block != NULL;
}

static bool prepare(struct shared_launch *s, struct grid *grid, const struct sim_launch *request)
{
    struct sim *sim = grid->launch.sim;
    if (!sim->workers)
        sim->workers = calloc(1, sizeof *sim->workers);
    if (!sim->workers)
        return false;
    s->grid = grid;
    s->cost_known = request->kernel->block_cost != 0;
    s->help_from = sim->config.threads_from      ? sim->config.threads_from - 1
                   : request->kernel->block_cost ? 0
                                                 : THREADS_FROM;
    s->show_from = sim->config.threads_from == 1 ? 0 : SHOW_INSTRUCTIONS;
    bool good = attempt_begin(&s->attempt, sim, s->count);
    for (unsigned i = 0; i < s->count && good; i++) {
        s->worker[i].index = i;
        good = prepare_worker(&s->worker[i], s, request);
    }
    return good || tracker_stop(&s->attempt.tracker[0], STOP_RESOURCE);
}

static void release(struct shared_launch *s)
{
    for (unsigned i = 0; i < s->count; i++) {
        struct worker *w = &s->worker[i];
        block_destroy(w->block);
        if (w->set)
            counter_set_destroy(w->set);
        if (w->launch.hazards && w->sim.hazards && w->sim.hazards->index)
            hazard_detector_end(w->sim.hazards);
        if (w->shared)
            keep_buffers(w, tracker_of(w), &s->grid->launch.sim->workers->buffers[i]);
        free(w->log.fresh);
        free(w->counts);
    }
    attempt_end(&s->attempt);
    free(s->units);
}

/* ---- adding up -------------------------------------------------------------------------------------------
 */

static int in_order(const void *left, const void *right)
{
    const struct unit *a = left, *b = right;
    return (a->first > b->first) - (a->first < b->first);
}

/* False: the order of the blocks would matter; the grid's set is then made anew. */
static bool merge_sets(struct shared_launch *s, const struct sim_launch *request)
{
    struct grid *grid = s->grid;
    bool good = true;
    for (unsigned i = 0; i < s->count && grid->set && good; i++)
        good = counter_set_merge(grid->set, s->worker[i].set);
    if (!good) {
        counter_set_destroy(grid->set);
        grid->set = counter_set_create(request->kernel);
        return tracker_stop(&s->attempt.tracker[0], STOP_ORDER);
    }
    const struct touch_log *logs[WORKERS_MAX];
    for (unsigned i = 0; i < s->count; i++)
        logs[i] = &s->worker[i].log;
    bool apart = grid->set && counter_touched_apart(grid->launch.sim->memory, logs, s->count);
    for (unsigned i = 0; apart && i < s->count; i++)
        counter_add_fresh(grid->set, logs[i]);
    for (size_t i = 0; grid->set && !apart && i < s->unit_count; i++)
        counter_replay(grid->set, &s->worker[s->units[i].worker].log, s->units[i].log_begin,
                       s->units[i].log_end);
    return true;
}

/* One detector would have drawn all the stamps: false if they would have run out. */
static bool pass_stamps(struct shared_launch *s)
{
    struct hazards *h = s->grid->launch.sim->hazards;
    int64_t next = h->next_stamp;
    for (unsigned i = 0; i < s->count; i++)
        next += s->worker[i].sim.hazards->next_stamp - s->worker[i].first_stamp;
    if (next > INT32_MAX - 8 * STAMPS_PER_CHUNK)
        return tracker_stop(&s->attempt.tracker[0], STOP_RESOURCE);
    h->next_stamp = (stamp_t)next;
    return true;
}

static bool add_up(struct shared_launch *s, const struct sim_launch *request)
{
    struct grid *grid = s->grid;
    if (attempt_stopped(&s->attempt))
        return false;
    qsort(s->units, s->unit_count, sizeof *s->units, in_order);
    if (!merge_sets(s, request) || (grid->launch.hazards && !pass_stamps(s)))
        return false;
    for (unsigned i = 0; i < s->count; i++)
        for (int pc = 0; pc < grid->launch.code->count; pc++) {
            grid->counts[pc].warps += s->worker[i].counts[pc].warps;
            grid->counts[pc].lanes += s->worker[i].counts[pc].lanes;
            grid->counts[pc].divergent += s->worker[i].counts[pc].divergent;
        }
    grid->executed = s->executed;
    grid->next = grid->block_count;
    return true;
}

/* ---- an attempt -------------------------------------------------------------------------------------------
 */

/* Why it did not succeed, or STOP_NOT; *careful as the next one needs it. */
static enum track_stop attempt(struct grid *grid, const struct sim_launch *request, unsigned threads,
                               bool *careful)
{
    struct shared_launch *s = calloc(1, sizeof *s);
    if (!s)
        return STOP_RESOURCE;
    s->count = threads;
    s->careful = *careful;
    if (prepare(s, grid, request)) {
        ask_for_help(&s->worker[0]);
        run_units(&s->worker[0]);
    }
    for (unsigned i = 1; i < s->count; i++)
        if (s->worker[i].started)
            pthread_join(s->worker[i].thread, NULL);
    if (add_up(s, request))
        attempt_commit(&s->attempt);
    else
        attempt_roll_back(&s->attempt);
    for (unsigned i = 0; i < s->count && grid->launch.hazards; i++)
        *careful |= s->worker[i].sim.hazards && s->worker[i].sim.hazards->careful;
    enum track_stop why = (enum track_stop)s->attempt.stop;
    release(s);
    free(s);
    return why;
}

bool grid_run_parallel(struct grid *grid, const struct sim_launch *request)
{
    struct sim_kernel *kernel = request->kernel;
    unsigned threads = thread_count(grid);
    enum track_stop why = STOP_RETRY;
    bool careful = false;
    grid->launch.sim->shared_by = 1;
    if (request->cooperative || threads < 2 || !is_worth_it(grid, kernel))
        return false;
    for (int i = 0; why == STOP_RETRY && i <= RETRIES_MAX; i++)
        why = attempt(grid, request, threads, &careful);
    if (why == STOP_NOT) {
        kernel->failed_attempts = 0;
        grid->launch.sim->shared_by = threads;
        return true;
    }
    unsigned alone_for = 2u << (kernel->failed_attempts < 8 ? kernel->failed_attempts++ : 8);
    kernel->alone_for = alone_for < ALONE_FOR_MAX ? alone_for : ALONE_FOR_MAX;
    return false;
}
