#!/bin/bash
# Objects that know nothing of each other, shared libraries, and what the linkers have to say, through simcc.
. "$(dirname "$0")/lib"
export BUILD=build/test
make -s sim BUILD=$BUILD || exit 1
root=$(pwd)
simcc=$root/$BUILD/sim/simcc
cd "$scratch" || exit 1

# Objects of their own (-c), C files that call a wrapper, and sources by another name.
cat >main.c <<'END'
#include <cuda_runtime_api.h>
#include <stdio.h>
int wrapper(int *x);
int main(void)
{
    int *x;
    cudaMallocManaged((void **)&x, 64, cudaMemAttachGlobal);
    x[0] = 0;
    int returned = wrapper(x);
    printf("%d %d %s\n", returned, x[0], cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
END
mkdir -p 'with blanks'
cat >'with blanks/wrapper.cpp' <<'END'
__device__ int state = 5;
static __global__ void kernel(int *x)
{
    x[0] += 1;
    x[2] = state;
}
extern "C" int wrapper(int *x)
{
    if (!x)
        cudaMallocManaged(&x, 64);
    kernel<<<1, 1>>>(x);
    return cudaDeviceSynchronize() == cudaSuccess ? x[2] : -1;
}
END
expect 0 "" "$simcc" -x cu -c 'with blanks/wrapper.cpp' -o 'with blanks/wrapper.o'
expect 0 "" "$simcc" main.c 'with blanks/wrapper.o' -o 'with blanks/program'
expect 0 "5 1 cudaSuccess" 'with blanks/program'

short_ends_here
# Shared libraries: each has variables of its own, and all use the simulator of the program; also of one that loads them
# while it runs, and of one that has none.
sed 's/state = 5/state = 6/; s/int wrapper/int wrapper2/' 'with blanks/wrapper.cpp' >wrapper2.cu
expect 0 "" "$simcc" -shared -Xcompiler -fPIC -x cu 'with blanks/wrapper.cpp' -o libwrapper.so
expect 0 "" "$simcc" -shared -rdc=true -Xcompiler -fPIC wrapper2.cu -o libwrapper2.so
cat >user.cu <<'END'
#include <cstdio>
#include <dlfcn.h>
extern "C" int wrapper(int *x);
__device__ int state = 7;
static __global__ void kernel(int *x) { x[1] = state; }
int main()
{
    int *x;
    cudaMallocManaged(&x, 64);
    x[0] = 0;
    void *library = dlopen("./libwrapper2.so", RTLD_NOW | RTLD_LOCAL);
    int a = wrapper(x), b = ((int (*)(int *))dlsym(library, "wrapper2"))(x);
    dlclose(library);
    kernel<<<1, 1>>>(x);
    cudaDeviceSynchronize();
    printf("%d %d %d %d\n", a, b, x[1], x[0]);
}
END
expect 0 "" "$simcc" user.cu -L. -lwrapper -ldl -Xlinker -rpath,. -o user
expect 0 "5 6 7 2" ./user
cat >without.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    int (*a)(int *) = (int (*)(int *))dlsym(dlopen("./libwrapper.so", RTLD_NOW), "wrapper");
    int (*b)(int *) = (int (*)(int *))dlsym(dlopen("./libwrapper2.so", RTLD_NOW), "wrapper2");
    printf("%d %d\n", a(NULL), b(NULL));
    return 0;
}
END
expect 0 "" gcc without.c -ldl -o without
expect 0 "5 6" ./without

# What is missing, or there twice, by its name in the source; and nothing else.
cat >asks.cu <<'END'
extern __device__ int offset;
namespace parts { __device__ float deep(int x, float y); }
__global__ void use(float *x) { x[0] = parts::deep(1, 2) + offset; }
int main() { use<<<1, 1>>>(0); }
END
expect 2 "simcc: device symbol parts::deep(int, float), used in asks.cu, is defined in none of the files" "$simcc" -rdc=true asks.cu -o asks
expect 2 "simcc: device symbol offset, used in asks.cu, is defined in none of the files" "$simcc" -rdc=true asks.cu -o asks
expect_lines 2
expect 2 "parts::deep(int, float): device code of another file can be called only" "$simcc" -diag-suppress 20044 asks.cu -o asks
printf '__device__ int offset = %s;\n' 1 >one.cu
printf '__device__ int offset = %s;\nint main() {}\n' 2 >two.cu
expect 2 "simcc: device symbol offset is defined in one.cu and in two.cu" "$simcc" -rdc=true one.cu two.cu -o asks
expect_lines 1

# An object without PTX that can be read: who needs it says so.
cat >caller.cu <<'END'
extern __device__ int callee(int);
__global__ void kernel(int *x) { *x = callee(3); }
int main()
{
    kernel<<<1, 1>>>(0);
    return cudaGetLastError() != cudaSuccess;
}
END
echo '__device__ int callee(int x) { return x; }' >callee.cu
nvcc=$(sed -n 's/^NVCC := //p' "$root/$BUILD/toolkit.mk")
expect 0 "" "$nvcc" -dc -gencode arch=compute_80,code=sm_80 callee.cu -o callee.o
expect 0 "" "$simcc" -rdc=true caller.cu callee.o -o caller
expect 1 "was left out: this program holds no PTX" ./caller
