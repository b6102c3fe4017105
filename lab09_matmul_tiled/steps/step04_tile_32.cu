/*
 * Step 04: tiles of 32 x 32.
 *
 * The change: one constant. Each number from global memory is used 32 times, which halves the traffic; the
 * number of reads from shared memory stays the same.
 *
 * Expected: a little faster. The size of the tile does not limit this kernel.
 */
#include "common/check.h"
#include "lab09.h"

constexpr int TILE = 32;

__global__ void multiply(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb, real *d_c,
                         int ldc)
{
    __shared__ real s_a[TILE][TILE];
    __shared__ real s_b[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    real sum = 0;
    for (int tile = 0; tile < k; tile += TILE) {
        s_a[y][x] = row < m && tile + x < k ? d_a[row * lda + tile + x] : 0;
        s_b[y][x] = tile + y < k && column < n ? d_b[(tile + y) * ldb + column] : 0;
        __syncthreads(); /* the tiles are complete */
        for (int i = 0; i < TILE; i++) {
            sum += s_a[y][i] * s_b[i][x];
        }
        __syncthreads(); /* no thread still needs them */
    }
    if (row < m && column < n) {
        d_c[row * ldc + column] = sum;
    }
}

void lab09_matmul(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb, real *d_c, int ldc)
{
    if (m == 0 || n == 0) {
        return;
    }
    const dim3 blocks((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    multiply<<<blocks, dim3(TILE, TILE)>>>(m, n, k, d_a, lda, d_b, ldb, d_c, ldc);
    CHECK(cudaGetLastError());
}
