/*
 * Immediate post-dominators: dominators of the graph with its edges turned round, found by Lengauer
 * and Tarjan's algorithm (TOPLAS 1979, the version with path compression) without recursion, so that
 * no text can make it slow or deep.
 *
 * The root is a virtual exit behind the blocks that lanes leave from. Where an endless loop keeps
 * blocks from any exit, the last such block in the text is taken for one.
 */
#include <stdlib.h>

#include "sim/ptx/cfg_internal.h"

struct postdom {
    struct cfg *cfg;
    int count;           /* blocks and the exit, which is number count - 1 */
    int *first, *before; /* before[first[b] … first[b + 1] - 1]: the blocks that lead to b */
    /* by vertex number: the order of the depth-first search from the exit */
    int *vertex;           /* the block */
    int *parent;           /* in the search's tree */
    int *semi, *dom;       /* semi-dominator and dominator */
    int *ancestor, *label; /* the forest that is grown and compressed; -1 above a root */
    int *bucket, *next;    /* lists of the vertices with the same semi-dominator */
    int *number;           /* of a block; -1 while it is unseen */
    int *stack;
    int seen;
};

/* Lists who leads to whom. */
static void turn_edges(struct postdom *p)
{
    const struct cfg *cfg = p->cfg;
    for (int b = 0; b < cfg->block_count; b++) {
        for (int i = 0; i < cfg->blocks[b].successor_count; i++)
            p->first[cfg_successor(&cfg->blocks[b], i) + 1]++;
    }
    for (int b = 0; b < p->count; b++)
        p->first[b + 1] += p->first[b];
    p->before = cfg_alloc((size_t)p->first[p->count], sizeof *p->before);
    int *fill = cfg_alloc((size_t)p->count, sizeof *fill);
    for (int b = 0; b < cfg->block_count; b++) {
        for (int i = 0; i < cfg->blocks[b].successor_count; i++) {
            int to = cfg_successor(&cfg->blocks[b], i);
            p->before[p->first[to] + fill[to]++] = b;
        }
    }
    free(fill);
}

static void see(struct postdom *p, int block, int parent)
{
    p->number[block] = p->seen;
    p->vertex[p->seen] = block;
    p->parent[p->seen] = parent;
    p->stack[p->seen] = p->first[block]; /* the next edge to follow, by vertex */
    p->seen++;
}

/* Depth first against the edges, from `block`, which hangs on the exit. */
static void search(struct postdom *p, int block)
{
    if (p->number[block] >= 0)
        return;
    see(p, block, 0);
    for (int v = p->number[block]; v > 0;) {
        int here = p->vertex[v];
        if (p->stack[v] == p->first[here + 1]) {
            v = p->parent[v];
            continue;
        }
        int from = p->before[p->stack[v]++];
        if (p->number[from] < 0) {
            see(p, from, v);
            v = p->number[from];
        }
    }
}

static void number_blocks(struct postdom *p)
{
    for (int b = 0; b < p->count; b++)
        p->number[b] = -1;
    see(p, p->count - 1, -1);
    for (int b = 0; b < p->cfg->block_count; b++) {
        if (p->cfg->blocks[b].successor_count == 0)
            search(p, b);
    }
    for (int b = p->cfg->block_count - 1; b >= 0; b--)
        search(p, b); /* those that are still unseen lead to no exit */
}

/* The vertex of least semi-dominator on the way up from v, which is shortened as it is walked. */
static int evaluate(struct postdom *p, int v)
{
    int depth = 0;
    if (p->ancestor[v] < 0)
        return v;
    for (int at = v; p->ancestor[p->ancestor[at]] >= 0; at = p->ancestor[at])
        p->stack[depth++] = at;
    while (depth > 0) {
        int at = p->stack[--depth], above = p->ancestor[at];
        if (p->semi[p->label[above]] < p->semi[p->label[at]])
            p->label[at] = p->label[above];
        p->ancestor[at] = p->ancestor[above];
    }
    return p->label[v];
}

/* The semi-dominator of v: over all blocks that follow it, the highest place to come from. */
static void find_semidominator(struct postdom *p, int v)
{
    const struct cfg_block *block = &p->cfg->blocks[p->vertex[v]];
    for (int i = 0; i < block->successor_count; i++) {
        int u = evaluate(p, p->number[cfg_successor(block, i)]);
        if (p->semi[u] < p->semi[v])
            p->semi[v] = p->semi[u];
    }
    if (p->parent[v] == 0) /* hangs on the exit */
        p->semi[v] = 0;
}

static void find_dominators(struct postdom *p)
{
    for (int v = 0; v < p->count; v++) {
        p->semi[v] = p->label[v] = v;
        p->ancestor[v] = p->bucket[v] = -1;
    }
    for (int v = p->count - 1; v > 0; v--) {
        int parent = p->parent[v];
        find_semidominator(p, v);
        p->next[v] = p->bucket[p->semi[v]];
        p->bucket[p->semi[v]] = v;
        p->ancestor[v] = parent;
        for (int w = p->bucket[parent]; w >= 0; w = p->next[w]) {
            int u = evaluate(p, w);
            p->dom[w] = p->semi[u] < p->semi[w] ? u : parent;
        }
        p->bucket[parent] = -1;
    }
    for (int v = 1; v < p->count; v++) {
        if (p->dom[v] != p->semi[v])
            p->dom[v] = p->dom[p->dom[v]];
    }
}

void cfg_find_postdominators(struct cfg *cfg)
{
    struct postdom p = {.cfg = cfg, .count = cfg->block_count + 1};
    int **arrays[] = {&p.vertex, &p.parent, &p.semi, &p.dom,    &p.ancestor,
                      &p.label,  &p.bucket, &p.next, &p.number, &p.stack};
    size_t array_count = sizeof arrays / sizeof *arrays;
    for (size_t i = 0; i < array_count; i++)
        *arrays[i] = cfg_alloc((size_t)p.count, sizeof(int));
    p.first = cfg_alloc((size_t)p.count + 1, sizeof *p.first);
    turn_edges(&p);
    number_blocks(&p);
    find_dominators(&p);
    for (int b = 0; b < cfg->block_count; b++) {
        int dom = p.vertex[p.dom[p.number[b]]];
        cfg->blocks[b].ipdom = dom == cfg->block_count ? -1 : dom;
    }
    for (size_t i = 0; i < array_count; i++)
        free(*arrays[i]);
    free(p.first);
    free(p.before);
}

bool cfg_postdominates(const struct cfg *cfg, int block, int of)
{
    for (int steps = 0; of >= 0 && steps <= cfg->block_count; steps++, of = cfg->blocks[of].ipdom)
        if (of == block)
            return true;
    return false;
}

bool cfg_decides(const struct cfg *cfg, int at, int block)
{
    const struct cfg_block *b = &cfg->blocks[at];
    bool one = false, all = true;
    for (int i = 0; i < b->successor_count; i++) {
        const bool leads = cfg_postdominates(cfg, block, cfg_successor(b, i));
        one |= leads;
        all &= leads;
    }
    return b->successor_count > 1 && one && !all;
}
