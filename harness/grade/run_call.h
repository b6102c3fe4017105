/* One call from its inputs to its outcome. */
#pragma once

#include "harness/judge/call_plan.h"

void grader_call(struct grader *grader, const struct call_plan *plan, struct grader_outcome *outcome,
                 struct exchange *exchange);
