#!/bin/bash
# Elements that no thread stores, and elements of further blocks that are missing: what the report says, and of which line.
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

grade tiles
says "No thread stores d_y[0]"

short_ends_here

# Block 0 adds up the sums of the blocks, and stores its own: with one block that is the same, but one is not enough.
grade grid_sync
expect_not "too many blocks"
says "d_x[1024]"

# The first elements are left out.
change lab08 student -e 's/if (i < n + LAB08_TAPS - 1)/if (i >= LAB08_TAPS - 1 \&\& i < n + LAB08_TAPS - 1)/'
grade tile
says "No thread stores d_y[0]"
