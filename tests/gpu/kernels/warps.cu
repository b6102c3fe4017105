/* Inside a warp: shuffles, votes, divergence of branches and of loops. */
#include <stddef.h>

#include "tests/gpu/kernels/kernels.h"

#define ALL 0xffffffffu

static __global__ void shuffle_chain(const float *x, float *y, int rounds)
{
    float v = x[INDEX];
    for (int r = 0; r < rounds; r++) {
        v += __shfl_xor_sync(ALL, v, r % 32);
    }
    y[INDEX] = v;
}

static __global__ void shuffle_4_chains(const float *x, float *y, int rounds)
{
    float v[4] = {x[INDEX], 1, 2, 3};
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            v[k] = __shfl_sync(ALL, v[k], (threadIdx.x + k) % 32) + 0.5f;
        }
    }
    y[INDEX] = v[0] + v[1] + v[2] + v[3];
}

static __global__ void ballots(const unsigned *u, unsigned *y, int rounds)
{
    unsigned v = u[INDEX], seen = 0;
    for (int r = 0; r < rounds; r++) {
        seen += __popc(__ballot_sync(ALL, v >> r % 32 & 1));
        v += seen;
    }
    y[INDEX] = seen;
}

static __global__ void votes(const unsigned *u, unsigned *y, int rounds)
{
    unsigned v = u[INDEX], count = 0;
    for (int r = 0; r < rounds; r++) {
        count += __any_sync(ALL, v == (unsigned)r) + __all_sync(ALL, v > count);
    }
    y[INDEX] = count;
}

static __global__ void warp_reduce_add(const unsigned *u, unsigned *y, int rounds)
{
    unsigned v = u[INDEX];
    for (int r = 0; r < rounds; r++) {
        v = __reduce_add_sync(ALL, v) + threadIdx.x;
    }
    y[INDEX] = v;
}

static __global__ void match_any(const unsigned *u, unsigned *y, int rounds)
{
    unsigned v = u[INDEX], sum = 0;
    for (int r = 0; r < rounds; r++) {
        sum += __popc(__match_any_sync(ALL, v >> r & 7));
    }
    y[INDEX] = sum;
}

static __device__ float some_work(float v, int rounds, float a)
{
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        v = v * a + 0.5f;
        v = v * v - a;
    }
    return v;
}

/* Even and odd lanes go different ways. */
static __global__ void two_ways(const float *x, float *y, int rounds)
{
    float v = x[INDEX];
    if (threadIdx.x % 2 == 0) {
        v = some_work(v, rounds, 0.5f);
    } else {
        v = sqrtf(some_work(v, rounds, 0.25f));
    }
    y[INDEX] = v;
}

static __global__ void two_ways_by_warp(const float *x, float *y, int rounds)
{
    float v = x[INDEX];
    if (threadIdx.x / 32 % 2 == 0) {
        v = some_work(v, rounds, 0.5f);
    } else {
        v = sqrtf(some_work(v, rounds, 0.25f));
    }
    y[INDEX] = v;
}

/* A switch with 8 cases, each taken by four lanes. */
static __global__ void eight_ways(const float *x, float *y, int rounds)
{
    float v = x[INDEX];
    for (int r = 0; r < rounds; r++) {
        switch ((threadIdx.x + r) % 8) {
        case 0: v = v * 0.5f + 1; break;
        case 1: v = sqrtf(v); break;
        case 2: v = v / 3.1f; break;
        case 3: v = fabsf(v - 2) * v; break;
        case 4: v = __sinf(v); break;
        case 5: v = v * v * 0.1f; break;
        case 6: v = __expf(-v); break;
        default: v = 1 / (1 + v * v);
        }
    }
    y[INDEX] = v;
}

/* Trip counts by lane: most lanes wait for the longest. */
static __global__ void loop_by_lane(const unsigned *u, float *y, int rounds)
{
    y[INDEX] = some_work(0.3f, u[INDEX] % rounds, 0.5f);
}

static __global__ void loop_by_warp(const unsigned *u, float *y, int rounds)
{
    y[INDEX] = some_work(0.3f, u[INDEX / 32] % rounds, 0.5f);
}

static __global__ void loop_by_block(const unsigned *u, float *y, int rounds)
{
    y[INDEX] = some_work(0.3f, u[blockIdx.x] % rounds, 0.5f);
}

/* One long block of 100 times the work of the others: a tail. */
static __global__ void one_long_block(float *y, int rounds)
{
    y[INDEX] = some_work(0.3f, blockIdx.x == gridDim.x - 1 ? 100 * rounds : rounds, 0.5f);
}

/* Only lane 0 of each warp works. */
static __global__ void one_lane(const float *x, float *y, int rounds)
{
    if (threadIdx.x % 32 == 0) {
        y[INDEX] = some_work(x[INDEX], rounds, 0.5f);
    }
}

/* The steps of Collatz: a loop whose end depends on data. */
static __global__ void collatz(const unsigned *u, unsigned *y)
{
    unsigned v = u[INDEX] >> 20 | 1, steps = 0;
    while (v != 1) {
        v = v % 2 ? 3 * v + 1 : v / 2;
        steps++;
    }
    y[INDEX] = steps;
}

static __global__ void early_exit(const unsigned *u, float *y, int n)
{
    const int i = INDEX;
    if (u[i] % 4 != 0) {
        return;
    }
    y[i] = some_work(0.3f, 16, 0.5f);
}

#define FULL <<<b->sms * 8, 256>>>
#define Y    ((unsigned *)b->y)

const struct model_kernel model_warps[] = {
    {"shuffle_chain", "warp", {32, 128, 512}, RUN(shuffle_chain FULL(b->x, b->y, n))},
    {"shuffle_4_chains", "warp", {16, 64, 256}, RUN(shuffle_4_chains FULL(b->x, b->y, n))},
    {"ballots", "warp", {32, 128, 512}, RUN(ballots FULL(b->u, Y, n))},
    {"votes", "warp", {32, 128, 512}, RUN(votes FULL(b->u, Y, n))},
    {"warp_reduce_add", "warp", {128, 256, 1024}, RUN(warp_reduce_add FULL(b->u, Y, n))},
    {"match_any", "warp", {8, 16, 28}, RUN(match_any FULL(b->u, Y, n))},
    {"two_ways", "divergence", {32, 128, 512}, RUN(two_ways FULL(b->x, b->y, n))},
    {"two_ways_by_warp", "divergence", {64, 256, 1024}, RUN(two_ways_by_warp FULL(b->x, b->y, n))},
    {"eight_ways", "divergence", {4, 32, 128}, RUN(eight_ways FULL(b->x, b->y, n))},
    {"loop_by_lane", "divergence", {64, 256, 1024}, RUN(loop_by_lane FULL(b->u, b->y, n))},
    {"loop_by_warp", "divergence", {128, 512, 2048}, RUN(loop_by_warp FULL(b->u, b->y, n))},
    {"loop_by_block", "divergence", {128, 512, 2048}, RUN(loop_by_block FULL(b->u, b->y, n))},
    {"one_long_block", "divergence", {8, 64, 256}, RUN(one_long_block FULL(b->y, n))},
    {"one_lane", "divergence", {64, 256, 1024}, RUN(one_lane FULL(b->x, b->y, n))},
    {"collatz", "divergence", {1 << 16, 1 << 18, 1 << 20}, RUN(collatz<<<n / 256, 256>>>(b->u, Y))},
    {"early_exit",
     "divergence",
     {1 << 20, 1 << 21, 1 << 23},
     RUN(early_exit<<<n / 256, 256>>>(b->u, b->y, n))},
    END,
};
