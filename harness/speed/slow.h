/* Why a task is slow: what costs most in the launch that takes longest, at which line, as the simulator has it. */
#pragma once

#include "harness/result/grader.h"

/*
 * Fills speed->slow: the cause in words, its place first; and speed->slow_share: of the launch's time. "" and 0 if
 * nothing is known or the numbers cannot be true.
 */
void slow_take(struct grader_speed *speed, const struct protocol_waste *waste);
/* Fills speed->apart: for a kernel that is fast enough, and no step on the way to one. */
void slow_take_apart(struct grader_speed *speed, const struct lab_speed *ask,
                     const struct protocol_waste *waste);

/*
 * Whether it is worth telling of a task that is fast enough: much of its time, for what no right kernel has on purpose, or
 * of one that only the model's margin lets pass.
 */
bool slow_is_a_fault(const struct grader_speed *speed);
