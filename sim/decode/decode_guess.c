/*
 * Loads whose values may not count.
 *
 * Loads that only guess: the usual loop around compare-and-swap begins with a plain load:
 *
 *     old = *address;
 *     do {
 *         assumed = old;
 *         old = atomicCAS(address, assumed, f(assumed));
 *     } while (old != assumed);
 *
 * Others may change the word meanwhile; the swap finds out. Such a load is no race: it counts as relaxed.
 * Source: CUDA C++ Programming Guide, "Atomic Functions", atomicAdd for double by atomicCAS.
 *
 * Loads ahead of a decision: of x = found ? value : -1 the compiler makes a load of `value` and a selp behind
 * it, where the memory is known to be there. A thread that does not take what it loaded has not read it.
 */
#include <string.h>

#include "sim/decode/decode_internal.h"

static bool is_op(const struct ptx_instr *instr, const char *name)
{
    return strcmp(instr->op, name) == 0;
}

/* Copies of a register: what a move or an address conversion makes of another one. */
static bool is_copy(const struct ptx_instr *instr)
{
    return (is_op(instr, "mov") || is_op(instr, "cvta")) && instr->operand_count == 2 &&
           instr->operands[0].kind == PTX_REG && instr->operands[1].kind == PTX_REG;
}

/* An address: what a register holds, and a constant added to it. */
struct place {
    int reg;
    int64_t offset;
};

/* The only instruction that writes the register, or NULL. */
static const struct ptx_instr *definition(const struct ptx_func *func, int reg)
{
    const struct ptx_instr *found = NULL;
    for (int i = 0; i < func->instr_count; i++) {
        const struct ptx_instr *instr = &func->instrs[i];
        if (instr->operand_count == 0 || instr->operands[0].kind != PTX_REG ||
            instr->operands[0].reg != reg || is_op(instr, "st") || is_op(instr, "red"))
            continue;
        if (found)
            return NULL;
        found = instr;
    }
    return found;
}

/* The same address as far up as copies and sums with constants lead. */
static struct place original(const struct ptx_func *func, struct place place)
{
    for (int steps = 0; steps < 8; steps++) {
        const struct ptx_instr *instr = definition(func, place.reg);
        if (!instr)
            break;
        if (is_copy(instr)) {
            place.reg = instr->operands[1].reg;
        } else if (is_op(instr, "add") && instr->operand_count == 3 && instr->operands[1].kind == PTX_REG &&
                   instr->operands[2].kind == PTX_INT) {
            place.reg = instr->operands[1].reg;
            place.offset += instr->operands[2].value;
        } else {
            break;
        }
    }
    return place;
}

static bool same_address(const struct ptx_func *func, const struct ptx_operand *a,
                         const struct ptx_operand *b)
{
    if (a->kind != PTX_ADDRESS || b->kind != PTX_ADDRESS || (a->reg < 0) != (b->reg < 0))
        return false;
    if (a->reg < 0)
        return a->var == b->var && a->value == b->value;
    struct place first = original(func, (struct place){a->reg, a->value});
    struct place second = original(func, (struct place){b->reg, b->value});
    return first.reg == second.reg && first.offset == second.offset;
}

#define COPIES_MAX 16

/* The registers that hold the value of `reg` later on. */
static int find_copies(const struct ptx_func *func, int reg, int copies[COPIES_MAX])
{
    int count = 1;
    copies[0] = reg;
    for (int done = 0; done < count; done++) {
        for (int i = 0; i < func->instr_count && count < COPIES_MAX; i++) {
            const struct ptx_instr *instr = &func->instrs[i];
            if (!is_copy(instr) || instr->operands[1].reg != copies[done])
                continue;
            bool known = false;
            for (int k = 0; k < count; k++)
                known |= copies[k] == instr->operands[0].reg;
            if (!known)
                copies[count++] = instr->operands[0].reg;
        }
    }
    return count;
}

/* ---- compare-and-swap ---------------------------------------------------------------------------------- */

#define CALLS_MAX 4 /* atomicCAS calls __iAtomicCAS, and so on */

/* Whether the function swaps, or calls one that does: where nothing is inlined (nvcc -G), atomicCAS is a function. */
static bool swaps(const struct ptx_func *func, int depth)
{
    for (int i = 0; func && i < func->instr_count; i++) {
        const struct ptx_instr *instr = &func->instrs[i];
        if (is_op(instr, "atom") && ptx_has_modifier(instr, "cas"))
            return true;
        for (int k = 0; k < instr->operand_count && depth > 0 && is_op(instr, "call"); k++)
            if (instr->operands[k].kind == PTX_FUNC && instr->operands[k].func->param_count == 3 &&
                swaps(instr->operands[k].func, depth - 1))
                return true;
    }
    return false;
}

/* The register that the call's argument number `k` was last filled from; -1: none. */
static int argument(const struct ptx_func *func, const struct ptx_instr *call, int k)
{
    const struct ptx_operand *last = &call->operands[call->operand_count - 1];
    if (last->kind != PTX_LIST || k >= last->count || !last->list[k].var)
        return -1;
    for (const struct ptx_instr *instr = call - 1; instr >= func->instrs && !is_op(instr, "call"); instr--)
        if (is_op(instr, "st") && instr->operands[0].kind == PTX_ADDRESS &&
            instr->operands[0].var == last->list[k].var && instr->operands[1].kind == PTX_REG)
            return instr->operands[1].reg;
    return -1;
}

/* Where a compare-and-swap swaps, and what it compares with. */
static bool find_swap(const struct ptx_func *func, const struct ptx_instr *instr, struct ptx_operand *address,
                      int *compared)
{
    if (is_op(instr, "atom") && ptx_has_modifier(instr, "cas") && instr->operand_count >= 4) {
        *address = instr->operands[1];
        *compared = instr->operands[2].kind == PTX_REG ? instr->operands[2].reg : -1;
        return *compared >= 0;
    }
    if (!is_op(instr, "call"))
        return false;
    const struct ptx_func *callee = NULL;
    for (int k = 0; k < instr->operand_count; k++)
        if (instr->operands[k].kind == PTX_FUNC)
            callee = instr->operands[k].func;
    if (!callee || callee->param_count != 3 || !swaps(callee, CALLS_MAX))
        return false;
    *address = (struct ptx_operand){.kind = PTX_ADDRESS, .reg = argument(func, instr, 0)};
    *compared = argument(func, instr, 1);
    return address->reg >= 0 && *compared >= 0;
}

bool decode_is_guess(const struct ptx_func *func, const struct ptx_instr *load)
{
    int copies[COPIES_MAX], count = 0, compared;
    struct ptx_operand address;
    if (load->operands[0].kind != PTX_REG)
        return false;
    for (int i = 0; i < func->instr_count; i++) {
        if (!find_swap(func, &func->instrs[i], &address, &compared))
            continue;
        if (count == 0)
            count = find_copies(func, load->operands[0].reg, copies);
        for (int k = 0; k < count; k++)
            if (compared == copies[k] && same_address(func, &load->operands[1], &address))
                return true;
    }
    return false;
}

/* ---- loads ahead of a decision ------------------------------------------------------------------------- */

static bool is_register(const struct ptx_operand *operand, int reg)
{
    return operand->kind == PTX_REG && operand->reg == reg;
}

static bool names(const struct ptx_operand *operand, int reg)
{
    bool found = (operand->kind == PTX_REG || operand->kind == PTX_ADDRESS) && operand->reg == reg;
    for (int i = 0; operand->list && i < operand->count; i++)
        found |= names(&operand->list[i], reg);
    return found;
}

/* Instructions in which the register stands. */
static int count_places(const struct ptx_func *func, int reg)
{
    int places = 0;
    for (int i = 0; i < func->instr_count; i++) {
        bool found = func->instrs[i].guard == reg;
        for (int k = 0; k < func->instrs[i].operand_count; k++)
            found |= names(&func->instrs[i].operands[k], reg);
        places += found;
    }
    return places;
}

/* The instruction after `load` in its block that names the register first. */
static const struct ptx_instr *next_place(const struct ptx_func *func, const struct cfg *cfg,
                                          const struct ptx_instr *load, int reg)
{
    const int from = (int)(load - func->instrs);
    for (int i = from + 1; i < func->instr_count && cfg->block_of[i] == cfg->block_of[from]; i++)
        for (int k = 0; k < func->instrs[i].operand_count; k++)
            if (names(&func->instrs[i].operands[k], reg))
                return &func->instrs[i];
    return NULL;
}

/* Whether a predicate still has the value at `to` that it has at `from`, in one block. */
static bool is_settled(const struct ptx_instr *from, const struct ptx_instr *to, int predicate)
{
    for (const struct ptx_instr *instr = from; instr < to; instr++)
        for (int k = 0; k < instr->operand_count && k < 2; k++)
            if (names(&instr->operands[k], predicate))
                return false; /* as a destination, or else one cannot tell */
    return true;
}

const struct ptx_operand *decode_chosen_by(const struct ptx_func *func, const struct cfg *cfg,
                                           const struct ptx_instr *load, bool *if_not)
{
    const int reg = load->operands[0].reg;
    if (load->operands[0].kind != PTX_REG || load->guard >= 0)
        return NULL;
    const struct ptx_instr *select = next_place(func, cfg, load, reg);
    if (!select || !is_op(select, "selp") || select->guard >= 0 || select->operands[3].kind != PTX_REG ||
        is_register(&select->operands[0], reg) ||
        is_register(&select->operands[1], reg) == is_register(&select->operands[2], reg) ||
        !is_settled(load, select, select->operands[3].reg) || count_places(func, reg) != 2)
        return NULL;
    *if_not = is_register(&select->operands[2], reg);
    return &select->operands[3];
}
