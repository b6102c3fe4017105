/*
 * Lab 09, matrix product: what your file defines, stage by stage. `d_` names are device pointers. The functions
 * need not wait for their kernels.
 *
 * (a) to (f) compute C = A B. A is m x k, B is k x n, C is m x n, all row-major: element (i, j) of A is
 * d_a[i * lda + j], and likewise with ldb and ldc. The leading dimensions may be larger than the rows are long
 * (lda >= k, ldb >= n, ldc >= n); the elements between the end of a row of C and the start of the next stay as they
 * are. 0 <= m, n, k <= 1,000,000, and every index is below 2^31. With k = 0, C is all zeros. A matrix may begin at
 * any element, and its rows may be at any distance: neither the address nor the distance has to be a multiple of 16
 * bytes.
 *
 * Accuracy: an element of C is the sum of k products, each of which passes through at most k + 8 roundings.
 * Two runs give the same bits.
 */
#ifndef LAB09_H
#define LAB09_H

#include "common/real.h"

#ifdef __cplusplus
extern "C" {
#endif

/* (a) One element of C per thread, from global memory; neighboring threads use neighboring addresses. */
void lab09_matmul_naive(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb, real *d_c,
                        int ldc);

/* (b) One element of C per thread, from tiles of A and B in shared memory. */
void lab09_matmul_tile(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb, real *d_c,
                       int ldc);

/* (b) The same with eight elements of a column of C per thread. */
void lab09_matmul_column(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb, real *d_c,
                         int ldc);

/* (c) 8 x 8 elements of C per thread, in registers. */
void lab09_matmul_registers(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb,
                            real *d_c, int ldc);

/* (d) As (c), with 128-bit loads from global and from shared memory wherever the addresses allow them. */
void lab09_matmul_vectors(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb, real *d_c,
                          int ldc);

/* (e) As fast as you can: the next tiles are fetched while these are multiplied. */
void lab09_matmul(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb, real *d_c,
                  int ldc);

/*
 * (f) Optional, on tensor cores. Every number of A and B is rounded to half precision, the nearest; products and sums are
 * at least as exact as PTX promises for wmma.mma with sums of .f32: single precision, however each sum is rounded. So
 * an element is wrong by at most 18 * 2^-23 of the sum of |a| |b|, of the rounded numbers, per 16 products or fewer. With
 * an older GPU than compute capability 7.0, it ends with the error cudaErrorNotSupported.
 */
void lab09_matmul_tensor(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb, real *d_c,
                         int ldc);

/*
 * (g) Optional. Each row of y is the softmax of the same row of x: y(row, i) = exp(x(row, i)) / sum over j of
 * exp(x(row, j)), even if exp() of an element would overflow. Both have `rows` rows of `columns` elements, with
 * nothing between the rows; 0 <= rows, columns, and rows * columns < 2^31. Elements may be -infinity, but not all of a
 * row; none is infinity or NaN. No term passes through more than columns / 32 + 64 additions.
 */
void lab09_softmax(int rows, int columns, const real *d_x, real *d_y);

#ifdef __cplusplus
}
#endif
#endif
