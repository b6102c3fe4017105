/* Right kernels: acquire loads and release stores, volatile, causality through three threads. Sections are those of the PTX ISA's memory consistency model. */
#include "tests/hazards/orders.h"

#include "tests/hazards/kernels.h"

/* ---- ld.acquire and st.release (8.8) ---- */

/* The acquire of thread 0 is handed to its warp by __syncwarp(), and only that warp reads. */
KERNEL(acquired_for_one_warp)
{
    if (B == 0) {
        x[T] = 7;
        __syncthreads();
        if (T == 0)
            store_release_gpu(zeros, 1);
    } else if (T < 32) {
        if (T == 0)
            while (load_acquire_gpu(zeros) == 0)
                ;
        __syncwarp();
        x[1024 + T] = x[T];
    }
}
/* The barrier hands the acquire to all threads of the block. */
KERNEL(acquired_by_one_handed_on_by_a_barrier)
{
    if (B == 0) {
        x[T] = 7;
        __syncthreads();
        if (T == 0)
            store_release_gpu(zeros, 1);
    } else {
        if (T == 0)
            while (load_acquire_gpu(zeros) == 0)
                ;
        __syncthreads();
        x[1024 + T] = x[T];
    }
}
/* Writer and reader are in one block, so block scope includes both. */
KERNEL(release_and_acquire_of_block_scope_in_a_block)
{
    if (T == 0) {
        x[B] = 42;
        store_release_cta(zeros + B, 1);
    } else if (T == 32) {
        while (load_acquire_cta(zeros + B) == 0)
            ;
        x[1024 + B] = x[B];
    }
}
/* A release pattern: a fence, then a strong write; an acquire pattern: a strong read, then a fence. */
KERNEL(fence_and_relaxed_store_to_acquire_load)
{
    if (T == 0 && B == 0) {
        x[0] = 42;
        fence_acq_rel_gpu();
        store_relaxed_gpu(zeros, 1);
    } else if (T == 0) {
        while (load_acquire_gpu(zeros) == 0)
            ;
        x[1024] = x[0];
    }
}
/* The other way round: the fence after the relaxed load acquires. */
KERNEL(release_store_to_relaxed_load_and_fence)
{
    if (T == 0 && B == 0) {
        x[0] = 42;
        store_release_gpu(zeros, 1);
    } else if (T == 0) {
        while (load_relaxed_gpu(zeros) == 0)
            ;
        fence_acq_rel_gpu();
        x[1024] = x[0];
    }
}
/* Both scopes are the system. */
KERNEL(release_and_acquire_of_system_scope)
{
    if (T == 0 && B == 0) {
        x[0] = 42;
        store_release_sys(zeros, 1);
    } else if (T == 0) {
        while (load_acquire_sys(zeros) == 0)
            ;
        x[1024] = x[0];
    }
}
/* A later strong write of the same thread to the released word carries the release (8.8, second form). */
KERNEL(second_store_to_the_released_word)
{
    if (T == 0 && B == 0) {
        x[0] = 42;
        store_release_gpu(zeros, 1);
        store_relaxed_gpu(zeros, 2);
    } else if (T == 0) {
        while (load_acquire_gpu(zeros) != 2)
            ;
        x[1024] = x[0];
    }
}
/* red.release of device scope is part of the release sequence of the others. */
KERNEL(counted_with_release)
{
    if (T == 0 && B < 3) {
        x[B] = 42;
        add_release_gpu(zeros, 1);
    } else if (T == 0) {
        while (load_acquire_gpu(zeros) < 3)
            ;
        x[1024] = x[0] + x[1] + x[2];
    }
}

/* ---- volatile, beside fences that do the work (8.4) ---- */

/* fence, volatile write; volatile read, fence: PTX treats volatile as relaxed. */
KERNEL(volatile_flag_with_fences)
{
    volatile int *flag = zeros;
    if (T == 0 && B == 0) {
        x[0] = 42;
        __threadfence();
        *flag = 1;
    } else if (T == 0) {
        while (*flag == 0)
            ;
        __threadfence();
        x[1024] = x[0];
    }
}
/* In shared memory, between the lanes of one warp. */
KERNEL(volatile_shared_flag_in_a_warp)
{
    __shared__ volatile int flag;
    __shared__ int data;
    if (T == 0)
        flag = 0;
    __syncwarp();
    if (T == 0) {
        data = 42;
        __threadfence_block();
        flag = 1;
    } else if (T == 1) {
        while (flag == 0)
            ;
        __threadfence_block();
        x[0] = data;
    }
}
/* Between two warps of the block. */
KERNEL(volatile_shared_flag_between_warps)
{
    __shared__ volatile int flag;
    __shared__ int data;
    if (T == 0)
        flag = 0;
    __syncthreads();
    if (T == 0) {
        data = 42;
        __threadfence_block();
        flag = 1;
    } else if (T == 32) {
        while (flag == 0)
            ;
        __threadfence_block();
        x[0] = data;
    }
}
/* Volatile data, ordered by fences and a flag. */
KERNEL(volatile_data_behind_fences)
{
    volatile int *flag = zeros, *data = x;
    if (T == 0 && B == 0) {
        data[0] = 42;
        __threadfence();
        *flag = 1;
    } else if (T == 0) {
        while (*flag == 0)
            ;
        __threadfence();
        x[1024] = data[0];
    }
}
/* Volatile data, ordered by barriers. */
KERNEL(volatile_data_between_barriers)
{
    __shared__ volatile int s[64];
    s[T] = x[T];
    __syncthreads();
    x[T] = s[63 - T];
}
/* A __syncwarp() between all writes and reads of different lanes. */
KERNEL(volatile_data_between_syncwarps)
{
    __shared__ volatile int s[32];
    s[T] = x[T];
    for (int d = 16; d > 0; d /= 2) {
        __syncwarp();
        int v = T < d ? s[T + d] : 0;
        __syncwarp();
        s[T] = s[T] + v;
    }
    x[T] = s[T];
}
/* Flag and value in one word: whoever sees the word has all there is to see. */
KERNEL(volatile_flag_and_value_in_one_word)
{
    volatile int *word = zeros;
    if (T == 0 && B == 0) {
        *word = 42 << 1 | 1;
    } else if (T == 0) {
        int seen;
        while (((seen = *word) & 1) == 0)
            ;
        x[1024] = seen >> 1;
    }
}
/* A barrier of the grid made by hand: atomics count, a volatile load polls, fences order. */
KERNEL(grid_barrier_by_hand)
{
    x[B * 64 + T] = T + 1;
    __syncthreads();
    if (T == 0) {
        __threadfence();
        atomicAdd(zeros, 1);
        while (*(volatile int *)zeros < (int)gridDim.x)
            ;
        __threadfence();
    }
    __syncthreads();
    x[1024 + B * 64 + T] = x[(1 - B) * 64 + T];
}

/* ---- causality through three threads (8.9) ---- */

/* Release, acquire, release, acquire: causality is transitive. */
KERNEL(middle_acquires_and_releases)
{
    if (T == 0 && B == 0) {
        x[0] = 42;
        store_release_gpu(zeros, 1);
    } else if (T == 0 && B == 1) {
        while (load_acquire_gpu(zeros) == 0)
            ;
        store_release_gpu(zeros + 1, 1);
    } else if (T == 0) {
        while (load_acquire_gpu(zeros + 1) == 0)
            ;
        x[1024] = x[0];
    }
}
/* One fence in the middle is both acquire and release. */
KERNEL(middle_fences_between_relaxed)
{
    if (T == 0 && B == 0) {
        x[0] = 42;
        __threadfence();
        store_relaxed_gpu(zeros, 1);
    } else if (T == 0 && B == 1) {
        while (load_relaxed_gpu(zeros) == 0)
            ;
        __threadfence();
        store_relaxed_gpu(zeros + 1, 1);
    } else if (T == 0) {
        while (load_relaxed_gpu(zeros + 1) == 0)
            ;
        __threadfence();
        x[1024] = x[0];
    }
}
/* A read-modify-write continues the release sequence, relaxed though it is. */
KERNEL(middle_adds_to_the_flag)
{
    if (T == 0 && B == 0) {
        x[0] = 42;
        store_release_gpu(zeros, 1);
    } else if (T == 0 && B == 1) {
        while (load_relaxed_gpu(zeros) == 0)
            ;
        atomicAdd(zeros, 1);
    } else if (T == 0) {
        while (load_acquire_gpu(zeros) != 2)
            ;
        x[1024] = x[0];
    }
}
/* Narrow within the block, wide between blocks: each step's scope includes its two threads. */
KERNEL(narrow_step_then_wide_step)
{
    if (B == 0 && T == 0) {
        x[0] = 42;
        store_release_cta(zeros, 1);
    } else if (B == 0 && T == 32) {
        while (load_acquire_cta(zeros) == 0)
            ;
        store_release_gpu(zeros + 1, 1);
    } else if (B == 1 && T == 0) {
        while (load_acquire_gpu(zeros + 1) == 0)
            ;
        x[1024] = x[0];
    }
}
/* A barrier of the block, a flag between blocks, a barrier of the other block. */
KERNEL(barrier_flag_barrier)
{
    if (B == 0) {
        x[T] = T + 7;
        __syncthreads();
        if (T == 40)
            store_release_gpu(zeros, 1);
    } else {
        if (T == 50)
            while (load_acquire_gpu(zeros) == 0)
                ;
        __syncthreads();
        x[1024 + T] = x[63 - T];
    }
}

extern "C" const struct hazard_program right_order_programs[];
const struct hazard_program right_order_programs[] = {
    RIGHT_GRID(acquired_for_one_warp, 2, 64),
    RIGHT_GRID(acquired_by_one_handed_on_by_a_barrier, 2, 64),
    RIGHT(release_and_acquire_of_block_scope_in_a_block, 2, 64),
    RIGHT_GRID(fence_and_relaxed_store_to_acquire_load, 2, 32),
    RIGHT_GRID(release_store_to_relaxed_load_and_fence, 2, 32),
    RIGHT_GRID(release_and_acquire_of_system_scope, 2, 32),
    RIGHT_GRID(second_store_to_the_released_word, 2, 32),
    RIGHT_GRID(counted_with_release, 4, 32),
    RIGHT_GRID(volatile_flag_with_fences, 2, 32),
    RIGHT(volatile_shared_flag_in_a_warp, 1, 32),
    RIGHT(volatile_shared_flag_between_warps, 1, 64),
    RIGHT_GRID(volatile_data_behind_fences, 2, 32),
    RIGHT(volatile_data_between_barriers, 1, 64),
    RIGHT(volatile_data_between_syncwarps, 1, 32),
    RIGHT_GRID(volatile_flag_and_value_in_one_word, 2, 32),
    RIGHT_GRID(grid_barrier_by_hand, 2, 64),
    RIGHT_GRID(middle_acquires_and_releases, 3, 32),
    RIGHT_GRID(middle_fences_between_relaxed, 3, 32),
    RIGHT_GRID(middle_adds_to_the_flag, 3, 32),
    RIGHT_GRID(narrow_step_then_wide_step, 2, 64),
    RIGHT_GRID(barrier_flag_barrier, 2, 64),
    {},
};
