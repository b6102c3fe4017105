#!/bin/bash
# Programs on the simulator by themselves: settings from the environment, and code that cannot run.
. "$(dirname "$0")/lib"
export BUILD=build/test
program=$BUILD/tests/api/vector_add

expect 0 "" make -s "$program"
expect 0 "0 of 100003 are wrong" "$program"
expect 0 "0 of 100003 are wrong" env LABS_SIM_DEVICE=rtx4090 LABS_SIM_HAZARDS=0 LABS_SIM_COUNTERS=0 "$program"
expect 0 "0 of 100003 are wrong" env LABS_SIM_SCHEDULE=7 "$program"
expect 2 "one of: h100" env LABS_SIM_DEVICE=abacus "$program"
expect 2 "expected 0 or 1" env LABS_SIM_HAZARDS=yes "$program"
expect 2 "expected 0 or 1" env LABS_SIM_COUNTERS=2 "$program"
expect 2 "a whole number" env LABS_SIM_SCHEDULE=often "$program"
expect 2 "a whole number" env LABS_SIM_LIMIT=-1 "$program"
expect 86 "stopped after 100 warp instructions" env LABS_SIM_LIMIT=100 "$program"

# No PTX that a device of compute capability 9.0 can take.
nvcc=$(sed -n 's/^NVCC := //p' "$BUILD/toolkit.mk")
"$nvcc" -I. -gencode arch=compute_80,code=sm_80 -c tests/api/vector_add.cu -o "$scratch/sass.o" || exit 1
g++ "$scratch/sass.o" "$BUILD/sim/libsim.a" -lm -lpthread -o "$scratch/sass" || exit 1
expect 86 "compute_80" "$scratch/sass"
