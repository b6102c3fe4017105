/*
 * Step 08: no bank conflicts.
 *
 * The change: in step 07, threads x and x + 4 read vectors of B that are 128 bytes apart, in the same banks. Now a
 * thread's eight columns are two vectors of four, 64 columns apart: the threads of a quarter of a warp read 128 bytes
 * without gaps. And the rows of the transposed tile of A get four numbers of padding, for the stores.
 *
 * Expected: a tenth faster.
 */
#include "common/check.h"
#include "lab09.h"

constexpr int VECTOR = 16 / sizeof(real); /* numbers in 128 bits */
struct __align__(16) vector
{
    real at[VECTOR];
};

constexpr int SIDE = 16; /* a block has SIDE x SIDE threads */
constexpr int THREADS = SIDE * SIDE;
constexpr int EACH = 8;               /* a thread computes EACH x EACH elements of C */
constexpr int BLOCK = SIDE * EACH;    /* a block computes BLOCK x BLOCK */
constexpr int DEPTH = 8;              /* columns of the tile of A, rows of the tile of B */
constexpr int PITCH = BLOCK + VECTOR; /* of A's transposed tile: padded against bank conflicts in stores */

constexpr int BLOCKS_PER_SM = 8 / sizeof(real); /* as many as fit, in float with 128 registers per thread */

/* VECTOR elements of a rows x columns matrix from (row, column) on; zeros where there is none. `aligned`:
   every row begins at a multiple of 16 bytes. */
__device__ vector load_vector(const real *x, int ld, int row, int column, int rows, int columns, bool aligned)
{
    vector v = {};
    if (aligned && row < rows && column + VECTOR <= columns) {
        return *(const vector *)&x[row * ld + column];
    }
#pragma unroll
    for (int e = 0; e < VECTOR; e++) {
        if (row < rows && column + e < columns) {
            v.at[e] = x[row * ld + column + e];
        }
    }
    return v;
}

__device__ void store_vector(real *x, int ld, int row, int column, int rows, int columns, bool aligned,
                             vector v)
{
    if (aligned && row < rows && column + VECTOR <= columns) {
        *(vector *)&x[row * ld + column] = v;
        return;
    }
#pragma unroll
    for (int e = 0; e < VECTOR; e++) {
        if (row < rows && column + e < columns) {
            x[row * ld + column + e] = v.at[e];
        }
    }
}

/* Which of the matrices may be loaded and stored in vectors. */
struct alignment {
    bool a, b, c;
};

/* The tile of A, transposed: BLOCK rows of A from first_row on, DEPTH columns from `tile` on. */
__device__ void load_a(real s_a[DEPTH][PITCH], const real *d_a, int lda, int first_row, int tile, int m,
                       int k, bool aligned)
{
#pragma unroll
    for (int i = threadIdx.x; i < BLOCK * DEPTH / VECTOR; i += THREADS) {
        const int row = i / (DEPTH / VECTOR), column = i % (DEPTH / VECTOR) * VECTOR;
        const vector v = load_vector(d_a, lda, first_row + row, tile + column, m, k, aligned);
#pragma unroll
        for (int e = 0; e < VECTOR; e++) {
            s_a[column + e][row] = v.at[e];
        }
    }
}

/* The tile of B: DEPTH rows from `tile` on, BLOCK columns from first_column on. */
__device__ void load_b(real s_b[DEPTH][BLOCK], const real *d_b, int ldb, int tile, int first_column, int k,
                       int n, bool aligned)
{
#pragma unroll
    for (int i = threadIdx.x; i < DEPTH * BLOCK / VECTOR; i += THREADS) {
        const int row = i / (BLOCK / VECTOR), column = i % (BLOCK / VECTOR) * VECTOR;
        *(vector *)&s_b[row][column] =
            load_vector(d_b, ldb, tile + row, first_column + column, k, n, aligned);
    }
}

/* Adds the products of the two tiles for the elements of thread (x, y). */
__device__ void add_products(real sum[EACH][EACH], const real s_a[DEPTH][PITCH], const real s_b[DEPTH][BLOCK],
                             int y, int x)
{
#pragma unroll
    for (int d = 0; d < DEPTH; d++) {
        vector a[EACH / VECTOR], b[EACH / VECTOR];
#pragma unroll
        for (int i = 0; i < EACH; i += VECTOR) {
            a[i / VECTOR] = *(const vector *)&s_a[d][y * VECTOR + i * SIDE];
        }
#pragma unroll
        for (int j = 0; j < EACH; j += VECTOR) {
            b[j / VECTOR] = *(const vector *)&s_b[d][x * VECTOR + j * SIDE];
        }
#pragma unroll
        for (int i = 0; i < EACH; i++) {
#pragma unroll
            for (int j = 0; j < EACH; j++) {
                sum[i][j] += a[i / VECTOR].at[i % VECTOR] * b[j / VECTOR].at[j % VECTOR];
            }
        }
    }
}

/* Stores the elements of thread (x, y) that exist; the block begins in row first_row, column first_column. */
__device__ void store_results(const real sum[EACH][EACH], real *d_c, int ldc, int first_row, int first_column,
                              int y, int x, int m, int n, bool aligned)
{
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const int row = first_row + y * VECTOR + i / VECTOR * VECTOR * SIDE + i % VECTOR;
#pragma unroll
        for (int j = 0; j < EACH; j += VECTOR) {
            vector v;
#pragma unroll
            for (int e = 0; e < VECTOR; e++) {
                v.at[e] = sum[i][j + e];
            }
            store_vector(d_c, ldc, row, first_column + x * VECTOR + j * SIDE, m, n, aligned, v);
        }
    }
}

__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    multiply(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb, real *d_c, int ldc,
             alignment aligned)
{
    __shared__ __align__(16) real s_a[DEPTH][PITCH]; /* transposed */
    __shared__ __align__(16) real s_b[DEPTH][BLOCK];
    const int tid = threadIdx.x;
    const int first_row = blockIdx.y * BLOCK, first_column = blockIdx.x * BLOCK;
    const int x = tid % SIDE, y = tid / SIDE;
    real sum[EACH][EACH] = {};
    for (int tile = 0; tile < k; tile += DEPTH) {
        load_a(s_a, d_a, lda, first_row, tile, m, k, aligned.a);
        load_b(s_b, d_b, ldb, tile, first_column, k, n, aligned.b);
        __syncthreads();
        add_products(sum, s_a, s_b, y, x);
        __syncthreads();
    }
    store_results(sum, d_c, ldc, first_row, first_column, y, x, m, n, aligned.c);
}

static bool is_aligned(const real *x, int ld)
{
    return (size_t)x % sizeof(vector) == 0 && ld % VECTOR == 0;
}

void lab09_matmul(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb, real *d_c, int ldc)
{
    if (m == 0 || n == 0) {
        return;
    }
    const dim3 blocks((n + BLOCK - 1) / BLOCK, (m + BLOCK - 1) / BLOCK);
    const alignment aligned = {is_aligned(d_a, lda), is_aligned(d_b, ldb), is_aligned(d_c, ldc)};
    multiply<<<blocks, THREADS>>>(m, n, k, d_a, lda, d_b, ldb, d_c, ldc, aligned);
    CHECK(cudaGetLastError());
}
