/*
 * Conversions. Common pairs of types have a loop of their own; one handler does all others lane by lane.
 *
 * A NaN passes where doubles are involved, as much of it as fits, made quiet; into f32 and f16 otherwise it
 * is the canonical one. The PTX ISA leaves that open: it is what tests/gpu/opcodes found on an H100.
 *
 * Source: PTX ISA, "cvt": floats to integers clamp to the destination's range, NaN becomes 0 or, for 64-bit
 * sources or destinations, the top bit alone; integers to integers are cut, or clamped with .sat.
 */
#include <fenv.h>
#include <math.h>

#include "sim/core/half.h"
#include "sim/machine/exec_lanes.h"
#include "sim/ptx/ptx.h"

/* ---- any pair ------------------------------------------------------------------------------------------ */

static bool is_signed_type(enum ptx_type type)
{
    return type >= PTX_S8 && type <= PTX_S64;
}

static bool is_float_type(enum ptx_type type)
{
    return type >= PTX_F16 && type <= PTX_F64;
}

static u64 low_bits(u64 value, int bytes)
{
    return bytes >= 8 ? value : value & ((UINT64_C(1) << 8 * bytes) - 1);
}

static s64 extend_sign(u64 value, int bytes)
{
    int unused = 64 - 8 * bytes;
    return (s64)(value << unused) >> unused;
}

static u64 read_lane(const void *row, int bytes, int lane)
{
    u64 value = 0;
    memcpy(&value, (const unsigned char *)row + lane * bytes, (size_t)bytes);
    return value;
}

static void write_lane(void *row, int bytes, int lane, u64 value)
{
    memcpy((unsigned char *)row + lane * bytes, &value, (size_t)bytes);
}

static inline f32 canonical(f32 x)
{
    const u32 bits = 0x7fffffff;
    f32 nan;
    memcpy(&nan, &bits, sizeof nan);
    return x != x ? nan : x;
}

static f32 flush_f32(f32 x)
{
    return fpclassify(x) == FP_SUBNORMAL ? copysignf(0, x) : x;
}

/* A float of any type as a double, which holds it exactly. */
static f64 float_value(const struct convert_detail *c, u64 raw)
{
    switch (c->from) {
    case PTX_F16: return small_to_double(&format_f16, (u16)raw);
    case PTX_BF16: return small_to_double(&format_bf16, (u16)raw);
    case PTX_F32: {
        f32 narrow;
        u32 bits = (u32)raw;
        memcpy(&narrow, &bits, sizeof narrow);
        return c->ftz ? canonical(flush_f32(narrow)) : narrow;
    }
    default: {
        f64 value;
        memcpy(&value, &raw, sizeof value);
        return value;
    }
    }
}

static f64 round_to_integer(f64 value, enum rounding mode)
{
    switch (mode) {
    case ROUND_ZERO: return trunc(value);
    case ROUND_DOWN: return floor(value);
    case ROUND_UP: return ceil(value);
    case ROUND_NEAREST: break;
    }
    return rint(value);
}

/* The bits of a number rounded (or clamped) into an integer type of `bytes` bytes. */
static u64 float_to_integer(const struct convert_detail *c, f64 value)
{
    int bits = 8 * ptx_type_size(c->to);
    bool to_signed = is_signed_type(c->to);
    if (value != value)
        return c->from == PTX_F64 || bits == 64 ? UINT64_C(1) << (bits - 1) : 0;
    value = round_to_integer(value, c->round);
    f64 limit = ldexp(1, to_signed ? bits - 1 : bits);
    if (value >= limit)
        return to_signed ? (UINT64_C(1) << (bits - 1)) - 1 : low_bits(~UINT64_C(0), bits / 8);
    if (to_signed)
        return value < -limit ? UINT64_C(1) << (bits - 1) : (u64)(s64)value;
    return value <= 0 ? 0 : (u64)value;
}

static f64 finish_float(const struct convert_detail *c, f64 value)
{
    if (c->integer_round)
        value = round_to_integer(value, c->round);
    if (c->sat)
        value = value > 0 ? (value < 1 ? value : 1) : 0;
    if (c->relu && value <= 0)
        value = 0;
    return value;
}

static u64 bits_of_f32(const struct convert_detail *c, f32 value)
{
    u32 bits;
    value = c->ftz ? flush_f32(value) : value;
    memcpy(&bits, &value, sizeof bits);
    return value != value && c->from != PTX_F64 ? 0x7fffffff : bits;
}

/* A NaN of 64 bits as one of 16 bits. */
static u64 narrow_nan(const struct small_float *format, f64 nan)
{
    const int fraction_bits = format->fraction_bits;
    u64 bits;
    memcpy(&bits, &nan, sizeof bits);
    u64 fraction = (bits >> (52 - fraction_bits) & ((1u << fraction_bits) - 1)) | 1u << (fraction_bits - 1);
    return (bits >> 63) << 15 | format->infinity | fraction;
}

static u64 pack_small(const struct convert_detail *c, const struct small_float *format, f64 value,
                      enum rounding mode)
{
    return value != value && c->from == PTX_F64 ? narrow_nan(format, value)
                                                : small_from_double(format, value, mode);
}

/* A double to the bits of a float type; the processor's rounding mode is the conversion's. */
static u64 pack_float(const struct convert_detail *c, f64 value)
{
    enum rounding mode = c->integer_round ? ROUND_NEAREST : c->round;
    u64 bits;
    switch (c->to) {
    case PTX_F16: return pack_small(c, &format_f16, value, mode);
    case PTX_BF16: return pack_small(c, &format_bf16, value, mode);
    case PTX_F32: return bits_of_f32(c, (f32)value);
    default: memcpy(&bits, &value, sizeof bits); return value != value ? bits | UINT64_C(1) << 51 : bits;
    }
}

/*
 * In the processor's rounding mode: each half is exact, so that only the sum rounds. What clang makes of (f64)x
 * gives -0 for 0 where the mode is downward.
 */
static f64 double_of_u64(u64 x)
{
    return (f64)(s64)(x >> 32) * 0x1p32 + (f64)(s64)(x & 0xffffffff);
}

/* An integer of 64 bits loses its last ones only once: f32 is converted to directly. */
static u64 integer_to_float(const struct convert_detail *c, u64 raw)
{
    s64 as_signed = extend_sign(raw, ptx_type_size(c->from));
    bool from_signed = is_signed_type(c->from);
    if (c->to == PTX_F32 && !c->sat)
        return bits_of_f32(c, from_signed ? (f32)as_signed : (f32)raw);
    return pack_float(c, finish_float(c, from_signed ? (f64)as_signed : double_of_u64(raw)));
}

static u64 integer_to_integer(const struct convert_detail *c, u64 raw)
{
    int bits = 8 * ptx_type_size(c->to);
    bool from_signed = is_signed_type(c->from), to_signed = is_signed_type(c->to);
    s64 as_signed = from_signed ? extend_sign(raw, ptx_type_size(c->from)) : (s64)raw;
    u64 value = from_signed ? (u64)as_signed : raw;
    if (!c->sat)
        return value;
    bool negative = from_signed && as_signed < 0;
    u64 top = to_signed ? (UINT64_C(1) << (bits - 1)) - 1 : low_bits(~UINT64_C(0), bits / 8);
    if (!negative)
        return value > top ? top : value;
    if (!to_signed)
        return 0;
    s64 bottom = -(s64)top - 1;
    return (u64)(as_signed < bottom ? bottom : as_signed);
}

static u64 convert(const struct convert_detail *c, u64 raw)
{
    raw = low_bits(raw, ptx_type_size(c->from));
    if (is_float_type(c->to))
        return is_float_type(c->from) ? pack_float(c, finish_float(c, float_value(c, raw)))
                                      : integer_to_float(c, raw);
    return is_float_type(c->from) ? float_to_integer(c, float_value(c, raw)) : integer_to_integer(c, raw);
}

/* A result that is narrower than its register is extended as its type says. */
static u64 widen(const struct convert_detail *c, u64 value)
{
    int bytes = ptx_type_size(c->to);
    return is_signed_type(c->to) ? (u64)extend_sign(value, bytes) : low_bits(value, bytes);
}

static enum step cvt(struct warp *warp, const struct micro *op, uint32_t active)
{
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    const struct convert_detail *c = op->detail;
    void *d = row(warp, op->dst);
    const void *a = row(warp, op->a);
    bool directed = c->round != ROUND_NEAREST && !c->integer_round && is_float_type(c->to);
    if (directed)
        fesetround(modes[c->round]);
    FOR_LANES(lane, active)
    write_lane(d, c->to_register, (int)lane, widen(c, convert(c, read_lane(a, c->from_register, (int)lane))));
    if (directed)
        fesetround(FE_TONEAREST);
    return STEP_NEXT;
}

/* ---- two floats into one register ---------------------------------------------------------------------- */

static u32 narrow_pair(const struct small_float *format, const struct micro *op, f32 high, f32 low)
{
    enum rounding mode = op->flags & FLAG_ROUND;
    if (op->flags & FLAG_RELU) {
        high = high <= 0 ? 0 : high;
        low = low <= 0 ? 0 : low;
    }
    if (op->flags & FLAG_SAT) {
        high = high > 0 ? (high < 1 ? high : 1) : 0;
        low = low > 0 ? (low < 1 ? low : 1) : 0;
    }
    return (u32)small_from_double(format, high, mode) << 16 | small_from_double(format, low, mode);
}

#define DEFINE_PAIR(name, format)                                                                            \
    static enum step name(struct warp *warp, const struct micro *op, uint32_t active)                        \
    {                                                                                                        \
        row_u32 *d = row(warp, op->dst);                                                                     \
        const row_f32 *a = row(warp, op->a), *b = row(warp, op->b);                                          \
        FOR_LANES(lane, active) d[lane] = narrow_pair(&format, op, a[lane], b[lane]);                        \
        return STEP_NEXT;                                                                                    \
    }
DEFINE_PAIR(cvt_f16x2, format_f16)
DEFINE_PAIR(cvt_bf16x2, format_bf16)

/* ---- common pairs -------------------------------------------------------------------------------------- */

/* 10 bits of the fraction; `more` is what rounds the others away. */
static inline u32 to_tf32(f32 x, u32 more)
{
    const u32 bits = half_float_bits(x);
    return x != x ? 0x7fffe000 : (bits + more) & 0xffffe000;
}

static inline s32 clamp_s32(f32 x)
{
    return x != x ? 0 : x >= 0x1p31f ? INT32_MAX : x < -0x1p31f ? INT32_MIN : (s32)x;
}

static inline u32 clamp_u32(f32 x)
{
    return !(x > 0) ? 0 : x >= 0x1p32f ? UINT32_MAX : (u32)x;
}

#define PAIRS(X)                                                                                             \
    X("cvt.s64.s32", cvt_s64_s32, s64, s32, x)                                                               \
    X("cvt.u64.u32", cvt_u64_u32, u64, u32, x)                                                               \
    X("cvt.u64.s32", cvt_u64_s32, u64, s32, (s64)x)                                                          \
    X("cvt.s64.u32", cvt_s64_u32, u64, u32, x)                                                               \
    X("cvt.u32.u64", cvt_u32_u64, u32, u64, x)                                                               \
    X("cvt.s32.s64", cvt_s32_s64, u32, u64, x)                                                               \
    X("cvt.u32.s64", cvt_u32_s64, u32, u64, x)                                                               \
    X("cvt.s32.u64", cvt_s32_u64, u32, u64, x)                                                               \
    X("cvt.u32.u16", cvt_u32_u16, u32, u16, x)                                                               \
    X("cvt.s32.s16", cvt_s32_s16, s32, s16, x)                                                               \
    X("cvt.u16.u32", cvt_u16_u32, u16, u32, x)                                                               \
    X("cvt.u16.u64", cvt_u16_u64, u16, u64, x)                                                               \
    X("cvt.u64.u16", cvt_u64_u16, u64, u16, x)                                                               \
    X("cvt.s64.s16", cvt_s64_s16, s64, s16, x)                                                               \
    X("cvt.u32.u8", cvt_u32_u8, u32, u16, x & 255)                                                           \
    X("cvt.s32.s8", cvt_s32_s8, s32, s16, (s8)x)                                                             \
    X("cvt.u16.u8", cvt_u16_u8, u16, u16, x & 255)                                                           \
    X("cvt.s16.s8", cvt_s16_s8, s16, s16, (s8)x)                                                             \
    X("cvt.s64.s32.wide", cvt_s64_s32_wide, s64, u64, (s32)x)                                                \
    X("cvt.s32.s16.wide", cvt_s32_s16_wide, s32, u32, (s16)x)                                                \
    X("cvt.s32.s8.wide", cvt_s32_s8_wide, s32, u32, (s8)x)                                                   \
    X("cvt.rn.f32.s32", cvt_f32_s32, f32, s32, x)                                                            \
    X("cvt.rn.f32.u32", cvt_f32_u32, f32, u32, x)                                                            \
    X("cvt.rn.f64.s32", cvt_f64_s32, f64, s32, x)                                                            \
    X("cvt.rn.f64.u32", cvt_f64_u32, f64, u32, x)                                                            \
    X("cvt.rn.f64.s64", cvt_f64_s64, f64, s64, x)                                                            \
    X("cvt.rn.f64.u64", cvt_f64_u64, f64, u64, x)                                                            \
    X("cvt.f64.f32", cvt_f64_f32, f64, f32, x)                                                               \
    X("cvt.rn.f32.f64", cvt_f32_f64, f32, f64, (f32)x)                                                       \
    X("cvt.f32.f32", cvt_f32_f32, u32, u32, x)                                                               \
    X("cvt.f64.f64", cvt_f64_f64, u64, u64, x)                                                               \
    X("cvt.f32.bf16", cvt_f32_bf16, u32, u16, (u32)x << 16)                                                  \
    X("cvt.rzi.s32.f32", cvt_rzi_s32_f32, s32, f32, clamp_s32(x))                                            \
    X("cvt.rni.s32.f32", cvt_rni_s32_f32, s32, f32, clamp_s32(rintf(x)))                                     \
    X("cvt.rmi.s32.f32", cvt_rmi_s32_f32, s32, f32, clamp_s32(floorf(x)))                                    \
    X("cvt.rpi.s32.f32", cvt_rpi_s32_f32, s32, f32, clamp_s32(ceilf(x)))                                     \
    X("cvt.rzi.u32.f32", cvt_rzi_u32_f32, u32, f32, clamp_u32(x))                                            \
    X("cvt.rni.f32.f32", cvt_rni_f32_f32, f32, f32, canonical(rintf(x)))                                     \
    X("cvt.rzi.f32.f32", cvt_rzi_f32_f32, f32, f32, canonical(truncf(x)))                                    \
    X("cvt.rmi.f32.f32", cvt_rmi_f32_f32, f32, f32, canonical(floorf(x)))                                    \
    X("cvt.rpi.f32.f32", cvt_rpi_f32_f32, f32, f32, canonical(ceilf(x)))                                     \
    X("cvt.f32.f16", cvt_f32_f16, f32, u16, canonical(f16_to_float(x)))                                      \
    X("cvt.rna.tf32.f32", cvt_rna_tf32, u32, f32,                                                            \
      x != x ? half_float_bits(x) & 0xffffe000 : to_tf32(x, 0x1000))                                         \
    X("cvt.rn.tf32.f32", cvt_rn_tf32, u32, f32, to_tf32(x, 0x0fff + (half_float_bits(x) >> 13 & 1)))         \
    X("cvt.rz.tf32.f32", cvt_rz_tf32, u32, f32, to_tf32(x, 0))                                               \
    X("cvt.rn.f16.f32", cvt_f16_f32, u16, f32, f16_from_float(x))

PAIRS(VALUE_UNARY)
PAIRS(DEFINE_UNARY)

const struct handler SIMD(exec_convert_handlers)[] = {
    PAIRS(HANDLER_ROW){"cvt", cvt},
    {"cvt.f16x2.f32", cvt_f16x2},
    {"cvt.bf16x2.f32", cvt_bf16x2},
    {NULL, NULL},
};
