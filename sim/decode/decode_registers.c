/*
 * Rows for registers. PTX has a register for every value; where two are never alive together they can share a
 * row, and a warp's registers fit into the processor's cache.
 *
 * Liveness is computed per thread over the control-flow graph, and each register's interval is the stretch of
 * the layout that covers all places where it is alive. Lanes that wait elsewhere keep their columns: an
 * instruction writes only its active lanes. (Poletto, Sarkar: Linear Scan Register Allocation, TOPLAS 1999.)
 */
#include <stdlib.h>
#include <string.h>

#include "sim/core/need.h"
#include "sim/decode/decode_internal.h"

static const size_t class_row_bytes[REGISTER_CLASSES] = {128, 256, 64, 512};
static const int class_half_words[REGISTER_CLASSES] = {2, 4, 1, 8};

/* Predicates are a class of their own, behind those of rows. */
#define PREDICATE_CLASS REGISTER_CLASSES
#define ALL_CLASSES     (REGISTER_CLASSES + 1)

static int register_class(const struct ptx_reg *reg)
{
    if (reg->type == PTX_PRED)
        return PREDICATE_CLASS;
    switch (ptx_type_size(reg->type)) {
    case 4: return ROWS_32;
    case 8: return ROWS_64;
    case 16: return ROWS_128;
    default: return ROWS_16;
    }
}

/* Row `number` of a class; the first is the sink. Predicates begin behind those that every frame has. */
static uint32_t row_reference(int class_number, int number)
{
    if (class_number == PREDICATE_CLASS)
        return (uint32_t)(FIRST_PREDICATE + number);
    return (uint32_t)((size_t)(number + 1) * class_row_bytes[class_number]) | (uint32_t)class_number;
}

static void set_frame_size(struct function_layout *layout, const int counts[ALL_CLASSES])
{
    for (int k = 0; k < REGISTER_CLASSES; k++)
        layout->row_bytes[k] = (size_t)(counts[k] + 1) * class_row_bytes[k];
    layout->predicate_count = FIRST_PREDICATE + counts[PREDICATE_CLASS];
}

/* ---- notes --------------------------------------------------------------------------------------------- */

static void *allocate(size_t count, size_t size)
{
    return sim_need(count + 1, size, "the registers of a kernel");
}

void registers_begin(struct decoder *d)
{
    int counts[ALL_CLASSES] = {0};
    d->regs = allocate((size_t)d->func->reg_count, sizeof *d->regs);
    for (int i = 0; i < d->func->reg_count; i++) {
        int k = register_class(&d->func->regs[i]);
        d->regs[i] = row_reference(k, counts[k]++);
    }
    set_frame_size(d->layout, counts);
    d->note_count = 0;
    d->note_capacity = 256;
    d->notes = allocate((size_t)d->note_capacity, sizeof *d->notes);
}

void registers_note(struct decoder *d, int reg, bool writes)
{
    if (!d->notes)
        return;
    if (d->note_count == d->note_capacity) {
        d->note_capacity *= 2;
        d->notes = sim_need_resized(d->notes, (size_t)d->note_capacity, sizeof *d->notes,
                                    "where a kernel uses its registers");
    }
    d->notes[d->note_count++] = (struct register_note){(int)(d->instr - d->func->instrs), reg, writes};
}

void registers_end(struct decoder *d)
{
    free(d->notes);
    free(d->regs);
    d->notes = NULL;
    d->regs = NULL;
}

/* ---- liveness ------------------------------------------------------------------------------------------ */

/* Sets of registers, one after the other, a row of words for each block. */
struct liveness {
    size_t words;                   /* of one set */
    uint64_t *reads_first, *writes; /* [block]: read before written there; written there */
    uint64_t *live_in;
};

static uint64_t *set_of(uint64_t *sets, const struct liveness *l, int block)
{
    return sets + (size_t)block * l->words;
}

static bool set_has(const uint64_t *set, int reg)
{
    return set[reg / 64] >> reg % 64 & 1;
}

static void set_add(uint64_t *set, int reg)
{
    set[reg / 64] |= UINT64_C(1) << reg % 64;
}

/*
 * Notes come in the order of the layout, and for one instruction in any order: first its reads. A write under
 * a guard may leave the old value in place, so it reads it.
 */
static void collect_reads_and_writes(const struct decoder *d, struct liveness *l)
{
    for (int begin = 0, end; begin < d->note_count; begin = end) {
        int instr = d->notes[begin].instr, block = d->cfg->block_of[instr];
        bool guarded = d->func->instrs[instr].guard >= 0;
        uint64_t *reads = set_of(l->reads_first, l, block), *writes = set_of(l->writes, l, block);
        for (end = begin; end < d->note_count && d->notes[end].instr == instr; end++)
            if ((!d->notes[end].writes || guarded) && !set_has(writes, d->notes[end].reg))
                set_add(reads, d->notes[end].reg);
        for (int i = begin; i < end; i++)
            if (d->notes[i].writes && !guarded)
                set_add(writes, d->notes[i].reg);
    }
}

static void add_successors(const struct decoder *d, const struct liveness *l, int block, uint64_t *live_out)
{
    const struct cfg_block *b = &d->cfg->blocks[block];
    for (int i = 0; i < b->successor_count; i++) {
        int next = b->successor_count > 2 ? b->more[i] : b->successors[i];
        for (size_t w = 0; next >= 0 && w < l->words; w++)
            live_out[w] |= set_of(l->live_in, l, next)[w];
    }
}

/* Backwards over the layout until nothing changes. */
static void solve(const struct decoder *d, struct liveness *l, uint64_t *live_out)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int rank = d->cfg->block_count - 1; rank >= 0; rank--) {
            int block = d->cfg->order[rank];
            memset(live_out, 0, l->words * sizeof *live_out);
            add_successors(d, l, block, live_out);
            uint64_t *in = set_of(l->live_in, l, block);
            for (size_t w = 0; w < l->words; w++) {
                uint64_t value =
                    set_of(l->reads_first, l, block)[w] | (live_out[w] & ~set_of(l->writes, l, block)[w]);
                changed |= value != in[w];
                in[w] = value;
            }
        }
    }
}

/* ---- intervals ----------------------------------------------------------------------------------------- */

/* From the first to the last place where a register is alive; an operation has two, for reading and
 * writing. */
struct interval {
    int begin, end;
    int reg;
};

static void cover(struct interval *interval, int place)
{
    if (interval->begin < 0 || place < interval->begin)
        interval->begin = place;
    if (place > interval->end)
        interval->end = place;
}

static int place_of(const struct decoder *d, int instr)
{
    int block = d->cfg->block_of[instr];
    return 2 * ((int)d->block_pcs[block] + instr - d->cfg->blocks[block].first);
}

static void cover_sets(const struct decoder *d, struct liveness *l, uint64_t *live_out,
                       struct interval *intervals)
{
    for (int block = 0; block < d->cfg->block_count; block++) {
        const struct cfg_block *b = &d->cfg->blocks[block];
        int first = place_of(d, b->first), last = place_of(d, b->last) + 1;
        memset(live_out, 0, l->words * sizeof *live_out);
        add_successors(d, l, block, live_out);
        const uint64_t *in = set_of(l->live_in, l, block);
        for (int reg = 0; reg < d->func->reg_count; reg++) {
            if (set_has(in, reg))
                cover(&intervals[reg], first);
            if (set_has(live_out, reg))
                cover(&intervals[reg], last);
        }
    }
}

static struct interval *find_intervals(struct decoder *d)
{
    struct interval *intervals = allocate((size_t)d->func->reg_count, sizeof *intervals);
    struct liveness l = {.words = (size_t)d->func->reg_count / 64 + 1};
    size_t all = l.words * (size_t)d->cfg->block_count;
    l.reads_first = allocate(all, sizeof *l.reads_first);
    l.writes = allocate(all, sizeof *l.writes);
    l.live_in = allocate(all, sizeof *l.live_in);
    uint64_t *live_out = allocate(l.words, sizeof *live_out);
    collect_reads_and_writes(d, &l);
    solve(d, &l, live_out);
    for (int reg = 0; reg < d->func->reg_count; reg++)
        intervals[reg] = (struct interval){-1, -1, reg};
    for (size_t w = 0; w < l.words; w++)
        d->code->reads_undefined |= set_of(l.live_in, &l, 0)[w] != 0;
    if (d->is_entry)
        decode_find_undefined(d, set_of(l.live_in, &l, 0));
    cover_sets(d, &l, live_out, intervals);
    for (int i = 0; i < d->note_count; i++)
        cover(&intervals[d->notes[i].reg], place_of(d, d->notes[i].instr) + d->notes[i].writes);
    free(l.reads_first);
    free(l.writes);
    free(l.live_in);
    free(live_out);
    return intervals;
}

/* ---- linear scan --------------------------------------------------------------------------------------- */

static int by_begin(const void *a, const void *b)
{
    const struct interval *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return x->reg - y->reg;
}

/* The rows of one class: when each is free again. */
struct row_pool {
    int *free_from;
    int count;
};

/* The lowest row that is free at interval->begin, kept until its end. */
static int take_row(struct row_pool *pool, const struct interval *interval)
{
    int row = 0;
    while (row < pool->count && pool->free_from[row] >= interval->begin)
        row++;
    if (row == pool->count)
        pool->count++;
    pool->free_from[row] = interval->end;
    return row;
}

/* How many registers of 32 bits are alive at the place where most are. */
static int live_words(const struct decoder *d, const struct interval *sorted, int count, int places)
{
    int *change = allocate((size_t)places + 2, sizeof *change), most = 0, now = 0;
    for (int i = 0; i < count; i++) {
        int k = register_class(&d->func->regs[sorted[i].reg]);
        if (sorted[i].begin < 0 || k == PREDICATE_CLASS)
            continue;
        change[sorted[i].begin] += class_half_words[k];
        change[sorted[i].end + 1] -= class_half_words[k];
    }
    for (int place = 0; place <= places; place++) {
        now += change[place];
        most = now > most ? now : most;
    }
    free(change);
    return (most + 1) / 2;
}

void registers_allocate(struct decoder *d)
{
    int reg_count = d->func->reg_count, counts[ALL_CLASSES];
    struct interval *intervals = find_intervals(d);
    struct row_pool pools[ALL_CLASSES];
    for (int k = 0; k < ALL_CLASSES; k++)
        pools[k] = (struct row_pool){allocate((size_t)reg_count, sizeof(int)), 0};
    qsort(intervals, (size_t)reg_count, sizeof *intervals, by_begin);
    for (int i = 0; i < reg_count; i++) {
        int k = register_class(&d->func->regs[intervals[i].reg]);
        if (intervals[i].begin >= 0)
            d->regs[intervals[i].reg] = row_reference(k, take_row(&pools[k], &intervals[i]));
    }
    d->layout->live_words = live_words(d, intervals, reg_count, 2 * d->code->count);
    for (int k = 0; k < ALL_CLASSES; k++) {
        counts[k] = pools[k].count;
        free(pools[k].free_from);
    }
    set_frame_size(d->layout, counts);
    free(intervals);
    free(d->notes);
    d->notes = NULL;
}
