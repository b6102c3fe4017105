#!/bin/bash
# Programs of several files through simcc: objects and static libraries with relocatable device code.
. "$(dirname "$0")/lib"
export BUILD=build/test
make -s sim BUILD=$BUILD || exit 1
root=$(pwd)
simcc=$root/$BUILD/sim/simcc
cd "$scratch" || exit 1
mkdir -p source/deep objects

# Variables, constants, functions, tables of functions, templates with a variable of their own, and managed memory that
# several units share; kernels of the same static name that they do not share.
cat >source/all.h <<'END'
#pragma once
#ifndef SCALE
#error "-D SCALE= is missing"
#endif
typedef float (*operation)(float, int);
extern __device__ int offset;
extern __constant__ float factor[2];
extern __device__ float helper(float x, int i);
extern __device__ operation table[2];
extern __managed__ int count;
template <typename T> __device__ T twice(T x)
{
    static __device__ int calls;
    atomicAdd(&calls, 1);
    return x + x;
}
template <typename T> __global__ void fill(T *x, T value) { x[threadIdx.x] = value * SCALE; }
END
cat >source/main.cu <<'END'
#include <cstdio>
#include "all.h"
static __global__ void own_kernel(int *x) { x[0] = 1; }
namespace { __global__ void hidden(int *x) { x[1] = 10; } }
extern "C" int wrapper(int *x);
void other_fill(float *x);
__global__ void use(float *x)
{
    x[threadIdx.x] = helper(threadIdx.x, threadIdx.x) + offset + table[threadIdx.x & 1](2, 1) + twice(1.0f);
}
int main()
{
    float *x, factors[2] = {5, 6};
    int *y, other = 1000;
    cudaMallocManaged(&x, 128);
    cudaMallocManaged(&y, 128);
    use<<<1, 32>>>(x);
    cudaDeviceSynchronize();
    printf("%g %g", x[0], x[31]);
    cudaMemcpyToSymbol(offset, &other, sizeof other);
    cudaMemcpyToSymbol(factor, factors, sizeof factors);
    use<<<1, 32>>>(x);
    cudaDeviceSynchronize();
    printf(" %g %g", x[0], x[31]);
    own_kernel<<<1, 1>>>(y);
    hidden<<<1, 1>>>(y);
    int returned = wrapper(y);
    cudaDeviceSynchronize();
    printf(" %d %d %d %d", returned, y[0], y[1], y[2]);
    fill<<<1, 32>>>(x, 2.0f);
    cudaDeviceSynchronize();
    printf(" %g", x[3]);
    other_fill(x);
    printf(" %g %d %s\n", x[4], count, cudaGetErrorName(cudaDeviceSynchronize()));
}
END
cat >source/deep/library.cu <<'END'
#include "all.h"
__device__ int offset = 100;
__constant__ float factor[2] = {2, 3};
__managed__ int count = 7;
static __device__ float own(float x) { return x + 2; }
__device__ float helper(float x, int i) { return own(x) * factor[i & 1] + twice(0.0f); }
static __device__ float add(float a, int b) { return a + b; }
static __device__ float multiply(float a, int b) { return a * 10 * b; }
__device__ operation table[2] = {add, multiply};
END
cat >source/deep/other.cu <<'END'
#include "all.h"
static __device__ float own(float x) { return x - 2; }
static __global__ void own_kernel(int *x) { x[2] = 3; atomicAdd(&count, (int)own(3)); }
namespace { __global__ void hidden(int *x) { x[1] += 20; } }
void other_fill(float *x)
{
    fill<<<1, 32>>>(x, 4.0f);
    cudaDeviceSynchronize();
}
extern "C" int wrapper(int *x)
{
    own_kernel<<<1, 1>>>(x);
    hidden<<<1, 1>>>(x);
    return cudaDeviceSynchronize() == cudaSuccess ? 42 : 0;
}
END
good="109 221 1015 1220 42 1 30 3 4 8 8 cudaSuccess"
flags=(-D SCALE=2 -Isource --std=c++17 -Xcompiler "-Wall,-O2")

# In one step; in two, with objects in other folders; and whatever -arch says.
expect 0 "" "$simcc" -rdc=true "${flags[@]}" -arch=native source/main.cu source/deep/*.cu --output-file whole
expect 0 "$good" ./whole
expect_not "simulator"
for file in main deep/library deep/other; do
    expect 0 "" "$simcc" -dc "${flags[@]}" -arch sm_90 -MD -MF objects/"$(basename $file)".d source/$file.cu \
        -o objects/"$(basename $file)".o
done
expect 0 "source/all.h" cat objects/other.d
expect 0 "" "$simcc" -arch=all-major objects/main.o objects/library.o objects/other.o -o linked
expect 0 "$good" ./linked

short_ends_here
# Static libraries: by name and by path, one that is named twice, one of which nothing is used.
expect 0 "" "$simcc" -lib objects/library.o objects/other.o -o libparts.a
expect 0 "" "$simcc" objects/main.o -L. -lparts -o linked
expect 0 "$good" ./linked
echo '__device__ int here; __global__ void unused(int *x) { *x = here; }' >unused.cu
expect 0 "" "$simcc" -lib -rdc=true unused.cu -o libunused.a
expect 0 "" "$simcc" objects/main.o libparts.a libparts.a -L. -lunused -o linked
expect 0 "$good" ./linked
# Device link and host link apart, the last without simcc.
expect 0 "" "$simcc" -dlink objects/main.o libparts.a -o device.o
expect 0 "" g++ objects/main.o device.o libparts.a "$root/$BUILD/sim/libsim.a" -lm -lpthread -o linked
expect 0 "$good" ./linked

# Without optimization; options from a file and from the environment.
printf '%s\n' '-G -g -arch=sm_75 -D "SCALE=1 + 1"' '-Isource "--std=c++17"' >options
sed -i 's/value \* SCALE/value * (SCALE)/' source/all.h
expect 0 "" env NVCC_APPEND_FLAGS="-arch=sm_90 -Xcompiler '-O0 -Wall'" "$simcc" -optf options -rdc=true \
    source/main.cu source/deep/library.cu source/deep/other.cu -o debug
expect 0 "$good" ./debug
expect_not "simulator"
echo '-optf options' >options
expect 2 "names itself" "$simcc" -optf options
