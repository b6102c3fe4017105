/*
 * Right for inputs that the program has not seen: the device apart gets those of a case that passed, and the worker, in its
 * memory and on its device, others. What kernels compute of the former is as right as before; what host code brings to the
 * device, in whatever way, belongs to the latter.
 */
#pragma once

#include "harness/result/grader.h"

/* Behind the cases in the simulator: those of tasks that are right so far, once more. What is wrong then fails. */
void unseen_run(struct grader *grader);
