/* Arithmetic: FP32, FP64, integers, half precision, mixtures; chains side by side, at high and low occupancy. */
#include <cuda_fp16.h>
#include <stddef.h>

#include "tests/gpu/kernels/kernels.h"

/* `chains` independent chains of dependent multiply-adds per thread. */
template <typename T, int chains> static __global__ void multiply_add(const float *x, T *y, int rounds)
{
    T v[chains];
    const T a = (T)0.999, c = (T)(x[threadIdx.x]);
#pragma unroll
    for (int k = 0; k < chains; k++) {
        v[k] = c + (T)k;
    }
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int k = 0; k < chains; k++) {
            v[k] = v[k] * a + c;
        }
    }
    T sum = 0;
#pragma unroll
    for (int k = 0; k < chains; k++) {
        sum += v[k];
    }
    y[INDEX] = sum;
}

template <int chains> static __global__ void integer_add(const unsigned *u, unsigned *y, int rounds)
{
    unsigned v[chains];
#pragma unroll
    for (int k = 0; k < chains; k++) {
        v[k] = u[INDEX] + k;
    }
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int k = 0; k < chains; k++) {
            v[k] = (v[k] + r) ^ (v[(k + 1) % chains] << 1);
        }
    }
    unsigned sum = 0;
#pragma unroll
    for (int k = 0; k < chains; k++) {
        sum += v[k];
    }
    y[INDEX] = sum;
}

template <int chains> static __global__ void integer_multiply_add(const unsigned *u, unsigned *y, int rounds)
{
    unsigned v[chains];
    const unsigned a = u[threadIdx.x] | 1;
#pragma unroll
    for (int k = 0; k < chains; k++) {
        v[k] = u[INDEX] + k;
    }
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int k = 0; k < chains; k++) {
            v[k] = v[k] * a + 12345u;
        }
    }
    unsigned sum = 0;
#pragma unroll
    for (int k = 0; k < chains; k++) {
        sum ^= v[k];
    }
    y[INDEX] = sum;
}

static __global__ void integer_64_bits(const unsigned *u, unsigned long long *y, int rounds)
{
    unsigned long long v = u[INDEX], w = v << 20 | 1;
    for (int r = 0; r < rounds; r++) {
        v = v * w + 12345;
        w += v >> 33;
    }
    y[INDEX] = v ^ w;
}

/* xorshift: shifts and logic, one chain. */
static __global__ void xor_shift(const unsigned *u, unsigned *y, int rounds)
{
    unsigned v = u[INDEX] | 1;
    for (int r = 0; r < rounds; r++) {
        v ^= v << 13;
        v ^= v >> 17;
        v ^= v << 5;
    }
    y[INDEX] = v;
}

/* As many multiply-adds as integer operations, independent of one another. */
static __global__ void float_and_integer(const float *x, float *y, int rounds)
{
    float v = x[INDEX], w = v + 1;
    int i = threadIdx.x, j = i + 7;
    for (int r = 0; r < rounds; r++) {
        v = v * 0.999f + 0.5f;
        i = (i ^ r) + 3;
        w = w * 0.998f + 0.25f;
        j = (j ^ i) + 5;
    }
    y[INDEX] = v + w + (i ^ j);
}

static __global__ void float_and_double(const float *x, double *y, int rounds)
{
    float v = x[INDEX], w = v + 1;
    double d = v, e = w;
    for (int r = 0; r < rounds; r++) {
        v = v * 0.999f + 0.5f;
        w = w * 0.998f + 0.25f;
        d = d * 0.999 + 0.5;
        e = e * 0.998 + 0.25;
    }
    y[INDEX] = v + w + d + e;
}

static __global__ void half2_multiply_add(const float *x, float *y, int rounds)
{
    half2 v[4];
    const half2 a = __float2half2_rn(0.99f), c = __float2half2_rn(x[INDEX]);
    for (int k = 0; k < 4; k++) {
        v[k] = __float2half2_rn((float)k);
    }
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            v[k] = __hfma2(v[k], a, c);
        }
    }
    const half2 sum = __hadd2(__hadd2(v[0], v[1]), __hadd2(v[2], v[3]));
    y[INDEX] = __low2float(sum) + __high2float(sum);
}

/* A polynomial of degree 15 per element, eight elements per thread. */
static __global__ void polynomial(const float *x, float *y, int n)
{
    for (int i = INDEX; i < n; i += gridDim.x * blockDim.x) {
        const float v = x[i];
        float p = 0.1f;
#pragma unroll
        for (int k = 0; k < 15; k++) {
            p = p * v + (0.3f + k);
        }
        y[i] = p;
    }
}

static __global__ void min_max(const float *x, float *y, int rounds)
{
    float low = x[INDEX], high = low + 1, step = 0.01f;
    for (int r = 0; r < rounds; r++) {
        const float t = fminf(low + step, high);
        high = fmaxf(high - step, t);
        low = t;
        step = -step;
    }
    y[INDEX] = low + high;
}

static __global__ void compare_and_select(const unsigned *u, unsigned *y, int rounds)
{
    unsigned a = u[INDEX], b = a * 3, c = 0;
    for (int r = 0; r < rounds; r++) {
        c += a > b ? a - b : b + r;
        a = c < b ? a + 5 : a - 3;
        b = (a & 64) ? b + 1 : b ^ c;
    }
    y[INDEX] = a ^ b ^ c;
}

#define Y(T) ((T *)b->y)
/* Full occupancy; one warp per scheduler; and half a wave. */
#define FULL <<<b->sms * 8, 256>>>
#define LOW  <<<b->sms, 128>>>

const struct model_kernel model_arithmetic[] = {
    {"fp32_1_chain", "FP32", {128, 512, 2048}, RUN(multiply_add<float, 1> FULL(b->x, b->y, n))},
    {"fp32_2_chains", "FP32", {128, 512, 1024}, RUN(multiply_add<float, 2> FULL(b->x, b->y, n))},
    {"fp32_8_chains", "FP32", {32, 128, 512}, RUN(multiply_add<float, 8> FULL(b->x, b->y, n))},
    {"fp32_1_chain_low_occupancy",
     "FP32",
     {4096, 8192, 32768},
     RUN(multiply_add<float, 1> LOW(b->x, b->y, n))},
    {"fp32_4_chains_low_occupancy",
     "FP32",
     {1024, 4096, 16384},
     RUN(multiply_add<float, 4> LOW(b->x, b->y, n))},
    {"fp32_8_chains_low_occupancy",
     "FP32",
     {512, 2048, 8192},
     RUN(multiply_add<float, 8> LOW(b->x, b->y, n))},
    {"fp64_1_chain", "FP64", {128, 512, 2048}, RUN(multiply_add<double, 1> FULL(b->x, Y(double), n))},
    {"fp64_4_chains", "FP64", {64, 256, 1024}, RUN(multiply_add<double, 4> FULL(b->x, Y(double), n))},
    {"fp64_2_chains_low_occupancy",
     "FP64",
     {2048, 8192, 32768},
     RUN(multiply_add<double, 2> LOW(b->x, Y(double), n))},
    {"integer_add_1", "integer", {64, 256, 1024}, RUN(integer_add<1> FULL(b->u, Y(unsigned), n))},
    {"integer_add_4", "integer", {32, 64, 256}, RUN(integer_add<4> FULL(b->u, Y(unsigned), n))},
    {"integer_multiply_add_1",
     "integer",
     {128, 512, 2048},
     RUN(integer_multiply_add<1> FULL(b->u, Y(unsigned), n))},
    {"integer_multiply_add_4",
     "integer",
     {64, 256, 1024},
     RUN(integer_multiply_add<4> FULL(b->u, Y(unsigned), n))},
    {"integer_add_low_occupancy",
     "integer",
     {1024, 4096, 16384},
     RUN(integer_add<1> LOW(b->u, Y(unsigned), n))},
    {"integer_64_bits",
     "integer",
     {64, 256, 1024},
     RUN(integer_64_bits FULL(b->u, Y(unsigned long long), n))},
    {"xor_shift", "integer", {64, 128, 512}, RUN(xor_shift FULL(b->u, Y(unsigned), n))},
    {"float_and_integer", "mixed", {32, 128, 512}, RUN(float_and_integer FULL(b->x, b->y, n))},
    {"float_and_double", "mixed", {64, 256, 1024}, RUN(float_and_double FULL(b->x, Y(double), n))},
    {"half2_multiply_add", "mixed", {8, 32, 128}, RUN(half2_multiply_add FULL(b->x, b->y, n))},
    {"polynomial", "mixed", {1 << 22, 1 << 23, 1 << 25}, RUN(polynomial<<<n / 2048, 256>>>(b->x, b->y, n))},
    {"min_max", "mixed", {64, 256, 1024}, RUN(min_max FULL(b->x, b->y, n))},
    {"compare_and_select", "mixed", {16, 64, 256}, RUN(compare_and_select FULL(b->u, Y(unsigned), n))},
    END,
};
