#!/bin/bash
# Without nvcc: one clear line, status 2; what does not need it works.
. "$(dirname "$0")/lib"
# shellcheck disable=SC2086 # several names
tools_only "$scratch/bin" $basic_tools make gcc g++ ld as ar
without() { env -u CUDA_HOME -u CUDA_PATH CUDA_PLACES= CUDA_LABS_TOOLKIT="$PWD/$scratch/toolkit" PATH="$PWD/$scratch/bin" BUILD="$scratch/build" "$@"; }

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
# Last of all, where ./setup puts one.
ln -s cuda "$scratch/toolkit"
expect 0 "$scratch/toolkit/bin/nvcc" without mk/toolkit find

# In a folder with spaces its tools and its library are found as well.
cuda=$PWD/$scratch/a\ b
mkdir -p "$cuda/bin" "$cuda/lib64"
printf '#!/bin/sh\necho V13.0.88\n' >"$cuda/bin/nvcc"
chmod +x "$cuda/bin/nvcc"
touch "$cuda/lib64/libcudart_static.a"
# shellcheck disable=SC2016 # for make
expect 0 "[$cuda/bin/ptxas] [$cuda/lib64/libcudart_static.a ]" without make NVCC="$cuda/bin/nvcc" \
    --eval='show:;@echo "[$(PTXAS)] [$(HAVE_CUDART)]"' show

# What PATH calls nvcc may be a script that runs it: ptxas, which the sandbox lets a worker start, is what stands beside nvcc.
mkdir "$scratch/script"
for tool in nvcc ptxas; do
    printf '#!/bin/sh\nexec "%s" "$@"\n' "${nvcc%/*}/$tool" >"$scratch/script/$tool"
    chmod +x "$scratch/script/$tool"
done
tools=$("$nvcc" --dryrun -x cu -c /dev/null -o /dev/null 2>&1 | sed -n 's/^#\$ _HERE_=//p')
# shellcheck disable=SC2016 # for make
expect 0 "[$PWD/$scratch/script/nvcc] [$(readlink -f "$tools/ptxas")]" without make NVCC="$scratch/script/nvcc" \
    --eval='show:;@echo "[$(abspath $(NVCC))] [$(realpath $(PTXAS))]"' show
