#include "sim/origin/origin_op.h"

#include <string.h>

#include "sim/origin/origin.h"
#include "sim/ptx/ptx.h"

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
        enum ptx_type type = ptx_type_find(instr->mods[i]);
        if (type != PTX_NOTYPE && n-- == 0)
            return type;
    }
    return PTX_NOTYPE;
}

static bool is_float(enum ptx_type type)
{
    return type == PTX_F16 || type == PTX_BF16 || type == PTX_F32 || type == PTX_F64;
}

static bool is_integer(enum ptx_type type)
{
    return (type >= PTX_U8 && type <= PTX_S64) || type == PTX_B32 || type == PTX_B64;
}

static enum origin_op_kind kind_of(const struct ptx_instr *instr)
{
    static const char *const no_result[] = {
        "bra", "ret",     "exit",      "bar",      "barrier",  "membar",         "fence",   "trap",  "brx",
        "nop", "pmevent", "nanosleep", "prefetch", "mbarrier", "griddepcontrol", "discard", "brkpt", NULL};
    static const char *const branches[] = {"bra", "ret", "exit", NULL};
    static const char *const of_all_lanes[] = {"redux", "vote", "match", NULL};
    static const char *const opaque[] = {"call",  "tex", "tld4", "suld",     "sust",      "activemask",
                                         "elect", "mma", "wmma", "ldmatrix", "movmatrix", NULL};
    if (strcmp(instr->op, "ld") == 0 || strcmp(instr->op, "ldu") == 0)
        return ORIGIN_LOAD;
    if (strcmp(instr->op, "st") == 0 || (strcmp(instr->op, "wmma") == 0 && ptx_has_modifier(instr, "store")))
        return ORIGIN_STORE;
    if (strcmp(instr->op, "atom") == 0 || strcmp(instr->op, "red") == 0)
        return ORIGIN_ATOMIC;
    if (strcmp(instr->op, "cp") == 0)
        return instr->operand_count > 2 && ptx_has_modifier(instr, "async") ? ORIGIN_ASYNC : ORIGIN_IGNORED;
    if (strcmp(instr->op, "selp") == 0)
        return ORIGIN_SELECT;
    if (strcmp(instr->op, "shfl") == 0)
        return ORIGIN_SHUFFLE;
    if (is_one_of(instr->op, of_all_lanes))
        return ORIGIN_COMBINE;
    if (is_one_of(instr->op, opaque))
        return ORIGIN_OPAQUE;
    if (instr->guard >= 0 && is_one_of(instr->op, branches))
        return ORIGIN_BRANCH;
    if (is_one_of(instr->op, no_result))
        return ORIGIN_IGNORED;
    return ORIGIN_PLAIN;
}

/* Whether the operation changes the nature of the number that it passes on. */
static int note_of(const struct ptx_instr *instr)
{
    enum ptx_type to = type_of(instr, 0), from = type_of(instr, 1);
    if (strcmp(instr->op, "cvt") == 0 && is_float(from)) {
        if (is_integer(to) || ptx_has_modifier(instr, "rzi") || ptx_has_modifier(instr, "rni") ||
            ptx_has_modifier(instr, "rmi") || ptx_has_modifier(instr, "rpi"))
            return SIM_ORIGIN_TO_INTEGER;
        return ptx_type_size(to) >= ptx_type_size(from) ? -1
               : to == PTX_F32                          ? SIM_ORIGIN_TO_FLOAT
                                                        : SIM_ORIGIN_TO_HALF;
    }
    return -1;
}

static enum origin_math math_of(const struct ptx_instr *instr)
{
    static const struct {
        const char *op;
        enum origin_math math;
    } table[] = {
        {"add", ORIGIN_ADD},      {"sub", ORIGIN_SUBTRACT},     {"neg", ORIGIN_NEGATE},
        {"mul", ORIGIN_MULTIPLY}, {"fma", ORIGIN_MULTIPLY_ADD}, {"mad", ORIGIN_MULTIPLY_ADD},
        {"min", ORIGIN_COMPARE},  {"max", ORIGIN_COMPARE},      {"div", ORIGIN_DIVIDE},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(instr->op, table[i].op) == 0)
            return table[i].math;
    return ORIGIN_OTHER_MATH;
}

static void set_operands(struct origin_op *op, const struct ptx_instr *instr)
{
    bool is_red = strcmp(instr->op, "red") == 0;
    op->first_source = 1;
    switch (op->kind) {
    case ORIGIN_BRANCH:
    case ORIGIN_IGNORED: op->first_source = instr->operand_count; break;
    case ORIGIN_STORE: op->address = &instr->operands[0]; break;
    case ORIGIN_LOAD:
        op->to = &instr->operands[0];
        op->address = &instr->operands[1];
        op->first_source = instr->operand_count;
        break;
    case ORIGIN_ATOMIC:
        op->to = is_red ? NULL : &instr->operands[0];
        op->address = &instr->operands[is_red ? 0 : 1];
        op->first_source = is_red ? 1 : 2;
        break;
    case ORIGIN_ASYNC:
        op->address = &instr->operands[0];
        op->first_source = instr->operand_count;
        break;
    case ORIGIN_OPAQUE:
        op->to = instr->operands[0].kind == PTX_LIST || strcmp(instr->op, "call") != 0 ? &instr->operands[0]
                                                                                       : NULL;
        op->first_source = instr->operand_count;
        break;
    default: op->to = &instr->operands[0];
    }
    op->source_count = instr->operand_count - op->first_source;
    if (op->kind == ORIGIN_SHUFFLE && op->source_count > 1)
        op->source_count = 1; /* neither the lane nor the mask */
}

struct origin_op origin_op_of(const struct ptx_instr *instr)
{
    struct origin_op op = {.kind = ORIGIN_IGNORED, .note = -1, .instr = instr};
    if (!instr)
        return op;
    op.kind = kind_of(instr);
    if (instr->operand_count == 0) {
        op.kind = op.kind == ORIGIN_BRANCH ? ORIGIN_BRANCH : ORIGIN_IGNORED;
        return op;
    }
    op.math = math_of(instr);
    op.note = note_of(instr);
    op.element_size = ptx_type_size(type_of(instr, 0));
    op.computes = op.math != ORIGIN_OTHER_MATH && op.math != ORIGIN_NEGATE && op.math != ORIGIN_COMPARE &&
                  is_float(type_of(instr, 0)) && op.element_size >= 4;
    op.swaps = op.kind == ORIGIN_ATOMIC && ptx_has_modifier(instr, "cas");
    op.replaces = op.swaps || (op.kind == ORIGIN_ATOMIC && ptx_has_modifier(instr, "exch"));
    set_operands(&op, instr);
    return op;
}
