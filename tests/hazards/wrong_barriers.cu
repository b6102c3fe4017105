/*
 * Wrong kernels: barriers, masks, asynchronous copies. The lines that a report may name end
 * with "// <-": it must name one of them at least.
 */
#include <cooperative_groups.h>
#include <cuda_pipeline.h>

#include "tests/hazards/kernels.h"
namespace cg = cooperative_groups;

/* ---- barriers ---- */

KERNEL(barrier_in_half)
{
    if (T < 64)
        __syncthreads(); // <-
    x[T] = 1;
}
KERNEL(barrier_in_both_branches)
{
    __shared__ int s[128];
    s[T] = x[T];
    if (T < 64) {
        __syncthreads(); // <-
        x[T] = s[T];
    } else {
        __syncthreads(); // <-
        x[T] = s[T] + 1;
    }
}
KERNEL(early_return)
{
    if (T >= 100)
        return;
    x[T] = 1;
    __syncthreads(); // <-
    x[T + 256] = x[99 - T];
}
KERNEL(loop_of_different_lengths)
{
    for (int i = 0; i < T / 32 + 1; i++)
        __syncthreads(); // <-
    x[T] = 1;
}
KERNEL(count_never_reached)
{
    asm volatile("bar.sync 1, 256;" ::: "memory"); // <-
    x[T] = 1;
}
KERNEL(grid_sync_in_one_block)
{
    if (B == 0)
        cg::this_grid().sync(); // <-
    x[B] = 1;
}

/* The others wait at a shuffle behind it, and at the next barrier. */
KERNEL(grid_sync_by_one_thread)
{
    if (T == 0)
        cg::this_grid().sync(); // <-
    x[T] = __shfl_down_sync(0xffffffff, T, 1);
    __syncthreads();
    x[T + 64] = 1;
}
KERNEL(barrier_of_a_warp_before_that_of_all)
{
    if (T < 32) {
        x[T] = 1;
        __syncthreads(); // <-
    }
    x[T + 128] = 2;
    __syncthreads(); // <-
    x[T + 256] = 3;
}

/* ---- masks ---- */

KERNEL(shuffle_from_absent_lane)
{
    int v = x[T];
    if (T < 16)
        v = __shfl_down_sync(0xffff, v, 8); // <-
    x[T] = v;
}
/* Lanes of two branches may take part in one call, but not at two functions, nor with two masks. */
KERNEL(full_mask_in_branch)
{
    int v = x[T];
    if (T % 2 == 0)
        v = __shfl_xor_sync(FULL, v, 2); // <- or
    else
        v = __shfl_down_sync(FULL, v, 4); // <- or
    x[T] = v;
}
KERNEL(two_votes_in_branches)
{
    x[T] = x[T] % 2 ? __any_sync(FULL, x[T] == 3)  // <- or
                    : __all_sync(FULL, x[T] < 99); // <- or
}
KERNEL(two_sums_in_branches)
{
    x[T] = x[T] % 2 ? __reduce_add_sync(FULL, x[T])  // <- or
                    : __reduce_max_sync(FULL, x[T]); // <- or
}
KERNEL(values_of_two_sizes_in_branches)
{
    x[T] = x[T] % 2 ? __match_any_sync(FULL, x[T])             // <- or
                    : __match_any_sync(FULL, (long long)x[T]); // <- or
}
KERNEL(two_masks_that_overlap)
{
    x[T] = __ballot_sync(T < 16 ? FULL : 0xffff0001, x[T] < 9); // <-
}
KERNEL(two_syncwarps_that_overlap)
{
    if (T < 16)
        __syncwarp(); // <- or
    else
        __syncwarp(0xffff0001); // <- or
}
KERNEL(shuffle_meets_syncwarp)
{
    if (T < 16)
        x[T] = __shfl_xor_sync(FULL, x[T], 1); // <- or
    else
        __syncwarp(); // <- or
}
/* mma, ldmatrix and movmatrix are ".aligned": all lanes execute the same one. */
KERNEL(matrix_in_both_branches)
{
    if (T < 16)
        asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(x[T])); // <- or
    else
        asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(x[T])); // <- or
}
KERNEL(mask_without_oneself)
{
    x[T] = __ballot_sync(0x0000ffff, 1); // <-
}
KERNEL(syncwarp_without_oneself)
{
    x[T] = 1;
    __syncwarp(0x0000ffff); // <-
    x[T] = 2;
}
KERNEL(shuffle_names_only_itself)
{
    x[T] += __shfl_up_sync(1u << T % 32, x[T], 1); // <-
}
KERNEL(shuffle_into_the_other_half)
{
    unsigned mask = T % 32 < 16 ? 0x0000ffff : 0xffff0000;
    x[T] += __shfl_xor_sync(mask, x[T], 16); // <-
}
KERNEL(ballot_after_exit)
{
    if (T % 32 >= 20)
        return;
    x[T] = __shfl_sync(FULL, x[T], 25); // <-
}

/* ---- asynchronous copies ---- */

KERNEL(async_no_wait)
{
    __shared__ int s[64];
    s[T] = 0;
    __pipeline_memcpy_async(&s[T], &x[T], 4); // <-
    __pipeline_commit();
    x[T] = s[T]; // <-
    __pipeline_wait_prior(0);
}
KERNEL(async_waits_for_older)
{
    __shared__ int s[2][64];
    s[0][T] = s[1][T] = 0;
    __pipeline_memcpy_async(&s[0][T], &x[T], 4);
    __pipeline_commit();
    __pipeline_memcpy_async(&s[1][T], &x[T + 64], 4); // <-
    __pipeline_commit();
    __pipeline_wait_prior(1);
    x[T] = s[0][T] + s[1][T]; // <-
    __pipeline_wait_prior(0);
}
KERNEL(async_no_barrier)
{
    __shared__ int s[64];
    __pipeline_memcpy_async(&s[T], &x[T], 4); // <-
    __pipeline_commit();
    __pipeline_wait_prior(0); // <-
    x[T] = s[63 - T];         // <-
}

extern "C" const struct hazard_program wrong_barriers_programs[];
const struct hazard_program wrong_barriers_programs[] = {
    WRONG(barrier_in_half, 1, 128, BARRIER),
    WRONG(barrier_in_both_branches, 1, 128, BARRIER),
    WRONG(early_return, 1, 128, BARRIER),
    WRONG(loop_of_different_lengths, 1, 128, BARRIER),
    WRONG(count_never_reached, 1, 128, DEADLOCK),
    WRONG_GRID(grid_sync_in_one_block, 2, 64, DEADLOCK),
    WRONG_GRID(grid_sync_by_one_thread, 2, 64, DEADLOCK),
    WRONG(barrier_of_a_warp_before_that_of_all, 1, 128, BARRIER),
    WRONG(shuffle_from_absent_lane, 1, 32, MASK),
    WRONG(full_mask_in_branch, 1, 32, MASK),
    WRONG(two_votes_in_branches, 1, 32, MASK),
    WRONG(two_sums_in_branches, 1, 32, MASK),
    WRONG(values_of_two_sizes_in_branches, 1, 32, MASK),
    WRONG(two_masks_that_overlap, 1, 32, MASK),
    WRONG(two_syncwarps_that_overlap, 1, 32, MASK),
    WRONG(shuffle_meets_syncwarp, 1, 32, MASK),
    WRONG(matrix_in_both_branches, 1, 32, MASK),
    WRONG(mask_without_oneself, 1, 32, MASK),
    WRONG(syncwarp_without_oneself, 1, 32, MASK),
    WRONG(shuffle_names_only_itself, 1, 32, MASK),
    WRONG(shuffle_into_the_other_half, 1, 32, MASK),
    WRONG(ballot_after_exit, 1, 32, MASK),
    WRONG(async_no_wait, 1, 64, SHARED),
    WRONG(async_waits_for_older, 1, 64, SHARED),
    WRONG(async_no_barrier, 1, 64, SHARED),
    {},
};
