/* Streams and the modelled clock. */
#ifndef SIM_API_STREAM_H
#define SIM_API_STREAM_H

#include "sim/api/api_call.h"
#include "sim/device/sim.h"

struct CUstream_st {
    double ready;  /* when its last piece of work ends, in seconds since the device was made */
    bool blocking; /* with respect to the legacy default stream */
    unsigned flags;
    int priority;
    unsigned long long id;
    struct CUgraph_st *capture;                                      /* NULL: work is done, not captured */
    cudaStreamAttrValue attributes[cudaLaunchAttributePriority + 1]; /* by number, as they were set */
    struct CUstream_st *next;
};

enum api_engine { API_ENGINE_KERNEL, API_ENGINE_TO_DEVICE, API_ENGINE_TO_HOST, API_ENGINE_COUNT };

struct api_streams {
    struct CUstream_st legacy, per_thread;
    struct CUstream_st *list; /* all of them; the two above end it */
    unsigned long long last_id;
    double host_now; /* seconds since the device was made */
    double engine_free[API_ENGINE_COUNT];
};

/* The stream of a handle: 0, legacy, per-thread, or a live one; else NULL. */
struct CUstream_st *api_find_stream(cudaStream_t handle);

bool api_stream_valid(cudaStream_t stream);
/* `seconds` of work for one engine, queued on `stream`: advances the modelled clock and the totals. */
void api_clock_work(cudaStream_t stream, enum api_engine engine, double seconds);
/* Seconds since the device was made, as far as the host has waited. */
double api_clock_now(void);
void api_clock_wait_until(double time);
/* When everything is done that work queued on `stream` now must wait for; and a time that it must. */
double api_stream_ready(const struct CUstream_st *stream);
void api_stream_delay(struct CUstream_st *stream, double time);
/*
 * For a host that asks whether work is done: it is told "not ready" once for work that takes modelled time,
 * and that time then passes. So a loop that polls sees what it would see on a device, and ends.
 */
cudaError_t api_poll(double ready);
/* The host waits for the stream, or for the whole device. */
void api_clock_wait(cudaStream_t stream);
void api_clock_wait_all(void);
/* Seconds for moving bytes between host and device, or inside the device. */
double api_copy_seconds(double bytes, bool to_device, bool from_device);
/* Queues a copy's or fill's time and, unless `async`, waits for it. */
void api_clock_copy(cudaStream_t stream, double bytes, bool to_device, bool from_device, bool async);

/* Enters `call` and finds the stream, or returns the error. */
#define API_ENTER_STREAM(kind, handle)                                                                       \
    API_ENTER(kind);                                                                                         \
    struct CUstream_st *stream = api_find_stream(handle);                                                    \
    if (!stream)                                                                                             \
    return api_fail_because(&call, cudaErrorInvalidResourceHandle, "the stream does not exist (any more)")

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
