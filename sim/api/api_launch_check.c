/* What a launch may ask for: checked in the order of the real runtime. */
#include "sim/api/api_launch.h"
#include "sim/api/api_state.h"
#include "sim/core/kernel.h"
#include "sim/text/launch_words.h"
#include "sim/text/place.h"

#include <stdarg.h>

__attribute__((format(printf, 5, 6))) static cudaError_t fail(const struct api_call *call,
                                                              enum sim_remark_detail detail, const char *name,
                                                              cudaError_t error, const char *format, ...)
{
    char why[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    api_fail_because(call, error, "%s", why);
    api_remark_detail(detail, name);
    return error;
}

static cudaError_t check_dimensions(const struct api_call *call, const struct sim_launch *launch)
{
    const uint32_t grid[] = {launch->grid.x, launch->grid.y, launch->grid.z};
    const uint32_t block[] = {launch->block.x, launch->block.y, launch->block.z};
    char why[320];
    if (!launch_words(grid, block, sim_config(api.sim)->profile->threads_per_block, why, sizeof why))
        return cudaSuccess;
    const bool none = grid[0] == 0 || grid[1] == 0 || grid[2] == 0;
    return fail(call, none ? SIM_REMARK_NO_BLOCKS : SIM_REMARK_RESOURCES, "", API_BAD_LAUNCH, "%s", why);
}

int api_dynamic_limit(const struct api_function *function, const struct sim_kernel_info *info)
{
    const struct sim_profile *profile = sim_config(api.sim)->profile;
    if (function->max_dynamic_shared >= 0)
        return function->max_dynamic_shared;
    return (int)(profile->shared_per_block - info->shared_static);
}

/* " (s_a: 32768, s_b: 32768)", the kernel's static arrays, and "s_a s_b"; "" if they are not known. */
static void list_arrays(const struct sim_kernel *kernel, char *text, size_t size, char *names, size_t room)
{
    size_t used = 0, named = 0;
    text[0] = names[0] = '\0';
    for (int i = 0; kernel && i < kernel->shared_var_count; i++) {
        const struct kernel_variable *array = &kernel->shared_vars[i];
        char name[96];
        if (array->size == 0 || used + 128 > size)
            continue;
        place_variable_name(array->name, name, sizeof name);
        used += (size_t)snprintf(text + used, size - used, "%s%s: %zu", used == 0 ? " (" : ", ", name,
                                 array->size);
        if (named < room)
            named += (size_t)snprintf(names + named, room - named, "%s%s", named == 0 ? "" : " ", name);
    }
    if (used > 0)
        snprintf(text + used, size - used, ")");
}

static cudaError_t check_shared(const struct api_call *call, const struct api_function *function,
                                const struct sim_kernel_info *info, size_t dynamic)
{
    char arrays[512], names[128];
    const struct sim_profile *profile = sim_config(api.sim)->profile;
    int limit = api_dynamic_limit(function, info);
    list_arrays(info->shared_static > profile->shared_per_block ? function->kernel : NULL, arrays,
                sizeof arrays, names, sizeof names);
    if (info->shared_static > profile->shared_per_block)
        return fail(
            call, SIM_REMARK_ARRAYS, names, cudaErrorInvalidValue,
            "%zu bytes of static shared memory, but only %zu are possible (the toolkit's ptxas refuses such a "
            "kernel for a GPU): make the arrays smaller%s, or use dynamic shared memory",
            info->shared_static, profile->shared_per_block, arrays);
    if (info->shared_static + dynamic > profile->shared_per_block_optin)
        return fail(call, SIM_REMARK_RESOURCES, "", cudaErrorInvalidValue,
                    "%zu bytes of shared memory per block (%zu of them dynamic): %s has at most %zu",
                    info->shared_static + dynamic, dynamic, profile->name, profile->shared_per_block_optin);
    if ((int)dynamic > limit)
        return fail(
            call, SIM_REMARK_RESOURCES, "", cudaErrorInvalidValue,
            "%zu bytes of dynamic shared memory, but only %d are allowed for this kernel; if it needs as "
            "many, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) must "
            "ask for them before",
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
        return fail(call, SIM_REMARK_RESOURCES, "", API_BAD_THREADS,
                    "%u threads per block, but the kernel is compiled for at most %d "
                    "(__launch_bounds__)",
                    threads, info->max_threads);
    struct sim_occupancy occupancy;
    sim_occupancy(profile, info, threads, launch->dynamic_shared, &occupancy);
    if (occupancy.blocks_per_sm == 0 && info->registers_exact)
        return fail(call, SIM_REMARK_RESOURCES, "", cudaErrorLaunchOutOfResources,
                    "%u threads with %d registers each: an SM has %d registers", threads, info->registers,
                    profile->registers_per_sm);
    if (launch->cooperative && blocks > (uint64_t)occupancy.blocks_per_sm * (unsigned)profile->sm_count)
        return fail(
            call, SIM_REMARK_LAUNCH, "", cudaErrorCooperativeLaunchTooLarge,
            "%llu blocks of %u threads, but only %d x %d of them fit on the device at once (blocks per SM x SMs), and "
            "all blocks of a cooperative launch must fit.",
            (unsigned long long)blocks, threads, occupancy.blocks_per_sm, profile->sm_count);
    return cudaSuccess;
}

/* "Thread Block Clusters" in the CUDA Programming Guide: up to 8 blocks, or 16 if the kernel allows it; whole clusters. */
static cudaError_t check_cluster(const struct api_call *call, const struct api_function *function,
                                 const struct sim_kernel_info *info, const struct sim_launch *launch)
{
    const struct sim_profile *profile = sim_config(api.sim)->profile;
    const struct sim_dim3 asked = launch->cluster, own = info->cluster;
    const struct sim_dim3 c = asked.x | asked.y | asked.z ? asked : own;
    const uint64_t size = (uint64_t)c.x * c.y * c.z;
    const unsigned most = function->large_clusters ? 16 : 8;
    if (!(c.x | c.y | c.z))
        return cudaSuccess;
    if (size == 0 || c.x > most || c.y > most || size > most)
        return fail(call, SIM_REMARK_LAUNCH, "", API_BAD_CLUSTER,
                    "clusters of %u x %u x %u blocks: %u blocks are possible%s", c.x, c.y, c.z, most,
                    function->large_clusters
                        ? ""
                        : ", 16 where cudaFuncAttributeNonPortableClusterSizeAllowed is set for the kernel");
    if (launch->grid.x % c.x || launch->grid.y % c.y || launch->grid.z % c.z)
        return fail(call, SIM_REMARK_LAUNCH, "", API_BAD_CLUSTER,
                    "%u x %u x %u blocks in clusters of %u x %u x %u: each number must be a multiple",
                    launch->grid.x, launch->grid.y, launch->grid.z, c.x, c.y, c.z);
    if (own.x && (own.x != c.x || own.y != c.y || own.z != c.z))
        return fail(
            call, SIM_REMARK_LAUNCH, "", API_BAD_CLUSTER,
            "clusters of %u x %u x %u blocks, but the kernel is compiled for %u x %u x %u (__cluster_dims__)",
            c.x, c.y, c.z, own.x, own.y, own.z);
    if (size > 1 && profile->cc_major < 9)
        return fail(call, SIM_REMARK_LAUNCH, "", cudaErrorNotSupported,
                    "clusters of blocks: %s has none, compute capability 9.0 is needed", profile->name);
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
    if (error == cudaSuccess)
        error = check_cluster(call, function, info, launch);
    if (error == cudaSuccess && info->param_count > 0 && !launch->args)
        error = fail(call, SIM_REMARK_LAUNCH, "", cudaErrorInvalidValue,
                     "no arguments for a kernel with %d parameters", info->param_count);
    return error;
}
