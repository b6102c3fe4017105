#include "sim/model/walk.h"

#define LOOK_AHEAD 32 /* blocks that decide nothing, between a branch and one that does */

static const struct code_block *block_of(const struct walk *w, int block)
{
    return &w->code->blocks[block];
}

static const struct code_group *group_of(const struct walk *w, const struct code_block *block, int i)
{
    return &w->code->groups[block->groups + i];
}

static bool decides(const struct walk *w, int block)
{
    const struct code_block *b = block_of(w, block);
    for (int i = 0; i < b->group_count; i++)
        if (group_of(w, b, i)->decides)
            return true;
    return false;
}

/* ---- how often ----------------------------------------------------------------------------------------- */

/*
 * How far the part of the code behind a branch has come: `done` of `wanted` times. The ways of the branch take their
 * shares in proportion to it: a loop of 100 passes in all, met 10 times, runs 10 times each.
 */
struct progress {
    uint64_t done, wanted, step; /* step: with its next pass */
};

static const struct progress at_the_end = {0, 1, 1};

static struct progress progress_of(const struct walk *w, int block)
{
    const struct code_block *b = block_of(w, block);
    for (int i = 0; i < b->group_count; i++) {
        const struct code_group *group = group_of(w, b, i);
        if (group->ptx_block == b->main && w->wanted[b->main])
            return (struct progress){w->done[b->main], w->wanted[b->main], (uint64_t)group->repeats};
    }
    return at_the_end;
}

/* Of what lies behind a branch, and is not a part of the PTX block that the branch decides about. */
static struct progress progress_behind(const struct walk *w, int block, int ptx_block)
{
    for (int i = 0; block != NO_BLOCK && i < LOOK_AHEAD; i++) {
        int main = block_of(w, block)->main;
        if (main != NO_BLOCK && main != ptx_block && w->wanted[main])
            return progress_of(w, block);
        block = block_of(w, block)->meeting;
    }
    return at_the_end;
}

/* Whether `repeats` more passes of a PTX block are due before the code behind runs once more. */
static bool is_due(const struct walk *w, int ptx_block, int repeats, struct progress behind)
{
    uint64_t after = (uint64_t)w->done[ptx_block] + (uint64_t)repeats;
    return after <= w->wanted[ptx_block] &&
           after * behind.wanted <= (uint64_t)w->wanted[ptx_block] * (behind.done + behind.step);
}

/* The block that decides whether a way is taken: the first one on it that decides anything; NO_BLOCK: none does. */
static int deciding_block(const struct walk *w, int block, int meeting)
{
    for (int i = 0; i < LOOK_AHEAD && block != NO_BLOCK && block != meeting; i++) {
        if (decides(w, block))
            return block;
        const struct code_block *b = block_of(w, block);
        if (b->call != NO_BLOCK || b->returns)
            return NO_BLOCK;
        block = b->next;
    }
    return NO_BLOCK;
}

/* Whether it is the turn of the way that begins at `block`. */
static bool wants_way(const struct walk *w, int block, int meeting)
{
    int deciding = deciding_block(w, block, meeting);
    if (deciding == NO_BLOCK)
        return false;
    const struct code_block *b = block_of(w, deciding);
    for (int i = 0; i < b->group_count; i++) { /* what else was moved into the block runs with it */
        const struct code_group *group = group_of(w, b, i);
        if (group->decides && group->ptx_block == b->main)
            return is_due(w, b->main, group->repeats, progress_behind(w, meeting, b->main));
    }
    return false;
}

/* ---- from block to block ------------------------------------------------------------------------------- */

/* Which of the block's groups run this time; they are counted. */
static void enter(struct walk *w, int block)
{
    w->block = block;
    w->active = ~0u;
    if (block == NO_BLOCK)
        return;
    const struct code_block *b = block_of(w, block);
    struct progress main = progress_of(w, block);
    w->instr = b->first;
    for (int i = 0; i < b->group_count; i++) {
        const struct code_group *group = group_of(w, b, i);
        bool runs = group->decides || is_due(w, group->ptx_block, group->repeats, main);
        if (group->is_guard && !runs && i < 32)
            w->active &= ~(1u << i);
        if (group->decides || (group->is_guard && runs))
            w->done[group->ptx_block] += (uint32_t)group->repeats;
    }
}

static void push_later(struct walk *w, int go_to, int when_at)
{
    if (w->later_count < WALK_DEPTH) {
        w->later[w->later_count].go_to = go_to;
        w->later[w->later_count++].when_at = when_at;
    }
}

/* Calls behind a branch that nothing decides are of slow paths: a division of special numbers. */
static bool leads_to_call(const struct walk *w, int block, int meeting)
{
    for (int i = 0; i < LOOK_AHEAD && block != NO_BLOCK && block != meeting; i++) {
        if (block_of(w, block)->call != NO_BLOCK)
            return true;
        block = block_of(w, block)->next;
    }
    return false;
}

/* Both ways of a branch may be due: then the warp's lanes disagree, and it runs one after the other. */
static int choose(struct walk *w, const struct code_block *b)
{
    bool next = b->next != b->meeting && wants_way(w, b->next, b->meeting);
    bool taken = b->taken != b->meeting && wants_way(w, b->taken, b->meeting);
    if (next && taken) {
        push_later(w, b->taken, b->meeting);
        return b->next;
    }
    if (next || taken)
        return next ? b->next : b->taken;
    if (b->next == b->meeting || b->taken == b->meeting)
        return b->meeting;
    return leads_to_call(w, b->next, b->meeting) ? b->taken : b->next;
}

static int choose_exit(struct walk *w, const struct code_block *b)
{
    bool known = b->next != NO_BLOCK && deciding_block(w, b->next, NO_BLOCK) != NO_BLOCK;
    return known && !wants_way(w, b->next, NO_BLOCK) ? NO_BLOCK : b->next;
}

static void leave(struct walk *w)
{
    const struct code_block *b = block_of(w, w->block);
    const struct sass *last = &w->code->code.instrs[b->last];
    int to = b->next;
    if (b->returns) {
        to = w->caller_count ? w->callers[--w->caller_count] : NO_BLOCK;
    } else if (b->call != NO_BLOCK && w->caller_count < WALK_DEPTH) {
        w->callers[w->caller_count++] = b->next;
        to = b->call;
    } else if (b->taken != NO_BLOCK) {
        to = choose(w, b);
    } else if (last->kind == SASS_EXIT && last->guard != SASS_ALWAYS) {
        to = choose_exit(w, b);
    }
    if (w->later_count && w->later[w->later_count - 1].when_at == to)
        to = w->later[--w->later_count].go_to;
    enter(w, to);
}

void walk_begin(struct walk *walk, const struct machine_code *code, const uint32_t *wanted, uint32_t *done,
                uint64_t most)
{
    *walk = (struct walk){.code = code, .wanted = wanted, .done = done, .left = most};
    enter(walk, code->block_count ? 0 : NO_BLOCK);
}

int walk_next(struct walk *walk, bool *runs)
{
    if (walk->block == NO_BLOCK || walk->left == 0)
        return -1;
    int instr = walk->instr, group = walk->code->group[instr];
    *runs = group < 0 || group >= 32 || (walk->active >> group & 1);
    walk->left--;
    if (instr == block_of(walk, walk->block)->last)
        leave(walk);
    else
        walk->instr++;
    return instr;
}
