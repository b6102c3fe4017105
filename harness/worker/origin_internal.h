/*
 * Between worker/origin.c, worker/origin_missing.c, worker/origin_unset.c and
 * worker/origin_trace.c.
 */
#ifndef HARNESS_WORKER_ORIGIN_INTERNAL_H
#define HARNESS_WORKER_ORIGIN_INTERNAL_H

#include "harness/worker/origin.h"
#include "sim/origin/origin.h"

struct question {
    struct sim *sim;
    const struct protocol_request *request;
    const struct protocol_mailbox *mailbox;
};

/* In the protocol's terms. */
struct protocol_place origin_place_put(const struct sim_origin_place *from);
struct protocol_lanes origin_lanes_put(const struct sim_origin_lanes *from);
/* worker/origin_trace.c: what the warps that are asked for did. */
void origin_put_trace(struct sim *sim, const struct protocol_filter *filter, struct protocol_trace *trace);
struct protocol_thread origin_thread_put(const struct sim_origin_thread *from);
/* worker/origin_missing.c: why nothing loads, or (`store`) stores, `size` bytes at an offset of the buffer. */
void origin_put_absence(const struct question *q, uint32_t buffer, uint64_t offset, uint32_t size, bool store,
                        struct protocol_absence *to);
/* Of the first element that is needed and is not there. */
void origin_put_missing(const struct question *q, const struct protocol_element *element,
                        const struct sim_origin *origin, struct protocol_origin *to);
/* worker/origin_unset.c: the first variable of the device that went into it and that this call has not set. */
void origin_put_unset(const struct question *q, const struct sim_origin *origin, struct protocol_origin *to);

#endif
