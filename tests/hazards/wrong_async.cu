/*
 * Wrong kernels: asynchronous copies, and barriers in shared memory. suite.c explains the marks.
 * The sentence before each says why it is wrong; sections are those of the PTX ISA's memory consistency model.
 */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

#include "tests/hazards/orders.h"

#include "tests/hazards/kernels.h"
namespace cg = cooperative_groups;

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

/* The last tile is in flight when its loop looks for it: no later group is committed, and all but one are waited for. */
KERNEL(async_last_stage_not_waited_for)
{
    __shared__ int s[2][64];
    int sum = 0;
    __pipeline_memcpy_async(&s[0][T], &x[T], 4);
    __pipeline_commit();
    for (int k = 0; k < 4; k++) {
        if (k < 3) {
            __pipeline_memcpy_async(&s[(k + 1) & 1][T], &x[64 * (k + 1) + T], 4); // <-
            __pipeline_commit();
        }
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += s[k & 1][63 - T]; // <-
        __syncthreads();
    }
    x[1024 + T] = sum;
}
/* Barriers on both sides of the read, and the wait behind both: barriers do not wait for copies. */
KERNEL(async_read_between_two_barriers)
{
    __shared__ int s[64];
    s[T] = 0;
    __syncthreads();
    __pipeline_memcpy_async(&s[T], &x[T], 4); // <-
    __pipeline_commit();
    __syncthreads();
    int v = s[63 - T]; // <-
    __syncthreads();
    __pipeline_wait_prior(0);
    x[1024 + T] = v;
}
/* The same with a store of another thread, which the copy may overwrite, or not. */
KERNEL(async_written_between_two_barriers)
{
    __shared__ int s[64];
    __pipeline_memcpy_async(&s[T], &x[T], 4); // <-
    __pipeline_commit();
    __syncthreads();
    s[63 - T] = 5; // <-
    __syncthreads();
    __pipeline_wait_prior(0);
    x[1024 + T] = s[T];
}
/* Two threads copy to one place, one after the other, and neither copy has been waited for in between. */
KERNEL(async_two_copies_to_one_place)
{
    __shared__ int s[64];
    __pipeline_memcpy_async(&s[T], &x[T], 4); // <-
    __pipeline_commit();
    __syncthreads();
    __pipeline_memcpy_async(&s[63 - T], &x[64 + T], 4); // <-
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    x[1024 + T] = s[T];
}
/* The producer tells the mbarrier of its copy before it has waited for it. */
KERNEL(async_told_before_its_wait)
{
    __shared__ __align__(8) char storage[2][sizeof(block_barrier)];
    __shared__ int s[32];
    block_barrier &full = *(block_barrier *)storage[0], &empty = *(block_barrier *)storage[1];
    if (T == 0) {
        init(&full, 64);
        init(&empty, 64);
    }
    if (T < 32)
        s[T] = 0;
    __syncthreads();
    if (T < 32) {
        __pipeline_memcpy_async(&s[T], &x[T], 4); // <-
        __pipeline_commit();
        (void)full.arrive();
        empty.arrive_and_wait();
        __pipeline_wait_prior(0);
    } else {
        full.arrive_and_wait();
        x[1024 + T] = s[63 - T]; // <-
        (void)empty.arrive();
    }
}
typedef cuda::pipeline_shared_state<cuda::thread_scope_block, 2> two_stages;
/* The stage is given back before it is read. */
KERNEL(pipeline_stage_released_before_its_use)
{
    __shared__ __align__(8) char storage[sizeof(two_stages)];
    __shared__ int s[2][64];
    auto pipe = cuda::make_pipeline(cg::this_thread_block(), (two_stages *)storage);
    int sum = 0;
    for (int k = 0, next = 0; k < 6; k++) {
        for (; next < 6 && next < k + 2; next++) {
            pipe.producer_acquire();
            cuda::memcpy_async(&s[next & 1][T], &x[64 * next + T], sizeof(int), pipe); // <-
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        pipe.consumer_release();
        sum += s[k & 1][63 - T]; // <-
    }
    x[1024 + T] = sum;
}

extern "C" const struct hazard_program wrong_async_programs[];
const struct hazard_program wrong_async_programs[] = {
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
    WRONG(async_last_stage_not_waited_for, 1, 64, SHARED),
    WRONG(async_read_between_two_barriers, 1, 64, SHARED),
    WRONG(async_written_between_two_barriers, 1, 64, SHARED),
    WRONG(async_two_copies_to_one_place, 1, 64, SHARED),
    WRONG(async_told_before_its_wait, 1, 64, SHARED),
    WRONG(pipeline_stage_released_before_its_use, 1, 64, SHARED),
    {},
};
