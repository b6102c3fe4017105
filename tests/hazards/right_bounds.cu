/*
 * Right kernels: indices at the edge of their arrays, memory that is written in parts, barriers and masks. The sentence before
 * each says why it is right.
 */
#include "tests/hazards/kernels.h"

/* ---- addresses ---- */

/* The guard is for the elements, and the last block has fewer. */
KERNEL(guard_of_the_last_block)
{
    int i = B * 64 + T;
    if (i < 96)
        x[4000 + i] = i;
}
/* The vector loop ends before the tail, which is done by single elements. */
KERNEL(vectors_and_a_tail)
{
    int4 *p = (int4 *)(x + 2048);
    for (int i = T; i < 2045 / 4; i += 64) {
        int4 v = p[i];
        p[i] = make_int4(v.x + 1, v.y + 1, v.z + 1, v.w + 1);
    }
    if (T < 2045 % 4)
        x[2048 + 2045 / 4 * 4 + T]++;
}
/* A row is as long as its pitch says. */
KERNEL(rows_with_a_pitch)
{
    int *row = (int *)((char *)x + B * 320);
    row[T] = B;
}
/* The neighbor is clamped to the array. */
KERNEL(clamped_neighbor)
{
    int i = B * 64 + T;
    x[1024 + i] = x[max(i - 1, 0)] + x[min(i + 1, 255)];
}
/* Heap memory, written, read and given back; also by another thread of the block. */
KERNEL(heap_shared_by_a_block)
{
    __shared__ int *p;
    if (T == 0)
        p = (int *)malloc(64 * sizeof(int));
    __syncthreads();
    p[T] = x[B * 64 + T];
    __syncthreads();
    x[B * 64 + T] = p[63 - T];
    __syncthreads();
    if (T == 0)
        free(p);
}
/* A stack in local memory that is deep enough. */
KERNEL(local_stack)
{
    int stack[64], top = 0, sum = 0;
    for (int i = 0; i < x[40]; i++)
        stack[top++] = x[(i + T) % 64];
    while (top > 0)
        sum += stack[--top];
    x[1024 + T] = sum;
}
__constant__ int powers[4] = {1, 10, 100, 1000};
/* Constant memory with an index of each thread's own. */
KERNEL(constant_read)
{
    x[T] = powers[T % 4];
}

/* ---- memory that is written in parts ---- */

/* Every member is set before the structure is copied whole. */
KERNEL(structure_set_and_copied)
{
    struct particle {
        int position, velocity;
        short kind;
    } *p = (particle *)fresh;
    p[T].position = T;
    p[T].velocity = 1;
    p[T].kind = 2;
    particle mine = p[T];
    x[T] = mine.position + mine.velocity + mine.kind;
}
/* The halo of radius 2 is loaded by the first and the last two threads. */
KERNEL(halo_of_two)
{
    __shared__ int s[68];
    s[T + 2] = x[T + 2];
    if (T < 2)
        s[T] = x[T];
    if (T >= 62)
        s[T + 4] = x[T + 4];
    __syncthreads();
    x[1024 + T] = s[T] + s[T + 2] + s[T + 4];
}
/* Sums in fresh memory that the kernel clears itself. */
KERNEL(cleared_then_added_to)
{
    fresh[T] = 0;
    __syncthreads();
    atomicAdd(&fresh[x[T] % 16], x[T]);
    __syncthreads();
    x[T] = fresh[T % 16];
}
/* Only the columns that were filled are read; the one for the banks is not. */
KERNEL(padding_column_not_read)
{
    __shared__ int s[16][17];
    s[T / 16][T % 16] = x[T];
    __syncthreads();
    if (T < 16) {
        int sum = 0;
        for (int k = 0; k < 16; k++)
            sum += s[T][k];
        x[T] = sum;
    }
}

/* ---- barriers and masks ---- */

/* All threads run all rounds; what is beyond the end is skipped, not the barrier. */
KERNEL(barrier_in_a_loop_of_equal_rounds)
{
    __shared__ int s[64];
    for (int begin = 0; begin < 100; begin += 64) {
        int i = begin + T;
        s[T] = i < 100 ? x[i] : 0;
        __syncthreads();
        if (i < 100)
            x[1024 + i] = s[63 - T];
        __syncthreads();
    }
}
/* The condition of the loop is the same for all threads of the block. */
KERNEL(break_of_all_before_the_barrier)
{
    for (int k = 0; k < 4; k++) {
        if (x[2] == k)
            break;
        __syncthreads();
    }
    x[1024 + T] = 1;
}
/* The mask is the set of lanes that are still in the loop. */
KERNEL(shuffle_with_the_mask_of_the_loop)
{
    int v = 0;
    unsigned mask = FULL;
    for (int i = T; i < 96; i += 32) {
        mask = __ballot_sync(mask, i < 96);
        v += __shfl_xor_sync(mask, x[i], 1);
    }
    x[1024 + T] = v;
}
/* The branch takes whole warps. */
KERNEL(votes_of_whole_warps)
{
    int v;
    if (T < 32)
        v = __any_sync(FULL, x[T] == 5);
    else
        v = __all_sync(FULL, x[T] > 31);
    x[T] = v;
}
/* Half a warp exits; the other half goes on with its own mask. */
KERNEL(half_a_warp_exits)
{
    if (T >= 16)
        return;
    int v = x[T];
    for (int d = 8; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffu, v, d, 16);
    if (T == 0)
        x[0] = v;
}
/* Recursion: each thread with its own depth, no barrier in it. */
static __device__ __noinline__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
/* The stack of each thread is its own. */
KERNEL(recursion)
{
    x[T] = fibonacci(T % 8);
}
/* Calls through a pointer that differs from lane to lane. */
static __device__ int twice(int v)
{
    return 2 * v;
}
static __device__ int square(int v)
{
    return v * v;
}
/* Both functions touch only registers. */
KERNEL(functions_by_pointer)
{
    int (*function)(int) = x[T] % 2 ? twice : square;
    x[T] = function(x[T]);
}

extern "C" const struct hazard_program right_bounds_programs[];
const struct hazard_program right_bounds_programs[] = {
    RIGHT(guard_of_the_last_block, 2, 64),
    RIGHT(vectors_and_a_tail, 1, 64),
    RIGHT(rows_with_a_pitch, 4, 64),
    RIGHT(clamped_neighbor, 4, 64),
    RIGHT(heap_shared_by_a_block, 2, 64),
    RIGHT(local_stack, 1, 32),
    RIGHT(constant_read, 1, 64),
    RIGHT(structure_set_and_copied, 1, 64),
    RIGHT(halo_of_two, 1, 64),
    RIGHT(cleared_then_added_to, 1, 64),
    RIGHT(padding_column_not_read, 1, 256),
    RIGHT(barrier_in_a_loop_of_equal_rounds, 1, 64),
    RIGHT(break_of_all_before_the_barrier, 1, 64),
    RIGHT(shuffle_with_the_mask_of_the_loop, 1, 32),
    RIGHT(votes_of_whole_warps, 1, 64),
    RIGHT(half_a_warp_exits, 1, 32),
    RIGHT(recursion, 1, 32),
    RIGHT(functions_by_pointer, 1, 32),
    {},
};
