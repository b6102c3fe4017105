#!/bin/bash
# Where nvcc makes a trap of code that cannot work, the report tells what the code does as it is written.
. "$(dirname "$0")/lib"
export BUILD=build/test
export TMPDIR=$PWD/$scratch # what is compiled for it must be gone afterwards

# A pointer in shared memory is no array.
grade_change lab02 reduce 's/__shared__ real s_x\[LAB02_BLOCK_SIZE\];/__shared__ real *s_x;/' 's_x[tid] = i < n' \
    "reads shared variable s_x, which no thread of the block has written"
case $flat in
*"First failure: (a) reduce, one element"*"student.cu:$number: read of uninitialized memory"*"trap at student.cu:$number"*) ;;
*) fail "the pointer's line, $number, is not named:" "$output" ;;
esac

short_ends_here

# An atomic operation on a variable of one thread: in a function of the toolkit, which the student calls.
grade_change lab04 max 's/real_bits \*word = (real_bits \*)address;/real_bits word = bits_of(*address);/; s/atomicCAS(word,/atomicCAS(\&word,/' \
    'atomicCAS(&word' "changes atomically 4 bytes in its local memory"
case $flat in *"student.cu:$number: access out of bounds"*) ;; *) fail "line $number is not named:" "$output" ;; esac

# A store through a pointer that is null: nvcc leaves it out, and nothing but wrong values remains.
grade_change lab01 number 's/d_number\[i\] = i;/int *none = 0; none[blockIdx.x] = i;/' 'none[blockIdx.x]' "through a null pointer"
case $flat in *"student.cu:$number: access out of bounds"*"without optimization"*) ;; *) fail "line $number is not named:" "$output" ;; esac

# A load past the end whose value is not used: nvcc moves it behind the guard, so that what is executed is right.
REPAIRS='' grade_change lab01 twice 's/^    if (i < n) {$/    const real x = d_x[i];\n&/; s/= 2 \* d_x\[i\];/= 2 * x;/' \
    'const real x' "reads 4 bytes at index 1 of d_x, which has one element"
case $flat in
*"student.cu:$number: access out of bounds"*"That is what the file says, compiled without optimization."*) ;;
*) fail "line $number is not named:" "$output" ;;
esac
expect_not "tried in the simulator"

# An undefined value that is stored to shared memory: nvcc leaves the store out, and the line that reads has no fault.
grade_change lab03 reduce 's/s_x\[tid\] = i < n ? d_x\[i\] : 0;/real own[2]; own[0] = i < n ? d_x[i] : 0; s_x[tid] = own[1];/' 's_x[tid] = own[1]' \
    "reads a local variable, which the thread has not written"
case $flat in *"student.cu:$number: read of uninitialized memory"*"That is what happens without optimization."*) ;; *) fail "line $number is not named:" "$output" ;; esac

# The student's own trap is one in any case.
grade_change lab01 number 's/d_number\[i\] = i;/if (i == 0) { __trap(); }/' '__trap' "executed a trap: __trap()"
expect_not "without optimization"

# Without what built it, the trap is told.
change lab02 student 's/__shared__ real s_x\[LAB02_BLOCK_SIZE\];/__shared__ real *s_x;/'
rm "${grader%/*}/again"
expect 1 "executed a trap" "$grader" --backend sim --seed 1 --only reduce
expect_not "without optimization"

[ -z "$(find "$scratch" -name 'grader-*')" ] || fail "files are left behind: $(find "$scratch" -name 'grader-*')"
