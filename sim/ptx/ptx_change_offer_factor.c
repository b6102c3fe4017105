/* A factor that is missing in an index: what is counted in threads, tiles or turns is to be counted in elements. */
#include <string.h>

#include "sim/ptx/ptx_change_internal.h"

#define FACTORS 8

static bool has_any(const struct ptx_instr *instr, const char *const *mods)
{
    for (int i = 0; i < instr->mod_count; i++)
        for (const char *const *mod = mods; *mod; mod++)
            if (strcmp(instr->mods[i], *mod) == 0)
                return true;
    return false;
}

static bool is_of_integers(const struct ptx_instr *instr)
{
    static const char *const others[] = {"s64", "u64", "b64", "wide", "f32", "f64", "pred", NULL};
    return !has_any(instr, others);
}

/* The number by which the instruction multiplies; 0: it does not. */
static int64_t factor_of(const struct ptx_instr *instr)
{
    if (instr->operand_count < 3 || instr->operands[2].kind != PTX_INT || !is_of_integers(instr))
        return 0;
    if (strcmp(instr->op, "shl") == 0)
        return instr->operands[2].value < 12 ? INT64_C(1) << instr->operands[2].value : 0;
    return strcmp(instr->op, "mul") == 0 || strcmp(instr->op, "mad") == 0 ? instr->operands[2].value : 0;
}

/* The different factors of the function: its author has these sizes. */
static int factors_of(const struct ptx_func *func, int64_t factors[FACTORS])
{
    int count = 0;
    for (int i = 0; i < func->instr_count && count < FACTORS; i++) {
        const int64_t factor = factor_of(&func->instrs[i]);
        bool known = factor < 2 || factor > 4096;
        for (int k = 0; k < count; k++)
            known = known || factors[k] == factor;
        if (!known)
            factors[count++] = factor;
    }
    return count;
}

static const char *special_of(const struct ptx_change_walk *w, const struct ptx_operand *operand)
{
    const struct ptx_instr *source = ptx_change_source(w->func, w->defined, operand);
    if (operand->kind == PTX_SREG)
        return operand->name;
    if (!source || strcmp(source->op, "mov") != 0 || source->operands[1].kind != PTX_SREG)
        return NULL;
    return source->operands[1].name;
}

/* The number of a thread or block by a name that lasts; NULL: it is none. */
static const char *lasting(const char *special)
{
    static const char *const names[] = {"%tid.x",   "%tid.y",   "%tid.z",   "%ctaid.x",
                                        "%ctaid.y", "%ctaid.z", "%nctaid.x"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(special, names[i]) == 0)
            return names[i];
    return NULL;
}

/* What the operand is, if it may lack a factor: "%tid.x"; "variable", of a loop; "number"; NULL: it is none of these. */
static const char *lacking(const struct ptx_change_walk *w, int i)
{
    const struct ptx_operand *operand = &w->instr->operands[i];
    const char *special = special_of(w, operand);
    if (special)
        return lasting(special);
    if (operand->kind == PTX_INT)
        return operand->value >= 2 && operand->value <= 65536 && factor_of(w->instr) ? "number" : NULL;
    return operand->kind == PTX_REG && operand->reg >= 0 && w->defined[operand->reg] < 0 ? "variable" : NULL;
}

static bool may_lack(const struct ptx_instr *instr)
{
    static const char *const ops[] = {"add", "sub", "mad", "mul", "shl"};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (strcmp(instr->op, ops[i]) == 0)
            return instr->operand_count > 2 && is_of_integers(instr);
    return false;
}

/* The number of a block, or of blocks, that is not multiplied by the size of a block: blockIdx.x + threadIdx.x. */
static void offer_block_size(struct ptx_change_walk *w, int i, const char *what)
{
    static const char *const sizes[][2] = {
        {"%ctaid.x", "%ntid.x"}, {"%ctaid.y", "%ntid.y"}, {"%ctaid.z", "%ntid.z"}, {"%nctaid.x", "%ntid.x"}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        struct ptx_edit edit = {.operand = i, .swap = -1};
        if (strcmp(what, sizes[k][0]) != 0)
            continue;
        edit.value = (struct ptx_operand){.kind = PTX_SREG, .name = sizes[k][1], .reg = -1};
        edit.change = (struct ptx_change){.from = sizes[k][0], .to = sizes[k][1]};
        ptx_change_offer(w, &edit);
    }
}

void ptx_change_offer_factor(struct ptx_change_walk *w)
{
    int64_t factors[FACTORS];
    const bool shift = strcmp(w->instr->op, "shl") == 0, sum = strcmp(w->instr->op, "add") == 0;
    const int count = may_lack(w->instr) && w->is_near ? factors_of(w->func, factors) : 0;
    for (int i = 1; may_lack(w->instr) && w->is_near && i < w->instr->operand_count && !(shift && i > 1);
         i++) {
        const char *what = lacking(w, i);
        if (sum && what)
            offer_block_size(w, i, what);
        for (int k = 0; what && k < count; k++) {
            struct ptx_edit edit = {.operand = i, .value = {.kind = PTX_INT}, .swap = -1};
            edit.change = (struct ptx_change){.from = what, .to = ""};
            edit.change.number[0] = (double)w->instr->operands[i].value;
            edit.change.number[1] = (double)factors[k];
            ptx_change_offer(w, &edit);
        }
    }
}
