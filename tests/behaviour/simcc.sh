#!/bin/bash
# build/sim/simcc: nvcc for programs that run on the simulator.
. "$(dirname "$0")/lib"
export BUILD=build/test
make -s sim BUILD=$BUILD || exit 1
simcc=$BUILD/sim/simcc

# Whatever the program is compiled for otherwise, in one step and in two.
expect 0 "" "$simcc" -I. -O2 -arch=sm_90 -gencode arch=compute_80,code=sm_80 tests/api/vector_add.cu -o "$scratch/whole"
expect 0 "0 of 100003 are wrong" "$scratch/whole"
expect 0 "" "$simcc" -I. -G -c -arch sm_86 tests/api/vector_add.cu -o "$scratch/part.o"
expect 0 "" "$simcc" "$scratch/part.o" -lcudart -o "$scratch/linked"
expect 0 "0 of 100003 are wrong" "$scratch/linked"

# Hazards are told at the end, with the line.
cat >"$scratch/race.cu" <<'END'
#include <cstdio>
__global__ void reverse(int *x)
{
    __shared__ int s[64];
    s[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = s[63 - threadIdx.x];
}
int main()
{
    int *x;
    cudaMallocManaged(&x, 64 * sizeof(int));
    reverse<<<1, 64>>>(x);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
END
expect 0 "" "$simcc" "$scratch/race.cu" -o "$scratch/race"
expect 0 "race on shared array s" "$scratch/race"
expect 0 "No __syncthreads() stands between them" "$scratch/race"
expect 0 "cudaSuccess" env LABS_SIM_HAZARDS=0 "$scratch/race"
expect_not "race"

# What cannot work says so.
expect 2 "no input file" "$simcc"
expect 2 "-lcublas: that library holds machine code" "$simcc" "$scratch/race.cu" -lcublas
expect 2 "driver API" "$simcc" "$scratch/race.cu" -lcuda
expect 2 "no linker for device code" "$simcc" -rdc=true "$scratch/race.cu"
expect 2 "SIMCC_ARCH=native" env SIMCC_ARCH=native "$simcc" "$scratch/race.cu"
expect 2 "is not there" env NVCC=/no/nvcc "$simcc" "$scratch/race.cu"
