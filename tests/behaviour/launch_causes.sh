#!/bin/bash
# A launch that is the cause is found by changing its arguments in the source. And what a
# right program does for nothing is noted.
. "$(dirname "$0")/lib"
export REPAIRS=first # the report says which change makes it right
export BUILD=build/test NO_COLOR=1
make -s SOLUTION=1 lab05 lab06 lab07 lab09 || exit 1

# grade STATUS LAB ONLY SED...: the changed solution, with its report on one line in $flat.
grade() {
    local status=$1 lab=$2 only=$3
    shift 3
    change "$lab" student "$@"
    expect "$status" "" "$grader" --backend sim --seed 1 --only "$only"
    flatten
}

# says LINE TEXT: the report has this text, behind the number of the line that holds LINE.
says() {
    local number
    number=$(line_of student "$1")
    case $flat in *"student.cu:$number: "*"$2"*) ;; *) fail "not said of line $number: $2" "The report:" "$output" ;; esac
}

grade 1 lab06 two_kernels -e 's/(blocks, d_y)/(blocks - 1, d_y)/'
says '(blocks - 1, d_y)' 'instead of `blocks - 1`'

short_ends_here

grade 1 lab09 naive -e 's/multiply_naive<<<blocks, threads>>>(m, n, k,/multiply_naive<<<blocks, threads>>>(n, m, k,/'
says '(n, m, k,' 'with `m, n` instead of `n, m`'

# A race goes away wherever threads do: the launch is not to blame.
grade 1 lab05 shuffle -e 's/atomicAdd(d_y, total)/*d_y += total/'
expect_not 'blocks are launched'
expect_not 'threads per block instead of'

# What is right, and for nothing.
grade 0 lab06 two_kernels -e 's/^    sum_of_sums<<<1, SUM_THREADS>>>/    CHECK(cudaDeviceSynchronize());\n&/'
says 'cudaDeviceSynchronize()' 'makes the host wait here between two launches for nothing'
grade 0 lab06 two_kernels -e 's/^    sum_of_sums<<<1, SUM_THREADS>>>.*/&\n    CHECK(cudaDeviceSynchronize());/'
expect_not 'Note:'
grade 0 lab07 window -e '/^void lab07_convolve_window/,/^}/s/^    CHECK(cudaMemcpyToSymbolAsync.*/    real taps[LAB07_TAPS];\n    CHECK(cudaMemcpy(taps, d_h, sizeof(taps), cudaMemcpyDeviceToHost));\n    CHECK(cudaMemcpyToSymbol(c_h, taps, sizeof(taps)));/'
says 'cudaMemcpyToSymbol(c_h, taps' 'the data crosses the bus twice'
grade 0 lab05 shuffle -e "s|^        value += __shfl_down_sync(ALL_LANES, value, offset);|&\n        __syncthreads(); /* each */|"
says "__syncthreads(); /* each */" "this barrier orders nothing here"
