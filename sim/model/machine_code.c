#include "sim/model/machine_code.h"

#include <stdlib.h>
#include <string.h>

#include "sim/ptx/ptx.h"

/* ---- basic blocks of the PTX --------------------------------------------------------------------------- */

static bool is_op(const struct ptx_instr *instr, const char *name)
{
    return instr && strcmp(instr->op, name) == 0;
}

static bool ends_ptx_block(const struct ptx_instr *instr)
{
    return is_op(instr, "bra") || is_op(instr, "brx") || is_op(instr, "ret") || is_op(instr, "exit") ||
           is_op(instr, "call");
}

static void find_ptx_blocks(struct machine_code *m, const struct code *ptx, bool *leader)
{
    for (int pc = 0; pc < ptx->count; pc++) {
        int target = ptx->ops[pc].target;
        if (is_op(ptx->instrs[pc], "bra") && target >= 0 && target < ptx->count)
            leader[target] = true;
        if (ends_ptx_block(ptx->instrs[pc]))
            leader[pc + 1] = true;
    }
    for (int i = 0; i < ptx->function_count; i++)
        leader[ptx->functions[i].entry] = true;
    for (int pc = 0; pc < ptx->count; pc++) {
        if (leader[pc] || pc == 0)
            m->ptx_first[m->ptx_block_count++] = pc;
        m->ptx_block[pc] = m->ptx_block_count - 1;
    }
    m->ptx_block[ptx->count] = -1;
}

static void find_ptx_loops(struct machine_code *m, const struct code *ptx)
{
    for (int pc = 0; pc < ptx->count; pc++) {
        int target = ptx->ops[pc].target;
        if (is_op(ptx->instrs[pc], "bra") && target >= 0 && target <= pc)
            for (int b = m->ptx_block[target]; b <= m->ptx_block[pc]; b++)
                m->ptx_loops[b] = true;
    }
}

/* Of 32 bits, and most often one instruction; where there is nothing better they tell how often a block was repeated. */
static bool is_weak_anchor(const struct ptx_instr *instr)
{
    static const char *const ops[] = {"mad", "mul", "add",   "sub",  "shl",  "shr",  "and",
                                      "or",  "xor", "shf",   "prmt", "brev", "popc", "dp4a",
                                      "min", "max", "bfind", "clz",  "vote", "cvt"};
    const char *type = instr && instr->mod_count ? instr->mods[instr->mod_count - 1] : "";
    if (strcmp(type, "s32") != 0 && strcmp(type, "u32") != 0 && strcmp(type, "b32") != 0)
        return false;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (strcmp(instr->op, ops[i]) == 0)
            return true;
    return false;
}

/* Instructions of which ptxas makes one each: they tell how often a block was repeated. */
static bool is_anchor(const struct ptx_instr *instr)
{
    static const char *const ops[] = {"ld",   "st", "fma", "shfl", "bar", "red",
                                      "atom", "cp", "tex", "ex2",  "lg2"};
    if (!instr)
        return false;
    for (int i = 0; i < instr->mod_count; i++)
        if (strcmp(instr->mods[i], "param") == 0 || strcmp(instr->mods[i], "const") == 0)
            return false;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (strcmp(instr->op, ops[i]) == 0)
            return true;
    return instr->mod_count > 0 && (is_op(instr, "add") || is_op(instr, "mul")) &&
           instr->mods[instr->mod_count - 1][0] == 'f';
}

/* ---- basic blocks of the machine code ------------------------------------------------------------------ */

/* The instruction that a jump leads to; -1: outside, or not known. */
static int jump_target(const struct machine_code *m, int i)
{
    const struct sass *s = &m->code.instrs[i];
    int64_t bytes = ((int64_t)i + 1) * SASS_BYTES + s->jump;
    bool known = s->jump != 0 && bytes >= 0 && bytes / SASS_BYTES < m->code.count;
    return known ? (int)(bytes / SASS_BYTES) : -1;
}

static bool ends_block(const struct sass *s)
{
    return s->kind == SASS_JUMP || s->kind == SASS_EXIT || s->kind == SASS_RETURN || s->kind == SASS_CALL;
}

static int block_at(const struct machine_code *m, const int *block_of, int instr)
{
    return instr >= 0 && instr < m->code.count ? block_of[instr] : NO_BLOCK;
}

/* Where the block that ends with instruction `last` goes on. */
static void find_ways(struct machine_code *m, struct code_block *block, const int *block_of)
{
    const struct sass *s = &m->code.instrs[block->last];
    int behind = block_at(m, block_of, block->last + 1), target = NO_BLOCK;
    bool guarded = s->guard != SASS_ALWAYS;
    if (s->kind == SASS_JUMP || s->kind == SASS_CALL)
        target = block_at(m, block_of, jump_target(m, block->last));
    block->next = behind;
    block->taken = block->call = NO_BLOCK;
    if (s->kind == SASS_CALL && !guarded) {
        block->call = target;
    } else if (s->kind == SASS_JUMP && (target == NO_BLOCK || !guarded)) {
        block->next = target; /* an indirect one (BRX) is not followed: its blocks count as the end */
    } else if (s->kind == SASS_JUMP) {
        block->taken = target;
    } else if (s->kind == SASS_RETURN || (s->kind == SASS_EXIT && !guarded)) {
        block->next = NO_BLOCK;
        block->returns = s->kind == SASS_RETURN;
    }
}

static bool find_blocks(struct machine_code *m)
{
    int count = m->code.count;
    int *block_of = calloc((size_t)count + 1, sizeof *block_of);
    bool *leader = calloc((size_t)count + 1, sizeof *leader);
    bool good = block_of && leader;
    for (int i = 0; good && i < count; i++) {
        int target = jump_target(m, i);
        if (target >= 0)
            leader[target] = true;
        if (ends_block(&m->code.instrs[i]))
            leader[i + 1] = true;
    }
    for (int i = 0; good && i < count; i++) {
        m->block_count += leader[i] || i == 0;
        block_of[i] = m->block_count - 1;
    }
    m->blocks = good ? calloc((size_t)m->block_count + 1, sizeof *m->blocks) : NULL;
    for (int i = 0; m->blocks && i < count; i++) {
        if (i == 0 || block_of[i] != block_of[i - 1])
            m->blocks[block_of[i]].first = i;
        m->blocks[block_of[i]].last = i;
    }
    for (int b = 0; m->blocks && b < m->block_count; b++)
        find_ways(m, &m->blocks[b], block_of);
    for (int b = 0; m->blocks && b < m->block_count; b++)
        for (int k = m->blocks[b].taken; k != NO_BLOCK && k <= b; k++)
            m->blocks[k].in_loop = true;
    free(block_of);
    free(leader);
    return m->blocks != NULL;
}

/* ---- where ways meet again ----------------------------------------------------------------------------- */

/*
 * Immediate postdominators: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm", 2001, on the reversed
 * graph. The end is block `block_count`.
 */
struct dominance {
    const struct machine_code *m;
    int *order, *number; /* reverse postorder of the reversed graph, and each block's place in it */
    int *meeting;        /* -1: not reached yet */
    int count;
};

static int way(const struct dominance *d, int block, int which)
{
    int to = which == 0 ? d->m->blocks[block].next : d->m->blocks[block].taken;
    return to == NO_BLOCK ? (which == 0 ? d->m->block_count : NO_BLOCK) : to;
}

static int meet(const struct dominance *d, int a, int b)
{
    while (a != b) {
        while (d->number[a] > d->number[b])
            a = d->meeting[a];
        while (d->number[b] > d->number[a])
            b = d->meeting[b];
    }
    return a;
}

/* Blocks from which the end can be reached, those next to it first. */
static void order_blocks(struct dominance *d)
{
    int end = d->m->block_count;
    bool again = true;
    d->number[end] = d->count;
    d->order[d->count++] = end;
    while (again) { /* layer by layer; any order in which a block follows one of its ways will do */
        again = false;
        for (int b = end - 1; b >= 0; b--) {
            if (d->number[b] >= 0)
                continue;
            int next = way(d, b, 0), taken = way(d, b, 1);
            if ((d->number[next] < 0) && (taken == NO_BLOCK || d->number[taken] < 0))
                continue;
            d->number[b] = d->count;
            d->order[d->count++] = b;
            again = true;
        }
    }
}

static void find_meetings(struct dominance *d)
{
    int end = d->m->block_count;
    d->meeting[end] = end;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 1; i < d->count; i++) {
            int b = d->order[i], found = -1;
            for (int k = 0; k < 2; k++) {
                int to = way(d, b, k);
                if (to != NO_BLOCK && d->number[to] >= 0 && d->meeting[to] >= 0)
                    found = found < 0 ? to : meet(d, to, found);
            }
            changed |= found >= 0 && d->meeting[b] != found;
            d->meeting[b] = found >= 0 ? found : d->meeting[b];
        }
    }
}

static bool find_all_meetings(struct machine_code *m)
{
    size_t count = (size_t)m->block_count + 1;
    struct dominance d = {.m = m};
    d.order = malloc(count * sizeof *d.order);
    d.number = malloc(count * sizeof *d.number);
    d.meeting = malloc(count * sizeof *d.meeting);
    bool good = d.order && d.number && d.meeting;
    if (good) {
        memset(d.number, -1, count * sizeof *d.number);
        memset(d.meeting, -1, count * sizeof *d.meeting);
        order_blocks(&d);
        find_meetings(&d);
        for (int b = 0; b < m->block_count; b++)
            m->blocks[b].meeting =
                d.meeting[b] < 0 || d.meeting[b] == m->block_count ? NO_BLOCK : d.meeting[b];
    }
    free(d.order);
    free(d.number);
    free(d.meeting);
    return good;
}

/* ---- groups -------------------------------------------------------------------------------------------- */

/* The micro-operation whose instruction begins on each line of the PTX; -1: none. */
static int *operations_by_line(const struct code *ptx, int *line_count)
{
    *line_count = 0;
    for (int pc = 0; pc < ptx->count; pc++)
        if (ptx->instrs[pc] && ptx->instrs[pc]->ptx_line >= *line_count)
            *line_count = ptx->instrs[pc]->ptx_line + 1;
    int *ops = malloc(((size_t)*line_count + 1) * sizeof *ops);
    if (!ops)
        return NULL;
    memset(ops, -1, ((size_t)*line_count + 1) * sizeof *ops);
    for (int pc = ptx->count - 1; pc >= 0; pc--)
        if (ptx->instrs[pc])
            ops[ptx->instrs[pc]->ptx_line] = pc;
    return ops;
}

static bool find_operations(struct machine_code *m, const struct code *ptx)
{
    int line_count;
    int *by_line = operations_by_line(ptx, &line_count);
    if (!by_line)
        return false;
    for (int i = 0; i < m->code.count; i++) {
        int line = m->code.ptx_lines[i];
        m->ops[i] = line > 0 && line < line_count ? by_line[line] : -1;
        m->group[i] = -1;
    }
    free(by_line);
    return true;
}

static struct code_group *add_group(struct machine_code *m, struct code_block *block, int ptx_block)
{
    for (int g = 0; g < block->group_count; g++)
        if (m->groups[block->groups + g].ptx_block == ptx_block)
            return &m->groups[block->groups + g];
    struct code_group *group = &m->groups[block->groups + block->group_count++];
    *group = (struct code_group){.ptx_block = ptx_block, .is_guard = true};
    return group;
}

/* Which of a PTX block's operations a group has. */
struct coverage {
    int *times;   /* [operations] how often, in the block that is looked at */
    int *largest; /* [ptx blocks] twice the operations in the group that has most of them … */
    bool *marks;  /* [operations] … and which they are */
};

/* How often most of the group's operations are there; negative: that is not sure. */
static int count_repeats(const struct machine_code *m, const struct code *ptx, const struct code_block *block,
                         int ptx_block, int *times)
{
    enum { MOST = 64 };
    int votes[2][MOST + 1] = {{0}}, anchors[2] = {0}, best = 1;
    for (int i = block->first; i <= block->last; i++)
        if (m->ops[i] >= 0 && m->ptx_block[m->ops[i]] == ptx_block && m->code.instrs[i].unit != SASS_LOCAL)
            times[m->ops[i]]++; /* what was spilled belongs to the operation that needs it */
    for (int i = block->first; i <= block->last; i++) {
        int op = m->ops[i];
        if (op < 0 || m->ptx_block[op] != ptx_block || times[op] == 0)
            continue;
        int n = times[op] < MOST ? times[op] : MOST;
        times[op] = 0;
        for (int weak = 0; weak < 2; weak++)
            if (weak ? is_weak_anchor(ptx->instrs[op]) : is_anchor(ptx->instrs[op])) {
                votes[weak][n]++;
                anchors[weak]++;
            }
    }
    const int *vote = votes[anchors[0] == 0];
    for (int n = 1; n <= MOST; n++)
        if (vote[n] > 0 && vote[n] >= vote[best])
            best = n;
    if (!m->ptx_loops[ptx_block])
        return 1;
    return anchors[0] ? best : -best;
}

static void find_groups(struct machine_code *m, struct code_block *block)
{
    block->groups = m->group_count;
    for (int i = block->first; i <= block->last; i++) {
        if (m->ops[i] < 0)
            continue;
        struct code_group *group = add_group(m, block, m->ptx_block[m->ops[i]]);
        group->is_guard &= m->code.instrs[i].guard != SASS_ALWAYS;
        m->group[i] = (int)(group - &m->groups[block->groups]);
        group->instructions++;
    }
    m->group_count += block->group_count;
}

/* Operations of the PTX block that the group has, each once; `marked`: of those that are marked. */
static int count_operations(const struct machine_code *m, const struct code_block *block, int ptx_block,
                            bool marked, struct coverage *c)
{
    int count = 0;
    for (int i = block->first; i <= block->last; i++) {
        int op = m->ops[i];
        if (op >= 0 && m->ptx_block[op] == ptx_block && (!marked || c->marks[op]))
            count += c->times[op]++ == 0;
    }
    for (int i = block->first; i <= block->last; i++)
        if (m->ops[i] >= 0)
            c->times[m->ops[i]] = 0;
    return count;
}

static void mark_operations(const struct machine_code *m, const struct code_block *block, int ptx_block,
                            struct coverage *c)
{
    for (int op = m->ptx_first[ptx_block]; m->ptx_block[op] == ptx_block; op++)
        c->marks[op] = false;
    for (int i = block->first; i <= block->last; i++)
        if (m->ops[i] >= 0 && m->ptx_block[m->ops[i]] == ptx_block)
            c->marks[m->ops[i]] = true;
}

/*
 * The group with most of a PTX block's operations stands for it, and copies of it do, which have at least half of the
 * same operations. What other groups have of it was moved there, out of a loop or behind a branch, and decides nothing.
 */
static void find_deciding(struct machine_code *m, const struct code *ptx, struct coverage *c)
{
    for (int b = 0; b < m->block_count; b++)
        for (int g = 0; g < m->blocks[b].group_count; g++) {
            struct code_group *group = &m->groups[m->blocks[b].groups + g];
            int count = count_operations(m, &m->blocks[b], group->ptx_block, false, c);
            group->repeats = count_repeats(m, ptx, &m->blocks[b], group->ptx_block, c->times);
            bool alike = m->ptx_loops[group->ptx_block] == m->blocks[b].in_loop;
            if (2 * count + alike >
                c->largest[group->ptx_block]) { /* of equal ones that in a loop, if it is one */
                c->largest[group->ptx_block] = 2 * count + alike;
                mark_operations(m, &m->blocks[b], group->ptx_block, c);
            }
        }
    for (int b = 0; b < m->block_count; b++) {
        struct code_block *block = &m->blocks[b];
        int most = 0;
        block->main = NO_BLOCK;
        for (int g = 0; g < block->group_count; g++) {
            struct code_group *group = &m->groups[block->groups + g];
            int count = count_operations(m, block, group->ptx_block, true, c);
            bool stands = 4 * count + 2 >= c->largest[group->ptx_block] && count > 0;
            bool once = block->in_loop && !m->ptx_loops[group->ptx_block];
            group->decides = stands && !group->is_guard && !once;
            group->is_guard &= stands;
            if (group->decides && count > most) {
                most = count;
                block->main = group->ptx_block;
            }
        }
    }
}

/* What is sure of one group of a block holds for the others of it: they lie in the same loop. */
static void spread_sure_repeats(struct machine_code *m)
{
    for (int b = 0; b < m->block_count; b++) {
        struct code_group *groups = &m->groups[m->blocks[b].groups];
        int sure = 0;
        for (int g = 0; g < m->blocks[b].group_count; g++)
            if (groups[g].decides && groups[g].repeats > sure && m->ptx_loops[groups[g].ptx_block])
                sure = groups[g].repeats;
        for (int g = 0; g < m->blocks[b].group_count && sure; g++)
            if (groups[g].repeats < 0)
                groups[g].repeats = sure;
    }
}

/* Where the operations are not sure how often the PTX block was repeated, its smallest copy counts as once. */
static void guess_repeats(struct machine_code *m)
{
    for (int g = 0; g < m->group_count; g++) {
        struct code_group *group = &m->groups[g];
        int least = group->instructions, copies = 0;
        for (int k = 0; k < m->group_count && group->repeats < 0; k++) {
            const struct code_group *other = &m->groups[k];
            if (other->ptx_block != group->ptx_block || !other->decides)
                continue;
            copies++;
            least = other->instructions < least ? other->instructions : least;
        }
        if (copies > 1) { /* stays negative: other copies are still to be compared with it */
            int guess = (group->instructions + least / 2) / least;
            group->repeats = guess > -group->repeats ? -guess : group->repeats;
        }
    }
    for (int g = 0; g < m->group_count; g++)
        m->groups[g].repeats = abs(m->groups[g].repeats);
}

static bool find_all_groups(struct machine_code *m, const struct code *ptx)
{
    struct coverage c;
    c.times = calloc((size_t)ptx->count + 1, sizeof *c.times);
    c.largest = calloc((size_t)m->ptx_block_count + 1, sizeof *c.largest);
    c.marks = calloc((size_t)ptx->count + 1, sizeof *c.marks);
    m->groups = calloc((size_t)m->code.count + 1, sizeof *m->groups);
    bool good = c.times && c.largest && c.marks && m->groups;
    for (int b = 0; good && b < m->block_count; b++)
        find_groups(m, &m->blocks[b]);
    if (good) {
        find_deciding(m, ptx, &c);
        spread_sure_repeats(m);
        guess_repeats(m);
    }
    free(c.times);
    free(c.largest);
    free(c.marks);
    return good;
}

/* ---- all together -------------------------------------------------------------------------------------- */

struct machine_code *machine_code_create(struct cubin_code *cubin, const struct code *ptx)
{
    struct machine_code *m = calloc(1, sizeof *m);
    bool *leader = calloc((size_t)ptx->count + 2, sizeof *leader);
    if (!m || !leader) {
        cubin_code_release(cubin);
        free(leader);
        free(m);
        return NULL;
    }
    m->code = *cubin;
    m->op_count = ptx->count;
    m->ops = calloc((size_t)m->code.count + 1, sizeof *m->ops);
    m->group = calloc((size_t)m->code.count + 1, sizeof *m->group);
    m->ptx_block =
        calloc((size_t)ptx->count + 1, sizeof *m->ptx_block); /* the last one ends the last block */
    m->ptx_first = calloc((size_t)ptx->count + 1, sizeof *m->ptx_first);
    m->ptx_loops = calloc((size_t)ptx->count + 1, sizeof *m->ptx_loops);
    bool good = m->ops && m->group && m->ptx_block && m->ptx_first && m->ptx_loops;
    if (good) {
        find_ptx_blocks(m, ptx, leader);
        find_ptx_loops(m, ptx);
        good = find_operations(m, ptx) && find_blocks(m) && find_all_meetings(m) && find_all_groups(m, ptx);
    }
    free(leader);
    if (good)
        return m;
    machine_code_free(m);
    return NULL;
}

void machine_code_free(struct machine_code *m)
{
    if (!m)
        return;
    cubin_code_release(&m->code);
    free(m->ops);
    free(m->group);
    free(m->blocks);
    free(m->groups);
    free(m->ptx_block);
    free(m->ptx_first);
    free(m->ptx_loops);
    free(m);
}
