/*
 * Arithmetic on numbers of 16 bits, one or two in a register. A row of pairs is a row of 64 numbers: lane i
 * owns numbers 2i and 2i + 1.
 *
 * Sums and products are computed as floats and rounded again, which gives the same as rounding once (24 >= 2
 * * 11 + 2 digits). Fused ones round to odd in between: the last digit remembers that something was cut off.
 * Source: PTX ISA, "Half Precision Floating Point Instructions".
 */
#include <math.h>

#include "sim/machine/exec_lanes.h"
#include "sim/core/half.h"

/* x * y is exact as a float for f16, and as a double for bf16; the sum is rounded to odd. */
static inline f32 f16_fma_to_odd(u16 x, u16 y, u16 z)
{
    f32 product = f16_to_float(x) * f16_to_float(y), c = f16_to_float(z), sum = product + c;
    f32 part = sum - product, error = (product - (sum - part)) + (c - part);
    u32 bits = half_float_bits(sum);
    u32 toward = (error > 0) == (sum > 0) ? bits + 1 : bits - 1;
    bool inexact = error != 0 && error == error && !(bits & 1);
    return half_bits_float(inexact ? toward : bits);
}

static inline u16 f16_fma(u16 x, u16 y, u16 z)
{
    return f16_from_float(f16_fma_to_odd(x, y, z));
}

static inline u16 bf16_fma(u16 x, u16 y, u16 z)
{
    f64 product = (f64)bf16_to_float(x) * bf16_to_float(y), c = bf16_to_float(z), sum = product + c;
    f64 part = sum - product, error = (product - (sum - part)) + (c - part);
    u64 bits;
    memcpy(&bits, &sum, sizeof bits);
    if (error != 0 && error == error && !(bits & 1)) {
        bits = (error > 0) == (sum > 0) ? bits + 1 : bits - 1;
        memcpy(&sum, &bits, sizeof sum);
    }
    return small_from_double(&format_bf16, sum, ROUND_NEAREST);
}

/* Whether an exact result is subnormal, though it may be rounded to the smallest normal number: .ftz flushes
 * it. */
static inline bool f16_tiny_product(u16 x, u16 y)
{
    return fabsf(f16_to_float(x) * f16_to_float(y)) < 0x1p-14f;
}

static inline bool f16_tiny_sum(u16 x, u16 y, u16 z)
{
    return fabsf(f16_fma_to_odd(x, y, z)) < 0x1p-14f;
}

/* bf16 has no .ftz where results are rounded. */
static inline bool bf16_tiny_product(u16 x, u16 y)
{
    (void)x, (void)y;
    return false;
}

static inline bool bf16_tiny_sum(u16 x, u16 y, u16 z)
{
    (void)x, (void)y, (void)z;
    return false;
}

/* What the two formats differ in. */
#define f16_infinity  0x7c00
#define bf16_infinity 0x7f80

/* Subnormals become zeros of their sign: .ftz. */
static inline u16 flush_half(u16 x, u16 infinity)
{
    u16 smallest = infinity == f16_infinity ? 0x0400 : 0x0080;
    return (x & 0x7fff) < smallest ? x & 0x8000 : x;
}

static inline u16 finish(u16 x, unsigned flags, u16 infinity, u16 one)
{
    bool nan = (x & 0x7fff) > infinity, negative = x & 0x8000;
    if (flags & FLAG_FTZ)
        x = flush_half(x, infinity);
    if (flags & FLAG_SAT)
        x = nan || negative ? 0 : x > one ? one : x;
    if ((flags & FLAG_RELU) && !nan)
        x = negative ? 0 : x;
    return nan && !(flags & FLAG_SAT) ? 0x7fff : x;
}

/* Order of the bits as numbers: negative ones count down. -0 comes before +0. */
static inline s32 rank_half(u16 x)
{
    return x & 0x8000 ? -(s32)(x & 0x7fff) - 1 : (s32)x;
}

static inline u16 choose_half(u16 x, u16 y, u16 infinity, bool larger, bool keep_nan)
{
    bool x_nan = (x & 0x7fff) > infinity, y_nan = (y & 0x7fff) > infinity;
    u16 chosen = (rank_half(x) > rank_half(y)) == larger ? x : y;
    if (keep_nan)
        return x_nan || y_nan ? 0x7fff : chosen;
    return x_nan && y_nan ? 0x7fff : x_nan ? y : y_nan ? x : chosen;
}

/* ---- the operations, for both formats (H is f16 or bf16) ----------------------------------------------- */

#define VALUES(H)                                                                                            \
    static inline u16 H##_add_value(u16 x, u16 y, u16 z)                                                     \
    {                                                                                                        \
        (void)z;                                                                                             \
        return H##_add(x, y);                                                                                \
    }                                                                                                        \
    static inline u16 H##_sub_value(u16 x, u16 y, u16 z)                                                     \
    {                                                                                                        \
        (void)z;                                                                                             \
        return H##_from_float(H##_to_float(x) - H##_to_float(y));                                            \
    }                                                                                                        \
    static inline u16 H##_mul_value(u16 x, u16 y, u16 z)                                                     \
    {                                                                                                        \
        (void)z;                                                                                             \
        return H##_from_float(H##_to_float(x) * H##_to_float(y));                                            \
    }                                                                                                        \
    static inline u16 H##_fma_value(u16 x, u16 y, u16 z)                                                     \
    {                                                                                                        \
        return H##_fma(x, y, z);                                                                             \
    }                                                                                                        \
    static inline u16 H##_neg_value(u16 x, u16 y, u16 z)                                                     \
    {                                                                                                        \
        (void)y, (void)z;                                                                                    \
        return x ^ 0x8000;                                                                                   \
    }                                                                                                        \
    static inline u16 H##_abs_value(u16 x, u16 y, u16 z)                                                     \
    {                                                                                                        \
        (void)y, (void)z;                                                                                    \
        return x & 0x7fff;                                                                                   \
    }                                                                                                        \
    static inline u16 H##_min_value(u16 x, u16 y, u16 z)                                                     \
    {                                                                                                        \
        (void)z;                                                                                             \
        return choose_half(x, y, H##_infinity, false, false);                                                \
    }                                                                                                        \
    static inline u16 H##_max_value(u16 x, u16 y, u16 z)                                                     \
    {                                                                                                        \
        (void)z;                                                                                             \
        return choose_half(x, y, H##_infinity, true, false);                                                 \
    }                                                                                                        \
    static inline u16 H##_min_nan_value(u16 x, u16 y, u16 z)                                                 \
    {                                                                                                        \
        (void)z;                                                                                             \
        return choose_half(x, y, H##_infinity, false, true);                                                 \
    }                                                                                                        \
    static inline u16 H##_max_nan_value(u16 x, u16 y, u16 z)                                                 \
    {                                                                                                        \
        (void)z;                                                                                             \
        return choose_half(x, y, H##_infinity, true, true);                                                  \
    }                                                                                                        \
    static inline u16 H##_ex2_value(u16 x, u16 y, u16 z)                                                     \
    {                                                                                                        \
        (void)y, (void)z;                                                                                    \
        return H##_from_float((f32)exp2((f64)H##_to_float(x)));                                              \
    }                                                                                                        \
    static inline u16 H##_tanh_value(u16 x, u16 y, u16 z)                                                    \
    {                                                                                                        \
        (void)y, (void)z;                                                                                    \
        return H##_from_float((f32)tanh((f64)H##_to_float(x)));                                              \
    }
VALUES(f16)
VALUES(bf16)

/* Name, its part in C, format, and whether the exact result of x, y and z is subnormal where that matters. */
#define OPERATIONS(X, H)                                                                                     \
    X("add", add, H, false)                                                                                  \
    X("sub", sub, H, false)                                                                                  \
    X("mul", mul, H, H##_tiny_product(x, y))                                                                 \
    X("fma", fma, H, H##_tiny_sum(x, y, z))                                                                  \
    X("neg", neg, H, false)                                                                                  \
    X("abs", abs, H, false)                                                                                  \
    X("min", min, H, false)                                                                                  \
    X("max", max, H, false)                                                                                  \
    X("min.NaN", min_nan, H, false)                                                                          \
    X("max.NaN", max_nan, H, false)                                                                          \
    X("ex2.approx", ex2, H, false)                                                                           \
    X("tanh.approx", tanh, H, false)

#define f16_one  0x3c00
#define bf16_one 0x3f80

/* Numbers first .. first + count - 1 of rows; `per_lane` of them belong to one lane. */
#define DEFINE_HALF(key, name, H, tiny)                                                                      \
    static inline void H##_##name##_rows(struct warp *warp, const struct micro *op, uint32_t active,         \
                                         int per_lane)                                                       \
    {                                                                                                        \
        row_u16 *d = row(warp, op->dst);                                                                     \
        const row_u16 *a = row(warp, op->a), *b = row(warp, op->b), *c = row(warp, op->c);                   \
        const unsigned flags = op->flags;                                                                    \
        for (int i = 0; i < WARP_LANES * per_lane; i++) {                                                    \
            u16 x = a[i], y = b[i], z = c[i];                                                                \
            if (flags & FLAG_FTZ) {                                                                          \
                x = flush_half(x, H##_infinity);                                                             \
                y = flush_half(y, H##_infinity);                                                             \
                z = flush_half(z, H##_infinity);                                                             \
            }                                                                                                \
            u16 result = H##_##name##_value(x, y, z);                                                        \
            if ((flags & FLAG_FTZ) && (tiny))                                                                \
                result &= 0x8000;                                                                            \
            result = finish(result, flags, H##_infinity, H##_one);                                           \
            d[i] = active >> i / per_lane & 1 ? result : d[i];                                               \
        }                                                                                                    \
    }                                                                                                        \
    static enum step run_##H##_##name(struct warp *warp, const struct micro *op, uint32_t active)            \
    {                                                                                                        \
        H##_##name##_rows(warp, op, active, 1);                                                              \
        return STEP_NEXT;                                                                                    \
    }                                                                                                        \
    static enum step run_##H##x2_##name(struct warp *warp, const struct micro *op, uint32_t active)          \
    {                                                                                                        \
        H##_##name##_rows(warp, op, active, 2);                                                              \
        return STEP_NEXT;                                                                                    \
    }
OPERATIONS(DEFINE_HALF, f16)
OPERATIONS(DEFINE_HALF, bf16)

/* ---- comparison ---------------------------------------------------------------------------------------- */

#define COMPARISONS(X, H)                                                                                    \
    X("eq", eq, H, x == y)                                                                                   \
    X("ne", ne, H, x<y || x> y)                                                                              \
    X("lt", lt, H, x < y)                                                                                    \
    X("le", le, H, x <= y)                                                                                   \
    X("gt", gt, H, x > y)                                                                                    \
    X("ge", ge, H, x >= y)                                                                                   \
    X("equ", equ, H, !(x < y || x > y))                                                                      \
    X("neu", neu, H, x != y)                                                                                 \
    X("ltu", ltu, H, !(x >= y))                                                                              \
    X("leu", leu, H, !(x > y))                                                                               \
    X("gtu", gtu, H, !(x <= y))                                                                              \
    X("geu", geu, H, !(x < y))                                                                               \
    X("num", num, H, x == x && y == y)                                                                       \
    X("nan", nan, H, x != x || y != y)

static u32 combine(const struct warp *warp, const struct micro *op, u32 result)
{
    u32 c = predicate_q(warp, op);
    switch ((enum bool_op)op->e) {
    case BOOL_AND: return result & c;
    case BOOL_OR: return result | c;
    case BOOL_XOR: return result ^ c;
    default: return result;
    }
}

/* One number a lane: p is the result and the second destination its opposite. Two: one predicate each. */
#define DEFINE_SETP_HALF(key, name, H, expression)                                                           \
    static u32 H##_setp_##name##_bits(struct warp *warp, const struct micro *op, uint32_t active,            \
                                      int per_lane, int which)                                               \
    {                                                                                                        \
        const row_u16 *a = row(warp, op->a), *b = row(warp, op->b);                                          \
        u32 result = 0;                                                                                      \
        FOR_LANES(lane, active)                                                                              \
        {                                                                                                    \
            u16 p = a[lane * per_lane + which], q = b[lane * per_lane + which];                              \
            if (op->flags & FLAG_FTZ) {                                                                      \
                p = flush_half(p, H##_infinity);                                                             \
                q = flush_half(q, H##_infinity);                                                             \
            }                                                                                                \
            const f32 x = H##_to_float(p), y = H##_to_float(q);                                              \
            result |= (u32)(expression) << lane;                                                             \
        }                                                                                                    \
        return result;                                                                                       \
    }                                                                                                        \
    static enum step H##_setp_##name(struct warp *warp, const struct micro *op, uint32_t active)             \
    {                                                                                                        \
        const u32 result = H##_setp_##name##_bits(warp, op, active, 1, 0);                                   \
        const u32 p = combine(warp, op, result), q = combine(warp, op, ~result);                             \
        set_predicate(warp, op->p, active, p);                                                               \
        set_predicate(warp, op->dst, active, q);                                                             \
        return STEP_NEXT;                                                                                    \
    }                                                                                                        \
    static enum step H##x2_setp_##name(struct warp *warp, const struct micro *op, uint32_t active)           \
    {                                                                                                        \
        const u32 p = combine(warp, op, H##_setp_##name##_bits(warp, op, active, 2, 0));                     \
        const u32 q = combine(warp, op, H##_setp_##name##_bits(warp, op, active, 2, 1));                     \
        set_predicate(warp, op->p, active, p);                                                               \
        set_predicate(warp, op->dst, active, q);                                                             \
        return STEP_NEXT;                                                                                    \
    }
COMPARISONS(DEFINE_SETP_HALF, f16)
COMPARISONS(DEFINE_SETP_HALF, bf16)

/* set on pairs: op->detail is the comparison with one predicate for each number; imm: what "true" is. */
static enum step set_pair(struct warp *warp, const struct micro *op, uint32_t active)
{
    const struct micro *compare = op->detail;
    compare->run(warp, compare, active);
    const u32 low = warp->preds[PREDICATE_RESULT], high = warp->preds[PREDICATE_SINK];
    row_u32 *d = row(warp, op->dst);
    const u32 yes = (u32)op->imm & 0xffff;
    FOR_LANES(lane, active)
    d[lane] = (low >> lane & 1 ? yes : 0) | (high >> lane & 1 ? yes << 16 : 0);
    return STEP_NEXT;
}

#define HALF_ROWS(key, name, H, tiny)                                                                        \
    {key "." #H, run_##H##_##name}, {key "." #H "x2", run_##H##x2_##name},                                   \
        {key ".any." #H, run_##H##_##name}, {key ".any." #H "x2", run_##H##x2_##name},
#define SETP_ROWS(key, name, H, expression)                                                                  \
    {"setp." key "." #H, H##_setp_##name}, {"setp." key ".ftz." #H, H##_setp_##name},                        \
        {"setp." key "." #H "x2", H##x2_setp_##name}, {"setp." key ".ftz." #H "x2", H##x2_setp_##name},

const struct handler SIMD(exec_half_handlers)[] = {
    OPERATIONS(HALF_ROWS, f16) OPERATIONS(HALF_ROWS, bf16) COMPARISONS(SETP_ROWS, f16)
        COMPARISONS(SETP_ROWS, bf16){"set.pair", set_pair},
    {NULL, NULL},
};
