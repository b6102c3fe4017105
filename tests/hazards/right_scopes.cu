/*
 * Right kernels that synchronise by flags, fences, atomics, parts of warps and asynchronous copies: no report may come.
 * The sentence before each says why it is right; sections are those of the PTX ISA's memory consistency model.
 */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

#include "tests/hazards/orders.h"

#include "tests/hazards/kernels.h"
namespace cg = cooperative_groups;

/* ---- scopes of atomics (8.7) ---- */

/* Each block has its own counter. */
KERNEL(block_atomics_of_one_block_each)
{
    atomicAdd_block(&zeros[B], 1);
}
/* System scope includes every thread there is. */
KERNEL(system_atomics_of_several_blocks)
{
    atomicAdd_system(zeros, 1);
}
/* Both scopes include both threads. */
KERNEL(system_atomic_beside_device_atomic)
{
    if (B == 0)
        atomicAdd_system(zeros, 1);
    else
        atomicAdd(zeros, 1);
}
/* Narrow first, wide after a barrier of the grid. */
KERNEL(block_atomics_then_device_atomics)
{
    atomicAdd_block(&zeros[B], 1);
    cg::this_grid().sync();
    atomicAdd(&zeros[1 - B], 1);
}
/* A lock of one block, in global memory. */
KERNEL(lock_of_one_block)
{
    if (T % 32 == 0) {
        while (atomicCAS_block(&zeros[B], 0, 1) != 0)
            ;
        __threadfence_block();
        x[B] += 1;
        __threadfence_block();
        atomicExch_block(&zeros[B], 0);
    }
}
/* Device scope includes the threads of all blocks. */
KERNEL(atomic_ref_of_device_scope)
{
    device_ref(zeros[0]).fetch_add(1, cuda::memory_order_relaxed);
}
/* Shared memory is seen by one block only: block scope is enough. */
KERNEL(atomic_ref_of_block_scope_in_shared_memory)
{
    __shared__ int s;
    if (T == 0)
        s = 0;
    __syncthreads();
    block_ref(s).fetch_add(1, cuda::memory_order_relaxed);
    __syncthreads();
    x[B * 64 + T] = s;
}
/* Relaxed accesses of device scope conflict with no race; what is read is not used as a promise of anything. */
KERNEL(relaxed_polling_of_a_hint)
{
    if (T == 0 && B == 0)
        store_relaxed_gpu(zeros, 1);
    else if (T == 0)
        x[1024] = load_relaxed_gpu(zeros) >= 0;
}
/* Tickets: each place is written by one block. */
KERNEL(tickets)
{
    if (T == 0)
        x[1024 + atomicAdd(zeros, 1)] = 5;
}

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

/* ---- cuda::atomic_ref ---- */

/* Release store and acquire load of device scope. */
KERNEL(atomic_ref_flag)
{
    device_ref flag(zeros[0]);
    if (T == 0 && B == 0) {
        x[0] = 42;
        flag.store(1, cuda::memory_order_release);
    } else if (T == 0) {
        while (flag.load(cuda::memory_order_acquire) == 0)
            ;
        x[1024] = x[0];
    }
}
/* Sequentially consistent includes release and acquire. */
KERNEL(atomic_ref_flag_seq_cst)
{
    system_ref flag(zeros[0]);
    if (T == 0 && B == 0) {
        x[0] = 42;
        flag.store(1);
    } else if (T == 0) {
        while (flag.load() == 0)
            ;
        x[1024] = x[0];
    }
}
/* fetch_add releases for the last block and acquires from those before. */
KERNEL(atomic_ref_counter)
{
    __shared__ bool last;
    if (T == 0) {
        x[B] = B;
        last = device_ref(zeros[0]).fetch_add(1, cuda::memory_order_acq_rel) == (int)gridDim.x - 1;
    }
    __syncthreads();
    if (last && T < (int)gridDim.x)
        x[1024 + T] = x[T];
}
/* Acquire to take it, release to give it back. */
KERNEL(atomic_ref_lock)
{
    device_ref lock(zeros[0]);
    if (T == 0) {
        while (lock.exchange(1, cuda::memory_order_acquire) != 0)
            ;
        x[0] += B;
        lock.store(0, cuda::memory_order_release);
    }
}
/* The same with compare_exchange. */
KERNEL(atomic_ref_lock_by_compare_and_swap)
{
    device_ref lock(zeros[0]);
    if (T == 0) {
        int expected = 0;
        while (!lock.compare_exchange_weak(expected, 1, cuda::memory_order_acquire))
            expected = 0;
        x[0] += B;
        lock.store(0, cuda::memory_order_release);
    }
}
/* cuda::atomic_thread_fence on both sides of relaxed accesses. */
KERNEL(thread_fences_of_device_scope)
{
    device_ref flag(zeros[0]);
    if (T == 0 && B == 0) {
        x[0] = 42;
        cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
        flag.store(1, cuda::memory_order_relaxed);
    } else if (T == 0) {
        while (flag.load(cuda::memory_order_relaxed) == 0)
            ;
        cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
        x[1024] = x[0];
    }
}
/* wait() and notify_all() of libcu++. */
KERNEL(atomic_ref_wait_and_notify)
{
    device_ref flag(zeros[0]);
    if (T == 0 && B == 0) {
        x[0] = 42;
        flag.store(1, cuda::memory_order_release);
        flag.notify_all();
    } else if (T == 0) {
        flag.wait(0, cuda::memory_order_acquire);
        x[1024] = x[0];
    }
}
/* cuda::thread_scope_thread is enough for what one thread uses alone. */
KERNEL(atomic_ref_of_one_thread)
{
    cuda::atomic_ref<int, cuda::thread_scope_thread> own(x[B * 64 + T]);
    own.fetch_add(1, cuda::memory_order_relaxed);
    x[1024 + B * 64 + T] = own.load(cuda::memory_order_relaxed);
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

/* ---- atomics of different sizes ---- */

/* Neighbors of 2 bytes: no byte is shared. */
KERNEL(swaps_of_neighboring_halves)
{
    unsigned short *half = (unsigned short *)zeros + T % 2, seen = *(volatile unsigned short *)half;
    (void)seen;
    atomicCAS(half, (unsigned short)0, (unsigned short)(T % 2 + 1));
}
/* A barrier of the grid stands between the 8 bytes and their halves. */
KERNEL(wide_then_narrow_counter)
{
    atomicAdd((unsigned long long *)zeros, 1ull);
    cg::this_grid().sync();
    atomicAdd(zeros + 1, 1);
}
/* The words do not overlap. */
KERNEL(wide_and_narrow_counters_apart)
{
    atomicAdd((unsigned long long *)zeros, 1ull);
    atomicAdd(zeros + 2, 1);
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

/* ---- bar.arrive and bar.sync ---- */

/* The consumer says that the buffer is empty before the producer fills it again. */
KERNEL(full_and_empty_barriers)
{
    __shared__ int s[32];
    for (int k = 0; k < 3; k++) {
        if (T < 32) {
            if (k > 0)
                asm volatile("bar.sync 2, 64;" ::: "memory");
            s[T] = x[32 * k + T];
            asm volatile("bar.arrive 1, 64;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            x[1024 + 32 * k + T] = s[63 - T];
            if (k < 2)
                asm volatile("bar.arrive 2, 64;" ::: "memory");
        }
    }
}
/* One producer, two groups of consumers, each with a barrier of its own. */
KERNEL(one_producer_two_consumers)
{
    __shared__ int s[64];
    if (T < 32) {
        s[T] = x[T];
        asm volatile("bar.arrive 1, 64;" ::: "memory");
        s[32 + T] = x[32 + T];
        asm volatile("bar.arrive 2, 64;" ::: "memory");
    } else if (T < 64) {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        x[1024 + T] = s[63 - T];
    } else {
        asm volatile("bar.sync 2, 64;" ::: "memory");
        x[1024 + T] = s[T - 32];
    }
}

/* ---- parts of a warp ---- */

/* Each half exchanges words within itself. */
KERNEL(syncwarp_of_each_half)
{
    __shared__ int s[32];
    s[T] = x[T];
    __syncwarp(T < 16 ? 0x0000ffffu : 0xffff0000u);
    x[T] = s[T ^ 15];
}
/* T ^ 30 is as odd or even as T. */
KERNEL(syncwarp_of_odd_and_even_lanes)
{
    __shared__ int s[32];
    s[T] = x[T];
    __syncwarp(T % 2 ? 0xaaaaaaaau : 0x55555555u);
    x[T] = s[T ^ 30];
}
/* Each half by itself, then all of them. */
KERNEL(halves_then_whole_warp)
{
    __shared__ int s[32];
    s[T] = x[T];
    if (T < 16) {
        __syncwarp(0x0000ffffu);
        x[T] = s[15 - T];
    } else {
        __syncwarp(0xffff0000u);
        x[T] = s[47 - T];
    }
    __syncwarp();
    x[1024 + T] = s[31 - T];
}
/* T ^ 7 stays in the tile. */
KERNEL(tile_of_eight)
{
    __shared__ int s[64];
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
    s[T] = x[T];
    tile.sync();
    x[T] = s[T ^ 7];
}
/* Tiles of a branch: only some of the tiles of a warp run it. */
KERNEL(tile_in_a_branch)
{
    __shared__ int s[64];
    cg::thread_block_tile<4> tile = cg::tiled_partition<4>(cg::this_thread_block());
    if (tile.meta_group_rank() % 3 == 1) {
        s[T] = x[T];
        tile.sync();
        x[T] = s[T ^ 3] + tile.shfl_xor(s[T], 1);
    }
}
/* Words and barrier of the same lanes. */
KERNEL(coalesced_group_of_a_branch)
{
    __shared__ int s[64];
    if (T % 3 == 0) {
        cg::coalesced_group group = cg::coalesced_threads();
        int rank = (int)group.thread_rank(), size = (int)group.size();
        int *mine = s + T / 32 * 32;
        mine[rank] = x[T];
        group.sync();
        x[T] = mine[size - 1 - rank];
    }
}
/* The lane four further on has the same label. */
KERNEL(labeled_partition)
{
    __shared__ int s[32];
    auto group = cg::labeled_partition(cg::tiled_partition<32>(cg::this_thread_block()), T % 4);
    s[T] = x[T];
    group.sync();
    x[T] = s[(T + 4) % 32];
}
/* The lane two further on is in the same part. */
KERNEL(binary_partition)
{
    __shared__ int s[32];
    auto group = cg::binary_partition(cg::tiled_partition<32>(cg::this_thread_block()), T % 2 == 0);
    s[T] = x[T];
    group.sync();
    x[T] = s[(T + 2) % 32];
}
/* Diverged in a loop: each lane leaves at another time, and the rest go on with their own mask. */
KERNEL(shrinking_mask)
{
    __shared__ int s[32];
    unsigned mask = FULL;
    s[T] = x[T];
    __syncwarp();
    for (int k = 0; k < T % 4; k++) {
        mask = __ballot_sync(mask, k + 1 < T % 4);
        if (k + 1 == T % 4)
            break;
    }
    x[T] = s[31 - T] + (int)(mask & 0);
}
/* A vote between two __syncwarp()s. */
KERNEL(vote_and_syncwarp)
{
    __shared__ int s[32];
    s[T] = x[T];
    int any = __any_sync(FULL, x[T] > 40);
    __syncwarp();
    x[T] = s[31 - T] + any;
}
/* The grid's barrier in two parts: what the second part reads comes after the wait. */
KERNEL(grid_barrier_arrive_and_wait)
{
    cg::grid_group grid = cg::this_grid();
    x[B * 64 + T] = T + 1;
    auto token = grid.barrier_arrive();
    x[2048 + B * 64 + T] = T;
    grid.barrier_wait(std::move(token));
    x[1024 + B * 64 + T] = x[(1 - B) * 64 + T];
}

/* ---- readers ---- */

/* The reader releases, the writer acquires. */
KERNEL(writer_waits_for_one_reader)
{
    if (T == 0 && B == 0) {
        x[1024] = x[0];
        store_release_gpu(zeros, 1);
    } else if (T == 0) {
        while (load_acquire_gpu(zeros) < 1)
            ;
        x[0] = 7;
    }
}
/* All three are counted. */
KERNEL(writer_waits_for_three_readers)
{
    if (T == 0 && B < 3) {
        x[1024 + B] = x[0];
        add_release_gpu(zeros, 1);
    } else if (T == 0) {
        while (load_acquire_gpu(zeros) < 3)
            ;
        x[0] = 7;
    }
}
/* All 33, more than a warp has lanes. */
KERNEL(writer_waits_for_33_readers)
{
    if (T == 0 && B < 33) {
        x[1024 + B] = x[0];
        add_release_gpu(zeros, 1);
    } else if (T == 0) {
        while (load_acquire_gpu(zeros) < 33)
            ;
        x[0] = 7;
    }
}
/* Lanes of two warps in one block. */
KERNEL(writer_waits_for_33_lanes)
{
    __shared__ int data, done;
    if (T == 64)
        data = done = 0;
    __syncthreads();
    if (T < 33) {
        x[T] = data;
        __threadfence_block();
        atomicAdd_block(&done, 1);
    } else if (T == 64) {
        while (atomicAdd_block(&done, 0) < 33)
            ;
        __threadfence_block();
        data = 7;
    }
}

/* ---- the non-coherent path ---- */

/* No thread writes these words. */
KERNEL(ldg_of_input)
{
    x[1024 + B * 64 + T] = __ldg(&x[63 - T]);
}
/* Written words are neighbors of the words read. */
KERNEL(ldg_beside_written_words)
{
    if (T % 2)
        x[T] = 7;
    __syncthreads();
    if (T % 2 == 0)
        x[1024 + T] = __ldg(&x[T]);
}
/* ld.global.cg and .cv are coherent. */
KERNEL(ldcg_behind_a_flag)
{
    if (T == 0 && B == 0) {
        x[0] = 42;
        store_release_gpu(zeros, 1);
    } else if (T == 0) {
        while (load_acquire_gpu(zeros) == 0)
            ;
        x[1024] = __ldcg(x) + __ldcv(x);
    }
}

/* ---- asynchronous copies and barriers in shared memory ---- */

/* The copy is done when its thread has waited. */
KERNEL(async_source_changed_after_the_wait)
{
    __shared__ int s[64];
    __pipeline_memcpy_async(&s[T], &x[T], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    x[T] = 0;
    x[1024 + T] = s[T];
}
/* All copies have been waited for before the barrier, and the neighbor writes after it. */
KERNEL(async_source_changed_by_neighbor_after_a_barrier)
{
    __shared__ int s[64];
    __pipeline_memcpy_async(&s[T], &x[T], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    x[(T + 1) % 64] = 0;
    x[1024 + T] = s[T];
}
/* cp.async.wait_all waits for copies that no commit has closed. */
KERNEL(async_wait_all)
{
    __shared__ int s[64];
    __pipeline_memcpy_async(&s[T], &x[T], 4);
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    x[1024 + T] = s[63 - T];
}
/* All readers are done before the next copy begins. */
KERNEL(async_refill_between_barriers)
{
    __shared__ int s[64];
    for (int k = 0; k < 2; k++) {
        __pipeline_memcpy_async(&s[T], &x[64 * k + T], 4);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        x[1024 + 64 * k + T] = s[63 - T];
        __syncthreads();
    }
}
/* The source of a copy may be read by anyone. */
KERNEL(async_source_read_meanwhile)
{
    __shared__ int s[64];
    __pipeline_memcpy_async(&s[T], &x[T], 4);
    __pipeline_commit();
    x[2048 + T] = x[63 - T];
    __pipeline_wait_prior(0);
    x[1024 + T] = s[T];
}
/* Two stages; each is waited for before it is read, and read before it is filled again. */
KERNEL(pipeline_of_one_thread)
{
    __shared__ int s[2][64];
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&s[0][T], &x[T], sizeof(int), pipe);
    pipe.producer_commit();
    for (int k = 0; k < 3; k++) {
        if (k < 2) {
            pipe.producer_acquire();
            cuda::memcpy_async(&s[(k + 1) % 2][T], &x[64 * (k + 1) + T], sizeof(int), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        x[1024 + 64 * k + T] = s[k % 2][T];
        pipe.consumer_release();
    }
}
/* cg::wait waits for the copies of the whole group. */
KERNEL(group_copy_with_wait)
{
    __shared__ int s[64];
    cg::memcpy_async(cg::this_thread_block(), s, x, sizeof s);
    cg::wait(cg::this_thread_block());
    x[1024 + T] = s[63 - T];
}
typedef cuda::barrier<cuda::thread_scope_block> block_barrier;
/* A phase after the writes, and one after the reads. */
KERNEL(barrier_object)
{
    __shared__ __align__(8) char storage[sizeof(block_barrier)];
    __shared__ int s[64];
    block_barrier &barrier = *(block_barrier *)storage;
    if (T == 0)
        init(&barrier, 64);
    __syncthreads();
    for (int k = 0; k < 3; k++) {
        s[T] = x[64 * k + T];
        barrier.arrive_and_wait();
        x[1024 + 64 * k + T] = s[63 - T];
        barrier.arrive_and_wait();
    }
}
/* Work between arrive and wait touches nothing that others write. */
KERNEL(barrier_object_arrive_work_wait)
{
    __shared__ __align__(8) char storage[sizeof(block_barrier)];
    __shared__ int s[64];
    block_barrier &barrier = *(block_barrier *)storage;
    if (T == 0)
        init(&barrier, 64);
    __syncthreads();
    s[T] = x[T];
    auto token = barrier.arrive();
    int own = x[64 + T];
    barrier.wait(std::move(token));
    x[1024 + T] = s[63 - T] + own;
}
/* The copy counts in the phase that the threads wait for. */
KERNEL(barrier_object_with_copy)
{
    __shared__ __align__(8) char storage[sizeof(block_barrier)];
    __shared__ int s[64];
    block_barrier &barrier = *(block_barrier *)storage;
    if (T == 0)
        init(&barrier, 64);
    __syncthreads();
    cuda::memcpy_async(&s[T], &x[T], sizeof(int), barrier);
    barrier.arrive_and_wait();
    x[1024 + T] = s[63 - T];
}
/* A warp arrives without waiting, the other waits: a token for each phase. */
KERNEL(barrier_object_producer_and_consumer)
{
    __shared__ __align__(8) char storage[2][sizeof(block_barrier)];
    __shared__ int s[32];
    block_barrier &full = *(block_barrier *)storage[0], &empty = *(block_barrier *)storage[1];
    if (T == 0) {
        init(&full, 64);
        init(&empty, 64);
    }
    __syncthreads();
    for (int k = 0; k < 3; k++) {
        if (T < 32) {
            empty.arrive_and_wait();
            s[T] = x[32 * k + T];
            (void)full.arrive();
        } else {
            (void)empty.arrive();
            full.arrive_and_wait();
            x[1024 + 32 * k + T] = s[63 - T];
        }
    }
}

/* ---- locks, queues and flags ---- */

/* A volatile or atomic store of device scope, after a fence, gives a lock back. */
KERNEL(lock_released_by_relaxed_store)
{
    if (T == 0) {
        while (atomicCAS(zeros, 0, 1) != 0)
            ;
        __threadfence();
        x[0] += B;
        __threadfence();
        store_relaxed_gpu(zeros, 0);
    }
}
/* Served in the order of the tickets; the next holder acquires what the last one released. */
KERNEL(ticket_lock)
{
    if (T == 0) {
        int mine = atomicAdd(zeros, 1);
        while (load_acquire_gpu(zeros + 1) != mine)
            ;
        x[0] += B;
        store_release_gpu(zeros + 1, mine + 1);
    }
}
/* The lock is taken by one thread for its block. */
KERNEL(lock_for_a_block)
{
    if (T == 0) {
        while (atomicCAS(zeros, 0, 1) != 0)
            ;
        __threadfence();
    }
    __syncthreads();
    x[T] += B;
    __syncthreads();
    if (T == 0) {
        __threadfence();
        atomicExch(zeros, 0);
    }
}
/* Two locks for two words. */
KERNEL(lock_for_each_word)
{
    if (T == 0) {
        int word = B % 2;
        while (atomicCAS(&zeros[word], 0, 1) != 0)
            ;
        __threadfence();
        x[word] += B;
        __threadfence();
        atomicExch(&zeros[word], 0);
    }
}
/* The item, a fence, the count; the count, a fence, the item. */
KERNEL(queue_of_one_producer)
{
    if (T == 0 && B == 0) {
        for (int k = 0; k < 4; k++) {
            x[1024 + k] = 42 + k;
            __threadfence();
            atomicAdd(zeros, 1);
        }
    } else if (T == 0) {
        for (int k = 0; k < 4; k++) {
            while (atomicAdd(zeros, 0) <= k)
                ;
            __threadfence();
            x[k] = x[1024 + k];
        }
    }
}
/* Whoever reads has seen the flag by an acquire load, or has set up the word itself. */
KERNEL(initialised_once)
{
    if (T == 0) {
        if (load_acquire_gpu(zeros + 1) == 0) {
            if (atomicCAS(zeros, 0, 1) == 0) {
                x[0] = 42;
                store_release_gpu(zeros + 1, 1);
            }
            while (load_acquire_gpu(zeros + 1) == 0)
                ;
        }
        x[1024 + B] = x[0];
    }
}
/* The value is released with the link. */
KERNEL(stack_push_and_peek)
{
    if (T == 0 && B == 0) {
        x[100] = 42;
        __threadfence();
        atomicExch(zeros, 100);
    } else if (T == 0) {
        int top;
        while ((top = atomicAdd(zeros, 0)) == 0)
            ;
        __threadfence();
        x[1024] = x[top];
    }
}
/* Every thread that writes writes the same value, and a barrier comes before the read. */
KERNEL(found_flag)
{
    __shared__ int found;
    if (T == 0)
        found = 0;
    __syncthreads();
    if (x[T] % 3 == 0)
        found = 1;
    __syncthreads();
    x[T] = found;
}
/* Decoupled look-back: aggregate and state in one word of 8 bytes, written and read as one. */
KERNEL(look_back_with_packed_words)
{
    if (T == 0) {
        volatile unsigned long long *state = (volatile unsigned long long *)zeros;
        unsigned long long before = 0;
        if (B > 0)
            while ((before = state[B - 1]) >> 32 == 0)
                ;
        state[B] = 1ull << 32 | ((unsigned)before + (unsigned)x[B]);
    }
}
/* Decoupled look-back: the value, a fence, the flag; the flag, a fence, the value. */
KERNEL(look_back_with_fences)
{
    if (T == 0) {
        int sum = x[B];
        if (B > 0) {
            while (load_relaxed_gpu(zeros + B - 1) == 0)
                ;
            __threadfence();
            sum += x[1024 + B - 1];
        }
        x[1024 + B] = sum;
        __threadfence();
        store_relaxed_gpu(zeros + B, 1);
    }
}

extern "C" const struct hazard_program right_scopes_programs[];
const struct hazard_program right_scopes_programs[] = {
    RIGHT(block_atomics_of_one_block_each, 4, 64),
    RIGHT(system_atomics_of_several_blocks, 4, 64),
    RIGHT(system_atomic_beside_device_atomic, 4, 64),
    RIGHT_GRID(block_atomics_then_device_atomics, 2, 64),
    RIGHT(lock_of_one_block, 2, 64),
    RIGHT(atomic_ref_of_device_scope, 4, 64),
    RIGHT(atomic_ref_of_block_scope_in_shared_memory, 4, 64),
    RIGHT_GRID(relaxed_polling_of_a_hint, 2, 32),
    RIGHT(tickets, 6, 32),
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
    RIGHT_GRID(acquired_for_one_warp, 2, 64),
    RIGHT_GRID(acquired_by_one_handed_on_by_a_barrier, 2, 64),
    RIGHT(release_and_acquire_of_block_scope_in_a_block, 2, 64),
    RIGHT_GRID(fence_and_relaxed_store_to_acquire_load, 2, 32),
    RIGHT_GRID(release_store_to_relaxed_load_and_fence, 2, 32),
    RIGHT_GRID(release_and_acquire_of_system_scope, 2, 32),
    RIGHT_GRID(second_store_to_the_released_word, 2, 32),
    RIGHT_GRID(counted_with_release, 4, 32),
    RIGHT_GRID(atomic_ref_flag, 2, 32),
    RIGHT_GRID(atomic_ref_flag_seq_cst, 2, 32),
    RIGHT(atomic_ref_counter, 4, 64),
    RIGHT(atomic_ref_lock, 6, 32),
    RIGHT(atomic_ref_lock_by_compare_and_swap, 6, 32),
    RIGHT_GRID(thread_fences_of_device_scope, 2, 32),
    RIGHT_GRID(atomic_ref_wait_and_notify, 2, 32),
    RIGHT(atomic_ref_of_one_thread, 4, 64),
    RIGHT_GRID(volatile_flag_with_fences, 2, 32),
    RIGHT(volatile_shared_flag_in_a_warp, 1, 32),
    RIGHT(volatile_shared_flag_between_warps, 1, 64),
    RIGHT_GRID(volatile_data_behind_fences, 2, 32),
    RIGHT(volatile_data_between_barriers, 1, 64),
    RIGHT(volatile_data_between_syncwarps, 1, 32),
    RIGHT_GRID(volatile_flag_and_value_in_one_word, 2, 32),
    RIGHT_GRID(grid_barrier_by_hand, 2, 64),
    RIGHT(swaps_of_neighboring_halves, 4, 64),
    RIGHT_GRID(wide_then_narrow_counter, 2, 64),
    RIGHT(wide_and_narrow_counters_apart, 4, 64),
    RIGHT_GRID(middle_acquires_and_releases, 3, 32),
    RIGHT_GRID(middle_fences_between_relaxed, 3, 32),
    RIGHT_GRID(middle_adds_to_the_flag, 3, 32),
    RIGHT_GRID(narrow_step_then_wide_step, 2, 64),
    RIGHT_GRID(barrier_flag_barrier, 2, 64),
    RIGHT(full_and_empty_barriers, 1, 64),
    RIGHT(one_producer_two_consumers, 1, 96),
    RIGHT(syncwarp_of_each_half, 1, 32),
    RIGHT(syncwarp_of_odd_and_even_lanes, 1, 32),
    RIGHT(halves_then_whole_warp, 1, 32),
    RIGHT(tile_of_eight, 1, 64),
    RIGHT(tile_in_a_branch, 1, 64),
    RIGHT(coalesced_group_of_a_branch, 1, 64),
    RIGHT(labeled_partition, 1, 32),
    RIGHT(binary_partition, 1, 32),
    RIGHT(shrinking_mask, 1, 32),
    RIGHT(vote_and_syncwarp, 1, 32),
    RIGHT_GRID(grid_barrier_arrive_and_wait, 2, 64),
    RIGHT_GRID(writer_waits_for_one_reader, 2, 32),
    RIGHT_GRID(writer_waits_for_three_readers, 4, 32),
    RIGHT_GRID(writer_waits_for_33_readers, 34, 32),
    RIGHT(writer_waits_for_33_lanes, 1, 96),
    RIGHT(ldg_of_input, 4, 64),
    RIGHT(ldg_beside_written_words, 1, 64),
    RIGHT_GRID(ldcg_behind_a_flag, 2, 32),
    RIGHT(async_source_changed_after_the_wait, 1, 64),
    RIGHT(async_source_changed_by_neighbor_after_a_barrier, 1, 64),
    RIGHT(async_wait_all, 1, 64),
    RIGHT(async_refill_between_barriers, 1, 64),
    RIGHT(async_source_read_meanwhile, 1, 64),
    RIGHT(pipeline_of_one_thread, 1, 64),
    RIGHT(group_copy_with_wait, 1, 64),
    RIGHT(barrier_object, 1, 64),
    RIGHT(barrier_object_arrive_work_wait, 1, 64),
    RIGHT(barrier_object_with_copy, 1, 64),
    RIGHT(barrier_object_producer_and_consumer, 1, 64),
    RIGHT(lock_released_by_relaxed_store, 6, 32),
    RIGHT_GRID(ticket_lock, 6, 32),
    RIGHT(lock_for_a_block, 4, 64),
    RIGHT(lock_for_each_word, 6, 32),
    RIGHT_GRID(queue_of_one_producer, 2, 32),
    RIGHT(initialised_once, 6, 32),
    RIGHT_GRID(stack_push_and_peek, 2, 32),
    RIGHT(found_flag, 1, 64),
    RIGHT_GRID(look_back_with_packed_words, 6, 32),
    RIGHT_GRID(look_back_with_fences, 6, 32),
    {},
};
