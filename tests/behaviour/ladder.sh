#!/bin/bash
# make ladder: every sum of labs 01 to 06, in float and in double, and none is wrong.
. "$(dirname "$0")/lib"

for real in float double; do
    make -s BUILD=build/test build/test/bench/$real/ladder-sim || fail "build/test/bench/$real/ladder-sim does not build"
done

mkdir -p "$scratch/bench"/{float,double} # programs for the simulator only: as on a machine with no GPU
for real in float double; do
    ln -s "$PWD/build/test/bench/$real/ladder-sim" "$scratch/bench/$real/ladder-sim"
done
export LADDER_N=131072 LADDER_RUNS=1
expect 0 "MODELED, not measured" bench/ladder "$scratch/bench"
for text in "131072 floats" "131072 doubles" "global memory" "static shared memory" "dynamic shared memory" \
    "one atomic per block" "__syncwarp" "shuffles" "two kernels" "grid.sync()" "128-bit loads"; do
    case $output in *"$text"*) ;; *) fail "the table has no row with: $text" "It is:" "$output" ;; esac
done
rows=$(printf '%s\n' "$output" | grep -c '^  0[1-6] ')
[ "$rows" = 18 ] || fail "expected 9 rows in float and 9 in double, found $rows:" "$output"
expect_not WRONG
expect_not "race"

# Without an atomic for each block it is faster.
printf '%s\n' "$output" | awk '/^  0[56] /{ line = substr($0, 42); split(line, f, " ")
    if (/shuffles/) slow = f[1]; if (/loads in flight/ && f[1] > slow) exit 1 }' ||
    fail "the summit is slower than the shuffles:" "$output"

# Sizes that lab 01 does not take.
expect 2 "multiple of 128" "build/test/bench/float/ladder-sim" 1000 1
expect 2 "usage" "build/test/bench/float/ladder-sim"
