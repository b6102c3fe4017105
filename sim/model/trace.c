#include "sim/model/trace.h"

#include <stdlib.h>
#include <string.h>

#include "sim/model/counter_ranges.h"

#define TOUCHES_MAX  (1u << 20) /* of all blocks: 8 MiB */
#define BLOCKS_MAX   (TRACE_WATCHED - TRACE_SCOUTS)
#define TOUCH_OPS    (1 << 14)
#define LINE_SECTORS 4

/* ---- which blocks -------------------------------------------------------------------------------------- */

/*
 * The hardware gives SMs blocks in turns, so those of one SM lie sm_count apart. They are taken from the middle of
 * the grid: the first and the last ones are often special.
 */
static void choose_blocks(struct trace *trace, const struct sim_profile *profile, uint64_t blocks,
                          int at_once)
{
    uint64_t sms = (uint64_t)profile->sm_count, wave = sms * (uint64_t)at_once;
    uint64_t on_sm = (blocks + sms - 1) / sms;
    trace->stride = sms;
    trace->count = (int)(on_sm < (uint64_t)at_once ? on_sm : (uint64_t)at_once);
    if (trace->count > BLOCKS_MAX)
        trace->count = BLOCKS_MAX;
    uint64_t waves = blocks / wave, column = (blocks < sms ? blocks : sms) / 2;
    trace->first = waves / 2 * wave + column;
    while (trace->count > 1 && trace->first + (uint64_t)(trace->count - 1) * sms >= blocks)
        trace->count--;
}

#define NONE       UINT64_MAX
#define FEW_BLOCKS 8  /* all of so few are watched */
#define SPREAD     12 /* scouts, at most, where all blocks are run */

/*
 * The first block, the last one and some in between, at uneven distances: a grid of two dimensions has a period, and so
 * may what its blocks do.
 */
static void choose_scouts(struct trace *trace)
{
    uint64_t blocks = trace->grid;
    uint64_t count = blocks <= FEW_BLOCKS ? blocks : 4 + blocks / 32;
    count = count < SPREAD ? count : SPREAD;
    for (uint64_t i = 0; i < TRACE_SCOUTS; i++) {
        double place =
            (double)i + (blocks > FEW_BLOCKS ? 0.618 * (double)i - (double)(uint64_t)(0.618 * (double)i) : 0);
        uint64_t number = (uint64_t)(place / (double)count * (double)blocks);
        trace->scouts[i] = i >= count ? NONE : i + 1 == count ? blocks - 1 : number;
    }
}

void trace_sample_begins(struct trace *trace)
{
    for (int i = 0; i < TRACE_SCOUTS; i++)
        if (!trace->blocks[trace->count + i].run && trace->scouts[i] != trace->grid - 1)
            trace->scouts[i] = NONE;
}

void trace_add_scout(struct trace *trace, uint64_t number)
{
    for (int i = 0; i < TRACE_SCOUTS; i++)
        if (trace->scouts[i] == NONE) {
            trace->scouts[i] = number;
            return;
        }
}

struct trace *trace_create(const struct sim_profile *profile, const struct code *code, uint64_t blocks,
                           int at_once, int warps)
{
    struct trace *trace = calloc(1, sizeof *trace);
    if (!trace)
        return NULL;
    choose_blocks(trace, profile, blocks, at_once > 0 ? at_once : 1);
    trace->at_once = trace->count;
    trace->grid = blocks;
    trace->warps = warps;
    trace->operations = code->count;
    trace->allocated = trace->count + TRACE_SCOUTS;
    trace->blocks = calloc((size_t)trace->allocated, sizeof *trace->blocks);
    if (!trace->blocks) {
        free(trace);
        return NULL;
    }
    choose_scouts(trace);
    return trace;
}

static void release_block(struct trace_block *block, int warps)
{
    for (int w = 0; block->warps && w < warps; w++)
        free(block->warps[w].touches);
    free(block->warps);
    free(block->counts);
    free(block->banks);
    reuse_destroy(block->reuse);
    *block = (struct trace_block){0};
}

void trace_destroy(struct trace *trace)
{
    if (!trace)
        return;
    for (int i = 0; i < trace->allocated; i++)
        release_block(&trace->blocks[i], trace->warps);
    free(trace->strata);
    free(trace->blocks);
    free(trace);
}

/* Its place among those watched; -1: it is none of them. */
static int place_of(const struct trace *trace, uint64_t number)
{
    uint64_t behind = number - trace->first;
    if (number >= trace->first && behind % trace->stride == 0 &&
        behind / trace->stride < (uint64_t)trace->count)
        return (int)(behind / trace->stride);
    for (int i = 0; i < TRACE_SCOUTS; i++)
        if (trace->scouts[i] == number)
            return trace->count + i;
    return -1;
}

struct trace_block *trace_block_begin(struct trace *trace, uint64_t number)
{
    int place = trace ? place_of(trace, number) : -1;
    if (place < 0)
        return NULL;
    struct trace_block *block = &trace->blocks[place];
    size_t counts = (size_t)trace->warps * (size_t)trace->operations;
    int among = place < trace->count || trace->count > SPREAD ? trace->count : SPREAD;
    release_block(block, trace->warps);
    block->trace = trace;
    block->touches_max = TOUCHES_MAX / (unsigned)(among * trace->warps);
    block->counts = calloc(counts + 1, sizeof *block->counts);
    block->warps = calloc((size_t)trace->warps, sizeof *block->warps);
    block->banks = calloc((size_t)trace->operations + 1, sizeof *block->banks);
    if (!block->counts || !block->warps || !block->banks) {
        release_block(block, trace->warps);
        return NULL;
    }
    block->reuse = reuse_create((unsigned)trace->warps, (unsigned)trace->operations);
    for (int w = 0; w < trace->warps; w++)
        block->warps[w].counts = block->counts + (size_t)w * (size_t)trace->operations;
    return block;
}

int trace_size_of(uint64_t operations)
{
    int power = 63 - __builtin_clzll(operations | 1);
    int quarter = power >= 2 ? (int)(operations >> (power - 2) & 3) : 0;
    int size = 4 * power + quarter;
    return size < TRACE_SIZES ? size : TRACE_SIZES - 1;
}

void trace_note_end(struct trace *trace, uint64_t number, uint64_t operations, bool acts)
{
    struct trace_ended *ended = trace->noting == TRACE_DRAWN ? &trace->drawn : &trace->exact;
    uint64_t longest = __atomic_load_n(&trace->longest, __ATOMIC_RELAXED);
    while (operations > longest && !__atomic_compare_exchange_n(&trace->longest, &longest, operations, true,
                                                                __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    if (trace->noting == TRACE_NOWHERE)
        return;
    __atomic_fetch_add(&ended->blocks, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&ended->operations, operations, __ATOMIC_RELAXED);
    uint64_t part = (uint64_t)((double)number / (double)trace->grid * TRACE_PARTS);
    __atomic_fetch_add(&ended->of_kind[part][trace_kind_of(operations, acts)], 1, __ATOMIC_RELAXED);
}

void trace_forget(struct trace *trace)
{
    memset(&trace->exact, 0, sizeof trace->exact);
    trace->longest = 0;
}

void trace_block_end(struct trace_block *block, struct op_count *counts, bool acts)
{
    int operations = block->trace->operations;
    for (int w = 0; w < block->trace->warps; w++)
        for (int op = 0; op < operations; op++) {
            const struct op_count *from = &block->warps[w].counts[op];
            counts[op].warps += from->warps;
            counts[op].lanes += from->lanes;
            counts[op].divergent += from->divergent;
            block->operations += from->warps;
        }
    if (block->reuse)
        reuse_end(block->reuse);
    block->acts = acts;
    block->run = true;
}

/* ---- touches ------------------------------------------------------------------------------------------- */

static void add_touch(struct trace_warp *warp, unsigned most, trace_touch touch)
{
    if (warp->count == warp->capacity) {
        unsigned capacity = warp->capacity ? 2 * warp->capacity : 64;
        trace_touch *touches =
            capacity > 2 * most ? NULL : realloc(warp->touches, capacity * sizeof *warp->touches);
        if (!touches) {
            warp->full = true;
            return;
        }
        warp->touches = touches;
        warp->capacity = capacity;
    }
    warp->touches[warp->count++] = touch;
}

/* Notes the sectors of bytes [first, first + bytes): neighbors in a line of the same request become one touch. */
static void touch_range(struct trace_warp *warp, unsigned most, uint64_t first, uint64_t bytes,
                        trace_touch what, unsigned request)
{
    uint64_t sector = first >> SECTOR_SHIFT, last = (first + bytes - 1) >> SECTOR_SHIFT;
    for (; sector <= last && !warp->full; sector++) {
        trace_touch line = sector / LINE_SECTORS & ((UINT64_C(1) << 42) - 1);
        trace_touch mask = UINT64_C(1) << (42 + sector % LINE_SECTORS);
        trace_touch *before = warp->count > request ? &warp->touches[warp->count - 1] : NULL;
        if (before && trace_line(*before) == line)
            *before |= mask;
        else
            add_touch(warp, most, line | mask | what | (before ? UINT64_C(1) << 62 : 0));
    }
}

static unsigned kind_of(const struct access *access)
{
    if (access->kind == ACCESS_ATOMIC)
        return TRACE_ATOMIC;
    if (access->kind == ACCESS_STORE)
        return TRACE_STORE;
    bool past_l1 = access->path == PATH_BYPASS || access->order >= ORDER_RELAXED;
    return past_l1 ? TRACE_BYPASS : TRACE_LOAD;
}

static void note_constant(struct trace_block *block, struct trace_warp *warp, const struct access *access)
{
    uint32_t line = (uint32_t)(access->address[first_lane(access)] >> TRACE_CONSTANT_SHIFT) + 1;
    block->constants.reads++;
    for (int i = 0; i < TRACE_CONSTANT_LINES; i++)
        if (warp->constants[i] == line)
            return;
    block->constants.missed++;
    warp->constants[warp->constant++ % TRACE_CONSTANT_LINES] = line;
}

void trace_access(struct trace_block *block, unsigned warp_index, const struct access *access)
{
    bool global = access->space != PTX_SHARED && access->space != PTX_LOCAL && access->space != PTX_CONST &&
                  access->space != PTX_PARAM;
    struct trace_warp *warp = &block->warps[warp_index];
    if (block->reuse)
        reuse_access(block->reuse, warp_index, access);
    if (access->space == PTX_CONST && access->lanes)
        note_constant(block, warp, access);
    if (!global || !access->lanes || warp->full || access->pc >= TOUCH_OPS)
        return;
    unsigned kind = kind_of(access);
    if (!access->partner && kind != TRACE_ATOMIC && access->path != PATH_BYPASS) {
        block->banks[access->pc].requests++;
        block->banks[access->pc].wavefronts += (uint32_t)counter_wavefronts(access);
    }
    trace_touch what = (trace_touch)access->pc << 46 | (trace_touch)kind << 60;
    unsigned request = warp->count, most = block->touches_max;
    uint64_t first = access->address[first_lane(access)], size = (uint64_t)access->size, bytes;
    enum access_shape shape = shape_of(access);
    if (shape != SHAPE_SCATTERED) {
        bytes = shape == SHAPE_UNIFORM ? size : size * (uint64_t)lane_count(access);
        touch_range(warp, most, first, bytes, what, request);
    }
    for (uint32_t rest = shape == SHAPE_SCATTERED ? access->lanes : 0; rest;) {
        rest = next_range(access, rest, &first, &bytes);
        touch_range(warp, most, first, bytes, what, request);
    }
    if (warp->count >= most)
        warp->full = true;
}

void trace_barrier(struct trace_block *block)
{
    if (block && block->reuse)
        reuse_barrier(block->reuse);
}
