/* GPU or simulator. */
#pragma once

#include "harness/result/grader.h"

/*
 * device_begin makes the arenas and, if there may be a GPU, begins to start
 * worker-gpu and, where speeds are asked for, calibrate; false: message. device_wait: is there a GPU? If not, why.
 */
bool device_begin(struct grader *grader, bool speeds, char message[512]);
bool device_wait(struct grader *grader, char why[512]);
