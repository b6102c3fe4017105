#include "sim/model/timing.h"

#include <stdlib.h>

#include "sim/model/model.h"
#include "sim/model/strata.h"
#include "sim/model/timing_internal.h"

/* ---- warps --------------------------------------------------------------------------------------------- */

/* How often each warp of the blocks watched ran each block of the PTX: as often as the operation in it that ran most. */
static void count_warp(const struct costing *costing, const struct trace_warp *warp, uint32_t *wanted)
{
    const struct machine_code *code = costing->launch->machine_code;
    for (int op = 0; op < costing->launch->trace->operations; op++) {
        uint32_t *most = &wanted[code->ptx_block[op]];
        if (warp->counts[op].warps > *most)
            *most = (uint32_t)warp->counts[op].warps;
    }
}

/* How often a warp has touched the word in which a cooperative launch's blocks meet, by an atomic. */
static uint32_t grid_arrivals(const struct timing_launch *launch, const struct trace_warp *warp)
{
    uint64_t line = launch->workspace >> TRACE_LINE_SHIFT;
    uint32_t count = 0;
    for (unsigned i = 0; launch->workspace && i < warp->count; i++)
        count += trace_kind(warp->touches[i]) == TRACE_ATOMIC && trace_line(warp->touches[i]) == line;
    return count;
}

/* How often the simulator's threads look whether all blocks have come says nothing of a GPU's: once for each barrier. */
static void count_waits_once(const struct costing *costing, const struct trace_warp *warp, uint32_t *wanted)
{
    const struct timing_launch *launch = costing->launch;
    const uint32_t arrivals = grid_arrivals(launch, warp);
    for (unsigned i = 0; arrivals && i < warp->count; i++) {
        const trace_touch touch = warp->touches[i];
        if (trace_kind(touch) == TRACE_ATOMIC || trace_kind(touch) == TRACE_STORE ||
            trace_line(touch) != launch->workspace >> TRACE_LINE_SHIFT)
            continue;
        uint32_t *count = &wanted[launch->machine_code->ptx_block[trace_op(touch)]];
        *count = *count < arrivals ? *count : arrivals;
    }
}

static void fill_wanted(struct costing *costing)
{
    const struct machine_code *code = costing->launch->machine_code;
    const struct trace *trace = costing->launch->trace;
    size_t blocks = (size_t)code->ptx_block_count, at = 0;
    for (int i = 0; i < trace->count; i++)
        for (int w = 0; w < trace->warps; w++, at++) {
            uint32_t *wanted = costing->wanted + at * blocks;
            if (trace->blocks[i].run) {
                count_warp(costing, &trace->blocks[i].warps[w], wanted);
                count_waits_once(costing, &trace->blocks[i].warps[w], wanted);
            }
            costing->warps[at].wanted = wanted;
        }
}

static bool is_vote(const struct sass *s)
{
    return s->opcode == 0x006 || s->opcode == 0x086 || s->opcode == 0x1c4; /* VOTE, VOTEU, REDUX */
}

static int traced_blocks(const struct trace *trace)
{
    int count = 0;
    while (count < trace->count && trace->blocks[count].run)
        count++;
    return count;
}

/* ---- all together -------------------------------------------------------------------------------------- */

/* By operation: whether ptxas has the lanes of a warp add up what they have for one address: atomics that stand behind a vote. */
static void add_up_first(const struct timing_launch *launch, bool *merged)
{
    const struct machine_code *code = launch->machine_code;
    for (int i = 0; i < code->code.count; i++)
        if (code->ops[i] >= 0 && is_vote(&code->code.instrs[i]))
            merged[code->ops[i]] = true;
}

/* The longest block of the launch by itself: as long as one that was watched, but for the operations that it has more. */
static double longest_alone(const struct costing *costing, const struct pipeline_task *task)
{
    const struct trace *trace = costing->launch->trace;
    struct pipeline_task alone = *task;
    struct pipeline_result one = {0};
    int best = 0;
    alone.order = NULL;
    for (int i = 1; i < task->kinds; i++)
        if (trace->blocks[i].operations > trace->blocks[best].operations)
            best = i;
    alone.kinds = 1;
    alone.blocks = 1;
    alone.warps = task->warps + (size_t)best * (size_t)task->warps_per_block;
    if (!pipeline_run(&alone, &one))
        return 0;
    double fixed = costing->machine.start_latency + costing->machine.memory_latency;
    double known = (double)trace->blocks[best].operations + 1, more = (double)trace->longest - known;
    double each = later(0.25, 6.0 / task->warps_per_block); /* where the block watched tells little of it */
    if (more < 8 * known)
        each = (one.cycles > fixed ? one.cycles - fixed : 0) / known;
    return one.cycles + (more > 0 ? more : 0) * each;
}

/* What the blocks watched have to do, as operations of a block. */
static double work_watched(const struct costing *costing, const struct pipeline_task *task)
{
    const struct trace *trace = costing->launch->trace;
    double watched = 0;
    for (int i = 0; i < task->kinds; i++)
        watched += (double)trace->blocks[i].operations / task->kinds;
    return trace->strata ? trace->strata->mean : watched;
}

/* The blocks watched may have less or more to do than the others: then time goes with the work. */
static void adjust_for_others(const struct costing *costing, const struct pipeline_task *task,
                              struct pipeline_result *all)
{
    double watched = work_watched(costing, task), mean = strata_mean(costing->launch->trace);
    if (watched > 0 && (mean > 1.05 * watched || mean < 0.95 * watched))
        all->cycles *= mean / watched;
}

static bool run_task(const struct costing *costing, const struct pipeline_task *task,
                     struct pipeline_result *result)
{
    if (!pipeline_run(task, result))
        return false;
    result->cycles *= result->left_out;
    adjust_for_others(costing, task, result);
    return true;
}

/* Instructions of a task that are run, at most; then the rest is extrapolated. */
#define MOST_INSTRUCTIONS 300000

/* Where the blocks of a grid differ: so many of an SM's blocks are run that the SM is filled with them some times. */
static uint64_t blocks_to_run(const struct trace *trace, const struct pipeline_task *task)
{
    double most = MOST_INSTRUCTIONS / (strata_mean(trace) + 1), least = 4.0 * task->resident;
    most = most > least ? most : least;
    return (double)task->blocks <= most ? task->blocks : (uint64_t)most;
}

/*
 * The SM's blocks differ: they are taken in their order. If there are too many, smaller grids of the same blocks in the
 * same order are run, of which one is twice as large as the other: from there on each further block takes what those
 * took by which they differ.
 */
static bool run_strata(const struct costing *costing, struct pipeline_task *task,
                       struct pipeline_result *result)
{
    const struct trace *trace = costing->launch->trace;
    uint64_t all = task->blocks, some = blocks_to_run(trace, task), half = (some + 1) / 2;
    int *order = calloc((size_t)some, sizeof *order);
    struct pipeline_result less = {0};
    if (!order)
        return false;
    strata_order(trace, some, order);
    task->order = order;
    task->blocks = some;
    task->most_instructions = 4 * (uint64_t)MOST_INSTRUCTIONS;
    bool good = run_task(costing, task, result);
    if (good && some < all) {
        strata_order(trace, half, order);
        task->blocks = half;
        good = run_task(costing, task, &less);
        result->cycles +=
            later(0, result->cycles - less.cycles) * (double)(all - some) / (double)(some - half);
    }
    task->order = NULL;
    task->blocks = all;
    free(order);
    return good;
}

/* Nothing ends before the longest block does: 0 where no block is much longer than the others. */
static double least_cycles(const struct costing *costing, const struct pipeline_task *task)
{
    bool longer = (double)costing->launch->trace->longest > 1.5 * strata_mean(costing->launch->trace);
    return work_watched(costing, task) > 0 && longer ? longest_alone(costing, task) : 0;
}

/* From the last block's arrival at a grid's barrier until all go on; measured: 1.2 us on an H100, 1.1 on an H200. */
#define GRID_SYNC_SECONDS 1.2e-6

/* How often a block went through it: each time its first thread adds to a word of the launch's own. */
static double grid_barriers(const struct timing_launch *launch)
{
    return grid_arrivals(launch, &launch->trace->blocks[0].warps[0]);
}

/* What memory takes for the sectors that the launch touches, whatever the walks through its code have left out. */
static double memory_seconds(const struct timing_launch *launch)
{
    struct sim_counters total = {0};
    counter_set_total(launch->set, &total);
    double sectors = (double)total.unique_sectors_read + (double)total.unique_sectors_written;
    return launch->cold * sectors * 32 / (timing_memory_rate(launch) * 1e9);
}

/* Blocks unlike those watched take anything from nothing to twice what goes with their operations. */
#define UNLIKE_ERROR 0.58 /* standard deviation of what is anywhere between 0 and 2: 1 / sqrt(3) */

static void run_pipeline(const struct costing *costing, double *waited, struct timing_result *result)
{
    const struct timing_launch *launch = costing->launch;
    const struct sim_profile *profile = launch->profile;
    struct pipeline_result r = {.waited = waited, .loads = costing->loads, .sm = &result->sm};
    struct sim_rates rates;
    uint64_t sms = (uint64_t)profile->sm_count;
    struct pipeline_task task = {
        .code = launch->machine_code,
        .machine = &costing->machine,
        .costs = costing->costs,
        .warps = costing->warps,
        .kinds = traced_blocks(launch->trace),
        .warps_per_block = launch->trace->warps,
        .resident = launch->blocks_per_sm,
        .blocks = (launch->blocks + sms - 1) / sms,
        .most_instructions = MOST_INSTRUCTIONS,
    };
    if (launch->trace->strata)
        strata_tilt(launch->trace, profile->sm_count, task.blocks, task.resident);
    if (!(launch->trace->strata ? run_strata(costing, &task, &r) : run_task(costing, &task, &r)))
        return;
    sm_end(&result->sm, r.sm_end, profile->clock_ghz);
    result->sm.bytes_in_time =
        costing->machine.memory_bytes * costing->machine.memory_latency * (1 + LOADED_LATENCY);
    double cycles = later(r.cycles, least_cycles(costing, &task));
    result->seconds = cycles / (profile->clock_ghz * 1e9);
    result->error = launch->trace->strata ? UNLIKE_ERROR * launch->trace->unlike : 0;
    result->limiter = timing_limiter(launch, &costing->machine, (double)task.blocks, cycles, &r);
    double units = (double)counter_hottest_atomic(launch->set, costing->merged);
    sim_profile_rates(profile, &rates);
    double atomics = units * rates.atomic_int_ns * 1e-10;
    result->seconds += GRID_SYNC_SECONDS * grid_barriers(launch);
    if (memory_seconds(launch) > result->seconds) {
        result->seconds = memory_seconds(launch);
        result->limiter = "DRAM bandwidth";
    }
    if (atomics > result->seconds) {
        result->seconds = atomics;
        result->limiter = "atomics on one address";
    }
}

bool timing_of_launch(const struct timing_launch *launch, struct timing_result *result)
{
    struct costing costing = {.launch = launch, .machine = timing_machine(launch)};
    const struct trace *trace = launch->trace;
    size_t warps = (size_t)trace->count * (size_t)trace->warps;
    size_t l1 =
        launch->profile->shared_per_sm + 28 * 1024; /* 256 KiB in all where 228 can be shared memory */
    size_t taken = launch->shared * (size_t)launch->blocks_per_sm;
    costing.l1_bytes = l1 > taken ? l1 - taken : 0;
    *result = (struct timing_result){0};
    costing.cache = calloc((size_t)launch->code->count + 1, sizeof *costing.cache);
    costing.costs = calloc((size_t)launch->machine_code->code.count + 1, sizeof *costing.costs);
    costing.warps = calloc(warps + 1, sizeof *costing.warps);
    costing.wanted =
        calloc(warps * (size_t)launch->machine_code->ptx_block_count + 1, sizeof *costing.wanted);
    double *waited = calloc((size_t)launch->machine_code->code.count + 2, sizeof *waited);
    costing.loads = calloc((size_t)launch->machine_code->code.count + 1, sizeof *costing.loads);
    costing.touched = calloc((size_t)launch->code->count + 1, sizeof *costing.touched);
    costing.places = calloc((size_t)launch->code->count + 1, sizeof *costing.places);
    costing.merged = calloc((size_t)launch->code->count + 1, sizeof *costing.merged);
    if (waited && costing.loads && costing.touched && costing.places && costing.merged && costing.cache &&
        costing.costs && costing.warps && costing.wanted && traced_blocks(trace) > 0 &&
        launch->blocks_per_sm > 0 &&
        cache_run(trace, costing.l1_bytes, timing_waves(launch), costing.cache)) {
        add_up_first(launch, costing.merged);
        timing_fill_costs(&costing);
        fill_wanted(&costing);
        run_pipeline(&costing, waited, result);
        if (result->seconds > 0) {
            habit_find(&costing, &result->habits);
            waste_find(&costing, result, waited, &result->waste, &result->habits.apart);
        }
    }
    free(waited);
    free(costing.loads);
    free(costing.touched);
    free(costing.places);
    free(costing.merged);
    free(costing.cache);
    free(costing.costs);
    free(costing.warps);
    free(costing.wanted);
    return result->seconds > 0;
}
