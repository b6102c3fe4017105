/* Copies and streams: every width, reading alone, writing alone, offsets, partial stores. n: elements. */
#include <cuda_fp16.h>
#include <stddef.h>

#include "tests/gpu/kernels/kernels.h"

template <typename T> static __global__ void copy(const T *x, T *y, int n)
{
    const int i = INDEX;
    if (i < n) {
        y[i] = x[i];
    }
}

template <typename T> static __global__ void copy_grid_stride(const T *x, T *y, int n)
{
    for (int i = INDEX; i < n; i += gridDim.x * blockDim.x) {
        y[i] = x[i];
    }
}

/* Each thread copies `count` elements that are a block apart, all loads before all stores. */
template <int count> static __global__ void copy_apart(const float *x, float *y, int n)
{
    const int first = blockIdx.x * blockDim.x * count + threadIdx.x;
    float v[count];
    if (first + (count - 1) * (int)blockDim.x < n) {
#pragma unroll
        for (int k = 0; k < count; k++) {
            v[k] = x[first + k * blockDim.x];
        }
#pragma unroll
        for (int k = 0; k < count; k++) {
            y[first + k * blockDim.x] = v[k];
        }
    }
}

/* Each thread copies `count` neighboring elements, one by one. */
template <int count> static __global__ void copy_neighbors(const float *x, float *y, int n)
{
    const int first = INDEX * count;
    if (first + count <= n) {
        for (int k = 0; k < count; k++) {
            y[first + k] = x[first + k];
        }
    }
}

static __device__ float sum_of(float v)
{
    return v;
}

static __device__ float sum_of(float4 v)
{
    return v.x + v.y + v.z + v.w;
}

/* Stores nothing, since all elements are positive or zero. */
template <typename T> static __global__ void read_only(const T *x, float *y, int n)
{
    const int i = INDEX;
    if (i < n && sum_of(x[i]) < 0) {
        y[i] = 1;
    }
}

template <int count> static __global__ void read_apart(const float *x, float *y, int n)
{
    const int first = blockIdx.x * blockDim.x * count + threadIdx.x;
    float sum = 0;
    if (first + (count - 1) * (int)blockDim.x < n) {
#pragma unroll
        for (int k = 0; k < count; k++) {
            sum += x[first + k * blockDim.x];
        }
    }
    if (sum < 0) {
        y[first] = sum;
    }
}

template <typename T> static __global__ void write_only(T *y, T value, int n)
{
    const int i = INDEX;
    if (i < n) {
        y[i] = value;
    }
}

static __global__ void copy_offset(const float *x, float *y, int from, int to, int n)
{
    const int i = INDEX;
    if (i < n) {
        y[i + to] = x[i + from];
    }
}

/* Of each 8 words of a sector, writes the first `words`. */
template <int words> static __global__ void partial_store(float *y, int n)
{
    const int i = INDEX;
    if (i < n && i % 8 < words) {
        y[i] = 1;
    }
}

static __global__ void saxpy(const float *x, float *y, float a, int n)
{
    const int i = INDEX;
    if (i < n) {
        y[i] = a * x[i] + 0.5f * y[i];
    }
}

static __global__ void add_four(const float *x, float *y, int n)
{
    const int i = INDEX;
    if (i < n) {
        y[i] = x[i] + x[i + n] + x[i + 2 * n] + x[i + 3 * n];
    }
}

struct particle {
    float x, y, z, vx, vy, vz, mass;
};

static __global__ void structs_to_arrays(const struct particle *p, float *y, int n)
{
    const int i = INDEX;
    if (i < n) {
        y[i] = p[i].x;
        y[i + n] = p[i].y;
        y[i + 2 * n] = p[i].z;
    }
}

/* As float3: 12 bytes per thread, three instructions. */
static __global__ void scale_points(const float3 *x, float3 *y, int n)
{
    const int i = INDEX;
    if (i < n) {
        y[i] = make_float3(x[i].x * 2, x[i].y * 3, x[i].z * 4);
    }
}

/* Numbers of 16 bits, two per thread. */
static __global__ void scale_halves(const __half2 *x, __half2 *y, int n)
{
    const int i = INDEX;
    if (i < n) {
        y[i] = __hmul2(x[i], __float2half2_rn(0.5f));
    }
}

/* Complex numbers: two products per output. */
static __global__ void complex_multiply(const float2 *x, float2 *y, int n)
{
    for (int i = INDEX; i < n; i += gridDim.x * blockDim.x) {
        const float2 a = x[i], b = x[i + n];
        y[i] = make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
    }
}

static __global__ void widen(const float *x, double *y, int n)
{
    const int i = INDEX;
    if (i < n) {
        y[i] = x[i];
    }
}

/* Every block reads the same n elements. */
static __global__ void read_same(const float *x, float *y, int n)
{
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        sum += x[i];
    }
    y[INDEX] = sum;
}

static __global__ void reverse(const float *x, float *y, int n)
{
    const int i = INDEX;
    if (i < n) {
        y[n - 1 - i] = x[i];
    }
}

#define X(T) ((const T *)b->x)
#define Y(T) ((T *)b->y)

const struct model_kernel model_streams[] = {
    {"copy_1_byte", "stream", {1 << 21, 1 << 24, 1 << 26}, RUN(copy<<<n / 256, 256>>>(X(char), Y(char), n))},
    {"copy_2_bytes",
     "stream",
     {1 << 21, 1 << 23, 1 << 26},
     RUN(copy<<<n / 256, 256>>>(X(short), Y(short), n))},
    {"copy_4_bytes", "stream", {1 << 21, 1 << 23, 1 << 25}, RUN(copy<<<n / 256, 256>>>(b->x, b->y, n))},
    {"copy_8_bytes",
     "stream",
     {1 << 20, 1 << 22, 1 << 25},
     RUN(copy<<<n / 256, 256>>>(X(float2), Y(float2), n))},
    {"copy_16_bytes",
     "stream",
     {1 << 19, 1 << 21, 1 << 24},
     RUN(copy<<<n / 256, 256>>>(X(float4), Y(float4), n))},
    {"copy_grid_stride",
     "stream",
     {1 << 21, 1 << 23, 1 << 25},
     RUN(copy_grid_stride<<<b->sms * 8, 256>>>(b->x, b->y, n))},
    {"copy_grid_stride_16_bytes",
     "stream",
     {1 << 19, 1 << 21, 1 << 24},
     RUN(copy_grid_stride<<<b->sms * 2, 512>>>(X(float4), Y(float4), n))},
    {"copy_4_apart",
     "stream",
     {1 << 21, 1 << 23, 1 << 26},
     RUN(copy_apart<4><<<n / 1024, 256>>>(b->x, b->y, n))},
    {"copy_16_apart",
     "stream",
     {1 << 21, 1 << 23, 1 << 26},
     RUN(copy_apart<16><<<n / 2048, 128>>>(b->x, b->y, n))},
    {"copy_4_neighbors",
     "stream",
     {1 << 20, 1 << 23, 1 << 25},
     RUN(copy_neighbors<4><<<n / 1024, 256>>>(b->x, b->y, n))},
    {"copy_32_neighbors",
     "stream",
     {1 << 19, 1 << 22, 1 << 24},
     RUN(copy_neighbors<32><<<n / 4096, 128>>>(b->x, b->y, n))},
    {"read_4_bytes", "stream", {1 << 21, 1 << 24, 1 << 26}, RUN(read_only<<<n / 256, 256>>>(b->x, b->y, n))},
    {"read_16_bytes",
     "stream",
     {1 << 20, 1 << 22, 1 << 25},
     RUN(read_only<<<n / 256, 256>>>(X(float4), b->y, n))},
    {"read_8_apart",
     "stream",
     {1 << 22, 1 << 24, 1 << 27},
     RUN(read_apart<8><<<n / 2048, 256>>>(b->x, b->y, n))},
    {"write_1_byte",
     "stream",
     {1 << 21, 1 << 24, 1 << 26},
     RUN(write_only<<<n / 256, 256>>>(Y(char), (char)1, n))},
    {"write_4_bytes",
     "stream",
     {1 << 21, 1 << 24, 1 << 26},
     RUN(write_only<<<n / 256, 256>>>(b->y, 1.0f, n))},
    {"write_16_bytes",
     "stream",
     {1 << 20, 1 << 22, 1 << 25},
     RUN(write_only<<<n / 256, 256>>>(Y(float4), make_float4(1, 2, 3, 4), n))},
    {"copy_from_offset_1",
     "stream",
     {1 << 21, 1 << 23, 1 << 25},
     RUN(copy_offset<<<n / 256, 256>>>(b->x, b->y, 1, 0, n))},
    {"copy_to_offset_3",
     "stream",
     {1 << 21, 1 << 23, 1 << 25},
     RUN(copy_offset<<<n / 256, 256>>>(b->x, b->y, 0, 3, n))},
    {"partial_store_1_of_8",
     "stream",
     {1 << 21, 1 << 23, 1 << 26},
     RUN(partial_store<1><<<n / 256, 256>>>(b->y, n))},
    {"partial_store_5_of_8",
     "stream",
     {1 << 21, 1 << 23, 1 << 26},
     RUN(partial_store<5><<<n / 256, 256>>>(b->y, n))},
    {"saxpy", "stream", {1 << 20, 1 << 23, 1 << 25}, RUN(saxpy<<<n / 128, 128>>>(b->x, b->y, 0.5f, n))},
    {"add_four", "stream", {1 << 20, 1 << 22, 1 << 24}, RUN(add_four<<<n / 512, 512>>>(b->x, b->y, n))},
    {"structs_to_arrays",
     "stream",
     {1 << 19, 1 << 21, 1 << 23},
     RUN(structs_to_arrays<<<n / 256, 256>>>(X(struct particle), b->y, n))},
    {"scale_points",
     "stream",
     {1 << 19, 1 << 21, 1 << 23},
     RUN(scale_points<<<(n + 191) / 192, 192>>>(X(float3), Y(float3), n))},
    {"scale_halves",
     "stream",
     {1 << 21, 1 << 23, 1 << 25},
     RUN(scale_halves<<<n / 64, 64>>>(X(__half2), Y(__half2), n))},
    {"complex_multiply",
     "stream",
     {1 << 19, 1 << 21, 1 << 23},
     RUN(complex_multiply<<<b->sms * 3, 640>>>(X(float2), Y(float2), n))},
    {"widen_to_double",
     "stream",
     {1 << 21, 1 << 23, 1 << 25},
     RUN(widen<<<n / 256, 256>>>(b->x, Y(double), n))},
    {"read_same_16_KB", "stream", {4, 32, 256}, RUN(read_same<<<b->sms * n, 256>>>(b->x, b->y, 4096))},
    {"read_same_2_MB",
     "stream",
     {1 << 15, 1 << 17, 1 << 20},
     RUN(read_same<<<b->sms, 1024>>>(b->x, b->y, n))},
    {"reverse", "stream", {1 << 21, 1 << 23, 1 << 25}, RUN(reverse<<<n / 256, 256>>>(b->x, b->y, n))},
    END,
};
