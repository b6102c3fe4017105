/*
 * A set is a table of pages of 4 KiB, open-addressed by the page's number; a page has a bit per byte and kind of touch,
 * or is touched as a whole. Long ranges are kept as ranges.
 */
#include "sim/stream/touched.h"
#include "sim/core/bits.h"
#include "sim/core/need.h"

#include <stdlib.h>
#include <string.h>

#define PAGE_SHIFT 12
#define PAGE_BYTES (UINT64_C(1) << PAGE_SHIFT)
#define PAGE_WORDS (PAGE_BYTES / 64)

#define LONGEST_CONFLICT (UINT64_C(1) << 24) /* bytes; what follows is not looked at */

struct touched_page {
    uint64_t number; /* address / PAGE_BYTES + 1; 0: an empty place of the table */
    uint64_t *bits[TOUCH_KINDS];
    uint8_t whole; /* a bit per kind: every byte is touched */
};

struct touched_range {
    uint64_t first, end;
    enum touch_kind kind;
};

struct touched_bytes {
    struct touched_page *pages;
    size_t room, used;         /* of pages; room is a power of two */
    struct touched_page *last; /* found by the last look-up; NULL: none */
    struct touched_range *ranges;
    size_t range_count;
    bool fences;        /* or acquires, or releases, … */
    bool tells_host;    /* writes words strongly that the host may look at */
    bool system_fences; /* … so that the host may see what was written before; acquiring does not count */
};

struct touched_bytes *touched_create(void)
{
    return sim_need(1, sizeof(struct touched_bytes), "the bytes that a launch touches");
}

void touched_destroy(struct touched_bytes *set)
{
    if (!set)
        return;
    for (size_t i = 0; i < set->room; i++)
        for (int kind = 0; kind < TOUCH_KINDS; kind++)
            free(set->pages[i].bits[kind]);
    free(set->pages);
    free(set->ranges);
    free(set);
}

/* ---- pages --------------------------------------------------------------------------------------------- */

/* The place of the page, or the empty one where it belongs. */
static struct touched_page *place_of(const struct touched_bytes *set, uint64_t number)
{
    size_t i = (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (set->room - 1);
    while (set->pages[i].number != 0 && set->pages[i].number != number)
        i = (i + 1) & (set->room - 1);
    return &set->pages[i];
}

static void grow(struct touched_bytes *set)
{
    struct touched_bytes larger = {.room = set->room ? 2 * set->room : 64};
    larger.pages = sim_need(larger.room, sizeof *larger.pages, "the bytes that a launch touches");
    for (size_t i = 0; i < set->room; i++)
        if (set->pages[i].number != 0)
            *place_of(&larger, set->pages[i].number) = set->pages[i];
    free(set->pages);
    set->pages = larger.pages;
    set->room = larger.room;
    set->last = NULL;
}

static struct touched_page *need_page(struct touched_bytes *set, uint64_t address)
{
    const uint64_t number = (address >> PAGE_SHIFT) + 1;
    if (set->last && set->last->number == number)
        return set->last;
    if (2 * set->used >= set->room)
        grow(set);
    struct touched_page *page = place_of(set, number);
    set->used += page->number == 0;
    page->number = number;
    return set->last = page;
}

static const struct touched_page *find_page(const struct touched_bytes *set, uint64_t number)
{
    const struct touched_page *page = set->room ? place_of(set, number) : NULL;
    return page && page->number != 0 ? page : NULL;
}

static void add_to_page(struct touched_page *page, enum touch_kind kind, uint64_t first, uint64_t size)
{
    if (page->whole >> kind & 1)
        return;
    if (!page->bits[kind])
        page->bits[kind] =
            sim_need(PAGE_WORDS + 1, sizeof *page->bits[kind], "the bytes that a launch touches");
    bits_set(page->bits[kind], first, size);
}

static void add_to_pages(struct touched_bytes *set, enum touch_kind kind, uint64_t first, uint64_t size)
{
    while (size > 0) {
        uint64_t inside = first & (PAGE_BYTES - 1);
        uint64_t part = size < PAGE_BYTES - inside ? size : PAGE_BYTES - inside;
        add_to_page(need_page(set, first), kind, inside, part);
        first += part;
        size -= part;
    }
}

void touched_add(struct touched_bytes *set, enum touch_kind kind, uint64_t first, uint64_t size)
{
    if (size < PAGE_BYTES || set->range_count >= 64) {
        add_to_pages(set, kind, first, size);
        return;
    }
    set->ranges = sim_need_resized(set->ranges, set->range_count + 1, sizeof *set->ranges,
                                   "the bytes that a copy touches");
    set->ranges[set->range_count++] = (struct touched_range){first, first + size, kind};
}

/* A block's own scope is as good as none: the others are in another launch. */
static enum touch_kind kind_of(const struct access *access, int scope)
{
    const bool strong = (access->kind == ACCESS_ATOMIC || access->order != ORDER_WEAK) && scope > 0;
    const enum touch_kind read = !strong ? TOUCH_READ : scope == 1 ? TOUCH_STRONG_READ : TOUCH_SYSTEM_READ;
    return access->kind == ACCESS_LOAD ? read : (enum touch_kind)(read + 1);
}

void touched_access(struct touched_bytes *set, const struct access *access, int scope)
{
    const enum touch_kind kind = kind_of(access, scope);
    const uint64_t size = (uint64_t)access->size;
    const int first = __builtin_ctz(access->lanes);
    set->fences |= access->order >= ORDER_ACQUIRE && scope > 0;
    set->system_fences |= access->order >= ORDER_RELEASE && scope > 1;
    set->tells_host |= kind == TOUCH_SYSTEM_WRITE;
    if (access->shape == SHAPE_CONTIGUOUS || access->shape == SHAPE_UNIFORM) {
        uint64_t lanes = access->shape == SHAPE_UNIFORM ? 1 : (uint64_t)__builtin_popcount(access->lanes);
        add_to_pages(set, kind, access->address[first], size * lanes);
        return;
    }
    for (uint32_t rest = access->lanes; rest; rest &= rest - 1)
        add_to_pages(set, kind, access->address[__builtin_ctz(rest)], size);
}

void touched_fence(struct touched_bytes *set, int scope)
{
    set->fences |= scope > 0;
    set->system_fences |= scope > 1;
}

bool touched_lacks_host_fence(const struct touched_bytes *set)
{
    return set->tells_host && !set->system_fences;
}

void touched_close(struct touched_bytes *set)
{
    for (size_t i = 0; i < set->room; i++) {
        struct touched_page *page = &set->pages[i];
        for (int kind = 0; kind < TOUCH_KINDS; kind++) {
            size_t missing;
            if (!page->bits[kind] || !bits_all(page->bits[kind], 0, PAGE_BYTES, &missing))
                continue;
            page->whole |= (uint8_t)(1u << kind);
            free(page->bits[kind]);
            page->bits[kind] = NULL;
        }
    }
}

/* ---- conflicts ----------------------------------------------------------------------------------------- */

static bool writes(enum touch_kind kind)
{
    return kind == TOUCH_WRITE || kind == TOUCH_STRONG_WRITE || kind == TOUCH_SYSTEM_WRITE;
}

static bool is_strong(enum touch_kind kind)
{
    return kind != TOUCH_READ && kind != TOUCH_WRITE;
}

static bool kinds_conflict(enum touch_kind a, enum touch_kind b)
{
    return (writes(a) || writes(b)) && !(is_strong(a) && is_strong(b));
}

static bool kinds_talk(enum touch_kind a, enum touch_kind b)
{
    return (writes(a) || writes(b)) && is_strong(a) && is_strong(b);
}

/* Bits of one kind on one page, the set's ranges included, in `bits`; false: none. */
static bool collect_bits(const struct touched_bytes *set, uint64_t number, enum touch_kind kind,
                         uint64_t bits[PAGE_WORDS + 1])
{
    const struct touched_page *page = find_page(set, number);
    const uint64_t first = (number - 1) << PAGE_SHIFT, end = first + PAGE_BYTES;
    bool any = page && ((page->whole >> kind & 1) || page->bits[kind]);
    if (any && !(page->whole >> kind & 1))
        memcpy(bits, page->bits[kind], PAGE_WORDS * sizeof *bits);
    else
        memset(bits, any ? 0xff : 0, PAGE_WORDS * sizeof *bits);
    for (size_t i = 0; i < set->range_count; i++) {
        const struct touched_range *range = &set->ranges[i];
        if (range->kind != kind || range->first >= end || range->end <= first)
            continue;
        uint64_t from = range->first > first ? range->first : first, to = range->end < end ? range->end : end;
        bits_set(bits, from - first, to - from);
        any = true;
    }
    return any;
}

/* The lowest byte in both, and how many follow it; false: none. */
static bool lowest_common(const uint64_t *a, const uint64_t *b, uint64_t *at, uint64_t *count)
{
    for (uint64_t i = 0; i < PAGE_BYTES; i++) {
        if ((i & 63) == 0 && !(a[i / 64] & b[i / 64])) {
            i += 63;
            continue;
        }
        if (!(a[i / 64] & b[i / 64]) || !(a[i / 64] >> (i & 63) & b[i / 64] >> (i & 63) & 1))
            continue;
        *at = i;
        for (*count = 1; i + *count < PAGE_BYTES; ++*count)
            if (!(a[(i + *count) / 64] >> ((i + *count) & 63) & b[(i + *count) / 64] >> ((i + *count) & 63) &
                  1))
                break;
        return true;
    }
    return false;
}

/* Which kinds of touching the same byte are looked for. */
typedef bool pair_test(enum touch_kind here, enum touch_kind there);

/* Whether the sets have such a byte on this page, below *out, which is then the new one. */
static void meet_on_page(const struct touched_bytes *here, const struct touched_bytes *there, uint64_t number,
                         pair_test *wanted, struct touched_conflict *out)
{
    uint64_t bits[2][TOUCH_KINDS][PAGE_WORDS + 1], at, count;
    bool has[2][TOUCH_KINDS];
    const uint64_t base = (number - 1) << PAGE_SHIFT;
    if (base > out->address)
        return;
    for (int kind = 0; kind < TOUCH_KINDS; kind++) {
        has[0][kind] = collect_bits(here, number, (enum touch_kind)kind, bits[0][kind]);
        has[1][kind] = collect_bits(there, number, (enum touch_kind)kind, bits[1][kind]);
    }
    for (int a = 0; a < TOUCH_KINDS; a++)
        for (int b = 0; b < TOUCH_KINDS; b++)
            if (has[0][a] && has[1][b] && wanted((enum touch_kind)a, (enum touch_kind)b) &&
                lowest_common(bits[0][a], bits[1][b], &at, &count) && base + at < out->address)
                *out = (struct touched_conflict){base + at, count, writes((enum touch_kind)a),
                                                 writes((enum touch_kind)b)};
}

static void meet_ranges(const struct touched_bytes *here, const struct touched_bytes *there,
                        struct touched_conflict *out)
{
    for (size_t i = 0; i < here->range_count; i++)
        for (size_t k = 0; k < there->range_count; k++) {
            const struct touched_range *a = &here->ranges[i], *b = &there->ranges[k];
            uint64_t first = a->first > b->first ? a->first : b->first,
                     end = a->end < b->end ? a->end : b->end;
            if (first < end && first < out->address && kinds_conflict(a->kind, b->kind))
                *out = (struct touched_conflict){first, end - first, writes(a->kind), writes(b->kind)};
        }
}

static bool in_ranges(const struct touched_bytes *set, uint64_t number)
{
    const uint64_t first = (number - 1) << PAGE_SHIFT;
    for (size_t i = 0; i < set->range_count; i++)
        if (set->ranges[i].first < first + PAGE_BYTES && first < set->ranges[i].end)
            return true;
    return false;
}

/* Whether one byte is touched by both, in the way that the conflict says. */
static bool goes_on(const struct touched_bytes *here, const struct touched_bytes *there, uint64_t address,
                    const struct touched_conflict *conflict, uint64_t *count)
{
    struct touched_conflict next = {.address = UINT64_MAX};
    meet_on_page(here, there, (address >> PAGE_SHIFT) + 1, kinds_conflict, &next);
    *count = next.bytes;
    return next.address == address && next.here_writes == conflict->here_writes &&
           next.there_writes == conflict->there_writes;
}

bool touched_meet(const struct touched_bytes *here, const struct touched_bytes *there,
                  struct touched_conflict *out)
{
    *out = (struct touched_conflict){.address = UINT64_MAX};
    meet_ranges(here, there, out);
    for (size_t i = 0; i < here->room; i++) {
        uint64_t number = here->pages[i].number;
        if (number != 0 && (find_page(there, number) || in_ranges(there, number)))
            meet_on_page(here, there, number, kinds_conflict, out);
    }
    for (size_t i = 0; i < there->room && here->range_count > 0; i++)
        if (there->pages[i].number != 0 && in_ranges(here, there->pages[i].number))
            meet_on_page(here, there, there->pages[i].number, kinds_conflict, out);
    if (out->address == UINT64_MAX)
        return false;
    uint64_t more;
    while (out->bytes < LONGEST_CONFLICT && (out->address + out->bytes) % PAGE_BYTES == 0 &&
           goes_on(here, there, out->address + out->bytes, out, &more))
        out->bytes += more;
    return true;
}

bool touched_talk(const struct touched_bytes *here, const struct touched_bytes *there)
{
    struct touched_conflict found = {.address = UINT64_MAX};
    for (size_t i = 0; here->fences && there->fences && i < here->room; i++)
        if (here->pages[i].number != 0 && find_page(there, here->pages[i].number))
            meet_on_page(here, there, here->pages[i].number, kinds_talk, &found);
    return found.address != UINT64_MAX;
}

static bool has_byte(const struct touched_bytes *set, const struct touched_page *page, enum touch_kind kind,
                     uint64_t address)
{
    const uint64_t bit = address & (PAGE_BYTES - 1);
    if (page &&
        ((page->whole >> kind & 1) || (page->bits[kind] && page->bits[kind][bit / 64] >> (bit & 63) & 1)))
        return true;
    for (size_t i = 0; i < set->range_count; i++)
        if (set->ranges[i].kind == kind &&
            address - set->ranges[i].first < set->ranges[i].end - set->ranges[i].first)
            return true;
    return false;
}

bool touched_meets_byte(const struct touched_bytes *set, uint64_t address, bool is_write, bool *set_writes,
                        bool *talk)
{
    const struct touched_page *page = find_page(set, (address >> PAGE_SHIFT) + 1);
    bool found = false;
    *set_writes = *talk = false;
    for (int k = 0; k < TOUCH_KINDS; k++) {
        const enum touch_kind kind = (enum touch_kind)k;
        if ((!is_write && !writes(kind)) || !has_byte(set, page, kind, address))
            continue;
        found |= kind < TOUCH_SYSTEM_READ;
        *set_writes |= writes(kind);
        *talk |= kind == TOUCH_SYSTEM_WRITE && set->system_fences;
    }
    return found;
}
