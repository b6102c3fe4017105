/*
 * Which sectors a launch touches for the first time: at once where one thread runs it; where several share it, by
 * logs that are counted afterwards (see counter.h).
 */
#include <stdlib.h>
#include <string.h>

#include "sim/core/bits.h"
#include "sim/memory/tracker.h"
#include "sim/model/counter_ranges.h"

/* ---- sectors touched at least once --------------------------------------------------------------------- */

static uint64_t *touched_bits(const struct allocation *a, struct touched_sectors *t, bool is_write,
                              uint64_t launch)
{
    size_t words = (a->info.size / SECTOR + 2) / 64 + 2;
    if (t->launch != launch) {
        for (int i = 0; i < 2; i++)
            if (t->bits[i])
                memset(t->bits[i], 0, words * sizeof *t->bits[i]);
        t->fresh[0] = t->fresh[1] = 0;
        t->launch = launch;
    }
    if (!t->bits[is_write])
        t->bits[is_write] = calloc(words, sizeof *t->bits[is_write]);
    return t->bits[is_write];
}

static size_t sector_in(const struct allocation *a, uint64_t address)
{
    return (size_t)((address >> SECTOR_SHIFT) - (a->info.address >> SECTOR_SHIFT));
}

unsigned counter_touch_row(struct allocation *a, bool is_write, uint64_t launch, uint64_t first,
                           uint64_t bytes)
{
    uint64_t *bits = touched_bits(a, &a->touched, is_write, launch);
    unsigned fresh =
        bits ? bits_set_fresh(bits, sector_in(a, first), (size_t)sectors_of_range(first, bytes)) : 0;
    a->touched.fresh[is_write] += fresh;
    return fresh;
}

unsigned counter_touch(const struct memory *memory, const struct access *access, uint64_t launch)
{
    bool is_write = access->kind != ACCESS_LOAD;
    uint64_t first = access->address[first_lane(access)], size = (uint64_t)access->size;
    enum access_shape shape = shape_of(access);
    if (shape != SHAPE_SCATTERED) {
        struct allocation *a = memory_recent(memory, access->pc, first);
        uint64_t bytes = shape == SHAPE_UNIFORM ? size : size * (uint64_t)lane_count(access);
        return a ? counter_touch_row(a, is_write, launch, first, bytes) : 0;
    }
    unsigned fresh = 0;
    uint64_t bytes;
    for (uint32_t rest = access->lanes; rest;) {
        rest = next_range(access, rest, &first, &bytes);
        struct allocation *a = memory_recent(memory, access->pc, first);
        if (a)
            fresh += counter_touch_row(a, is_write, launch, first, bytes);
    }
    return fresh;
}

void counter_touched_add(const struct memory *memory, uint64_t launch)
{
    for (int i = 0; i < 2 * memory->count; i++) {
        struct allocation *a = memory->list[i / 2];
        const uint64_t *bits = a->touched.launch == launch && !a->info.freed ? a->touched.bits[i % 2] : NULL;
        for (size_t w = 0; bits && w < (a->info.size / SECTOR + 2) / 64 + 2; w++)
            a->moved[i % 2] += bits[w] ? SECTOR * (uint64_t)__builtin_popcountll(bits[w]) : 0;
    }
}

/* ---- the same, cluster by cluster of a sample --------------------------------------------------------- */

void counter_touch_cluster_row(struct allocation *a, bool is_write, const struct sample_touch *sample,
                               uint64_t first, uint64_t bytes)
{
    struct cluster_sectors *c = a->clusters;
    if (!c)
        c = a->clusters = calloc(1, sizeof *c);
    if (!c)
        return;
    if (c->launch != sample->launch) {
        c->launch = sample->launch;
        c->edges[0] = c->edges[1] = c->drawn[0] = c->drawn[1] = 0;
        c->first[0] = c->first[1] = SIZE_MAX;
        c->end[0] = c->end[1] = 0;
    }
    uint64_t *bits = touched_bits(a, &c->now, is_write, sample->cluster);
    const size_t sector = sector_in(a, first), count = (size_t)sectors_of_range(first, bytes);
    if (bits)
        *(sample->drawn ? &c->drawn[is_write] : &c->edges[is_write]) += bits_set_fresh(bits, sector, count);
    if (sector < c->first[is_write])
        c->first[is_write] = sector;
    if (sector + count > c->end[is_write])
        c->end[is_write] = sector + count;
}

void counter_touch_cluster(const struct memory *memory, const struct access *access,
                           const struct sample_touch *sample)
{
    bool is_write = access->kind != ACCESS_LOAD;
    uint64_t first = access->address[first_lane(access)], bytes = (uint64_t)access->size;
    enum access_shape shape = shape_of(access);
    bytes *= shape == SHAPE_CONTIGUOUS ? (uint64_t)lane_count(access) : 1;
    for (uint32_t rest = shape == SHAPE_SCATTERED ? access->lanes : 1; rest;) {
        rest = shape == SHAPE_SCATTERED ? next_range(access, rest, &first, &bytes) : 0;
        struct allocation *a = memory_recent(memory, access->pc, first);
        if (a)
            counter_touch_cluster_row(a, is_write, sample, first, bytes);
    }
}

/* ---- the same, by one of several threads --------------------------------------------------------------- */

/*
 * From the lowest bit: 42 bits of the first sector's address, 6 for their number, 14 for the instruction, one
 * for stores and atomics, one if it belongs to the same request as the entry before.
 */
#define TOUCH_COUNT    42
#define TOUCH_PC       48
#define TOUCH_PC_LIMIT (1 << 14)
#define TOUCH_WRITE    (UINT64_C(1) << 62)
#define TOUCH_GOES_ON  (UINT64_C(1) << 63)

static bool log_reserve(struct touch_log *log)
{
    if (log->count < log->capacity)
        return true;
    size_t capacity = log->capacity ? 2 * log->capacity : 4096;
    touch_t *touches = realloc(log->touches, capacity * sizeof *touches);
    if (!touches)
        return false;
    log->touches = touches;
    log->capacity = capacity;
    return true;
}

static unsigned log_range(struct touch_log *log, int pc, bool is_write, struct allocation *a, uint64_t first,
                          uint64_t bytes, size_t request)
{
    uint64_t *bits = touched_bits(a, &a->tracked[log->set].touched, is_write, log->launch);
    int count = sectors_of_range(first, bytes);
    if (!bits || a->info.address % SECTOR || pc >= TOUCH_PC_LIMIT || first >> SECTOR_SHIFT >> TOUCH_COUNT ||
        !log_reserve(log)) {
        log->failed = true;
        return 0;
    }
    unsigned fresh = bits_set_fresh(bits, sector_in(a, first), (size_t)count);
    if (fresh == 0)
        return 0;
    touch_t touch = first >> SECTOR_SHIFT | (uint64_t)count << TOUCH_COUNT | (uint64_t)pc << TOUCH_PC;
    touch |= is_write ? TOUCH_WRITE : 0;
    touch |= log->count > request ? TOUCH_GOES_ON : 0;
    log->touches[log->count++] = touch;
    return fresh;
}

static void count_fresh(struct touch_log *log, int pc, bool is_write, unsigned fresh)
{
    struct fresh_count *count = &log->fresh[pc];
    count->sectors[is_write] += fresh;
    count->loads += !is_write && fresh > 0;
}

void counter_log_row(struct touch_log *log, struct allocation *a, int pc, bool is_write, uint64_t first,
                     uint64_t bytes)
{
    count_fresh(log, pc, is_write, log_range(log, pc, is_write, a, first, bytes, log->count));
}

void counter_log_touch(struct touch_log *log, const struct memory *memory, const struct access *access)
{
    const int pc = access->pc;
    const bool is_write = access->kind != ACCESS_LOAD;
    uint64_t first = access->address[first_lane(access)], size = (uint64_t)access->size;
    enum access_shape shape = shape_of(access);
    size_t request = log->count;
    unsigned fresh = 0;
    if (shape != SHAPE_SCATTERED) {
        struct allocation *a = memory_recent(memory, access->pc, first);
        uint64_t bytes = shape == SHAPE_UNIFORM ? size : size * (uint64_t)lane_count(access);
        if (a)
            counter_log_row(log, a, pc, is_write, first, bytes);
        return;
    }
    uint64_t bytes;
    for (uint32_t rest = access->lanes; rest;) {
        rest = next_range(access, rest, &first, &bytes);
        struct allocation *a = memory_recent(memory, access->pc, first);
        if (a)
            fresh += log_range(log, pc, is_write, a, first, bytes, request);
    }
    count_fresh(log, pc, is_write, fresh);
}

/* Whether the set's bits have none in common with those of `seen`, to which they are added. */
static bool add_apart(const struct touched_sectors *t, bool is_write, uint64_t launch, uint64_t *seen,
                      size_t words)
{
    uint64_t common = 0;
    if (t->launch != launch || !t->bits[is_write])
        return true;
    for (size_t i = 0; i < words; i++) {
        common |= seen[i] & t->bits[is_write][i];
        seen[i] |= t->bits[is_write][i];
    }
    return common == 0;
}

bool counter_touched_apart(const struct memory *memory, const struct touch_log *const *logs, unsigned count)
{
    bool apart = true;
    for (int i = 0; apart && i < 2 * memory->count; i++) {
        const struct allocation *a = memory->list[i / 2];
        size_t words = (a->info.size / SECTOR + 2) / 64 + 2;
        uint64_t *seen = a->info.freed ? NULL : calloc(words, sizeof *seen);
        for (unsigned k = 0; seen && k < count; k++)
            apart &= add_apart(&a->tracked[logs[k]->set].touched, i % 2, logs[k]->launch, seen, words);
        apart &= a->info.freed || seen;
        free(seen);
    }
    return apart;
}

void counter_touched_together(const struct memory *memory, const struct touch_log *const *logs,
                              unsigned count, uint64_t launch)
{
    for (int i = 0; i < memory->count; i++) {
        struct allocation *a = memory->list[i];
        size_t words = (a->info.size / SECTOR + 2) / 64 + 2;
        for (unsigned k = 0; k < 2 * count && !a->info.freed; k++) {
            const struct touch_log *log = logs[k / 2];
            const struct touched_sectors *t = &a->tracked[log->set].touched;
            const uint64_t *from = t->launch == log->launch ? t->bits[k % 2] : NULL;
            uint64_t *to = from ? touched_bits(a, &a->touched, k % 2, launch) : NULL;
            for (size_t w = 0; to && w < words; w++)
                to[w] |= from[w];
        }
    }
}

unsigned counter_touch_again(const struct memory *memory, const struct touch_log *log, size_t *i, size_t end,
                             uint64_t launch, int *pc, bool *is_write)
{
    unsigned fresh = 0;
    *is_write = log->touches[*i] & TOUCH_WRITE;
    *pc = (int)(log->touches[*i] >> TOUCH_PC) & (TOUCH_PC_LIMIT - 1);
    do {
        touch_t touch = log->touches[*i];
        uint64_t address = (touch & ((UINT64_C(1) << TOUCH_COUNT) - 1)) << SECTOR_SHIFT;
        size_t count = touch >> TOUCH_COUNT & 63;
        struct allocation *a = memory_recent(memory, *pc, address);
        uint64_t *bits = a ? touched_bits(a, &a->touched, *is_write, launch) : NULL;
        fresh += bits ? bits_set_fresh(bits, sector_in(a, address), count) : 0;
    } while (++*i < end && (log->touches[*i] & TOUCH_GOES_ON));
    return fresh;
}
