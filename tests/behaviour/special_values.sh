#!/bin/bash
# NaN that a kernel stores ends no grader, and is told as what it is; other values and all labs: grader --self-test.
. "$(dirname "$0")/lib"
export BUILD=build/test NO_COLOR=1

# A sum that becomes NaN.
grade_change lab09 naive '/^__global__ void multiply_naive/,/^}/s/\(d_c\[[^]]*\]\) = sum;/\1 = (sum - sum) \/ (k - k);/' \
    '(k - k)' 'got nan'
expect_not 'nearly right'
expect_not 'off by'
short_ends_here
# What lies outside of a matrix is NaN instead of 0: the wrong factor is no element of any buffer.
REPAIRS='' grade_change lab09 tile '/^__global__ void multiply_tiles/,/^}/s/\(s_a\[y\]\[x\] = .*\) : 0;/\1 : NAN;/' ': NAN;' \
    'a small change of the number, `NAN`'
