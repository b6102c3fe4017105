/*
 * Of the blocks that the time model watches: requests of global memory that the same warp made before.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/access.h"

/* Of one operation: requests of a warp to global memory. */
struct reuse_op {
    uint64_t requests,
        again; /* again: the same lanes, addresses and kind; stores: with no barrier in between */
};

/* Of a block while it runs. */
struct reuse {
    unsigned operations;
    uint32_t interval;    /* barriers that were complete */
    struct reuse_op *ops; /* [operations], kept when it has ended */
    uint64_t *seen;       /* [warps * ...] requests of global memory */
};

/* NULL: out of memory. */
struct reuse *reuse_create(unsigned warps, unsigned operations);
void reuse_destroy(struct reuse *reuse);
void reuse_access(struct reuse *reuse, unsigned warp, const struct access *access);
void reuse_barrier(struct reuse *reuse);
/* The block has ended. */
void reuse_end(struct reuse *reuse);
