/*
 * Lab 04, atomics: the functions that your file defines. Names that begin with `d_` are device pointers;
 * 0 <= n <= 2^30. Results stay on the device; the functions need not wait for the kernels that they launch.
 */
#ifndef LAB04_H
#define LAB04_H

#include "common/real.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LAB04_BLOCK_SIZE 128
#define LAB04_BINS       256

/*
 * (a) The wrong way: *d_y += the sum of each block, with a plain read, add and write. Given in the
 * skeleton; the grader runs it and shows the race. The caller sets *d_y to zero.
 */
void lab04_sum_race(const real *d_x, int n, real *d_y);

/* (a) *d_y = the sum of d_x[0 .. n-1], any n >= 0, whatever *d_y held before; the host adds nothing. */
void lab04_sum(const real *d_x, int n, real *d_y);

/*
 * (b) d_count[k] = how many of d_key[0 .. n-1] equal k, for 0 <= k < 256; every key is below 256.
 * d_count is overwritten. The first function uses only atomics in global memory; in the second, each
 * block counts in shared memory and adds its counts to d_count once.
 */
void lab04_histogram_global(const unsigned *d_key, int n, unsigned *d_count);
void lab04_histogram_shared(const unsigned *d_key, int n, unsigned *d_count);

/* (c) *d_largest = the largest of d_key[0 .. n-1], 0 for n = 0, by an atomic maximum that you build from atomicCAS. */
void lab04_largest_key(const unsigned *d_key, int n, unsigned *d_largest);

/*
 * (c) *d_y = the largest of d_x[0 .. n-1]: NaN if any element is NaN, +0 above -0, -infinity for
 * n = 0. It uses an atomic maximum for `real`, which you build from atomicCAS.
 */
void lab04_max(const real *d_x, int n, real *d_y);

#ifdef __cplusplus
}
#endif
#endif
