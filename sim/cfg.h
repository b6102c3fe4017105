/*
 * The control-flow graph of one function: basic blocks, immediate post-dominators, and an order of
 * the blocks in which a block that post-dominates others stands behind them, loop bodies are
 * contiguous and loop exits follow the loop. Running the group of lanes with the lowest rank first
 * then reconverges at post-dominators (thread frontiers: Diamos et al., MICRO 2011).
 */
#ifndef SIM_CFG_H
#define SIM_CFG_H

#include "ptx.h"

struct cfg_block {
    int first, last; /* instructions, inclusive */
    int successors[2]; /* blocks; [0] is the fall-through where there is one; -1 for none */
    int successor_count; /* more than two only for brx: then `more` */
    int *more;
    int ipdom; /* immediate post-dominator, -1 for the exit */
    int rank;  /* position in the layout */
};

struct cfg {
    struct cfg_block *blocks; /* in the order of the text */
    int block_count;
    int *order;    /* order[rank] = block */
    int *block_of; /* block_of[instruction] = block */
};

/* Builds the graph of a function with a body. Never fails on what ptx_parse accepted. */
struct cfg *cfg_build(const struct ptx_func *func);
void cfg_free(struct cfg *cfg);

#endif
