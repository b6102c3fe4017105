/* All that is planned. */
#pragma once

#include "harness/result/grader.h"

/* Grades everything planned. False: the environment failed (message). */
bool grader_run(struct grader *grader, char message[512]);
