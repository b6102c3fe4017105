/*
 * Loads that a loop waits for: `while (*flag == 0);`. The value decides whether the loop that the load stands in goes on.
 *
 * A flag that is polled is what volatile variables are used for between threads; a volatile variable that is read once
 * is data. The hazard detector tells them apart by this.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/core/need.h"
#include "sim/decode/decode_internal.h"

/* ---- where the value goes ------------------------------------------------------------------------------ */

static bool names(const struct ptx_operand *operand, const bool *tainted)
{
    if ((operand->kind == PTX_REG) && operand->reg >= 0 && tainted[operand->reg])
        return true;
    for (int i = 0; operand->list && i < operand->count; i++)
        if (names(&operand->list[i], tainted))
            return true;
    return false;
}

static bool taint(const struct ptx_operand *operand, bool *tainted)
{
    bool changed = false;
    if (operand->kind == PTX_REG && operand->reg >= 0 && !tainted[operand->reg])
        tainted[operand->reg] = changed = true;
    for (int i = 0; operand->list && i < operand->count; i++)
        changed |= taint(&operand->list[i], tainted);
    return changed;
}

static bool is_computation(const struct ptx_instr *instr)
{
    static const char *const others[] = {"st",   "ld",  "bra",  "atom", "red",
                                         "call", "ret", "exit", "bar",  "barrier"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(instr->op, others[i]) == 0)
            return false;
    return instr->operand_count > 1;
}

/* All registers that are computed from the load's. */
static void follow(const struct ptx_func *func, const struct ptx_instr *load, bool *tainted)
{
    bool changed = taint(&load->operands[0], tainted);
    while (changed) {
        changed = false;
        for (int i = 0; i < func->instr_count; i++) {
            const struct ptx_instr *instr = &func->instrs[i];
            bool uses = false;
            for (int k = 1; is_computation(instr) && k < instr->operand_count; k++)
                uses |= names(&instr->operands[k], tainted);
            if (uses)
                changed |= taint(&instr->operands[0], tainted);
        }
    }
}

/* ---- the loop that the load stands in ------------------------------------------------------------------ */

/* Marks the blocks that a way leads to from `from` without passing `without`. */
static void reach(const struct cfg *cfg, int from, int without, bool *reached)
{
    for (int i = 0; i < cfg->blocks[from].successor_count; i++) {
        int next = cfg_successor(&cfg->blocks[from], i);
        if (next < 0 || next == without || reached[next])
            continue;
        reached[next] = true;
        reach(cfg, next, without, reached);
    }
}

/* Whether a way leads from `from` to `to` that does not pass `without`. */
static bool leads_to(const struct cfg *cfg, int from, int to, int without, bool *reached)
{
    if (from == to)
        return true;
    memset(reached, 0, (size_t)cfg->block_count * sizeof *reached);
    if (from != without)
        reach(cfg, from, without, reached);
    return reached[to];
}

/*
 * The branch decides whether the load runs again: one side leads back to it before the two sides meet again, at the
 * branch's post-dominator; the other does not.
 */
static bool decides(const struct cfg *cfg, int load, int branch, bool *reached)
{
    const struct cfg_block *b = &cfg->blocks[branch];
    int back = 0, out = 0;
    if (b->successor_count != 2 || !leads_to(cfg, load, branch, -1, reached))
        return false;
    for (int i = 0; i < 2; i++) {
        int next = cfg_successor(b, i);
        bool returns = next >= 0 && leads_to(cfg, next, load, b->ipdom, reached);
        back += returns;
        out += next >= 0 && !returns;
    }
    return back == 1 && out == 1;
}

static bool is_polled_here(const struct ptx_func *func, const struct cfg *cfg, const struct ptx_instr *load)
{
    bool *tainted = sim_need((size_t)func->reg_count + 1, sizeof *tainted, "what a loop waits for");
    bool *reached = sim_need((size_t)cfg->block_count + 1, sizeof *reached, "what a loop waits for");
    bool polled = false;
    follow(func, load, tainted);
    for (int i = 0; i < func->instr_count && !polled; i++) {
        const struct ptx_instr *instr = &func->instrs[i];
        if (strcmp(instr->op, "bra") == 0 && instr->guard >= 0 && tainted[instr->guard])
            polled = decides(cfg, cfg->block_of[load - func->instrs], cfg->block_of[i], reached);
    }
    free(tainted);
    free(reached);
    return polled;
}

static bool is_volatile_load(const struct ptx_instr *instr)
{
    return strcmp(instr->op, "ld") == 0 && ptx_has_modifier(instr, "volatile");
}

/* The compiler may make a first look before the loop, of the same line. */
bool decode_is_polled(const struct ptx_func *func, const struct cfg *cfg, const struct ptx_instr *load)
{
    for (int i = 0; i < func->instr_count; i++) {
        const struct ptx_instr *instr = &func->instrs[i];
        const bool same_line =
            instr->site.line && instr->site.line == load->site.line && instr->site.file == load->site.file;
        if (is_volatile_load(instr) && (instr == load || same_line) && is_polled_here(func, cfg, instr))
            return true;
    }
    return false;
}

/* The constant that a register holds, if it is only ever set to that one; else 0. */
static int64_t constant_in(const struct ptx_func *func, int reg)
{
    int64_t constant = 0;
    int writers = 0;
    for (int i = 0; i < func->instr_count; i++) {
        const struct ptx_instr *instr = &func->instrs[i];
        if (instr->operand_count < 2 || instr->operands[0].kind != PTX_REG || instr->operands[0].reg != reg ||
            strcmp(instr->op, "st") == 0)
            continue;
        writers++;
        constant = strcmp(instr->op, "mov") == 0 && instr->operands[1].kind == PTX_INT
                       ? instr->operands[1].value
                       : 0;
    }
    return writers == 1 ? constant : 0;
}

/* The value that a compare-and-swap waits for, if it is a constant; else 0. */
static int64_t swaps_from(const struct ptx_func *func, const struct ptx_instr *instr)
{
    const struct ptx_operand *from = instr->operand_count > 2 ? &instr->operands[2] : NULL;
    if (from && from->kind == PTX_REG)
        return constant_in(func, from->reg);
    return from && from->kind == PTX_INT ? from->value : 0;
}

/* ---- who is waited for --------------------------------------------------------------------------------- */

/*
 * A thread that stores one value after another, without waiting in between, would store all of them before a thread
 * that polls the word runs again: that one would only ever see the last, and nothing of what goes wrong when it is
 * slower or faster than the other. So a kernel whose threads poll gives others their turn after each store of that
 * kind; and after each number that a thread draws, since blocks take their work by such numbers: what the one with
 * the smaller number has not told yet, the one with the larger number must wait for. (Locks are no part of this: who
 * takes one by compare-and-swap, from 0 to another value, waits for no value.)
 */
bool decode_waits(const struct ptx_func *func, const struct cfg *cfg)
{
    for (int i = 0; i < func->instr_count; i++) {
        const struct ptx_instr *instr = &func->instrs[i];
        const bool strong = strcmp(instr->op, "ld") == 0 &&
                            (ptx_has_modifier(instr, "acquire") || ptx_has_modifier(instr, "relaxed"));
        const bool atomic = strcmp(instr->op, "atom") == 0 &&
                            (!ptx_has_modifier(instr, "cas") || swaps_from(func, instr) != 0);
        if (strong && !func->is_entry) /* the loop may stand in the function that calls */
            return true;
        if ((strong || atomic || is_volatile_load(instr)) && is_polled_here(func, cfg, instr))
            return true;
    }
    return false;
}

/* A fence before it in its basic block makes a release of an atomic. */
static bool is_behind_fence(const struct ptx_func *func, const struct cfg *cfg, const struct ptx_instr *instr)
{
    const int at = (int)(instr - func->instrs);
    for (int i = at - 1; i >= 0 && cfg->block_of[i] == cfg->block_of[at]; i--)
        if (strcmp(func->instrs[i].op, "fence") == 0 || strcmp(func->instrs[i].op, "membar") == 0)
            return true;
    return false;
}

/* A number that each thread draws for itself, as atomicAdd(&next, 1) does: not one that is added to look at the word. */
static bool draws_number(const struct ptx_instr *instr)
{
    if (strcmp(instr->op, "atom") != 0 || instr->operand_count < 3)
        return false;
    const struct ptx_operand *added = &instr->operands[2];
    return ptx_has_modifier(instr, "inc") ||
           (ptx_has_modifier(instr, "add") && !(added->kind == PTX_INT && added->value == 0));
}

/* Whether others may wait for what the operation stores, or for what its thread does with the number that it draws. */
static bool tells(const struct decoder *d, const struct memory_detail *detail)
{
    return strcmp(d->instr->op, "st") == 0 || detail->order == ORDER_RELEASE ||
           detail->order == ORDER_ACQ_REL || is_behind_fence(d->func, d->cfg, d->instr) ||
           draws_number(d->instr);
}

/* Whether a loop waits for what the operation finds, here or in the function that calls this one. */
static bool looks(const struct decoder *d, const struct memory_detail *detail)
{
    const bool is_load = strcmp(d->instr->op, "ld") == 0;
    if (detail->count != 1 || detail->element_size < 4 || detail->element_size > 8 ||
        (!is_load && strcmp(d->instr->op, "atom") != 0) || d->instr->operands[0].kind != PTX_REG)
        return false;
    return (is_load && !d->func->is_entry) || is_polled_here(d->func, d->cfg, d->instr);
}

/* ---- two steps where one is needed --------------------------------------------------------------------- */

static bool is_atomic(const struct ptx_instr *instr)
{
    return strcmp(instr->op, "atom") == 0 || strcmp(instr->op, "red") == 0;
}

/* The place that a store or an atomic writes to, or NULL. */
static const struct ptx_operand *written_by(const struct ptx_instr *instr)
{
    const int at = strcmp(instr->op, "atom") == 0 ? 1 : 0;
    const bool writes = is_atomic(instr) || strcmp(instr->op, "st") == 0;
    return writes && instr->operand_count > at && instr->operands[at].kind == PTX_ADDRESS
               ? &instr->operands[at]
               : NULL;
}

static bool is_same_place(const struct ptx_operand *a, const struct ptx_operand *b)
{
    return a && b && a->reg == b->reg && a->value == b->value && a->var == b->var;
}

/*
 * What an atomic finds, or a volatile load before an exchange, is used, and the thread writes the same word again, elsewhere
 * in the program: max(), say, by two exchanges, of which the second puts the larger number back. Each of them is atomic, both
 * together are not. That is seen only if another thread comes in between, for which nothing else gives it cause.
 */
static int line_of_second(const struct decoder *d)
{
    const bool is_load = strcmp(d->instr->op, "ld") == 0; /* a strong one: see decode_turns */
    const struct ptx_operand *place =
        is_load && d->instr->operand_count > 1 ? &d->instr->operands[1] : written_by(d->instr);
    bool *reached;
    int line = 0;
    if ((strcmp(d->instr->op, "atom") != 0 && !is_load) || !place || d->instr->operands[0].kind != PTX_REG)
        return 0;
    reached = sim_need((size_t)d->cfg->block_count + 1, sizeof *reached, "what follows an atomic");
    const int first = (int)(d->instr - d->func->instrs), here = d->cfg->block_of[first];
    reach(d->cfg, here, -1, reached);
    for (int i = 0; i < d->func->instr_count && line == 0; i++) {
        const bool follows = d->cfg->block_of[i] == here ? i > first : reached[d->cfg->block_of[i]];
        if (i != first && follows && (!is_load || ptx_has_modifier(&d->func->instrs[i], "exch")) &&
            is_same_place(place, written_by(&d->func->instrs[i])))
            line = d->func->instrs[i].site.line;
    }
    free(reached);
    return line;
}

void decode_turns(struct decoder *d, struct micro *op, struct memory_detail *detail)
{
    const bool is_load = strcmp(d->instr->op, "ld") == 0;
    const char *handler = NULL;
    if (d->failed || detail->order == ORDER_WEAK || detail->space == PTX_LOCAL)
        return;
    if (d->waits)
        handler = !is_load && tells(d, detail) ? "publish" : looks(d, detail) ? "look" : NULL;
    if (!handler && (detail->again_line = line_of_second(d)) > 0)
        handler = "first_of_two";
    if (!handler)
        return;
    detail->inner = op->run;
    op->run = decode_handler(d, "%s", handler);
}
