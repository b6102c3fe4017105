/* Right kernels: fences: scope, side and place; an acquire by one thread for others. Sections are those of the PTX ISA's memory consistency model. */
#include "tests/hazards/orders.h"

#include "tests/hazards/kernels.h"

/* ---- fences (8.8) ---- */

/* fence, relaxed write; relaxed read, fence. */
KERNEL(flag_with_fences)
{
    if (T == 0 && B == 0) {
        x[0] = 42;
        __threadfence();
        atomicExch(zeros, 1);
    } else if (T == 0) {
        while (atomicAdd(zeros, 0) == 0)
            ;
        __threadfence();
        x[1024] = x[0];
    }
}
/* System scope is wider than needed. */
KERNEL(flag_with_system_fences)
{
    if (T == 0 && B == 0) {
        x[0] = 42;
        __threadfence_system();
        atomicExch_system(zeros, 1);
    } else if (T == 0) {
        while (atomicAdd_system(zeros, 0) == 0)
            ;
        __threadfence_system();
        x[1024] = x[0];
    }
}
/* Within a block, fences of block scope are enough. */
KERNEL(flag_with_block_fences_in_a_block)
{
    __shared__ int flag;
    if (T == 0)
        flag = 0;
    __syncthreads();
    if (T == 0) {
        x[0] = 42;
        __threadfence_block();
        atomicExch_block(&flag, 1);
    } else if (T == 32) {
        while (atomicAdd_block(&flag, 0) == 0)
            ;
        __threadfence_block();
        x[1024] = x[0];
    }
}
/* The fence of every round, the last included, comes after the load. */
KERNEL(fence_in_the_loop_after_the_load)
{
    if (T == 0 && B == 0) {
        x[0] = 42;
        __threadfence();
        atomicExch(zeros, 1);
    } else if (T == 0) {
        int seen;
        do {
            seen = atomicAdd(zeros, 0);
            __threadfence();
        } while (seen == 0);
        x[1024] = x[0];
    }
}
/* A fence that is wider than needed, or one too many, harms nothing. */
KERNEL(fences_everywhere)
{
    if (T == 0 && B == 0) {
        __threadfence_system();
        x[0] = 42;
        __threadfence_block();
        __threadfence_system();
        atomicExch(zeros, 1);
        __threadfence();
    } else if (T == 0) {
        while (atomicAdd(zeros, 0) == 0)
            __threadfence();
        __threadfence_system();
        x[1024] = x[0];
        __threadfence();
    }
}
/* Two words behind one fence. */
KERNEL(both_words_before_the_fence)
{
    if (T == 0 && B == 0) {
        x[0] = 42;
        x[1] = 43;
        __threadfence();
        atomicExch(zeros, 1);
    } else if (T == 0) {
        while (atomicAdd(zeros, 0) == 0)
            ;
        __threadfence();
        x[1024] = x[0] + x[1];
    }
}
/* The reader answers, and the writer waits before it changes the data. */
KERNEL(flag_and_answer)
{
    if (T == 0 && B == 0) {
        for (int k = 1; k <= 3; k++) {
            x[0] = k;
            __threadfence();
            atomicExch(zeros, k);
            while (atomicAdd(zeros + 1, 0) != k)
                ;
            __threadfence();
        }
    } else if (T == 0) {
        for (int k = 1; k <= 3; k++) {
            while (atomicAdd(zeros, 0) != k)
                ;
            __threadfence();
            x[1024 + k] = x[0];
            __threadfence();
            atomicExch(zeros + 1, k);
        }
    }
}
/* The barrier hands the words to thread 0, whose fence then covers them (cumulativity). */
KERNEL(one_thread_fences_for_all_after_a_barrier)
{
    if (B == 0) {
        x[T] = 7;
        __syncthreads();
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
        x[1024 + T] = x[T];
    }
}
/* Each thread fences its own words before the barrier, as the programming guide's samples do. */
KERNEL(all_fence_before_the_barrier)
{
    if (B == 0) {
        x[T] = 7;
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
        x[1024 + T] = x[T];
    }
}
/* Each thread waits and fences for itself. */
KERNEL(all_poll_and_fence)
{
    if (B == 0) {
        x[T] = 7;
        __syncthreads();
        if (T == 0) {
            __threadfence();
            atomicExch(zeros, 1);
        }
    } else {
        while (load_relaxed_gpu(zeros) == 0)
            ;
        __threadfence();
        x[1024 + T] = x[T];
    }
}
/* Counted and acquired by thread 0, handed on by the barrier. */
KERNEL(last_block_acquires)
{
    __shared__ bool last;
    x[B * 64 + T] = B;
    __syncthreads();
    if (T == 0) {
        __threadfence();
        last = atomicAdd(zeros, 1) == (int)gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last) {
        int sum = 0;
        for (int b = 0; b < (int)gridDim.x; b++)
            sum += x[b * 64 + T];
        x[1024 + T] = sum;
    }
}

/* One ticket per block and a barrier, without an acquire: NVIDIA's sample threadFenceReduction does it so. */
KERNEL(last_block_without_acquire)
{
    __shared__ bool last;
    if (T == 0) {
        x[B] = B;
        __threadfence();
        last = atomicAdd(zeros, 1) == (int)gridDim.x - 1;
    }
    __syncthreads();
    if (last && T < (int)gridDim.x)
        x[1024 + T] = x[T];
}

extern "C" const struct hazard_program right_fences_programs[];
const struct hazard_program right_fences_programs[] = {
    RIGHT_GRID(flag_with_fences, 2, 32),
    RIGHT_GRID(flag_with_system_fences, 2, 32),
    RIGHT(flag_with_block_fences_in_a_block, 1, 64),
    RIGHT_GRID(fence_in_the_loop_after_the_load, 2, 32),
    RIGHT_GRID(fences_everywhere, 2, 32),
    RIGHT_GRID(both_words_before_the_fence, 2, 32),
    RIGHT_GRID(flag_and_answer, 2, 32),
    RIGHT_GRID(one_thread_fences_for_all_after_a_barrier, 2, 64),
    RIGHT_GRID(all_fence_before_the_barrier, 2, 64),
    RIGHT_GRID(all_poll_and_fence, 2, 64),
    RIGHT(last_block_acquires, 4, 64),
    RIGHT(last_block_without_acquire, 4, 64),
    {},
};
