/* Limits on counters. */
#pragma once

#include "harness/result/grader.h"

/* Models the time of a task, and judges it. */
void grader_model(struct grader *grader, struct grader_task *task);
void grader_count(struct grader *grader, struct grader_task *task);
