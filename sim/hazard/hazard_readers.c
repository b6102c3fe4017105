/*
 * Readers beside the two that each granule's shadow has: as many as it takes, for kernels whose threads synchronize in
 * other ways than as whole warps and blocks. A reader that a later one is ordered behind gives up its place.
 *
 * Lists of shared memory are of the interval since the block's last barrier, those of global memory of the launch.
 */
#include "sim/hazard/hazard.h"

#include <stdlib.h>
#include <string.h>

/*
 * Words read by more warps than this, in blocks that nothing orders, keep the first ones: a miss is possible, a false
 * alarm is not.
 */
#define READERS_MAX 4096

struct reader_list {
    uint64_t key;  /* of the granule: where its cell is; UINT64_MAX: free */
    stamp_t since; /* the entries are of this interval */
    int count, capacity;
    struct reader *readers;
};

struct reader_lists {
    struct reader_list *lists; /* hash, open addressing */
    size_t capacity, count;
};

static struct reader_lists **lists_of(const struct pass *p)
{
    return p->is_global ? &p->s->hazards->readers : &p->s->readers;
}

static uint64_t key_of(const struct pass *p, size_t g)
{
    return (uint64_t)(uintptr_t)&p->planes->readers.stamp[g];
}

/* Entries of other intervals mean nothing. */
static stamp_t interval_of(const struct pass *p)
{
    return p->is_global ? p->stale : p->block_base;
}

static struct reader_list *place_of(const struct reader_lists *l, uint64_t key)
{
    size_t i = (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 32) & (l->capacity - 1);
    while (l->lists[i].key != key && l->lists[i].key != UINT64_MAX)
        i = (i + 1) & (l->capacity - 1);
    return &l->lists[i];
}

static bool grow(struct reader_lists *l)
{
    struct reader_lists bigger = {.capacity = l->capacity ? 2 * l->capacity : 64, .count = l->count};
    bigger.lists = calloc(bigger.capacity, sizeof *bigger.lists);
    for (size_t i = 0; bigger.lists && i < bigger.capacity; i++)
        bigger.lists[i].key = UINT64_MAX;
    for (size_t i = 0; bigger.lists && i < l->capacity; i++)
        if (l->lists[i].key != UINT64_MAX)
            *place_of(&bigger, l->lists[i].key) = l->lists[i];
    if (!bigger.lists)
        return false;
    free(l->lists);
    *l = bigger;
    return true;
}

void readers_destroy(struct reader_lists *l)
{
    for (size_t i = 0; l && i < l->capacity; i++)
        free(l->lists[i].readers);
    if (l)
        free(l->lists);
    free(l);
}

/* The list of this interval, or NULL. */
static struct reader_list *find(const struct pass *p, size_t g)
{
    const struct reader_lists *l = *lists_of(p);
    struct reader_list *list = l && l->capacity ? place_of(l, key_of(p, g)) : NULL;
    return list && list->key != UINT64_MAX && list->since == interval_of(p) ? list : NULL;
}

static struct reader_list *find_or_make(const struct pass *p, size_t g)
{
    struct reader_lists **l = lists_of(p);
    if (!*l)
        *l = calloc(1, sizeof **l);
    if (!*l || (2 * (*l)->count >= (*l)->capacity && !grow(*l)))
        return NULL;
    struct reader_list *list = place_of(*l, key_of(p, g));
    (*l)->count += list->key == UINT64_MAX;
    list->key = key_of(p, g);
    if (list->since != interval_of(p))
        list->count = 0;
    list->since = interval_of(p);
    return list;
}

const struct reader *readers_at(const struct pass *p, size_t g, int *count)
{
    const struct reader_list *list = find(p, g);
    *count = list ? list->count : 0;
    return list ? list->readers : NULL;
}

void readers_clear(struct pass *p, size_t g)
{
    struct reader_list *list = find(p, g);
    if (list)
        list->count = 0;
}

/* The same but for the lane. */
static bool same_warp(const struct reader *r, stamp_t stamp, uint32_t who)
{
    return r->stamp == stamp && ((r->who ^ who) & ~(uint32_t)(WHO_THREAD & ~WHO_WARP)) == 0;
}

/* Whether all of a reader's lanes are before thread t, so that it can go. */
static bool is_before(const struct pass *p, const struct reader *r, unsigned t)
{
    for (uint32_t rest = r->lanes; rest; rest &= rest - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(rest);
        const struct record one = {r->stamp, (r->who & ~(uint32_t)(WHO_THREAD & ~WHO_WARP)) | lane};
        if (!cell_is_before(p, one, t))
            return false;
    }
    return true;
}

/* Drops what the new reader is ordered behind, when the list is full. */
static void prune(const struct pass *p, struct reader_list *list, unsigned t)
{
    int kept = 0;
    for (int i = 0; i < list->count; i++)
        if (!is_before(p, &list->readers[i], t))
            list->readers[kept++] = list->readers[i];
    list->count = kept;
}

static bool make_room(const struct pass *p, struct reader_list *list, unsigned t)
{
    if (list->count == list->capacity)
        prune(p, list, t);
    if (list->count < list->capacity / 2 || list->count < list->capacity - 8)
        return true;
    int capacity = list->capacity ? 2 * list->capacity : 4;
    struct reader *readers =
        list->count < READERS_MAX ? realloc(list->readers, (size_t)capacity * sizeof *readers) : NULL;
    if (!readers)
        return list->count < list->capacity;
    list->readers = readers;
    list->capacity = capacity;
    return true;
}

void readers_add(struct pass *p, size_t g, uint32_t who)
{
    struct reader_list *list = find_or_make(p, g);
    const uint32_t lane = who & (WHO_THREAD & ~WHO_WARP), bit = UINT32_C(1) << lane;
    for (int i = list ? list->count - 1 : -1; i >= 0 && i >= list->count - BLOCK_WARPS; i--)
        if (same_warp(&list->readers[i], p->stamp, who)) {
            list->readers[i].lanes |= bit;
            return;
        }
    if (list && make_room(p, list, who & WHO_THREAD))
        list->readers[list->count++] = (struct reader){.stamp = p->stamp, .who = who, .lanes = bit};
}
