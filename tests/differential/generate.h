/*
 * Random kernels whose result does not depend on the order in which threads run: each thread writes bytes of its own
 * in local, shared and global memory, reads tables, and changes counters of all by atomics that commute; threads
 * exchange values between barriers and in warp instructions whose masks are computed. Nothing is read before it was
 * written, so a hazard that is reported is a false alarm.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
    IN_BYTES = 4096,   /* a table that is only read */
    SLICE = 64,        /* of a thread in shared memory, and at the beginning of its part of the output */
    LOCAL_BYTES = 512, /* of a thread */
    ROWS = 8,          /* words that lie beside those of the neighbors, in shared and in global memory */
    COUNTERS = 64,     /* bytes; the same in shared and in global memory */
    OUT_BYTES = 1280,  /* of a thread; behind all of them: the rows, then the counters */
    BLOCK_BYTES = 64,  /* of the third parameter */
};

struct kernel_shape {
    int blocks, threads;
};

/* The size of the output buffer. */
size_t generated_out_size(struct kernel_shape shape);

/* The next number of a sequence that `state` goes through. */
uint32_t random_next(uint64_t *state);

/* PTX of `.entry k(.param .u64 in, .param .u64 out, .param .b8 block[64])`, to be freed. The same seed, the same text. */
char *generate(uint64_t seed, struct kernel_shape *shape);
