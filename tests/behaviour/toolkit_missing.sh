#!/bin/bash
# Without nvcc: one clear line, status 2; what does not need it works.
. "$(dirname "$0")/lib"
# shellcheck disable=SC2086 # several names
tools_only "$scratch/bin" $basic_tools make gcc g++ ld as ar
without() { env -u CUDA_HOME -u CUDA_PATH CUDA_PLACES= PATH="$PWD/$scratch/bin" BUILD="$scratch/build" "$@"; }

expect 2 "run ./setup" without make lab03
expect_lines 1
expect 2 "CUDA_HOME" without make lab03
expect 2 "run ./setup" without make solutions
expect_lines 1
expect 0 "make labNN" without make help
expect 0 "" without make clean
expect 2 "run ./setup" without ./grader lab03

expect 2 "where NVCC says: /no/such/nvcc" without make lab03 NVCC=/no/such/nvcc
expect_lines 1

# It is found where CUDA_HOME or CUDA_PATH say, and in the usual places.
nvcc=$(mk/toolkit find) || exit 1
mkdir -p "$scratch/cuda/bin"
ln -s "$nvcc" "$scratch/cuda/bin/nvcc"
expect 0 "$scratch/cuda/bin/nvcc" without env CUDA_HOME="$PWD/$scratch/cuda" mk/toolkit find
expect 0 "$scratch/cuda/bin/nvcc" without env CUDA_PATH="$PWD/$scratch/cuda" mk/toolkit find
expect 0 "$scratch/cuda/bin/nvcc" without env CUDA_PLACES="/none $PWD/$scratch/cuda" mk/toolkit find
