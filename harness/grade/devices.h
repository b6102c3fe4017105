/* --devices and --launches: what the planned tasks take, and launch, without grading them. */
#pragma once

#include <stdio.h>

#include "harness/result/grader.h"

/*
 * A line for each shape of launch that a timed task makes at the size that it is timed at: its id, the
 * kernel's mangled name, threads per block, bytes of dynamic shared memory per block, blocks. For ./grader --occupancy.
 */
void launches_print(struct grader *grader, FILE *out);
/* The modeled times of the planned tasks on all devices. */
void devices_print(struct grader *grader, FILE *out);
