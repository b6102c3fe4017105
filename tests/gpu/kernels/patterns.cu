/* Patterns of access: strides, gather and scatter at random places, walks along rows and columns, transposes. */
#include <stddef.h>

#include "tests/gpu/kernels/kernels.h"

static __global__ void load_stride(const float *x, float *y, int stride, int n)
{
    const int i = INDEX;
    if (i < n) {
        y[i] = x[i * stride];
    }
}

static __global__ void store_stride(const float *x, float *y, int stride, int n)
{
    const int i = INDEX;
    if (i < n) {
        y[i * stride] = x[i];
    }
}

/* From a footprint of 2^log elements. */
static __global__ void gather(const float *x, const unsigned *u, float *y, int log, int n)
{
    const int i = INDEX;
    if (i < n) {
        y[i] = x[u[i] >> (32 - log)];
    }
}

static __global__ void gather_16_bytes(const float4 *x, const unsigned *u, float4 *y, int log, int n)
{
    const int i = INDEX;
    if (i < n) {
        y[i] = x[u[i] >> (32 - log)];
    }
}

/* Each warp reads a line of 32 elements somewhere. */
static __global__ void gather_lines(const float *x, const unsigned *u, float *y, int log, int n)
{
    const int i = INDEX;
    if (i < n) {
        y[i] = x[(u[i / 32] >> (32 - log)) * 32 + threadIdx.x % 32];
    }
}

static __global__ void scatter(const float *x, const unsigned *u, float *y, int log, int n)
{
    const int i = INDEX;
    if (i < n) {
        y[u[i] >> (32 - log)] = x[i];
    }
}

/* Eight independent random reads per thread, at places that are computed and not loaded. */
static __global__ void gather_computed(const float *x, float *y, int log, int n)
{
    const int i = INDEX;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        unsigned place = (unsigned)(i * 8 + k) * 2654435761u;
        place ^= place >> 15;
        place *= 2246822519u;
        sum += x[place >> (32 - log)];
    }
    if (i < n) {
        y[i] = sum;
    }
}

/* One thread per row of n x n: neighboring threads are n words apart. */
static __global__ void sum_rows(const float *x, float *y, int n, int columns)
{
    const int row = INDEX;
    float sum = 0;
    if (row < n) {
        for (int c = 0; c < columns; c++) {
            sum += x[(size_t)row * n + c];
        }
        y[row] = sum;
    }
}

/* One thread per column: neighboring threads read neighboring words. */
static __global__ void sum_columns(const float *x, float *y, int n, int rows)
{
    const int column = INDEX;
    float sum = 0;
    if (column < n) {
        for (int r = 0; r < rows; r++) {
            sum += x[(size_t)r * n + column];
        }
        y[column] = sum;
    }
}

static __global__ void transpose_read_rows(const float *x, float *y, int n)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    const int r = blockIdx.y * blockDim.y + threadIdx.y;
    y[(size_t)c * n + r] = x[(size_t)r * n + c];
}

static __global__ void transpose_write_rows(const float *x, float *y, int n)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    const int r = blockIdx.y * blockDim.y + threadIdx.y;
    y[(size_t)r * n + c] = x[(size_t)c * n + r];
}

template <int width> static __global__ void transpose_tile(const float *x, float *y, int n)
{
    __shared__ float tile[32][width];
    const int c = blockIdx.x * 32, r = blockIdx.y * 32;
    for (int k = threadIdx.y; k < 32; k += blockDim.y) {
        tile[k][threadIdx.x] = x[(size_t)(r + k) * n + c + threadIdx.x];
    }
    __syncthreads();
    for (int k = threadIdx.y; k < 32; k += blockDim.y) {
        y[(size_t)(c + k) * n + r + threadIdx.x] = tile[threadIdx.x][k];
    }
}

/* Rows in a random order. */
static __global__ void permute_rows(const float *x, const unsigned *u, float *y, int columns, int rows)
{
    const int from = u[blockIdx.x] % rows;
    for (int c = threadIdx.x; c < columns; c += blockDim.x) {
        y[(size_t)blockIdx.x * columns + c] = x[(size_t)from * columns + c];
    }
}

#define SQUARE(block_y) <<<dim3(n / 32, n / (block_y)), dim3(32, block_y)>>>
#define TILES(block_y)  <<<dim3(n / 32, n / 32), dim3(32, block_y)>>>

const struct model_kernel model_patterns[] = {
    {"load_stride_2",
     "stride",
     {1 << 21, 1 << 23, 1 << 25},
     RUN(load_stride<<<n / 256, 256>>>(b->x, b->y, 2, n))},
    {"load_stride_4",
     "stride",
     {1 << 20, 1 << 22, 1 << 24},
     RUN(load_stride<<<n / 256, 256>>>(b->x, b->y, 4, n))},
    {"load_stride_8",
     "stride",
     {1 << 19, 1 << 21, 1 << 24},
     RUN(load_stride<<<n / 256, 256>>>(b->x, b->y, 8, n))},
    {"load_stride_16",
     "stride",
     {1 << 18, 1 << 20, 1 << 23},
     RUN(load_stride<<<n / 256, 256>>>(b->x, b->y, 16, n))},
    {"load_stride_33",
     "stride",
     {1 << 17, 1 << 18, 1 << 21},
     RUN(load_stride<<<n / 256, 256>>>(b->x, b->y, 33, n))},
    {"load_stride_64",
     "stride",
     {1 << 17, 1 << 18, 1 << 21},
     RUN(load_stride<<<n / 256, 256>>>(b->x, b->y, 64, n))},
    {"store_stride_2",
     "stride",
     {1 << 20, 1 << 22, 1 << 25},
     RUN(store_stride<<<n / 256, 256>>>(b->x, b->y, 2, n))},
    {"store_stride_4",
     "stride",
     {1 << 19, 1 << 22, 1 << 24},
     RUN(store_stride<<<n / 256, 256>>>(b->x, b->y, 4, n))},
    {"store_stride_8",
     "stride",
     {1 << 18, 1 << 21, 1 << 24},
     RUN(store_stride<<<n / 256, 256>>>(b->x, b->y, 8, n))},
    {"store_stride_32",
     "stride",
     {1 << 17, 1 << 19, 1 << 22},
     RUN(store_stride<<<n / 256, 256>>>(b->x, b->y, 32, n))},
    {"store_stride_64",
     "stride",
     {1 << 17, 1 << 18, 1 << 21},
     RUN(store_stride<<<n / 256, 256>>>(b->x, b->y, 64, n))},
    {"gather_32_KB",
     "gather",
     {1 << 21, 1 << 23, 1 << 24},
     RUN(gather<<<n / 256, 256>>>(b->x, b->u, b->y, 13, n))},
    {"gather_1_MB",
     "gather",
     {1 << 20, 1 << 22, 1 << 24},
     RUN(gather<<<n / 256, 256>>>(b->x, b->u, b->y, 18, n))},
    {"gather_16_MB",
     "gather",
     {1 << 20, 1 << 22, 1 << 24},
     RUN(gather<<<n / 256, 256>>>(b->x, b->u, b->y, 22, n))},
    {"gather_128_MB",
     "gather",
     {1 << 18, 1 << 20, 1 << 23},
     RUN(gather<<<n / 256, 256>>>(b->x, b->u, b->y, n < 1 << 23 ? 24 : 25, n))},
    {"gather_512_MB",
     "gather",
     {1 << 18, 1 << 20, 1 << 22},
     RUN(gather<<<n / 256, 256>>>(b->x, b->u, b->y, n < 1 << 22 ? 24 : 27, n))},
    {"gather_computed_4_MB",
     "gather",
     {1 << 17, 1 << 19, 1 << 21},
     RUN(gather_computed<<<n / 256, 256>>>(b->x, b->y, 20, n))},
    {"gather_computed_256_MB",
     "gather",
     {1 << 15, 1 << 17, 1 << 20},
     RUN(gather_computed<<<n / 256, 256>>>(b->x, b->y, n < 1 << 20 ? 24 : 26, n))},
    {"gather_16_bytes_each",
     "gather",
     {1 << 18, 1 << 20, 1 << 22},
     RUN(gather_16_bytes<<<n / 256, 256>>>((const float4 *)b->x, b->u, (float4 *)b->y, 22, n))},
    {"gather_lines",
     "gather",
     {1 << 21, 1 << 23, 1 << 25},
     RUN(gather_lines<<<n / 256, 256>>>(b->x, b->u, b->y, n < 1 << 25 ? 19 : 22, n))},
    {"scatter_32_KB",
     "gather",
     {1 << 18, 1 << 20, 1 << 23},
     RUN(scatter<<<n / 256, 256>>>(b->x, b->u, b->y, 13, n))},
    {"scatter_4_MB",
     "gather",
     {1 << 19, 1 << 21, 1 << 23},
     RUN(scatter<<<n / 256, 256>>>(b->x, b->u, b->y, 20, n))},
    {"scatter_64_MB",
     "gather",
     {1 << 17, 1 << 20, 1 << 22},
     RUN(scatter<<<n / 256, 256>>>(b->x, b->u, b->y, 24, n))},
    {"scatter_512_MB",
     "gather",
     {1 << 18, 1 << 19, 1 << 22},
     RUN(scatter<<<n / 256, 256>>>(b->x, b->u, b->y, n < 1 << 22 ? 24 : 27, n))},
    {"sum_rows", "walk", {1024, 4096, 8192}, RUN(sum_rows<<<n / 128, 128>>>(b->x, b->y, n, n / 4))},
    {"sum_columns", "walk", {2048, 4096, 8192}, RUN(sum_columns<<<n / 64, 64>>>(b->x, b->y, n, n / 2))},
    {"transpose_read_rows",
     "transpose",
     {512, 2048, 4096},
     RUN(transpose_read_rows SQUARE(8)(b->x, b->y, n))},
    {"transpose_write_rows",
     "transpose",
     {1024, 2048, 4096},
     RUN(transpose_write_rows SQUARE(8)(b->x, b->y, n))},
    {"transpose_tile", "transpose", {1024, 2048, 6144}, RUN(transpose_tile<33> TILES(8)(b->x, b->y, n))},
    {"transpose_conflicts",
     "transpose",
     {1024, 2048, 4096},
     RUN(transpose_tile<32> TILES(32)(b->x, b->y, n))},
    {"permute_rows", "walk", {4096, 8192, 32768}, RUN(permute_rows<<<n, 128>>>(b->x, b->u, b->y, 1024, n))},
    END,
};
