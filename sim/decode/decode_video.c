/*
 * Video instructions, scalar and SIMD: parts of words, a second operation, a merge into the third operand.
 * Source: PTX ISA, "Video Instructions".
 */
#include <string.h>

#include "sim/decode/decode_internal.h"

static const struct {
    const char *name; /* of the opcode, without the 2 or 4 of its SIMD forms */
    enum video_op op;
} video_names[] = {
    {"vadd", VIDEO_ADD}, {"vsub", VIDEO_SUB},   {"vabsdiff", VIDEO_ABSDIFF}, {"vmin", VIDEO_MIN},
    {"vmax", VIDEO_MAX}, {"vavrg", VIDEO_AVRG}, {"vset", VIDEO_SET},         {"vshl", VIDEO_SHL},
    {"vshr", VIDEO_SHR}, {"vmad", VIDEO_MAD},
};

static enum video_op find_operation(const char *name, int parts)
{
    size_t length = strlen(name) - (parts > 1);
    for (size_t i = 0; i < sizeof video_names / sizeof video_names[0]; i++)
        if (strlen(video_names[i].name) == length && strncmp(video_names[i].name, name, length) == 0)
            return video_names[i].op;
    return VIDEO_ADD;
}

static int part_count(const char *name)
{
    char last = name[strlen(name) - 1];
    return last == '2' ? 2 : last == '4' ? 4 : 1;
}

/* ---- selectors ----------------------------------------------------------------------------------------- */

/* One part of a word: .b0 to .b3, .h0, .h1; nothing: all of it. */
static struct video_part scalar_part(struct decoder *d, const char *selector)
{
    int index = selector ? selector[1] - '0' : 0;
    int bits = !selector ? 32 : selector[0] == 'b' ? 8 : 16;
    if (selector && (strlen(selector) != 2 || !strchr("bh", selector[0]) || index < 0 || index >= 32 / bits))
        decode_fail(d, "has the selector .%s, expected .b0 to .b3, .h0 or .h1", selector);
    return (struct video_part){bits * index, bits};
}

/* Parts of both words together, the highest first: .h32, .b7531; those of b begin behind those of a. */
static void simd_parts(struct decoder *d, const char *selector, int parts, int first, struct video_part *out)
{
    int bits = 32 / parts;
    if (selector && (strlen(selector) != (size_t)parts + 1 || selector[0] != (parts == 2 ? 'h' : 'b'))) {
        decode_fail(d, "has the selector .%s, expected .%s", selector,
                    parts == 2 ? "h10 or the like" : "b3210 or the like");
        return;
    }
    for (int i = 0; i < parts; i++) {
        int index = selector ? selector[parts - i] - '0' : first + i;
        if (index < 0 || index >= 2 * parts)
            decode_fail(d, "has a selector of part %d: there are only %d", index, 2 * parts);
        out[i] = (struct video_part){bits * index, bits};
    }
}

/* Bit i: part i of the destination is written. .h1, .b20 … */
static unsigned simd_mask(struct decoder *d, const char *selector, int parts)
{
    unsigned mask = 0;
    if (!selector)
        return (1u << parts) - 1;
    for (const char *digit = selector + 1; *digit; digit++) {
        if (*digit < '0' || *digit >= '0' + parts)
            decode_fail(d, "has the mask .%s: there are only %d parts", selector, parts);
        else
            mask |= 1u << (*digit - '0');
    }
    return mask;
}

/* ---- instructions -------------------------------------------------------------------------------------- */

static const char *selector_of(const struct ptx_operand *operand)
{
    return operand->kind == PTX_REG ? operand->name : NULL;
}

static uint32_t video_source(struct decoder *d, const struct ptx_operand *operand, bool *negated)
{
    *negated = operand->kind == PTX_REG && operand->negated;
    return decode_source(d, operand, PTX_U32);
}

static void decode_types(struct decoder *d, struct video_detail *detail)
{
    const enum ptx_type *types = d->mods.types;
    bool compares = detail->op == VIDEO_SET; /* its result has no type of its own: unsigned */
    if (d->mods.type_count != (compares ? 2 : 3)) {
        decode_fail(d, "needs %d types", compares ? 2 : 3);
        return;
    }
    for (int i = 0; i < d->mods.type_count; i++)
        if (types[i] != PTX_U32 && types[i] != PTX_S32)
            decode_fail(d, "has the type .%s, expected .u32 or .s32", decode_type_name(types[i]));
    detail->signed_d = !compares && types[0] == PTX_S32;
    detail->signed_a = types[compares ? 0 : 1] == PTX_S32;
    detail->signed_b = types[compares ? 1 : 2] == PTX_S32;
}

/* With defaults this is what nvcc makes of __vabsdiffu4 and its kin: a handler of its own. */
static bool is_plain_absdiff4(const struct decoder *d, const struct video_detail *detail)
{
    const struct ptx_operand *o = d->instr->operands;
    return strcmp(d->opcode->name, "vabsdiff4") == 0 && !detail->sat &&
           detail->signed_a == detail->signed_b && !selector_of(&o[0]) && !selector_of(&o[1]) &&
           !selector_of(&o[2]);
}

void decode_video(struct decoder *d, struct micro *op)
{
    const struct modifiers *m = &d->mods;
    struct video_detail *detail = arena_alloc(d->code->arena, sizeof *detail);
    const struct ptx_operand *to = decode_operand(d, 0), *a = decode_operand(d, 1), *b = decode_operand(d, 2);
    int parts = detail->parts = part_count(d->opcode->name);
    bool third = d->instr->operand_count > 3;
    detail->op = find_operation(d->opcode->name, parts);
    detail->sat = m->value[MOD_SAT] != 0;
    detail->second = (enum video_second)m->value[MOD_VIDEO_SECOND];
    detail->compare = (enum comparison)m->value[MOD_COMPARE];
    detail->wrap = m->value[MOD_WRAP] != 0;
    detail->scale = m->value[MOD_SCALE];
    detail->plus_one = m->value[MOD_PLUS_ONE] != 0;
    op->dst = decode_destination(d, to, PTX_U32);
    op->a = video_source(d, a, &detail->negate_a);
    op->b = video_source(d, b, &detail->negate_b);
    op->c = third ? video_source(d, decode_operand(d, 3), &detail->negate_c) : decode_constant(d, 4, 0);
    decode_types(d, detail);
    if (parts > 1) {
        simd_parts(d, selector_of(a), parts, 0, detail->a);
        simd_parts(d, selector_of(b), parts, parts, detail->b);
        detail->mask = simd_mask(d, selector_of(to), parts);
    } else {
        detail->a[0] = scalar_part(d, selector_of(a));
        detail->b[0] = scalar_part(d, selector_of(b));
        detail->b[0].shift += 32;
        detail->to = scalar_part(d, selector_of(to));
    }
    if (!third && (parts > 1 || detail->second || detail->to.bits < 32 || detail->op == VIDEO_MAD))
        decode_fail(d, "needs a third source");
    if (parts > 1 && detail->second > VIDEO_SECOND_ADD)
        decode_fail(d, "has a second operation that only scalar video instructions have");
    op->detail = detail;
    if (!d->failed && is_plain_absdiff4(d, detail))
        op->run = decode_handler(d, "vabsdiff4.%s%s", detail->second ? "add." : "",
                                 detail->signed_a ? "s32" : "u32");
    else
        op->run = decode_handler(d, parts > 1 ? "video.simd" : "video");
}
