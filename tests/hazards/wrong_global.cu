/*
 * Wrong kernels: races in global memory, memory never written, addresses. The lines that a report may name end
 * with "// <-": it must name one of them at least.
 */
#include "tests/hazards/kernels.h"

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
/* The blocks count in shared memory by atomics, and add their counters up without. */
KERNEL(counters_merged_without_atomics)
{
    __shared__ int counters[8];
    if (T < 8)
        counters[T] = 0;
    __syncthreads();
    atomicAdd(&counters[x[T] % 8], 1);
    __syncthreads();
    if (T < 8)
        zeros[T] += counters[T]; // <-
}
/* No barrier between the turns: a thread stores where another one has stored in the turn before. */
KERNEL(stores_of_different_turns)
{
    __shared__ int row[128];
#pragma unroll 1
    for (int k = 0; k < x[3]; k++)
        row[T + k] = 3 * x[T] + k; // <-
    __syncthreads();
    x[1024 + T] = row[T];
}
KERNEL(stores_of_different_turns_unrolled)
{
    __shared__ int row[128];
#pragma unroll
    for (int k = 0; k < 3; k++)
        row[T + k] = 3 * x[T] + k; // <-
    __syncthreads();
    x[1024 + T] = row[T];
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

extern "C" const struct hazard_program wrong_global_programs[];
const struct hazard_program wrong_global_programs[] = {
    WRONG(counters_merged_without_atomics, 2, 64, UPDATE),
    WRONG(stores_of_different_turns, 1, 64, TURNS),
    WRONG(stores_of_different_turns_unrolled, 1, 64, TURNS),
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
    WRONG(fresh_global, 1, 64, UNINITIALIZED),
    WRONG(fresh_shared, 1, 64, UNINITIALIZED),
    WRONG(tile_tail_not_loaded, 1, 128, UNINITIALIZED),
    WRONG_DYNAMIC(fresh_dynamic, 1, 64, 256, UNINITIALIZED),
    WRONG(shared_counter_not_cleared, 1, 64, UNINITIALIZED),
    WRONG(fresh_counter, 1, 64, UNINITIALIZED),
    WRONG(partly_written, 1, 64, UNINITIALIZED),
    WRONG(partly_written_vector, 1, 32, UNINITIALIZED),
    WRONG(fresh_local, 1, 32, UNINITIALIZED),
    WRONG(found_though_not_set, 1, 32, UNINITIALIZED),
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
    {},
};
