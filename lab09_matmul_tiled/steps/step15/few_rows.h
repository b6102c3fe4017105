/*
 * One to four rows of C; a part of step 15, which includes it after step14/blocks.h.
 *
 * Each number of B is used only once per row, and no tile helps: memory is the limit. B should be
 * read in long rows, with many loads in flight. And in a series of products with the same matrix (a
 * layer of a neural network, input after input), as much of B as fits can stay in L2.
 */
#ifndef LAB09_STEP15_FEW_ROWS_H
#define LAB09_STEP15_FEW_ROWS_H

constexpr int MOST_ROWS = 4, ROW_COLUMNS = 32, ROW_THREADS = 1024;
constexpr int ROW_LOADS = 8; /* per thread, in flight together */

/* A thread's sums: `width` columns of each row of C. */
template <int width, int rows> struct row_sums {
    real at[rows][width];
};

/* Adds the products of number `i` of each row of A and the numbers `b` of row i of B. */
template <int width, int rows>
__device__ void add_row(row_sums<width, rows> *sum, const real *a, int lda, int i, const real *b)
{
#pragma unroll
    for (int row = 0; row < rows; row++) {
        const real factor = a[(size_t)row * lda + i];
#pragma unroll
        for (int e = 0; e < width; e++) {
            sum->at[row][e] += factor * b[e];
        }
    }
}

/* Loads a vector of B with one instruction: not into L1, and into L2 either to stay or to be evicted first. */
template <int width> struct __align__(width * sizeof(real)) piece
{
    real at[width];
};

#ifdef REAL_DOUBLE
__device__ piece<2> load_piece(const piece<2> *from, bool stays)
{
    const double2 v = stays ? __ldcg((const double2 *)from) : __ldcs((const double2 *)from);
    return {{v.x, v.y}};
}
#else
__device__ piece<4> load_piece(const piece<4> *from, bool stays)
{
    const float4 v = stays ? __ldcg((const float4 *)from) : __ldcs((const float4 *)from);
    return {{v.x, v.y, v.z, v.w}};
}
#endif
__device__ piece<1> load_piece(const piece<1> *from, bool stays)
{
    return {{stays ? __ldcg(from->at) : __ldcs(from->at)}};
}

/* This thread's sums over rows first, first + step, ... of B. */
template <int width, int rows>
__device__ void add_rows(row_sums<width, rows> *sum, int first, int step, int k, int kept, const real *a,
                         int lda, const real *b, int ldb)
{
    int i = first;
    for (; i + (ROW_LOADS - 1) * step < k; i += ROW_LOADS * step) {
        piece<width> v[ROW_LOADS];
#pragma unroll
        for (int load = 0; load < ROW_LOADS; load++) {
            v[load] = load_piece((const piece<width> *)&b[(size_t)(i + load * step) * ldb], load < kept);
        }
#pragma unroll
        for (int load = 0; load < ROW_LOADS; load++) {
            add_row(sum, a, lda, i + load * step, v[load].at);
        }
    }
    for (; i < k; i += step) {
        const piece<width> v = load_piece((const piece<width> *)&b[(size_t)i * ldb], true);
        add_row(sum, a, lda, i, v.at);
    }
}

/*
 * Block x computes columns 32 x ... 32 x + 31 of C. Each load takes `width` numbers of B, 1 or VECTOR, and each row of
 * B is read by as many lanes as 32 columns need. Of a thread's 8 loads, the first `kept` stay in L2, where they are
 * found when this matrix is used again; the others, which would only evict them, are marked to be evicted first.
 */
template <int width, int rows>
__global__ void __launch_bounds__(ROW_THREADS, 1)
    multiply_rows(int n, int k, int kept, const real *__restrict__ a, int lda, const real *__restrict__ b,
                  int ldb, real *__restrict__ c, int ldc)
{
    constexpr int LANES = ROW_COLUMNS / width, WARPS_OF_BLOCK = ROW_THREADS / 32;
    __shared__ real s_sum[rows][WARPS_OF_BLOCK][ROW_COLUMNS];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % LANES;
    const int column = blockIdx.x * ROW_COLUMNS + lane * width;
    row_sums<width, rows> sum = {};
    if (column < n) {
        add_rows(&sum, threadIdx.x / LANES, ROW_THREADS / LANES, k, kept, a, lda, b + column, ldb);
    }
    /* First the lanes of a warp that have the same columns, then the warps. */
#pragma unroll
    for (int row = 0; row < rows; row++) {
#pragma unroll
        for (int e = 0; e < width; e++) {
            real value = sum.at[row][e];
#pragma unroll
            for (int offset = 16; offset >= LANES; offset /= 2) {
                value += __shfl_down_sync(0xffffffffu, value, offset);
            }
            if (threadIdx.x % 32 < LANES) {
                s_sum[row][warp][lane * width + e] = value;
            }
        }
    }
    __syncthreads();
    const int x = blockIdx.x * ROW_COLUMNS + threadIdx.x % 32;
    if (warp < rows && x < n) {
        real total = 0;
#pragma unroll
        for (int w = 0; w < WARPS_OF_BLOCK; w++) {
            total += s_sum[warp][w][threadIdx.x % 32];
        }
        c[(size_t)warp * ldc + x] = total;
    }
}

/* How many of ROW_LOADS rows of B stay in L2, if five eighths of it are for them. */
static int count_kept(int n, int k)
{
    static double l2_bytes = 0;
    if (l2_bytes == 0) {
        int device = 0, bytes = 0;
        CHECK(cudaGetDevice(&device));
        CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, device));
        l2_bytes = bytes;
    }
    const double b_bytes = (double)n * k * sizeof(real);
    return b_bytes <= 0.625 * l2_bytes ? ROW_LOADS : (int)(ROW_LOADS * 0.625 * l2_bytes / b_bytes + 0.5);
}

template <int rows>
static void launch_rows(int n, int k, const real *d_a, int lda, const real *d_b, int ldb, real *d_c, int ldc)
{
    const bool vectors = is_aligned(d_b, ldb) && n % VECTOR == 0;
    const auto kernel = vectors ? multiply_rows<VECTOR, rows> : multiply_rows<1, rows>;
    kernel<<<divided_up(n, ROW_COLUMNS), ROW_THREADS>>>(n, k, count_kept(n, k), d_a, lda, d_b, ldb, d_c, ldc);
}

static void multiply_few(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb, real *d_c,
                         int ldc)
{
    switch (m) {
    case 1: launch_rows<1>(n, k, d_a, lda, d_b, ldb, d_c, ldc); break;
    case 2: launch_rows<2>(n, k, d_a, lda, d_b, ldb, d_c, ldc); break;
    case 3: launch_rows<3>(n, k, d_a, lda, d_b, ldb, d_c, ldc); break;
    case 4: launch_rows<4>(n, k, d_a, lda, d_b, ldb, d_c, ldc); break;
    }
}

#endif
