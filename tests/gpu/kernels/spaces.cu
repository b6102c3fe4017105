/* Constant memory, read-only and texture paths, local memory, pointer chasing. */
#include <stddef.h>

#include "tests/gpu/kernels/kernels.h"

static __constant__ float table[4096];

/* The compiler knows the indices: constants as operands of instructions. */
static __global__ void constant_immediate(const float *x, float *y)
{
    float v = x[INDEX], sum = 0;
#pragma unroll
    for (int k = 0; k < 64; k++) {
        sum = sum * v + table[k];
    }
    y[INDEX] = sum;
}

static __global__ void constant_loop(const float *x, float *y, int length)
{
    float v = x[INDEX], sum = 0;
#pragma unroll 1
    for (int k = 0; k < length; k++) {
        sum += v * table[k];
    }
    y[INDEX] = sum;
}

static __global__ void constant_loop_unrolled(const float *x, float *y, int length)
{
    float v = x[INDEX], sum = 0;
#pragma unroll 8
    for (int k = 0; k < length; k++) {
        sum += v * table[k];
    }
    y[INDEX] = sum;
}

/* Each lane has an index of its own, of `range`. */
static __global__ void constant_divergent(const unsigned *u, float *y, int range)
{
    float sum = 0;
    unsigned place = u[INDEX];
    for (int k = 0; k < 8; k++) {
        sum += table[place % range];
        place = place * 5 + 1;
    }
    y[INDEX] = sum;
}

/* One index per warp. */
static __global__ void constant_by_warp(const float *x, float *y)
{
    float sum = 0;
    for (int k = 0; k < 32; k++) {
        sum += table[(INDEX / 32 * 37 + k * 53) % 4096];
    }
    y[INDEX] = sum * x[INDEX];
}

static __global__ void ldg_window(const float *__restrict__ x, float *__restrict__ y)
{
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 16; k++) {
        sum += __ldg(&x[INDEX + k]);
    }
    y[INDEX] = sum;
}

/* The same read four times, at distances that L1 holds. */
static __global__ void l1_reuse(const float *x, float *y, int rounds)
{
    const float *mine = x + blockIdx.x * 1024;
    float sum = 0;
    for (int r = 0; r < rounds; r++) {
        sum += mine[(threadIdx.x * 4 + r * 7) % 1024];
    }
    y[INDEX] = sum;
}

/* Reads of 8 KB by each block again and again: L1's bandwidth. */
static __global__ void l1_stream(const float4 *x, float *y, int rounds)
{
    const float4 *mine = x + blockIdx.x * 512;
    float sum = 0;
    for (int r = 0; r < rounds; r++) {
        const float4 v = mine[(threadIdx.x + r * 32) % 512];
        sum += v.x + v.y + v.z + v.w;
    }
    y[INDEX] = sum;
}

/* Reads of 8 MB by all blocks, past L1: L2's bandwidth. */
static __global__ void l2_stream(const float4 *x, float *y, int rounds)
{
    float sum = 0;
    for (int r = 0; r < rounds; r++) {
        const float4 v = __ldcg(&x[(INDEX + r * 65536 + r * 128) & (1 << 19) - 1]);
        sum += v.x + v.y + v.z + v.w;
    }
    y[INDEX] = sum;
}

/* An array that is indexed at run time lies in local memory. */
static __global__ void local_array(const unsigned *u, float *y, int rounds)
{
    float mine[32];
    unsigned place = u[INDEX];
    for (int k = 0; k < 32; k++) {
        mine[k] = k;
    }
    for (int r = 0; r < rounds; r++) {
        mine[place % 32] += 1;
        place = place * 1664525 + 1013904223;
    }
    float sum = 0;
    for (int k = 0; k < 32; k++) {
        sum += mine[k];
    }
    y[INDEX] = sum;
}

static __global__ void local_array_uniform(const float *x, float *y, int rounds)
{
    float mine[64];
    for (int k = 0; k < rounds; k++) {
        mine[k % 64] = x[INDEX] + k;
    }
    float sum = 0;
    for (int k = 0; k < rounds; k++) {
        sum += mine[(k * 5 + rounds) % 64];
    }
    y[INDEX] = sum;
}

/* 64 values live, 40 registers to hold them. */
static __global__ void __launch_bounds__(1024, 2) spills(const float *x, float *y, int rounds)
{
    float v[48];
#pragma unroll
    for (int k = 0; k < 48; k++) {
        v[k] = x[INDEX + k * 32];
    }
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int k = 0; k < 48; k++) {
            v[k] = v[k] * v[(k + 7) % 48] + v[(k + 19) % 48];
        }
    }
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 48; k++) {
        sum += v[k];
    }
    y[INDEX] = sum;
}

/* Textures of x, made once: a line of texels, and a square of 1024 x 1024. */
static cudaTextureObject_t line, square;

static void make_textures(const struct model_buffers *b, int n)
{
    struct cudaResourceDesc memory = {};
    struct cudaTextureDesc description = {};
    (void)n;
    if (line != 0) {
        return;
    }
    memory.resType = cudaResourceTypeLinear;
    memory.res.linear.devPtr = (void *)b->x;
    memory.res.linear.desc = cudaCreateChannelDesc<float>();
    memory.res.linear.sizeInBytes = (size_t)4 * MODEL_RANDOM;
    cudaCreateTextureObject(&line, &memory, &description, NULL);
    memory.resType = cudaResourceTypePitch2D;
    memory.res.pitch2D = {(void *)b->x, cudaCreateChannelDesc<float>(), 1024, 1024, 4096};
    description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
    description.filterMode = cudaFilterModeLinear;
    cudaCreateTextureObject(&square, &memory, &description, NULL);
}

static __global__ void texture_window(cudaTextureObject_t texture, float *y)
{
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        sum += tex1Dfetch<float>(texture, INDEX + k);
    }
    y[INDEX] = sum;
}

/* Turned by some angle, between four texels each. */
static __global__ void texture_rotate(cudaTextureObject_t texture, float *y, int n)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    y[r * n + c] = tex2D<float>(texture, 0.8f * c - 0.6f * r + 300, 0.6f * c + 0.8f * r - 200);
}

/* A chain through a permutation of `words` words, from a place that depends on the thread. */
static __global__ void make_chain(unsigned *p, unsigned words)
{
    for (unsigned i = INDEX; i < words; i += gridDim.x * blockDim.x) {
        p[i] = (i * 1664525u + 1013904223u) & (words - 1);
    }
}

static __global__ void chase(const unsigned *p, unsigned *y, unsigned words, int steps)
{
    unsigned place = (unsigned)INDEX * 2654435761u & (words - 1);
    for (int k = 0; k < steps; k++) {
        place = p[place];
    }
    y[INDEX] = place;
}

#define CHAIN(log) LAUNCH(make_chain<<<b->sms * 8, 256>>>(b->p, 1u << (log)))

const struct model_kernel model_spaces[] = {
    {"constant_immediate",
     "constant",
     {1 << 19, 1 << 21, 1 << 23},
     RUN(constant_immediate<<<n / 256, 256>>>(b->x, b->y))},
    {"constant_loop",
     "constant",
     {1 << 15, 1 << 17, 1 << 19},
     RUN(constant_loop<<<n / 256, 256>>>(b->x, b->y, 128))},
    {"constant_loop_unrolled",
     "constant",
     {1 << 15, 1 << 17, 1 << 19},
     RUN(constant_loop_unrolled<<<n / 256, 256>>>(b->x, b->y, 256))},
    {"constant_loop_16_KB",
     "constant",
     {1 << 12, 1 << 13, 1 << 15},
     RUN(constant_loop_unrolled<<<n / 64, 64>>>(b->x, b->y, 4096))},
    {"constant_divergent_32",
     "constant",
     {1 << 17, 1 << 19, 1 << 22},
     RUN(constant_divergent<<<n / 256, 256>>>(b->u, b->y, 32))},
    {"constant_divergent_4",
     "constant",
     {1 << 19, 1 << 22, 1 << 24},
     RUN(constant_divergent<<<n / 256, 256>>>(b->u, b->y, 4))},
    {"constant_by_warp",
     "constant",
     {1 << 16, 1 << 18, 1 << 21},
     RUN(constant_by_warp<<<n / 256, 256>>>(b->x, b->y))},
    {"ldg_window", "cache", {1 << 21, 1 << 22, 1 << 24}, RUN(ldg_window<<<n / 256, 256>>>(b->x, b->y))},
    {"l1_reuse", "cache", {32, 128, 512}, RUN(l1_reuse<<<b->sms * 8, 256>>>(b->x, b->y, n))},
    {"l1_stream", "cache", {32, 64, 256}, RUN(l1_stream<<<b->sms * 4, 512>>>((const float4 *)b->x, b->y, n))},
    {"l2_stream", "cache", {16, 64, 256}, RUN(l2_stream<<<b->sms * 4, 512>>>((const float4 *)b->x, b->y, n))},
    {"local_array",
     "local memory",
     {1 << 14, 1 << 16, 1 << 18},
     RUN(local_array<<<n / 128, 128>>>(b->u, b->y, 64))},
    {"local_array_uniform",
     "local memory",
     {1 << 16, 1 << 18, 1 << 20},
     RUN(local_array_uniform<<<n / 128, 128>>>(b->x, b->y, 64))},
    {"spills", "local memory", {1 << 17, 1 << 18, 1 << 19}, RUN(spills<<<n / 1024, 1024>>>(b->x, b->y, 8))},
    {"texture_window",
     "texture",
     {1 << 18, 1 << 20, 1 << 22},
     [](const struct model_buffers *b, int n) { texture_window<<<n / 256, 256>>>(line, b->y); },
     make_textures},
    {"texture_rotate",
     "texture",
     {512, 1024, 2048},
     [](const struct model_buffers *b,
        int n) { texture_rotate<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(square, b->y, n); },
     make_textures},
    {"chase_one_thread_16_KB",
     "chase",
     {256, 2048, 16384},
     LAUNCH(chase<<<1, 1>>>(b->p, (unsigned *)b->y, 1 << 12, n)),
     CHAIN(12)},
    {"chase_one_thread_1_MB",
     "chase",
     {64, 256, 2048},
     LAUNCH(chase<<<1, 1>>>(b->p, (unsigned *)b->y, 1 << 18, n)),
     CHAIN(18)},
    {"chase_one_warp_4_MB",
     "chase",
     {32, 256, 1024},
     LAUNCH(chase<<<1, 32>>>(b->p, (unsigned *)b->y, 1 << 20, n)),
     CHAIN(20)},
    {"chase_all_32_KB",
     "chase",
     {128, 512, 2048},
     LAUNCH(chase<<<b->sms, 256>>>(b->p, (unsigned *)b->y, 1 << 13, n)),
     CHAIN(13)},
    {"chase_all_8_MB",
     "chase",
     {32, 128, 512},
     LAUNCH(chase<<<b->sms, 256>>>(b->p, (unsigned *)b->y, 1 << 21, n)),
     CHAIN(21)},
    {"chase_all_256_MB",
     "chase",
     {4, 16, 64},
     LAUNCH(chase<<<b->sms * 8, 256>>>(b->p, (unsigned *)b->y, n < 64 ? 1 << 24 : 1 << 26, n)),
     LAUNCH(make_chain<<<b->sms * 8, 256>>>(b->p, n < 64 ? 1u << 24 : 1u << 26))},
    END,
};
