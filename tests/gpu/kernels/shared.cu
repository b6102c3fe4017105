/* Shared memory: loops with and without bank conflicts, broadcasts, vectors, barriers, asynchronous copies. */
#include <cuda_pipeline.h>
#include <stddef.h>

#include "tests/gpu/kernels/kernels.h"

/* Reads `rounds` times; neighboring lanes are `apart` words apart: apart-way conflicts for powers of two. */
template <int apart> static __global__ void shared_loop(const float *x, float *y, int rounds)
{
    __shared__ float s[2048];
    for (int k = threadIdx.x; k < 2048; k += blockDim.x) {
        s[k] = x[k];
    }
    __syncthreads();
    float sum = 0;
    int place = threadIdx.x * apart % 2048;
    for (int r = 0; r < rounds; r++) {
        sum += s[place];
        place = (place + 33) % 2048;
    }
    y[INDEX] = sum;
}

template <typename T> static __global__ void shared_vectors(const float *x, float *y, int rounds)
{
    __shared__ T s[512];
    for (int k = threadIdx.x; k < 512; k += blockDim.x) {
        s[k].x = x[k];
        s[k].y = x[k + 512];
    }
    __syncthreads();
    float sum = 0;
    for (int r = 0; r < rounds; r++) {
        const T v = s[(threadIdx.x + r * 8) % 512];
        sum += v.x + v.y;
    }
    y[INDEX] = sum;
}

/* As above, all four components. */
static __global__ void shared_float4(const float4 *x, float *y, int rounds)
{
    __shared__ float4 s[512];
    for (int k = threadIdx.x; k < 512; k += blockDim.x) {
        s[k] = x[k];
    }
    __syncthreads();
    float sum = 0;
    for (int r = 0; r < rounds; r++) {
        const float4 v = s[(threadIdx.x + r * 8) % 512];
        sum += v.x + v.y + v.z + v.w;
    }
    y[INDEX] = sum;
}

static __global__ void shared_broadcast(const float *x, float *y, int rounds)
{
    __shared__ float s[1024];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) {
        s[k] = x[k];
    }
    __syncthreads();
    float v = x[INDEX], sum = 0;
#pragma unroll 4
    for (int r = 0; r < rounds; r++) {
        sum += v * s[r % 1024];
    }
    y[INDEX] = sum;
}

static __global__ void shared_bytes(const unsigned *u, float *y, int rounds)
{
    __shared__ unsigned char s[4096];
    for (int k = threadIdx.x; k < 4096; k += blockDim.x) {
        s[k] = u[k];
    }
    __syncthreads();
    unsigned place = threadIdx.x, sum = 0;
    for (int r = 0; r < rounds; r++) {
        place = (place + s[place % 4096]) % 4096;
        sum += place;
    }
    y[INDEX] = sum;
}

static __global__ void shared_random(const unsigned *u, float *y, int rounds)
{
    __shared__ float s[4096];
    for (int k = threadIdx.x; k < 4096; k += blockDim.x) {
        s[k] = u[k];
    }
    __syncthreads();
    unsigned place = u[INDEX];
    float sum = 0;
    for (int r = 0; r < rounds; r++) {
        sum += s[place >> 20];
        place = place * 1664525 + 1013904223;
    }
    y[INDEX] = sum;
}

/* A chain of dependent reads: latency of shared memory. */
static __global__ void shared_chase(float *y, int rounds)
{
    __shared__ int next[1024];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) {
        next[k] = (k * 5 + 33) % 1024;
    }
    __syncthreads();
    int place = threadIdx.x;
    for (int r = 0; r < rounds; r++) {
        place = next[place];
    }
    y[INDEX] = place;
}

static __global__ void shared_stores(float *y, int rounds)
{
    __shared__ float s[4096];
    for (int r = 0; r < rounds; r++) {
        s[(threadIdx.x + r * 32) % 4096] = r;
    }
    __syncthreads();
    y[INDEX] = s[threadIdx.x * 3];
}

static __global__ void barriers(float *y, int rounds)
{
    __shared__ float s[1024];
    s[threadIdx.x] = threadIdx.x;
    for (int r = 0; r < rounds; r++) {
        __syncthreads();
        const float v = s[(threadIdx.x + 1) % blockDim.x];
        __syncthreads();
        s[threadIdx.x] = v + 1;
    }
    y[INDEX] = s[threadIdx.x];
}

static __global__ void warp_barriers(float *y, int rounds)
{
    __shared__ float s[256];
    s[threadIdx.x] = threadIdx.x;
    for (int r = 0; r < rounds; r++) {
        __syncwarp();
        const float v = s[threadIdx.x ^ 1];
        __syncwarp();
        s[threadIdx.x] = v + 1;
    }
    y[INDEX] = s[threadIdx.x];
}

/* One warp works between barriers while the others wait. */
static __global__ void barriers_unequal(const float *x, float *y, int rounds)
{
    __shared__ float s[32];
    float v = x[INDEX];
    for (int r = 0; r < rounds; r++) {
        if (threadIdx.x < 32) {
            for (int k = 0; k < 16; k++) {
                v = v * 0.9f + 0.1f;
            }
            s[threadIdx.x] = v;
        }
        __syncthreads();
        v += s[threadIdx.x % 32];
        __syncthreads();
    }
    y[INDEX] = v;
}

/* Tiles of 4 KB through shared memory: a copy, one barrier after each load. */
static __global__ void tiles_synchronous(const float *x, float *y, int tiles)
{
    __shared__ float s[1024];
    const float *from = x + (size_t)blockIdx.x * tiles * 1024;
    float sum = 0;
    for (int t = 0; t < tiles; t++) {
        for (int k = threadIdx.x; k < 1024; k += blockDim.x) {
            s[k] = from[t * 1024 + k];
        }
        __syncthreads();
        for (int k = 0; k < 8; k++) {
            sum += s[(threadIdx.x * 4 + k * 37) % 1024];
        }
        __syncthreads();
    }
    y[INDEX] = sum;
}

/* The same with cp.async, `stages` tiles on their way. */
template <int stages> static __global__ void tiles_asynchronous(const float *x, float *y, int tiles)
{
    __shared__ __align__(16) float s[stages][1024];
    const float *from = x + (size_t)blockIdx.x * tiles * 1024;
    float sum = 0;
    for (int t = 0; t < tiles + stages - 1; t++) {
        if (t < tiles) {
            __pipeline_memcpy_async(&s[t % stages][threadIdx.x * 4], &from[t * 1024 + threadIdx.x * 4], 16);
        }
        __pipeline_commit();
        if (t >= stages - 1) {
            __pipeline_wait_prior(stages - 1);
            __syncthreads();
            for (int k = 0; k < 8; k++) {
                sum += s[(t + 1) % stages][(threadIdx.x * 4 + k * 37) % 1024];
            }
            __syncthreads();
        }
    }
    y[INDEX] = sum;
}

/* A bitonic step sort of 1024 numbers per block. */
static __global__ void bitonic_sort(const unsigned *u, unsigned *y)
{
    __shared__ unsigned s[1024];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) {
        s[k] = u[blockIdx.x * 1024 + k];
    }
    for (int size = 2; size <= 1024; size *= 2) {
        for (int d = size / 2; d > 0; d /= 2) {
            __syncthreads();
            const int i = 2 * threadIdx.x - (threadIdx.x & (d - 1)), j = i + d;
            const unsigned a = s[i], b = s[j];
            const bool up = (i & size) == 0;
            s[i] = (a < b) == up ? a : b;
            s[j] = (a < b) == up ? b : a;
        }
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) {
        y[blockIdx.x * 1024 + k] = s[k];
    }
}

#define FULL <<<b->sms * 8, 256>>>

const struct model_kernel model_shared[] = {
    {"shared_loop", "shared memory", {32, 128, 1024}, RUN(shared_loop<1> FULL(b->x, b->y, n))},
    {"shared_loop_2_way", "shared memory", {32, 128, 512}, RUN(shared_loop<2> FULL(b->x, b->y, n))},
    {"shared_loop_8_way", "shared memory", {32, 128, 256}, RUN(shared_loop<8> FULL(b->x, b->y, n))},
    {"shared_loop_32_way", "shared memory", {8, 32, 128}, RUN(shared_loop<32> FULL(b->x, b->y, n))},
    {"shared_float2", "shared memory", {32, 128, 512}, RUN(shared_vectors<float2> FULL(b->x, b->y, n))},
    {"shared_float4",
     "shared memory",
     {32, 128, 512},
     RUN(shared_float4 FULL((const float4 *)b->x, b->y, n))},
    {"shared_broadcast", "shared memory", {64, 256, 1024}, RUN(shared_broadcast FULL(b->x, b->y, n))},
    {"shared_bytes", "shared memory", {32, 128, 512}, RUN(shared_bytes FULL(b->u, b->y, n))},
    {"shared_random", "shared memory", {32, 128, 512}, RUN(shared_random FULL(b->u, b->y, n))},
    {"shared_chase_low_occupancy",
     "shared memory",
     {512, 2048, 8192},
     RUN(shared_chase<<<b->sms, 64>>>(b->y, n))},
    {"shared_chase", "shared memory", {64, 256, 1024}, RUN(shared_chase FULL(b->y, n))},
    {"shared_stores", "shared memory", {32, 128, 512}, RUN(shared_stores FULL(b->y, n))},
    {"barriers_64", "barriers", {128, 512, 2048}, RUN(barriers<<<b->sms * 8, 64>>>(b->y, n))},
    {"barriers_256", "barriers", {64, 256, 512}, RUN(barriers FULL(b->y, n))},
    {"barriers_1024", "barriers", {64, 256, 1024}, RUN(barriers<<<b->sms, 1024>>>(b->y, n))},
    {"warp_barriers", "barriers", {64, 256, 512}, RUN(warp_barriers FULL(b->y, n))},
    {"barriers_unequal", "barriers", {32, 128, 512}, RUN(barriers_unequal FULL(b->x, b->y, n))},
    {"tiles_synchronous",
     "pipeline",
     {4, 16, 64},
     RUN(tiles_synchronous<<<b->sms * 6, 256>>>(b->x, b->y, n))},
    {"tiles_asynchronous_2",
     "pipeline",
     {8, 16, 128},
     RUN(tiles_asynchronous<2><<<b->sms * 6, 256>>>(b->x, b->y, n))},
    {"tiles_asynchronous_4",
     "pipeline",
     {16, 32, 256},
     RUN(tiles_asynchronous<4><<<b->sms * 2, 256>>>(b->x, b->y, n))},
    {"bitonic_sort", "sort", {256, 1024, 4096}, RUN(bitonic_sort<<<n, 512>>>(b->u, (unsigned *)b->y))},
    END,
};
