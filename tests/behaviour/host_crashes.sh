#!/bin/bash
# A crash of the host is told at the student's line, whatever function it happened in, and so is a stack without room.
. "$(dirname "$0")/lib"
export BUILD=build/test NO_COLOR=1
make -s SOLUTION=1 lab02 lab05 lab06 || exit 1

crashes() { # as says
    says "$@"
    expect_not "api_graph.c"
    expect_not "launch_words.c"
}

crashes lab06 grid_sync '{&d_x, &n, &d_y}' '{(void *)d_x, \&n, d_y}' 'cudaLaunchCooperativeKernel((const' \
    'cudaLaunchCooperativeKernel, called here, followed the device pointer d_x'
expect_not "The number of blocks there" # is computed elsewhere, in a file that is not the student's
crashes lab05 'scan' 'const int before = block_count(n, LAB05_SCAN_BLOCK) - 1;' 'const int before = block_count(n, LAB05_SCAN_BLOCK);' \
    'lab05_scan(d_sums, before, d_sums' 'The function calls itself here, again and again'
# The function with the array, or the call of it, which gcc 12 puts there instead.
grade_change lab02 sum 's/    double sum = 0.0;/    volatile char room[64 << 20]; for (int i = 0; i < count; i++) room[i] = 1; double sum = 0.0;/' \
    'add_on_host(h_partial, parts)' 'an array in a function of the host is too large'
case $flat in
*") student.cu:$number: "* | *") student.cu:$(line_of student 'volatile char room'): "*) ;;
*) fail "no first sentence with the line of the array, or of the call, $number, in:" "$output" ;;
esac
