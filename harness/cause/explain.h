/* Crashes, exits, timeouts, CUDA errors, hazards, in words. */
#ifndef HARNESS_EXPLAIN_H
#define HARNESS_EXPLAIN_H

#include "harness/judge/call.h"
#include "harness/result/grader.h"

/* The call did not end, and it was in the student's own host code, in no kernel. */
bool explain_is_host_loop(const struct exchange *exchange);

void explain_exchange(const struct exchange *exchange, const struct process *process,
                      const struct protocol_request *request, double timeout, struct grader_finding *finding);
/* False: there are none, or only values of local variables that may come from an index outside of the array. */
bool explain_is_hazard(const struct protocol_mailbox *mailbox);
/* Tells the hazard that is told with this instead of the part of its message that asks or advises. */
void explain_with(const struct protocol_mailbox *mailbox, const char *advice, struct grader_finding *finding);
/* Of a race of stores: whose element it is by the task, so that the other thread stores to the wrong one. */
void explain_owner(const struct call *call, const struct protocol_mailbox *mailbox,
                   struct grader_finding *finding);
bool explain_hazards(const struct protocol_mailbox *mailbox, struct grader_finding *finding);

#endif
