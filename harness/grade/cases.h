/* The cases of a task. */
#pragma once

#include <stdio.h>

#include "harness/result/grader.h"

/* Small cases are those that the simulator runs, too. */
enum case_sizes { CASES_SMALL, CASES_LARGE };
/*
 * Of all tasks. Small cases by turns, the first one of each task, then the second one of each, and so on, until one is wrong: a
 * task's cases begin with the small ones, so that a mistake in any task is seen before the cases that take long, of
 * whichever task. From then on, and large cases in any case, task by task.
 */
void cases_run(struct grader *grader, enum grader_backend backend, enum case_sizes sizes);
/* The case once more in the simulator, its story into `story`. */
void cases_tell(struct grader *grader, const struct grader_task *task, const char *case_name, FILE *story);
/* What a warp accesses at this place when the task's traffic is counted. */
void cases_tell_access(struct grader *grader, const struct grader_task *task,
                       const struct protocol_place *place, FILE *story);
/* The first call of the case once more in the simulator, in this worker. */
void cases_run_in(struct grader *grader, const struct grader_task *task, const struct grader_case *c,
                  struct process *process, struct grader_outcome *outcome);
bool cases_failed(const struct grader_task *task); /* of those run so far */
/* When all threads have run their cases: what became of each, and how many passed. */
void cases_settle(const struct grader *grader, struct grader_task *task);
