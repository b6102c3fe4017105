/* Basic blocks, of the PTX and of the machine code, and where ways through the latter meet again. */
#include <stdlib.h>

#include "sim/model/instr.h"
#include "sim/model/machine_code_internal.h"
#include "sim/ptx/cfg.h"

/* ---- basic blocks of the PTX --------------------------------------------------------------------------- */

static int later_block(int a, int b)
{
    return a > b ? a : b;
}

/* The operation that a jump leads to, one that the decoder has added as well; -1: it is none. */
static int ptx_target(const struct code *ptx, int pc)
{
    int target = ptx->ops[pc].target;
    bool jumps = instr_is(ptx->instrs[pc], "bra") || (ptx->ops[pc].flags & FLAG_SYNTHETIC);
    return jumps && target >= 0 && target < ptx->count ? target : -1;
}

static void find_ptx_blocks(struct machine_code *m, const struct code *ptx, bool *leader)
{
    for (int pc = 0; pc < ptx->count; pc++) {
        int target = ptx_target(ptx, pc);
        if (target >= 0)
            leader[target] = true;
        if (target >= 0 || instr_ends_block(ptx->instrs[pc]))
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

/* Of loops around it the smallest one is that which begins last. */
static void find_ptx_loops(struct machine_code *m, const struct code *ptx)
{
    for (int b = 0; b < m->ptx_block_count; b++)
        m->ptx_loop[b] = NO_BLOCK;
    for (int pc = 0; pc < ptx->count; pc++) {
        int target = ptx_target(ptx, pc);
        if (target >= 0 && target <= pc)
            for (int b = m->ptx_block[target]; b <= m->ptx_block[pc]; b++)
                m->ptx_loops[b] = true, m->ptx_loop[b] = later_block(m->ptx_loop[b], m->ptx_block[target]);
    }
}

bool machine_code_find_ptx_blocks(struct machine_code *m, const struct code *ptx)
{
    bool *leader = calloc((size_t)ptx->count + 2, sizeof *leader);
    if (!leader)
        return false;
    find_ptx_blocks(m, ptx, leader);
    find_ptx_loops(m, ptx);
    free(leader);
    return true;
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

/*
 * Where the block that ends with instruction `last` goes on. A call under a condition is how ptxas leaves some loops (@P0
 * CALL.REL.NOINC, before 9.0 and from 10.0 on): a jump, as nothing returns from there.
 */
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
    } else if (s->kind == SASS_JUMP || s->kind == SASS_CALL) {
        block->taken = target;
    } else if (s->kind == SASS_RETURN || (s->kind == SASS_EXIT && !guarded)) {
        block->next = NO_BLOCK;
        block->returns = s->kind == SASS_RETURN;
    }
}

bool machine_code_find_blocks(struct machine_code *m)
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
        m->blocks[b].loop = NO_BLOCK;
    for (int b = 0; m->blocks && b < m->block_count; b++)
        for (int k = m->blocks[b].taken; k != NO_BLOCK && k <= b; k++) {
            m->blocks[k].in_loop = true;
            m->blocks[k].loop = later_block(m->blocks[k].loop, m->blocks[b].taken);
        }
    free(block_of);
    free(leader);
    return m->blocks != NULL;
}

/* ---- where ways meet again ----------------------------------------------------------------------------- */

/* A block's successors as sim/ptx/cfg.h has them; none: it leads to the end. */
static struct cfg_block ways_of(const struct code_block *block)
{
    struct cfg_block ways = {.first = block->first, .last = block->last, .successors = {-1, -1}};
    if (block->next != NO_BLOCK)
        ways.successors[ways.successor_count++] = block->next;
    if (block->taken != NO_BLOCK && block->taken != block->next)
        ways.successors[ways.successor_count++] = block->taken;
    return ways;
}

bool machine_code_find_meetings(struct machine_code *m)
{
    struct cfg cfg = {.block_count = m->block_count};
    cfg.blocks = calloc((size_t)m->block_count + 1, sizeof *cfg.blocks);
    if (!cfg.blocks)
        return false;
    for (int b = 0; b < m->block_count; b++)
        cfg.blocks[b] = ways_of(&m->blocks[b]);
    cfg_find_postdominators(&cfg);
    for (int b = 0; b < m->block_count; b++)
        m->blocks[b].meeting = cfg.blocks[b].ipdom < 0 ? NO_BLOCK : cfg.blocks[b].ipdom;
    free(cfg.blocks);
    return true;
}
