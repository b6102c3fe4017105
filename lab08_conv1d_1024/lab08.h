/*
 * Lab 08, a convolution with 1024 taps: what your file defines. `d_` names are device pointers.
 *
 *     y[i] = sum over k = 0 .. 1023 of h[k] x[i - k]        for i = 0 .. n + 1022
 *
 * where x is 0 outside of 0 .. n - 1: the whole linear convolution, including its last 1023 outputs. With n = 0
 * there are no outputs; 0 <= n <= 2^30. d_x and d_y begin at multiples of 16 bytes, as cudaMalloc's
 * results do. A function need not wait for its kernels; calls are made one after another. d_h may hold other
 * numbers in each call.
 *
 * The first six functions compute the same outputs, in different ways; each must reach a speed of its own. Terms may be
 * added in any order, and algorithms with fewer multiplications are allowed. Accuracy: the error of an output must be
 * at most that of 2400 rounded operations on the largest sum of |h[k]| |x[i - k]| among this output and its three
 * neighbors on either side. (A plain sum needs 1024; two levels of fast FIR at most 2400.)
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

/* (c) Several outputs per thread; each number loaded from shared memory is used for all of them. */
void lab08_convolve_registers(const real *d_x, int n, const real *d_h, real *d_y);

/* (c) The same by vectors of 16 bytes, which are read without bank conflicts. */
void lab08_convolve_vectors(const real *d_x, int n, const real *d_h, real *d_y);

/* (d) Nearly every instruction is a multiply-add; shared memory is read without bank conflicts. */
void lab08_convolve(const real *d_x, int n, const real *d_h, real *d_y);

/* (e) As (d), but neighboring threads store neighboring outputs, after an exchange through shared memory. */
void lab08_convolve_in_order(const real *d_x, int n, const real *d_h, real *d_y);

/*
 * (e) The same formula with the first four taps only: n + 3 outputs. Here the time goes to loading and storing. Both are
 * given: in the first one each thread stores its own outputs, as in (d), in the second one the block stores them as in (e).
 */
#define LAB08_FEW 4
void lab08_few(const real *d_x, int n, const real *d_h, real *d_y);
void lab08_few_in_order(const real *d_x, int n, const real *d_h, real *d_y);

#ifdef __cplusplus
}
#endif
#endif
