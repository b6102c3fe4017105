#!/bin/bash
# What would make it right: the change that is found is the student's mistake, in the source's own words.
# shellcheck disable=SC2016 # the quotes of reports
. "$(dirname "$0")/lib"
export REPAIRS=first # the report says which one

# grade LAB NAME TASK TEXT SED...: the lab's solution with these changes is wrong, and the report says so.
grade() {
    local lab=$1 task=$3 text=$4
    name=$2
    shift 4
    change "$lab" "$name" "$@"
    output=$("$grader" --no-color --backend sim --only "$task" 2>&1)
    output=$(printf '%s' "$output" | tr -s ' \n' ' ')
    case $output in
    *"$text"*) ;;
    *) fail "$name: the report does not contain: $text" "$output" ;;
    esac
}

# says LINE TEXT: of the line that holds LINE.
says() {
    case $output in
    *"$name.cu:$(line_of "$name" "$1"): $2"*) ;;
    *) fail "$name: not said of the line with $1: $2" "$output" ;;
    esac
}

# The block's number is stored, and the thread's should be: what it is made of, and the variable that belongs there.
grade lab01 number number 'with `i` instead of `blockIdx.x`' \
    -e 's/d_number\[i\] = i;/d_number[i] = blockIdx.x;/'
says 'd_number[i] = blockIdx.x' 'with `i` instead of `blockIdx.x`'

short_ends_here
# The condition as it stands in the source, whatever the compiler made of it.
grade lab01 first copy 'with `i < n` instead' -e '/^__global__ void copy(/,/^}/s/if (i < n)/if (i < n \&\& threadIdx.x == 0)/'

# A change after which several threads store the same value is no correction.
grade lab02 of_the_grid reduce 'with `tid` instead of `i`' -e '/^__global__ void reduce_shared/,/^}/s/if (tid == 0)/if (i == 0)/'

# Arguments of a launch that are exchanged: the line of the launch, and no other change beside it.
grade lab02 arguments transpose 'instead of `cols' \
    -e 's/    transpose<<<blocks, threads>>>(d_in, d_out, rows, cols);/    transpose<<<blocks, threads>>>(d_in, d_out, cols, rows);/'
says ' transpose<<<blocks, threads>>>(d_in, d_out, cols, rows)' 'with '
case ${output#*tried in the simulator} in *"tried in the simulator"*) fail "a second change is told:" "$output" ;; esac

# An error stops the kernel long before its end: what the case takes with the right argument is not known.
grade lab08 length naive 'with `n` instead of `outputs`' -e 's/convolve_naive<<<\(.*\)>>>(d_x, n, d_y)/convolve_naive<<<\1>>>(d_x, outputs, d_y)/'

# A deadlock says who waits where. A change with which only the small ones of the failing cases were tried leads away from it.
grade lab05 waiting block_scan deadlock \
    -e '/^__global__ void scan_blocks/,/^}/{s/    if (warp == 0) {/    if (threadIdx.x < blockDim.x \/ WARP_SIZE) {/;s/warp_scan(lane < warps ? s_sum\[lane\] : 0)/warp_scan(s_sum[lane])/}'
expect_not "were tried, and all come out right"
expect_not "was tried, and comes out right"

# More blocks hide a loop that does the same in every turn; for larger sizes they do not.
grade lab04 idle histogram 'more than the GPU holds' -e 's/atomicAdd(&s_count\[d_key\[i\]\], 1u);/atomicAdd(\&s_count[d_key[first]], 1u);/'
expect_not "as many blocks"

# An element too far, and a store that should add.
grade lab03 next reverse 'with `count - k - 1` instead of `count - k`' -e 's/s_tile\[count - 1 - k\]/s_tile[count - k]/'
grade lab01 overwrites reduce 'with `+=` instead of `=`' -e 's/x\[tid\] += x\[tid + offset\]/x[tid] = x[tid + offset]/'

# Two changes that are right, and the one that most authors mean comes first.
grade lab01 grid_size number 'with `blockDim.x` instead of `gridDim.x`' \
    -e '/^__global__ void number_elements/,/^}/s/blockIdx.x \* blockDim.x/blockIdx.x * gridDim.x/'

# A comparison.
grade lab04 swapped max 'with `found == seen` instead of `found != seen`' -e 's/if (found == seen)/if (found != seen)/'

# A line that is given is not to be changed: the number of blocks is computed in the student's line before it.
grade lab01 given symbols 'given.cu:' -e '/^void lab01_symbol_apply/,/^}/s/(n + LAB01_BLOCK_SIZE - 1) \/ LAB01_BLOCK_SIZE/(n + LAB01_COPY_BLOCK_SIZE - 1) \/ LAB01_COPY_BLOCK_SIZE/'
expect_not "threads per block instead of"

# To a race, += is no remedy: it is three steps.
grade lab06 fence summit "__threadfence() must stand between" -e '/__threadfence();/d'
expect_not 'with `+=` instead of `=`'

# A machine that is busy: the process that makes the trials, each in a copy of itself, stands still for longer than all
# of them take. The report is the same.
stand_still() { # PROCESS: its worker, when it has made so many copies that the trials are under way
    local worker='' copy='' last='' copies=0
    while [ $copies -lt 15 ]; do
        kill -0 "$1" 2>/dev/null || return 1
        [ -n "$worker" ] && [ -e "/proc/$worker" ] || worker=$(pgrep -n -P "$1" -f '/worker-[0-9]')
        { read -r copy _ <"/proc/$worker/task/$worker/children"; } 2>/dev/null # no newline ends it
        [ -z "$copy" ] || [ "$copy" = "$last" ] || { copies=$((copies + 1)) && last=$copy; }
    done
    kill -STOP "$worker" && sleep 7 && kill -CONT "$worker"
}
slow=$scratch/slow
"$(make -s BUILD=build/test SRC="$scratch/next.cu" where-lab03)/grader" --no-color --backend sim --only reverse >"$slow" 2>&1 &
stand_still $! || fail "the worker has made no copies of itself" "$(cat "$slow")"
wait $!
output=$(tr -s ' \n' ' ' <"$slow")
case $output in
*"with \`count - k - 1\` instead"*) ;;
*) fail "a busy machine changes the report:" "$output" ;;
esac

# A term more elsewhere makes it right, too; what is told is where the missing element gets lost.
grade lab05 offset warp_scan 'with `lane >= offset` instead of `lane > offset`' -e 's/if (lane >= offset) {/if (lane > offset) {/'
