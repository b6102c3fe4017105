/* Places as reports name them: source files, threads, variables of a kernel. */
#ifndef SIM_PLACE_H
#define SIM_PLACE_H

#include "sim/core/access.h"
#include "sim/core/kernel.h"
#include "sim/core/report.h"

/* The name of the source file, or "" where unknown. */
const char *place_file(const struct sim_kernel *kernel, struct ptx_loc loc);

/* The coordinates of the thread or block that has this number in a block or grid of size `dim`. */
struct sim_dim3 place_coordinates(uint64_t number, const struct sim_dim3 *dim);

/* "thread (5,0,0) of block (0,0,0)" into text. */
void place_thread_name(const struct block_view *block, unsigned warp, int lane, char *text, size_t size);

/* Where the lane is; `access`: what it does there, or NULL. */
struct sim_hazard_place place_of_lane(const struct block_view *block, unsigned warp, int lane,
                                      struct ptx_loc loc, const struct access *access);

#endif
