/*
 * Wrong kernels: integer divisions by 0 whose result is used. x[0] is 0. The lines that a report must name end with
 * "// <-", as in wrong.cu.
 */
#include "tests/hazards/kernels.h"

KERNEL(quotient_is_stored)
{
    x[1024 + T] = 1000 / x[T]; // <-
}
KERNEL(remainder_is_stored)
{
    x[1024 + T] = 1000 % x[T]; // <-
}
KERNEL(quotient_is_an_index)
{
    const int wide = x[T] / 100;
    const int row = T / wide; // <-
    x[1024 + (row & 7)] = 1;
}
KERNEL(remainder_of_rounded_down_tiles)
{
    const unsigned tiles = (unsigned)x[5] / 32;
    const unsigned left = blockIdx.x % tiles * 32; // <-
    x[1024 + (left & 63) + T] = T;
}
KERNEL(quotient_decides)
{
    if (1000 / zeros[T] > 5) // <-
        x[1024 + T] = 1;
}
KERNEL(quotient_decides_how_often)
{
    int sum = 0;
    const int turns = (int)(64u / (unsigned)zeros[3]) & 7; // <-
    for (int i = 0; i < turns; i++)
        sum += x[T + i];
    x[1024 + T] = sum;
}
KERNEL(quotient_is_added)
{
    atomicAdd(&x[1024], 1000 / x[T]); // <-
}
KERNEL(quotient_by_shared)
{
    __shared__ int s[64];
    s[T] = 1000 / x[T]; // <-
    __syncthreads();
    x[1024 + T] = s[63 - T];
}
KERNEL(quotient_by_shuffle)
{
    const int each = 1000 / x[T]; // <-
    x[1024 + T] = __shfl_sync(FULL, each, 0);
}
KERNEL(quotient_of_64_bits)
{
    const long long wide = x[T];
    ((long long *)(x + 1024))[T] = 123456789012345 / wide; // <-
}
KERNEL(quotient_of_16_bits)
{
    const short narrow = (short)x[T];
    x[1024 + T] = (short)1000 / narrow; // <-
}
KERNEL(quotient_goes_on)
{
    const int each = 1000 / x[T]; // <-
    const float mean = 0.5f * (float)each + 1.0f;
    ((float *)(x + 1024))[T] = mean;
}
KERNEL(second_turn_divides_by_zero)
{
    int value = 1 << 20;
    for (int i = 2; i >= 0; i--)
        value = value / x[i] + T; // <-
    x[1024 + T] = value;
}

extern "C" const struct hazard_program wrong_division_programs[] = {
    WRONG(quotient_is_stored, 1, 64, DIVISION),
    WRONG(remainder_is_stored, 2, 64, DIVISION),
    WRONG(quotient_is_an_index, 1, 64, DIVISION),
    WRONG(remainder_of_rounded_down_tiles, 2, 64, DIVISION),
    WRONG(quotient_decides, 1, 64, DIVISION),
    WRONG(quotient_decides_how_often, 1, 64, DIVISION),
    WRONG(quotient_is_added, 1, 64, DIVISION),
    WRONG(quotient_by_shared, 1, 64, DIVISION),
    WRONG(quotient_by_shuffle, 1, 32, DIVISION),
    WRONG(quotient_of_64_bits, 1, 64, DIVISION),
    WRONG(quotient_of_16_bits, 1, 64, DIVISION),
    WRONG(quotient_goes_on, 1, 64, DIVISION),
    WRONG(second_turn_divides_by_zero, 1, 64, DIVISION),
    {},
};
