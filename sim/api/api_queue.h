/*
 * Work that streams have been given and that has not been done yet. It is done as late as it may be: when the host
 * waits for it (for the stream, an event, the device, a copy), or when something else that must be done needs it.
 * LABS_SIM_SCHEDULE draws other moments. So a program that does not wait sees what was there before.
 *
 * What must be done before what follows from streams, events and what the host has waited for, as the CUDA C++
 * Programming Guide says ("Asynchronous Concurrent Execution"): sim/stream/clock.h. Of work that nothing orders,
 * api_order.c finds out whether it touches the same bytes.
 */
#ifndef SIM_API_QUEUE_H
#define SIM_API_QUEUE_H

#include "sim/api/api_copy.h"
#include "sim/api/api_stream.h"
#include "sim/origin/origin.h"
#include "sim/stream/clock.h"
#include "sim/stream/touched.h"

/* The point in a stream at which an event was recorded last. */
struct api_record {
    struct stream_clock clock;
    double time; /* on the modeled clock, once it is done */
    bool done;
    unsigned users; /* who holds it */
};

enum api_work_kind { API_WORK_OTHER, API_WORK_KERNEL, API_WORK_BOX, API_WORK_HOST };

struct api_work {
    enum api_work_kind kind; /* a box: a copy or a fill; host: a function of the host */
    void (*run)(struct api_work *work);
    void (*release)(struct api_work *work); /* what the union owns; NULL: nothing */
    bool anyway;                            /* is run even after a fault */
    const char *name;                       /* "cudaMemcpyAsync", "kernel scale": kept by others */
    const void *caller, *outer;             /* as in struct api_call */
    struct CUstream_st *stream;
    unsigned lane;
    uint32_t number;           /* in its lane, from 1 on … */
    uint64_t order;            /* … and among all */
    struct stream_clock clock; /* covers this work itself */
    double issued;             /* when, on the modeled clock of the host */
    uint64_t host_accesses;    /* noted before it was issued (api_pages.h) */
    bool done, ordered;        /* ordered: the host has waited for it */
    struct touched_bytes *touched;
    const void *accessed_from; /* a host function: where it first touched any of them */
    struct api_work *next;
    union {
        struct {
            struct sim_launch launch;
            struct sim_kernel_info info;
            void *callers[SIM_ORIGIN_CALLERS]; /* while origins are recorded: the calls around it */
        };
        struct {
            struct api_box box;
            struct api_place to, from;
            struct api_box_side to_side, from_side;
            void *staged; /* owned */
            int value;
            unsigned element_size;
        };
        struct {
            cudaHostFn_t function;
            cudaStreamCallback_t callback;
            cudaStream_t handle;
            void *data;
        };
        struct api_record *record;
        struct {
            void *pointer;
            size_t size;
        };
    };
};

/* A branch of a graph that runs: work goes there instead of to the end of its stream. */
struct api_branch {
    unsigned lane;
    struct stream_clock clock;
};

struct api_lane {
    uint32_t issued; /* number of its last work */
    unsigned live;   /* work that is queued or remembered */
    bool taken;      /* by a stream, or by a graph that is being launched */
};

struct api_queue {
    struct api_work *first, **end; /* not done yet, in the order in which it was issued */
    unsigned waiting;              /* how much that is */
    struct api_work *remembered;   /* done, and something that is not ordered with it may follow */
    struct stream_clock host;      /* what the host has waited for */
    struct api_lane *lanes;
    unsigned lane_count, lanes_live; /* live: with work that is queued or remembered */
    struct api_branch *branch;       /* NULL: work goes to the end of its stream */
    uint64_t issued;                 /* in all */
    struct api_work *running;
    bool waited_for; /* the host waits for what is done now … */
    bool early;      /* … or it is done although nothing needs it yet */
};

/* Work for the stream, all zero but for these; add it with api_queue_add. */
struct api_work *api_queue_new(const struct api_call *call, struct CUstream_st *stream,
                               void (*run)(struct api_work *work));
/* Queues it: `call` is over for the host. */
void api_queue_add(struct api_work *work);
/* Queues it, and does it, and what comes before, before it returns; then the call returns what it learned. */
cudaError_t api_queue_add_and_wait(struct api_work *work);
/* Does it without the host's having waited for it: its source was read, that is all. */
void api_queue_add_and_run(struct api_work *work);

/* The host waits for all that the clock covers; the error that it learns of. */
cudaError_t api_queue_wait(const struct stream_clock *clock);
cudaError_t api_queue_wait_stream(struct CUstream_st *stream);
cudaError_t api_queue_wait_all(void);
/* Whether there is work that the clock covers, and that is not done. */
bool api_queue_has(const struct stream_clock *clock);
/* What work that is queued on the stream now comes after. */
void api_queue_stream_clock(const struct CUstream_st *stream, struct stream_clock *clock);
/* Does all that waits; the host has not waited for it. */
void api_queue_run_all(void);
/* The same up to the next host function, of which the program may hear; false: there is more. */
bool api_queue_run_to_function(void);
/* All is done: what was remembered is compared with what the host did, and forgotten. */
void api_queue_forget_all(void);

/* ---- lanes and branches ------------------------------------------------------------------------------- */

unsigned api_lane_take(void);
void api_lane_give_back(unsigned lane);

struct api_record *api_record_new(void);
void api_record_drop(struct api_record *record); /* NULL: nothing */

/* ---- api_order.c --------------------------------------------------------------------------------------- */

/* Whether the bytes that the work touches must be known; it is about to be run. */
bool api_order_wants(const struct api_work *work);
/* The work is done, its bytes are known: is anything that nothing orders with it in its way? */
void api_order_check(struct api_work *work);

#endif
