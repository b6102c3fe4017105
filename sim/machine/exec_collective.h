/* Between the files of what the lanes of a warp do together: exec_collective.c, exec_shuffle.c, exec_warp.c. */
#pragma once

#include "sim/machine/exec.h"

/* The lanes that go on now: 0 if all of them wait. */
uint32_t exec_begin_collective(struct warp *warp, const struct micro *op, uint32_t active,
                               const row_u32 *masks);
/* `lanes` have done it, of `active` that came: lanes that wait elsewhere may go on with those that still do. */
enum step exec_end_collective(struct warp *warp, const struct micro *op, uint32_t lanes, uint32_t active);

/* "0-15, 20" */
void exec_describe_lanes(uint32_t lanes, char *text, size_t size);
/* What is to be said of a mask. `lane_set`: those to speak of; `arrived`: all that execute the call, and `named`: that its
 * mask names. */
struct sim_hazard exec_mask_hazard(struct warp *warp, const struct micro *op, uint32_t lane_set,
                                   uint32_t arrived, uint32_t named, const char *what);
