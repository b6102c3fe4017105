/*
 * Step 13: 8 x 16 results per thread instead of 8 x 8.
 *
 * The change: an H100 reads 128 bytes of shared memory and does 128 multiply-adds per cycle on each SM. 8 x 8 results
 * need 16 numbers for 64 multiply-adds, 8 x 16 need 24 for 128: a quarter less reading for the same work, and fewer
 * other instructions. The block grows to 128 x 256 with the same 256 threads.
 *
 * At this level, the code that ptxas generates decides the speed: how many instructions each tile takes in addition to
 * its 1024 multiply-adds (here 89), and which registers it uses. A multiply-add reads three registers; the register
 * file seems to have two banks, each of which delivers one register per cycle. So this step calculates addresses
 * itself, in the 32 bits that shared memory needs, and advances them from tile to tile. See `one` below, and the
 * appendix, section 3.
 *
 * Expected: a twentieth to a tenth faster, if there are enough blocks.
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
constexpr int THREAD_N = 4 * VECTOR;    /* and columns: 16 floats, or 8 doubles */
constexpr int LANES_M = 8, LANES_N = 4; /* how the lanes of a warp are arranged on its tile */
constexpr int WARP_M = LANES_M * THREAD_M;
constexpr int WARP_N = LANES_N * THREAD_N;
constexpr int WARPS_M = 2, WARPS_N = 4;
constexpr int BLOCK_M = WARPS_M * WARP_M;
constexpr int BLOCK_N = WARPS_N * WARP_N;
constexpr int THREADS = 32 * WARPS_M * WARPS_N;
constexpr int DEPTH = 8;  /* of the tiles of A and B */
constexpr int STAGES = 4; /* tiles that have arrived or are being copied */
constexpr int GROUP = 8;  /* rows of blocks that are worked on together */

/* A stage in shared memory: the tile of A, transposed, each row padded against bank conflicts; after it that
 * of B. */
constexpr int PITCH_A = BLOCK_M + VECTOR, PITCH_B = BLOCK_N;
constexpr int STAGE = DEPTH * (PITCH_A + PITCH_B); /* in numbers */
constexpr int SHARED_BYTES = STAGES * STAGE * sizeof(real);

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
 * The kernel consists of the functions from here on. Some have a parameter `at_edge`: if it is true, elements
 * are checked, and are copied and stored one by one. If not, all tiles lie inside the matrices, every row
 * begins at a multiple of 16 bytes, and there are at least STAGES tiles.
 */

/* Which part of C is this thread's. */
struct place {
    int first_row, first_column; /* where the block's part begins */
    int row, column;             /* where the thread's results begin in it */
};

__device__ place find_place(int tid, int m, int n)
{
    const int lane = tid % 32, warp = tid / 32;
    place at;

    /* Which tile of C: down GROUP rows of blocks, then one column of blocks to the right. */
    const int blocks_m = (m + BLOCK_M - 1) / BLOCK_M, blocks_n = (n + BLOCK_N - 1) / BLOCK_N;
    const int group = blockIdx.x / (GROUP * blocks_n), in_group = blockIdx.x - group * (GROUP * blocks_n);
    const int group_rows = min(blocks_m - group * GROUP, GROUP);
    at.first_row = (group * GROUP + in_group % group_rows) * BLOCK_M;
    at.first_column = in_group / group_rows * BLOCK_N;

    /* Which part of it: the lanes in an order in which those of each quarter read few different numbers. */
    const int lane_n = (lane & 1) | ((lane >> 1) & 2), lane_m = ((lane >> 1) & 1) | ((lane >> 2) & 6);
    at.row = warp / WARPS_N * WARP_M + lane_m * VECTOR;
    at.column = warp % WARPS_N * WARP_N + lane_n * VECTOR;
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
    int a_place, b_place; /* where the first elements go in a stage */
    int rows, columns;    /* of C */
    int left;             /* columns of A that have not been copied yet */
    int tiles, copied;    /* how many tiles there are, and how many copies have been started */
    unsigned filled;      /* where the stage that is filled next begins, in bytes */
};

template <bool at_edge>
__device__ source first_tile(int tid, int m, int n, int k, const real *a, int lda, const real *b, int ldb,
                             const place *at)
{
    constexpr int WIDTH = at_edge ? 1 : VECTOR; /* elements of B that are copied at once */
    const int a_row = tid / DEPTH, a_column = tid % DEPTH;
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
    from.a_place = a_column * PITCH_A + a_row;
    from.b_place = DEPTH * PITCH_A + b_row * PITCH_B + b_column;
    from.rows = m;
    from.columns = n;
    from.left = k;
    from.tiles = at_edge ? (k + DEPTH - 1) / DEPTH : k / DEPTH;
    from.copied = 0;
    from.filled = 0;
    return from;
}

extern __shared__ vector shared_memory[];

__device__ void copy_checked(const source *from)
{
    constexpr int A_ROWS = THREADS / DEPTH, B_ROWS = THREADS / BLOCK_N;
    real *stage = (real *)shared_memory + from->filled / sizeof(real);
#pragma unroll
    for (int i = 0; i < BLOCK_M; i += A_ROWS) {
        copy_or_zero(&stage[from->a_place + i], from->a + (size_t)i * from->lda,
                     from->first_row + from->a_row + i < from->rows && from->a_column < from->left);
    }
#pragma unroll
    for (int i = 0; i < DEPTH; i += B_ROWS) {
        copy_or_zero(&stage[from->b_place + i * PITCH_B], from->b + (size_t)i * from->ldb,
                     from->b_row + i < from->left && from->first_column + from->b_column < from->columns);
    }
}

__device__ void copy_unchecked(const source *from)
{
    constexpr int A_ROWS = THREADS / DEPTH, B_ROWS = THREADS * VECTOR / BLOCK_N;
    const unsigned shared_address = (unsigned)__cvta_generic_to_shared(shared_memory);
    const unsigned a_to = shared_address + from->filled + from->a_place * (int)sizeof(real);
#pragma unroll
    for (int i = 0; i < BLOCK_M; i += A_ROWS) {
        copy_number(a_to + i * sizeof(real), from->a + (size_t)i * from->lda);
    }
    const unsigned b_to = shared_address + from->filled + from->b_place * (int)sizeof(real);
#pragma unroll
    for (int i = 0; i < DEPTH; i += B_ROWS) {
        copy_vector(b_to + i * PITCH_B * sizeof(real), from->b + (size_t)i * from->ldb);
    }
}

/* Starts copying the next tile, if there is one, and closes the group of copies. */
template <bool at_edge> __device__ void copy(source *from)
{
    if (from->copied < from->tiles) {
        if (at_edge) {
            copy_checked(from);
        } else {
            copy_unchecked(from);
        }
        from->left -= DEPTH;
        from->a += DEPTH;
        from->b += (size_t)DEPTH * from->ldb;
        from->filled += STAGE * sizeof(real);
        if (from->filled == STAGES * STAGE * sizeof(real)) {
            from->filled = 0;
        }
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

/* Where this thread reads A and B: in the stage that is read now, and in stage 0. */
struct reader {
    int stage;
    const real *a, *b, *first_a, *first_b;
};

__device__ reader first_stage(const place *at)
{
    const real *shared = (const real *)shared_memory;
    const real *a = shared + at->row, *b = shared + DEPTH * PITCH_A + at->column;
    const reader at_first = {0, a, b, a, b};
    return at_first;
}

__device__ void next_stage(reader *at)
{
    at->stage++;
    at->a += STAGE;
    at->b += STAGE;
    if (at->stage == STAGES) {
        at->stage = 0;
        at->a = at->first_a;
        at->b = at->first_b;
    }
}

/* What one thread multiplies: a piece of a column of A and a piece of a row of B. */
struct fragment {
    real a[THREAD_M], b[THREAD_N];
};

__device__ void load(fragment *to, const reader *at, int depth)
{
#pragma unroll
    for (int i = 0; i < THREAD_M; i += VECTOR) {
        *(vector *)&to->a[i] = *(const vector *)&at->a[depth * PITCH_A + i * LANES_M];
    }
#pragma unroll
    for (int j = 0; j < THREAD_N; j += VECTOR) {
        *(vector *)&to->b[j] = *(const vector *)&at->b[depth * PITCH_B + j * LANES_N];
    }
}

/* Back and forth, so that two successive multiply-adds have one number in common. */
__device__ void add_products(real sum[THREAD_M][THREAD_N], const fragment *with)
{
#pragma unroll
    for (int i = 0; i < THREAD_M; i++) {
#pragma unroll
        for (int step = 0; step < THREAD_N; step++) {
            const int j = i % 2 ? THREAD_N - 1 - step : step;
            sum[i][j] += with->a[i] * with->b[j];
        }
    }
}

/*
 * Stores this thread's results at `to`, which is element (row, column) of the m x n matrix C.
 *
 * `one` is 1. ptxas keeps four numbers that one instruction stores in four neighboring registers, even
 * in the loop, where this causes bank conflicts. The products with `one` are new values, so the sums
 * themselves may be kept in any registers.
 */
template <bool at_edge>
__device__ void store(const real sum[THREAD_M][THREAD_N], real *to, int ldc, int row, int column, int m,
                      int n, real one)
{
#pragma unroll
    for (int i = 0; i < THREAD_M; i++) {
        const int down = i / VECTOR * VECTOR * LANES_M + i % VECTOR;
#pragma unroll
        for (int j = 0; j < THREAD_N; j += VECTOR) {
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

template <bool at_edge>
__global__ void __launch_bounds__(THREADS, 1)
    multiply(int m, int n, int k, const real *a, int lda, const real *b, int ldb, real *c, int ldc, real one)
{
    const int tid = threadIdx.x;
    const place mine = find_place(tid, m, n);
    source from = first_tile<at_edge>(tid, m, n, k, a, lda, b, ldb, &mine);
#pragma unroll
    for (int stage = 0; stage < STAGES - 1; stage++) {
        copy<at_edge>(&from);
    }

    real sum[THREAD_M][THREAD_N] = {};
    fragment now[2]; /* the numbers to be multiplied in this step and in the next */
    reader at = first_stage(&mine);
    wait_for_tile();
    if (!at_edge || from.tiles > 0) {
        load(&now[0], &at, 0);
    }
    for (int tile = 0; tile < from.tiles; tile++) {
#pragma unroll
        for (int depth = 0; depth < DEPTH; depth++) {
            if (depth == DEPTH - 1) { /* the next numbers belong to the next tile */
                wait_for_tile();
                if (!at_edge || tile + 1 < from.tiles) { /* after the last tile, any numbers will do */
                    next_stage(&at);
                }
            }
            load(&now[(depth + 1) % 2], &at, (depth + 1) % DEPTH);
            if (depth == 0) {
                copy<at_edge>(&from);
            }
            add_products(sum, &now[depth % 2]);
        }
    }
    __pipeline_wait_prior(0);
    const int row = mine.first_row + mine.row, column = mine.first_column + mine.column;
    real *to = c + (size_t)row * ldc + mine.first_column + mine.column;
    store<at_edge>(sum, to, ldc, row, column, m, n, one);
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
    const bool whole = m % BLOCK_M == 0 && n % BLOCK_N == 0 && k % DEPTH == 0 && k >= STAGES * DEPTH &&
                       is_aligned(d_b, ldb) && is_aligned(d_c, ldc);
    const auto kernel = whole ? multiply<false> : multiply<true>;
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES));
    kernel<<<blocks, THREADS, SHARED_BYTES>>>(m, n, k, d_a, lda, d_b, ldb, d_c, ldc, 1);
    CHECK(cudaGetLastError());
}
