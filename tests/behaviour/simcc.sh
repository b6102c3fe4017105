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
# -lib makes an archive; it is no library to link with.
expect 0 "" "$simcc" -lib "$scratch/part.o" -o "$scratch/part.a"
expect 0 "part.o" ar t "$scratch/part.a"
expect_not "libsim"

# The program of one's own that lab 01 shows at the end of its section 7; without its guard, the access is named.
awk '/^## 7/ { here = 1 } here && /^```c$/ { code = 1; next } code && /^```$/ { exit } code' lab01_*/README.md >"$scratch/first.cu"
expect 0 "" "$simcc" "$scratch/first.cu" -o "$scratch/first"
expect 0 "1 1999" "$scratch/first"
sed -i 's/^    if (i < n) {/    {/' "$scratch/first.cu"
expect 0 "" "$simcc" "$scratch/first.cu" -o "$scratch/first"
expect 1 "just past its end" "$scratch/first"

# Hazards are told at the end, with the line.
cat >"$scratch/race.cu" <<'END'
#include <cstdio>
__global__ void reverse(int *x)
{
    __shared__ int s[64];
    s[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = s[63 - threadIdx.x];
}
template <class T> void run()
{
    T *x, *y;
    cudaMallocManaged(&x, 64 * sizeof(T));
    cudaMalloc(&y, sizeof(T));
    cudaFree(x + 1); // Not the allocation itself.
    cudaFreeAsync(y, 0);
    cudaFreeAsync(y, 0); // Nor this: the first is under way.
    reverse<<<1, 64>>>(x);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
int main()
{
    run<int>();
}
END
expect 0 "" "$simcc" "$scratch/race.cu" -o "$scratch/race"
expect 0 "race on shared array s" "$scratch/race"
expect 0 "cudaFree (race.cu:13)" "$scratch/race" # the call's line, also in a template
expect 0 "lies 4 bytes inside the allocation" "$scratch/race"
expect 0 "(4 bytes) is freed already" "$scratch/race"
expect 0 "No __syncthreads() stands between them" "$scratch/race"
expect 0 "cudaSuccess" env LABS_SIM_HAZARDS=0 "$scratch/race"
expect_not "race on"
# What functions of other files do, a lambda in a template's kernel too: their own line as well.
sed 's/s\[63 - threadIdx.x\]/mirror(s)/; 1a #include "mirror.h"' "$scratch/race.cu" >"$scratch/apart.cu"
sed -i 's/reverse<<<.*/&\n    apply<<<1, 65>>>([=] __device__(int i) { x[i] = 1; });/' "$scratch/apart.cu"
printf '__device__ int mirror(int *s)\n{\n    return s[63 - threadIdx.x];\n}\n' >"$scratch/mirror.h"
echo 'template <class F> __global__ void apply(F f) { f(threadIdx.x); }' >>"$scratch/mirror.h"
expect 0 "" "$simcc" --extended-lambda "$scratch/apart.cu" -o "$scratch/apart"
expect 0 "Line 7 does so in a function that it calls: mirror.h:3." "$scratch/apart"
expect 0 "Line 5 does so in a function that it calls: apart.cu:18." "$scratch/apart"
# One line that calls what reads and what writes: which is which.
sed 's/return s\[63.*/s[threadIdx.x]++;\n    &/' "$scratch/mirror.h" >"$scratch/both.h"
sed 's/mirror.h/both.h/' "$scratch/apart.cu" >"$scratch/both.cu"
expect 0 "" "$simcc" --extended-lambda "$scratch/both.cu" -o "$scratch/both"
expect 0 "Line 7 reads it in a function that it calls: both.h:4. Line 7 writes it in a function that it calls: both.h:3." "$scratch/both"

# Device code in several files: declared in one, defined in another; in one step, and in two.
cat >"$scratch/one.cu" <<'END'
#include <cstdio>
extern __device__ int offset;
extern __device__ float helper(float x, int i);
__device__ int counter = 3;
static __device__ float own(float x) { return x + 1; }
void launch_other(float *x);
__global__ void use(float *x) { x[threadIdx.x] = helper(own(threadIdx.x), threadIdx.x) + offset; }
int main()
{
    float *x;
    int other_offset = 1000;
    cudaMallocManaged(&x, 32 * sizeof(float));
    use<<<1, 32>>>(x);
    cudaDeviceSynchronize();
    printf("%g %g", x[0], x[31]);
    cudaMemcpyToSymbol(offset, &other_offset, sizeof offset);
    use<<<1, 32>>>(x);
    cudaDeviceSynchronize();
    printf(" %g", x[1]);
    launch_other(x);
    printf(" %g %s\n", x[2], cudaGetErrorName(cudaDeviceSynchronize()));
}
END
cat >"$scratch/two.cu" <<'END'
__device__ int offset = 100;
extern __device__ int counter;
__constant__ float factor[2] = {2, 3};
static __device__ float own(float x) { return x + 2; }
__device__ float helper(float x, int i) { return own(x) * factor[i & 1]; }
__global__ void other(float *x) { x[threadIdx.x] = 7 + counter; }
void launch_other(float *x)
{
    other<<<1, 4>>>(x);
    cudaDeviceSynchronize();
}
END
expect 0 "" "$simcc" -rdc=true "$scratch/one.cu" "$scratch/two.cu" -o "$scratch/linked"
expect 0 "106 202 1012 10 cudaSuccess" "$scratch/linked"
expect 0 "" "$simcc" -dc "$scratch/one.cu" -o "$scratch/one.o"
expect 0 "" "$simcc" -rdc=true -c "$scratch/two.cu" -o "$scratch/two.o"
expect 0 "" "$simcc" "$scratch/two.o" "$scratch/one.o" -o "$scratch/linked"
expect 0 "106 202 1012 10 cudaSuccess" "$scratch/linked"

short_ends_here

# Kernels that launch kernels: parameters, order, an own stream, recursion, what cannot be launched.
cat >"$scratch/parent.cu" <<'END'
#include <cstdio>
struct pair { char c; double d; };
__device__ int steps;
__global__ void child(int *x, char a, pair p, short b)
{
    __shared__ int sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, a + b + (int)p.d + p.c);
    __syncthreads();
    if (threadIdx.x == 0)
        x[blockIdx.x] += sum;
}
__global__ void halve(int *x, int n, int depth)
{
    if (threadIdx.x == 0)
        steps++;
    x[threadIdx.x] += depth;
    if (threadIdx.x == 0 && n > 1)
        halve<<<1, n / 2>>>(x + n / 2, n / 2, depth + 1);
}
__global__ void say(int i) { printf("%d", i); }
__global__ void parent(int *x, int *errors)
{
    if (threadIdx.x != 0)
        return;
    x[0] = x[1] = 1000;
    child<<<2, 32>>>(x, 'a', {'b', 2.5}, -7);
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    say<<<1, 1, 0, s>>>(1);
    say<<<1, 1, 0, s>>>(2);
    cudaStreamDestroy(s);
    say<<<1, 2048>>>(9);
    errors[0] = cudaGetLastError();
    errors[1] = cudaGetLastError();
    printf("%s ", cudaGetErrorString((cudaError_t)errors[0]));
    halve<<<1, 8>>>(x + 2, 8, 1);
    cudaMemsetAsync(x + 10, 1, sizeof(int), 0);
    cudaMemcpyAsync(x + 11, x, sizeof(int), cudaMemcpyDeviceToDevice, 0);
}
int main()
{
    int *x, *errors, done = 0;
    cudaMallocManaged(&x, 64 * sizeof(int));
    cudaMallocManaged(&errors, 2 * sizeof(int));
    for (int i = 0; i < 64; i++)
        x[i] = 0;
    parent<<<1, 32>>>(x, errors);
    cudaError_t error = cudaDeviceSynchronize();
    cudaMemcpyFromSymbol(&done, steps, sizeof done);
    printf(" %s", cudaGetErrorName(error));
    for (int i = 0; i < 12; i++)
        printf(" %d", x[i]);
    printf(", %d steps, errors %d %d\n", done, errors[0], errors[1]);
}
END
expect 0 "" "$simcc" -rdc=true "$scratch/parent.cu" -o "$scratch/parent" -lcudadevrt
expect 0 "invalid configuration argument 12 cudaSuccess 7080 7080 1 1 1 1 3 3 6 10 16843009 7080, 4 steps, errors 9 0" "$scratch/parent"
expect_not "simulator"
# What is wrong with memory that a kernel has allocated: the line of its cudaMalloc, and who launched
# the kernel that stopped.
cat >"$scratch/heir.cu" <<'END'
#include <cstdio>
__global__ void heir(int *p, int n) { p[n] = 1; }
__global__ void leaves()
{
    int *p;
    cudaMalloc(&p, 4 * sizeof *p);
    printf("%d\n", p[1] == 7);
    heir<<<1, 1>>>(p, 4);
}
int main()
{
    leaves<<<1, 1>>>();
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
END
expect 0 "" "$simcc" -rdc=true "$scratch/heir.cu" -o "$scratch/heir"
expect 0 "heir: the kernel stopped (launched by a kernel of the launch at heir.cu:12)" "$scratch/heir"
expect 0 "at index 4 of the allocation of heir.cu:6, which has 4 elements" "$scratch/heir"
expect 0 "element 1 of the allocation of heir.cu:6 (16 bytes)" "$scratch/heir"

# Recursion needs the stack that the program asks for; an overflow is told with the line, the depth and the size that
# ptxas has laid out, with relocatable code and without, optimized or not.
cat >"$scratch/deep.cu" <<'END'
#include <cstdio>
#include <cstdlib>
__device__ int sum(const int *x, int n)
{
    if (n == 0)
        return 0;
    int rest = sum(x, n - 1);
    return rest + x[(rest + n) % 64];
}
__global__ void dive(const int *x, int *out, int n) { out[threadIdx.x] = sum(x, n); }
int main(int argc, char **argv)
{
    int *x;
    cudaMallocManaged(&x, 64 * sizeof *x);
    for (int i = 0; i < 64; i++)
        x[i] = 1;
    if (argc > 1)
        cudaDeviceSetLimit(cudaLimitStackSize, atoi(argv[1]));
    dive<<<1, 1>>>(x, x, argc > 2 ? atoi(argv[2]) : 5000);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s %d\n", cudaGetErrorName(error), x[0]);
}
END
for options in "" -G -rdc=true; do
    expect 0 "" "$simcc" $options "$scratch/deep.cu" -o "$scratch/deep"
    expect 0 "deep.cu:7: thread (0,0,0) of block (0,0,0) calls sum too deep: stack overflow at call depth" "$scratch/deep"
    expect 0 "and a thread has 1024 (cudaLimitStackSize)" "$scratch/deep"
    expect 0 "cudaErrorLaunchFailure 1" "$scratch/deep"
    expect 0 "cudaSuccess 5000" "$scratch/deep" 400000
    expect 0 "cudaSuccess 20" "$scratch/deep" 1024 20
done

# What takes long says so: to people, or if told to.
cat >"$scratch/long.cu" <<'END'
__global__ void spin(int *x, int n)
{
    volatile int *mine = &x[blockIdx.x * 32 + threadIdx.x];
    for (int i = 0; i < n; i++)
        *mine = *mine * 5 + i;
}
int main()
{
    int *x;
    cudaMalloc(&x, 384);
    cudaMemset(x, 0, 384);
    spin<<<1, 32>>>(x, 1);
    spin<<<3, 32>>>(x, 600000);
    return cudaDeviceSynchronize() != cudaSuccess;
}
END
expect 0 "" "$simcc" "$scratch/long.cu" -o "$scratch/long"
expect 0 "s so far: launch 2, kernel spin, block " env LABS_SIM_PROGRESS=1 "$scratch/long"
expect 0 "(LABS_SIM_HAZARDS=0 does not look for hazards, and is faster)" env LABS_SIM_PROGRESS=1 "$scratch/long"
expect 0 "" env LABS_SIM_HAZARDS=0 "$scratch/long"
expect_not "simulator"
expect 2 "LABS_SIM_PROGRESS=soon: expected a whole number" env LABS_SIM_PROGRESS=soon "$scratch/long"

# What cannot work says so.
expect 2 "no input file" "$simcc"
printf '#include <cublas_v2.h>\nint main() { cublasHandle_t h; return cublasCreate(&h); }\n' >"$scratch/blas.cu"
expect 0 "" "$simcc" "$scratch/race.cu" -lcublas -lcurand_static -lcuda -lm -o "$scratch/race" # which it does not use
expect 2 "cannot run on the simulator" "$simcc" "$scratch/blas.cu" -lcublas -o "$scratch/blas"
expect 2 "cublasCreate_v2" "$simcc" "$scratch/blas.cu" -o "$scratch/blas"
expect 2 "cannot run on the simulator" "$simcc" "$scratch/blas.cu" -o "$scratch/blas"
printf '#include <cuda.h>\nint main() { return cuInit(0); }\n' >"$scratch/driver.cu"
expect 2 "not the driver API" "$simcc" "$scratch/driver.cu" -o "$scratch/driver"
printf '#!/bin/sh\necho "Cuda compilation tools, release 9.2, V9.2.148"\n' >"$scratch/nvcc"
chmod +x "$scratch/nvcc"
expect 2 "CUDA 9, libsim.a was built with CUDA" env NVCC="$scratch/nvcc" "$simcc" "$scratch/race.cu"
cat >"$scratch/assert.cu" <<'END'
#include <cassert>
__global__ void check(int n) { assert((int)threadIdx.x < n); }
int main() { check<<<2, 8>>>(6); return cudaDeviceSynchronize() != cudaErrorAssert; }
END
expect 0 "" "$simcc" "$scratch/assert.cu" -o "$scratch/assert"
expect 0 "assert.cu:2: void check(int): block: [0,0,0], thread: [7,0,0] Assertion \`(int)threadIdx.x < n\` failed." "$scratch/assert"
expect 2 "SIMCC_ARCH=native" env SIMCC_ARCH=native "$simcc" "$scratch/race.cu"
expect 2 "is not there" env NVCC=/no/nvcc "$simcc" "$scratch/race.cu"

# told LINE TEXT: told.cu says so, with that line.
told() {
    "$simcc" -g "$scratch/told.cu" -o "$scratch/told" || fail "$simcc $scratch/told.cu"
    output=$("$scratch/told" 2>&1)
    case $output in *"told.cu:$1"*"$2"*) ;; *) fail "line $1 or '$2' is not in:" "$output" ;; esac
}

# What no other call shows: where the launch is whose output never appears.
printf '%s\n' '#include <cstdio>' '__global__ void hello() { printf("hello\n"); }' 'int main()' '{' '    hello<<<1, 4>>>();' '}' >"$scratch/told.cu"
told 5 'were never shown'
# Host code that follows a pointer of the device, itself or in a function of the C library.
sed 's/.*hello<<<.*/    int *x; cudaMalloc(\&x, 128);\n    return x[1];/' "$scratch/told.cu" >"$scratch/told2.cu" && mv "$scratch/told2.cu" "$scratch/told.cu"
told 6 'used the device address'
sed -i 's/return x\[1\];/return puts((char *)x);/' "$scratch/told.cu"
told 6 'used the device address'
# The handle of an array is no address.
sed -i 's/    int \*x;.*/    cudaArray_t a; cudaChannelFormatDesc d = cudaCreateChannelDesc<int>(); cudaMallocArray(\&a, \&d, 32, 1);/
    s/return puts.*/return cudaMemcpy(a, \&d, 4, cudaMemcpyHostToDevice);/' "$scratch/told.cu"
told 6 'is a cudaArray_t'
