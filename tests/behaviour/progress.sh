#!/bin/bash
# Building a lab says how far it is: "n of m", on a terminal in one line, elsewhere in at most ten, and hides no error.
. "$(dirname "$0")/lib"
in_copy
export BUILD=build/test
make -s lab01 || exit 1
# As a student has it (no DEV=1), but with the flags of what is built already.
# shellcheck disable=SC2016 # make expands it
same=("WARNINGS=$(make -s DEV=1 --eval='print-flags:;@:$(info $(WARNINGS))' print-flags)" "WERROR=-Werror"
    "FORTIFY=$(make -s DEV=1 --eval='print-flags:;@:$(info $(FORTIFY))' print-flags)")
student() {
    make DEV= "${same[@]}" lab01 "$@"
}

expect 0 "" student
[ -z "$output" ] || fail "there is nothing to do, and make says:" "$output"
sources=(harness/change/*.c)
steps=$((${#sources[@]} + 1)) # and the grader's link
touch harness/change/*.c
expect 0 "$steps of $steps  link " student -j1 # two at a time may speak out of turn
expect_lines 10
numbers=$(printf '%s\n' "$output" | sed "s/ of $steps .*//")
[ "$numbers" = "$(printf '%s\n' "$numbers" | sort -n)" ] || fail "the numbers do not rise:" "$output"

# A terminal: one line, rewritten.
if command -v script >/dev/null; then
    touch harness/change/*.c
    lines=$(script -qec "make DEV= '${same[0]}' '${same[1]}' '${same[2]}' lab01" /dev/null </dev/null)
    [ "$(printf '%s\n' "$lines" | tr '\r' '\n' | grep -c " of $steps")" = $((steps + 1)) ] || fail "expected $steps steps and the end:" "$lines"
    [ "$(printf '%s\n' "$lines" | grep -c .)" = 1 ] || fail "expected one line:" "$lines"
fi

# -s says nothing, V=1 shows commands, DEV=1 has a line for each step; an error is there whatever is said.
touch harness/change/*.c
expect 0 "" student -s
[ -z "$output" ] || fail "make -s says:" "$output"
touch harness/source/token.c
expect 0 "-c harness/source/token.c" student V=1
expect_not " of 2"
touch harness/source/token.c
expect 0 "  cc       harness/source/token.c" make DEV=1 lab01
echo 'int twice = "no number";' >>harness/source/token.c
expect 2 "int twice" student
expect 2 "int twice" student -s

# A name of any kind, on the command line and in the environment.
touch -r harness/change/edit_write.c harness/source/token.c
odd="$PWD/a b'\$x;q\".cu"
cp lab01_global_memory/solution.cu "$odd"
git checkout -q harness/source/token.c 2>/dev/null || sed -i '$d' harness/source/token.c
expect 0 "nvcc $odd" student SRC="$odd"
touch "$odd"
SRC=$odd expect 0 "1 of 2  nvcc $odd" student
