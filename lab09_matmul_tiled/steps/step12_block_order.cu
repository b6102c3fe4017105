/*
 * Step 12: blocks in an order that suits L2.
 *
 * The change: blocks start roughly in the order of their numbers. Row by row, the 264 blocks that an H100 runs at a
 * time read a few rows of blocks of A and all of B. Taken in groups of eight rows of blocks, column by column, they
 * form a compact piece of C, so they need less of both matrices and find more of it in L2.
 *
 * Expected: hardly any gain while both matrices fit in L2 (50 MB on an H100, n = 2048), a few percent at
 * 8192.
 */
#include <cuda_pipeline.h>

#include "common/check.h"
#include "lab09.h"

constexpr int VECTOR = 16 / sizeof(real); /* numbers in 128 bits */
struct __align__(16) vector
{
    real at[VECTOR];
};

constexpr int THREAD_M = 8;             /* results per thread: rows */
constexpr int THREAD_N = 8;             /* and columns */
constexpr int LANES_M = 8, LANES_N = 4; /* how the lanes of a warp are arranged on its tile */
constexpr int WARP_M = LANES_M * THREAD_M;
constexpr int WARP_N = LANES_N * THREAD_N;
constexpr int BLOCK_M = 2 * WARP_M;
constexpr int BLOCK_N = 4 * WARP_N;
constexpr int THREADS = 256;
constexpr int DEPTH = 32 / sizeof(real);        /* of the tiles of A and B */
constexpr int STAGES = 3;                       /* tiles that have arrived or are being copied */
constexpr int BLOCKS_PER_SM = 8 / sizeof(real); /* as many as fit, in float with 128 registers per thread */
constexpr int GROUP = 8;                        /* rows of blocks that are worked on together */

struct stage {
    real a[DEPTH][BLOCK_M + VECTOR]; /* transposed, and padded against bank conflicts */
    real b[DEPTH][BLOCK_N];
};

/* What one thread multiplies: a piece of a column of A and a piece of a row of B. */
struct fragment {
    real a[THREAD_M], b[THREAD_N];
};

/* Where this thread's first elements of the next tile of A and B are, and how much of the matrices lies from
   the tile's start on. */
struct source {
    const real *a, *b;
    int lda, ldb;
    int rows, columns, depth;
    int tiles, copied; /* how many tiles there are, and how many copies have been started */
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
template <bool at_edge> __device__ void copy_tile(stage *to, source *from)
{
    constexpr int A_ROWS = THREADS / DEPTH; /* of A at a time */
    const int a_row = threadIdx.x / DEPTH, a_column = threadIdx.x % DEPTH;
#pragma unroll
    for (int i = 0; i < BLOCK_M; i += A_ROWS) {
        copy_or_zero(&to->a[a_column][a_row + i], from->a + (size_t)i * from->lda,
                     !at_edge || (a_row + i < from->rows && a_column < from->depth));
    }
    constexpr int WIDTH = width(at_edge);
    constexpr int B_ROWS = THREADS * WIDTH / BLOCK_N;
    const int b_row = threadIdx.x * WIDTH / BLOCK_N, b_column = threadIdx.x * WIDTH % BLOCK_N;
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

/* Starts copying the next tile, if there is one, and closes the group of copies. */
template <bool at_edge> __device__ void copy(stage *to, source *from)
{
    if (from->copied < from->tiles) {
        copy_tile<at_edge>(to, from);
    }
    from->copied++;
    __pipeline_commit();
}

/* Waits for the next tile: for this thread's copies, and at the barrier for those of all others. */
__device__ void wait_for_tile()
{
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads();
}

__device__ void load(fragment *to, const stage *from, int depth, int row, int column)
{
#pragma unroll
    for (int j = 0; j < THREAD_N; j += VECTOR) {
        *(vector *)&to->b[j] = *(const vector *)&from->b[depth][column + j * LANES_N];
    }
#pragma unroll
    for (int i = 0; i < THREAD_M; i += VECTOR) {
        *(vector *)&to->a[i] = *(const vector *)&from->a[depth][row + i * LANES_M];
    }
}

/* Back and forth, so that two successive multiply-adds have one number in common. */
__device__ void add_products(real sum[THREAD_M][THREAD_N], const fragment *with)
{
#pragma unroll
    for (int i = 0; i < THREAD_M; i++) {
#pragma unroll
        for (int step = 0; step < THREAD_N; step++) {
            const int j = i % 2 == 0 ? step : THREAD_N - 1 - step;
            sum[i][j] += with->b[j] * with->a[i];
        }
    }
}

template <bool at_edge>
__device__ void store(real *c, int ldc, int rows, int columns, int row, int column,
                      const real sum[THREAD_M][THREAD_N])
{
#pragma unroll
    for (int i = 0; i < THREAD_M; i++) {
        const int to_row = row + i / VECTOR * VECTOR * LANES_M + i % VECTOR;
#pragma unroll
        for (int j = 0; j < THREAD_N; j += VECTOR) {
            const int to_column = column + j * LANES_N;
            real *to = c + (size_t)to_row * ldc + to_column;
            vector v;
#pragma unroll
            for (int e = 0; e < VECTOR; e++) {
                v.at[e] = sum[i][j + e];
                if (at_edge && to_row < rows && to_column + e < columns) {
                    to[e] = v.at[e];
                }
            }
            if (!at_edge) {
                *(vector *)to = v;
            }
        }
    }
}

/* The lanes of a warp in an order in which those of each quarter read few different numbers. */
__device__ int lane_row(int lane)
{
    return lane / 2 % 2 + lane / 8 * 2;
}

__device__ int lane_column(int lane)
{
    return lane % 2 + lane / 4 % 2 * 2;
}

/* Where the block's part of C begins: down GROUP rows of blocks, then one column of blocks to the right. */
__device__ void find_block(int m, int n, int *first_row, int *first_column)
{
    const int blocks_m = (m + BLOCK_M - 1) / BLOCK_M, blocks_n = (n + BLOCK_N - 1) / BLOCK_N;
    const int group = blockIdx.x / (GROUP * blocks_n), in_group = blockIdx.x % (GROUP * blocks_n);
    const int group_rows = min(GROUP, blocks_m - group * GROUP);
    *first_row = (group * GROUP + in_group % group_rows) * BLOCK_M;
    *first_column = in_group / group_rows * BLOCK_N;
}

template <bool at_edge>
__device__ source first_tile(int m, int n, int k, const real *a, int lda, const real *b, int ldb,
                             int first_row, int first_column)
{
    const int tiles = (k + DEPTH - 1) / DEPTH;
    source from = {a, b, lda, ldb, m - first_row, n - first_column, k, tiles, 0};
    from.a += (size_t)(first_row + threadIdx.x / DEPTH) * lda + threadIdx.x % DEPTH;
    from.b += (size_t)(threadIdx.x * width(at_edge) / BLOCK_N) * ldb + first_column +
              threadIdx.x * width(at_edge) % BLOCK_N;
    return from;
}

template <bool at_edge>
__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    matmul(int m, int n, int k, const real *a, int lda, const real *b, int ldb, real *c, int ldc)
{
    int first_row, first_column;
    find_block(m, n, &first_row, &first_column);
    source from = first_tile<at_edge>(m, n, k, a, lda, b, ldb, first_row, first_column);

    __shared__ __align__(16) stage stages[STAGES];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int row = warp / 4 * WARP_M + lane_row(lane) * VECTOR;
    const int column = warp % 4 * WARP_N + lane_column(lane) * VECTOR;
#pragma unroll
    for (int i = 0; i < STAGES - 1; i++) {
        copy<at_edge>(&stages[i], &from);
    }
    real sum[THREAD_M][THREAD_N] = {};
    fragment now[2];
    wait_for_tile();
    if (from.tiles > 0) {
        load(&now[0], stages, 0, row, column);
    }
    int read = 0, written = STAGES - 1; /* which stage is read, and which is filled next */
    for (int tile = 0; tile < from.tiles; tile++) {
#pragma unroll
        for (int depth = 0; depth < DEPTH; depth++) {
            if (depth == DEPTH - 1) { /* the next numbers belong to the next tile */
                wait_for_tile();
                if (tile + 1 < from.tiles) { /* after the last tile, any numbers will do */
                    read = read == STAGES - 1 ? 0 : read + 1;
                }
            }
            load(&now[(depth + 1) % 2], &stages[read], (depth + 1) % DEPTH, row, column);
            add_products(sum, &now[depth % 2]);
            if (depth == 0) {
                copy<at_edge>(&stages[written], &from);
                written = written == STAGES - 1 ? 0 : written + 1;
            }
        }
    }
    store<at_edge>(c + (size_t)first_row * ldc + first_column, ldc, from.rows, from.columns, row, column,
                   sum);
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
    const int blocks = (m + BLOCK_M - 1) / BLOCK_M * ((n + BLOCK_N - 1) / BLOCK_N);
    const bool whole = m % BLOCK_M == 0 && n % BLOCK_N == 0 && k % DEPTH == 0 && is_aligned(d_b, ldb) &&
                       is_aligned(d_c, ldc);
    const auto kernel = whole ? matmul<false> : matmul<true>;
    kernel<<<blocks, THREADS>>>(m, n, k, d_a, lda, d_b, ldb, d_c, ldc);
    CHECK(cudaGetLastError());
}
