#!/bin/bash
# SRC=: a name is only a file's name, whatever stands in it. Each file is built and graded, messages and reports name
# it as the student does, and nothing in it is ever carried out: no file appears that should not.
# shellcheck disable=SC2016 # names are text, not to be expanded
. "$(dirname "$0")/lib"
# In a copy: make says something where another test has built another lab last.
in_copy
export BUILD=build/test NO_COLOR=1
home=$scratch/work
mkdir -p "$home"

# What would happen if one of them were text of a shell, of make or of a command: a file called "done" appears.
# Some have several such parts: each by itself would be noticed, since the file is not found or "done" appears; what quotes
# is in names of its own, where it can hide nothing.
names=('back\slash\n.cu' '$(touch done)`touch done`${HOME}.cu')
if [ "$SUITE" != short ]; then
    names+=("a file.cu" "it's.cu" 'say "a".cu' '$(shell touch done)$$HOME$(info done).cu' ';touch done;a&touch done&a|tee done>done.cu'
        'a#b%c%s%n.cu' 'a:b,c=d.cu' '-o done.cu' '*[a-z]?{a,b}(a).cu' '~a@a.cu' 'übung-ß.cu')
fi

# graded NAME: build it, and grade it with a small case.
graded() {
    local said folder
    said=$(make -s SRC="$1" lab01 2>&1) || fail "SRC=$1 does not build:" "$said"
    [ -z "$said" ] || fail "SRC=$1: make says:" "$said"
    make -q SRC="$1" lab01 >/dev/null 2>&1
    folder=$(make -s SRC="$1" where-lab01)
    [[ $folder =~ ^build/test/lab01/float/src-[0-9a-f]{16}$ ]] || fail "SRC=$1: its folder is $folder"
    grep -qxF "source=$1" "$folder/build.info" || fail "SRC=$1: build.info has: $(grep source= "$folder/build.info")"
    expect 0 "$1, seed" "$folder/grader" --backend sim --only 'one element'
    contains passed || fail "SRC=$1 does not pass:" "$output"
}

for name in "${names[@]}"; do
    cp lab01_global_memory/solution.cu "$home/$name"
done
# In the root a name can begin with '-'; the file is removed at the end.
trap 'rm -f -- "-o done.cu"' EXIT
cp lab01_global_memory/solution.cu ./"-o done.cu"
ls -A . "$home" >"$scratch/before"
count=0
for name in "${names[@]/#/$home/}" "-o done.cu"; do
    (graded "$name") >>"$scratch/failed" 2>&1 &
    [ $((++count % $(nproc))) != 0 ] || wait
done
wait
[ ! -s "$scratch/failed" ] || fail "$(cat "$scratch/failed")"
ls -A . "$home" >"$scratch/after"
diff "$scratch/before" "$scratch/after" || fail "files have appeared"

# Errors, warnings and hazards name the student's file and line, and those of a header beside it, in a folder whose
# name is strange too. The header is found, and its change noticed.
folder=$home/'week "1" $(touch done)'
mkdir -p "$folder"
odd=$folder/'my `work`.cu'
# (It includes nothing for std::max, which comes with every file that nvcc compiles.)
printf '#pragma once\n__device__ inline int own(int i) { return i; } inline int most(int i) { return std::max(i, 1); }\n' >"$folder/helper.h"
sed 's/^#include "lab01.h"/&\n#include "helper.h"/' lab01_global_memory/solution.cu >"$odd"
expect 0 "nvcc     $odd" make SRC="$odd" lab01
grader=$(make -s SRC="$odd" where-lab01)/grader
expect 0 "passed" "$grader" --backend sim --only 'one element'
expect 0 "" make SRC="$odd" lab01
[ -z "$output" ] || fail "it is built again, though nothing has changed:" "$output"
expect 0 "" make -q SRC="$odd" lab01
sleep 0.1
echo 'this is an error' >>"$folder/helper.h"
expect 2 "$folder/helper.h:3" make SRC="$odd" lab01
sed -i '$d' "$folder/helper.h"
line=$(grep -n 'helper.h' "$odd" | cut -d : -f 1)
sed -i "${line}a this is another" "$odd"
expect 2 "$odd:$((line + 1))" make SRC="$odd" lab01
expect_not "$BUILD/src/"
sed -i "$((line + 1))d" "$odd"
sed -i '0,/d_y\[i\] = /s/d_y\[i\] = /d_y[i + 1] = /' "$odd"
line=$(grep -n 'd_y\[i + 1\] = ' "$odd" | cut -d : -f 1)
expect 0 "" make -s SRC="$odd" lab01
expect 1 "access out of bounds" "$grader" --backend sim --only 'one element'
report=$(printf %s "$output" | tr -s ' \n' ' ')
shown=${odd//\"/\'} # line information has no quotes: ptxas would refuse them
[[ $report == *"${shown##*/}:$line: thread"* ]] || fail "the report does not name $shown:$line:" "$output"

# What cannot be graded: one line that says why.
mkdir -p "$home/folder.cu"
: >"$home/empty.cu"
cp lab01_global_memory/solution.cu "$home/file.txt"
refused() { # NAME TEXT
    expect 2 "$2" make SRC="$1" lab01
    expect_lines 1
}
refused "$home/folder.cu" "folder.cu is a folder"
refused "$home/none.cu" "there is no such file"
refused "" "SRC= names no file"
refused "$home/empty.cu" "the file is empty"
refused "$home/file.txt" "ends in .cu"
refused $'two\nlines.cu' "line breaks"
if [ "$(id -u)" != 0 ]; then
    cp lab01_global_memory/solution.cu "$home/secret.cu"
    chmod 0 "$home/secret.cu"
    refused "$home/secret.cu" "cannot be read"
fi

# Other values that are given by hand.
for value in 'a folder' 'a"b' '$(shell touch done)' 'a;b' 'a:b' '`touch done`'; do
    expect 2 "BUILD=$value: " env -u BUILD make BUILD="$value" lab01
    expect_lines 1
done
expect 2 'REAL=$(shell touch done): ' make REAL='$(shell touch done)' lab01
expect 2 'NVCC=$(shell touch done): ' make NVCC='$(shell touch done)' lab01
expect 2 "GPU=perhaps: " make GPU=perhaps lab01
expect 2 "" make 'lab$(shell touch done)`touch done`'
if [ -e "done" ] || [ -n "$(find . -path ./build -prune -o -name "done" -print)" ]; then fail "something was carried out"; fi
