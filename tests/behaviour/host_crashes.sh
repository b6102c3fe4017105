#!/bin/bash
# A crash of the host is told at the student's line, whatever function it happened in, and so is a stack without room.
. "$(dirname "$0")/lib"
export BUILD=build/test NO_COLOR=1
make -s SOLUTION=1 lab02 lab05 lab06 || exit 1

# says LAB ONLY OLD NEW LINE TEXT: in the solution OLD (a text on one line, as sed has it) becomes NEW; graded with
# --only ONLY, the report names the line that holds LINE first, and holds TEXT.
says() {
    local number
    sed "s/$3/$4/" "$1"_*/solution.cu >"$scratch/student.cu"
    ! cmp -s "$1"_*/solution.cu "$scratch/student.cu" || fail "$1: nothing matches $3"
    make -s "$1" SRC="$scratch/student.cu" 2>/dev/null || fail "$1: $4 does not compile"
    number=$(grep -nF -- "$5" "$scratch/student.cu" | head -n 1 | cut -d: -f1)
    expect 1 "" "$(make -s SRC="$scratch/student.cu" "where-$1")/grader" --backend sim --seed 1 --only "$2"
    flat=$(printf '%s\n' "$output" | tr -s ' \n' ' ')
    case $flat in *") student.cu:$number: "*) ;; *) fail "$1: $4" "no first sentence with line $number in:" "$output" ;; esac
    case $flat in *"$6"*) ;; *) fail "$1: $4" "the report lacks: $6" "It is:" "$output" ;; esac
    expect_not "api_graph.c"
    expect_not "launch_words.c"
}

says lab06 grid_sync '{&d_x, &n, &d_y}' '{(void *)d_x, \&n, d_y}' 'cudaLaunchCooperativeKernel((const' \
    'cudaLaunchCooperativeKernel, called here, followed the device pointer d_x'
expect_not "The number of blocks there" # is computed elsewhere, in a file that is not the student's
says lab05 'scan' 'const int before = block_count(n, LAB05_SCAN_BLOCK) - 1;' 'const int before = block_count(n, LAB05_SCAN_BLOCK);' \
    'lab05_scan(d_sums, before, d_sums' 'The function calls itself here, again and again'
says lab02 sum '    double sum = 0.0;' '    volatile char room[64 << 20]; for (int i = 0; i < count; i++) room[i] = 1; double sum = 0.0;' \
    'add_on_host(h_partial, parts)' 'an array in a function of the host is too large'
