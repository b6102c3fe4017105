/*
 * Lab 08, a convolution with 1024 taps: what your file defines. `d_` names are device pointers.
 *
 *     y[i] = sum over k = 0 .. 1023 of h[k] x[i - k]        for i = 0 .. n + 1022
 *
 * where x is 0 outside of 0 .. n - 1: the whole linear convolution, with its last 1023 outputs. No elements
 * (n = 0) have no outputs; 0 <= n <= 2^30. d_x and d_y begin at multiples of 16 bytes, as cudaMalloc's
 * results do. The function launches and need not wait; calls are made one after another. d_h holds other
 * numbers from call to call.
 *
 * Sums may be taken in any order, and algorithms with fewer multiplications are welcome. How exact the
 * outputs must be: no further off than 2400 rounded operations on the largest sum of |h[k]| |x[i - k]| among
 * an output and its three neighbours on either side. (A plain sum needs 1024; two levels of fast FIR at most
 * 2400.)
 */
#ifndef LAB08_H
#define LAB08_H

#include "common/real.h"

#define LAB08_TAPS 1024

#ifdef __cplusplus
extern "C" {
#endif

void lab08_convolve(const real *d_x, int n, const real *d_h, real *d_y);

#ifdef __cplusplus
}
#endif
#endif
