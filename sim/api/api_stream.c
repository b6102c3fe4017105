/*
 * Streams and the modeled clock.
 *
 * When work is done says api_queue.h; here is the time that it takes. Kernels share one engine, copies to and from the
 * device have one each, so that copies overlap with kernels, and kernels never with each other. A piece of work starts
 * when its stream and its engine are there, and not before the host (which itself takes no time) issued it; the host
 * moves on to the end of what it waits for.
 *
 * The legacy default stream waits for all blocking streams and they for it (CUDA C++ Programming Guide,
 * "Default Stream").
 */
#include "sim/api/api_graph.h"
#include "sim/api/api_queue.h"
#include "sim/api/api_runner.h"
#include "sim/api/api_state.h"
#include "sim/api/api_stream.h"
#include "sim/core/need.h"

#include <stdlib.h>
#include <string.h>

/* ---- the clock ----------------------------------------------------------------------------------------- */

static struct CUstream_st *add_stream(unsigned flags)
{
    struct CUstream_st *stream = sim_need(1, sizeof *stream, "a stream");
    stream->ready = api.streams.host_now;
    stream->blocking = flags == cudaStreamDefault;
    stream->flags = flags;
    stream->lane = api_lane_take();
    stream->id = ++api.streams.last_id;
    stream->next = api.streams.list;
    api.streams.list = stream;
    return stream;
}

/* Each host thread has one, from its first use on. */
static struct CUstream_st *stream_of_thread(void)
{
    static _Thread_local struct CUstream_st *of_thread;
    if (!of_thread)
        of_thread = add_stream(cudaStreamDefault);
    return of_thread;
}

static struct CUstream_st *legacy_stream(void)
{
    if (api.queue.lane_count == 0)
        api.streams.legacy.lane = api_lane_take();
    return &api.streams.legacy;
}

struct CUstream_st *api_find_stream(cudaStream_t handle)
{
    struct CUstream_st *legacy = legacy_stream();
    if (handle == cudaStreamPerThread || (!handle && api_is_per_thread()))
        return stream_of_thread();
    if (!handle || handle == cudaStreamLegacy)
        return legacy;
    for (struct CUstream_st *stream = api.streams.list; stream; stream = stream->next)
        if (stream == handle && !stream->destroyed)
            return stream;
    return NULL;
}

static void forget_stream(struct CUstream_st *stream)
{
    struct CUstream_st **link = &api.streams.list;
    while (*link != stream)
        link = &(*link)->next;
    *link = stream->next;
    api_lane_give_back(stream->lane);
    clock_free(&stream->clock);
    free(stream);
}

void api_stream_release(struct CUstream_st *stream)
{
    if (--stream->works == 0 && stream->destroyed)
        forget_stream(stream);
}

bool api_stream_valid(cudaStream_t stream)
{
    return api_find_stream(stream) != NULL;
}

double api_stream_ready(const struct CUstream_st *stream)
{
    double issued = api.queue.running ? api.queue.running->issued : api.streams.host_now;
    double ready = api_later(stream->ready, issued);
    if (stream == &api.streams.legacy)
        for (const struct CUstream_st *other = api.streams.list; other; other = other->next)
            ready = other->blocking ? api_later(ready, other->ready) : ready;
    else if (stream->blocking)
        ready = api_later(ready, api.streams.legacy.ready);
    return ready;
}

void api_clock_work(struct CUstream_st *stream, enum api_engine engine, double seconds)
{
    stream->ready = api_later(api_stream_ready(stream), api.streams.engine_free[engine]) + seconds;
    api.streams.engine_free[engine] = stream->ready;
    api.total_seconds += seconds;
}

double api_clock_now(void)
{
    return api.streams.host_now;
}

void api_clock_wait_until(double time)
{
    api.streams.host_now = api_later(api.streams.host_now, time);
}

void api_stream_delay(struct CUstream_st *stream, double time)
{
    stream->ready = api_later(stream->ready, time);
}

void api_clock_wait(struct CUstream_st *stream)
{
    api.streams.host_now = api_stream_ready(stream);
}

void api_clock_wait_all(void)
{
    for (const struct CUstream_st *stream = api.streams.list; stream; stream = stream->next)
        api.streams.host_now = api_later(api.streams.host_now, stream->ready);
    for (int engine = 0; engine < API_ENGINE_COUNT; engine++)
        api.streams.host_now = api_later(api.streams.host_now, api.streams.engine_free[engine]);
}

struct CUgraph_st *api_stream_capture(cudaStream_t handle)
{
    const struct CUstream_st *stream = api_find_stream(handle);
    return stream ? stream->capture : NULL;
}

void api_stream_set_capture(cudaStream_t handle, struct CUgraph_st *graph)
{
    api_find_stream(handle)->capture = graph;
}

void api_streams_end_capture(const struct CUgraph_st *graph)
{
    for (struct CUstream_st *stream = api.streams.list; stream; stream = stream->next)
        if (stream->capture == graph) {
            stream->capture = NULL;
            api_graph_ends_free(stream->capture_ends);
            stream->capture_ends = NULL;
        }
}

/* Cost of starting a transfer over the bus: what a cudaMemcpy of one word takes beyond its bytes. */
#define API_TRANSFER_START_SECONDS 5e-6

/* Seconds for moving bytes between host and device, or inside the device. */
static double api_copy_seconds(double bytes, bool to_device, bool from_device)
{
    const struct sim_profile *profile = sim_config(api.sim)->profile;
    if (!to_device && !from_device)
        return 0; /* inside the host: its time is not modeled */
    if (to_device && from_device)
        return profile->launch_us * 1e-6 + sim_model_copy_seconds(profile, 2 * bytes);
    return API_TRANSFER_START_SECONDS + bytes / (profile->pcie_gbs * 1e9);
}

void api_clock_copy(struct CUstream_st *stream, double bytes, bool to_device, bool from_device)
{
    enum api_engine engine = to_device && from_device ? API_ENGINE_KERNEL
                             : to_device              ? API_ENGINE_TO_DEVICE
                                                      : API_ENGINE_TO_HOST;
    api.copied_bytes += bytes * (to_device + from_device);
    api_clock_work(stream, engine, api_copy_seconds(bytes, to_device, from_device));
}

void api_clock_fill(struct CUstream_st *stream, double bytes)
{
    api.copied_bytes += bytes;
    api_clock_work(stream, API_ENGINE_KERNEL, api_copy_seconds(bytes / 2, true, true));
}

/* ---- streams ------------------------------------------------------------------------------------------- */

static cudaError_t new_stream(cudaStream_t *handle, unsigned flags, int priority)
{
    if (!handle || (flags != cudaStreamDefault && flags != cudaStreamNonBlocking))
        return api_fail(cudaErrorInvalidValue);
    legacy_stream();
    struct CUstream_st *stream = add_stream(flags);
    stream->priority = priority > 0 ? 0 : priority < -5 ? -5 : priority;
    *handle = stream;
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    API_ENTER(API_PLAIN);
    return new_stream(stream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    API_ENTER(API_PLAIN);
    return new_stream(stream, flags, 0);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority)
{
    API_ENTER(API_PLAIN);
    return new_stream(stream, flags, priority);
}

cudaError_t cudaStreamDestroy(cudaStream_t handle)
{
    API_ENTER(API_PLAIN);
    struct CUstream_st *stream = handle ? api_find_stream(handle) : NULL;
    if (!stream || stream == &api.streams.legacy || handle == cudaStreamPerThread)
        return api_fail_because(&call, cudaErrorInvalidResourceHandle,
                                "no such stream: destroyed already, never created, or the default one");
    stream->destroyed = true; /* its work goes on */
    stream->works++;
    api_stream_release(stream);
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle)
{
    API_ENTER_STREAM(API_PLAIN, handle);
    if (stream->capture) {
        api_spoil_capture(stream->capture);
        return api_fail_because(&call, cudaErrorStreamCaptureUnsupported,
                                "the stream is being captured: nothing runs that could be waited for");
    }
    stream->polled = false;
    cudaError_t error = api_queue_wait_stream(stream);
    api_clock_wait(stream);
    api_remark_wait(&call);
    return error;
}
API_PER_THREAD(cudaStreamSynchronize, ptsz, (cudaStream_t handle), (handle))

/* Work that is not done is "not ready" once; the next time it is done. So a loop that polls ends. */
cudaError_t api_poll_clock(const struct stream_clock *clock, bool *polled)
{
    if (!*polled && api_queue_has(clock)) {
        *polled = true;
        return api_fail(cudaErrorNotReady);
    }
    *polled = false;
    return api_queue_wait(clock);
}

cudaError_t api_poll(double ready)
{
    if (ready <= api.streams.host_now)
        return cudaSuccess;
    api.streams.host_now = ready;
    return api_fail(cudaErrorNotReady);
}

cudaError_t cudaStreamQuery(cudaStream_t handle)
{
    API_ENTER_STREAM(API_PLAIN, handle);
    struct stream_clock clock = {NULL, 0};
    api_queue_stream_clock(stream, &clock);
    const bool told = stream->polled;
    cudaError_t error = api_poll_clock(&clock, &stream->polled);
    clock_free(&clock);
    if (told)
        api_clock_wait(stream);
    return error == cudaSuccess ? api_poll(api_stream_ready(stream)) : error;
}
API_PER_THREAD(cudaStreamQuery, ptsz, (cudaStream_t handle), (handle))

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int *priority)
{
    API_ENTER_STREAM(API_PLAIN, handle);
    if (!priority)
        return api_fail(cudaErrorInvalidValue);
    *priority = stream->priority;
    return cudaSuccess;
}
API_PER_THREAD(cudaStreamGetPriority, ptsz, (cudaStream_t handle, int *priority), (handle, priority))

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned *flags)
{
    API_ENTER_STREAM(API_PLAIN, handle);
    if (!flags)
        return api_fail(cudaErrorInvalidValue);
    *flags = stream->flags;
    return cudaSuccess;
}
API_PER_THREAD(cudaStreamGetFlags, ptsz, (cudaStream_t handle, unsigned *flags), (handle, flags))

#if CUDART_VERSION >= 12000
cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long *id)
{
    API_ENTER_STREAM(API_PLAIN, handle);
    if (!id)
        return api_fail(cudaErrorInvalidValue);
    *id = stream->id;
    return cudaSuccess;
}
API_PER_THREAD(cudaStreamGetId, ptsz, (cudaStream_t handle, unsigned long long *id), (handle, id))
#endif

#if CUDART_VERSION >= 12080
cudaError_t cudaStreamGetDevice(cudaStream_t handle, int *device)
{
    API_ENTER_STREAM(API_PLAIN, handle);
    if (!device)
        return api_fail(cudaErrorInvalidValue);
    *device = 0;
    return cudaSuccess;
}
API_PER_THREAD(cudaStreamGetDevice, ptsz, (cudaStream_t handle, int *device), (handle, device))
#endif

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, enum cudaStreamCaptureStatus *status)
{
    API_ENTER_STREAM(API_PLAIN, handle);
    if (!status)
        return api_fail(cudaErrorInvalidValue);
    *status = !stream->capture                         ? cudaStreamCaptureStatusNone
              : api_capture_is_spoilt(stream->capture) ? cudaStreamCaptureStatusInvalidated
                                                       : cudaStreamCaptureStatusActive;
    return cudaSuccess;
}
API_PER_THREAD(cudaStreamIsCapturing, ptsz, (cudaStream_t handle, enum cudaStreamCaptureStatus *status),
               (handle, status))

/* Which calls are forbidden while something is captured: here none is. Each host thread has its own mode. */
static _Thread_local enum cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    API_ENTER(API_PLAIN);
    enum cudaStreamCaptureMode before = capture_mode;
    if (!mode || (unsigned)*mode > cudaStreamCaptureModeRelaxed)
        return api_fail(cudaErrorInvalidValue);
    capture_mode = *mode;
    *mode = before;
    return cudaSuccess;
}

/*
 * The host's accesses while it runs are its own: what it touches is compared like a kernel's. It may tell other
 * threads that all before it is done, and they may call the API meanwhile: the lock is free, and from now on the host
 * counts as having waited.
 */
static void run_host_function(struct api_work *work)
{
    const cudaError_t fault = api.pending;
    api_flush_printf();
    clock_join(&api.queue.host, &work->clock);
    api_pages_forget();
    api_pages_begin_function(work);
    api_begin_function();
    if (work->callback)
        work->callback(work->handle, fault, work->data);
    else
        work->function(work->data);
    api_end_function();
    api_pages_end_function(work);
}

void api_queue_host(const struct api_call *call, struct CUstream_st *stream, cudaHostFn_t function,
                    void *data)
{
    struct api_work *work = api_queue_new(call, stream, run_host_function);
    work->kind = API_WORK_HOST;
    work->function = function;
    work->data = data;
    api_queue_add(work);
    api_runner_start();
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void *data)
{
    API_ENTER_STREAM(API_PLAIN, handle);
    if (!function)
        return api_fail(cudaErrorInvalidValue);
    cudaError_t error;
    if (api_capture_host(&call, function, data, handle, &error))
        return error;
    api_queue_host(&call, stream, function, data);
    return cudaSuccess;
}
API_PER_THREAD(cudaLaunchHostFunc, ptsz, (cudaStream_t handle, cudaHostFn_t function, void *data),
               (handle, function, data))

cudaError_t cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t callback, void *data,
                                  unsigned flags)
{
    API_ENTER_STREAM(API_PLAIN, handle);
    if (!callback || flags != 0)
        return api_fail(cudaErrorInvalidValue);
    if (stream->capture) {
        api_spoil_capture(stream->capture);
        return api_fail_because(&call, cudaErrorStreamCaptureUnsupported,
                                "a callback cannot be captured: use cudaLaunchHostFunc");
    }
    struct api_work *work = api_queue_new(&call, stream, run_host_function);
    work->kind = API_WORK_HOST;
    work->callback = callback;
    work->handle = handle;
    work->data = data;
    work->anyway = true;
    api_queue_add(work);
    api_runner_start();
    return cudaSuccess;
}
API_PER_THREAD(cudaStreamAddCallback, ptsz,
               (cudaStream_t handle, cudaStreamCallback_t callback, void *data, unsigned flags),
               (handle, callback, data, flags))

/* ---- attributes of streams ----------------------------------------------------------------------------- */

/* Hints for caches and waiting, which nothing here depends on, and the priority. */
static bool attribute_known(cudaStreamAttrID attribute)
{
    return attribute == cudaLaunchAttributeAccessPolicyWindow ||
           attribute == cudaLaunchAttributeSynchronizationPolicy || attribute == cudaLaunchAttributePriority;
}

static int stream_priority(int priority)
{
    return priority > 0 ? 0 : priority < -5 ? -5 : priority;
}

cudaError_t cudaStreamSetAttribute(cudaStream_t handle, cudaStreamAttrID attribute,
                                   const cudaStreamAttrValue *value)
{
    API_ENTER_STREAM(API_PLAIN, handle);
    if (!value || !attribute_known(attribute))
        return api_fail(cudaErrorInvalidValue);
    stream->attributes[attribute] = *value;
    if (attribute == cudaLaunchAttributePriority)
        stream->priority = stream_priority(value->priority);
    return cudaSuccess;
}
API_PER_THREAD(cudaStreamSetAttribute, ptsz,
               (cudaStream_t handle, cudaStreamAttrID attribute, const cudaStreamAttrValue *value),
               (handle, attribute, value))

cudaError_t cudaStreamGetAttribute(cudaStream_t handle, cudaStreamAttrID attribute,
                                   cudaStreamAttrValue *value)
{
    API_ENTER_STREAM(API_PLAIN, handle);
    if (!value || !attribute_known(attribute))
        return api_fail(cudaErrorInvalidValue);
    *value = stream->attributes[attribute];
    if (attribute == cudaLaunchAttributePriority)
        value->priority = stream->priority;
    if (attribute == cudaLaunchAttributeSynchronizationPolicy && value->syncPolicy == 0)
        value->syncPolicy = cudaSyncPolicyAuto;
    return cudaSuccess;
}
API_PER_THREAD(cudaStreamGetAttribute, ptsz,
               (cudaStream_t handle, cudaStreamAttrID attribute, cudaStreamAttrValue *value),
               (handle, attribute, value))

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
{
    API_ENTER_STREAM(API_PLAIN, to);
    const struct CUstream_st *source = api_find_stream(from);
    if (!source)
        return api_fail(cudaErrorInvalidResourceHandle);
    memmove(stream->attributes, source->attributes, sizeof stream->attributes);
    stream->priority = source->priority;
    return cudaSuccess;
}
API_PER_THREAD(cudaStreamCopyAttributes, ptsz, (cudaStream_t to, cudaStream_t from), (to, from))
