/* What a launch does that costs something, fast or not (sim/model/habit.h), in words: line, what happens, what to do. */
#pragma once

#include "harness/result/grader.h"

/* Fills speed->kept and loads. */
void habit_take(struct grader_speed *speed, const struct lab_task *task,
                const struct protocol_habits *habits);
