/*
 * A loop is what lies in a circle with the instruction: the blocks that lead to it, and that it leads to. What decides
 * whether it goes on are the branches that lead out; where their predicates come from is followed backwards, as far as
 * the loop goes.
 */
#include "sim/ptx/loop.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/need.h"
#include "sim/ptx/cfg.h"

struct loop {
    const struct ptx_func *func;
    struct cfg *cfg;
    bool *inside; /* by block */
    bool *wanted; /* by register: decides */
};

static bool is_one_of(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(word, *list) == 0)
            return true;
    return false;
}

/* ---- its blocks ---------------------------------------------------------------------------------------- */

/* Marks all blocks that a way leads to from `from`. */
static void reach(const struct cfg *cfg, int from, bool *reached)
{
    for (int i = 0; i < cfg->blocks[from].successor_count; i++) {
        const int next = cfg_successor(&cfg->blocks[from], i);
        if (next < 0 || reached[next])
            continue;
        reached[next] = true;
        reach(cfg, next, reached);
    }
}

/* Fills loop->inside; false: the block is in no loop. */
static bool find_blocks(struct loop *loop, int block)
{
    const struct cfg *cfg = loop->cfg;
    bool *reached = sim_need((size_t)cfg->block_count + 1, sizeof *reached, "a loop");
    bool *back = sim_need((size_t)cfg->block_count + 1, sizeof *back, "a loop");
    reach(cfg, block, reached);
    for (int other = 0; other < cfg->block_count; other++) {
        memset(back, 0, (size_t)cfg->block_count * sizeof *back);
        if (reached[other])
            reach(cfg, other, back);
        loop->inside[other] = reached[other] && back[block];
    }
    free(reached);
    free(back);
    return loop->inside[block];
}

static bool is_inside(const struct loop *loop, int instr)
{
    return loop->inside[loop->cfg->block_of[instr]];
}

/* Whether lanes leave the loop behind this instruction. */
static bool leads_out(const struct loop *loop, int instr)
{
    const struct ptx_instr *i = &loop->func->instrs[instr];
    const struct cfg_block *block = &loop->cfg->blocks[loop->cfg->block_of[instr]];
    if (strcmp(i->op, "ret") == 0 || strcmp(i->op, "exit") == 0 || strcmp(i->op, "trap") == 0)
        return true;
    for (int k = 0; instr == block->last && k < block->successor_count; k++)
        if (cfg_successor(block, k) >= 0 && !loop->inside[cfg_successor(block, k)])
            return true;
    return false;
}

/* ---- registers ----------------------------------------------------------------------------------------- */

static bool names(const struct ptx_operand *operand, int reg)
{
    bool found = (operand->kind == PTX_REG || operand->kind == PTX_ADDRESS) && operand->reg == reg;
    for (int i = 0; operand->list && i < operand->count; i++)
        found |= names(&operand->list[i], reg);
    return found;
}

static bool has_result(const struct ptx_instr *instr)
{
    static const char *const without[] = {"st",  "red",  "bra",    "bar",   "barrier",
                                          "ret", "exit", "membar", "fence", NULL};
    return instr->operand_count > 0 && !is_one_of(instr->op, without);
}

static bool defines(const struct ptx_instr *instr, int reg)
{
    return has_result(instr) && instr->operands[0].kind != PTX_ADDRESS && names(&instr->operands[0], reg);
}

/* What is new each time, whatever the registers hold. */
static bool comes_from_elsewhere(const struct ptx_instr *instr)
{
    static const char *const sources[] = {"ld",    "atom", "shfl",     "vote",       "match",
                                          "redux", "call", "mbarrier", "activemask", "tex",
                                          "suld",  "wmma", "ldmatrix", NULL};
    if (is_one_of(instr->op, sources))
        return strcmp(instr->op, "ld") != 0 || instr->mod_count == 0 || strcmp(instr->mods[0], "param") != 0;
    const struct ptx_operand *from = instr->operand_count > 1 ? &instr->operands[1] : NULL;
    return from && from->kind == PTX_SREG && (strstr(from->name, "clock") || strstr(from->name, "timer"));
}

/* ---- what decides -------------------------------------------------------------------------------------- */

/* What the slice of some registers through the loop holds. */
struct slice {
    bool looks, counts;
    const struct ptx_instr *swaps[4];
    int swap_count;
};

static bool is_swap(const struct ptx_instr *instr)
{
    return strcmp(instr->op, "atom") == 0 && ptx_has_modifier(instr, "cas") && instr->operand_count >= 4;
}

/* Wants what the instruction reads; *counts: some of it was computed behind it, a turn before. */
static bool want_sources(const struct loop *loop, int instr, bool *counts)
{
    const struct ptx_instr *i = &loop->func->instrs[instr];
    bool changed = false;
    for (int reg = 0; reg < loop->func->reg_count; reg++) {
        bool reads = false;
        for (int k = 1; k < i->operand_count; k++)
            reads |= names(&i->operands[k], reg);
        if (!reads)
            continue;
        for (int later = instr; later < loop->func->instr_count; later++)
            *counts |= is_inside(loop, later) && defines(&loop->func->instrs[later], reg);
        changed |= !loop->wanted[reg];
        loop->wanted[reg] = true;
    }
    return changed;
}

/* From loop->wanted backwards, until nothing is new. Values from elsewhere are not followed further. */
static struct slice find_slice(struct loop *loop)
{
    struct slice slice = {0};
    for (bool changed = true; changed;) {
        changed = false;
        memset(&slice, 0, sizeof slice);
        for (int i = 0; i < loop->func->instr_count; i++) {
            const struct ptx_instr *instr = &loop->func->instrs[i];
            bool decides = false;
            for (int reg = 0; is_inside(loop, i) && reg < loop->func->reg_count && !decides; reg++)
                decides = loop->wanted[reg] && defines(instr, reg);
            if (!decides)
                continue;
            if (is_swap(instr) && slice.swap_count < 4)
                slice.swaps[slice.swap_count++] = instr;
            if (comes_from_elsewhere(instr))
                slice.looks = true;
            else
                changed |= want_sources(loop, i, &slice.counts);
        }
    }
    return slice;
}

/* Where the register got its value before the loop: copies are followed. */
static struct ptx_loc place_before(const struct loop *loop, int reg)
{
    for (int steps = 0; steps < 8; steps++) {
        const struct ptx_instr *found = NULL;
        for (int i = 0; i < loop->func->instr_count; i++)
            if (!is_inside(loop, i) && defines(&loop->func->instrs[i], reg))
                found = &loop->func->instrs[i];
        if (!found)
            break;
        if (strcmp(found->op, "mov") != 0)
            return found->site;
        if (found->operands[1].kind != PTX_REG)
            break;
        reg = found->operands[1].reg;
    }
    return (struct ptx_loc){0};
}

/* Whether what the swap compares with stays the same from turn to turn. */
static bool compares_with_old(struct loop *loop, const struct ptx_instr *swap)
{
    const struct ptx_operand *compared = &swap->operands[2];
    memset(loop->wanted, 0, (size_t)loop->func->reg_count * sizeof *loop->wanted);
    if (compared->kind != PTX_REG)
        return true;
    loop->wanted[compared->reg] = true;
    const struct slice slice = find_slice(loop);
    return !slice.looks && !slice.counts;
}

/* ---- locks --------------------------------------------------------------------------------------------- */

/* A register and a constant added to it: as far up as copies and sums with constants lead. */
struct address {
    int reg;
    const struct ptx_var *var;
    int64_t offset;
};

static const struct ptx_instr *only_definition(const struct ptx_func *func, int reg)
{
    const struct ptx_instr *found = NULL;
    for (int i = 0; i < func->instr_count; i++) {
        if (!defines(&func->instrs[i], reg))
            continue;
        if (found)
            return NULL;
        found = &func->instrs[i];
    }
    return found;
}

static struct address address_of(const struct ptx_func *func, const struct ptx_operand *operand)
{
    struct address a = {operand->reg, operand->var, operand->value};
    for (int steps = 0; a.reg >= 0 && steps < 8; steps++) {
        const struct ptx_instr *instr = only_definition(func, a.reg);
        if (!instr || instr->operand_count < 2 || instr->operands[1].kind != PTX_REG)
            break;
        if (strcmp(instr->op, "add") == 0 && instr->operands[2].kind == PTX_INT)
            a.offset += instr->operands[2].value;
        else if (strcmp(instr->op, "mov") != 0 && strcmp(instr->op, "cvta") != 0)
            break;
        a.reg = instr->operands[1].reg;
    }
    return a;
}

/* Whether the function also writes the word in another way: then it is a lock, or a flag, that is set back. */
static bool is_set_back(const struct ptx_func *func, const struct ptx_instr *swap)
{
    static const char *const writes[] = {"st", "atom", "red", NULL};
    const struct address word = address_of(func, &swap->operands[1]);
    for (int i = 0; i < func->instr_count; i++) {
        const struct ptx_instr *instr = &func->instrs[i];
        if (instr == swap || !is_one_of(instr->op, writes) || is_swap(instr))
            continue;
        const struct address other = address_of(func, &instr->operands[strcmp(instr->op, "atom") == 0]);
        if (other.reg == word.reg && other.var == word.var && other.offset == word.offset)
            return true;
    }
    return false;
}

/* The comparison that made the branch's predicate, or the branch. */
static struct ptx_loc place_of_test(const struct loop *loop, const struct ptx_instr *branch)
{
    for (int i = 0; branch->guard >= 0 && i < loop->func->instr_count; i++)
        if (is_inside(loop, i) && defines(&loop->func->instrs[i], branch->guard))
            return loop->func->instrs[i].site;
    return branch->site;
}

/* The compare-and-swap in the loop whose result, or a copy of it, the register holds; NULL: something else. */
static const struct ptx_instr *swap_in(const struct loop *loop, const struct ptx_operand *operand)
{
    for (int steps = 0; operand->kind == PTX_REG && steps < 4; steps++) {
        const struct ptx_instr *found = NULL;
        for (int i = 0; i < loop->func->instr_count && !found; i++)
            if (is_inside(loop, i) && defines(&loop->func->instrs[i], operand->reg))
                found = &loop->func->instrs[i];
        if (!found || is_swap(found) || strcmp(found->op, "mov") != 0)
            return found && is_swap(found) ? found : NULL;
        operand = &found->operands[1];
    }
    return NULL;
}

/* Of the branch: whether its condition compares what a swap returned as a floating-point number. */
static void find_as_number(const struct loop *loop, const struct ptx_instr *branch, struct loop_view *view)
{
    for (int i = 0; branch->guard >= 0 && i < loop->func->instr_count; i++) {
        const struct ptx_instr *test = &loop->func->instrs[i];
        if (!is_inside(loop, i) || !defines(test, branch->guard) || strcmp(test->op, "setp") != 0 ||
            test->operand_count < 3 || test->mods[test->mod_count - 1][0] != 'f')
            continue;
        const struct ptx_instr *swap = swap_in(loop, &test->operands[1]);
        view->as_number = swap ? swap : swap_in(loop, &test->operands[2]);
        view->number_test = test;
    }
}

static struct loop_view look(struct loop *loop)
{
    struct loop_view view = {.found = true};
    for (int i = 0; i < loop->func->instr_count; i++) {
        const struct ptx_instr *instr = &loop->func->instrs[i];
        if (!is_inside(loop, i) || !leads_out(loop, i))
            continue;
        view.has_exit = true;
        view.test = place_of_test(loop, instr);
        find_as_number(loop, instr, &view);
        if (instr->guard >= 0)
            loop->wanted[instr->guard] = true;
    }
    const struct slice slice = find_slice(loop);
    view.looks = slice.looks;
    view.counts = slice.counts;
    for (int i = 0; i < slice.swap_count && !view.swap; i++)
        if (compares_with_old(loop, slice.swaps[i]))
            view.swap = slice.swaps[i];
    if (view.swap && view.swap->operands[2].kind == PTX_REG)
        view.compared = place_before(loop, view.swap->operands[2].reg);
    if (view.swap && !view.compared.line && is_set_back(loop->func, view.swap))
        view.swap = NULL;
    return view;
}

struct loop_view loop_view(const struct ptx_func *func, int instr)
{
    struct loop loop = {.func = func, .cfg = cfg_build(func)};
    struct loop_view view = {0};
    loop.inside = sim_need((size_t)loop.cfg->block_count + 1, sizeof *loop.inside, "a loop");
    loop.wanted = sim_need((size_t)func->reg_count + 1, sizeof *loop.wanted, "a loop");
    if (find_blocks(&loop, loop.cfg->block_of[instr]))
        view = look(&loop);
    free(loop.inside);
    free(loop.wanted);
    cfg_free(loop.cfg);
    return view;
}

/* ---- ways from one instruction to another --------------------------------------------------------------- */

/* What lay on a way, as bits. */
enum { PAST_TURN = 1, PAST_BARRIER = 2, PASTS = 4 };

struct ways {
    const struct ptx_func *func;
    const struct cfg *cfg;
    bool (*seen)[PASTS]; /* by block */
    int to;
    bool found[PASTS];
};

static int barriers(const struct ptx_func *func, int first, int end)
{
    for (int i = first; i < end; i++) {
        const struct ptx_instr *instr = &func->instrs[i];
        if ((strcmp(instr->op, "bar") == 0 || strcmp(instr->op, "barrier") == 0) &&
            !(instr->mod_count > 0 && strcmp(instr->mods[0], "warp") == 0))
            return PAST_BARRIER;
    }
    return 0;
}

/* From an instruction of the block on. */
static void follow(struct ways *w, int block, int first, int past)
{
    const struct cfg_block *b = &w->cfg->blocks[block];
    if (w->to >= first && w->to <= b->last)
        w->found[past | barriers(w->func, first, w->to)] = true;
    past |= barriers(w->func, first, b->last + 1);
    for (int i = 0; i < b->successor_count; i++) {
        const int next = cfg_successor(b, i);
        if (next < 0)
            continue;
        const int after = past | (w->cfg->blocks[next].rank <= b->rank ? PAST_TURN : 0);
        if (w->seen[next][after])
            continue;
        w->seen[next][after] = true;
        follow(w, next, w->cfg->blocks[next].first, after);
    }
}

enum loop_way loop_way(const struct ptx_func *func, int from, int to)
{
    struct cfg *cfg = cfg_build(func);
    struct ways w = {.func = func, .cfg = cfg, .to = to};
    w.seen = sim_need((size_t)cfg->block_count + 1, sizeof *w.seen, "a way");
    follow(&w, cfg->block_of[from], from + 1, 0);
    free(w.seen);
    cfg_free(cfg);
    return w.found[0]              ? WAY_FREE
           : w.found[PAST_TURN]    ? WAY_TURN
           : w.found[PAST_BARRIER] ? WAY_BARRIER
                                   : WAY_OTHER;
}

const struct ptx_func *ptx_function_of(const struct code *code, const struct ptx_instr *instr)
{
    for (int i = 0; instr && i < code->function_count; i++) {
        const struct ptx_func *func = code->functions[i].func;
        if (instr >= func->instrs && instr < func->instrs + func->instr_count)
            return func;
    }
    return NULL;
}
