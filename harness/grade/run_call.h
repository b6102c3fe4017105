/* One call from its inputs to its outcome. */
#ifndef HARNESS_RUN_CALL_H
#define HARNESS_RUN_CALL_H

#include "harness/judge/call_plan.h"

void grader_call(struct grader *grader, const struct call_plan *plan, struct grader_outcome *outcome,
                 struct exchange *exchange);

#endif
