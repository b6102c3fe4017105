/* Right kernels that divide by integers which are 0 in some threads or launches, and do not use what comes of it. */
#include "tests/hazards/kernels.h"

KERNEL(divides_where_it_may)
{
    if (x[T] != 0)
        x[1024 + T] = 1000 / x[T];
}
/* nvcc may divide first and choose afterwards. */
KERNEL(quotient_or_zero)
{
    const int by = x[T];
    x[1024 + T] = by != 0 ? 1000 / by : 0;
}
KERNEL(remainder_or_itself)
{
    const int by = x[T];
    const int rest = 1000 % (by == 0 ? 1 : by);
    x[1024 + T] = by == 0 ? 7 : rest;
}
KERNEL(tested_before_it_divides)
{
    const int by = zeros[T];
    if (by != 0 && 1000 % by == 0)
        x[1024 + T] = 1;
}
KERNEL(either_zero_or_a_divisor)
{
    const int by = x[T];
    if (by == 0 || 1000 % by == 0)
        x[1024 + T] = 1;
}
/* The divisor is the same in all turns, and nothing may turn. */
KERNEL(loop_without_turns)
{
    int sum = 0;
    for (int i = 0; i < zeros[0]; i++)
        sum += x[T + i] / zeros[1];
    x[1024 + T] = sum;
}
KERNEL(stored_in_shared_and_not_used)
{
    __shared__ int s[64];
    const int by = x[T];
    s[T] = 1000 / (by | (by == 0)) + x[T];
    __syncthreads();
    x[1024 + T] = s[63 - T];
}
/* Lane 0 has no quotient, and takes no part in what is shuffled. */
KERNEL(shuffled_from_those_that_have_one)
{
    int each = 0;
    if (x[T] != 0)
        each = 1000 / x[T];
    x[1024 + T] = __shfl_sync(FULL, each, 31);
}
KERNEL(chosen_by_the_larger_lanes)
{
    const unsigned by = (unsigned)x[T];
    const unsigned each = by > 3 ? 1000u / by : by > 1 ? 1000u % by : 5;
    x[1024 + T] = (int)each;
}
KERNEL(divides_by_what_is_never_zero)
{
    x[1024 + T] = x[T] / (T + 1) + x[T] % (int)blockDim.x + T / (int)gridDim.x;
}
/* Of floating-point numbers it is infinite, which is a value. */
KERNEL(float_by_zero)
{
    ((float *)(x + 1024))[T] = 1.0f / (float)zeros[T];
}

extern "C" const struct hazard_program right_division_programs[] = {
    RIGHT(divides_where_it_may, 1, 64),
    RIGHT(quotient_or_zero, 1, 64),
    RIGHT(remainder_or_itself, 1, 64),
    RIGHT(tested_before_it_divides, 1, 64),
    RIGHT(either_zero_or_a_divisor, 1, 64),
    RIGHT(loop_without_turns, 1, 64),
    RIGHT(stored_in_shared_and_not_used, 1, 64),
    RIGHT(shuffled_from_those_that_have_one, 1, 32),
    RIGHT(chosen_by_the_larger_lanes, 2, 64),
    RIGHT(divides_by_what_is_never_zero, 2, 64),
    RIGHT(float_by_zero, 1, 64),
    {},
};
