/*
 * Step 10: asynchronous copies.
 *
 * The change: cp.async copies from global to shared memory without passing through registers (compute
 * capability 8.0 and up): a thread starts a copy and goes on. There are three buffers: one is multiplied, two are
 * being filled. __pipeline_commit closes a group of copies, one group per tile; __pipeline_wait_prior(N) waits
 * until at most N groups are still open. A is transposed by copying it number by number. If all tiles lie inside
 * the matrices, a second version of the kernel runs, in which the compiler has left out the checks that
 * `at_edge` demands.
 *
 * Expected: fewer registers and instructions; a few percent faster.
 */
#include <cuda_pipeline.h>

#include "common/check.h"
#include "lab09.h"

constexpr int VECTOR = 16 / sizeof(real); /* numbers in 128 bits */
struct __align__(16) vector
{
    real at[VECTOR];
};

constexpr int SIDE = 16; /* a block has SIDE x SIDE threads */
constexpr int THREADS = SIDE * SIDE;
constexpr int EACH = 8;                         /* a thread computes EACH x EACH elements of C */
constexpr int BLOCK = SIDE * EACH;              /* a block computes BLOCK x BLOCK */
constexpr int DEPTH = 32 / sizeof(real);        /* columns of the tile of A, rows of the tile of B */
constexpr int STAGES = 3;                       /* tiles that have arrived or are being copied */
constexpr int BLOCKS_PER_SM = 8 / sizeof(real); /* as many as fit, in float with 128 registers per thread */

struct stage {
    real a[DEPTH][BLOCK + VECTOR]; /* transposed, padded against bank conflicts in stores */
    real b[DEPTH][BLOCK];
};

/* Where this thread's first elements of the next tile of A and B are, and how much of the matrices lies from
   the tile's start on. */
struct source {
    const real *a, *b;
    int lda, ldb;
    int rows, columns, depth;
};

/* How many elements of B a thread copies at once. */
constexpr __host__ __device__ int width(bool at_edge)
{
    return at_edge ? 1 : VECTOR;
}

__device__ void copy_or_zero(real *to, const real *from, bool inside)
{
    if (inside) {
        __pipeline_memcpy_async(to, from, sizeof(real));
    } else {
        *to = 0;
    }
}

/*
 * Starts copying a tile, and advances to the next. At an edge of A or B it copies number by number, with zeros
 * outside of the matrix; elsewhere it does not check, and copies B in vectors.
 */
template <bool at_edge> __device__ void copy(stage *to, source *from)
{
    constexpr int A_ROWS = THREADS / DEPTH; /* of A at a time */
    const int a_row = threadIdx.x / DEPTH, a_column = threadIdx.x % DEPTH;
#pragma unroll
    for (int i = 0; i < BLOCK; i += A_ROWS) {
        copy_or_zero(&to->a[a_column][a_row + i], from->a + (size_t)i * from->lda,
                     !at_edge || (a_row + i < from->rows && a_column < from->depth));
    }
    constexpr int WIDTH = width(at_edge);
    constexpr int B_ROWS = THREADS * WIDTH / BLOCK;
    const int b_row = threadIdx.x * WIDTH / BLOCK, b_column = threadIdx.x * WIDTH % BLOCK;
#pragma unroll
    for (int i = 0; i < DEPTH; i += B_ROWS) {
        if (at_edge) {
            copy_or_zero(&to->b[b_row + i][b_column], from->b + (size_t)i * from->ldb,
                         b_row + i < from->depth && b_column < from->columns);
        } else {
            __pipeline_memcpy_async(&to->b[b_row + i][b_column], from->b + (size_t)i * from->ldb,
                                    sizeof(vector));
        }
    }
    from->a += DEPTH;
    from->b += (size_t)DEPTH * from->ldb;
    from->depth -= DEPTH;
}

/* Adds the products of the two tiles for the elements of thread (x, y). */
__device__ void add_products(real sum[EACH][EACH], const stage *now, int y, int x)
{
#pragma unroll
    for (int d = 0; d < DEPTH; d++) {
        vector a[EACH / VECTOR], b[EACH / VECTOR];
#pragma unroll
        for (int i = 0; i < EACH; i += VECTOR) {
            a[i / VECTOR] = *(const vector *)&now->a[d][y * VECTOR + i * SIDE];
        }
#pragma unroll
        for (int j = 0; j < EACH; j += VECTOR) {
            b[j / VECTOR] = *(const vector *)&now->b[d][x * VECTOR + j * SIDE];
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
template <bool at_edge>
__device__ void store_results(const real sum[EACH][EACH], real *d_c, int ldc, int first_row, int first_column,
                              int y, int x, int m, int n)
{
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const int row = first_row + y * VECTOR + i / VECTOR * VECTOR * SIDE + i % VECTOR;
#pragma unroll
        for (int j = 0; j < EACH; j += VECTOR) {
            const int column = first_column + x * VECTOR + j * SIDE;
            vector v;
#pragma unroll
            for (int e = 0; e < VECTOR; e++) {
                v.at[e] = sum[i][j + e];
                if (at_edge && row < m && column + e < n) {
                    d_c[row * ldc + column + e] = v.at[e];
                }
            }
            if (!at_edge) {
                *(vector *)&d_c[row * ldc + column] = v;
            }
        }
    }
}

template <bool at_edge>
__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    multiply(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb, real *d_c, int ldc)
{
    __shared__ __align__(16) stage stages[STAGES];
    const int first_row = blockIdx.y * BLOCK, first_column = blockIdx.x * BLOCK;
    const int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
    source from = {d_a, d_b, lda, ldb, m - first_row, n - first_column, k};
    from.a += (size_t)(first_row + threadIdx.x / DEPTH) * lda + threadIdx.x % DEPTH;
    from.b += (size_t)(threadIdx.x * width(at_edge) / BLOCK) * ldb + first_column +
              threadIdx.x * width(at_edge) % BLOCK;

    const int tiles = (k + DEPTH - 1) / DEPTH;
    for (int tile = 0; tile < STAGES - 1; tile++) {
        if (tile < tiles) {
            copy<at_edge>(&stages[tile], &from);
        }
        __pipeline_commit();
    }
    real sum[EACH][EACH] = {};
    for (int tile = 0; tile < tiles; tile++) {
        __pipeline_wait_prior(STAGES - 2); /* this thread's part of the tile has arrived, */
        __syncthreads();                   /* and now all of it; no thread still reads the previous tile */
        if (tile + STAGES - 1 < tiles) {
            copy<at_edge>(&stages[(tile + STAGES - 1) % STAGES], &from);
        }
        __pipeline_commit();
        add_products(sum, &stages[tile % STAGES], y, x);
    }
    store_results<at_edge>(sum, d_c, ldc, first_row, first_column, y, x, m, n);
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
    const bool whole =
        m % BLOCK == 0 && n % BLOCK == 0 && k % DEPTH == 0 && is_aligned(d_b, ldb) && is_aligned(d_c, ldc);
    const auto kernel = whole ? multiply<false> : multiply<true>;
    kernel<<<blocks, THREADS>>>(m, n, k, d_a, lda, d_b, ldb, d_c, ldc);
    CHECK(cudaGetLastError());
}
