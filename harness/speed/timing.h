/* Speed, measured on a GPU. */
#ifndef HARNESS_TIMING_H
#define HARNESS_TIMING_H

#include "harness/result/grader.h"

void grader_time(struct grader *grader, struct grader_task *task);

#endif
