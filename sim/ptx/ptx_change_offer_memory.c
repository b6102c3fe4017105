/* Changes of loads, stores and atomic operations. */
#include <string.h>

#include "sim/ptx/ptx_change_internal.h"

/* The operand that is the address; -1: the instruction accesses no memory of the author's. */
static int address_of(const struct ptx_instr *instr)
{
    const bool stores = strcmp(instr->op, "st") == 0 || strcmp(instr->op, "red") == 0,
               loads = strcmp(instr->op, "ld") == 0 || strcmp(instr->op, "atom") == 0;
    const int at = stores ? 0 : 1;
    if ((!stores && !loads) || instr->operand_count <= at || instr->operands[at].kind != PTX_ADDRESS ||
        ptx_change_has_mod(instr, "param") || ptx_change_has_mod(instr, "local"))
        return -1;
    return at;
}

/* Bytes of an element; 0: not known. */
static int size_of(const struct ptx_instr *instr)
{
    for (int i = instr->mod_count - 1; i >= 0; i--) {
        const enum ptx_type type = ptx_type_find(instr->mods[i]);
        if (type != PTX_NOTYPE)
            return ptx_type_size(type);
    }
    return 0;
}

void ptx_change_offer_place(struct ptx_change_walk *w)
{
    const int at = address_of(w->instr), size = size_of(w->instr);
    for (int by = -1; by <= 1 && at >= 0 && size > 0; by += 2) {
        struct ptx_edit edit = ptx_change_no_edit();
        edit.operand = at;
        edit.move = by * size;
        edit.change.number[1] = by;
        edit.change.from = w->instr->op;
        ptx_change_offer(w, &edit);
    }
}

void ptx_change_offer_add(struct ptx_change_walk *w)
{
    static const char *const types[] = {"f32", "f64", "u32", "s32", "b32", "u64", "b64"};
    const struct ptx_instr *instr = w->instr;
    const char *type = instr->mod_count > 0 ? instr->mods[instr->mod_count - 1] : "";
    const struct ptx_edit edit = ptx_change_no_edit();
    if (strcmp(instr->op, "st") != 0 || address_of(instr) < 0 || instr->mod_count > 2 ||
        instr->operands[1].kind == PTX_VECTOR)
        return;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(type, types[i]) == 0)
            ptx_change_offer(w, &edit);
}

void ptx_change_offer_skip(struct ptx_change_walk *w)
{
    struct ptx_edit edit = ptx_change_no_edit();
    if (address_of(w->instr) < 0 || strcmp(w->instr->op, "ld") == 0)
        return;
    edit.change.from = w->instr->op;
    ptx_change_offer(w, &edit);
}
