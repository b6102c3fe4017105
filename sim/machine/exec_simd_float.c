/*
 * Floating-point arithmetic of 32 and 64 bits.
 *
 * Exact IEEE 754, with what PTX adds: NaN results of f32 are the canonical 0x7fffffff, those of f64 an
 * operand's, made quiet; .ftz flushes subnormal inputs and results to zeros of their sign, .sat clamps to [0,
 * 1] with NaN becoming 0. Rounding to nearest is the processor's normal state; other modes are set around the
 * loop ("any" handlers). What the PTX ISA leaves open is as tests/gpu/opcodes found it on an H100: which
 * operand's NaN it is, and that a result counts as subnormal if it is before it is rounded.
 *
 * Source: PTX ISA, "Floating Point Instructions"; errors of the approximations stand there by instruction.
 */
#include <fenv.h>

#include "sim/machine/exec_float.h"

/* ---- the operations: value from x, y, z ---------------------------------------------------------------- */

/* The ones of f32 that can round up to the smallest normal number stand apart, with who decides that. */
#define UNARY_F32(X)                                                                                         \
    X(rcp_approx, "rcp.approx", 1.0f / x)                                                                    \
    X(sqrt, "sqrt", sqrtf(x))                                                                                \
    X(sqrt_approx, "sqrt.approx", sqrtf(x))                                                                  \
    X(rsqrt_approx, "rsqrt.approx", reciprocal_root(x))                                                      \
    X(sin_approx, "sin.approx", approximate_sin(x))                                                          \
    X(cos_approx, "cos.approx", approximate_cos(x))                                                          \
    X(ex2_approx, "ex2.approx", approximate_exp2(x))                                                         \
    X(lg2_approx, "lg2.approx", approximate_log2(x))                                                         \
    X(tanh_approx, "tanh.approx", approximate_tanh(x))

#define UNARY_TINY_F32(X) X(rcp, "rcp", 1.0f / x, tiny_quotient(1, x))

#define BINARY_F32(X)                                                                                        \
    X(add, "add", x + y)                                                                                     \
    X(sub, "sub", x - y)                                                                                     \
    X(min, "min", minimum(x, y))                                                                             \
    X(max, "max", maximum(x, y))                                                                             \
    X(min_nan, "min.NaN", x != x || y != y ? NAN : minimum(x, y))                                            \
    X(max_nan, "max.NaN", x != x || y != y ? NAN : maximum(x, y))

#define BINARY_TINY_F32(X)                                                                                   \
    X(mul, "mul", x *y, tiny_product(x, y))                                                                  \
    X(div, "div", x / y, tiny_quotient(x, y))                                                                \
    X(div_full, "div.full", x / y, tiny_quotient(x, y))                                                      \
    X(div_approx, "div.approx", divide_approximately(x, y), tiny_quotient(x, y))

#define TERNARY_TINY_F32(X)                                                                                  \
    X(fma, "fma", fmaf(x, y, z), tiny_sum(x, y, z))                                                          \
    X(mad, "mad", fmaf(x, y, z), tiny_sum(x, y, z))

#define UNARY_F64(X)                                                                                         \
    X(rcp, "rcp", 1.0 / x)                                                                                   \
    X(rcp_approx, "rcp.approx.ftz", upper_word(1.0 / upper_word(x)))                                         \
    X(sqrt, "sqrt", square_root(x))                                                                          \
    X(rsqrt_approx, "rsqrt.approx", 1.0 / square_root(x))                                                    \
    X(rsqrt_gross, "rsqrt.approx.ftz", upper_word(1.0 / square_root(upper_word(x))))

#define BINARY_F64(X)                                                                                        \
    X(add, "add", nan_or(y, x, double_or_nan(x + y)))                                                        \
    X(sub, "sub", nan_or(y, x, double_or_nan(x - y)))                                                        \
    X(mul, "mul", nan_or(y, x, double_or_nan(x *y)))                                                         \
    X(div, "div", nan_or(x, y, double_or_nan(x / y)))                                                        \
    X(min, "min", minimum_double(x, y))                                                                      \
    X(max, "max", maximum_double(x, y))

#define TERNARY_F64(X)                                                                                       \
    X(fma, "fma", nan_or(y, z, nan_or(x, x, double_or_nan(fma(x, y, z)))))                                   \
    X(mad, "mad", nan_or(y, z, nan_or(x, x, double_or_nan(fma(x, y, z)))))

/* ---- handlers ------------------------------------------------------------------------------------------ */

/* The value, and whether it counts as tiny before rounding: `known` says if that is the table's to tell. */
#define VALUES_F32(name, parameters, use, expression, tiny, known)                                           \
    static inline f32 name##_f32_value parameters                                                            \
    {                                                                                                        \
        return canonical(expression);                                                                        \
    }                                                                                                        \
    static inline bool name##_f32_tiny parameters                                                            \
    {                                                                                                        \
        use;                                                                                                 \
        return tiny;                                                                                         \
    }                                                                                                        \
    enum { name##_f32_has_tiny = known };
#define VALUES_F32_1(name, key, expression) VALUES_F32(name, (f32 x), (void)x, expression, false, 0)
#define VALUES_F32_2(name, key, expression)                                                                  \
    VALUES_F32(name, (f32 x, f32 y), ((void)x, (void)y), expression, false, 0)
#define VALUES_TINY_F32_1(name, key, expression, tiny) VALUES_F32(name, (f32 x), (void)x, expression, tiny, 1)
#define VALUES_TINY_F32_2(name, key, expression, tiny)                                                       \
    VALUES_F32(name, (f32 x, f32 y), ((void)x, (void)y), expression, tiny, 1)
#define VALUES_TINY_F32_3(name, key, expression, tiny)                                                       \
    VALUES_F32(name, (f32 x, f32 y, f32 z), ((void)x, (void)y, (void)z), expression, tiny, 1)
#define VALUES_F64_1(name, key, expression)                                                                  \
    static inline f64 name##_f64_value(f64 x)                                                                \
    {                                                                                                        \
        return expression;                                                                                   \
    }
#define VALUES_F64_2(name, key, expression)                                                                  \
    static inline f64 name##_f64_value(f64 x, f64 y)                                                         \
    {                                                                                                        \
        return expression;                                                                                   \
    }
#define VALUES_F64_3(name, key, expression)                                                                  \
    static inline f64 name##_f64_value(f64 x, f64 y, f64 z)                                                  \
    {                                                                                                        \
        return expression;                                                                                   \
    }
UNARY_F32(VALUES_F32_1)
UNARY_TINY_F32(VALUES_TINY_F32_1)
BINARY_F32(VALUES_F32_2)
BINARY_TINY_F32(VALUES_TINY_F32_2)
TERNARY_TINY_F32(VALUES_TINY_F32_3)
UNARY_F64(VALUES_F64_1)
BINARY_F64(VALUES_F64_2)
TERNARY_F64(VALUES_F64_3)

/*
 * The processor rounds as `flags` say until end_rounding. Operands come from memory and results go there, so
 * that the compiler moves no arithmetic over these calls.
 */
static void begin_rounding(unsigned flags)
{
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    if (flags & FLAG_ROUND)
        fesetround(modes[flags & FLAG_ROUND]);
}

static void end_rounding(unsigned flags)
{
    if (flags & FLAG_ROUND)
        fesetround(FE_TONEAREST);
}

static inline f32 input(f32 x, unsigned flags)
{
    return flags & FLAG_FTZ ? flush(x) : x;
}

/* Whether a result is the smallest normal number, which may come of a subnormal one. */
static inline bool on_border(f32 x)
{
    return (bits_of(x) & 0x7fffffff) == 0x00800000;
}

/* tiny: the exact result is subnormal. */
static inline f32 output(f32 x, bool tiny, unsigned flags)
{
    x = flags & FLAG_FTZ ? flush(x) : x;
    x = tiny && (flags & FLAG_FTZ) ? copysignf(0, x) : x;
    return flags & FLAG_SAT ? saturate(x) : x;
}

static inline f64 output_double(f64 x, unsigned flags)
{
    return flags & FLAG_SAT ? saturate_double(x) : x;
}

#define HANDLER_HEAD(name, T)                                                                                \
    static enum step name(struct warp *warp, const struct micro *op, uint32_t active)                        \
    {                                                                                                        \
        row_##T *d = row(warp, op->dst);                                                                     \
        const row_##T *a = row(warp, op->a);

/* Other flags than .ftz alone are rare: short code, which compiles in a fraction of the time. */
#define RARE_HEAD(name, T)                                                                                   \
    static enum step name(struct warp *warp, const struct micro *op, uint32_t active) __attribute__((cold)); \
    HANDLER_HEAD(name, T)

#define HANDLER_TAIL                                                                                         \
    return STEP_NEXT;                                                                                        \
    }

/*
 * Three handlers for each operation on f32: as it is, with .ftz, and with any flags. Rare results on the
 * border of the subnormal numbers are left to the last one.
 */
#define ANY_LANE(found, condition)                                                                           \
    u32 found = 0;                                                                                           \
    for (int i = 0; i < WARP_LANES; i++)                                                                     \
        found |= (condition);

#define HANDLERS_F32_1(name, key, ...)                                                                       \
    static inline f32 name##_f32_output(f32 x, unsigned flags)                                               \
    {                                                                                                        \
        const f32 result = name##_f32_value(x);                                                              \
        return output(result, on_border(result) && name##_f32_tiny(x), flags);                               \
    }                                                                                                        \
    HANDLER_HEAD(name##_f32, f32)                                                                            \
    WRITE_LANES(f32, d, active, warp->full, name##_f32_value(a[i]));                                         \
    HANDLER_TAIL                                                                                             \
    RARE_HEAD(name##_any_f32, f32)                                                                           \
    const unsigned flags = op->flags;                                                                        \
    begin_rounding(flags);                                                                                   \
    WRITE_LANES(f32, d, active, warp->full, name##_f32_output(input(a[i], flags), flags));                   \
    end_rounding(flags);                                                                                     \
    HANDLER_TAIL                                                                                             \
    HANDLER_HEAD(name##_ftz_f32, f32)                                                                        \
    if (name##_f32_has_tiny) {                                                                               \
        ANY_LANE(found, on_border(name##_f32_value(flush(a[i]))))                                            \
        if (found)                                                                                           \
            return name##_any_f32(warp, op, active);                                                         \
    }                                                                                                        \
    WRITE_LANES(f32, d, active, warp->full, flush(name##_f32_value(flush(a[i]))));                           \
    HANDLER_TAIL

#define HANDLERS_F32_2(name, key, ...)                                                                       \
    static inline f32 name##_f32_output(f32 x, f32 y, unsigned flags)                                        \
    {                                                                                                        \
        const f32 result = name##_f32_value(x, y);                                                           \
        return output(result, on_border(result) && name##_f32_tiny(x, y), flags);                            \
    }                                                                                                        \
    HANDLER_HEAD(name##_f32, f32)                                                                            \
    const row_f32 *b = row(warp, op->b);                                                                     \
    WRITE_LANES(f32, d, active, warp->full, name##_f32_value(a[i], b[i]));                                   \
    HANDLER_TAIL                                                                                             \
    RARE_HEAD(name##_any_f32, f32)                                                                           \
    const row_f32 *b = row(warp, op->b);                                                                     \
    const unsigned flags = op->flags;                                                                        \
    begin_rounding(flags);                                                                                   \
    WRITE_LANES(f32, d, active, warp->full,                                                                  \
                name##_f32_output(input(a[i], flags), input(b[i], flags), flags));                           \
    end_rounding(flags);                                                                                     \
    HANDLER_TAIL                                                                                             \
    HANDLER_HEAD(name##_ftz_f32, f32)                                                                        \
    const row_f32 *b = row(warp, op->b);                                                                     \
    if (name##_f32_has_tiny) {                                                                               \
        ANY_LANE(found, on_border(name##_f32_value(flush(a[i]), flush(b[i]))))                               \
        if (found)                                                                                           \
            return name##_any_f32(warp, op, active);                                                         \
    }                                                                                                        \
    WRITE_LANES(f32, d, active, warp->full, flush(name##_f32_value(flush(a[i]), flush(b[i]))));              \
    HANDLER_TAIL

#define HANDLERS_F32_3(name, key, ...)                                                                       \
    static inline f32 name##_f32_output(f32 x, f32 y, f32 z, unsigned flags)                                 \
    {                                                                                                        \
        const f32 result = name##_f32_value(x, y, z);                                                        \
        return output(result, on_border(result) && name##_f32_tiny(x, y, z), flags);                         \
    }                                                                                                        \
    HANDLER_HEAD(name##_f32, f32)                                                                            \
    const row_f32 *b = row(warp, op->b), *c = row(warp, op->c);                                              \
    WRITE_LANES(f32, d, active, warp->full, name##_f32_value(a[i], b[i], c[i]));                             \
    HANDLER_TAIL                                                                                             \
    RARE_HEAD(name##_any_f32, f32)                                                                           \
    const row_f32 *b = row(warp, op->b), *c = row(warp, op->c);                                              \
    const unsigned flags = op->flags;                                                                        \
    begin_rounding(flags);                                                                                   \
    WRITE_LANES(f32, d, active, warp->full,                                                                  \
                name##_f32_output(input(a[i], flags), input(b[i], flags), input(c[i], flags), flags));       \
    end_rounding(flags);                                                                                     \
    HANDLER_TAIL                                                                                             \
    HANDLER_HEAD(name##_ftz_f32, f32)                                                                        \
    const row_f32 *b = row(warp, op->b), *c = row(warp, op->c);                                              \
    if (name##_f32_has_tiny) {                                                                               \
        ANY_LANE(found, on_border(name##_f32_value(flush(a[i]), flush(b[i]), flush(c[i]))))                  \
        if (found)                                                                                           \
            return name##_any_f32(warp, op, active);                                                         \
    }                                                                                                        \
    WRITE_LANES(f32, d, active, warp->full, flush(name##_f32_value(flush(a[i]), flush(b[i]), flush(c[i])))); \
    HANDLER_TAIL

/* Two for f64, which has no .ftz. */
#define HANDLERS_F64_1(name, key, expression)                                                                \
    HANDLER_HEAD(name##_f64, f64)                                                                            \
    WRITE_LANES(f64, d, active, warp->full, name##_f64_value(a[i]));                                         \
    HANDLER_TAIL                                                                                             \
    RARE_HEAD(name##_any_f64, f64)                                                                           \
    const unsigned flags = op->flags;                                                                        \
    begin_rounding(flags);                                                                                   \
    WRITE_LANES(f64, d, active, warp->full, output_double(name##_f64_value(a[i]), flags));                   \
    end_rounding(flags);                                                                                     \
    HANDLER_TAIL

#define HANDLERS_F64_2(name, key, expression)                                                                \
    HANDLER_HEAD(name##_f64, f64)                                                                            \
    const row_f64 *b = row(warp, op->b);                                                                     \
    WRITE_LANES(f64, d, active, warp->full, name##_f64_value(a[i], b[i]));                                   \
    HANDLER_TAIL                                                                                             \
    RARE_HEAD(name##_any_f64, f64)                                                                           \
    const row_f64 *b = row(warp, op->b);                                                                     \
    const unsigned flags = op->flags;                                                                        \
    begin_rounding(flags);                                                                                   \
    WRITE_LANES(f64, d, active, warp->full, output_double(name##_f64_value(a[i], b[i]), flags));             \
    end_rounding(flags);                                                                                     \
    HANDLER_TAIL

#define HANDLERS_F64_3(name, key, expression)                                                                \
    HANDLER_HEAD(name##_f64, f64)                                                                            \
    const row_f64 *b = row(warp, op->b), *c = row(warp, op->c);                                              \
    WRITE_LANES(f64, d, active, warp->full, name##_f64_value(a[i], b[i], c[i]));                             \
    HANDLER_TAIL                                                                                             \
    RARE_HEAD(name##_any_f64, f64)                                                                           \
    const row_f64 *b = row(warp, op->b), *c = row(warp, op->c);                                              \
    const unsigned flags = op->flags;                                                                        \
    begin_rounding(flags);                                                                                   \
    WRITE_LANES(f64, d, active, warp->full, output_double(name##_f64_value(a[i], b[i], c[i]), flags));       \
    end_rounding(flags);                                                                                     \
    HANDLER_TAIL

UNARY_F32(HANDLERS_F32_1)
UNARY_TINY_F32(HANDLERS_F32_1)
BINARY_F32(HANDLERS_F32_2)
BINARY_TINY_F32(HANDLERS_F32_2)
TERNARY_TINY_F32(HANDLERS_F32_3)
UNARY_F64(HANDLERS_F64_1)
BINARY_F64(HANDLERS_F64_2)
TERNARY_F64(HANDLERS_F64_3)

/* ---- operations on the bits: no rounding; NaN passes, with its sign
 * --------------------------------------------------- */

#define QUIET_F64 (UINT64_C(1) << 51)

static inline bool is_nan_f64(u64 bits)
{
    return (bits & ~(UINT64_C(1) << 63)) > UINT64_C(0x7ff) << 52;
}

#define UNARY_BITS(X)                                                                                        \
    X("abs.f32", abs_f32, u32, u32, bits_of(canonical(float_of(x & 0x7fffffff))))                            \
    X("abs.ftz.f32", abs_ftz_f32, u32, u32, bits_of(canonical(flush(float_of(x & 0x7fffffff)))))             \
    X("neg.f32", neg_f32, u32, u32, bits_of(canonical(float_of(x ^ 0x80000000))))                            \
    X("neg.ftz.f32", neg_ftz_f32, u32, u32, bits_of(canonical(flush(float_of(x ^ 0x80000000)))))             \
    X("abs.f64", abs_f64, u64, u64, is_nan_f64(x) ? x | QUIET_F64 : x & ~(UINT64_C(1) << 63))                \
    X("neg.f64", neg_f64, u64, u64, is_nan_f64(x) ? x | QUIET_F64 : x ^ UINT64_C(1) << 63)
#define BINARY_BITS(X)                                                                                       \
    X("copysign.f32", copysign_f32, u32, u32, u32, (x & 0x80000000) | (y & 0x7fffffff))                      \
    X("copysign.f64", copysign_f64, u64, u64, u64, (x & UINT64_C(1) << 63) | (y & ~(UINT64_C(1) << 63)))
UNARY_BITS(VALUE_UNARY)
UNARY_BITS(DEFINE_UNARY)
BINARY_BITS(VALUE_BINARY)
BINARY_BITS(DEFINE_BINARY)

#define DEFINE_TESTP(name, T, test)                                                                          \
    static enum step name##_##T(struct warp *warp, const struct micro *op, uint32_t active)                  \
    {                                                                                                        \
        const row_##T *a = row(warp, op->a);                                                                 \
        u32 result = 0;                                                                                      \
        FOR_LANES(lane, active) result |= (u32)is_class(fpclassify(a[lane]), test) << lane;                  \
        set_predicate(warp, op->p, active, result);                                                          \
        return STEP_NEXT;                                                                                    \
    }
#define TESTS(X)                                                                                             \
    X(finite, TEST_FINITE)                                                                                   \
    X(infinite, TEST_INFINITE)                                                                               \
    X(number, TEST_NUMBER)                                                                                   \
    X(notanumber, TEST_NOTANUMBER)                                                                           \
    X(normal, TEST_NORMAL)                                                                                   \
    X(subnormal, TEST_SUBNORMAL)
#define DEFINE_TESTP_BOTH(name, test)                                                                        \
    DEFINE_TESTP(testp_##name, f32, test)                                                                    \
    DEFINE_TESTP(testp_##name, f64, test)
TESTS(DEFINE_TESTP_BOTH)
#define TESTP_ROWS(name, test)                                                                               \
    {"testp." #name ".f32", testp_##name##_f32}, {"testp." #name ".f64", testp_##name##_f64},

/* ---- the table ----------------------------------------------------------------------------------------- */

#define ROWS_OF_F32(name, key, ...)                                                                          \
    {key ".f32", name##_f32}, {key ".ftz.f32", name##_ftz_f32}, {key ".any.f32", name##_any_f32},
#define ROWS_OF_F64(name, key, expression) {key ".f64", name##_f64}, {key ".any.f64", name##_any_f64},

const struct handler SIMD(exec_float_handlers)[] = {
    UNARY_F32(ROWS_OF_F32) UNARY_TINY_F32(ROWS_OF_F32) BINARY_F32(ROWS_OF_F32) BINARY_TINY_F32(ROWS_OF_F32)
        TERNARY_TINY_F32(ROWS_OF_F32) UNARY_F64(ROWS_OF_F64) BINARY_F64(ROWS_OF_F64) TERNARY_F64(ROWS_OF_F64)
            UNARY_BITS(HANDLER_ROW) BINARY_BITS(HANDLER_ROW) TESTS(TESTP_ROWS){NULL, NULL},
};
