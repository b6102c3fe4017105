/*
 * Parts of tasks that several labs share: shapes, inputs, references, least traffic. What has the type of a
 * callback of struct lab_task stands in a lab's table as it is; the rest is called by the lab's own
 * callbacks.
 *
 * run->arg[0] (arg[0]) is n, a number of elements; buffer 0 is d_x, n reals that the call reads; what is
 * computed from it is d_y or the returned value. Bytes are those that must at least move in global memory,
 * flops those that must at least be done, both as numbers, not as rates.
 */
#pragma once

#include "harness/lab/lab.h"

/* ---- shapes -------------------------------------------------------------------------------------------- */

int lab_shape_map(struct lab_run *run);          /* d_x[n] -> d_y[n] */
int lab_shape_sum(struct lab_run *run);          /* d_x[n] -> d_y[1] */
int lab_shape_returned_sum(struct lab_run *run); /* d_x[n] -> a returned value */

/* Blocks of block_size elements that cover n; the last one may be short. */
int64_t lab_block_count(int64_t n, int64_t block_size);

/*
 * A size to be timed at: 2^26 floats or 2^25 doubles, 256 MiB, several times what an L2 holds. As many doubles as
 * floats would tell no more, and what the host does with them (inputs, references, comparing every set's outputs)
 * would take twice as long.
 */
#define LAB_QUARTER_GIB ((INT64_C(1) << 28) / (int64_t)sizeof(real))

/* ---- inputs -------------------------------------------------------------------------------------------- */

/*
 * Multiples of 1/16, so that their sum has no rounding error in any order, and is no whole number as a rule: one lost
 * element shows, and so does a sum that is kept in an integer. _returned_: up to 500 sixteenths in size, for functions
 * that add blocks in `real` and the blocks' sums in double. _sum: up to LAB_LARGEST_WHOLE sixteenths, for functions that
 * add all n in `real`, n up to 1e8; their random signs keep the partial sums below 2^24 sixteenths (2^53 in double, where
 * the numbers have too many digits for a float to hold).
 */
#define LAB_LARGEST_WHOLE (sizeof(real) == sizeof(float) ? 100 : 100000000)
void lab_fill_sum(struct lab_run *run);
void lab_fill_returned_sum(struct lab_run *run);

/* ---- references ---------------------------------------------------------------------------------------- */

/* The sum of d_x[0 .. n-1], exact (tolerance 0): for inputs of lab_fill_sum or lab_fill_returned_sum. */
void lab_expect_sum(const struct lab_run *run, int buffer, struct lab_expect *expect);

/* Additions that an element passes through when `count` of them are added by halves: log2, rounded up. */
int64_t lab_halving_depth(int64_t count);

/*
 * Element b: the sum of block b of d_x, for any range of them (granule 1). By halves, an element passes through
 * lab_halving_depth(block_size) additions, which is the tolerance; that a short block is filled up with zeros costs
 * nothing, adding them is exact.
 */
void lab_expect_block_sums(const struct lab_run *run, int64_t block_size, struct lab_expect *expect);

/* "block 3, from d_x[384] on": who computes element `index` of the sums of blocks. */
void lab_owner_of_block(int64_t index, int64_t block_size, char *text, size_t size);

/* ---- what an output is made of: lab_task.needs --------------------------------------------------------- */

int lab_needs_same(const struct lab_run *run, int buffer, int64_t index,
                   struct lab_need *need); /* d_x[index] */
int lab_needs_all(const struct lab_run *run, int buffer, int64_t index,
                  struct lab_need *need); /* all of d_x */
/* The elements of block `index` of d_x. */
int lab_needs_block(const struct lab_run *run, int64_t index, int64_t block_size, struct lab_need *need);

/* ---- least traffic ------------------------------------------------------------------------------------- */

double lab_bytes_sum(const int64_t *arg); /* every element is read once */
double lab_bytes_map(const int64_t *arg); /* every element is read once, and one is written for it */
/* Every element is read once; one number is written for each block. */
double lab_bytes_block_sums(int64_t n, int64_t block_size);

/*
 * ---- counts for struct lab_parts ------------------------------------------------------------------------
 */

/* Blocks of 128 or 256 threads with one element per thread, for n elements; also atomics, one per block. */
double lab_blocks_of_128(const int64_t *arg);
double lab_blocks_of_256(const int64_t *arg);

/*
 * ---- full convolution with `taps` taps (labs 07 and 08) -------------------------------------------------
 */

/*
 * d_x[n], d_h[taps] -> d_y[n + taps - 1], or nothing if n is 0. arg[1] is one of these: LAB_WHOLE    whole
 * numbers up to the lab's `limit` in size, so that every sum is exact and one wrong term shows LAB_RANDOM
 * random reals in [-1, 1) LAB_IMPULSE  d_x has a single 1, in the middle, and else zeros: d_y is the taps,
 * in their order
 */
enum lab_numbers { LAB_WHOLE, LAB_RANDOM, LAB_IMPULSE };
int lab_shape_convolution(struct lab_run *run, int64_t taps);
int lab_needs_convolution(const struct lab_run *run, int64_t index, int64_t taps, struct lab_need *need);
void lab_fill_convolution(struct lab_run *run, int64_t taps, unsigned limit);
double lab_bytes_convolution(const int64_t *arg, int64_t taps); /* each element and each output once */
double lab_flops_convolution(const int64_t *arg, int64_t taps); /* a multiplication and an addition per tap */
