/* Verdicts and points; the end of a grading that cannot go on. */
#pragma once

#include "harness/result/grader.h"

/* Earned: all for right and fast; two thirds for right but too slow or with too much traffic; nothing without evidence. */
int task_points(const struct grader_task *task);
bool task_is_right(const struct grader_task *task); /* every case passed */
bool task_is_done(const struct grader_task *task);  /* and speed and counters hold */
bool task_is_open(
    const struct grader_task *task); /* all that can be told holds, but the speed is inconclusive */
/*
 * Points beyond the task's own, and speed.level and .next_level: only for a right task whose speed was
 * measured, in float, and only as far as every level before was reached.
 */
int task_take_levels(struct grader_task *task);
/* Points earned, of how many, and how many of those are open because a speed is inconclusive. */
int grader_score(const struct grader *grader, int *maximum, int *open);
/* GRADER_PASSED, GRADER_FAILED or, if nothing failed and something is open, GRADER_INCONCLUSIVE. */
int grader_verdict(const struct grader *grader);
bool grader_passed(const struct grader *grader);

/* From any thread: nothing can be graded here, and why. */
void grader_give_up(struct grader *grader, const char *why);
bool grader_is_ending(const struct grader *grader); /* given up, or interrupted */
/* From then on it is known whether a GPU or the simulator judges. */
void grader_choose(struct grader *grader, enum grader_backend backend);
void grader_wait_for_choice(struct grader *grader); /* until then, or until the grading is ending */
