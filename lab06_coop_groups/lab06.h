/*
 * Lab 06, cooperative groups, and the fastest sum: what your file defines. `d_` names are device
 * pointers; 0 <= n <= 2^30; the sum of no elements is 0. The functions need not wait for their
 * kernels. Calls are made one after another, so they may all use the same static device memory.
 *
 * Precision of a sum: no element passes through more than n / 16384 + 64 additions.
 */
#ifndef LAB06_H
#define LAB06_H

#include "common/real.h"

#ifdef __cplusplus
extern "C" {
#endif

/* (a) d_y[g] = the sum of d_x[tile g .. min(tile g + tile, n) - 1]; tile is 2, 4, 8, 16 or 32. */
void lab06_tile_sums(const real *d_x, int n, real *d_y, int tile);

/* (b) *d_y = the sum of d_x[0 .. n-1]: a grid-stride loop, then two kernels; static device memory. */
void lab06_sum_two_kernels(const real *d_x, int n, real *d_y);

/* (c) The same in one cooperative kernel, with grid.sync() between the two steps. */
void lab06_sum_grid_sync(const real *d_x, int n, real *d_y);

/* (d) The same as (b), by loads of 128 bits, one at a time. d_x begins at a multiple of 16 bytes. */
void lab06_sum_wide(const real *d_x, int n, real *d_y);

/*
 * (d) The same, as fast as memory allows: 128-bit loads, several of them in flight; the last block
 * finishes. d_x may begin at any element, not only at multiples of 16 bytes. Two runs give the same bits.
 */
void lab06_sum(const real *d_x, int n, real *d_y);

#ifdef __cplusplus
}
#endif
#endif
