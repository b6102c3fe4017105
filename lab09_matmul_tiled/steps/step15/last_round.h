/*
 * Large blocks of C, and a last round that all SMs share; a part of step 15, which includes it after step14/blocks.h.
 *
 * The blocks that are left over after the full rounds are cut into units of a few tiles of k each. All these units,
 * laid end to end, are divided into as many equal parts as there are SMs:
 *
 *     blocks   |        0        |        1        |        2        |
 *     parts    |     0     |     1     |     2     |     3     |  4  ...
 *     tables        0         1    2      3     4    5     6      ...
 *
 * For each block, a part stores its sums in a table of their own, and a last kernel adds up the tables of each block.
 */
#ifndef LAB09_STEP15_LAST_ROUND_H
#define LAB09_STEP15_LAST_ROUND_H

static int count_sms()
{
    static int sm_count = 0; /* queried once */
    if (sm_count == 0) {
        int device = 0;
        CHECK(cudaGetDevice(&device));
        CHECK(cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, device));
    }
    return sm_count;
}

constexpr int MOST_TABLES = 320;
constexpr int TABLE = large::BLOCK_M * large::BLOCK_N; /* results per block */
__device__ vector tables[MOST_TABLES * (TABLE / VECTOR)];

/* How `blocks` blocks of C are shared among `parts`. The smallest piece of work is a unit: STAGES tiles. There
   are no more parts than units, so that each has at least one. */
struct shares {
    int blocks, parts, tiles, units; /* tiles and units per block; the last unit has the rest */
};

/* The first unit of a part; the units of all blocks are numbered consecutively. */
__device__ int first_unit(const shares *s, int part)
{
    return (int)((long long)s->blocks * s->units * part / s->parts);
}

/* The part to which a unit belongs. */
__device__ int part_of(const shares *s, int unit)
{
    return (int)(((long long)(unit + 1) * s->parts - 1) / (s->blocks * s->units));
}

/* The sums of a block at `mine`, `depth` deep from a and b on; the loop of step 14. */
__device__ void multiply(const place *mine, int m, int n, int depth, const real *a, int lda, const real *b,
                         int ldb, real sum[THREAD_M][large::THREAD_N])
{
    source from = first_tile<large, false>(threadIdx.x, m, n, depth, a, lda, b, ldb, mine);
#pragma unroll
    for (int stage = 0; stage < large::STAGES - 1; stage++) {
        copy<large, false>(&from);
    }
    fragment<large> now[2]; /* the numbers to be multiplied in this step and in the next */
    reader at = first_stage<large>(mine);
    wait_for_tile<large>();
    load(&now[0], &at, 0);
    for (int tile = 0; tile < from.tiles; tile++) {
#pragma unroll
        for (int step = 0; step < DEPTH; step++) {
            if (step == DEPTH - 1) { /* the next numbers belong to the next tile */
                wait_for_tile<large>();
                next_stage<large>(&at);
            }
            load(&now[(step + 1) % 2], &at, (step + 1) % DEPTH);
            if (step == 0) {
                copy<large, false>(&from);
            }
            add_products<large>(sum, &now[step % 2]);
        }
    }
    __pipeline_wait_prior(0);
}

/*
 * Part blockIdx.x of blocks first ... of C; no edges. Its table for block x is number blockIdx.x + x: the number grows
 * by one with each part and with each block, so no two tables have the same number.
 */
__global__ void __launch_bounds__(THREADS, 1)
    multiply_parts(shares s, int first, int m, int n, int k, const real *a, int lda, const real *b, int ldb,
                   real one)
{
    const int end = first_unit(&s, blockIdx.x + 1);
    for (int unit = first_unit(&s, blockIdx.x); unit < end;) {
        const int block = unit / s.units, from = unit % s.units, to = min(s.units, from + end - unit);
        const int begin = from * large::STAGES * DEPTH;
        const int depth = (to == s.units ? s.tiles : to * large::STAGES) * DEPTH - begin;
        const place mine = find_place<large>(threadIdx.x, first + block, m, n);
        real sum[THREAD_M][large::THREAD_N] = {};
        multiply(&mine, m, n, depth, a + begin, lda, b + (size_t)begin * ldb, ldb, sum);
        const int row = mine.warp_row + mine.lane_m * VECTOR,
                  column = mine.warp_column + mine.lane_n * VECTOR;
        real *table = (real *)&tables[(size_t)(blockIdx.x + block) * (TABLE / VECTOR)];
        store<large, false>(sum, table + row * large::BLOCK_N + column, large::BLOCK_N, row, column, m, n,
                            one);
        __syncthreads(); /* the tiles of the next block overwrite these */
        unit += to - from;
    }
}

/* Adds the tables of block first + blockIdx.x, in order, and stores the sums in C. */
__global__ void add_parts(shares s, int first, int m, int n, real *c, int ldc)
{
    constexpr int TABLE_VECTORS = TABLE / VECTOR, ROW_VECTORS = large::BLOCK_N / VECTOR;
    const int block = blockIdx.x;
    const place at = find_place<large>(threadIdx.x, first + block, m, n);
    const int part = part_of(&s, block * s.units), last = part_of(&s, (block + 1) * s.units - 1);
    const vector *table = &tables[(size_t)(part + block) * TABLE_VECTORS];
    for (int v = blockIdx.y * blockDim.x + threadIdx.x; v < TABLE_VECTORS; v += gridDim.y * blockDim.x) {
        vector sum = table[v];
        for (int i = 1; i <= last - part; i++) {
            const vector more = table[i * TABLE_VECTORS + v];
#pragma unroll
            for (int e = 0; e < VECTOR; e++) {
                sum.at[e] += more.at[e];
            }
        }
        const int row = at.first_row + v / ROW_VECTORS, column = at.first_column + v % ROW_VECTORS * VECTOR;
        *(vector *)&c[(size_t)row * ldc + column] = sum;
    }
}

/* Tables, and the kernel that adds them, take as long as this many numbers of k in a full round. */
constexpr int COST_OF_SHARING = 256;

/* Does sharing among all SMs gain more than that? */
static bool worth_sharing(int blocks, int k)
{
    const int sm_count = count_sms();
    return (long long)(sm_count - blocks) * k > (long long)COST_OF_SHARING * sm_count &&
           blocks + sm_count <= MOST_TABLES;
}

static void multiply_large(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb, real *d_c,
                           int ldc)
{
    const int sm_count = count_sms();
    const int blocks = divided_up(m, large::BLOCK_M) * divided_up(n, large::BLOCK_N),
              rest = blocks % sm_count;
    const bool whole = m % large::BLOCK_M == 0 && n % large::BLOCK_N == 0 && k % DEPTH == 0 &&
                       k >= large::STAGES * DEPTH && is_aligned(d_b, ldb) && is_aligned(d_c, ldc);
    if (!whole || rest == 0 || !worth_sharing(rest, k)) {
        launch<large>(m, n, k, d_a, lda, d_b, ldb, d_c, ldc);
        return;
    }
    const auto kernel = multiply_blocks<large, false>;
    const int first = blocks - rest, bytes = large::SHARED_BYTES;
    const int tiles = k / DEPTH, units = tiles / large::STAGES;
    const shares s = {rest, min(sm_count, rest * units), tiles, units};
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    CHECK(cudaFuncSetAttribute(multiply_parts, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    if (first > 0) {
        kernel<<<first, THREADS, bytes>>>(m, n, k, d_a, lda, d_b, ldb, d_c, ldc, 1);
        CHECK(cudaGetLastError());
    }
    multiply_parts<<<s.parts, THREADS, bytes>>>(s, first, m, n, k, d_a, lda, d_b, ldb, 1);
    CHECK(cudaGetLastError());
    add_parts<<<dim3(rest, 8), 256>>>(s, first, m, n, d_c, ldc);
}

#endif
