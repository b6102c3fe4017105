/*
 * Values of floating-point operations that C does not have: canonical NaNs, flushing and saturation, minimum and
 * maximum, approximations, results below the smallest normal number. See exec_simd_float.c.
 */
#pragma once

#include <math.h>

#include "sim/core/nan.h"
#include "sim/machine/exec_lanes.h"

static inline u32 bits_of(f32 x)
{
    u32 bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline f32 float_of(u32 bits)
{
    f32 x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline u64 bits_of_double(f64 x)
{
    u64 bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline f64 double_of(u64 bits)
{
    f64 x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* NaN results carry no payload. */
static inline f32 canonical(f32 x)
{
    return x != x ? float_of(0x7fffffff) : x;
}

static inline f32 flush(f32 x)
{
    u32 bits = bits_of(x);
    return float_of((bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits);
}

/* A NaN of f64 passes, made quiet: of two that of the operand that is named first. */
static inline f64 quiet(f64 x)
{
    return double_of(bits_of_double(x) | UINT64_C(1) << 51);
}

static inline f64 nan_or(f64 first, f64 second, f64 value)
{
    return first != first ? quiet(first) : second != second ? quiet(second) : value;
}

static inline f64 square_root(f64 x)
{
    return x < 0 ? double_or_nan(sqrt(x)) : sqrt(x);
}

static inline f32 saturate(f32 x)
{
    return x > 0 ? (x < 1 ? x : 1) : 0; /* NaN and -0 too become +0 */
}

static inline f64 saturate_double(f64 x)
{
    return x > 0 ? (x < 1 ? x : 1) : 0;
}

/* ---- min and max --------------------------------------------------------------------------------------- */

/* A NaN gives way to a number; -0 is less than +0. */
static inline f32 minimum(f32 x, f32 y)
{
    f32 less = x < y || (x == y && (bits_of(x) >> 31)) ? x : y;
    return canonical(x != x ? y : y != y ? x : less);
}

static inline f32 maximum(f32 x, f32 y)
{
    f32 more = x > y || (x == y && (bits_of(y) >> 31)) ? x : y;
    return canonical(x != x ? y : y != y ? x : more);
}

static inline f64 minimum_double(f64 x, f64 y)
{
    f64 less = x < y || (x == y && (bits_of_double(x) >> 63)) ? x : y;
    return x != x ? nan_or(y, y, y) : y != y ? x : less;
}

static inline f64 maximum_double(f64 x, f64 y)
{
    f64 more = x > y || (x == y && (bits_of_double(y) >> 63)) ? x : y;
    return x != x ? nan_or(y, y, y) : y != y ? x : more;
}

/* ---- results below the smallest normal number ---------------------------------------------------------- */

#define SMALLEST_NORMAL 0x1p-126

/*
 * .ftz flushes what is subnormal before it is rounded: these decide it where the rounded result is the
 * smallest normal number. Doubles hold products exactly, and the sums as two numbers.
 */
static inline bool tiny_product(f32 x, f32 y)
{
    return fabs((f64)x * y) < SMALLEST_NORMAL;
}

static inline bool tiny_quotient(f32 x, f32 y)
{
    return fabs((f64)x) < fabs((f64)y) * SMALLEST_NORMAL;
}

static inline bool tiny_sum(f32 x, f32 y, f32 z)
{
    const f64 product = (f64)x * y, sum = product + z;
    const f64 rest = fabs(product) < fabs((f64)z) ? product - (sum - z) : z - (sum - product);
    return fabs(sum) < SMALLEST_NORMAL || (fabs(sum) == SMALLEST_NORMAL && rest * sum < 0);
}

/* ---- approximations ------------------------------------------------------------------------------------ */

/* Computed in double and rounded once: errors are below those that the PTX ISA allows. */
static inline f32 approximate_sin(f32 x)
{
    return (f32)sin((f64)flush(x)); /* of a subnormal number: zero */
}

static inline f32 approximate_cos(f32 x)
{
    return (f32)cos((f64)x);
}

static inline f32 approximate_exp2(f32 x)
{
    return (f32)exp2((f64)x);
}

static inline f32 approximate_log2(f32 x)
{
    return (f32)log2((f64)x);
}

static inline f32 approximate_tanh(f32 x)
{
    return (f32)tanh((f64)x);
}

static inline f32 reciprocal_root(f32 x)
{
    return (f32)(1.0 / sqrt((f64)x));
}

/* div.approx: divisors above 2^126 give 0, or NaN for a dividend that is infinite or NaN. */
static inline f32 divide_approximately(f32 x, f32 y)
{
    f32 size = fabsf(y);
    if (size > 0x1p126f && size < INFINITY)
        return !(fabsf(x) < INFINITY) ? NAN : copysignf(0, x) * copysignf(1, y);
    return x / y;
}

/* rcp and rsqrt.approx.ftz.f64 know only the upper words of operand and result, and no subnormals. */
static inline f64 upper_word(f64 x)
{
    const u64 bits = bits_of_double(x) & ~UINT64_C(0xffffffff);
    return double_of((bits & UINT64_C(0x7ff) << 52) == 0 ? bits & UINT64_C(1) << 63 : bits);
}

/* ---- classes ------------------------------------------------------------------------------------------- */

static inline bool is_class(int class, enum float_test test)
{
    switch (test) {
    case TEST_FINITE: return class != FP_NAN && class != FP_INFINITE;
    case TEST_INFINITE: return class == FP_INFINITE;
    case TEST_NUMBER: return class != FP_NAN;
    case TEST_NOTANUMBER: return class == FP_NAN;
    case TEST_NORMAL: return class == FP_NORMAL || class == FP_ZERO;
    case TEST_SUBNORMAL: return class == FP_SUBNORMAL;
    }
    return false;
}
