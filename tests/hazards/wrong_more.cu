/*
 * More wrong kernels of the kind that students and engineers write. suite.c explains the marks; the sentence before
 * each says why it is wrong.
 */
#include <cooperative_groups.h>
#include <cuda_pipeline.h>

#include "tests/hazards/orders.h"

#include "tests/hazards/kernels.h"
namespace cg = cooperative_groups;

/* ---- scopes again: among other synchronisation that is right ---- */

/* The minimum is one of a block, what looks at it is one of the device. */
KERNEL(block_minimum_beside_device_read)
{
    if (T == 0 && B == 0)
        atomicMin_block(zeros, -5); // <-
    else if (T == 0)
        x[1024] = atomicAdd(zeros, 0); // <-
}
/* All blocks lower each other's words, as labels of a graph. */
KERNEL(labels_lowered_in_block_scope)
{
    int i = B * 64 + T, other = i * 7 % 256;
    int label = atomicAdd(&x[i], 0);   // <-
    atomicMin_block(&x[other], label); // <-
}
/* The wide fence comes before the write, the one after it is narrow. */
KERNEL(narrow_fence_after_a_wide_one)
{
    if (T == 0 && B == 0) {
        x[1] = 41;
        __threadfence();
        atomicAdd(zeros + 1, 1);
        x[0] = 42; // <-
        __threadfence_block();
        atomicExch(zeros, 1);
    } else if (T == 0) {
        while (atomicAdd(zeros, 0) == 0)
            ;
        __threadfence();
        x[1024] = x[0]; // <-
    }
}
/* The last block has been counted rightly, but each block released its words too early. */
KERNEL(counted_after_a_narrow_fence)
{
    if (T == 0) {
        __threadfence();
        int place = atomicAdd(zeros + 1, 1);
        x[place] = B; // <-
        __threadfence_block();
        if (atomicAdd(zeros, 1) == (int)gridDim.x - 1) {
            __threadfence();
            for (int b = 0; b < (int)gridDim.x; b++)
                x[1024 + b] = x[b]; // <-
        }
    }
}
/* The lock is taken by one thread for its block, with a fence for that block only. */
KERNEL(lock_for_a_block_with_narrow_fence)
{
    if (T == 0) {
        while (atomicCAS(zeros, 0, 1) != 0)
            ;
        __threadfence_block();
    }
    __syncthreads();
    x[T] += B; // <-
    __syncthreads();
    if (T == 0) {
        __threadfence();
        atomicExch(zeros, 0);
    }
}
/* The lock is taken for the block, and nothing acquires. */
KERNEL(lock_for_a_block_without_fence)
{
    if (T == 0)
        while (atomicCAS(zeros, 0, 1) != 0)
            ;
    __syncthreads();
    x[T] += B; // <-
    __syncthreads();
    if (T == 0) {
        __threadfence();
        atomicExch(zeros, 0);
    }
}
/* A barrier of the grid made by hand, which acquires for its block only. */
KERNEL(grid_barrier_by_hand_with_narrow_acquire)
{
    x[B * 64 + T] = T + 1; // <-
    __syncthreads();
    if (T == 0) {
        __threadfence();
        atomicAdd(zeros, 1);
        while (atomicAdd(zeros, 0) < 2)
            ;
        __threadfence_block();
    }
    __syncthreads();
    x[1024 + B * 64 + T] = x[(1 - B) * 64 + T]; // <-
}
/* The same, and what it should order was written atomically and is read plainly. */
KERNEL(grid_barrier_by_hand_before_a_plain_read)
{
    if (T == 0 && B == 0)
        atomicExch(x, 7); // <-
    __syncthreads();
    if (T == 0) {
        __threadfence();
        atomicAdd(zeros, 1);
        while (atomicAdd(zeros, 0) < 2)
            ;
        __threadfence_block();
    }
    __syncthreads();
    x[1024 + B * 64 + T] = x[0]; // <-
}

extern "C" const struct hazard_program wrong_more_programs[];
const struct hazard_program wrong_more_programs[] = {
    WRONG_GRID(block_minimum_beside_device_read, 2, 32, SCOPE),
    WRONG_GRID(labels_lowered_in_block_scope, 4, 64, SCOPE),
    WRONG_GRID(narrow_fence_after_a_wide_one, 2, 32, SCOPE),
    WRONG(counted_after_a_narrow_fence, 4, 32, SCOPE),
    WRONG(lock_for_a_block_with_narrow_fence, 4, 64, SCOPE),
    WRONG(lock_for_a_block_without_fence, 4, 64, GLOBAL),
    WRONG_GRID(grid_barrier_by_hand_with_narrow_acquire, 2, 64, SCOPE),
    WRONG_GRID(grid_barrier_by_hand_before_a_plain_read, 2, 64, SCOPE),
    {},
};
