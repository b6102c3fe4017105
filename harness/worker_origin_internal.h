/* Between worker_origin.c and worker_origin_products.c. */
#ifndef HARNESS_WORKER_ORIGIN_INTERNAL_H
#define HARNESS_WORKER_ORIGIN_INTERNAL_H

#include "harness/worker_origin.h"
#include "sim/origin/origin.h"

struct question {
    struct sim *sim;
    const struct protocol_request *request;
    const struct protocol_mailbox *mailbox;
};

/* The call's buffer in which the address lies, or -1. */
int origin_buffer_at(const struct protocol_request *request, const struct protocol_mailbox *mailbox,
                     uint64_t address);
/* The place in the origin's table; the last one stands for places that are not known or find no room. */
uint16_t origin_place_number(struct protocol_origin *origin, const struct sim_origin_place *from);
/* Which factors were multiplied by which. */
void origin_put_products(const struct question *q, const struct sim_origin *from, struct protocol_origin *to);

#endif
