/*
 * Step 14: a plan for each shape.
 *
 * 1024 x 1024 elements of C are 32 blocks of 128 x 256: 100 of 132 SMs have nothing to do. Smaller blocks, of
 * 64 x 128, are 128; and so that each of them keeps its SM busy, half of its warps take the even slices of k
 * and the other half the odd ones, and add up what they have at the end. Always in the same order: two runs
 * give the same bits, as they would not with atomics. And for one to four rows, where each number of B is
 * used so seldom that the memory decides, a kernel that only reads B. Expected: at 1024 three times step 13;
 * from 2048 on the same as step 13.
 */
#include <cuda_pipeline.h>

#include "common/check.h"
#include "lab09.h"

constexpr int VECTOR = 16 / sizeof(real); /* numbers in 128 bits */
struct __align__(16) vector
{
    real at[VECTOR];
};

constexpr int THREAD_M = 8;             /* rows of results for a thread */
constexpr int LANES_M = 8, LANES_N = 4; /* how the lanes of a warp lie over its tile */
constexpr int WARP_M = LANES_M * THREAD_M;
constexpr int THREADS = 256;
constexpr int WARPS = THREADS / 32;
constexpr int DEPTH = 8; /* of a slice's part of the tiles of A and B */
constexpr int GROUP = 8; /* rows of blocks that are worked on together */

/*
 * A block's work, by what may differ: columns of results for a thread, warps that lie below each other,
 * slices of k that are worked on at the same time, tiles that are here or on their way, blocks for each SM.
 * The kernel is a template with such a plan as parameter: the compiler writes one kernel for each.
 */
template <int thread_n, int warps_m, int slices, int stages, int blocks> struct plan {
    static constexpr int THREAD_N = thread_n, SLICES = slices, STAGES = stages, BLOCKS_PER_SM = blocks;
    static constexpr int WARPS_N = WARPS / slices / warps_m;
    static constexpr int WARP_N = LANES_N * thread_n;
    static constexpr int BLOCK_M = warps_m * WARP_M, BLOCK_N = WARPS_N * WARP_N;
    struct stage {
        real a[slices * DEPTH][BLOCK_M + VECTOR]; /* transposed, and padded against bank conflicts */
        real b[slices * DEPTH][BLOCK_N];
    };
    /* What one thread multiplies: a piece of a column of A and a piece of a row of B. */
    struct fragment {
        real a[THREAD_M], b[thread_n];
    };
    struct results {
        real sum[THREAD_M][thread_n];
    };
    /* At the end the same memory takes the results of the slices but the first. */
    static constexpr size_t SHARED_BYTES = stages * sizeof(stage) >
                                                   (slices - 1) * BLOCK_M *BLOCK_N * sizeof(real)
                                               ? stages * sizeof(stage)
                                               : (slices - 1) * BLOCK_M *BLOCK_N * sizeof(real);
};

/* 128 x 256 elements of C (in double 128 x 128); and 64 x 128, in two slices. */
typedef plan<4 * VECTOR, 2, 1, 4, 1> large;
typedef plan<8, 1, 2, 3, 8 / sizeof(real)> small;

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
 * Starts copying a tile; then on to the next. At an edge of A or B number by number, with zeros where there
 * is none; elsewhere without a check, and B in vectors.
 */
template <class plan, bool at_edge> __device__ void copy(typename plan::stage *to, source *from)
{
    constexpr int A_ROWS = THREADS / DEPTH; /* of A at a time */
    const int a_row = threadIdx.x / DEPTH, a_column = threadIdx.x % DEPTH;
#pragma unroll
    for (int s = 0; s < plan::SLICES * DEPTH; s += DEPTH) {
#pragma unroll
        for (int i = 0; i < plan::BLOCK_M; i += A_ROWS) {
            copy_or_zero(&to->a[a_column + s][a_row + i], from->a + (size_t)i * from->lda + s,
                         !at_edge || (a_row + i < from->rows && a_column + s < from->depth));
        }
    }
    constexpr int WIDTH = width(at_edge);
    constexpr int B_ROWS = THREADS * WIDTH / plan::BLOCK_N;
    const int b_row = threadIdx.x * WIDTH / plan::BLOCK_N, b_column = threadIdx.x * WIDTH % plan::BLOCK_N;
#pragma unroll
    for (int i = 0; i < plan::SLICES * DEPTH; i += B_ROWS) {
        if (at_edge) {
            copy_or_zero(&to->b[b_row + i][b_column], from->b + (size_t)i * from->ldb,
                         b_row + i < from->depth && b_column < from->columns);
        } else {
            __pipeline_memcpy_async(&to->b[b_row + i][b_column], from->b + (size_t)i * from->ldb,
                                    sizeof(vector));
        }
    }
    from->a += plan::SLICES * DEPTH;
    from->b += (size_t)(plan::SLICES * DEPTH) * from->ldb;
    from->depth -= plan::SLICES * DEPTH;
}

template <class plan>
__device__ void load(typename plan::fragment *to, const typename plan::stage *from, int depth, int row,
                     int column)
{
#pragma unroll
    for (int j = 0; j < plan::THREAD_N; j += VECTOR) {
        *(vector *)&to->b[j] = *(const vector *)&from->b[depth][column + j * LANES_N];
    }
#pragma unroll
    for (int i = 0; i < THREAD_M; i += VECTOR) {
        *(vector *)&to->a[i] = *(const vector *)&from->a[depth][row + i * LANES_M];
    }
}

/* To and fro, so that of two neighbouring multiply-adds one number is the same. */
template <class plan>
__device__ void multiply(typename plan::results *to, const typename plan::fragment *with)
{
#pragma unroll
    for (int i = 0; i < THREAD_M; i++) {
#pragma unroll
        for (int step = 0; step < plan::THREAD_N; step++) {
            const int j = i % 2 == 0 ? step : plan::THREAD_N - 1 - step;
            to->sum[i][j] += with->b[j] * with->a[i];
        }
    }
}

/* The slices hand their sums to the first one, which adds them in their order. */
template <class plan>
__device__ void add_slices(typename plan::results *to, real *shared, int slice, int row, int column)
{
    constexpr int SIZE = plan::BLOCK_M * plan::BLOCK_N;
    __syncthreads(); /* nobody reads the tiles any more */
#pragma unroll
    for (int s = 1; s < plan::SLICES; s++) {
#pragma unroll
        for (int i = 0; i < THREAD_M; i++) {
#pragma unroll
            for (int j = 0; j < plan::THREAD_N; j++) {
                const int at_row = row + i / VECTOR * VECTOR * LANES_M + i % VECTOR;
                const int at_column = column + j / VECTOR * VECTOR * LANES_N + j % VECTOR;
                real *at = &shared[(s - 1) * SIZE + at_row * plan::BLOCK_N + at_column];
                if (slice == s) {
                    *at = to->sum[i][j];
                }
            }
        }
    }
    __syncthreads();
#pragma unroll
    for (int s = 1; s < plan::SLICES; s++) {
#pragma unroll
        for (int i = 0; i < THREAD_M; i++) {
#pragma unroll
            for (int j = 0; j < plan::THREAD_N; j++) {
                const int at_row = row + i / VECTOR * VECTOR * LANES_M + i % VECTOR;
                const int at_column = column + j / VECTOR * VECTOR * LANES_N + j % VECTOR;
                if (slice == 0) {
                    to->sum[i][j] += shared[(s - 1) * SIZE + at_row * plan::BLOCK_N + at_column];
                }
            }
        }
    }
}

/*
 * `one` is 1. ptxas keeps four numbers that one instruction stores in four neighbouring registers, and then
 * does so in the loop too, where this makes for bank conflicts. What is multiplied first is another number,
 * and the sums may stand where they like.
 */
template <class plan, bool at_edge>
__device__ void store(real *c, int ldc, int rows, int columns, int row, int column,
                      const typename plan::results *from, real one)
{
#pragma unroll
    for (int i = 0; i < THREAD_M; i++) {
        const int to_row = row + i / VECTOR * VECTOR * LANES_M + i % VECTOR;
#pragma unroll
        for (int j = 0; j < plan::THREAD_N; j += VECTOR) {
            const int to_column = column + j * LANES_N;
            real *to = c + (size_t)to_row * ldc + to_column;
            vector v;
#pragma unroll
            for (int e = 0; e < VECTOR; e++) {
                v.at[e] = from->sum[i][j + e] * one;
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

extern __shared__ vector shared_memory[];

template <class plan, bool at_edge>
__global__ void __launch_bounds__(THREADS, plan::BLOCKS_PER_SM)
    multiply_blocks(int m, int n, int k, const real *a, int lda, const real *b, int ldb, real *c, int ldc,
                    real one)
{
    /* Which tile of C: down GROUP rows of blocks, then one column of blocks to the right. */
    const int blocks_m = (m + plan::BLOCK_M - 1) / plan::BLOCK_M,
              blocks_n = (n + plan::BLOCK_N - 1) / plan::BLOCK_N;
    const int group = blockIdx.x / (GROUP * blocks_n), in_group = blockIdx.x % (GROUP * blocks_n);
    const int group_rows = min(GROUP, blocks_m - group * GROUP);
    const int first_row = (group * GROUP + in_group % group_rows) * plan::BLOCK_M;
    const int first_column = in_group / group_rows * plan::BLOCK_N;
    source from = {a, b, lda, ldb, m - first_row, n - first_column, k};
    from.a += (size_t)(first_row + threadIdx.x / DEPTH) * lda + threadIdx.x % DEPTH;
    from.b += (size_t)(threadIdx.x * width(at_edge) / plan::BLOCK_N) * ldb + first_column +
              threadIdx.x * width(at_edge) % plan::BLOCK_N;

    typename plan::stage *stages = (typename plan::stage *)shared_memory;
    /* Which slice of k, and which elements of the block's part of C. */
    constexpr int WARPS_OF_SLICE = WARPS / plan::SLICES;
    const int warp = threadIdx.x / 32 % WARPS_OF_SLICE, slice = threadIdx.x / 32 / WARPS_OF_SLICE;
    const int lane = threadIdx.x % 32;
    const int row = warp / plan::WARPS_N * WARP_M + lane_row(lane) * VECTOR;
    const int column = warp % plan::WARPS_N * plan::WARP_N + lane_column(lane) * VECTOR;
    const int tiles = (k + plan::SLICES * DEPTH - 1) / (plan::SLICES * DEPTH);
    int copied = 0;
    for (; copied < plan::STAGES - 1; copied++) {
        if (copied < tiles) {
            copy<plan, at_edge>(&stages[copied], &from);
        }
        __pipeline_commit();
    }
    typename plan::results results = {};
    typename plan::fragment now[2];
    __pipeline_wait_prior(plan::STAGES - 2);
    __syncthreads();
    if (tiles > 0) {
        load<plan>(&now[0], stages, slice * DEPTH, row, column);
    }
    int read = 0, written = plan::STAGES - 1; /* which stage is read, and which is filled next */
    for (int tile = 0; tile < tiles; tile++) {
#pragma unroll
        for (int depth = 0; depth < DEPTH; depth++) {
            if (depth == DEPTH - 1) { /* the next numbers are the next tile's */
                __pipeline_wait_prior(plan::STAGES - 2);
                __syncthreads();
                if (tile + 1 < tiles) { /* behind the last one there is none: any will do */
                    read = read == plan::STAGES - 1 ? 0 : read + 1;
                }
            }
            load<plan>(&now[(depth + 1) % 2], &stages[read], slice * DEPTH + (depth + 1) % DEPTH, row,
                       column);
            multiply<plan>(&results, &now[depth % 2]);
            if (depth == 0) {
                if (copied < tiles) {
                    copy<plan, at_edge>(&stages[written], &from);
                    written = written == plan::STAGES - 1 ? 0 : written + 1;
                }
                copied++;
                __pipeline_commit();
            }
        }
    }
    if (plan::SLICES > 1) {
        add_slices<plan>(&results, (real *)shared_memory, slice, row, column);
        if (slice > 0) {
            return;
        }
    }
    store<plan, at_edge>(c + (size_t)first_row * ldc + first_column, ldc, from.rows, from.columns, row,
                         column, &results, one);
}

/* A round of small blocks has half of a large block's work for each SM (in double: all of it), and goes on a
   little more slowly. */
constexpr double SMALL_ROUND = sizeof(real) == sizeof(float) ? 0.56 : 0.55;

/*
 * Few rows: each number of B is used once for each of them, and there is nothing to save; this is bound by
 * memory. What counts is that all of B is read in long rows, by many threads with many loads in flight. The
 * warps of a block take the rows of B by turns; then the first ones add what all have found.
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

static bool is_aligned(const real *x, int ld)
{
    return (size_t)x % sizeof(vector) == 0 && ld % VECTOR == 0;
}

static int divided_up(int a, int b)
{
    return (a + b - 1) / b;
}

/*
 * How long it takes, in a large block's time on an SM: rounds in which all SMs have their blocks, times what
 * a round takes.
 */
template <class plan> static double estimate(int m, int n, int sm_count, double round)
{
    const int blocks = divided_up(m, plan::BLOCK_M) * divided_up(n, plan::BLOCK_N);
    return divided_up(blocks, sm_count * plan::BLOCKS_PER_SM) * round;
}

template <class plan>
static void launch(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb, real *d_c,
                   int ldc)
{
    const int blocks = divided_up(m, plan::BLOCK_M) * divided_up(n, plan::BLOCK_N);
    const bool whole = m % plan::BLOCK_M == 0 && n % plan::BLOCK_N == 0 && k % (plan::SLICES * DEPTH) == 0 &&
                       is_aligned(d_b, ldb) && is_aligned(d_c, ldc);
    const auto kernel = whole ? multiply_blocks<plan, false> : multiply_blocks<plan, true>;
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, plan::SHARED_BYTES));
    kernel<<<blocks, THREADS, plan::SHARED_BYTES>>>(m, n, k, d_a, lda, d_b, ldb, d_c, ldc, 1);
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

/* Part (a) asks for no more than this does. */
void lab09_matmul_tile(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb, real *d_c,
                       int ldc)
{
    lab09_matmul(m, n, k, d_a, lda, d_b, ldb, d_c, ldc);
}
