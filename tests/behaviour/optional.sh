#!/bin/bash
# An optional task (lab 07's fifth) costs nothing until it is begun: left out while a TODO that only it needs is open,
# graded like any other once it has code, or if --only names it.
. "$(dirname "$0")/lib"
export BUILD=build/test

# FILE: the solution with the region of TODO 13, the launch of the optional kernel, replaced by standard input.
with_launch() {
    local code
    code=$(cat)
    code=$code awk '/^ *\/\/ TODO 13: /       { print; if (ENVIRON["code"] != "") print ENVIRON["code"]; inside = 1; next }
                    /^ *\/\/ end of TODO 13$/ { inside = 0 }
                    !inside' lab07_conv1d_16/solution.cu >"$1"
}

with_launch "$scratch/open.cu" </dev/null
compile lab07 open
expect 0 "passed: 100 of 100 points" "$grader" --no-color --backend sim
case $output in *"two_dimensions"*"not begun"*) ;; *) fail "the optional task is not said to be open" "$output" ;; esac
expect 1 "TODO 13 is still open" "$grader" --no-color --backend sim --only two_dimensions
expect 0 "two_dimensions: optional: 5 x 5 taps, a tile in 2-D (no points)" "$grader" --list

# Who rewrites the file need not write it, nor keep the TODOs: its function may be empty.
awk '/^void lab07_convolve_2d/ { head = 1 }
    /^ *\/\/ (end of )?TODO/ || (head && body && !/^}/) { next }
    { print }
    head && /^{/ { body = 1 }
    /^}/ { head = body = 0 }' lab07_conv1d_16/solution.cu >"$scratch/empty.cu"
compile lab07 empty
expect 0 "passed: 100 of 100 points" "$grader" --no-color --backend sim
case $output in *"two_dimensions"*"not begun"*) ;; *) fail "an empty function is not said to be open" "$output" ;; esac

# Nothing is copied into c_h2.
with_launch "$scratch/wrong.cu" <<'END'
    if (height > 0 && width > 0)
        convolve_2d<<<dim3((width + REACH + COLUMNS - 1) / COLUMNS, (height + REACH + ROWS - 1) / ROWS),
                      dim3(COLUMNS, ROWS)>>>(d_x, height, width, d_y);
END
compile lab07 wrong
expect 1 "First failure: (e) two_dimensions" "$grader" --no-color --backend sim
case $output in *"FAILED: 100 of 100 points, but these fail: (e) two_dimensions"*) ;; *) fail "it cost points" "$output" ;; esac
