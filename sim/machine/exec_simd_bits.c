/*
 * Fields of bits, bytes and halves inside a word, logic of three inputs. Source: PTX ISA, "Integer Arithmetic
 * Instructions" (bfe, bfi, fns, dp4a, dp2a), "Data Movement" (prmt), "SIMD Video Instructions".
 */
#include "sim/machine/exec_lanes.h"

/* ---- fields of bits ------------------------------------------------------------------------------------ */

/* bfe: position and length are taken modulo 256; bits beyond the top are the sign, or 0. */
static inline u64 extract(u64 x, u32 position, u32 length, int width, bool is_signed)
{
    position &= 255;
    length &= 255;
    if (length == 0)
        return 0;
    u32 last = position + length - 1;
    u32 sign_place = last < (u32)width ? last : (u32)width - 1;
    u64 sign = is_signed ? x >> sign_place & 1 : 0;
    u64 field = position < (u32)width ? x >> position : 0;
    u32 bits = position >= (u32)width ? 0 : last < (u32)width ? length : (u32)width - position;
    u64 ones = bits >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
    return (field & ones) | (sign ? ~ones : 0);
}

static inline u64 insert(u64 from, u64 into, u32 position, u32 length, int width)
{
    position &= 255;
    length &= 255;
    if (position >= (u32)width || length == 0)
        return into;
    u64 ones = length >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << length) - 1;
    u64 mask = ones << position;
    return (into & ~mask) | (from << position & mask);
}

#define DEFINE_BFE(name, T, width, is_signed)                                                                \
    static enum step name(struct warp *warp, const struct micro *op, uint32_t active)                        \
    {                                                                                                        \
        row_##T *d = row(warp, op->dst);                                                                     \
        const row_##T *a = row(warp, op->a);                                                                 \
        const row_u32 *b = row(warp, op->b), *c = row(warp, op->c);                                          \
        WRITE_LANES(T, d, active, warp->full, (T)extract(a[i], b[i], c[i], width, is_signed));               \
        return STEP_NEXT;                                                                                    \
    }
DEFINE_BFE(bfe_u32, u32, 32, false)
DEFINE_BFE(bfe_s32, u32, 32, true)
DEFINE_BFE(bfe_u64, u64, 64, false)
DEFINE_BFE(bfe_s64, u64, 64, true)

#define DEFINE_BFI(name, T, width)                                                                           \
    static enum step name(struct warp *warp, const struct micro *op, uint32_t active)                        \
    {                                                                                                        \
        row_##T *d = row(warp, op->dst);                                                                     \
        const row_##T *a = row(warp, op->a), *b = row(warp, op->b);                                          \
        const row_u32 *c = row(warp, op->c), *e = row(warp, op->e);                                          \
        WRITE_LANES(T, d, active, warp->full, (T)insert(a[i], b[i], c[i], e[i], width));                     \
        return STEP_NEXT;                                                                                    \
    }
DEFINE_BFI(bfi_b32, u32, 32)
DEFINE_BFI(bfi_b64, u64, 64)

/* ---- bytes --------------------------------------------------------------------------------------------- */

static inline u32 permute(u32 low, u32 high, u32 selector)
{
    u64 bytes = (u64)high << 32 | low;
    u32 result = 0;
    for (int k = 0; k < 4; k++) {
        u32 nibble = selector >> 4 * k & 15;
        u32 byte = (u32)(bytes >> 8 * (nibble & 7)) & 255;
        if (nibble & 8)
            byte = byte & 128 ? 255 : 0;
        result |= byte << 8 * k;
    }
    return result;
}

/* The selectors that the special modes stand for, by the two low bits of c. */
static const u32 mode_selectors[][4] = {
    [PERMUTE_F4E] = {0x3210, 0x4321, 0x5432, 0x6543}, [PERMUTE_B4E] = {0x5670, 0x6701, 0x7012, 0x0123},
    [PERMUTE_RC8] = {0x0000, 0x1111, 0x2222, 0x3333}, [PERMUTE_ECL] = {0x3210, 0x3211, 0x3222, 0x3333},
    [PERMUTE_ECR] = {0x0000, 0x1110, 0x2210, 0x3210}, [PERMUTE_RC16] = {0x1010, 0x3232, 0x1010, 0x3232},
};

static enum step prmt(struct warp *warp, const struct micro *op, uint32_t active)
{
    row_u32 *d = row(warp, op->dst);
    const row_u32 *a = row(warp, op->a), *b = row(warp, op->b), *c = row(warp, op->c);
    WRITE_LANES(u32, d, active, warp->full, permute(a[i], b[i], c[i]));
    return STEP_NEXT;
}

#define DEFINE_PRMT(name, mode)                                                                              \
    static enum step name(struct warp *warp, const struct micro *op, uint32_t active)                        \
    {                                                                                                        \
        row_u32 *d = row(warp, op->dst);                                                                     \
        const row_u32 *a = row(warp, op->a), *b = row(warp, op->b), *c = row(warp, op->c);                   \
        WRITE_LANES(u32, d, active, warp->full, permute(a[i], b[i], mode_selectors[mode][c[i] & 3]));        \
        return STEP_NEXT;                                                                                    \
    }
DEFINE_PRMT(prmt_f4e, PERMUTE_F4E)
DEFINE_PRMT(prmt_b4e, PERMUTE_B4E)
DEFINE_PRMT(prmt_rc8, PERMUTE_RC8)
DEFINE_PRMT(prmt_ecl, PERMUTE_ECL)
DEFINE_PRMT(prmt_ecr, PERMUTE_ECR)
DEFINE_PRMT(prmt_rc16, PERMUTE_RC16)

/* Byte or half `k` of x, as a signed or unsigned number. */
static inline s64 part(u32 x, int k, int bits, bool is_signed)
{
    u32 value = x >> k * bits & ((1u << bits) - 1);
    return is_signed && value >> (bits - 1) ? (s64)value - (1 << bits) : (s64)value;
}

static enum step dp4a(struct warp *warp, const struct micro *op, uint32_t active)
{
    row_u32 *d = row(warp, op->dst);
    const row_u32 *a = row(warp, op->a), *b = row(warp, op->b), *c = row(warp, op->c);
    FOR_LANES(lane, active)
    {
        u64 sum = c[lane];
        for (int k = 0; k < 4; k++)
            sum += (u64)(part(a[lane], k, 8, op->imm & 1) * part(b[lane], k, 8, op->imm & 2));
        d[lane] = (u32)sum;
    }
    return STEP_NEXT;
}

static enum step dp2a(struct warp *warp, const struct micro *op, uint32_t active)
{
    row_u32 *d = row(warp, op->dst);
    const row_u32 *a = row(warp, op->a), *b = row(warp, op->b), *c = row(warp, op->c);
    int first = op->imm & 4 ? 2 : 0;
    FOR_LANES(lane, active)
    {
        u64 sum = c[lane];
        for (int k = 0; k < 2; k++)
            sum += (u64)(part(a[lane], k, 16, op->imm & 1) * part(b[lane], first + k, 8, op->imm & 2));
        d[lane] = (u32)sum;
    }
    return STEP_NEXT;
}

static u32 byte_differences(u32 x, u32 y, u32 z, bool is_signed, bool add)
{
    u32 bytes = 0, sum = z;
    for (int k = 0; k < 4; k++) {
        s64 difference = part(x, k, 8, is_signed) - part(y, k, 8, is_signed);
        u32 size = (u32)(difference < 0 ? -difference : difference);
        bytes |= (size & 255) << 8 * k;
        sum += size;
    }
    return add ? sum : bytes;
}

#define DEFINE_VABSDIFF4(name, is_signed, add)                                                               \
    static enum step name(struct warp *warp, const struct micro *op, uint32_t active)                        \
    {                                                                                                        \
        row_u32 *d = row(warp, op->dst);                                                                     \
        const row_u32 *a = row(warp, op->a), *b = row(warp, op->b), *c = row(warp, op->c);                   \
        FOR_LANES(lane, active) d[lane] = byte_differences(a[lane], b[lane], c[lane], is_signed, add);       \
        return STEP_NEXT;                                                                                    \
    }
DEFINE_VABSDIFF4(vabsdiff4_u32, false, false)
DEFINE_VABSDIFF4(vabsdiff4_s32, true, false)
DEFINE_VABSDIFF4(vabsdiff4_add_u32, false, true)
DEFINE_VABSDIFF4(vabsdiff4_add_s32, true, true)

/* Place of the n-th one of `mask`, counted from `base` upwards (n > 0), downwards (n < 0) or exactly
 * there. */
static u32 find_nth(u32 mask, u32 base, s32 n)
{
    if (n == 0)
        return base < 32 && (mask >> base & 1) ? base : ~0u;
    int step = n > 0 ? 1 : -1;
    s32 left = n > 0 ? n : -n;
    for (s64 place = base; place >= 0 && place < 32; place += step)
        if ((mask >> place & 1) && --left == 0)
            return (u32)place;
    return ~0u;
}

static enum step fns(struct warp *warp, const struct micro *op, uint32_t active)
{
    row_u32 *d = row(warp, op->dst);
    const row_u32 *a = row(warp, op->a), *b = row(warp, op->b), *c = row(warp, op->c);
    FOR_LANES(lane, active)
    d[lane] = find_nth(a[lane], b[lane], (s32)c[lane]);
    return STEP_NEXT;
}

static inline u32 logic3(u32 x, u32 y, u32 z, u32 table)
{
    u32 result = 0;
    for (u32 k = 0; k < 8; k++) {
        u32 term = (k & 4 ? x : ~x) & (k & 2 ? y : ~y) & (k & 1 ? z : ~z);
        result |= table >> k & 1 ? term : 0;
    }
    return result;
}

static enum step lop3(struct warp *warp, const struct micro *op, uint32_t active)
{
    row_u32 *d = row(warp, op->dst);
    const row_u32 *a = row(warp, op->a), *b = row(warp, op->b), *c = row(warp, op->c);
    const u32 table = (u32)op->imm;
    WRITE_LANES(u32, d, active, warp->full, logic3(a[i], b[i], c[i], table));
    return STEP_NEXT;
}

const struct handler SIMD(exec_bits_handlers)[] = {
    {"bfe.u32", bfe_u32},
    {"bfe.s32", bfe_s32},
    {"bfe.u64", bfe_u64},
    {"bfe.s64", bfe_s64},
    {"bfi.b32", bfi_b32},
    {"bfi.b64", bfi_b64},
    {"prmt.b32", prmt},
    {"prmt.f4e.b32", prmt_f4e},
    {"prmt.b4e.b32", prmt_b4e},
    {"prmt.rc8.b32", prmt_rc8},
    {"prmt.ecl.b32", prmt_ecl},
    {"prmt.ecr.b32", prmt_ecr},
    {"prmt.rc16.b32", prmt_rc16},
    {"dp4a", dp4a},
    {"dp2a", dp2a},
    {"vabsdiff4.u32", vabsdiff4_u32},
    {"vabsdiff4.s32", vabsdiff4_s32},
    {"vabsdiff4.add.u32", vabsdiff4_add_u32},
    {"vabsdiff4.add.s32", vabsdiff4_add_s32},
    {"fns.b32", fns},
    {"lop3.b32", lop3},
    {NULL, NULL},
};
