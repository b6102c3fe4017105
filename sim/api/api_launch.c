/*
 * Launches: from <<<grid, block, shared, stream>>> to sim_launch_run, with the checks of the real runtime before it. The
 * call queues the kernel (api_queue.h); what it did wrong is delivered by the call that waits for it.
 */
#include "sim/api/api_seen.h"
#include "sim/api/api_graph.h"
#include "sim/api/api_launch.h"
#include "sim/api/api_queue.h"
#include "sim/api/api_record.h"
#include "sim/api/api_state.h"
#include "sim/origin/origin.h"
#include "sim/core/device.h"
#include "sim/text/plain_name.h"

#include <execinfo.h>
#include <string.h>

/* ---- the launch configuration that <<<>>> leaves for the stub ------------------------------------------ */

struct launch_configuration {
    dim3 grid, block;
    size_t shared;
    void *stream;
    const void *caller; /* the line of <<<…>>>: the stub that launches has another one */
};

/* Arguments of a launch may themselves launch: a stack, one for each host thread. (Small: a shared library that is loaded
 * while the program runs may have no more than about 1.5 KiB of such variables.) */
#define CONFIGURATIONS 16
static _Thread_local struct launch_configuration configurations[CONFIGURATIONS];
static _Thread_local int configuration_count;
static _Thread_local const void *launch_caller; /* of the configuration that was taken last; NULL: none was */

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
cudaError_t __cudaLaunchKernel(void *kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream);

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream)
{
    if (configuration_count == CONFIGURATIONS)
        return 1;
    configurations[configuration_count++] =
        (struct launch_configuration){grid, block, shared, stream, __builtin_return_address(0)};
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
    launch_caller = top->caller;
    return cudaSuccess;
}

/* ---- the launch ---------------------------------------------------------------------------------------- */

static struct sim_dim3 dim3_of(dim3 d)
{
    return (struct sim_dim3){d.x, d.y, d.z};
}

static const void *launch_made_by; /* the line of the launch that runs; of a child it is its parent's */

void api_launch_made_by(const void *caller)
{
    launch_made_by = caller;
}

static bool same_block(struct sim_dim3 a, struct sim_dim3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* See struct sim_shape. */
static void keep_shape(const struct sim_launch *launch, const struct sim_kernel_info *info)
{
    struct sim_shape shape = {
        .grid = launch->grid, .block = launch->block, .dynamic_shared = launch->dynamic_shared};
    snprintf(shape.kernel, sizeof shape.kernel, "%s", info->name);
    for (int i = 0; i < api.shape_count; i++)
        if (api.shapes[i].dynamic_shared == shape.dynamic_shared &&
            same_block(api.shapes[i].block, shape.block) && strcmp(api.shapes[i].kernel, shape.kernel) == 0)
            return;
    if (api.shape_count < SIM_MAX_SHAPES)
        api.shapes[api.shape_count++] = shape;
}

void api_run_launch(const struct sim_launch *launch, const struct sim_kernel_info *info,
                    struct CUstream_st *stream)
{
    api_flush_printf(); /* of earlier kernels: a launch is one of the places where it appears */
    keep_shape(launch, info);
    const size_t printed = api.sim->printed_count;
    memset(&api.last, 0, sizeof api.last);
    api.sim->touched = api.queue.running ? api.queue.running->touched : NULL;
    api.sim->config.repeat_work = api.reports && !api.profile ? api.repeat_work : 0;
    sim_launch_run(api.sim, launch, &api.last);
    api.sim->touched = NULL;
    if (printed == 0 && api.sim->printed_count > 0)
        api.printed_by = launch_made_by;
    sim_counters_add(&api.totals, &api.last.counters);
    api_summary_add(info->name, &api.last);
    if (!api_runs_children()) /* which have no line of the host */
        api_site_add(launch, info, launch_made_by);
    if (api.last.seconds > api.longest_seconds) {
        api.longest_seconds = api.last.seconds;
        api.limiter = api.last.limiter;
        api.slowest = (struct sim_slowest){.waste = api.last.waste,
                                           .arithmetic = api.last.arithmetic,
                                           .alone = api.last.alone,
                                           .habits = api.last.habits,
                                           .sm = api.last.sm,
                                           .seconds = api.last.seconds,
                                           .grid = launch->grid,
                                           .block = launch->block,
                                           .caller = launch_made_by};
        plain_name(info->name, api.slowest.kernel, sizeof api.slowest.kernel);
    }
    api.sampled_blocks += api.last.sampled_blocks;
    api.sampled_error += api.last.relative_error * api.last.seconds;
    api.unlike_error += api.last.unlike_error * api.last.seconds;
    api.rough_seconds += api.last.machine_seconds > 0 ? 0 : api.last.seconds;
    api_clock_work(stream, API_ENGINE_KERNEL, api.last.seconds);
    api_set_fault(info, &api.last);
    api_run_children(stream);
}

static void run_launch(struct api_work *work)
{
    sim_origin_launched_from(api.sim, work->caller, work->callers);
    api_launch_made_by(work->caller);
    api_record_launch(work);
    api_run_launch(&work->launch, &work->info, work->stream);
    api_record_launched();
}

static void release_launch(struct api_work *work)
{
    api_graph_free_arguments(&work->launch);
}

/* The arguments' values are those of now. */
static void queue_launch(const struct api_call *call, const struct sim_launch *launch,
                         const struct sim_kernel_info *info, struct CUstream_st *stream)
{
    api_remark_launch();
    struct api_work *work = api_queue_new(call, stream, run_launch);
    work->kind = API_WORK_KERNEL;
    work->name = info->name;
    work->launch = *launch;
    work->info = *info;
    work->release = release_launch;
    if (api.sim->origin)
        backtrace(work->callers, SIM_ORIGIN_CALLERS);
    api_graph_keep_arguments(&work->launch, launch->args);
    api_queue_add(work);
}

cudaError_t api_launch(const struct api_call *call, const void *symbol, struct sim_launch *launch,
                       cudaStream_t stream)
{
    cudaError_t error;
    struct api_function *function = api_find_function(call, symbol, &error);
    char title[160];
    struct api_call made = *call;
    if (launch_caller) {
        made.caller = launch_caller;
        made.outer = NULL;
    }
    const struct api_call named = {title, cudaSuccess, made.caller, made.outer, NULL};
    launch_caller = NULL;
    if (!function && (error == cudaErrorInvalidDeviceFunction || error == API_NO_KERNEL))
        return api_fail_because(call, error, "%p is not a kernel of this program", symbol);
    if (!function)
        return api_fail(error);
    struct CUstream_st *found = api_find_stream(stream);
    if (!found)
        return api_fail_because(call, cudaErrorInvalidResourceHandle,
                                "the stream does not exist, or no longer does");
    struct sim_kernel_info info;
    sim_kernel_info(function->kernel, &info);
    char name[128];
    plain_name(function->name, name, sizeof name);
    snprintf(title, sizeof title, "launch of %s", name);
    api_see_launch(&named);
    error = api_check_launch(&named, function, &info, launch);
    if (error != cudaSuccess || api.pending != cudaSuccess)
        return error; /* after a fault that has not been delivered, work is queued in vain */
    launch->kernel = function->kernel;
    if (api_capture_launch(&made, symbol, launch, stream, &error))
        return error;
    api_remark_shape(&named, launch);
    api_note_dynamic(&named, function->kernel, name, launch->dynamic_shared);
    queue_launch(&made, launch, &info, found);
    return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                             cudaStream_t stream)
{
    API_ENTER(API_PLAIN);
    struct sim_launch launch = {NULL, dim3_of(grid), dim3_of(block), shared, args, false, {0, 0, 0}};
    return api_launch(&call, function, &launch, stream);
}
API_PER_THREAD(cudaLaunchKernel, ptsz,
               (const void *function, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream),
               (function, grid, block, args, shared, stream))

cudaError_t __cudaLaunchKernel(void *kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream)
{
    API_ENTER(API_PLAIN);
    struct sim_launch launch = {NULL, dim3_of(grid), dim3_of(block), shared, args, false, {0, 0, 0}};
    call.name = "a launch";
    return api_launch(&call, kernel, &launch, stream);
}
API_PER_THREAD(__cudaLaunchKernel, ptsz,
               (void *kernel, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream),
               (kernel, grid, block, args, shared, stream))

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **args,
                                        size_t shared, cudaStream_t stream)
{
    API_ENTER(API_PLAIN);
    struct sim_launch launch = {NULL, dim3_of(grid), dim3_of(block), shared, args, true, {0, 0, 0}};
    return api_launch(&call, function, &launch, stream);
}
API_PER_THREAD(cudaLaunchCooperativeKernel, ptsz,
               (const void *function, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream),
               (function, grid, block, args, shared, stream))

/* With one device there is one launch. */
#if CUDART_VERSION < 13000
cudaError_t cudaLaunchCooperativeKernelMultiDevice(struct cudaLaunchParams *list, unsigned count,
                                                   unsigned flags)
{
    API_ENTER(API_PLAIN);
    (void)flags;
    if (!list || count != 1)
        return api_fail_because(&call, cudaErrorInvalidValue, "launches on %u devices: there is only one",
                                count);
    struct sim_launch launch = {
        NULL, dim3_of(list->gridDim), dim3_of(list->blockDim), list->sharedMem, list->args, true, {0, 0, 0}};
    return api_launch(&call, list->func, &launch, list->stream);
}
#endif

/* Attributes that only tune are let pass; those that change what a kernel means must be understood. */
static void read_launch_attributes(const cudaLaunchConfig_t *config, struct sim_launch *launch)
{
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttribute *attribute = &config->attrs[i];
        if (attribute->id == cudaLaunchAttributeCooperative)
            launch->cooperative = attribute->val.cooperative != 0;
        if (attribute->id == cudaLaunchAttributeClusterDimension)
            launch->cluster = (struct sim_dim3){attribute->val.clusterDim.x, attribute->val.clusterDim.y,
                                                attribute->val.clusterDim.z};
    }
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **args)
{
    API_ENTER(API_PLAIN);
    struct sim_launch launch = {NULL, {0, 0, 0}, {0, 0, 0}, 0, args, false, {0, 0, 0}};
    if (!config)
        return api_fail(cudaErrorInvalidValue);
    launch.grid = dim3_of(config->gridDim);
    launch.block = dim3_of(config->blockDim);
    launch.dynamic_shared = config->dynamicSmemBytes;
    read_launch_attributes(config, &launch);
    return api_launch(&call, function, &launch, config->stream);
}
API_PER_THREAD(cudaLaunchKernelExC, ptsz,
               (const cudaLaunchConfig_t *config, const void *function, void **args),
               (config, function, args))
