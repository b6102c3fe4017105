/*
 * Wrong kernels: locks, queues and flags. suite.c explains the marks.
 * The sentence before each says why it is wrong; sections are those of the PTX ISA's memory consistency model.
 */
#include "tests/hazards/orders.h"

#include "tests/hazards/kernels.h"

/* ---- locks, queues and flags, as they are got wrong ---- */

/* A plain store ends the critical section: weak, beside the compare-and-swap of others. */
KERNEL(lock_released_by_plain_store)
{
    if (T == 0) {
        while (atomicCAS(zeros, 0, 1) != 0) // <-
            ;
        __threadfence();
        x[0] += B;
        __threadfence();
        zeros[0] = 0; // <-
    }
}
/* The lock is given back before the last access. */
KERNEL(lock_released_too_early)
{
    if (T == 0) {
        while (atomicCAS(zeros, 0, 1) != 0)
            ;
        __threadfence();
        int v = x[0]; // <-
        __threadfence();
        atomicExch(zeros, 0);
        x[0] = v + B; // <-
    }
}
/* Each block takes a lock of its own. */
KERNEL(another_lock_in_each_block)
{
    if (T == 0) {
        while (atomicCAS(&zeros[B], 0, 1) != 0)
            ;
        __threadfence();
        x[0] += B; // <-
        __threadfence();
        atomicExch(&zeros[B], 0);
    }
}
/* The reader does not take the lock. */
KERNEL(read_without_the_lock)
{
    if (T == 0 && B == 0) {
        while (atomicCAS(zeros, 0, 1) != 0)
            ;
        __threadfence();
        x[0] = 42; // <-
        __threadfence();
        atomicExch(zeros, 0);
    } else if (T == 0) {
        x[1024] = x[0]; // <-
    }
}
/* The item is stored after its place in the queue is taken; the consumer sees the place only. */
KERNEL(queue_item_after_its_count)
{
    if (T == 0 && B == 0) {
        int place = atomicAdd(zeros, 1);
        __threadfence();
        x[1024 + place] = 42; // <-
    } else if (T == 0) {
        while (atomicAdd(zeros, 0) == 0)
            ;
        __threadfence();
        x[0] = x[1024]; // <-
    }
}
/* Double-checked: whoever sees the flag reads what another block has set up without acquiring it. */
KERNEL(initialised_once_checked_relaxed)
{
    if (T == 0) {
        if (load_relaxed_gpu(zeros + 1) == 0) {
            if (atomicCAS(zeros, 0, 1) == 0) {
                x[0] = 42; // <-
                store_release_gpu(zeros + 1, 1);
            }
            while (load_relaxed_gpu(zeros + 1) == 0)
                ;
        }
        x[1024 + B] = x[0]; // <-
    }
}
/* The flag is set atomically and looked at plainly. */
KERNEL(flag_looked_at_plainly)
{
    if (T == 0 && B == 0)
        atomicExch(zeros, 1); // <-
    else if (T == 0)
        x[1024] = zeros[0]; // <-
}
/* The node is linked into the stack before its value is fenced. */
KERNEL(stack_push_without_fence)
{
    if (T == 0 && B == 0) {
        x[100] = 42; // <-
        atomicExch(zeros, 100);
    } else if (T == 0) {
        int top;
        while ((top = atomicAdd(zeros, 0)) == 0)
            ;
        __threadfence();
        x[1024] = x[top]; // <-
    }
}
/* All write the same value but for one thread. */
KERNEL(same_value_but_for_one)
{
    __shared__ int s;
    s = T == 40 ? 2 : 1; // <-
    __syncthreads();
    x[T] = s;
}
/* A barrier of the grid made by hand, whose waiting threads do not fence. */
KERNEL(grid_barrier_by_hand_without_acquire)
{
    x[B * 64 + T] = T + 1; // <-
    __threadfence();
    __syncthreads();
    if (T == 0) {
        atomicAdd(zeros, 1);
        while (load_relaxed_gpu(zeros) < 2)
            ;
    }
    __syncthreads();
    x[1024 + B * 64 + T] = x[(1 - B) * 64 + T]; // <-
}
/* Only thread 0 of a block waits: the other warps run on. */
KERNEL(grid_barrier_by_hand_without_block_barrier)
{
    x[B * 64 + T] = T + 1; // <-
    __threadfence();
    __syncthreads();
    if (T == 0) {
        atomicAdd(zeros, 1);
        while (load_acquire_gpu(zeros) < 2)
            ;
    }
    x[1024 + B * 64 + T] = x[(1 - B) * 64 + T]; // <-
}

/* ---- scopes again: among other synchronization that is right ---- */

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

extern "C" const struct hazard_program wrong_locks_programs[];
const struct hazard_program wrong_locks_programs[] = {
    WRONG(lock_released_by_plain_store, 4, 32, GLOBAL),
    WRONG(lock_released_too_early, 4, 32, GLOBAL),
    WRONG(another_lock_in_each_block, 4, 32, GLOBAL),
    WRONG_GRID(read_without_the_lock, 2, 32, GLOBAL),
    WRONG_GRID(queue_item_after_its_count, 2, 32, GLOBAL),
    WRONG(initialised_once_checked_relaxed, 4, 32, GLOBAL),
    WRONG_GRID(flag_looked_at_plainly, 2, 32, GLOBAL),
    WRONG_GRID(stack_push_without_fence, 2, 32, GLOBAL),
    WRONG(same_value_but_for_one, 1, 64, SHARED),
    WRONG_GRID(grid_barrier_by_hand_without_acquire, 2, 64, GLOBAL),
    WRONG_GRID(grid_barrier_by_hand_without_block_barrier, 2, 64, GLOBAL),
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
