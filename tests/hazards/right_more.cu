/*
 * More right kernels of the kind that students and engineers write: no report may come. The sentence before each says
 * why it is right.
 */
#include <cooperative_groups.h>

#include "tests/hazards/orders.h"

#include "tests/hazards/kernels.h"
namespace cg = cooperative_groups;

/* ---- blocks ---- */

/* Blelloch's scan: a barrier after each level, up and down. */
KERNEL(scan_up_and_down)
{
    __shared__ int s[128];
    s[T] = x[T];
    for (int d = 1; d < 128; d *= 2) {
        __syncthreads();
        if (T % (2 * d) == 2 * d - 1)
            s[T] += s[T - d];
    }
    __syncthreads();
    if (T == 127)
        s[127] = 0;
    for (int d = 64; d > 0; d /= 2) {
        __syncthreads();
        if (T % (2 * d) == 2 * d - 1) {
            int left = s[T - d];
            s[T - d] = s[T];
            s[T] += left;
        }
    }
    __syncthreads();
    x[T] = s[T];
}
/* A barrier before the total is read, and one before it is written again. */
KERNEL(total_for_all)
{
    __shared__ int s[4], total;
    for (int k = 0; k < 2; k++) {
        int v = __reduce_add_sync(FULL, x[128 * k + T]);
        if (T % 32 == 0)
            s[T / 32] = v;
        __syncthreads();
        if (T == 0)
            total = s[0] + s[1] + s[2] + s[3];
        __syncthreads();
        x[1024 + 128 * k + T] = x[T] - total;
    }
}
/* All histograms are filled before they are added up. */
KERNEL(warp_histograms)
{
    __shared__ int bins[4][16];
    if (T < 64)
        bins[T / 16][T % 16] = 0;
    __syncthreads();
    atomicAdd(&bins[T / 32][x[T] % 16], 1);
    __syncthreads();
    if (T < 16)
        x[1024 + T] = bins[0][T] + bins[1][T] + bins[2][T] + bins[3][T];
}
/* Three buffers: a barrier per round is enough, since a buffer is written again two rounds later. */
KERNEL(three_buffers)
{
    __shared__ int s[3][128];
    int sum = 0;
    for (int k = 0; k < 6; k++) {
        s[k % 3][T] = x[128 * k + T];
        __syncthreads();
        sum += s[k % 3][127 - T];
    }
    x[1024 + T] = sum;
}
/* Each pair is swapped by the thread above the diagonal. */
KERNEL(tile_transposed_in_place)
{
    __shared__ int s[16][16];
    int row = T / 16, column = T % 16;
    s[row][column] = x[T];
    __syncthreads();
    if (row < column) {
        int v = s[row][column];
        s[row][column] = s[column][row];
        s[column][row] = v;
    }
    __syncthreads();
    x[T] = s[row][column];
}
struct two_fields {
    unsigned low : 4, high : 4;
};
/* Both fields of a word belong to one thread, and it sets them in fresh memory. */
KERNEL(bit_fields_of_own_word)
{
    __shared__ two_fields s[32];
    two_fields *p = (two_fields *)fresh;
    s[T].low = T;
    s[T].high = T / 4;
    p[T].low = T;
    p[T].high = 3;
    x[T] = s[T].low + s[T].high + p[T].low + p[T].high;
}
/* A byte per thread: neighbors in a word, but no byte in common. */
KERNEL(flags_of_a_byte_each)
{
    __shared__ bool flag[64];
    flag[T] = x[T] % 3 == 0;
    __syncthreads();
    x[T] = flag[63 - T];
}
/* Bits of one word, set atomically. */
KERNEL(bits_of_one_word)
{
    __shared__ unsigned bits;
    if (T == 0)
        bits = 0;
    __syncthreads();
    if (x[T] % 3 == 0)
        atomicOr(&bits, 1u << T % 32);
    __syncthreads();
    x[T] = (int)bits;
}
/* The queue's end moves atomically; its order is open, its sum is not. */
KERNEL(shared_queue)
{
    __shared__ int queue[64], end;
    if (T == 0)
        end = 0;
    __syncthreads();
    if (x[T] % 2 == 0)
        queue[atomicAdd(&end, 1)] = T;
    __syncthreads();
    if (T == 0) {
        int sum = 0;
        for (int k = 0; k < end; k++)
            sum += queue[k];
        x[0] = sum;
    }
}
/* Tiles of a matrix product: a barrier before and after they are used. */
KERNEL(matrix_product_by_tiles)
{
    __shared__ int a[8][8], b[8][8];
    int row = T / 8, column = T % 8, sum = 0;
    for (int tile = 0; tile < 3; tile++) {
        a[row][column] = x[64 * tile + T];
        b[row][column] = x[64 * tile + T + 1];
        __syncthreads();
        for (int k = 0; k < 8; k++)
            sum += a[row][k] * b[k][column];
        __syncthreads();
    }
    x[1024 + T] = sum;
}
/* The next tile is loaded into registers while this one is used. */
KERNEL(tile_prefetched_into_registers)
{
    __shared__ int s[64];
    int next = x[T], sum = 0;
    for (int tile = 0; tile < 4; tile++) {
        s[T] = next;
        __syncthreads();
        if (tile < 3)
            next = x[64 * (tile + 1) + T];
        sum += s[63 - T] * s[T ^ 1];
        __syncthreads();
    }
    x[1024 + T] = sum;
}
/* The vote is a barrier, so the flag needs no memory. */
KERNEL(changed_by_vote)
{
    int v = x[T];
    for (int round = 0; __syncthreads_or(v > 3); round++)
        v = v > 3 ? v / 2 : v;
    x[T] = v;
}
/* A barrier between the last look at the flag and its clearing. */
KERNEL(flag_cleared_after_a_barrier)
{
    __shared__ int changed;
    for (int round = 0; round < 2; round++) {
        if (T == 0)
            changed = 0;
        __syncthreads();
        if (x[T] == round)
            changed = 1;
        __syncthreads();
        x[1024 + 64 * round + T] = changed;
        __syncthreads();
    }
}
/* Radix sort by one bit: a scan of the bits, then each thread writes to a place of its own. */
KERNEL(split_by_bits)
{
    __shared__ int s[2][64], zeros_of_warp[2];
    int from = 0;
    s[0][T] = x[T] * 37 % 64;
    for (int bit = 0; bit < 6; bit++) {
        __syncthreads();
        int v = s[from][T], one = v >> bit & 1;
        unsigned ones = __ballot_sync(FULL, one);
        if (T % 32 == 0)
            zeros_of_warp[T / 32] = 32 - __popc(ones);
        __syncthreads();
        int before = __popc(ones & ((1u << T % 32) - 1)), place;
        if (one)
            place = zeros_of_warp[0] + zeros_of_warp[1] + before + (T < 32 ? 0 : 32 - zeros_of_warp[0]);
        else
            place = T % 32 - before + (T < 32 ? 0 : zeros_of_warp[0]);
        s[1 - from][place] = v;
        from = 1 - from;
    }
    __syncthreads();
    x[T] = s[from][T];
}
/* Even and odd pairs in turn, with a barrier between. */
KERNEL(odd_even_sort)
{
    __shared__ int s[64];
    s[T] = x[T] * 29 % 64;
    for (int round = 0; round < 64; round++) {
        __syncthreads();
        int left = T / 2 * 2 + round % 2;
        if (T % 2 == 0 && left + 1 < 64 && s[left] > s[left + 1]) {
            int v = s[left];
            s[left] = s[left + 1];
            s[left + 1] = v;
        }
    }
    __syncthreads();
    x[T] = s[T];
}
/* Arrays of three types, each aligned, in one piece of dynamic memory. */
KERNEL(dynamic_memory_of_three_types)
{
    extern __shared__ __align__(16) char memory[];
    double *d = (double *)memory;
    int *i = (int *)(d + 64);
    short *s = (short *)(i + 64);
    d[T] = T;
    i[T] = x[T];
    s[T] = (short)T;
    __syncthreads();
    x[T] = (int)d[63 - T] + i[T ^ 1] + s[T ^ 2];
}
/* The same bytes as ints, then as floats, with a barrier between. */
KERNEL(memory_used_again_as_another_type)
{
    __shared__ int s[64];
    float *f = (float *)s;
    s[T] = x[T];
    __syncthreads();
    int v = s[63 - T];
    __syncthreads();
    f[T] = (float)v;
    __syncthreads();
    x[T] = (int)f[T ^ 5];
}

/* ---- grids ---- */

/* Two arrays, and a barrier of the grid between the steps. */
KERNEL(two_steps_of_a_stencil)
{
    int i = 1 + B * 64 + T;
    x[1024 + i] = (x[i - 1] + x[i] + x[i + 1]) / 3;
    cg::this_grid().sync();
    x[2048 + i] = i > 1 && i < 256 ? (x[1024 + i - 1] + x[1024 + i] + x[1024 + i + 1]) / 3 : 0;
}
/* The vertex goes to the thread whose compare-and-swap finds it unvisited. */
KERNEL(visited_by_compare_and_swap)
{
    int i = B * 64 + T, neighbor = i / 2 % 64;
    if (atomicCAS(&zeros[neighbor], 0, 1) == 0)
        atomicAdd(&x[1024 + neighbor], 1);
}
/* A list through the array: each element takes the old head by an exchange. */
KERNEL(list_by_exchange)
{
    int i = B * 64 + T;
    x[1024 + i] = atomicExch(zeros, i + 1);
}
/* Each pair is swapped by one thread. */
KERNEL(reversed_in_place_by_half)
{
    int i = B * 64 + T;
    if (i < 128) {
        int other = x[255 - i];
        x[255 - i] = x[i];
        x[i] = other;
    }
}
/* Each thread has all of its elements to itself: a grid-stride loop. */
KERNEL(grid_stride_loop)
{
    for (int i = B * 64 + T; i < 1000; i += 4 * 64)
        x[i] = 2 * x[i] + 1;
}
/* Sums of each block, added atomically by one thread. */
KERNEL(sums_of_blocks_added)
{
    __shared__ int sum;
    if (T == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, x[B * 64 + T]);
    __syncthreads();
    if (T == 0)
        atomicAdd(zeros, sum);
}
/* Places by one atomic per warp: order open, each place once. */
KERNEL(compaction_by_warps)
{
    int i = B * 64 + T, lane = T % 32, base = 0;
    unsigned chosen = __ballot_sync(FULL, x[i] % 3 == 0);
    if (lane == 0)
        base = atomicAdd(zeros, __popc(chosen));
    base = __shfl_sync(FULL, base, 0);
    if (chosen >> lane & 1)
        x[1024 + base + __popc(chosen & ((1u << lane) - 1))] = i;
}
/* The maximum by atomicMax, with a look at it by an atomic before. */
KERNEL(maximum_with_a_look_before)
{
    int v = x[B * 64 + T];
    if (v > load_relaxed_gpu(zeros))
        atomicMax(zeros, v);
}
/* The last block sets the counter back when all have counted. */
KERNEL(counter_set_back_by_the_last_block)
{
    if (T == 0) {
        x[1024 + B] = 1;
        __threadfence();
        if (atomicAdd(zeros, 1) == (int)gridDim.x - 1) {
            __threadfence();
            zeros[0] = 0;
        }
    }
}
/* A work queue: each block draws tasks until there are none. */
KERNEL(tasks_drawn_by_blocks)
{
    __shared__ int task;
    for (;;) {
        if (T == 0)
            task = atomicAdd(zeros, 1);
        __syncthreads();
        int mine = task;
        __syncthreads();
        if (mine >= 20)
            break;
        x[1024 + 64 * mine + T] = mine;
    }
}

extern "C" const struct hazard_program right_more_programs[];
const struct hazard_program right_more_programs[] = {
    RIGHT(scan_up_and_down, 1, 128),
    RIGHT(total_for_all, 1, 128),
    RIGHT(warp_histograms, 1, 128),
    RIGHT(three_buffers, 1, 128),
    RIGHT(tile_transposed_in_place, 1, 256),
    RIGHT(bit_fields_of_own_word, 1, 32),
    RIGHT(flags_of_a_byte_each, 1, 64),
    RIGHT(bits_of_one_word, 1, 64),
    RIGHT(shared_queue, 1, 64),
    RIGHT(matrix_product_by_tiles, 1, 64),
    RIGHT(tile_prefetched_into_registers, 1, 64),
    RIGHT(changed_by_vote, 1, 64),
    RIGHT(flag_cleared_after_a_barrier, 1, 64),
    RIGHT(split_by_bits, 1, 64),
    RIGHT(odd_even_sort, 1, 64),
    RIGHT_DYNAMIC(dynamic_memory_of_three_types, 1, 64, 1024),
    RIGHT(memory_used_again_as_another_type, 1, 64),
    RIGHT_GRID(two_steps_of_a_stencil, 4, 64),
    RIGHT(visited_by_compare_and_swap, 4, 64),
    VARIES(list_by_exchange, 4, 64),
    RIGHT(reversed_in_place_by_half, 4, 64),
    RIGHT(grid_stride_loop, 4, 64),
    RIGHT(sums_of_blocks_added, 4, 64),
    VARIES(compaction_by_warps, 4, 64),
    RIGHT(maximum_with_a_look_before, 4, 64),
    RIGHT(counter_set_back_by_the_last_block, 4, 32),
    RIGHT(tasks_drawn_by_blocks, 4, 64),
    {},
};
