#!/bin/bash
# ./grader, the launcher.
. "$(dirname "$0")/lib"

# Nothing built.
expect 2 "make lab01 && ./grader" env BUILD="$scratch/empty" ./grader
expect 2 "There is no lab77" env BUILD="$scratch/empty" ./grader lab77
expect 0 "0 passed, 1 failed, 2 could not be graded" env BUILD="$scratch/empty" ./grader --help

# A tree of its own, in a folder whose name has spaces.
tree="$scratch/a tree"
copy_tree "$tree"
cd "$tree" || exit 2
export BUILD=build/test
export NO_COLOR=1
expect 0 "" make lab02
expect 1 "TODO 1" ./grader --backend sim
expect 0 "" env SOLUTION=1 ./grader lab02 --backend sim --only transpose
expect 0 "--backend" ./grader --help
expect 2 "--nonsense" ./grader --nonsense
expect 2 "--backend" ./grader --backend abacus
expect 2 "--seed" ./grader --seed x
expect 2 "no_such_case" ./grader --only no_such_case

# From elsewhere, with a file of the caller's.
root=$PWD
cd / || exit 2
expect 0 "" env SOLUTION=1 "$root/grader" lab02 --backend sim --only transpose --json "$root/result.json"
grep -q '"lab": *"lab02"' "$root/result.json" || fail "result.json is not what it should be:" "$(head "$root/result.json")"
cd "$root" || exit 2

# The file has changed since it was built: said, and graded as built.
sleep 0.1
touch lab02_shared_memory/solution.cu
expect 0 "has changed since it was built" ./grader --backend sim --only transpose

# An error in the student's file is shown as the compiler says it; there is nothing to grade then.
mkdir -p mine
sed 's/const int parts = /const int parts == /' lab02_shared_memory/solution.cu >"mine/broken file.cu"
expect 2 "mine/broken file.cu(" make lab02 SRC="mine/broken file.cu"
expect_lines 16
expect 2 "The last build stopped with an error" ./grader
sed 's/const int parts = /int not_used; const int parts = /' lab02_shared_memory/solution.cu >"mine/warned file.cu"
expect 0 "not_used" make lab02 SRC="mine/warned file.cu"
expect 0 "" ./grader --backend sim --only transpose
