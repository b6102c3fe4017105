/* What the host did, as a cause of what is wrong: calls that failed, sizes, launches, copies that are missing. */
#ifndef HARNESS_GRADER_REMARK_H
#define HARNESS_GRADER_REMARK_H

#include "harness/judge/call.h"
#include "harness/result/grader.h"

/*
 * Wrong values: says what the host did that explains them, into `text`, and where into `place`. False: nothing that is
 * known does. `path`: the student's file.
 */
bool remark_of_values(const struct call *call, const char *path, struct grader_finding *finding,
                      const struct protocol_mailbox *mailbox, char *text, size_t size,
                      struct protocol_place *place);

/*
 * Another end than wrong values, a hazard included: adds to the finding what is known of the launch, the call or the
 * contract.
 */
void remark_complete(const struct call *call, const char *path, const struct exchange *exchange,
                     struct grader_finding *finding);

/* cause/crash.c. Of a crash in a call of the runtime, or of a stack without room: what is known of it. */
void crash_complete(const char *path, const struct protocol_mailbox *mailbox, struct grader_finding *finding);

#endif
