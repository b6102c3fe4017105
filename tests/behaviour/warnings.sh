#!/bin/bash
# Warnings stop developers (DEV=1), never a student.
. "$(dirname "$0")/lib"
in_copy
export BUILD=build/test

warned='int warned(int a, unsigned b); int warned(int a, unsigned b) { return a < b; }'
# A student's file, also where developers test.
echo "$warned" >>lab01_global_memory/solution.cu
expect 0 "sign-compare" make DEV=1 SRC=lab01_global_memory/solution.cu lab01

echo "$warned" >>harness/base/stats.c
# What is our own is compiled without them for a student, to save time; a student's file never is.
for object in harness/base/stats.o lab01/float/solution/student.o; do
    case $object in harness/*) student="" ;; *) student=sign-compare ;; esac
    expect 2 "sign-compare" make DEV=1 "$BUILD/$object"
    expect 0 "$student" make DEV= "$BUILD/$object"
    sleep 0.1 # a file system may not tell times apart that are nearer
    touch harness/base/stats.c lab01_global_memory/solution.cu
    expect 0 "sign-compare" make DEV=1 WERROR= "$BUILD/$object"
done
