#!/bin/bash
# While the grader looks for a change that makes a wrong program right, code of the host that a guard holds back never runs:
# here it would delete a file, start a shell or a process, all in a folder of this test.
. "$(dirname "$0")/lib"
export REPAIRS=first # the report says which change makes it right
marks=$PWD/$scratch/marks
mkdir -p "$marks"

# What only a changed copy would run, in several guises: each leaves a file of its own name, or deletes one.
declarations="#include <fcntl.h>
#include <unistd.h>
static bool leave(const char *path) { return close(open(path, O_CREAT | O_WRONLY, 0600)) == 0; }
#define LEVEL 3
#define GUARDED(n) ((n) < 0 \&\& unlink(\"$marks/kept-from-macro\") == 0)
static const int level = 3;
static int once = 0 \&\& leave(\"$marks/static-of-the-file\");
struct maker { int made; maker(int n) : made(n < 0 ? leave(\"$marks/constructor\") : 0) {} };
static __host__ __device__ bool is_off(int n) { return n < 0; }"
guarded="    if (count < 0) unlink(\"$marks/kept-from-if\");
    for (; 0;) system(\"touch $marks/loop\");
    if (count < 0 \&\& fork() == 0) _exit(leave(\"$marks/fork\"));
    static int first = count < 0 \&\& leave(\"$marks/static\");
    auto in_lambda = [=] { return count < 0 ? leave(\"$marks/lambda\") : 0; };
    if (LEVEL < 1) leave(\"$marks/number-of-macro\");
    if (level < 1) leave(\"$marks/constant\");
    if (is_off(count)) leave(\"$marks/function-of-both\");
    if (GUARDED(count) + in_lambda() + first + once + maker(count).made > 5) leave(\"$marks/sum\");"
guarded=${guarded//$'\n'/\\n} declarations=${declarations//$'\n'/\\n}

# stays LAB NAME TASK SED...: the solution with these changes fails, and nothing that is guarded has run.
stays() {
    local name=$2 task=$3
    change "$1" "$name" "${@:4}" -e "0,/^#include <stdlib.h>/s@^#include <stdlib.h>@&\n$declarations@"
    [ -n "$(line_of "$name" kept-from-if)" ] && [ -n "$(line_of "$name" 'struct maker')" ] || fail "$name: the change does not fit"
    touch "$marks"/kept-from-{if,macro}
    expect 1 "First failure" timeout 120 "$grader" --no-color --backend sim --only "$task"
    sleep 0.2 # for what a process or a shell would do
    [ "$(ls "$marks" | tr '\n' ' ')" = 'kept-from-if kept-from-macro ' ] || fail "$name: guarded code has run: $(ls "$marks" | tr '\n' ' ')" "$output"
}

# Nothing but the host is wrong; and a kernel is, which is changed again and again beside the same code of the host.
stays lab01 host finish -e "s|^        lost = (next - sum) - part;|        lost = (next - sum) - h_partial[b];|" \
    -e "/^double lab01_finish/,/^}/s@^    real sum = 0;@$guarded\n&@"
stays lab01 kernel table -e 's/blockIdx.y \* blockDim.y + threadIdx.y;/blockIdx.y * blockDim.y;/' \
    -e "/^void lab01_table/,/^}/s@^    if (rows == 0@    const int count = columns;\n$guarded\n&@"
contains 'instead of `blockIdx.y' || fail "no change of the kernel was tried" "$output"
