/*
 * Work that a call does for nothing, whatever else costs time: launches by the thousand, blocks that store nothing,
 * more arithmetic than the task needs. And which of the things that are known of a task's speed is told.
 */
#pragma once

#include "harness/result/grader.h"

/* Fills speed->many_launches, idle_blocks, excess, alone and what speed/habit.h says; speed->arg says of which size. */
void work_take(struct grader_speed *speed, const struct lab_task *task,
               const struct protocol_mailbox *mailbox);

/* What is for nothing in a right task, in that case: "student.cu:37: ...". False: nothing is known. */
bool work_for_nothing(const struct grader *grader, const struct grader_task *task, char *text, size_t size);

/* Of a task that is too slow: what to change first, as far as counters and the model say. */
void work_advice(const struct grader *grader, const struct grader_task *task, char *text, size_t size);
