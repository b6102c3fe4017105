/*
 * Releases: what threads tell others by strong writes to a variable (PTX ISA, Memory Consistency Model, "Release and
 * acquire patterns", "Synchronizes", "Causality order"). There can be many thousands of blocks, so that no thread keeps
 * a clock of all others. Instead
 *
 *   each release is written down: who, and what its thread had behind it;
 *   each variable has a version, the number of releases to it;
 *   each thread knows variables up to a version, by its own acquires, by barriers and through those who
 *   released to it (hazard_acquire.c).
 *
 * "What thread u of block a did is known here" then means: a thread of a released afterwards, to a variable
 * that is known here up to a later version.
 *
 * A write is a release if it has the semantics (.release, .acq_rel), or a fence of its thread before it: of what the
 * thread knew at the fence. A release or fence of .cta scope, or a write of that scope, is one for the block's threads
 * alone. An atomic continues the release sequence that it finds; a store begins a new variable, unless its thread knew
 * the old one anyway.
 *
 * One thing counts that the PTX ISA does not grant: where a barrier of the block comes between the fence and the write,
 * what other threads did before fences of their own is released as well ("all write and fence, barrier, thread 0
 * counts"): each thread's fence has made its writes visible to the device before the barrier completes.
 */
#include "sim/hazard/hazard.h"

#include <stdlib.h>
#include <string.h>

/* From 64-bit keys to indices; open addressing, a power of two of places. */
struct index_map {
    uint64_t *keys;
    int *values; /* index + 1, 0: free */
    size_t capacity, count;
};

/* So many releases of a launch are kept; of older ones everything counts as known: silent rather than wrong. */
#define RELEASES_MAX (1 << 20)

struct release_table {
    struct release *releases; /* from number `forgotten` on */
    int forgotten, release_count, release_capacity;
    struct variable *variables;
    int variable_count, variable_capacity;
    struct index_map by_block; /* the block's last release */
    struct index_map by_key;   /* the variable */
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

/* ---- tables -------------------------------------------------------------------------------------------- */

bool release_any(const struct hazards *h)
{
    return h->releases != NULL;
}

static void destroy_release(struct release *r)
{
    free(r->row);
    known_drop(r->joined);
}

static struct release *release_at(const struct release_table *t, int number)
{
    return &t->releases[number - t->forgotten];
}

/* The older half goes. */
static void forget_some(struct release_table *t)
{
    const int half = (t->release_count - t->forgotten) / 2;
    for (int i = 0; i < half; i++)
        destroy_release(&t->releases[i]);
    t->forgotten += half;
    memmove(t->releases, t->releases + half, (size_t)(t->release_count - t->forgotten) * sizeof *t->releases);
}

void release_launch_end(struct hazards *h)
{
    struct release_table *t = h->releases;
    if (!t)
        return;
    for (struct block_shadow *s = h->live; s; s = s->next)
        acquire_forget(s);
    for (int i = t->forgotten; i < t->release_count; i++)
        destroy_release(release_at(t, i));
    for (int i = 0; i < t->variable_count; i++) {
        known_drop(t->variables[i].joined);
        known_drop(t->variables[i].nearby);
        known_drop(t->variables[i].phase_joined);
    }
    free(t->releases);
    free(t->variables);
    map_free(&t->by_block);
    map_free(&t->by_key);
    free(t);
    h->releases = NULL;
}

uint64_t release_key(const struct block_shadow *s, const struct access *access, uint64_t address)
{
    const uint64_t block = access->owner ? (uint32_t)access->owner->block_number : s->number;
    return access->space == PTX_SHARED ? address | block << 24 | UINT64_C(1) << 63 : address;
}

int release_variable(const struct hazards *h, uint64_t key)
{
    return h->releases ? map_get(&h->releases->by_key, key) : -1;
}

const struct variable *release_variable_at(const struct hazards *h, int variable)
{
    return &h->releases->variables[variable];
}

void release_phase(struct hazards *h, uint64_t key)
{
    const int variable = release_variable(h, key);
    if (variable < 0)
        return;
    struct variable *v = &h->releases->variables[variable];
    known_drop(v->phase_joined);
    v->phase_joined = v->joined ? known_hold(v->joined) : NULL;
    v->phase_version = v->version;
}

static int new_variable(struct release_table *t, uint64_t key)
{
    if (t->variable_count == t->variable_capacity) {
        int capacity = t->variable_capacity ? 2 * t->variable_capacity : 16;
        struct variable *variables = realloc(t->variables, (size_t)capacity * sizeof *variables);
        if (!variables)
            return -1;
        t->variables = variables;
        t->variable_capacity = capacity;
    }
    if (!map_set(&t->by_key, key, t->variable_count))
        return -1;
    t->variables[t->variable_count] = (struct variable){.key = key};
    return t->variable_count++;
}

static struct release *new_release(struct release_table *t)
{
    if (t->release_count - t->forgotten == RELEASES_MAX)
        forget_some(t);
    if (t->release_count - t->forgotten == t->release_capacity) {
        int capacity = t->release_capacity ? 2 * t->release_capacity : 64;
        struct release *releases = realloc(t->releases, (size_t)capacity * sizeof *releases);
        if (!releases)
            return NULL;
        t->releases = releases;
        t->release_capacity = capacity;
    }
    return t->release_count < INT32_MAX ? release_at(t, t->release_count) : NULL;
}

/* ---- what is released ---------------------------------------------------------------------------------- */

static stamp_t larger(stamp_t a, stamp_t b)
{
    return a > b ? a : b;
}

/* What thread u had behind it at a fence of its own before the sync that came after the releasing thread's. */
static stamp_t fenced_before_sync(const struct block_shadow *s, unsigned u, bool wide)
{
    const stamp_t fence = wide ? s->wide_fence[u] : s->fence[u];
    return fence < s->warp[u / WARP_LANES].base ? fence : 0;
}

/*
 * What each thread of the block had behind it when `thread` released: what `thread` knows of it by tables,
 * or, where the last barrier came after the thread's fence, what its own fence before the barrier covers; the
 * same for its warp.
 */
static void fill_row(const struct block_shadow *s, const struct release *r, bool by_barrier, bool by_warp,
                     stamp_t row[BLOCK_THREADS])
{
    for (unsigned u = 0; u < s->threads; u++) {
        row[u] = s->tables ? order_known_by_tables(s, r->thread, u) : 0;
        if (by_barrier)
            row[u] = larger(row[u], s->fence_before[u]);
        if (by_warp && u / WARP_LANES == r->thread / WARP_LANES)
            row[u] = larger(row[u], fenced_before_sync(s, u, r->wide));
    }
}

/* Keeps the row: one stamp for each warp if that is enough. Out of memory: nothing is released by it. */
static void keep_row(const struct block_shadow *s, struct release *r, const stamp_t row[BLOCK_THREADS])
{
    r->row_of_warps = true;
    for (unsigned u = 0; u < s->threads; u++)
        r->row_of_warps &= row[u] == row[u / WARP_LANES * WARP_LANES];
    const unsigned step = r->row_of_warps ? WARP_LANES : 1;
    r->row = malloc((s->threads + step - 1) / step * sizeof *row);
    for (unsigned u = 0; r->row && u < s->threads; u += step)
        r->row[u / step] = row[u];
}

static void describe(const struct block_shadow *s, struct release *r)
{
    const struct warp_clock *c = &s->warp[r->thread / WARP_LANES];
    const bool by_barrier = s->base > r->fence && r->wide, by_warp = c->base > r->fence && c->base != s->base;
    const stamp_t at_fence = s->fence_warp_base[r->thread];
    r->base = by_barrier ? s->wide_base[r->thread] : s->base;
    r->warp_base = c->base <= r->fence ? c->base : at_fence <= r->fence ? at_fence : r->base;
    if (by_barrier || by_warp || s->tables) {
        stamp_t row[BLOCK_THREADS];
        fill_row(s, r, by_barrier, by_warp, row);
        keep_row(s, r, row);
    }
}

static bool says_the_same(const struct release *a, const struct release *b)
{
    return a->thread == b->thread && a->base == b->base && a->warp_base == b->warp_base &&
           a->fence == b->fence && !a->row && !b->row && a->variable == b->variable && a->wide == b->wide &&
           a->joined == b->joined;
}

/* ---- release ------------------------------------------------------------------------------------------- */

/* Whether the thread knows all that was released to the variable. */
static bool knows_all(const struct block_shadow *s, unsigned thread, const struct variable *v, int variable)
{
    const bool was_last = v->last_block == s->number && v->last_thread == thread;
    const int needed = was_last ? v->others : v->version;
    const struct known *own = acquire_of(s, thread);
    return needed == 0 || known_version(own, variable, -1) >= needed ||
           known_version(s->common, variable, -1) >= needed;
}

/* What the thread had acquired when it had the fence, or now. */
static struct known *all_acquired(const struct block_shadow *s, unsigned thread, bool is_release, bool wide)
{
    const struct known *own = is_release ? acquire_of(s, thread) : acquire_at_fence(s, thread, wide);
    return known_join(known_hold((struct known *)(uintptr_t)own), s->common);
}

/* The variable has one more release. */
static void note_release(struct variable *v, struct release *r)
{
    const bool first = v->version == 0;
    if (v->last_block != r->block || v->last_thread != r->thread || first)
        v->others = v->version;
    v->several_blocks |= !first && v->last_block != r->block;
    r->version = ++v->version;
    v->narrow |= !r->wide;
    v->last_block = r->block;
    v->last_thread = r->thread;
    v->nearby = known_join(v->nearby, r->joined);
    if (r->wide)
        v->joined = known_join(v->joined, r->joined);
}

static void add_release(struct block_shadow *s, unsigned thread, int variable, stamp_t fence, bool is_release,
                        bool wide)
{
    struct release_table *t = s->hazards->releases;
    struct release *r = new_release(t);
    if (!r)
        return;
    *r = (struct release){.block = s->number,
                          .thread = thread,
                          .at = s->now,
                          .fence = fence,
                          .variable = variable,
                          .wide = wide,
                          .previous = map_get(&t->by_block, s->number),
                          .joined = all_acquired(s, thread, is_release, wide)};
    describe(s, r);
    struct variable *v = &t->variables[variable];
    bool same = r->previous >= t->forgotten && says_the_same(release_at(t, r->previous), r) &&
                release_at(t, r->previous)->version == v->version;
    if (same || !map_set(&t->by_block, s->number, t->release_count)) {
        destroy_release(r); /* a lock that is tried again and again */
        return;
    }
    note_release(v, r);
    t->release_count++;
}

/* The variable that the write leaves: a new one if a store replaces what others have released. */
static int variable_after(struct block_shadow *s, unsigned thread, uint64_t key, bool releases,
                          bool is_atomic)
{
    struct release_table *t = s->hazards->releases;
    int variable = map_get(&t->by_key, key);
    if (variable < 0)
        return releases ? new_variable(t, key) : -1;
    const struct variable *v = &t->variables[variable];
    if (is_atomic || knows_all(s, thread, v, variable))
        return variable;
    if (!releases && v->last_block == s->number && v->last_thread == thread)
        return variable; /* a store behind the thread's own release to the variable continues it */
    return new_variable(t, key);
}

void release_write(struct block_shadow *s, unsigned thread, uint64_t key, stamp_t fence, stamp_t wide_fence,
                   bool is_release, bool is_atomic)
{
    struct hazards *h = s->hazards;
    const bool releases = fence >= s->first || wide_fence >= s->first;
    if (!h->releases && !releases)
        return;
    if (!h->releases)
        h->releases = calloc(1, sizeof *h->releases);
    int variable = h->releases ? variable_after(s, thread, key, releases, is_atomic) : -1;
    if (variable < 0 || !releases)
        return;
    if (wide_fence >= s->first)
        add_release(s, thread, variable, wide_fence, is_release, true);
    if (fence >= s->first && fence > wide_fence)
        add_release(s, thread, variable, fence, is_release, false);
}

/* ---- questions ----------------------------------------------------------------------------------------- */

struct known *release_joined(const struct hazards *h, uint32_t block, int variable, int version)
{
    const struct release_table *t = h->releases;
    const struct variable *v = &t->variables[variable];
    struct known *k = NULL;
    if (!v->several_blocks)
        return v->last_block == block ? known_hold(v->nearby) : NULL;
    for (int i = map_get(&t->by_block, block); i >= t->forgotten; i = release_at(t, i)->previous)
        if (release_at(t, i)->variable == variable && release_at(t, i)->version <= version)
            k = known_join(k, release_at(t, i)->joined);
    return k;
}

static bool covers(const struct release *r, unsigned thread, stamp_t stamp)
{
    if (stamp < r->base || (thread == r->thread && stamp < r->fence))
        return true;
    if (thread / WARP_LANES == r->thread / WARP_LANES && stamp < r->warp_base)
        return true;
    return r->row && stamp < r->row[r->row_of_warps ? thread / WARP_LANES : thread];
}

static bool is_in(const struct known *k, const struct release *r)
{
    return k && (k->everything || (r->wide && known_version(k, r->variable, -1) >= r->version) ||
                 known_version(k, r->variable, r->block) >= r->version);
}

static bool known_by(const struct block_shadow *s, const struct known *own, uint32_t block, unsigned thread,
                     stamp_t stamp)
{
    const struct release_table *t = s->hazards->releases;
    if ((own && own->everything) || (s->common && s->common->everything))
        return true;
    if (!t)
        return false;
    int i = map_get(&t->by_block, block);
    for (; i >= t->forgotten && release_at(t, i)->at > stamp; i = release_at(t, i)->previous)
        if (covers(release_at(t, i), thread, stamp) &&
            (is_in(own, release_at(t, i)) || is_in(s->common, release_at(t, i))))
            return true;
    return i >= 0 && i < t->forgotten;
}

bool release_known(const struct block_shadow *s, unsigned t, uint32_t block, unsigned thread, stamp_t stamp)
{
    const struct known *own = acquire_of(s, t);
    return (own || s->common) && known_by(s, own, block, thread, stamp);
}

bool release_would_know(const struct block_shadow *s, const struct known *k, uint32_t block, unsigned thread,
                        stamp_t stamp)
{
    return known_by(s, k, block, thread, stamp);
}

enum reach { NOT_RELEASED, TO_ITS_BLOCK, TO_ALL_BLOCKS };

static enum reach reach_of(const struct hazards *h, uint32_t block, unsigned thread, stamp_t stamp)
{
    const struct release_table *t = h->releases;
    enum reach reach = NOT_RELEASED;
    for (int i = t ? map_get(&t->by_block, block) : -1;
         t && i >= t->forgotten && release_at(t, i)->at > stamp; i = release_at(t, i)->previous)
        if (covers(release_at(t, i), thread, stamp)) {
            if (release_at(t, i)->wide)
                return TO_ALL_BLOCKS;
            reach = TO_ITS_BLOCK;
        }
    return reach;
}

bool release_is_narrow(const struct hazards *h, uint32_t block, unsigned thread, stamp_t stamp)
{
    return reach_of(h, block, thread, stamp) == TO_ITS_BLOCK;
}

bool release_is_wide(const struct hazards *h, uint32_t block, unsigned thread, stamp_t stamp)
{
    return reach_of(h, block, thread, stamp) == TO_ALL_BLOCKS;
}

int64_t release_heard(const struct block_shadow *s, unsigned t)
{
    const struct release_table *table = s->hazards->releases;
    for (int i = table ? table->release_count - 1 : -1; table && i >= table->forgotten; i--) {
        const struct release *r = release_at(table, i);
        if (r->block != s->number && (is_in(acquire_of(s, t), r) || is_in(s->common, r)))
            return (int64_t)r->block;
    }
    return -1;
}
