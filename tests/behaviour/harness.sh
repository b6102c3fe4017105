#!/bin/bash
# Grader and worker with a lab whose student's functions misbehave on demand (tests/fake_lab): crashes,
# hangs, forged answers, wrong values; on a fake GPU and in a fake simulator. No CUDA code is compiled.
. "$(dirname "$0")/lib"

# Where `make` would put them: $scratch/tree/build/lab90/float/skeleton.
tree=$scratch/tree
built=$tree/build/lab90/float/skeleton
mkdir -p "$built" "$tree/lab90_fake"
# shellcheck source=/dev/null
cuda=$(sed -n 's/^CUDA_INCLUDE *:*= *//p' build/test/toolkit.mk build/toolkit.mk 2>/dev/null | head -n 1)
if [ "$SANITIZED" != 0 ]; then
    flags="-std=gnu11 -O0 -g1 -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover=undefined"
    rest=build/sanitized/harness/float/libharness.a
    make -s BUILD=build/sanitized SANITIZE=1 $rest || exit 1
else
    flags="-std=gnu11 -O2 -g -Wall -Wextra -Werror"
    rest=build/test/harness/float/libharness.a
    make -s BUILD=build/test $rest || exit 1
fi
# Its outputs are short: let them count as long ones, so that pieces of them are drawn.
flags="$flags -DPIECE_BYTES=UINT64_C(4096) -DLONG_OUTPUT=UINT64_C(65536)"
flags="$flags -I. -Itests/fake_lab -I${cuda:-/usr/local/cuda/include}"
export ASAN_OPTIONS=handle_segv=0:handle_sigbus=0:handle_abort=0:handle_sigfpe=0:detect_stack_use_after_return=0
# What the student breaks is not the sanitizer's business; what the worker leaves when it is killed neither.
worker_flags="${flags/-fsanitize=address,undefined/-fsanitize=undefined}"

shared=$(printf "%s\n" harness/lab/*.c harness/wire/protocol.c harness/wire/clean.c harness/base/stats.c harness/base/clean.c)
workers=$(printf '%s\n' harness/worker/*.c | grep -v -e /worker/sim -e /worker/origin -e /worker/gpu.c -e /worker/device.c)
workers="$workers sim/text/source_line.c sim/text/line_process.c sim/text/line_memory.c sim/text/launch_words.c"
fake="tests/fake_lab/student.c tests/fake_lab/runtime.c"
# What these flags change of the grader; all else of it is built already.
changed=$(grep -lE 'PIECE_BYTES|LONG_OUTPUT|FAKE_SIM' harness/*/*.c | grep -v /worker/)
# shellcheck disable=SC2086 # lists of files and flags
{
    gcc $flags -DFAKE_SIM harness/main.c $changed sim/model/profile*.c sim/model/band.c sim/model/sm.c tests/fake_lab/grader.c $rest -o "$built/grader-itself" -lm &&
    gcc $worker_flags $workers harness/worker/gpu.c $shared $fake -o "$built/worker-gpu" -lm &&
    gcc $worker_flags -DFAKE_SIM $workers $shared $fake -o "$built/worker-sim" -lm
} || fail "the fake lab does not build"
# The environment says what the fake student does, and a sandbox keeps it from the workers.
printf '#!/bin/sh\nexec "${0%%/*}/grader-itself" --sandbox off "$@"\n' >"$built/grader"
chmod +x "$built/grader"

cat >"$tree/lab90_fake/skeleton.cu" <<'END'
void copy()
{
    // TODO 1: copy every element;
    // there may be none.
    y = x;
    // end of TODO 1
}
void sum()
{
    // TODO 2: add them.
    /* nothing
       here */
    // end of TODO 2
}
void again()
{
    // TODO 3: copy in another way.
    // end of TODO 3
}
END
cat >"$tree/lab90_fake/binding.c" <<'END'
static void run_copy(struct lab_call *call) { copy(); }
static void run_sum(struct lab_call *call) { sum(); }
static void run_again(struct lab_call *call) { again(); }
const struct lab_binding lab_bindings[] = {{"copy", run_copy}, {"sum", run_sum}, {"again", run_again}};
END
printf 'lab=lab90\nreal=float\nsource=lab90_fake/skeleton.cu\nnvcc=none\ntoolkit=13.0\n' >"$built/build.info"
# Its figures come from the environment; a line of `calls` says which were asked for.
cat >"$tree/build/calibrate" <<'END'
#!/bin/sh
while read -r question; do
    echo "$question" >>"$(dirname "$0")/calls"
    copy=${COPY_GBS:-0.5}
    printf 'name=Fake GPU\nuuid=%s\ndriver=13.0\nclock_mhz=1000\nmemory_mhz=1000\nl2_bytes=262144\n' "${FAKE_UUID:-f00d}"
    now=${COPY_NOW:-$copy}
    # COPY_LATER: something else begins to use the GPU after the first question.
    [ "$asked" ] && now=${COPY_LATER:-$now}
    asked=1
    printf 'copy_steady_gbs=%s\nclock_now_mhz=%s\n' "$now" "${CLOCK_NOW:-1000}"
    if [ "$question" != copy ]; then
        printf 'copy_gbs=%s\nread_gbs=%s\nwrite_gbs=%s\n' "$copy" "${READ_GBS:-$copy}" "$copy"
        printf 'copy_word_gbs=%s\ncopy_dword_gbs=%s\nfp32_gflops=100\nfp64_gflops=50\n' "$copy" "$copy"
        for threads in 32 64 128 256 512 1024; do echo "block_ns_$threads=${BLOCK_NS:-1}"; done
        printf 'atomic_int_ns=1\natomic_float_ns=1\natomic_double_ns=1\nlaunch_us=3\n'
    fi
    echo end
done
END
chmod +x "$tree/build/calibrate"

grade() { # MODE STATUS TEXT [OPTION...]
    local mode=$1 status=$2 text=$3
    shift 3
    expect "$status" "$text" env FAKE="$mode" "$built/grader" --seed 7 "$@"
    expect_lines 45
}
sim() { local m=$1 s=$2 t=$3; shift 3; grade "$m" "$s" "$t" --backend sim "$@"; }
gpu() { local m=$1 s=$2 t=$3; shift 3; grade "$m" "$s" "$t" --backend gpu "$@"; }

says() { # further texts of the same report
    local text
    for text; do
        contains "$text" || fail "the report does not say: $text" "$output"
    done
}

# Right programs.
sim right 0 "passed: 100 of 100 points"
says "computed for Fake simulated GPU, not measured" "seed 7" "5 of 5"
says "-12% +40%" "By the model; a GPU decides in the end." "the roof: bytes at the rate of a copy" "needed: 30% of the best that this method allows (blocks to start, "
gpu right 0 "passed: 100 of 100 points"
says "6 of 6" "of the roof"
# What is said of the margins is of the GPU that is modeled, if any was measured; the fake time is too long for an H200.
sim right 1 "were, on an H200, the times of 9 of 10 kernels that it was checked with, and of 8 of 10" --device h200 --only copy
# The device to model is the grader's word, not the environment's.
sim right 0 "computed for Fake simulated rtx3060, not measured" --device rtx3060 --only copy
says "were, on an H100, the times of 9 of 10 kernels that it was checked with, and of 7 of 10" "On this GPU none was measured."
expect 0 "computed for Fake simulated GPU" env LABS_SIM_DEVICE=a100 FAKE=right "$built/grader" --backend sim
sim right 0 "modeled from code for compute capability 8.0: this device has 7.5" --device t4 --only copy
sim right 2 "--device abacus: the simulator models h100, h200, a100, " --device abacus
sim print 0 "passed"
expect 0 "hello from the student" env FAKE=print "$built/grader" --backend sim --verbose
says "flop per byte" "10 blocks, 2 per SM at a time: 1.25 waves of 8, the last 25% full"
sim binary 0 "passed"
sim flood 0 "passed" --only copy
sim leave_child 0 "passed" --only copy

# Ends of the process.
sim segv 1 "the program crashed (Segmentation fault)"
sim device_pointer 1 "Host code followed a device pointer"
sim stack 1 "crashed"
sim abort 1 "crashed (Aborted)"
sim killed 2 "something outside killed the program: the system may have run out of memory"
sim divide 1 "divided an integer by zero"
sim exit0 1 "exit status 0 in the middle of the case"
says "FAILED: 40 of 100"
sim exit_quietly 1 "exit status 0 in the middle"
sim exit3 1 "exit status 3"
sim check 1 "fake.cu:42: cudaMemcpy(a, b, c, d) failed"
says "index past the end"
case $output in *"Your program printed"*) fail "the line of CHECK is told twice" "$output" ;; esac
sim check_with_hazard 1 "race in shared memory"
sim print_pass 1 "FAILED: 40 of 100"
says "Your program printed:" "passed: 100 of 100 points"
sim leave_child_and_die 1 "exit status 5"
for mode in hang spin stop flood_forever; do
    sim "$mode" 1 "did not end within 0.3 seconds" --timeout 0.3 --only copy
done

# The protocol.
sim garble 1 "makes no sense" --only copy
sim forge 1 "FAILED" --only copy
sim close 1 "FAILED" --only copy
sim shrink 0 "passed" --only copy

# CUDA errors and hazards.
sim launch_error 1 "cudaErrorInvalidConfiguration"
says "a grid or a block of 0"
sim kernel_error 1 "the kernel failed"
sim hazard 1 "right only by luck"
says "fake.cu:12: a race"
expect_not "and 1 more" # of the same lines
sim hazard_and_wrong 1 "Also wrong in this case: " --only ragged
sim many_hazards 1 "race in shared memory"
gpu hazard 1 "in the simulator"
says "right only by luck"

# A worker that cannot be started is not the student's mistake.
mv "$built/worker-sim" "$built/worker-away"
printf 'not a program' >"$built/worker-sim"
chmod +x "$built/worker-sim"
sim right 2 "worker-sim could not be started" --only copy
rm "$built/worker-sim"
sim right 2 "worker-sim is missing. Build the lab again: make lab90" --only copy
mv "$built/worker-away" "$built/worker-sim"

# Values.
sim nothing 1 "Nothing was written"
sim zeros 1 "Every value is 0"
sim nan 1 "not a number"
sim half 1 "The values are nearly right"
sim doubled 1 "The value is 2 times what it should be"
sim off_by_one 1 "what element i + 1 should hold"
sim tail 1 "never written" --only "a prime"
sim first_block 1 "Everything from index 64 to the end was never written" --only ragged
sim input 1 "changed its input d_x"
sim first_call_only 1 "FAILED"
sim accumulate 1 "in a second call"
says "plus that of the call before"
sim scalar 1 "the returned value is wrong"
gpu guard_after 1 "wrote outside of d_y: past its end"
says "d_y[1] was overwritten"
gpu guard_before 1 "wrote outside of d_y: before its start"
says "d_y[-2]"

# All cases are run, so that the report can say how many have one cause. A task ends early only if its wrong cases take long.
sim half 1 "FAILED" --json "$scratch/all.json"
says "FAILED: 40 of 100" "First failure: (a) copy, one (n = 1)"
expect_not "not run"
grep -q '"explains": 4' "$scratch/all.json" || fail "all.json does not say how many cases" "$(cat "$scratch/all.json")"
grep -q '"status": "skipped"' "$scratch/all.json" && fail "cases are skipped" "$(cat "$scratch/all.json")"
sim hang 1 "4 cases of tasks that have already failed were not run; to run all: ./grader --all" --timeout 1.1 --only copy --json "$scratch/first.json"
[ "$(grep -c '"status": "skipped"' "$scratch/first.json")" = 4 ] || fail "not 4 cases skipped" "$(cat "$scratch/first.json")"
grep -q '"skipped": 4' "$scratch/first.json" || fail "first.json does not say how many"
# What is reported does not depend on which thread was first.
gpu half 1 "First failure: (a) copy, one (n = 1)"
for run in 1 2 3 4 5; do
    FAKE=half "$built/grader" --backend gpu --seed 7 --json "$scratch/run.json" >/dev/null
    grep -e '"status"' -e '"points"' -e '"reason"' -e '"headline"' "$scratch/run.json" >"$scratch/run.$run"
    cmp "$scratch/run.1" "$scratch/run.$run" || fail "two gradings with one seed differ"
done
gpu hazard 1 "FAILED: 40 of 100" --json "$scratch/hazard-gpu.json"
# Its small cases are wrong: the large one, which only a GPU runs, would say the same.
[ "$(grep -c '"status": "skipped"' "$scratch/hazard-gpu.json")" = 1 ] || fail "not 1 case skipped" "$(cat "$scratch/hazard-gpu.json")"

# The first wrong case is told while the others are graded, on a terminal; in all tasks, small cases come before those that
# take long. `early MODE BACKEND SENTENCE`: it is known early, and told early enough to be read before the report.
number_of() { # KEY FILE
    sed -n "s/^ *\"$1\": \([0-9.]*\).*/\1/p" "$2" | head -n 1
}
early() {
    local told
    told=$(script -qefc "FAKE=$1 '$built/grader' --backend $2 --seed 7 --verbose --json '$scratch/early.json' >'$scratch/early.out'" /dev/null \
        </dev/null | while read -r line; do echo "$EPOCHREALTIME ${line%$'\r'}"; done)
    awk "BEGIN { exit !(${told%% *} < $EPOCHREALTIME - 0.4) }" || fail "told too late" "$told"
    output=$(printf '%s\n' "$told" | sed 's/^[0-9.]* //' | tr '\n' ' ')
    says "$3"
    output=$(cat "$scratch/early.out")
    expect_not "The report follows"
    says "First wrong case known after $(printf '%.2f' "$(number_of first_failure_seconds "$scratch/early.json")") s"
    awk "BEGIN { exit !($(number_of first_failure_seconds "$scratch/early.json") < $(number_of seconds "$scratch/early.json") - 0.8) }" ||
        fail "$1: the first wrong case is known late" "$(grep -e first_failure -e '^  "seconds"' "$scratch/early.json")"
}
for backend in sim gpu; do
    early half_and_slow $backend '(a) copy is wrong, in the case "one" (n = 1): d_y holds one element, which is wrong. The report follows when the rest is graded.'
    early scalar_after_slow $backend 'TODO 2 is still open: lab90_fake/skeleton.cu:10. For want of it, (b) sum fails, in the case "nothing" (n = 0). The report follows when the rest is graded.'
done
# The report comes in its place; and nothing is said twice where nobody waits.
told=$(script -qec "FAKE=half_and_slow '$built/grader' --backend sim --seed 7" /dev/null </dev/null)
case $told in *"(a) copy is wrong"*$'\033[2A\r\033[J'*"First failure"*) ;; *) fail "the early message stays" "$(printf %q "$told")" ;; esac
FAKE=half_and_slow expect 1 "First failure" "$built/grader" --backend sim --seed 7
expect_not "The report follows"
# Nothing is told early where nothing is wrong.
FAKE=right "$built/grader" --backend sim --seed 7 --json "$scratch/right.json" >"$scratch/right.out" 2>"$scratch/right.err" || fail "a right program fails"
[ ! -s "$scratch/right.err" ] || fail "a right program is told of" "$(cat "$scratch/right.err")"
grep -q first_failure "$scratch/right.json" && fail "a right program has a first failure"

# Where the time went.
gpu right 0 "Seconds  start" --verbose --json "$scratch/phases.json"
for phase in causes trials; do
    grep -q "^    \"$phase\": [0-9]" "$scratch/early.json" || fail "early.json lacks $phase"
done
for phase in start calibrate inputs simulator gpu_cases judging timing fetching verifying; do
    sed -n '/"phases"/,/}/p' "$scratch/phases.json" | grep -q "\"$phase\": [0-9]" || fail "phases.json lacks $phase"
    says " $phase "
done

# One core or several: the same report.
if command -v taskset >/dev/null; then
    FAKE=doubled "$built/grader" --backend sim --seed 3 --all | sed 's/[0-9.]* s$//' >"$scratch/several"
    FAKE=doubled taskset -c 0 "$built/grader" --backend sim --seed 3 --all | sed 's/[0-9.]* s$//' >"$scratch/one"
    cmp "$scratch/several" "$scratch/one" || fail "one core gives another report than several"
fi

# Figures.
sim strided 1 "neighbors should read neighbors"
says "32 (at most 4)" "80 of 100"
sim modeled_slow 1 "copy faster"
gpu slow 1 "too slow" --only copy
says "40 of 60" "Next: (a) copy: copy faster"
gpu lazy_when_timed 1 "timed runs" --only copy
# A task with the inputs and the reference of the one before: what was judged right is right, and nothing else is.
gpu right 0 "passed: 60 of 60 points" --only a
for mode in again_nothing again_wrong again_once again_half_once again_thirds; do
    gpu "$mode" 1 "timed runs" --only a
done
gpu again_guard 1 "d_y[65536] was overwritten" --only a
gpu other_stream 1 "outside of the default stream" --only copy
gpu late_thread 1 "outside of the default stream" --only copy
gpu kept_by_pointer 1 "timed runs" --only copy
gpu kept_by_content 1 "with inputs that no call had before, as if results of earlier calls were used again" --only copy
says "too slow"

gpu right 0 "the roof: bytes at the rate of a copy" --only copy

# Where the lab's method takes longer than memory, it decides what is asked for.
FAKE_UUID=blocks BLOCK_NS=9000 gpu slow 0 "needed: 30% of the best that this method allows (blocks to start, 9.216 ms)" --only copy

# A threshold within the spread: neither passed nor failed.
gpu jitter 3 "speed inconclusive" --only copy --json "$scratch/open.json"
says "within the spread" "open/60" "inconclusive: 0 of 60 points, 60 open" "run the grader again"
for word in '"verdict": "inconclusive"' '"open": 60' '"passed": false' '"open_points": 60'; do
    grep -q "$word" "$scratch/open.json" || fail "open.json lacks $word"
done

# No evidence, no points.
gpu impossible 1 "faster than this GPU can do the work" --only copy
says "impossible speed" "0/60" "FAILED: 0 of 60"
sim modeled_impossible 1 "faster than this GPU can do the work" --only copy
# All devices: the copy is impossibly fast where the fake model is not an H100, and not where it is.
grade right 0 "lab90  A lab for tests: modeled time in ms" --devices
says "  h100  " "  rtx5090  " "0.001  17.5/8.4% +"
short_ends_here

# The roofline: copy moves bytes only; sum is a letter in the plot, where the rows below show no roof to its right.
expect 0 "Roofline (modeled, not measured" env FAKE=right "$built/grader" --backend sim --seed 7 --roofline
says "(a) copy                no floating-point arithmetic: not in the plot" "FLOP per byte" "under the roof there"
printf '%s\n' "$output" | awk '/^Roofline/ { inside = 1 }
    inside && /\|/ { row = substr($0, 14); roof = match(row, /[\/-]/); if (letter && roof > letter) exit 1; if (index(row, "b")) letter = index(row, "b") }
    inside && /GFLOP\/s \+/ { exit !letter }' || fail "sum is not in the plot, or above the roof" "$output"
sim right 0 "no task with floating-point arithmetic was timed" --roofline --only copy
# The model judges with the benefit of the doubt.
sim modeled_unsure 0 "fast enough if a GPU takes less than the modeled time, within the margin" --only copy --json "$scratch/doubt.json"
says "passed: 60 of 60 points"
grep -q '"in_doubt": true' "$scratch/doubt.json" || fail "doubt.json does not say that the speed is in doubt"
sim modeled_half 1 "2.621e+05 bytes of the inputs were read and of the outputs stored, but the task needs at least" --only copy
says "impossible speed" "FAILED: 0 of 60"
sim unsure_then_slow 1 "Next: (b) sum: sum faster"
says "60/60"
# However little a sample tells, twice the time that is allowed is too slow.
sim sample_unsure 0 "-50% +162%" --only copy
sim blocks_unlike 0 "-50% +162%" --only copy
# What comes to no end at the size of a GPU is modeled at a smaller one, which is not enough to pass.
sim large_fails 3 "modeled only at n = 4096" --only copy
says "the kernel failed" "speed inconclusive" "0 of 60 points, 60 open"
sim large_fails_slow 1 "modeled only at n = 4096" --only copy
says "too slow"
sim modeled_nothing 1 "the simulator modeled no time" --only copy
says "no time to judge" "FAILED: 0 of 60"
sim no_loads 1 "none counted" --only copy
says "FAILED: 40 of 60" "the simulator counted no access"

# Roofs: kept for a day, measured again when asked for or when they cannot be true.
calls() { grep -c -- "$1" "$tree/build/calls"; }
measures() { # TIMES TEXT OPTION...: how often everything is measured in one grading that passes
    local times=$1 text=$2 before
    shift 2
    before=$(calls all)
    gpu right 0 "$text" --only copy "$@"
    [ $(($(calls all) - before)) = "$times" ] ||
        fail "everything was measured $(($(calls all) - before)) times, expected $times:" "$output"
}
rm "$tree"/build/calibration-*
measures 1 "measured 20"
measures 0 passed
measures 1 passed --recalibrate
FAKE_UUID=other measures 1 passed
kept=$tree/build/calibration-f00d-13.0-1000-1000
sed -i 's/^measured=.*/measured=1700000000/' "$kept"
measures 1 passed
sed -i 's/^read_gbs=.*/read_gbs=0.01/' "$kept"
measures 1 passed
sed -i 's/^copy_gbs=.*/copy_gbs=0.4/; s/^copy_steady_gbs=.*/copy_steady_gbs=0.4/' "$kept" # of a busy GPU
measures 1 passed
: >"$kept"
measures 1 passed
sed -i 's/^fp32_gflops=.*/fp32_gflops=70/' "$kept" # written by another program: possible, and not so
measures 1 passed
sed -i 's/^atomic_float_ns=.*/atomic_float_ns=1.1/' "$kept" # about what it is now
measures 0 passed
for figure in READ_GBS=0.1:read_gbs COPY_GBS=nan:copy_gbs COPY_GBS=-1:copy_gbs BLOCK_NS=1e9:block_ns_32; do
    expect 3 "${figure#*:}" env FAKE_UUID=broken "${figure%:*}" FAKE=right "$built/grader" --backend gpu --only copy
    says "build/calibrate" "not timed" "60 open"
done

# A GPU that is busy or throttled now.
COPY_NOW=0.4 gpu right 3 "this GPU is busy or throttled: it copies 0.4 GB/s now" --only copy
says "60 open"
CLOCK_NOW=300 gpu slow 3 "its clock runs at 300 of 1000 MHz" --only copy
CLOCK_NOW=300 gpu input 1 "FAILED" # what is wrong stays wrong
COPY_LATER=0.3 gpu slow 3 "this GPU is busy or throttled: it copies 0.3 GB/s now" --only copy
COPY_LATER=0.3 gpu right 0 passed --only copy # fast enough beside something else is fast enough
gpu slow_at_first 3 "something else uses this GPU now and then" --only copy
says "60 open"
FAKE_UUID=shared COPY_NOW=0.25 gpu right 3 "it copied up to 0.5 GB/s while it was measured" --only copy
FAKE_UUID=shared measures 1 passed # and nothing was kept

# No GPU.
expect 2 "no CUDA-capable device" env FAKE_GPU=none "$built/grader" --backend gpu
expect 0 "simulated" env FAKE_GPU=none "$built/grader"
expect 0 "Fake GPU" "$built/grader"

# Options.
sim right 0 "only cases that contain" --only PRIME
sim right 0 "60 of 60 points (only a)" --only a
sim right 0 "passed" --size 12
sim right 2 "no task takes this size" --size 10 --only copy
sim right 2 "no task and no case" --only nothing_like_it
sim right 2 "no task and no case" --only copy,nothing_like_it
sim right 0 "passed: 40 of 40 points" --only again,sum
sim right 2 "no task and no case" --hint --only nothing_like_it
sim right 2 "--only needs a value that is not empty" --only ''
# A case by its whole name, or of one task.
sim right 0 'only the case "one"' --only one
says "(a) copy" "(b) sum"
sim right 0 'only the case "b: one"' --only 'b: one'
expect_not "(a) copy"
sim right 0 'cases that contain "sum: a"' --only 'sum: a'
sim right 0 "40 of 40 points (only sum: )" --only 'sum: '
# Nowhere to write.
expect 2 "No space left on device" sh -c "FAKE=right '$built/grader' --backend sim >/dev/full"
expect 2 "standard output is closed" sh -c "FAKE=right '$built/grader' --backend sim >&-"
expect 0 "passed: 100" sh -c "FAKE=right '$built/grader' --backend sim <&- 2>&-"
expect 2 "File too large" sh -c "ulimit -f 1; FAKE=right '$built/grader' --backend sim 2>&1"
expect 2 "the stack may have 1024 KB only" sh -c "ulimit -s 1024; FAKE=right '$built/grader' --backend sim"
expect 2 "--json $scratch: Is a directory" "$built/grader" --json "$scratch"
mkfifo "$scratch/pipe"
(cat "$scratch/pipe" >"$scratch/read") &
sim right 0 "passed" --json "$scratch/pipe"
wait
grep -q '"lab90"' "$scratch/read" || fail "--json does not write into a pipe"
expect 2 "seconds, more than 0" "$built/grader" --timeout 0
expect 2 "whole number" "$built/grader" --seed 1x
expect 2 "is not an option" "$built/grader" --frobnicate
expect 2 "needs a value" "$built/grader" --seed
expect 2 "what is" "$built/grader" lab02
expect 0 "usage" "$built/grader" --help
expect 0 "(on a GPU only)" "$built/grader" --list
expect 0 "rejects" "$built/grader" --self-test

# The same seed gives the same report, but for the time that it took.
FAKE=half "$built/grader" --backend sim --seed 99 | sed 's/[0-9.]* s$//' >"$scratch/first"
FAKE=half "$built/grader" --backend sim --seed 99 | sed 's/[0-9.]* s$//' >"$scratch/second"
cmp "$scratch/first" "$scratch/second" || fail "two runs with one seed differ"

# TODOs and hints, one level after the other, then from the start.
sim zeros 1 "Next: correct (a) copy" # its TODO is written, and nothing fails for want of the other
says "First failure: (a) copy"
expect_not "still open"
# What fails for want of a TODO is not called wrong.
sim scalar 1 "TODO 2 is still open: lab90_fake/skeleton.cu:10"
says "add them." "Until it is done, these fail: (b) sum." "First seen in: (b) sum" "Next: write TODO 2 (skeleton.cu:10)"
expect_not "First failure"
printf 'TODO 1:\nfirst\nhint\n\nsecond hint\n\nTODO 2:\nonly hint\n' >"$tree/lab90_fake/hints.txt"
expect 0 "only hint" "$built/grader" --hint
expect 0 "first hint" "$built/grader" --hint=1
expect 0 "second hint" "$built/grader" --hint=1
expect 0 "first hint" "$built/grader" --hint=1
expect 2 "no hint for TODO 9; there are 2" "$built/grader" --hint=9
sim right 0 "no TODO is open, in lab90_fake/skeleton.cu for copy" --hint --only copy # TODO 2 is open, and not for it
sim right 0 "only hint" --hint --only sum

# Hints that cannot be read, and a state that makes no sense.
echo "1 2147483647" >"$built/hint.state"
expect 0 "first hint" "$built/grader" --hint=1
printf 'TODO 1:\nfirst hint\nTODO 3:\nthird hint\n' >"$tree/lab90_fake/hints.txt"
expect 2 "lab90_fake/hints.txt:3: expected TODO 2, found TODO 3" "$built/grader" --hint
: >"$tree/lab90_fake/hints.txt"
expect 2 "lab90_fake/hints.txt:1: the file ends" "$built/grader" --hint
rm "$tree/lab90_fake/hints.txt"
expect 2 "lab90_fake/hints.txt: No such file" "$built/grader" --hint
mkdir "$tree/lab90_fake/hints.txt"
expect 2 "lab90_fake/hints.txt" "$built/grader" --hint
sim right 0 "passed" # they are not needed for grading

# JSON: complete and well-formed (checked where there is a Python), written to its name at the end only.
sim half 1 "FAILED" --json "$scratch/result.json"
for word in '"lab": "lab90"' '"reason": "wrong-values"' '"pattern": "precision"' '"seed": 7' '"maximum": 100'; do
    grep -q "$word" "$scratch/result.json" || fail "result.json lacks $word"
done
sim binary 0 "passed" --json "$scratch/binary.json"
if command -v python3 >/dev/null; then
    python3 -m json.tool "$scratch/result.json" >/dev/null || fail "result.json is not JSON"
    python3 -m json.tool "$scratch/binary.json" >/dev/null || fail "binary.json is not JSON"
fi
expect 2 "--json /nowhere/result.json: No such file" timeout 5 env FAKE=hang "$built/grader" --backend sim --json /nowhere/result.json
# A hazard with both its places, and what was measured on a GPU.
sim hazard 1 "right only by luck" --json "$scratch/hazard.json" --only copy
for word in '"reason": "hazard"' '"class": "race in shared memory"' '"file": "fake.cu"' '"line": 12' '"other_line": 15' \
    '"count": 3' '"message": ".*a race'; do
    grep -q "$word" "$scratch/hazard.json" || fail "hazard.json lacks $word" "$(cat "$scratch/hazard.json")"
done
gpu right 0 "passed" --json "$scratch/gpu.json"
for word in '"gpu": {' '"quartile1_ms": ' '"quartile3_ms": ' '"median_low_ms": ' '"wall_clock_ms": ' '"input_sets": ' \
    '"calibration": {' '"copy_gb_per_s": '; do
    grep -q "$word" "$scratch/gpu.json" || fail "gpu.json lacks $word" "$(cat "$scratch/gpu.json")"
done
[ -z "$(ls "$scratch"/*.tmp 2>/dev/null)" ] || fail "a temporary file was left"

# Interrupted: says so, status 2, and no worker is left.
FAKE=hang "$built/grader" --backend sim >"$scratch/interrupted" 2>&1 &
grader=$!
sleep 0.5
kill -INT $grader
wait $grader
[ $? = 2 ] || fail "an interrupted grader does not end with status 2"
grep -q interrupted "$scratch/interrupted" || fail "an interrupted grader does not say so"
FAKE=hang "$built/grader" --backend sim >"$scratch/killed" 2>&1 &
grader=$!
sleep 0.5
disown $grader
kill -KILL $grader
for _ in 1 2 3 4 5 6 7 8 9 10; do
    [ -z "$(pgrep -f "$PWD/$built/worker")" ] && break
    sleep 0.2
done
[ -z "$(pgrep -f "$PWD/$built/worker")" ] || fail "a worker outlived its grader"
exit 0
