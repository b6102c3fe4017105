/*
 * Step 01: one thread per element of C, which reads its row of A and its column of B.
 *
 * The change: none yet; this is the definition. Neighboring threads take neighboring rows, although rows lie far apart
 * in memory: a warp's 32 loads from A go to 16 different rows, and its stores to C as well.
 *
 * Expected: a hundredth of the GPU's arithmetic rate.
 */
#include "common/check.h"
#include "lab09.h"

constexpr int SIDE = 16; /* a block has SIDE x SIDE threads */

__global__ void multiply(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb, real *d_c,
                         int ldc)
{
    const int row = blockIdx.x * SIDE + threadIdx.x;
    const int column = blockIdx.y * SIDE + threadIdx.y;
    if (row >= m || column >= n) {
        return;
    }
    real sum = 0;
    for (int i = 0; i < k; i++) {
        sum += d_a[row * lda + i] * d_b[i * ldb + column];
    }
    d_c[row * ldc + column] = sum;
}

void lab09_matmul(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb, real *d_c, int ldc)
{
    if (m == 0 || n == 0) {
        return;
    }
    const dim3 blocks((m + SIDE - 1) / SIDE, (n + SIDE - 1) / SIDE);
    multiply<<<blocks, dim3(SIDE, SIDE)>>>(m, n, k, d_a, lda, d_b, ldb, d_c, ldc);
    CHECK(cudaGetLastError());
}
