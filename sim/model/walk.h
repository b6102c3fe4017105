/*
 * The way of one warp through the machine code: instruction by instruction, such that each block of the PTX has been run
 * as often in the end as the simulator has counted for this warp.
 */
#pragma once

#include "sim/model/machine_code.h"

#define WALK_DEPTH 8 /* of calls, and of branches both ways of which are taken */

struct walk {
    const struct machine_code *code;
    const uint32_t *wanted; /* [ptx blocks] how often the warp runs each of them */
    uint32_t *done;         /* [ptx blocks] how often it has */
    uint64_t left; /* instructions until it is stopped: a way that does not end is a mistake of the model */
    int block, instr; /* instr: the next one; block NO_BLOCK: at the end */
    uint32_t active;  /* a bit each: groups of the block that run this time; groups from 32 on always do */
    struct {
        int go_to, when_at; /* go to a block when the way comes to another */
    } later[WALK_DEPTH];
    int later_count;
    int callers[WALK_DEPTH];
    int caller_count;
};

/* `done` must hold zeros; the arrays are the caller's. `most`: instructions at most. */
void walk_begin(struct walk *walk, const struct machine_code *code, const uint32_t *wanted, uint32_t *done,
                uint64_t most);
/* The next instruction; -1 at the end. *runs: whether its group runs, or its guard is false for all lanes. */
int walk_next(struct walk *walk, bool *runs);
