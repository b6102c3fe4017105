/*
 * Wrong kernels: local variables that are used before they have a value. nvcc keeps them in registers, where it can. The
 * lines that a report must name end with "// <-", as in wrong.cu.
 */
#include "tests/hazards/kernels.h"

KERNEL(sum_not_cleared)
{
    int sum;
    for (int i = T; i < 256; i += 64)
        sum += x[i]; // <-
    x[1024 + T] = sum;
}
KERNEL(float_sum_not_cleared)
{
    float sum;
    for (int i = 0; i < x[T] + 5; i++)
        sum += (float)x[i]; // <-
    x[1024 + T] = (int)sum;
}
KERNEL(sums_not_cleared)
{
    float sum[4];
    for (int i = 0; i < x[7]; i++)
        for (int j = 0; j < 4; j++)
            sum[j] = fmaf((float)x[4 * i + j], 0.5f, sum[j]); // <-
    for (int j = 0; j < 4; j++)
        x[1024 + 4 * T + j] = (int)sum[j];
}
KERNEL(last_sum_not_cleared)
{
    float sum[4];
    for (int j = 0; j < 3; j++)
        sum[j] = 0;
    for (int i = 0; i < x[7]; i++)
        for (int j = 0; j < 4; j++)
            sum[j] += (float)x[4 * i + j]; // <-
    for (int j = 0; j < 4; j++)
        x[1024 + 4 * T + j] = (int)sum[j];
}
KERNEL(set_in_one_branch)
{
    int value;
    if (T < 40)
        value = x[T];
    x[1024 + T] = value; // <-
}
KERNEL(set_in_one_branch_and_computed)
{
    float value;
    if (T < 40)
        value = (float)x[T];
    const float root = sqrtf(value); // <-
    x[1024 + T] = (int)root;
}
KERNEL(window_without_else)
{
    float window[7];
    for (int j = 0; j < 7; j++)
        if (T + j < 64)
            window[j] = (float)x[T + j];
    for (int q = 0; q < 4; q++) {
        float sum = 1;
        for (int j = 0; j < 4; j++)
            sum *= window[q + j]; // <-
        x[1024 + 4 * T + q] = (int)sum;
    }
}
KERNEL(undefined_by_shuffle)
{
    int value;
    if (T < 20)
        value = x[T];
    for (int d = 16; d > 0; d /= 2)
        value += __shfl_down_sync(FULL, value, d); // <-
    if (T == 0)
        x[1024] = value;
}
KERNEL(undefined_by_shared)
{
    __shared__ int s[64];
    int value;
    if (T < 40)
        value = x[T];
    s[T] = value; // <-
    __syncthreads();
    x[1024 + T] = s[T ^ 1] + 1;
}
KERNEL(undefined_by_shared_twice)
{
    __shared__ int s[64], t[64];
    int value;
    if (T < 40)
        value = x[T];
    s[T] = 3 * value; // <-
    __syncthreads();
    t[T] = s[T ^ 1] + 1;
    __syncthreads();
    if (t[T ^ 2] > 7)
        x[1024 + T] = 1;
}
/* Of shared memory that is never written the load is told, wherever its value arrives. */
KERNEL(never_written_and_summed)
{
    __shared__ int s[64];
    if (T < 40)
        s[T] = x[T];
    __syncthreads();
    for (int d = 32; d > 0; d /= 2) {
        if (T < d)
            s[T] += s[T + d]; // <-
        __syncthreads();
    }
    if (T == 0)
        x[1024] = s[0];
}
KERNEL(never_written_bytes)
{
    __shared__ unsigned char s[64];
    if (T < 40)
        s[T] = x[T];
    __syncthreads();
    const int byte = s[T]; // <-
    x[1024 + T] = byte;
}
KERNEL(never_written_and_decides)
{
    __shared__ int s[64];
    if (T < 40)
        s[T] = x[T];
    __syncthreads();
    const int limit = s[T ^ 1]; // <-
    if (limit > 3)
        x[1024 + T] = 1;
}
static __device__ __noinline__ int doubled(int value)
{
    return 2 * value;
}
KERNEL(never_written_and_passed)
{
    __shared__ int s[64];
    if (T < 40)
        s[T] = x[T];
    __syncthreads();
    const int value = s[T ^ 1]; // <-
    x[1024 + T] = doubled(value);
}
KERNEL(never_written_into_an_array)
{
    __shared__ int s[64];
    int kept[8];
    if (T < 40)
        s[T] = x[T];
    __syncthreads();
    for (int i = 0; i < 8; i++)
        kept[i] = s[(T + i) & 63]; // <-
    x[1024 + T] = kept[x[T] & 7];
}
KERNEL(never_written_through_shared)
{
    __shared__ int s[64], t[64];
    if (T < 40)
        s[T] = x[T];
    __syncthreads();
    t[T] = 3 * s[T]; // <-
    __syncthreads();
    x[1024 + T] = t[63 - T];
}
KERNEL(shuffled_from_lanes_that_left_and_kept)
{
    const unsigned mask = __ballot_sync(FULL, T < 20);
    if (T >= 20)
        return;
    int sum = x[T];
    for (int d = 1; d < 20; d *= 2)
        sum += __shfl_down_sync(mask, sum, d); // <-
    if (T == 19)
        x[1024] = sum;
}
KERNEL(undefined_decision)
{
    float limit;
    for (int i = 0; i < x[T]; i++)
        limit = fmaxf(limit, (float)x[i]); // <-
    if (limit > 10)
        x[1024 + T] = 1;
}
KERNEL(undefined_index)
{
    int index;
    for (int i = 0; i < x[T]; i++)
        index = index * 5 + x[i]; // <-
    x[1024 + (index & 255)] = 1;
}
KERNEL(undefined_atomic)
{
    int count;
    for (int i = T; i < x[T]; i += 8)
        count = i;
    atomicAdd(&zeros[0], count); // <-
}
KERNEL(maximum_without_start)
{
    float best;
    for (int i = T; i < x[100]; i += 32)
        best = fmaxf(best, (float)x[i]); // <-
    x[1024 + T] = (int)best;
}
KERNEL(undefined_in_vector)
{
    float4 sum;
    for (int i = 0; i < x[9]; i++) {
        sum.x += (float)x[i];     // <-
        sum.y += (float)x[i + 1]; // <- or
        sum.z += (float)x[i + 2]; // <- or
        sum.w += (float)x[i + 3]; // <- or
    }
    ((float4 *)(x + 1024))[T] = sum;
}
KERNEL(loop_that_may_not_run)
{
    int last;
    for (int i = 0; i < x[T]; i++)
        last = i * T;
    x[1024 + T] = last; // <-
}
/* The loop is unrolled, and nvcc knows that the sum has no value. */
KERNEL(unrolled_sum_not_cleared)
{
    float sum;
    for (int k = 0; k < 16; k++)
        sum += 0.5f * (float)x[T + k]; // <-
    x[1024 + T] = __float_as_int(sum);
}
KERNEL(unrolled_double_sum_not_cleared)
{
    double sum;
    for (int k = 0; k < 16; k++)
        sum += (double)x[T + k];
    ((double *)(x + 1024))[T] = sum; // <-
}

extern "C" const struct hazard_program wrong_undefined_programs[] = {
    WRONG(sum_not_cleared, 1, 64, UNINITIALIZED),
    WRONG(float_sum_not_cleared, 1, 64, UNINITIALIZED),
    WRONG(sums_not_cleared, 1, 64, UNINITIALIZED),
    WRONG(last_sum_not_cleared, 1, 64, UNINITIALIZED),
    WRONG(set_in_one_branch, 1, 64, UNINITIALIZED),
    WRONG(set_in_one_branch_and_computed, 1, 64, UNINITIALIZED),
    WRONG(window_without_else, 1, 64, UNINITIALIZED),
    WRONG(undefined_by_shuffle, 1, 32, UNINITIALIZED),
    WRONG(undefined_by_shared, 1, 64, UNINITIALIZED),
    WRONG(undefined_by_shared_twice, 1, 64, UNINITIALIZED),
    WRONG(never_written_and_summed, 1, 64, UNINITIALIZED),
    WRONG(never_written_bytes, 1, 64, UNINITIALIZED),
    WRONG(never_written_and_decides, 1, 64, UNINITIALIZED),
    WRONG(never_written_and_passed, 1, 64, UNINITIALIZED),
    WRONG(never_written_into_an_array, 1, 64, UNINITIALIZED),
    WRONG(never_written_through_shared, 1, 64, UNINITIALIZED),
    WRONG(shuffled_from_lanes_that_left_and_kept, 1, 32, MASK),
    WRONG(undefined_decision, 1, 64, UNINITIALIZED),
    WRONG(undefined_index, 1, 64, UNINITIALIZED),
    WRONG(undefined_atomic, 1, 64, UNINITIALIZED),
    WRONG(maximum_without_start, 1, 32, UNINITIALIZED),
    WRONG(undefined_in_vector, 1, 32, UNINITIALIZED),
    WRONG(loop_that_may_not_run, 1, 64, UNINITIALIZED),
    WRONG(unrolled_sum_not_cleared, 1, 64, UNINITIALIZED),
    WRONG(unrolled_double_sum_not_cleared, 1, 64, UNINITIALIZED),
    {},
};
