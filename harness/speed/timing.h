/* Speed, measured on a GPU. */
#pragma once

#include "harness/result/grader.h"

void grader_time(struct grader *grader, struct grader_task *task);
