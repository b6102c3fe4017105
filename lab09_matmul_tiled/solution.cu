/*
 * Lab 09, the matrix product C = A B.
 *
 *   (a) tiles          a block keeps a tile of A and a tile of B in shared memory
 *   (b) many results   a thread keeps 8 x 8 elements of C in registers
 *
 * Element (row, column) of C is the sum over i of A(row, i) * B(i, column): k multiply-adds, and 2 k numbers
 * read. But every number of A is needed for n elements of C, and every number of B for m of them. All of this
 * lab is about reading a number once and using it often.
 */
#include "common/check.h"
#include "lab09.h"

/* A TODO that is still open leaves variables unused: no reason for nvcc to warn. */
#pragma nv_diag_suppress 177

/* ---- (a) tiles ----------------------------------------------------------------------------------------- */

constexpr int TILE = 32; /* a block computes TILE x TILE elements of C, one for each thread */

/*
 * The block's elements of C need TILE rows of A and TILE columns of B: long strips. They are worked through
 * in square tiles, from the left to the right in A and from the top to the bottom in B.
 */
__global__ void multiply_tiles(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb,
                               real *d_c, int ldc)
{
    __shared__ real s_a[TILE][TILE];
    __shared__ real s_b[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    real sum = 0;
    for (int tile = 0; tile < k; tile += TILE) {
        // TODO 1: Store this thread's element of the tile of A in s_a[y][x]: row `row`, column tile + x. And
        // its element of the tile of B in s_b[y][x]: row tile + y, column `column`. Zero where there is none.
        s_a[y][x] = row < m && tile + x < k ? d_a[row * lda + tile + x] : 0;
        s_b[y][x] = tile + y < k && column < n ? d_b[(tile + y) * ldb + column] : 0;
        // end of TODO 1

        // TODO 2: Add the TILE products of row y of s_a and column x of s_b to sum. Where are the two
        // barriers?
        __syncthreads();
        for (int i = 0; i < TILE; i++) {
            sum += s_a[y][i] * s_b[i][x];
        }
        __syncthreads();
        // end of TODO 2
    }
    if (row < m && column < n) {
        d_c[row * ldc + column] = sum;
    }
}

void lab09_matmul_tile(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb, real *d_c,
                       int ldc)
{
    if (m == 0 || n == 0) {
        return;
    }
    const dim3 blocks((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    const dim3 threads(TILE, TILE);
    multiply_tiles<<<blocks, threads>>>(m, n, k, d_a, lda, d_b, ldb, d_c, ldc);
    CHECK(cudaGetLastError());
}

/* ---- (b) many results per thread ----------------------------------------------------------------------- */

constexpr int SIDE = 16; /* a block has SIDE x SIDE threads */
constexpr int THREADS = SIDE * SIDE;
constexpr int EACH = 8;            /* a thread computes EACH x EACH elements of C */
constexpr int BLOCK = SIDE * EACH; /* a block computes BLOCK x BLOCK */
constexpr int DEPTH = 8;           /* columns of the tile of A, rows of the tile of B */

/* All threads of the block together load its next two tiles. Its part of C begins in row first_row and column
 * first_column. */
__device__ void load_tiles(real s_a[BLOCK][DEPTH], real s_b[DEPTH][BLOCK], int m, int n, int k,
                           const real *d_a, int lda, const real *d_b, int ldb, int tile)
{
    const int tid = threadIdx.x;
    const int first_row = blockIdx.y * BLOCK, first_column = blockIdx.x * BLOCK;
    // TODO 3: The THREADS threads together store BLOCK x DEPTH elements of A in s_a, from row first_row
    // and column tile on, and DEPTH x BLOCK elements of B in s_b, from row tile and column first_column
    // on. Zero where there is none. Neighbouring threads load neighbouring elements.
    for (int i = tid; i < BLOCK * DEPTH; i += THREADS) {
        const int row = i / DEPTH, column = i % DEPTH;
        const bool inside = first_row + row < m && tile + column < k;
        s_a[row][column] = inside ? d_a[(first_row + row) * lda + tile + column] : 0;
    }
    for (int i = tid; i < DEPTH * BLOCK; i += THREADS) {
        const int row = i / BLOCK, column = i % BLOCK;
        const bool inside = tile + row < k && first_column + column < n;
        s_b[row][column] = inside ? d_b[(tile + row) * ldb + first_column + column] : 0;
    }
    // end of TODO 3
}

/*
 * Thread (x, y) takes every SIDE-th row and column: rows y, y + 16, ..., y + 112 of the block's part of C,
 * and columns x, x + 16, ..., x + 112. So the threads of a warp always read neighbouring numbers of s_b.
 */
__device__ void add_products(real sum[EACH][EACH], const real s_a[BLOCK][DEPTH], const real s_b[DEPTH][BLOCK],
                             int y, int x)
{
    // TODO 4: For each of the DEPTH columns of s_a and rows of s_b: take the EACH numbers of A that this
    // thread needs (rows y, y + SIDE, ...) and the EACH of B (columns x, x + SIDE, ...) into registers,
    // and add the EACH x EACH products to sum. Two barriers again. Unroll the loops.
    __syncthreads();
#pragma unroll
    for (int d = 0; d < DEPTH; d++) {
        real a[EACH], b[EACH];
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            a[i] = s_a[y + i * SIDE][d];
            b[i] = s_b[d][x + i * SIDE];
        }
#pragma unroll
        for (int i = 0; i < EACH; i++) {
#pragma unroll
            for (int j = 0; j < EACH; j++) {
                sum[i][j] += a[i] * b[j];
            }
        }
    }
    __syncthreads();
    // end of TODO 4
}

__device__ void store_results(const real sum[EACH][EACH], real *d_c, int ldc, int first_row, int first_column,
                              int y, int x, int m, int n)
{
    // TODO 5: Store the elements of C that this thread holds and that exist. Unroll these loops, too.
#pragma unroll
    for (int i = 0; i < EACH; i++) {
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            const int row = first_row + y + i * SIDE, column = first_column + x + j * SIDE;
            if (row < m && column < n) {
                d_c[row * ldc + column] = sum[i][j];
            }
        }
    }
    // end of TODO 5
}

__global__ void multiply_many(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb,
                              real *d_c, int ldc)
{
    __shared__ real s_a[BLOCK][DEPTH];
    __shared__ real s_b[DEPTH][BLOCK];
    const int tid = threadIdx.x;
    const int x = tid % SIDE, y = tid / SIDE;
    const int first_row = blockIdx.y * BLOCK, first_column = blockIdx.x * BLOCK;
    real sum[EACH][EACH] = {};
    for (int tile = 0; tile < k; tile += DEPTH) {
        load_tiles(s_a, s_b, m, n, k, d_a, lda, d_b, ldb, tile);
        add_products(sum, s_a, s_b, y, x);
    }
    store_results(sum, d_c, ldc, first_row, first_column, y, x, m, n);
}

void lab09_matmul(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb, real *d_c, int ldc)
{
    if (m == 0 || n == 0) {
        return;
    }
    const dim3 blocks((n + BLOCK - 1) / BLOCK, (m + BLOCK - 1) / BLOCK);
    multiply_many<<<blocks, THREADS>>>(m, n, k, d_a, lda, d_b, ldb, d_c, ldc);
    CHECK(cudaGetLastError());
}
