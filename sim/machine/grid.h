/* A launch under way: between grid.c, which runs its blocks, and grid_parallel.c, which has several threads
 * do so. */
#pragma once

#include "sim/core/faults.h"
#include "sim/machine/block.h"
#include "sim/model/model.h"

/*
 * Instructions of a launch after its first fault: poison may keep a loop from ending. They take a second or less, and
 * most kernels have ended before.
 */
#define AFTER_FAULT_INSTRUCTIONS UINT64_C(10000000)

/* Operations of one block before another gets its turn. */
#define BLOCK_SLICE INT64_C(4000000)

struct grid {
    struct launch launch;
    struct op_count *counts;
    struct counter_set *set;
    int blocks_per_sm;
    struct trace *trace; /* NULL: there is no machine code to go with it */
    struct block **live; /* under way */
    unsigned live_count, live_max;
    struct block *spare;           /* a context without a block */
    struct cluster *clusters;      /* under way, if blocks come in clusters, … */
    struct cluster *spare_cluster; /* … and one that has ended */
    uint64_t block_count, next;    /* blocks, and the first that has not begun */
    uint64_t *order;               /* of blocks, NULL: as they are numbered */
    uint64_t executed;
    uint64_t memory_from; /* instructions, from which the host's memory is looked at again */
    struct fault_log faults;
    uint64_t faults_until;  /* instructions; after a fault the launch goes on up to here */
    uint64_t progress_from; /* instructions, from which the progress is told again */
    unsigned idle_rounds;   /* in a row, in which all blocks only waited … */
    uint64_t progress;      /* … and what had been done before the first of them … */
    uint64_t clocks;        /* … and how often clocks had been read */
    bool leapt;             /* time has leapt since, and nothing has come of it */
    struct sim_result *result;
};

#define PROGRESS_INSTRUCTIONS 1000000 /* from one call of sim_config.progress to the next */

/* Makes ready; false: out of memory. grid_destroy is to be called in any case. */
bool grid_create(struct grid *grid, struct sim *sim, const struct sim_launch *request);
void grid_destroy(struct grid *grid);
/* Runs all blocks, or a sample of them; what stopped them, or SIM_OK. */
enum sim_status grid_run(struct grid *grid, const struct sim_launch *request);
/* Runs the blocks from grid->next on, by one thread. */
enum sim_status grid_run_blocks(struct grid *grid, bool cooperative);
/* Puts what was counted into the result. */
void grid_collect(struct grid *grid);
/* Says in the result's message that the host has not enough memory. */
enum sim_status grid_out_of_memory(struct grid *grid);

void workers_destroy(struct workers *workers); /* what sim->workers points to */

/*
 * Lets several host threads run all blocks. True: all are done, and everything is as if one thread had run
 * them in order: memory, counts, counters. False: nothing has happened.
 */
bool grid_run_parallel(struct grid *grid, const struct sim_launch *request);
