/*
 * --explain: the long story of a failed call, for someone who has never seen a warp drawn: who stored the wrong value, of
 * what it was made, and which elements the lanes of the warps in question used.
 */
#ifndef HARNESS_GRADER_STORY_H
#define HARNESS_GRADER_STORY_H

#include <stdio.h>

#include "harness/judge/call.h"
#include "harness/result/grader.h"

/*
 * Runs the failed call once more, recorded; `asked`: as it was run. Writes nothing if nothing is known. `look_at`: of a call
 * that may be right, only what a warp accesses there; NULL: what made it fail.
 */
void story_tell(FILE *out, struct process *process, const struct protocol_request *asked,
                const struct call *call, const struct grader_outcome *outcome,
                const struct protocol_mailbox *seen, const struct protocol_place *look_at);

/* Of wrong values: launches, stores and what went in, as the mailbox has them. */
void story_of_value(FILE *out, const struct call *call, const struct grader_finding *finding,
                    const struct protocol_mailbox *mailbox);

/* report/story_lanes.c: which elements 32 lanes used, and what that costs. */
void story_draw(FILE *out, const struct call *call, const struct protocol_mailbox *mailbox,
                const struct protocol_question *question, const struct protocol_lanes *lanes);

/* report/story_threads.c: who waits at a barrier, whom a mask names; whose index leaves its array. */
void story_draw_waiting(FILE *out, const struct protocol_hazard *hazard);
/* False: the hazard is inside of the call's arrays, or in other memory. */
bool story_draw_bounds(FILE *out, const struct call *call, const struct protocol_mailbox *mailbox,
                       const struct protocol_hazard *hazard);

/* The buffer on the device that holds the address, or lies nearest to it; -1: none of the call's does. */
int story_buffer_at(const struct call *call, const struct protocol_mailbox *mailbox, uint64_t address);

#endif
