/* What is believed of a call: what the device apart (worker/device.c) says of it. */
#ifndef HARNESS_WIRE_EVIDENCE_H
#define HARNESS_WIRE_EVIDENCE_H

#include "harness/wire/protocol.h"

/*
 * Puts into a worker's mailbox what counts as evidence, from the mailbox of the device apart, for a request of this kind:
 * hazards, unless the worker has told of some itself (it knows more of each, and the case is wrong in any case), counters,
 * modeled time and all that explains it.
 */
void evidence_take(struct protocol_mailbox *mailbox, const struct protocol_mailbox *device, uint32_t kind);

#endif
