#!/bin/bash
# make: targets, wrong names, and help.
. "$(dirname "$0")/lib"
export BUILD=build/test

expect 2 "There is no lab77; the labs are: lab01" make lab77
expect 2 "There is no lab1" ./grader lab1
# mk/play.mk is no goal like play01, nor what the compiler wrote of occupancy.c one like occupancy01: make lint has make -B.
mkdir -p "$scratch/calculators"
echo >"$scratch/calculators/occupancy.d"
expect 0 "sim/api/api_launch.c" make -n -B BUILD="$scratch" sim
expect 2 "no/such.cu" make lab01 SRC=no/such.cu
expect 0 "$BUILD/lab02/double/solution" make where-lab02 SOLUTION=1 REAL=double
expect 2 "To grade no.cu: make lab03 SRC=no.cu" make lab03 no.cu
# Which file is graded, where that changes: only what is to be done is printed, so nothing is built here. In a folder of
# its own, since other tests set build/test/current at the same time.
own=$scratch
mkdir -p "$own"
ln -sfn lab03/float/src-0 "$own/current"
expect 0 "graded   lab03_dynamic_shared/skeleton.cu, since no SRC= is given" make BUILD="$own" "$own/current" lab03 -o "$own/lab03/float/skeleton"
expect 2 "REAL" make lab01 REAL=half
expect 0 "lab01" make help
for target in solutions skeletons test test-gpu sim calibrate format clean; do
    expect 0 "  make $target " make help
done
expect 0 "./setup" make help
