/*
 * Events. An event stands for a point in a stream: all work that was queued before it. Its time is when that work ends
 * on the modeled clock.
 */
#include "sim/api/api_graph.h"
#include "sim/api/api_queue.h"
#include "sim/api/api_settings.h"
#include "sim/api/api_state.h"

#include <stdlib.h>

struct CUevent_st {
    bool timed;
    bool polled;                         /* cudaEventQuery has said that it is not ready */
    struct api_record *record;           /* the last one; NULL: never recorded */
    struct CUgraph_st *capture;          /* recorded on a stream that was being captured into it … */
    struct api_graph_ends *capture_ends; /* … after these nodes */
    struct CUevent_st *next;
};

static struct CUevent_st *find_event(cudaEvent_t handle)
{
    for (struct CUevent_st *event = api.events; event; event = event->next)
        if (event == handle)
            return event;
    return NULL;
}

static cudaError_t no_event(const struct api_call *call)
{
    return api_fail_because(call, cudaErrorInvalidResourceHandle,
                            "no such event: create it with cudaEventCreate first, and do not use it after "
                            "cudaEventDestroy");
}

static cudaError_t new_event(const struct api_call *call, cudaEvent_t *handle, unsigned flags)
{
    unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    if (!handle || (flags & ~known) != 0)
        return api_fail(cudaErrorInvalidValue);
    if ((flags & cudaEventInterprocess) != 0 && (flags & cudaEventDisableTiming) == 0)
        return api_fail_because(call, cudaErrorInvalidValue,
                                "cudaEventInterprocess must come with cudaEventDisableTiming");
    struct CUevent_st *event = calloc(1, sizeof *event);
    if (!event)
        return api_fail(cudaErrorMemoryAllocation);
    event->timed = (flags & cudaEventDisableTiming) == 0;
    if (event->timed)
        api_expect_times();
    event->next = api.events;
    api.events = event;
    *handle = event;
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    API_ENTER(API_PLAIN);
    return new_event(&call, event, cudaEventDefault);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    API_ENTER(API_PLAIN);
    return new_event(&call, event, flags);
}

cudaError_t cudaEventDestroy(cudaEvent_t handle)
{
    API_ENTER(API_PLAIN);
    struct CUevent_st **link = &api.events;
    while (*link && *link != handle)
        link = &(*link)->next;
    if (!*link)
        return no_event(&call);
    *link = handle->next;
    api_record_drop(handle->record);
    api_graph_ends_free(handle->capture_ends);
    free(handle);
    return cudaSuccess;
}

void api_events_end_capture(const struct CUgraph_st *graph)
{
    for (struct CUevent_st *event = api.events; event; event = event->next)
        if (event->capture == graph) {
            event->capture = NULL;
            api_graph_ends_free(event->capture_ends);
            event->capture_ends = NULL;
        }
}

static void run_record(struct api_work *work)
{
    work->record->time = api_stream_ready(work->stream);
    work->record->done = true;
}

static void run_delay(struct api_work *work)
{
    api_stream_delay(work->stream, work->record->time);
}

static void drop_record(struct api_work *work)
{
    api_record_drop(work->record);
}

static struct api_work *queue_record(const struct api_call *call, struct CUstream_st *stream,
                                     struct api_record *record, void (*run)(struct api_work *))
{
    struct api_work *work = api_queue_new(call, stream, run);
    work->record = record;
    work->release = drop_record;
    work->anyway = true;
    record->users++;
    api_queue_add(work);
    return work;
}

static cudaError_t record_event(const struct api_call *call, cudaEvent_t handle, cudaStream_t on)
{
    struct CUevent_st *event = find_event(handle);
    struct CUstream_st *stream = api_find_stream(on);
    if (!event)
        return no_event(call);
    if (!stream)
        return api_fail_because(call, cudaErrorInvalidResourceHandle,
                                "the stream does not exist, or no longer does");
    event->capture = stream->capture;
    api_graph_ends_free(event->capture_ends);
    event->capture_ends = NULL;
    if (event->capture) {
        event->capture_ends = api_graph_ends_copy(stream->capture_ends);
        return cudaSuccess;
    }
    api_record_drop(event->record);
    event->record = api_record_new();
    event->polled = false;
    queue_record(call, stream, event->record, run_record);
    clock_join(&event->record->clock, &stream->clock);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    API_ENTER(API_PLAIN);
    return record_event(&call, event, stream);
}
API_PER_THREAD(cudaEventRecord, ptsz, (cudaEvent_t event, cudaStream_t stream), (event, stream))

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
    API_ENTER(API_PLAIN);
    if (flags != cudaEventRecordDefault && flags != cudaEventRecordExternal)
        return api_fail(cudaErrorInvalidValue);
    return record_event(&call, event, stream);
}
API_PER_THREAD(cudaEventRecordWithFlags, ptsz, (cudaEvent_t event, cudaStream_t stream, unsigned flags),
               (event, stream, flags))

/* The event stands for nodes of a graph that is not there yet: asking for it spoils the capture. */
static cudaError_t is_captured(const struct api_call *call, const struct CUevent_st *event)
{
    api_spoil_capture(event->capture);
    return api_fail_because(
        call, cudaErrorCapturedEvent,
        "the event was last recorded in a stream that is being captured: nothing runs before the "
        "graph is launched");
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle)
{
    API_ENTER(API_PLAIN);
    const struct CUevent_st *event = find_event(handle);
    if (!event)
        return no_event(&call);
    if (event->capture)
        return is_captured(&call, event);
    if (!event->record)
        return cudaSuccess;
    cudaError_t error = api_queue_wait(&event->record->clock);
    api_clock_wait_until(event->record->time);
    return error;
}

cudaError_t cudaEventQuery(cudaEvent_t handle)
{
    API_ENTER(API_PLAIN);
    struct CUevent_st *event = find_event(handle);
    if (!event)
        return no_event(&call);
    if (event->capture)
        return is_captured(&call, event);
    if (!event->record)
        return cudaSuccess;
    const bool told = event->polled;
    cudaError_t error = api_poll_clock(&event->record->clock, &event->polled);
    if (told)
        api_clock_wait_until(event->record->time);
    return error == cudaSuccess ? api_poll(event->record->time) : error;
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    API_ENTER(API_PLAIN);
    const struct CUevent_st *first = find_event(start), *last = find_event(end);
    if (!milliseconds)
        return api_fail(cudaErrorInvalidValue);
    if (!first || !last)
        return no_event(&call);
    if (!first->record || !last->record || !first->timed || !last->timed)
        return api_fail_because(&call, cudaErrorInvalidResourceHandle,
                                "both events must have been recorded, and created with timing");
    if (!first->record->done || !last->record->done || first->record->time > api_clock_now() ||
        last->record->time > api_clock_now())
        return api_fail_because(&call, cudaErrorNotReady,
                                "the work before the event is not done: cudaEventSynchronize(end) first");
    *milliseconds = (float)((last->record->time - first->record->time) * 1e3);
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event_handle, unsigned flags)
{
    API_ENTER_STREAM(API_PLAIN, handle);
    const struct CUevent_st *event = find_event(event_handle);
    if (flags != cudaEventWaitDefault && flags != cudaEventWaitExternal)
        return api_fail(cudaErrorInvalidValue);
    if (!event)
        return no_event(&call);
    if (event->capture || (stream->capture && event->record && flags != cudaEventWaitExternal))
        return api_capture_wait(&call, stream, event->capture, event->capture_ends);
    if (event->record && !stream->capture) {
        clock_join(&stream->clock, &event->record->clock);
        queue_record(&call, stream, event->record, run_delay);
    }
    return cudaSuccess;
}
API_PER_THREAD(cudaStreamWaitEvent, ptsz, (cudaStream_t handle, cudaEvent_t event_handle, unsigned flags),
               (handle, event_handle, flags))
