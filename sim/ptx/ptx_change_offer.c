/* Which changes an instruction has, kind by kind. */
#include <math.h>
#include <string.h>

#include "sim/ptx/ptx_change_internal.h"

struct ptx_edit ptx_change_no_edit(void)
{
    return (struct ptx_edit){.operand = -1, .swap = -1, .change = {.from = "", .to = ""}};
}

/* ---- comparisons and operations ------------------------------------------------------------------------ */

struct pair {
    const char *from, *to;
};

static void offer_mods(struct ptx_change_walk *w, const struct pair *pairs)
{
    for (int m = 0; m < w->instr->mod_count; m++)
        for (const struct pair *pair = pairs; pair->from; pair++) {
            struct ptx_edit edit = ptx_change_no_edit();
            if (strcmp(w->instr->mods[m], pair->from) != 0)
                continue;
            edit.mod = pair->to;
            edit.mod_index = m;
            edit.change.from = pair->from;
            edit.change.to = pair->to;
            ptx_change_offer(w, &edit);
        }
}

static void offer_comparison(struct ptx_change_walk *w)
{
    static const struct pair opposite[] = {
        {"lt", "ge"},  {"ge", "lt"},  {"le", "gt"},  {"gt", "le"},  {"eq", "ne"},  {"ne", "eq"},
        {"lo", "hs"},  {"hs", "lo"},  {"ls", "hi"},  {"hi", "ls"},  {"ltu", "ge"}, {"geu", "lt"},
        {"leu", "gt"}, {"gtu", "le"}, {"equ", "ne"}, {"neu", "eq"}, {NULL, NULL}};
    static const struct pair equal[] = {{"lt", "le"},   {"le", "lt"},   {"gt", "ge"},   {"ge", "gt"},
                                        {"lo", "ls"},   {"ls", "lo"},   {"hi", "hs"},   {"hs", "hi"},
                                        {"ltu", "leu"}, {"leu", "ltu"}, {"gtu", "geu"}, {"geu", "gtu"},
                                        {NULL, NULL}};
    static const struct pair sides[] = {{"lt", "gt"},   {"gt", "lt"},   {"le", "ge"},   {"ge", "le"},
                                        {"lo", "hi"},   {"hi", "lo"},   {"ls", "hs"},   {"hs", "ls"},
                                        {"ltu", "gtu"}, {"gtu", "ltu"}, {"leu", "geu"}, {"geu", "leu"},
                                        {NULL, NULL}};
    if (strcmp(w->instr->op, "setp") == 0)
        offer_mods(w, w->kind == PTX_CHANGE_OPPOSITE ? opposite
                      : w->kind == PTX_CHANGE_EQUAL  ? equal
                                                     : sides);
}

bool ptx_change_has_mod(const struct ptx_instr *instr, const char *mod)
{
    for (int i = 0; i < instr->mod_count; i++)
        if (strcmp(instr->mods[i], mod) == 0)
            return true;
    return false;
}

/* Sums of addresses, which are no numbers of the author's. */
static bool is_of_addresses(const struct ptx_instr *instr)
{
    return ptx_change_has_mod(instr, "s64") || ptx_change_has_mod(instr, "u64") ||
           ptx_change_has_mod(instr, "wide");
}

static bool is_of_floats(const struct ptx_instr *instr)
{
    return ptx_change_has_mod(instr, "f32") || ptx_change_has_mod(instr, "f64");
}

static void offer_op(struct ptx_change_walk *w, const char *from, const char *to)
{
    struct ptx_edit edit = ptx_change_no_edit();
    if (strcmp(w->instr->op, from) != 0)
        return;
    edit.op = to;
    if (strcmp(to, "mul") == 0 && !is_of_floats(w->instr))
        edit.mod = "lo.s32";
    edit.change.from = from;
    edit.change.to = to;
    ptx_change_offer(w, &edit);
}

static void offer_operations(struct ptx_change_walk *w)
{
    static const struct pair shuffles[] = {{"down", "up"}, {"down", "bfly"}, {"up", "down"},
                                           {"up", "bfly"}, {"bfly", "down"}, {"bfly", "up"},
                                           {"idx", "up"},  {"idx", "bfly"},  {NULL, NULL}};
    static const struct pair atomics[] = {{"add", "max"}, {"add", "min"}, {"max", "add"},  {"max", "min"},
                                          {"min", "max"}, {"min", "add"}, {"exch", "add"}, {"exch", "max"},
                                          {"or", "add"},  {"inc", "add"}, {NULL, NULL}};
    static const struct pair roundings[] = {{"rzi", "rni"}, {"rzi", "rmi"}, {"rzi", "rpi"}, {"rni", "rzi"},
                                            {"rmi", "rpi"}, {"rpi", "rmi"}, {NULL, NULL}};
    const bool addresses = is_of_addresses(w->instr), floats = is_of_floats(w->instr);
    if (!addresses) {
        offer_op(w, "add", "sub");
        offer_op(w, "sub", "add");
        offer_op(w, "min", "max");
        offer_op(w, "max", "min");
        offer_op(w, "add", "mul");
    }
    if (floats) {
        offer_op(w, "add", "max");
        offer_op(w, "mul", "add");
        offer_op(w, "add", "min");
        offer_op(w, "max", "add");
        offer_op(w, "min", "add");
        offer_op(w, "neg", "mov");
        offer_op(w, "abs", "mov");
    } else {
        offer_op(w, "div", "rem");
        offer_op(w, "rem", "div");
    }
    if (strcmp(w->instr->op, "shfl") == 0)
        offer_mods(w, shuffles);
    if (strcmp(w->instr->op, "atom") == 0 || strcmp(w->instr->op, "red") == 0)
        offer_mods(w, atomics);
    if (strcmp(w->instr->op, "cvt") == 0)
        offer_mods(w, roundings);
}

static void offer_connect(struct ptx_change_walk *w)
{
    if (!ptx_change_has_mod(w->instr, "pred"))
        return;
    offer_op(w, "and", "or");
    offer_op(w, "or", "and");
}

static void offer_order(struct ptx_change_walk *w)
{
    static const char *const ops[] = {"sub", "div", "rem", "shl", "shr", "selp"};
    struct ptx_edit edit = ptx_change_no_edit();
    edit.swap = 1;
    edit.change.from = w->instr->op;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (strcmp(w->instr->op, ops[i]) == 0 && w->instr->operand_count > 2 && !is_of_addresses(w->instr))
            ptx_change_offer(w, &edit);
}

static void offer_sign(struct ptx_change_walk *w)
{
    const struct ptx_edit edit = ptx_change_no_edit();
    if (strcmp(w->instr->op, "fma") == 0 && w->instr->operands[1].kind == PTX_REG)
        ptx_change_offer(w, &edit);
}

/* ---- operands ------------------------------------------------------------------------------------------ */

static const char *special_of(const struct ptx_change_walk *w, const struct ptx_operand *operand)
{
    const struct ptx_instr *source = ptx_change_source(w->func, w->defined, operand);
    if (operand->kind == PTX_SREG)
        return operand->name;
    if (!source || strcmp(source->op, "mov") != 0 || source->operands[1].kind != PTX_SREG)
        return NULL;
    return source->operands[1].name;
}

/* A number that may stand for the size of the block: 128 in blockIdx.x * 128, which has become a shift. */
static void offer_block_size(struct ptx_change_walk *w)
{
    const char *op = w->instr->op;
    const bool shift = strcmp(op, "shl") == 0;
    if (!shift && strcmp(op, "add") != 0 && strcmp(op, "mul") != 0 && strcmp(op, "mad") != 0)
        return;
    for (int i = 2; i < w->instr->operand_count && i < 4 && !is_of_addresses(w->instr); i++) {
        const struct ptx_operand *operand = &w->instr->operands[i];
        struct ptx_edit edit = ptx_change_no_edit();
        if (operand->kind != PTX_INT || is_of_floats(w->instr) || operand->value < (shift ? 5 : 32) ||
            operand->value > (shift ? 10 : 1024))
            continue;
        edit.op = shift ? "mul" : NULL;
        edit.mod = shift ? "lo.s32" : NULL;
        edit.operand = i;
        edit.value = (struct ptx_operand){.kind = PTX_SREG, .name = "%ntid.x", .reg = -1};
        edit.change.from = "number";
        edit.change.to = "%ntid.x";
        edit.change.number[0] = shift ? ldexp(1, (int)operand->value) : (double)operand->value;
        ptx_change_offer(w, &edit);
    }
}

/* Of a y that the function does not know, the launch has only 0: a condition on it would always hold, or never. */
static bool is_known_axis(const struct ptx_change_walk *w, const char *special)
{
    const size_t length = strlen(special);
    if (special[length - 1] != 'y')
        return true;
    for (int i = 0; i < w->func->instr_count; i++)
        for (int k = 1; k < w->func->instrs[i].operand_count; k++) {
            const struct ptx_operand *operand = &w->func->instrs[i].operands[k];
            if (operand->kind == PTX_SREG && operand->name[strlen(operand->name) - 1] == 'y')
                return true;
        }
    return false;
}

static void offer_builtins(struct ptx_change_walk *w)
{
    static const struct pair others[] = {{"%tid.x", "%tid.y"},
                                         {"%tid.x", "%ctaid.x"},
                                         {"%tid.y", "%tid.x"},
                                         {"%tid.y", "%ctaid.y"},
                                         {"%ctaid.x", "%ctaid.y"},
                                         {"%ctaid.x", "%tid.x"},
                                         {"%ctaid.y", "%ctaid.x"},
                                         {"%ctaid.y", "%tid.y"},
                                         {"%ntid.x", "%nctaid.x"},
                                         {"%ntid.x", "%ntid.y"},
                                         {"%ntid.y", "%ntid.x"},
                                         {"%ntid.y", "%nctaid.y"},
                                         {"%nctaid.x", "%ntid.x"},
                                         {"%nctaid.y", "%ntid.y"},
                                         {"%nctaid.x", "%nctaid.y"},
                                         {"%nctaid.y", "%nctaid.x"},
                                         {NULL, NULL}};
    offer_block_size(w);
    if (strcmp(w->instr->op, "mov") == 0) /* changed where it is used */
        return;
    for (int i = 1; i < w->instr->operand_count; i++) {
        const char *name = special_of(w, &w->instr->operands[i]);
        for (const struct pair *pair = others; name && pair->from; pair++) {
            struct ptx_edit edit = ptx_change_no_edit();
            if (strcmp(name, pair->from) != 0 || !is_known_axis(w, pair->to))
                continue;
            edit.operand = i;
            edit.value = (struct ptx_operand){.kind = PTX_SREG, .name = pair->to, .reg = -1};
            edit.change.from = pair->from;
            edit.change.to = pair->to;
            ptx_change_offer(w, &edit);
        }
    }
}

static void offer_parameters(struct ptx_change_walk *w)
{
    for (int i = 1; i < w->instr->operand_count; i++) {
        const struct ptx_instr *source = ptx_change_source(w->func, w->defined, &w->instr->operands[i]);
        const int from = source ? ptx_change_parameter(w->func, source) : -1;
        for (int to = 0; from >= 0 && to < w->func->param_count; to++) {
            struct ptx_edit edit = ptx_change_no_edit();
            const struct ptx_var *is = &w->func->params[from].var, *other = &w->func->params[to].var;
            if (to == from || other->type != is->type || other->size != is->size)
                continue;
            edit.operand = i;
            edit.change.parameter[0] = from;
            edit.change.parameter[1] = to;
            ptx_change_offer(w, &edit);
        }
    }
}

/* ---- numbers ------------------------------------------------------------------------------------------- */

static double number_of(const struct ptx_operand *operand)
{
    const uint32_t half = (uint32_t)operand->value;
    float single;
    double number;
    switch (operand->kind) {
    case PTX_F32_BITS: memcpy(&single, &half, sizeof single); return single;
    case PTX_F64_BITS: memcpy(&number, &operand->value, sizeof number); return number;
    default: return (double)operand->value;
    }
}

static struct ptx_operand operand_with(enum ptx_operand_kind kind, double number)
{
    struct ptx_operand operand = {.kind = kind, .reg = -1};
    const float single = (float)number;
    uint32_t half;
    memcpy(&half, &single, sizeof half);
    if (kind == PTX_F64_BITS)
        memcpy(&operand.value, &number, sizeof operand.value);
    else
        operand.value = kind == PTX_F32_BITS ? (int64_t)half : (int64_t)number;
    return operand;
}

static void offer_number(struct ptx_change_walk *w, int i, double to)
{
    const struct ptx_operand *operand = &w->instr->operands[i];
    struct ptx_edit edit = ptx_change_no_edit();
    edit.operand = i;
    edit.value = operand_with(operand->kind, to);
    edit.change.number[0] = number_of(operand);
    edit.change.number[1] = to;
    if (!(to == edit.change.number[0] && signbit(to) == signbit(edit.change.number[0])))
        ptx_change_offer(w, &edit);
}

static void offer_numbers_for(struct ptx_change_walk *w, int i)
{
    const struct ptx_operand *operand = &w->instr->operands[i];
    const double is = number_of(operand);
    const double floats[] = {0, 1, -1, -is, 2 * is, is / 2, INFINITY, -INFINITY};
    const double integers[] = {is + 1, is - 1, 2 * is, is / 2, 4 * is, is / 4, -is, 0, 1};
    const bool whole = operand->kind == PTX_INT;
    const double *to = whole ? integers : floats;
    const size_t count = whole ? sizeof integers / sizeof *integers : sizeof floats / sizeof *floats;
    for (size_t k = 0; k < count; k++) {
        bool again = false;
        for (size_t j = 0; j < k; j++)
            again = again || to[j] == to[k];
        if (!again && !(whole && (to[k] != floor(to[k]) || fabs(to[k]) > 2e9)))
            offer_number(w, i, to[k]);
    }
}

/* An atomic operation that counts adds 1. */
static void offer_count(struct ptx_change_walk *w)
{
    const struct ptx_instr *instr = w->instr;
    const int last = instr->operand_count - 1;
    const bool is_atomic = strcmp(instr->op, "red") == 0 || strcmp(instr->op, "atom") == 0;
    if (!is_atomic || !ptx_change_has_mod(instr, "add") || is_of_floats(instr) || last < 1 ||
        instr->operands[last].kind != PTX_REG)
        return;
    struct ptx_edit edit = ptx_change_no_edit();
    edit.operand = last;
    edit.value = (struct ptx_operand){.kind = PTX_INT, .value = 1, .reg = -1};
    edit.change.from = "variable";
    edit.change.number[1] = 1;
    ptx_change_offer(w, &edit);
}

/* Neither the masks and limits of shuffles and barriers nor the sizes of elements in addresses are the author's numbers. */
static void offer_numbers(struct ptx_change_walk *w)
{
    static const char *const not [] = {"shl", "shr", "bar", "barrier", "cvt", "ld",   "st",
                                       "cp",  "bfe", "bfi", "prmt",    "shf", "vote", "cvta"};
    for (size_t k = 0; k < sizeof not / sizeof *not ; k++)
        if (strcmp(w->instr->op, not [k]) == 0)
            return;
    offer_count(w);
    const int last = strcmp(w->instr->op, "shfl") == 0 ? 3 : w->instr->operand_count;
    for (int i = 1; i < last && i < w->instr->operand_count && !is_of_addresses(w->instr); i++) {
        const enum ptx_operand_kind kind = w->instr->operands[i].kind;
        if (kind == PTX_INT || kind == PTX_F32_BITS || kind == PTX_F64_BITS)
            offer_numbers_for(w, i);
    }
}

static void offer_shifts(struct ptx_change_walk *w)
{
    const bool left = strcmp(w->instr->op, "shl") == 0;
    if ((!left && strcmp(w->instr->op, "shr") != 0) || w->instr->operands[2].kind != PTX_INT)
        return;
    const int64_t is = w->instr->operands[2].value;
    for (int64_t by = -2; by <= 2; by++) {
        struct ptx_edit edit = ptx_change_no_edit();
        if (by == 0 || is + by < 0 || is + by > 31)
            continue;
        edit.operand = 2;
        edit.value = (struct ptx_operand){.kind = PTX_INT, .value = is + by, .reg = -1};
        edit.change.number[0] = ldexp(1, (int)(left ? is : -is));
        edit.change.number[1] = ldexp(1, (int)(left ? is + by : -is - by));
        ptx_change_offer(w, &edit);
    }
}

/* What changes nothing as an addend, or as a factor. */
static void offer_without(struct ptx_change_walk *w)
{
    const char *op = w->instr->op;
    const bool sum = strcmp(op, "add") == 0 || strcmp(op, "sub") == 0, product = strcmp(op, "mul") == 0,
               both = strcmp(op, "mad") == 0 || strcmp(op, "fma") == 0, quotient = strcmp(op, "div") == 0;
    const enum ptx_operand_kind kind = ptx_change_has_mod(w->instr, "f32")   ? PTX_F32_BITS
                                       : ptx_change_has_mod(w->instr, "f64") ? PTX_F64_BITS
                                                                             : PTX_INT;
    if ((!sum && !product && !both && !quotient) || is_of_addresses(w->instr))
        return;
    for (int i = strcmp(op, "sub") == 0 || quotient ? 2 : 1; i < w->instr->operand_count; i++) {
        struct ptx_edit edit = ptx_change_no_edit();
        const bool addend = sum || (both && i == 3);
        edit.operand = i;
        edit.value = operand_with(kind, addend ? 0 : 1);
        edit.change.from = addend ? "addend" : quotient ? "divisor" : "factor";
        ptx_change_offer(w, &edit);
    }
}

/* A comparison of an operand with itself. */
static void offer_fixed(struct ptx_change_walk *w)
{
    for (int m = 0; strcmp(w->instr->op, "setp") == 0 && m < w->instr->mod_count; m++) {
        static const char *const holds_equal[] = {"le", "ge", "eq", "ls", "hs", "leu", "geu", "equ"};
        static const char *const comparisons[] = {"lt", "gt", "ne", "lo", "hi", "ltu", "gtu", "neu"};
        bool is = false;
        for (int k = 0; k < 8; k++)
            is = is || strcmp(w->instr->mods[m], holds_equal[k]) == 0 ||
                 strcmp(w->instr->mods[m], comparisons[k]) == 0;
        if (!is || w->instr->operand_count < 3)
            continue;
        struct ptx_edit edit = ptx_change_no_edit();
        edit.mod_index = m;
        edit.mod = w->kind == PTX_CHANGE_ALWAYS ? "eq" : "ne";
        edit.operand = 2;
        edit.value = w->instr->operands[1];
        edit.change.from = w->instr->mods[m];
        if (w->instr->operands[1].kind == PTX_REG)
            ptx_change_offer(w, &edit);
    }
}

void ptx_change_offer_kind(struct ptx_change_walk *w)
{
    switch (w->kind) {
    case PTX_CHANGE_OPPOSITE:
    case PTX_CHANGE_EQUAL:
    case PTX_CHANGE_SIDES: offer_comparison(w); break;
    case PTX_CHANGE_OPERATION: offer_operations(w); break;
    case PTX_CHANGE_CONVERT: ptx_change_offer_conversions(w); break;
    case PTX_CHANGE_ORDER: offer_order(w); break;
    case PTX_CHANGE_SIGN: offer_sign(w); break;
    case PTX_CHANGE_BUILTIN: offer_builtins(w); break;
    case PTX_CHANGE_EXCHANGE: ptx_change_offer_exchange(w); break;
    case PTX_CHANGE_PARAMETER: offer_parameters(w); break;
    case PTX_CHANGE_NUMBER: offer_numbers(w); break;
    case PTX_CHANGE_PLACE: ptx_change_offer_place(w); break;
    case PTX_CHANGE_SHIFT: offer_shifts(w); break;
    case PTX_CHANGE_FACTOR: ptx_change_offer_factor(w); break;
    case PTX_CHANGE_WITHOUT: offer_without(w); break;
    case PTX_CHANGE_ADD: ptx_change_offer_add(w); break;
    case PTX_CHANGE_SKIP: ptx_change_offer_skip(w); break;
    case PTX_CHANGE_VARIABLE: ptx_change_offer_variable(w); break;
    case PTX_CHANGE_ALWAYS:
    case PTX_CHANGE_NEVER: offer_fixed(w); break;
    case PTX_CHANGE_CONNECT: offer_connect(w); break;
    default: break; /* of whole functions */
    }
}
