/*
 * Numbers of 16 bits: IEEE 754 half precision (f16: 5 bits of exponent, 10 of fraction) and bfloat16
 * (bf16: 8 and 7). Exact both ways; narrowing rounds once, from a double that holds the value exactly.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "sim/core/code.h"

struct small_float {
    int fraction_bits;
    int exponent_max; /* of the largest finite number: 15, 127 */
    uint16_t infinity, nan;
};

static const struct small_float format_f16 = {10, 15, 0x7c00, 0x7fff};
static const struct small_float format_bf16 = {7, 127, 0x7f80, 0x7fff};

static inline double small_to_double(const struct small_float *format, uint16_t bits)
{
    int fraction_bits = format->fraction_bits;
    uint64_t sign = (uint64_t)(bits >> 15) << 63, out;
    int exponent = (bits & 0x7fff) >> fraction_bits;
    uint64_t fraction = bits & ((1u << fraction_bits) - 1);
    double value;
    if ((bits & 0x7fff) >= format->infinity) {
        out = sign | UINT64_C(0x7ff) << 52 | fraction << (52 - fraction_bits);
    } else if (exponent == 0) { /* subnormal: fraction * 2^(1 - exponent_max - fraction_bits) */
        uint64_t unit = (uint64_t)(1 - format->exponent_max - fraction_bits + 1023) << 52;
        memcpy(&value, &unit, sizeof value);
        value *= (double)fraction;
        memcpy(&out, &value, sizeof out);
        out |= sign;
    } else {
        out = sign | (uint64_t)(exponent - format->exponent_max + 1023) << 52 |
              fraction << (52 - fraction_bits);
    }
    memcpy(&value, &out, sizeof value);
    return value;
}

/* Whether a magnitude with a remainder below the last place is rounded away from zero. */
static inline bool rounds_up(enum rounding mode, bool negative, bool odd, uint64_t rest, uint64_t half)
{
    switch (mode) {
    case ROUND_NEAREST: return rest > half || (rest == half && odd);
    case ROUND_DOWN: return negative && rest;
    case ROUND_UP: return !negative && rest;
    case ROUND_ZERO: break;
    }
    return false;
}

static inline uint16_t small_from_double(const struct small_float *format, double value, enum rounding mode)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bool negative = bits >> 63;
    uint16_t sign = negative ? 0x8000 : 0;
    int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    if (exponent == 1024)
        return fraction ? format->nan : sign | format->infinity;
    if (exponent == -1023) { /* zero, or far below the smallest subnormal */
        bool up = fraction && rounds_up(mode, negative, false, 1, 2);
        return (uint16_t)(sign | (up ? 1 : 0));
    }
    uint64_t significand = fraction | UINT64_C(1) << 52;
    int least = 1 - format->exponent_max, drop = 52 - format->fraction_bits;
    if (exponent < least)
        drop += least - exponent;
    if (drop > 63)
        return (uint16_t)(sign | (rounds_up(mode, negative, false, 1, 2) ? 1 : 0));
    uint64_t kept = significand >> drop, rest = significand & ((UINT64_C(1) << drop) - 1);
    kept += rounds_up(mode, negative, kept & 1, rest, UINT64_C(1) << (drop - 1));
    /* A carry into the exponent field is what the sum makes of it. */
    uint64_t biased = exponent < least ? 0 : (uint64_t)(exponent - least);
    uint64_t result = (biased << format->fraction_bits) + kept;
    if (result >= format->infinity) {
        bool away =
            mode == ROUND_NEAREST || (mode == ROUND_UP && !negative) || (mode == ROUND_DOWN && negative);
        result = away ? format->infinity : (uint64_t)format->infinity - 1;
    }
    return (uint16_t)(sign | result);
}

/* ---- the same between float and both formats, without branches ----------------------------------------- */

static inline uint32_t half_float_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float half_bits_float(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* f16 to float: exponents are moved by a multiplication, which makes subnormals right too. */
static inline float f16_to_float(uint16_t half)
{
    float size = half_bits_float((half & 0x7fffu) << 13) * 0x1p112f;
    uint32_t bits = half_float_bits(size) | (uint32_t)(half & 0x8000u) << 16;
    return half_bits_float((half & 0x7c00u) == 0x7c00u ? bits | 0x7f800000u : bits);
}

/* Rounds to nearest even. A sum with 2^(e + 13) lets the processor round subnormals at the right place. */
static inline uint16_t f16_from_float(float x)
{
    uint32_t bits = half_float_bits(x), sign = bits >> 16 & 0x8000u, size = bits & 0x7fffffffu;
    uint32_t tiny = half_float_bits(half_bits_float(size) + 0.5f) - 0x3f000000u;
    uint32_t normal = (size + 0x0fffu + (size >> 13 & 1) - (112u << 23)) >> 13;
    uint32_t result = size < 0x38800000u ? tiny : normal;
    result = size >= 0x477ff000u ? 0x7c00u : result;
    return (uint16_t)(size > 0x7f800000u ? 0x7fffu : result | sign);
}

static inline float bf16_to_float(uint16_t half)
{
    return half_bits_float((uint32_t)half << 16);
}

static inline uint16_t bf16_from_float(float x)
{
    uint32_t bits = half_float_bits(x);
    uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
    return (uint16_t)(x != x ? 0x7fffu : rounded);
}

/* ---- sums and products: floats have more than twice the digits, so that rounding twice does no harm ---- */

static inline uint16_t f16_add(uint16_t x, uint16_t y)
{
    return f16_from_float(f16_to_float(x) + f16_to_float(y));
}

static inline uint16_t bf16_add(uint16_t x, uint16_t y)
{
    return bf16_from_float(bf16_to_float(x) + bf16_to_float(y));
}
