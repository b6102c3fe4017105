/*
 * Wrong kernels. The lines that a report may name end with "// <-": it must name one of them at least.
 */
#include <cooperative_groups.h>
#include <cuda_pipeline.h>

#include "tests/hazards/kernels.h"
namespace cg = cooperative_groups;

/* ---- races in shared memory ---- */

KERNEL(reverse)
{
    __shared__ int s[64];
    s[T] = x[T];      // <-
    x[T] = s[63 - T]; // <-
}
KERNEL(rotate)
{
    __shared__ int s[128];
    s[T] = x[T];             // <-
    x[T] = s[(T + 1) % 128]; // <-
}
KERNEL(tree_no_barrier_in_loop)
{
    __shared__ int s[128];
    s[T] = x[T];
    __syncthreads();
    for (int d = 64; d > 0; d /= 2)
        if (T < d)
            s[T] += s[T + d]; // <-
    if (T == 0)
        x[0] = s[0];
}
KERNEL(tree_no_barrier_after_load)
{
    __shared__ int s[128];
    s[T] = x[T]; // <-
    for (int d = 64; d > 0; d /= 2) {
        if (T < d)
            s[T] += s[T + d]; // <-
        __syncthreads();
    }
    if (T == 0)
        x[0] = s[0];
}
KERNEL(transpose_tile)
{
    __shared__ int s[16][17];
    s[T / 16][T % 16] = x[T]; // <-
    x[T] = s[T % 16][T / 16]; // <-
}
KERNEL(halo_right)
{
    __shared__ int s[65];
    s[T] = x[T]; // <-
    if (T == 0)
        s[64] = x[64];            // <-
    x[T + 128] = s[T] + s[T + 1]; // <-
}
KERNEL(halo_left)
{
    __shared__ int s[129];
    s[T + 1] = x[T]; // <-
    if (T == 127)
        s[0] = 0;                 // <-
    x[T + 128] = s[T] + s[T + 1]; // <-
}
KERNEL(scan_one_barrier)
{
    __shared__ int s[128];
    s[T] = x[T];
    for (int d = 1; d < 128; d *= 2) {
        __syncthreads();
        int v = T >= d ? s[T - d] : 0; // <-
        s[T] += v;                     // <-
    }
    x[T] = s[T];
}
KERNEL(double_buffer_no_barrier)
{
    __shared__ int s[2][128];
    s[0][T] = x[T];
    __syncthreads();
    for (int k = 0; k < 4; k++)
        s[(k + 1) & 1][T] = s[k & 1][(T + 1) % 128] + 1; // <-
    x[T] = s[0][T];
}
KERNEL(tiles_no_second_barrier)
{
    __shared__ int s[128];
    int sum = 0;
    for (int k = 0; k < 4; k++) {
        s[T] = x[128 * k + T]; // <-
        __syncthreads();
        sum += s[127 - T]; // <-
    }
    x[T + 1024] = sum;
}
KERNEL(shared_histogram_plain)
{
    __shared__ int s[8];
    if (T < 8)
        s[T] = 0;
    __syncthreads();
    s[x[T] % 8]++; // <-
    __syncthreads();
    if (T < 8)
        x[T] = s[T];
}
KERNEL(all_write_one_word)
{
    __shared__ int s;
    s = T; // <-
    __syncthreads();
    x[T] = s;
}
KERNEL(broadcast_no_barrier)
{
    __shared__ int s;
    if (T == 0)
        s = x[0];   // <-
    x[T + 256] = s; // <-
}
KERNEL(barrier_behind_false_condition)
{
    __shared__ int s[128];
    s[T] = x[T]; // <-
    if (x[2000] == 0)
        __syncthreads();
    x[T] = s[127 - T]; // <-
}
KERNEL(warp_no_syncwarp)
{
    __shared__ int s[32];
    s[T] = x[T];      // <-
    x[T] = s[31 - T]; // <-
}
KERNEL(warp_tree_no_syncwarp)
{
    __shared__ int s[64];
    s[T] = x[T];
    s[T + 32] = x[T + 32];
    __syncwarp();
    s[T] += s[T + 32]; // <-
    s[T] += s[T + 16]; // <-
    s[T] += s[T + 8];  // <-
    if (T == 0)
        x[0] = s[0]; // <-
}
KERNEL(warp_tree_volatile)
{
    __shared__ volatile int s[64];
    s[T] = x[T];
    s[T + 32] = 0;
    __syncwarp();
    if (T < 16) {
        s[T] = s[T] + s[T + 16]; // <-
        s[T] = s[T] + s[T + 8];  // <-
        s[T] = s[T] + s[T + 4];  // <-
    }
    if (T == 0)
        x[0] = s[0]; // <-
}
KERNEL(syncwarp_between_warps)
{
    __shared__ int s[128];
    s[T] = x[T]; // <-
    __syncwarp();
    x[T] = s[127 - T]; // <-
}
KERNEL(named_barrier_of_two_warps)
{
    __shared__ int s[128];
    s[T] = x[T]; // <-
    if (T < 64)
        asm volatile("bar.sync 1, 64;" ::: "memory");
    else
        asm volatile("bar.sync 2, 64;" ::: "memory");
    x[T] = s[127 - T]; // <-
}
KERNEL(bytes_counted_plain)
{
    __shared__ unsigned char s[16];
    if (T < 16)
        s[T] = 0;
    __syncthreads();
    s[T % 16] += 1; // <-
    __syncthreads();
    if (T < 16)
        x[T] = s[T];
}
KERNEL(dynamic_arrays_overlap)
{
    extern __shared__ int s[];
    int *a = s, *b = s + 64; /* 128 threads: the second array begins inside of the first */
    a[T] = x[T];             // <-
    b[T] = x[T] + 1;         // <-
    __syncthreads();
    x[T] = a[T] + b[T];
}
KERNEL(wide_write_narrow_read)
{
    __shared__ long long s[64];
    s[T] = x[T];               // <-
    x[T] = ((int *)s)[63 - T]; // <-
}
KERNEL(atomic_then_plain_read)
{
    __shared__ int s;
    if (T == 0)
        s = 0;
    __syncthreads();
    atomicAdd(&s, 1); // <-
    x[T] = s;         // <-
}
KERNEL(plain_reset_beside_atomics)
{
    __shared__ int s;
    if (T == 0)
        s = 0;        // <-
    atomicAdd(&s, 1); // <-
    __syncthreads();
    x[T] = s;
}
struct pair {
    int a, b;
};
KERNEL(struct_member)
{
    __shared__ pair s[128];
    s[T].a = x[T];               // <-
    s[T].b = s[(T + 1) % 128].a; // <-
    __syncthreads();
    x[T] = s[T].b;
}
KERNEL(warp_sums_no_barrier)
{
    __shared__ int s[4];
    int v = __reduce_add_sync(FULL, x[T]);
    if (T % 32 == 0)
        s[T / 32] = v; // <-
    if (T == 0)
        x[0] = s[0] + s[1] + s[2] + s[3]; // <-
}
KERNEL(stencil_in_place)
{
    __shared__ int s[130];
    s[T + 1] = x[T];
    if (T < 2)
        s[129 * T] = 0;
    __syncthreads();
    s[T + 1] = s[T] + s[T + 2]; // <-
    __syncthreads();
    x[T] = s[T + 1];
}
KERNEL(bitonic_missing_barrier)
{
    __shared__ int s[256];
    s[T] = x[255 - T];
    s[T + 128] = x[T];
    __syncthreads();
    for (int stride = 128; stride > 0; stride /= 2) {
        int pos = 2 * T - (T & (stride - 1)), a = s[pos], b = s[pos + stride]; // <-
        s[pos] = min(a, b);                                                    // <-
        s[pos + stride] = max(a, b);                                           // <-
    }
    __syncthreads();
    x[T] = s[T];
}
KERNEL(reused_for_second_sum)
{
    __shared__ int s[4];
    for (int k = 0; k < 2; k++) {
        int v = __reduce_add_sync(FULL, x[T + 128 * k]);
        if (T % 32 == 0)
            s[T / 32] = v; // <-
        __syncthreads();
        if (T == 0)
            x[1024 + k] = s[0] + s[1] + s[2] + s[3]; // <-
    }
}
KERNEL(early_flag)
{
    __shared__ int done;
    if (T == 0)
        done = 0;
    __syncthreads();
    if (x[T] == 77)
        done = 1; // <-
    if (done)     // <-
        return;
    x[T] = -1;
}

/* ---- races in global memory ---- */

KERNEL(blocks_write_one_word)
{
    if (T == 0)
        x[0] = B; // <-
}
KERNEL(plain_count)
{
    x[0]++; // <-
}
KERNEL(hand_over_between_blocks)
{
    if (B == 0)
        x[T] = 7; // <-
    else
        x[T + 1024] = x[T]; // <-
}
KERNEL(last_block_no_fence)
{
    __shared__ bool last;
    if (T == 0) {
        x[B] = B; // <-
        last = atomicAdd(zeros, 1) == (int)gridDim.x - 1;
    }
    __syncthreads();
    if (last && T < (int)gridDim.x)
        x[1024 + T] = x[T]; // <-
}
KERNEL(last_block_fence_too_late)
{
    __shared__ bool last;
    if (T == 0) {
        x[B] = B; // <-
        last = atomicAdd(zeros, 1) == (int)gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && T < (int)gridDim.x)
        x[1024 + T] = x[T]; // <-
}
KERNEL(global_reverse_in_block)
{
    fresh[T] = x[T];       // <-
    x[T] = fresh[127 - T]; // <-
}
KERNEL(stencil_in_place_between_blocks)
{
    int i = B * (int)blockDim.x + T;
    int right = x[i + 1]; // <-
    __syncthreads();
    x[i] = right; // <-
}
KERNEL(no_grid_sync)
{
    int i = B * (int)blockDim.x + T;
    fresh[i] = x[i]; // <-
    __syncthreads();
    x[i] = fresh[(i + 64) % 256]; // <-
}
KERNEL(store_beside_atomics)
{
    if (T == 0) {
        if (B == 0)
            zeros[0] = 5; // <-
        else
            atomicAdd(zeros, 1); // <-
    }
}
KERNEL(lock_without_fence)
{
    if (T == 0) {
        while (atomicCAS(zeros, 0, 1) != 0)
            ;
        x[0] += B; // <-
        atomicExch(zeros, 0);
    }
}
KERNEL(global_warp_no_syncwarp)
{
    fresh[T] = x[T];      // <-
    x[T] = fresh[31 - T]; // <-
}
KERNEL(global_histogram_plain)
{
    zeros[x[B * (int)blockDim.x + T] % 16] += 1; // <-
}
KERNEL(flag_without_fence)
{
    if (T == 0 && B == 0) {
        x[0] = 42; // <-
        atomicExch(zeros, 1);
    } else if (T == 0) {
        while (atomicAdd(zeros, 0) == 0)
            ;
        x[1024 + B] = x[0]; // <-
    }
}
KERNEL(two_blocks_one_tile)
{
    x[B * 60 + T] = B; // <-
}

/* ---- memory that was never written ---- */

KERNEL(fresh_global)
{
    x[T] = fresh[T]; // <-
}
KERNEL(fresh_shared)
{
    __shared__ int s[64];
    if (T == 0)
        s[0] = 1;
    __syncthreads();
    x[T] = s[T]; // <-
}
KERNEL(tile_tail_not_loaded)
{
    __shared__ int s[128];
    if (T < 100)
        s[T] = x[T];
    __syncthreads();
    x[T] = s[127 - T]; // <-
}
KERNEL(fresh_dynamic)
{
    extern __shared__ int s[];
    x[T] = s[T]; // <-
}
KERNEL(shared_counter_not_cleared)
{
    __shared__ int s;
    atomicAdd(&s, 1); // <-
    __syncthreads();
    x[T] = s;
}
KERNEL(fresh_counter)
{
    atomicAdd(fresh, 1); // <-
}
KERNEL(partly_written)
{
    if (T < 32)
        fresh[T] = T;
    __syncthreads();
    x[T] = fresh[T]; // <-
}
/* Three elements of four are there, and the sum is of all four. */
KERNEL(partly_written_vector)
{
    for (int i = 0; i < 3; i++)
        fresh[4 * T + i] = T;
    const int4 v = ((const int4 *)fresh)[T]; // <-
    x[T] = v.x + v.y + v.z + v.w;
}
KERNEL(fresh_local)
{
    int a[8];
    for (int i = 0; i < x[4]; i++)
        a[i] = i;
    x[T] = a[x[5] + T % 2]; // <-
}

static __device__ __noinline__ bool find(const int *x, int *found)
{
    if (x[T] % 2 == 0)
        return true;
    *found = x[T] / 2;
    return true;
}
KERNEL(found_though_not_set)
{
    int found;
    x[1024 + T] = find(x, &found) ? found : -1; // <-
}

/* ---- addresses ---- */

KERNEL(past_the_end)
{
    x[4096 - 32 + T] = 1; // <-
}
KERNEL(before_the_beginning)
{
    x[T] = x[T - 1]; // <-
}
KERNEL(shared_past_the_end)
{
    __shared__ int s[64];
    s[T + x[1]] = 1; // <-
    __syncthreads();
    x[T] = s[T];
}
KERNEL(dynamic_shared_too_small)
{
    extern __shared__ int s[];
    s[T] = x[T]; // <-
    __syncthreads();
    x[T] = s[T];
}
KERNEL(misaligned_vector)
{
    int4 v = *(int4 *)(x + 1 + 4 * T); // <-
    x[T] = v.x + v.w;
}
KERNEL(misaligned_shared)
{
    __shared__ __align__(16) char s[1024];
    *(int *)(s + 4 * T + x[1]) = T; // <-
    __syncthreads();
    x[T] = s[T];
}
KERNEL(freed)
{
    x[T] = gone[T]; // <-
}
KERNEL(null_pointer)
{
    int *p = (int *)(size_t)zeros[0];
    x[T] = p[T]; // <-
}
KERNEL(host_address)
{
    int *p = (int *)0x7fff12345678;
    p[T] = 1; // <-
}
KERNEL(local_past_the_end)
{
    int a[8];
    for (int i = 0; i < 8; i++)
        a[i] = x[i];
    x[T] = a[x[20]]; // <-
}
KERNEL(double_free)
{
    if (T == 0) {
        int *p = (int *)malloc(64);
        free(p);
        free(p); // <-
    }
}

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

/* ---- masks ---- */

KERNEL(shuffle_from_absent_lane)
{
    int v = x[T];
    if (T < 16)
        v = __shfl_down_sync(0xffff, v, 8); // <-
    x[T] = v;
}
KERNEL(full_mask_in_branch)
{
    int v = x[T];
    if (T % 2 == 0)
        v = __shfl_xor_sync(FULL, v, 2); // <- or
    else
        v = __shfl_xor_sync(FULL, v, 4); // <- or
    x[T] = v;
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

extern "C" const struct hazard_program wrong_programs[];
const struct hazard_program wrong_programs[] = {
    WRONG(reverse, 1, 64, SHARED),
    WRONG(rotate, 1, 128, SHARED),
    WRONG(tree_no_barrier_in_loop, 1, 128, SHARED),
    WRONG(tree_no_barrier_after_load, 1, 128, SHARED),
    WRONG(transpose_tile, 1, 256, SHARED),
    WRONG(halo_right, 1, 64, SHARED),
    WRONG(halo_left, 1, 128, SHARED),
    WRONG(scan_one_barrier, 1, 128, SHARED),
    WRONG(double_buffer_no_barrier, 1, 128, SHARED),
    WRONG(tiles_no_second_barrier, 1, 128, SHARED),
    WRONG(shared_histogram_plain, 1, 128, SHARED),
    WRONG(all_write_one_word, 1, 128, SHARED),
    WRONG(broadcast_no_barrier, 1, 64, SHARED),
    WRONG(barrier_behind_false_condition, 1, 128, SHARED),
    WRONG(warp_no_syncwarp, 1, 32, SHARED),
    WRONG(warp_tree_no_syncwarp, 1, 32, SHARED),
    WRONG(warp_tree_volatile, 1, 32, SHARED),
    WRONG(syncwarp_between_warps, 1, 128, SHARED),
    WRONG(named_barrier_of_two_warps, 1, 128, SHARED),
    WRONG(bytes_counted_plain, 1, 128, SHARED),
    WRONG_DYNAMIC(dynamic_arrays_overlap, 1, 128, 4 * 192, SHARED),
    WRONG(wide_write_narrow_read, 1, 64, SHARED),
    WRONG(atomic_then_plain_read, 1, 64, SHARED),
    WRONG(plain_reset_beside_atomics, 1, 64, SHARED),
    WRONG(struct_member, 1, 128, SHARED),
    WRONG(warp_sums_no_barrier, 1, 128, SHARED),
    WRONG(stencil_in_place, 1, 128, SHARED),
    WRONG(bitonic_missing_barrier, 1, 128, SHARED),
    WRONG(reused_for_second_sum, 1, 128, SHARED),
    WRONG(early_flag, 1, 128, SHARED),
    WRONG(blocks_write_one_word, 4, 32, GLOBAL),
    WRONG(plain_count, 4, 32, GLOBAL),
    WRONG(hand_over_between_blocks, 2, 64, GLOBAL),
    WRONG(last_block_no_fence, 4, 64, GLOBAL),
    WRONG(last_block_fence_too_late, 4, 64, GLOBAL),
    WRONG(global_reverse_in_block, 1, 128, GLOBAL),
    WRONG(stencil_in_place_between_blocks, 4, 64, GLOBAL),
    WRONG_GRID(no_grid_sync, 4, 64, GLOBAL),
    WRONG(store_beside_atomics, 4, 32, GLOBAL),
    WRONG(lock_without_fence, 4, 32, GLOBAL),
    WRONG(global_warp_no_syncwarp, 1, 32, GLOBAL),
    WRONG(global_histogram_plain, 2, 64, GLOBAL),
    WRONG_GRID(flag_without_fence, 2, 32, GLOBAL),
    WRONG(two_blocks_one_tile, 2, 64, GLOBAL),
    WRONG(fresh_global, 1, 64, UNINITIALISED),
    WRONG(fresh_shared, 1, 64, UNINITIALISED),
    WRONG(tile_tail_not_loaded, 1, 128, UNINITIALISED),
    WRONG_DYNAMIC(fresh_dynamic, 1, 64, 256, UNINITIALISED),
    WRONG(shared_counter_not_cleared, 1, 64, UNINITIALISED),
    WRONG(fresh_counter, 1, 64, UNINITIALISED),
    WRONG(partly_written, 1, 64, UNINITIALISED),
    WRONG(partly_written_vector, 1, 32, UNINITIALISED),
    WRONG(fresh_local, 1, 32, UNINITIALISED),
    WRONG(found_though_not_set, 1, 32, UNINITIALISED),
    WRONG(past_the_end, 1, 64, OUT_OF_BOUNDS),
    WRONG(before_the_beginning, 1, 64, OUT_OF_BOUNDS),
    WRONG(shared_past_the_end, 1, 64, OUT_OF_BOUNDS),
    WRONG_DYNAMIC(dynamic_shared_too_small, 1, 64, 128, OUT_OF_BOUNDS),
    WRONG(misaligned_vector, 1, 32, MISALIGNED),
    WRONG(misaligned_shared, 1, 32, MISALIGNED),
    WRONG(freed, 1, 32, AFTER_FREE),
    WRONG(null_pointer, 1, 32, OUT_OF_BOUNDS),
    WRONG(host_address, 1, 32, OUT_OF_BOUNDS),
    WRONG(local_past_the_end, 1, 32, OUT_OF_BOUNDS),
    WRONG(double_free, 1, 32, AFTER_FREE),
    WRONG(barrier_in_half, 1, 128, BARRIER),
    WRONG(barrier_in_both_branches, 1, 128, BARRIER),
    WRONG(early_return, 1, 128, BARRIER),
    WRONG(loop_of_different_lengths, 1, 128, BARRIER),
    WRONG(count_never_reached, 1, 128, DEADLOCK),
    WRONG_GRID(grid_sync_in_one_block, 2, 64, DEADLOCK),
    WRONG(shuffle_from_absent_lane, 1, 32, MASK),
    WRONG(full_mask_in_branch, 1, 32, MASK),
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
