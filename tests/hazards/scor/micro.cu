/*
 * The 32 micro-benchmarks of the ScoR suite, 18 racy and 14 right, rebuilt from what the paper and its artifact say of them: A. K.
 * Kamath, A. A. George, A. Basu, "ScoRD: A Scoped Race Detector for GPUs", ISCA 2020, section V. Three kinds: fences
 * and a flag, atomics, locks; between blocks, between warps of a block, within a warp. Data are volatile, as theirs
 * are. ScoR's labels ask for a fence after the atomic that takes a lock, not after the one that sees a flag.
 */
#include <cuda_runtime.h>

#include "tests/hazards/labelled.h"

static __device__ int word, flag, turn, taken; /* 0 before each launch */

#define T    ((int)threadIdx.x)
#define B    ((int)blockIdx.x)
#define DATA (*(volatile int *)&word)

#define MICRO(name) static __global__ void name(int *out)
#define LOCK()                                                                                               \
    while (atomicCAS(&taken, 0, 1) != 0)                                                                     \
        ;
#define LOCK_BLOCK()                                                                                         \
    while (atomicCAS_block(&taken, 0, 1) != 0)                                                               \
        ;
#define UNLOCK()       atomicExch(&taken, 0)
#define UNLOCK_BLOCK() atomicExch_block(&taken, 0)
/* Waits until the flag is set, and clears it. */
#define AWAIT()                                                                                              \
    while (atomicExch(&flag, 0) == 0)                                                                        \
        ;
#define AWAIT_BLOCK()                                                                                        \
    while (atomicExch_block(&flag, 0) == 0)                                                                  \
        ;

/* ---- fences and a flag ---- */

MICRO(fence_between_blocks)
{
    if (B == 0) {
        DATA = 1;
        __threadfence();
        atomicExch(&flag, 1);
    } else {
        AWAIT();
        out[0] = DATA;
    }
}
MICRO(block_fence_between_blocks) /* racy: the fence reaches block 0 only */
{
    if (B == 0) {
        DATA = 1;
        __threadfence_block();
        atomicExch(&flag, 1);
    } else {
        AWAIT();
        out[0] = DATA;
    }
}
MICRO(read_again_after_the_flag) /* racy: block 0 reads once more when it has passed the word on */
{
    if (B == 0) {
        out[0] = DATA;
        __threadfence();
        atomicExch(&flag, 1);
        out[1] = DATA;
    } else {
        AWAIT();
        DATA = 1;
    }
}
MICRO(block_fence_between_warps)
{
    if (T == 0) {
        DATA = 1;
        __threadfence_block();
        atomicExch_block(&flag, 1);
    } else if (T == 32) {
        AWAIT_BLOCK();
        out[0] = DATA;
    }
}
MICRO(fence_between_warps)
{
    if (T == 0) {
        DATA = 1;
        __threadfence();
        atomicExch(&flag, 1);
    } else if (T == 32) {
        AWAIT();
        out[0] = DATA;
    }
}
/* From warp to warp, from block to block, from warp to warp: each fence reaches the next thread. */
MICRO(fences_through_four_threads)
{
    if (B == 0 && T == 0) {
        DATA = 1;
        __threadfence_block();
        atomicExch(&turn, 1);
    } else if (B == 0 && T == 32) {
        while (atomicAdd(&turn, 0) != 1)
            ;
        DATA = DATA + 2;
        __threadfence();
        atomicExch(&turn, 2);
    } else if (B == 1 && T == 0) {
        while (atomicAdd(&turn, 0) != 2)
            ;
        DATA = DATA + 2;
        __threadfence_block();
        atomicExch(&turn, 3);
    } else if (B == 1 && T == 32) {
        while (atomicAdd(&turn, 0) != 3)
            ;
        out[0] = DATA;
    }
}

/* ---- atomics ---- */

MICRO(atomics_between_blocks)
{
    atomicExch(&word, B + 1);
}
MICRO(block_atomics_between_blocks) /* racy: neither scope includes the other block */
{
    atomicExch_block(&word, B + 1);
}
MICRO(atomic_and_store_between_blocks) /* racy: one side is a store */
{
    if (B == 0)
        atomicExch(&word, 1);
    else
        DATA = 2;
}
MICRO(block_atomics_between_warps)
{
    if (T % 32 == 0)
        atomicExch_block(&word, T);
}
MICRO(device_and_block_atomics_between_warps)
{
    if (T == 0)
        atomicExch(&word, 1);
    else if (T == 32)
        atomicExch_block(&word, 2);
}
MICRO(atomic_and_store_between_warps) /* racy */
{
    if (T == 0)
        atomicExch(&word, 1);
    else if (T == 32)
        DATA = 2;
}
MICRO(block_atomic_and_store_between_warps) /* racy */
{
    if (T == 0)
        atomicExch_block(&word, 1);
    else if (T == 32)
        DATA = 2;
}
MICRO(block_atomic_and_store_of_one_thread)
{
    atomicExch_block(&word, 1);
    DATA = 2;
}
/* Atomics of changing scopes, with fences that reach the next thread. */
MICRO(atomics_through_four_threads)
{
    if (B == 0 && T == 0) {
        atomicExch_block(&word, 1);
        __threadfence_block();
        atomicExch(&turn, 1);
    } else if (B == 0 && T == 32) {
        while (atomicAdd(&turn, 0) != 1)
            ;
        atomicExch(&word, 2);
        __threadfence();
        atomicExch(&turn, 2);
    } else if (B == 1 && T == 0) {
        while (atomicAdd(&turn, 0) != 2)
            ;
        atomicExch_block(&word, 3);
        __threadfence_block();
        atomicExch(&turn, 3);
    } else if (B == 1 && T == 32) {
        while (atomicAdd(&turn, 0) != 3)
            ;
        atomicExch(&word, 4);
    }
}

/* ---- locks: compare-and-swap and a fence, a fence and an exchange ---- */

#define CRITICAL(lock, fence_in, value, fence_out, unlock)                                                   \
    {                                                                                                        \
        lock();                                                                                              \
        fence_in;                                                                                            \
        DATA = value;                                                                                        \
        fence_out;                                                                                           \
        unlock();                                                                                            \
    }
#define DEVICE_FENCE __threadfence()
#define BLOCK_FENCE  __threadfence_block()
#define NO_FENCE

MICRO(lock_between_blocks){
    CRITICAL(LOCK, DEVICE_FENCE, B + 1, DEVICE_FENCE,
             UNLOCK)} MICRO(block_lock_between_blocks) /* racy: two blocks can hold it */
    {CRITICAL(LOCK_BLOCK, BLOCK_FENCE, B + 1, BLOCK_FENCE, UNLOCK_BLOCK)} MICRO(
        block_fence_in_a_lock_between_blocks) /* racy: block 0 acquires for its block only */
{
    if (B == 0)
        CRITICAL(LOCK, BLOCK_FENCE, 1, DEVICE_FENCE, UNLOCK)
    else
        CRITICAL(LOCK, DEVICE_FENCE, 2, DEVICE_FENCE, UNLOCK)
}
MICRO(no_first_fence_in_a_lock_between_blocks) /* racy: block 0 does not acquire */
{
    if (B == 0)
        CRITICAL(LOCK, NO_FENCE, 1, DEVICE_FENCE, UNLOCK)
    else
        CRITICAL(LOCK, DEVICE_FENCE, 2, DEVICE_FENCE, UNLOCK)
}
MICRO(no_last_fence_in_a_lock_between_blocks) /* racy: block 0 does not release */
{
    if (B == 0)
        CRITICAL(LOCK, DEVICE_FENCE, 1, NO_FENCE, UNLOCK)
    else
        CRITICAL(LOCK, DEVICE_FENCE, 2, DEVICE_FENCE, UNLOCK)
}
MICRO(one_block_without_the_lock) /* racy */
{
    if (B == 0)
        DATA = 1;
    else
        CRITICAL(LOCK, DEVICE_FENCE, 2, DEVICE_FENCE, UNLOCK)
}
MICRO(written_after_the_lock) /* racy: block 0 writes when it has given the lock back */
{
    LOCK();
    __threadfence();
    out[B] = DATA;
    __threadfence();
    UNLOCK();
    if (B == 0)
        DATA = 1;
}
MICRO(block_lock_between_warps)
{
    if (T % 32 == 0)
        CRITICAL(LOCK_BLOCK, BLOCK_FENCE, T + 1, BLOCK_FENCE, UNLOCK_BLOCK)
}
MICRO(device_and_block_lock_between_warps)
{
    if (T == 0)
        CRITICAL(LOCK, DEVICE_FENCE, 1, DEVICE_FENCE, UNLOCK)
    else if (T == 32)
        CRITICAL(LOCK_BLOCK, BLOCK_FENCE, 2, BLOCK_FENCE, UNLOCK_BLOCK)
}
MICRO(no_first_fence_in_a_block_lock) /* racy */
{
    if (T == 0)
        CRITICAL(LOCK_BLOCK, NO_FENCE, 1, BLOCK_FENCE, UNLOCK_BLOCK)
    else if (T == 32)
        CRITICAL(LOCK_BLOCK, BLOCK_FENCE, 2, BLOCK_FENCE, UNLOCK_BLOCK)
}
MICRO(no_last_fence_in_a_block_lock) /* racy */
{
    if (T % 32 == 0)
        CRITICAL(LOCK_BLOCK, BLOCK_FENCE, T + 1, NO_FENCE, UNLOCK_BLOCK)
}
MICRO(no_first_fence_in_a_device_lock_beside_a_block_lock) /* racy */
{
    if (T == 0)
        CRITICAL(LOCK, NO_FENCE, 1, DEVICE_FENCE, UNLOCK)
    else if (T == 32)
        CRITICAL(LOCK_BLOCK, BLOCK_FENCE, 2, BLOCK_FENCE, UNLOCK_BLOCK)
}
MICRO(no_last_fence_in_a_device_lock_beside_a_block_lock) /* racy */
{
    if (T == 0)
        CRITICAL(LOCK, DEVICE_FENCE, 1, NO_FENCE, UNLOCK)
    else if (T == 32)
        CRITICAL(LOCK_BLOCK, BLOCK_FENCE, 2, BLOCK_FENCE, UNLOCK_BLOCK)
}
MICRO(one_warp_without_the_lock) /* racy */
{
    if (T == 0)
        DATA = 1;
    else if (T == 32)
        CRITICAL(LOCK, DEVICE_FENCE, 2, DEVICE_FENCE, UNLOCK)
}
MICRO(one_warp_without_the_block_lock) /* racy */
{
    if (T == 0)
        DATA = 1;
    else if (T == 32)
        CRITICAL(LOCK_BLOCK, BLOCK_FENCE, 2, BLOCK_FENCE, UNLOCK_BLOCK)
}
MICRO(block_lock_of_one_thread)
{
    CRITICAL(LOCK_BLOCK, BLOCK_FENCE, 1, BLOCK_FENCE, UNLOCK_BLOCK)
    DATA = 2;
}
MICRO(block_lock_of_one_thread_without_fence)
{
    CRITICAL(LOCK_BLOCK, BLOCK_FENCE, 1, NO_FENCE, UNLOCK_BLOCK)
    DATA = 2;
}

/* ---- the table ---- */

static void launch(void (*kernel)(int *), int blocks, int threads)
{
    const int none = 0;
    int *out;
    void *arguments[] = {&out};

    cudaMalloc(&out, 64);
    cudaMemcpyToSymbol(word, &none, sizeof none);
    cudaMemcpyToSymbol(flag, &none, sizeof none);
    cudaMemcpyToSymbol(turn, &none, sizeof none);
    cudaMemcpyToSymbol(taken, &none, sizeof none);
    cudaLaunchCooperativeKernel((const void *)kernel, dim3(blocks), dim3(threads), arguments, 0, 0);
    cudaDeviceSynchronize();
}

#define ROW(kernel, group, racy, ...)                                                                        \
    {                                                                                                        \
#kernel, group, racy, 0, [](int) { launch(kernel, __VA_ARGS__); }                                    \
    }
#define BLOCKS 2, 1 /* blocks, threads */
#define WARPS  1, 64
#define BOTH   2, 64
#define LANE   1, 1

extern "C" const struct labelled_kernel scor_micro[];
const struct labelled_kernel scor_micro[] = {
    ROW(fence_between_blocks, "fence", 0, BLOCKS),
    ROW(block_fence_between_blocks, "fence", 1, BLOCKS),
    ROW(read_again_after_the_flag, "fence", 1, BLOCKS),
    ROW(block_fence_between_warps, "fence", 0, WARPS),
    ROW(fence_between_warps, "fence", 0, WARPS),
    ROW(fences_through_four_threads, "fence", 0, BOTH),
    ROW(atomics_between_blocks, "atomic", 0, BLOCKS),
    ROW(block_atomics_between_blocks, "atomic", 1, BLOCKS),
    ROW(atomic_and_store_between_blocks, "atomic", 1, BLOCKS),
    ROW(block_atomics_between_warps, "atomic", 0, WARPS),
    ROW(device_and_block_atomics_between_warps, "atomic", 0, WARPS),
    ROW(atomic_and_store_between_warps, "atomic", 1, WARPS),
    ROW(block_atomic_and_store_between_warps, "atomic", 1, WARPS),
    ROW(block_atomic_and_store_of_one_thread, "atomic", 0, LANE),
    ROW(atomics_through_four_threads, "atomic", 0, BOTH),
    ROW(lock_between_blocks, "lock", 0, BLOCKS),
    ROW(block_lock_between_blocks, "lock", 1, BLOCKS),
    ROW(block_fence_in_a_lock_between_blocks, "lock", 1, BLOCKS),
    ROW(no_first_fence_in_a_lock_between_blocks, "lock", 1, BLOCKS),
    ROW(no_last_fence_in_a_lock_between_blocks, "lock", 1, BLOCKS),
    ROW(one_block_without_the_lock, "lock", 1, BLOCKS),
    ROW(written_after_the_lock, "lock", 1, BLOCKS),
    ROW(block_lock_between_warps, "lock", 0, WARPS),
    ROW(device_and_block_lock_between_warps, "lock", 0, WARPS),
    ROW(no_first_fence_in_a_block_lock, "lock", 1, WARPS),
    ROW(no_last_fence_in_a_block_lock, "lock", 1, WARPS),
    ROW(no_first_fence_in_a_device_lock_beside_a_block_lock, "lock", 1, WARPS),
    ROW(no_last_fence_in_a_device_lock_beside_a_block_lock, "lock", 1, WARPS),
    ROW(one_warp_without_the_lock, "lock", 1, WARPS),
    ROW(one_warp_without_the_block_lock, "lock", 1, WARPS),
    ROW(block_lock_of_one_thread, "lock", 0, LANE),
    ROW(block_lock_of_one_thread_without_fence, "lock", 0, LANE),
    {},
};
