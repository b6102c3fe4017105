/*
 * Wrong kernels: scopes of atomics and of cuda::atomic_ref, atomics of different sizes. suite.c explains the marks.
 * The sentence before each says why it is wrong; sections are those of the PTX ISA's memory consistency model.
 */
#include "tests/hazards/orders.h"

#include "tests/hazards/kernels.h"

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
    WRONG_GRID(half_of_a_wide_counter, 2, 32, GLOBAL),
    WRONG_GRID(swap_of_two_bytes_in_a_counter, 2, 32, GLOBAL),
    WRONG(wide_and_narrow_in_shared_memory, 1, 64, SHARED),
    WRONG_GRID(relaxed_pair_read_beside_relaxed_word, 2, 32, GLOBAL),
    {},
};
