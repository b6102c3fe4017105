/* Seeds of the inputs of calls: from the seed of the grading. */
#ifndef HARNESS_SEED_H
#define HARNESS_SEED_H

#include "harness/result/grader.h"

uint64_t plan_seed(const struct grader *grader, const struct lab_task *task, const char *case_name,
                   int repeat);
uint64_t plan_timed_seed(const struct grader *grader, const struct lab_task *task, int set);
/* Are the tasks' inputs the same, case by case, wherever names and numbers are? */
bool plan_same_inputs(const struct lab_task *a, const struct lab_task *b);
/* "n = 1000, block_size = 128" */
void plan_arguments(const struct lab_task *task, const int64_t *arg, char *text, size_t size);

#endif
