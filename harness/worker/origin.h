/* Of the worker on the simulator: where elements of its buffers came from, for the mailbox. */
#ifndef HARNESS_WORKER_ORIGIN_H
#define HARNESS_WORKER_ORIGIN_H

#include "harness/wire/protocol.h"

struct sim;

/* Begins to record, if the request asks for origins. */
void origin_begin(struct sim *sim, const struct protocol_request *request);
/* Puts them into the mailbox, whose addresses of buffers are filled in, and ends the recording. */
void origin_collect(struct sim *sim, const struct protocol_request *request,
                    struct protocol_mailbox *mailbox);

#endif
