/* The loop that an instruction stands in: what could end it. For reports about loops that do not end. */
#pragma once

#include <stdbool.h>

#include "sim/core/code.h"
#include "sim/ptx/ptx.h"

struct loop_view {
    bool found;          /* the instruction stands in a loop; else all else is 0 */
    bool has_exit;       /* a branch, ret or exit leads out of it */
    struct ptx_loc test; /* the comparison, or branch, that decides whether it goes on */
    bool looks;  /* what it tests comes from memory, an atomic, another lane, or a clock, in the loop */
    bool counts; /* … or from a register that the loop changes from turn to turn */
    const struct ptx_instr *
        swap; /* a compare-and-swap that decides, with a comparison that the loop does not change, and no lock … */
    struct ptx_loc compared; /* … which was read here before the loop; line 0: it is a constant */
    /* A compare-and-swap whose result decides not by its bits but as a floating-point number, and that comparison. */
    const struct ptx_instr *as_number, *number_test;
};

/* `instr`: index in the function, which has a body. */
struct loop_view loop_view(const struct ptx_func *func, int instr);

/* How a thread comes from one instruction to another. */
enum loop_way {
    WAY_FREE,    /* in the same turn of every loop, past no barrier of the block */
    WAY_TURN,    /* past no barrier, but only in a later turn */
    WAY_BARRIER, /* in the same turn, but only past a barrier */
    WAY_OTHER    /* not at all, or only past a barrier and in a later turn */
};

enum loop_way loop_way(const struct ptx_func *func, int from, int to);

/* The function that the instruction is of; NULL: of none, or `instr` is NULL. */
const struct ptx_func *ptx_function_of(const struct code *code, const struct ptx_instr *instr);
