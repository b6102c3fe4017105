#!/bin/bash
# References in REAL=double: they must be nearer to the truth than a right kernel is allowed to be wrong.
. "$(dirname "$0")/lib"

# Sums of 8 doubles of which one was off by more than the bound when the reference added in double.
expect 0 "passed" build/test/lab06/double/solution/grader --backend sim --only 'tiles of 8, a prime' --seed 2514429122

# 1e7 equal doubles: one by one, even long double loses more than 30,000 of its roundings.
cat >"$scratch/sum.c" <<'END'
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/lab/lab.h"

int main(void)
{
    const int64_t count = 10000000;
    const double a = 1.8143133207314491;
    real *x = malloc((size_t)count * sizeof *x);
    long double one_by_one = 0, truth = (long double)a * count;
    double magnitude;
    for (int64_t i = 0; i < count; i++)
        one_by_one += x[i] = a;
    const long double sum = lab_sum(x, count, &magnitude);
    printf("lost %Lg roundings, one by one %Lg\n", fabsl(sum - truth) / truth * 0x1p64L,
           fabsl(one_by_one - truth) / truth * 0x1p64L);
    return fabsl(sum - truth) <= 30000 * 0x1p-64L * truth && fabs(magnitude - (double)truth) <= 1e-7 ? 0 : 1;
}
END
cuda=$(sed -n 's/^CUDA_INCLUDE *:*= *//p' build/test/toolkit.mk | head -n 1)
gcc -std=gnu11 -O2 -Wall -Wextra -Werror -DREAL_DOUBLE -I. -I"$cuda" -pthread "$scratch/sum.c" harness/lab/tolerance.c \
    harness/lab/parallel.c -o "$scratch/sum" -lm || fail "it does not build"
expect 0 "lost" "$scratch/sum"
echo "$output"
