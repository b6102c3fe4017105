/* Comparison, selection, and logic on predicates. Source: PTX ISA, "Comparison and Selection
 * Instructions". */
#include "sim/machine/exec_lanes.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

/* One bit a lane from 32 words that are 0 or ~0. */
static inline u32 mask_of_words(const s32 words[WARP_LANES])
{
#ifdef __AVX2__
    u32 mask = 0;
    for (int k = 0; k < 4; k++)
        mask |= (u32)_mm256_movemask_ps(_mm256_load_ps((const float *)(const void *)(words + 8 * k)))
                << 8 * k;
    return mask;
#else
    u32 mask = 0;
    for (int i = 0; i < WARP_LANES; i++)
        mask |= (u32)(words[i] & 1) << i;
    return mask;
#endif
}

static inline f32 flushed(f32 x)
{
    u32 bits;
    memcpy(&bits, &x, sizeof bits);
    bits = (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* p = result op c, q = !result op c: the third operand c is true where the opcode has none. */
static inline void write_comparison(struct warp *warp, const struct micro *op, uint32_t active, u32 result)
{
    u32 c = predicate_q(warp, op), p = result, q = ~result;
    switch ((enum bool_op)op->e) {
    case BOOL_AND: p &= c, q &= c; break;
    case BOOL_OR: p |= c, q |= c; break;
    case BOOL_XOR: p ^= c, q ^= c; break;
    default: break;
    }
    set_predicate(warp, op->p, active, p);
    set_predicate(warp, op->dst, active, q);
}

#define DEFINE_SETP(key, name, T, expression)                                                                \
    static enum step name(struct warp *warp, const struct micro *op, uint32_t active)                        \
    {                                                                                                        \
        const row_##T *a = row(warp, op->a), *b = row(warp, op->b);                                          \
        s32 words[WARP_LANES] __attribute__((aligned(64)));                                                  \
        for (int i = 0; i < WARP_LANES; i++) {                                                               \
            const T x = a[i], y = b[i];                                                                      \
            words[i] = (expression) ? -1 : 0;                                                                \
        }                                                                                                    \
        write_comparison(warp, op, active, mask_of_words(words));                                            \
        return STEP_NEXT;                                                                                    \
    }

#define ORDER_OPS(X, type, T)                                                                                \
    X("setp.lt." #type, setp_lt_##type, T, x < y)                                                            \
    X("setp.le." #type, setp_le_##type, T, x <= y)                                                           \
    X("setp.gt." #type, setp_gt_##type, T, x > y)                                                            \
    X("setp.ge." #type, setp_ge_##type, T, x >= y)
#define EQUAL_OPS(X, type, T)                                                                                \
    X("setp.eq." #type, setp_eq_##type, T, x == y)                                                           \
    X("setp.ne." #type, setp_ne_##type, T, x != y)

/* Floats: ordered comparisons are false with a NaN (ne too), unordered ones true. */
#define FLOAT_OPS(X, name, suffix, T, x, y)                                                                  \
    X("setp.eq" suffix, setp_eq_##name, T, x == y)                                                           \
    X("setp.ne" suffix, setp_ne_##name, T, x<y || x> y)                                                      \
    X("setp.lt" suffix, setp_lt_##name, T, x < y)                                                            \
    X("setp.le" suffix, setp_le_##name, T, x <= y)                                                           \
    X("setp.gt" suffix, setp_gt_##name, T, x > y)                                                            \
    X("setp.ge" suffix, setp_ge_##name, T, x >= y)                                                           \
    X("setp.equ" suffix, setp_equ_##name, T, !(x < y || x > y))                                              \
    X("setp.neu" suffix, setp_neu_##name, T, x != y)                                                         \
    X("setp.ltu" suffix, setp_ltu_##name, T, !(x >= y))                                                      \
    X("setp.leu" suffix, setp_leu_##name, T, !(x > y))                                                       \
    X("setp.gtu" suffix, setp_gtu_##name, T, !(x <= y))                                                      \
    X("setp.geu" suffix, setp_geu_##name, T, !(x < y))                                                       \
    X("setp.num" suffix, setp_num_##name, T, x == x && y == y)                                               \
    X("setp.nan" suffix, setp_nan_##name, T, x != x || y != y)

#define ALL_SETP(X)                                                                                          \
    EQUAL_OPS(X, b16, u16)                                                                                   \
    EQUAL_OPS(X, b32, u32)                                                                                   \
    EQUAL_OPS(X, b64, u64)                                                                                   \
    ORDER_OPS(X, u16, u16)                                                                                   \
    ORDER_OPS(X, u32, u32)                                                                                   \
    ORDER_OPS(X, u64, u64)                                                                                   \
    ORDER_OPS(X, s16, s16)                                                                                   \
    ORDER_OPS(X, s32, s32)                                                                                   \
    ORDER_OPS(X, s64, s64)                                                                                   \
    FLOAT_OPS(X, f32, ".f32", f32, x, y)                                                                     \
    FLOAT_OPS(X, ftz_f32, ".ftz.f32", f32, flushed(x), flushed(y))                                           \
    FLOAT_OPS(X, f64, ".f64", f64, x, y)

ALL_SETP(DEFINE_SETP)

/* set: op->detail is the comparison, which leaves its result in a predicate of its own. */
#define DEFINE_SET(name, T)                                                                                  \
    static enum step name(struct warp *warp, const struct micro *op, uint32_t active)                        \
    {                                                                                                        \
        const struct micro *compare = op->detail;                                                            \
        compare->run(warp, compare, active);                                                                 \
        const u32 result = warp->preds[PREDICATE_RESULT];                                                    \
        row_##T *d = row(warp, op->dst);                                                                     \
        const T yes = (T)op->imm;                                                                            \
        WRITE_LANES(T, d, active, warp->full, (T)(result >> i & 1 ? yes : 0));                               \
        return STEP_NEXT;                                                                                    \
    }
DEFINE_SET(set_b16, u16)
DEFINE_SET(set_b32, u32)

/* ---- selection ----------------------------------------------------------------------------------------- */

#define DEFINE_SELP(name, T)                                                                                 \
    static enum step name(struct warp *warp, const struct micro *op, uint32_t active)                        \
    {                                                                                                        \
        row_##T *d = row(warp, op->dst);                                                                     \
        const row_##T *a = row(warp, op->a), *b = row(warp, op->b);                                          \
        const u32 choose = predicate_q(warp, op);                                                            \
        WRITE_LANES(T, d, active, warp->full, (choose >> i & 1) ? a[i] : b[i]);                              \
        return STEP_NEXT;                                                                                    \
    }
DEFINE_SELP(selp_b16, u16)
DEFINE_SELP(selp_b32, u32)
DEFINE_SELP(selp_b64, u64)

#define DEFINE_SLCT(name, T, TC, condition)                                                                  \
    static enum step name(struct warp *warp, const struct micro *op, uint32_t active)                        \
    {                                                                                                        \
        row_##T *d = row(warp, op->dst);                                                                     \
        const row_##T *a = row(warp, op->a), *b = row(warp, op->b);                                          \
        const row_##TC *c = row(warp, op->c);                                                                \
        const bool ftz = op->flags & FLAG_FTZ;                                                               \
        (void)ftz;                                                                                           \
        WRITE_LANES(T, d, active, warp->full, (condition) ? a[i] : b[i]);                                    \
        return STEP_NEXT;                                                                                    \
    }
#define SLCT_OPS(X)                                                                                          \
    X(slct_b16_s32, u16, s32, c[i] >= 0)                                                                     \
    X(slct_b32_s32, u32, s32, c[i] >= 0)                                                                     \
    X(slct_b64_s32, u64, s32, c[i] >= 0)                                                                     \
    X(slct_b16_f32, u16, f32, (ftz ? flushed(c[i]) : c[i]) >= 0)                                             \
    X(slct_b32_f32, u32, f32, (ftz ? flushed(c[i]) : c[i]) >= 0)                                             \
    X(slct_b64_f32, u64, f32, (ftz ? flushed(c[i]) : c[i]) >= 0)
SLCT_OPS(DEFINE_SLCT)

/* ---- predicates ---------------------------------------------------------------------------------------- */

#define DEFINE_PREDICATE(name, value)                                                                        \
    static enum step name(struct warp *warp, const struct micro *op, uint32_t active)                        \
    {                                                                                                        \
        const u32 x = warp->preds[op->q] ^ (op->imm & 1 ? ~0u : 0);                                          \
        const u32 y = warp->preds[op->a] ^ (op->imm & 2 ? ~0u : 0);                                          \
        (void)y;                                                                                             \
        set_predicate(warp, op->p, active, value);                                                           \
        return STEP_NEXT;                                                                                    \
    }
DEFINE_PREDICATE(mov_pred, x)
DEFINE_PREDICATE(not_pred, ~x)
DEFINE_PREDICATE(and_pred, x &y)
DEFINE_PREDICATE(or_pred, x | y)
DEFINE_PREDICATE(xor_pred, x ^ y)

#define SETP_ROW(key, name, ...) {key, name},

const struct handler SIMD(exec_compare_handlers)[] = {
    ALL_SETP(SETP_ROW){"set.b16", set_b16},
    {"set.b32", set_b32},
    {"selp.b16", selp_b16},
    {"selp.b32", selp_b32},
    {"selp.b64", selp_b64},
    {"slct.b16.s32", slct_b16_s32},
    {"slct.b32.s32", slct_b32_s32},
    {"slct.b64.s32", slct_b64_s32},
    {"slct.b16.f32", slct_b16_f32},
    {"slct.b32.f32", slct_b32_f32},
    {"slct.b64.f32", slct_b64_f32},
    {"mov.pred", mov_pred},
    {"not.pred", not_pred},
    {"and.pred", and_pred},
    {"or.pred", or_pred},
    {"xor.pred", xor_pred},
    {NULL, NULL},
};
