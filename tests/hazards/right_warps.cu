/* Right kernels: warps, groups, pipelines and flags, each the right form of one in wrong_warps.cu. */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda_pipeline.h>
#include <mma.h>

#include "tests/hazards/kernels.h"
namespace cg = cooperative_groups;

KERNEL(warp_sum_in_steps)
{
    __shared__ int s[64];
    int v = s[T] = x[T];
    __syncwarp();
    for (int d = 16; d > 0; d /= 2) {
        if (T % 32 < d)
            v += s[T + d];
        __syncwarp();
        s[T] = v;
        __syncwarp();
    }
    if (T % 32 == 0)
        x[1024 + T] = s[T];
}
KERNEL(warp_sum_by_shuffles)
{
    int v = x[T];
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(FULL, v, d);
    if (T % 32 == 0)
        x[1024 + T] = v;
}
KERNEL(last_warp_with_syncwarp)
{
    __shared__ int s[128];
    s[T] = x[T];
    __syncthreads();
    if (T < 64)
        s[T] += s[T + 64];
    __syncthreads();
    if (T < 32) {
        int v = s[T] + s[T + 32];
        for (int d = 16; d > 0; d /= 2)
            v += __shfl_xor_sync(FULL, v, d);
        if (T == 0)
            x[1024] = v;
    }
}
KERNEL(neighbor_behind_syncwarp)
{
    __shared__ int s[32];
    s[T] = x[T];
    __syncwarp();
    x[1024 + T] = s[(T + 1) % 32];
}
KERNEL(halves_by_themselves)
{
    __shared__ int s[32];
    s[T] = x[T];
    if (T < 16)
        __syncwarp(0x0000ffff);
    else
        __syncwarp(0xffff0000);
    x[1024 + T] = s[T ^ 15];
}
KERNEL(turns_with_two_syncwarps)
{
    __shared__ int s[32];
    int v = x[T];
    for (int d = 1; d < 32; d *= 2) {
        s[T] = v;
        __syncwarp();
        v += s[(T + d) % 32];
        __syncwarp();
    }
    x[1024 + T] = v;
}
KERNEL(shuffle_of_the_lanes_that_are_there)
{
    int v = x[T];
    if (T < 16)
        v += __shfl_down_sync(0xffff, v, 8, 16);
    __syncwarp();
    x[1024 + T] = v;
}
KERNEL(lane_tells_behind_syncwarp)
{
    if (T == 0)
        x[2000] = x[5] * 3;
    __syncwarp();
    x[1024 + T] = x[2000];
}
KERNEL(own_element_needs_no_sync)
{
    __shared__ volatile int s[64];
    s[T] = x[T];
    s[T] += 5;
    x[1024 + T] = s[T];
}
KERNEL(active_lanes_count)
{
    if (T % 3 == 0) {
        const unsigned mask = __activemask();
        const int leader = __ffs((int)mask) - 1;
        int base = 0;
        if (T % 32 == leader)
            base = atomicAdd(&zeros[0], __popc(mask));
        base = __shfl_sync(mask, base, leader);
        x[1024 + base + __popc(mask & ((1u << T % 32) - 1))] = 1;
    }
}
KERNEL(tile_exchanges_within)
{
    __shared__ int s[32];
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    s[T] = x[T];
    tile.sync();
    x[1024 + T] = s[T ^ 7];
}
KERNEL(sums_of_tiles)
{
    __shared__ int sums[4];
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    const int sum = cg::reduce(tile, x[T], cg::plus<int>());
    if (tile.thread_rank() == 0)
        sums[T / 32] = sum;
    __syncthreads();
    if (T == 0)
        x[1024] = sums[0] + sums[1] + sums[2] + sums[3];
}
KERNEL(scan_of_a_tile)
{
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    x[1024 + T] = cg::inclusive_scan(tile, x[T]);
}
KERNEL(memcpy_async_and_wait)
{
    __shared__ int s[64];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, s, x, sizeof s);
    cg::wait(block);
    x[1024 + T] = s[63 - T];
}
KERNEL(grid_sync_between)
{
    const int i = B * 64 + T;
    fresh[i] = x[i];
    cg::this_grid().sync();
    x[1024 + i] = fresh[(i + 64) % 128];
}
KERNEL(pipeline_of_two_stages)
{
    __shared__ int s[2][32];
    for (int k = 0; k < 2; k++) {
        __pipeline_memcpy_async(&s[k][T], &x[32 * k + T], 4);
        __pipeline_commit();
    }
    int sum = 0;
    for (int k = 0; k < 4; k++) {
        __pipeline_wait_prior(1);
        __syncwarp();
        sum += s[k % 2][31 - T];
        __syncwarp();
        if (k < 2)
            __pipeline_memcpy_async(&s[k % 2][T], &x[32 * (k + 2) + T], 4);
        __pipeline_commit();
    }
    x[1024 + T] = sum;
}
KERNEL(message_with_release)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(zeros[0]);
    if (B == 0 && T == 0) {
        x[1024] = 7;
        flag.store(1, cuda::std::memory_order_release);
    } else if (B == 1 && T == 0) {
        while (flag.load(cuda::std::memory_order_acquire) == 0)
            ;
        x[1025] = x[1024];
    }
}
KERNEL(message_within_a_block)
{
    __shared__ int data, word;
    if (T == 0)
        word = 0;
    __syncthreads();
    cuda::atomic_ref<int, cuda::thread_scope_block> flag(word);
    if (T == 0) {
        data = x[7];
        flag.store(1, cuda::std::memory_order_release);
    } else if (T == 32) {
        while (flag.load(cuda::std::memory_order_acquire) == 0)
            ;
        x[1025] = data;
    }
}
KERNEL(last_thread_knows)
{
    x[1024 + T] = x[T] * 2;
    __threadfence();
    if (atomicAdd(&zeros[0], 1) == 63) {
        __threadfence();
        int sum = 0;
        for (int i = 0; i < 64; i++)
            sum += x[1024 + i];
        x[2000] = sum;
    }
}
KERNEL(named_barrier_for_one_warp)
{
    __shared__ int s[64];
    s[T] = x[T];
    if (T < 32)
        asm volatile("bar.sync 1, 32;" ::: "memory");
    else
        asm volatile("bar.sync 2, 32;" ::: "memory");
    x[1024 + T] = s[T ^ 31];
}

/* Two halves of a block work apart, each with a barrier of its own. */
KERNEL(two_halves_with_named_barriers)
{
    __shared__ int s[2][64];
    int half = T / 64, t = T % 64;
    for (int k = 0; k < 3; k++) {
        s[half][t] = x[T] + k;
        if (half == 0)
            asm volatile("bar.sync 1, 64;" ::: "memory");
        else
            asm volatile("bar.sync 2, 64;" ::: "memory");
        x[1024 + T] = s[half][63 - t];
        if (half == 0)
            asm volatile("bar.sync 1, 64;" ::: "memory");
        else
            asm volatile("bar.sync 2, 64;" ::: "memory");
    }
}
/* Reductions and scans of cooperative groups. */
KERNEL(group_reduce_and_scan)
{
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int sum = cg::reduce(tile, x[T], cg::plus<int>());
    int before = cg::exclusive_scan(tile, x[T], cg::plus<int>());
    x[T] = sum + before;
}
/* One thread of the block reads what all wrote, after a barrier of the group. */
KERNEL(group_sync)
{
    __shared__ int s[64];
    cg::thread_block block = cg::this_thread_block();
    s[block.thread_rank()] = x[T];
    block.sync();
    if (block.thread_rank() == 0) {
        int sum = 0;
        for (int k = 0; k < 64; k++)
            sum += s[k];
        x[0] = sum;
    }
}

/* ---- matrices in registers ---- */

KERNEL(matrix_read_after_barrier)
{
    __shared__ __align__(16) int s[256];
    int d, e;
    *(int4 *)&s[4 * T] = *(int4 *)&x[4 * T];
    __syncthreads();
    const unsigned from = (unsigned)__cvta_generic_to_shared(&s[4 * (63 - T)]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(d), "=r"(e) : "r"(from));
    x[1024 + T] = d + e;
}
/* Each warp has a tile of its own. */
KERNEL(matrix_product_in_shared_memory)
{
    using namespace nvcuda::wmma;
    __shared__ __align__(32) __half s[2][256];
    __shared__ __align__(32) float out[2][256];
    fragment<matrix_a, 16, 16, 16, __half, row_major> a;
    fragment<matrix_b, 16, 16, 16, __half, col_major> b;
    fragment<accumulator, 16, 16, 16, float> sum;
    const int warp = T / 32;
    for (int i = T % 32; i < 256; i += 32)
        s[warp][i] = __int2half_rn(x[i] % 8);
    __syncwarp();
    load_matrix_sync(a, s[warp], 16);
    load_matrix_sync(b, s[warp], 16);
    fill_fragment(sum, 0.0f);
    mma_sync(sum, a, b, sum);
    store_matrix_sync(out[warp], sum, 16, mem_row_major);
    __syncwarp();
    x[1024 + T] = (int)out[warp][8 * (T % 32) + 3];
}

extern "C" const struct hazard_program right_warps_programs[] = {
    RIGHT(warp_sum_in_steps, 1, 64),
    RIGHT(warp_sum_by_shuffles, 1, 64),
    RIGHT(last_warp_with_syncwarp, 1, 128),
    RIGHT(neighbor_behind_syncwarp, 1, 32),
    RIGHT(halves_by_themselves, 1, 32),
    RIGHT(turns_with_two_syncwarps, 1, 32),
    RIGHT(shuffle_of_the_lanes_that_are_there, 1, 32),
    RIGHT(lane_tells_behind_syncwarp, 1, 32),
    RIGHT(own_element_needs_no_sync, 1, 64),
    RIGHT(active_lanes_count, 1, 64),
    RIGHT(tile_exchanges_within, 1, 32),
    RIGHT(sums_of_tiles, 1, 128),
    RIGHT(scan_of_a_tile, 1, 64),
    RIGHT(memcpy_async_and_wait, 1, 64),
    RIGHT_GRID(grid_sync_between, 2, 64),
    RIGHT(pipeline_of_two_stages, 1, 32),
    RIGHT_GRID(message_with_release, 2, 32),
    RIGHT(message_within_a_block, 1, 64),
    RIGHT(last_thread_knows, 1, 64),
    RIGHT(named_barrier_for_one_warp, 1, 64),
    RIGHT(two_halves_with_named_barriers, 1, 128),
    RIGHT(group_reduce_and_scan, 1, 64),
    RIGHT(group_sync, 1, 64),
    RIGHT(matrix_read_after_barrier, 1, 64),
    RIGHT(matrix_product_in_shared_memory, 1, 64),
    {},
};
