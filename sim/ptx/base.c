/*
 * Backwards from the register of an address through all instructions that set it: moves and additions hand a pointer on,
 * and of an addition one side must come from a parameter. What else is added is the index.
 */
#include "sim/ptx/base.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/need.h"

struct walk {
    const struct ptx_func *func;
    bool *seen; /* registers */
    int *queue;
    int head, tail;
    int parameter; /* -1: none yet */
    bool several;
};

static void want(struct walk *w, const struct ptx_operand *operand)
{
    if (operand->kind != PTX_REG || operand->reg < 0 || w->seen[operand->reg] ||
        ptx_type_size(w->func->regs[operand->reg].type) != 8)
        return;
    w->seen[operand->reg] = true;
    w->queue[w->tail++] = operand->reg;
}

static bool is(const struct ptx_instr *instr, const char *op)
{
    return strcmp(instr->op, op) == 0;
}

static void found(struct walk *w, const struct ptx_operand *address)
{
    for (int i = 0; i < w->func->param_count; i++) {
        if (address->var != &w->func->params[i].var || address->value != 0 ||
            w->func->params[i].var.size != 8)
            continue;
        w->several |= w->parameter >= 0 && w->parameter != i;
        w->parameter = i;
    }
}

/* Products, shifts and extended numbers are indices: they are not followed. */
static void follow(struct walk *w, const struct ptx_instr *instr)
{
    const struct ptx_operand *o = instr->operands;
    if (is(instr, "ld") && ptx_has_modifier(instr, "param") && instr->operand_count > 1)
        found(w, &o[1]);
    else if ((is(instr, "mov") || is(instr, "cvta")) && instr->operand_count > 1)
        want(w, &o[1]);
    else if ((is(instr, "add") || is(instr, "selp")) && instr->operand_count > 2) {
        want(w, &o[1]);
        want(w, &o[2]);
    } else if (is(instr, "sub") && instr->operand_count > 2)
        want(w, &o[1]);
    else if (is(instr, "mad") && instr->operand_count > 3)
        want(w, &o[3]);
}

static const struct ptx_operand *address_of(const struct ptx_instr *instr)
{
    for (int i = 0; i < instr->operand_count; i++)
        if (instr->operands[i].kind == PTX_ADDRESS && instr->operands[i].reg >= 0)
            return &instr->operands[i];
    return NULL;
}

bool ptx_base_parameter(const struct ptx_func *func, const struct ptx_instr *instr, size_t *offset)
{
    const struct ptx_operand *address = address_of(instr);
    struct walk w = {.func = func, .parameter = -1};
    if (!address || instr < func->instrs || instr >= func->instrs + func->instr_count)
        return false;
    w.seen = sim_need((size_t)func->reg_count, sizeof *w.seen, "the base of an address");
    w.queue = sim_need((size_t)func->reg_count, sizeof *w.queue, "the base of an address");
    want(&w, &(struct ptx_operand){.kind = PTX_REG, .reg = address->reg});
    while (w.head < w.tail) {
        const int reg = w.queue[w.head++];
        for (int i = 0; i < func->instr_count; i++) {
            const struct ptx_operand *to = func->instrs[i].operands;
            if (func->instrs[i].operand_count > 0 && to[0].kind == PTX_REG && to[0].reg == reg)
                follow(&w, &func->instrs[i]);
        }
    }
    free(w.seen);
    free(w.queue);
    if (w.parameter < 0 || w.several)
        return false;
    *offset = func->params[w.parameter].offset;
    return true;
}
