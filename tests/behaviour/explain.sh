#!/bin/bash
# What make says about a file that does not compile, or lacks a function, and about warnings: mk/explain/compile.
. "$(dirname "$0")/lib"
root=$PWD
unset V

# ---- from logs: every case of tests/explain_cases ---------------------------------------------------------------------

awk -v folder="$scratch" '
    /^=== / { name = sprintf("%s/%03d", folder, ++count); print substr($0, 5) >(name ".name"); part = "change"; next }
    /^--- (log|says)$/ { part = $2; next }
    name { print >(name "." part) }' tests/explain_cases
mv "$scratch/001.change" "$scratch/source"
cp lab01_global_memory/lab01.h "$scratch"
cd "$scratch" || exit 2
for name in [0-9]*.name; do
    case=${name%.name}
    [ -e "$case.log" ] || continue
    "$root/tests/apply" source "$case.change" >student.cu || fail "the change of $(cat "$name") does not fit"
    task=errors
    ! grep -q '^warning:' "$name" || task=warnings
    { cat "$case.log" && printf '\n%s\n' '1 error detected in the compilation of "student.cu".'; } >log
    [ $task = warnings ] || grep -q 'Everything that' "$case.says" || echo "  Everything that the compiler says: log" >>"$case.says"
    LC_ALL=C awk -v task=$task -v meanings="$root/mk/explain/meanings" -v header=lab01.h -v log_name=log -v student=student.cu \
        -f "$root/mk/explain/log.awk" -f "$root/mk/explain/source.awk" -f "$root/mk/explain/meaning.awk" \
        -f "$root/mk/explain/report.awk" log >said 2>&1
    cmp -s said "$case.says" || fail "$(cat "$name"): expected" "$(cat "$case.says")" "but it says" "$(cat said)"
done
[ "$(find . -name '*.says' | wc -l)" -gt 60 ] || fail "tests/explain_cases has lost its cases"
cd "$root" || exit 2

# Every paragraph of mk/explain/meanings has a pattern, and either a sentence or a function that there is.
awk '/^error:/ { error++ } /^(says|do):/ { told++ } /^do:/ { print $2 } END { exit error != told }' mk/explain/meanings \
    >"$scratch/functions" || fail "mk/explain/meanings: a paragraph has no sentence, or two"
while read -r name; do
    grep -q "^function say_$name(" mk/explain/meaning.awk || fail "mk/explain/meaning.awk has no function say_$name"
    grep -q "what == \"$name\"" mk/explain/meaning.awk || fail "do_what in mk/explain/meaning.awk does not know $name"
done <"$scratch/functions"

# ---- make, with the compiler of this machine ---------------------------------------------------------------------------

export BUILD=build/test NO_COLOR=1
make -s SOLUTION=1 lab01 lab02 lab04 lab05 || exit 1
explains() { # LAB LINE TEXT: make fails, and names this line of the file, and the text
    expect 2 "student.cu:$2: " make "$1" SRC="$scratch/student.cu"
    case $output in *"$3"*) ;; *) fail "$1: the output lacks: $3" "It is:" "$output" ;; esac
    expect_not collect2
    expect_not "/ld:"
    expect_lines 9
}

# A function that the contract asks for: missing, misspelled, with other parameters; one of the file's own without a body.
rewrite lab04 student 's/lab04_max(const/lab04_maximum(const/'
expect 2 "the function lab04_max is missing" make lab04 SRC="$scratch/student.cu"
expect_not undefined
case $output in *"There is lab04_maximum (line $(line_of student lab04_maximum))"*) ;; *) fail "$output" ;; esac
case $output in *"void lab04_max(const real *d_x, int n, real *d_y);"*) ;; *) fail "$output" ;; esac
mkdir -p "$scratch/build" # build/test/current is whichever test's was built last
ln -sfn "$PWD/$(make -s SRC="$scratch/student.cu" where-lab04)" "$scratch/build/current"
expect 2 "The last build stopped with an error" env BUILD="$scratch/build" ./grader
rewrite lab01 student 's/void lab01_copy(const real \*d_x, real \*d_y, int n)/void lab01_copy(const real *d_x, real *d_y, long n)/'
explains lab01 "$(line_of student 'void lab01_copy(const real *d_x, real *d_y, long n)')" "has other parameters than the contract asks for"
rewrite lab01 student 's/^__global__ void copy(/int lab_blocks(int n);\n&/'
sed -i 's/    copy<<<blocks/    copy<<<lab_blocks(n)/' "$scratch/student.cu"
explains lab01 "$(line_of student '    copy<<<lab_blocks(n)')" "lab_blocks is called and declared, but defined nowhere"
rewrite lab01 student 's/^__global__ void copy(/int main() { return 0; }\n&/'
explains lab01 "$(line_of student 'int main')" "defines main"
# What would take the place of a function that the grader's own code calls; one of C++ has another name, and does not.
rewrite lab01 student 's/^__global__ void copy(/extern "C" int fflush(FILE *) { return 0; }\nint fflush(int n) { return n; }\n&/'
explains lab01 "$(line_of student 'fflush(FILE')" "defines fflush, a function of the C library"

short_ends_here

# What only the linker would find: numbers of threads on the host, and a namespace around what the contract asks for.
rewrite lab01 student 's/const int blocks = (n + LAB01_COPY/const int blocks = blockDim.x + (n + LAB01_COPY/'
explains lab01 "$(line_of student 'blockDim.x + (n')" "blockDim is known only in kernels"
rewrite lab01 student 's/^void lab01_copy(/namespace mine {\n&/'
sed -i 's/^__global__ void copy_with_stride/}\n&/' "$scratch/student.cu"
explains lab01 "$(line_of student 'void lab01_copy(')" "is inside a namespace"

# Errors: the cause and the place, and where the compiler's words are.
rewrite lab04 student 's/atomicAdd(&s_count/atomicAdd(s_count/'
explains lab04 "$(line_of student 'atomicAdd(s_count')" "an & is missing"
log=$(printf '%s\n' "$output" | sed -n 's/.*Everything that the compiler says: //p')
grep -q 'no instance of overloaded function' "$log" || fail "the log $log does not hold what the compiler said"
expect 2 "no instance of overloaded function" make V=1 lab04 SRC="$scratch/student.cu"
rewrite lab02 student 's/__syncthreads();/__syncthreads()/'
explains lab02 "$(line_of student '__syncthreads()')" "A semicolon is missing"
rewrite lab05 student 's/__shfl_down_sync(ALL_LANES, value/__shfl_down(value/'
explains lab05 "$(line_of student '__shfl_down(value')" "__shfl_down_sync"

iconv -f UTF-8 -t UTF-16 lab01_*/solution.cu >"$scratch/student.cu"
expect 2 "save it as UTF-8" make lab01 SRC="$scratch/student.cu"

# Warnings: a line each when the file is compiled, a sentence at every grading, until they are gone.
rewrite lab01 student 's/CHECK(cudaMemcpyToSymbol(device_scale, &scale, sizeof(real)));/device_scale = scale;/'
expect 0 "warning: a __device__ variable \"device_scale\"" make lab01 SRC="$scratch/student.cu"
expect 0 "" make lab01 SRC="$scratch/student.cu"
expect_not warning
place=student.cu:$(line_of student 'device_scale = scale;')
# Not ./grader: tests beside this one build other files meanwhile.
compile lab01 student
expect 1 "The compiler warns:" "$grader" --backend sim --only symbols
case $output in *"  $place: The host writes device_scale, a variable"*) ;; *) fail "$output" ;; esac
expect 0 "$place: The host writes device_scale, a variable" "$grader" --backend sim --only copy
cp lab01_*/solution.cu "$scratch/student.cu"
expect 0 "" make lab01 SRC="$scratch/student.cu"
expect 0 "" "$grader" --backend sim --only copy
expect_not "The compiler warns"
