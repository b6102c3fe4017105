/* Why a value is wrong, from what the simulator saw: who stored it, and what went into it. */
#ifndef HARNESS_GRADER_CAUSE_H
#define HARNESS_GRADER_CAUSE_H

#include "harness/grader.h"
#include "harness/grader_call.h"

/*
 * Says in words why element `index` of OUT buffer `buffer` of the call is wrong: into `text`, and where into `place` (line 0: no
 * place). The mailbox holds its origin and, second, that of cause_other_element. Facts only. False: nothing is known.
 */
bool cause_of_value(const struct call *call, int buffer, int64_t index,
                    const struct protocol_mailbox *mailbox, char *text, size_t size,
                    struct protocol_place *place);

/* Another element of the buffer to ask for: what is stored there helps where `index` is not stored. */
int64_t cause_other_element(const struct call *call, int buffer, int64_t index);

#endif
