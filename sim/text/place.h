/* Places as reports name them: source files, threads, variables of a kernel. */
#pragma once

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

/* Appends, if the instruction is of a function that was inlined: " The function of line 215 is called at line 246." */
void place_add_call(const struct block_view *block, int pc, struct ptx_loc loc, char *text, size_t size);
/* Appends, if `loc` calls a function of another file that was inlined: " Line 30 does so in a function that it calls:
 * merge.h:161." Not for functions of the toolkit's headers. `does`: "does so", or "writes it". */
void place_add_inner(const struct block_view *block, int pc, struct ptx_loc loc, const char *does, char *text,
                     size_t size);
/* Whether both instructions are of functions that were inlined for a call on the same line. */
bool place_same_call(const struct block_view *block, int pc, int other);

/* ---- variables of a kernel ----------------------------------------------------------------------------- */

/* "s_y" for _ZZ6kernelPfE3s_y: the last component of a mangled name; other names as plain_name() has them. */
void place_variable_name(const char *mangled, char *text, size_t size);

/* The variable that lies at the offset, or the one that begins at or below it; NULL if there is none. */
const struct kernel_variable *place_variable_at(const struct kernel_variable *list, int count,
                                                uint64_t offset);
const struct kernel_variable *place_variable_below(const struct kernel_variable *list, int count,
                                                   uint64_t offset);

/*
 * "shared array s_y[64]" for the element of `element` bytes at the offset in the variable's space, "shared
 * variable s_y" where that is all of it; "shared memory (byte 256)" if `v` is NULL.
 */
void place_describe_variable(const struct kernel_variable *v, const char *space, uint64_t offset, int element,
                             char *text, size_t size);
