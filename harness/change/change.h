/*
 * What would make it right? Where a case is wrong, or has a hazard, the simulator runs it again and again, each time
 * with one small change in the kernels: a comparison that counts equality, another number, another built-in variable
 * or parameter (the list: sim/ptx/ptx_change.h). If all cases of the task that were wrong are right with one of them,
 * and those that were right stay so, the mistake is at that line, or in what that line uses. That is a fact, and no
 * guess.
 */
#ifndef HARNESS_GRADER_TRIAL_H
#define HARNESS_GRADER_TRIAL_H

#include "harness/result/grader.h"

/* Of the failure that the report tells first: tries, and adds what it finds to the finding. */
void trial_run(struct grader *grader);

#endif
