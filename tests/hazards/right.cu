/* Right kernels: no report may come, under any order of warps and blocks. */
#include <cooperative_groups.h>
#include <cuda_pipeline.h>

#include "tests/hazards/kernels.h"
namespace cg = cooperative_groups;

/* ---- barriers ---- */

KERNEL(reverse)
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
KERNEL(transpose_tile)
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
KERNEL(neighbouring_bytes)
{
    __shared__ unsigned char s[128];
    s[T] = (unsigned char)T;
    __syncthreads();
    x[T] = s[127 - T];
}
KERNEL(neighbouring_halves)
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
struct pair {
    int a, b;
};
KERNEL(struct_members)
{
    __shared__ pair s[128];
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

/* ---- blocks ---- */

KERNEL(last_block)
{
    __shared__ bool last;
    if (T == 0) {
        x[B] = B;
        __threadfence();
        last = atomicAdd(zeros, 1) == (int)gridDim.x - 1;
    }
    __syncthreads();
    if (last && T < (int)gridDim.x)
        x[1024 + T] = ((volatile int *)x)[T];
}
KERNEL(last_block_all_threads_write)
{
    __shared__ bool last;
    x[B * 64 + T] = B;
    __threadfence();
    __syncthreads();
    if (T == 0)
        last = atomicInc((unsigned *)zeros, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (last)
        for (int b = 0; b < (int)gridDim.x; b++)
            x[1024 + T] += x[b * 64 + T];
}
KERNEL(lock)
{
    if (T == 0) {
        while (atomicCAS(zeros, 0, 1) != 0)
            ;
        __threadfence();
        x[0] += B;
        __threadfence();
        atomicExch(zeros, 0);
    }
}
KERNEL(lock_between_lanes)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(zeros, 0, 1) == 0) {
            __threadfence();
            x[0] += T;
            __threadfence();
            atomicExch(zeros, 0);
            done = true;
        }
    }
}
KERNEL(counted_by_atomics)
{
    atomicAdd(&zeros[x[B * 64 + T] % 16], 1);
}
KERNEL(double_add_by_swap)
{
    unsigned long long *address = (unsigned long long *)zeros, old = *address, assumed;
    do {
        assumed = old;
        old = atomicCAS(address, assumed, __double_as_longlong(1.0 + __longlong_as_double(assumed)));
    } while (assumed != old);
}
KERNEL(float_max_by_swap)
{
    int *address = zeros + 8;
    int old = *address;
    while (__int_as_float(old) < (float)(B * 64 + T)) {
        int assumed = old;
        old = atomicCAS(address, assumed, __float_as_int((float)(B * 64 + T)));
        if (old == assumed)
            break;
    }
}
KERNEL(look_back)
{
    /* Each block publishes flag and value in one word, and waits for the block before it. */
    if (T == 0) {
        int before = 0;
        volatile int *state = zeros;
        if (B > 0)
            while ((before = state[B - 1]) == 0)
                ;
        state[B] = before + 1;
    }
}
/* The fence in the loop keeps ptxas from loading once: to PTX a load past L1 is as weak as any other. */
KERNEL(look_back_past_l1)
{
    if (T == 0) {
        int before = 0;
        if (B > 0)
            while ((before = __ldcg(&zeros[B - 1])) == 0)
                __threadfence();
        __stcg(&zeros[B], before + 1);
    }
}
KERNEL(flag_with_fences)
{
    if (T == 0 && B == 0) {
        x[0] = 42;
        __threadfence();
        atomicExch(zeros, 1);
    } else if (T == 0) {
        while (atomicAdd(zeros, 0) == 0)
            ;
        __threadfence();
        x[1024 + B] = x[0];
    }
}
KERNEL(grid_sync)
{
    int i = B * (int)blockDim.x + T;
    fresh[i] = x[i];
    cg::this_grid().sync();
    x[i] = fresh[(i + 64) % 256];
}
KERNEL(grid_sync_in_a_loop)
{
    int i = B * (int)blockDim.x + T;
    int *from = x, *to = x + 1024;
    for (int k = 0; k < 3; k++) {
        to[i] = from[(i + 100) % 256];
        cg::this_grid().sync();
        int *other = from;
        from = to;
        to = other;
    }
}
KERNEL(blocks_apart)
{
    x[B * 64 + T] += fresh == zeros;
}
KERNEL(same_value_by_blocks)
{
    x[0] = 1;
}
KERNEL(read_only_input)
{
    x[2048 + B * 64 + T] = x[T] + x[63 - T];
}
KERNEL(global_reverse_in_block)
{
    fresh[T] = x[T];
    __syncthreads();
    x[T] = fresh[127 - T];
}
KERNEL(acquire_and_release)
{
    if (T == 0) {
        if (B == 0) {
            x[0] = 5;
            asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(zeros) : "memory");
        } else {
            unsigned flag;
            do
                asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(flag) : "l"(zeros) : "memory");
            while (!flag);
            x[1024] = x[0];
        }
    }
}

/* ---- memory ---- */

KERNEL(written_before_it_is_read)
{
    fresh[T] = T;
    x[T] = fresh[T];
}
KERNEL(padding_copied_along)
{
    struct padded {
        char c;
        int i;
    } *p = (padded *)fresh;
    p[T].c = 1;
    p[T].i = 2;
    x[T] = p[T].i + p[T].c;
}
/* A structure is copied word by word, with the bytes behind the flag that were never written. */
KERNEL(padding_read_along)
{
    struct flagged {
        bool flag;
        int value;
    } *p = (flagged *)fresh;
    __shared__ flagged tile[64];
    p[T].flag = T % 2;
    p[T].value = T;
    tile[T] = p[T];
    __syncthreads();
    ((flagged *)x)[T] = tile[63 - T];
}
/* Copied as a vector of four words, the last of which is padding. */
KERNEL(padding_of_a_vector)
{
    struct __align__(16) point
    {
        int x, y, z;
    }
    *p = (point *)fresh;
    __shared__ point tile[32];
    p[T].x = p[T].y = p[T].z = T;
    tile[T] = p[T];
    __syncwarp();
    ((point *)x)[T] = tile[31 - T];
}
KERNEL(exchange_into_fresh)
{
    atomicExch(&fresh[T], 1);
    x[T] = fresh[T];
}
KERNEL(exact_end)
{
    x[4096 - 64 + T] = 1;
}
KERNEL(aligned_vectors)
{
    int4 v = ((int4 *)x)[T];
    x[2048 + T] = v.x + v.w;
}
KERNEL(local_array)
{
    int a[8];
    for (int i = 0; i < 8; i++)
        a[i] = x[i];
    x[1024 + T] = a[(x[3] + T) % 8];
}
/* The compiler loads `found` before it knows whether it was set, and drops it where it was not. */
static __device__ __noinline__ bool find(const int *x, int *found)
{
    if (x[T] % 2 == 0)
        return false;
    *found = x[T] / 2;
    return true;
}
KERNEL(found_or_default)
{
    int found;
    x[1024 + T] = find(x, &found) ? found : -1;
}
KERNEL(kernel_malloc)
{
    int *p = (int *)malloc(16);
    p[0] = T;
    x[T] = p[0];
    free(p);
}
KERNEL(guarded)
{
    int i = B * 64 + T;
    if (i < 100)
        x[3996 + i] = 1;
}

/* ---- asynchronous copies ---- */

KERNEL(async_own_word)
{
    __shared__ int s[64];
    __pipeline_memcpy_async(&s[T], &x[T], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    x[T] = s[T];
}
KERNEL(async_with_barrier)
{
    __shared__ int s[64];
    __pipeline_memcpy_async(&s[T], &x[T], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    x[T] = s[63 - T];
}
KERNEL(async_two_stages)
{
    __shared__ int s[2][64];
    int sum = 0;
    __pipeline_memcpy_async(&s[0][T], &x[T], 4);
    __pipeline_commit();
    for (int k = 0; k < 4; k++) {
        if (k < 3)
            __pipeline_memcpy_async(&s[(k + 1) & 1][T], &x[64 * (k + 1) + T], 4);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += s[k & 1][63 - T];
        __syncthreads();
    }
    x[1024 + T] = sum;
}
KERNEL(barrier_in_shared_memory)
{
    __shared__ __align__(8) unsigned long long barrier;
    __shared__ int s[64];
    unsigned address = (unsigned)__cvta_generic_to_shared(&barrier), done;
    if (T == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(address) : "memory");
    __syncthreads();
    s[T] = x[T];
    unsigned long long state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(address) : "memory");
    do
        asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(address), "l"(state)
                     : "memory");
    while (!done);
    x[T] = s[63 - T];
}

extern "C" const struct hazard_program right_programs[];
const struct hazard_program right_programs[] = {
    RIGHT(reverse, 1, 128),
    RIGHT(tree, 1, 128),
    RIGHT(transpose_tile, 1, 256),
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
    RIGHT(neighbouring_bytes, 1, 128),
    RIGHT(neighbouring_halves, 1, 128),
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
    RIGHT(ballot_and_match, 1, 64),
    VARIES(aggregated_atomics, 1, 128),
    RIGHT(warp_sums, 1, 128),
    RIGHT(syncwarp_of_a_branch, 1, 32),
    RIGHT(lanes_exit_before_the_mask_is_taken, 1, 64),
    RIGHT(last_block, 8, 64),
    RIGHT(last_block_all_threads_write, 8, 64),
    RIGHT(lock, 8, 32),
    RIGHT(lock_between_lanes, 2, 64),
    RIGHT(counted_by_atomics, 4, 64),
    RIGHT(double_add_by_swap, 4, 64),
    RIGHT(float_max_by_swap, 4, 64),
    RIGHT_GRID(look_back, 8, 32),
    RIGHT_GRID(look_back_past_l1, 8, 32),
    RIGHT_GRID(flag_with_fences, 2, 32),
    RIGHT_GRID(grid_sync, 4, 64),
    RIGHT_GRID(grid_sync_in_a_loop, 4, 64),
    RIGHT(blocks_apart, 8, 64),
    RIGHT(same_value_by_blocks, 4, 64),
    RIGHT(read_only_input, 8, 64),
    RIGHT(global_reverse_in_block, 1, 128),
    RIGHT_GRID(acquire_and_release, 2, 32),
    RIGHT(written_before_it_is_read, 1, 64),
    RIGHT(padding_copied_along, 1, 64),
    RIGHT(padding_read_along, 1, 64),
    RIGHT(padding_of_a_vector, 1, 32),
    RIGHT(exchange_into_fresh, 1, 64),
    RIGHT(exact_end, 1, 64),
    RIGHT(aligned_vectors, 1, 64),
    RIGHT(local_array, 1, 32),
    RIGHT(found_or_default, 1, 32),
    RIGHT(kernel_malloc, 1, 32),
    RIGHT(guarded, 2, 64),
    RIGHT(async_own_word, 1, 64),
    RIGHT(async_with_barrier, 1, 64),
    RIGHT(async_two_stages, 1, 64),
    RIGHT(barrier_in_shared_memory, 1, 64),
    {},
};
