/* All that is planned. */
#ifndef HARNESS_RUN_H
#define HARNESS_RUN_H

#include "harness/result/grader.h"

/* Grades everything planned. False: the environment failed (message). */
bool grader_run(struct grader *grader, char message[512]);

#endif
