/* How many blocks of a kernel fit on an SM: exact where the register count is (model.c). */
#include "sim/api/api_launch.h"
#include "sim/api/api_state.h"

static cudaError_t find_occupancy(const struct api_call *call, const void *symbol, int block_size,
                                  size_t dynamic, int *blocks)
{
    const struct sim_profile *profile = sim_config(api.sim)->profile;
    cudaError_t error;
    struct api_function *function = api_find_function(call, symbol, &error);
    if (!function)
        return api_fail(error);
    if (!blocks || block_size <= 0)
        return api_fail(cudaErrorInvalidValue);
    *blocks = 0;
    struct sim_kernel_info info;
    sim_kernel_info(function->kernel, &info);
    if (block_size > profile->threads_per_block || (info.max_threads > 0 && block_size > info.max_threads) ||
        dynamic > (size_t)api_dynamic_limit(function, &info))
        return cudaSuccess;
    struct sim_occupancy occupancy;
    sim_occupancy(profile, &info, (unsigned)block_size, dynamic, &occupancy);
    *blocks = occupancy.blocks_per_sm;
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *symbol, int block_size,
                                                          size_t dynamic)
{
    API_ENTER(API_PLAIN);
    return find_occupancy(&call, symbol, block_size, dynamic, blocks);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *symbol,
                                                                   int block_size, size_t dynamic,
                                                                   unsigned flags)
{
    API_ENTER(API_PLAIN);
    if (flags != cudaOccupancyDefault && flags != cudaOccupancyDisableCachingOverride)
        return api_fail(cudaErrorInvalidValue);
    return find_occupancy(&call, symbol, block_size, dynamic, blocks);
}

/* The most dynamic shared memory with which `blocks` blocks still fit on an SM. */
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamic, const void *symbol, int blocks,
                                                      int block_size)
{
    API_ENTER(API_PLAIN);
    const struct sim_profile *profile = sim_config(api.sim)->profile;
    size_t low = 0, high = profile->shared_per_block_optin;
    int fit = 0;
    if (!dynamic || blocks <= 0)
        return api_fail(cudaErrorInvalidValue);
    *dynamic = 0;
    cudaError_t error = find_occupancy(&call, symbol, block_size, 0, &fit);
    if (error != cudaSuccess || fit < blocks)
        return error;
    while (low < high) {
        size_t middle = (low + high + 1) / 2;
        find_occupancy(&call, symbol, block_size, middle, &fit);
        if (fit >= blocks)
            low = middle;
        else
            high = middle - 1;
    }
    *dynamic = low;
    return cudaSuccess;
}
