#!/bin/bash
# make builds again exactly what a change touches.
. "$(dirname "$0")/lib"
in_copy
export BUILD=build/test
# built WANTED UNWANTED COMMAND...: lines of make's output that must be there, and must not.
built() {
    local wanted=$1 unwanted=$2
    shift 2
    output=$(make "$@" 2>&1) || fail "make $* failed:" "$output"
    local text
    for text in $wanted; do
        says "$text" || fail "make $*: expected to build $text; it says:" "$output"
    done
    for text in $unwanted; do
        says "$text" && fail "make $*: should not build $text; it says:" "$output"
    done
}
# A step by its name (cc, nvcc, ar, ld, link), or any part of a line.
says() {
    case $1 in
    cc | nvcc | ar | ld | link) printf '%s\n' "$output" | grep -q "^  $1 " ;;
    *) printf '%s\n' "$output" | grep -qF -- "$1" ;;
    esac
}
everything="nvcc cc link ld ar"

# Nothing to do: nothing is said, and make -q ends with 0.
idle() {
    expect 0 "" make "$@"
    [ -z "$output" ] || fail "make $*: there is nothing to do, and it says:" "$output"
    expect 0 "" make -q "$@"
}

# Where there is a GPU, tests/run has not built all that is built for it.
make -s lab01 && make -s lab01 SOLUTION=1 REAL=double || exit 1
built "" "$everything" lab01
idle lab01
idle lab01_global_memory
idle lab01 SOLUTION=1
make -s lab01 SRC=lab01_global_memory/skeleton.cu || exit 1
idle lab01 SRC=lab01_global_memory/skeleton.cu
idle sim
built "" "$everything" lab01_global_memory
built "" "$everything" lab01 SOLUTION=1 REAL=double

# A program that cannot be linked, since another make replaces it at this moment, is copied.
mkdir no-links
printf '#!/bin/sh\ncase $1 in -f) exit 1 ;; esac\nexec "%s" "$@"\n' "$(type -P ln)" >no-links/ln
chmod +x no-links/ln
rm "$BUILD/lab01/float/skeleton/grader"
expect 0 "" env PATH="$PWD/no-links:$PATH" make -s lab01
cmp "$BUILD/lab01/float/skeleton/grader" "$BUILD/lab01/float/grader" || fail "the grader was not copied"
idle lab01

# The student's file: compiled and linked, nothing else.
touch lab01_global_memory/skeleton.cu
built "skeleton.cu skeleton/worker-sim" "cc ar skeleton/grader solution" lab01
built "" "$everything" lab01

# A header that it includes; one of the simulator.
touch lab01_global_memory/lab01.h
built "skeleton.cu binding.c" "harness/ sim/ ar" lab01
# What a student keeps beside the labs under a name like theirs is no lab.
: >lab01_mine.cu && cp -r lab01_global_memory lab01_old
built "" "overriding" lab01
rm -r lab01_mine.cu lab01_old

short_ends_here
touch common/real.h
built "skeleton.cu harness/" "ar calibrate" lab01
touch sim/device/sim.h
built "sim/ ld worker-sim" "nvcc ar" lab01
built "" "$everything" lab01

# Flags and the compiler.
built "skeleton.cu" "cc ar" lab01 NVCCFLAGS=-DSOMETHING
built "" "$everything" lab01 NVCCFLAGS=-DSOMETHING
built "skeleton.cu" "cc ar" lab01
printf '#!/bin/sh\nexec "%s" "$@"\n' "$(mk/toolkit find)" >other-nvcc
chmod +x other-nvcc
built "skeleton.cu" "" lab01 NVCC=./other-nvcc
built "" "$everything" lab01 NVCC=./other-nvcc

built "skeleton.cu" "" lab01

# What has flags of its own leaves everything else as it is.
built "warp.cu" "" "$BUILD/tests/gpu/opcodes/warp.o"
built "" "$everything" lab01
built "conv.cu" "" "$BUILD/bench/float/conv.o"
built "" "$everything" lab01

# Sources that come and go.
echo 'int nothing_uses_this(void); int nothing_uses_this(void) { return 0; }' >sim/core/new.c
built "sim/core/new.c ld worker-sim" "nvcc sim/ptx/fatbin.c" lab01
rm sim/core/new.c
built "ld worker-sim" "nvcc cc" lab01
nm build/test/harness/float/worker-sim.o | grep -q nothing_uses_this && fail "the worker still has what new.c defined"
built "" "$everything" lab01

# Another locale, in which files come in another order (where localedef can make one).
localedef -i en_US -f UTF-8 ./en_US.UTF-8 2>/dev/null
LOCPATH=$PWD LC_ALL=en_US.UTF-8 built "" "$everything" lab01

# Many at once.
touch common/real.h
built "lab01 lab02 lab03" "" -j8 lab01 lab02 lab03
built "" "$everything" lab01 lab02 lab03
[ "$(readlink build/test/current)" = lab03/float/skeleton ] || fail "build/current is $(readlink build/test/current), not the last lab named"
