#!/bin/bash
# make playNN: every lab's play.cu builds and runs; solutions are right, skeletons wrong.
. "$(dirname "$0")/lib"
alone play
export BUILD=build/test PLAY_RUNS=1 GPU=0

sizes() {
    case $1 in
    02) echo 5000 40 70 ;;
    03) echo 5000 128 1000 ;;
    04) echo 5000 7 ;;
    06) echo 5000 8 ;;
    09) echo 40 50 60 ;;
    *) echo 5000 ;;
    esac
}

# A device with a small L2 takes the simulator less time.
LABS_SIM_DEVICE=rtx3060 LABS_SIM_MACHINE_CODE=0
export LABS_SIM_DEVICE LABS_SIM_MACHINE_CODE
labs="01 02 03 04 05 06 07 08 09"
[ "$SUITE" != short ] || labs=05
for lab in $labs; do
    expect 0 "RTX 3060 (simulated): MODELED" make -s "play$lab" SOLUTION=1 REAL=double ARGS="$(sizes "$lab")"
    expect_not WRONG
    expect 0 MODELED make -s "play$lab" SOLUTION=1 ARGS="$(sizes "$lab")"
    expect_not WRONG
    expect 0 "WRONG: this time means nothing" make -s "play$lab" ARGS="$(sizes "$lab")"
done
expect 1 "lab05_diverge_between" "$BUILD/play05" --sim 5000
[ "$(grep -c WRONG <<<"$output")" = 8 ] || fail "what is given in lab 05's skeleton is right, and nothing else:" "$output"

# What was compiled for play can be graded.
cp lab03_dynamic_shared/skeleton.cu "$scratch/mine.cu"
expect 0 WRONG make -s play03 SRC="$scratch/mine.cu" ARGS="100 32 10"
[ -r "$(make -s where-lab03 SRC="$scratch/mine.cu")/build.info" ] || fail "after make play03 there is nothing to grade"

# The sizes.
expect 2 "n = many: expected a whole number from 1 to 2^30" "$BUILD/play03" many
expect 2 "tile = 0: expected a whole number from 1" "$BUILD/play03" 100 32 0
expect 2 "ARGS=" make play03 'ARGS=1; rm x'
expect 2 "There is no play10; there are: play01" make play10
