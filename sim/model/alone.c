#include "sim/model/alone.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/code.h"
#include "sim/model/instr.h"
#include "sim/model/timing.h"
#include "sim/text/place.h"

#define TIMES_LEAST 16   /* loads by one lane: of fewer nothing is said, a block may have that many warps */
#define SHARE_LEAST 0.25 /* of the instructions */

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

/* Branches backward that are taken by one lane alone. */
static void find_loops(struct alone_search *s)
{
    const struct code *code = s->launch->code;
    for (int op = 0; op < code->count; op++) {
        const int target = code->ops[op].target;
        if (!instr_is(code->instrs[op], "bra") || target < 0 || target > op || !is_solo(&s->ops[op]))
            continue;
        for (int k = target; k <= op; k++)
            s->ops[k].in_loop = true;
    }
}

/* Loads of memory that threads share, but for those that wait for what other threads store. */
static bool is_load(const struct ptx_instr *instr)
{
    static const char *const others[] = {"param", "local", "const", "volatile", "relaxed", "acquire", "mmio"};
    if (!instr_is(instr, "ld") || instr->site.line <= 0)
        return false;
    for (int i = 0; i < instr->mod_count; i++)
        for (size_t k = 0; k < sizeof others / sizeof *others; k++)
            if (strcmp(instr->mods[i], others[k]) == 0)
                return false;
    return true;
}

/* Where lanes come one after another, as at a lock, each warp's first time counts only. */
static uint64_t loads_of(const struct alone_op *op)
{
    return !is_solo(op) ? 0 : op->in_loop ? op->warps : op->runners;
}

static bool same_line(const struct ptx_instr *a, const struct ptx_instr *b)
{
    return a->site.file == b->site.file && a->site.line == b->site.line && a->call.line == b->call.line;
}

/* The operations of the line of `first`: their loads by one lane, and warps that come to them. */
static double times_of_line(const struct alone_search *s, int first, uint64_t *runners)
{
    const struct code *code = s->launch->code;
    uint64_t loads = 0;
    *runners = 0;
    for (int op = 0; op < code->count; op++) {
        if (!is_load(code->instrs[op]) || !same_line(code->instrs[op], code->instrs[first]))
            continue;
        loads += loads_of(&s->ops[op]);
        if (s->ops[op].runners > *runners)
            *runners = s->ops[op].runners;
    }
    return *runners > 0 ? (double)loads / (double)*runners : 0;
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

/* The line with most loads by one lane. */
static void find_line(const struct alone_search *s, struct sim_alone *out)
{
    const struct code *code = s->launch->code;
    const uint64_t warps = (uint64_t)s->blocks * (uint64_t)s->launch->trace->warps;
    double most = TIMES_LEAST;
    for (int op = 0; op < code->count; op++) {
        uint64_t runners;
        if (!is_load(code->instrs[op]) || loads_of(&s->ops[op]) == 0)
            continue;
        const double times = times_of_line(s, op, &runners);
        if (times < most || (times == most && out->line > 0))
            continue;
        const struct ptx_instr *instr = code->instrs[op];
        most = times;
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
        if (out->share >= SHARE_LEAST)
            find_line(&s, out);
    }
    free(s.ops);
}
