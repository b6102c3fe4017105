#include "sim/model/machine_code.h"

#include <stdlib.h>
#include <string.h>

#include "sim/model/instr.h"
#include "sim/model/machine_code_internal.h"

/* ---- operations that tell how often a block was repeated ----------------------------------------------- */

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
    if (!instr || ptx_has_modifier(instr, "param") || ptx_has_modifier(instr, "const"))
        return false;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (strcmp(instr->op, ops[i]) == 0)
            return true;
    return instr->mod_count > 0 && (instr_is(instr, "add") || instr_is(instr, "mul")) &&
           instr->mods[instr->mod_count - 1][0] == 'f';
}

/*
 * Of those, what ptxas keeps as often as it is to run: it may merge them, but moves no other instruction into their
 * place.
 */
static bool is_fixed_anchor(const struct ptx_instr *instr)
{
    return is_anchor(instr) && !instr_is(instr, "fma") && !instr_is(instr, "add") && !instr_is(instr, "mul");
}

/*
 * Whether this instruction does what the anchor is for. What only prepares it, such as adding up an address of 64
 * bits, is said to be made from the same line of the PTX.
 */
static bool does_work(const struct ptx_instr *anchor, const struct sass *s)
{
    switch (s->unit) {
    case SASS_FMA:
    case SASS_FP64:
    case SASS_HALF: return !is_fixed_anchor(anchor);
    case SASS_XU: return instr_is(anchor, "ex2") || instr_is(anchor, "lg2");
    case SASS_SHUFFLE: return instr_is(anchor, "shfl");
    case SASS_BARRIER: return instr_is(anchor, "bar");
    case SASS_GLOBAL:
    case SASS_SHARED:
    case SASS_TEXTURE: return is_fixed_anchor(anchor);
    default: return false;
    }
}

/*
 * How many instructions that work ptxas makes of an operation, at the least: it makes one of a multiplication and an
 * addition, and one of up to four loads or stores. 0: it may make none.
 */
static double least_work(const struct ptx_instr *instr)
{
    if (!is_anchor(instr))
        return 0;
    if (!is_fixed_anchor(instr))
        return instr_is(instr, "fma") ? 1 : 0.5;
    const bool moves = instr_is(instr, "ld") || instr_is(instr, "st");
    return moves && !ptx_has_modifier(instr, "local") ? 0.25 : 0;
}

static void find_work(struct machine_code *m, const struct code *ptx)
{
    for (int op = 0; op < ptx->count; op++)
        m->least_work[m->ptx_block[op]] += least_work(ptx->instrs[op]);
    for (int i = 0; i < m->code.count; i++) {
        const struct ptx_instr *instr = m->ops[i] < 0 ? NULL : ptx->instrs[m->ops[i]];
        const struct sass *s = &m->code.instrs[i];
        m->works[i] = least_work(instr) > 0 && (s->unit == SASS_UNIFORM || does_work(instr, s));
    }
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
    bool *fixed;  /* [ptx blocks] … and whether fixed anchors are among them */
};

/* How often most of the group's operations are there; negative: that is not sure. */
static int count_repeats(const struct machine_code *m, const struct code *ptx, const struct code_block *block,
                         int ptx_block, int *times)
{
    enum { MOST = 64 };
    int votes[2][MOST + 1] = {{0}}, anchors[2] = {0}, best = 1;
    for (int i = block->first; i <= block->last; i++)
        if (m->ops[i] >= 0 && m->ptx_block[m->ops[i]] == ptx_block && m->code.instrs[i].unit != SASS_LOCAL &&
            (!is_anchor(ptx->instrs[m->ops[i]]) || does_work(ptx->instrs[m->ops[i]], &m->code.instrs[i])))
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

/* Whether the group has a fixed anchor; `marked`: one that is marked. */
static bool has_fixed_anchor(const struct machine_code *m, const struct code *ptx,
                             const struct code_block *block, int ptx_block, const bool *marked)
{
    for (int i = block->first; i <= block->last; i++) {
        int op = m->ops[i];
        if (op >= 0 && m->ptx_block[op] == ptx_block && (!marked || marked[op]) &&
            is_fixed_anchor(ptx->instrs[op]) && does_work(ptx->instrs[op], &m->code.instrs[i]))
            return true;
    }
    return false;
}

/*
 * The group with most of a PTX block's operations stands for it, and copies of it do, which have at least half of the
 * same operations, and a load or the like if it has any. What other groups have of it was moved there, out of a loop or
 * behind a branch, and decides nothing.
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
                c->fixed[group->ptx_block] = has_fixed_anchor(m, ptx, &m->blocks[b], group->ptx_block, NULL);
            }
        }
    for (int b = 0; b < m->block_count; b++) {
        struct code_block *block = &m->blocks[b];
        int most = 0;
        block->main = NO_BLOCK;
        for (int g = 0; g < block->group_count; g++) {
            struct code_group *group = &m->groups[block->groups + g];
            int count = count_operations(m, block, group->ptx_block, true, c);
            bool stands =
                4 * count + 2 >= c->largest[group->ptx_block] && count > 0 &&
                (!c->fixed[group->ptx_block] || has_fixed_anchor(m, ptx, block, group->ptx_block, c->marks));
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

/* How often a loop of the machine code has the PTX block in all, and in how many groups. */
static int repeats_in_loop(const struct machine_code *m, int loop, int ptx_block, int *groups)
{
    int sum = 0;
    *groups = 0;
    for (int b = 0; b < m->block_count; b++)
        for (int g = 0; m->blocks[b].loop == loop && g < m->blocks[b].group_count; g++) {
            const struct code_group *group = &m->groups[m->blocks[b].groups + g];
            if (group->ptx_block != ptx_block || !group->decides)
                continue;
            if (group->repeats < 0)
                return -1;
            sum += group->repeats;
            ++*groups;
        }
    return sum;
}

/* What the loop has of the PTX loop around `ptx_block` where that is sure; 0: it is not. */
static int sure_repeats(const struct machine_code *m, int loop, int ptx_block)
{
    int least = 0;
    for (int other = 0; other < m->ptx_block_count; other++) {
        int groups, sum;
        if (m->ptx_loop[other] != m->ptx_loop[ptx_block])
            continue;
        sum = repeats_in_loop(m, loop, other, &groups);
        if (sum > 0 && (least == 0 || sum < least))
            least = sum;
    }
    return least;
}

/*
 * Blocks of one loop of the PTX are repeated equally often in a loop of the machine code: what is sure of one holds
 * for all.
 */
static void spread_over_loops(struct machine_code *m)
{
    for (int b = 0; b < m->block_count; b++)
        for (int g = 0; m->blocks[b].loop != NO_BLOCK && g < m->blocks[b].group_count; g++) {
            struct code_group *group = &m->groups[m->blocks[b].groups + g];
            int alone = 0;
            for (int k = 0; k < m->block_count && group->repeats < 0 && group->decides; k++)
                for (int i = 0; m->blocks[k].loop == m->blocks[b].loop && i < m->blocks[k].group_count; i++) {
                    const struct code_group *other = &m->groups[m->blocks[k].groups + i];
                    alone += other->ptx_block == group->ptx_block && other->decides;
                }
            int sure = alone == 1 ? sure_repeats(m, m->blocks[b].loop, group->ptx_block) : 0;
            if (sure)
                group->repeats = sure;
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
    c.fixed = calloc((size_t)m->ptx_block_count + 1, sizeof *c.fixed);
    bool good = c.times && c.largest && c.marks && c.fixed && m->groups;
    for (int b = 0; good && b < m->block_count; b++)
        find_groups(m, &m->blocks[b]);
    if (good) {
        find_deciding(m, ptx, &c);
        spread_sure_repeats(m);
        spread_over_loops(m);
        guess_repeats(m);
    }
    free(c.times);
    free(c.largest);
    free(c.marks);
    free(c.fixed);
    return good;
}

/* ---- all together -------------------------------------------------------------------------------------- */

struct machine_code *machine_code_create(struct cubin_code *cubin, const struct code *ptx)
{
    struct machine_code *m = calloc(1, sizeof *m);
    if (!m) {
        cubin_code_release(cubin);
        return NULL;
    }
    m->code = *cubin;
    m->op_count = ptx->count;
    m->ops = calloc((size_t)m->code.count + 1, sizeof *m->ops);
    m->group = calloc((size_t)m->code.count + 1, sizeof *m->group);
    m->works = calloc((size_t)m->code.count + 1, sizeof *m->works);
    m->ptx_block =
        calloc((size_t)ptx->count + 1, sizeof *m->ptx_block); /* the last one ends the last block */
    m->ptx_first = calloc((size_t)ptx->count + 1, sizeof *m->ptx_first);
    m->ptx_loops = calloc((size_t)ptx->count + 1, sizeof *m->ptx_loops);
    m->ptx_loop = calloc((size_t)ptx->count + 1, sizeof *m->ptx_loop);
    m->least_work = calloc((size_t)ptx->count + 1, sizeof *m->least_work);
    bool good = m->ops && m->group && m->works && m->ptx_block && m->ptx_first && m->ptx_loops &&
                m->ptx_loop && m->least_work;
    if (good && machine_code_find_ptx_blocks(m, ptx) && find_operations(m, ptx) &&
        machine_code_find_blocks(m) && machine_code_find_meetings(m) && find_all_groups(m, ptx)) {
        find_work(m, ptx);
        return m;
    }
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
    free(m->works);
    free(m->blocks);
    free(m->groups);
    free(m->ptx_block);
    free(m->ptx_first);
    free(m->ptx_loops);
    free(m->ptx_loop);
    free(m->least_work);
    free(m);
}
