#!/bin/bash
# CMake's CUDA language through simcc.cmake: libraries, device code of several files, mixed languages, CUDA::cudart.
. "$(dirname "$0")/lib"
export BUILD=build/test
command -v cmake >/dev/null || { echo "cmake is not there" && exit 77; }
make -s sim || exit 1
here=$PWD
cd "$scratch" || exit 1
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.18)
project(mixed LANGUAGES CXX CUDA)
find_package(CUDAToolkit REQUIRED)
add_library(twice STATIC twice.cu)
add_library(host SHARED host.cu)
add_executable(mixed main.cu count.cpp)
set_target_properties(twice mixed PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
target_link_libraries(mixed twice host CUDA::cudart)
END
echo '__device__ int twice(int i) { return 2 * i; }' >twice.cu
cat >host.cu <<'END'
__global__ void add(int *x) { x[threadIdx.x] += 1; }
void add_one(int *x) { add<<<1, 32>>>(x); }
END
printf '#include <cuda_runtime.h>\nint count() { int n = 0; cudaGetDeviceCount(&n); return n; }\n' >count.cpp
cat >main.cu <<'END'
#include <cstdio>
extern __device__ int twice(int);
int count();
void add_one(int *x);
__global__ void fill(int *x) { x[threadIdx.x] = twice(threadIdx.x); }
int main()
{
    int *x, last = 0;
    cudaMalloc(&x, 32 * 4);
    fill<<<1, 32>>>(x);
    add_one(x);
    cudaMemcpy(&last, x + 31, 4, cudaMemcpyDeviceToHost);
    printf("%d %d\n", last, count());
}
END
output=$(cmake -S . -B b -DCMAKE_TOOLCHAIN_FILE="$here/$BUILD/sim/simcc.cmake" 2>&1 && cmake --build b 2>&1) || fail "$output"
expect 0 "63 1" b/mixed
[ "$output" = "63 1" ] || fail "more than that was said" "$output"
