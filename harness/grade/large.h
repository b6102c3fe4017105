/*
 * Cases that are too large for the simulator: their launches, and a sample of their blocks. What they compute is not looked
 * at; but a grid that a GPU refuses is refused here, too: 65,536 blocks in y, say.
 */
#pragma once

#include "harness/result/grader.h"

/* Where there is no GPU, behind all other cases: of tasks that are right. What a GPU would refuse fails. */
void large_run(struct grader *grader);
