/*
 * Lab 07, a convolution with 16 taps: what your file defines. `d_` names are device pointers.
 *
 *     y[i] = sum over k = 0 .. 15 of h[k] x[i - k]        for i = 0 .. n + 14
 *
 * where x is 0 outside of 0 .. n - 1: the whole linear convolution, with its last 15 outputs. No elements
 * (n = 0) have no outputs; 0 <= n <= 2^30. d_x and d_y begin at multiples of 16 bytes, as cudaMalloc's
 * results do. The function launches and need not wait; calls are made one after another. d_h holds other
 * numbers from call to call.
 *
 * Each output passes through at most 16 rounded additions, in any order.
 */
#ifndef LAB07_H
#define LAB07_H

#include "common/real.h"

#define LAB07_TAPS 16

#ifdef __cplusplus
extern "C" {
#endif

void lab07_convolve(const real *d_x, int n, const real *d_h, real *d_y);

#ifdef __cplusplus
}
#endif
#endif
