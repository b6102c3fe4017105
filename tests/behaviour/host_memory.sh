#!/bin/bash
# Copies that are too long, too late or empty, limits of loops, and arguments that the host hands over: with their lines.
. "$(dirname "$0")/lib"
export BUILD=build/test NO_COLOR=1
make -s SOLUTION=1 lab01 lab02 || exit 1

# tells LAB ONLY SCRIPT LINE TEXT: as grade_change; the report names the line that holds LINE.
tells() {
    grade_change "$@"
    case $flat in *"student.cu:$number: "* | *"ine $number "* | *"line $number:"* | *"line $number."* | *"line $number)"*) ;; *) fail "$1: $3" "line $number is not in:" "$output" ;; esac
}

# The memory of the host has room for fewer bytes than are copied.
tells lab02 sum 's/(real \*)malloc(bytes)/(real *)malloc(parts)/' 'cudaMemcpy(h_partial' 'malloc counts in bytes, not in elements'
short_ends_here
# Nothing is copied in one case.
tells lab02 'one element' 's/h_partial, d_partial, bytes,/h_partial, d_partial, bytes - sizeof(real),/' 'cudaMemcpy(h_partial' 'is given 0 bytes'
# The sum of the parts, and the argument of the function that launches.
tells lab02 sum 's/add_on_host(h_partial, parts)/3 * &/' '3 * add_on_host(h_partial, parts)' 'The host computes the wrong result from them'
tells lab01 sum 's/lab01_reduce_blocks(d_x, n, d_partial);/lab01_reduce_blocks(d_x, parts, d_partial);/' \
    'lab01_reduce_blocks(d_x, parts, d_partial);' '7 blocks, and each reads 128 elements'
# Memory that was freed: the compiler's warning is the cause.
tells lab01 'one block' '/^    free(h_partial);/d; s/^    const double sum = lab01_finish/    free(h_partial);\n&/' 'h_partial[b] - lost' 'after it was freed'
# Shared arrays that are too large, with their sizes and lines.
REPAIRS='' tells lab02 reduce 's/__shared__ real s_x\[LAB02_BLOCK_SIZE\]/__shared__ real s_x[LAB02_BLOCK_SIZE * 100]/' '__shared__ real s_x[LAB02_BLOCK_SIZE * 100]' \
    'make the arrays smaller (s_x: 51200)'
