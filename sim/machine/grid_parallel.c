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
#include <stdlib.h>

#include "sim/machine/grid_shared.h"

/* Warps of the smallest launch of an unknown kernel that is worth the preparations. */
#define WARPS_FROM 64
/* Launches in a row of a kernel whose blocks were not independent, at most, before it is tried again. */
#define ALONE_FOR_MAX 256
/* Attempts that end because the next one knows better what to look for. */
#define RETRIES_MAX 4

/* ---- is it worth it? ----------------------------------------------------------------------------------- */

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
    return instructions >= 2 * (from ? from : THREADS_FROM) && shared_is_enough_work(grid, instructions);
}

/* ---- adding up ----------------------------------------------------------------------------------------- */

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
    if (apart)
        counter_touched_together(grid->launch.sim->memory, logs, s->count, grid->launch.sim->launch_count);
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
    for (unsigned i = 0; i < s->count; i++)
        block_add_barriers(grid->launch.sim, &s->worker[i].sim);
    grid->executed = s->executed;
    grid->next = grid->block_count;
    return true;
}

/* ---- an attempt ---------------------------------------------------------------------------------------- */

/* Why it did not succeed, or STOP_NOT; *careful as the next one needs it. */
static enum track_stop attempt(struct grid *grid, const struct sim_launch *request, unsigned threads,
                               bool *careful)
{
    struct shared_launch *s = calloc(1, sizeof *s);
    if (!s)
        return STOP_RESOURCE;
    s->count = threads;
    s->careful = *careful;
    if (shared_prepare(s, grid, request)) {
        shared_ask_for_help(&s->worker[0]);
        shared_run_units(&s->worker[0]);
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
    shared_release(s);
    free(s);
    return why;
}

bool grid_run_parallel(struct grid *grid, const struct sim_launch *request)
{
    struct sim_kernel *kernel = request->kernel;
    unsigned threads = thread_count(grid);
    enum track_stop why = STOP_RETRY;
    bool careful = kernel->syncs_parts;
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
