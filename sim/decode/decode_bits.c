/*
 * Which bits of a value count, for reports of reads of what was never written.
 *
 * A bit counts if the thread does something with it: an address, a decision, arithmetic, a shift, an atomic. It does
 * not if it is masked off, or only stored again at the position where it was. So the compiler may load a word for the
 * sake of a bit-field in it, and copy a structure with its padding. Copies and stores: decode_copies.c. A number that
 * is passed to a function counts: without optimization fmaxf() and atomicAdd() are calls, and what they do is not
 * looked into.
 *
 * Found per register, over the whole function and for all paths together: a bit that counts on one path counts.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/core/need.h"
#include "sim/decode/decode_internal.h"

#define ALL_BITS UINT64_MAX

/* What an instruction makes of the bits of its sources. */
enum bit_use {
    USE_ALL,    /* all of them count, whatever becomes of the result */
    USE_RESULT, /* all of them, if the result counts */
    USE_MOVE,
    USE_AND,
    USE_OR,
    USE_XOR,
    USE_NOT,
    USE_SHL,
    USE_SHR,
    USE_BFE,
    USE_BFI,
    USE_CARRY, /* sums and products: bits up to the highest that counts */
    USE_SELECT,
    USE_CONVERT,
    USE_PERMUTE,
    USE_LOAD,
    USE_STORE,
};

static const struct {
    const char *op;
    enum bit_use use;
} uses[] = {
    {"mov", USE_MOVE},    {"and", USE_AND},      {"or", USE_OR},      {"xor", USE_XOR},
    {"not", USE_NOT},     {"lop3", USE_NOT},     {"shl", USE_SHL},    {"shr", USE_SHR},
    {"bfe", USE_BFE},     {"bfi", USE_BFI},      {"add", USE_CARRY},  {"sub", USE_CARRY},
    {"mul", USE_CARRY},   {"mad", USE_CARRY},    {"neg", USE_CARRY},  {"selp", USE_SELECT},
    {"cvt", USE_CONVERT}, {"prmt", USE_PERMUTE}, {"ld", USE_LOAD},    {"ldu", USE_LOAD},
    {"st", USE_STORE},    {"setp", USE_RESULT},  {"min", USE_RESULT}, {"max", USE_RESULT},
    {"abs", USE_RESULT},  {"popc", USE_RESULT},  {"clz", USE_RESULT}, {"brev", USE_RESULT},
    {"fma", USE_RESULT},  {"div", USE_RESULT},   {"rem", USE_RESULT}, {"cvta", USE_RESULT},
};

static enum bit_use use_of(const struct ptx_instr *instr)
{
    if (ptx_has_modifier(instr, "cc")) /* the carry is a result too */
        return USE_ALL;
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++)
        if (strcmp(uses[i].op, instr->op) == 0)
            return uses[i].use;
    return USE_ALL;
}

/* st.param of a number into the argument of a call; structures are passed as arrays of bytes. */
static bool passes_number(const struct ptx_func *func, const struct ptx_instr *instr)
{
    const struct ptx_var *var = instr->operand_count ? instr->operands[0].var : NULL;
    if (strcmp(instr->op, "st") != 0 || !ptx_has_modifier(instr, "param") || !var || var->type == PTX_B8 ||
        var->size != (size_t)ptx_type_size(var->type))
        return false;
    for (int i = 0; i < func->ret_count; i++)
        if (var == &func->rets[i].var)
            return false;
    return true;
}

static uint64_t low_bits(int64_t count)
{
    return count <= 0 ? 0 : count >= 64 ? ALL_BITS : (UINT64_C(1) << count) - 1;
}

static uint64_t shift_left(uint64_t bits, int64_t by)
{
    return by < 0 || by > 63 ? 0 : bits << by;
}

static uint64_t shift_right(uint64_t bits, int64_t by)
{
    return by < 0 || by > 63 ? 0 : bits >> by;
}

static bool is_number(const struct ptx_instr *instr, int k)
{
    return k < instr->operand_count && instr->operands[k].kind == PTX_INT;
}

static int64_t number(const struct ptx_instr *instr, int k)
{
    return instr->operands[k].value;
}

/* The type that stands `from_end` types before the last one; NOTYPE: there is none. */
static enum ptx_type type_of(const struct ptx_instr *instr, int from_end)
{
    for (int i = instr->mod_count - 1; i >= 0; i--) {
        enum ptx_type type = ptx_type_find(instr->mods[i]);
        if (type != PTX_NOTYPE && from_end-- == 0)
            return type;
    }
    return PTX_NOTYPE;
}

static bool is_integer(enum ptx_type type)
{
    return type >= PTX_B8 && type <= PTX_S64 && type != PTX_B128;
}

static bool is_signed(enum ptx_type type)
{
    return type >= PTX_S8 && type <= PTX_S64;
}

static int width(enum ptx_type type)
{
    return 8 * ptx_type_size(type);
}

/* ---- loads: from the uses back to the definitions ------------------------------------------------------ */

/* One pass over a function: bits that count, by register. */
struct demand {
    const struct ptx_func *func;
    const enum bit_use *use; /* by instruction */
    uint64_t *bits;
    bool changed;
    /* NULL: stores count. Else what counts with them: an instruction that does more than move bits uses those of its
     * sources that get into results which are used or stored. */
    const uint64_t *moved;
};

static void want(struct demand *d, const struct ptx_operand *operand, uint64_t bits)
{
    if ((operand->kind == PTX_REG || operand->kind == PTX_ADDRESS) && operand->reg >= 0) {
        d->changed |= (bits & ~d->bits[operand->reg]) != 0;
        d->bits[operand->reg] |= bits;
    }
    for (int i = 0; operand->list && i < operand->count; i++)
        want(d, &operand->list[i], bits);
}

/* What counts of the result; all registers that the operand names. */
static uint64_t wanted_of(const uint64_t *of, const struct ptx_operand *operand)
{
    uint64_t bits = operand->kind == PTX_REG ? of[operand->reg] : 0;
    for (int i = 0; operand->list && i < operand->count; i++)
        bits |= wanted_of(of, &operand->list[i]);
    return bits;
}

static void want_moved(struct demand *d, const struct ptx_instr *instr, uint64_t result)
{
    const struct ptx_operand *to = &instr->operands[0], *from = &instr->operands[1];
    const int whole = width(type_of(instr, 0));
    if (from->kind == PTX_VECTOR && from->count) {
        for (int i = 0; i < from->count; i++)
            want(d, &from->list[i],
                 shift_right(result, (int64_t)i * whole / from->count) & low_bits(whole / from->count));
        return;
    }
    if (to->kind == PTX_VECTOR && to->count)
        for (int i = 0; i < to->count; i++)
            want(d, from,
                 shift_left(wanted_of(d->bits, &to->list[i]) & low_bits(whole / to->count),
                            (int64_t)i * whole / to->count));
    else
        want(d, from, result);
}

static uint64_t field_of(const struct ptx_instr *instr, int position)
{
    return shift_left(low_bits(number(instr, position + 1) & 0xff), number(instr, position) & 0xff);
}

/* bfe d, a, position, length and bfi d, a, b, position, length: `a` gets to another position, `b` stays. */
static void want_field(struct demand *d, const struct ptx_instr *instr, bool inserts)
{
    const int position = inserts ? 3 : 2;
    const uint64_t result = wanted_of(d->bits, &instr->operands[0]),
                   all = d->moved ? wanted_of(d->moved, &instr->operands[0]) : result;
    if (!is_number(instr, position) || !is_number(instr, position + 1)) {
        for (int k = 1; k < instr->operand_count; k++)
            want(d, &instr->operands[k], all ? ALL_BITS : 0);
        return;
    }
    const uint64_t field = field_of(instr, position);
    if (inserts) {
        want(d, &instr->operands[1], shift_right(all & field, number(instr, 3) & 0xff));
        want(d, &instr->operands[2], result & ~field);
    } else {
        want(d, &instr->operands[1], all ? field : 0);
    }
}

/* One source of and, or, xor; the other one may be a number. `all`: with what is only stored. */
static uint64_t through_logic(const struct ptx_instr *instr, enum bit_use use, int k, uint64_t result,
                              uint64_t all)
{
    const int other = 3 - k;
    if (instr->operand_count != 3 || !is_number(instr, other))
        return use == USE_OR ? result : all;
    const uint64_t value = (uint64_t)number(instr, other);
    if (use == USE_XOR)
        return (result & ~value) | (all & value);
    return use == USE_AND ? result & value : result & ~value;
}

static uint64_t through_shift(const struct ptx_instr *instr, enum bit_use use, int k, uint64_t result)
{
    const int bits = width(type_of(instr, 0));
    if (k != 1 || !is_number(instr, 2))
        return result ? ALL_BITS : 0;
    if (use == USE_SHL)
        return shift_right(result & low_bits(bits), number(instr, 2));
    uint64_t sign = is_signed(type_of(instr, 0)) && (result & ~low_bits(bits - number(instr, 2)))
                        ? UINT64_C(1) << (bits - 1)
                        : 0;
    return (shift_left(result, number(instr, 2)) & low_bits(bits)) | sign;
}

static uint64_t through_conversion(const struct ptx_instr *instr, uint64_t result, uint64_t all)
{
    const enum ptx_type to = type_of(instr, 1), from = type_of(instr, 0);
    if (!is_integer(to) || !is_integer(from) || ptx_has_modifier(instr, "sat"))
        return all ? ALL_BITS : 0;
    if (is_signed(to) && (all & ~low_bits(width(to)))) /* the result's own sign is spread */
        result |= UINT64_C(1) << (width(to) - 1);
    all &= low_bits(width(to));
    uint64_t sign = is_signed(from) && (all & ~low_bits(width(from))) ? UINT64_C(1) << (width(from) - 1) : 0;
    return (result & low_bits(width(to)) & low_bits(width(from))) | sign;
}

/* The bytes that a selector of four nibbles takes from source k, 1 or 2. */
static uint64_t through_permutation(const struct ptx_instr *instr, int k, uint64_t result)
{
    uint64_t bits = 0;
    if (k > 2 || !is_number(instr, 3) || strcmp(instr->text, "prmt.b32") != 0)
        return result ? ALL_BITS : 0;
    for (int i = 0; i < 4; i++) {
        int64_t choice = number(instr, 3) >> (4 * i) & 15;
        if ((result >> (8 * i) & 0xff) && (choice & 4) == (k == 2 ? 4 : 0))
            bits |= UINT64_C(0xff) << (8 * (choice & 3));
    }
    return bits;
}

static uint64_t through_carry(const struct ptx_instr *instr, uint64_t result)
{
    if (!result)
        return 0;
    if (!is_integer(type_of(instr, 0)) || ptx_has_modifier(instr, "hi") || ptx_has_modifier(instr, "wide") ||
        ptx_has_modifier(instr, "sat"))
        return ALL_BITS;
    return low_bits(64 - __builtin_clzll(result));
}

/* What counts of source k. Only instructions that leave bits where they were ask for `result`. */
static uint64_t through(const struct ptx_instr *instr, enum bit_use use, int k, uint64_t result, uint64_t all)
{
    switch (use) {
    case USE_AND:
    case USE_OR:
    case USE_XOR: return through_logic(instr, use, k, result, all);
    case USE_NOT: return all;
    case USE_SHL:
    case USE_SHR: return through_shift(instr, use, k, all);
    case USE_CARRY: return through_carry(instr, all);
    case USE_SELECT: return k < 3 ? result : all ? ALL_BITS : 0;
    case USE_CONVERT: return through_conversion(instr, result, all);
    case USE_PERMUTE: return through_permutation(instr, k, all);
    default: return all ? ALL_BITS : 0;
    }
}

static void want_sources(struct demand *d, const struct ptx_instr *instr, enum bit_use use)
{
    const uint64_t result = instr->operand_count ? wanted_of(d->bits, &instr->operands[0]) : 0;
    const uint64_t all = instr->operand_count && d->moved ? wanted_of(d->moved, &instr->operands[0]) : result;
    if (use == USE_MOVE && instr->operand_count == 2) {
        want_moved(d, instr, result);
        return;
    }
    if ((use == USE_BFE && instr->operand_count == 4) || (use == USE_BFI && instr->operand_count == 5)) {
        want_field(d, instr, use == USE_BFI);
        return;
    }
    for (int k = 0; k < instr->operand_count; k++) {
        const struct ptx_operand *operand = &instr->operands[k];
        if (use == USE_ALL || operand->kind == PTX_ADDRESS)
            want(d, operand, ALL_BITS);
        else if (use == USE_STORE)
            want(d, operand, d->moved ? 0 : low_bits(width(type_of(instr, 0))));
        else if (k > 0 && use != USE_LOAD)
            want(d, operand, through(instr, use, k, result, all));
    }
}

static void find_demand(const struct ptx_func *func, const enum bit_use *use, const uint64_t *moved,
                        uint64_t *bits)
{
    struct demand d = {.func = func, .use = use, .bits = bits, .changed = true, .moved = moved};
    while (d.changed) {
        d.changed = false;
        for (int i = func->instr_count - 1; i >= 0; i--) {
            const struct ptx_instr *instr = &func->instrs[i];
            if (instr->guard >= 0)
                bits[instr->guard] = ALL_BITS;
            want_sources(&d, instr, use[i]);
        }
    }
}

uint64_t *decode_find_used_bits(const struct ptx_func *func)
{
    const size_t registers = (size_t)func->reg_count + 1;
    const char *what = "the bits of registers that count";
    uint64_t *used = sim_need(registers, sizeof *used, what),
             *moved = sim_need(registers, sizeof *moved, what);
    enum bit_use *use = sim_need((size_t)func->instr_count + 1, sizeof *use, what);
    for (int i = 0; i < func->instr_count; i++)
        use[i] = passes_number(func, &func->instrs[i]) ? USE_ALL : use_of(&func->instrs[i]);
    find_demand(func, use, NULL, moved);
    find_demand(func, use, moved, used);
    free(use);
    free(moved);
    return used;
}
