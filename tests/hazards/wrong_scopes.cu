/*
 * Wrong kernels whose synchronisation is there, but of too narrow a scope, on one side only, in the wrong place, or
 * none at all. suite.c explains the marks. The sentence before each says why it is wrong; sections are those of the
 * PTX ISA's memory consistency model.
 */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

#include "tests/hazards/orders.h"

#include "tests/hazards/kernels.h"
namespace cg = cooperative_groups;

/* ---- scopes of atomics (8.7 Moral strength: each operation's scope must include the other's thread) ---- */

/* The scope of each addition is its own block. */
KERNEL(block_atomics_of_several_blocks)
{
    if (T == 0)
        atomicAdd_block(zeros, 1); // <-
}
/* One wide scope does not help the narrow one: both must include the other thread. */
KERNEL(block_atomic_beside_device_atomic)
{
    if (T == 0) {
        if (B == 0)
            atomicAdd_block(zeros, 1); // <-
        else
            atomicAdd(zeros, 1); // <-
    }
}
/* Bins are shared by all blocks. */
KERNEL(histogram_with_block_atomics)
{
    atomicAdd_block(&zeros[x[B * 64 + T] % 16], 1); // <-
}
/* Floats are no other case: two blocks add at the same time. */
KERNEL(float_sum_with_block_atomics)
{
    if (T == 0)
        atomicAdd_block((float *)zeros, 1.0f); // <-
}
/* A maximum is a read-modify-write as well. */
KERNEL(maximum_with_block_atomics)
{
    if (T == 0)
        atomicMax_block(zeros, B + 1); // <-
}
/* Two blocks can hold the lock at once. */
KERNEL(lock_taken_in_block_scope)
{
    if (T == 0) {
        while (atomicCAS_block(zeros, 0, 1) != 0) // <-
            ;
        __threadfence();
        x[0] += B; // <-
        __threadfence();
        atomicExch_block(zeros, 0); // <-
    }
}
/* The release is not seen by other blocks as one operation with their compare-and-swap. */
KERNEL(lock_released_in_block_scope)
{
    if (T == 0) {
        while (atomicCAS(zeros, 0, 1) != 0) // <-
            ;
        __threadfence();
        x[0] += B; // <-
        __threadfence();
        atomicExch_block(zeros, 0); // <-
    }
}
/* The flag is set for its own block only. */
KERNEL(flag_set_in_block_scope)
{
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        __threadfence();
        atomicExch_block(zeros, 1); // <-
    } else if (T == 0) {
        while (atomicAdd(zeros, 0) == 0) // <-
            ;
        __threadfence();
        x[1024] = x[0]; // <-
    }
}
/* The flag is polled with the scope of a block that does not set it. */
KERNEL(flag_polled_in_block_scope)
{
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        __threadfence();
        atomicExch(zeros, 1); // <-
    } else if (T == 0) {
        while (atomicOr_block(zeros, 0) == 0) // <-
            ;
        __threadfence();
        x[1024] = x[0]; // <-
    }
}
/* Each block counts for itself: two can find themselves last, or none. */
KERNEL(last_block_counted_in_block_scope)
{
    __shared__ bool last;
    if (T == 0) {
        x[B] = B; // <-
        __threadfence();
        last = atomicAdd_block(zeros, 1) == (int)gridDim.x - 1; // <-
        __threadfence();
    }
    __syncthreads();
    if (last && T < (int)gridDim.x)
        x[1024 + T] = x[T]; // <-
}
/* Two blocks can draw the same ticket. */
KERNEL(tickets_in_block_scope)
{
    if (T == 0)
        x[1024 + atomicAdd_block(zeros, 1)] = B; // <-
}
/* cuda::thread_scope_block, used by the threads of several blocks. */
KERNEL(atomic_ref_of_block_scope)
{
    if (T == 0)
        block_ref(zeros[0]).fetch_add(1, cuda::memory_order_relaxed); // <-
}
/* Relaxed loads and stores of block scope are not morally strong between blocks. */
KERNEL(relaxed_store_of_block_scope)
{
    if (T == 0 && B == 0)
        store_relaxed_cta(zeros, 1); // <-
    else if (T == 0)
        x[1024] = load_relaxed_gpu(zeros); // <-
}

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

/* ---- ld.acquire, st.release and their scopes (8.8) ---- */

/* Release and acquire are one pair only if each scope includes the other thread. */
KERNEL(release_of_block_scope)
{
    if (T == 0 && B == 0) {
        x[0] = 42;                   // <-
        store_release_cta(zeros, 1); // <-
    } else if (T == 0) {
        while (load_acquire_gpu(zeros) == 0) // <-
            ;
        x[1024] = x[0]; // <-
    }
}
/* The same, with the narrow scope on the side of the reader. */
KERNEL(acquire_of_block_scope)
{
    if (T == 0 && B == 0) {
        x[0] = 42;                   // <-
        store_release_gpu(zeros, 1); // <-
    } else if (T == 0) {
        while (load_acquire_cta(zeros) == 0) // <-
            ;
        x[1024] = x[0]; // <-
    }
}
/* There is nothing to acquire: the store does not release. */
KERNEL(relaxed_store_acquire_load)
{
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        store_relaxed_gpu(zeros, 1);
    } else if (T == 0) {
        while (load_acquire_gpu(zeros) == 0)
            ;
        x[1024] = x[0]; // <-
    }
}
/* Released, but never acquired. */
KERNEL(release_store_relaxed_load)
{
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        store_release_gpu(zeros, 1);
    } else if (T == 0) {
        while (load_relaxed_gpu(zeros) == 0)
            ;
        x[1024] = x[0]; // <-
    }
}
/* What is released and acquired is one word, what says that the data is there is another. */
KERNEL(release_of_another_word)
{
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        store_release_gpu(zeros + 1, 1);
        store_relaxed_gpu(zeros, 1);
    } else if (T == 0) {
        while (load_acquire_gpu(zeros) == 0)
            ;
        x[1024] = x[0]; // <-
    }
}
/* The acquire load reads a word that nothing releases. */
KERNEL(acquire_of_another_word)
{
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        store_release_gpu(zeros, 1);
    } else if (T == 0) {
        while (load_relaxed_gpu(zeros) == 0)
            ;
        x[1024] = x[0] + load_acquire_gpu(zeros + 1); // <-
    }
}
/* fence.acq_rel.cta beside a relaxed store of device scope. */
KERNEL(narrow_fence_before_wide_store)
{
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        fence_acq_rel_cta();
        store_relaxed_gpu(zeros, 1);
    } else if (T == 0) {
        while (load_acquire_gpu(zeros) == 0)
            ;
        x[1024] = x[0]; // <-
    }
}
/* A release pattern needs a strong write that is as wide as the fence. */
KERNEL(wide_fence_before_narrow_store)
{
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        fence_acq_rel_gpu();
        store_relaxed_cta(zeros, 1); // <-
    } else if (T == 0) {
        while (load_acquire_gpu(zeros) == 0) // <-
            ;
        x[1024] = x[0]; // <-
    }
}
/* red.release.cta counts for its own block. */
KERNEL(counted_with_release_of_block_scope)
{
    if (T == 0 && B < 2) {
        x[B] = 42;                 // <-
        add_release_cta(zeros, 1); // <-
    } else if (T == 0) {
        while (load_acquire_gpu(zeros) < 2) // <-
            ;
        x[1024] = x[0] + x[1]; // <-
    }
}

/* ---- cuda::atomic_ref: orders and scopes of libcu++ ---- */

/* memory_order_relaxed orders nothing but the flag itself. */
KERNEL(atomic_ref_flag_relaxed)
{
    device_ref flag(zeros[0]);
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        flag.store(1, cuda::memory_order_relaxed);
    } else if (T == 0) {
        while (flag.load(cuda::memory_order_relaxed) == 0)
            ;
        x[1024] = x[0]; // <-
    }
}
/* The load is relaxed. */
KERNEL(atomic_ref_flag_not_acquired)
{
    device_ref flag(zeros[0]);
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        flag.store(1, cuda::memory_order_release);
    } else if (T == 0) {
        while (flag.load(cuda::memory_order_relaxed) == 0)
            ;
        x[1024] = x[0]; // <-
    }
}
/* The store is relaxed. */
KERNEL(atomic_ref_flag_not_released)
{
    device_ref flag(zeros[0]);
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        flag.store(1, cuda::memory_order_relaxed);
    } else if (T == 0) {
        while (flag.load(cuda::memory_order_acquire) == 0)
            ;
        x[1024] = x[0]; // <-
    }
}
/* Right orders, but the scope is the block, and there are two. */
KERNEL(atomic_ref_flag_of_block_scope)
{
    block_ref flag(zeros[0]);
    if (T == 0 && B == 0) {
        x[0] = 42;                                 // <-
        flag.store(1, cuda::memory_order_release); // <-
    } else if (T == 0) {
        while (flag.load(cuda::memory_order_acquire) == 0) // <-
            ;
        x[1024] = x[0]; // <-
    }
}
/* Sequentially consistent, and in the wrong scope all the same. */
KERNEL(atomic_ref_seq_cst_of_block_scope)
{
    block_ref flag(zeros[0]);
    if (T == 0 && B == 0) {
        x[0] = 42;     // <-
        flag.store(1); // <-
    } else if (T == 0) {
        while (flag.load() == 0) // <-
            ;
        x[1024] = x[0]; // <-
    }
}
/* fetch_add with memory_order_release alone: the last block acquires nothing. */
KERNEL(atomic_ref_counter_releases_only)
{
    __shared__ bool last;
    if (T == 0) {
        x[B] = B; // <-
        last = device_ref(zeros[0]).fetch_add(1, cuda::memory_order_release) == (int)gridDim.x - 1;
    }
    __syncthreads();
    if (last && T < (int)gridDim.x)
        x[1024 + T] = x[T]; // <-
}
/* The blocks before have released nothing. */
KERNEL(atomic_ref_counter_acquires_only)
{
    __shared__ bool last;
    if (T == 0) {
        x[B] = B; // <-
        last = device_ref(zeros[0]).fetch_add(1, cuda::memory_order_acquire) == (int)gridDim.x - 1;
    }
    __syncthreads();
    if (last && T < (int)gridDim.x)
        x[1024 + T] = x[T]; // <-
}
/* The lock is released with a relaxed store. */
KERNEL(atomic_ref_lock_released_relaxed)
{
    device_ref lock(zeros[0]);
    if (T == 0) {
        while (lock.exchange(1, cuda::memory_order_acquire) != 0)
            ;
        x[0] += B; // <-
        lock.store(0, cuda::memory_order_relaxed);
    }
}
/* The lock is taken with a relaxed exchange. */
KERNEL(atomic_ref_lock_taken_relaxed)
{
    device_ref lock(zeros[0]);
    if (T == 0) {
        int free = 0;
        while (!lock.compare_exchange_weak(free, 1, cuda::memory_order_relaxed))
            free = 0;
        x[0] += B; // <-
        lock.store(0, cuda::memory_order_release);
    }
}
/* The release fence is one of the block. */
KERNEL(thread_fence_of_block_scope)
{
    device_ref flag(zeros[0]);
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_block);
        flag.store(1, cuda::memory_order_relaxed);
    } else if (T == 0) {
        while (flag.load(cuda::memory_order_relaxed) == 0)
            ;
        cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
        x[1024] = x[0]; // <-
    }
}

/* ---- volatile: relaxed at best (8.4), and no synchronisation in CUDA C++ ---- */

/* The flag is volatile, the data is not, and nothing orders the two. */
KERNEL(volatile_flag_without_fences)
{
    volatile int *flag = zeros;
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        *flag = 1;
    } else if (T == 0) {
        while (*flag == 0)
            ;
        x[1024] = x[0]; // <-
    }
}
/* The reader has no fence between flag and data. */
KERNEL(volatile_flag_fenced_by_the_writer_only)
{
    volatile int *flag = zeros;
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        __threadfence();
        *flag = 1;
    } else if (T == 0) {
        while (*flag == 0)
            ;
        x[1024] = x[0]; // <-
    }
}
/* Between warps of a block, in shared memory. */
KERNEL(volatile_shared_flag_without_fences)
{
    __shared__ volatile int flag;
    __shared__ int data;
    if (T == 0)
        flag = 0;
    __syncthreads();
    if (T == 0) {
        data = x[5]; // <-
        flag = 1;
    } else if (T == 32) {
        while (flag == 0)
            ;
        x[0] = data; // <-
    }
}
/* Flag and data are volatile: no fence says that the data is seen with the flag. */
KERNEL(volatile_data_and_flag)
{
    volatile int *flag = zeros, *data = x;
    if (T == 0 && B == 0) {
        data[0] = 42; // <-
        *flag = 1;
    } else if (T == 0) {
        while (*flag == 0)
            ;
        x[1024] = data[0]; // <-
    }
}
/* Read, add, write: two blocks can read the same count. */
KERNEL(volatile_counter)
{
    volatile int *count = zeros;
    if (T == 0)
        *count = *count + 1; // <-
}
/* The same in shared memory, between four warps. */
KERNEL(volatile_shared_counter)
{
    __shared__ volatile int count;
    if (T == 0)
        count = 0;
    __syncthreads();
    if (T % 32 == 0)
        count = count + 1; // <-
    __syncthreads();
    if (T == 0)
        x[0] = count;
}
/* Lanes of a warp do not run in step: a __syncwarp() is missing. */
KERNEL(volatile_exchange_in_a_warp)
{
    __shared__ volatile int s[32];
    s[T] = x[T];      // <-
    x[T] = s[31 - T]; // <-
}
/* One side is volatile, the other is plain: weak, so a race by the PTX model too. */
KERNEL(volatile_read_of_plain_write)
{
    if (T == 0 && B == 0)
        x[0] = 42; // <-
    else if (T == 0)
        x[1024] = *(volatile int *)x; // <-
}
/* And the other way round. */
KERNEL(plain_read_of_volatile_write)
{
    if (T == 0 && B == 0)
        *(volatile int *)x = 42; // <-
    else if (T == 0)
        x[1024] = x[0]; // <-
}
/* The partial results are volatile, but no fence comes before the count. */
KERNEL(volatile_partial_results)
{
    __shared__ bool last;
    volatile int *partial = x;
    if (T == 0) {
        partial[B] = B; // <-
        last = atomicAdd(zeros, 1) == (int)gridDim.x - 1;
    }
    __syncthreads();
    if (last && T < (int)gridDim.x)
        x[1024 + T] = partial[T]; // <-
}

/* ---- atomics of different sizes (8.7: morally strong only if they overlap completely) ---- */

/* 8 bytes and the upper 4 of them. */
KERNEL(half_of_a_wide_counter)
{
    if (T == 0 && B == 0)
        atomicAdd((unsigned long long *)zeros, 1ull); // <-
    else if (T == 0)
        atomicAdd(zeros + 1, 1); // <-
}
/* 2 bytes and the 4 around them. */
KERNEL(swap_of_two_bytes_in_a_counter)
{
    if (T == 0 && B == 0)
        atomicCAS((unsigned short *)zeros + 1, (unsigned short)0, (unsigned short)7); // <-
    else if (T == 0)
        atomicAdd(zeros, 1); // <-
}
/* 8 bytes and the lower 4 of them, within a block. */
KERNEL(wide_and_narrow_in_shared_memory)
{
    __shared__ unsigned long long s;
    if (T == 0)
        s = 0;
    __syncthreads();
    if (T < 32)
        atomicMax(&s, (unsigned long long)T); // <-
    else
        atomicAdd((int *)&s, 1); // <-
    __syncthreads();
    x[T] = (int)s;
}
/* Both accesses are strong, and of 8 and 4 bytes. */
KERNEL(relaxed_pair_read_beside_relaxed_word)
{
    if (T == 0 && B == 0) {
        store_relaxed_gpu(zeros, 1); // <-
    } else if (T == 0) {
        long long v;
        asm volatile("ld.relaxed.gpu.global.s64 %0, [%1];" : "=l"(v) : "l"(zeros) : "memory"); // <-
        x[1024] = (int)v;
    }
}

/* ---- causality through three threads (8.9) ---- */

/* The one in the middle passes the flag on, but neither acquires nor releases. */
KERNEL(middle_relays_relaxed)
{
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        store_release_gpu(zeros, 1);
    } else if (T == 0 && B == 1) {
        while (load_relaxed_gpu(zeros) == 0)
            ;
        store_relaxed_gpu(zeros + 1, 1);
    } else if (T == 0) {
        while (load_acquire_gpu(zeros + 1) == 0)
            ;
        x[1024] = x[0]; // <-
    }
}
/* It releases what it has not acquired. */
KERNEL(middle_releases_only)
{
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        store_release_gpu(zeros, 1);
    } else if (T == 0 && B == 1) {
        while (load_relaxed_gpu(zeros) == 0)
            ;
        store_release_gpu(zeros + 1, 1);
    } else if (T == 0) {
        while (load_acquire_gpu(zeros + 1) == 0)
            ;
        x[1024] = x[0]; // <-
    }
}
/* It acquires, and does not release. */
KERNEL(middle_acquires_only)
{
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        store_release_gpu(zeros, 1);
    } else if (T == 0 && B == 1) {
        while (load_acquire_gpu(zeros) == 0)
            ;
        store_relaxed_gpu(zeros + 1, 1);
    } else if (T == 0) {
        while (load_acquire_gpu(zeros + 1) == 0)
            ;
        x[1024] = x[0]; // <-
    }
}
/* It fences for its own block. */
KERNEL(middle_fences_for_block)
{
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        __threadfence();
        atomicExch(zeros, 1);
    } else if (T == 0 && B == 1) {
        while (atomicAdd(zeros, 0) == 0)
            ;
        __threadfence_block();
        atomicExch(zeros + 1, 1);
    } else if (T == 0) {
        while (atomicAdd(zeros + 1, 0) == 0)
            ;
        __threadfence();
        x[1024] = x[0]; // <-
    }
}
/* A store ends the release sequence, where a read-modify-write would continue it. */
KERNEL(middle_overwrites_the_flag)
{
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        store_release_gpu(zeros, 1);
    } else if (T == 0 && B == 1) {
        while (load_relaxed_gpu(zeros) == 0)
            ;
        store_relaxed_gpu(zeros, 2);
    } else if (T == 0) {
        while (load_relaxed_gpu(zeros) != 2) /* an acquire that found 1 would be one of the first's release */
            ;
        if (load_acquire_gpu(zeros) != 2)
            return;
        x[1024] = x[0]; // <-
    }
}
/* The third waits for the first's flag and reads what the second wrote. */
KERNEL(third_waits_for_the_wrong_one)
{
    if (T == 0 && B == 0) {
        x[0] = 42;
        store_release_gpu(zeros, 1);
    } else if (T == 0 && B == 1) {
        while (load_acquire_gpu(zeros) == 0)
            ;
        x[1] = x[0] + 1; // <-
        store_release_gpu(zeros + 1, 1);
    } else if (T == 0) {
        while (load_acquire_gpu(zeros) == 0)
            ;
        x[1024] = x[1]; // <-
    }
}

/* ---- bar.arrive does not wait (9.7.13 barrier) ---- */

/* Both warps arrive, neither waits. */
KERNEL(both_warps_only_arrive)
{
    __shared__ int s[64];
    s[T] = x[T]; // <-
    asm volatile("bar.arrive 1, 64;" ::: "memory");
    x[T] = s[63 - T]; // <-
}
/* The producer says that the data is there before it is. */
KERNEL(producer_arrives_before_it_writes)
{
    __shared__ int s[32];
    if (T < 32) {
        asm volatile("bar.arrive 1, 64;" ::: "memory");
        s[T] = x[T]; // <-
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        x[T] = s[63 - T]; // <-
    }
}
/* The producer fills the buffer again, and has not waited for the consumer. */
KERNEL(producer_does_not_wait_until_empty)
{
    __shared__ int s[32];
    if (T < 32) {
        s[T] = x[T];
        asm volatile("bar.arrive 1, 64;" ::: "memory");
        s[T] = x[32 + T]; // <-
        asm volatile("bar.arrive 2, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        x[1024 + T] = s[63 - T]; // <-
        asm volatile("bar.sync 2, 64;" ::: "memory");
        x[2048 + T] = s[63 - T];
    }
}
/* The consumer arrives where it should wait. */
KERNEL(consumer_arrives_only)
{
    __shared__ int s[32];
    if (T < 32) {
        s[T] = x[T]; // <-
        asm volatile("bar.sync 1, 64;" ::: "memory");
    } else {
        asm volatile("bar.arrive 1, 64;" ::: "memory");
        x[T] = s[63 - T]; // <-
    }
}

/* ---- parts of a warp ---- */

/* Each half waits for itself, and reads the other one's words. */
KERNEL(syncwarp_of_each_half)
{
    __shared__ int s[32];
    s[T] = x[T]; // <-
    __syncwarp(T < 16 ? 0x0000ffffu : 0xffff0000u);
    x[T] = s[31 - T]; // <-
}
/* Two masks in one instruction are two barriers. */
KERNEL(syncwarp_of_odd_and_even_lanes)
{
    __shared__ int s[32];
    s[T] = x[T]; // <-
    __syncwarp(T % 2 ? 0xaaaaaaaau : 0x55555555u);
    x[T] = s[T ^ 1]; // <-
}
/* Tiles of 8 lanes, data of 16. */
KERNEL(tile_narrower_than_its_data)
{
    __shared__ int s[64];
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
    s[T] = x[T]; // <-
    tile.sync();
    x[T] = s[T ^ 15]; // <-
}
/* The group holds the lanes of this branch; the word comes from a lane of the other. */
KERNEL(coalesced_group_reads_other_branch)
{
    __shared__ int s[32];
    s[T] = x[T]; // <-
    if (T % 4 == 0) {
        cg::coalesced_group group = cg::coalesced_threads();
        group.sync();
        x[T] = s[T + 1]; // <-
    }
}
/* Lanes with the same label wait for each other; the neighbor has another label. */
KERNEL(partition_by_label)
{
    __shared__ int s[32];
    auto group = cg::labeled_partition(cg::tiled_partition<32>(cg::this_thread_block()), T % 3);
    s[T] = x[T]; // <-
    group.sync();
    x[T] = s[(T + 1) % 32]; // <-
}
/* Even lanes wait for even ones, and read odd ones' words. */
KERNEL(binary_partition_reads_other_part)
{
    __shared__ int s[32];
    auto group = cg::binary_partition(cg::tiled_partition<32>(cg::this_thread_block()), T % 2 == 0);
    s[T] = x[T]; // <-
    group.sync();
    x[T] = s[T ^ 1]; // <-
}
/* Votes and shuffles order no memory accesses (CUDA C++ Programming Guide, warp vote functions). */
KERNEL(vote_instead_of_syncwarp)
{
    __shared__ int s[32];
    s[T] = x[T]; // <-
    int any = __any_sync(FULL, x[T] > 40);
    x[T] = s[31 - T] + any; // <-
}
/* The shuffle hands over a register, and orders nothing. */
KERNEL(shuffle_instead_of_syncwarp)
{
    __shared__ int s[32];
    s[T] = x[T]; // <-
    int first = __shfl_sync(FULL, x[T], 0);
    x[T] = s[31 - T] + first; // <-
}
/* A __syncwarp() in one branch is none for the lanes of the other. */
KERNEL(syncwarp_in_one_branch)
{
    __shared__ int s[32];
    if (T < 16) {
        s[T] = x[T]; // <-
        __syncwarp(0x0000ffffu);
    }
    x[T] = s[T % 16 ^ 1]; // <-
}
/* The second exchange lacks its __syncwarp(). */
KERNEL(second_exchange_without_syncwarp)
{
    __shared__ int s[32];
    s[T] = x[T];
    __syncwarp();
    int v = s[31 - T]; // <-
    s[T] = v;          // <-
    __syncwarp();
    x[T] = s[T ^ 1];
}
/* Tiles of a warp in one barrier each, of which only half execute it before they read. */
KERNEL(tile_syncs_in_one_branch)
{
    __shared__ int s[32];
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(cg::this_thread_block());
    s[T] = x[T]; // <-
    if (tile.meta_group_rank() == 0)
        tile.sync();
    x[T] = s[T ^ 15]; // <-
}
/* The grid's barrier is arrived at, and not waited for. */
KERNEL(grid_barrier_without_wait)
{
    cg::grid_group grid = cg::this_grid();
    x[B * 64 + T] = T + 1; // <-
    auto token = grid.barrier_arrive();
    x[1024 + B * 64 + T] = x[(1 - B) * 64 + T]; // <-
    grid.barrier_wait(std::move(token));
}

/* ---- readers: all of them must be done before the word is written ---- */

/* Nothing waits for the only reader. */
KERNEL(one_reader_unordered)
{
    if (T == 0 && B == 0)
        x[1024] = x[0]; // <-
    else if (T == 0)
        x[0] = 7; // <-
}
/* The writer waits for all readers but one: the first, a middle or the last of them. */
KERNEL(first_of_two_readers_unordered)
{
    if (T == 0 && B < 2) {
        x[1024 + B] = x[0]; // <-
        if (B != 0)
            add_release_gpu(zeros, 1);
    } else if (T == 0) {
        while (load_acquire_gpu(zeros) < 1)
            ;
        x[0] = 7; // <-
    }
}
/* The last one. */
KERNEL(last_of_two_readers_unordered)
{
    if (T == 0 && B < 2) {
        x[1024 + B] = x[0]; // <-
        if (B != 1)
            add_release_gpu(zeros, 1);
    } else if (T == 0) {
        while (load_acquire_gpu(zeros) < 1)
            ;
        x[0] = 7; // <-
    }
}
/* The middle one of three. */
KERNEL(second_of_three_readers_unordered)
{
    if (T == 0 && B < 3) {
        x[1024 + B] = x[0]; // <-
        if (B != 1)
            add_release_gpu(zeros, 1);
    } else if (T == 0) {
        while (load_acquire_gpu(zeros) < 2)
            ;
        x[0] = 7; // <-
    }
}
/* More readers than a warp has lanes. */
KERNEL(first_of_33_readers_unordered)
{
    if (T == 0 && B < 33) {
        x[1024 + B] = x[0]; // <-
        if (B != 0)
            add_release_gpu(zeros, 1);
    } else if (T == 0) {
        while (load_acquire_gpu(zeros) < 32)
            ;
        x[0] = 7; // <-
    }
}
/* The 18th of 33. */
KERNEL(middle_of_33_readers_unordered)
{
    if (T == 0 && B < 33) {
        x[1024 + B] = x[0]; // <-
        if (B != 17)
            add_release_gpu(zeros, 1);
    } else if (T == 0) {
        while (load_acquire_gpu(zeros) < 32)
            ;
        x[0] = 7; // <-
    }
}
/* 33 lanes of two warps, and a writer in a third one. */
KERNEL(lane_of_33_unordered_in_shared_memory)
{
    __shared__ int data, done;
    if (T == 64)
        data = done = 0;
    __syncthreads();
    if (T < 33) {
        x[T] = data; // <-
        __threadfence_block();
        if (T != 21)
            atomicAdd_block(&done, 1);
    } else if (T == 64) {
        while (atomicAdd_block(&done, 0) < 32)
            ;
        __threadfence_block();
        data = 7; // <-
    }
}

/* ---- the non-coherent path: only for what no thread of the launch writes (ld.global.nc) ---- */

/* The barrier orders the write, but __ldg may find an older line in the cache. */
KERNEL(ldg_of_other_threads_word)
{
    x[T] = T + 1; // <-
    __syncthreads();
    x[1024 + T] = __ldg(&x[63 - T]); // <-
}
/* Not even its own write must be seen. */
KERNEL(ldg_of_own_word)
{
    x[T] = T + 1;               // <-
    x[1024 + T] = __ldg(&x[T]); // <-
}
/* No barrier makes the non-coherent path coherent. */
KERNEL(ldg_after_grid_sync)
{
    x[B * 64 + T] = T + 1; // <-
    cg::this_grid().sync();
    x[1024 + B * 64 + T] = __ldg(&x[(1 - B) * 64 + T]); // <-
}
/* One of the words of a vector was written by this launch. */
KERNEL(ldg_of_vector_with_written_word)
{
    if (T == 0)
        x[5] = 7; // <-
    __syncthreads();
    int4 v = __ldg((const int4 *)x + T); // <-
    x[1024 + T] = v.x + v.y + v.z + v.w;
}
/* Rightly released and acquired, and read by ld.global.nc. */
KERNEL(nc_load_behind_a_flag)
{
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        store_release_gpu(zeros, 1);
    } else if (T == 0) {
        int v;
        while (load_acquire_gpu(zeros) == 0)
            ;
        asm volatile("ld.global.nc.s32 %0, [%1];" : "=r"(v) : "l"(x)); // <-
        x[1024] = v;
    }
}

/* ---- asynchronous copies and barriers in shared memory ---- */

/* The copy may read its source until it has been waited for. */
KERNEL(async_source_changed_by_its_thread)
{
    __shared__ int s[64];
    __pipeline_memcpy_async(&s[T], &x[T], 4); // <-
    __pipeline_commit();
    x[T] = 0; // <-
    __pipeline_wait_prior(0);
    x[1024 + T] = s[T];
}
/* A barrier does not wait for copies. */
KERNEL(async_source_changed_by_neighbor)
{
    __shared__ int s[64];
    __pipeline_memcpy_async(&s[T], &x[T], 4); // <-
    __pipeline_commit();
    __syncthreads();
    x[(T + 1) % 64] = 0; // <-
    __pipeline_wait_prior(0);
    x[1024 + T] = s[T];
}
/* The destination is written while the copy is under way. */
KERNEL(async_destination_written)
{
    __shared__ int s[64];
    __pipeline_memcpy_async(&s[T], &x[T], 4); // <-
    __pipeline_commit();
    s[T] = 5; // <-
    __pipeline_wait_prior(0);
    x[1024 + T] = s[T];
}
/* cp.async.wait_group waits for committed groups only. */
KERNEL(async_not_committed)
{
    __shared__ int s[64];
    s[T] = 0;
    __syncthreads();
    __pipeline_memcpy_async(&s[T], &x[T], 4); // <-
    __pipeline_wait_prior(0);
    x[1024 + T] = s[T]; // <-
    asm volatile("cp.async.wait_all;" ::: "memory");
}
/* Thread 0 waits for its own copy, not for those of the others. */
KERNEL(async_waited_for_by_one_thread)
{
    __shared__ int s[64];
    s[T] = 0;
    __syncthreads();
    __pipeline_memcpy_async(&s[T], &x[T], 4); // <-
    __pipeline_commit();
    if (T == 0)
        __pipeline_wait_prior(0);
    __syncthreads();
    x[1024 + T] = s[63 - T]; // <-
    __pipeline_wait_prior(0);
}
/* The buffer is filled again before its readers are done. */
KERNEL(async_refill_without_barrier)
{
    __shared__ int s[64];
    for (int k = 0; k < 2; k++) {
        __pipeline_memcpy_async(&s[T], &x[64 * k + T], 4); // <-
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        x[1024 + 64 * k + T] = s[63 - T]; // <-
    }
}
/* The pipeline's stage is read before consumer_wait(). */
KERNEL(pipeline_without_consumer_wait)
{
    __shared__ int s[64];
    s[T] = 0;
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&s[T], &x[T], sizeof(int), pipe); // <-
    pipe.producer_commit();
    x[1024 + T] = s[T]; // <-
    pipe.consumer_wait();
    pipe.consumer_release();
}
/* cg::memcpy_async needs cg::wait: a barrier is not enough. */
KERNEL(group_copy_without_wait)
{
    __shared__ int s[64];
    s[T] = 0;
    __syncthreads();
    cg::memcpy_async(cg::this_thread_block(), s, x, sizeof s); // <-
    __syncthreads();
    x[1024 + T] = s[63 - T]; // <-
    cg::wait(cg::this_thread_block());
}
typedef cuda::barrier<cuda::thread_scope_block> block_barrier;
/* Arrives, and reads before it waits. */
KERNEL(barrier_object_arrive_without_wait)
{
    __shared__ __align__(8) char storage[sizeof(block_barrier)];
    __shared__ int s[64];
    block_barrier &barrier = *(block_barrier *)storage;
    if (T == 0)
        init(&barrier, 64);
    __syncthreads();
    s[T] = x[T]; // <-
    auto token = barrier.arrive();
    x[T] = s[63 - T]; // <-
    barrier.wait(std::move(token));
}
/* Writes after it has arrived. */
KERNEL(barrier_object_write_after_arrive)
{
    __shared__ __align__(8) char storage[sizeof(block_barrier)];
    __shared__ int s[64];
    block_barrier &barrier = *(block_barrier *)storage;
    if (T == 0)
        init(&barrier, 64);
    __syncthreads();
    auto token = barrier.arrive();
    s[T] = x[T]; // <-
    barrier.wait(std::move(token));
    x[T] = s[63 - T]; // <-
}
/* Half of the threads are expected: the phase ends before the others have written. */
KERNEL(barrier_object_expects_too_few)
{
    __shared__ __align__(8) char storage[sizeof(block_barrier)];
    __shared__ int s[64];
    block_barrier &barrier = *(block_barrier *)storage;
    if (T == 0)
        init(&barrier, 32);
    __syncthreads();
    s[T] = x[T]; // <-
    barrier.arrive_and_wait();
    x[T] = s[63 - T]; // <-
}
/* The copy is bound to the barrier, and read before the barrier's phase ends. */
KERNEL(barrier_object_copy_not_waited_for)
{
    __shared__ __align__(8) char storage[sizeof(block_barrier)];
    __shared__ int s[64];
    block_barrier &barrier = *(block_barrier *)storage;
    if (T == 0)
        init(&barrier, 64);
    s[T] = 0;
    __syncthreads();
    cuda::memcpy_async(&s[T], &x[T], sizeof(int), barrier); // <-
    __syncthreads();
    x[1024 + T] = s[63 - T]; // <-
    barrier.arrive_and_wait();
}
/* More arrivals are expected than there are threads. */
KERNEL(barrier_object_expects_too_many)
{
    __shared__ __align__(8) char storage[sizeof(block_barrier)];
    block_barrier &barrier = *(block_barrier *)storage;
    if (T == 0)
        init(&barrier, 65);
    __syncthreads();
    x[T] = 1;
    unsigned address = (unsigned)__cvta_generic_to_shared(storage), done;
    unsigned long long state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(address) : "memory");
    do
        asm volatile(
            "{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" // <- or
            : "=r"(done)
            : "r"(address), "l"(state) // <- or
            : "memory");
    while (!done); // <- or
}

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

extern "C" const struct hazard_program wrong_scopes_programs[];
const struct hazard_program wrong_scopes_programs[] = {
    WRONG(block_atomics_of_several_blocks, 4, 32, SCOPE),
    WRONG(block_atomic_beside_device_atomic, 4, 32, SCOPE),
    WRONG(histogram_with_block_atomics, 4, 64, SCOPE),
    WRONG(float_sum_with_block_atomics, 4, 32, SCOPE),
    WRONG(maximum_with_block_atomics, 4, 32, SCOPE),
    WRONG(lock_taken_in_block_scope, 4, 32, SCOPE),
    WRONG(lock_released_in_block_scope, 4, 32, SCOPE),
    WRONG_GRID(flag_set_in_block_scope, 2, 32, SCOPE),
    WRONG_GRID(flag_polled_in_block_scope, 2, 32, SCOPE),
    WRONG(last_block_counted_in_block_scope, 4, 64, SCOPE),
    WRONG(tickets_in_block_scope, 4, 32, SCOPE),
    WRONG(atomic_ref_of_block_scope, 4, 32, SCOPE),
    WRONG_GRID(relaxed_store_of_block_scope, 2, 32, SCOPE),
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
    WRONG_GRID(release_of_block_scope, 2, 32, SCOPE),
    WRONG_GRID(acquire_of_block_scope, 2, 32, SCOPE),
    WRONG_GRID(relaxed_store_acquire_load, 2, 32, GLOBAL),
    WRONG_GRID(release_store_relaxed_load, 2, 32, GLOBAL),
    WRONG_GRID(release_of_another_word, 2, 32, GLOBAL),
    WRONG_GRID(acquire_of_another_word, 2, 32, GLOBAL),
    WRONG_GRID(narrow_fence_before_wide_store, 2, 32, SCOPE),
    WRONG_GRID(wide_fence_before_narrow_store, 2, 32, SCOPE),
    WRONG_GRID(counted_with_release_of_block_scope, 3, 32, SCOPE),
    WRONG_GRID(atomic_ref_flag_relaxed, 2, 32, GLOBAL),
    WRONG_GRID(atomic_ref_flag_not_acquired, 2, 32, GLOBAL),
    WRONG_GRID(atomic_ref_flag_not_released, 2, 32, GLOBAL),
    WRONG_GRID(atomic_ref_flag_of_block_scope, 2, 32, SCOPE),
    WRONG_GRID(atomic_ref_seq_cst_of_block_scope, 2, 32, SCOPE),
    WRONG(atomic_ref_counter_releases_only, 4, 64, GLOBAL),
    WRONG(atomic_ref_counter_acquires_only, 4, 64, GLOBAL),
    WRONG(atomic_ref_lock_released_relaxed, 4, 32, GLOBAL),
    WRONG(atomic_ref_lock_taken_relaxed, 4, 32, GLOBAL),
    WRONG_GRID(thread_fence_of_block_scope, 2, 32, SCOPE),
    WRONG_GRID(volatile_flag_without_fences, 2, 32, GLOBAL),
    WRONG_GRID(volatile_flag_fenced_by_the_writer_only, 2, 32, GLOBAL),
    WRONG(volatile_shared_flag_without_fences, 1, 64, SHARED),
    WRONG_GRID(volatile_data_and_flag, 2, 32, VOLATILE),
    WRONG(volatile_counter, 4, 32, VOLATILE),
    WRONG(volatile_shared_counter, 1, 128, VOLATILE),
    WRONG(volatile_exchange_in_a_warp, 1, 32, VOLATILE),
    WRONG_GRID(volatile_read_of_plain_write, 2, 32, GLOBAL),
    WRONG_GRID(plain_read_of_volatile_write, 2, 32, GLOBAL),
    WRONG(volatile_partial_results, 4, 64, VOLATILE),
    WRONG_GRID(half_of_a_wide_counter, 2, 32, GLOBAL),
    WRONG_GRID(swap_of_two_bytes_in_a_counter, 2, 32, GLOBAL),
    WRONG(wide_and_narrow_in_shared_memory, 1, 64, SHARED),
    WRONG_GRID(relaxed_pair_read_beside_relaxed_word, 2, 32, GLOBAL),
    WRONG_GRID(middle_relays_relaxed, 3, 32, GLOBAL),
    WRONG_GRID(middle_releases_only, 3, 32, GLOBAL),
    WRONG_GRID(middle_acquires_only, 3, 32, GLOBAL),
    WRONG_GRID(middle_fences_for_block, 3, 32, SCOPE),
    WRONG_GRID(middle_overwrites_the_flag, 3, 32, GLOBAL),
    WRONG_GRID(third_waits_for_the_wrong_one, 3, 32, GLOBAL),
    WRONG(both_warps_only_arrive, 1, 64, SHARED),
    WRONG(producer_arrives_before_it_writes, 1, 64, SHARED),
    WRONG(producer_does_not_wait_until_empty, 1, 64, SHARED),
    WRONG(consumer_arrives_only, 1, 64, SHARED),
    WRONG(syncwarp_of_each_half, 1, 32, SHARED),
    WRONG(syncwarp_of_odd_and_even_lanes, 1, 32, SHARED),
    WRONG(tile_narrower_than_its_data, 1, 64, SHARED),
    WRONG(coalesced_group_reads_other_branch, 1, 32, SHARED),
    WRONG(partition_by_label, 1, 32, SHARED),
    WRONG(binary_partition_reads_other_part, 1, 32, SHARED),
    WRONG(vote_instead_of_syncwarp, 1, 32, SHARED),
    WRONG(shuffle_instead_of_syncwarp, 1, 32, SHARED),
    WRONG(syncwarp_in_one_branch, 1, 32, SHARED),
    WRONG(second_exchange_without_syncwarp, 1, 32, SHARED),
    WRONG(tile_syncs_in_one_branch, 1, 32, SHARED),
    WRONG_GRID(grid_barrier_without_wait, 2, 64, GLOBAL),
    WRONG_GRID(one_reader_unordered, 2, 32, GLOBAL),
    WRONG_GRID(first_of_two_readers_unordered, 3, 32, GLOBAL),
    WRONG_GRID(last_of_two_readers_unordered, 3, 32, GLOBAL),
    WRONG_GRID(second_of_three_readers_unordered, 4, 32, GLOBAL),
    WRONG_GRID(first_of_33_readers_unordered, 34, 32, GLOBAL),
    WRONG_GRID(middle_of_33_readers_unordered, 34, 32, GLOBAL),
    WRONG(lane_of_33_unordered_in_shared_memory, 1, 96, SHARED),
    WRONG(ldg_of_other_threads_word, 1, 64, NON_COHERENT),
    WRONG(ldg_of_own_word, 1, 64, NON_COHERENT),
    WRONG_GRID(ldg_after_grid_sync, 2, 64, NON_COHERENT),
    WRONG(ldg_of_vector_with_written_word, 1, 64, NON_COHERENT),
    WRONG_GRID(nc_load_behind_a_flag, 2, 32, NON_COHERENT),
    WRONG(async_source_changed_by_its_thread, 1, 64, GLOBAL),
    WRONG(async_source_changed_by_neighbor, 1, 64, GLOBAL),
    WRONG(async_destination_written, 1, 64, SHARED),
    WRONG(async_not_committed, 1, 64, SHARED),
    WRONG(async_waited_for_by_one_thread, 1, 64, SHARED),
    WRONG(async_refill_without_barrier, 1, 64, SHARED),
    WRONG(pipeline_without_consumer_wait, 1, 64, SHARED),
    WRONG(group_copy_without_wait, 1, 64, SHARED),
    WRONG(barrier_object_arrive_without_wait, 1, 64, SHARED),
    WRONG(barrier_object_write_after_arrive, 1, 64, SHARED),
    WRONG(barrier_object_expects_too_few, 1, 64, SHARED),
    WRONG(barrier_object_copy_not_waited_for, 1, 64, SHARED),
    WRONG(barrier_object_expects_too_many, 1, 64, DEADLOCK),
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
    {},
};
