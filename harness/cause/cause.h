/* Why a value is wrong, from what the simulator saw: who stored it, and what went into it. */
#ifndef HARNESS_GRADER_CAUSE_H
#define HARNESS_GRADER_CAUSE_H

#include "harness/judge/call.h"
#include "harness/result/grader.h"

/* Asks for the origins of the finding's wrong elements, or of what was copied back last if returned values are wrong. */
void cause_ask(const struct call *call, const struct grader_finding *finding,
               struct protocol_request *request);

/*
 * Says in words why the finding's values are wrong: into `text`, and where into `place` (line 0: no place). The
 * mailbox answers what cause_ask asked for. Of several wrong elements it takes the one of which most is known.
 * `source`: path of the student's file. `known`, `facts`: as in struct grader_finding. False: nothing is known.
 */
bool cause_of_value(const struct call *call, const struct grader_finding *finding,
                    const struct protocol_mailbox *mailbox, char *text, size_t size, const char *source,
                    struct protocol_place *place, enum grader_known *known, struct facts *facts);

/* Of an input that was changed, REASON_INPUT, with what cause_ask has asked for: who stored to it. */
void cause_of_store(const struct call *call, const struct grader_finding *finding,
                    const struct protocol_mailbox *mailbox, char *text, size_t size);

#endif
