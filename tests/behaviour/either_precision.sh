#!/bin/bash
# What of the harness is compiled once does not depend on `real`, and what is compiled twice does.
. "$(dirname "$0")/lib"
expect 1 "" grep -rl REAL_DOUBLE --include=*.[ch] --exclude=real.h harness
include=$(sed -n 's/^CUDA_INCLUDE := //p' build/test/toolkit.mk)
either() {
    gcc -std=gnu11 -fsyntax-only -DREAL_EITHER -I. -I"$include" "$1"
}
once=0
for source in harness/*.c harness/*/*.c; do
    if grep -q '^#include "harness/lab/real\.h"' "$source"; then
        expect 1 "error:" either "$source"
    else
        expect 0 "" either "$source"
        once=$((once + 1))
    fi
done
[ $once -gt 80 ] || fail "only $once files of harness/ are compiled once"
