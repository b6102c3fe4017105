#!/bin/bash
# What a report leads with and advises is known: a line where something shows is not the mistake's, of a race it is told whose the
# element is, what two tasks share is told once, and a hint is of the TODO that the report leads to.
. "$(dirname "$0")/lib"

# grade LAB TASK SED...: the changed solution; the report in $output, on one line.
grade() {
    change "$1" student "${@:3}"
    expect 1 "" "$grader" --no-color --backend sim --seed 77 --only "$2"
    output=$(printf '%s' "$output" | tr -s ' \n' ' ')
}
says() {
    local text
    for text; do contains "$text" || fail "not said: $text" "$output"; done
}
hint() { # TASK TODO
    rm -f "${grader%/*}/hint.state"
    expect 0 "Hint 1 for TODO $2:" "$grader" --no-color --backend sim --seed 77 --only "$1" --hint
}

# Tiles that are not exchanged: the line of the store, which is right, does not lead.
grade lab02 transpose -e 's/const int out_row = left + threadIdx.y/const int out_row = top + threadIdx.y/' \
    -e 's/const int out_col = top + threadIdx.x/const int out_col = left + threadIdx.x/'
! grep -qE 'cu:[0-9]+: (No thread|d_out)' <<<"$output" || fail "a right line leads:" "$output"
says ") d_out[" # which elements are wrong

# An element of one block, which all of them store.
grade lab02 reduce -e '0,/d_partial\[blockIdx.x\] = /s//d_partial[0] = /'
says "d_partial[0] is the element of block 0"
expect_not "atomic"

# What is not written should have been written in the TODO before; a grid that is too small is launched in another one.
grade lab02 reduce -e '0,/s_x\[tid\] = i < n ? d_x\[i\] : 0;/s//if (i < n) s_x[tid] = d_x[i];/'
hint reduce 1
short_ends_here
grade lab02 reduce -e '0,/(n + LAB02_BLOCK_SIZE - 1)/s//(n + LAB02_BLOCK_SIZE - 2)/'
hint reduce 3

# Of two factors of which one is the wrong element, it is that one.
grade lab08 edges -e 's/c_h\[k + u\] \* ring/c_h[u] * ring/'
says "d_y[32] is computed from d_h[0] instead of d_h[32]"

# A halo that begins one element too early: how its index is made, and nothing of the taps, which are right.
REPAIRS=none grade lab07 tile -e 's/const int from = first - HALO + j;/const int begin = first - HALO - 1, from = begin + j;/'
says '`from`, which is begin + j' '`begin`, which is first - HALO - 1'
expect_not "either of the two"
expect_not "d_h["

# Shared memory that is too small: how many bytes the launch gives, by its text.
REPAIRS=none grade lab03 run_ends -e 's/^\( *\)const size_t bytes = .*/&\n\1const size_t few = bytes \/ 2;/' -e 's/block_size, bytes>>>(d_x, d_label/block_size, few>>>(d_x, d_label/'
says 'gives it few bytes of dynamic shared memory; `few`, which is bytes / 2 (line'

# A grid that is too small: how the launch's numbers are made, not those of the store, which is right.
REPAIRS=none grade lab07 naive -e '0,/const int outputs = n + LAB07_TAPS - 1;/s//const int outputs = n;/'
says 'uses `outputs`, which is n (line'

# One mistake in what two tasks share; and beside what fails, what is to be done about the figures of what is right.
grade lab04 max -e 's/real_bits seen = bits_of(-INFINITY);/real_bits seen = bits_of(0);/'
expect 1 "" "$grader" --no-color --backend sim --seed 77
[ "$(grep -c 'does not reach' <<<"$output")" = 1 ] || fail "the same is told twice:" "$output"

# A thread that a condition keeps away is the first one; of the others nothing is said.
grade lab07 naive -e 's/if (j >= 0 \&\& j < n)/if (j > 0 \&\& j < n)/'
says "leads the first thread past it"
expect_not "other conditions"
