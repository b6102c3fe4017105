#!/bin/bash
# What would make it right: the change that reports name is the student's mistake, in the source's own words.
# shellcheck disable=SC2016 # $ and ` of other languages
. "$(dirname "$0")/lib"

# grade LAB NAME TASK TEXT SED...: the lab's solution with these changes is wrong, and the report says so.
grade() {
    local lab=$1 name=$2 task=$3 text=$4 folder source=$scratch/$2.cu
    shift 4
    folder=$(echo "$lab"_*)
    sed "$@" "$folder/solution.cu" >"$source"
    ! cmp -s "$source" "$folder/solution.cu" || fail "$name: the change does not fit"
    make -s BUILD=build/test SRC="$source" "$lab" >"$scratch/$name.log" 2>&1 || fail "$name: it does not build" "$(cat "$scratch/$name.log")"
    output=$("$(make -s BUILD=build/test SRC="$source" "where-$lab")/grader" --no-color --backend sim --only "$task" 2>&1)
    output=$(printf '%s' "$output" | tr -s ' \n' ' ')
    case $output in
    *"$text"*) ;;
    *) fail "$name: the report does not contain: $text" "$output" ;;
    esac
}

line_of() { # NAME TEXT
    grep -nF -- "$2" "$scratch/$1.cu" | head -n 1 | cut -d: -f1
}

# Of many changes that are possible, a late one; the cause is not known before.
grade lab05 lane_of_no_lane scan_once 'an index or limit is off by one here: with one less' \
    's/carry = __shfl_sync(ALL_LANES, scanned, WARP_SIZE - 1)/carry = __shfl_sync(ALL_LANES, scanned, WARP_SIZE)/'
# The block's number is stored, and the thread's should be: what it is made of, and the variable that belongs there.
grade lab01 number number "The value stored there is computed from blockIdx.x, and does not depend on threadIdx.x." \
    -e 's/d_number\[i\] = i;/d_number[i] = blockIdx.x;/'
case $output in
*"number.cu:$(line_of number 'd_number[i] = blockIdx.x'): the wrong variable is used here: with i (line $(line_of number 'const int i = '))"*) ;;
*) fail "number: the variable is not named:" "$output" ;;
esac

short_ends_here
# A table that is laid out column after column.
grade lab01 columns table "column and row are exchanged here, and rows is used where columns belongs" -e 's/d_table\[row \* columns + column\]/d_table[column * rows + row]/'

# A sum where a product belongs.
grade lab01 product table "the operation is wrong here: with \`*\` instead of \`+\`" \
    -e 's/= row \* column;/= row + column;/'

# The compiler turns conditions round; the report speaks of those in the source.
grade lab01 first copy "copy" -e '/^__global__ void copy(/,/^}/s/if (i < n)/if (i < n \&\& threadIdx.x == 0)/'
expect_not 'with `&&` instead of `||`'

# A change after which several threads store the same value is no correction.
grade lab02 of_the_grid reduce "No thread stores d_partial[1]" -e '/^__global__ void reduce_shared/,/^}/s/if (tid == 0)/if (i == 0)/'
expect_not "the wrong way around"

# Arguments of a launch that are exchanged: the line of the launch.
grade lab02 arguments transpose "arguments of this launch are exchanged" \
    -e 's/    transpose<<<blocks, threads>>>(d_in, d_out, rows, cols);/    transpose<<<blocks, threads>>>(d_in, d_out, cols, rows);/'
case $output in
*"arguments.cu:$(line_of arguments ' transpose<<<blocks, threads>>>(d_in, d_out, cols, rows)'): two arguments of this launch"*) ;;
*) fail "arguments: the line of the launch is missing:" "$output" ;;
esac

# An error stops the kernel long before its end: what the case takes with the right argument is not known.
grade lab08 length naive "outputs, passed for n, is the wrong argument in this launch" -e 's/convolve_naive<<<\(.*\)>>>(d_x, n, d_y)/convolve_naive<<<\1>>>(d_x, outputs, d_y)/'

# More blocks hide a loop that does the same in every turn.
grade lab04 idle histogram "the loop variable i is never used, only first, with which it begins" -e 's/atomicAdd(&s_count\[d_key\[i\]\], 1u);/atomicAdd(\&s_count[d_key[first]], 1u);/'
case $output in
*"idle.cu:$(line_of idle 'd_key[first]'): the loop variable"*"any number should do"*) ;;
*) fail "idle: the line in the loop is not named:" "$output" ;;
esac

# Where no loop steps by the grid's size, the number of blocks does matter.
grade lab04 once histogram "too few blocks are launched here" -e 's/for (int i = first; i < n; i += stride)/for (int i = first; i < n; i = n)/'
expect_not "any number should do"

# An element too far, and a store that should add.
grade lab03 next reverse "an index is off by one here: with the previous element of s_tile" -e 's/s_tile\[count - 1 - k\]/s_tile[count - k]/'
grade lab01 overwrites reduce "with += instead of =" -e 's/x\[tid\] += x\[tid + offset\]/x[tid] = x[tid + offset]/'

# Two changes that are right, and the one that most authors mean comes first.
grade lab01 grid_size number "gridDim.x is wrong here: with blockDim.x instead" \
    -e '/^__global__ void number_elements/,/^}/s/blockIdx.x \* blockDim.x/blockIdx.x * gridDim.x/'

# A conversion where the bits are meant; a comparison that the compiler gives the line of the operation before it.
grade lab04 converted max "an integer must hold its bits, use __float_as_int(x): with the bits unchanged" -e 's/atomicCAS(word, seen, bits_of(value))/atomicCAS(word, seen, (real_bits)value)/'
grade lab04 swapped max "swapped.cu:$(grep -n 'if (found == seen)' lab04_*/solution.cu | cut -d: -f1) (called at line" -e 's/if (found == seen)/if (found != seen)/'

# To a race, += is no remedy: it is three steps, and only the trial makes it one.
grade lab06 fence summit "__threadfence() must stand between" -e '/__threadfence();/d'
expect_not "with += instead of ="

# A machine that is busy: the process that makes the trials, each in a copy of itself, stands still for longer than all
# of them take. The report is the same.
stand_still() { # PROCESS: its worker, when it has made so many copies that the trials are under way
    local worker='' copy='' last='' copies=0
    while [ $copies -lt 15 ]; do
        kill -0 "$1" 2>/dev/null || return 1
        [ -n "$worker" ] && [ -e "/proc/$worker" ] || worker=$(ps -o pid= --ppid "$1" | head -n 1 | tr -d ' ')
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
*"an index is off by one here: with the previous element"*) ;;
*) fail "a busy machine changes the report:" "$output" ;;
esac
