/*
 * Step 15: any shape, and a last round that all SMs share.
 *
 * The change: step 14 is fast if C consists of many large blocks, as many as the SMs can share evenly, and if rows
 * begin at multiples of 16 bytes. Three files in step15/ are for all other products:
 *
 *   last_round.h     8192 x 8192 elements of C are 2048 large blocks: 15 rounds of 132 for an H100's 132 SMs,
 *                    and then 68 blocks, during which half of the SMs have nothing to do. All SMs share the work
 *                    of such a last round evenly, even if a part then begins in the middle of a block.
 *   small_blocks.h   For small and for ragged products: blocks of 64 x 128, on which four pairs of warps
 *                    work, each with its slice of k.
 *   few_rows.h       For one to four rows, where each number of B is used so seldom that memory is the
 *                    limit: long rows, many loads in flight; as much as fits stays in L2 for the next product.
 *
 * All sums are added in a fixed order, so that two runs give the same bits, which atomics could not guarantee.
 *
 * Expected: 2 % faster at 4096 and 8192; 5 to 10 % at 1024; 1.5 times as fast at 127 x 8191 x 1023, where rows do not
 * begin at multiples of 16 bytes; twice as fast for a row times a matrix.
 */
#include "step14/blocks.h"
#include "step15/last_round.h"
#include "step15/small_blocks.h"
#include "step15/few_rows.h"

static void multiply_small(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb, real *d_c,
                           int ldc)
{
    const bool vectors = is_aligned(d_b, ldb) && n % VECTOR == 0;
    const auto kernel = vectors ? multiply_small_blocks<VECTOR> : multiply_small_blocks<1>;
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SMALL_BYTES));
    kernel<<<divided_up(m, SMALL_M) * divided_up(n, SMALL_N), SMALL_THREADS, SMALL_BYTES>>>(
        m, n, k, d_a, lda, d_b, ldb, d_c, ldc, 1);
}

/*
 * How long until all SMs have computed their blocks? A small block has a quarter of a large one's work (in double half
 * of it), and runs a little more slowly. A ragged small block is as fast as any, but a ragged large one takes
 * 1.5 times as long.
 */
static bool small_is_faster(int m, int n, int k, const real *d_b, int ldb)
{
    const int sm_count = count_sms();
    const bool ragged =
        m % large::BLOCK_M != 0 || n % large::BLOCK_N != 0 || k % DEPTH != 0 || !is_aligned(d_b, ldb);
    const int large_blocks = divided_up(m, large::BLOCK_M) * divided_up(n, large::BLOCK_N);
    const int small_blocks = divided_up(m, SMALL_M) * divided_up(n, SMALL_N);
    const bool shared = !ragged && worth_sharing(large_blocks % sm_count, k);
    const double large_rounds = shared ? (double)large_blocks / sm_count + (double)COST_OF_SHARING / k
                                       : divided_up(large_blocks, sm_count) * (ragged ? 1.5 : 1.0);
    const double small_rounds = divided_up(small_blocks, sm_count) * 1.15 * SMALL_TABLE / TABLE;
    return small_rounds < large_rounds;
}

void lab09_matmul(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb, real *d_c, int ldc)
{
    if (m == 0 || n == 0) {
        return;
    }
    if (m <= MOST_ROWS) {
        multiply_few(m, n, k, d_a, lda, d_b, ldb, d_c, ldc);
    } else if (small_is_faster(m, n, k, d_b, ldb)) {
        multiply_small(m, n, k, d_a, lda, d_b, ldb, d_c, ldc);
    } else {
        multiply_large(m, n, k, d_a, lda, d_b, ldb, d_c, ldc);
    }
    CHECK(cudaGetLastError());
}
