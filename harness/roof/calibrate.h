/*
 * The parts of build/calibrate, which measures the first GPU of this machine. Each measure_* function prints
 * key=value lines. What the kernels did is checked afterwards, so that no rate is one of work that did not
 * happen; a failed check or a CUDA error ends the program with status 2 and the reason on stderr.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#define CHECK_EXIT_STATUS 2
#include "common/timer.h"

#define THREADS         256
#define FILL_MULTIPLIER 2654435761u

struct work {
    void *from, *to; /* two buffers of `bytes` bytes; from[i] = i * FILL_MULTIPLIER, as 32-bit words */
    size_t bytes;    /* a multiple of 4 KiB */
    unsigned *word;  /* eight words on the device */
    int sm_count;
    int blocks, threads; /* of the launch that is measured */
    int steps;           /* that each of its threads goes */
};

/* calibrate.cu */
void fail(const char *what);
int attribute(enum cudaDeviceAttr which);
/* Median milliseconds of run(w): 5 to 21 runs after one that does not count, in about 50 ms. */
float median_ms(void (*run)(void *), struct work *w);
/* Words 0 to 7 become 0; word `which` as it is when all work is done. */
void clear_words(struct work *w);
unsigned read_word(struct work *w, int which);

/* roof/memory.cu */
void fill_source(struct work *w); /* w->from */
/* copy_steady_gbs: of copies one behind the other, about 24 ms in all, on average: it falls when the GPU's time is shared */
void measure_steady_copy(struct work *w);
void measure_copy(struct work *w);  /* copy_gbs, and what it is the larger of */
void measure_words(struct work *w); /* copies of one word per thread */
void measure_read_and_write(struct work *w);
void run_read(void *work); /* reads all of w->from: afterwards nothing else is in a cache */

/* roof/arithmetic.cu */
void measure_arithmetic(struct work *w);
void measure_clock(struct work *w);

/* roof/blocks.cu: how fast blocks and kernels start, and how long grid.sync() takes */
void measure_blocks(struct work *w);
void measure_launches(struct work *w);
void measure_grid_sync(struct work *w);

/* roof/atomics.cu */
void measure_atomics(struct work *w);

/* roof/latency.cu: of loads; and shared memory's rate. Overwrites w->to. */
void measure_shared(struct work *w);
void measure_latency(struct work *w);
