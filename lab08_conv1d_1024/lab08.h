/*
 * Lab 08, a convolution with 1024 taps: what your file defines. `d_` names are device pointers.
 *
 *     y[i] = sum over k = 0 .. 1023 of h[k] x[i - k]        for i = 0 .. n + 1022
 *
 * where x is 0 outside of 0 .. n - 1: the whole linear convolution, with its last 1023 outputs. No elements
 * (n = 0) have no outputs; 0 <= n <= 2^30. d_x and d_y begin at multiples of 16 bytes, as cudaMalloc's
 * results do. A function launches and need not wait; calls are made one after another. d_h holds other
 * numbers from call to call.
 *
 * All five functions compute the same; they differ in how, and so in how fast they must be. Sums may be taken
 * in any order, and algorithms with fewer multiplications are welcome. How exact the outputs must be: no
 * further off than 2400 rounded operations on the largest sum of |h[k]| |x[i - k]| among an output and its
 * three neighbors on either side. (A plain sum needs 1024; two levels of fast FIR at most 2400.)
 */
#ifndef LAB08_H
#define LAB08_H

#include "common/real.h"

#define LAB08_TAPS 1024

#ifdef __cplusplus
extern "C" {
#endif

/* (a) One output per thread; elements are loaded from global memory, the taps from constant memory. */
void lab08_convolve_naive(const real *d_x, int n, const real *d_h, real *d_y);

/* (b) Every element is loaded from global memory once per block and piece of the taps, into shared memory. */
void lab08_convolve_tile(const real *d_x, int n, const real *d_h, real *d_y);

/* (c) Several outputs per thread; each number that is loaded from shared memory is used for all of them. */
void lab08_convolve_registers(const real *d_x, int n, const real *d_h, real *d_y);

/* (d) Nearly every instruction is a multiply-add; shared memory is read without bank conflicts. */
void lab08_convolve(const real *d_x, int n, const real *d_h, real *d_y);

/* (e) As (d); and neighboring threads store neighboring outputs, after an exchange through shared memory. */
void lab08_convolve_in_order(const real *d_x, int n, const real *d_h, real *d_y);

#ifdef __cplusplus
}
#endif
#endif
