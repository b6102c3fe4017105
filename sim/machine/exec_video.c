/*
 * Video instructions. Source: PTX ISA, "Scalar Video Instructions" and "SIMD Video Instructions", whose
 * pseudocode this follows.
 */
#include "sim/machine/exec.h"

/* Part of the words b:a, extended by the sign or by zeros. */
static int64_t extract_part(uint64_t words, struct video_part part, bool is_signed)
{
    uint64_t field = words >> part.shift & ((UINT64_C(1) << part.bits) - 1);
    uint64_t sign = UINT64_C(1) << (part.bits - 1);
    return is_signed ? (int64_t)((field ^ sign) - sign) : (int64_t)field;
}

/* Into the range of `bits` bits. */
static int64_t clamp_to(int64_t value, int bits, bool is_signed)
{
    int64_t high = is_signed ? (INT64_C(1) << (bits - 1)) - 1 : (INT64_C(1) << bits) - 1;
    int64_t low = is_signed ? -high - 1 : 0;
    return value < low ? low : value > high ? high : value;
}

static bool compares(enum comparison comparison, int64_t x, int64_t y)
{
    switch (comparison) {
    case COMPARE_EQ: return x == y;
    case COMPARE_NE: return x != y;
    case COMPARE_LT: return x < y;
    case COMPARE_LE: return x <= y;
    case COMPARE_GT: return x > y;
    default: return x >= y;
    }
}

static int64_t shifted(const struct video_detail *video, int64_t x, int64_t y)
{
    uint32_t count = (uint32_t)y;
    count = video->wrap ? count & 31 : count > 32 ? 32 : count;
    return video->op == VIDEO_SHL ? (int64_t)((uint64_t)x << count) : x >> count;
}

static int64_t operate(const struct video_detail *video, int64_t x, int64_t y)
{
    switch (video->op) {
    case VIDEO_ADD: return x + y;
    case VIDEO_SUB: return x - y;
    case VIDEO_ABSDIFF: return x < y ? y - x : x - y;
    case VIDEO_MIN: return x < y ? x : y;
    case VIDEO_MAX: return x > y ? x : y;
    case VIDEO_AVRG: return (x + y + (x + y >= 0)) >> 1;
    case VIDEO_SET: return compares(video->compare, x, y);
    case VIDEO_SHL:
    case VIDEO_SHR: return shifted(video, x, y);
    case VIDEO_MAD: break;
    }
    return 0;
}

/* (a * b) + c, the product or c negated, 1 more for .po, shifted right; 128 bits on the way. */
static uint32_t multiply_add(const struct video_detail *video, int64_t x, int64_t y, uint32_t z)
{
    bool negate_product = video->negate_a != video->negate_b;
    bool is_signed = video->signed_a || video->signed_b || negate_product || video->negate_c;
    bool signed_c = video->signed_a || video->signed_b || negate_product;
    __int128 product = (__int128)x * y, c = signed_c ? (int32_t)z : (int64_t)z;
    __int128 sum = (negate_product ? -product : product) + (video->negate_c ? -c : c) + video->plus_one;
    int64_t result = (int64_t)(sum >> video->scale);
    return (uint32_t)(video->sat ? clamp_to(result, 32, is_signed) : result);
}

static uint32_t second_operation(const struct video_detail *video, uint32_t x, uint32_t c)
{
    bool less = video->signed_d ? (int32_t)x < (int32_t)c : x < c;
    switch (video->second) {
    case VIDEO_SECOND_NONE: return x;
    case VIDEO_SECOND_ADD: return x + c;
    case VIDEO_SECOND_MIN: return less ? x : c;
    case VIDEO_SECOND_MAX: return less ? c : x;
    }
    return x;
}

static uint32_t merge(uint32_t into, struct video_part part, uint32_t value)
{
    uint32_t field = (uint32_t)((UINT64_C(1) << part.bits) - 1) << part.shift;
    return (into & ~field) | (value << part.shift & field);
}

static uint32_t scalar(const struct video_detail *video, uint64_t words, uint32_t c)
{
    int64_t x = extract_part(words, video->a[0], video->signed_a);
    int64_t y = extract_part(words, video->b[0], video->signed_b);
    if (video->op == VIDEO_MAD)
        return multiply_add(video, x, y, c);
    int64_t value = operate(video, x, y);
    if (video->sat)
        value = clamp_to(value, video->to.bits, video->signed_d);
    if (video->to.bits < 32)
        return merge(c, video->to, (uint32_t)value);
    return second_operation(video, (uint32_t)value, c);
}

static uint32_t simd(const struct video_detail *video, uint64_t words, uint32_t c)
{
    int bits = 32 / video->parts;
    uint32_t merged = c, sum = c;
    for (int i = 0; i < video->parts; i++) {
        if (!(video->mask >> i & 1))
            continue;
        int64_t x = extract_part(words, video->a[i], video->signed_a);
        int64_t y = extract_part(words, video->b[i], video->signed_b);
        int64_t value = operate(video, x, y);
        if (video->sat)
            value = clamp_to(value, bits, video->signed_d);
        merged = merge(merged, (struct video_part){i * bits, bits}, (uint32_t)value);
        sum += (uint32_t)value;
    }
    return video->second == VIDEO_SECOND_ADD ? sum : merged;
}

#define DEFINE_VIDEO(name, function)                                                                         \
    static enum step name(struct warp *warp, const struct micro *op, uint32_t active)                        \
    {                                                                                                        \
        row_u32 *d = row(warp, op->dst);                                                                     \
        const row_u32 *a = row(warp, op->a), *b = row(warp, op->b), *c = row(warp, op->c);                   \
        FOR_LANES(lane, active)                                                                              \
        d[lane] = function(op->detail, (uint64_t)b[lane] << 32 | a[lane], c[lane]);                          \
        return STEP_NEXT;                                                                                    \
    }
DEFINE_VIDEO(video, scalar)
DEFINE_VIDEO(video_simd, simd)

const struct handler exec_video_handlers[] = {
    {"video", video},
    {"video.simd", video_simd},
    {NULL, NULL},
};
