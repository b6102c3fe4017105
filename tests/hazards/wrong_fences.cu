/*
 * Wrong kernels: fences: scope, side and place; an acquire by one thread for others. suite.c explains the marks.
 * The sentence before each says why it is wrong; sections are those of the PTX ISA's memory consistency model.
 */
#include "tests/hazards/orders.h"

#include "tests/hazards/kernels.h"

/* ---- fences: scope, side, place (8.8 Release and acquire patterns) ---- */

/* The writer's fence reaches its own block only. */
KERNEL(writer_fences_for_block)
{
    if (T == 0 && B == 0) {
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
/* The reader's fence reaches its own block only. */
KERNEL(reader_fences_for_block)
{
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        __threadfence();
        atomicExch(zeros, 1);
    } else if (T == 0) {
        while (atomicAdd(zeros, 0) == 0)
            ;
        __threadfence_block();
        x[1024] = x[0]; // <-
    }
}
/* Neither fence reaches the other block. */
KERNEL(both_fence_for_block)
{
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        __threadfence_block();
        atomicExch(zeros, 1);
    } else if (T == 0) {
        while (atomicAdd(zeros, 0) == 0)
            ;
        __threadfence_block();
        x[1024] = x[0]; // <-
    }
}
/* A relaxed read with no fence after it acquires nothing. */
KERNEL(reader_does_not_fence)
{
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        __threadfence();
        atomicExch(zeros, 1);
    } else if (T == 0) {
        while (atomicAdd(zeros, 0) == 0)
            ;
        x[1024] = x[0]; // <-
    }
}
/* A relaxed write with no fence before it releases nothing. */
KERNEL(writer_does_not_fence)
{
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        atomicExch(zeros, 1);
    } else if (T == 0) {
        while (atomicAdd(zeros, 0) == 0)
            ;
        __threadfence();
        x[1024] = x[0]; // <-
    }
}
/* The fence orders what is before it, and the write comes after. */
KERNEL(writer_fences_before_its_write)
{
    if (T == 0 && B == 0) {
        __threadfence();
        x[0] = 42; // <-
        atomicExch(zeros, 1);
    } else if (T == 0) {
        while (atomicAdd(zeros, 0) == 0)
            ;
        __threadfence();
        x[1024] = x[0]; // <-
    }
}
/* The fence comes when the flag is out already. */
KERNEL(writer_fences_after_the_flag)
{
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        atomicExch(zeros, 1);
        __threadfence();
    } else if (T == 0) {
        while (atomicAdd(zeros, 0) == 0)
            ;
        __threadfence();
        x[1024] = x[0]; // <-
    }
}
/* The fence stands before the load of the flag that counts. */
KERNEL(reader_fences_before_it_polls)
{
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        __threadfence();
        atomicExch(zeros, 1);
    } else if (T == 0) {
        __threadfence();
        while (atomicAdd(zeros, 0) == 0)
            ;
        x[1024] = x[0]; // <-
    }
}
/* The last load of the flag, which ends the loop, has no fence after it. */
KERNEL(reader_fences_while_it_polls)
{
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        __threadfence();
        atomicExch(zeros, 1);
    } else if (T == 0) {
        while (atomicAdd(zeros, 0) == 0)
            __threadfence();
        x[1024] = x[0]; // <-
    }
}
/* The data is read before the flag is looked at. */
KERNEL(reader_reads_too_early)
{
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        __threadfence();
        atomicExch(zeros, 1);
    } else if (T == 0) {
        int early = x[0]; // <-
        while (atomicAdd(zeros, 0) == 0)
            ;
        __threadfence();
        x[1024] = early;
    }
}
/* Half of the data is written after the fence. */
KERNEL(second_word_after_the_fence)
{
    if (T == 0 && B == 0) {
        x[0] = 42;
        __threadfence();
        x[1] = 43; // <-
        atomicExch(zeros, 1);
    } else if (T == 0) {
        while (atomicAdd(zeros, 0) == 0)
            ;
        __threadfence();
        int sum = x[0];
        sum += x[1]; // <-
        x[1024] = sum;
    }
}
/* The writer goes on to change the data after it has set the flag. */
KERNEL(written_again_after_the_flag)
{
    if (T == 0 && B == 0) {
        x[0] = 42;
        __threadfence();
        atomicExch(zeros, 1);
        x[0] = 43; // <-
    } else if (T == 0) {
        while (atomicAdd(zeros, 0) == 0)
            ;
        __threadfence();
        x[1024] = x[0]; // <-
    }
}
/* Fences of block scope on both sides of a lock between blocks. */
KERNEL(lock_with_block_fences)
{
    if (T == 0) {
        while (atomicCAS(zeros, 0, 1) != 0)
            ;
        __threadfence_block();
        x[0] += B; // <-
        __threadfence_block();
        atomicExch(zeros, 0);
    }
}
/* The next holder does not acquire. */
KERNEL(lock_fenced_on_release_only)
{
    if (T == 0) {
        while (atomicCAS(zeros, 0, 1) != 0)
            ;
        x[0] += B; // <-
        __threadfence();
        atomicExch(zeros, 0);
    }
}
/* The last holder does not release. */
KERNEL(lock_fenced_on_acquire_only)
{
    if (T == 0) {
        while (atomicCAS(zeros, 0, 1) != 0)
            ;
        __threadfence();
        x[0] += B; // <-
        atomicExch(zeros, 0);
    }
}
/* The partial result is released to its own block only. */
KERNEL(last_block_fences_for_block)
{
    __shared__ bool last;
    if (T == 0) {
        x[B] = B; // <-
        __threadfence_block();
        last = atomicAdd(zeros, 1) == (int)gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && T < (int)gridDim.x)
        x[1024 + T] = x[T]; // <-
}
/* Thread 0's fence does not order the words of the other threads, which no barrier hands to it. */
KERNEL(one_thread_fences_for_all_without_barrier)
{
    if (B == 0) {
        x[T] = 7; // <-
        if (T == 0) {
            __threadfence();
            atomicExch(zeros, 1);
        }
    } else {
        if (T == 0) {
            while (atomicAdd(zeros, 0) == 0)
                ;
            __threadfence();
        }
        __syncthreads();
        x[1024 + T] = x[T]; // <-
    }
}
/* Thread 0 fences before the barrier that hands it the others' words, and not after it. */
KERNEL(one_thread_fences_before_the_barrier)
{
    if (B == 0) {
        x[T] = 7; // <-
        if (T == 0)
            __threadfence();
        __syncthreads();
        if (T == 0)
            atomicExch(zeros, 1);
    } else {
        if (T == 0) {
            while (atomicAdd(zeros, 0) == 0)
                ;
            __threadfence();
        }
        __syncthreads();
        x[1024 + T] = x[T]; // <-
    }
}
/* A barrier of a block is no fence for the device. */
KERNEL(barrier_instead_of_fence)
{
    if (B == 0) {
        x[T] = 7; // <-
        __syncthreads();
        if (T == 0)
            atomicExch(zeros, 1);
    } else {
        if (T == 0) {
            while (atomicAdd(zeros, 0) == 0)
                ;
            __threadfence();
        }
        __syncthreads();
        x[1024 + T] = x[T]; // <-
    }
}

/* ---- an acquire by one thread, used by others ---- */

/* Thread 0 waits; the second warp does not wait for thread 0. */
KERNEL(acquired_by_one_used_by_all)
{
    if (B == 0) {
        x[T] = 7; // <-
        __threadfence();
        __syncthreads();
        if (T == 0)
            store_release_gpu(zeros, 1);
    } else {
        if (T == 0)
            while (load_acquire_gpu(zeros) == 0)
                ;
        x[1024 + T] = x[T]; // <-
    }
}
/* The barrier of a warp hands the acquire to that warp only. */
KERNEL(acquired_for_one_warp_used_by_two)
{
    if (B == 0) {
        x[T] = 7; // <-
        __threadfence();
        __syncthreads();
        if (T == 0)
            store_release_gpu(zeros, 1);
    } else {
        if (T == 0)
            while (load_acquire_gpu(zeros) == 0)
                ;
        __syncwarp();
        x[1024 + T] = x[T]; // <-
    }
}
/* Every thread polls with a relaxed load; only thread 0 fences, and no barrier follows. */
KERNEL(all_poll_one_fences)
{
    if (B == 0) {
        x[T] = 7; // <-
        __threadfence();
        __syncthreads();
        if (T == 0)
            atomicExch(zeros, 1);
    } else {
        while (load_relaxed_gpu(zeros) == 0)
            ;
        if (T == 0)
            __threadfence();
        x[1024 + T] = x[T]; // <-
    }
}
/* The barrier comes before the acquire. */
KERNEL(barrier_before_the_acquire)
{
    if (B == 0) {
        x[T] = 7; // <-
        __syncthreads();
        if (T == 0)
            store_release_gpu(zeros, 1);
    } else {
        __syncthreads();
        if (T == 0)
            while (load_acquire_gpu(zeros) == 0)
                ;
        x[1024 + T] = x[T]; // <-
    }
}

extern "C" const struct hazard_program wrong_fences_programs[];
const struct hazard_program wrong_fences_programs[] = {
    WRONG_GRID(writer_fences_for_block, 2, 32, SCOPE),
    WRONG_GRID(reader_fences_for_block, 2, 32, SCOPE),
    WRONG_GRID(both_fence_for_block, 2, 32, SCOPE),
    WRONG_GRID(reader_does_not_fence, 2, 32, GLOBAL),
    WRONG_GRID(writer_does_not_fence, 2, 32, GLOBAL),
    WRONG_GRID(writer_fences_before_its_write, 2, 32, GLOBAL),
    WRONG_GRID(writer_fences_after_the_flag, 2, 32, GLOBAL),
    WRONG_GRID(reader_fences_before_it_polls, 2, 32, GLOBAL),
    WRONG_GRID(reader_fences_while_it_polls, 2, 32, GLOBAL),
    WRONG_GRID(reader_reads_too_early, 2, 32, GLOBAL),
    WRONG_GRID(second_word_after_the_fence, 2, 32, GLOBAL),
    WRONG_GRID(written_again_after_the_flag, 2, 32, GLOBAL),
    WRONG(lock_with_block_fences, 4, 32, SCOPE),
    WRONG(lock_fenced_on_release_only, 4, 32, GLOBAL),
    WRONG(lock_fenced_on_acquire_only, 4, 32, GLOBAL),
    WRONG(last_block_fences_for_block, 4, 64, SCOPE),
    WRONG_GRID(one_thread_fences_for_all_without_barrier, 2, 64, GLOBAL),
    WRONG_GRID(one_thread_fences_before_the_barrier, 2, 64, GLOBAL),
    WRONG_GRID(barrier_instead_of_fence, 2, 64, GLOBAL),
    WRONG_GRID(acquired_by_one_used_by_all, 2, 64, GLOBAL),
    WRONG_GRID(acquired_for_one_warp_used_by_two, 2, 64, GLOBAL),
    WRONG_GRID(all_poll_one_fences, 2, 64, GLOBAL),
    WRONG_GRID(barrier_before_the_acquire, 2, 64, GLOBAL),
    {},
};
