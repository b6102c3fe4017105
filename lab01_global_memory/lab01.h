/*
 * Lab 01, global memory: the functions that your file defines. Names that begin with `d_` are device
 * pointers, names that begin with `h_` host pointers. Functions that launch kernels need not wait for
 * them; the grader does. No array has more than 2^30 elements, so every index fits in an int.
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

/*
 * Warm-up: d_table[row * columns + column] = row * column; rows and columns >= 0, rows * columns <= 2^30, and at most
 * 1,048,560 rows: a grid has at most 65,535 blocks in y, of 16 rows each.
 */
void lab01_table(int *d_table, int rows, int columns);

/* (a) d_y[i] = d_x[i] for 0 <= i < n, n >= 0: neighboring threads copy neighboring elements. */
void lab01_copy(const real *d_x, real *d_y, int n);

/*
 * (a) The same copy, but neighboring threads are `stride` elements apart, 1 <= stride <= 2^20. Given in
 * the skeleton.
 */
void lab01_copy_stride(const real *d_x, real *d_y, int n, int stride);

/*
 * (b) d_partial[b] = sum of d_x[128 b .. 128 b + 127], for the n / 128 blocks of d_x; n >= 0 is a
 * multiple of 128. The reduction works by halves in global memory, so it may overwrite d_x.
 */
void lab01_reduce_blocks(real *d_x, int n, real *d_partial);

/*
 * (b) The sum of `count` >= 0 parts on the host. Its error must not grow with `count` as the error of a
 * plain loop in `real` does; it may be at most that of adding the parts pairwise in `real`.
 */
double lab01_finish(const real *h_partial, int count);

/* (b) The whole sum, of d_x[0 .. n-1]; n >= 0 is a multiple of 128. May overwrite d_x. */
double lab01_sum(real *d_x, int n);

/* (b) h_twice[i] = 2 h_x[i] for 0 <= i < n, any n >= 0: computed on the device. Both arrays are the host's. */
void lab01_twice_round_trip(const real *h_x, real *h_twice, int n);

/* (c) Copies both values to __device__ variables of your file: a number and an array. */
void lab01_symbol_write(real scale, const real h_coefficients[LAB01_COEFFICIENTS]);

/* (c) d_y[i] = scale (c0 + c1 x + c2 x^2 + c3 x^3) from those variables, with x = d_x[i], 0 <= i < n. */
void lab01_symbol_apply(const real *d_x, real *d_y, int n);

/* (c) Reads both variables back to the host. */
void lab01_symbol_read(real *scale, real h_coefficients[LAB01_COEFFICIENTS]);

/* (c) The device address of the array: the grader writes through it and calls lab01_symbol_read. */
real *lab01_symbol_address(void);

#ifdef __cplusplus
}
#endif
#endif
