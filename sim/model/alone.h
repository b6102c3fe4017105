/* Loads, stores and atomics that one lane of a warp executes again and again while the others, and the other warps, have nothing to do. */
#pragma once

#include <stdbool.h>

enum sim_alone_what { SIM_ALONE_LOAD, SIM_ALONE_STORE, SIM_ALONE_ATOMIC };

struct sim_alone {
    enum sim_alone_what what;
    const char *file; /* belongs to the kernel's module; line 0: there is none */
    int line,
        call_line; /* call_line: in the same file, of the call of the function that the line is in; else 0 */
    double times;  /* that that lane executes it, on average */
    double share;  /* of all the instructions that warps execute: those that one lane executes alone */
    unsigned threads; /* of a block */
    bool each_warp;   /* one lane of every warp; else one thread of the block */
};

struct timing_launch;

/* Of the blocks that were watched. Barriers and locks are no part of it: there the lanes come one after another. */
void alone_find(const struct timing_launch *launch, struct sim_alone *out);
