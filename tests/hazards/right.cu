/* Right kernels, about barriers and warps: no report may come, under any order of warps and blocks. */
#include <cooperative_groups.h>

#include "tests/hazards/kernels.h"
namespace cg = cooperative_groups;

/* ---- barriers ---- */

KERNEL(reverse_with_barrier)
{
    __shared__ int s[128];
    s[T] = x[T];
    __syncthreads();
    x[T] = s[127 - T];
}
KERNEL(tree)
{
    __shared__ int s[128];
    s[T] = x[T];
    for (int d = 64; d > 0; d /= 2) {
        __syncthreads();
        if (T < d)
            s[T] += s[T + d];
    }
    if (T == 0)
        x[0] = s[0];
}
KERNEL(transpose_tile_with_barrier)
{
    __shared__ int s[16][17];
    s[T / 16][T % 16] = x[T];
    __syncthreads();
    x[T] = s[T % 16][T / 16];
}
KERNEL(halo)
{
    __shared__ int s[130];
    s[T + 1] = x[T];
    if (T < 2)
        s[129 * T] = 0;
    __syncthreads();
    x[T + 128] = s[T] + s[T + 1] + s[T + 2];
}
KERNEL(scan)
{
    __shared__ int s[128];
    s[T] = x[T];
    for (int d = 1; d < 128; d *= 2) {
        __syncthreads();
        int v = T >= d ? s[T - d] : 0;
        __syncthreads();
        s[T] += v;
    }
    x[T] = s[T];
}
KERNEL(double_buffer)
{
    __shared__ int s[2][128];
    s[0][T] = x[T];
    for (int k = 0; k < 4; k++) {
        __syncthreads();
        s[(k + 1) & 1][T] = s[k & 1][(T + 1) % 128] + 1;
    }
    x[T] = s[0][T];
}
KERNEL(tiles)
{
    __shared__ int s[128];
    int sum = 0;
    for (int k = 0; k < 4; k++) {
        s[T] = x[128 * k + T];
        __syncthreads();
        sum += s[127 - T];
        __syncthreads();
    }
    x[T + 1024] = sum;
}
KERNEL(shared_histogram)
{
    __shared__ int s[8];
    if (T < 8)
        s[T] = 0;
    __syncthreads();
    atomicAdd(&s[x[T] % 8], 1);
    __syncthreads();
    if (T < 8)
        x[T] = s[T];
}
KERNEL(same_value_by_all)
{
    __shared__ int s;
    s = 1; /* everybody writes the same: no order gives another result */
    __syncthreads();
    x[T] = s;
}
KERNEL(broadcast)
{
    __shared__ int s;
    if (T == 0)
        s = x[0];
    __syncthreads();
    x[T + 256] = s;
}
KERNEL(barrier_in_uniform_branch)
{
    __shared__ int s[128];
    s[T] = x[T];
    if (x[2000] == 2000)
        __syncthreads();
    x[T] = s[127 - T];
}
KERNEL(named_barriers)
{
    __shared__ int s[128];
    s[T] = x[T];
    if (T < 64)
        asm volatile("bar.sync 1, 64;" ::: "memory");
    else
        asm volatile("bar.sync 2, 64;" ::: "memory");
    x[T] = s[T ^ 63];
}
KERNEL(producer_and_consumer_warps)
{
    __shared__ int s[32];
    for (int k = 0; k < 4; k++) {
        if (T < 32) {
            if (k > 0)
                asm volatile("bar.sync 2, 64;" ::: "memory"); /* wait until it is empty */
            s[T] = x[32 * k + T];
            asm volatile("bar.arrive 1, 64;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            x[1024 + 32 * k + T] = s[63 - T];
            if (k < 3)
                asm volatile("bar.arrive 2, 64;" ::: "memory");
        }
    }
}
KERNEL(barrier_with_reduction)
{
    __shared__ int s[128];
    s[T] = x[T];
    int count = __syncthreads_count(T % 2);
    x[T] = s[127 - T] + count;
}
KERNEL(neighboring_bytes)
{
    __shared__ unsigned char s[128];
    s[T] = (unsigned char)T;
    __syncthreads();
    x[T] = s[127 - T];
}
KERNEL(neighboring_halves)
{
    __shared__ unsigned short s[128];
    s[T] = (unsigned short)T;
    x[T] = s[T];
}
KERNEL(dynamic_arrays)
{
    extern __shared__ int s[];
    int *a = s, *b = s + 128;
    a[T] = x[T];
    b[T] = x[T] + 1;
    __syncthreads();
    x[T] = a[127 - T] + b[T];
}
struct two_ints {
    int a, b;
};
KERNEL(struct_members)
{
    __shared__ two_ints s[128];
    s[T].a = x[T];
    s[T].b = T;
    __syncthreads();
    x[T] = s[127 - T].b;
}
KERNEL(atomic_then_barrier_then_read)
{
    __shared__ int s;
    if (T == 0)
        s = 0;
    __syncthreads();
    atomicAdd(&s, 1);
    __syncthreads();
    x[T] = s;
}
KERNEL(stencil_through_registers)
{
    __shared__ int s[130];
    s[T + 1] = x[T];
    if (T < 2)
        s[129 * T] = 0;
    __syncthreads();
    int v = s[T] + s[T + 2];
    __syncthreads();
    s[T + 1] = v;
    __syncthreads();
    x[T] = s[128 - T];
}
KERNEL(bitonic)
{
    __shared__ int s[256];
    s[T] = x[255 - T];
    s[T + 128] = x[T];
    for (int stride = 128; stride > 0; stride /= 2) {
        __syncthreads();
        int pos = 2 * T - (T & (stride - 1)), a = s[pos], b = s[pos + stride];
        s[pos] = min(a, b);
        s[pos + stride] = max(a, b);
    }
    __syncthreads();
    x[T] = s[T];
}
KERNEL(own_word_only)
{
    __shared__ int s[128];
    s[T] = x[T];
    s[T] += 1;
    x[T] = s[T];
}
KERNEL(early_return_of_whole_warps_without_barrier)
{
    if (T >= 64)
        return;
    x[T] = __shfl_xor_sync(FULL, x[T], 1);
}

/* ---- warps ---- */

KERNEL(warp_reverse)
{
    __shared__ int s[32];
    s[T] = x[T];
    __syncwarp();
    x[T] = s[31 - T];
}
KERNEL(warp_tree)
{
    __shared__ int s[32];
    int v = x[T];
    s[T] = v;
    __syncwarp();
    for (int d = 16; d > 0; d /= 2) {
        if (T < d)
            v += s[T + d];
        __syncwarp();
        if (T < d)
            s[T] = v;
        __syncwarp();
    }
    if (T == 0)
        x[0] = s[0];
}
KERNEL(tiled_partition)
{
    __shared__ int s[128];
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(cg::this_thread_block());
    s[T] = x[T];
    tile.sync();
    x[T] = s[T ^ 15];
}
KERNEL(shuffle_sum)
{
    int v = x[T];
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(FULL, v, d);
    if (T % 32 == 0)
        x[1024 + T / 32] = v;
}
KERNEL(shuffle_in_half_with_its_mask)
{
    int v = x[T];
    if (T % 32 < 16)
        v = __shfl_xor_sync(0xffff, v, 8);
    x[T] = v;
}
KERNEL(each_half_has_its_mask)
{
    unsigned mask = T % 32 < 16 ? 0x0000ffff : 0xffff0000;
    x[T] += __shfl_xor_sync(mask, x[T], 8);
}
KERNEL(two_masks_in_branches)
{
    int v = x[T];
    if (T % 2)
        v = __shfl_xor_sync(0xaaaaaaaa, v, 2);
    else
        v = __shfl_xor_sync(0x55555555, v, 4);
    x[T] = v;
}
/*
 * Since Volta the lanes of several branches take part in one call, if the function and the mask are the same: CUDA C++
 * Programming Guide, Independent Thread Scheduling; PTX ISA, shfl.sync, "the same qualifiers and same membermask".
 */
KERNEL(one_mask_in_branches)
{
    int v = x[T];
    if (T % 2)
        v = __shfl_xor_sync(FULL, v, 2) + 1;
    else
        v = __shfl_xor_sync(FULL, v + 2, 5);
    x[T] = v;
}
KERNEL(votes_matches_and_sums_in_branches)
{
    long long v = x[T];
    if (v % 3)
        v = __ballot_sync(FULL, v % 2) + __match_any_sync(FULL, v % 4) + __reduce_add_sync(FULL, (int)v);
    else
        v = __ballot_sync(FULL, 1) - __match_any_sync(FULL, v % 3) + __reduce_add_sync(FULL, 1);
    x[T] = (int)v;
}
/* In every turn, while the other half of the warp waits for the block. */
KERNEL(branches_of_one_half_in_a_loop)
{
    int v = x[T];
    for (int k = 0; k < 5 && T % 32 < 16; k++)
        if ((T + k) % 4 == 0)
            v += __shfl_down_sync(0xffff, v, 1, 16);
        else
            v -= 3 * __shfl_down_sync(0xffff, v, 2, 16);
    __syncthreads();
    x[T] = v;
}
/* The function has one call, but is entered from two places. */
static __device__ __noinline__ int sum_of_warp(int v)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(FULL, v, d);
    return v;
}
KERNEL(function_called_in_branches)
{
    x[T] = T % 2 ? sum_of_warp(x[T]) + 1 : 2 * sum_of_warp(3);
}
KERNEL(ballot_and_match)
{
    unsigned same = __match_any_sync(FULL, x[T] % 4), odd = __ballot_sync(FULL, x[T] & 1);
    x[T] = (int)(same ^ odd);
}
KERNEL(aggregated_atomics)
{
    if (x[T] % 3 == 0) {
        cg::coalesced_group g = cg::coalesced_threads();
        int base = 0;
        if (g.thread_rank() == 0)
            base = atomicAdd(zeros, (int)g.size());
        x[1024 + g.shfl(base, 0) + (int)g.thread_rank()] = T;
    }
}
KERNEL(warp_sums)
{
    __shared__ int s[4];
    int v = __reduce_add_sync(FULL, x[T]);
    if (T % 32 == 0)
        s[T / 32] = v;
    __syncthreads();
    if (T == 0)
        x[0] = s[0] + s[1] + s[2] + s[3];
}
KERNEL(syncwarp_of_a_branch)
{
    __shared__ int s[32];
    if (T < 16) {
        s[T] = x[T];
        __syncwarp(0xffff);
        x[T] = s[15 - T];
    }
}
KERNEL(lanes_exit_before_the_mask_is_taken)
{
    if (T % 32 >= 20)
        return;
    unsigned mask = __activemask();
    x[T] = __shfl_sync(mask, x[T], 0);
}

extern "C" const struct hazard_program right_programs[];
const struct hazard_program right_programs[] = {
    RIGHT(reverse_with_barrier, 1, 128),
    RIGHT(tree, 1, 128),
    RIGHT(transpose_tile_with_barrier, 1, 256),
    RIGHT(halo, 1, 128),
    RIGHT(scan, 1, 128),
    RIGHT(double_buffer, 1, 128),
    RIGHT(tiles, 1, 128),
    RIGHT(shared_histogram, 1, 128),
    RIGHT(same_value_by_all, 1, 128),
    RIGHT(broadcast, 1, 64),
    RIGHT(barrier_in_uniform_branch, 1, 128),
    RIGHT(named_barriers, 1, 128),
    RIGHT(producer_and_consumer_warps, 1, 64),
    RIGHT(barrier_with_reduction, 1, 128),
    RIGHT(neighboring_bytes, 1, 128),
    RIGHT(neighboring_halves, 1, 128),
    RIGHT_DYNAMIC(dynamic_arrays, 1, 128, 1024),
    RIGHT(struct_members, 1, 128),
    RIGHT(atomic_then_barrier_then_read, 1, 64),
    RIGHT(stencil_through_registers, 1, 128),
    RIGHT(bitonic, 1, 128),
    RIGHT(own_word_only, 1, 128),
    RIGHT(early_return_of_whole_warps_without_barrier, 1, 128),
    RIGHT(warp_reverse, 1, 32),
    RIGHT(warp_tree, 1, 32),
    RIGHT(tiled_partition, 1, 128),
    RIGHT(shuffle_sum, 1, 128),
    RIGHT(shuffle_in_half_with_its_mask, 1, 128),
    RIGHT(each_half_has_its_mask, 1, 128),
    RIGHT(two_masks_in_branches, 1, 128),
    RIGHT(one_mask_in_branches, 1, 128),
    RIGHT(votes_matches_and_sums_in_branches, 1, 128),
    RIGHT(branches_of_one_half_in_a_loop, 1, 128),
    RIGHT(function_called_in_branches, 1, 128),
    RIGHT(ballot_and_match, 1, 64),
    VARIES(aggregated_atomics, 1, 128),
    RIGHT(warp_sums, 1, 128),
    RIGHT(syncwarp_of_a_branch, 1, 32),
    RIGHT(lanes_exit_before_the_mask_is_taken, 1, 64),
    {},
};
