/*
 * Lab 07, a convolution with 16 taps: what your file defines. `d_` names are device pointers.
 *
 *     y[i] = sum over k = 0 .. 15 of h[k] x[i - k]        for i = 0 .. n + 14
 *
 * where x is 0 outside of 0 .. n - 1: the whole linear convolution, including its last 15 outputs. With n = 0
 * there are no outputs; 0 <= n <= 2^30. d_x and d_y begin at multiples of 16 bytes, as cudaMalloc's
 * results do. The functions need not wait for their kernels; calls are made one after another. d_h may hold
 * other numbers in each call.
 *
 * Each output passes through at most 16 rounded additions, in any order.
 *
 * The first four functions do the same work in four ways; the fifth is optional.
 */
#ifndef LAB07_H
#define LAB07_H

#include "common/real.h"

#define LAB07_TAPS 16

#ifdef __cplusplus
extern "C" {
#endif

/* (a) One output per thread, straight from the formula; x and the taps are read from global memory. */
void lab07_convolve_naive(const real *d_x, int n, const real *d_h, real *d_y);

/*
 * (b) One output per thread, in blocks of `threads` threads (a multiple of 32, at most 1024). A block loads the
 * elements that it needs into shared memory once; the taps come from constant memory.
 */
void lab07_convolve_tile(const real *d_x, int n, const real *d_h, real *d_y, int threads);

/* (c) A few neighboring outputs per thread, from elements in registers: fewer reads than multiply-adds. */
void lab07_convolve_window(const real *d_x, int n, const real *d_h, real *d_y);

/* (d) As fast as memory can be copied. */
void lab07_convolve(const real *d_x, int n, const real *d_h, real *d_y);

/*
 * (e), optional: two dimensions. x has `height` rows of `width` elements, one row after the other; h has 5 x 5
 * elements; y has height + 4 rows of width + 4.
 *
 *     y[r][c] = sum over i, j = 0 .. 4 of h[i][j] x[r - i][c - j]
 *
 * where x is 0 outside of its rows and columns. height, width >= 0; if one of them is 0, there are no outputs. y has
 * at most 2^30 elements, and x at most 500,000 rows: a grid has at most 65,535 blocks in y.
 */
#define LAB07_SIDE 5

void lab07_convolve_2d(const real *d_x, int height, int width, const real *d_h, real *d_y);

#ifdef __cplusplus
}
#endif
#endif
