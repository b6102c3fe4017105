/*
 * Another variable instead of the one that is used. PTX has no names: what is used in another line than the one that
 * computes it, or is set in several places, is a variable of the source, and no intermediate result.
 */
#include <string.h>

#include "sim/core/need.h"
#include "sim/ptx/ptx_change_internal.h"

/* ---- which registers are variables --------------------------------------------------------------------- */

static void note_set(const struct ptx_func *func, struct ptx_change_variable *variables,
                     const struct ptx_operand *to, int at)
{
    for (int i = 0; i < to->count && to->kind != PTX_REG && to->kind != PTX_ADDRESS; i++)
        note_set(func, variables, &to->list[i], at);
    if (to->kind != PTX_REG || to->reg < 0 || to->reg >= func->reg_count)
        return;
    struct ptx_change_variable *v = &variables[to->reg];
    if (v->first >= 0) {
        v->is = true;
        return;
    }
    v->first = at;
    v->line = func->instrs[at].site.line;
}

static void note_used(const struct ptx_func *func, struct ptx_change_variable *variables,
                      const struct ptx_operand *operand, int line)
{
    for (int i = 0; i < operand->count && operand->kind != PTX_REG; i++)
        note_used(func, variables, &operand->list[i], line);
    if ((operand->kind == PTX_REG || operand->kind == PTX_ADDRESS) && operand->reg >= 0 &&
        operand->reg < func->reg_count && variables[operand->reg].line != line)
        variables[operand->reg].is = true;
}

static struct ptx_change_variable *find_variables(const struct ptx_func *func)
{
    struct ptx_change_variable *variables =
        sim_need((size_t)func->reg_count + 1, sizeof *variables, "the variables of a function");
    for (int i = 0; i < func->reg_count; i++)
        variables[i].first = -1;
    for (int i = 0; i < func->instr_count; i++)
        if (func->instrs[i].operand_count > 0)
            note_set(func, variables, &func->instrs[i].operands[0], i);
    for (int i = 0; i < func->instr_count; i++)
        for (int k = 1; k < func->instrs[i].operand_count; k++)
            note_used(func, variables, &func->instrs[i].operands[k], func->instrs[i].site.line);
    return variables;
}

const struct ptx_change_variable *ptx_change_variables(const struct ptx_change_walk *w)
{
    for (int f = 0; f < w->scope->count; f++)
        if (w->scope->funcs[f] == w->func) {
            if (!w->variables[f])
                w->variables[f] = find_variables(w->func);
            return w->variables[f];
        }
    return NULL;
}

/* ---- which may take the place of which ----------------------------------------------------------------- */

/* As the instruction that sets it first has it; registers have no types of numbers. */
static enum ptx_type type_set(const struct ptx_instr *instr)
{
    for (int i = 0; i < instr->mod_count; i++)
        if (ptx_type_find(instr->mods[i]) != PTX_NOTYPE)
            return ptx_type_find(instr->mods[i]);
    return PTX_NOTYPE;
}

int ptx_change_class(const struct ptx_change_walk *w, int reg)
{
    const struct ptx_change_variable *variables = ptx_change_variables(w);
    const int first = reg >= 0 && reg < w->func->reg_count ? variables[reg].first : -1;
    switch (first >= 0 ? type_set(&w->func->instrs[first]) : PTX_NOTYPE) {
    case PTX_B32:
    case PTX_S32:
    case PTX_U32: return 1;
    case PTX_F32: return 2;
    case PTX_F64: return 3;
    default: return 0;
    }
}

static int parameter_of(const struct ptx_change_walk *w, const struct ptx_change_variable *v)
{
    return v->first >= 0 ? ptx_change_parameter(w->func, &w->func->instrs[v->first]) : -1;
}

/* 0: in another file. */
int ptx_change_line(const struct ptx_change_walk *w, const struct ptx_change_variable *v)
{
    const struct ptx_loc site = v->first >= 0 ? w->func->instrs[v->first].site : (struct ptx_loc){0};
    return site.file == w->instr->site.file ? site.line : 0;
}

static void offer_instead(struct ptx_change_walk *w, int i, const struct ptx_change_variable *variables,
                          int to)
{
    const int from = w->instr->operands[i].reg;
    struct ptx_edit edit = ptx_change_no_edit();
    edit.operand = i;
    edit.value = w->instr->operands[i];
    edit.value.reg = to;
    edit.change.line[0] = ptx_change_line(w, &variables[from]);
    edit.change.line[1] = ptx_change_line(w, &variables[to]);
    edit.change.parameter[0] = parameter_of(w, &variables[from]);
    edit.change.parameter[1] = parameter_of(w, &variables[to]);
    if (edit.change.line[1] > 0 &&
        (edit.change.parameter[0] < 0 || edit.change.parameter[1] < 0)) /* else PARAMETER has it */
        ptx_change_offer(w, &edit);
}

void ptx_change_offer_variable(struct ptx_change_walk *w)
{
    const struct ptx_change_variable *variables = ptx_change_variables(w);
    const int here = (int)(w->instr - w->func->instrs);
    if (!variables || strcmp(w->instr->op, "mov") == 0 || w->group->ranks > 1)
        return;
    for (int i = 1; i < w->instr->operand_count; i++) {
        const struct ptx_operand *operand = &w->instr->operands[i];
        const int class = operand->kind == PTX_REG ? ptx_change_class(w, operand->reg) : 0;
        for (int to = 0; to < w->func->reg_count && class && variables[operand->reg].is; to++)
            if (to != operand->reg && variables[to].is && variables[to].first >= 0 &&
                variables[to].first < here && ptx_change_class(w, to) == class)
                offer_instead(w, i, variables, to);
    }
}
