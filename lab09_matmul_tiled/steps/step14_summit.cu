/*
 * Step 14: a plan for each shape, and another order.
 *
 * The change: 1024 x 1024 elements of C are only 32 blocks of 128 x 256, so 100 of 132 SMs have nothing to do. With
 * 64 x 128 elements there are 128 blocks. To keep each SM busy, half of a block's warps take the even pieces of k and
 * the other half the odd ones, and at the end they add their sums, always in the same order, so that two runs give the
 * same bits, which atomics could not guarantee. For one to four rows, where each number of B is used so seldom that
 * memory is the limit, there is a kernel that only reads B.
 *
 * The order of the multiply-adds changes, too: not along a row of 16 columns, but two rows by two columns in a
 * U, then the next two columns. ptxas then chooses other registers, and fewer reads of registers are
 * left (appendix, section 5). This cannot be predicted: in step 13 the same order is slower.
 *
 * The kernel is in step14/blocks.h, which step 15 uses as well; here is what chooses the plan.
 *
 * Expected: at 1024 three times as fast as step 13; at 2048 and above a few percent faster, because of the order.
 */
#include "step14/blocks.h"

/* 64 x 128 elements of C, in two slices. */
typedef plan<8, 1, 2, 3, 8 / sizeof(real)> small;

/* A round of small blocks has half of a large block's work per SM (in double: all of it), and runs a
   little more slowly. */
constexpr double SMALL_ROUND = sizeof(real) == sizeof(float) ? 0.56 : 0.55;

/*
 * Few rows: each number of B is used only once per row, so memory is the limit. All of B should be
 * read in long rows, by many threads with many loads in flight. The warps of a block take the rows of B in
 * turn; then the first warps add the sums of all.
 */
constexpr int FEW_ROWS = 4, FEW_WARPS = 32;

__global__ void multiply_few_rows(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb,
                                  real *d_c, int ldc)
{
    __shared__ real s_sum[FEW_WARPS][FEW_ROWS][32];
    const int column = blockIdx.x * 32 + threadIdx.x, warp = threadIdx.y;
    real sum[FEW_ROWS] = {};
#pragma unroll 8
    for (int i = warp; i < k; i += FEW_WARPS) {
        const real b = column < n ? d_b[(size_t)i * ldb + column] : 0;
#pragma unroll
        for (int row = 0; row < FEW_ROWS; row++) {
            if (row < m) {
                sum[row] += d_a[(size_t)row * lda + i] * b;
            }
        }
    }
#pragma unroll
    for (int row = 0; row < FEW_ROWS; row++) {
        s_sum[warp][row][threadIdx.x] = sum[row];
    }
    __syncthreads();
    if (warp < m && column < n) {
        real total = 0;
        for (int w = 0; w < FEW_WARPS; w++) {
            total += s_sum[w][warp][threadIdx.x];
        }
        d_c[(size_t)warp * ldc + column] = total;
    }
}

/*
 * How long it takes, in units of a large block's time on an SM: the number of rounds in which all SMs have
 * blocks, times the time per round.
 */
template <class plan> static double estimate(int m, int n, int sm_count, double round)
{
    const int blocks = divided_up(m, plan::BLOCK_M) * divided_up(n, plan::BLOCK_N);
    return divided_up(blocks, sm_count * plan::BLOCKS_PER_SM) * round;
}

void lab09_matmul(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb, real *d_c, int ldc)
{
    if (m == 0 || n == 0) {
        return;
    }
    static int sm_count = 0;
    if (sm_count == 0) {
        int device = 0;
        CHECK(cudaGetDevice(&device));
        CHECK(cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, device));
    }
    if (m <= FEW_ROWS) {
        multiply_few_rows<<<divided_up(n, 32), dim3(32, FEW_WARPS)>>>(m, n, k, d_a, lda, d_b, ldb, d_c, ldc);
    } else if (estimate<large>(m, n, sm_count, 1.0) <= estimate<small>(m, n, sm_count, SMALL_ROUND)) {
        launch<large>(m, n, k, d_a, lda, d_b, ldb, d_c, ldc);
    } else {
        launch<small>(m, n, k, d_a, lda, d_b, ldb, d_c, ldc);
    }
    CHECK(cudaGetLastError());
}
