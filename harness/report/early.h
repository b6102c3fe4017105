/*
 * The first case that is known to be wrong is told at once, before the others are graded and before its cause is looked for:
 * which task, which case, and what is seen to be wrong. What else there is to say is in the report.
 */
#ifndef HARNESS_GRADER_EARLY_H
#define HARNESS_GRADER_EARLY_H

#include "harness/judge/call_plan.h"

/*
 * From any thread: this call of a case (plan->name) is wrong, whatever is found out about it later. Only the first one is told,
 * and none of a task that is given, or that the plan has no name for. Sets grader->first_failure.
 */
void early_tell(struct grader *grader, const struct call_plan *plan, const struct grader_finding *finding);

#endif
