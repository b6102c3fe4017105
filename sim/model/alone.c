#include "sim/model/alone.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/code.h"
#include "sim/model/instr.h"
#include "sim/model/timing.h"
#include "sim/text/place.h"

#define TIMES_LEAST  16   /* loads by one lane: of fewer nothing is said, a block may have that many warps */
#define CHANGE_LEAST 32   /* stores and atomics: a block has at most as many warps */
#define SHARE_LEAST  0.25 /* of the instructions, for loads: one thread may read what each warp has left */

/* What the watched warps have run of one operation. */
struct alone_op {
    uint64_t warps, lanes;
    uint64_t runners; /* warps that came to it */
    bool in_loop;     /* of which one lane alone makes the turns */
};

struct alone_search {
    const struct timing_launch *launch;
    struct alone_op *ops; /* [operations] */
    int blocks;
};

static bool is_solo(const struct alone_op *op)
{
    return op->warps > 0 && op->lanes == op->warps;
}

static void count_block(struct alone_search *s, const struct trace_block *block)
{
    s->blocks++;
    for (int w = 0; w < s->launch->trace->warps; w++)
        for (int op = 0; op < s->launch->code->count; op++) {
            const struct op_count *count = &block->warps[w].counts[op];
            s->ops[op].warps += count->warps;
            s->ops[op].lanes += count->lanes;
            s->ops[op].runners += count->warps > 0;
        }
}

/* A branch: its lanes are those that take it, none of them when the loop ends. */
static bool is_taken_solo(const struct alone_op *op)
{
    return op->lanes > 0 && op->lanes <= op->warps;
}

/* Branches backward that are taken by one lane alone. */
static void find_loops(struct alone_search *s)
{
    const struct code *code = s->launch->code;
    for (int op = 0; op < code->count; op++) {
        const int target = code->ops[op].target;
        if (!instr_is(code->instrs[op], "bra") || target < 0 || target > op || !is_taken_solo(&s->ops[op]))
            continue;
        for (int k = target; k <= op; k++)
            s->ops[k].in_loop = true;
    }
}

/*
 * Accesses of memory that threads share, but for those that wait for what other threads store, and for those that other
 * threads wait for: locks, flags.
 */
static bool is_plain(const struct ptx_instr *instr)
{
    static const char *const others[] = {"param",   "local",   "const", "volatile", "relaxed",
                                         "acquire", "release", "mmio",  "cas",      "exch"};
    const bool is_atomic = instr_is(instr, "atom") || instr_is(instr, "red");
    if (instr->site.line <= 0)
        return false;
    for (int i = 0; i < instr->mod_count; i++)
        for (size_t k = 0; k < sizeof others / sizeof *others; k++)
            if (strcmp(instr->mods[i], others[k]) == 0 && !(is_atomic && strcmp(others[k], "relaxed") == 0))
                return false;
    return true;
}

/* Whether it counts as an access of this kind. */
static bool is_access(const struct ptx_instr *instr, enum sim_alone_what what)
{
    if (what == SIM_ALONE_LOAD)
        return instr_is(instr, "ld") && is_plain(instr);
    if (what == SIM_ALONE_STORE)
        return instr_is(instr, "st") && is_plain(instr);
    return (instr_is(instr, "atom") || instr_is(instr, "red")) && is_plain(instr);
}

/* Where lanes come one after another, as at a lock, each warp's first time counts only. */
static uint64_t times_of(const struct alone_op *op)
{
    return !is_solo(op) ? 0 : op->in_loop ? op->warps : op->runners;
}

static bool same_line(const struct ptx_instr *a, const struct ptx_instr *b)
{
    return a->site.file == b->site.file && a->site.line == b->site.line && a->call.line == b->call.line;
}

/* The operations of the line of `first`: how often one lane executes them, and warps that come to them. */
static double times_of_line(const struct alone_search *s, int first, enum sim_alone_what what,
                            uint64_t *runners)
{
    const struct code *code = s->launch->code;
    uint64_t times = 0;
    *runners = 0;
    for (int op = 0; op < code->count; op++) {
        if (!is_access(code->instrs[op], what) || !same_line(code->instrs[op], code->instrs[first]))
            continue;
        times += times_of(&s->ops[op]);
        if (s->ops[op].runners > *runners)
            *runners = s->ops[op].runners;
    }
    return *runners > 0 ? (double)times / (double)*runners : 0;
}

static double share_of_solo(const struct alone_search *s)
{
    double solo = 0, all = 0;
    for (int op = 0; op < s->launch->code->count; op++) {
        all += (double)s->ops[op].warps;
        solo += is_solo(&s->ops[op]) ? (double)s->ops[op].warps : 0;
    }
    return all > 0 ? solo / all : 0;
}

/* The line with most accesses by one lane, if there are more than what `out` has. */
static void find_line(const struct alone_search *s, enum sim_alone_what what, double least,
                      struct sim_alone *out)
{
    const struct code *code = s->launch->code;
    const uint64_t warps = (uint64_t)s->blocks * (uint64_t)s->launch->trace->warps;
    for (int op = 0; op < code->count; op++) {
        uint64_t runners;
        if (!is_access(code->instrs[op], what) || times_of(&s->ops[op]) == 0)
            continue;
        const double times = times_of_line(s, op, what, &runners);
        if (times < least || times <= out->times)
            continue;
        const struct ptx_instr *instr = code->instrs[op];
        out->what = what;
        out->file = place_file(s->launch->kernel, instr->site);
        out->line = instr->site.line;
        out->call_line = instr->call.file == instr->site.file ? instr->call.line : 0;
        out->times = times;
        out->each_warp = 2 * runners > warps || warps == (uint64_t)s->blocks;
    }
}

void alone_find(const struct timing_launch *launch, struct sim_alone *out)
{
    struct alone_search s = {.launch = launch};
    *out = (struct sim_alone){.file = "", .threads = launch->threads};
    s.ops = calloc((size_t)launch->code->count + 1, sizeof *s.ops);
    for (int i = 0; s.ops && i < launch->trace->count; i++)
        if (launch->trace->blocks[i].run)
            count_block(&s, &launch->trace->blocks[i]);
    if (s.ops && s.blocks > 0 && launch->threads >= WARP_LANES) {
        out->share = share_of_solo(&s);
        find_loops(&s);
        find_line(&s, SIM_ALONE_ATOMIC, CHANGE_LEAST, out);
        find_line(&s, SIM_ALONE_STORE, CHANGE_LEAST, out);
        if (out->share >= SHARE_LEAST)
            find_line(&s, SIM_ALONE_LOAD, TIMES_LEAST, out);
    }
    free(s.ops);
}
