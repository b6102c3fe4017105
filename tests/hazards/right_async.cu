/* Right kernels: asynchronous copies, and barriers in shared memory. Sections are those of the PTX ISA's memory consistency model. */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

#include "tests/hazards/orders.h"

#include "tests/hazards/kernels.h"
namespace cg = cooperative_groups;

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

static __device__ __align__(16) int thirteen[13] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};
/* Of the last 16 bytes, the memory holds four; the copy reads these, and writes zeros for the others. */
KERNEL(async_part_at_the_end_of_the_memory)
{
    __shared__ __align__(16) int s[4][4];
    if (T < 4) {
        __pipeline_memcpy_async(s[T], &thirteen[4 * T], 16, T == 3 ? 12 : 0);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        x[1024 + T] = s[T][0] + s[T][1] + s[T][2] + s[T][3];
    }
}
/* The words that the copy leaves out are written by another thread meanwhile, or never. */
KERNEL(async_part_beside_words_of_others)
{
    __shared__ __align__(16) int s[64][4];
    for (int i = 0; i < 3; i++)
        fresh[4 * T + i] = T + i;
    __syncthreads();
    __pipeline_memcpy_async(s[T], &fresh[4 * T], 16, 4);
    __pipeline_commit();
    if (T % 2 == 0)
        fresh[4 * (63 - T) + 3] = T;
    __pipeline_wait_prior(0);
    x[1024 + T] = s[T][0] + s[T][1] + s[T][2] + s[T][3];
}
typedef cuda::pipeline_shared_state<cuda::thread_scope_block, 2> two_stages;
/* One warp produces, three consume: each has its side of the pipeline. */
KERNEL(pipeline_of_two_roles)
{
    __shared__ __align__(8) char storage[sizeof(two_stages)];
    __shared__ int s[2][96];
    auto role = T < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipe = cuda::make_pipeline(cg::this_thread_block(), (two_stages *)storage, role);
    int sum = 0;
    for (int k = 0; k < 5; k++) {
        if (T < 32) {
            pipe.producer_acquire();
            for (int i = T; i < 96; i += 32)
                cuda::memcpy_async(&s[k & 1][i], &x[96 * k + i], sizeof(int), pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            sum += s[k & 1][127 - T];
            pipe.consumer_release();
        }
    }
    if (T >= 32)
        x[1024 + T] = sum;
}
/* One barrier per tile: it stands between the wait and the reads, and so behind the reads of the tile before. */
KERNEL(async_three_stages_with_one_barrier)
{
    __shared__ int s[3][64];
    int sum = 0;
    for (int k = 0; k < 2; k++) {
        __pipeline_memcpy_async(&s[k][T], &x[64 * k + T], 4);
        __pipeline_commit();
    }
    for (int k = 0; k < 6; k++) {
        __pipeline_wait_prior(1);
        __syncthreads();
        if (k < 4)
            __pipeline_memcpy_async(&s[(k + 2) % 3][T], &x[64 * (k + 2) + T], 4);
        __pipeline_commit();
        sum += s[k % 3][63 - T];
    }
    x[1024 + T] = sum;
}

extern "C" const struct hazard_program right_async_programs[];
const struct hazard_program right_async_programs[] = {
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
    RIGHT(async_part_at_the_end_of_the_memory, 1, 32),
    RIGHT(async_part_beside_words_of_others, 1, 64),
    RIGHT(pipeline_of_two_roles, 1, 128),
    RIGHT(async_three_stages_with_one_barrier, 1, 64),
    {},
};
