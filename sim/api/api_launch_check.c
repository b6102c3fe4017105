/* What a launch may ask for: checked in the order of the real runtime. */
#include "sim/api/api_launch.h"
#include "sim/api/api_state.h"

#include <inttypes.h>

/* A grid as large as blocks usually are, of blocks as large as only grids are. */
static bool may_be_swapped(const struct sim_dim3 *grid, const struct sim_dim3 *block)
{
    return grid->y == 1 && grid->z == 1 && block->y == 1 && block->z == 1 && grid->x >= 32 &&
           grid->x <= 1024 && grid->x % 32 == 0;
}

/* "3 blocks", or "3 x 2 x 1 blocks" where there is more than one dimension. */
static void name_sizes(const struct sim_dim3 *size, const char *what, char *text, size_t bytes)
{
    if (size->y == 1 && size->z == 1)
        snprintf(text, bytes, "%u %s%s", size->x, what, size->x == 1 ? "" : "s");
    else
        snprintf(text, bytes, "%u x %u x %u %ss", size->x, size->y, size->z, what);
}

static cudaError_t check_dimensions(const struct api_call *call, const struct sim_launch *launch)
{
    const struct sim_profile *profile = sim_config(api.sim)->profile;
    const struct sim_dim3 *grid = &launch->grid, *block = &launch->block;
    uint64_t threads = (uint64_t)block->x * block->y * block->z;
    char blocks[64], in_block[64];
    name_sizes(grid, "block", blocks, sizeof blocks);
    name_sizes(block, "thread", in_block, sizeof in_block);
    if (grid->x == 0 || grid->y == 0 || grid->z == 0)
        return api_fail_because(call, API_BAD_LAUNCH,
                                "a grid of %s: there must be at least one; with nothing to do, do not launch",
                                blocks);
    if (grid->x > 2147483647u || grid->y > 65535 || grid->z > 65535)
        return api_fail_because(call, API_BAD_LAUNCH, "a grid of %s: at most 2147483647 x 65535 x 65535",
                                blocks);
    if (threads == 0)
        return api_fail_because(call, API_BAD_LAUNCH, "a block of %s: there must be at least one", in_block);
    if (block->x > 1024 || block->y > 1024 || block->z > 64 || threads > (uint64_t)profile->threads_per_block)
        return api_fail_because(
            call, API_BAD_LAUNCH,
            "a block of %s, %" PRIu64 " in all: at most %d in all, and at most 1024 x 1024 x 64%s", in_block,
            threads, profile->threads_per_block,
            may_be_swapped(grid, block)
                ? ". In <<<blocks, threads>>> the number of blocks comes first: are they swapped?"
                : "");
    return cudaSuccess;
}

int api_dynamic_limit(const struct api_function *function, const struct sim_kernel_info *info)
{
    const struct sim_profile *profile = sim_config(api.sim)->profile;
    if (function->max_dynamic_shared >= 0)
        return function->max_dynamic_shared;
    return (int)(profile->shared_per_block - info->shared_static);
}

static cudaError_t check_shared(const struct api_call *call, const struct api_function *function,
                                const struct sim_kernel_info *info, size_t dynamic)
{
    const struct sim_profile *profile = sim_config(api.sim)->profile;
    int limit = api_dynamic_limit(function, info);
    if (info->shared_static > profile->shared_per_block)
        return api_fail_because(
            call, cudaErrorInvalidValue,
            "%zu bytes of static shared memory, but only %zu are possible (the toolkit's ptxas refuses such a "
            "kernel for a GPU): make the arrays smaller, or use dynamic shared memory",
            info->shared_static, profile->shared_per_block);
    if (info->shared_static + dynamic > profile->shared_per_block_optin)
        return api_fail_because(
            call, cudaErrorInvalidValue,
            "%zu bytes of shared memory per block (%zu of them dynamic): %s has at most %zu",
            info->shared_static + dynamic, dynamic, profile->name, profile->shared_per_block_optin);
    if ((int)dynamic > limit)
        return api_fail_because(
            call, cudaErrorInvalidValue,
            "%zu bytes of dynamic shared memory, but only %d are allowed for this kernel: "
            "more must be asked for by cudaFuncSetAttribute(kernel, "
            "cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)",
            dynamic, limit);
    return cudaSuccess;
}

static cudaError_t check_resources(const struct api_call *call, const struct sim_kernel_info *info,
                                   const struct sim_launch *launch)
{
    const struct sim_profile *profile = sim_config(api.sim)->profile;
    unsigned threads = launch->block.x * launch->block.y * launch->block.z;
    uint64_t blocks = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
    if (info->max_threads > 0 && threads > (unsigned)info->max_threads)
        return api_fail_because(call, API_BAD_THREADS,
                                "%u threads per block, but the kernel is compiled for at most %d "
                                "(__launch_bounds__)",
                                threads, info->max_threads);
    struct sim_occupancy occupancy;
    sim_occupancy(profile, info, threads, launch->dynamic_shared, &occupancy);
    if (occupancy.blocks_per_sm == 0 && info->registers_exact)
        return api_fail_because(call, cudaErrorLaunchOutOfResources,
                                "%u threads with %d registers each: an SM has %d registers", threads,
                                info->registers, profile->registers_per_sm);
    if (launch->cooperative && blocks > (uint64_t)occupancy.blocks_per_sm * (unsigned)profile->sm_count)
        return api_fail_because(
            call, cudaErrorCooperativeLaunchTooLarge,
            "%llu blocks, but only %d x %d fit on the device at once (blocks per SM x SMs), and "
            "all blocks of a cooperative launch must",
            (unsigned long long)blocks, occupancy.blocks_per_sm, profile->sm_count);
    return cudaSuccess;
}

cudaError_t api_check_launch(const struct api_call *call, const struct api_function *function,
                             const struct sim_kernel_info *info, const struct sim_launch *launch)
{
    cudaError_t error = check_dimensions(call, launch);
    if (error == cudaSuccess)
        error = check_shared(call, function, info, launch->dynamic_shared);
    if (error == cudaSuccess)
        error = check_resources(call, info, launch);
    if (error == cudaSuccess && info->param_count > 0 && !launch->args)
        error = api_fail_because(call, cudaErrorInvalidValue, "no arguments for a kernel with %d parameters",
                                 info->param_count);
    return error;
}
