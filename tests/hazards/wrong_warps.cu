/*
 * Wrong kernels: warps whose lanes are not synchronized, groups, pipelines and flags, each a mistake in code that works in
 * right_warps.cu. Lines that a report must name end with "// <-", as in wrong.cu.
 */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cuda/atomic>
#include <cuda_pipeline.h>
#include <mma.h>

#include "tests/hazards/kernels.h"
namespace cg = cooperative_groups;

/* ---- a missing __syncwarp() ---- */

KERNEL(warp_sum_volatile)
{
    __shared__ volatile int s[64];
    s[T] = x[T]; // <-
    for (int d = 16; d > 0; d /= 2)
        if (T % 32 < d)
            s[T] += s[T + d]; // <-
    if (T % 32 == 0)
        x[1024 + T] = s[T];
}
KERNEL(warp_sum_plain)
{
    __shared__ int s[64];
    s[T] = x[T];
    __syncwarp();
    for (int d = 16; d > 0; d /= 2)
        if (T % 32 < d)
            s[T] += s[T + d]; // <-
    __syncwarp();
    if (T % 32 == 0)
        x[1024 + T] = s[T];
}
KERNEL(unrolled_last_warp)
{
    __shared__ volatile int s[128];
    s[T] = x[T];
    __syncthreads();
    if (T < 64)
        s[T] += s[T + 64]; // <- or
    __syncthreads();
    if (T < 32) {
        s[T] += s[T + 32]; // <- or
        s[T] += s[T + 16]; // <- or
        s[T] += s[T + 8];  // <- or
        s[T] += s[T + 4];  // <- or
        s[T] += s[T + 2];  // <- or
        s[T] += s[T + 1];  // <- or
    }
    if (T == 0)
        x[1024] = s[0];
}
KERNEL(neighbor_without_syncwarp)
{
    __shared__ int s[32];
    s[T] = x[T];                   // <-
    x[1024 + T] = s[(T + 1) % 32]; // <-
}
KERNEL(shuffle_is_no_syncwarp)
{
    __shared__ int s[32];
    s[T] = x[T]; // <-
    int v = __shfl_xor_sync(FULL, T, 1);
    x[1024 + T] = s[v]; // <-
}
KERNEL(ballot_is_no_syncwarp)
{
    __shared__ int s[32];
    if (T % 2)
        s[T] = x[T]; // <-
    unsigned odd = __ballot_sync(FULL, T % 2);
    x[1024 + T] = s[__ffs((int)odd) - 1]; // <-
}
KERNEL(syncwarp_of_half)
{
    __shared__ int s[32];
    s[T] = x[T]; // <-
    if (T < 16)
        __syncwarp(0x0000ffff);
    else
        __syncwarp(0xffff0000);
    x[1024 + T] = s[31 - T]; // <-
}
KERNEL(no_syncwarp_before_the_next_turn)
{
    __shared__ int s[32];
    int v = x[T];
    for (int d = 1; d < 32; d *= 2) {
        s[T] = v; // <-
        __syncwarp();
        v += s[(T + d) % 32]; // <-
    }
    x[1024 + T] = v;
}
KERNEL(shuffle_in_a_branch)
{
    int v = x[T];
    if (T < 16)
        v += __shfl_down_sync(FULL, v, 8); // <-
    x[1024 + T] = v;
}
KERNEL(lane_tells_through_global_memory)
{
    if (T == 0)
        x[2000] = x[5] * 3; // <-
    x[1024 + T] = x[2000];  // <-
}

/* ---- groups ---- */

KERNEL(tile_sync_of_another_size)
{
    __shared__ int s[32];
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    s[T] = x[T]; // <-
    tile.sync();
    x[1024 + T] = s[T ^ 8]; // <-
}
KERNEL(block_sync_forgotten_between_tiles)
{
    __shared__ int sums[4];
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    const int sum = cg::reduce(tile, x[T], cg::plus<int>());
    if (tile.thread_rank() == 0)
        sums[T / 32] = sum; // <-
    tile.sync();
    if (T == 0)
        x[1024] = sums[0] + sums[1] + sums[2] + sums[3]; // <-
}
KERNEL(memcpy_async_not_waited_for)
{
    __shared__ int s[64];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, s, x, sizeof s); // <-
    x[1024 + T] = s[63 - T];                 // <-
    cg::wait(block);
}
KERNEL(grid_sync_replaced_by_block_sync)
{
    const int i = B * 64 + T;
    fresh[i] = x[i]; // <-
    __threadfence();
    __syncthreads();
    x[1024 + i] = fresh[(i + 64) % 128]; // <-
}

/* ---- pipelines ---- */

KERNEL(pipeline_one_stage_too_many_in_flight)
{
    __shared__ int s[2][32];
    for (int k = 0; k < 2; k++) {
        __pipeline_memcpy_async(&s[k][T], &x[32 * k + T], 4);
        __pipeline_commit();
    }
    int sum = 0;
    for (int k = 0; k < 4; k++) {
        __pipeline_wait_prior(k < 3 ? 1 : 0);
        __syncwarp();
        sum += s[k % 2][31 - T]; // <-
        if (k < 2)
            __pipeline_memcpy_async(&s[k % 2][T], &x[32 * (k + 2) + T], 4); // <-
        __pipeline_commit();
    }
    x[1024 + T] = sum;
}

/* ---- flags, scopes ---- */

KERNEL(message_with_relaxed_flag)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(zeros[0]);
    if (B == 0 && T == 0) {
        x[1024] = 7; // <-
        flag.store(1, cuda::std::memory_order_relaxed);
    } else if (B == 1 && T == 0) {
        while (flag.load(cuda::std::memory_order_acquire) == 0)
            ;
        x[1025] = x[1024]; // <-
    }
}
KERNEL(message_of_block_scope)
{
    cuda::atomic_ref<int, cuda::thread_scope_block> flag(zeros[0]);
    if (B == 0 && T == 0) {
        x[1024] = 7;                                    // <- or
        flag.store(1, cuda::std::memory_order_release); // <- or
    } else if (B == 1 && T == 0) {
        for (int i = 0; i < 100 && flag.load(cuda::std::memory_order_acquire) == 0; i++) // <- or
            ;
        x[1025] = x[1024]; // <- or
    }
}
KERNEL(counter_read_plainly)
{
    atomicAdd(&zeros[0], 1); // <-
    if (zeros[0] == 64)      // <-
        x[1024] = 1;
}
KERNEL(fence_before_the_data)
{
    if (B == 0 && T == 0) {
        __threadfence();
        x[1024] = 7; // <-
        atomicExch(&zeros[0], 1);
    } else if (B == 1 && T == 0) {
        while (atomicAdd(&zeros[0], 0) == 0)
            ;
        __threadfence();
        x[1025] = x[1024]; // <-
    }
}
KERNEL(barrier_in_one_warp_only)
{
    __shared__ int s[64];
    s[T] = x[T];
    if (T < 32)
        __syncthreads(); // <-
    x[1024 + T] = s[63 - T];
}

/* ---- matrices in registers ---- */

KERNEL(matrix_read_without_barrier)
{
    __shared__ __align__(16) int s[256];
    int d, e;
    *(int4 *)&s[4 * T] = *(int4 *)&x[4 * T]; // <-
    const unsigned from = (unsigned)__cvta_generic_to_shared(&s[4 * (63 - T)]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(d), "=r"(e)
                 : "r"(from)); // <-
    x[1024 + T] = d + e;
}
KERNEL(matrix_sum_not_cleared)
{
    using namespace nvcuda::wmma;
    fragment<matrix_a, 16, 16, 16, __half, row_major> a;
    fragment<matrix_b, 16, 16, 16, __half, col_major> b;
    fragment<accumulator, 16, 16, 16, float> sum;
    load_matrix_sync(a, (const __half *)x, 16);
    load_matrix_sync(b, (const __half *)x, 16);
    mma_sync(sum, a, b, sum); // <-
    store_matrix_sync((float *)x + 1024, sum, 16, mem_row_major);
}
KERNEL(matrix_stored_and_read_without_syncwarp)
{
    using namespace nvcuda::wmma;
    __shared__ __align__(32) float s[256];
    fragment<accumulator, 16, 16, 16, float> sum;
    fill_fragment(sum, 1.0f);
    store_matrix_sync(s, sum, 16, mem_row_major); // <-
    x[1024 + T] = (int)s[8 * T + 7];              // <-
}
KERNEL(matrix_moved_by_half_of_a_warp)
{
    int d = x[T];
    if (T < 16)
        asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(d) : "r"(d)); // <-
    x[1024 + T] = d;
}

extern "C" const struct hazard_program wrong_warps_programs[] = {
    WRONG(warp_sum_volatile, 1, 64, SHARED),
    WRONG(warp_sum_plain, 1, 64, SHARED),
    WRONG(unrolled_last_warp, 1, 128, SHARED),
    WRONG(neighbor_without_syncwarp, 1, 32, SHARED),
    WRONG(shuffle_is_no_syncwarp, 1, 32, SHARED),
    WRONG(ballot_is_no_syncwarp, 1, 32, SHARED),
    WRONG(syncwarp_of_half, 1, 32, SHARED),
    WRONG(no_syncwarp_before_the_next_turn, 1, 32, SHARED),
    WRONG(shuffle_in_a_branch, 1, 32, MASK),
    WRONG(lane_tells_through_global_memory, 1, 32, GLOBAL),
    WRONG(tile_sync_of_another_size, 1, 32, SHARED),
    WRONG(block_sync_forgotten_between_tiles, 1, 128, SHARED),
    WRONG(memcpy_async_not_waited_for, 1, 64, SHARED),
    WRONG_GRID(grid_sync_replaced_by_block_sync, 2, 64, GLOBAL),
    WRONG(pipeline_one_stage_too_many_in_flight, 1, 32, SHARED),
    WRONG_GRID(message_with_relaxed_flag, 2, 32, GLOBAL),
    WRONG_GRID(message_of_block_scope, 2, 32, SCOPE),
    WRONG(counter_read_plainly, 1, 64, GLOBAL),
    WRONG_GRID(fence_before_the_data, 2, 32, GLOBAL),
    WRONG(barrier_in_one_warp_only, 1, 64, BARRIER),
    WRONG(matrix_read_without_barrier, 1, 64, SHARED),
    WRONG(matrix_sum_not_cleared, 1, 32, UNINITIALIZED),
    WRONG(matrix_stored_and_read_without_syncwarp, 1, 32, SHARED),
    WRONG(matrix_moved_by_half_of_a_warp, 1, 32, MASK),
    {},
};
