#!/bin/bash
# What the report tells first: hazards before values, one cause once with its share, other causes after it; what JSON says of
# it; and that a right kernel prints.
. "$(dirname "$0")/lib"

# grade_changed LAB NAME STATUS TEXT SED...: with ONLY, this task.
grade_changed() {
    local name=$2 status=$3 text=$4
    change "$1" "$2" "${@:5}"
    expect "$status" "$text" "$grader" --no-color --backend sim --seed 1 ${ONLY:+--only "$ONLY"} --json "$scratch/$name.json"
    output=$(printf '%s' "$output" | tr -s ' \n' ' ')
}
says() {
    local text
    for text; do
        case $output in *"$text"*) ;; *) fail "the report does not say: $text" "$output" ;; esac
    done
}
json_says() { # NAME TEXT...
    local name=$1 text
    shift
    for text; do
        grep -qF -- "$text" "$scratch/$name.json" || fail "$name.json does not say: $text" "$(head -n 40 "$scratch/$name.json")"
    done
}

# The first task lacks blockIdx.x in its index, a later one a barrier: the race is told first, then the other cause.
REPAIRS='' grade_changed lab02 two_causes 1 "First failure: (b) transpose" -e '0,/blockIdx.x \* blockDim.x + tid/s//tid/' \
    -e '/^__global__ void transpose(/,/^}/{/__syncthreads/d}'
says "two_causes.cu:" "race in shared memory" "failing cases of transpose" "Then: (a) reduce" "Next: correct (b) transpose" \
    "does not depend on blockIdx.x."
json_says two_causes '"first": {' '"task": "transpose"' '"reason": "hazard"' '"next": "correct (b) transpose; ' \
    '"cause": "two_causes.cu:'
case $output in *"First failure: (b) transpose"*"race in shared"*"Then: (a) reduce"*) ;; *) fail "in another order" "$output" ;; esac
expect_not "Then: (a) sum" # the sum is made of what (a) reduce makes

# One cause that shows in two tasks is told once.
grade_changed lab02 one_cause 1 "First failure: (a) reduce" -e '/^__global__ void reduce_shared/,/^}/{/__syncthreads/d}'
case $output in *"Then:"*) fail "the same cause twice" "$output" ;; esac
[ "$(printf '%s' "$output" | grep -o 'race on' | wc -l)" = 1 ] || fail "the race is not told once" "$output"

# A given line that was changed is told, and Next leads there and not to the given line where it shows.
grade_changed lab02 changed 1 "First failure: (b) transpose" -e '/^static int tile_count/,/^}/s|(rows + LAB02_TILE - 1) / LAB02_TILE|rows / LAB02_TILE|'
says "Outside of the TODOs, line $(line_of changed '(rows / LAB02_TILE)') is not as the lab gives it."

short_ends_here

# A printf that was left in costs no points, and is mentioned with its line and what it says.
grade_changed lab01 printing 0 "passed: 100 of 100 points" -e '0,/d_y\[i\] = d_x\[i\];/s//d_y[i] = d_x[i];\n        if (i == 5) printf("here is %d\\n", i);/'
says "Note: (a) copy prints in a kernel, printing.cu:$(line_of printing '"here is'), 1 time in one case." "remove it. It prints: here is 5"

# A race that comes of the wrong block's going on explains fewer cases than that nothing is stored.
ONLY=summit grade_changed lab06 nothing_stored 1 "First failure: (d)" -e 's|1u) == gridDim.x - 1;|1u) == gridDim.x;|'
expect_not "race in global memory"

# A case without a race is not wrong because of one: the second mistake is told, though its task uses the line of the race.
grade_changed lab06 race_and_step 1 "First failure: (b) two_kernels" -e '0,/<<<1, SUM_THREADS>>>(blocks/s//<<<blocks, SUM_THREADS>>>(blocks/' \
    -e 's/v += gridDim.x \* blockDim.x) {/v += gridDim.x * blockDim.x * VECTOR_SIZE) {/'
says "Then: (d) wide"

# A case whose name has an apostrophe can be copied into a shell.
ONLY=summit grade_changed lab06 quoted 1 "Next: correct (d) summit" -e '/^ *__threadfence();/d'
! printf '%s' "$output" | grep -q "only '[^']*'[^ ]" || fail "a shell cannot read this:" "$output"

# The long story: who stored what, made of what, and the lanes of the warps.
explain() { # NAME LAB [OPTION...]
    local name=$1 lab=$2
    shift 2
    output=$("$(make -s BUILD=build/test SRC="$scratch/$name.cu" "where-$lab")/grader" --no-color --seed 1 --explain "$@" 2>&1)
    [ $? = 1 ] || fail "--explain: another exit status than 1" "$output"
    output=$(printf '%s' "$output" | tr -s ' \n' ' ')
}
explain one_cause lab02
says "one_cause.cu:" "race in shared memory" "that one warp stores (block 0, threads 32 to 63)" \
    "lanes 0 to 7 * 32 33 34" "words per bank, banks 0 to 31: 11111111111111111111111111111111" "Next: correct (a) reduce"
explain two_causes lab02 --only reduce
says "Launches in this case: reduce_shared<<<2, 128>>> at two_causes.cu:" "Stores to d_partial[1], the last one first: thread 0 of block 1 stores it at" \
    "What it was computed from: d_x[0] to d_x[127], 128 elements: the first one is read at two_causes.cu:" "d_partial[1] expected" \
    "elements of d_x that one warp loads (block 1, threads 0 to 31)" "They touch 4 sectors of 32 bytes; 4 would be enough for these bytes."
expect 0 "passed: 100 of 100 points" build/test/lab02/float/solution/grader --explain

# Threads that leave an array, a barrier or a mask; and all that the report says, --explain says, too.
explain_change() { # NAME LAB TASK SED TEXT...
    local name=$1 lab=$2 task=$3 line
    change "$lab" "$name" -e "$4"
    rm -f "${grader%/*}/again" # no changes of the source are tried: repairs.sh compares what is said of them
    shift 4
    expect 1 "FAILED" "$grader" --no-color --backend sim --seed 1 --only "$task"
    printf '%s\n' "$output" >"$scratch/$name.report"
    explain "$name" "$lab" --only "$task"
    while read -r line; do
        case $line in "..."* | *"  "[0-9]*" s") ;; *) says "$(printf '%s' "$line" | tr -s ' ')" ;; esac
    done <"$scratch/$name.report"
    says "$@"
}
explain_change no_guard lab02 reduce 's/i < n ? d_x\[i\] : 0/d_x[i]/' "d_x has 1 element; thread 1 of block 0 uses element 1" \
    "> 30 s_x[tid] = d_x[i];" \
    "elements 0 to 1: =!"
explain_change half_wait lab02 reduce '/^__global__ void reduce_shared/,/^}/s/^    __syncthreads();/    if (tid < 64) __syncthreads();/' \
    "Who waits where in block (0,0,0)" "warps 0 to 1 threads 0 to 63 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" \
    "warps 2 to 3 threads 64 to 127 BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB A waits at half_wait.cu:31; B waits at line"
explain_change half_mask lab05 shuffle '0,/__shfl_down_sync(ALL_LANES, value/s//__shfl_down_sync(0xffff, value/' \
    "named by the mask NNNNNNNNNNNNNNNN................" "come without a name ................!!!!!!!!!!!!!!!!"
# What is drawn is the access that races: not another one of the same line.
explain_change all_store lab02 reduce '/^    if (tid == 0) {/,/^    }/c\    d_partial[blockIdx.x] = s_x[tid];' \
    "elements of d_partial that one warp stores (block 0, threads 0 to 31) lanes 0 to 7 0 * 0"
expect_not "elements of shared memory that"
# An access that stopped the kernel was not recorded: no other one is drawn instead.
explain_change short_array lab02 transpose 's/real tile\[LAB02_TILE\]\[LAB02_TILE + 1\]/real tile[LAB02_TILE - 1][LAB02_TILE + 1]/' \
    "access out of bounds"
expect_not "that one warp"
# In two dimensions the next element may be in the next row: which thread should store it is not guessed.
explain_change few_rows lab07 two_dimensions 's/(height + REACH + ROWS - 1)/(height + ROWS - 1)/' \
    "blocks of 32 x 8 x 1 threads: 64 in x, 8 in y."
expect_not "one too few"
expect_not "depends on across"
# What is right and costs points is explained, too, and drawn.
explain_change conflicts lab02 transpose 's/LAB02_TILE + 1\]/LAB02_TILE]/' "26/40 bank conflicts" "A bank serves one word at a time: this access takes 32 turns"

# What the host filled is at the host's line, where no thread reads.
filled=$(grep -n 'cudaMemcpyToSymbol(device_scale' lab01_global_memory/solution.cu | cut -d: -f1)
explain_change scaled lab01 symbols 's/device_scale \* value/device_scale + value/' "memory that the host filled, at scaled.cu:$filled"
expect_not "host filled: read"

# A loop of the host that never ends has a line.
change lab01 host_loop '/^double lab01_finish/,/^}/s/b++/b += 0/'
expect 1 "The host was at host_loop.cu:$(line_of host_loop 'b += 0') then" "$grader" --no-color --backend sim --timeout 1 --only 'finish: one part'

# A call that is stopped for its many instructions leaves nothing behind: what comes after it is graded as ever.
grade_changed lab01 too_much_work 1 "First failure: (w) number, 1009 blocks" \
    -e '/^__global__ void number_elements(/,/^}/s/    d_number\[i\] = i;/    for (int k = 0; k <= i + 100000; k++) d_number[i] = k < i ? k : i;/'
says "(c) symbol_address the same array through its address 4 of 4 5/5 ok"

# Integers that were never written are not off by anything.
ONLY=number grade_changed lab01 unwritten 1 "No thread stores d_number" -e '/^__global__ void number_elements(/,/^}/s/= blockIdx.x \* blockDim.x + threadIdx.x/= threadIdx.x/'
says "got never written (block 1"
expect_not "never written off by"
