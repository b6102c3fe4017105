#!/bin/bash
# Numbers of blocks, elements that no thread stores, and stores that are gone: what the report says, and of which line.
. "$(dirname "$0")/lib"
export NO_COLOR=1

# grade ONLY: what the report says of a task of the changed solution, which is wrong.
grade() {
    expect 1 "" "$grader" --backend sim --seed 1 --only "$1"
    flatten
}

# says TEXT: @LINE@ in it is the number of the line that holds LINE.
says() {
    local text=$1 line
    while [[ $text == *@*@* ]]; do
        line=${text#*@}
        line=${line%%@*}
        text=${text/"@$line@"/$(line_of student "$line")}
    done
    case $flat in *"$text"*) ;; *) fail "not said: $text" "The report:" "$output" ;; esac
}

change lab06 student -e 's/tile.thread_rank() == 0/tile.thread_rank == 0/' -e 's/sum0 += sum_of(v0)/sum0 += v0.x/' \
    -e '/^__global__ void sum_with_grid_sync/,/^}/s/\*d_y = value;/*d_y = sum;/'

# A condition that is never met: the address of a function is not 0.
grade tiles
says "student.cu:@d_y[i / @ would store it, but the compiled kernel has no instruction that stores to global memory"
says "The condition at student.cu:@tile.thread_rank == 0@ can never be met:"

short_ends_here

# Block 0 adds up the sums of the blocks, and stores its own: with one block that is the same, but one is not enough.
grade grid_sync
expect_not "too many blocks"
says "d_x[1024]"

# Of a vector one component is used.
grade summit
says "What is read there goes into no other value."

# The first elements are left out.
change lab08 student -e 's/if (i < n + LAB08_TAPS - 1)/if (i >= LAB08_TAPS - 1 \&\& i < n + LAB08_TAPS - 1)/'
grade tile
says "The first element that is stored is d_y[1023]"
says "the condition at student.cu:@if (i >= LAB08_TAPS - 1 &&@ leads past it: i >= LAB08_TAPS - 1 && i < n + LAB08_TAPS - 1."

# A division that rounds down: with both numbers, and how to round up.
change lab07 student -e 's/convolve_naive<<<(outputs + THREADS - 1) \/ THREADS, THREADS>>>/convolve_naive<<<outputs \/ THREADS, THREADS>>>/'
grade naive
says "An integer division rounds down: outputs / THREADS, here 16 / 256, is 0. Round it up: (outputs + THREADS - 1) / THREADS."
says "The number of blocks there depends on outputs, which is computed at line"
