/*
 * The layout: strongly connected components in topological order, and the same again inside each of
 * them without its header, which comes first.
 *
 * A component is a loop; taking it as one unit keeps its body together and puts its exits behind it.
 * A block that post-dominates another is reached from it, so the topological order puts it behind.
 * Components are found by Tarjan's algorithm, which finishes them last first; starting its searches
 * from the end of the text makes the result follow the text wherever the edges leave a choice.
 */
#include <stdlib.h>

#include "sim/ptx/cfg_internal.h"

/* Loops inside each other; a level deeper, and the blocks stay as they are in the text. */
enum { LIMIT_LOOP_DEPTH = 64 };

struct layout {
    struct cfg *cfg;
    int *preorder; /* of a depth-first search from the entry; -1: nothing leads there */
    int *region;   /* the number of the innermost region that a block is in */
    int region_count;
    int placed; /* blocks that have their rank */
    /* Tarjan's algorithm, by block */
    int *index, *low, *edge, *caller, *stack;
    bool *on_stack;
    int stack_size, indexed;
};

/* Numbers the blocks that the entry leads to. In a loop with one entry, its header comes first. */
static void number_reachable(struct layout *l)
{
    int count = 0, at = 0;
    for (int b = 0; b < l->cfg->block_count; b++)
        l->preorder[b] = -1;
    l->preorder[0] = count++;
    l->caller[0] = -1;
    while (at >= 0) {
        const struct cfg_block *block = &l->cfg->blocks[at];
        if (l->edge[at] == block->successor_count) {
            at = l->caller[at];
            continue;
        }
        int to = cfg_successor(block, l->edge[at]++);
        if (l->preorder[to] < 0) {
            l->preorder[to] = count++;
            l->caller[to] = at;
            at = to;
        }
    }
}

static void place(struct layout *l, int block)
{
    l->cfg->order[l->placed++] = block;
}

/* ---- Tarjan's algorithm on the blocks of one region ---------------------------------------------------- */

static void enter_block(struct layout *l, int block, int caller)
{
    l->index[block] = l->low[block] = ++l->indexed;
    l->edge[block] = 0;
    l->caller[block] = caller;
    l->stack[l->stack_size++] = block;
    l->on_stack[block] = true;
}

/*
 * All is known about `block`: if it is the root of a component, moves that to the front of what
 * `found` holds already, which has its `free_slots` unused places before it.
 */
static void leave_block(struct layout *l, int block, int *found, int *component, int *free_slots)
{
    if (l->caller[block] >= 0 && l->low[block] < l->low[l->caller[block]])
        l->low[l->caller[block]] = l->low[block];
    if (l->low[block] != l->index[block])
        return;
    int member;
    do {
        member = l->stack[--l->stack_size];
        l->on_stack[member] = false;
        found[--*free_slots] = member;
        component[*free_slots] = block;
    } while (member != block);
}

static void search_components(struct layout *l, int root, int region, int *found, int *component,
                              int *free_slots)
{
    enter_block(l, root, -1);
    for (int at = root; at >= 0;) {
        const struct cfg_block *block = &l->cfg->blocks[at];
        if (l->edge[at] == block->successor_count) {
            leave_block(l, at, found, component, free_slots);
            at = l->caller[at];
            continue;
        }
        int to = cfg_successor(block, l->edge[at]++);
        if (l->region[to] != region)
            continue;
        if (l->index[to] == 0) {
            enter_block(l, to, at);
            at = to;
        } else if (l->on_stack[to] && l->index[to] < l->low[at]) {
            l->low[at] = l->index[to];
        }
    }
}

/* ---- regions ------------------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void place_region(struct layout *l, const int *blocks, int count, int depth);

/* One component: a single block, or a loop of which the header goes first. */
static void place_component(struct layout *l, int *blocks, int count, int depth)
{
    int header = 0;
    if (count == 1) {
        place(l, blocks[0]);
        return;
    }
    qsort(blocks, (size_t)count, sizeof *blocks, by_number);
    for (int i = 1; i < count; i++) {
        if (l->preorder[blocks[i]] < l->preorder[blocks[header]])
            header = i;
    }
    int first = blocks[header];
    for (; header > 0; header--)
        blocks[header] = blocks[header - 1];
    blocks[0] = first;
    place(l, first);
    place_region(l, blocks + 1, count - 1, depth + 1);
}

/* `blocks`: in the order of the text. */
static void place_region(struct layout *l, const int *blocks, int count, int depth)
{
    if (depth > LIMIT_LOOP_DEPTH) {
        for (int i = 0; i < count; i++)
            place(l, blocks[i]);
        return;
    }
    int *found = cfg_alloc((size_t)count, sizeof *found);
    int *component = cfg_alloc((size_t)count, sizeof *component);
    int region = ++l->region_count, free_slots = count;
    for (int i = 0; i < count; i++) {
        l->region[blocks[i]] = region;
        l->index[blocks[i]] = 0;
    }
    for (int i = count - 1; i >= 0; i--) {
        if (l->index[blocks[i]] == 0)
            search_components(l, blocks[i], region, found, component, &free_slots);
    }
    for (int from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && component[to] == component[from]; to++)
            ;
        place_component(l, found + from, to - from, depth);
    }
    free(found);
    free(component);
}

void cfg_find_order(struct cfg *cfg)
{
    size_t count = (size_t)cfg->block_count;
    struct layout l = {.cfg = cfg};
    int **arrays[] = {&l.preorder, &l.region, &l.index, &l.low, &l.edge, &l.caller, &l.stack};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = cfg_alloc(count, sizeof(int));
    l.on_stack = cfg_alloc(count, sizeof *l.on_stack);
    cfg->order = cfg_alloc(count, sizeof *cfg->order);

    number_reachable(&l);
    int *reachable = cfg_alloc(count, sizeof *reachable), reachable_count = 0;
    for (int b = 0; b < cfg->block_count; b++) {
        if (l.preorder[b] >= 0)
            reachable[reachable_count++] = b;
    }
    place_region(&l, reachable, reachable_count, 0);
    for (int b = 0; b < cfg->block_count; b++) {
        if (l.preorder[b] < 0)
            place(&l, b);
    }
    for (int rank = 0; rank < cfg->block_count; rank++)
        cfg->blocks[cfg->order[rank]].rank = rank;

    free(reachable);
    free(l.on_stack);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(*arrays[i]);
}
