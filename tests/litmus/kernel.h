/*
 * What the kernels that generate.c makes have in common: which thread of a launch plays which thread of which
 * instance of a test, and where that instance's memory is. CUDA C++.
 *
 * A launch runs many instances of one test side by side. The lanes of a warp play the same thread of instances that
 * follow one another (or, if the test's threads share a warp, lanes in groups play the threads of one instance);
 * `sets` groups of the test's warps stand in each block, and `groups` groups of its blocks in the grid.
 */
#pragma once

#include "tests/litmus/device.h"

/* The lanes of a warp that play the threads of this instance. */
#define LITMUS_LANES(p, lanes, threads) ((threads) << (threadIdx.x % 32 / (lanes) * (lanes)))

struct litmus_place {
    unsigned block, warp, lane; /* whose part it plays; block ~0: none, it only makes memory busy */
    unsigned instance;
    unsigned in_block; /* number of the instance among those of the block */
    unsigned set;
};

__device__ static inline struct litmus_place litmus_place(const struct litmus_arguments &a, unsigned blocks,
                                                          unsigned warps, unsigned lanes)
{
    const unsigned per_warp = 32 / lanes, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const unsigned sets = blockDim.x / 32 / warps, set = warp / warps, group = blockIdx.x / blocks;
    struct litmus_place p;

    p.block = group < a.groups ? blockIdx.x % blocks : ~0u;
    p.warp = warp % warps;
    p.lane = lane % lanes;
    p.set = set;
    p.in_block = set * per_warp + lane / lanes;
    p.instance = group * sets * per_warp + p.in_block;
    return p;
}

/* The location's word. Instances are scattered by an odd factor for each location: their number is a power of two. */
__device__ static inline unsigned *litmus_location(const struct litmus_arguments &a,
                                                   const struct litmus_place &p, unsigned location)
{
    const unsigned scattered = (p.instance * a.factor[location]) & (a.instances - 1);

    return a.memory + ((size_t)location * a.instances + scattered) * a.stride;
}

/* Waits for a time drawn from the launch's seed, the warp and the operation. */
__device__ static inline void litmus_delay(const struct litmus_arguments &a, unsigned operation)
{
    unsigned x = a.seed ^ ((blockIdx.x * 64 + threadIdx.x / 32) * 16 + operation) * 0x9e3779b9u;

    if (a.delay_most == 0)
        return;
    x = (x ^ (x >> 16)) * 0x85ebca6bu;
    x = (x ^ (x >> 13)) * 0xc2b2ae35u;
    x ^= x >> 16;
    for (unsigned i = x % (a.delay_most + 1) * a.delay_step; i > 0; i--)
        __nanosleep(20);
}

__device__ static inline void litmus_result(const struct litmus_arguments &a, const struct litmus_place &p,
                                            unsigned index, unsigned value)
{
    a.results[(size_t)index * a.instances + p.instance] = value;
}

/* Blocks of a group begin together: only on a GPU, where all blocks of the grid run at the same time. */
__device__ static inline void litmus_meet(const struct litmus_arguments &a, unsigned blocks)
{
    unsigned *counter = a.meeting + blockIdx.x / blocks, seen;

    if (!a.meeting)
        return;
    if (threadIdx.x == 0) {
        asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(counter) : "memory");
        do {
            asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(counter) : "memory");
        } while (seen < blocks);
    }
    __syncthreads();
}

/* Blocks that play no part read and write memory that no test uses. */
__device__ static inline void litmus_busy(const struct litmus_arguments &a)
{
    const unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) * 17;

    for (unsigned k = 0; k < a.busy_rounds; k++) {
        unsigned *word = a.busy + ((i + k * 1031) & (a.busy_words - 1)), value;
        asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
        asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(word), "r"(value + 1) : "memory");
    }
}
