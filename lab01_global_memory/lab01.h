/*
 * Lab 01, global memory: what your file defines. `d_` names are device pointers, `h_` host ones.
 * The functions that launch kernels need not wait for them; the grader synchronises. No array has
 * more than 2^30 elements, so every index fits an int.
 */
#ifndef LAB01_H
#define LAB01_H

#include "common/real.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LAB01_BLOCK_SIZE      128 /* warm-ups, (b), (c) */
#define LAB01_COPY_BLOCK_SIZE 256 /* (a) */
#define LAB01_COEFFICIENTS    4

/* Warm-up: d_number[i] = i for 0 <= i < n; n >= 0 is a multiple of LAB01_BLOCK_SIZE. */
void lab01_number(int *d_number, int n);

/* Warm-up: d_twice[i] = 2 d_x[i] for 0 <= i < n, any n >= 0. */
void lab01_twice(const real *d_x, real *d_twice, int n);

/* Warm-up: d_table[row * columns + column] = row * column, for rows * columns <= 2^30 elements; both >= 0. */
void lab01_table(int *d_table, int rows, int columns);

/* (a) d_y[i] = d_x[i] for 0 <= i < n, n >= 0: neighboring threads copy neighboring words. */
void lab01_copy(const real *d_x, real *d_y, int n);

/*
 * (a) The same copy, but neighboring threads are `stride` words apart, 1 <= stride <= 2^30. Given in
 * the skeleton.
 */
void lab01_copy_stride(const real *d_x, real *d_y, int n, int stride);

/*
 * (b) d_partial[b] = sum of d_x[128 b .. 128 b + 127], for the n / 128 blocks of d_x; n >= 0 is a
 * multiple of 128. Adds by halves in global memory, so it may overwrite d_x.
 */
void lab01_reduce_blocks(real *d_x, int n, real *d_partial);

/*
 * (b) The sum of `count` >= 0 parts on the host. Its error may not grow with `count` as that of a plain
 * loop in `real` does: at most what adding them pairwise in `real` can lose.
 */
double lab01_finish(const real *h_partial, int count);

/* (b) All of it: the sum of d_x[0 .. n-1], n >= 0 a multiple of 128; may overwrite d_x. */
double lab01_sum(real *d_x, int n);

/* (c) Puts both values into __device__ variables of your file: one word, and an array. */
void lab01_symbol_write(real scale, const real h_coefficients[LAB01_COEFFICIENTS]);

/* (c) d_y[i] = scale (c0 + c1 x + c2 x^2 + c3 x^3) with x = d_x[i], 0 <= i < n, from those variables. */
void lab01_symbol_apply(const real *d_x, real *d_y, int n);

/* (c) Reads both variables back to the host. */
void lab01_symbol_read(real *scale, real h_coefficients[LAB01_COEFFICIENTS]);

/* (c) The device address of the array: the grader writes through it and calls lab01_symbol_read. */
real *lab01_symbol_address(void);

#ifdef __cplusplus
}
#endif
#endif
