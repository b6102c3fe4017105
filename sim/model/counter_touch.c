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

static size_t words_of(const struct allocation *a)
{
    return (a->info.size / SECTOR + 2) / 64 + 2;
}

static bool make_bits(uint64_t **bits, size_t words)
{
    if (!*bits)
        *bits = calloc(words, sizeof **bits);
    return *bits != NULL;
}

static inline bool is_begun(const struct touched_sectors *t, bool is_write, uint64_t launch)
{
    return t->launch == launch && t->bits[is_write];
}

/* The first of a launch. False: out of memory. */
__attribute__((noinline)) static bool begin_touched(const struct allocation *a, struct touched_sectors *t,
                                                    bool is_write, uint64_t launch)
{
    const size_t words = words_of(a), pages = words / TOUCHED_PAGE + 1;
    if (t->launch != launch && t->pages) {
        for (size_t w = touched_word(t, 0, words); w < words; w = touched_word(t, w + TOUCHED_PAGE, words)) {
            const size_t count = words - w < TOUCHED_PAGE ? words - w : TOUCHED_PAGE;
            for (int i = 0; i < 2; i++)
                if (t->bits[i])
                    memset(t->bits[i] + w, 0, count * sizeof *t->bits[i]);
        }
        memset(t->pages, 0, (pages / 64 + 1) * sizeof *t->pages);
    }
    if (t->launch != launch)
        t->fresh[0] = t->fresh[1] = 0;
    t->launch = launch;
    return make_bits(&t->pages, pages / 64 + 1) && make_bits(&t->bits[is_write], words);
}

__attribute__((noinline)) static void mark_pages(struct touched_sectors *t, size_t first, size_t last)
{
    for (size_t page = first / 64 / TOUCHED_PAGE; page <= last / 64 / TOUCHED_PAGE; page++)
        t->pages[page / 64] |= UINT64_C(1) << page % 64;
}

/* How many of these sectors, which lie in two words at most, had not been touched yet. */
static inline unsigned touch(struct touched_sectors *t, bool is_write, size_t sector, size_t count)
{
    uint64_t *bits = t->bits[is_write];
    const size_t last = sector + count - 1;
    if (bits[sector / 64] == 0 || bits[last / 64] == 0)
        mark_pages(t, sector, last);
    return bits_set_fresh(bits, sector, count);
}

static inline bool is_ready(const struct allocation *a, struct touched_sectors *t, bool is_write,
                            uint64_t launch)
{
    return is_begun(t, is_write, launch) || begin_touched(a, t, is_write, launch);
}

static size_t sector_in(const struct allocation *a, uint64_t address)
{
    return (size_t)((address >> SECTOR_SHIFT) - (a->info.address >> SECTOR_SHIFT));
}

unsigned counter_touch_row(struct allocation *a, bool is_write, uint64_t launch, uint64_t first,
                           uint64_t bytes)
{
    if (!is_ready(a, &a->touched, is_write, launch))
        return 0;
    const unsigned fresh =
        touch(&a->touched, is_write, sector_in(a, first), (size_t)sectors_of_range(first, bytes));
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

void counter_touched_add(const struct memory *memory, uint64_t launch, uint64_t over_bus[2])
{
    for (int i = 0; i < 2 * memory->count; i++) {
        struct allocation *a = memory->list[i / 2];
        const struct touched_sectors *t = &a->touched;
        const size_t words = is_begun(t, i % 2, launch) && !a->info.freed ? words_of(a) : 0;
        const uint64_t before = a->moved[i % 2];
        for (size_t w = 0; (w = touched_word(t, w, words)) < words; w++)
            a->moved[i % 2] += SECTOR * (uint64_t)__builtin_popcountll(t->bits[i % 2][w]);
        over_bus[i % 2] += a->over_bus ? a->moved[i % 2] - before : 0;
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
    const size_t sector = sector_in(a, first), count = (size_t)sectors_of_range(first, bytes);
    if (is_ready(a, &c->now, is_write, sample->cluster))
        *(sample->drawn ? &c->drawn[is_write] : &c->edges[is_write]) +=
            touch(&c->now, is_write, sector, count);
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
    struct touched_sectors *t = &a->tracked[log->set].touched;
    int count = sectors_of_range(first, bytes);
    if (!is_ready(a, t, is_write, log->launch) || a->info.address % SECTOR || pc >= TOUCH_PC_LIMIT ||
        first >> SECTOR_SHIFT >> TOUCH_COUNT || !log_reserve(log)) {
        log->failed = true;
        return 0;
    }
    unsigned fresh = touch(t, is_write, sector_in(a, first), (size_t)count);
    if (fresh == 0)
        return 0;
    touch_t entry = first >> SECTOR_SHIFT | (uint64_t)count << TOUCH_COUNT | (uint64_t)pc << TOUCH_PC;
    entry |= is_write ? TOUCH_WRITE : 0;
    entry |= log->count > request ? TOUCH_GOES_ON : 0;
    log->touches[log->count++] = entry;
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

/* Adds the bits of the set to those of `seen`; false: they have some in common. */
static bool add_apart(const struct touched_sectors *t, bool is_write, uint64_t *seen, size_t words)
{
    uint64_t common = 0;
    for (size_t w = 0; (w = touched_word(t, w, words)) < words; w++) {
        common |= seen[w] & t->bits[is_write][w];
        seen[w] |= t->bits[is_write][w];
    }
    return common == 0;
}

bool counter_touched_apart(const struct memory *memory, const struct touch_log *const *logs, unsigned count)
{
    bool apart = true;
    for (int i = 0; apart && i < 2 * memory->count; i++) {
        const struct allocation *a = memory->list[i / 2];
        const size_t words = words_of(a);
        uint64_t *seen = NULL;
        for (unsigned k = 0; apart && k < count && !a->info.freed; k++) {
            const struct touched_sectors *t = &a->tracked[logs[k]->set].touched;
            if (is_begun(t, i % 2, logs[k]->launch))
                apart = make_bits(&seen, words) && add_apart(t, i % 2, seen, words);
        }
        free(seen);
    }
    return apart;
}

void counter_touched_together(const struct memory *memory, const struct touch_log *const *logs,
                              unsigned count, uint64_t launch)
{
    for (int i = 0; i < memory->count; i++) {
        struct allocation *a = memory->list[i];
        const size_t words = words_of(a);
        for (unsigned k = 0; k < 2 * count && !a->info.freed; k++) {
            const struct touch_log *log = logs[k / 2];
            const struct touched_sectors *t = &a->tracked[log->set].touched;
            if (!is_begun(t, k % 2, log->launch) || !is_ready(a, &a->touched, k % 2, launch))
                continue;
            for (size_t w = 0; (w = touched_word(t, w, words)) < words; w++)
                a->touched.bits[k % 2][w] |= t->bits[k % 2][w];
            for (size_t p = 0; p <= (words / TOUCHED_PAGE + 1) / 64; p++)
                a->touched.pages[p] |= t->pages[p];
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
        touch_t entry = log->touches[*i];
        uint64_t address = (entry & ((UINT64_C(1) << TOUCH_COUNT) - 1)) << SECTOR_SHIFT;
        size_t count = entry >> TOUCH_COUNT & 63;
        struct allocation *a = memory_recent(memory, *pc, address);
        if (a && is_ready(a, &a->touched, *is_write, launch))
            fresh += touch(&a->touched, *is_write, sector_in(a, address), count);
    } while (++*i < end && (log->touches[*i] & TOUCH_GOES_ON));
    return fresh;
}
