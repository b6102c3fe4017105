/* Seeds of the inputs of calls: from the seed of the grading. */
#pragma once

#include "harness/result/grader.h"

/*
 * From the lower 32 bits of the grading's seed. A program can find these out: each step from them to an input can be undone, and the
 * seed of a call stands in the worker's memory. For what is counted and timed: the function of another task has not had these inputs,
 * and cannot have kept the results.
 */
uint64_t plan_own_seed(const struct grader *grader, const struct lab_task *task, const char *case_name,
                       int repeat);
/* The same for all tasks that have such inputs, so that they need to be made, and references to be computed, only once. */
uint64_t plan_seed(const struct grader *grader, const struct lab_task *task, const char *case_name,
                   int repeat);
/* What a sample of blocks and elements is drawn from: from the other bits, too, on which nothing depends that a program sees. */
uint64_t plan_sample_seed(const struct grader *grader, const struct lab_task *task);
/* Drawn anew: follows from nothing. Without random numbers nothing can be judged: then the program ends. */
uint64_t seed_drawn(void);
uint64_t plan_timed_seed(const struct grader *grader, const struct lab_task *task, int set);
/* What all sizes of the task's cases are multiples of: the contract may ask for that. At least 1. */
int64_t plan_size_step(const struct lab_task *task);
/*
 * The numbers of a case with another size that the contract allows and no case has: `other`, chosen by the seed. It is smaller than
 * the case's own, and larger than those of the cases that are not half as large. False: there is none, or none was found. The task
 * has a size.
 */
bool plan_other_size(const struct grader *grader, const struct lab_task *task, const char *case_name,
                     const int64_t *arg, int64_t other[LAB_MAX_ARGS]);
/* Are the tasks' inputs the same, case by case, wherever names and numbers are? */
bool plan_same_inputs(const struct lab_task *a, const struct lab_task *b);
/* "n = 1000, block_size = 128" */
void plan_arguments(const struct lab_task *task, const int64_t *arg, char *text, size_t size);
