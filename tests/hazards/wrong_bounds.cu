/*
 * Wrong kernels: indices out of bounds, values never written, barriers and masks. suite.c explains the marks; the sentence before
 * each says why it is wrong.
 */
#include "tests/hazards/kernels.h"

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
        v = __shfl_up_sync(mask, v, 4); // <- or
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

extern "C" const struct hazard_program wrong_bounds_programs[];
const struct hazard_program wrong_bounds_programs[] = {
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
    WRONG(padding_column_summed, 1, 256, UNINITIALIZED),
    WRONG(member_never_set, 1, 64, UNINITIALIZED),
    WRONG(every_fourth_left_out, 1, 64, UNINITIALIZED),
    WRONG(heap_never_written, 1, 32, UNINITIALIZED),
    WRONG(sums_never_cleared, 1, 64, UNINITIALIZED),
    WRONG(halo_too_narrow, 1, 64, UNINITIALIZED),
    WRONG(barrier_in_a_loop_over_elements, 1, 64, BARRIER),
    WRONG(break_before_the_barrier, 1, 64, BARRIER),
    WRONG(barrier_in_a_function, 1, 128, BARRIER),
    WRONG(named_barriers_in_another_order, 1, 64, DEADLOCK),
    WRONG(shuffle_in_a_loop_over_elements, 1, 32, MASK),
    WRONG(mask_from_before_the_branch, 1, 32, MASK),
    WRONG(vote_in_a_branch, 1, 32, MASK),
    {},
};
