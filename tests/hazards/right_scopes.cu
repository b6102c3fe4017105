/* Right kernels: scopes of atomics and of cuda::atomic_ref, atomics of different sizes. Sections are those of the PTX ISA's memory consistency model. */
#include <cooperative_groups.h>

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
    RIGHT_GRID(atomic_ref_flag, 2, 32),
    RIGHT_GRID(atomic_ref_flag_seq_cst, 2, 32),
    RIGHT(atomic_ref_counter, 4, 64),
    RIGHT(atomic_ref_lock, 6, 32),
    RIGHT(atomic_ref_lock_by_compare_and_swap, 6, 32),
    RIGHT_GRID(thread_fences_of_device_scope, 2, 32),
    RIGHT_GRID(atomic_ref_wait_and_notify, 2, 32),
    RIGHT(atomic_ref_of_one_thread, 4, 64),
    RIGHT(swaps_of_neighboring_halves, 4, 64),
    RIGHT_GRID(wide_then_narrow_counter, 2, 64),
    RIGHT(wide_and_narrow_counters_apart, 4, 64),
    {},
};
