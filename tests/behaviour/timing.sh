#!/bin/bash
# make playNN: modeled times are those of the report; the wrong ways to time are wrong in the way that book/timing.md says;
# nvcc by hand.
. "$(dirname "$0")/lib"
export BUILD=build/test PLAY_RUNS=1 GPU=0

# The same times as the report's, to a few percent: the grader runs a sample of the blocks.
near() {
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0 && b > 0 && a / b < 1.03 && b / a < 1.03) }'
}
make -s play03 $BUILD/lab03/float/solution SOLUTION=1 ARGS=33 >/dev/null || fail "play03 does not build"
output=$("$BUILD/lab03/float/solution/play" $((1 << 25)))
report=$("$BUILD/lab03/float/solution/grader" --backend sim --no-color)
for task in run_ends reverse; do
    mine=$(sed -n "s/^  lab03_${task}[a-z_]* *\([0-9.]*\) .*/\1/p" <<<"$output")
    theirs=$(sed -n "s/^  ([a-c]) $task *\([0-9.]*\) ms.*/\1/p" <<<"$report")
    near "$mine" "$theirs" || fail "$task: $mine ms by play03, $theirs ms in the report" "$output" "$report"
done

# Four wrong ways and the right one.
expect 0 "five ways" make -s play01 SOLUTION=1 ARGS=1000000
figure() {
    sed -n "s/^    [a-z]*: $1 *\([0-9.]*\).*/\1/p" <<<"$output"
}
awk -v first="$(figure "host's clock, first call")" -v queued="$(figure "host's clock, no waiting")" \
    -v waited="$(figure "host's clock, waiting")" -v warm="$(figure "events, always the same array")" \
    -v cold="$(figure "events, another array for each call")" \
    'BEGIN { exit !(first > waited && queued < waited / 10 && warm > 0 && warm < cold && cold < waited) }' ||
    fail "not as book/timing.md says:" "$output"
time=$(sed -n 's/^  lab01_copy  *\([0-9.]*\) .*/\1/p' <<<"$output")
[ "$time" = "$(figure "events, another array for each call")" ] || fail "two times of the same call:" "$output"

# By hand, as book/timing.md has it, with the simulator's compiler and with nvcc's.
line=$(sed -n -e :a -e '/^    nvcc .*\\$/{N;s/ *\\\n */ /;ta' -e '}' -e 's/^    nvcc \(.*-o play03\)$/\1/p' book/timing.md | head -n 1)
[ -n "$line" ] || fail "book/timing.md has no command line of nvcc"
make -s sim || fail "the simulator does not build"
# shellcheck disable=SC2086 # a command line
line=${line/skeleton/solution}
# shellcheck disable=SC2086
expect 0 "" "$BUILD/sim/simcc" ${line/-o play03/-o $scratch/play03}
expect 0 "lab03_run_ends" "$scratch/play03" 5000
expect_not WRONG
nvcc=$(sed -n 's/^NVCC := //p' $BUILD/toolkit.mk)
if [ -e "$(sed -n 's/^CUDA_LIB := //p' $BUILD/toolkit.mk)/libcudart_static.a" ]; then
    # shellcheck disable=SC2086
    expect 0 "" "$nvcc" ${line/-o play03/-o $scratch/play03}
    ls /dev/nvidia[0-9]* >/dev/null 2>&1 || expect 86 "cudaGetDeviceProperties" "$scratch/play03" 5000
fi

# What book/timing.md shows is what is modeled today: the rows with events, and the rate that it computes.
grep -q '^NVCC_VERSION := 13\.0' $BUILD/toolkit.mk || exit 0
unset PLAY_RUNS
expect 0 "five ways" make -s play01 SOLUTION=1
for row in "wrong: events, always the same array" "right: events, another array for each call"; do
    shown=$(sed -n "s/^ *$row  *\([0-9.]*\).*/\1/p" book/timing.md)
    [ "$shown" = "$(figure "${row#*: }")" ] || fail "book/timing.md shows $shown for: $row" "$output"
done
expect 0 "1885.2" "$BUILD/lab01/float/solution/play"
