/*
 * A kernel's machine code, in basic blocks, and how often each of them runs where the simulator knows how often each
 * block of the PTX runs.
 *
 * ptxas unrolls loops, turns branches into guards, moves code out of loops, merges loads. What remains is that the
 * instructions made from one basic block of the PTX run as often as it does. So a block of machine code has a group of
 * instructions for every block of the PTX that it was made from, with the number of its repetitions (4 where
 * a loop was unrolled four times).
 */
#pragma once

#include "sim/core/code.h"
#include "sim/model/cubin.h"

#define NO_BLOCK (-1)

struct code_group {
    int ptx_block;
    int repeats;
    int instructions;
    bool decides;  /* the block runs only if this PTX block does */
    bool is_guard; /* its instructions have a guard: it may run without this PTX block */
};

struct code_block {
    int first, last; /* instructions */
    int next, taken; /* blocks behind a branch that is not taken, and one that is; or NO_BLOCK: the end */
    int meeting;     /* where both ways meet again (immediate postdominator); NO_BLOCK: the end */
    int call;        /* block that an unguarded CALL at the end enters, before `next`; or NO_BLOCK */
    bool in_loop;    /* between a branch and its target before it */
    int loop;        /* the first block of the smallest such loop around it; NO_BLOCK: none */
    bool returns;    /* ends with RET */
    int groups, group_count; /* in machine_code.groups */
    int main;                /* the PTX block that decides how often this one runs, or NO_BLOCK */
};

struct machine_code {
    int frame_bytes; /* local memory of a thread, what is spilled as well */
    struct cubin_code code;
    int *ops;     /* [code.count] micro-operation that the instruction was made from; -1: not known */
    int op_count; /* of the PTX */
    int *group;   /* [code.count] in its block: index of the group, -1: none */
    bool *works; /* [code.count] does arithmetic or accesses memory for an operation that least_work counts */
    struct code_block *blocks;
    int block_count;
    struct code_group *groups;
    int group_count;
    int *ptx_block; /* [operations] basic block of the PTX that a micro-operation belongs to */
    int *ptx_first; /* [ptx_block_count] its first micro-operation */
    bool *
        ptx_loops; /* [ptx_block_count] whether it lies in a loop: between a branch and its target before it */
    int *ptx_loop; /* [ptx_block_count] the first block of the smallest such loop; NO_BLOCK: none */
    int ptx_block_count;
    double *least_work; /* [ptx_block_count] of a pass: instructions that work, at the least */
};

/* Takes over `cubin`; NULL: out of memory, and then `cubin` has been released. Free with machine_code_free. */
struct machine_code *machine_code_create(struct cubin_code *cubin, const struct code *ptx);
void machine_code_free(struct machine_code *code);
