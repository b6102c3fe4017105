/*
 * Lab 09, tiled matrix product: what your file defines. `d_` names are device pointers. The functions
 * launch and need not wait.
 *
 * C = A B. A is m x k, B is k x n, C is m x n, all row-major: element (i, j) of A is d_a[i * lda + j], and
 * likewise with ldb and ldc. The leading dimensions may be larger than the rows are long (lda >= k, ldb >= n,
 * ldc >= n); the elements between the end of a row of C and the start of the next stay as they are.
 * 0 <= m, n, k <= 1,000,000, any of them, and every index is below 2^31. With k = 0 C is all zeros.
 *
 * How exact: an element of C is the sum of k products, each of which passes through at most k + 8 roundings.
 * Two runs give the same bits.
 */
#ifndef LAB09_H
#define LAB09_H

#include "common/real.h"

#ifdef __cplusplus
extern "C" {
#endif

/* (a) C = A B with tiles of A and B in shared memory, one element of C for each thread. */
void lab09_matmul_tile(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb, real *d_c,
                       int ldc);

/* (b) The same as fast as you can: many elements of C for each thread. */
void lab09_matmul(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb, real *d_c,
                  int ldc);

#ifdef __cplusplus
}
#endif
#endif
