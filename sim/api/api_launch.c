/*
 * Launches: from <<<grid, block, shared, stream>>> to sim_launch_run, with the checks of the real
 * runtime before it. The kernel runs to its end inside the call; what it did wrong is delivered by the
 * next synchronising call, as on a device that is still busy when the launch returns.
 */
#include "sim/api/api_internal.h"
#include "sim/text/plain_name.h"
#include "sim/core/device.h"
#include "sim/machine/device_launch.h"

#include <stdlib.h>
#include <string.h>

/* ---- the launch configuration that <<<>>> leaves for the stub ------------------------------------------ */

struct launch_configuration {
    dim3 grid, block;
    size_t shared;
    void *stream;
};

/* Arguments of a launch may themselves launch: a stack, one for each host thread. */
static _Thread_local struct launch_configuration configurations[64];
static _Thread_local int configuration_count;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
cudaError_t __cudaLaunchKernel(void *kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream);

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream)
{
    if (configuration_count == 64)
        return 1;
    configurations[configuration_count++] = (struct launch_configuration){grid, block, shared, stream};
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    if (configuration_count == 0)
        return api_fail(cudaErrorMissingConfiguration);
    const struct launch_configuration *top = &configurations[--configuration_count];
    *grid = top->grid;
    *block = top->block;
    *shared = top->shared;
    *(void **)stream = top->stream;
    return cudaSuccess;
}

/* ---- checks, in the order of the real runtime ---------------------------------------------------------- */

static cudaError_t check_dimensions(const struct api_call *call, const struct sim_launch *launch)
{
    const struct sim_profile *profile = sim_config(api.sim)->profile;
    const struct sim_dim3 *grid = &launch->grid, *block = &launch->block;
    uint64_t threads = (uint64_t)block->x * block->y * block->z;
    if (grid->x == 0 || grid->y == 0 || grid->z == 0)
        return api_fail_because(
            call, API_BAD_LAUNCH,
            "a grid of %u x %u x %u blocks: each number must be at least 1; with nothing to "
            "do, do not launch",
            grid->x, grid->y, grid->z);
    if (grid->x > 2147483647u || grid->y > 65535 || grid->z > 65535)
        return api_fail_because(call, API_BAD_LAUNCH,
                                "a grid of %u x %u x %u blocks: at most 2147483647 x 65535 x 65535", grid->x,
                                grid->y, grid->z);
    if (threads == 0)
        return api_fail_because(call, API_BAD_LAUNCH,
                                "a block of %u x %u x %u threads: each number must be at least 1", block->x,
                                block->y, block->z);
    if (block->x > 1024 || block->y > 1024 || block->z > 64 || threads > (uint64_t)profile->threads_per_block)
        return api_fail_because(
            call, API_BAD_LAUNCH,
            "a block of %u x %u x %u threads: at most %d in all, and at most 1024 x 1024 x 64", block->x,
            block->y, block->z, profile->threads_per_block);
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
    if (info->shared_static + dynamic > profile->shared_per_block_optin)
        return api_fail_because(
            call, cudaErrorInvalidValue,
            "%zu bytes of shared memory a block (%zu of them dynamic): %s has at most %zu",
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
                                "%u threads a block, but the kernel is compiled for at most %d "
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
            "%llu blocks, but only %d x %d fit on the device at once (blocks an SM x SMs), and "
            "all blocks of a cooperative launch must",
            (unsigned long long)blocks, occupancy.blocks_per_sm, profile->sm_count);
    return cudaSuccess;
}

static cudaError_t check_launch(const struct api_call *call, const struct api_function *function,
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

/* ---- the launch ---------------------------------------------------------------------------------------- */

static struct sim_dim3 dim3_of(dim3 d)
{
    return (struct sim_dim3){d.x, d.y, d.z};
}

static void run_children(cudaStream_t stream);

static void run_launch(const struct sim_launch *launch, const struct sim_kernel_info *info,
                       cudaStream_t stream)
{
    api_flush_printf(); /* of earlier kernels: a launch is one of the places where it appears */
    memset(&api.last, 0, sizeof api.last);
    sim_launch_run(api.sim, launch, &api.last);
    sim_counters_add(&api.totals, &api.last.counters);
    api_clock_work(stream, API_ENGINE_KERNEL, api.last.seconds);
    api_set_fault(info, &api.last);
    run_children(stream);
}

/* ---- launches from kernels ----------------------------------------------------------------------------- */

/* The kernel's parameters lie behind one another in the buffer that its parent filled. */
static void **child_arguments(const struct device_launch *child)
{
    void **args = calloc((size_t)child->kernel->param_count + 1, sizeof *args);
    for (int i = 0; args && i < child->kernel->param_count; i++)
        args[i] = child->params + child->kernel->params[i].offset;
    return args;
}

/* As a device does it: a launch that cannot be is not, and the host hears nothing but the simulator's note.
 */
static void run_child(const struct device_launch *child, cudaStream_t stream)
{
    char title[192];
    struct api_call call = {title, cudaSuccess, NULL};
    struct sim_launch launch = {NULL, child->grid, child->block, child->dynamic_shared, NULL, false};
    cudaError_t error, last = cudaPeekAtLastError();
    char name[128];
    plain_name(child->kernel->name, name, sizeof name);
    snprintf(title, sizeof title, "launch of %s from a kernel", name);
    struct api_function *function = api_find_function_named(&call, child->kernel->name, &error);
    launch.args = child_arguments(child);
    if (!function || !launch.args) {
        api_note(title, "it cannot run; nothing after it does");
        api.pending = cudaErrorNotSupported;
    } else {
        struct sim_kernel_info info;
        sim_kernel_info(function->kernel, &info);
        launch.kernel = function->kernel;
        if (check_launch(&call, function, &info, &launch) == cudaSuccess)
            run_launch(&launch, &info, stream);
    }
    cudaGetLastError(); /* what the host has heard so far stays, nothing is added */
    api_fail(last);
    free(launch.args);
}

/* A copy or fill that a kernel queued; bad addresses end as those of a kernel would. */
static void run_device_copy(const struct device_launch *copy, cudaStream_t stream)
{
    struct api_call call = {"a copy queued by a kernel", cudaSuccess, NULL};
    cudaError_t error, last = cudaPeekAtLastError();
    struct api_box box = {copy->size, 1, 1};
    struct api_box_side to = {copy->to, copy->size, copy->size}, from = {copy->from, copy->size, copy->size};
    if (copy->from != 0)
        error = api_copy_box(&call, &box, &to, &from, cudaMemcpyDefault, stream, true);
    else
        error = api_fill_box(&call, &box, &to, copy->value, stream);
    if (error != cudaSuccess)
        api.pending = cudaErrorIllegalAddress;
    cudaGetLastError();
    api_fail(last);
}

/* First the others, each with its own children, then the tail launches. */
static void run_children(cudaStream_t stream)
{
    struct device_launch *children = device_launch_take(api.sim);
    struct sim_result parent = api.last;
    api.sim->device_launches->depth++;
    for (int tail = 0; tail < 2; tail++)
        for (const struct device_launch *child = children; child; child = child->next)
            if (child->is_tail == (tail == 1) && api.pending == cudaSuccess && api.sticky == cudaSuccess) {
                if (child->kernel)
                    run_child(child, stream);
                else
                    run_device_copy(child, stream);
            }
    api.sim->device_launches->depth--;
    api.last = parent;
    while (children) {
        struct device_launch *next = children->next;
        device_launch_free(children);
        children = next;
    }
}

cudaError_t api_launch(const struct api_call *call, const void *symbol, struct sim_launch *launch,
                       cudaStream_t stream)
{
    cudaError_t error;
    struct api_function *function = api_find_function(call, symbol, &error);
    char title[160];
    struct api_call named = {title, cudaSuccess, call->caller};
    if (!function && (error == cudaErrorInvalidDeviceFunction || error == API_NO_KERNEL))
        return api_fail_because(call, error, "%p is no kernel of this program", symbol);
    if (!function)
        return api_fail(error);
    if (!api_stream_valid(stream))
        return api_fail_because(call, cudaErrorInvalidResourceHandle, "the stream does not exist (any more)");
    struct sim_kernel_info info;
    sim_kernel_info(function->kernel, &info);
    char name[128];
    plain_name(function->name, name, sizeof name);
    snprintf(title, sizeof title, "launch of %s", name);
    error = check_launch(&named, function, &info, launch);
    if (error != cudaSuccess || api.pending != cudaSuccess)
        return error; /* after a fault that has not been delivered, work is queued in vain */
    launch->kernel = function->kernel;
    if (api_capture_launch(call, symbol, launch, stream, &error))
        return error;
    run_launch(launch, &info, stream);
    return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                             cudaStream_t stream)
{
    API_ENTER(API_PLAIN);
    struct sim_launch launch = {NULL, dim3_of(grid), dim3_of(block), shared, args, false};
    return api_launch(&call, function, &launch, stream);
}
API_PER_THREAD(cudaLaunchKernel, ptsz);

cudaError_t __cudaLaunchKernel(void *kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream)
{
    API_ENTER(API_PLAIN);
    struct sim_launch launch = {NULL, dim3_of(grid), dim3_of(block), shared, args, false};
    call.name = "a launch";
    return api_launch(&call, kernel, &launch, stream);
}
API_PER_THREAD(__cudaLaunchKernel, ptsz);

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **args,
                                        size_t shared, cudaStream_t stream)
{
    API_ENTER(API_PLAIN);
    struct sim_launch launch = {NULL, dim3_of(grid), dim3_of(block), shared, args, true};
    return api_launch(&call, function, &launch, stream);
}
API_PER_THREAD(cudaLaunchCooperativeKernel, ptsz);

/* With one device there is one launch. */
#if CUDART_VERSION < 13000
cudaError_t cudaLaunchCooperativeKernelMultiDevice(struct cudaLaunchParams *list, unsigned count,
                                                   unsigned flags)
{
    API_ENTER(API_PLAIN);
    (void)flags;
    if (!list || count != 1)
        return api_fail_because(&call, cudaErrorInvalidValue, "launches on %u devices: there is one", count);
    struct sim_launch launch = {
        NULL, dim3_of(list->gridDim), dim3_of(list->blockDim), list->sharedMem, list->args, true};
    return api_launch(&call, list->func, &launch, list->stream);
}
#endif

/* Attributes that only tune are let pass; those that change what a kernel means must be understood. */
static cudaError_t read_launch_attributes(const struct api_call *call, const cudaLaunchConfig_t *config,
                                          struct sim_launch *launch)
{
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttribute *attribute = &config->attrs[i];
        if (attribute->id == cudaLaunchAttributeCooperative)
            launch->cooperative = attribute->val.cooperative != 0;
        if (attribute->id == cudaLaunchAttributeClusterDimension && (uint64_t)attribute->val.clusterDim.x *
                                                                            attribute->val.clusterDim.y *
                                                                            attribute->val.clusterDim.z >
                                                                        1)
            return api_fail_because(call, cudaErrorNotSupported,
                                    "the simulator does not support thread-block clusters");
    }
    return cudaSuccess;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **args)
{
    API_ENTER(API_PLAIN);
    struct sim_launch launch = {NULL, {0, 0, 0}, {0, 0, 0}, 0, args, false};
    if (!config)
        return api_fail(cudaErrorInvalidValue);
    launch.grid = dim3_of(config->gridDim);
    launch.block = dim3_of(config->blockDim);
    launch.dynamic_shared = config->dynamicSmemBytes;
    cudaError_t error = read_launch_attributes(&call, config, &launch);
    return error != cudaSuccess ? error : api_launch(&call, function, &launch, config->stream);
}
API_PER_THREAD(cudaLaunchKernelExC, ptsz);

/* ---- attributes of a kernel ---------------------------------------------------------------------------- */

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
    case FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER:
    case FUNC_ATTRIBUTE_CLUSTER_SCHEDULING: return cudaSuccess; /* clusters themselves are refused */
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
