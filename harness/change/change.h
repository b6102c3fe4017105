/*
 * What would make it right? Where a case is wrong, or has a hazard, the simulator runs it again and again, each time
 * with one small change of the source (change/edit.h). If all cases of the task
 * that were wrong are right with one of them, those that were right stay so, and so are calls with other inputs, sizes and
 * orders, which the search has not used, and none of another line does the same, the mistake is at that line, or in what
 * that line uses.
 */
#ifndef HARNESS_GRADER_TRIAL_H
#define HARNESS_GRADER_TRIAL_H

#include "harness/result/grader.h"

/* Of the failure that the report tells first, and of one of another task that this does not explain: tries, and adds what it finds to the finding. */
void trial_run(struct grader *grader);

#endif
