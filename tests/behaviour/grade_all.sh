#!/bin/bash
# mk/grade-all: its exit status is what make solutions and make skeletons end with.
. "$(dirname "$0")/lib"

# graded_as NAME STATUS WORDS: a folder with a grader that says WORDS and exits with STATUS.
graded_as() {
    mkdir -p "$scratch/$1"
    printf 'lab=lab01\nreal=float\n' >"$scratch/$1/build.info"
    printf '#!/bin/sh\necho "%s $*"\nexit %s\n' "$3" "$2" >"$scratch/$1/grader"
    chmod +x "$scratch/$1/grader"
}
graded_as passes 0 "passed: 100 of 100 points"
graded_as fails 1 "Next: write TODO 1"
graded_as silent 1 "something is wrong"
graded_as busy 3 "this GPU is busy"
graded_as broken 2 "no build.info"
all() { # KIND NAME...
    local kind=$1
    shift
    mk/grade-all "$kind" "${@/#/$scratch/}"
}

expect 0 "passed" all solution passes passes
expect_lines 3
expect 1 "FAILED, should pass" all solution passes fails passes
expect 1 "INCONCLUSIVE" all solution busy passes
expect 1 "NOT GRADED (status 2)" all solution broken
expect 0 "fails, names TODO 1" all skeleton fails fails
expect_lines 3
expect 1 "PASSED, should fail" all skeleton fails passes
expect 1 "FAILS, NAMES NO TODO" all skeleton silent fails
expect 1 "INCONCLUSIVE" all skeleton busy
# GRADER_FLAGS go to each grader, and the reports of what is amiss follow the table.
expect 1 "something is wrong --no-color --seed 7" env GRADER_FLAGS='--seed 7' mk/grade-all skeleton "$scratch/silent"
