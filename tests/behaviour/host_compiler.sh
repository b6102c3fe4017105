#!/bin/bash
# A host compiler that nvcc refuses, or that is missing: make says so at once, and what to do; status 2.
. "$(dirname "$0")/lib"
B=$scratch/build

printf '#!/bin/sh\nexec g++ -U__GNUC__ -D__GNUC__=99 "$@"\n' >"$scratch/g++-99"
chmod +x "$scratch/g++-99"
expect 2 "unsupported GNU version" env NVCC_PREPEND_FLAGS="-ccbin $scratch/g++-99" make BUILD="$B" lab03
expect 2 "export NVCC_PREPEND_FLAGS='-ccbin g++-11'" env NVCC_PREPEND_FLAGS="-ccbin $scratch/g++-99" make BUILD="$B" lab03
expect_lines 1
expect 2 "export NVCC_PREPEND_FLAGS=" env NVCC_PREPEND_FLAGS="-ccbin no-such-g++" make BUILD="$B" lab03

expect 2 "no-such-g++ was not found: run ./setup" make BUILD="$B" CXX=no-such-g++ lab03
expect_lines 1
expect 2 "no-such-gcc was not found: run ./setup" make BUILD="$B" CC=no-such-gcc lab03
