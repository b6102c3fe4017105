/*
 * Events. An event's time is when the work that was queued before it ends on the modelled clock.
 */
#include "sim/api/api_graph.h"
#include "sim/api/api_state.h"

#include <stdlib.h>

struct CUevent_st {
    bool recorded, timed;
    double time;
    struct CUgraph_st *capture; /* recorded on a stream that was being captured into it */
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
    free(handle);
    return cudaSuccess;
}

void api_events_end_capture(const struct CUgraph_st *graph)
{
    for (struct CUevent_st *event = api.events; event; event = event->next)
        if (event->capture == graph)
            event->capture = NULL;
}

static cudaError_t record_event(const struct api_call *call, cudaEvent_t handle, cudaStream_t on)
{
    struct CUevent_st *event = find_event(handle);
    struct CUstream_st *stream = api_find_stream(on);
    if (!event)
        return no_event(call);
    if (!stream)
        return api_fail_because(call, cudaErrorInvalidResourceHandle, "the stream does not exist (any more)");
    event->capture = api_stream_capture(on);
    if (event->capture)
        return cudaSuccess;
    event->recorded = true;
    event->time = api_stream_ready(stream);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    API_ENTER(API_PLAIN);
    return record_event(&call, event, stream);
}
API_PER_THREAD(cudaEventRecord, ptsz);

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
    API_ENTER(API_PLAIN);
    if (flags != cudaEventRecordDefault && flags != cudaEventRecordExternal)
        return api_fail(cudaErrorInvalidValue);
    return record_event(&call, event, stream);
}
API_PER_THREAD(cudaEventRecordWithFlags, ptsz);

cudaError_t cudaEventSynchronize(cudaEvent_t handle)
{
    API_ENTER(API_SYNC);
    const struct CUevent_st *event = find_event(handle);
    if (!event)
        return no_event(&call);
    if (event->recorded)
        api_clock_wait_until(event->time);
    return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t handle)
{
    API_ENTER(API_SYNC);
    const struct CUevent_st *event = find_event(handle);
    if (!event)
        return no_event(&call);
    return event->recorded ? api_poll(event->time) : cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    API_ENTER(API_PLAIN);
    const struct CUevent_st *first = find_event(start), *last = find_event(end);
    if (!milliseconds)
        return api_fail(cudaErrorInvalidValue);
    if (!first || !last)
        return no_event(&call);
    if (!first->recorded || !last->recorded || !first->timed || !last->timed)
        return api_fail_because(&call, cudaErrorInvalidResourceHandle,
                                "both events must have been recorded, and created with timing");
    if (first->time > api_clock_now() || last->time > api_clock_now())
        return api_fail_because(&call, cudaErrorNotReady,
                                "the work before the event is not done: cudaEventSynchronize(end) first");
    *milliseconds = (float)((last->time - first->time) * 1e3);
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
    if (event->capture)
        api_stream_set_capture(handle, event->capture); /* the captured stream forks, or joins */
    else if (event->recorded)
        api_stream_delay(stream, event->time);
    return cudaSuccess;
}
API_PER_THREAD(cudaStreamWaitEvent, ptsz);
