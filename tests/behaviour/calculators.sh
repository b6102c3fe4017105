#!/bin/bash
# make occupancyNN and build/layers: what they print; the figures in book/ are what they print today.
. "$(dirname "$0")/lib"
export BUILD=build/test GPU=0
make -s layers $BUILD/occupancy || fail "the calculators do not build"
layers=$BUILD/layers occupancy=$BUILD/occupancy

# ---- occupancy -----------------------------------------------------------------------------------------------
expect 0 "reverse_tiles: " make -s occupancy03 SOLUTION=1 DEVICE=h100 ARGS="--shared-per-thread 4"
expect 0 "1536 threads (48 warps)" make -s occupancy08 SOLUTION=1 DEVICE=rtx4090
expect 2 "there is no device voodoo; there are: h100" make -s occupancy01 DEVICE=voodoo
expect 2 "There is no occupancy10" make -s occupancy10
expect 2 "DEVICE=" make -s occupancy01 "DEVICE=a b"
expect 0 "80" $occupancy --device v100 --code
expect 0 "120" $occupancy --device rtx5090 --code
expect 2 "FILE" $occupancy --registers 300
expect 2 "FILE" $occupancy
expect 2 "cannot be read" $occupancy no/such/file
expect 2 "no kernel" $occupancy README.md
# 64 registers, 256 threads: 4 blocks by registers, 32 warps of 64; a fifth would need 48.
expect 0 "at most 48 registers per thread (now 64)" $occupancy --device h100 --registers 64 --block 256
expect 0 "50.0 %   registers" $occupancy --device h100 --registers 64 --block 256
expect 0 "cannot be launched" $occupancy --device h100 --registers 128 --block 1024

short_ends_here

# ---- ./grader --occupancy: the launches of the timed tasks -----------------------------------------------------
# In a copy: what was built last is another test's otherwise.
copy_tree "$scratch/tree"
pushd "$scratch/tree" >/dev/null || exit
mkdir -p "$scratch"
expect 0 "2048 threads (64 warps)" env SOLUTION=1 ./grader lab03 --occupancy --device h100
for shown in "reverse_tiles: " "as reverse launches it:" " 512    65536         4         5         3        32        3     48    75.0 %   shared memory" \
    "For 4 blocks per SM: at most 57344 bytes of shared memory per block (now 65536)." \
    "as run_ends launches it:" " 256     1284 " "as reduce launches it:" " 128      512 "; do
    case $output in *"$shown"*) ;; *) fail "./grader --occupancy does not say: $shown" "$output" ;; esac
done
# Of what was built last, and of a GPU with less room; a task alone.
expect 0 " 512    65536         3 " ./grader --occupancy --device=rtx4090 --only c
case $output in *"1536 threads (48 warps)"*"sum_run_ends: "*"No task that is timed launches it."*) ;; *) fail "not the RTX 4090's:" "$output" ;; esac
expect 2 "there is no device voodoo" ./grader --occupancy --device voodoo
expect 2 "--block" ./grader --occupancy --block 256
expect 2 "Nothing is built" env BUILD="$scratch/empty" ./grader --occupancy
# The skeleton: open tasks launch nothing; the launch of sum_run_ends is given.
expect 0 "as run_ends launches it:" ./grader lab03 --occupancy --device h100
expect_not "as reduce launches it:"
# A file of the student's, and double precision: 128 reals are 1024 bytes.
cp lab03_dynamic_shared/solution.cu "$scratch/mine.cu"
expect 0 " 128     1024 " env SRC="$scratch/mine.cu" REAL=double ./grader lab03 --occupancy --device h100
popd >/dev/null || exit
# Launches by hand: equal ones are one row, names that are cut or differ in what is not shown still match.
printf 'ptxas info    : Compiling entry function %s for %s\nptxas info    : Used 40 registers, 512 bytes smem\n' "'_Z4scalePf'" "'sm_90'" >"$scratch/ptxas"
printf 'one _Z4scalePf 256 1024 7\ntwo _Z4scalePf 256 1024 9\nthree _Z4scalePd 128 0 9\nbad line\nfour _Z4noneP 32 0 1\n' >"$scratch/launches"
expect 0 "as one, two launches it:" $occupancy --device h100 --launches "$scratch/launches" "$scratch/ptxas"
case $output in *" 256     1536 "*"as three launches it:"*" 128      512 "*) ;; *) fail "not the launches:" "$output" ;; esac
expect_not "none"
expect 2 "cannot be read" $occupancy --launches no/such/file "$scratch/ptxas"
expect 0 "rtx4090" $occupancy --device rtx4090 --key

# This machine's GPU, by what nvidia-smi says.
mkdir "$scratch/bin"
# shellcheck disable=SC2016 # for the script
printf '#!/bin/sh\necho "$SAYS"\n' >"$scratch/bin/nvidia-smi"
chmod +x "$scratch/bin/nvidia-smi"
PATH=$scratch/bin:$PATH
export PATH
SAYS="8.9, NVIDIA GeForce RTX 4090" expect 0 "NVIDIA GeForce RTX 4090, " $occupancy --registers 32
SAYS="8.6, NVIDIA RTX A4000" expect 0 "compute capability 8.6" $occupancy --registers 32
SAYS="nothing" expect 0 "NVIDIA H100" $occupancy --registers 32

# ---- layers ----------------------------------------------------------------------------------------------------
expect 0 "315.08  arithmetic" $layers --device v100 --fp16
expect 0 "1.00  memory" $layers --device v100 --fp16
expect 0 "as a matrix product: (100352 x 576) times (576 x 64); unfolded (im2col) the input has 9 times" \
    $layers --device h100 conv 32 64 56 56 64 3 3 1 1
expect 0 "75.0 % of the slots are used (fewer than 300 blocks: look at the tail)" $layers --sms 8 waves 12 1
expect 0 "8 x 15 = 120 tiles, 81.8 %" $layers --device a100 tiles 1793 1793 256 128 1
expect 0 "8000 multiply-adds, each waiting for the one before, at 4 cycles: 16.16 us" $layers --device h100 chain 8000
expect 0 "the ridge is at 20.0 FLOP/B" $layers --roofs 60000 3000 softmax 10 10
expect 0 "usage" $layers --help
for wrong in "conv 1 1 2 2 1 5 5 1 0" "waves 0 1" "linear 1 2" "lineal 1 2 3" "--fast" "--device" "relu x" "pool 1 1 4 4 2 2 0 0"; do
    # shellcheck disable=SC2086 # several words
    expect 2 "layers: " $layers $wrong
done

# ---- book/ -----------------------------------------------------------------------------------------------------
# What a chapter shows behind a line "    $ COMMAND" is what the command prints today.
for chapter in book/*.md; do
    grep -n '^    \$ build/\(layers\|occupancy\)' "$chapter" | while IFS=: read -r line command; do
        command=${command#    \$ }
        # shellcheck disable=SC2086
        $BUILD/${command#build/} >"$scratch/prints" 2>&1
        tail -n +$((line + 1)) "$chapter" | awk '
            /^    \$/ || /^[^ ]/ { exit }
            /^$/ { blank = blank "\n"; next }
            { printf "%s%s\n", blank, substr($0, 5); blank = "" }' >"$scratch/shown"
        diff "$scratch/shown" "$scratch/prints" || fail "$chapter:$line shows (<) what $command does not print (>)"
    done || exit 1
done

# The tables of the programs in book/: shown ones are today's.
grep -q '^NVCC_VERSION := 13\.0' $BUILD/toolkit.mk || exit 0
make -s sim || fail "the simulator does not build"
rows() {
    sed -nE 's/^  +([^ ].* [0-9.]+ +[0-9.]+ +[0-9.]+ +[-0-9.]+  right)$/\1/p'
}
shows() {
    local chapter=$1 program=$2 shown
    shift 2
    expect 0 "" "$BUILD/sim/simcc" -O3 -std=c++17 -I. "book/$program.cu" -o "$scratch/$program"
    expect 0 MODELED env LABS_SIM_MACHINE_CODE=1 LABS_SIM_HAZARDS=0 PLAY_RUNS=1 "$scratch/$program" "$@"
    [ "$(rows <<<"$output" | wc -l)" -gt 2 ] || fail "no table:" "$output"
    shown=$(rows <"book/$chapter.md")
    diff <(rows <<<"$output") <(grep -Fx "$(rows <<<"$output")" <<<"$shown") ||
        fail "book/$program.cu (<) makes another table than book/$chapter.md shows (>)"
}
shows occupancy occupancy
SIMCC_ARCH=90 shows occupancy registers
shows memories dot_products 4194304
