/* Products of matrices and vectors, dense and sparse. n: rows of square matrices, unless said otherwise. */
#include <stddef.h>

#include "tests/gpu/kernels/kernels.h"

/* Neighboring threads have neighboring columns of C. */
static __global__ void product_naive(const float *a, const float *b, float *c, int n)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++) {
        sum += a[row * n + k] * b[k * n + column];
    }
    c[row * n + column] = sum;
}

/* Neighboring threads have neighboring rows. */
static __global__ void product_column_wise(const float *a, const float *b, float *c, int n)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++) {
        sum += a[row * n + k] * b[k * n + column];
    }
    c[row * n + column] = sum;
}

template <typename T, int tile> static __global__ void product_tile(const T *a, const T *b, T *c, int n)
{
    __shared__ T s[tile][tile], t[tile][tile];
    const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * tile + y, column = blockIdx.x * tile + x;
    T sum = 0;
    for (int k = 0; k < n; k += tile) {
        s[y][x] = a[row * n + k + x];
        t[y][x] = b[(k + y) * n + column];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < tile; i++) {
            sum += s[y][i] * t[i][x];
        }
        __syncthreads();
    }
    c[row * n + column] = sum;
}

/* 64 x 64 of C per block, 4 x 4 per thread of 16 x 16. */
static __global__ void product_registers(const float *a, const float *b, float *c, int n)
{
    __shared__ float s[16][64 + 4], t[16][64];
    const int x = threadIdx.x % 16, y = threadIdx.x / 16, row = blockIdx.y * 64, column = blockIdx.x * 64;
    float sum[4][4] = {};
    for (int k = 0; k < n; k += 16) {
        for (int e = threadIdx.x; e < 1024; e += 256) {
            s[e % 16][e / 16] = a[(row + e / 16) * n + k + e % 16];
            t[e / 64][e % 64] = b[(k + e / 64) * n + column + e % 64];
        }
        __syncthreads();
#pragma unroll
        for (int q = 0; q < 16; q++) {
#pragma unroll
            for (int i = 0; i < 4; i++) {
#pragma unroll
                for (int j = 0; j < 4; j++) {
                    sum[i][j] += s[q][y * 4 + i] * t[q][x * 4 + j];
                }
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        *(float4 *)&c[(row + y * 4 + i) * n + column + x * 4] =
            make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
    }
}

/* Matrix times vector: a thread per row. */
static __global__ void vector_by_thread(const float *a, const float *v, float *y, int n, int columns)
{
    const int row = INDEX;
    float sum = 0;
    if (row < n) {
        for (int k = 0; k < columns; k++) {
            sum += a[(size_t)row * columns + k] * v[k];
        }
        y[row] = sum;
    }
}

/* A warp per row. */
static __global__ void vector_by_warp(const float *a, const float *v, float *y, int n, int columns)
{
    const int row = INDEX / 32, lane = threadIdx.x % 32;
    float sum = 0;
    for (int k = lane; k < columns; k += 32) {
        sum += a[(size_t)row * columns + k] * v[k];
    }
    for (int d = 16; d > 0; d /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, d);
    }
    if (lane == 0) {
        y[row] = sum;
    }
}

/* A block per row, of the transposed vector: y = A^T v by atomics. */
static __global__ void vector_transposed(const float *a, const float *v, float *y, int columns)
{
    const float factor = v[blockIdx.x];
    for (int k = threadIdx.x; k < columns; k += blockDim.x) {
        atomicAdd(&y[k], a[(size_t)blockIdx.x * columns + k] * factor);
    }
}

/* Rows of 0 to 31 elements: p[r] is where row r begins. Columns and values come from u and x. */
static __global__ void make_rows(const unsigned *u, unsigned *p, int n)
{
    for (int r = INDEX; r <= n; r += gridDim.x * blockDim.x) {
        p[r] = r * 16 + (r > 0 && r < n ? u[r] % 16 : 0);
    }
}

static __global__ void sparse_by_thread(const float *x, const unsigned *u, const unsigned *p, float *y, int n)
{
    const int row = INDEX;
    float sum = 0;
    if (row < n) {
        for (unsigned k = p[row]; k < p[row + 1]; k++) {
            sum += x[k] * x[u[k] % n];
        }
        y[row] = sum;
    }
}

static __global__ void sparse_by_warp(const float *x, const unsigned *u, const unsigned *p, float *y, int n)
{
    const int row = INDEX / 32, lane = threadIdx.x % 32;
    float sum = 0;
    if (row < n) {
        for (unsigned k = p[row] + lane; k < p[row + 1]; k += 32) {
            sum += x[k] * x[u[k] % n];
        }
        for (int d = 16; d > 0; d /= 2) {
            sum += __shfl_down_sync(0xffffffffu, sum, d);
        }
        if (lane == 0) {
            y[row] = sum;
        }
    }
}

/* A sparse matrix with bands: five diagonals, in a format by columns (ELLPACK). */
static __global__ void bands(const float *x, const float *v, float *y, int n)
{
    const int row = INDEX;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 5; k++) {
        const int column = row + (k - 2) * 100;
        if (column >= 0 && column < n) {
            sum += x[k * n + row] * v[column];
        }
    }
    y[row] = sum;
}

/* Products of many 4 x 4 matrices, one per thread. */
static __global__ void small_products(const float4 *x, float4 *y)
{
    float a[4][4], b[4][4];
    const int i = INDEX * 4;
#pragma unroll
    for (int r = 0; r < 4; r++) {
        const float4 v = x[i + r], w = x[i + r + 16];
        a[r][0] = v.x, a[r][1] = v.y, a[r][2] = v.z, a[r][3] = v.w;
        b[r][0] = w.x, b[r][1] = w.y, b[r][2] = w.z, b[r][3] = w.w;
    }
#pragma unroll
    for (int r = 0; r < 4; r++) {
        float c[4] = {};
#pragma unroll
        for (int k = 0; k < 16; k++) {
            c[k % 4] += a[r][k / 4] * b[k / 4][k % 4];
        }
        y[i + r] = make_float4(c[0], c[1], c[2], c[3]);
    }
}

#define X(T)         ((const T *)b->x)
#define Y(T)         ((T *)b->y)
#define GRID(tx, ty) <<<dim3(n / (tx), n / (ty)), dim3(tx, ty)>>>
#define PRODUCT(T)   (X(T), X(T) + n * n, Y(T), n)
#define SPARSE       (b->x, b->u, b->p, b->y, n)

const struct model_kernel model_matrices[] = {
    {"product_naive", "matrix product", {128, 256, 512}, RUN(product_naive GRID(32, 8) PRODUCT(float))},
    {"product_column_wise",
     "matrix product",
     {128, 256, 512},
     RUN(product_column_wise GRID(32, 8) PRODUCT(float))},
    {"product_tile_8",
     "matrix product",
     {128, 256, 512},
     RUN(product_tile<float, 8> GRID(8, 8) PRODUCT(float))},
    {"product_tile_16",
     "matrix product",
     {128, 256, 768},
     RUN(product_tile<float, 16> GRID(16, 16) PRODUCT(float))},
    {"product_tile_32",
     "matrix product",
     {128, 256, 768},
     RUN(product_tile<float, 32> GRID(32, 32) PRODUCT(float))},
    {"product_tile_16_double",
     "matrix product",
     {128, 256, 768},
     RUN(product_tile<double, 16> GRID(16, 16) PRODUCT(double))},
    {"product_registers",
     "matrix product",
     {256, 512, 1024},
     RUN(product_registers<<<dim3(n / 64, n / 64), 256>>> PRODUCT(float))},
    {"vector_by_thread",
     "matrix-vector",
     {1024, 4096, 32768},
     RUN(vector_by_thread<<<n / 128, 128>>>(b->x, b->x + 64, b->y, n, 1024))},
    {"vector_by_warp",
     "matrix-vector",
     {1024, 8192, 65536},
     RUN(vector_by_warp<<<n / 8, 256>>>(b->x, b->x + 64, b->y, n, 2048))},
    {"vector_transposed",
     "matrix-vector",
     {512, 2048, 16384},
     RUN(vector_transposed<<<n, 256>>>(b->x, b->x + 64, b->y, 1024))},
    {"sparse_by_thread",
     "sparse",
     {1 << 15, 1 << 17, 1 << 19},
     LAUNCH(sparse_by_thread<<<n / 256, 256>>> SPARSE),
     LAUNCH(make_rows<<<256, 256>>>(b->u, b->p, n))},
    {"sparse_by_warp",
     "sparse",
     {1 << 15, 1 << 17, 1 << 19},
     LAUNCH(sparse_by_warp<<<n / 8, 256>>> SPARSE),
     LAUNCH(make_rows<<<256, 256>>>(b->u, b->p, n))},
    {"sparse_bands",
     "sparse",
     {1 << 20, 1 << 21, 1 << 24},
     RUN(bands<<<n / 256, 256>>>(b->x, b->x + 5 * n, b->y, n))},
    {"small_products",
     "matrix product",
     {1 << 17, 1 << 19, 1 << 21},
     RUN(small_products<<<n / 128, 128>>>(X(float4), Y(float4)))},
    END,
};
