#!/bin/bash
# What reports say beside wrong values: the line of a crash on the host, memory of the device that is never freed, and
# that what is made once and kept is no leak.
. "$(dirname "$0")/lib"

lab=lab02_shared_memory

# grade_lab LAB NAME STATUS TEXT TASK SED...: a lab's solution with these changes; the report in $output, on one line.
grade_lab() {
    local status=$3 text=$4 task=$5
    change "$1" "$2" "${@:6}"
    expect "$status" "$text" "$grader" --no-color --backend sim --seed 2024 --only "$task"
    output=$(printf '%s' "$output" | tr -s ' \n' ' ')
}

# grade_changed NAME STATUS TEXT SED...: lab 02's sum.
grade_changed() {
    grade_lab lab02 "$1" "$2" "$3" sum "${@:4}"
}

line=$(grep -n 'cudaMalloc(&d_partial' $lab/solution.cu | cut -d: -f1)
grade_changed never_freed 0 "Note: (a) every call of sum leaves 1 allocation" -e '/cudaFree(d_partial)/d'
case $output in
*"never freed: the allocation of never_freed.cu:$line "*) ;;
*) fail "the line of the allocation, $line, is missing in:" "$output" ;;
esac

# A buffer that is made in the first call, and kept.
grade_changed kept 0 "ok" -e '/cudaFree(d_partial)/d' -e 's/real \*d_partial;/static real *d_partial;/' \
    -e 's/CHECK(cudaMalloc(&d_partial, .*/if (!d_partial) CHECK(cudaMalloc(\&d_partial, 4 << 20));/'
expect_not "Note:"

grade_changed crash 1 "the program crashed" -e 's/^    free(h_partial);/    free(d_partial);/' -e '/cudaFree(d_partial)/d'
line=$(line_of crash '    free(d_partial);')
case $output in
*"crash.cu:$line: free is called with a device pointer"*) ;;
*) fail "the line of the crash, $line, is missing in:" "$output" ;;
esac

short_ends_here
# The kernels are right, and the host leaves out the first of their sums: the line is that of the copy.
grade_changed first_part 1 "The host computes the wrong result from them" -e 's/for (int b = 0; b < count; b++)/for (int b = 1; b < count; b++)/'
case $output in
*"The kernels are right: the 1 part copied back at first_part.cu:$(line_of first_part 'cudaMemcpy(h_partial,') "*) ;;
*) fail "the line of the copy is missing in:" "$output" ;;
esac

# Rows and columns of tiles are not exchanged: which element stands there instead of which.
grade_lab lab02 tiles 1 "instead of d_in[" "transpose: whole tiles" -e 's/const int out_row = left + threadIdx.y/const int out_row = top + threadIdx.y/' \
    -e 's/const int out_col = top + threadIdx.x/const int out_col = left + threadIdx.x/'

# An index that grows too little from block to block: there are threads enough, so the grid is not to blame.
grade_lab lab01 step 1 "stored more than once" copy -e 's/blockIdx.x \* blockDim.x + threadIdx.x/blockIdx.x + threadIdx.x/'
expect_not "rounded up"

# Every thread copies everything: right in small cases, without an end in a large one, which says where it is.
change lab01 all -e '/^__global__ void copy(/,/^}/s/d_y\[i\] = d_x\[i\];/for (int k = 0; k < n; k++) d_y[k] = d_x[k];/'
expect 1 "all.cu:$(line_of all 'for (int k = 0; k < n; k++) d_y'), in a loop" \
    "$grader" --no-color --backend sim --timeout 3 --only 'many blocks, ragged'

# All threads of a block store its sum: right, but one would do.
line=$(grep -n 'd_partial\[blockIdx.x\] = s_x\[0\];' lab02_shared_memory/solution.cu | cut -d: -f1)
grade_lab lab02 every_thread 0 "every_thread.cu:$line several threads store the same value" reduce \
    -e '/^__global__ void reduce_shared/,/^}/s/if (tid == 0) {/{/'

# Who overwrites an input: the line, and the thread.
grade_lab lab02 input 1 "in this call, d_x must stay as it is" reduce \
    -e '/^__global__ void reduce_shared/,/^}/s/^    s_x\[tid\] = .*/&\n    if (i < n) ((real *)d_x)[i] = 0;/'
line=$(line_of input '((real *)d_x)[i] = 0')
case $output in
*"d_x[0] is overwritten at input.cu:$line, by thread 0 of block 0"*) ;;
*) fail "the line that overwrites the input, $line, is missing in:" "$output" ;;
esac

# A compare-and-swap that is tried once: the value is lost there.
grade_lab lab04 once 1 "does not find the value that it expects, so it stores nothing, and the thread does not try again" max \
    -e 's/^    while (replaces(value, real_of(seen))) {/    if (replaces(value, real_of(seen))) {/' \
    -e '/^        if (found == seen) {/,/^        }/d' -e '/^        seen = found;/d'
# The kernel that shows its race is no kernel to improve; with this seed two of its blocks store the same value.
shown=$("$grader" --no-color --backend sim --only sum_race --seed 3 2>&1)
case $shown in
*"Note: (a) sum_race"*) fail "a note on the race that is shown on purpose:" "$shown" ;;
*"Shown on purpose"*) ;;
*) fail "sum_race is not shown:" "$shown" ;;
esac

# A correction of the host's sum that makes it worse than none.
grade_lab lab01 correction 1 "further off" finish -e 's/lost = (next - sum) - part;/lost = next - sum;/'

# A sum in another way, which has no correction.
grade_lab lab01 pairwise 1 "numbers are missing in it, or are in it more than once" finish -e '/^#include <stdlib.h>/a #include <vector>' \
    -e '/^double lab01_finish/,/^}/c double lab01_finish(const real *h_partial, int count)\n{\n    std::vector<real> level(h_partial, h_partial + count);\n    while (count > 1) {\n        for (int b = 0; b < count / 2; b++) {\n            level[b] = level[2 * b] + level[2 * b + 1];\n        }\n        count = (count + 1) / 2;\n    }\n    return count == 1 ? level[0] : 0.0;\n}'
expect_not "correction"

# A race that a given function is there to show is not told beside what is wrong.
grade_lab lab04 meant 1 "access out of bounds" sum -e 's/__shared__ real s_x\[LAB04_BLOCK_SIZE\]/__shared__ real s_x[48]/'
expect_not "race"

# A fill whose value and number of bytes are exchanged.
grade_lab lab04 no_bytes 1 "is given 0 bytes and the value 4, so that it fills nothing" sum \
    -e '/^void lab04_sum(/,/^}/s/cudaMemsetAsync(d_y, 0, sizeof(real))/cudaMemsetAsync(d_y, sizeof(real), 0)/'

# What a compare-and-swap leaves in memory is asked where the test reads the memory itself.
grade_lab lab04 bits 1 "atomicMax at bits.cu:$(grep -n 'real_bits \*word' lab04_*/solution.cu | head -n 1 | cut -d: -f1) (called at line " special -e '/^__device__ void atomic_max/,/^}/{/^    while/,/^    }/d;s/^    real_bits \*word.*/    atomicMax((int *)address, __float_as_int(value));/;/real_bits seen/d}'

# A row length that is not the leading dimension: what the wrong element is in the matrix's terms.
grade_lab lab09 row_length 1 "d_c[48] includes d_a[24] to d_a[27], which do not belong to it" naive \
    -e 's/d_a\[row \* lda + i\]/d_a[row * k + i]/'
expect_not "does not depend on blockIdx" # nor need it: the row is that of the thread in y
# The same where the factors come from shared memory: the load is the line, not the product.
REPAIRS='' grade_lab lab09 tile_row_length 1 "tile_row_length.cu:$(grep -n 'd_a\[row \* lda + tile + x\]' lab09_*/solution.cu | cut -d: -f1): with a small change of the value, \`k\`," tile \
    -e 's/d_a\[row \* lda + tile + x\]/d_a[row * k + tile + x]/'
