/*
 * More wrong kernels of the kind that students and engineers write. suite.c explains the marks; the sentence before
 * each says why it is wrong.
 */
#include "tests/hazards/kernels.h"

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

extern "C" const struct hazard_program wrong_more_programs[];
const struct hazard_program wrong_more_programs[] = {
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
    {},
};
