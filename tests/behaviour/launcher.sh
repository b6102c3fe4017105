#!/bin/bash
# ./grader, the launcher.
. "$(dirname "$0")/lib"

# Nothing built.
expect 2 "make lab01 && ./grader" env BUILD="$scratch/empty" ./grader
expect 2 "There is no lab77; the labs are: lab01 lab02" env BUILD="$scratch/empty" ./grader lab77
expect 2 "There is no lab3;" env BUILD="$scratch/empty" ./grader lab01 lab3
expect 0 "0 passed, 1 failed, 2 could not be graded" env BUILD="$scratch/empty" ./grader --help
expect 0 "the worst of them" env BUILD="$scratch/empty" ./grader --help
expect 0 "The labs are: lab01 lab02" env BUILD="$scratch/empty" ./grader --list
expect 0 "lab01_global_memory/README.md; then: make lab01 && ./grader" env BUILD="$scratch/empty" ./grader --hint

# A tree of its own, in a folder whose name has spaces.
tree="$scratch/a tree"
copy_tree "$tree"
cd "$tree" || exit 2
export BUILD=build/test
export NO_COLOR=1

# Questions about a lab that was never built: its grader alone is made for them.
rm -rf build/test/lab03/float/skeleton build/test/lab03/float/grader.o
expect 0 "(b) run_ends:" ./grader lab03 --list
expect 0 "--backend auto|gpu|sim" ./grader lab03_dynamic_shared/ --help
[ ! -e build/test/lab03/float/skeleton/student.o ] || fail "the student's file was compiled for --list"
rm -rf build/test/lab03/float/skeleton

expect 0 "" make lab02
expect 1 "TODO 1" ./grader --backend sim
expect 0 "" env SOLUTION=1 ./grader lab02 --backend sim --only 'transpose: a tile'
expect 0 "--backend" ./grader --help
expect 2 "--nonsense" ./grader --nonsense
expect 2 "--backend" ./grader --backend abacus
expect 2 "--seed" ./grader --seed x
expect 2 "no_such_case" ./grader --only no_such_case

# From elsewhere, with a file of the caller's.
root=$PWD
cd / || exit 2
expect 0 "" env SOLUTION=1 "$root/grader" lab02 --backend sim --only 'transpose: a tile' --json "$root/result.json"
grep -q '"lab": *"lab02"' "$root/result.json" || fail "result.json is not what it should be:" "$(head "$root/result.json")"
cd "$root" || exit 2

# The file has changed since it was built: said, and graded as built.
sleep 0.1
touch lab02_shared_memory/solution.cu
expect 0 "has changed since it was built" ./grader --backend sim --only 'transpose: a tile'

# An error in the student's file is shown as the compiler says it; there is nothing to grade then.
mkdir -p mine
sed 's/const int parts = /const int parts == /' lab02_shared_memory/solution.cu >"mine/broken file.cu"
expect 2 "mine/broken file.cu:" make lab02 SRC="mine/broken file.cu"
expect_lines 9
expect 2 "The last build stopped with an error" ./grader
# There is help all the same.
expect 0 "--backend" ./grader --help
expect 0 "(b) transpose:" ./grader --list
expect 0 "No TODO is open in student.cu" ./grader --hint
(cd / && expect 0 "(b) transpose:" "$root/grader" --list) || exit 1
sed 's/const int parts = /int not_used; const int parts = /' lab02_shared_memory/solution.cu >"mine/warned file.cu"
expect 0 "not_used" make lab02 SRC="mine/warned file.cu"
expect 0 "" ./grader --backend sim --only 'transpose: a tile'

short_ends_here

# A lab that is named is graded, whatever another make builds meanwhile: here, right after it.
mkdir bin
printf '#!/bin/sh\n"%s" "$@" || exit\ncase " $* " in *" lab02 "*) ln -sfn lab01/float/skeleton build/test/current ;; esac\n' "$(command -v make)" >bin/make
chmod +x bin/make
expect 0 "(b) transpose" env PATH="$PWD/bin:$PATH" SOLUTION=1 ./grader lab02 --backend sim --only 'transpose: a tile'

# Several labs: each report, a line for each, the worst status.
expect 1 "lab02  FAILED: 0 of 40 points" ./grader lab01 lab02 --backend sim --only reduce --json both.json
case $output in *"lab01  Global memory"*"lab02  Static shared memory"*"lab01  FAILED: 0 of 20 points"*) ;; *) fail "not both:" "$output" ;; esac
[ "$(grep -c '"lab": "lab0[12]"' both.json)" = 2 ] || fail "both.json does not hold both" "$(head both.json)"
if command -v python3 >/dev/null; then
    python3 -m json.tool both.json >/dev/null || fail "both.json is no JSON"
fi
expect 0 "lab02  passed: 40 of 40 points" env SOLUTION=1 ./grader lab02 lab01 --backend sim --only reduce
expect 2 "lab02  not graded" ./grader lab02 lab03 --backend sim --only run_ends

# A hint is for what fails, not for what is open beside it: here TODO 4 is open, and the reduction lacks a barrier.
awk '/__syncthreads\(\);/ && !gone { gone = 1; next } /TODO 4:/ { skip = 1; print; next } /end of TODO 4/ { skip = 0 }
    skip && !/^ *\/\// { next } { print }' lab02_shared_memory/solution.cu >mine/both.cu
expect 0 "" make lab02 SRC=mine/both.cu
expect 1 "race in shared memory" ./grader --backend sim
case $output in *"First failure: (a) reduce"*"TODO 4 is still open: mine/both.cu"*"Until it is done, these fail: (b) transpose."*"Next: correct (a) reduce"*) ;;
*) fail "not the race first, and TODO 4 after it:" "$output" ;; esac
expect 0 "race in shared memory" ./grader --hint
case $output in "(a) reduce fails: "*"Hint 1 for TODO 1"* | "(a) reduce fails: "*"Hint 1 for TODO 2"*) ;; *) fail "not about the race:" "$output" ;; esac
# Where only what is open fails, it is what the hint is for, also if an earlier TODO belongs to a task that passes.
awk '/TODO 4:/ { skip = 1; print; next } /end of TODO 4/ { skip = 0 } skip && !/^ *\/\// { next } { print }' \
    lab02_shared_memory/solution.cu >mine/open.cu
expect 0 "" make lab02 SRC=mine/open.cu
expect 1 "Next: write TODO 4 (open.cu:" ./grader --backend sim
expect_not "First failure"
expect 0 "Hint 1 for TODO 4" ./grader --hint
