/*
 * Small blocks of C, in slices of k; a part of step 15, which includes it after step14/blocks.h.
 *
 * 1024 x 1024 elements are only 32 large blocks for 132 SMs, but 128 small ones, of 64 x 128. To keep each
 * SM busy, four pairs of warps work on different slices of each tile's depth; at the end their
 * sums are added by halves, as in lab 02. The loop does not check where a matrix ends: a row or a column
 * past the end is replaced by the last one, and its results are not stored. Only the depth must be a whole
 * number of tiles: the first tile is filled up with zeros.
 */
#ifndef LAB09_STEP15_SMALL_BLOCKS_H
#define LAB09_STEP15_SMALL_BLOCKS_H

constexpr int SLICES = 4;                                    /* in a tile's depth, DEPTH each */
constexpr int SMALL_M = WARP_M, SMALL_N = 2 * large::WARP_N; /* 64 x 128 elements of C; in double 64 x 64 */
constexpr int SMALL_DEPTH = SLICES * DEPTH;                  /* of the tiles */
constexpr int SMALL_THREADS = SLICES * 64;                   /* two warps per slice */
constexpr int SMALL_STAGES = 3;
constexpr int SMALL_PITCH_A = SMALL_M + VECTOR;
constexpr int SMALL_STAGE = SMALL_DEPTH * (SMALL_PITCH_A + SMALL_N); /* in numbers */
constexpr int SMALL_TABLE = SMALL_M * SMALL_N;
constexpr int SMALL_BYTES =
    (SMALL_STAGES * SMALL_STAGE > SLICES / 2 * SMALL_TABLE ? SMALL_STAGES * SMALL_STAGE
                                                           : SLICES / 2 * SMALL_TABLE) *
    BYTES;

/* How the threads copy a tile: 8 neighbors in a row of A; of B one row after the other. */
constexpr int A_COLUMNS = DEPTH, A_ROWS = SMALL_THREADS / A_COLUMNS;

/*
 * What this thread copies of every tile: of A columns a_column, a_column + 8, ... of the rows at a[]; of
 * B the numbers at b and every B_ROWS-th row after it. `width` numbers of B are copied at once: 1 or
 * VECTOR.
 */
struct small_source {
    const real *a[SMALL_M / A_ROWS], *b;
    int ldb;
    int a_to, b_to;    /* where they go in a stage */
    int tiles, copied; /* how many tiles there are, and how many copies have been started */
    int filled;        /* where the stage that is filled next begins */
};

template <int width>
__device__ small_source small_first_tile(int first_row, int first_column, int m, int n, int k, const real *a,
                                         int lda, const real *b, int ldb)
{
    const int tid = threadIdx.x;
    const int a_column = tid % A_COLUMNS, a_row = tid / A_COLUMNS;
    const int b_column = tid % (SMALL_N / width) * width, b_row = tid / (SMALL_N / width);
    small_source from;
#pragma unroll
    for (int i = 0; i < SMALL_M / A_ROWS; i++) {
        from.a[i] = a + (size_t)min(first_row + a_row + i * A_ROWS, m - 1) * lda + a_column;
    }
    from.b = b + (size_t)b_row * ldb + min(first_column + b_column, n - width);
    from.ldb = ldb;
    from.a_to = a_column * SMALL_PITCH_A + a_row;
    from.b_to = SMALL_DEPTH * SMALL_PITCH_A + b_row * SMALL_N + b_column;
    from.tiles = max(1, (k + SMALL_DEPTH - 1) / SMALL_DEPTH);
    from.copied = 0;
    from.filled = 0;
    return from;
}

template <int width> __device__ void small_copy_number_or_vector(real *to, const real *from)
{
    const unsigned address = (unsigned)__cvta_generic_to_shared(to);
    if (width == 1) {
        copy_number(address, from);
    } else {
        copy_vector(address, from);
    }
}

/* `depth` numbers of a row of A and rows of B exist; the rest of the tile is zeros. */
template <int width> __device__ void small_copy_first(small_source *from, int depth)
{
    constexpr int B_ROWS = SMALL_THREADS / (SMALL_N / width);
    const int a_column = threadIdx.x % A_COLUMNS, b_row = threadIdx.x / (SMALL_N / width);
    real *shared = (real *)shared_memory;
#pragma unroll
    for (int i = 0; i < SMALL_M / A_ROWS; i++) {
#pragma unroll
        for (int j = 0; j < SMALL_DEPTH; j += A_COLUMNS) {
            copy_or_zero(&shared[from->a_to + j * SMALL_PITCH_A + i * A_ROWS], from->a[i] + j,
                         a_column + j < depth);
        }
        from->a[i] += depth;
    }
#pragma unroll
    for (int j = 0; j < SMALL_DEPTH; j += B_ROWS) {
#pragma unroll
        for (int e = 0; e < width; e++) {
            copy_or_zero(&shared[from->b_to + j * SMALL_N + e], from->b + (size_t)j * from->ldb + e,
                         b_row + j < depth);
        }
    }
    from->b += (size_t)depth * from->ldb;
    from->filled = SMALL_STAGE;
    from->copied = 1;
    __pipeline_commit();
}

/*
 * Starts part `part` of the DEPTH parts of the copies of the next tile, if there is one. All 24 at once would wait for
 * each other, and the multiply-adds would wait for them.
 */
template <int width> __device__ void small_copy_part(const small_source *from, int part)
{
    constexpr int B_ROWS = SMALL_THREADS / (SMALL_N / width);
    constexpr int A_ACROSS = SMALL_DEPTH / A_COLUMNS, A_COPIES = SMALL_M / A_ROWS * A_ACROSS;
    constexpr int B_COPIES = SMALL_DEPTH / B_ROWS;
    real *to = (real *)shared_memory + from->filled;
    if (from->copied < from->tiles) {
#pragma unroll
        for (int copy = part * A_COPIES / DEPTH; copy < (part + 1) * A_COPIES / DEPTH; copy++) {
            const int i = copy / A_ACROSS, j = copy % A_ACROSS * A_COLUMNS;
            small_copy_number_or_vector<1>(&to[from->a_to + j * SMALL_PITCH_A + i * A_ROWS], from->a[i] + j);
        }
#pragma unroll
        for (int copy = part * B_COPIES / DEPTH; copy < (part + 1) * B_COPIES / DEPTH; copy++) {
            const int j = copy * B_ROWS;
            small_copy_number_or_vector<width>(&to[from->b_to + j * SMALL_N],
                                               from->b + (size_t)j * from->ldb);
        }
    }
}

/* Closes the group of these copies, and advances to the next tile. */
__device__ void end_small_copy(small_source *from)
{
    if (from->copied < from->tiles) {
#pragma unroll
        for (int i = 0; i < SMALL_M / A_ROWS; i++) {
            from->a[i] += SMALL_DEPTH;
        }
        from->b += (size_t)SMALL_DEPTH * from->ldb;
        from->filled = from->filled == (SMALL_STAGES - 1) * SMALL_STAGE ? 0 : from->filled + SMALL_STAGE;
    }
    from->copied++;
    __pipeline_commit();
}

/* Where this thread's results begin in its block, and its slice. */
struct small_place {
    int slice, row, column;
};

__device__ small_place find_small_place()
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int lane_n = (lane & 1) | ((lane >> 1) & 2), lane_m = ((lane >> 1) & 1) | ((lane >> 2) & 6);
    const small_place at = {warp / 2, lane_m * VECTOR, warp % 2 * large::WARP_N + lane_n * VECTOR};
    return at;
}

__device__ void small_load(fragment<large> *to, const real *a, const real *b, int depth)
{
#pragma unroll
    for (int i = 0; i < THREAD_M; i += VECTOR) {
        *(vector *)&to->a[i] = *(const vector *)&a[depth * SMALL_PITCH_A + i * LANES_M];
    }
#pragma unroll
    for (int j = 0; j < large::THREAD_N; j += VECTOR) {
        *(vector *)&to->b[j] = *(const vector *)&b[depth * SMALL_N + j * LANES_N];
    }
}

__device__ void wait_for_small_tile()
{
    __pipeline_wait_prior(SMALL_STAGES - 2);
    __syncthreads();
}

/* The sums of this thread's slice. */
template <int width>
__device__ void multiply_slice(const small_place *at, small_source *from, int k,
                               real sum[THREAD_M][large::THREAD_N])
{
    small_copy_first<width>(from, k - (from->tiles - 1) * SMALL_DEPTH);
#pragma unroll
    for (int stage = 1; stage < SMALL_STAGES - 1; stage++) {
#pragma unroll
        for (int part = 0; part < DEPTH; part++) {
            small_copy_part<width>(from, part);
        }
        end_small_copy(from);
    }
    const real *first_a = (const real *)shared_memory + at->slice * DEPTH * SMALL_PITCH_A + at->row;
    const real *first_b =
        (const real *)shared_memory + SMALL_DEPTH * SMALL_PITCH_A + at->slice * DEPTH * SMALL_N + at->column;
    const real *a = first_a, *b = first_b;
    int stage = 0;
    fragment<large> now[2]; /* the numbers to be multiplied in this step and in the next */
    wait_for_small_tile();
    small_load(&now[0], a, b, 0);
    for (int tile = 0; tile < from->tiles; tile++) {
#pragma unroll
        for (int depth = 0; depth < DEPTH; depth++) {
            small_copy_part<width>(from, depth);
            if (depth == DEPTH - 1) { /* the next numbers belong to the next tile */
                end_small_copy(from);
                wait_for_small_tile();
                if (tile + 1 < from->tiles) { /* after the last tile, any numbers will do */
                    stage = stage == SMALL_STAGES - 1 ? 0 : stage + 1;
                    a = first_a + stage * SMALL_STAGE;
                    b = first_b + stage * SMALL_STAGE;
                }
            }
            small_load(&now[(depth + 1) % 2], a, b, (depth + 1) % DEPTH);
            add_products<large>(sum, &now[depth % 2]);
        }
    }
    __pipeline_wait_prior(0);
}

/* The table of a thread's results: one row of the block after the other. `one` is as in step 14. */
__device__ void store_small(real sum[THREAD_M][large::THREAD_N], real *table, real one)
{
#pragma unroll
    for (int i = 0; i < THREAD_M; i++) {
#pragma unroll
        for (int j = 0; j < large::THREAD_N; j += VECTOR) {
            vector v;
#pragma unroll
            for (int e = 0; e < VECTOR; e++) {
                v.at[e] = sum[i][j + e] * one;
            }
            *(vector *)&table[(i / VECTOR * VECTOR * LANES_M + i % VECTOR) * SMALL_N + j * LANES_N] = v;
        }
    }
}

__device__ void add_small(real sum[THREAD_M][large::THREAD_N], const real *table)
{
#pragma unroll
    for (int i = 0; i < THREAD_M; i++) {
#pragma unroll
        for (int j = 0; j < large::THREAD_N; j += VECTOR) {
            const vector v =
                *(const vector *)&table[(i / VECTOR * VECTOR * LANES_M + i % VECTOR) * SMALL_N + j * LANES_N];
#pragma unroll
            for (int e = 0; e < VECTOR; e++) {
                sum[i][j + e] += v.at[e];
            }
        }
    }
}

/* Adds the slices' sums by halves; at the end, slice 0 stores the total in the first table. */
__device__ void join_slices(const small_place *at, real sum[THREAD_M][large::THREAD_N], real one)
{
    real *mine = (real *)shared_memory + at->row * SMALL_N + at->column;
#pragma unroll
    for (int half = SLICES / 2; half > 0; half /= 2) {
        __syncthreads(); /* no thread still reads the old numbers */
        if (at->slice >= half && at->slice < 2 * half) {
            store_small(sum, mine + (at->slice - half) * SMALL_TABLE, one);
        }
        __syncthreads();
        if (at->slice < half) {
            add_small(sum, mine + at->slice * SMALL_TABLE);
        }
    }
    if (at->slice == 0) {
        store_small(sum, mine, one); /* to places that only this thread has read */
    }
    __syncthreads();
}

template <int width>
__global__ void __launch_bounds__(SMALL_THREADS, 1)
    multiply_small_blocks(int m, int n, int k, const real *a, int lda, const real *b, int ldb, real *c,
                          int ldc, real one)
{
    const int blocks_n = (n + SMALL_N - 1) / SMALL_N;
    const int first_row = blockIdx.x / blocks_n * SMALL_M, first_column = blockIdx.x % blocks_n * SMALL_N;
    const small_place at = find_small_place();
    small_source from = small_first_tile<width>(first_row, first_column, m, n, k, a, lda, b, ldb);
    real sum[THREAD_M][large::THREAD_N] = {};
    multiply_slice<width>(&at, &from, k, sum);
    join_slices(&at, sum, one);
    /* All threads store, and neighboring threads store neighboring elements. */
    for (int i = threadIdx.x; i < SMALL_TABLE; i += SMALL_THREADS) {
        const int row = first_row + i / SMALL_N, column = first_column + i % SMALL_N;
        if (row < m && column < n) {
            c[(size_t)row * ldc + column] = ((const real *)shared_memory)[i];
        }
    }
}

#endif
