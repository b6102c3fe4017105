/* Conversions that should not be: of a number whose bits are meant, and of one that keeps its fraction. */
#include <string.h>

#include "sim/ptx/ptx_change_internal.h"

static bool ends_in(const struct ptx_instr *instr, const char *to, const char *from)
{
    return instr->mod_count >= 2 && strcmp(instr->mods[instr->mod_count - 2], to) == 0 &&
           strcmp(instr->mods[instr->mod_count - 1], from) == 0;
}

/* The instruction becomes a mov of this type. */
static void offer_mov(struct ptx_change_walk *w, const char *type, const struct ptx_operand *value,
                      const char *what)
{
    struct ptx_edit edit = ptx_change_no_edit();
    edit.op = "mov";
    edit.mod = type;
    edit.operand = 1;
    edit.value = *value;
    edit.change.from = what;
    ptx_change_offer(w, &edit);
}

/*
 * A number that is converted to an integer of as many bits, or back, where its bits are meant; and one that loses its
 * fraction: (real)(int)x.
 */
void ptx_change_offer_conversions(struct ptx_change_walk *w)
{
    static const struct {
        const char *number, *integer, *same, *bits;
    } types[] = {{"f32", "s32", "u32", "b32"}, {"f64", "s64", "u64", "b64"}};
    const struct ptx_instr *instr = w->instr;
    if (strcmp(instr->op, "cvt") != 0 || instr->operand_count < 2 || instr->operands[1].kind != PTX_REG)
        return;
    const struct ptx_instr *before = ptx_change_source(w->func, w->defined, &instr->operands[1]);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const char *number = types[i].number;
        const bool back = ends_in(instr, number, types[i].integer) || ends_in(instr, number, types[i].same);
        if (ends_in(instr, types[i].integer, number) || ends_in(instr, types[i].same, number))
            offer_mov(w, types[i].bits, &instr->operands[1], "number");
        else if (ends_in(instr, number, number) && ptx_change_has_mod(instr, "rzi"))
            offer_mov(w, number, &instr->operands[1], "fraction");
        else if (back && before && strcmp(before->op, "cvt") == 0 &&
                 strcmp(before->mods[before->mod_count - 1], number) == 0)
            offer_mov(w, number, &before->operands[1], "fraction");
        if (back)
            offer_mov(w, types[i].bits, &instr->operands[1], "bits");
    }
}
