/* The roof of a task, and how long it may take. */
#pragma once

#include "harness/result/grader.h"

/* Fills in roof, method and limit of the task at speed->arg. */
void speed_set_roof(struct grader_speed *speed, const struct grader_roof *roof, const struct lab_task *task);
/*
 * Sets of inputs, of `bytes` each with their outputs, that a timed task rotates through: several times what L2 holds; two
 * where arithmetic takes far longer than memory, for each set's reference takes long as well.
 */
int speed_sets(const struct grader_roof *roof, const struct lab_task *task, const int64_t *arg, double bytes);
/* What no kernel is faster than: see lab_speed.flops_saved. */
double speed_least_seconds(const struct grader_speed *speed, const struct grader_roof *roof,
                           const struct lab_task *task);
/* Makes the verdict SPEED_IMPOSSIBLE if the time is shorter than `least` seconds, which no kernel can be. */
void speed_refuse_impossible(struct grader_speed *speed, double least);
