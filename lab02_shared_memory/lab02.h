/*
 * Lab 02, static shared memory: the functions that your file defines. Names that begin with `d_` are
 * device pointers. The functions need not wait for the kernels that they launch, unless they return a
 * sum. No array has more than 2^30 elements.
 */
#ifndef LAB02_H
#define LAB02_H

#include "common/real.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LAB02_BLOCK_SIZE 128
#define LAB02_TILE       32

/*
 * (a) d_partial[b] = sum of d_x[128 b .. min(128 b + 127, n - 1)], for the ceil(n / 128) blocks of
 * d_x; any n >= 0 (for n = 0 there is nothing to do). d_x stays as it is.
 */
void lab02_reduce_blocks(const real *d_x, int n, real *d_partial);

/* (a) The same in a worse order. Given in the skeleton, so that you can compare the times. */
void lab02_reduce_interleaved(const real *d_x, int n, real *d_partial);

/* (a) The sum of d_x[0 .. n-1], any n >= 0; d_x stays as it is. */
double lab02_sum(const real *d_x, int n);

/*
 * (b) d_out[c * rows + r] = d_in[r * cols + c] for 0 <= r < rows, 0 <= c < cols; rows, cols >= 0. Uses
 * a tile of 32 by 32 in shared memory, so that reads and writes of global memory are coalesced. Given in
 * the skeleton; its tile has bank conflicts.
 */
void lab02_transpose_conflicts(const real *d_in, real *d_out, int rows, int cols);

/* (b) The same without a tile: reads along rows, writes down columns. Given, too. */
void lab02_transpose_naive(const real *d_in, real *d_out, int rows, int cols);

/* (b) The same without bank conflicts. */
void lab02_transpose(const real *d_in, real *d_out, int rows, int cols);

#ifdef __cplusplus
}
#endif
#endif
