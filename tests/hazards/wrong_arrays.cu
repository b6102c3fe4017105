/*
 * Wrong kernels: an index runs out of a shared array, and finds the one beside it. The block's shared memory does not end
 * there, so that a device says nothing. suite.c explains the marks. The sentence before each says why it is wrong.
 */
#include <cuda_pipeline.h>

#include "tests/hazards/kernels.h"

/* 64 threads, and 32 elements. */
KERNEL(array_smaller_than_the_block)
{
    __shared__ int small[32], large[64];
    large[T] = 0;
    __syncthreads();
    small[T] = x[T]; // <-
    __syncthreads();
    x[1024 + T] = small[T % 32] + large[T];
}
/* The element behind the last one is read. */
KERNEL(neighbor_of_the_last_element)
{
    __shared__ int left[64], right[64];
    left[T] = x[T];
    right[T] = x[64 + T];
    __syncthreads();
    x[1024 + T] = left[T] + left[T + 1] + right[T]; // <-
}
/* The element before the first one: the array in front of it is hit, or what lies behind it. */
KERNEL(neighbor_before_the_first_element)
{
    __shared__ int left[64], right[64];
    left[T] = x[T];
    right[T] = x[64 + T];
    __syncthreads();
    x[1024 + T] = right[T] + right[T - 1] + left[T] + left[T - (T > 0)]; // <-
}
/* The last row of a tile with a halo is missing. */
KERNEL(row_behind_the_tile)
{
    __shared__ int tile[8][8], weights[8];
    tile[T / 8][T % 8] = x[T];
    if (T < 8)
        weights[T] = T;
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < 3; k++)
        sum += tile[T / 8 + k][T % 8] * weights[k]; // <-
    x[1024 + T] = sum;
}
/* The counters are for 8 values, and there are 10. */
KERNEL(counter_behind_the_histogram)
{
    __shared__ int bins[8], total;
    if (T < 8)
        bins[T] = 0;
    if (T == 0)
        total = 0;
    __syncthreads();
    atomicAdd(&bins[T % 10], 1); // <-
    __syncthreads();
    if (T < 8)
        x[1024 + T] = bins[T] + total;
}
/* The vector at the end reaches into the next array. */
KERNEL(vector_at_the_end_of_an_array)
{
    __shared__ __align__(16) int first[60];
    __shared__ __align__(16) int second[64];
    second[T] = 0;
    __syncthreads();
    if (T < 16)
        *(int4 *)&first[4 * T] = make_int4(T, T, T, T); // <-
    __syncthreads();
    x[1024 + T] = first[T % 60] + second[T];
}
/* The copy's destination is an array of half its length. */
KERNEL(copy_into_a_smaller_array)
{
    __shared__ int to[32], beside[64];
    beside[T] = 0;
    __syncthreads();
    __pipeline_memcpy_async(&to[T], &x[T], 4); // <-
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    x[1024 + T] = to[T % 32] + beside[T];
}
/* From a static array into dynamic shared memory. */
KERNEL(static_into_dynamic)
{
    extern __shared__ int dynamic[];
    __shared__ int fixed[48];
    dynamic[T] = 0;
    __syncthreads();
    fixed[T] = x[T]; // <-
    __syncthreads();
    x[1024 + T] = fixed[T % 48] + dynamic[T];
}
/* A pointer that a loop moves on, once too often. */
KERNEL(pointer_moved_too_far)
{
    __shared__ int values[64], sums[2];
    values[T] = x[T];
    if (T < 2)
        sums[T] = 0;
    __syncthreads();
    if (T == 0) {
        int sum = 0;
        for (int *p = values; p <= values + 64; p += x[1]) // x[1] is 1
            sum += *p;                                     // <-
        x[1024] = sum + sums[0];
    }
}
/* The one array is too small, and behind it lies dynamic memory that no array of the kernel's has. */
KERNEL(static_into_memory_without_an_array)
{
    __shared__ int fixed[32];
    fixed[T] = x[T]; // <-
    __syncthreads();
    x[1024 + T] = fixed[T % 32];
}
/* The element before the first one of dynamic memory is a static array's last one. */
KERNEL(dynamic_into_static)
{
    extern __shared__ int dynamic[];
    __shared__ int fixed[64];
    dynamic[T] = x[T];
    fixed[T] = x[64 + T];
    __syncthreads();
    x[1024 + T] = dynamic[T - 1] + fixed[T]; // <-
}
/* Two arrays without a size begin at one address: the second takes the room of the first. */
extern __shared__ int s_index[];
extern __shared__ float s_value[];
KERNEL(two_unsized_arrays)
{
    s_index[T] = 63 - x[T];
    s_value[T] = x[T]; // <-
    __syncthreads();
    x[1024 + T] = (int)s_value[s_index[T] & 63]; // <-
}
/* The same with elements of different sizes, and a barrier between. */
extern __shared__ unsigned short s_short[];
extern __shared__ double s_wide[];
KERNEL(two_unsized_arrays_of_different_elements)
{
    s_wide[T] = x[T];
    __syncthreads();
    s_short[T] = x[64 + T]; // <-
    __syncthreads();
    x[1024 + T] = (int)s_wide[63 - T] + s_short[63 - T]; // <-
}
/* Two functions have one each, and the kernel calls the other. */
KERNEL(unsized_arrays_of_two_functions)
{
    struct other {
        static __device__ int sum_of(int value)
        {
            extern __shared__ int s_sum[];
            s_sum[T] = value; // <-
            __syncthreads();
            int sum = 0;
            for (int i = 0; i < 64; i++)
                sum += s_sum[i];
            __syncthreads();
            return sum;
        }
    };
    extern __shared__ int s_x[];
    s_x[T] = x[T];
    const int sum = other::sum_of(2 * x[T]);
    x[1024 + T] = s_x[T] + sum; // <-
}
/* Counters of the one array where the other one's values lie. */
KERNEL(unsized_counters_over_values)
{
    s_index[T] = 0;
    __syncthreads();
    s_value[T] = x[T]; // <-
    __syncthreads();
    atomicAdd(&s_index[x[T] % 8], 1); // <-
    __syncthreads();
    x[1024 + T] = s_index[T % 8];
}

extern "C" const struct hazard_program wrong_arrays_programs[];
const struct hazard_program wrong_arrays_programs[] = {
    WRONG(array_smaller_than_the_block, 1, 64, OUT_OF_BOUNDS),
    WRONG(neighbor_of_the_last_element, 1, 64, OUT_OF_BOUNDS),
    WRONG(neighbor_before_the_first_element, 1, 64, OUT_OF_BOUNDS),
    WRONG(row_behind_the_tile, 1, 64, OUT_OF_BOUNDS),
    WRONG(counter_behind_the_histogram, 1, 64, OUT_OF_BOUNDS),
    WRONG(vector_at_the_end_of_an_array, 1, 64, OUT_OF_BOUNDS),
    WRONG(copy_into_a_smaller_array, 1, 64, OUT_OF_BOUNDS),
    WRONG_DYNAMIC(static_into_dynamic, 1, 64, 256, OUT_OF_BOUNDS),
    WRONG(pointer_moved_too_far, 1, 64, OUT_OF_BOUNDS),
    WRONG_DYNAMIC(static_into_memory_without_an_array, 1, 64, 256, OUT_OF_BOUNDS),
    WRONG_DYNAMIC(dynamic_into_static, 1, 64, 256, OUT_OF_BOUNDS),
    WRONG_DYNAMIC(two_unsized_arrays, 1, 64, 512, ONE_ADDRESS),
    WRONG_DYNAMIC(two_unsized_arrays_of_different_elements, 1, 64, 1024, ONE_ADDRESS),
    WRONG_DYNAMIC(unsized_arrays_of_two_functions, 1, 64, 512, ONE_ADDRESS),
    WRONG_DYNAMIC(unsized_counters_over_values, 1, 64, 512, ONE_ADDRESS),
    {},
};
