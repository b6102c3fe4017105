/*
 * Integer arithmetic and bits. Each row: the name under which the decoder finds the handler, the C function,
 * the types of destination and sources, and the value of one lane from x, y and z.
 *
 * Sums and products are computed without a sign, so that they wrap around as PTX wants it. Source: PTX ISA,
 * "Integer Arithmetic Instructions" and "Logic and Shift Instructions".
 */
#include "sim/machine/exec_lanes.h"
#include "sim/machine/exec_undefined.h"

typedef unsigned __int128 u128;
typedef __int128 s128;

/* What a GPU answers to a division by zero, for the remainder too: all ones. */
#define DIVIDE_U(T)                                                                                          \
    static inline T divide_##T(T x, T y)                                                                     \
    {                                                                                                        \
        return (T)(y ? x / y : (T) ~(T)0);                                                                   \
    }                                                                                                        \
    static inline T remainder_##T(T x, T y)                                                                  \
    {                                                                                                        \
        return (T)(y ? x % y : (T) ~(T)0);                                                                   \
    }
#define DIVIDE_S(T, U)                                                                                       \
    static inline T divide_##T(T x, T y)                                                                     \
    {                                                                                                        \
        return (T)(y == 0 ? -1 : y == -1 ? (T)((U)0 - (U)x) : (T)(x / y));                                   \
    }                                                                                                        \
    static inline T remainder_##T(T x, T y)                                                                  \
    {                                                                                                        \
        return (T)(y == 0 ? -1 : y == -1 ? 0 : x % y);                                                       \
    }
DIVIDE_U(u16)
DIVIDE_U(u32)
DIVIDE_U(u64)
DIVIDE_S(s16, u16)
DIVIDE_S(s32, u32)
DIVIDE_S(s64, u64)

static inline u32 reverse32(u32 x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}

static inline u64 reverse64(u64 x)
{
    return (u64)reverse32((u32)x) << 32 | reverse32((u32)(x >> 32));
}

static inline s32 saturate32(s64 x)
{
    return (s32)(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x);
}

/* Factors of 24 bits with a sign. */
static inline s64 product24(u32 x, u32 y)
{
    return (s64)((s32)(x << 8) >> 8) * ((s32)(y << 8) >> 8);
}

/* ---- two halves in a word ------------------------------------------------------------------------------ */

static inline u32 add_halves(u32 x, u32 y)
{
    return ((x & 0xffff0000u) + (y & 0xffff0000u)) | ((x + y) & 0xffff);
}

static inline u32 choose_unsigned_halves(u32 x, u32 y, bool larger)
{
    u32 result = 0;
    for (int shift = 0; shift < 32; shift += 16) {
        u32 a = x >> shift & 0xffff, b = y >> shift & 0xffff;
        result |= ((a < b) != larger ? a : b) << shift;
    }
    return result;
}

/* At least `least`: 0 for .relu. */
static inline u32 choose_signed_halves(u32 x, u32 y, bool larger, s16 least)
{
    u32 result = 0;
    for (int shift = 0; shift < 32; shift += 16) {
        s16 a = (s16)(x >> shift), b = (s16)(y >> shift), chosen = (a < b) != larger ? a : b;
        result |= (u32)(u16)(chosen < least ? least : chosen) << shift;
    }
    return result;
}

static inline u32 run_of_ones(u32 start, u32 count, bool wrap)
{
    if (wrap) {
        start &= 31;
        count &= 31;
    } else if (start > 31) {
        return 0;
    }
    u64 ones = count > 31 ? UINT64_C(0xffffffff) : (UINT64_C(1) << count) - 1;
    return (u32)(ones << start);
}

/* The place of the highest bit, or ~0; .shiftamt: how far it must be shifted to get to the top. */
static inline u32 highest(u64 x, bool shift, int width)
{
    if (!x)
        return ~0u;
    u32 place = 63u - (u32)__builtin_clzll(x);
    return shift ? (u32)width - 1 - place : place;
}

static inline u32 funnel_left(u32 low, u32 high, u32 n)
{
    return (u32)(((u64)high << 32 | low) << n >> 32);
}

static inline u32 funnel_right(u32 low, u32 high, u32 n)
{
    return (u32)(((u64)high << 32 | low) >> n);
}

static inline u32 at_most_32(u32 n)
{
    return n < 32 ? n : 32;
}

/* shf.l.clamp by 32 gives the low word; a 64-bit shift left by 32 would do the same. */
#define UNARY_OPS(X)                                                                                         \
    X("mov.b16", mov_b16, u16, u16, x)                                                                       \
    X("mov.b32", mov_b32, u32, u32, x)                                                                       \
    X("mov.b64", mov_b64, u64, u64, x)                                                                       \
    X("abs.s16", abs_s16, u16, s16, x < 0 ? 0u - (u32)x : (u32)x)                                            \
    X("abs.s32", abs_s32, u32, s32, x < 0 ? 0u - (u32)x : (u32)x)                                            \
    X("abs.s64", abs_s64, u64, s64, x < 0 ? 0u - (u64)x : (u64)x)                                            \
    X("neg.b16", neg_b16, u16, u16, 0u - x)                                                                  \
    X("neg.b32", neg_b32, u32, u32, 0u - x)                                                                  \
    X("neg.b64", neg_b64, u64, u64, 0u - x)                                                                  \
    X("not.b16", not_b16, u16, u16, ~x)                                                                      \
    X("not.b32", not_b32, u32, u32, ~x)                                                                      \
    X("not.b64", not_b64, u64, u64, ~x)                                                                      \
    X("cnot.b16", cnot_b16, u16, u16, x == 0)                                                                \
    X("cnot.b32", cnot_b32, u32, u32, x == 0)                                                                \
    X("cnot.b64", cnot_b64, u64, u64, x == 0)                                                                \
    X("popc.b32", popc_b32, u32, u32, __builtin_popcount(x))                                                 \
    X("popc.b64", popc_b64, u32, u64, __builtin_popcountll(x))                                               \
    X("clz.b32", clz_b32, u32, u32, x ? __builtin_clz(x) : 32)                                               \
    X("clz.b64", clz_b64, u32, u64, x ? __builtin_clzll(x) : 64)                                             \
    X("brev.b32", brev_b32, u32, u32, reverse32(x))                                                          \
    X("brev.b64", brev_b64, u64, u64, reverse64(x))                                                          \
    X("bfind.u32", bfind_u32, u32, u32, highest(x, false, 32))                                               \
    X("bfind.u64", bfind_u64, u32, u64, highest(x, false, 64))                                               \
    X("bfind.s32", bfind_s32, u32, s32, highest((u32)(x < 0 ? ~x : x), false, 32))                           \
    X("bfind.s64", bfind_s64, u32, s64, highest((u64)(x < 0 ? ~x : x), false, 64))                           \
    X("bfind.shiftamt.u32", bfind_shift_u32, u32, u32, highest(x, true, 32))                                 \
    X("bfind.shiftamt.u64", bfind_shift_u64, u32, u64, highest(x, true, 64))                                 \
    X("bfind.shiftamt.s32", bfind_shift_s32, u32, s32, highest((u32)(x < 0 ? ~x : x), true, 32))             \
    X("bfind.shiftamt.s64", bfind_shift_s64, u32, s64, highest((u64)(x < 0 ? ~x : x), true, 64))

#define BINARY_OPS(X)                                                                                        \
    X("add.b16", add_b16, u16, u16, u16, x + y)                                                              \
    X("add.b32", add_b32, u32, u32, u32, x + y)                                                              \
    X("add.b64", add_b64, u64, u64, u64, x + y)                                                              \
    X("add.sat.s32", add_sat_s32, s32, s32, s32, saturate32((s64)x + y))                                     \
    X("sub.b16", sub_b16, u16, u16, u16, x - y)                                                              \
    X("sub.b32", sub_b32, u32, u32, u32, x - y)                                                              \
    X("sub.b64", sub_b64, u64, u64, u64, x - y)                                                              \
    X("sub.sat.s32", sub_sat_s32, s32, s32, s32, saturate32((s64)x - y))                                     \
    X("mul.lo.b16", mul_lo_b16, u16, u16, u16, (u32)x *y)                                                    \
    X("mul.lo.b32", mul_lo_b32, u32, u32, u32, x *y)                                                         \
    X("mul.lo.b64", mul_lo_b64, u64, u64, u64, x *y)                                                         \
    X("mul.hi.u16", mul_hi_u16, u16, u16, u16, (u32)x *y >> 16)                                              \
    X("mul.hi.s16", mul_hi_s16, s16, s16, s16, (s32)x *y >> 16)                                              \
    X("mul.hi.u32", mul_hi_u32, u32, u32, u32, (u64)x *y >> 32)                                              \
    X("mul.hi.s32", mul_hi_s32, s32, s32, s32, (s64)x *y >> 32)                                              \
    X("mul.hi.u64", mul_hi_u64, u64, u64, u64, (u128)x *y >> 64)                                             \
    X("mul.hi.s64", mul_hi_s64, s64, s64, s64, (s128)x *y >> 64)                                             \
    X("mul.wide.u16", mul_wide_u16, u32, u16, u16, (u32)x *y)                                                \
    X("mul.wide.s16", mul_wide_s16, s32, s16, s16, (s32)x *y)                                                \
    X("mul.wide.u32", mul_wide_u32, u64, u32, u32, (u64)x *y)                                                \
    X("mul.wide.s32", mul_wide_s32, s64, s32, s32, (s64)x *y)                                                \
    X("mul24.lo.u32", mul24_lo_u32, u32, u32, u32, (u64)(x & 0xffffff) * (y & 0xffffff))                     \
    X("mul24.lo.s32", mul24_lo_s32, u32, u32, u32, (s64)((s32)(x << 8) >> 8) * ((s32)(y << 8) >> 8))         \
    X("mul24.hi.u32", mul24_hi_u32, u32, u32, u32, (u64)(x & 0xffffff) * (y & 0xffffff) >> 16)               \
    X("mul24.hi.s32", mul24_hi_s32, u32, u32, u32, product24(x, y) >> 16)                                    \
    X("add.u16x2", add_u16x2, u32, u32, u32, add_halves(x, y))                                               \
    X("add.s16x2", add_s16x2, u32, u32, u32, add_halves(x, y))                                               \
    X("min.u16x2", min_u16x2, u32, u32, u32, choose_unsigned_halves(x, y, false))                            \
    X("max.u16x2", max_u16x2, u32, u32, u32, choose_unsigned_halves(x, y, true))                             \
    X("min.s16x2", min_s16x2, u32, u32, u32, choose_signed_halves(x, y, false, INT16_MIN))                   \
    X("max.s16x2", max_s16x2, u32, u32, u32, choose_signed_halves(x, y, true, INT16_MIN))                    \
    X("min.relu.s16x2", min_relu_s16x2, u32, u32, u32, choose_signed_halves(x, y, false, 0))                 \
    X("max.relu.s16x2", max_relu_s16x2, u32, u32, u32, choose_signed_halves(x, y, true, 0))                  \
    X("min.relu.s32", min_relu_s32, s32, s32, s32, x < 0 || y < 0 ? 0 : x < y ? x : y)                       \
    X("max.relu.s32", max_relu_s32, s32, s32, s32, x > y ? (x < 0 ? 0 : x) : (y < 0 ? 0 : y))                \
    X("min.u16", min_u16, u16, u16, u16, x < y ? x : y)                                                      \
    X("min.u32", min_u32, u32, u32, u32, x < y ? x : y)                                                      \
    X("min.u64", min_u64, u64, u64, u64, x < y ? x : y)                                                      \
    X("min.s16", min_s16, s16, s16, s16, x < y ? x : y)                                                      \
    X("min.s32", min_s32, s32, s32, s32, x < y ? x : y)                                                      \
    X("min.s64", min_s64, s64, s64, s64, x < y ? x : y)                                                      \
    X("max.u16", max_u16, u16, u16, u16, x > y ? x : y)                                                      \
    X("max.u32", max_u32, u32, u32, u32, x > y ? x : y)                                                      \
    X("max.u64", max_u64, u64, u64, u64, x > y ? x : y)                                                      \
    X("max.s16", max_s16, s16, s16, s16, x > y ? x : y)                                                      \
    X("max.s32", max_s32, s32, s32, s32, x > y ? x : y)                                                      \
    X("max.s64", max_s64, s64, s64, s64, x > y ? x : y)                                                      \
    X("and.b16", and_b16, u16, u16, u16, x &y)                                                               \
    X("and.b32", and_b32, u32, u32, u32, x &y)                                                               \
    X("and.b64", and_b64, u64, u64, u64, x &y)                                                               \
    X("or.b16", or_b16, u16, u16, u16, x | y)                                                                \
    X("or.b32", or_b32, u32, u32, u32, x | y)                                                                \
    X("or.b64", or_b64, u64, u64, u64, x | y)                                                                \
    X("xor.b16", xor_b16, u16, u16, u16, x ^ y)                                                              \
    X("xor.b32", xor_b32, u32, u32, u32, x ^ y)                                                              \
    X("xor.b64", xor_b64, u64, u64, u64, x ^ y)                                                              \
    X("shl.b16", shl_b16, u16, u16, u32, y > 15 ? 0 : (u32)x << (y & 15))                                    \
    X("shl.b32", shl_b32, u32, u32, u32, y > 31 ? 0 : x << (y & 31))                                         \
    X("shl.b64", shl_b64, u64, u64, u32, y > 63 ? 0 : x << (y & 63))                                         \
    X("shr.b16", shr_b16, u16, u16, u32, y > 15 ? 0 : x >> (y & 15))                                         \
    X("shr.b32", shr_b32, u32, u32, u32, y > 31 ? 0 : x >> (y & 31))                                         \
    X("shr.b64", shr_b64, u64, u64, u32, y > 63 ? 0 : x >> (y & 63))                                         \
    X("shr.s16", shr_s16, s16, s16, u32, x >> (y > 15 ? 15 : y))                                             \
    X("shr.s32", shr_s32, s32, s32, u32, x >> (y > 31 ? 31 : y))                                             \
    X("shr.s64", shr_s64, s64, s64, u32, x >> (y > 63 ? 63 : y))                                             \
    X("bmsk.clamp.b32", bmsk_clamp, u32, u32, u32, run_of_ones(x, y, false))                                 \
    X("bmsk.wrap.b32", bmsk_wrap, u32, u32, u32, run_of_ones(x, y, true))                                    \
    X("szext.clamp.u32", szext_clamp_u32, u32, u32, u32, y > 31 ? x : x & ((1u << (y & 31)) - 1))            \
    X("szext.wrap.u32", szext_wrap_u32, u32, u32, u32, x &((1u << (y & 31)) - 1))                            \
    X("szext.clamp.s32", szext_clamp_s32, u32, u32, u32,                                                     \
      y == 0   ? 0                                                                                           \
      : y > 31 ? (s32)x                                                                                      \
               : (s32)(x << (32 - y)) >> (32 - y))                                                           \
    X("szext.wrap.s32", szext_wrap_s32, u32, u32, u32,                                                       \
      (y & 31) == 0 ? 0 : (s32)(x << (32 - (y & 31))) >> (32 - (y & 31)))

#define TERNARY_OPS(X)                                                                                       \
    X("mad.lo.b16", mad_lo_b16, u16, u16, u16, (u32)x *y + z)                                                \
    X("mad.lo.b32", mad_lo_b32, u32, u32, u32, x *y + z)                                                     \
    X("mad.lo.b64", mad_lo_b64, u64, u64, u64, x *y + z)                                                     \
    X("mad.hi.u32", mad_hi_u32, u32, u32, u32, ((u64)x * y >> 32) + z)                                       \
    X("mad.hi.s32", mad_hi_s32, u32, s32, u32, (u32)((s64)x * y >> 32) + z)                                  \
    X("mad.hi.u16", mad_hi_u16, u16, u16, u16, ((u32)x * y >> 16) + z)                                       \
    X("mad.hi.s16", mad_hi_s16, u16, s16, u16, (u32)((s32)x * y >> 16) + z)                                  \
    X("mad.hi.sat.s32", mad_hi_sat_s32, s32, s32, s32, saturate32(((s64)x * y >> 32) + z))                   \
    X("mad.hi.u64", mad_hi_u64, u64, u64, u64, (u64)((u128)x * y >> 64) + z)                                 \
    X("mad.hi.s64", mad_hi_s64, u64, s64, u64, (u64)((s128)x * y >> 64) + z)                                 \
    X("mad.wide.u16", mad_wide_u16, u32, u16, u32, (u32)x *y + z)                                            \
    X("mad.wide.s16", mad_wide_s16, u32, s16, u32, (u32)((s32)x * y) + z)                                    \
    X("mad.wide.u32", mad_wide_u32, u64, u32, u64, (u64)x *y + z)                                            \
    X("mad.wide.s32", mad_wide_s32, u64, s32, u64, (u64)((s64)x * y) + z)                                    \
    X("mad24.lo.u32", mad24_lo_u32, u32, u32, u32, (u64)(x & 0xffffff) * (y & 0xffffff) + z)                 \
    X("mad24.lo.s32", mad24_lo_s32, u32, u32, u32,                                                           \
      (u32)((s64)((s32)(x << 8) >> 8) * ((s32)(y << 8) >> 8)) + z)                                           \
    X("mad24.hi.u32", mad24_hi_u32, u32, u32, u32, ((u64)(x & 0xffffff) * (y & 0xffffff) >> 16) + z)         \
    X("mad24.hi.s32", mad24_hi_s32, u32, u32, u32, (u64)(product24(x, y) >> 16) + z)                         \
    X("mad24.hi.sat.s32", mad24_hi_sat_s32, s32, u32, s32, saturate32((product24(x, y) >> 16) + z))          \
    X("sad.u16", sad_u16, u16, u16, u16, (x < y ? y - x : x - y) + z)                                        \
    X("sad.s16", sad_s16, u16, s16, u16, (u32)(x < y ? y - x : x - y) + z)                                   \
    X("sad.u32", sad_u32, u32, u32, u32, (x < y ? y - x : x - y) + z)                                        \
    X("sad.s32", sad_s32, u32, s32, u32, (x < y ? (u32)y - (u32)x : (u32)x - (u32)y) + z)                    \
    X("sad.u64", sad_u64, u64, u64, u64, (x < y ? y - x : x - y) + z)                                        \
    X("sad.s64", sad_s64, u64, s64, u64, (x < y ? (u64)y - (u64)x : (u64)x - (u64)y) + z)                    \
    X("shf.l.clamp.b32", shf_l_clamp, u32, u32, u32, funnel_left(x, y, at_most_32(z)))                       \
    X("shf.l.wrap.b32", shf_l_wrap, u32, u32, u32, funnel_left(x, y, z & 31))                                \
    X("shf.r.clamp.b32", shf_r_clamp, u32, u32, u32, funnel_right(x, y, at_most_32(z)))                      \
    X("shf.r.wrap.b32", shf_r_wrap, u32, u32, u32, funnel_right(x, y, z & 31))

/* X(name, function, destination, first source, second source, value of a lane from x and y) */
#define DIVISION_OPS(X)                                                                                      \
    X("div.u16", div_u16, u16, u16, u16, divide_u16(x, y))                                                   \
    X("div.u32", div_u32, u32, u32, u32, divide_u32(x, y))                                                   \
    X("div.u64", div_u64, u64, u64, u64, divide_u64(x, y))                                                   \
    X("div.s16", div_s16, s16, s16, s16, divide_s16(x, y))                                                   \
    X("div.s32", div_s32, s32, s32, s32, divide_s32(x, y))                                                   \
    X("div.s64", div_s64, s64, s64, s64, divide_s64(x, y))                                                   \
    X("rem.u16", rem_u16, u16, u16, u16, remainder_u16(x, y))                                                \
    X("rem.u32", rem_u32, u32, u32, u32, remainder_u32(x, y))                                                \
    X("rem.u64", rem_u64, u64, u64, u64, remainder_u64(x, y))                                                \
    X("rem.s16", rem_s16, s16, s16, s16, remainder_s16(x, y))                                                \
    X("rem.s32", rem_s32, s32, s32, s32, remainder_s32(x, y))                                                \
    X("rem.s64", rem_s64, s64, s64, s64, remainder_s64(x, y))

/* As the others; but divisions by 0 are told. */
#define DEFINE_DIVISION(key, name, TD, TS, TB, expression)                                                   \
    static enum step name(struct warp *warp, const struct micro *op, uint32_t active)                        \
    {                                                                                                        \
        row_##TD *d = row(warp, op->dst);                                                                    \
        const row_##TS *a = row(warp, op->a);                                                                \
        const row_##TB *b = row(warp, op->b);                                                                \
        u32 zero = 0;                                                                                        \
        FOR_LANES(lane, active)                                                                              \
        {                                                                                                    \
            const TB divisor = b[lane];                                                                      \
            d[lane] = name##_value(a[lane], divisor);                                                        \
            zero |= divisor == 0 ? 1u << lane : 0;                                                           \
        }                                                                                                    \
        return __builtin_expect(zero != 0, 0) ? undefined_divided(warp, op, zero) : STEP_NEXT;               \
    }

UNARY_OPS(VALUE_UNARY)
BINARY_OPS(VALUE_BINARY)
DIVISION_OPS(VALUE_BINARY)
TERNARY_OPS(VALUE_TERNARY)
UNARY_OPS(DEFINE_UNARY)
BINARY_OPS(DEFINE_BINARY)
DIVISION_OPS(DEFINE_DIVISION)
TERNARY_OPS(DEFINE_TERNARY)

/* ---- carries ------------------------------------------------------------------------------------------- */

/* The carry flag of each lane lives in the predicate that every frame drops results into. */
enum carry_form { CARRY_OUT = 1, CARRY_IN = 2 };

#define DEFINE_CARRY(name, T, WIDE, value, form)                                                             \
    static enum step name(struct warp *warp, const struct micro *op, uint32_t active)                        \
    {                                                                                                        \
        row_##T *d = row(warp, op->dst);                                                                     \
        const row_##T *a = row(warp, op->a), *b = row(warp, op->b), *c = row(warp, op->c);                   \
        u32 carries = 0;                                                                                     \
        FOR_LANES(lane, active)                                                                              \
        {                                                                                                    \
            const T x = a[lane], y = b[lane];                                                                \
            const WIDE carry = (form)&CARRY_IN ? warp->carry >> lane & 1 : 0;                                \
            const WIDE sum = (value);                                                                        \
            (void)carry, (void)c;                                                                            \
            d[lane] = (T)sum;                                                                                \
            carries |= (u32)(sum >> 8 * sizeof(T) & 1) << lane;                                              \
        }                                                                                                    \
        if ((form)&CARRY_OUT)                                                                                \
            warp->carry = (warp->carry & ~active) | carries;                                                 \
        return STEP_NEXT;                                                                                    \
    }

#define CARRY_OPS(X, T, WIDE)                                                                                \
    X(add_cc_##T, T, WIDE, (WIDE)x + y, CARRY_OUT)                                                           \
    X(addc_##T, T, WIDE, (WIDE)x + y + carry, CARRY_IN)                                                      \
    X(addc_cc_##T, T, WIDE, (WIDE)x + y + carry, CARRY_IN | CARRY_OUT)                                       \
    X(sub_cc_##T, T, WIDE, (WIDE)x - y, CARRY_OUT)                                                           \
    X(subc_##T, T, WIDE, (WIDE)x - y - carry, CARRY_IN)                                                      \
    X(subc_cc_##T, T, WIDE, (WIDE)x - y - carry, CARRY_IN | CARRY_OUT)                                       \
    X(mad_lo_cc_##T, T, WIDE, (WIDE)(T)(x * y) + c[lane], CARRY_OUT)                                         \
    X(madc_lo_##T, T, WIDE, (WIDE)(T)(x * y) + c[lane] + carry, CARRY_IN)                                    \
    X(madc_lo_cc_##T, T, WIDE, (WIDE)(T)(x * y) + c[lane] + carry, CARRY_IN | CARRY_OUT)                     \
    X(mad_hi_cc_##T, T, WIDE, (WIDE)(T)((WIDE)x * y >> 8 * sizeof(T)) + c[lane], CARRY_OUT)                  \
    X(madc_hi_##T, T, WIDE, (WIDE)(T)((WIDE)x * y >> 8 * sizeof(T)) + c[lane] + carry, CARRY_IN)             \
    X(madc_hi_cc_##T, T, WIDE, (WIDE)(T)((WIDE)x * y >> 8 * sizeof(T)) + c[lane] + carry,                    \
      CARRY_IN | CARRY_OUT)
CARRY_OPS(DEFINE_CARRY, u32, u64)
CARRY_OPS(DEFINE_CARRY, u64, u128)

#define CARRY_HANDLERS(T, bits)                                                                              \
    {"add.cc.b" bits, add_cc_##T}, {"addc.b" bits, addc_##T}, {"addc.cc.b" bits, addc_cc_##T},               \
        {"sub.cc.b" bits, sub_cc_##T}, {"subc.b" bits, subc_##T}, {"subc.cc.b" bits, subc_cc_##T},           \
        {"mad.lo.cc.b" bits, mad_lo_cc_##T}, {"madc.lo.b" bits, madc_lo_##T},                                \
        {"madc.lo.cc.b" bits, madc_lo_cc_##T}, {"mad.hi.cc.u" bits, mad_hi_cc_##T},                          \
        {"madc.hi.u" bits, madc_hi_##T},                                                                     \
    {                                                                                                        \
        "madc.hi.cc.u" bits, madc_hi_cc_##T                                                                  \
    }

const struct handler SIMD(exec_int_handlers)[] = {
    UNARY_OPS(HANDLER_ROW) BINARY_OPS(HANDLER_ROW) DIVISION_OPS(HANDLER_ROW) TERNARY_OPS(HANDLER_ROW)
        CARRY_HANDLERS(u32, "32"),
    CARRY_HANDLERS(u64, "64"),
    {NULL, NULL},
};
