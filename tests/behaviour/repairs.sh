#!/bin/bash
# A change of the source makes it right: the report says where, --explain and the second hint say which, and nothing is left behind.
# shellcheck disable=SC2016 # the quotes of reports
. "$(dirname "$0")/lib"
export REPAIRS=first # the report says which one, too

# grade TASK: the report is in $output, on one line.
grade() {
    output=$(TMPDIR=$scratch "$grader" --no-color --backend sim --only "$1" 2>&1)
    status=$?
    output=$(printf '%s' "$output" | tr -s ' \n' ' ')
    [ $status = 1 ] || fail "exit status $status instead of 1:" "$output"
    [ -z "$(find "$scratch" -name 'grader-*')" ] || fail "files are left behind: $(find "$scratch" -name 'grader-*')"
}

# says NAME LINE TEXT: behind the number of the first line that holds LINE.
says() {
    local number
    number=$(line_of "$1" "$2")
    case $output in
    *"$1.cu:$number: $3"*"(tried in the simulator)"*) ;;
    *) fail "$1: not said of line $number: $3" "$output" ;;
    esac
}

# An index without a term: there is nothing in the code that could be another one.
change lab01 row -e 's/blockIdx.y \* blockDim.y + threadIdx.y;/blockIdx.y * blockDim.y;/'
# Of a change of a kernel, only what the device runs is compiled.
sed -i '1s/^/[ "$4" = -ptx ] || exit 1; /' "${grader%/*}/again"
grade table
says row 'const int row = blockIdx.y * blockDim.y;' 'with `blockIdx.y * blockDim.y + threadIdx.y` instead of `blockIdx.y * blockDim.y`'

# What is wrong and where is told at once, and what to write is not.
g=$grader
output=$(REPAIRS='' "$g" --no-color --backend sim --only table 2>&1 | tr -s ' \n' ' ')
case $output in
*'with a small change of the value, `blockIdx.y * blockDim.y`, all'*'come out right (tried in the simulator).'*) ;;
*) fail "the line that a change makes right is not told:" "$output" ;;
esac
expect_not 'blockDim.y + threadIdx.y'
output=$(REPAIRS='' "$g" --no-color --explain | tr -s ' \n' ' ')
case $output in
*'What was tried:'*'with `blockIdx.y * blockDim.y + threadIdx.y` instead of'*'with other inputs or sizes.'*) ;;
*) fail "--explain does not tell the change:" "$output" ;;
esac
rm -f "${g%/*}/hint.state"
for hint in 1 2; do
    output=$(REPAIRS='' "$g" --no-color --hint | tr -s ' \n' ' ')
    case $hint-$output in
    1-*'Hint 1 for'*'threadIdx.y` instead'*) fail "the first hint gives the change away:" "$output" ;;
    [12]-*"Hint $hint for"*) ;;
    *) fail "no hint $hint:" "$output" ;;
    esac
done
case $output in *'+ threadIdx.y` instead'*) ;; *) fail "the second hint does not tell the change:" "$output" ;; esac
output=$(REPAIRS=none "$g" --no-color --backend sim --only table 2>&1)
expect_not "tried in the simulator"

short_ends_here

# That the swap is tried until nothing is larger can be had at two lines, and neither is the mistake: the two statements' order.
change lab04 swapped -e '/if (found == seen) {/i\        seen = found;'
grade max
expect_not 'tried in the simulator'

# Two arguments in each other's place, which shows at two lines: with the change all cases are right, so it is told once.
change lab09 order -e 's/multiply_naive<<<blocks, threads>>>(m, n, k,/multiply_naive<<<blocks, threads>>>(m, k, n,/'
grade naive
says order 'multiply_naive<<<blocks' 'with '
expect_not 'Then: (a) naive'

# With other columns no vector is loaded any more, where it was right, too: that corrects nothing.
change lab09 unaligned -e 's/if (x.aligned && row < x.rows/if (row < x.rows/'
grade vectors
case $output in *"misaligned access"*) ;; *) fail "not said: misaligned access" "$output" ;; esac
expect_not 'instead of `column`'

# A program that was built elsewhere, with BUILD=: the headers and the skeleton lie where make ran.
away=$(mktemp -d /tmp/elsewhere-XXXXXX)
mkdir -p "$away/lab01/float"
cp -R "${g%/*}" "$away/lab01/float/row"
ln -s "$PWD/build/test/harness" "$PWD/build/test/sim" "$away"
ln -s "$PWD/build/test/lab01/float/binding.o" "$away/lab01/float"
output=$("$away/lab01/float/row/grader" --no-color --backend sim --only table 2>&1 | tr -s ' \n' ' ')
rm -rf "$away"
case $output in *'tried in the simulator'*) ;; *) fail "no change is tried outside of the repository:" "$output" ;; esac

# What the host names is found in the changed kernels: an instance of a static template, a static variable, a constant.
change lab01 named -e 's/^__global__ void multiplication_table(int/static __device__ int shift;\n__constant__ int one;\ntemplate <typename T> static __global__ void multiplication_table(T/' \
    -e 's/blockIdx.y \* blockDim.y + threadIdx.y;/shift + blockIdx.y * blockDim.y * one;/' \
    -e 's/^    multiplication_table<<</    const int values[2] = {0, 1};\n    CHECK(cudaMemcpyToSymbol(shift, values, 4));\n    CHECK(cudaMemcpyToSymbol(one, values + 1, 4));\n    multiplication_table<int><<</'
grade table
says named 'shift + blockIdx.y' 'with `shift + blockIdx.y * blockDim.y * one + threadIdx.y` instead of'

# The counter of the loop is missing, in a file that needs C++17, for which the copies are compiled a second time.
change lab04 newer -e '/^#include "lab04.h"/a template <typename T> struct box { T v; __device__ box(T x) : v(x) {} };' \
    -e 's/s_x\[tid\] = s_x\[tid + offset\];/box here(tid); s_x[here.v] = s_x[tid];/'
grade max
says newer 'box here(tid);' 'with `tid + offset` instead of `tid`'

# What racing threads lack is a barrier; with another array they would not meet, either.
change lab04 counting -e '/TODO 5:/,/__syncthreads/{/__syncthreads/d}'
grade histogram
says counting 'atomicAdd(&d_count[k], s_count[k]);' 'a barrier is missing between the accesses at line '
change lab04 clearing -e '/TODO 3:/,/end of TODO 3/{/__syncthreads/d}'
grade histogram
expect_not 'instead of `s_count`'

# Where no vector is loaded, none is loaded from past the end: that is no repair.
change lab07 vectors -e 's/first >= LAB07_TAPS && first + OUTPUTS <= n/first >= LAB07_TAPS \&\& first < n/'
grade edges
expect_not 'with `first >= n`'

# A mistake of the host is told as far as its cause is known: code of the host is not changed and run.
change lab01 sign -e 's/lost = (next - sum) - part;/lost = fabs((next - sum) - part);/'
grade finish
expect_not 'tried in the simulator'
change lab03 meet -e 's|^    lab03_reduce_blocks(d_x, n, d_partial, block_size);|    lab03_reduce_blocks(d_x, n / 2, d_partial, block_size);\n    lab03_reduce_blocks(d_x + n / 2, n - n / 2, d_partial + parts / 2, block_size);|'
expect 1 'First failure: (a) sum' "$grader" --no-color --backend sim
expect_not '+= instead of =' # with it, (a) reduce would add to what no kernel has set

# Where the wrong element is loaded is one line; what is to be corrected is another one, and "Next" leads there.
change lab03 next -e 's/s_tile\[count - 1 - k\]/s_tile[count - 1]/'
grade reverse
says next 's_tile[count - 1];' 'with `count - 1 - k` instead of `count - 1`'
number=$(line_of next 's_tile[count - 1];')
case $output in *"Next: for (c) reverse, look at next.cu:$number;"*) ;; *) fail "Next does not lead to line $number:" "$output" ;; esac

# In a function that is called, the compiled code shows where it goes wrong; the source, that the caller is wrong.
change lab08 caller -e 's/load_elements(d_x, n, first - k - PIECE,/load_elements(d_x, n, first + k - PIECE,/'
grade tile
says caller 'first + k - PIECE' 'with `first - k` instead of `first + k`'

# A remainder that is negative; the taps are in constant memory, which has no room for dozens of copies.
change lab08 ring -e 's/ring\[(RING + j - u) % RING\]/ring[(j - u) % RING]/'
grade convolve
says ring 'ring[(j - u) % RING]' 'with `(j - u + RING)` instead of `(j - u)`'

# Without what built it, nothing is said, and the report is there.
change lab01 alone -e 's/blockIdx.y \* blockDim.y + threadIdx.y;/blockIdx.y * blockDim.y;/'
mv "${grader%/*}/again" "$scratch/again"
grade table
expect_not "tried in the simulator"
printf 'exit 1\n' >"${grader%/*}/again"
grade table
expect_not "tried in the simulator"
mv "$scratch/again" "${grader%/*}/again"

# Nor where no file can be written.
output=$(TMPDIR=/nonexistent "$grader" --no-color --backend sim --only table 2>&1)
expect_not "tried in the simulator"

# A file that was changed after it had been compiled is not what was run.
touch -d '+1 minute' "$scratch/alone.cu"
grade table
expect_not "tried in the simulator"
touch "$scratch/alone.cu" -d '-1 minute'
grade table
case $output in *"tried in the simulator"*) ;; *) fail "not said of the file as it was compiled:" "$output" ;; esac

# A file whose functions stand in a namespace is left alone.
{
    sed -n '/^#include/p' "$scratch/row.cu"
    printf 'namespace mine {\nstatic __device__ int unused;\n}\n'
    sed '/^#include/d' "$scratch/row.cu"
} >"$scratch/spaces.cu"
compile lab01 spaces
grade table
expect_not "tried in the simulator"

# Ctrl-C while nvcc runs: it ends at once, and nothing is left.
grader=$(make -s BUILD=build/test SRC="$scratch/row.cu" where-lab01)/grader
TMPDIR=$scratch setsid "$grader" --no-color --backend sim --only table >"$scratch/stopped" 2>&1 &
child=$!
for _ in $(seq 200); do
    [ -z "$(find "$scratch" -name 'worker-*.cu')" ] || break
    sleep 0.05
done
[ -n "$(find "$scratch" -name 'worker-*.cu')" ] || fail "nothing was compiled"
kill -INT "$child"
for _ in $(seq 100); do
    kill -0 "$child" 2>/dev/null || break
    sleep 0.05
done
! kill -0 "$child" 2>/dev/null || fail "after Ctrl-C it goes on"
[ -z "$(find "$scratch" -name 'grader-*')" ] || fail "after Ctrl-C files are left behind: $(find "$scratch" -name 'grader-*')"
