#!/bin/bash
# NaN and infinities that a kernel stores end no grader, and are told as what they are.
. "$(dirname "$0")/lib"
export BUILD=build/test NO_COLOR=1

# A sum that becomes NaN, or an infinity.
for value in '(sum - sum) \/ (k - k)' 'sum + INFINITY'; do
    grade_change lab09 naive "/^__global__ void multiply_naive/,/^}/s/\(d_c\[[^]]*\]\) = sum;/\1 = $value;/" "= ${value//\\/}" \
        'elements of d_c are wrong'
    expect_not 'nearly right'
    expect_not 'off by'
done
# What lies outside of a matrix is NaN instead of 0: the wrong factor is no element of any buffer.
for matrix in a b; do
    grade_change lab09 tile "/^__global__ void multiply_tiles/,/^}/s/\(s_$matrix\[y\]\[x\] = .*\) : 0;/\1 : NAN;/" ': NAN;' \
        'with 0 instead of nan'
done
