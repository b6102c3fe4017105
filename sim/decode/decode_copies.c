/*
 * Loads whose value is only stored again, and stores that put something back.
 *
 * Bit-fields: to set one, the compiler loads the word around it, replaces some bits (and, or, bfi) and stores the word.
 * The other bits are as undefined as they were. Found where the load stands before the store in one basic block and has
 * the same address in the same register.
 *
 * Structures: two loads or more from one register, stored behind another register at the same distances. They have
 * padding, and members that were not set.
 */
#include <string.h>

#include "sim/decode/decode_internal.h"

#define DEPTH_MAX 12
#define LOOK_MAX  128 /* instructions between a load and what belongs to it */

/* What is known of a value at one place. */
struct known {
    uint64_t kept; /* bits that are, at the same position, what the load brought */
    uint64_t zero;
};

struct search {
    const struct ptx_func *func;
    const struct cfg *cfg;
    const struct ptx_instr *store;
    const struct ptx_instr *load; /* found on the way: it has the store's address */
};

static bool is_op(const struct ptx_instr *instr, const char *name)
{
    return strcmp(instr->op, name) == 0;
}

static uint64_t low_bits(int64_t count)
{
    return count <= 0 ? 0 : count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

/* The last instruction of the store's block before `before` that writes the register; NULL: none does. */
static const struct ptx_instr *last_write(struct search *s, const struct ptx_instr *before, int reg)
{
    const int block = s->cfg->block_of[s->store - s->func->instrs];
    const long at = before - s->func->instrs, end = at > LOOK_MAX ? at - LOOK_MAX : 0;
    for (long i = at - 1; i >= end && s->cfg->block_of[i] == block; i--)
        if (ptx_writes(&s->func->instrs[i], reg))
            return &s->func->instrs[i];
    return NULL;
}

static int width(const struct ptx_instr *instr)
{
    enum ptx_type type = PTX_NOTYPE;
    for (int i = 0; i < instr->mod_count; i++)
        if (ptx_type_find(instr->mods[i]) != PTX_NOTYPE)
            type = ptx_type_find(instr->mods[i]);
    return 8 * ptx_type_size(type);
}

static bool same_address(struct search *s, const struct ptx_instr *load)
{
    const struct ptx_operand *a = &load->operands[1], *b = &s->store->operands[0];
    if (a->kind != PTX_ADDRESS || a->reg != b->reg || a->value != b->value || a->var != b->var)
        return false;
    return a->reg < 0 || last_write(s, s->store, a->reg) <= load; /* NULL as well: set in another block */
}

static struct known value_of(struct search *s, const struct ptx_instr *before,
                             const struct ptx_operand *operand, int depth);

static struct known of_logic(const struct ptx_instr *instr, struct known a, struct known b)
{
    if (is_op(instr, "and")) {
        uint64_t ones = instr->operands[2].kind == PTX_INT ? (uint64_t)instr->operands[2].value : 0;
        return (struct known){a.kept & ones, a.zero | b.zero};
    }
    return (struct known){(a.kept & b.zero) | (b.kept & a.zero), a.zero & b.zero};
}

static struct known of_shift(const struct ptx_instr *instr, struct known a)
{
    const int64_t by = instr->operands[2].kind == PTX_INT ? instr->operands[2].value : -1;
    const uint64_t all = low_bits(width(instr));
    if (by < 0 || by > 63)
        return (struct known){0, 0};
    if (is_op(instr, "shl"))
        return (struct known){0, a.zero << by | low_bits(by) | ~all};
    return (struct known){0, ((a.zero & all) >> by) | ~(all >> by)};
}

/* bfi d, a, b, position, length */
static struct known of_insertion(const struct ptx_instr *instr, struct known a, struct known b)
{
    if (instr->operands[3].kind != PTX_INT || instr->operands[4].kind != PTX_INT)
        return (struct known){0, 0};
    const int64_t at = instr->operands[3].value & 63;
    const uint64_t field = low_bits(instr->operands[4].value & 0xff) << at;
    return (struct known){b.kept & ~field, (b.zero & ~field) | (a.zero << at & field)};
}

/* cvt between integers: `narrow` bits go on, others become 0, or are not known. */
static struct known of_conversion(const struct ptx_instr *instr, struct known a)
{
    const uint64_t all = low_bits(width(instr));
    bool is_unsigned = false;
    for (int i = 0; i < instr->mod_count; i++)
        is_unsigned = instr->mods[i][0] == 'u' || instr->mods[i][0] == 'b';
    return is_unsigned ? (struct known){a.kept & all, a.zero | ~all} : (struct known){a.kept & all, 0};
}

static struct known of_result(struct search *s, const struct ptx_instr *instr, int depth)
{
    const struct ptx_operand *operands = instr->operands;
    const struct known nothing = {0, 0};
    if (instr->guard >= 0 || operands[0].kind != PTX_REG)
        return nothing;
    const bool same = is_op(instr, "ld") && same_address(s, instr) && width(instr) == width(s->store);
    if (same)
        s->load = instr;
    if (is_op(instr, "ld"))
        return (struct known){same ? UINT64_MAX : 0, strchr("ub", instr->mods[instr->mod_count - 1][0])
                                                         ? ~low_bits(width(instr))
                                                         : 0};
    struct known a = instr->operand_count > 1 ? value_of(s, instr, &operands[1], depth) : nothing;
    struct known b = instr->operand_count > 2 ? value_of(s, instr, &operands[2], depth) : nothing;
    if ((is_op(instr, "and") || is_op(instr, "or") || is_op(instr, "xor")) && instr->operand_count == 3)
        return of_logic(instr, a, b);
    if ((is_op(instr, "shl") || is_op(instr, "shr")) && instr->operand_count == 3)
        return is_op(instr, "shr") && instr->mods[0][0] == 's' ? nothing : of_shift(instr, a);
    if (is_op(instr, "bfi") && instr->operand_count == 5)
        return of_insertion(instr, a, b);
    if (is_op(instr, "cvt") && instr->mod_count == 2)
        return of_conversion(instr, a);
    if (is_op(instr, "selp"))
        return (struct known){a.kept & b.kept, a.zero & b.zero};
    return is_op(instr, "mov") && instr->operand_count == 2 ? a : nothing;
}

static struct known value_of(struct search *s, const struct ptx_instr *before,
                             const struct ptx_operand *operand, int depth)
{
    if (operand->kind == PTX_INT)
        return (struct known){0, ~(uint64_t)operand->value};
    const struct ptx_instr *instr =
        operand->kind == PTX_REG && depth > 0 ? last_write(s, before, operand->reg) : NULL;
    return instr ? of_result(s, instr, depth - 1) : (struct known){0, 0};
}

/* The bits that the store puts back, and where they come from; 0: it does not. */
static uint64_t find_kept(struct search *s)
{
    const struct ptx_operand *value = &s->store->operands[1];
    if (s->store->guard >= 0 || s->store->operand_count != 2 || value->kind != PTX_REG)
        return 0;
    const struct ptx_instr *last = last_write(s, s->store, value->reg);
    if (!last || is_op(last, "ld")) /* stored as it was loaded: nothing was meant to be kept */
        return 0;
    return of_result(s, last, DEPTH_MAX).kept;
}

unsigned decode_kept_bytes(const struct ptx_func *func, const struct cfg *cfg, const struct ptx_instr *store)
{
    struct search s = {func, cfg, store, NULL};
    const uint64_t bits = find_kept(&s);
    unsigned kept = 0;
    for (int i = 0; i < width(store) / 8; i++)
        kept |= (unsigned)((bits >> (8 * i) & 0xff) == 0xff) << i;
    return kept;
}

/* ---- loads --------------------------------------------------------------------------------------------- */

static bool is_store(const struct ptx_instr *instr)
{
    return is_op(instr, "st") && instr->operand_count == 2 && instr->operands[0].kind == PTX_ADDRESS;
}

bool decode_is_put_back(const struct ptx_func *func, const struct cfg *cfg, const struct ptx_instr *load)
{
    const long at = load - func->instrs;
    for (long i = at + 1; i < func->instr_count && i < at + LOOK_MAX && cfg->block_of[i] == cfg->block_of[at];
         i++) {
        struct search s = {func, cfg, &func->instrs[i], NULL};
        if (is_store(s.store) && s.store->operands[0].value == load->operands[1].value &&
            s.store->operands[0].reg == load->operands[1].reg && find_kept(&s) && s.load == load)
            return true;
    }
    return false;
}

/* The store behind the load, in its block, that takes a register which it loads; NULL: none. */
static const struct ptx_instr *store_of(const struct ptx_func *func, const struct cfg *cfg, long load)
{
    const struct ptx_operand *target = &func->instrs[load].operands[0];
    const int reg = target->kind == PTX_REG ? target->reg : target->count ? target->list[0].reg : -1;
    for (long i = load + 1; i < func->instr_count && i < load + LOOK_MAX; i++) {
        if (cfg->block_of[i] != cfg->block_of[load])
            return NULL;
        if (is_store(&func->instrs[i]) && ptx_names(&func->instrs[i].operands[1], reg))
            return &func->instrs[i];
    }
    return NULL;
}

/* An address as a register, or variable, from which others are at constant distances, and the distance. */
struct place {
    int reg;
    const struct ptx_var *var;
    int64_t offset;
};

static struct place place_of(struct search *s, const struct ptx_instr *instr,
                             const struct ptx_operand *address)
{
    struct place place = {address->reg, address->var, address->value};
    const struct ptx_instr *write = instr;
    s->store = instr; /* whose block is looked through */
    for (int steps = 0; place.reg >= 0 && steps < 4; steps++) {
        write = last_write(s, write, place.reg);
        if (!write || write->guard >= 0 || write->operand_count < 2 || write->operands[1].kind != PTX_REG)
            break;
        if (is_op(write, "add") && write->operands[2].kind == PTX_INT)
            place.offset += write->operands[2].value;
        else if (!is_op(write, "mov"))
            break;
        place.reg = write->operands[1].reg;
    }
    return place;
}

/* Whether two addresses have a constant distance. */
static bool same_base(struct place a, struct place b)
{
    return a.reg == b.reg && a.var == b.var;
}

static bool is_load(const struct ptx_instr *instr)
{
    return is_op(instr, "ld") && instr->operand_count == 2 && instr->operands[1].kind == PTX_ADDRESS;
}

bool decode_is_structure(const struct ptx_func *func, const struct cfg *cfg, const struct ptx_instr *load)
{
    const long at = load - func->instrs, first = at > LOOK_MAX ? at - LOOK_MAX : 0;
    const struct ptx_instr *to = is_load(load) ? store_of(func, cfg, at) : NULL;
    struct search s = {func, cfg, load, NULL};
    if (!to)
        return false;
    const struct place from = place_of(&s, load, &load->operands[1]),
                       target = place_of(&s, to, &to->operands[0]);
    for (long i = first; i < func->instr_count && i < at + LOOK_MAX; i++) {
        const struct ptx_instr *other = &func->instrs[i];
        if (i == at || cfg->block_of[i] != cfg->block_of[at] || !is_load(other))
            continue;
        const struct place other_from = place_of(&s, other, &other->operands[1]);
        const struct ptx_instr *other_to = same_base(from, other_from) ? store_of(func, cfg, i) : NULL;
        if (!other_to)
            continue;
        const struct place other_target = place_of(&s, other_to, &other_to->operands[0]);
        if (same_base(target, other_target) && other_from.offset != from.offset &&
            other_from.offset - from.offset == other_target.offset - target.offset)
            return true;
    }
    return false;
}
