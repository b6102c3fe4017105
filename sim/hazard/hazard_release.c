/*
 * What blocks know of each other. Blocks of a launch are ordered only where one releases (fence, then an
 * atomic or volatile write to a variable) and the other acquires (an atomic or volatile read of it). There
 * can be many thousands of blocks, so that nobody keeps a clock of all others. Instead
 *
 *   each release is written down: who, and what its block had behind it;
 *   each variable has a version, the number of releases to it;
 *   each block knows variables up to a version, by its own acquires and through those who released to it.
 *
 * "What thread u of block a did is known here" then means: a released afterwards, to a variable that is
 * known here up to a later version. An acquire counts for the whole block at once.
 *
 * A release counts with a fence of the releasing thread before it. What other threads of its block did counts
 * if a barrier stands between them and the fence; where the barrier comes after the fence, if they had a
 * fence, too.
 */
#include "sim/hazard/hazard.h"

#include <stdlib.h>
#include <string.h>

/* A block that knows more variables than this is taken to know everything: silent rather than wrong. */
#define FOREIGN_LIMIT 4096

struct release {
    uint32_t block;
    unsigned thread;
    stamp_t base;      /* what any thread of the block did below is released */
    stamp_t warp_base; /* … what the thread's warp did */
    stamp_t fence;     /* … what the thread itself did */
    stamp_t *row;      /* … what each thread did, where the above does not say it; or NULL */
    int variable, version;
    int previous; /* release of the same block, or -1 */
};

struct known_variable {
    int variable, version;
};

struct foreign {
    struct known_variable *list; /* by variable */
    int count, capacity;
    bool everything;
};

struct variable {
    uint64_t address;
    int version;
    struct foreign joined; /* what those who released to it knew */
};

/* From 64-bit keys to indices; open addressing, a power of two of places. */
struct index_map {
    uint64_t *keys;
    int *values; /* index + 1, 0: free */
    size_t capacity, count;
};

struct release_table {
    struct release *releases;
    int release_count, release_capacity;
    struct variable *variables;
    int variable_count, variable_capacity;
    struct index_map by_block;   /* the block's last release */
    struct index_map by_address; /* the variable */
};

/* ---- maps ---------------------------------------------------------------------------------------------- */

static size_t map_place(const struct index_map *m, uint64_t key)
{
    size_t i = (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 32) & (m->capacity - 1);
    while (m->values[i] && m->keys[i] != key)
        i = (i + 1) & (m->capacity - 1);
    return i;
}

static int map_get(const struct index_map *m, uint64_t key)
{
    return m->capacity ? m->values[map_place(m, key)] - 1 : -1;
}

static bool map_grow(struct index_map *m)
{
    struct index_map bigger = {.capacity = m->capacity ? 2 * m->capacity : 64, .count = m->count};
    bigger.keys = calloc(bigger.capacity, sizeof *bigger.keys);
    bigger.values = calloc(bigger.capacity, sizeof *bigger.values);
    if (!bigger.keys || !bigger.values) {
        free(bigger.keys);
        free(bigger.values);
        return false;
    }
    for (size_t i = 0; i < m->capacity; i++)
        if (m->values[i]) {
            size_t place = map_place(&bigger, m->keys[i]);
            bigger.keys[place] = m->keys[i];
            bigger.values[place] = m->values[i];
        }
    free(m->keys);
    free(m->values);
    *m = bigger;
    return true;
}

static bool map_set(struct index_map *m, uint64_t key, int index)
{
    if (2 * m->count >= m->capacity && !map_grow(m))
        return false;
    size_t place = map_place(m, key);
    m->count += m->values[place] == 0;
    m->keys[place] = key;
    m->values[place] = index + 1;
    return true;
}

static void map_free(struct index_map *m)
{
    free(m->keys);
    free(m->values);
}

/* ---- what a block knows -------------------------------------------------------------------------------- */

static int foreign_version(const struct foreign *f, int variable)
{
    int low = 0, high = f->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (f->list[middle].variable < variable)
            low = middle + 1;
        else
            high = middle;
    }
    return low < f->count && f->list[low].variable == variable ? f->list[low].version : 0;
}

static bool foreign_reserve(struct foreign *f, int count)
{
    if (count <= f->capacity)
        return true;
    int capacity = count < 8 ? 8 : 2 * count;
    struct known_variable *list = realloc(f->list, (size_t)capacity * sizeof *list);
    if (!list)
        return false;
    f->list = list;
    f->capacity = capacity;
    return true;
}

/* f learns what `other` knows; both lists are sorted. */
static void foreign_join(struct foreign *f, const struct foreign *other)
{
    f->everything |= other->everything;
    if (f->everything || other->count == 0)
        return;
    int n = f->count, m = other->count, out = n + m;
    if (out > FOREIGN_LIMIT || !foreign_reserve(f, out)) {
        f->everything = true;
        return;
    }
    for (int k = out; m > 0;) { /* merge from the back, into place */
        if (n > 0 && f->list[n - 1].variable == other->list[m - 1].variable) {
            struct known_variable a = f->list[--n], b = other->list[--m];
            f->list[--k] = a.version > b.version ? a : b;
        } else if (n > 0 && f->list[n - 1].variable > other->list[m - 1].variable) {
            f->list[--k] = f->list[--n];
        } else {
            f->list[--k] = other->list[--m];
        }
        if (m == 0) { /* close the gap that equal variables have left */
            memmove(f->list + n, f->list + k, (size_t)(out - k) * sizeof *f->list);
            f->count = n + out - k;
        }
    }
}

static void foreign_learn(struct foreign *f, int variable, int version)
{
    struct known_variable one = {variable, version};
    foreign_join(f, &(struct foreign){.list = &one, .count = 1});
}

/* ---- tables -------------------------------------------------------------------------------------------- */

bool release_any(const struct hazards *h)
{
    return h->releases != NULL;
}

void release_launch_end(struct hazards *h)
{
    struct release_table *t = h->releases;
    if (!t)
        return;
    for (int i = 0; i < t->release_count; i++)
        free(t->releases[i].row);
    for (int i = 0; i < t->variable_count; i++)
        free(t->variables[i].joined.list);
    free(t->releases);
    free(t->variables);
    map_free(&t->by_block);
    map_free(&t->by_address);
    free(t);
    h->releases = NULL;
    for (struct block_shadow *s = h->live; s; s = s->next)
        release_forget_block(s);
}

void release_forget_block(struct block_shadow *s)
{
    if (s->foreign)
        free(s->foreign->list);
    free(s->foreign);
    s->foreign = NULL;
}

static int variable_at(struct release_table *t, uint64_t address)
{
    int found = map_get(&t->by_address, address);
    if (found >= 0)
        return found;
    if (t->variable_count == t->variable_capacity) {
        int capacity = t->variable_capacity ? 2 * t->variable_capacity : 16;
        struct variable *variables = realloc(t->variables, (size_t)capacity * sizeof *variables);
        if (!variables)
            return -1;
        t->variables = variables;
        t->variable_capacity = capacity;
    }
    if (!map_set(&t->by_address, address, t->variable_count))
        return -1;
    t->variables[t->variable_count] = (struct variable){.address = address};
    return t->variable_count++;
}

static struct release *new_release(struct release_table *t)
{
    if (t->release_count == t->release_capacity) {
        int capacity = t->release_capacity ? 2 * t->release_capacity : 64;
        struct release *releases = realloc(t->releases, (size_t)capacity * sizeof *releases);
        if (!releases)
            return NULL;
        t->releases = releases;
        t->release_capacity = capacity;
    }
    return &t->releases[t->release_count];
}

/* ---- release ------------------------------------------------------------------------------------------- */

static stamp_t larger(stamp_t a, stamp_t b)
{
    return a > b ? a : b;
}

/*
 * What each thread of the block had behind it when `thread` released: what `thread` knows of it, or, where
 * the last barrier came after the thread's fence, what its own fence before the barrier covers. NULL: out of
 * memory.
 */
static stamp_t *row_of(const struct block_shadow *s, unsigned thread, bool barrier_after_fence)
{
    stamp_t *row = calloc(s->threads, sizeof *row);
    for (unsigned u = 0; row && u < s->threads; u++)
        if (u != thread)
            row[u] = barrier_after_fence ? larger(s->fence_before[u], order_known_by_tables(s, thread, u))
                                         : order_known(s, thread, u);
    return row;
}

/* Whether every thread of the block has had a fence before the last barrier. */
static bool all_fenced(const struct block_shadow *s)
{
    for (unsigned u = 0; u < s->threads; u++)
        if (s->fence_before[u] < s->first)
            return false;
    return true;
}

static struct release describe(const struct block_shadow *s, unsigned thread, stamp_t fence)
{
    const struct warp_clock *c = &s->warp[thread / WARP_LANES];
    bool barrier_after_fence = s->base > fence;
    struct release r = {
        .block = s->number, .thread = thread, .base = s->base, .warp_base = c->base, .fence = fence};
    if (barrier_after_fence && !all_fenced(s)) {
        r.row = row_of(s, thread, true);
        r.base = r.warp_base = s->wide_base[thread];
    } else if (s->unusual) {
        r.row = row_of(s, thread, false);
    }
    return r;
}

static bool says_the_same(const struct release *a, const struct release *b)
{
    return a->thread == b->thread && a->base == b->base && a->warp_base == b->warp_base &&
           a->fence == b->fence && !a->row && !b->row && a->variable == b->variable;
}

void release_to(struct block_shadow *s, unsigned thread, uint64_t address, stamp_t fence)
{
    struct hazards *h = s->hazards;
    if (!h->releases)
        h->releases = calloc(1, sizeof *h->releases);
    struct release_table *t = h->releases;
    int variable = t ? variable_at(t, address) : -1;
    struct release *r = variable >= 0 ? new_release(t) : NULL;
    if (!r)
        return;
    *r = describe(s, thread, fence);
    r->variable = variable;
    r->previous = map_get(&t->by_block, s->number);
    struct variable *v = &t->variables[variable];
    if (r->previous >= 0 && says_the_same(&t->releases[r->previous], r))
        return; /* a lock that is tried again and again */
    if (!map_set(&t->by_block, s->number, t->release_count)) {
        free(r->row);
        return;
    }
    r->version = ++v->version;
    t->release_count++;
    if (s->foreign)
        foreign_join(&v->joined, s->foreign);
}

/* ---- acquire ------------------------------------------------------------------------------------------- */

void release_acquire(struct block_shadow *s, uint64_t address)
{
    struct release_table *t = s->hazards->releases;
    int variable = t ? map_get(&t->by_address, address) : -1;
    if (variable < 0)
        return;
    if (!s->foreign)
        s->foreign = calloc(1, sizeof *s->foreign);
    const struct variable *v = &t->variables[variable];
    if (!s->foreign || foreign_version(s->foreign, variable) >= v->version)
        return;
    foreign_learn(s->foreign, variable, v->version);
    foreign_join(s->foreign, &v->joined);
}

static bool covers(const struct release *r, unsigned thread, stamp_t stamp)
{
    if (stamp < r->base || (thread == r->thread && stamp < r->fence))
        return true;
    if (thread / WARP_LANES == r->thread / WARP_LANES && stamp < r->warp_base)
        return true;
    return r->row && stamp < r->row[thread];
}

bool release_known(const struct block_shadow *s, uint32_t block, unsigned thread, stamp_t stamp)
{
    const struct release_table *t = s->hazards->releases;
    if (s->foreign->everything)
        return true;
    if (!t)
        return false;
    for (int i = map_get(&t->by_block, block); i >= 0; i = t->releases[i].previous) {
        const struct release *r = &t->releases[i];
        if (covers(r, thread, stamp) && foreign_version(s->foreign, r->variable) >= r->version)
            return true;
    }
    return false;
}
