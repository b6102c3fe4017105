#include "sim/machine/bypass.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/need.h"
#include "sim/ptx/cfg.h"
#include "sim/ptx/loop.h"
#include "sim/ptx/ptx.h"
#include "sim/text/place.h"

/* The two places in one function, as its instructions; to < 0: behind its end. */
struct pair {
    const struct ptx_func *func;
    int at, to;
};

struct search {
    const struct launch *launch;
    const struct op_count *counts;
    const struct ptx_func *func;
    struct cfg *cfg;
    int at, to;    /* blocks; to < 0: the end */
    bool *around;  /* blocks from which a way leads to where the others are, and not through `at` */
    bool *escapes; /* … to the end, and not through the block `inner` */
    bool *comes;   /* … to `inner` */
    int inner;
    bool *seen;
    int *queue;
};

/* ---- places -------------------------------------------------------------------------------------------- */

/* Where the group is in its frame, or at the call in a frame further out. */
static int place_in(const struct launch *launch, const struct group *group, const struct frame *frame)
{
    int pc = group->state != GROUP_READY && group->wait ? (int)(group->wait - launch->code->ops) : group->pc;
    for (const struct frame *f = group->frame; f != frame; f = f->parent)
        pc = f->return_pc - 1;
    if (!launch->code->instrs[pc] && launch->code->ops[pc].target >= 0)
        pc = launch->code->ops[pc].target; /* a jump that is not in the PTX */
    return pc;
}

static const struct frame *frame_at(const struct group *group, int depth)
{
    const struct frame *frame = group->frame;
    while (frame && frame->depth > depth)
        frame = frame->parent;
    return frame;
}

/* The outermost function in which the two are at different places. */
static bool find_pair(const struct launch *launch, const struct group *at, const struct group *to,
                      struct pair *pair)
{
    for (int depth = 0; depth <= at->frame->depth && (!to || depth <= to->frame->depth); depth++) {
        const int pc = place_in(launch, at, frame_at(at, depth));
        const int other = to ? place_in(launch, to, frame_at(to, depth)) : -1;
        const struct ptx_instr *here = launch->code->instrs[pc],
                               *there = to ? launch->code->instrs[other] : NULL;
        pair->func = ptx_function_of(launch->code, here);
        if (!pair->func || (to && ptx_function_of(launch->code, there) != pair->func))
            return false;
        pair->at = (int)(here - pair->func->instrs);
        pair->to = there ? (int)(there - pair->func->instrs) : -1;
        if (pc != other)
            return true;
    }
    return false;
}

/* ---- the graph ----------------------------------------------------------------------------------------- */

/* Threads that come into the block come to no good end: what they do then does not matter. */
static bool traps(const struct search *s, int block)
{
    const struct cfg_block *b = &s->cfg->blocks[block];
    for (int i = b->first; i <= b->last; i++)
        if (strcmp(s->func->instrs[i].op, "trap") == 0 && s->func->instrs[i].guard < 0)
            return true;
    return b->successor_count == 0 && strcmp(s->func->instrs[b->last].op, "call") == 0;
}

/* The blocks from which a way leads to `to`, or to the end where that is below 0, without the block `but`. */
static void find_ways(const struct search *s, int to, int but, bool *leads)
{
    bool changed = true;
    for (int b = 0; b < s->cfg->block_count; b++)
        leads[b] = b != but && (to >= 0 ? b == to : s->cfg->blocks[b].successor_count == 0) && !traps(s, b);
    while (changed) {
        changed = false;
        for (int b = s->cfg->block_count - 1; b >= 0; b--) {
            const struct cfg_block *block = &s->cfg->blocks[b];
            for (int i = 0; i < block->successor_count && !leads[b] && b != but && !traps(s, b); i++)
                changed |= leads[b] = leads[cfg_successor(block, i)];
        }
    }
}

/* Do all ways from the block to the end lead through `inner`? A trap is no such end. */
static bool always_reached(const struct search *s, int from)
{
    return from == s->inner || (s->comes[from] && !s->escapes[from]);
}

/* How many lanes came into the block, where an operation in it that all of them execute tells; else -1. */
static int64_t lanes_in(const struct search *s, int block)
{
    const struct code *code = s->launch->code;
    const struct ptx_instr *instr = &s->func->instrs[s->cfg->blocks[block].first];
    if (instr->guard >= 0)
        return -1;
    for (int pc = 0; pc < code->count; pc++)
        if (code->instrs[pc] == instr)
            return (int64_t)s->counts[pc].lanes;
    return -1;
}

/*
 * All lanes that came to the branch went on towards the place, as far as that can be counted: as many came into that side as
 * into all the blocks that lead to it.
 */
static bool nobody_turned_off(const struct search *s, int side)
{
    int64_t came = 0;
    for (int b = 0; s->counts && b < s->cfg->block_count; b++)
        for (int i = 0; i < s->cfg->blocks[b].successor_count; i++) {
            if (cfg_successor(&s->cfg->blocks[b], i) != side)
                continue;
            const int64_t lanes = lanes_in(s, b);
            if (lanes < 0)
                return false;
            came += lanes;
        }
    return s->counts && lanes_in(s, side) >= came;
}

/* Whether a thread comes to `inner` depends on this branch. */
static bool depends_on(const struct search *s, int branch)
{
    const struct cfg_block *block = &s->cfg->blocks[branch];
    bool some = false;
    for (int i = 0; i < block->successor_count && block->successor_count > 1; i++)
        some |= always_reached(s, cfg_successor(block, i));
    return some && (branch == s->inner || !always_reached(s, branch));
}

/* One way of the branch leads to `inner`, and another one around the place. */
static bool parts_at(const struct search *s, int branch)
{
    const struct cfg_block *block = &s->cfg->blocks[branch];
    bool towards = false, around = false;
    for (int i = 0; i < block->successor_count; i++) {
        const int side = cfg_successor(block, i);
        if (always_reached(s, side))
            towards |= !nobody_turned_off(s, side);
        else
            around |= s->around[side];
    }
    return towards && around;
}

/* "if (...) return;": a guarded end, which is no edge of the graph, on the way to the place. */
static bool ends_before(const struct search *s, int block)
{
    const struct ptx_instr *last = &s->func->instrs[s->cfg->blocks[block].last];
    const bool ends = strcmp(last->op, "ret") == 0 || strcmp(last->op, "exit") == 0;
    return s->to < 0 && ends && last->guard >= 0 && block != s->inner && always_reached(s, block);
}

/* The last instruction of block `b` before `i` that sets the register; NULL: none does. */
static const struct ptx_instr *setter_of(const struct search *s, int b, int reg, const struct ptx_instr *i)
{
    while (--i >= &s->func->instrs[s->cfg->blocks[b].first])
        if (i->operand_count > 0 && i->operands[0].kind == PTX_REG && i->operands[0].reg == reg)
            return i;
    return NULL;
}

/* Of a condition that is two in one ("for" and "if (...) break"), the line of the other one; else 0. */
static int joined_line(const struct search *s, int b, const struct ptx_instr *branch)
{
    const struct ptx_instr *joined = setter_of(s, b, branch->guard, branch);
    if (!joined || (strcmp(joined->op, "and") != 0 && strcmp(joined->op, "or") != 0))
        return 0;
    for (int k = 1; k < joined->operand_count; k++) {
        const struct ptx_instr *part = setter_of(s, b, joined->operands[k].reg, joined);
        if (part && part->site.file == branch->site.file && part->site.line != branch->site.line)
            return part->site.line;
    }
    return 0;
}

/* True: it is a condition of the author's at which the ways part, now in *bypass. */
static bool look_at_branch(struct search *s, int branch, struct bypass *bypass)
{
    const struct ptx_instr *last = &s->func->instrs[s->cfg->blocks[branch].last];
    if (!ends_before(s, branch) && !parts_at(s, branch))
        return false;
    bypass->found = true;
    if (last->loc.file == last->site.file) {
        bypass->branch = last->site;
        bypass->with_line = joined_line(s, branch, last);
    }
    return last->loc.file == last->site.file;
}

/*
 * From the place outwards, the first condition of the author's at which the ways part. Threads that have ended may have
 * gone at any of several: then none is named.
 */
static struct bypass search_outwards(struct search *s)
{
    struct bypass bypass = {0}, other = {0};
    int head = 0, tail = 0;
    s->queue[tail++] = s->at;
    s->seen[s->at] = true;
    while (head < tail) {
        s->inner = s->queue[head++];
        find_ways(s, -1, s->inner, s->escapes);
        find_ways(s, s->inner, -1, s->comes);
        for (int b = s->cfg->block_count - 1; b >= 0; b--) {
            if (!ends_before(s, b) && !depends_on(s, b))
                continue;
            if (!bypass.branch.line && look_at_branch(s, b, &bypass) && s->to >= 0)
                return bypass;
            if (bypass.branch.line && look_at_branch(s, b, &other) && other.branch.line != bypass.branch.line)
                return (struct bypass){.found = true};
            if (!s->seen[b])
                s->seen[b] = true, s->queue[tail++] = b;
        }
    }
    return bypass;
}

static void *of_blocks(const struct search *s, size_t size)
{
    return sim_need((size_t)s->cfg->block_count, size, "a search for a condition");
}

struct bypass bypass_find(const struct launch *launch, const struct op_count *counts, const struct group *at,
                          const struct group *to)
{
    struct pair pair;
    if (!find_pair(launch, at, to, &pair))
        return (struct bypass){0};
    struct search s = {.launch = launch, .counts = counts, .func = pair.func, .cfg = cfg_build(pair.func)};
    s.at = s.cfg->block_of[pair.at];
    s.to = pair.to >= 0 ? s.cfg->block_of[pair.to] : -1;
    s.around = of_blocks(&s, sizeof *s.around);
    s.escapes = of_blocks(&s, sizeof *s.escapes);
    s.comes = of_blocks(&s, sizeof *s.comes);
    s.seen = of_blocks(&s, sizeof *s.seen);
    s.queue = of_blocks(&s, sizeof *s.queue);
    find_ways(&s, s.to, s.at, s.around);
    struct bypass bypass = search_outwards(&s);
    s.inner = s.to;
    find_ways(&s, -1, s.inner, s.escapes);
    find_ways(&s, s.inner, -1, s.comes);
    bypass.comes_there = s.to >= 0 && always_reached(&s, s.at);
    free(s.around);
    free(s.escapes);
    free(s.comes);
    free(s.seen);
    free(s.queue);
    cfg_free(s.cfg);
    return bypass;
}

struct bypass_known bypass_key(const struct launch *launch, const struct group *at, const struct group *to)
{
    return (struct bypass_known){.at = place_in(launch, at, frame_at(at, 0)),
                                 .to = to ? place_in(launch, to, frame_at(to, 0)) : -1,
                                 .at_wait = at->wait,
                                 .to_wait = to ? to->wait : NULL};
}

/* ---- barriers of a grid -------------------------------------------------------------------------------- */

static bool is_of_groups(const struct launch *launch, const struct ptx_instr *instr)
{
    return instr && strstr(place_file(launch->kernel, instr->loc), "cooperative_groups") != NULL;
}

/* A block's own barrier has no atomic operation. */
bool bypass_is_grid_barrier(const struct launch *launch, const struct micro *op)
{
    const struct code *code = launch->code;
    const struct ptx_instr *here = code->instrs[op - code->ops];
    if (!launch->workspace || !here || here->loc.file == here->site.file)
        return false;
    for (int i = 0; i < code->count; i++) {
        const struct ptx_instr *instr = code->instrs[i];
        if (is_of_groups(launch, instr) && strcmp(instr->op, "atom") == 0 &&
            instr->site.file == here->site.file && instr->site.line == here->site.line)
            return true;
    }
    return false;
}
