/*
 * Right kernels: several shared arrays, and parts of one, used in ways that look as if an index left its array. The sentence
 * before each says why it is right.
 */
#include "tests/hazards/kernels.h"

/* The two arrays are exchanged after each step: a pointer may be either of them. */
KERNEL(arrays_exchanged)
{
    __shared__ int first[64], second[64];
    int *from = first, *to = second;
    from[T] = x[T];
    __syncthreads();
    for (int offset = 1; offset < 64; offset *= 2) {
        to[T] = from[T] + (T >= offset ? from[T - offset] : 0);
        int *kept = from;
        from = to;
        to = kept;
        __syncthreads();
    }
    x[1024 + T] = from[T];
}
/* A row after the other: all of it is one array. */
KERNEL(rows_used_as_one_array)
{
    __shared__ int tile[8][8], other[8];
    int *all = &tile[0][0];
    all[T] = x[T];
    if (T < 8)
        other[T] = T;
    __syncthreads();
    x[1024 + T] = tile[T % 8][T / 8] + other[T % 8];
}
/* Dynamic shared memory is what the kernel divides it into. */
KERNEL(dynamic_memory_in_parts)
{
    extern __shared__ int both[];
    __shared__ int fixed[64];
    int *first = both, *second = both + 64;
    first[T] = x[T];
    second[T] = x[64 + T];
    fixed[T] = T;
    __syncthreads();
    x[1024 + T] = first[63 - T] + second[63 - T] + fixed[63 - T] + both[127 - T];
}
/* Members of one structure. */
KERNEL(array_in_a_structure)
{
    __shared__ struct {
        int head[4], body[64];
    } s;
    __shared__ int beside[4];
    s.body[T] = x[T];
    if (T < 4)
        s.head[T] = beside[T] = 0;
    __syncthreads();
    const int *words = (const int *)&s;
    x[1024 + T] = words[T + 4] + s.head[T % 4] + beside[T % 4];
}
/* One memory, used first as the one and then as the other. */
KERNEL(one_memory_for_two)
{
    __shared__ union {
        int words[64];
        unsigned char bytes[256];
    } s;
    __shared__ int beside[64];
    beside[T] = T;
    s.words[T] = x[T];
    __syncthreads();
    const int sum = s.bytes[4 * (63 - T)] + beside[63 - T];
    __syncthreads();
    s.bytes[T] = (unsigned char)sum;
    __syncthreads();
    x[1024 + T] = s.bytes[63 - T];
}
/* The index is checked where the element counts. */
KERNEL(neighbor_with_a_guard)
{
    __shared__ int left[64], right[64];
    left[T] = x[T];
    right[T] = x[64 + T];
    __syncthreads();
    const int before = T > 0 ? right[T - 1] : left[63];
    const int after = T < 63 ? left[T + 1] : right[0];
    x[1024 + T] = before + after;
}
/* A pointer beyond the end is a limit, and nothing is read there. */
KERNEL(pointer_to_the_end)
{
    __shared__ int values[64], sums[2];
    values[T] = x[T];
    if (T < 2)
        sums[T] = 0;
    __syncthreads();
    if (T == 0) {
        int sum = 0;
        for (int *p = values; p < values + 64; p += x[1]) // x[1] is 1
            sum += *p;
        x[1024] = sum + sums[0];
    }
}
/* Which of the arrays is chosen by the thread. */
KERNEL(array_chosen_by_the_thread)
{
    __shared__ int even[32], odd[32];
    int *mine = T % 2 ? odd : even;
    mine[T / 2] = x[T];
    __syncthreads();
    x[1024 + T] = even[T / 2] + odd[T / 2];
}
static __device__ __noinline__ int sum_of(const int *values, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += values[i];
    return sum;
}
/* A function that is given one array or the other. */
KERNEL(arrays_given_to_a_function)
{
    __shared__ int first[16], second[48];
    if (T < 16)
        first[T] = x[T];
    else
        second[T - 16] = x[T];
    __syncthreads();
    x[1024 + T] = sum_of(first, 16) + sum_of(second, 48);
}
/* Dynamic memory that no array of the kernel's has, behind an array that is large enough. */
KERNEL(memory_without_an_array)
{
    __shared__ int fixed[64];
    fixed[T] = x[T];
    __syncthreads();
    x[1024 + T] = fixed[63 - T];
}
/* Two arrays without a size, one after the other: each value is read before the other array takes its place. */
extern __shared__ int s_index[];
extern __shared__ float s_value[];
KERNEL(unsized_arrays_one_after_the_other)
{
    int sum = 0;
    for (int k = 0; k < 3; k++) {
        s_index[T] = x[T] + k;
        __syncthreads();
        sum += s_index[63 - T];
        __syncthreads();
        s_value[T] = x[64 + T];
        __syncthreads();
        sum += (int)s_value[63 - T];
        __syncthreads();
    }
    x[1024 + T] = sum;
}
/* The same memory seen as vectors, again and again: what is stored by one name is read by the other. */
extern __shared__ int4 s_vector[];
KERNEL(unsized_array_as_vectors)
{
    int sum = 0;
    for (int k = 0; k < 3; k++) {
        if (T < 16)
            s_vector[T] = make_int4(x[4 * T], x[4 * T + 1], x[4 * T + 2], k);
        __syncthreads();
        const int other = s_index[63 - T];
        __syncthreads();
        s_index[T] = other + x[T];
        __syncthreads();
        sum += s_index[63 - T];
        __syncthreads();
    }
    x[1024 + T] = sum;
}
/* Numbers whose bits are compared as integers: the other name is meant to see what was stored. */
KERNEL(unsized_array_as_bits)
{
    int largest = 0;
    for (int k = 0; k < 3; k++) {
        if (T == 0)
            s_value[0] = 0;
        __syncthreads();
        atomicMax(&s_index[0], __float_as_int((float)x[T + k]));
        __syncthreads();
        largest += (int)s_value[0];
        __syncthreads();
    }
    x[1024 + T] = largest;
}
static __device__ int sum_by_halves(int value)
{
    extern __shared__ int s_sum[];
    s_sum[T] = value;
    __syncthreads();
    for (int offset = 32; offset > 0; offset /= 2) {
        if (T < offset)
            s_sum[T] += s_sum[T + offset];
        __syncthreads();
    }
    const int sum = s_sum[0];
    __syncthreads();
    return sum;
}
/* A function has its own name for the memory, and the kernel stores anew after each call. */
KERNEL(unsized_arrays_filled_again)
{
    extern __shared__ int s_tile[];
    int total = 0;
    for (int k = 0; k < 4; k++) {
        s_tile[T] = x[T] * k;
        __syncthreads();
        const int other = s_tile[T ^ 1];
        __syncthreads();
        total += sum_by_halves(other);
    }
    x[1024 + T] = total;
}

extern "C" const struct hazard_program right_arrays_programs[];
const struct hazard_program right_arrays_programs[] = {
    RIGHT(arrays_exchanged, 1, 64),
    RIGHT(rows_used_as_one_array, 1, 64),
    RIGHT_DYNAMIC(dynamic_memory_in_parts, 1, 64, 512),
    RIGHT(array_in_a_structure, 1, 64),
    RIGHT(one_memory_for_two, 1, 64),
    RIGHT(neighbor_with_a_guard, 1, 64),
    RIGHT(pointer_to_the_end, 1, 64),
    RIGHT(array_chosen_by_the_thread, 1, 64),
    RIGHT(arrays_given_to_a_function, 1, 64),
    RIGHT_DYNAMIC(memory_without_an_array, 1, 64, 256),
    RIGHT_DYNAMIC(unsized_arrays_one_after_the_other, 1, 64, 256),
    RIGHT_DYNAMIC(unsized_array_as_vectors, 1, 64, 256),
    RIGHT_DYNAMIC(unsized_array_as_bits, 1, 64, 256),
    RIGHT_DYNAMIC(unsized_arrays_filled_again, 1, 64, 256),
    {},
};
