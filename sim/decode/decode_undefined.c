/*
 * Which registers of a kernel may be undefined: those that some path reads before it has written them, and all that is
 * computed from them. See sim/core/undefined.h.
 *
 * It is found without regard to order: a register is followed everywhere if it may be undefined anywhere. Functions that
 * the kernel calls are left out: what nvcc does not inline is rare, and -G keeps variables in memory.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/core/need.h"
#include "sim/core/undefined.h"
#include "sim/decode/decode_internal.h"
#include "sim/text/declaration.h"
#include "sim/text/place.h"

struct finder {
    const struct decoder *d;
    int asked_file; /* whether this source file names NaN: asked once; 0: not asked */
    bool names_nan;
    const struct register_note *notes;
    int note_count;
    int *number; /* by register: its number if it is followed, else -1 */
    int count;
};

static bool is_one_of(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(word, *list) == 0)
            return true;
    return false;
}

/* The type that is named n-th, from 0; PTX_NOTYPE: there is none. */
static enum ptx_type type_of(const struct ptx_instr *instr, int n)
{
    for (int i = 0; i < instr->mod_count; i++) {
        const enum ptx_type type = ptx_type_find(instr->mods[i]);
        if (type != PTX_NOTYPE && n-- == 0)
            return type;
    }
    return PTX_NOTYPE;
}

/* ---- rules --------------------------------------------------------------------------------------------- */

static enum undefined_rule rule_of_move(const struct ptx_instr *instr)
{
    if (instr->operands[0].kind == PTX_VECTOR)
        return UNDEFINED_UNPACK;
    return instr->operands[1].kind == PTX_VECTOR ? UNDEFINED_PACK : UNDEFINED_COPY;
}

/* ---- NaN instead of an undefined value ----------------------------------------------------------------- */

static bool is_nan(const struct ptx_operand *operand)
{
    return (operand->kind == PTX_F32_BITS && (uint32_t)operand->value == 0x7FC00000u) ||
           (operand->kind == PTX_F64_BITS && (uint64_t)operand->value == UINT64_C(0x7FF8000000000000));
}

/* As nvcc stores a constant. */
static bool is_nan_as_bits(const struct ptx_operand *operand)
{
    return operand->kind == PTX_INT &&
           (operand->value == INT64_C(0x7FC00000) || operand->value == INT64_C(0x7FF8000000000000));
}

/* A program that makes NaNs itself has them as constants, too. */
static bool file_names_nan(struct finder *f, const struct ptx_instr *instr)
{
    static const char *const words[] = {"nan", "NaN", "NAN", "0x7f", "0x7F", NULL};
    if (instr->loc.file != f->asked_file)
        f->names_nan = source_contains(place_file(f->d->kernel, instr->loc), words);
    f->asked_file = instr->loc.file;
    return f->names_nan;
}

/*
 * Where nvcc adds a float without a value to another one, and knows it, it takes the sum for NaN. What is left of it
 * in the PTX is a NaN as a constant: in arithmetic, where no program has one, since NaN comes of it in any case, or
 * moved.
 */
static bool is_source(struct finder *f, const struct ptx_instr *instr)
{
    static const char *const arithmetic[] = {"add", "sub", "mul", "fma", "div", NULL};
    for (int i = 1; is_one_of(instr->op, arithmetic) && i < instr->operand_count; i++)
        if (is_nan(&instr->operands[i]))
            return true;
    return strcmp(instr->op, "mov") == 0 && instr->operand_count == 2 &&
           (is_nan(&instr->operands[1]) || is_nan_as_bits(&instr->operands[1])) && !file_names_nan(f, instr);
}

/* Of integers, by a register. */
static bool is_division(const struct ptx_instr *instr)
{
    return (strcmp(instr->op, "div") == 0 || strcmp(instr->op, "rem") == 0) && instr->operand_count == 3 &&
           instr->operands[2].kind == PTX_REG && !decode_is_float(type_of(instr, 0));
}

/* Shifts by a register are taken as arithmetic. */
static enum undefined_rule rule_of_shift(const struct ptx_instr *instr)
{
    const bool is_signed = type_of(instr, 0) >= PTX_S8 && type_of(instr, 0) <= PTX_S64;
    return instr->operands[2].kind == PTX_INT && !is_signed ? UNDEFINED_SHIFT : UNDEFINED_BY_ANY;
}

/* By ld or st; a generic address may be one of shared memory. */
static bool may_be_shared(const struct ptx_instr *instr)
{
    static const char *const others[] = {"global", "local", "const", "param", NULL};
    for (int i = 0; i < instr->mod_count; i++)
        if (is_one_of(instr->mods[i], others))
            return false;
    return true;
}

static bool is_followable(const struct finder *f, int reg)
{
    const enum ptx_type type = f->d->func->regs[reg].type;
    return type == PTX_PRED || ptx_type_size(type) <= 8;
}

/* Of shared memory, into registers that can all be followed. */
static enum undefined_rule rule_of_load(const struct finder *f, const struct ptx_instr *instr)
{
    const struct ptx_operand *to = &instr->operands[0];
    const bool is_list = to->kind == PTX_VECTOR;
    for (int i = 0; i < (is_list ? to->count : 1); i++) {
        const struct ptx_operand *one = is_list ? &to->list[i] : to;
        if (one->kind != PTX_REG || !is_followable(f, one->reg))
            return UNDEFINED_NEVER;
    }
    return may_be_shared(instr) ? UNDEFINED_LOAD : UNDEFINED_NEVER;
}

/* To the parameters of a function. */
static enum undefined_rule rule_of_store(const struct ptx_instr *instr)
{
    static const char *const param[] = {"param", NULL};
    for (int i = 0; i < instr->mod_count; i++)
        if (is_one_of(instr->mods[i], param))
            return UNDEFINED_LOST;
    return UNDEFINED_STORE;
}

static enum undefined_rule rule_of(struct finder *f, const struct ptx_instr *instr)
{
    static const char *const from_elsewhere[] = {"ldu",      "call", "suld",     "activemask",
                                                 "mbarrier", "cp",   "ldmatrix", NULL};
    static const char *const moves[] = {"cvta", "not", NULL};
    static const char *const votes[] = {"vote", "match", "redux", "mma", "movmatrix", NULL};
    static const char *const lost[] = {"sust", "brx", NULL};
    const char *op = instr->op;
    if (is_source(f, instr))
        return UNDEFINED_SOURCE;
    if (is_division(instr))
        return UNDEFINED_DIVIDE;
    if (strcmp(op, "ld") == 0)
        return rule_of_load(f, instr);
    if (strcmp(op, "wmma") == 0) /* the first modifier says what it does */
        return instr->mods[0][0] == 'l'   ? UNDEFINED_NEVER
               : instr->mods[0][0] == 's' ? UNDEFINED_STORE
                                          : UNDEFINED_VOTE;
    if (strcmp(op, "mov") == 0)
        return rule_of_move(instr);
    if (strcmp(op, "cvt") == 0)
        return decode_is_float(type_of(instr, 0)) || decode_is_float(type_of(instr, 1)) ? UNDEFINED_BY_ANY
                                                                                        : UNDEFINED_COPY;
    if (strcmp(op, "shl") == 0 || strcmp(op, "shr") == 0)
        return rule_of_shift(instr);
    return is_one_of(op, from_elsewhere)                       ? UNDEFINED_NEVER
           : is_one_of(op, moves)                              ? UNDEFINED_COPY
           : is_one_of(op, votes)                              ? UNDEFINED_VOTE
           : is_one_of(op, lost)                               ? UNDEFINED_LOST
           : strcmp(op, "and") == 0                            ? UNDEFINED_AND
           : strcmp(op, "or") == 0                             ? UNDEFINED_OR
           : strcmp(op, "selp") == 0                           ? UNDEFINED_SELECT
           : strcmp(op, "shfl") == 0                           ? UNDEFINED_SHUFFLE
           : strcmp(op, "st") == 0                             ? rule_of_store(instr)
           : strcmp(op, "atom") == 0 || strcmp(op, "red") == 0 ? UNDEFINED_ATOMIC
                                                               : UNDEFINED_BY_ANY;
}

/* Whether what it writes may be undefined because of what it reads. */
static bool passes_on(enum undefined_rule rule)
{
    return rule != UNDEFINED_NEVER && rule != UNDEFINED_STORE && rule != UNDEFINED_ATOMIC &&
           rule != UNDEFINED_LOST;
}

/* ---- which are followed -------------------------------------------------------------------------------- */

static const struct ptx_instr *instr_of(const struct finder *f, const struct register_note *note)
{
    return &f->d->func->instrs[note->instr];
}

static int address_register(const struct ptx_instr *instr)
{
    for (int i = 0; i < instr->operand_count; i++)
        if (instr->operands[i].kind == PTX_ADDRESS && instr->operands[i].reg >= 0)
            return instr->operands[i].reg;
    return -1;
}

static bool is_value(const struct ptx_instr *instr, const struct register_note *note)
{
    return !note->writes && note->reg != instr->guard && note->reg != address_register(instr);
}

static bool follow(struct finder *f, int reg)
{
    if (f->number[reg] >= 0 || !is_followable(f, reg))
        return false;
    f->number[reg] = f->count++;
    return true;
}

/* The notes of one instruction lie side by side: [*begin, returned). */
static int end_of_instruction(const struct finder *f, int begin)
{
    int end = begin;
    while (end < f->note_count && f->notes[end].instr == f->notes[begin].instr)
        end++;
    return end;
}

/* All that is computed from what is followed. */
static void follow_results(struct finder *f)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int begin = 0, end; begin < f->note_count; begin = end) {
            const struct ptx_instr *instr = instr_of(f, &f->notes[begin]);
            bool reads = false;
            end = end_of_instruction(f, begin);
            for (int i = begin; i < end; i++)
                reads |= is_value(instr, &f->notes[i]) && f->number[f->notes[i].reg] >= 0;
            for (int i = begin; reads && passes_on(rule_of(f, instr)) && i < end; i++)
                changed |= f->notes[i].writes && follow(f, f->notes[i].reg);
        }
    }
}

/* ---- operations ---------------------------------------------------------------------------------------- */

static int number_of(const struct finder *f, const struct ptx_operand *operand)
{
    return operand->kind == PTX_REG ? f->number[operand->reg] : -1;
}

/* The operands as they stand: `first` to the last; lists one by one. */
static void add_sources(const struct finder *f, struct undefined_op *op, const struct ptx_instr *instr,
                        int first)
{
    for (int i = first; i < instr->operand_count; i++) {
        const struct ptx_operand *operand = &instr->operands[i];
        const bool is_list = operand->kind == PTX_VECTOR || operand->kind == PTX_LIST;
        for (int k = 0; k < (is_list ? operand->count : 1) && op->from_count < UNDEFINED_FROM; k++)
            op->from[op->from_count++] = number_of(f, is_list ? &operand->list[k] : operand);
    }
}

static void add_targets(const struct finder *f, struct undefined_op *op, const struct ptx_operand *operand)
{
    const bool is_list =
        operand->kind == PTX_VECTOR || operand->kind == PTX_PAIR || operand->kind == PTX_LIST;
    for (int k = 0; k < (is_list ? operand->count : 1) && op->to_count < UNDEFINED_TO; k++)
        op->to[op->to_count++] = number_of(f, is_list ? &operand->list[k] : operand);
    for (int k = UNDEFINED_TO; is_list && k < operand->count; k++)
        op->rule = UNDEFINED_NEVER; /* none has so many */
}

static bool writes_none(const struct ptx_instr *instr, enum undefined_rule rule)
{
    static const char *const ops[] = {"red", "bra", "bar", "barrier", "brx", "nanosleep", "sust", NULL};
    return is_one_of(instr->op, ops) || rule == UNDEFINED_STORE || rule == UNDEFINED_LOST;
}

static int bits_of(const struct ptx_instr *instr, enum undefined_rule rule)
{
    const enum ptx_type type = type_of(instr, 0), from = type_of(instr, 1);
    if (type == PTX_PRED)
        return 1;
    if (rule == UNDEFINED_PACK || rule == UNDEFINED_UNPACK) {
        const struct ptx_operand *list = &instr->operands[rule == UNDEFINED_PACK];
        return list->count ? 8 * ptx_type_size(type) / list->count : 0;
    }
    const int size = ptx_type_size(type);
    return 8 * (from != PTX_NOTYPE && ptx_type_size(from) < size ? ptx_type_size(from) : size);
}

static struct undefined_op make_op(struct finder *f, const struct ptx_instr *instr)
{
    struct undefined_op op = {.rule = rule_of(f, instr), .guard = -1, .address = -1, .chooses = -1};
    const int address = address_register(instr);
    op.guard = instr->guard >= 0 ? f->number[instr->guard] : -1;
    op.address = address >= 0 ? f->number[address] : -1;
    op.bits = bits_of(instr, op.rule);
    if (writes_none(instr, op.rule)) {
        add_sources(f, &op, instr, 0);
    } else if (instr->operand_count) {
        add_targets(f, &op, &instr->operands[0]);
        add_sources(f, &op, instr, 1);
    }
    if (op.rule == UNDEFINED_STORE || op.rule == UNDEFINED_ATOMIC) { /* the address stands among them */
        memmove(op.from, op.from + 1, sizeof op.from - sizeof op.from[0]);
        op.from_count -= op.from_count > 0;
        if (strcmp(instr->op, "wmma") == 0) /* the distance of the rows stands behind them */
            op.from_count = instr->operands[1].count;
    }
    if (op.rule == UNDEFINED_SELECT && op.from_count == 3)
        op.chooses = op.from[2];
    if (op.rule == UNDEFINED_SHUFFLE)
        op.from_count = op.from_count > 0; /* neither the lane nor the mask */
    if (op.rule == UNDEFINED_SHIFT)
        op.shift = (int)(instr->operands[2].value & 127) * (strcmp(instr->op, "shl") == 0 ? 1 : -1);
    return op;
}

static int operation_of(const struct decoder *d, int instr)
{
    const int block = d->cfg->block_of[instr];
    return (int)d->block_pcs[block] + instr - d->cfg->blocks[block].first;
}

static void add_operations(struct finder *f, struct undefined_code *u)
{
    const struct decoder *d = f->d;
    for (int begin = 0, end; begin < f->note_count; begin = end) {
        bool touches = false;
        end = end_of_instruction(f, begin);
        for (int i = begin; i < end; i++)
            touches |= f->number[f->notes[i].reg] >= 0;
        if (!touches)
            continue;
        struct undefined_op *op = arena_alloc(d->code->arena, sizeof *op);
        *op = make_op(f, instr_of(f, &f->notes[begin]));
        u->ops[operation_of(d, f->notes[begin].instr)] = op;
    }
}

/* A warp follows its registers from the first such operation on that finds something. */
static bool begins_later(struct finder *f, const struct ptx_instr *instr)
{
    const enum undefined_rule rule = rule_of(f, instr);
    return rule == UNDEFINED_DIVIDE || rule == UNDEFINED_LOAD || rule == UNDEFINED_SHUFFLE;
}

void decode_find_undefined(struct decoder *d, const uint64_t *unwritten)
{
    const int reg_count = d->func->reg_count;
    struct finder f = {.d = d, .notes = d->notes, .note_count = d->note_count};
    f.number = sim_need((size_t)reg_count + 1, sizeof *f.number, "the registers of a kernel");
    for (int reg = 0; reg < reg_count; reg++)
        f.number[reg] = -1;
    for (int reg = 0; reg < reg_count; reg++)
        if (unwritten[reg / 64] >> reg % 64 & 1)
            follow(&f, reg);
    const int unwritten_count = f.count;
    for (int i = 0; i < f.note_count; i++)
        if (f.notes[i].writes && is_source(&f, instr_of(&f, &f.notes[i])))
            follow(&f, f.notes[i].reg);
    const bool from_start = f.count > 0;
    for (int i = 0; i < f.note_count; i++)
        if (f.notes[i].writes && begins_later(&f, instr_of(&f, &f.notes[i])))
            follow(&f, f.notes[i].reg);
    if (f.count) {
        struct undefined_code *u = arena_alloc(d->code->arena, sizeof *u);
        follow_results(&f);
        u->from_start = from_start;
        u->unwritten_count = unwritten_count;
        u->count = f.count;
        u->ops = arena_alloc(d->code->arena, (size_t)d->code->count * sizeof *u->ops);
        add_operations(&f, u);
        d->code->undefined = u;
    }
    free(f.number);
}
