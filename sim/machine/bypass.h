/* Threads wait at a place that others went past: which condition decides who comes there. For reports. */
#pragma once

#include "sim/machine/launch.h"
#include "sim/machine/warp.h"

struct bypass {
    bool comes_there; /* threads that wait come to where the others are, whatever they decide on the way */
    bool found;       /* there is a way around the place to where the others are */
    struct ptx_loc branch; /* the condition at which the ways part; line 0: not in the kernel's own text */
    int with_line;         /* the compiler made one of it and of this other line's condition; 0: it did not */
};

/* An answer that is kept: the same two places are asked for again and again, by the blocks of a launch. */
struct bypass_known {
    int at, to; /* operations of the kernel, or calls that it makes; to < 0: the end */
    const struct micro *at_wait, *to_wait;
    struct bypass bypass;
};

/*
 * `at`: some threads wait there. `to`: others are there, or have ended (NULL). `counts` are of the blocks concerned at
 * least, by micro-operation; NULL: not known.
 */
struct bypass bypass_find(const struct launch *launch, const struct op_count *counts, const struct group *at,
                          const struct group *to);
/* The key of that question. */
struct bypass_known bypass_key(const struct launch *launch, const struct group *at, const struct group *to);

/* Whether the operation belongs to the barrier of a whole grid, grid.sync() of the cooperative groups. */
bool bypass_is_grid_barrier(const struct launch *launch, const struct micro *op);
