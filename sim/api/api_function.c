/* Attributes of a kernel. */
#include "sim/api/api_launch.h"
#include "sim/api/api_state.h"

#include <string.h>

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *symbol)
{
    API_ENTER(API_PLAIN);
    const struct sim_profile *profile = sim_config(api.sim)->profile;
    cudaError_t error;
    struct api_function *function = api_find_function(&call, symbol, &error);
    if (!attributes)
        return api_fail(cudaErrorInvalidValue);
    if (!function)
        return api_fail(error);
    struct sim_kernel_info info;
    sim_kernel_info(function->kernel, &info);
    memset(attributes, 0, sizeof *attributes);
    attributes->sharedSizeBytes = info.shared_static;
    attributes->constSizeBytes = info.const_bytes;
    attributes->localSizeBytes = info.local_bytes;
    attributes->maxThreadsPerBlock = info.max_threads > 0 ? info.max_threads : profile->threads_per_block;
    attributes->numRegs = info.registers;
    attributes->ptxVersion = sim_kernel_function(function->kernel)->module->target;
    attributes->binaryVersion = 10 * profile->cc_major + profile->cc_minor;
    attributes->maxDynamicSharedSizeBytes = api_dynamic_limit(function, &info);
    attributes->preferredShmemCarveout = function->carveout;
    return cudaSuccess;
}

/* enum cudaFuncAttribute of toolkits that know clusters; 11.8 has the first as a reserved number. */
enum { FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER = 14, FUNC_ATTRIBUTE_CLUSTER_SCHEDULING = 15 };

static cudaError_t set_max_dynamic(const struct api_call *call, struct api_function *function, int value)
{
    const struct sim_profile *profile = sim_config(api.sim)->profile;
    struct sim_kernel_info info;
    sim_kernel_info(function->kernel, &info);
    if (value < 0 || info.shared_static + (size_t)value > profile->shared_per_block_optin)
        return api_fail_because(
            call, cudaErrorInvalidValue,
            "%d bytes of dynamic shared memory beside %zu static ones: %s gives a block at most "
            "%zu in all",
            value, info.shared_static, profile->name, profile->shared_per_block_optin);
    function->max_dynamic_shared = value;
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *symbol, enum cudaFuncAttribute attribute, int value)
{
    API_ENTER(API_PLAIN);
    cudaError_t error;
    struct api_function *function = api_find_function(&call, symbol, &error);
    if (!function)
        return api_fail(error);
    switch ((int)attribute) {
    case FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER: function->large_clusters = value != 0; return cudaSuccess;
    case FUNC_ATTRIBUTE_CLUSTER_SCHEDULING: return cudaSuccess;
    case cudaFuncAttributeMaxDynamicSharedMemorySize: return set_max_dynamic(&call, function, value);
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        if (value < -1 || value > 100)
            return api_fail(cudaErrorInvalidValue);
        function->carveout = value;
        return cudaSuccess;
    default:
        return api_fail_because(&call, cudaErrorInvalidValue, "the simulator does not support attribute %d",
                                (int)attribute);
    }
}

cudaError_t cudaFuncSetCacheConfig(const void *symbol, enum cudaFuncCache config)
{
    API_ENTER(API_PLAIN);
    (void)config;
    cudaError_t error;
    return api_find_function(&call, symbol, &error) ? cudaSuccess : api_fail(error);
}

cudaError_t cudaFuncSetSharedMemConfig(const void *symbol, enum cudaSharedMemConfig config)
{
    API_ENTER(API_PLAIN);
    (void)config;
    cudaError_t error;
    return api_find_function(&call, symbol, &error) ? cudaSuccess : api_fail(error);
}

#if CUDART_VERSION >= 12040
cudaError_t cudaFuncGetParamInfo(const void *symbol, size_t index, size_t *offset, size_t *size)
{
    API_ENTER(API_PLAIN);
    cudaError_t error;
    struct api_function *function = api_find_function(&call, symbol, &error);
    if (!function)
        return api_fail(error);
    const struct ptx_func *kernel = sim_kernel_function(function->kernel);
    if (!offset || index >= (size_t)kernel->param_count)
        return api_fail(cudaErrorInvalidValue);
    *offset = kernel->params[index].offset;
    if (size)
        *size = kernel->params[index].var.size;
    return cudaSuccess;
}
#endif

#if CUDART_VERSION >= 12030
cudaError_t cudaFuncGetName(const char **name, const void *symbol)
{
    API_ENTER(API_PLAIN);
    cudaError_t error;
    struct api_function *function = api_find_function(&call, symbol, &error);
    if (!name)
        return api_fail(cudaErrorInvalidValue);
    if (!function)
        return api_fail(error);
    *name = function->name;
    return cudaSuccess;
}
#endif
