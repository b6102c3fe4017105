#!/bin/bash
# Limits of counters count what costs time: a right sum by shuffles passes in lab 02 although most of its few branches part a
# warp, and what divergence or bank conflicts slow down is called by its name.
. "$(dirname "$0")/lib"

# entry FILE NAME: lab 02's solution with this change of tests/mistakes
entry() {
    tests/mistakes/entry "tests/mistakes/$1.txt" "$2" change >"$scratch/change"
    tests/apply lab02_shared_memory/solution.cu "$scratch/change" >"$scratch/student.cu" || fail "$2 does not fit"
    compile lab02 student
}
grade() { # STATUS TEXT OPTION...
    local status=$1 text=$2
    shift 2
    expect "$status" "$text" "$grader" --no-color --backend sim "$@"
}

entry right/lab02 warps_by_shuffles
grade 0 "passed: 60 of 60 points" --only a
grep -q "idle lanes in a warp" <<<"$output" || fail "no idle lanes are counted" "$output"
entry first/lab02 reduce_interleaved
grade 1 "26/40  divergence" --only reduce
case $(tr -s ' \n' ' ' <<<"$output") in
*"The lanes of a warp disagree at this branch (divergence)"*) ;;
*) fail "the report does not say what diverges:" "$output" ;;
esac

short_ends_here
change lab02 student 's/LAB02_TILE + 1\]/LAB02_TILE]/'
grade 1 "26/40  bank conflicts" --only transpose

# Without ptxas the time has no margin that anybody measured: nothing passes by it, and nothing fails.
cp lab02_shared_memory/solution.cu "$scratch/student.cu"
compile lab02 student
LABS_SIM_PTXAS='' grade 3 "a rough estimate, which is not judged" --only reduce
grade 0 "passed: 40 of 40 points" --only reduce

# Where neighboring elements are a thread's on purpose, that they lie apart is no note: what to do is what the counter says.
change lab07 by_words '/TODO 8/,/end of TODO 8/s/if (first >= LAB07_TAPS/if (n < 0/'
grade 1 "load the window by vectors" --only convolve
expect_not uncoalesced
