#include "sim/hazard/hazard_update.h"

#include <string.h>

#include "sim/core/code.h"
#include "sim/ptx/ptx.h"

/* How far backward definitions are searched for, in operations, and how many of them follow on one another. */
enum { REACH = 400, DEPTH = 12 };

static const struct ptx_instr *instr_at(const struct code *code, int pc)
{
    return pc >= 0 && pc < code->count ? code->instrs[pc] : NULL;
}

static bool is(const struct ptx_instr *instr, const char *op)
{
    return instr && strcmp(instr->op, op) == 0 && instr->operand_count >= 2;
}

/* The operation that gave the register its value, as the text stands; -1: none near. */
static int definition(const struct code *code, int before, int reg)
{
    for (int pc = before - 1; pc >= 0 && pc > before - REACH; pc--) {
        const struct ptx_instr *i = instr_at(code, pc);
        if (i && i->operand_count > 1 && strcmp(i->op, "st") != 0 && i->operands[0].kind == PTX_REG &&
            i->operands[0].reg == reg)
            return pc;
    }
    return -1;
}

static bool same_address(const struct ptx_operand *a, const struct ptx_operand *b)
{
    return a->kind == PTX_ADDRESS && b->kind == PTX_ADDRESS && a->reg == b->reg && a->value == b->value &&
           a->var == b->var;
}

/* The load from `address` that the register's value comes from; -1: none. */
static int find_load(const struct code *code, int before, int reg, const struct ptx_operand *address,
                     int depth)
{
    const int pc = depth < DEPTH ? definition(code, before, reg) : -1;
    const struct ptx_instr *i = instr_at(code, pc);
    if (!i)
        return -1;
    if (is(i, "ld"))
        return same_address(&i->operands[1], address) ? pc : -1;
    for (int k = 1; k < i->operand_count; k++) {
        const int load =
            i->operands[k].kind == PTX_REG ? find_load(code, pc, i->operands[k].reg, address, depth + 1) : -1;
        if (load >= 0)
            return load;
    }
    return -1;
}

/* The load whose value the store brings back, changed; -1: none. */
static int load_of_store(const struct code *code, int pc)
{
    const struct ptx_instr *store = instr_at(code, pc);
    if (!is(store, "st") || store->operands[1].kind != PTX_REG)
        return -1;
    return find_load(code, pc, store->operands[1].reg, &store->operands[0], 0);
}

/* The store that ends the sequence of which the operation is a part; -1: none. */
static int store_of(const struct code *code, int pc)
{
    if (load_of_store(code, pc) >= 0)
        return pc;
    for (int after = pc + 1; is(instr_at(code, pc), "ld") && after < code->count && after < pc + REACH;
         after++)
        if (load_of_store(code, after) == pc)
            return after;
    return -1;
}

/* ---- what an address is made of ------------------------------------------------------------------------ */

struct origins {
    bool data, thread, block; /* loaded values; the thread's number, the block's */
};

static void find_origins(const struct code *code, int before, int reg, int depth, struct origins *found)
{
    const int pc = depth < DEPTH ? definition(code, before, reg) : -1;
    const struct ptx_instr *i = instr_at(code, pc);
    if (!i)
        return;
    if (is(i, "ld")) {
        found->data |= i->mod_count == 0 || strcmp(i->mods[0], "param") != 0;
        return;
    }
    for (int k = 1; k < i->operand_count; k++) {
        const struct ptx_operand *o = &i->operands[k];
        if (o->kind == PTX_REG)
            find_origins(code, pc, o->reg, depth + 1, found);
        else if (o->kind == PTX_SREG && o->name) {
            found->thread |= strncmp(o->name, "%tid", 4) == 0 || strncmp(o->name, "%laneid", 7) == 0;
            found->block |= strncmp(o->name, "%ctaid", 6) == 0;
        }
    }
}

bool update_shared_place(const struct code *code, int pc, int other_pc, bool of_blocks)
{
    const int store = store_of(code, pc), other = store_of(code, other_pc);
    struct origins found = {0};
    if (store < 0 || other < 0 ||
        (store != other && instr_at(code, store)->site.line != instr_at(code, other)->site.line))
        return false;
    if (instr_at(code, store)->operands[0].reg >= 0)
        find_origins(code, store, instr_at(code, store)->operands[0].reg, 0, &found);
    return found.data || !(of_blocks ? found.block : found.thread);
}
