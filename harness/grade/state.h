/* State of an earlier call: is a case that fails right when it is the first call of the program? */
#pragma once

#include "harness/judge/call_plan.h"

/*
 * A case failed in the simulator after `before` other calls in the same process. Runs it once more as the first call
 * of a new process; if it is right there, the outcome says so, and which variables an earlier call has changed.
 */
void state_explain(struct grader *grader, const struct call_plan *plan, int before,
                   const struct exchange *exchange, struct grader_outcome *outcome);
