/*
 * The control-flow graph of one function: basic blocks, immediate post-dominators, and an order of
 * the blocks in which a block that post-dominates others stands behind them (but for the header of
 * the loop that they are in), loop bodies are contiguous and loop exits follow the loop. Running the
 * group of lanes with the lowest rank first then reconverges at post-dominators (thread frontiers:
 * Diamos et al., MICRO 2011).
 *
 * Within these rules the order is that of the text; the entry has rank 0; blocks that nothing leads
 * to come last. Loops that are entered in more than one place get an order that is consistent, no more.
 */
#pragma once

#include "sim/ptx/ptx.h"

struct cfg_block {
    int first, last;     /* instructions, inclusive */
    int successors[2];   /* blocks; [0] is the fall-through where there is one; -1 for none */
    int successor_count; /* no block twice; more than two only for brx: then `more` */
    int *more;           /* all of them, the first two included; NULL if there are at most two */
    int ipdom;           /* immediate post-dominator, -1 for the exit */
    int rank;            /* position in the layout */
};

struct cfg {
    struct cfg_block *blocks; /* in the order of the text */
    int block_count;
    int *order;    /* order[rank] = block */
    int *block_of; /* block_of[instruction] = block */
};

/*
 * Builds the graph of a function with a body. Never fails on what ptx_parse accepted: a branch that
 * makes no sense leads nowhere, and the decoder complains about it.
 *
 * Lanes leave by ret, exit, trap and calls of .noreturn functions. A guarded one is no edge to the
 * exit: the lanes that leave never come back, so post-dominators are those of the lanes that stay.
 */
struct cfg *cfg_build(const struct ptx_func *func);
void cfg_free(struct cfg *cfg);

/* Fills ipdom of a graph that has blocks with successors; those without lead to the exit. Never fails. */
void cfg_find_postdominators(struct cfg *cfg);

/* Do all ways from block `of` lead through `block`? */
bool cfg_postdominates(const struct cfg *cfg, int block, int of);
/* Whether it depends on the end of block `at`, directly, that block `block` is reached. */
bool cfg_decides(const struct cfg *cfg, int at, int block);

/* Successor `index` of a block, from 0 to successor_count - 1. */
int cfg_successor(const struct cfg_block *block, int index);
