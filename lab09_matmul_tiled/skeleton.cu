/*
 * Lab 09, the matrix product C = A B, in five stages.
 *
 *   (a) naive       one element of C per thread, straight from global memory
 *   (b) tiles       each block keeps a tile of A and a tile of B in shared memory
 *       column      the same, and each thread computes eight elements of a column of C
 *   (c) registers   each thread computes 8 x 8 elements of C, in registers
 *   (d) vectors     128 bits per load
 *   (e) overlap     the next tiles arrive while these are multiplied
 *   (f) tensor      optional: a warp multiplies whole tiles in one call, in half precision
 *   (g) softmax     optional: what a network does with the rows of a product, by the reductions of labs 05 and 06
 *
 * Element (row, column) of C is the sum over i of A(row, i) * B(i, column): k multiply-adds, which need 2 k numbers.
 * But every number of A is needed for n elements of C, and every number of B for m of them. The whole lab
 * is about reading a number once and using it often.
 */
#include "common/check.h"
#include "lab09.h"

/* A TODO that is still open leaves variables unused: nvcc should not warn about them. */
#pragma nv_diag_suppress 177

/* ---- (a) naive ----------------------------------------------------------------------------------------- */

constexpr int WIDTH = 16, HEIGHT = 16; /* threads per block, in x and in y */

__global__ void multiply_naive(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb,
                               real *d_c, int ldc)
{
    // TODO 1: Find this thread's row and column of C. Threads with neighboring threadIdx.x are in one warp, and
    // should use neighboring addresses. If C has this element, add up its k products and store the sum.
    // end of TODO 1
}

void lab09_matmul_naive(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb, real *d_c,
                        int ldc)
{
    if (m == 0 || n == 0) {
        return; /* a grid without blocks would be an error */
    }
    // TODO 2: Launch multiply_naive with blocks of WIDTH x HEIGHT threads, enough to cover m rows and n columns.
    // end of TODO 2
    CHECK(cudaGetLastError());
}

/* ---- (b) tiles ----------------------------------------------------------------------------------------- */

constexpr int TILE = 32; /* a block computes TILE x TILE elements of C, one per thread */

/*
 * The block's elements of C need TILE rows of A and TILE columns of B: long strips. The block works through them
 * in square tiles, from left to right in A and from top to bottom in B.
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
        // TODO 3: Store this thread's element of the tile of A (row `row`, column tile + x) in s_a[y][x], and
        // its element of the tile of B (row tile + y, column `column`) in s_b[y][x]. Store zero for an element that
        // does not exist.
        // end of TODO 3

        // TODO 4: Add the TILE products of row y of s_a and column x of s_b to sum. Where do the two barriers go?
        // end of TODO 4
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

/* ---- (b) a column of results per thread ---------------------------------------------------------------- */

constexpr int COLUMN_BLOCK = 64; /* rows and columns of C per block */
constexpr int COLUMN_ROWS = 8;   /* elements of C per thread, one below the other */
constexpr int COLUMN_DEPTH = 8;  /* columns of the tile of A, rows of the tile of B */
constexpr int COLUMN_THREADS = COLUMN_BLOCK * COLUMN_BLOCK / COLUMN_ROWS;

/* Each thread loads one element of either tile: both have COLUMN_BLOCK x COLUMN_DEPTH = COLUMN_THREADS of them. */
__device__ void load_pair(real s_a[COLUMN_BLOCK][COLUMN_DEPTH], real s_b[COLUMN_DEPTH][COLUMN_BLOCK], int m,
                          int n, int k, const real *d_a, int lda, const real *d_b, int ldb, int tile)
{
    const int a_row = threadIdx.x / COLUMN_DEPTH, a_column = threadIdx.x % COLUMN_DEPTH;
    const int b_row = threadIdx.x / COLUMN_BLOCK, b_column = threadIdx.x % COLUMN_BLOCK;
    const int row = blockIdx.y * COLUMN_BLOCK + a_row, column = blockIdx.x * COLUMN_BLOCK + b_column;
    const bool in_a = row < m && tile + a_column < k, in_b = tile + b_row < k && column < n;
    s_a[a_row][a_column] = in_a ? d_a[row * lda + tile + a_column] : 0;
    s_b[b_row][b_column] = in_b ? d_b[(tile + b_row) * ldb + column] : 0;
}

/* Thread t computes column t % 64 of the block's part of C, and there the rows from t / 64 * 8 on. */
__global__ void multiply_columns(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb,
                                 real *d_c, int ldc)
{
    __shared__ real s_a[COLUMN_BLOCK][COLUMN_DEPTH];
    __shared__ real s_b[COLUMN_DEPTH][COLUMN_BLOCK];
    const int x = threadIdx.x % COLUMN_BLOCK, y = threadIdx.x / COLUMN_BLOCK * COLUMN_ROWS;
    real sum[COLUMN_ROWS] = {};
    for (int tile = 0; tile < k; tile += COLUMN_DEPTH) {
        load_pair(s_a, s_b, m, n, k, d_a, lda, d_b, ldb, tile);
        // TODO 5: For each of the COLUMN_DEPTH rows of s_b: read the number in column x once, multiply it by this
        // thread's COLUMN_ROWS numbers of s_a (rows y, y + 1, ...), and add the products to sum[0], sum[1], ...
        // Unroll both loops. The barriers go where they did in TODO 4.
        // end of TODO 5
    }
    // TODO 6: Store the sums, one below the other: those of elements that exist in C. Unroll this loop, too.
    // end of TODO 6
}

void lab09_matmul_column(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb, real *d_c,
                         int ldc)
{
    if (m == 0 || n == 0) {
        return;
    }
    const dim3 blocks((n + COLUMN_BLOCK - 1) / COLUMN_BLOCK, (m + COLUMN_BLOCK - 1) / COLUMN_BLOCK);
    multiply_columns<<<blocks, COLUMN_THREADS>>>(m, n, k, d_a, lda, d_b, ldb, d_c, ldc);
    CHECK(cudaGetLastError());
}

/* ---- (c) many results per thread, in registers --------------------------------------------------------- */

constexpr int SIDE = 16; /* a block has SIDE x SIDE threads, launched as one row of THREADS threads */
constexpr int THREADS = SIDE * SIDE;
constexpr int EACH = 8;            /* a thread computes EACH x EACH elements of C */
constexpr int BLOCK = SIDE * EACH; /* a block computes BLOCK x BLOCK */
constexpr int DEPTH = 8;           /* columns of the tile of A, rows of the tile of B */

/* All threads of the block together load its next two tiles: columns tile, tile + 1, ... of A, and the rows of B
   with the same numbers. The block's part of C begins in row first_row and column first_column. */
__device__ void load_tiles(real s_a[BLOCK][DEPTH], real s_b[DEPTH][BLOCK], int m, int n, int k,
                           const real *d_a, int lda, const real *d_b, int ldb, int tile)
{
    const int tid = threadIdx.x;
    const int first_row = blockIdx.y * BLOCK, first_column = blockIdx.x * BLOCK;
    // TODO 7: The THREADS threads together store BLOCK x DEPTH elements of A in s_a, from row first_row
    // and column tile on, and DEPTH x BLOCK elements of B in s_b, from row tile and column first_column
    // on; zero for those that do not exist. Neighboring threads load neighboring elements.
    // end of TODO 7
}

/*
 * Thread (x, y) takes every SIDE-th row and column: rows y, y + 16, ..., y + 112 of the block's part of C,
 * and columns x, x + 16, ..., x + 112. So the threads of a warp always read neighboring numbers of s_b.
 */
__device__ void add_products(real sum[EACH][EACH], const real s_a[BLOCK][DEPTH], const real s_b[DEPTH][BLOCK],
                             int y, int x)
{
    // TODO 8: For each of the DEPTH columns of s_a and rows of s_b: read the EACH numbers of A that this
    // thread needs (rows y, y + SIDE, ...) and the EACH of B (columns x, x + SIDE, ...) into registers,
    // and add the EACH x EACH products to sum. Unroll all loops.
    // end of TODO 8
}

__device__ void store_results(const real sum[EACH][EACH], real *d_c, int ldc, int y, int x, int m, int n)
{
    const int first_row = blockIdx.y * BLOCK, first_column = blockIdx.x * BLOCK;
    // TODO 9: Store those of this thread's elements that exist in C. Unroll these loops, too.
    // end of TODO 9
}

__global__ void multiply_registers(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb,
                                   real *d_c, int ldc)
{
    __shared__ real s_a[BLOCK][DEPTH];
    __shared__ real s_b[DEPTH][BLOCK];
    const int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
    real sum[EACH][EACH] = {};
    for (int tile = 0; tile < k; tile += DEPTH) {
        load_tiles(s_a, s_b, m, n, k, d_a, lda, d_b, ldb, tile);
        __syncthreads();
        add_products(sum, s_a, s_b, y, x);
        __syncthreads();
    }
    store_results(sum, d_c, ldc, y, x, m, n);
}

void lab09_matmul_registers(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb,
                            real *d_c, int ldc)
{
    if (m == 0 || n == 0) {
        return;
    }
    const dim3 blocks((n + BLOCK - 1) / BLOCK, (m + BLOCK - 1) / BLOCK);
    multiply_registers<<<blocks, THREADS>>>(m, n, k, d_a, lda, d_b, ldb, d_c, ldc);
    CHECK(cudaGetLastError());
}

/* ---- (d) vectors --------------------------------------------------------------------------------------- */

constexpr int VECTOR = 16 / sizeof(real); /* numbers in 128 bits: 4 floats or 2 doubles */

/* Copying a whole `vector` is one 128-bit instruction. Its address must be a multiple of 16. */
struct __align__(16) vector
{
    real at[VECTOR];
};

/* A matrix, for (d) and (e). `aligned`: each of its rows begins at a multiple of 16 bytes. */
struct matrix {
    const real *data;
    int rows, columns, ld;
    bool aligned;
};

/* The VECTOR elements of x from (row, column) on, `column` a multiple of VECTOR; zero if x has no such element. */
__device__ vector load_vector(matrix x, int row, int column)
{
    vector v = {};
    // TODO 10: If the rows are aligned and all VECTOR elements exist, copy them together: *(const vector *)address.
    // Otherwise copy those that exist one by one to v.at[0], v.at[1], ...
    // end of TODO 10
    return v;
}

/* What a thread carries from global to shared memory: its part of a tile of A and of a tile of B. */
constexpr int PARTS = BLOCK * DEPTH / VECTOR / THREADS; /* 1 vector of each; 2 in double */
struct parcel {
    vector a[PARTS], b[PARTS];
};

/* A pair of tiles in shared memory. A's is transposed, with padded rows, which avoids bank conflicts in stores. */
struct tiles {
    real a[DEPTH][BLOCK + VECTOR];
    real b[DEPTH][BLOCK];
};

/* Fetches this thread's part of the next two tiles from global memory into registers. */
__device__ void fetch(parcel *carried, matrix a, matrix b, int tile)
{
    const int first_row = blockIdx.y * BLOCK, first_column = blockIdx.x * BLOCK;
    // TODO 11: Number the vectors of a tile as TODO 7 numbers its elements: i = threadIdx.x + p * THREADS
    // for each part p. A row of A's tile has DEPTH / VECTOR of them, a row of B's tile BLOCK / VECTOR.
    // end of TODO 11
}

/* Puts what this thread has fetched into shared memory. */
__device__ void put(tiles *to, const parcel *carried)
{
    // TODO 12: Store B's vectors as they are, each with one 128-bit store. Store A's numbers one by one, transposed:
    // the element in row r and column c of A's tile goes to to->a[c][r].
    // end of TODO 12
}

/*
 * Thread (x, y) has 8 (EACH) of the block's 128 (BLOCK) rows and 8 of its columns: place(y, i) is the i-th row, and
 * place(x, j) the j-th column. They form groups of VECTOR neighbors, so that one load brings a group, and neighboring
 * threads have neighboring groups.
 */
__device__ int place(int y, int i)
{
    return (i / VECTOR * SIDE + y) * VECTOR + i % VECTOR;
}

/* As add_products, in vectors: sum[i][j] belongs to row place(y, i) and column place(x, j). */
__device__ void add_vectors(real sum[EACH][EACH], const tiles *now, int y, int x)
{
    // TODO 13: As TODO 8, but one vector at a time: the numbers i, i + 1, ... i + VECTOR - 1 of A are one vector,
    // which begins at now->a[d][place(y, i)]; a vector of B begins at now->b[d][place(x, j)].
    // end of TODO 13
}

/* As store_results. `in_vectors`: each row of C begins at a multiple of 16 bytes and consists of whole vectors. */
__device__ void store_vectors(const real sum[EACH][EACH], real *d_c, int ldc, bool in_vectors, int y, int x,
                              int m, int n)
{
    const int first_row = blockIdx.y * BLOCK, first_column = blockIdx.x * BLOCK;
#pragma unroll
    for (int i = 0; i < EACH; i++) {
#pragma unroll
        for (int j = 0; j < EACH; j += VECTOR) {
            const int row = first_row + place(y, i), column = first_column + place(x, j);
            vector v;
#pragma unroll
            for (int e = 0; e < VECTOR; e++) {
                v.at[e] = sum[i][j + e];
                if (!in_vectors && row < m && column + e < n) {
                    d_c[row * ldc + column + e] = v.at[e];
                }
            }
            if (in_vectors && row < m && column < n) {
                *(vector *)&d_c[row * ldc + column] = v;
            }
        }
    }
}

/* Two blocks per SM in float, or one in double: ptxas may then give each thread 128 registers, or 255. */
constexpr int BLOCKS_PER_SM = 8 / sizeof(real);

__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    multiply_vectors(matrix a, matrix b, real *d_c, int ldc, bool in_vectors)
{
    __shared__ __align__(16) tiles now;
    const int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
    real sum[EACH][EACH] = {};
    for (int tile = 0; tile < a.columns; tile += DEPTH) {
        parcel carried;
        fetch(&carried, a, b, tile);
        put(&now, &carried);
        __syncthreads();
        add_vectors(sum, &now, y, x);
        __syncthreads();
    }
    store_vectors(sum, d_c, ldc, in_vectors, y, x, a.rows, b.columns);
}

static bool is_aligned(const real *data, int ld)
{
    return (size_t)data % sizeof(vector) == 0 && ld % VECTOR == 0;
}

void lab09_matmul_vectors(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb, real *d_c,
                          int ldc)
{
    if (m == 0 || n == 0) {
        return;
    }
    const dim3 blocks((n + BLOCK - 1) / BLOCK, (m + BLOCK - 1) / BLOCK);
    const matrix a = {d_a, m, k, lda, is_aligned(d_a, lda)}, b = {d_b, k, n, ldb, is_aligned(d_b, ldb)};
    multiply_vectors<<<blocks, THREADS>>>(a, b, d_c, ldc, is_aligned(d_c, ldc) && n % VECTOR == 0);
    CHECK(cudaGetLastError());
}

/* ---- (e) overlap --------------------------------------------------------------------------------------- */

__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    multiply_overlapped(matrix a, matrix b, real *d_c, int ldc, bool in_vectors)
{
    __shared__ __align__(16) tiles pair[2];
    const int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
    real sum[EACH][EACH] = {};
    // TODO 14: Write the loop of multiply_vectors with fetch, put and add_vectors in a different order: while the
    // tiles in one buffer are multiplied, the next ones are being fetched into registers; then they are put into the
    // other buffer. The first tiles are loaded before the loop. One barrier per pair of tiles is enough: where?
    // end of TODO 14
    store_vectors(sum, d_c, ldc, in_vectors, y, x, a.rows, b.columns);
}

void lab09_matmul(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb, real *d_c, int ldc)
{
    if (m == 0 || n == 0) {
        return;
    }
    const dim3 blocks((n + BLOCK - 1) / BLOCK, (m + BLOCK - 1) / BLOCK);
    const matrix a = {d_a, m, k, lda, is_aligned(d_a, lda)}, b = {d_b, k, n, ldb, is_aligned(d_b, ldb)};
    multiply_overlapped<<<blocks, THREADS>>>(a, b, d_c, ldc, is_aligned(d_c, ldc) && n % VECTOR == 0);
    CHECK(cudaGetLastError());
}

/* ---- (f) optional: tensor cores ------------------------------------------------------------------------ */

// TODO 15: Write here: #include "tensor.h". It has load_halves(), and includes <mma.h>, NVIDIA's header of tensor cores, which
// costs nvcc half a second; so it is not included before it is needed.
// end of TODO 15

constexpr int CORE = 16; /* a warp multiplies CORE x CORE by CORE x CORE numbers in one call */

/* A block is one warp. It computes CORE x CORE elements of C; the numbers of A and B are rounded to half precision. */
__global__ void multiply_tensor(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb,
                                real *d_c, int ldc)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700 /* older GPUs have no tensor cores */
    // TODO 16: As in TODO 3 and 4, with tiles of CORE x CORE halves that the warp loads by load_halves(), and a fragment of
    // sums that begins with zeros. Per pair of tiles: load both, load_matrix_sync() each, mma_sync(). Then store_matrix_sync()
    // the sums to shared memory, and store those of elements that exist in C. The notes say where __syncwarp() is needed.
    // end of TODO 16
#endif
}

void lab09_matmul_tensor(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb, real *d_c,
                         int ldc)
{
    if (m == 0 || n == 0) {
        return;
    }
    int major; /* of the GPU's compute capability */
    CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    CHECK(major >= 7 ? cudaSuccess : cudaErrorNotSupported);
    const dim3 blocks((n + CORE - 1) / CORE, (m + CORE - 1) / CORE);
    multiply_tensor<<<blocks, 32>>>(m, n, k, d_a, lda, d_b, ldb, d_c, ldc);
    CHECK(cudaGetLastError());
}

/* ---- (g) optional: softmax ----------------------------------------------------------------------------- */

#define ALL_LANES 0xffffffffu /* as in lab 05 */

constexpr int ROW_THREADS = 256; /* a block computes a row */
constexpr int ROW_WARPS = ROW_THREADS / 32;

/* The largest of the block's values. Every thread gets it. */
__device__ real block_maximum(real value)
{
    __shared__ real s_part[ROW_WARPS]; /* one for each warp */
    // TODO 17: Reduce each warp with __shfl_xor_sync, max() and the offsets 16, 8, 4, 2 and 1, so that every lane has the
    // warp's largest value. One lane of each warp leaves it in s_part. When all have done so, every thread takes the largest
    // of s_part.
    // end of TODO 17
    return value;
}

/* The sum of the block's values. Every thread gets it. */
__device__ real block_total(real value)
{
    __shared__ real s_part[ROW_WARPS];
    // TODO 18: The same with +, with one difference: after the barrier, begin with zero.
    // end of TODO 18
    return value;
}

__global__ void softmax_rows(int columns, const real *d_x, real *d_y)
{
    const real *x = d_x + blockIdx.x * columns;
    real *y = d_y + blockIdx.x * columns;
    // TODO 19: Three loops over the row, with neighboring threads on neighboring elements: the largest element of this thread,
    // then of the block; the sum of exp(element - largest), of this thread, then of the block; and the results. What does a
    // thread contribute that has no element?
    // end of TODO 19
}

void lab09_softmax(int rows, int columns, const real *d_x, real *d_y)
{
    if (rows == 0 || columns == 0) {
        return;
    }
    softmax_rows<<<rows, ROW_THREADS>>>(columns, d_x, d_y);
    CHECK(cudaGetLastError());
}
