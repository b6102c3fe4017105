#include "sim/model/cache.h"

#include <stdlib.h>
#include <string.h>

#define WAYS       16
#define PAGE_SHIFT 4 /* lines of a page of DRAM: 2 KiB */
#define QUARTERS   4 /* of L1's tags */
#define FAR_PAGES  8 /* a request that touches so many pages has no locality there */

struct line {
    uint64_t address, used; /* used: time of the last hit; 0: empty */
    unsigned sectors;
    unsigned coming; /* of them: those that were asked for in round … */
    uint64_t round;  /* … of this number */
    int first;       /* operation that touched it first */
    uint32_t blocks; /* a bit each: that touch it */
};

struct cache {
    struct line *lines;
    size_t sets;
    uint64_t time, round; /* round: each warp makes one request in it */
};

/* What the blocks watched touch, and what the caches make of it. */
struct run {
    const struct trace *trace;
    int from, to;         /* of the blocks watched: those that are on the SM together */
    struct cache l1, met; /* met: all lines, with what was touched of them */
    unsigned waves;
    uint32_t all;    /* a bit for each block */
    uint64_t common; /* misses of lines that all blocks touch */
    struct cache_counts *counts;
};

static struct line *find_line(struct cache *cache, uint64_t address)
{
    size_t set = (size_t)((address * UINT64_C(0x9E3779B97F4A7C15)) >> 20) % cache->sets;
    struct line *first = &cache->lines[set * WAYS], *oldest = first;
    for (int i = 0; i < WAYS; i++) {
        if (first[i].used && first[i].address == address)
            return &first[i];
        if (first[i].used < oldest->used)
            oldest = &first[i];
    }
    *oldest = (struct line){.address = address};
    return oldest;
}

/* The sectors of the touch that are not there; a load brings them in. *comes: some that it hits are on their way. */
static unsigned look_up(struct cache *cache, trace_touch touch, bool *comes)
{
    unsigned wanted = trace_sectors(touch);
    if (trace_kind(touch) != TRACE_LOAD)
        return wanted;
    struct line *line = find_line(cache, trace_line(touch));
    unsigned missed = wanted & ~line->sectors;
    if (line->round != cache->round)
        line->coming = 0;
    *comes |= (wanted & line->coming) != 0;
    line->coming |= missed;
    line->round = cache->round;
    line->sectors |= wanted;
    line->used = ++cache->time;
    return missed;
}

/* What comes together in memory in the end, whoever touches it when. */
static void note_met(struct cache *met, trace_touch touch, int block)
{
    struct line *line = find_line(met, trace_line(touch));
    if (!line->used)
        line->first = trace_op(touch);
    line->sectors |= trace_sectors(touch);
    line->blocks |= UINT32_C(1) << block;
    line->used = ++met->time;
}

static void count_met(const struct cache *met, struct cache_counts *counts)
{
    for (size_t i = 0; i < met->sets * WAYS; i++) {
        const struct line *line = &met->lines[i];
        unsigned low = line->sectors & 3, high = line->sectors >> 2;
        struct cache_counts *c = &counts[line->first];
        c->met_sectors += (uint64_t)__builtin_popcount(line->sectors);
        c->lone_sectors += (uint64_t)(low == 1 || low == 2) + (high == 1 || high == 2);
    }
}

static bool was_before(const trace_touch *begin, const trace_touch *touch)
{
    for (const trace_touch *t = begin; t < touch; t++)
        if (trace_line(*t) == trace_line(*touch))
            return true;
    return false;
}

/*
 * L1 looks up four lines at a time, if their numbers differ in the two lowest bits. Seen on an H100: 32 lines at random
 * take 13 cycles, 16 lines that lie 24 apart 16.
 */
static void count_lines(const trace_touch *begin, const trace_touch *end, struct cache_counts *c)
{
    unsigned quarter[QUARTERS] = {0}, most = 0;
    for (const trace_touch *t = begin; t < end; t++) {
        if (was_before(begin, t))
            continue;
        unsigned *lines = &quarter[trace_line(*t) % QUARTERS];
        most = ++*lines > most ? *lines : most;
        c->lines++;
    }
    c->tags += most;
}

/* Blocks of later waves find the lines that all blocks touch: of their misses one of `waves` counts. */
static bool is_found(struct run *run, trace_touch touch)
{
    return run->waves > 1 && find_line(&run->met, trace_line(touch))->blocks == run->all &&
           run->common++ % run->waves != 0;
}

/* Whether the request before, of so many touches, stored to the same lines. */
static bool stores_again(const trace_touch *first, const trace_touch *begin, long touches)
{
    if (begin - first < touches || trace_goes_on(begin[-touches]))
        return false;
    for (long i = 0; i < touches; i++)
        if (trace_kind(begin[i - touches]) != TRACE_STORE ||
            trace_line(begin[i - touches]) != trace_line(begin[i]) ||
            (trace_sectors(begin[i]) & ~trace_sectors(begin[i - touches])))
            return false;
    return true;
}

/*
 * Stores of a warp that follow each other and touch the same sectors reach L2 as one: any number of them if they lie in
 * three lines, two at a time in four lines, none in eight (bench/stores.cu on an H100).
 */
static bool is_joined(const trace_touch *first, const trace_touch *begin, const trace_touch *end)
{
    const long touches = end - begin;
    long before = 0;
    if (trace_kind(*begin) != TRACE_STORE || touches > 4)
        return false;
    while (before < 3 && stores_again(first, begin - before * touches, touches))
        before++;
    return touches < 4 ? before > 0 : before % 2 == 1;
}

/* One request: the touches from `begin` to before `end`; `first`: the warp's first one. */
static void run_request(struct run *run, const trace_touch *first, const trace_touch *begin,
                        const trace_touch *end)
{
    struct cache_counts *c = &run->counts[trace_op(*begin)];
    unsigned pages = 1;
    bool comes = false, joined = is_joined(first, begin, end);
    uint64_t missed_sectors = 0;
    for (const trace_touch *t = begin; t < end; t++) {
        bool late = false;
        unsigned missed = look_up(&run->l1, *t, &late);
        if ((missed || late) && trace_kind(*t) == TRACE_LOAD && is_found(run, *t))
            missed = late = 0;
        if (joined)
            missed = 0;
        comes |= late;
        missed_sectors += (uint64_t)__builtin_popcount(missed);
        c->sectors += (uint64_t)__builtin_popcount(trace_sectors(*t));
        pages += t > begin && trace_line(*t) >> PAGE_SHIFT != trace_line(t[-1]) >> PAGE_SHIFT;
    }
    count_lines(begin, end, c);
    c->requests++;
    c->missed_sectors += missed_sectors;
    c->missed_requests += missed_sectors > 0;
    c->late_requests += missed_sectors == 0 && comes;
    c->far_sectors += pages >= FAR_PAGES ? missed_sectors : 0;
}

/* The warp's next request; false if there is none. */
static bool next_request(struct run *run, const struct trace_warp *warp, unsigned *at)
{
    unsigned begin = *at, end = begin + 1;
    if (begin >= warp->count)
        return false;
    while (end < warp->count && trace_goes_on(warp->touches[end]))
        end++;
    run_request(run, warp->touches, warp->touches + begin, warp->touches + end);
    *at = end;
    return true;
}

static size_t count_touches(const struct run *run)
{
    const struct trace *trace = run->trace;
    size_t count = 0;
    for (int i = run->from; i < run->to; i++)
        for (int w = 0; w < trace->warps && trace->blocks[i].run; w++)
            count += trace->blocks[i].warps[w].count;
    return count;
}

static void count_banks(const struct trace *trace, struct cache_counts *counts)
{
    for (int i = 0; i < trace->count; i++)
        for (int op = 0; op < trace->operations && trace->blocks[i].run; op++) {
            counts[op].banked += trace->blocks[i].banks[op].requests;
            counts[op].wavefronts += trace->blocks[i].banks[op].wavefronts;
        }
}

static void note_all_met(struct run *run)
{
    const struct trace *trace = run->trace;
    for (int i = run->from; i < run->to; i++) {
        run->all |= trace->blocks[i].run ? UINT32_C(1) << (i - run->from) : 0;
        for (int w = 0; w < trace->warps && trace->blocks[i].run; w++)
            for (unsigned k = 0; k < trace->blocks[i].warps[w].count; k++)
                note_met(&run->met, trace->blocks[i].warps[w].touches[k], i - run->from);
    }
    if (!(run->all & (run->all - 1)))
        run->waves = 1; /* of one block nothing is known to be common */
}

static void run_rounds(struct run *run, unsigned *at)
{
    const struct trace *trace = run->trace;
    unsigned begin = (unsigned)(run->from * trace->warps), end = (unsigned)(run->to * trace->warps);
    for (bool any = true; any;) {
        any = false;
        run->l1.round++;
        for (unsigned i = begin; i < end; i++) {
            const struct trace_block *block = &trace->blocks[i / (unsigned)trace->warps];
            if (block->run)
                any |= next_request(run, &block->warps[i % (unsigned)trace->warps], &at[i]);
        }
    }
}

/* Some of the blocks watched; `at`: [warps] of all of them. */
static bool run_together(struct run *run, size_t l1_bytes, unsigned *at)
{
    run->l1.sets = l1_bytes / 128 / WAYS + 1;
    run->met.sets = count_touches(run) / 12 + 1;
    run->l1.lines = calloc(run->l1.sets * WAYS, sizeof *run->l1.lines);
    run->met.lines = calloc(run->met.sets * WAYS, sizeof *run->met.lines);
    bool good = run->l1.lines && run->met.lines;
    if (good) {
        note_all_met(run);
        run_rounds(run, at);
        count_met(&run->met, run->counts);
    }
    free(run->l1.lines);
    free(run->met.lines);
    return good;
}

bool cache_run(const struct trace *trace, size_t l1_bytes, unsigned waves, struct cache_counts *counts)
{
    unsigned *at = calloc((size_t)(trace->count * trace->warps), sizeof *at);
    bool good = at != NULL;
    for (int from = 0; from < trace->count && good; from += trace->at_once) {
        int to = from + trace->at_once < trace->count ? from + trace->at_once : trace->count;
        struct run run = {.trace = trace, .from = from, .to = to, .waves = waves, .counts = counts};
        good = run_together(&run, l1_bytes, at);
    }
    if (good)
        count_banks(trace, counts);
    free(at);
    return good;
}
