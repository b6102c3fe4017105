/*
 * Long sums of products for references, as the plain loops below compute them, with the vector instructions that this
 * processor has. Terms are added to each element in the order of l or k, in double. A processor with a fused
 * multiply-add may use it: in REAL=float a product is exact in double, so that nothing changes; in REAL=double
 * one rounding of two is saved.
 */
#pragma once

#include <stdint.h>

#include "harness/lab/real.h"

/*
 *     for l = 0 .. depth - 1:  want[i * ldc + j] += a[i * lda + l] * b[l * ldb + j]
 * for 0 <= i < rows, 0 <= j < columns; and magnitude[i * ldc + j] likewise, of the absolute values.
 */
struct products_matrix {
    const real *a, *b;
    int64_t lda, ldb, ldc, rows, columns, depth;
    double *want, *magnitude;
};
void products_matrix(const struct products_matrix *product);

/*
 *     for k = 0 .. taps - 1:  want[i - first] += h[k] * x[i - k]          for first <= i < first + count
 * where x is 0 outside of 0 .. n - 1; the sums of `run` taps are formed first and added then, so that a term
 * passes through run + taps / run roundings at most. magnitude[i - first]: sums of absolute values, in one
 * go. taps is a multiple of run, and at most 1024.
 */
struct products_convolution {
    const real *x, *h;
    int64_t n, taps, run, first, count;
    double *want, *magnitude;
};
void products_convolution(const struct products_convolution *convolution);
