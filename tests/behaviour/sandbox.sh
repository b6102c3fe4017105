#!/bin/bash
# Another's file is compiled and run in a sandbox: what it cannot read, what is shown of it, and what the grader says of it.
. "$(dirname "$0")/lib"
export BUILD=build/test

# begin TEXT: a submission that begins so; the folder of all submissions holds another one.
mkdir -p "$scratch/all/own"
echo 'static int other;' >"$scratch/all/other.cu"
echo 'static int own;' >"$scratch/all/own/own.h"
ln -sf ../other.cu "$scratch/all/own/link.h"
mkfifo "$scratch/all/own/pipe.h"
begin() {
    { printf '%b' "$1" && cat lab01_global_memory/solution.cu; } >"$scratch/all/own/student.cu"
}
refused() {
    begin "$1"
    expect 2 "Permission denied" timeout 100 make -s lab01 SRC="$scratch/all/own/student.cu"
}

# Without Landlock files are not kept apart.
if grep -q landlock /proc/kallsyms 2>/dev/null; then
    refused '#include "../other.cu"\n'
    refused '#include "link.h"\n'
    refused '#include "pipe.h"\n'
    refused '#include "/dev/zero"\n'
    refused '#include "lab02_shared_memory/solution.cu"\n'
fi

# What the compiler says of control characters.
begin '#error \033[2Jpassed: 100 of 100 \0302\0233\0342\0200\0256\n'
expect 2 "?[2Jpassed: 100 of 100 ?????" make -s lab01 SRC="$scratch/all/own/student.cu"
expect_not $'\033[2J'
short_ends_here

begin '#include "own.h"\n'
expect 0 "" make -s lab01 SRC="$scratch/all/own/student.cu"
cp "$scratch/all/own/student.cu" "$scratch/student.cu"
grader=$(make -s SRC="$scratch/all/own/student.cu" where-lab01)/grader
expect 0 "Sandbox: " "$grader" --backend sim --verbose --only "one element"
expect 0 "Sandbox: off" "$grader" --backend sim --sandbox off --verbose --only "one element"
expect 2 "expected auto, required or off" "$grader" --sandbox maybe

# A source that is a pipe by now, or a device.
rm "$scratch/all/own/student.cu" && mkfifo "$scratch/all/own/student.cu"
expect 2 "is not a file any more" timeout 20 "$grader" --backend sim
