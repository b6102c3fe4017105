/*
 * The blocks of steps 14 and 15: a kernel for any plan of tiles and slices, in the order of multiply-adds that step 14
 * is about.
 */
#ifndef LAB09_STEP14_BLOCKS_H
#define LAB09_STEP14_BLOCKS_H

#include <cuda_pipeline.h>

#include "common/check.h"
#include "lab09.h"

constexpr int VECTOR = 16 / sizeof(real); /* numbers in 128 bits */
struct __align__(16) vector
{
    real at[VECTOR];
};

constexpr int THREAD_M = 8;             /* rows of results per thread */
constexpr int LANES_M = 8, LANES_N = 4; /* how the lanes of a warp are arranged on its tile */
constexpr int WARP_M = LANES_M * THREAD_M;
constexpr int WARPS = 8;
constexpr int THREADS = 32 * WARPS;
constexpr int DEPTH = 8; /* of a slice's part of the tiles of A and B */
constexpr int BYTES = sizeof(real);
constexpr int GROUP = 8; /* rows of blocks that are worked on together */

/*
 * What may differ from plan to plan: columns of results per thread, warps one below the other, slices of k that are
 * worked on at the same time, tiles that have arrived or are being copied, blocks per SM. The kernel is a template
 * with such a plan as its parameter: the compiler generates one kernel for each.
 */
template <int thread_n, int warps_m, int slices, int stages, int blocks> struct plan {
    static constexpr int THREAD_N = thread_n, SLICES = slices, STAGES = stages, BLOCKS_PER_SM = blocks;
    static constexpr int TILE_DEPTH = slices * DEPTH;
    static constexpr int SLICE_WARPS = WARPS / slices, WARPS_N = SLICE_WARPS / warps_m;
    static constexpr int WARP_N = LANES_N * thread_n;
    static constexpr int BLOCK_M = warps_m * WARP_M, BLOCK_N = WARPS_N * WARP_N;
    /* A stage in shared memory: the tile of A, transposed, each row padded against bank conflicts; after it
       that of B. At the end, the same memory holds the sums of all slices but the first. */
    static constexpr int PITCH_A = BLOCK_M + VECTOR, PITCH_B = BLOCK_N;
    static constexpr int STAGE = slices * DEPTH * (PITCH_A + PITCH_B); /* in numbers */
    static constexpr int SUMS = (slices - 1) * BLOCK_M * BLOCK_N;
    static constexpr int SHARED_BYTES = (stages * STAGE > SUMS ? stages * STAGE : SUMS) * sizeof(real);
};

/* 128 x 256 elements of C, in double 128 x 128. */
typedef plan<4 * VECTOR, 2, 1, 4, 1> large;

/* Starts a copy to the shared memory at address `to`. */
__device__ void copy_number(unsigned to, const real *from)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(sizeof(real))
                 : "memory");
}

__device__ void copy_vector(unsigned to, const real *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

/* Copies an element that lies inside its matrix; otherwise stores a zero. */
__device__ void copy_or_zero(real *to, const real *from, bool inside)
{
    if (inside) {
        __pipeline_memcpy_async(to, from, sizeof(real));
    } else {
        *to = 0;
    }
}

/*
 * The kernel consists of the functions from here on. Their parameters are the plan and `at_edge`: if this is
 * true, elements are checked, and are copied and stored one by one. If not, all tiles lie inside the matrices,
 * every row begins at a multiple of 16 bytes, and there are at least STAGES tiles.
 */

/* Which part of C is this thread's, and which slice of k. */
struct place {
    int first_row, first_column; /* where the block's part begins */
    int slice;
    int warp_row, warp_column; /* where the warp's results begin in it */
    int lane_m, lane_n; /* this thread's results lie lane_m vectors below that and lane_n to the right */
};

template <class plan> __device__ place find_place(int tid, int id, int m, int n)
{
    constexpr int BLOCK_M = plan::BLOCK_M, BLOCK_N = plan::BLOCK_N;
    const int lane = tid % 32, warp = tid / 32;
    place at;

    /* Where tile number id of C is: down GROUP rows of blocks, then one column of blocks to the right. */
    const int blocks_m = (m + BLOCK_M - 1) / BLOCK_M, blocks_n = (n + BLOCK_N - 1) / BLOCK_N;
    const int group = id / (GROUP * blocks_n), in_group = id - group * (GROUP * blocks_n);
    const int group_rows = min(blocks_m - group * GROUP, GROUP);
    at.first_row = (group * GROUP + in_group % group_rows) * BLOCK_M;
    at.first_column = in_group / group_rows * BLOCK_N;

    /* Which part of it, and which slice: the lanes in an order in which those of each quarter read few
       different numbers. */
    const int lane_n = (lane & 1) | ((lane >> 1) & 2), lane_m = ((lane >> 1) & 1) | ((lane >> 2) & 6);
    const int in_slice = warp % plan::SLICE_WARPS;
    at.slice = warp / plan::SLICE_WARPS;
    at.warp_row = in_slice / plan::WARPS_N * WARP_M;
    at.warp_column = in_slice % plan::WARPS_N * plan::WARP_N;
    at.lane_m = lane_m;
    at.lane_n = lane_n;
    return at;
}

/*
 * What this thread copies of every tile. Of A: row first_row + a_row and every A_ROWS-th after it, column
 * a_column of the tile. Of B: row b_row of the tile and every B_ROWS-th after it, from column first_column +
 * b_column on.
 */
struct source {
    const real *a, *b; /* its first elements of the next tile */
    int lda, ldb;
    int a_row, a_column, b_row, b_column;
    int first_row, first_column;
    int rows, columns; /* of C */
    int left;          /* columns of A that have not been copied yet */
    int tiles, copied; /* how many tiles there are, and how many copies have been started */
    unsigned filled;   /* where the stage that is filled next begins, in bytes */
};

template <class plan, bool at_edge>
__device__ source first_tile(int tid, int m, int n, int k, const real *a, int lda, const real *b, int ldb,
                             const place *at)
{
    constexpr int BLOCK_N = plan::BLOCK_N, TILE_DEPTH = plan::TILE_DEPTH;
    constexpr int WIDTH = at_edge ? 1 : VECTOR; /* elements of B that are copied at once */
    const int a_column = tid % DEPTH, a_row = tid / DEPTH;
    const int b_row = tid / (BLOCK_N / WIDTH), b_column = tid % (BLOCK_N / WIDTH) * WIDTH;
    source from;
    from.a = a + (size_t)(at->first_row + a_row) * lda + a_column;
    from.b = b + (size_t)b_row * ldb + at->first_column + b_column;
    from.lda = lda;
    from.ldb = ldb;
    from.a_row = a_row;
    from.a_column = a_column;
    from.b_row = b_row;
    from.b_column = b_column;
    from.first_row = at->first_row;
    from.first_column = at->first_column;
    from.rows = m;
    from.columns = n;
    from.left = k;
    from.tiles = at_edge ? (k + TILE_DEPTH - 1) / TILE_DEPTH : k / TILE_DEPTH;
    from.copied = 0;
    from.filled = 0;
    return from;
}

extern __shared__ vector shared_memory[];

template <class plan> __device__ void copy_checked(const source *from)
{
    constexpr int A_ROWS = THREADS / DEPTH, B_ROWS = THREADS / plan::BLOCK_N;
    real *shared = (real *)shared_memory;
    real *to = shared + from->filled / sizeof(real) + from->a_column * plan::PITCH_A + from->a_row;
#pragma unroll
    for (int s = 0; s < plan::TILE_DEPTH; s += DEPTH) {
#pragma unroll
        for (int i = 0; i < plan::BLOCK_M; i += A_ROWS) {
            copy_or_zero(&to[s * plan::PITCH_A + i], from->a + (size_t)i * from->lda + s,
                         from->first_row + from->a_row + i < from->rows && from->a_column + s < from->left);
        }
    }
    to = shared + from->filled / sizeof(real) + plan::TILE_DEPTH * plan::PITCH_A +
         from->b_row * plan::PITCH_B + from->b_column;
#pragma unroll
    for (int i = 0; i < plan::TILE_DEPTH; i += B_ROWS) {
        copy_or_zero(&to[i * plan::PITCH_B], from->b + (size_t)i * from->ldb,
                     from->b_row + i < from->left && from->first_column + from->b_column < from->columns);
    }
}

template <class plan> __device__ void copy_unchecked(const source *from)
{
    constexpr int A_ROWS = THREADS / DEPTH, B_ROWS = THREADS * VECTOR / plan::BLOCK_N;
    const unsigned shared_address = (unsigned)__cvta_generic_to_shared(shared_memory);
    const unsigned a_to =
        shared_address + from->filled + (from->a_column * plan::PITCH_A + from->a_row) * BYTES;
#pragma unroll
    for (int s = 0; s < plan::TILE_DEPTH; s += DEPTH) {
#pragma unroll
        for (int i = 0; i < plan::BLOCK_M; i += A_ROWS) {
            copy_number(a_to + (s * plan::PITCH_A + i) * BYTES, from->a + (size_t)i * from->lda + s);
        }
    }
    const unsigned b_to =
        shared_address + from->filled +
        (plan::TILE_DEPTH * plan::PITCH_A + from->b_row * plan::PITCH_B + from->b_column) * BYTES;
#pragma unroll
    for (int i = 0; i < plan::TILE_DEPTH; i += B_ROWS) {
        copy_vector(b_to + i * plan::PITCH_B * BYTES, from->b + (size_t)i * from->ldb);
    }
}

/* Starts copying the next tile, if there is one, and closes the group of copies. */
template <class plan, bool at_edge> __device__ void copy(source *from)
{
    if (from->copied < from->tiles) {
        if (at_edge) {
            copy_checked<plan>(from);
        } else {
            copy_unchecked<plan>(from);
        }
        from->left -= plan::TILE_DEPTH;
        from->a += plan::TILE_DEPTH;
        from->b += (size_t)plan::TILE_DEPTH * from->ldb;
        from->filled += plan::STAGE * BYTES;
        if (from->filled == plan::STAGES * plan::STAGE * BYTES) {
            from->filled = 0;
        }
    }
    from->copied++;
    __pipeline_commit();
}

/* Waits for the next tile: for this thread's copies, and at the barrier for those of all others. */
template <class plan> __device__ void wait_for_tile()
{
    __pipeline_wait_prior(plan::STAGES - 2);
    __syncthreads();
}

/* Where this thread reads A and B: in the stage that is read now, and in stage 0. */
struct reader {
    int stage;
    const real *a, *b, *first_a, *first_b;
};

template <class plan> __device__ reader first_stage(const place *at)
{
    const real *shared = (const real *)shared_memory;
    const real *a = shared + at->slice * DEPTH * plan::PITCH_A + at->warp_row + at->lane_m * VECTOR;
    const real *b = shared + plan::TILE_DEPTH * plan::PITCH_A + at->slice * DEPTH * plan::PITCH_B +
                    at->warp_column + at->lane_n * VECTOR;
    const reader at_first = {0, a, b, a, b};
    return at_first;
}

template <class plan> __device__ void next_stage(reader *at)
{
    at->stage++;
    at->a += plan::STAGE;
    at->b += plan::STAGE;
    if (at->stage == plan::STAGES) {
        at->stage = 0;
        at->a = at->first_a;
        at->b = at->first_b;
    }
}

/* What one thread multiplies: a piece of a column of A and a piece of a row of B. */
template <class plan> struct fragment {
    real a[THREAD_M], b[plan::THREAD_N];
};

template <class plan> __device__ void load(fragment<plan> *to, const reader *at, int depth)
{
#pragma unroll
    for (int i = 0; i < THREAD_M; i += VECTOR) {
        *(vector *)&to->a[i] = *(const vector *)&at->a[depth * plan::PITCH_A + i * LANES_M];
    }
#pragma unroll
    for (int j = 0; j < plan::THREAD_N; j += VECTOR) {
        *(vector *)&to->b[j] = *(const vector *)&at->b[depth * plan::PITCH_B + j * LANES_N];
    }
}

/* Two rows by two columns, in a U: each multiply-add shares a number with the one before. */
template <class plan>
__device__ void add_products(real sum[THREAD_M][plan::THREAD_N], const fragment<plan> *with)
{
    constexpr int ORDER_I[4] = {0, 0, 1, 1}, ORDER_J[4] = {0, 1, 1, 0};
#pragma unroll
    for (int rows = 0; rows < THREAD_M; rows += 2) {
#pragma unroll
        for (int step = 0; step < plan::THREAD_N; step += 2) { /* back and forth */
            const int columns = rows % 4 ? plan::THREAD_N - 2 - step : step;
#pragma unroll
            for (int turn = 0; turn < 4; turn++) {
                const int i = rows + ORDER_I[turn], j = columns + ORDER_J[turn];
                sum[i][j] += with->a[i] * with->b[j];
            }
        }
    }
}

/* The distance from a thread's first result to its result (i, j), in a table of the block's results. */
template <class plan> __device__ int place_of(int i, int j)
{
    return (i / VECTOR * VECTOR * LANES_M + i % VECTOR) * plan::BLOCK_N + j / VECTOR * VECTOR * LANES_N +
           j % VECTOR;
}

/* All slices but the first store their sums in shared memory, each in a table of the block's results. */
template <class plan>
__device__ void store_sums(int slice, const real sum[THREAD_M][plan::THREAD_N], real *to)
{
#pragma unroll
    for (int i = 0; i < THREAD_M; i++) {
#pragma unroll
        for (int j = 0; j < plan::THREAD_N; j++) {
            if (slice > 0) {
                to[(slice - 1) * plan::BLOCK_M * plan::BLOCK_N + place_of<plan>(i, j)] = sum[i][j];
            }
        }
    }
}

/* The first slice adds them to its own, always in the same order. */
template <class plan> __device__ void add_sums(real sum[THREAD_M][plan::THREAD_N], const real *from)
{
#pragma unroll
    for (int s = 0; s < plan::SLICES - 1; s++) {
#pragma unroll
        for (int i = 0; i < THREAD_M; i++) {
#pragma unroll
            for (int j = 0; j < plan::THREAD_N; j++) {
                sum[i][j] += from[s * plan::BLOCK_M * plan::BLOCK_N + place_of<plan>(i, j)];
            }
        }
    }
}

/* Adds the slices' sums. True for the threads that then hold the results: those of the first slice. */
template <class plan> __device__ bool join_slices(const place *at, real sum[THREAD_M][plan::THREAD_N])
{
    real *mine = (real *)shared_memory + (at->warp_row + at->lane_m * VECTOR) * plan::BLOCK_N +
                 at->warp_column + at->lane_n * VECTOR;
    __syncthreads(); /* no thread still reads the tiles */
    store_sums<plan>(at->slice, sum, mine);
    __syncthreads();
    if (at->slice > 0) {
        return false;
    }
    add_sums<plan>(sum, mine);
    return true;
}

/*
 * Stores this thread's results at `to`, which is element (row, column) of the m x n matrix C.
 *
 * `one` is 1. ptxas keeps four numbers that one instruction stores in four neighboring registers, even
 * in the loop, where this causes bank conflicts. The products with `one` are new values, so the sums
 * themselves may be kept in any registers.
 */
template <class plan, bool at_edge>
__device__ void store(const real sum[THREAD_M][plan::THREAD_N], real *to, int ldc, int row, int column, int m,
                      int n, real one)
{
#pragma unroll
    for (int i = 0; i < THREAD_M; i++) {
        const int down = i / VECTOR * VECTOR * LANES_M + i % VECTOR;
#pragma unroll
        for (int j = 0; j < plan::THREAD_N; j += VECTOR) {
            vector v;
#pragma unroll
            for (int e = 0; e < VECTOR; e++) {
                v.at[e] = sum[i][j + e] * one;
                if (at_edge && row + down < m && column + j * LANES_N + e < n) {
                    to[(size_t)down * ldc + j * LANES_N + e] = v.at[e];
                }
            }
            if (!at_edge) {
                *(vector *)&to[(size_t)down * ldc + j * LANES_N] = v;
            }
        }
    }
}

template <class plan, bool at_edge>
__global__ void __launch_bounds__(THREADS, plan::BLOCKS_PER_SM)
    multiply_blocks(int m, int n, int k, const real *a, int lda, const real *b, int ldb, real *c, int ldc,
                    real one)
{
    const int tid = threadIdx.x;
    const place mine = find_place<plan>(tid, blockIdx.x, m, n);
    source from = first_tile<plan, at_edge>(tid, m, n, k, a, lda, b, ldb, &mine);
#pragma unroll
    for (int stage = 0; stage < plan::STAGES - 1; stage++) {
        copy<plan, at_edge>(&from);
    }
    real sum[THREAD_M][plan::THREAD_N] = {};
    fragment<plan> now[2]; /* the numbers to be multiplied in this step and in the next */
    reader at = first_stage<plan>(&mine);
    wait_for_tile<plan>();
    if (!at_edge || from.tiles > 0) {
        load(&now[0], &at, 0);
    }
    for (int tile = 0; tile < from.tiles; tile++) {
#pragma unroll
        for (int depth = 0; depth < DEPTH; depth++) {
            if (depth == DEPTH - 1) { /* the next numbers belong to the next tile */
                wait_for_tile<plan>();
                if (!at_edge || tile + 1 < from.tiles) { /* after the last tile, any numbers will do */
                    next_stage<plan>(&at);
                }
            }
            load(&now[(depth + 1) % 2], &at, (depth + 1) % DEPTH);
            if (depth == 0) {
                copy<plan, at_edge>(&from);
            }
            add_products<plan>(sum, &now[depth % 2]);
        }
    }
    __pipeline_wait_prior(0);
    if (plan::SLICES > 1 && !join_slices<plan>(&mine, sum)) {
        return;
    }
    const int row = mine.first_row + mine.warp_row + mine.lane_m * VECTOR;
    const int column = mine.first_column + mine.warp_column + mine.lane_n * VECTOR;
    store<plan, at_edge>(sum, c + (size_t)row * ldc + column, ldc, row, column, m, n, one);
}

static bool is_aligned(const real *x, int ld)
{
    return (size_t)x % sizeof(vector) == 0 && ld % VECTOR == 0;
}

static int divided_up(int a, int b)
{
    return (a + b - 1) / b;
}

template <class plan>
static void launch(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb, real *d_c,
                   int ldc)
{
    const int blocks = divided_up(m, plan::BLOCK_M) * divided_up(n, plan::BLOCK_N);
    const bool whole = m % plan::BLOCK_M == 0 && n % plan::BLOCK_N == 0 && k % (plan::SLICES * DEPTH) == 0 &&
                       k >= plan::STAGES * plan::SLICES * DEPTH && is_aligned(d_b, ldb) &&
                       is_aligned(d_c, ldc);
    const auto kernel = whole ? multiply_blocks<plan, false> : multiply_blocks<plan, true>;
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, plan::SHARED_BYTES));
    kernel<<<blocks, THREADS, plan::SHARED_BYTES>>>(m, n, k, d_a, lda, d_b, ldb, d_c, ldc, 1);
}

#endif
