/* What each of several threads that share a launch needs, and what is kept of it from one launch to the next. */
#include <stdlib.h>
#include <string.h>

#include "sim/machine/grid_shared.h"

/* Conflicts are found so many instructions later at most. */
#define SHOW_INSTRUCTIONS 1000000

/* Buffers that are kept may be so large, each, or together as large as what is allocated on the device. */
#define KEPT_BYTES ((size_t)16 << 20)

static size_t kept_bytes(const struct shared_launch *s)
{
    size_t live = 0, peak;
    int count;
    sim_mem_usage(s->grid->launch.sim, &live, &peak, &count);
    return live / s->count > KEPT_BYTES ? live / s->count : KEPT_BYTES;
}

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
    const size_t most = kept_bytes(w->shared);
    *b = (struct buffers){w->log.touches, w->log.capacity, tracker->arena, tracker->arena_capacity};
    if (b->touch_capacity * sizeof *b->touches > most) {
        free(b->touches);
        b->touches = NULL;
        b->touch_capacity = 0;
    }
    if (b->arena_capacity > most) {
        free(b->arena);
        b->arena = NULL;
        b->arena_capacity = 0;
    }
    tracker->arena = NULL;
}

/* ---- preparations -------------------------------------------------------------------------------------- */

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
    (*hazards)->careful |= w->shared->careful;
    w->first_stamp = (*hazards)->next_stamp;
    return (*hazards)->site_of_pc != NULL;
}

static bool prepare_worker(struct worker *w, struct shared_launch *s, const struct sim_launch *request)
{
    struct grid *grid = s->grid;
    struct sim *sim = grid->launch.sim;
    w->shared = s;
    w->sim = *sim;
    memset(w->sim.idle_barriers, 0, sizeof w->sim.idle_barriers);
    w->launch = grid->launch;
    w->launch.sim = &w->sim;
    take_buffers(w, tracker_of(w), &sim->workers->buffers[w->index]);
    w->counts = calloc((size_t)grid->launch.code->count, sizeof *w->counts);
    if (!w->counts || (sim->config.hazards && !prepare_hazards(w, sim->workers, request)))
        return false;
    if (sim->config.counters) {
        w->set = counter_set_create(request->kernel);
        w->log.set = 1 + w->index;
        w->log.launch = ++sim->workers->log_count | UINT64_C(1) << 63;
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

bool shared_prepare(struct shared_launch *s, struct grid *grid, const struct sim_launch *request)
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

void shared_release(struct shared_launch *s)
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
