/* Streams and the modeled clock. */
#ifndef SIM_API_STREAM_H
#define SIM_API_STREAM_H

#include "sim/api/api_call.h"
#include "sim/device/sim.h"
#include "sim/stream/clock.h"

struct api_graph_ends;

struct CUstream_st {
    double ready; /* when its last piece of work that is done ends, in seconds since the device was made */
    unsigned lane;
    struct stream_clock clock; /* of its last work, and of what that must wait for */
    unsigned works;            /* that are queued or remembered … */
    bool destroyed;            /* … and keep it, although the program has no handle any more */
    bool polled;               /* cudaStreamQuery has said that it is not ready */
    bool blocking;             /* with respect to the legacy default stream */
    unsigned flags;
    int priority;
    unsigned long long id;
    struct CUgraph_st *capture;                                      /* NULL: work is done, not captured */
    struct api_graph_ends *capture_ends;                             /* what the next node depends on */
    cudaStreamAttrValue attributes[cudaLaunchAttributePriority + 1]; /* by number, as they were set */
    struct CUstream_st *next;
};

enum api_engine { API_ENGINE_KERNEL, API_ENGINE_TO_DEVICE, API_ENGINE_TO_HOST, API_ENGINE_COUNT };

struct api_streams {
    struct CUstream_st legacy;
    struct CUstream_st *list; /* all of them; the one above ends it */
    unsigned long long last_id;
    double host_now; /* seconds since the device was made */
    double engine_free[API_ENGINE_COUNT];
};

/* The stream of a handle: 0, legacy, per-thread, or a live one; else NULL. */
struct CUstream_st *api_find_stream(cudaStream_t handle);
/* Some work of the stream is gone: so is the stream, if the program has destroyed it. */
void api_stream_release(struct CUstream_st *stream);

bool api_stream_valid(cudaStream_t stream);
/* `seconds` of the work that is being done, for one engine: advances the modeled clock and the totals. */
void api_clock_work(struct CUstream_st *stream, enum api_engine engine, double seconds);
/* Seconds since the device was made, as far as the host has waited. */
double api_clock_now(void);
void api_clock_wait_until(double time);
/* When everything is done that work queued on `stream` now must wait for; and a time that it must. */
double api_stream_ready(const struct CUstream_st *stream);
void api_stream_delay(struct CUstream_st *stream, double time);
/*
 * For a host that asks whether work is done: it is told "not ready" once for work that takes modeled time,
 * and that time then passes. So a loop that polls sees what it would see on a device, and ends.
 */
cudaError_t api_poll(double ready);
/* The same for work that is not done yet; *polled: whether the host has been told so. */
cudaError_t api_poll_clock(const struct stream_clock *clock, bool *polled);
/* Queues a host function (api_stream.c). */
void api_queue_host(const struct api_call *call, struct CUstream_st *stream, cudaHostFn_t function,
                    void *data);
/* The host waits for the stream, or for the whole device. */
void api_clock_wait(struct CUstream_st *stream);
void api_clock_wait_all(void);
/* The time of a copy or fill that is being done. */
void api_clock_copy(struct CUstream_st *stream, double bytes, bool to_device, bool from_device);
void api_clock_fill(struct CUstream_st *stream, double bytes);

/* Enters `call` and finds the stream, or returns the error. */
#define API_ENTER_STREAM(kind, handle)                                                                       \
    API_ENTER(kind);                                                                                         \
    struct CUstream_st *stream = api_find_stream(handle);                                                    \
    if (!stream)                                                                                             \
    return api_fail_because(&call, cudaErrorInvalidResourceHandle,                                           \
                            "the stream does not exist, or no longer does")

/* ---- capture ------------------------------------------------------------------------------------------- */

/* The graph that a stream is captured into, or NULL (api_stream.c). */
struct CUgraph_st *api_stream_capture(cudaStream_t stream);
void api_stream_set_capture(cudaStream_t stream, struct CUgraph_st *graph);
/* No stream and no event has to do with the graph any more. */
void api_streams_end_capture(const struct CUgraph_st *graph);
void api_events_end_capture(const struct CUgraph_st *graph);

static inline double api_later(double a, double b)
{
    return a > b ? a : b;
}

#endif
