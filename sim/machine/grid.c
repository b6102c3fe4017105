/*
 * Launches: blocks in order, or in an order drawn from the seed. As long as blocks end on their own one
 * context is enough; a block that spins, and every block of a cooperative launch, keeps its context while
 * others run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/hazard/watch.h"
#include "sim/machine/exec.h"
#include "sim/machine/grid.h"
#include "sim/model/counter.h"
#include "sim/model/latency.h"
#include "sim/model/model.h"
#include "sim/ptx/ptx.h"

/* Blocks of an ordinary launch that may be under way at once, and bytes that they may take. */
#define LIVE_BLOCKS_MAX 512
#define LIVE_BYTES_MAX  ((size_t)1 << 30)

/* ---- before the first block ---------------------------------------------------------------------------- */

static bool copy_params(struct launch *launch, const struct sim_launch *request)
{
    const struct ptx_func *func = launch->kernel->func;
    launch->param_size = func->param_size;
    launch->params = calloc(1, func->param_size + 16);
    if (!launch->params)
        return false;
    for (int i = 0; i < func->param_count; i++)
        memcpy(launch->params + func->params[i].offset, request->args[i], func->params[i].var.size);
    return true;
}

static uint32_t lane_value(enum special special, unsigned lane)
{
    switch (special) {
    case SPECIAL_LANEID: return lane;
    case SPECIAL_LANEMASK_EQ: return 1u << lane;
    case SPECIAL_LANEMASK_LT: return (1u << lane) - 1;
    case SPECIAL_LANEMASK_LE: return (2u << lane) - 1;
    case SPECIAL_LANEMASK_GT: return ~((2u << lane) - 1);
    default: return ~((1u << lane) - 1); /* LANEMASK_GE */
    }
}

static uint32_t launch_value(const struct launch *launch, enum special special)
{
    switch (special) {
    case SPECIAL_NTID_X: return launch->block.x;
    case SPECIAL_NTID_Y: return launch->block.y;
    case SPECIAL_NTID_Z: return launch->block.z;
    case SPECIAL_NCTAID_X: return launch->grid.x;
    case SPECIAL_NCTAID_Y: return launch->grid.y;
    case SPECIAL_NCTAID_Z: return launch->grid.z;
    case SPECIAL_NWARPID: return launch->warp_count;
    case SPECIAL_GRIDID: return (uint32_t)launch->sim->launch_count;
    case SPECIAL_ENVREG1: return (uint32_t)(launch->workspace >> 32);
    case SPECIAL_ENVREG2: return (uint32_t)launch->workspace;
    case SPECIAL_DYNAMIC_SMEM: return (uint32_t)launch->dynamic_shared;
    case SPECIAL_TOTAL_SMEM: return (uint32_t)launch->shared_size;
    case SPECIAL_NSMID: return (uint32_t)launch->sim->config.profile->sm_count;
    default: return 0;
    }
}

static bool is_lane_special(enum special special)
{
    return special >= SPECIAL_LANEID && special <= SPECIAL_LANEMASK_GE;
}

/* The immediates' rows, and the special registers that are the same for all warps. */
static bool fill_launch_rows(struct launch *launch)
{
    const struct code *code = launch->code;
    launch->launch_rows = aligned_alloc(64, (code->launch_row_bytes + 64) / 64 * 64);
    if (!launch->launch_rows)
        return false;
    if (code->launch_row_bytes)
        memcpy(launch->launch_rows, code->launch_rows, code->launch_row_bytes);
    for (int i = 0; i < code->special_count; i++) {
        const struct special_row *s = &code->specials[i];
        if ((s->ref & ROW_BASE_MASK) != ROWS_LAUNCH)
            continue;
        uint32_t *row = (uint32_t *)(void *)(launch->launch_rows + (s->ref & ~ROW_BASE_MASK));
        for (unsigned lane = 0; lane < WARP_LANES; lane++)
            row[lane] =
                is_lane_special(s->special) ? lane_value(s->special, lane) : launch_value(launch, s->special);
    }
    return true;
}

/* What cooperative_groups' grid.sync() finds through %envreg1 and %envreg2: {size, barrier}, zero at first.
 */
static bool make_workspace(struct launch *launch)
{
    const size_t size = 64;
    launch->workspace = sim_mem_alloc(launch->sim, size, NULL);
    if (!launch->workspace)
        return false;
    sim_mem_name(launch->sim, launch->workspace, "grid workspace");
    memset(sim_mem_host(launch->sim, launch->workspace, size), 0, size);
    sim_mem_mark_written(launch->sim, launch->workspace, size);
    return true;
}

static bool prepare_launch(struct launch *launch, struct sim *sim, const struct sim_launch *request)
{
    struct sim_kernel *kernel = request->kernel;
    *launch = (struct launch){
        .sim = sim,
        .kernel = kernel,
        .code = kernel->code,
        .grid = request->grid,
        .block = request->block,
        .dynamic_shared = request->dynamic_shared,
        .thread_count = request->block.x * request->block.y * request->block.z,
        .seed = sim->config.schedule_seed,
        .hazards = sim->config.hazards,
        .counters = sim->config.counters,
    };
    launch->warp_count = (launch->thread_count + WARP_LANES - 1) / WARP_LANES;
    launch->shared_size = request->dynamic_shared ? kernel->info.shared_static + request->dynamic_shared
                                                  : kernel->code->shared_used;
    if (request->cooperative && !make_workspace(launch))
        return false;
    return copy_params(launch, request) && fill_launch_rows(launch);
}

static void release_launch(struct launch *launch)
{
    if (launch->workspace)
        sim_mem_free(launch->sim, launch->workspace);
    free(launch->launch_rows);
    free(launch->params);
}

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
    uint64_t limit = grid->block_count;
    if (!cooperative) {
        uint64_t by_memory = LIVE_BYTES_MAX / block_bytes(&grid->launch) + 1;
        limit = limit < LIVE_BLOCKS_MAX ? limit : LIVE_BLOCKS_MAX;
        limit = limit < by_memory ? limit : by_memory;
    }
    return (unsigned)limit;
}

/* A random permutation of the blocks; the same for the same seed. */
static bool shuffle_blocks(struct grid *grid)
{
    grid->order = malloc(grid->block_count * sizeof *grid->order);
    if (!grid->order)
        return false;
    uint64_t state = grid->launch.seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    for (uint64_t i = 0; i < grid->block_count; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17; /* xorshift64 */
        uint64_t k = state % (i + 1);
        grid->order[i] = grid->order[k];
        grid->order[k] = i;
    }
    return true;
}

static bool start_block(struct grid *grid)
{
    struct block *block = grid->spare;
    grid->spare = NULL;
    if (!block)
        block = block_create(&grid->launch, grid->counts, grid->set, grid->result->message);
    if (!block)
        return false;
    uint64_t number = grid->next++;
    block_start(block, grid->order ? grid->order[number] : number);
    grid->live[grid->live_count++] = block;
    return true;
}

static void retire_block(struct grid *grid, unsigned index)
{
    struct block *block = grid->live[index];
    memmove(&grid->live[index], &grid->live[index + 1], (--grid->live_count - index) * sizeof *grid->live);
    if (grid->spare)
        block_destroy(block);
    else
        grid->spare = block;
}

static enum sim_status over_limit(struct grid *grid, const struct block *block)
{
    char where[256];
    block_describe(block, where, sizeof where, NULL);
    snprintf(grid->result->message, sizeof grid->result->message,
             "stopped after %llu warp instructions, the limit for a launch: %s. Either a loop there does not "
             "end, or "
             "it waits for something that never happens; if the work is really that large, raise the limit",
             (unsigned long long)grid->launch.sim->config.instruction_limit, where);
    return SIM_INSTRUCTION_LIMIT;
}

static int64_t slice_for(const struct grid *grid)
{
    uint64_t limit = grid->launch.sim->config.instruction_limit;
    if (!limit || limit - grid->executed > (uint64_t)BLOCK_SLICE)
        return BLOCK_SLICE;
    return (int64_t)(limit - grid->executed) + 1;
}

static enum sim_status out_of_memory(struct grid *grid)
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
        *spinning &= state == BLOCK_SPINNING;
        if (state == BLOCK_FAULT)
            return block->status;
        if (state == BLOCK_DONE)
            retire_block(grid, i);
        else if (limit && grid->executed >= limit)
            return over_limit(grid, block);
        else
            i++;
    }
    return SIM_OK;
}

/* ---- waiting for ever ---------------------------------------------------------------------------------- */

/* Looks at the same words that nobody changes any more, by all blocks under way. */
#define IDLE_ROUNDS_MAX 2000

/* What could let somebody go on: stores, barriers, clocks, the end of a thread. */
static bool is_progress(const struct ptx_instr *instr)
{
    static const char *const names[] = {"st", "bar", "barrier", "cp", "mbarrier", "exit", "ret", "call"};
    if (!instr)
        return false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(instr->op, names[i]) == 0)
            return true;
    return strcmp(instr->op, "mov") == 0 && instr->operand_count == 2 &&
           instr->operands[1].kind == PTX_SREG &&
           (strstr(instr->operands[1].name, "clock") || strstr(instr->operands[1].name, "timer"));
}

static uint64_t work_done(const struct grid *grid)
{
    const struct code *code = grid->launch.code;
    uint64_t sum = 0;
    for (int i = 0; i < code->count; i++)
        sum += is_progress(code->instrs[i]) ? grid->counts[i].warps : 0;
    for (unsigned i = 0; i < grid->live_count; i++)
        sum += grid->live[i]->changes;
    return sum;
}

static enum sim_status waits_for_ever(struct grid *grid)
{
    const struct block *block = grid->live[0];
    struct sim_hazard hazard = {.class = SIM_HAZARD_DEADLOCK, .kernel = block->view.kernel->info.name};
    char where[256];
    block_describe(block, where, sizeof where, &hazard.here);
    snprintf(
        hazard.message, sizeof hazard.message,
        "no thread can go on: %s, where it looks again and again at memory that nobody changes any more. "
        "Every other thread waits too, or has ended: what should set it never runs",
        where);
    if (grid->launch.hazards)
        hazard_file(grid->launch.sim, &hazard);
    snprintf(grid->result->message, sizeof grid->result->message, "%s", hazard.message);
    return SIM_DEADLOCK;
}

/* After a round in which all blocks only waited, and none is left that has not begun. */
static bool is_stuck(struct grid *grid)
{
    if (grid->idle_rounds++ == 0)
        grid->progress = work_done(grid);
    if (grid->idle_rounds < IDLE_ROUNDS_MAX)
        return false;
    grid->idle_rounds = 0;
    return work_done(grid) == grid->progress;
}

static enum sim_status run_blocks(struct grid *grid, bool cooperative)
{
    while (cooperative && grid->next < grid->block_count)
        if (!start_block(grid))
            return out_of_memory(grid);
    while (grid->next < grid->block_count || grid->live_count > 0) {
        if (grid->next < grid->block_count && grid->live_count < grid->live_max && !start_block(grid))
            return out_of_memory(grid);
        bool spinning;
        enum sim_status status = run_live(grid, &spinning);
        if (status != SIM_OK)
            return status;
        if (!spinning || grid->live_count == 0)
            grid->idle_rounds = 0;
        else if ((grid->next == grid->block_count || grid->live_count == grid->live_max) && is_stuck(grid))
            return waits_for_ever(grid);
    }
    return SIM_OK;
}

/* ---- after the last block ------------------------------------------------------------------------------ */

static struct sim_counters operation_counters(const struct micro *op, const struct op_count *count)
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
    return c;
}

static void collect_counters(struct grid *grid)
{
    const struct code *code = grid->launch.code;
    struct sim_counters *total = &grid->result->counters;
    for (int pc = 0; pc < code->count; pc++) {
        if (grid->counts[pc].warps == 0 || (code->ops[pc].flags & FLAG_SYNTHETIC))
            continue;
        struct sim_counters part = operation_counters(&code->ops[pc], &grid->counts[pc]);
        if (grid->set)
            counter_add(grid->set, pc, &part);
        else
            sim_counters_add(total, &part);
    }
    grid->result->block_cycles = latency_block_cycles(grid->launch.sim->config.profile, code, grid->counts,
                                                      grid->set, grid->next, grid->launch.warp_count);
    if (grid->set)
        grid->result->hottest_atomic = counter_hottest_atomic(grid->set);
    if (grid->set)
        counter_set_collect(grid->launch.sim, grid->launch.kernel, grid->set, total);
    total->launches = 1;
    total->blocks = grid->next;
    total->warps = grid->next * grid->launch.warp_count;
}

static bool create_grid(struct grid *grid, struct sim *sim, const struct sim_launch *request)
{
    if (!prepare_launch(&grid->launch, sim, request))
        return false;
    grid->block_count = (uint64_t)request->grid.x * request->grid.y * request->grid.z;
    grid->live_max = live_limit(grid, request->cooperative);
    grid->live = calloc(grid->live_max, sizeof *grid->live);
    grid->counts = calloc((size_t)grid->launch.code->count, sizeof *grid->counts);
    if (sim->config.counters)
        grid->set = counter_set_create(request->kernel);
    if (!grid->live || !grid->counts || (sim->config.counters && !grid->set))
        return false;
    return !grid->launch.seed || shuffle_blocks(grid);
}

static void destroy_grid(struct grid *grid)
{
    for (unsigned i = 0; i < grid->live_count; i++)
        block_destroy(grid->live[i]);
    block_destroy(grid->spare);
    if (grid->set)
        counter_set_destroy(grid->set);
    free(grid->live);
    free(grid->order);
    free(grid->counts);
    release_launch(&grid->launch);
}

enum sim_status sim_launch_run(struct sim *sim, const struct sim_launch *request, struct sim_result *result)
{
    struct grid grid = {.result = result};
    memset(result, 0, sizeof *result);
    sim->launch_count++;
    if (create_grid(&grid, sim, request)) {
        if (sim->config.hazards)
            hazard_launch_begin(sim, request);
        if (!grid_run_parallel(&grid, request))
            result->status = run_blocks(&grid, request->cooperative);
        if (sim->config.hazards)
            hazard_launch_end(sim);
        collect_counters(&grid);
        if (grid.next)
            request->kernel->block_cost = grid.executed / grid.next + 1;
        sim_model_time(sim->config.profile, request, result);
    } else {
        result->status = out_of_memory(&grid);
    }
    destroy_grid(&grid);
    return result->status;
}
