/* Changes instructions. What was there stays in memory, and what is new goes there: the module's arena owns both. */
#include <stdlib.h>
#include <string.h>

#include "sim/core/need.h"
#include "sim/ptx/ptx_change_internal.h"
#include "sim/ptx/ptx_parse.h"

/* ---- where a value comes from -------------------------------------------------------------------------- */

static void note_written(const struct ptx_func *func, int *definitions, const struct ptx_operand *to, int at)
{
    if (to->kind == PTX_REG && to->reg >= 0 && to->reg < func->reg_count)
        definitions[to->reg] = definitions[to->reg] == -1 ? at : -2;
    for (int i = 0; i < to->count && (to->kind == PTX_VECTOR || to->kind == PTX_PAIR || to->kind == PTX_LIST);
         i++)
        note_written(func, definitions, &to->list[i], at);
}

int *ptx_change_definitions(const struct ptx_func *func)
{
    int *definitions = sim_need((size_t)func->reg_count + 1, sizeof *definitions, "who writes a register");
    for (int i = 0; i < func->reg_count; i++)
        definitions[i] = -1;
    for (int i = 0; i < func->instr_count; i++)
        if (func->instrs[i].operand_count > 0)
            note_written(func, definitions, &func->instrs[i].operands[0], i);
    for (int i = 0; i < func->reg_count; i++)
        definitions[i] = definitions[i] < 0 ? -1 : definitions[i];
    return definitions;
}

const struct ptx_instr *ptx_change_source(const struct ptx_func *func, const int *definitions,
                                          const struct ptx_operand *operand)
{
    if (operand->kind != PTX_REG || operand->reg < 0 || definitions[operand->reg] < 0)
        return NULL;
    return &func->instrs[definitions[operand->reg]];
}

int ptx_change_parameter(const struct ptx_func *func, const struct ptx_instr *instr)
{
    if (strcmp(instr->op, "ld") != 0 || instr->operand_count < 2 || instr->operands[1].kind != PTX_ADDRESS ||
        !instr->operands[1].var || instr->operands[0].kind != PTX_REG || instr->operands[1].value != 0)
        return -1;
    for (int i = 0; i < func->param_count; i++)
        if (instr->operands[1].var == &func->params[i].var)
            return i;
    return -1;
}

/* ---- one more instruction ------------------------------------------------------------------------------ */

static int64_t moved(int64_t label, int at)
{
    return label > at ? label + 1 : label;
}

static void move_labels(struct ptx_func *func, int at)
{
    for (int i = 0; i < func->instr_count; i++)
        for (int k = 0; k < func->instrs[i].operand_count; k++)
            if (func->instrs[i].operands[k].kind == PTX_LABEL)
                func->instrs[i].operands[k].value = moved(func->instrs[i].operands[k].value, at);
    for (int t = 0; t < func->table_count; t++)
        for (int i = 0; i < func->tables[t].count; i++)
            func->tables[t].targets[i] = (int)moved(func->tables[t].targets[i], at);
}

/* Before instruction `at`; jumps to that one come to the new one. */
static void insert(struct ptx_func *func, int at, struct ptx_instr instr)
{
    struct ptx_instr *instrs = ptx_module_keep(func->module, (size_t)func->instr_count + 1, sizeof *instrs,
                                               "a function's instructions");
    move_labels(func, at);
    memcpy(instrs, func->instrs, (size_t)at * sizeof *instrs);
    instrs[at] = instr;
    memcpy(instrs + at + 1, func->instrs + at, (size_t)(func->instr_count - at) * sizeof *instrs);
    func->instrs = instrs;
    func->instr_count++;
}

static int new_register(struct ptx_func *func, int like)
{
    struct ptx_reg *regs =
        ptx_module_keep(func->module, (size_t)func->reg_count + 1, sizeof *regs, "a function's registers");
    memcpy(regs, func->regs, (size_t)func->reg_count * sizeof *regs);
    regs[func->reg_count] = (struct ptx_reg){.name = "%changed", .type = func->regs[like].type};
    func->regs = regs;
    return func->reg_count++;
}

struct ptx_operand *ptx_edit_operands(const struct ptx_func *func, struct ptx_instr *instr)
{
    struct ptx_operand *operands = ptx_module_keep(func->module, (size_t)instr->operand_count + 1,
                                                   sizeof *operands, "an instruction's operands");
    memcpy(operands, instr->operands, (size_t)instr->operand_count * sizeof *operands);
    instr->operands = operands;
    return operands;
}

/* ---- edits --------------------------------------------------------------------------------------------- */

/* The operand becomes another parameter, which the function's first instruction now loads. */
static void use_parameter(struct ptx_func *func, int at, const struct ptx_edit *edit)
{
    int *definitions = ptx_change_definitions(func);
    const struct ptx_instr *source =
        ptx_change_source(func, definitions, &func->instrs[at].operands[edit->operand]);
    free(definitions);
    if (!source)
        return;
    struct ptx_instr load = *source;
    struct ptx_operand *operands = ptx_edit_operands(func, &load);
    const int reg = new_register(func, operands[0].reg);
    operands[0].reg = reg;
    operands[1].var = &func->params[edit->change.parameter[1]].var;
    func->instrs[at].operands[edit->operand].reg = reg;
    insert(func, 0, load);
}

/* The first factor of the product is negated before. */
static void turn_sign(struct ptx_func *func, int at)
{
    static const char *const mods[] = {"f32", "f64"};
    struct ptx_instr *instr = &func->instrs[at], minus = *instr;
    const struct ptx_operand factor = instr->operands[1];
    const bool is_double = func->regs[factor.reg].type == PTX_F64;
    minus.op = "neg";
    minus.text = is_double ? "neg.f64" : "neg.f32";
    minus.mods = &mods[is_double];
    minus.mod_count = 1;
    minus.operand_count = 2;
    struct ptx_operand *operands = ptx_edit_operands(func, &minus);
    operands[0] = operands[1] = factor;
    operands[0].reg = new_register(func, factor.reg);
    instr->operands[1].reg = operands[0].reg;
    insert(func, at, minus);
}

/* The operand times the factor: a number at once, else by a product before the instruction. */
static void put_factor(struct ptx_func *func, int at, const struct ptx_edit *edit)
{
    static const char *const mods[] = {"lo", "s32"};
    struct ptx_instr *instr = &func->instrs[at], product = *instr;
    struct ptx_operand *operand = &instr->operands[edit->operand];
    const int64_t factor = (int64_t)edit->change.number[1];
    if (operand->kind == PTX_INT && edit->value.kind != PTX_SREG) {
        operand->value *= factor;
        return;
    }
    product.op = "mul";
    product.text = "mul.lo.s32";
    product.mods = mods;
    product.mod_count = 2;
    product.operand_count = 3;
    struct ptx_operand *operands = ptx_edit_operands(func, &product);
    operands[0] = (struct ptx_operand){.kind = PTX_REG, .reg = new_register(func, instr->operands[0].reg)};
    operands[1] = *operand;
    operands[2] = edit->value.kind == PTX_SREG
                      ? edit->value
                      : (struct ptx_operand){.kind = PTX_INT, .value = factor, .reg = -1};
    *operand = operands[0];
    insert(func, at, product);
}

static void set_mod(const struct ptx_func *func, struct ptx_instr *instr, int index, const char *mod)
{
    const char **mods = ptx_module_keep(func->module, (size_t)instr->mod_count + 1, sizeof *mods,
                                        "an instruction's modifiers");
    memcpy(mods, instr->mods, (size_t)instr->mod_count * sizeof *mods);
    mods[index] = mod;
    instr->mods = mods;
}

/* shl.b32 becomes mul.lo.s32. */
static void become_product(struct ptx_instr *instr)
{
    static const char *const mods[] = {"lo", "s32"};
    instr->op = "mul";
    instr->mods = mods;
    instr->mod_count = 2;
}

/* mul.lo becomes add, which has no half. */
static void drop_half(struct ptx_instr *instr)
{
    if (instr->mod_count > 1 && strcmp(instr->mods[0], "lo") == 0) {
        instr->mods++;
        instr->mod_count--;
    }
}

/* st.global.f32 becomes red.global.add.f32. */
static void become_sum(const struct ptx_func *func, struct ptx_instr *instr)
{
    const char **mods = ptx_module_keep(func->module, (size_t)instr->mod_count + 1, sizeof *mods,
                                        "an instruction's modifiers");
    const int last = instr->mod_count - 1;
    memcpy(mods, instr->mods, (size_t)last * sizeof *mods);
    mods[last] = "add";
    mods[last + 1] = strcmp(instr->mods[last], "b32") == 0   ? "u32"
                     : strcmp(instr->mods[last], "b64") == 0 ? "u64"
                                                             : instr->mods[last];
    instr->op = "red";
    instr->mods = mods;
    instr->mod_count++;
}

/* It jumps to the next one. */
static void become_nothing(struct ptx_instr *instr, int at)
{
    instr->op = instr->text = "bra";
    instr->mod_count = 0;
    instr->operand_count = 1;
    instr->operands[0] = (struct ptx_operand){.kind = PTX_LABEL, .value = at + 1, .reg = -1};
}

/* cvt.rzi.u32.f32 becomes mov.b32. */
static void become_mov(const struct ptx_func *func, struct ptx_instr *instr, const struct ptx_edit *edit)
{
    const char **mods = ptx_module_keep(func->module, 1, sizeof *mods, "an instruction's modifiers");
    mods[0] = edit->mod;
    instr->op = "mov";
    instr->mods = mods;
    instr->mod_count = 1;
    instr->operands[1] = edit->value;
}

void ptx_edit_apply(struct ptx_func *func, int at, const struct ptx_edit *edit)
{
    struct ptx_instr *instr = &func->instrs[at];
    struct ptx_operand *operands = ptx_edit_operands(func, instr);
    switch (edit->change.kind) {
    case PTX_CHANGE_PARAMETER: use_parameter(func, at, edit); return;
    case PTX_CHANGE_FACTOR: put_factor(func, at, edit); return;
    case PTX_CHANGE_SIGN: turn_sign(func, at); return;
    case PTX_CHANGE_PLACE: operands[edit->operand].value += edit->move; return;
    case PTX_CHANGE_ADD: become_sum(func, instr); return;
    case PTX_CHANGE_CONVERT: become_mov(func, instr, edit); return;
    case PTX_CHANGE_SKIP: become_nothing(instr, at); return;
    default: break;
    }
    if (edit->mod && strcmp(edit->mod, "lo.s32") == 0) {
        become_product(instr);
    } else if (edit->mod)
        set_mod(func, instr, edit->mod_index, edit->mod);
    if (edit->op && strcmp(instr->op, edit->op) != 0) {
        instr->op = edit->op;
        drop_half(instr);
    }
    if (edit->operand >= 0)
        instr->operands[edit->operand] = edit->value;
    if (edit->swap >= 0) {
        const struct ptx_operand first = instr->operands[edit->swap];
        instr->operands[edit->swap] = instr->operands[edit->swap + 1];
        instr->operands[edit->swap + 1] = first;
    }
}
