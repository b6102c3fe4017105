/*
 * Clusters of blocks: they start together, on one thread of the host, have a barrier of their own, and reach each other's
 * shared memory. Source: PTX ISA, "Cluster of Cooperative Thread Arrays", "barrier.cluster", "mapa", "getctarank"; CUDA
 * Programming Guide, "Thread Block Clusters", "Distributed Shared Memory".
 */
#pragma once

#include "sim/machine/block.h"
#include "sim/machine/exec_memory.h"

#define CLUSTER_BLOCKS_MAX 16

/*
 * An address in the shared memory of the block with rank r is one of the window of shared memory, (r + 1) << CLUSTER_SHIFT
 * behind what it is in that block. Where it is, PTX leaves open.
 */
#define CLUSTER_SHIFT 24

/* The number of a block's barrier beyond its own 16: where threads wait for those of the whole cluster. */
#define CLUSTER_BARRIER BARRIER_COUNT

struct cluster {
    struct cluster *next;
    unsigned size, running;                      /* blocks, and those that have not ended */
    struct block *block[CLUSTER_BLOCKS_MAX];     /* by rank … */
    struct block_view *view[CLUSTER_BLOCKS_MAX]; /* … and what the watchers know of them */
};

/* The number in the grid of the block with this rank in cluster `number`. */
uint64_t cluster_block_number(const struct launch *launch, uint64_t number, unsigned rank);

/* A thread of the block's cluster has ended, or has arrived: its barrier may be complete. */
void cluster_check_barrier(struct cluster *cluster);
/* Whether the block, in which no thread can go on, waits for other blocks of its cluster. */
bool cluster_is_awaited(const struct block *block);

/* Lanes of an access to shared memory that mean the same block's. */
struct cluster_part {
    uint32_t lanes;
    const struct block *owner; /* NULL: their own block, or no address of any */
    unsigned absent;           /* 1 and the rank, if no block of the cluster has it; else 0 */
};
/* Takes the lanes of one block out of *left; their addresses become offsets in its shared memory. */
struct cluster_part cluster_take(const struct block *block, uint64_t address[WARP_LANES], uint32_t *left);
