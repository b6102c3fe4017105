/*
 * Runs a sample of a launch's blocks and replaces their counts by those of the whole grid: see
 * sim/model/sample.h. It is for modeled times: what the blocks that are not run would have stored is missing.
 *
 * Small grids, cooperative launches, and launches in which hazards are looked for or the order of blocks is drawn,
 * are run in full; and those whose blocks may depend on one another (sample_depends), unless they are very large.
 */
#pragma once

#include "sim/machine/grid.h"

/*
 * True: the launch has ended with *status, and the grid's counts are as if all its blocks had been run; result->
 * sampled_blocks and relative_error are set. Blocks that ran into a fault, or wait for ever, may have done
 * so because others were not run, in this launch or in one before. False: nothing has happened, all blocks are to
 * be run.
 */
bool grid_run_sampled(struct grid *grid, const struct sim_launch *request, enum sim_status *status);
