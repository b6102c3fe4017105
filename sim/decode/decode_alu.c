/* Decoding of what only computes: arithmetic, bits, comparison. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/decode/decode_internal.h"
#include "sim/machine/exec.h"

/* ---- handlers by name ---------------------------------------------------------------------------------- */

const char *decode_type_name(enum ptx_type type)
{
    static const char *const names[] = {
        [PTX_NOTYPE] = "(none)", [PTX_PRED] = "pred",     [PTX_B8] = "b8",         [PTX_B16] = "b16",
        [PTX_B32] = "b32",       [PTX_B64] = "b64",       [PTX_B128] = "b128",     [PTX_U8] = "u8",
        [PTX_U16] = "u16",       [PTX_U32] = "u32",       [PTX_U64] = "u64",       [PTX_S8] = "s8",
        [PTX_S16] = "s16",       [PTX_S32] = "s32",       [PTX_S64] = "s64",       [PTX_F16] = "f16",
        [PTX_F16X2] = "f16x2",   [PTX_BF16] = "bf16",     [PTX_BF16X2] = "bf16x2", [PTX_F32] = "f32",
        [PTX_F64] = "f64",       [PTX_TEXREF] = "texref", [PTX_U16X2] = "u16x2",   [PTX_S16X2] = "s16x2",
        [PTX_TF32] = "tf32",
    };
    return names[type];
}

exec_fn decode_handler(struct decoder *d, const char *format, ...)
{
    char key[96];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(key, sizeof key, format, arguments);
    va_end(arguments);
    exec_fn run = exec_handler(key);
    if (!run)
        decode_fail(d, "is a form that the simulator does not have (%s)", key);
    return run;
}

bool decode_is_float(enum ptx_type type)
{
    return type >= PTX_F16 && type <= PTX_F64;
}

static exec_fn find_typed(struct decoder *d, const char *name, enum ptx_type type)
{
    char key[96];
    snprintf(key, sizeof key, "%s.%s", name, decode_type_name(type));
    exec_fn run = exec_handler(key);
    bool moves_bits = (d->opcode->types >> PTX_B32 & 1) != 0;
    if (run || (decode_is_float(type) && !moves_bits))
        return run;
    snprintf(key, sizeof key, "%s.b%d", name, 8 * ptx_type_size(type));
    return exec_handler(key);
}

exec_fn decode_typed_handler(struct decoder *d, const char *name, enum ptx_type type)
{
    exec_fn run = find_typed(d, name, type);
    if (!run)
        decode_fail(d, "is a form that the simulator does not have (%s.%s)", name, decode_type_name(type));
    return run;
}

/* ---- the general form ---------------------------------------------------------------------------------- */

/* The modifiers that choose another handler, in the order in which handlers spell them. */
static const enum modifier_kind name_kinds[] = {
    MOD_HALF, MOD_CARRY, MOD_APPROX, MOD_SHIFT, MOD_WRAP, MOD_SHIFTAMT, MOD_PERMUTE, MOD_TEST, MOD_NAN,
};

static void base_key(struct decoder *d, char *key, size_t size)
{
    size_t length = (size_t)snprintf(key, size, "%s", d->opcode->name);
    for (size_t i = 0; i < sizeof name_kinds / sizeof name_kinds[0]; i++)
        if (has_modifier(&d->mods, name_kinds[i]))
            length += (size_t)snprintf(key + length, size - length, ".%s", d->mods.name[name_kinds[i]]);
}

uint16_t decode_float_flags(const struct modifiers *m)
{
    return (uint16_t)(m->value[MOD_ROUND] | (m->value[MOD_FTZ] ? FLAG_FTZ : 0) |
                      (m->value[MOD_SAT] ? FLAG_SAT : 0) | (m->value[MOD_RELU] ? FLAG_RELU : 0));
}

/*
 * Floats: "add.f32" rounds to nearest, "add.ftz.f32" flushes too, "add.any.f32" reads op->flags for whatever
 * else was asked for; a handler without a variant of its own is served by the next one.
 */
static void choose_handler(struct decoder *d, struct micro *op, enum ptx_type type)
{
    char base[64], key[80];
    base_key(d, base, sizeof base);
    const struct modifiers *m = &d->mods;
    if (!decode_is_float(type)) {
        snprintf(key, sizeof key, "%s%s%s", base, m->value[MOD_SAT] ? ".sat" : "",
                 m->value[MOD_RELU] ? ".relu" : "");
        op->run = decode_typed_handler(d, key, type);
        return;
    }
    op->flags |= decode_float_flags(m);
    bool plain = !(op->flags & (FLAG_ROUND | FLAG_SAT | FLAG_RELU));
    if (plain && !m->value[MOD_FTZ] && (op->run = find_typed(d, base, type)))
        return;
    snprintf(key, sizeof key, "%s.ftz", base);
    if (plain && m->value[MOD_FTZ] && (op->run = find_typed(d, key, type)))
        return;
    snprintf(key, sizeof key, "%s.any", base);
    if ((op->run = find_typed(d, key, type)))
        return;
    op->run = decode_typed_handler(d, base, type); /* fails, naming the form */
    if (!plain || m->value[MOD_FTZ])
        decode_fail(d, "has modifiers that the simulator does not support together");
}

static enum ptx_type widened(struct decoder *d, enum ptx_type type)
{
    if (d->mods.value[MOD_HALF] != HALF_WIDE)
        return type;
    switch (type) {
    case PTX_U16: return PTX_U32;
    case PTX_S16: return PTX_S32;
    case PTX_U32: return PTX_U64;
    case PTX_S32: return PTX_S64;
    default: decode_fail(d, "cannot be .wide for this type"); return type;
    }
}

static void note_flops(struct decoder *d, struct micro *op, enum ptx_type type)
{
    const char *name = d->opcode->name;
    if (type != PTX_F32 && type != PTX_F64)
        return;
    if (strcmp(name, "fma") == 0 || strcmp(name, "mad") == 0)
        op->flags |= FLAG_FLOPS_2;
    else if (strcmp(name, "add") == 0 || strcmp(name, "sub") == 0 || strcmp(name, "mul") == 0)
        op->flags |= FLAG_FLOPS_1;
    if (type == PTX_F64)
        op->flags |= FLAG_DOUBLE;
}

enum ptx_type decode_main_type(struct decoder *d)
{
    if (d->mods.type_count > 0)
        return d->mods.types[0];
    decode_fail(d, "has no type");
    return PTX_B32;
}

static void predicate_logic(struct decoder *d, struct micro *op)
{
    bool negate_a = false, negate_b = false;
    op->p = decode_predicate_destination(d, decode_operand(d, 0));
    op->q = decode_predicate_source(d, decode_operand(d, 1), &negate_a);
    if (d->instr->operand_count > 2)
        op->a = decode_predicate_source(d, decode_operand(d, 2), &negate_b);
    op->imm = (negate_a ? 1 : 0) | (negate_b ? 2 : 0);
    op->run = decode_handler(d, "%s.pred", d->opcode->name);
}

void decode_alu(struct decoder *d, struct micro *op)
{
    enum ptx_type type = decode_main_type(d);
    if (type == PTX_PRED) {
        predicate_logic(d, op);
        return;
    }
    uint32_t *sources[] = {&op->a, &op->b, &op->c, &op->e};
    int source = 0;
    for (int i = 0; d->opcode->operands[i] && !d->failed; i++) {
        const struct ptx_operand *operand = decode_operand(d, i);
        bool negated = false;
        switch (d->opcode->operands[i]) {
        case 'd': op->dst = decode_destination(d, operand, type); break;
        case 'w': op->dst = decode_destination(d, operand, widened(d, type)); break;
        case 'i': op->dst = decode_destination(d, operand, PTX_U32); break;
        case 's': *sources[source++] = decode_source(d, operand, type); break;
        case 'W': *sources[source++] = decode_source(d, operand, widened(d, type)); break;
        case 'u': *sources[source++] = decode_source(d, operand, PTX_U32); break;
        case 'P': op->p = decode_predicate_destination(d, operand); break;
        case 'p':
            op->q = decode_predicate_source(d, operand, &negated);
            op->flags |= negated ? FLAG_NEGATE_P : 0;
            break;
        }
    }
    note_flops(d, op, type);
    if (d->instr->operand_count > (int)strlen(d->opcode->operands))
        decode_fail(d, "has %d operands, expected %zu", d->instr->operand_count, strlen(d->opcode->operands));
    if (!d->failed)
        choose_handler(d, op, type);
}

/* ---- three-input logic, dot products ------------------------------------------------------------------- */

void decode_lop3(struct decoder *d, struct micro *op)
{
    op->dst = decode_destination(d, decode_operand(d, 0), PTX_B32);
    op->a = decode_source(d, decode_operand(d, 1), PTX_B32);
    op->b = decode_source(d, decode_operand(d, 2), PTX_B32);
    op->c = decode_source(d, decode_operand(d, 3), PTX_B32);
    op->imm = decode_immediate(d, decode_operand(d, 4)) & 255;
    op->run = decode_handler(d, "lop3.b32");
}

void decode_dp(struct decoder *d, struct micro *op)
{
    if (d->mods.type_count != 2) {
        decode_fail(d, "needs two types");
        return;
    }
    op->dst = decode_destination(d, decode_operand(d, 0), PTX_U32);
    op->a = decode_source(d, decode_operand(d, 1), PTX_U32);
    op->b = decode_source(d, decode_operand(d, 2), PTX_U32);
    op->c = decode_source(d, decode_operand(d, 3), PTX_U32);
    op->imm = (d->mods.types[0] == PTX_S32 ? 1 : 0) | (d->mods.types[1] == PTX_S32 ? 2 : 0) |
              (d->mods.value[MOD_HALF] == HALF_HIGH ? 4 : 0);
    op->run = decode_handler(d, "%s", d->opcode->name);
}

/* ---- comparison ---------------------------------------------------------------------------------------- */

/* lo, ls, hi, hs are lt, le, gt, ge of unsigned numbers. */
static const char *comparison_name(struct decoder *d)
{
    switch ((enum comparison)d->mods.value[MOD_COMPARE]) {
    case COMPARE_LO: return "lt";
    case COMPARE_LS: return "le";
    case COMPARE_HI: return "gt";
    case COMPARE_HS: return "ge";
    default: return d->mods.name[MOD_COMPARE];
    }
}

/* The combination with a third, predicate operand: p = (a ? b) and c. */
static void decode_combination(struct decoder *d, struct micro *op)
{
    bool negated = false;
    op->q = PREDICATE_TRUE;
    if (has_modifier(&d->mods, MOD_BOOL)) {
        op->q = decode_predicate_source(d, decode_operand(d, 3), &negated);
        op->e = (uint32_t)d->mods.value[MOD_BOOL];
    }
    op->flags |= negated ? FLAG_NEGATE_P : 0;
}

static exec_fn comparison_handler(struct decoder *d, enum ptx_type type)
{
    char name[32];
    bool flush = d->mods.value[MOD_FTZ] != 0;
    snprintf(name, sizeof name, "setp.%s%s", comparison_name(d), flush ? ".ftz" : "");
    return decode_typed_handler(d, name, type);
}

void decode_setp(struct decoder *d, struct micro *op)
{
    enum ptx_type type = decode_main_type(d);
    const struct ptx_operand *target = decode_operand(d, 0);
    op->dst = PREDICATE_SINK; /* the second destination */
    if (target->kind == PTX_PAIR) {
        op->p = decode_predicate_destination(d, &target->list[0]);
        op->dst = decode_predicate_destination(d, &target->list[1]);
    } else {
        op->p = decode_predicate_destination(d, target);
    }
    op->a = decode_source(d, decode_operand(d, 1), type);
    op->b = decode_source(d, decode_operand(d, 2), type);
    op->flags |= decode_float_flags(&d->mods);
    decode_combination(d, op);
    op->run = comparison_handler(d, type);
}

/* What set writes where the comparison holds: 1.0 or all ones. */
static int64_t true_value(enum ptx_type type)
{
    switch (type) {
    case PTX_F32: return 0x3f800000;
    case PTX_F16:
    case PTX_F16X2: return 0x3c00;
    case PTX_BF16:
    case PTX_BF16X2: return 0x3f80;
    default: return -1;
    }
}

/* set: runs setp into a predicate of its own, then writes ones or 1.0 where it holds. */
void decode_set(struct decoder *d, struct micro *op)
{
    if (d->mods.type_count != 2) {
        decode_fail(d, "needs two types");
        return;
    }
    enum ptx_type to = d->mods.types[0], from = d->mods.types[1];
    struct micro *compare = arena_alloc(d->code->arena, sizeof *compare);
    compare->p = PREDICATE_RESULT;
    compare->dst = PREDICATE_SINK;
    compare->a = decode_source(d, decode_operand(d, 1), from);
    compare->b = decode_source(d, decode_operand(d, 2), from);
    compare->flags |= decode_float_flags(&d->mods);
    decode_combination(d, compare);
    compare->run = comparison_handler(d, from);
    op->detail = compare;
    op->dst = decode_destination(d, decode_operand(d, 0), to);
    op->imm = true_value(to);
    bool pair = from == PTX_F16X2 || from == PTX_BF16X2;
    op->run = pair ? decode_handler(d, "set.pair") : decode_handler(d, "set.b%d", 8 * ptx_type_size(to));
}

void decode_slct(struct decoder *d, struct micro *op)
{
    if (d->mods.type_count != 2) {
        decode_fail(d, "needs two types");
        return;
    }
    enum ptx_type type = d->mods.types[0], sign = d->mods.types[1];
    op->dst = decode_destination(d, decode_operand(d, 0), type);
    op->a = decode_source(d, decode_operand(d, 1), type);
    op->b = decode_source(d, decode_operand(d, 2), type);
    op->c = decode_source(d, decode_operand(d, 3), sign);
    op->flags |= decode_float_flags(&d->mods);
    op->run = decode_handler(d, "slct.b%d.%s", 8 * ptx_type_size(type), decode_type_name(sign));
}
