/* What all blocks of a launch share: parameters, immediates and special registers, the grid's barrier. */
#include "sim/machine/launch.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/device.h"
#include "sim/memory/allocations.h"
#include "sim/ptx/ptx.h"

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
    case SPECIAL_CLUSTER_NCTAID_X: return launch->cluster.x;
    case SPECIAL_CLUSTER_NCTAID_Y: return launch->cluster.y;
    case SPECIAL_CLUSTER_NCTAID_Z: return launch->cluster.z;
    case SPECIAL_CLUSTER_NCTARANK: return launch_cluster_size(launch);
    case SPECIAL_NCLUSTERID_X: return launch->grid.x / launch->cluster.x;
    case SPECIAL_NCLUSTERID_Y: return launch->grid.y / launch->cluster.y;
    case SPECIAL_NCLUSTERID_Z: return launch->grid.z / launch->cluster.z;
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

/* What cooperative_groups' grid.sync() finds through %envreg1 and %envreg2: {size, barrier}, zero at
 * first. */
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

/*
 * As on a device, the compiler has sized the frames that it knows of, and cudaLimitStackSize is for the others. A
 * thread's window holds frames as PTX has them, which are larger: see struct function_layout.
 */
static void size_stack(struct launch *launch)
{
    const struct code *code = launch->code;
    size_t limit = launch->sim->config.stack_limit;
    launch->stack_limit = ((limit ? limit : STACK_LIMIT_DEFAULT) + 15) / 16 * 16;
    launch->stack_is_tight = code->calls_unbounded || code->has_alloca;
    launch->alloca_size = code->has_alloca ? launch->stack_limit : 0;
    launch->local_size = launch->kernel->info.local_bytes + launch->alloca_size;
    if (code->calls_unbounded)
        launch->local_size += LOCAL_PER_CALL_BYTE * launch->stack_limit;
}

bool launch_prepare(struct launch *launch, struct sim *sim, const struct sim_launch *request)
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
        .touched = sim->touched,
    };
    launch->cluster = request->cluster.x ? request->cluster : kernel->info.cluster;
    launch->is_explicit = launch->cluster.x > 0;
    if (!launch->is_explicit)
        launch->cluster = (struct sim_dim3){1, 1, 1};
    launch->clustered = kernel->code->uses_cluster || launch_cluster_size(launch) > 1;
    launch->warp_count = (launch->thread_count + WARP_LANES - 1) / WARP_LANES;
    launch->shared_size = request->dynamic_shared ? kernel->info.shared_static + request->dynamic_shared
                                                  : kernel->code->shared_used;
    size_stack(launch);
    if (request->cooperative && !make_workspace(launch))
        return false;
    return copy_params(launch, request) && fill_launch_rows(launch);
}

void launch_release(struct launch *launch)
{
    if (launch->workspace)
        sim_mem_free(launch->sim, launch->workspace);
    free(launch->launch_rows);
    free(launch->params);
}
