/* Kernels of many kinds, so that nvcc writes PTX of many kinds: compiled by test_toolkits.c, never run. */
#include <stdio.h>
#include <cuda_fp16.h>

__device__ float table[4] = {1.f, 2.f, 3.f, 4.f};
__device__ int counter;
__constant__ double coefficients[16];
__constant__ char message[] = "hello \"x\"\n";
__device__ const char *names[2] = {"a", "bc"};
__device__ int *pointer = &counter;
__device__ float *inside = &table[2];
struct record {
    int a;
    float b;
    char c[3];
    double d;
    void *p;
};
__device__ record records[2] = {{1, 2.f, {'a', 'b', 'c'}, 3.0, &counter}, {5, 6.f, {'x'}, 7.0, NULL}};
struct __attribute__((packed)) tight {
    char a;
    int *p;
    char t[3];
};
__device__ tight packed_record = {1, &counter, {2, 3, 4}};
extern __shared__ float dynamic[];

__device__ int add(int a, int b)
{
    return a + b;
}
__device__ int subtract(int a, int b)
{
    return a - b;
}
typedef int (*function)(int, int);
__device__ function const functions[2] = {add, subtract};

__device__ __attribute__((noinline)) float take(float x, record s)
{
    return x * s.b + s.c[1];
}
__device__ __attribute__((noinline)) record give(int x)
{
    record s = {x, x * 2.f, {1, 2, 3}, 1.0, NULL};
    return s;
}
__device__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__global__ void reduce(const float *x, float *y, int n)
{
    int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    dynamic[tid] = i < n ? x[i] : 0.f;
    __syncthreads();
    for (int o = blockDim.x >> 1; o > 0; o >>= 1) {
        if (tid < o)
            dynamic[tid] += dynamic[tid + o];
        __syncthreads();
    }
    if (tid == 0)
        y[blockIdx.x] = dynamic[0];
}

__global__ void transpose(const float *a, float *b, int n)
{
    __shared__ float t[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    if (x < n && y < n)
        t[threadIdx.y][threadIdx.x] = a[y * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    if (x < n && y < n)
        b[y * n + x] = t[threadIdx.x][threadIdx.y];
}

__global__ void matmul(const double *a, const double *b, double *c, int n)
{
    __shared__ double ta[16][16], tb[16][16];
    int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    double sum = 0;
    for (int k = 0; k < n; k += 16) {
        ta[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
        tb[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += ta[threadIdx.y][i] * tb[i][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

__global__ void prints(int n)
{
    printf("hi %d %s %f\n", n, names[n & 1], table[n & 3]);
}

__global__ void calls(float *y, int n)
{
    record s = give(n);
    s.a += records[n & 1].a;
    y[threadIdx.x] = take(y[threadIdx.x], s) + functions[n & 1](n, 3) + coefficients[n & 15] +
                     message[n & 7] + fibonacci(n) + *inside + packed_record.t[n & 1] + *packed_record.p;
    atomicAdd(&counter, *pointer);
}

__global__ void __launch_bounds__(128, 4) bounded(double *x, long n)
{
    for (long i = threadIdx.x; i < n; i += blockDim.x) {
        switch (i % 9) {
        case 0: x[i] = sqrt(x[i]); break;
        case 1: x[i] = exp(x[i]); break;
        case 2: x[i] = sin(x[i]); break;
        case 3: x[i] = log(x[i]); break;
        case 4: x[i] = pow(x[i], 2.5); break;
        case 5: x[i] *= 3; break;
        case 6: x[i] = erf(x[i]); break;
        default: x[i] = 0;
        }
    }
}

__global__ void vectors(float4 *a, const float4 *b, int2 *c)
{
    float4 v = __ldg(&b[threadIdx.x]);
    v.x += 1e-3f;
    a[threadIdx.x] = v;
    c[threadIdx.x].x = (int)v.y;
    int2 q = c[3];
    q.y++;
    c[4] = q;
}

__global__ void lanes(int *x)
{
    int v = x[threadIdx.x], all;
    for (int o = 16; o > 0; o >>= 1)
        v += __shfl_down_sync(~0u, v, o);
    v += __ballot_sync(~0u, v > 3) + __any_sync(~0u, v) + __popc(__activemask()) + __match_any_sync(~0u, v);
    x[threadIdx.x] = v;
    x[1] += __match_all_sync(~0u, v, &all) + all;
}

__global__ void halves(__half *h, __half2 *g)
{
    h[threadIdx.x] = __hadd(h[threadIdx.x], __float2half(1.5f));
    g[threadIdx.x] = __hfma2(g[0], g[1], g[2]);
}

__global__ void spin(int *lock)
{
    while (atomicCAS(lock, 0, 1))
        __nanosleep(10);
    __threadfence();
    atomicExch(lock, 0);
}

__global__ void local_array(int *x, int n)
{
    int a[64];
    for (int i = 0; i < 64; i++)
        a[i] = x[i] * n;
    for (int i = 0; i < n; i++)
        a[a[i] & 63]++;
    x[threadIdx.x] = a[n & 63];
}

__global__ void leaves(int n)
{
    if (n > 3)
        __trap();
    asm volatile("exit;");
}

template <typename T, int N> __global__ void made(T *x)
{
#pragma unroll 1
    for (int i = 0; i < N; i++)
        x[i] += T(i);
}
template __global__ void made<float, 3>(float *);
template __global__ void made<long long, 5>(long long *);

__global__ void assembly(unsigned *x)
{
    unsigned r;
    asm volatile("{\n .reg .pred p;\n .reg .u32 %%t<4>;\n setp.ne.u32 p, %1, 0;\n @p mov.u32 %%t0, 3;\n"
                 " @!p mov.u32 %%t0, 4;\n L1: add.u32 %0, %%t0, 1;\n}"
                 : "=r"(r)
                 : "r"(x[0]));
    x[1] = r;
}
