/* Basic blocks and the edges between them. */
#include "sim/ptx/cfg_internal.h"
#include "sim/core/need.h"

#include <stdlib.h>
#include <string.h>

void *cfg_alloc(size_t count, size_t size)
{
    return sim_need(count, size, "a control-flow graph");
}

int cfg_successor(const struct cfg_block *block, int index)
{
    return block->more ? block->more[index] : block->successors[index];
}

/* ---- what an instruction does to control flow ---------------------------------------------------------- */

static bool is_op(const struct ptx_instr *instr, const char *op)
{
    return strcmp(instr->op, op) == 0;
}

/* The last operand of a brx names its table. */
static const struct ptx_branch_table *find_table(const struct ptx_func *func, const struct ptx_instr *instr)
{
    const struct ptx_operand *operand =
        instr->operand_count > 0 ? &instr->operands[instr->operand_count - 1] : NULL;
    if (!is_op(instr, "brx") || !operand || operand->kind != PTX_NAME)
        return NULL;
    for (int i = 0; i < func->table_count; i++) {
        if (strcmp(func->tables[i].name, operand->name) == 0)
            return &func->tables[i];
    }
    return NULL;
}

/* The instruction that a bra names, or -1. */
static int branch_target(const struct ptx_instr *instr)
{
    bool has_label = instr->operand_count > 0 && instr->operands[0].kind == PTX_LABEL;
    return is_op(instr, "bra") && has_label ? (int)instr->operands[0].value : -1;
}

static bool calls_noreturn(const struct ptx_instr *instr)
{
    if (!is_op(instr, "call"))
        return false;
    for (int i = 0; i < instr->operand_count; i++) {
        if (instr->operands[i].kind == PTX_FUNC)
            return instr->operands[i].func->is_noreturn;
    }
    return false;
}

static bool ends_block(const struct ptx_instr *instr)
{
    return is_op(instr, "bra") || is_op(instr, "brx") || is_op(instr, "ret") || is_op(instr, "exit") ||
           is_op(instr, "trap") || calls_noreturn(instr);
}

/* ---- blocks -------------------------------------------------------------------------------------------- */

/* Marks the first instruction of every block. */
static void mark_leaders(const struct ptx_func *func, bool *leader)
{
    leader[0] = true;
    for (int i = 0; i < func->instr_count; i++) {
        int target = branch_target(&func->instrs[i]);
        if (target >= 0)
            leader[target] = true;
        if (ends_block(&func->instrs[i]))
            leader[i + 1] = true;
    }
    for (int i = 0; i < func->table_count; i++) {
        for (int k = 0; k < func->tables[i].count; k++)
            leader[func->tables[i].targets[k]] = true;
    }
}

static void make_blocks(struct cfg *cfg, const struct ptx_func *func)
{
    bool *leader = cfg_alloc((size_t)func->instr_count + 1, sizeof *leader);
    mark_leaders(func, leader);
    for (int i = 0; i < func->instr_count; i++)
        cfg->block_count += leader[i];
    cfg->blocks = cfg_alloc((size_t)cfg->block_count, sizeof *cfg->blocks);
    cfg->block_of = cfg_alloc((size_t)func->instr_count, sizeof *cfg->block_of);
    int block = -1;
    for (int i = 0; i < func->instr_count; i++) {
        if (leader[i])
            cfg->blocks[++block] = (struct cfg_block){.first = i, .successors = {-1, -1}, .ipdom = -1};
        cfg->blocks[block].last = i;
        cfg->block_of[i] = block;
    }
    free(leader);
}

/* ---- edges --------------------------------------------------------------------------------------------- */

/* mark[successor] == block + 1 says that this edge was added before. */
static void add_edge(struct cfg *cfg, int block, int to, int *mark)
{
    struct cfg_block *b = &cfg->blocks[block];
    if (mark[to] == block + 1)
        return;
    mark[to] = block + 1;
    if (b->successor_count < 2)
        b->successors[b->successor_count] = to;
    if (b->more)
        b->more[b->successor_count] = to;
    b->successor_count++;
}

static void add_edges(struct cfg *cfg, const struct ptx_func *func, int block, int *mark)
{
    struct cfg_block *b = &cfg->blocks[block];
    const struct ptx_instr *last = &func->instrs[b->last];
    const struct ptx_branch_table *table = find_table(func, last);
    if (table)
        b->more = cfg_alloc((size_t)table->count + 1, sizeof *b->more);
    bool falls_through = last->guard >= 0 || !ends_block(last);
    if (falls_through && block + 1 < cfg->block_count)
        add_edge(cfg, block, block + 1, mark);
    int target = branch_target(last);
    if (target >= 0)
        add_edge(cfg, block, cfg->block_of[target], mark);
    for (int i = 0; table && i < table->count; i++)
        add_edge(cfg, block, cfg->block_of[table->targets[i]], mark);
    if (b->successor_count <= 2) {
        free(b->more);
        b->more = NULL;
    }
}

struct cfg *cfg_build(const struct ptx_func *func)
{
    struct cfg *cfg = cfg_alloc(1, sizeof *cfg);
    make_blocks(cfg, func);
    int *mark = cfg_alloc((size_t)cfg->block_count, sizeof *mark);
    for (int i = 0; i < cfg->block_count; i++)
        add_edges(cfg, func, i, mark);
    free(mark);
    cfg_find_postdominators(cfg);
    cfg_find_order(cfg);
    return cfg;
}

void cfg_free(struct cfg *cfg)
{
    if (!cfg)
        return;
    for (int i = 0; i < cfg->block_count; i++)
        free(cfg->blocks[i].more);
    free(cfg->blocks);
    free(cfg->order);
    free(cfg->block_of);
    free(cfg);
}
