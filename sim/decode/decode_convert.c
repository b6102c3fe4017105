/* Decoding of moves, conversions, and what turns addresses of one state space into those of another. */
#include <stdio.h>
#include <string.h>

#include "sim/core/address_space.h"
#include "sim/decode/decode_internal.h"
#include "sim/machine/exec.h"

/* ---- moves --------------------------------------------------------------------------------------------- */

static void decode_pack(struct decoder *d, struct micro *op, const struct ptx_operand *vector,
                        const struct ptx_operand *whole, bool packs)
{
    struct pack_detail *detail = arena_alloc(d->code->arena, sizeof *detail);
    enum ptx_type type = decode_main_type(d);
    detail->count = vector->count;
    detail->whole_size = ptx_type_size(type);
    if ((vector->count != 2 && vector->count != 4) || detail->whole_size < vector->count) {
        decode_fail(d, "packs or unpacks %d elements", vector->count);
        return;
    }
    detail->element_size = detail->whole_size / vector->count;
    for (int i = 0; i < vector->count; i++) {
        enum ptx_type element = detail->element_size == 8   ? PTX_B64
                                : detail->element_size == 4 ? PTX_B32
                                : detail->element_size == 2 ? PTX_B16
                                                            : PTX_B8;
        detail->elements[i] = packs ? decode_source(d, &vector->list[i], element)
                                    : decode_destination(d, &vector->list[i], element);
    }
    detail->whole = packs ? decode_destination(d, whole, type) : decode_source(d, whole, type);
    op->detail = detail;
    op->run = decode_handler(d, packs ? "pack" : "unpack");
}

static void decode_mov_pred(struct decoder *d, struct micro *op)
{
    bool negated;
    op->p = decode_predicate_destination(d, decode_operand(d, 0));
    const struct ptx_operand *from = decode_operand(d, 1);
    if (from->kind == PTX_SREG && strcmp(from->name, "%is_explicit_cluster") == 0) {
        op->run = decode_handler(d, "mov.is_explicit_cluster");
        return;
    }
    op->q = decode_predicate_source(d, from, &negated);
    op->imm = negated;
    op->run = decode_handler(d, "mov.pred");
}

/* Registers that change while a warp runs are read by a handler of their own. */
static bool decode_mov_special(struct decoder *d, struct micro *op, const char *name)
{
    static const char *const changing[] = {"%clock",       "%clock_hi",       "%clock64",
                                           "%globaltimer", "%globaltimer_lo", "%globaltimer_hi"};
    for (size_t i = 0; i < sizeof changing / sizeof changing[0]; i++) {
        if (strcmp(name, changing[i]) == 0) {
            op->run = decode_handler(d, "mov.%s", name + 1);
            op->dst = decode_destination(d, decode_operand(d, 0), decode_main_type(d));
            return true;
        }
    }
    return false;
}

void decode_mov(struct decoder *d, struct micro *op)
{
    const struct ptx_operand *to = decode_operand(d, 0), *from = decode_operand(d, 1);
    enum ptx_type type = decode_main_type(d);
    if (d->failed)
        return;
    if (type == PTX_PRED) {
        decode_mov_pred(d, op);
    } else if (to->kind == PTX_VECTOR) {
        decode_pack(d, op, to, from, false);
    } else if (from->kind == PTX_VECTOR) {
        decode_pack(d, op, from, to, true);
    } else if (from->kind == PTX_SYMBOL && from->var->space == PTX_LOCAL) {
        /* Where a local variable lies depends on how deep the call is. */
        op->dst = decode_destination(d, to, type);
        op->imm = (int64_t)(from->var->address + (uint64_t)from->value);
        op->run = decode_handler(d, "mov.local.b%d", 8 * ptx_type_size(type));
    } else if (from->kind == PTX_SYMBOL && from->var->space == PTX_PARAM) {
        op->dst = decode_destination(d, to, type);
        op->a = decode_constant(d, ptx_type_size(type),
                                decode_param_offset(d, from->var) + (uint64_t)from->value);
        op->run = decode_typed_handler(d, "mov", type);
    } else if (from->kind == PTX_SREG && strcmp(from->name, "%gridid") == 0 && ptx_type_size(type) == 8) {
        op->dst = decode_destination(d, to, type);
        op->a = decode_source(d, from, PTX_U32);
        op->run = decode_handler(d, "cvt.u64.u32");
    } else if (from->kind != PTX_SREG || !decode_mov_special(d, op, from->name)) {
        op->dst = decode_destination(d, to, type);
        op->a = decode_source(d, from, type);
        op->run = decode_typed_handler(d, "mov", type);
    }
}

/* ---- conversions --------------------------------------------------------------------------------------- */

static void decode_cvt_pair(struct decoder *d, struct micro *op)
{
    enum ptx_type to = d->mods.types[0];
    op->dst = decode_destination(d, decode_operand(d, 0), to);
    op->a = decode_source(d, decode_operand(d, 1), PTX_F32);
    op->b = decode_source(d, decode_operand(d, 2), PTX_F32);
    op->flags |= decode_float_flags(&d->mods);
    op->run = decode_handler(d, "cvt.%s.f32", decode_type_name(to));
}

static int usual_register(enum ptx_type type)
{
    return ptx_type_size(type) < 2 ? 2 : ptx_type_size(type);
}

/*
 * A handler for just this pair exists where it is common, also for an integer in a register twice as wide; "cvt" does all
 * of them, lane by lane.
 */
static exec_fn convert_handler(const struct convert_detail *c, const struct modifiers *m)
{
    char key[64];
    const bool is_wide = c->from_register == 2 * usual_register(c->from);
    if (c->to_register != usual_register(c->to) ||
        (!is_wide && c->from_register != usual_register(c->from)) || c->sat || c->relu ||
        (c->ftz && (decode_is_float(c->to) || decode_is_float(c->from))))
        return NULL;
    const char *round = has_modifier(m, MOD_ROUND)       ? m->name[MOD_ROUND]
                        : has_modifier(m, MOD_ROUND_INT) ? m->name[MOD_ROUND_INT]
                                                         : "";
    snprintf(key, sizeof key, "cvt%s%s.%s.%s%s", round[0] ? "." : "", round, decode_type_name(c->to),
             decode_type_name(c->from), is_wide ? ".wide" : "");
    return exec_handler(key);
}

void decode_cvt(struct decoder *d, struct micro *op)
{
    const struct modifiers *m = &d->mods;
    if (m->type_count != 2) {
        decode_fail(d, "needs two types");
        return;
    }
    if (m->types[0] == PTX_TF32 || has_modifier(m, MOD_AWAY)) {
        op->dst = decode_destination(d, decode_operand(d, 0), PTX_B32);
        op->a = decode_source(d, decode_operand(d, 1), PTX_F32);
        op->run =
            decode_handler(d, "cvt.%s%s%s%s.%s.%s", m->name[MOD_AWAY], m->name[MOD_ROUND], m->name[MOD_SAT],
                           m->name[MOD_RELU], decode_type_name(m->types[0]), decode_type_name(m->types[1]));
        return;
    }
    if (m->types[0] == PTX_F16X2 || m->types[0] == PTX_BF16X2) {
        decode_cvt_pair(d, op);
        return;
    }
    struct convert_detail *c = arena_alloc(d->code->arena, sizeof *c);
    c->to = m->types[0];
    c->from = m->types[1];
    op->dst = decode_any_register(d, decode_operand(d, 0), true, &c->to_register);
    const struct ptx_operand *source = decode_operand(d, 1);
    if (source->kind == PTX_REG) {
        op->a = decode_any_register(d, source, false, &c->from_register);
    } else {
        op->a = decode_source(d, source, c->from);
        c->from_register = usual_register(c->from);
    }
    if (c->to_register < ptx_type_size(c->to) || c->from_register < ptx_type_size(c->from))
        decode_fail(d, "has a register that is narrower than its type");
    c->integer_round = has_modifier(m, MOD_ROUND_INT);
    c->round = c->integer_round ? m->value[MOD_ROUND_INT] : m->value[MOD_ROUND];
    c->ftz = m->value[MOD_FTZ];
    c->sat = m->value[MOD_SAT];
    c->relu = m->value[MOD_RELU];
    op->detail = c;
    op->run = convert_handler(c, m);
    if (!op->run)
        op->run = decode_handler(d, "cvt");
    if (!decode_is_float(c->to) && !decode_is_float(c->from))
        op->cost = COST_INT;
}

/* ---- address spaces ------------------------------------------------------------------------------------ */

static uint64_t window_base(enum ptx_space space)
{
    switch (space) {
    case PTX_SHARED: return GENERIC_SHARED_BASE;
    case PTX_LOCAL: return GENERIC_LOCAL_BASE;
    case PTX_PARAM: return GENERIC_PARAM_BASE;
    default: return 0;
    }
}

void decode_cvta(struct decoder *d, struct micro *op)
{
    enum ptx_type type = decode_main_type(d);
    uint64_t base = d->mods.space_count ? window_base(d->mods.spaces[0]) : 0;
    if (ptx_type_size(type) == 4 && base) {
        decode_fail(d, "makes a generic address of 32 bits");
        return;
    }
    const struct ptx_operand *from = decode_operand(d, 1);
    op->dst = decode_destination(d, decode_operand(d, 0), type);
    bool local_symbol = from->kind == PTX_SYMBOL && from->var->space == PTX_LOCAL;
    if (local_symbol) {
        op->imm = (int64_t)(from->var->address + (uint64_t)from->value + base);
        op->run = decode_handler(d, "mov.local.b%d", 8 * ptx_type_size(type));
        return;
    }
    op->a = from->kind == PTX_SYMBOL && from->var->space == PTX_PARAM
                ? decode_constant(d, 8, decode_param_offset(d, from->var) + (uint64_t)from->value)
                : decode_source(d, from, type);
    op->b = decode_constant(d, ptx_type_size(type), d->mods.value[MOD_TO] ? 0 - base : base);
    op->run = decode_typed_handler(d, base ? "add" : "mov", type);
}

/* Both take generic addresses, or with .shared::cluster those of shared memory: imm is where its window begins. */
static void decode_cluster_address(struct decoder *d, struct micro *op)
{
    const enum ptx_type type = decode_main_type(d);
    op->imm = d->mods.space_count ? 0 : (int64_t)GENERIC_SHARED_BASE;
    op->a = decode_source(d, decode_operand(d, 1), type);
    d->code->uses_cluster = true;
}

/* mapa{.space}.type d, a, rank */
void decode_mapa(struct decoder *d, struct micro *op)
{
    const enum ptx_type type = decode_main_type(d);
    decode_cluster_address(d, op);
    op->b = decode_source(d, decode_operand(d, 2), PTX_U32);
    op->dst = decode_destination(d, decode_operand(d, 0), type);
    op->run = decode_handler(d, "mapa.b%d", 8 * ptx_type_size(type));
}

/* getctarank{.space}.type d, a; d has 32 bits */
void decode_getctarank(struct decoder *d, struct micro *op)
{
    decode_cluster_address(d, op);
    op->dst = decode_destination(d, decode_operand(d, 0), PTX_U32);
    op->run = decode_handler(d, "getctarank.b%d", 8 * ptx_type_size(decode_main_type(d)));
}

void decode_isspacep(struct decoder *d, struct micro *op)
{
    op->p = decode_predicate_destination(d, decode_operand(d, 0));
    op->a = decode_source(d, decode_operand(d, 1), PTX_U64);
    op->imm = d->mods.space_count ? (int64_t)d->mods.spaces[0] : (int64_t)PTX_GLOBAL;
    op->run = decode_handler(d, "isspacep");
}
