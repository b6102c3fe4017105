/* Special functions, conversions, divisions, and instructions on bits and bytes. */
#include <stddef.h>

#include "tests/gpu/kernels/kernels.h"

/* y = f applied `rounds` times. */
#define CHAIN_OF(name, T, expression)                                                                        \
    static __global__ void name(const float *x, T *y, int rounds)                                            \
    {                                                                                                        \
        T v = (T)x[INDEX];                                                                                   \
        for (int r = 0; r < rounds; r++) {                                                                   \
            v = expression;                                                                                  \
        }                                                                                                    \
        y[INDEX] = v;                                                                                        \
    }

CHAIN_OF(fast_sine, float, __sinf(v) + 0.5f)
CHAIN_OF(sine, float, sinf(v) + 0.5f)
CHAIN_OF(exponential, float, expf(-v))
CHAIN_OF(logarithm, float, logf(v + 1.5f))
CHAIN_OF(square_root, float, sqrtf(v + 1.5f))
CHAIN_OF(fast_square_root, float, __fsqrt_rn(v) + __frsqrt_rn(v + 1))
CHAIN_OF(division, float, (v + 3.0f) / (v * v + 1.0f))
CHAIN_OF(fast_division, float, __fdividef(v + 3.0f, v *v + 1.0f))
CHAIN_OF(power, float, powf(v + 0.1f, 0.7f))
CHAIN_OF(hyperbolic_tangent, float, tanhf(v + 0.3f))
CHAIN_OF(double_division, double, (v + 3.0) / (v * v + 1.0))
CHAIN_OF(double_exponential, double, exp(-v))
CHAIN_OF(double_square_root, double, sqrt(v + 1.5))
CHAIN_OF(float_to_integer, float, (float)((int)(v * 3.5f) & 1023) + 1.5f)
CHAIN_OF(float_to_double, float, (float)((double)v * 0.999) + 0.25f)
CHAIN_OF(round_and_floor, float, v + 0.3f - floorf(v) + rintf(v * 0.5f) - truncf(v * 0.25f))

/* Four independent sine approximations: the unit for special functions, not its latency. */
static __global__ void special_unit(const float *x, float *y, int rounds)
{
    float a = x[INDEX], b = a + 1, c = a + 2, d = a + 3;
    for (int r = 0; r < rounds; r++) {
        a = __cosf(a);
        b = __expf(-b);
        c = rsqrtf(c);
        d = __log2f(d) + 2;
    }
    y[INDEX] = a + b + c + d;
}

#define CHAIN_OF_INTEGERS(name, expression)                                                                  \
    static __global__ void name(const unsigned *u, unsigned *y, int rounds, unsigned d)                      \
    {                                                                                                        \
        unsigned v = u[INDEX];                                                                               \
        for (int r = 0; r < rounds; r++) {                                                                   \
            v = expression;                                                                                  \
        }                                                                                                    \
        y[INDEX] = v;                                                                                        \
    }

CHAIN_OF_INTEGERS(integer_division, (v / (d + r)) ^ 0xabcdef01u)
CHAIN_OF_INTEGERS(integer_modulo, v % (d + r) * 40503u + 77777777u)
CHAIN_OF_INTEGERS(division_by_7, v / 7 + d * 0x1234567u)
CHAIN_OF_INTEGERS(population_count, v *d + __popc(v ^ r))
CHAIN_OF_INTEGERS(leading_zeros, v + (d << __clz(v)) + __ffs(v))
CHAIN_OF_INTEGERS(reverse_bits, __brev(v) + d)
CHAIN_OF_INTEGERS(byte_permute, __byte_perm(v, d, 0x1302) + r)
CHAIN_OF_INTEGERS(funnel_shift, __funnelshift_l(v, d, r) + v)
CHAIN_OF_INTEGERS(dot_of_bytes, __dp4a((int)v, (int)d, (int)v))
CHAIN_OF_INTEGERS(multiply_high, __umulhi(v, d) + v * 5)

static __global__ void bytes_to_floats(const uchar4 *u, float4 *y)
{
    const uchar4 v = u[INDEX];
    y[INDEX] = make_float4(v.x / 255.0f, v.y / 255.0f, v.z / 255.0f, v.w / 255.0f);
}

/* Sine, exponential and square root of what memory gives: one of each per element. */
static __global__ void functions_of_stream(const float *x, float *y)
{
    const float v = x[INDEX];
    y[INDEX] = sinf(v) + expf(v) * sqrtf(v);
}

#define FULL <<<b->sms * 8, 256>>>
#define ROW(function, ...)                                                                                   \
    {                                                                                                        \
#function, "functions", {__VA_ARGS__ }, RUN(function FULL(b->x, b->y, n))                            \
    }
#define ROW_DOUBLE(function, ...)                                                                            \
    {                                                                                                        \
#function, "functions", {__VA_ARGS__ }, RUN(function FULL(b->x, (double *)b->y, n))                  \
    }
#define ROW_INTEGER(function, ...)                                                                           \
    {                                                                                                        \
#function, "bits", {__VA_ARGS__ }, RUN(function FULL(b->u, (unsigned *)b->y, n, 0x9e3779b1u))        \
    }
#define ROW_DIVISION(function, ...)                                                                          \
    {                                                                                                        \
#function, "bits", {__VA_ARGS__ }, RUN(function FULL(b->u, (unsigned *)b->y, n, 1001))               \
    }

const struct model_kernel model_functions[] = {
    ROW(fast_sine, 128, 512, 1024),
    ROW(sine, 8, 32, 128),
    ROW(exponential, 16, 64, 256),
    ROW(logarithm, 8, 32, 128),
    ROW(square_root, 64, 256, 1024),
    ROW(fast_square_root, 8, 32, 128),
    ROW(division, 32, 256, 1024),
    ROW(fast_division, 64, 256, 1024),
    ROW(power, 4, 8, 32),
    ROW(hyperbolic_tangent, 16, 64, 256),
    ROW_DOUBLE(double_division, 32, 128, 512),
    ROW_DOUBLE(double_exponential, 8, 32, 128),
    ROW_DOUBLE(double_square_root, 32, 128, 512),
    ROW(float_to_integer, 64, 256, 512),
    ROW(float_to_double, 64, 256, 1024),
    ROW(round_and_floor, 32, 128, 512),
    ROW(special_unit, 32, 128, 512),
    ROW_DIVISION(integer_division, 32, 128, 512),
    ROW_DIVISION(integer_modulo, 32, 128, 512),
    ROW_INTEGER(division_by_7, 32, 128, 512),
    ROW_INTEGER(population_count, 64, 256, 1024),
    ROW_INTEGER(leading_zeros, 32, 128, 512),
    ROW_INTEGER(reverse_bits, 128, 512, 1024),
    ROW_INTEGER(byte_permute, 64, 256, 1024),
    ROW_INTEGER(funnel_shift, 64, 256, 1024),
    ROW_INTEGER(dot_of_bytes, 128, 512, 2048),
    ROW_INTEGER(multiply_high, 128, 512, 1024),
    {"bytes_to_floats",
     "functions",
     {1 << 20, 1 << 22, 1 << 24},
     RUN(bytes_to_floats<<<n / 256, 256>>>((const uchar4 *)b->u, (float4 *)b->y))},
    {"functions_of_stream",
     "functions",
     {1 << 20, 1 << 22, 1 << 24},
     RUN(functions_of_stream<<<n / 256, 256>>>(b->x, b->y))},
    END,
};
