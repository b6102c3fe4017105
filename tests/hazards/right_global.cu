/* Right kernels, about blocks, memory and asynchronous copies: no report may come, under any order of warps and blocks. */
#include <cooperative_groups.h>
#include <cuda_pipeline.h>

#include "tests/hazards/kernels.h"
namespace cg = cooperative_groups;

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
KERNEL(global_reverse_with_barrier)
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
static __device__ __noinline__ bool find_and_set(const int *x, int *found)
{
    if (x[T] % 2 == 0)
        return false;
    *found = x[T] / 2;
    return true;
}
KERNEL(found_or_default)
{
    int found;
    x[1024 + T] = find_and_set(x, &found) ? found : -1;
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

extern "C" const struct hazard_program right_global_programs[];
const struct hazard_program right_global_programs[] = {
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
    RIGHT(global_reverse_with_barrier, 1, 128),
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
