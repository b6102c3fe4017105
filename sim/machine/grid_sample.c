/* See grid_sample.h. */
#include <stdlib.h>
#include <string.h>

#include "sim/machine/grid_sample.h"
#include "sim/model/counter.h"
#include "sim/model/sample.h"
#include "sim/model/trace.h"

/* Blocks of the smallest grid of which a sample is run. */
#define BLOCKS_FROM 64
/* Launches up to so many times the work of a sample are run in full; where blocks may depend on one another: */
#define FULL      0.7
#define DEPENDENT 16
/* Warp instructions of a block of which very few are run, in one round: far too slow, and how far is known well enough. */
#define DEAR 1e6

/* More than there can be: no two clusters of a device have the same number. */
#define CLUSTERS_A_LAUNCH 1024

/* What some of the blocks have counted. */
struct part {
    struct op_count *counts;
    struct counter_set *set;
    uint64_t blocks, executed;
};

struct sampling {
    struct grid *grid;
    struct sample_plan plan;
    bool is_dear;
    struct part edges, drawn; /* edges: of the grid's own counts */
    struct sample_cluster cluster[SAMPLE_CLUSTERS];
    int cluster_count;
    uint64_t begun; /* clusters, those at the edges too */
};

/* Contexts are made for the counts of a part. */
static void use_part(struct grid *grid, const struct part *part)
{
    if (grid->set == part->set)
        return;
    block_destroy(grid->spare);
    grid->spare = NULL;
    grid->counts = part->counts;
    grid->set = part->set;
}

static enum sim_status run_range(struct sampling *s, struct part *part, uint64_t first, uint64_t end)
{
    struct grid *grid = s->grid;
    const uint64_t all = grid->block_count, before = grid->executed;
    use_part(grid, part);
    grid->next = first;
    grid->block_count = end;
    enum sim_status status = grid_run_blocks(grid, false);
    grid->block_count = all;
    part->blocks += end - first;
    part->executed += grid->executed - before;
    return status;
}

/* What the time model notes of blocks that run for this part. */
static void note_for(struct sampling *s, const struct part *part)
{
    struct trace *trace = s->grid->trace;
    if (trace)
        trace->noting = part == &s->drawn ? TRACE_DRAWN : part == &s->edges ? TRACE_EXACT : TRACE_NOWHERE;
}

static enum sim_status run_cluster(struct sampling *s, struct part *part, uint64_t first, uint64_t end)
{
    note_for(s, part);
    const uint64_t number = s->grid->launch.sim->launch_count * CLUSTERS_A_LAUNCH + s->begun++;
    if (!counter_set_cluster(part->set, number, part == &s->drawn))
        return grid_out_of_memory(s->grid);
    return run_range(s, part, first, end);
}

/* ---- the sample ---------------------------------------------------------------------------------------- */

static void total_of(const struct part *part, const struct code *code, struct sim_counters *total)
{
    memset(total, 0, sizeof *total);
    counter_set_total(part->set, total);
    for (int pc = 0; pc < code->count; pc++)
        total->warp_instructions += part->counts[pc].warps;
}

static enum sim_status run_round(struct sampling *s, int round)
{
    const struct code *code = s->grid->launch.code;
    struct sim_counters before, after;
    enum sim_status status = SIM_OK;
    total_of(&s->drawn, code, &before);
    for (int i = 0; i < s->plan.segments && status == SIM_OK; i++) {
        uint64_t first = sample_cluster_at(&s->plan, i, round);
        if (s->grid->trace)
            trace_add_scout(s->grid->trace, first);
        status = run_cluster(s, &s->drawn, first, first + s->plan.length);
        total_of(&s->drawn, code, &after);
        sample_cluster_of(&before, &after, &s->cluster[s->cluster_count++]);
        before = after;
    }
    return status;
}

static double error_so_far(const struct sampling *s)
{
    static const struct sim_counters nothing;
    struct sim_counters edges;
    struct sample_cluster of_edges;
    total_of(&s->edges, s->grid->launch.code, &edges);
    sample_cluster_of(&nothing, &edges, &of_edges);
    double part = (double)s->drawn.blocks / (double)sample_between(&s->plan);
    return sample_relative_error(s->cluster, s->cluster_count, part, &of_edges);
}

static enum sim_status run_sample(struct sampling *s)
{
    const struct sample_plan *plan = &s->plan;
    enum sim_status status = SIM_OK;
    if (s->grid->trace)
        trace_sample_begins(s->grid->trace);
    if (s->edges.blocks < plan->head)
        status = run_range(s, &s->edges, s->edges.blocks, plan->head); /* block 0 began this cluster */
    if (status == SIM_OK)
        status = run_cluster(s, &s->edges, plan->blocks - plan->tail, plan->blocks);
    for (int round = 0; status == SIM_OK && round < plan->rounds; round++) {
        if (round > 0 && (error_so_far(s) <= SAMPLE_ERROR || s->is_dear))
            break;
        status = run_round(s, round);
    }
    return status;
}

/* Blocks that the time model watches and that the sample has left out: what they count is counted nowhere. */
static enum sim_status run_watched(struct sampling *s)
{
    struct trace *trace = s->grid->trace;
    struct part nowhere = {.counts = calloc((size_t)s->grid->launch.code->count, sizeof *nowhere.counts),
                           .set = counter_set_create(s->grid->launch.kernel)};
    enum sim_status status = nowhere.counts && nowhere.set ? SIM_OK : grid_out_of_memory(s->grid);
    for (int i = 0; trace && i < trace->count && status == SIM_OK; i++) {
        uint64_t number = trace->first + (uint64_t)i * trace->stride;
        if (!trace->blocks[i].run)
            status = run_cluster(s, &nowhere, number, number + 1);
    }
    if (nowhere.set && nowhere.counts)
        use_part(s->grid, &s->edges);
    counter_set_destroy(nowhere.set);
    free(nowhere.counts);
    return status;
}

/* The grid's counts as if all blocks had been run. */
static void extrapolate(struct sampling *s)
{
    struct grid *grid = s->grid;
    const double scale = (double)sample_between(&s->plan) / (double)s->drawn.blocks;
    for (int pc = 0; pc < grid->launch.code->count; pc++) {
        struct op_count *to = &s->edges.counts[pc];
        const struct op_count *from = &s->drawn.counts[pc];
        to->warps += (uint64_t)((double)from->warps * scale + 0.5);
        to->lanes += (uint64_t)((double)from->lanes * scale + 0.5);
        to->divergent += (uint64_t)((double)from->divergent * scale + 0.5);
    }
    grid->result->relative_error = error_so_far(s);
    grid->result->sampled_blocks = s->edges.blocks + s->drawn.blocks;
    sample_extrapolate(s->edges.set, s->drawn.set, scale, s->cluster_count + 2);
    grid->executed = s->edges.executed + (uint64_t)((double)s->drawn.executed * scale);
}

/* ---- is it to be sampled? ------------------------------------------------------------------------------ */

static bool may_be_sampled(const struct grid *grid, const struct sim_launch *request)
{
    const struct sim_config *config = &grid->launch.sim->config;
    return config->sample_work && config->counters && !config->hazards && !config->schedule_seed &&
           !request->cooperative && grid->set && grid->block_count >= BLOCKS_FROM;
}

/* After some blocks: is a sample to be run of the others? */
static bool is_sampled(struct sampling *s)
{
    const struct launch *launch = &s->grid->launch;
    const double wanted = (double)launch->sim->config.sample_work;
    const double cost = ((double)s->edges.executed + 1) / (double)s->edges.blocks;
    const double work = cost * (double)s->grid->block_count;
    if (work <= FULL * wanted || (work <= DEPENDENT * wanted && sample_depends(launch->code)))
        return false;
    s->is_dear = cost > DEAR;
    return sample_plan_make(&s->plan, s->grid->block_count, s->edges.blocks, (uint64_t)(wanted / cost),
                            s->is_dear, launch->sim->config.sample_seed++);
}

/* All blocks, as long as they are as cheap as the first ones. */
static enum sim_status run(struct sampling *s)
{
    struct grid *grid = s->grid;
    const uint64_t all = grid->block_count;
    enum sim_status status = run_cluster(s, &s->edges, 0, 1);
    while (status == SIM_OK && s->edges.blocks < all && !is_sampled(s)) {
        const uint64_t first = s->edges.blocks;
        status = run_range(s, &s->edges, first, 2 * first < all ? 2 * first : all);
    }
    if (status != SIM_OK || s->edges.blocks == all)
        return status;
    status = run_sample(s);
    if (status == SIM_OK)
        status = run_watched(s);
    if (status == SIM_OK) {
        extrapolate(s);
        grid->next = grid->block_count;
    }
    return status;
}

bool grid_run_sampled(struct grid *grid, const struct sim_launch *request, enum sim_status *status)
{
    if (!may_be_sampled(grid, request))
        return false;
    struct sampling *s = calloc(1, sizeof *s);
    struct part drawn = {.counts = calloc((size_t)grid->launch.code->count, sizeof *drawn.counts),
                         .set = counter_set_create(request->kernel)};
    bool ready = s && drawn.counts && drawn.set;
    if (ready) {
        s->grid = grid;
        s->edges = (struct part){.counts = grid->counts, .set = grid->set};
        s->drawn = drawn;
        *status = run(s);
        while (grid->live_count > 0) /* after a fault: they count into what goes now */
            block_destroy(grid->live[--grid->live_count]);
        use_part(grid, &s->edges);
    }
    counter_set_destroy(drawn.set);
    free(drawn.counts);
    free(s);
    return ready;
}
