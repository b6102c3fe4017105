/*
 * More wrong kernels of the kind that students and engineers write. suite.c explains the marks; the sentence before
 * each says why it is wrong.
 */
#include <cooperative_groups.h>
#include <cuda_pipeline.h>

#include "tests/hazards/orders.h"

#include "tests/hazards/kernels.h"
namespace cg = cooperative_groups;

/* ---- scopes again: among other synchronisation that is right ---- */

/* The minimum is one of a block, what looks at it is one of the device. */
KERNEL(block_minimum_beside_device_read)
{
    if (T == 0 && B == 0)
        atomicMin_block(zeros, -5); // <-
    else if (T == 0)
        x[1024] = atomicAdd(zeros, 0); // <-
}
/* All blocks lower each other's words, as labels of a graph. */
KERNEL(labels_lowered_in_block_scope)
{
    int i = B * 64 + T, other = i * 7 % 256;
    int label = atomicAdd(&x[i], 0);   // <-
    atomicMin_block(&x[other], label); // <-
}
/* The wide fence comes before the write, the one after it is narrow. */
KERNEL(narrow_fence_after_a_wide_one)
{
    if (T == 0 && B == 0) {
        x[1] = 41;
        __threadfence();
        atomicAdd(zeros + 1, 1);
        x[0] = 42; // <-
        __threadfence_block();
        atomicExch(zeros, 1);
    } else if (T == 0) {
        while (atomicAdd(zeros, 0) == 0)
            ;
        __threadfence();
        x[1024] = x[0]; // <-
    }
}
/* The last block has been counted rightly, but each block released its words too early. */
KERNEL(counted_after_a_narrow_fence)
{
    if (T == 0) {
        __threadfence();
        int place = atomicAdd(zeros + 1, 1);
        x[place] = B; // <-
        __threadfence_block();
        if (atomicAdd(zeros, 1) == (int)gridDim.x - 1) {
            __threadfence();
            for (int b = 0; b < (int)gridDim.x; b++)
                x[1024 + b] = x[b]; // <-
        }
    }
}
/* The lock is taken by one thread for its block, with a fence for that block only. */
KERNEL(lock_for_a_block_with_narrow_fence)
{
    if (T == 0) {
        while (atomicCAS(zeros, 0, 1) != 0)
            ;
        __threadfence_block();
    }
    __syncthreads();
    x[T] += B; // <-
    __syncthreads();
    if (T == 0) {
        __threadfence();
        atomicExch(zeros, 0);
    }
}
/* The lock is taken for the block, and nothing acquires. */
KERNEL(lock_for_a_block_without_fence)
{
    if (T == 0)
        while (atomicCAS(zeros, 0, 1) != 0)
            ;
    __syncthreads();
    x[T] += B; // <-
    __syncthreads();
    if (T == 0) {
        __threadfence();
        atomicExch(zeros, 0);
    }
}
/* A barrier of the grid made by hand, which acquires for its block only. */
KERNEL(grid_barrier_by_hand_with_narrow_acquire)
{
    x[B * 64 + T] = T + 1; // <-
    __syncthreads();
    if (T == 0) {
        __threadfence();
        atomicAdd(zeros, 1);
        while (atomicAdd(zeros, 0) < 2)
            ;
        __threadfence_block();
    }
    __syncthreads();
    x[1024 + B * 64 + T] = x[(1 - B) * 64 + T]; // <-
}
/* The same, and what it should order was written atomically and is read plainly. */
KERNEL(grid_barrier_by_hand_before_a_plain_read)
{
    if (T == 0 && B == 0)
        atomicExch(x, 7); // <-
    __syncthreads();
    if (T == 0) {
        __threadfence();
        atomicAdd(zeros, 1);
        while (atomicAdd(zeros, 0) < 2)
            ;
        __threadfence_block();
    }
    __syncthreads();
    x[1024 + B * 64 + T] = x[0]; // <-
}

/* ---- blocks ---- */

/* Down the tree of a scan, the children of one node are read by the threads of two. */
KERNEL(scan_down_without_barrier)
{
    __shared__ int s[128];
    s[T] = x[T];
    __syncthreads();
    for (int d = 64; d > 0; d /= 2)
        if (T % (2 * d) == 2 * d - 1) {
            int left = s[T - d]; // <-
            s[T - d] = s[T];     // <-
            s[T] += left;        // <-
        }
    __syncthreads();
    x[T] = s[T];
}
/* The total is there when thread 0 has written it, which the others do not wait for. */
KERNEL(total_read_without_barrier)
{
    __shared__ int s[4], total;
    int v = __reduce_add_sync(FULL, x[T]);
    if (T % 32 == 0)
        s[T / 32] = v;
    __syncthreads();
    if (T == 0)
        total = s[0] + s[1] + s[2] + s[3]; // <-
    x[1024 + T] = x[T] - total;            // <-
}
/* Each warp has a histogram of its own; they are added up before all are filled. */
KERNEL(warp_histograms_added_too_early)
{
    __shared__ int bins[4][16];
    if (T < 64)
        bins[T / 16][T % 16] = 0;
    __syncthreads();
    atomicAdd(&bins[T / 32][x[T] % 16], 1); // <-
    if (T < 16)
        x[1024 + T] = bins[0][T] + bins[1][T] + bins[2][T] + bins[3][T]; // <-
}
/* A barrier in every second round only. */
KERNEL(barrier_in_every_second_round)
{
    __shared__ int s[2][128];
    s[0][T] = x[T];
    __syncthreads();
    for (int k = 0; k < 4; k++) {
        s[(k + 1) % 2][T] = s[k % 2][(T + 40) % 128]; // <-
        if (k % 2 == 1)
            __syncthreads();
    }
    x[T] = s[0][T];
}
/* The swap of two elements of a tile is done by both of their threads. */
KERNEL(tile_transposed_in_place)
{
    __shared__ int s[16][16];
    s[T / 16][T % 16] = x[T];
    __syncthreads();
    int v = s[T % 16][T / 16]; // <-
    s[T / 16][T % 16] = v;     // <-
    __syncthreads();
    x[T] = s[T / 16][T % 16];
}
/* The pitch is one too small: the end of a row is the beginning of the next. */
KERNEL(rows_with_too_small_a_pitch)
{
    __shared__ int s[16 * 16];
    s[T / 16 * 15 + T % 16] = x[T]; // <-
    __syncthreads();
    x[T] = s[T / 16 * 15 + T % 16];
}
struct two_fields {
    unsigned low : 4, high : 4;
};
/* Bit-fields share a word: to set one is to write both. */
KERNEL(bit_fields_of_one_word)
{
    __shared__ two_fields s[32];
    if (T < 32)
        s[T].low = s[T].high = 0;
    __syncthreads();
    if (T < 32)
        s[T].low = T; // <-
    else
        s[T - 32].high = T; // <-
    __syncthreads();
    if (T < 32)
        x[T] = s[T].low + s[T].high;
}
/* A bit per thread in one word, set without an atomic operation. */
KERNEL(bits_of_one_word)
{
    __shared__ unsigned bits;
    if (T == 0)
        bits = 0;
    __syncthreads();
    if (x[T] % 3 == 0)
        bits |= 1u << T % 32; // <-
    __syncthreads();
    x[T] = (int)bits;
}
/* The queue's end is moved by a plain increment. */
KERNEL(shared_queue_with_plain_end)
{
    __shared__ int queue[64], end;
    if (T == 0)
        end = 0;
    __syncthreads();
    if (x[T] % 2 == 0)
        queue[end++] = T; // <-
    __syncthreads();
    x[T] = end;
    if (T == 0)
        x[1024] = queue[0];
}
/* Neighbors' sums are read while these add to them. */
KERNEL(prefix_in_place_in_one_loop)
{
    __shared__ int s[64];
    s[T] = x[T];
    __syncthreads();
    if (T > 0)
        s[T] += s[T - 1]; // <-
    __syncthreads();
    x[T] = s[T];
}
/* The tile of the next step is loaded over the one that slower warps still use. */
KERNEL(tile_of_the_matrix_overwritten)
{
    __shared__ int a[8][8], b[8][8];
    int row = T / 8, column = T % 8, sum = 0;
    for (int tile = 0; tile < 3; tile++) {
        a[row][column] = x[64 * tile + T];     // <-
        b[row][column] = x[64 * tile + T + 1]; // <-
        __syncthreads();
        for (int k = 0; k < 8; k++)
            sum += a[row][k] * b[k][column]; // <-
    }
    x[1024 + T] = sum;
}
/* Warp 0 fills the table, all warps use it. */
KERNEL(table_filled_by_one_warp)
{
    __shared__ int table[32];
    if (T < 32)
        table[T] = x[T] * x[T]; // <-
    __syncwarp();
    x[1024 + T] = table[(T * 5) % 32]; // <-
}
/* The flag of the last round is cleared for the next one while others still look at it. */
KERNEL(flag_cleared_too_early)
{
    __shared__ int changed;
    for (int round = 0; round < 2; round++) {
        if (T == 0)
            changed = 0; // <-
        __syncthreads();
        if (x[T] == round)
            changed = 1;
        __syncthreads();
        x[1024 + 64 * round + T] = changed; // <-
    }
}
/* The sum of the warp's upper half is read before its lanes have stored it. */
KERNEL(last_warp_without_syncwarp)
{
    __shared__ int s[64];
    s[T] = x[T];
    __syncthreads();
    if (T < 32)
        for (int d = 32; d > 0; d /= 2)
            s[T] += s[T + d % 33]; // <-
    if (T == 0)
        x[0] = s[0];
}

/* ---- grids ---- */

/* Two steps of a stencil in one kernel: the second reads what other blocks write in the first. */
KERNEL(two_steps_of_a_stencil)
{
    int i = 1 + B * 64 + T;
    x[1024 + i] = (x[i - 1] + x[i] + x[i + 1]) / 3; // <-
    __syncthreads();
    x[2048 + i] = i > 1 && i < 256 ? (x[1024 + i - 1] + x[1024 + i] + x[1024 + i + 1]) / 3 : 0; // <-
}
/* A block adds the sum of the one before, which may not be there yet. */
KERNEL(sum_of_the_block_before)
{
    if (T == 0)
        x[1024 + B] = B + (B > 0 ? x[1024 + B - 1] : 0); // <-
}
/* Two vertices find the same neighbor unvisited. */
KERNEL(visited_by_two)
{
    int i = B * 64 + T, neighbor = i / 2 % 64;
    if (zeros[neighbor] == 0) // <-
        zeros[neighbor] = i;  // <-
}
/* Each element of the list becomes its head without a compare-and-swap. */
KERNEL(list_without_compare_and_swap)
{
    int i = B * 64 + T;
    x[1024 + i] = zeros[0]; // <-
    zeros[0] = i;           // <-
}
/* All threads swap, not half of them: each pair is swapped twice, at the same time. */
KERNEL(reversed_in_place_by_all)
{
    int i = B * 64 + T, other = x[255 - i]; // <-
    x[i] = other;                           // <-
}
/* Each pair of elements is swapped by two threads. */
KERNEL(matrix_transposed_in_place_by_all)
{
    int i = B * 64 + T, row = i / 16, column = i % 16, other = x[16 * column + row]; // <-
    x[i] = other;                                                                    // <-
}
/* The last column of a tile is the first one of the next. */
KERNEL(tiles_overlap_by_one)
{
    x[1024 + B * 63 + T] = x[B * 64 + T]; // <-
}
/* The elements move by one place to the left, each over its neighbor. */
KERNEL(shifted_in_place)
{
    int i = B * 64 + T;
    x[i] = x[i + 1]; // <-
}
/* 16 sums of all threads, added to plainly. */
KERNEL(sums_by_remainder)
{
    zeros[(B * 64 + T) % 16] += x[T]; // <-
}
/* The number of chosen elements is stored by a thread that does not know whether it is the last. */
KERNEL(count_stored_by_all)
{
    int i = B * 64 + T;
    if (x[i] % 3 == 0) {
        int place = atomicAdd(zeros, 1);
        x[1024 + place] = i;
        x[2048] = place + 1; // <-
    }
}
/* The maximum is compared plainly and stored plainly. */
KERNEL(maximum_without_atomics)
{
    int v = x[B * 64 + T];
    if (v > zeros[0]) // <-
        zeros[0] = v; // <-
}
/* The counter of the next launch is set back by the first block, while others still count. */
KERNEL(counter_set_back_by_the_first_block)
{
    if (T == 0) {
        int place = atomicAdd(zeros, 1); // <-
        if (place == 0)
            zeros[0] = 0; // <-
        x[1024 + B] = 1;
    }
}
/* Rows of a matrix are summed up into one row by blocks that share the columns. */
KERNEL(column_sums_of_several_blocks)
{
    int sum = 0;
    for (int row = B; row < 16; row += 4)
        sum += x[64 * row + T];
    x[2048 + T] += sum; // <-
}

/* ---- addresses ---- */

/* The guard lets one too many in. */
KERNEL(guard_with_less_or_equal)
{
    int i = B * 64 + T;
    if (i <= 96)
        x[4000 + i] = i; // <-
}
/* The neighbor to the left of the first element. */
KERNEL(left_neighbor_of_the_first)
{
    int i = B * 64 + T;
    x[1024 + i] = x[i] - x[i - 1]; // <-
}
/* Unsigned: what is below 0 is very large. */
KERNEL(unsigned_below_zero)
{
    unsigned i = threadIdx.x - 1;
    x[1024 + T] = x[i]; // <-
}
/* Rows and columns are confused: 64 columns of 80 elements are no 80 of 64. */
KERNEL(rows_and_columns_confused)
{
    int row = B, column = T;
    x[1024 + column * 80 + row] = 1; // <-
}
/* The vector at the end reaches beyond it. */
KERNEL(vector_beyond_the_tail)
{
    int i = 4 * T;
    if (3996 + i < 4096) {
        int4 *p = (int4 *)(x + 3996 + i + 4);
        x[T] = p->x; // <-
    }
}
/* Bytes are counted where elements are wanted. */
KERNEL(offset_in_bytes)
{
    x[T * (int)sizeof(int) * 17] = 1; // <-
}
/* The second array begins after the bytes of the first, counted as elements. */
KERNEL(dynamic_offset_in_bytes)
{
    extern __shared__ int s[];
    int *second = s + 64 * sizeof(int);
    s[T] = x[T];
    second[T] = x[T]; // <-
    __syncthreads();
    x[T] = s[63 - T];
}
/* A double begins behind an odd number of ints. */
KERNEL(double_at_an_odd_int)
{
    double *p = (double *)(x + 1);
    p[T] = 1.0; // <-
}
/* The second array of dynamic shared memory begins behind 33 bytes. */
KERNEL(ints_behind_33_bytes)
{
    extern __shared__ char bytes[];
    int *words = (int *)(bytes + 33);
    bytes[T % 33] = 1;
    words[T] = T; // <-
    __syncthreads();
    x[T] = words[T];
}
/* Memory of the kernel's heap is read after it was given back. */
KERNEL(heap_read_after_free)
{
    if (T == 0) {
        int *p = (int *)malloc(64);
        p[3] = 5;
        free(p);
        x[0] = p[3]; // <-
    }
}
/* One more than was asked for. */
KERNEL(heap_past_the_end)
{
    if (T == 0) {
        int *p = (int *)malloc(16 * sizeof(int));
        for (int i = 0; i <= 16; i++)
            p[i] = i; // <-
        x[0] = p[3];
        free(p);
    }
}
/* The depth of a stack in local memory is not checked. */
KERNEL(local_stack_overflows)
{
    int stack[8], top = 0;
    for (int i = 0; i < x[12]; i++)
        stack[top++] = x[i]; // <-
    x[1024 + T] = stack[x[3]];
}
__constant__ int table[64];
/* Constant memory cannot be written by a kernel. */
KERNEL(constant_written)
{
    int *p;
    asm volatile("mov.u64 %0, %1;" : "=l"(p) : "l"(table)); /* so that the compiler does not see it */
    p[T] = T;                                               // <-
    x[T] = table[T];
}

/* ---- memory never written ---- */

/* The column that avoids bank conflicts is read like the others. */
KERNEL(padding_column_summed)
{
    __shared__ int s[16][17];
    s[T / 16][T % 16] = x[T];
    __syncthreads();
    if (T < 16) {
        int sum = 0;
        for (int k = 0; k < 17; k++)
            sum += s[T][k]; // <-
        x[T] = sum;
    }
}
struct particle {
    int position, velocity;
};
/* The velocity is used, and only the position was set. */
KERNEL(member_never_set)
{
    particle *p = (particle *)fresh;
    p[T].position = T;
    x[T] = p[T].position + p[T].velocity; // <-
}
/* Every fourth element is left out. */
KERNEL(every_fourth_left_out)
{
    __shared__ int s[64];
    if (T % 4 != 3)
        s[T] = x[T];
    __syncthreads();
    x[T] = s[63 - T]; // <-
}
/* malloc() does not clear. */
KERNEL(heap_never_written)
{
    int *p = (int *)malloc(16);
    x[T] = p[1]; // <-
    free(p);
}
/* The sums in fresh memory are added to, and were never cleared. */
KERNEL(sums_never_cleared)
{
    fresh[T] += x[T]; // <-
}
/* The halo is loaded for a radius of 1, and used for 2. */
KERNEL(halo_too_narrow)
{
    __shared__ int s[68];
    s[T + 2] = x[T + 2];
    if (T == 0) {
        s[1] = x[1];
        s[66] = x[66];
    }
    __syncthreads();
    x[1024 + T] = s[T] + s[T + 2] + s[T + 4]; // <-
}

/* ---- barriers and masks ---- */

/* The last round of the loop is not run by all threads. */
KERNEL(barrier_in_a_loop_over_elements)
{
    __shared__ int s[64];
    for (int i = T; i < 100; i += 64) {
        s[T] = x[i];
        __syncthreads(); // <-
        x[1024 + i] = s[T];
    }
}
/* Some threads leave the loop before the barrier. */
KERNEL(break_before_the_barrier)
{
    for (int k = 0; k < 4; k++) {
        if (x[T] == 40 + k)
            break;
        __syncthreads(); // <-
    }
    x[T] = 1;
}
/* The barrier is in a function that half of the threads call. */
KERNEL(barrier_in_a_function)
{
    auto wait_for_all = [] {
        __syncthreads(); // <-
    };
    x[T] = 1;
    if (T < 64)
        wait_for_all();
}
/* Each warp waits for the other at another barrier. */
KERNEL(named_barriers_in_another_order)
{
    if (T < 32) {
        asm volatile("bar.sync 1, 64;" ::: "memory"); // <- or
        asm volatile("bar.sync 2, 64;" ::: "memory"); // <- or
    } else {
        asm volatile("bar.sync 2, 64;" ::: "memory"); // <- or
        asm volatile("bar.sync 1, 64;" ::: "memory"); // <- or
    }
    x[T] = 1;
}
/* Lanes that are done do not take part in the others' shuffles any more. */
KERNEL(shuffle_in_a_loop_over_elements)
{
    int v = 0;
    for (int i = T; i < 50; i += 32)
        v += __shfl_down_sync(FULL, x[i], 1); // <-
    x[1024 + T] = v;
}
/* The mask is taken before the branch and used in it. */
KERNEL(mask_from_before_the_branch)
{
    unsigned mask = __activemask();
    int v = x[T];
    if (v % 2 == 0)
        v = __shfl_xor_sync(mask, v, 2); // <- or
    else
        v = __shfl_xor_sync(mask, v, 4); // <- or
    x[T] = v;
}
/* Some lanes are at the first vote while the others are at the second, both with the mask of all. */
KERNEL(vote_in_a_branch)
{
    int v = 0;
    if (x[T] < 20)
        v = __any_sync(FULL, x[T] == 5); // <- or
    v += __any_sync(FULL, x[T] == 6);    // <- or
    x[T] = v;
}

extern "C" const struct hazard_program wrong_more_programs[];
const struct hazard_program wrong_more_programs[] = {
    WRONG_GRID(block_minimum_beside_device_read, 2, 32, SCOPE),
    WRONG_GRID(labels_lowered_in_block_scope, 4, 64, SCOPE),
    WRONG_GRID(narrow_fence_after_a_wide_one, 2, 32, SCOPE),
    WRONG(counted_after_a_narrow_fence, 4, 32, SCOPE),
    WRONG(lock_for_a_block_with_narrow_fence, 4, 64, SCOPE),
    WRONG(lock_for_a_block_without_fence, 4, 64, GLOBAL),
    WRONG_GRID(grid_barrier_by_hand_with_narrow_acquire, 2, 64, SCOPE),
    WRONG_GRID(grid_barrier_by_hand_before_a_plain_read, 2, 64, SCOPE),
    WRONG(scan_down_without_barrier, 1, 128, SHARED),
    WRONG(total_read_without_barrier, 1, 128, SHARED),
    WRONG(warp_histograms_added_too_early, 1, 128, SHARED),
    WRONG(barrier_in_every_second_round, 1, 128, SHARED),
    WRONG(tile_transposed_in_place, 1, 256, SHARED),
    WRONG(rows_with_too_small_a_pitch, 1, 256, SHARED),
    WRONG(bit_fields_of_one_word, 1, 64, SHARED),
    WRONG(bits_of_one_word, 1, 64, SHARED),
    WRONG(shared_queue_with_plain_end, 1, 64, SHARED),
    WRONG(prefix_in_place_in_one_loop, 1, 64, SHARED),
    WRONG(tile_of_the_matrix_overwritten, 1, 64, SHARED),
    WRONG(table_filled_by_one_warp, 1, 128, SHARED),
    WRONG(flag_cleared_too_early, 1, 64, SHARED),
    WRONG(last_warp_without_syncwarp, 1, 64, SHARED),
    WRONG(two_steps_of_a_stencil, 4, 64, GLOBAL),
    WRONG(sum_of_the_block_before, 4, 32, GLOBAL),
    WRONG(visited_by_two, 4, 64, GLOBAL),
    WRONG(list_without_compare_and_swap, 4, 64, GLOBAL),
    WRONG(reversed_in_place_by_all, 4, 64, GLOBAL),
    WRONG(matrix_transposed_in_place_by_all, 4, 64, GLOBAL),
    WRONG(tiles_overlap_by_one, 4, 64, GLOBAL),
    WRONG(shifted_in_place, 4, 64, GLOBAL),
    WRONG(sums_by_remainder, 4, 64, GLOBAL),
    WRONG(count_stored_by_all, 4, 64, GLOBAL),
    WRONG(maximum_without_atomics, 4, 64, GLOBAL),
    WRONG(counter_set_back_by_the_first_block, 4, 32, GLOBAL),
    WRONG(column_sums_of_several_blocks, 4, 64, GLOBAL),
    WRONG(guard_with_less_or_equal, 2, 64, OUT_OF_BOUNDS),
    WRONG(left_neighbor_of_the_first, 2, 64, OUT_OF_BOUNDS),
    WRONG(unsigned_below_zero, 1, 32, OUT_OF_BOUNDS),
    WRONG(rows_and_columns_confused, 2, 64, OUT_OF_BOUNDS),
    WRONG(vector_beyond_the_tail, 1, 32, OUT_OF_BOUNDS),
    WRONG(offset_in_bytes, 1, 64, OUT_OF_BOUNDS),
    WRONG_DYNAMIC(dynamic_offset_in_bytes, 1, 64, 512, OUT_OF_BOUNDS),
    WRONG(double_at_an_odd_int, 1, 32, MISALIGNED),
    WRONG_DYNAMIC(ints_behind_33_bytes, 1, 64, 512, MISALIGNED),
    WRONG(heap_read_after_free, 1, 32, AFTER_FREE),
    WRONG(heap_past_the_end, 1, 32, OUT_OF_BOUNDS),
    WRONG(local_stack_overflows, 1, 32, OUT_OF_BOUNDS),
    WRONG(constant_written, 1, 32, READ_ONLY),
    WRONG(padding_column_summed, 1, 256, UNINITIALISED),
    WRONG(member_never_set, 1, 64, UNINITIALISED),
    WRONG(every_fourth_left_out, 1, 64, UNINITIALISED),
    WRONG(heap_never_written, 1, 32, UNINITIALISED),
    WRONG(sums_never_cleared, 1, 64, UNINITIALISED),
    WRONG(halo_too_narrow, 1, 64, UNINITIALISED),
    WRONG(barrier_in_a_loop_over_elements, 1, 64, BARRIER),
    WRONG(break_before_the_barrier, 1, 64, BARRIER),
    WRONG(barrier_in_a_function, 1, 128, BARRIER),
    WRONG(named_barriers_in_another_order, 1, 64, DEADLOCK),
    WRONG(shuffle_in_a_loop_over_elements, 1, 32, MASK),
    WRONG(mask_from_before_the_branch, 1, 32, MASK),
    WRONG(vote_in_a_branch, 1, 32, MASK),
    {},
};
