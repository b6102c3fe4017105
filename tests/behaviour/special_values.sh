#!/bin/bash
# NaN that a kernel stores ends no grader, and is told as what it is; other values and all labs: grader --self-test.
. "$(dirname "$0")/lib"
export BUILD=build/test NO_COLOR=1

# A sum that becomes NaN.
grade_change lab09 'naive: one element' '/^__global__ void multiply_naive/,/^}/s/\(d_c\[[^]]*\]\) = sum;/\1 = (sum - sum) \/ (k - k);/' \
    '(k - k)' 'got nan'
expect_not 'nearly right'
expect_not 'off by'
short_ends_here
# What lies outside of a matrix is NaN instead of 0: the wrong factor is no element of any buffer.
REPAIRS='' grade_change lab09 tile '/^__global__ void multiply_tiles/,/^}/s/\(s_a\[y\]\[x\] = .*\) : 0;/\1 : NAN;/' ': NAN;' \
    'a small change of the number, `NAN`'
# Lab 04's maximum passes through TODO 8, and is right without it: what is wrong in TODO 7 is not put down to an open TODO 8.
grade_change lab04 max '/TODO 8: /,/end of TODO 8/{/\/\//!d};s/seen, bits_of(value))/seen, value)/' 'seen, value)' 'First failure: (c) max'
case $flat in *"these fail: (c) max"*) fail "an open TODO that max does not need is blamed:" "$output" ;; esac
