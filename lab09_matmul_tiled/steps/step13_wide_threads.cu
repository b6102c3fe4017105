/*
 * Step 13: 8 x 16 results a thread in the place of 8 x 8.
 *
 * The change: an H100 reads 128 bytes of shared memory a cycle and does 128 multiply-adds a cycle. 8 x 8
 * results need 16 numbers for 64 multiply-adds, 8 x 16 need 24 for 128: a quarter less reading for the same
 * work, and fewer instructions that are no multiply-adds. The block grows to 128 x 256 with the same 256
 * threads.
 *
 * What decides at this height is what ptxas makes of it: how many instructions a tile costs beside the 1024
 * multiply-adds (here 89), and which registers it takes. A multiply-add reads three registers; the register
 * file seems to have two banks and to give one number of each in a cycle. So this step counts addresses
 * itself, in the 32 bits that shared memory has, and steps on from tile to tile. See `one` below, and the
 * notes, section 6.
 *
 * Expected: a twentieth to a tenth more, where there are blocks enough.
 */
#include <cuda_pipeline.h>

#include "common/check.h"
#include "lab09.h"

constexpr int VECTOR = 16 / sizeof(real); /* numbers in 128 bits */
struct __align__(16) vector
{
    real at[VECTOR];
};

constexpr int THREAD_M = 8;             /* results of a thread: rows */
constexpr int THREAD_N = 4 * VECTOR;    /* and columns: 16 floats, or 8 doubles */
constexpr int LANES_M = 8, LANES_N = 4; /* how the lanes of a warp lie over its tile */
constexpr int WARP_M = LANES_M * THREAD_M;
constexpr int WARP_N = LANES_N * THREAD_N;
constexpr int WARPS_M = 2, WARPS_N = 4;
constexpr int BLOCK_M = WARPS_M * WARP_M;
constexpr int BLOCK_N = WARPS_N * WARP_N;
constexpr int THREADS = 32 * WARPS_M * WARPS_N;
constexpr int DEPTH = 8;  /* of the tiles of A and B */
constexpr int STAGES = 4; /* tiles that are here or on their way */
constexpr int GROUP = 8;  /* rows of blocks that are worked on together */

/* A stage in shared memory: the tile of A, transposed, each row padded against bank conflicts; behind it that
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

/* Elements of A and B that lie inside of them are copied, the others are zeros. */
__device__ void copy_or_zero(real *to, const real *from, bool inside)
{
    if (inside) {
        __pipeline_memcpy_async(to, from, sizeof(real));
    } else {
        *to = 0;
    }
}

extern __shared__ vector shared_memory[];

/*
 * `at_edge`: elements are checked, and copied and stored one by one. Without it all tiles lie inside of the
 * matrices, every row begins at a multiple of 16 bytes, and there are STAGES tiles at least.
 *
 * `one` is 1. ptxas keeps four numbers that one instruction stores in four neighbouring registers, and then
 * does so in the loop too, where this makes for bank conflicts. What is multiplied first is another number,
 * and the sums may stand where they like.
 */
template <bool at_edge>
__global__ void __launch_bounds__(THREADS, 1)
    multiply(int m, int n, int k, const real *a, int lda, const real *b, int ldb, real *c, int ldc, real one)
{
    real *shared = (real *)shared_memory;
    const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;

    /* Which tile of C: down GROUP rows of blocks, then one column of blocks to the right. */
    const int blocks_m = (m + BLOCK_M - 1) / BLOCK_M, blocks_n = (n + BLOCK_N - 1) / BLOCK_N;
    const int group = blockIdx.x / (GROUP * blocks_n), in_group = blockIdx.x - group * (GROUP * blocks_n);
    const int group_rows = min(blocks_m - group * GROUP, GROUP);
    const int first_row = (group * GROUP + in_group % group_rows) * BLOCK_M;
    const int first_column = in_group / group_rows * BLOCK_N;

    /* Which part of it: the lanes in an order in which those of each quarter read few different numbers. */
    const int lane_n = (lane & 1) | ((lane >> 1) & 2), lane_m = ((lane >> 1) & 1) | ((lane >> 2) & 6);
    const int row = warp / WARPS_N * WARP_M + lane_m * VECTOR;
    const int column = warp % WARPS_N * WARP_N + lane_n * VECTOR;

    /* What this thread copies: of A every A_ROWS-th row from a_row on, of B every B_ROWS-th from b_row on. */
    constexpr int WIDTH = at_edge ? 1 : VECTOR;
    constexpr int A_ROWS = THREADS / DEPTH, B_ROWS = THREADS * WIDTH / BLOCK_N;
    const int a_row = tid / DEPTH, a_column = tid % DEPTH;
    const int b_row = tid / (BLOCK_N / WIDTH), b_column = tid % (BLOCK_N / WIDTH) * WIDTH;
    const real *a_from = a + (size_t)(first_row + a_row) * lda + a_column;
    const real *b_from = b + (size_t)b_row * ldb + first_column + b_column;
    const int a_place = a_column * PITCH_A + a_row; /* in its stage */
    const int b_place = DEPTH * PITCH_A + b_row * PITCH_B + b_column;
    const unsigned shared_address = (unsigned)__cvta_generic_to_shared(shared);
    unsigned filled = 0; /* where the stage that is filled next begins, in bytes */
    int left = k;        /* columns of A that have not been copied yet */
    auto copy = [&]() {
        if (at_edge) {
            real *stage = shared + filled / sizeof(real);
#pragma unroll
            for (int i = 0; i < BLOCK_M; i += A_ROWS) {
                copy_or_zero(&stage[a_place + i], a_from + (size_t)i * lda,
                             first_row + a_row + i < m && a_column < left);
            }
#pragma unroll
            for (int i = 0; i < DEPTH; i += B_ROWS) {
                copy_or_zero(&stage[b_place + i * PITCH_B], b_from + (size_t)i * ldb,
                             b_row + i < left && first_column + b_column < n);
            }
        } else {
            const unsigned a_to = shared_address + filled + a_place * (int)sizeof(real);
#pragma unroll
            for (int i = 0; i < BLOCK_M; i += A_ROWS) {
                copy_number(a_to + i * sizeof(real), a_from + (size_t)i * lda);
            }
            const unsigned b_to = shared_address + filled + b_place * (int)sizeof(real);
#pragma unroll
            for (int i = 0; i < DEPTH; i += B_ROWS) {
                copy_vector(b_to + i * PITCH_B * sizeof(real), b_from + (size_t)i * ldb);
            }
        }
        left -= DEPTH;
        a_from += DEPTH;
        b_from += (size_t)DEPTH * ldb;
        filled += STAGE * sizeof(real);
        if (filled == STAGES * STAGE * sizeof(real)) {
            filled = 0;
        }
    };
    const int tiles = at_edge ? (k + DEPTH - 1) / DEPTH : k / DEPTH;
    int copied = 0;
#pragma unroll
    for (int stage = 0; stage < STAGES - 1; stage++) {
        if (copied < tiles) {
            copy();
        }
        copied++;
        __pipeline_commit();
    }

    real sum[THREAD_M][THREAD_N] = {};
    real now_a[2][THREAD_M], now_b[2][THREAD_N]; /* the fragments of this step and of the next */
    const real *first_a = shared + row, *first_b = shared + DEPTH * PITCH_A + column;
    const real *at_a = first_a, *at_b = first_b; /* in the stage that is read */
    int stage = 0;
    auto load = [&](int depth, int to) {
#pragma unroll
        for (int i = 0; i < THREAD_M; i += VECTOR) {
            *(vector *)&now_a[to][i] = *(const vector *)&at_a[depth * PITCH_A + i * LANES_M];
        }
#pragma unroll
        for (int j = 0; j < THREAD_N; j += VECTOR) {
            *(vector *)&now_b[to][j] = *(const vector *)&at_b[depth * PITCH_B + j * LANES_N];
        }
    };
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads();
    if (!at_edge || tiles > 0) {
        load(0, 0);
    }
    for (int tile = 0; tile < tiles; tile++) {
#pragma unroll
        for (int depth = 0; depth < DEPTH; depth++) {
            if (depth == DEPTH - 1) { /* the next numbers are the next tile's */
                __pipeline_wait_prior(STAGES - 2);
                __syncthreads();
                if (!at_edge || tile + 1 < tiles) { /* behind the last one: any numbers will do */
                    stage++;
                    at_a += STAGE;
                    at_b += STAGE;
                    if (stage == STAGES) {
                        stage = 0;
                        at_a = first_a;
                        at_b = first_b;
                    }
                }
            }
            load((depth + 1) % DEPTH, (depth + 1) % 2);
            if (depth == 0) {
                if (copied < tiles) {
                    copy();
                }
                copied++;
                __pipeline_commit();
            }
#pragma unroll
            for (int i = 0; i < THREAD_M; i++) {
#pragma unroll
                for (int step = 0; step < THREAD_N; step++) { /* to and fro: one number stays the same */
                    const int j = i % 2 ? THREAD_N - 1 - step : step;
                    sum[i][j] += now_a[depth % 2][i] * now_b[depth % 2][j];
                }
            }
        }
    }
    __pipeline_wait_prior(0);

    real *to = c + (size_t)(first_row + row) * ldc + first_column + column;
#pragma unroll
    for (int i = 0; i < THREAD_M; i++) {
        const int down = i / VECTOR * VECTOR * LANES_M + i % VECTOR;
#pragma unroll
        for (int j = 0; j < THREAD_N; j += VECTOR) {
            vector v;
#pragma unroll
            for (int e = 0; e < VECTOR; e++) {
                v.at[e] = sum[i][j + e] * one;
                if (at_edge && first_row + row + down < m && first_column + column + j * LANES_N + e < n) {
                    to[(size_t)down * ldc + j * LANES_N + e] = v.at[e];
                }
            }
            if (!at_edge) {
                *(vector *)&to[(size_t)down * ldc + j * LANES_N] = v;
            }
        }
    }
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

/* Part (a) asks for no more than this does. */
void lab09_matmul_tile(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb, real *d_c,
                       int ldc)
{
    lab09_matmul(m, n, k, d_a, lda, d_b, ldb, d_c, ldc);
}
