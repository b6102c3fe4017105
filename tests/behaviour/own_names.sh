#!/bin/bash
# libsim.a gives away only its own names: programs may call their functions and variables what they like, and what
# they define takes the place of nothing in the simulator.
. "$(dirname "$0")/lib"
export BUILD=build/test
make -s sim || exit 1
simcc=$BUILD/sim/simcc

others=$(nm -g --defined-only "$BUILD/sim/libsim.a" 2>/dev/null | awk 'NF == 3 { print $3 }' | grep -vE '^(cuda|__cuda|sim_)')
[ -z "$others" ] || fail "libsim.a also defines:" "$(printf '%s\n' "$others" | head)"
for name in cudaMalloc cudaLaunchKernel __cudaRegisterFatBinary cudaMalloc3D; do
    nm -g --defined-only "$BUILD/sim/libsim.a" | grep -q " $name\$" || fail "libsim.a does not define $name"
done

# A C program whose functions are called like functions of the simulator, and the kernel that it uses.
cat >"$scratch/kernel.cu" <<'END_OF_FILE'
__global__ void twice(int *x) { x[threadIdx.x] *= 2; }
extern "C" cudaError_t run_twice(int *x)
{
    twice<<<1, 32>>>(x);
    return cudaDeviceSynchronize();
}
END_OF_FILE
cat >"$scratch/main.c" <<'END_OF_FILE'
#include <cuda_runtime_api.h>
#include <stdio.h>

cudaError_t run_twice(int *x);
static int calls;
void lock_acquire(void) { calls++; }
void *arena_create(void) { return &calls; }

int main(void)
{
    int *x;
    lock_acquire();
    cudaMallocManaged((void **)&x, 32 * sizeof *x, cudaMemAttachGlobal);
    for (int i = 0; i < 32; i++)
        x[i] = i;
    cudaError_t error = run_twice(x);
    printf("%d %d %d %s\n", x[31], calls, arena_create() == &calls, cudaGetErrorName(error));
    return 0;
}
END_OF_FILE
cuda=$(sed -n 's/^CUDA_INCLUDE := //p' "$BUILD/toolkit.mk")
gcc -I"$cuda" -c "$scratch/main.c" -o "$scratch/main.o" || fail "main.c does not compile"
expect 0 "" "$simcc" "$scratch/main.o" "$scratch/kernel.cu" -o "$scratch/c_program"
expect 0 "62 1 1 cudaSuccess" "$scratch/c_program"

# A C++ program with a variable that is called like one of the simulator.
cat >"$scratch/main.cu" <<'END_OF_FILE'
#include <cstdio>
int api = 7;
__global__ void add(int *x, int n) { x[threadIdx.x] += n; }
int main()
{
    int *x;
    cudaMallocManaged(&x, 32 * sizeof *x);
    for (int i = 0; i < 32; i++)
        x[i] = i;
    add<<<1, 32>>>(x, api);
    const cudaError_t error = cudaDeviceSynchronize();
    printf("%d %d %s\n", x[31], api, cudaGetErrorName(error));
}
END_OF_FILE
expect 0 "" "$simcc" "$scratch/main.cu" -o "$scratch/cpp_program"
expect 0 "38 7 cudaSuccess" "$scratch/cpp_program"

# A worker gives away nothing else: a file that calls the simulator's or the worker's functions is not linked, and one that
# defines functions of such names is graded like any other.
worker=$BUILD/lab02/float/solution/worker-sim
make -s SOLUTION=1 lab02 || exit 1
others=$(nm -g --defined-only "$BUILD/harness/float/worker-sim.o" | awk '$3 !~ /^(main$|cuda|__cuda|__wrap_)/ { print $3 }')
[ -z "$others" ] || fail "worker-sim.o also defines:" "$(printf '%s\n' "$others" | head)"
short_ends_here
for name in sim_hazards_reset sim_current backend_poison worker_call; do
    nm "$worker" | grep -q " t $name\$" || fail "$worker has no $name: another name must be tried here"
    sed "s/^#include \"lab02.h\"/&\nextern \"C\" void *$name(void *);/
        s/^    const int blocks = (n + LAB02/    $name(d_partial);\n&/" lab02_*/solution.cu >"$scratch/$name.cu"
    expect 2 "undefined reference to \`$name'" make lab02 SRC="$scratch/$name.cu"
done
change lab02 same_names 's/^#include "lab02.h"/&\nextern "C" void backend_collect(void *) {}\nextern "C" int sim_hazards(void *) { return 0; }/
    /TODO 1:/,/TODO 2:/s/^    __syncthreads();//'
expect 1 "race in shared memory" "$grader" --backend sim --only reduce --seed 1
