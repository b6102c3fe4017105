/*
 * The blocks of a launch: in order, or in an order drawn from the seed. As long as blocks end on their own one
 * context is enough; a block that spins, and every block of a cooperative launch, keeps its context while
 * others run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/hazard/watch.h"
#include "sim/machine/cluster.h"
#include "sim/machine/endless.h"
#include "sim/machine/exec.h"
#include "sim/machine/grid.h"
#include "sim/model/assemble.h"
#include "sim/origin/origin_log.h"
#include "sim/machine/grid_sample.h"
#include "sim/memory/memory.h"
#include "sim/model/counter.h"
#include "sim/model/instr.h"
#include "sim/model/latency.h"
#include "sim/model/model.h"
#include "sim/model/residency.h"
#include "sim/model/strata.h"
#include "sim/model/timing.h"
#include "sim/ptx/ptx.h"

/* Blocks of an ordinary launch that may be under way at once, and bytes that they may take. */
#define LIVE_BLOCKS_MAX 512
#define LIVE_BYTES_MAX  ((size_t)1 << 30)

/* ---- which blocks are under way ------------------------------------------------------------------------ */

/* About what a context takes. */
static size_t block_bytes(const struct launch *launch)
{
    const struct function_layout *layout = &launch->code->functions[0];
    size_t rows = launch->code->warp_row_bytes + sizeof(struct warp);
    for (int k = 0; k < REGISTER_CLASSES; k++)
        rows += layout->row_bytes[k];
    return launch->warp_count * rows + launch->shared_size;
}

static unsigned live_limit(const struct grid *grid, bool cooperative)
{
    const unsigned cluster = launch_cluster_size(&grid->launch);
    uint64_t limit = grid->block_count;
    if (!cooperative) {
        uint64_t by_memory = LIVE_BYTES_MAX / block_bytes(&grid->launch) + 1;
        limit = limit < LIVE_BLOCKS_MAX ? limit : LIVE_BLOCKS_MAX;
        limit = limit < by_memory ? limit : by_memory;
        limit = limit < cluster ? cluster : limit;
    }
    return (unsigned)limit;
}

/* What stays together in the order of blocks: one block, or a cluster. */
static unsigned together(const struct grid *grid)
{
    return grid->launch.clustered ? launch_cluster_size(&grid->launch) : 1;
}

/* A random permutation of the blocks, or clusters; the same for the same seed. */
static bool shuffle_blocks(struct grid *grid)
{
    const uint64_t count = grid->block_count / together(grid);
    grid->order = malloc(count * sizeof *grid->order);
    if (!grid->order)
        return false;
    uint64_t state = grid->launch.seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    for (uint64_t i = 0; i < count; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17; /* xorshift64 */
        uint64_t k = state % (i + 1);
        grid->order[i] = grid->order[k];
        grid->order[k] = i;
    }
    return true;
}

static void destroy_cluster(struct cluster *cluster)
{
    for (unsigned r = 0; cluster && r < cluster->size; r++)
        block_destroy(cluster->block[r]);
    free(cluster);
}

static struct cluster *create_cluster(struct grid *grid)
{
    struct cluster *cluster = calloc(1, sizeof *cluster);
    if (!cluster)
        return NULL;
    cluster->size = launch_cluster_size(&grid->launch);
    for (unsigned r = 0; r < cluster->size; r++) {
        struct block *block = block_create(&grid->launch, grid->counts, grid->set, grid->result->message);
        if (!block) {
            destroy_cluster(cluster);
            return NULL;
        }
        block->cluster = cluster;
        block->cluster_rank = r;
        block->view.cluster = cluster->view;
        cluster->block[r] = block;
        cluster->view[r] = &block->view;
    }
    return cluster;
}

static bool start_cluster(struct grid *grid)
{
    struct cluster *cluster = grid->spare_cluster ? grid->spare_cluster : create_cluster(grid);
    grid->spare_cluster = NULL;
    if (!cluster)
        return false;
    cluster->next = grid->clusters;
    grid->clusters = cluster;
    cluster->running = cluster->size;
    const uint64_t place = grid->next / cluster->size, number = grid->order ? grid->order[place] : place;
    for (unsigned r = 0; r < cluster->size; r++) {
        block_start(cluster->block[r], cluster_block_number(&grid->launch, number, r), grid->next++);
        grid->live[grid->live_count++] = cluster->block[r];
    }
    return true;
}

/* One of its blocks has ended; the others may still look for its shared memory. */
static void retire_in_cluster(struct grid *grid, struct block *block)
{
    struct cluster *cluster = block->cluster, **link = &grid->clusters;
    block->ended = true;
    if (--cluster->running > 0)
        return;
    while (*link != cluster)
        link = &(*link)->next;
    *link = cluster->next;
    if (grid->spare_cluster)
        destroy_cluster(cluster);
    else
        grid->spare_cluster = cluster;
}

static bool start_block(struct grid *grid)
{
    if (grid->launch.clustered)
        return start_cluster(grid);
    struct block *block = grid->spare;
    grid->spare = NULL;
    if (!block)
        block = block_create(&grid->launch, grid->counts, grid->set, grid->result->message);
    if (!block)
        return false;
    uint64_t number = grid->next++;
    block_start(block, grid->order ? grid->order[number] : number, number);
    grid->live[grid->live_count++] = block;
    return true;
}

static void retire_block(struct grid *grid, unsigned index)
{
    struct block *block = grid->live[index];
    memmove(&grid->live[index], &grid->live[index + 1], (--grid->live_count - index) * sizeof *grid->live);
    if (block->cluster)
        retire_in_cluster(grid, block);
    else if (grid->spare)
        block_destroy(block);
    else
        grid->spare = block;
}

static enum sim_status over_limit(struct grid *grid)
{
    struct sim_hazard hazard = {.kernel = grid->launch.kernel->info.name};
    const bool sure = endless_describe_limit(grid->live, grid->live_count,
                                             grid->launch.sim->config.instruction_limit, &hazard);
    if (sure && grid->launch.hazards && grid->faults.status == SIM_OK)
        hazard_file(grid->launch.sim, &hazard);
    snprintf(grid->result->message, sizeof grid->result->message, "%s", hazard.message);
    return SIM_INSTRUCTION_LIMIT;
}

static int64_t slice_for(const struct grid *grid)
{
    uint64_t limit = grid->launch.sim->config.instruction_limit;
    if (!limit || limit - grid->executed > (uint64_t)BLOCK_SLICE)
        return BLOCK_SLICE;
    return (int64_t)(limit - grid->executed) + 1;
}

enum sim_status grid_out_of_memory(struct grid *grid)
{
    snprintf(grid->result->message, sizeof grid->result->message,
             "the host has not enough memory for the registers and shared memory of the blocks");
    return SIM_OUT_OF_MEMORY;
}

/* Runs every block under way once; `spinning`: none of them did anything but wait. */
static void tell_progress(struct grid *grid)
{
    const struct sim_config *config = &grid->launch.sim->config;
    if (!config->progress || grid->executed < grid->progress_from)
        return;
    grid->progress_from = grid->executed + PROGRESS_INSTRUCTIONS;
    config->progress(grid->launch.kernel, grid->next, grid->block_count);
}

/* After a fault: whether the launch has gone on for long enough. */
static bool is_over(struct grid *grid)
{
    if (!grid->faults_until)
        grid->faults_until = grid->executed + AFTER_FAULT_INSTRUCTIONS;
    return grid->executed >= grid->faults_until;
}

/* Looked at now and then, and only if more memory was allocated than there is. */
static bool runs_short(struct grid *grid)
{
    if (!grid->launch.sim->memory->overcommitted || grid->executed < grid->memory_from)
        return false;
    grid->memory_from = grid->executed + PROGRESS_INSTRUCTIONS;
    return memory_runs_short(grid->launch.sim->memory);
}

static enum sim_status run_live(struct grid *grid, bool *spinning)
{
    uint64_t limit = grid->launch.sim->config.instruction_limit;
    *spinning = true;
    for (unsigned i = 0; i < grid->live_count;) {
        struct block *block = grid->live[i];
        uint64_t before = block->executed;
        enum block_state state = block_run(block, slice_for(grid));
        grid->executed += block->executed - before;
        tell_progress(grid);
        *spinning &= state == BLOCK_SPINNING && !block->holds;
        if (state == BLOCK_FAULT)
            return block->status;
        if (grid->faults.status != SIM_OK && is_over(grid))
            return grid->faults.status;
        if (runs_short(grid)) {
            snprintf(
                grid->result->message, sizeof grid->result->message,
                "this computer runs out of memory: more was allocated than it has, and the kernel writes it");
            return SIM_OUT_OF_MEMORY;
        }
        if (state == BLOCK_DONE)
            retire_block(grid, i);
        else if (limit && grid->executed >= limit)
            return over_limit(grid);
        else
            i++;
    }
    return SIM_OK;
}

/* ---- waiting for ever ---------------------------------------------------------------------------------- */

/* Looks at the same words that no block changes any more, by all blocks under way. */
#define IDLE_ROUNDS_MAX 2000

/* What could let a thread go on: stores, barriers, the end of a thread. */
static bool is_progress(const struct ptx_instr *instr)
{
    static const char *const names[] = {"st", "bar", "barrier", "cp", "mbarrier", "exit", "ret", "call"};
    if (!instr || (strcmp(instr->op, "mbarrier") == 0 && strstr(instr->text, "_wait")))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(instr->op, names[i]) == 0)
            return true;
    return false;
}

static bool reads_clock(const struct ptx_instr *instr)
{
    return instr && strcmp(instr->op, "mov") == 0 && instr->operand_count == 2 &&
           instr->operands[1].kind == PTX_SREG &&
           (strstr(instr->operands[1].name, "clock") || strstr(instr->operands[1].name, "timer"));
}

/* How often operations of that kind have run, and atomics have changed what they found. */
static uint64_t times_done(const struct grid *grid, bool (*is_kind)(const struct ptx_instr *instr))
{
    const struct code *code = grid->launch.code;
    uint64_t sum = 0;
    for (int i = 0; i < code->count; i++)
        sum += is_kind(code->instrs[i]) ? grid->counts[i].warps : 0;
    for (unsigned i = 0; i < grid->live_count; i++) {
        const struct trace_block *trace = grid->live[i]->trace;
        sum += grid->live[i]->changes;
        for (int k = 0; trace && k < (int)grid->launch.warp_count * code->count; k++)
            sum += is_kind(code->instrs[k % code->count]) ? trace->counts[k].warps : 0;
    }
    return sum;
}

static enum sim_status waits_for_ever(struct grid *grid)
{
    struct sim_hazard hazard = {.kernel = grid->launch.kernel->info.name};
    endless_describe_waiting(grid->live, grid->live_count, &hazard);
    if (grid->launch.hazards && grid->faults.status == SIM_OK)
        hazard_file(grid->launch.sim, &hazard);
    snprintf(grid->result->message, sizeof grid->result->message, "%s", hazard.message);
    return SIM_DEADLOCK;
}

/* Longer than any program waits before it gives up: about ten minutes. */
#define LEAP_CYCLES (UINT64_C(1) << 40)

/* Only time could let a thread go on: lets so much pass that a loop which gives up after a while does so. */
static void leap(struct grid *grid)
{
    for (unsigned i = 0; i < grid->live_count; i++)
        grid->live[i]->slept += LEAP_CYCLES;
    grid->leapt = true;
    grid->idle_rounds = 0;
}

/* After a round in which all blocks only waited, and none is left that has not begun. */
static bool is_stuck(struct grid *grid)
{
    if (grid->idle_rounds++ == 0) {
        const uint64_t progress = times_done(grid, is_progress);
        grid->leapt &= progress == grid->progress;
        grid->progress = progress;
        grid->clocks = times_done(grid, reads_clock);
    }
    if (grid->idle_rounds < IDLE_ROUNDS_MAX)
        return false;
    grid->idle_rounds = 0;
    if (times_done(grid, is_progress) != grid->progress)
        return false;
    if (grid->leapt || times_done(grid, reads_clock) == grid->clocks)
        return true;
    leap(grid);
    return false;
}

static bool has_room(const struct grid *grid)
{
    return grid->live_count + together(grid) <= grid->live_max;
}

enum sim_status grid_run_blocks(struct grid *grid, bool cooperative)
{
    while (cooperative && grid->next < grid->block_count)
        if (!start_block(grid))
            return grid_out_of_memory(grid);
    while (grid->next < grid->block_count || grid->live_count > 0) {
        if (grid->next < grid->block_count && has_room(grid) && !start_block(grid))
            return grid_out_of_memory(grid);
        bool spinning;
        enum sim_status status = run_live(grid, &spinning);
        if (status != SIM_OK)
            return status;
        if (!spinning || grid->live_count == 0)
            grid->idle_rounds = 0;
        else if ((grid->next == grid->block_count || !has_room(grid)) && is_stuck(grid))
            return waits_for_ever(grid);
    }
    return SIM_OK;
}

enum sim_status grid_run(struct grid *grid, const struct sim_launch *request)
{
    enum sim_status status;
    if (grid->launch.origin) /* every instruction, in its order */
        return grid_run_blocks(grid, request->cooperative);
    if (!grid->launch.clustered && grid_run_sampled(grid, request, &status))
        return status;
    if (!grid->launch.touched && !grid->launch.clustered && grid_run_parallel(grid, request))
        return SIM_OK;
    if (grid->trace) /* what an attempt that came to nothing has noted */
        trace_forget(grid->trace);
    if (grid->launch.hazards)
        grid->launch.faults = &grid->faults;
    status = grid_run_blocks(grid, request->cooperative);
    if (grid->faults.status == SIM_OK)
        return status;
    /* Whatever came after the first fault may have come of it. */
    snprintf(grid->result->message, sizeof grid->result->message, "%s", grid->faults.message);
    return grid->faults.status;
}

/* ---- after the last block ------------------------------------------------------------------------------ */

/* A warp's lanes hand on values without memory. */
static bool is_exchange(const struct ptx_instr *instr)
{
    return instr_is(instr, "shfl") || instr_is(instr, "redux");
}

static struct sim_counters operation_counters(const struct micro *op, const struct op_count *count,
                                              const struct ptx_instr *instr)
{
    struct sim_counters c = {.warp_instructions = count->warps, .thread_instructions = count->lanes};
    uint64_t flops = count->lanes * (op->flags & FLAG_FLOPS_2 ? 2 : op->flags & FLAG_FLOPS_1 ? 1 : 0);
    c.issue_cycles[op->cost] = count->warps * op->cost_count;
    if (op->flags & FLAG_DOUBLE)
        c.flops64 = flops;
    else
        c.flops32 = flops;
    if (op->flags & FLAG_BRANCH) {
        c.branches = count->warps;
        c.divergent_branches = count->divergent;
    }
    if (op->flags & FLAG_BARRIER)
        c.block_barriers = count->warps;
    if (is_exchange(instr))
        c.exchanges = count->warps;
    return c;
}

/* Sectors that a launch touches of which a sample was run; 0: all of it was run. */
static uint64_t sampled_sectors(const struct grid *grid)
{
    struct sim_counters total = {0};
    if (grid->result->sampled_blocks)
        counter_set_total(grid->set, &total);
    return total.unique_sectors_read + total.unique_sectors_written;
}

/* The time that the machine code would take, while operations still have their counters. */
static void model_machine_code(struct grid *grid)
{
    const struct launch *launch = &grid->launch;
    struct timing_launch timing = {
        .profile = launch->sim->config.profile,
        .machine_code = launch->kernel->machine,
        .code = launch->code,
        .kernel = launch->kernel,
        .counts = grid->counts,
        .set = grid->set,
        .trace = grid->trace,
        .blocks = grid->block_count,
        .threads = launch->thread_count,
        .blocks_per_sm = grid->blocks_per_sm,
        .shared = launch->shared_size,
        .workspace = launch->workspace,
    };
    struct timing_result result;
    if (grid->set)
        timing.cold = residency_cold_share(launch->sim, sampled_sectors(grid));
    if (grid->trace)
        strata_settle(grid->trace);
    if (grid->trace && grid->set && timing_of_launch(&timing, &result)) {
        grid->result->machine_seconds = result.seconds;
        grid->result->machine_limiter = result.limiter;
        grid->result->unlike_error = result.error;
        grid->result->waste = result.waste;
        grid->result->habits = result.habits;
        grid->result->sm = result.sm;
        arithmetic_find(launch->kernel, launch->code, grid->set, &grid->result->arithmetic);
        alone_find(&timing, &grid->result->alone);
    }
}

void grid_collect(struct grid *grid)
{
    const struct code *code = grid->launch.code;
    struct sim_counters *total = &grid->result->counters;
    for (int pc = 0; pc < code->count; pc++) {
        if (grid->counts[pc].warps == 0 || (code->ops[pc].flags & FLAG_SYNTHETIC))
            continue;
        struct sim_counters part = operation_counters(&code->ops[pc], &grid->counts[pc], code->instrs[pc]);
        if (grid->set)
            counter_add(grid->set, pc, &part);
        else
            sim_counters_add(total, &part);
    }
    grid->result->block_cycles = latency_block_cycles(grid->launch.sim->config.profile, code, grid->counts,
                                                      grid->set, grid->next, grid->launch.warp_count);
    model_machine_code(grid);
    if (grid->set && !grid->result->sampled_blocks)
        counter_touched_add(grid->launch.sim->memory, grid->launch.sim->launch_count,
                            grid->result->bus_bytes);
    if (grid->set)
        grid->result->hottest_atomic = counter_hottest_atomic(grid->set, NULL);
    if (grid->set)
        counter_set_collect(grid->launch.sim, grid->launch.kernel, grid->set, total);
    total->launches = 1;
    total->blocks = grid->next;
    total->warps = grid->next * grid->launch.warp_count;
}

/* Which blocks the time model watches; without memory for that it does without. */
static void create_trace(struct grid *grid, struct sim *sim, const struct sim_launch *request)
{
    struct sim_occupancy occupancy;
    if (!sim->config.counters || !sim->config.machine_code ||
        !assemble_kernel(request->kernel, sim->config.profile))
        return;
    sim_occupancy(sim->config.profile, &request->kernel->info, grid->launch.thread_count,
                  request->dynamic_shared, &occupancy);
    grid->blocks_per_sm = occupancy.blocks_per_sm;
    grid->trace = trace_create(sim->config.profile, grid->launch.code, grid->block_count,
                               occupancy.blocks_per_sm, (int)grid->launch.warp_count);
    grid->launch.trace = grid->trace;
    if (grid->trace)
        grid->trace->shared = grid->launch.shared_size;
}

bool grid_create(struct grid *grid, struct sim *sim, const struct sim_launch *request)
{
    if (!launch_prepare(&grid->launch, sim, request))
        return false;
    grid->block_count = (uint64_t)request->grid.x * request->grid.y * request->grid.z;
    grid->live_max = live_limit(grid, request->cooperative);
    grid->live = calloc(grid->live_max, sizeof *grid->live);
    grid->counts = calloc((size_t)grid->launch.code->count, sizeof *grid->counts);
    if (sim->config.counters)
        grid->set = counter_set_create(request->kernel);
    create_trace(grid, sim, request);
    if (sim->origin && !grid->launch.clustered &&
        origin_launch_begin(sim->origin, grid->launch.code, request))
        grid->launch.origin = sim->origin;
    if (!grid->live || !grid->counts || (sim->config.counters && !grid->set))
        return false;
    return !grid->launch.seed || shuffle_blocks(grid);
}

void grid_destroy(struct grid *grid)
{
    for (unsigned i = 0; i < grid->live_count && !grid->launch.clustered; i++)
        block_destroy(grid->live[i]);
    for (struct cluster *cluster = grid->clusters; cluster; cluster = grid->clusters) {
        grid->clusters = cluster->next;
        destroy_cluster(cluster);
    }
    destroy_cluster(grid->spare_cluster);
    block_destroy(grid->spare);
    if (grid->set)
        counter_set_destroy(grid->set);
    trace_destroy(grid->trace);
    free(grid->live);
    free(grid->order);
    free(grid->counts);
    launch_release(&grid->launch);
}
