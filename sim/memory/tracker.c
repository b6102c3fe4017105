/* Which bytes the blocks of an attempt touch, and who conflicts with whom. */
#include <stdlib.h>
#include <string.h>

#include "sim/core/bits.h"
#include "sim/core/simd.h"
#include "sim/memory/tracker_internal.h"

bool tracker_stop(struct tracker *t, enum track_stop why)
{
    int none = STOP_NOT;
    __atomic_compare_exchange_n(&t->attempt->stop, &none, (int)why, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    return false;
}

/* ---- lists that grow ----------------------------------------------------------------------------------- */

static bool list_add(struct chunk_list *list, struct allocation *a, size_t chunk)
{
    if (!tracker_reserve((void **)&list->refs, &list->capacity, list->count, sizeof *list->refs))
        return false;
    list->refs[list->count++] = (struct chunk_ref){a, chunk};
    return true;
}

static bool make_dirty_map(const struct allocation *a, struct tracked *k)
{
    if (!k->dirty)
        k->dirty = calloc(chunk_count(a) + 1, sizeof *k->dirty);
    return k->dirty != NULL;
}

static bool make_plane(const struct allocation *a, struct tracked *k, unsigned plane)
{
    if (!k->bits[plane])
        k->bits[plane] = calloc(chunk_count(a) * CHUNK_WORDS + 1, sizeof *k->bits[plane]);
    return k->bits[plane] != NULL;
}

/* ---- noting accesses ----------------------------------------------------------------------------------- */

/* The first access of this kind to the chunk in this unit. */
__attribute__((noinline)) static bool begin_chunk(struct tracker *t, struct allocation *a, struct tracked *k,
                                                  unsigned plane, size_t chunk)
{
    if (!make_dirty_map(a, k) || !make_plane(a, k, plane) ||
        (plane != TRACK_READ && !tracker_save_chunk(t, a, chunk)) ||
        (k->dirty[chunk] == 0 && !list_add(&t->dirty, a, chunk)))
        return tracker_stop(t, STOP_RESOURCE);
    k->dirty[chunk] |= (uint8_t)(1u << plane);
    return true;
}

/* The first read or write of the allocation by this thread; true if reads need no bits to tell conflicts. */
__attribute__((noinline)) static bool begin_allocation(struct tracker *t, const struct allocation *a,
                                                       struct tracked *k, bool is_read)
{
    *(is_read ? &k->read : &k->written) = true;
    t->touched_more = true;
    return a->track_reads || !(k->read && k->written) || tracker_stop(t, STOP_RETRY);
}

/*
 * Reads are noted byte by byte only in allocations that some launch has read and written: in others, that is
 * nearly always, it is enough to know that no thread writes at all.
 */
static inline bool note(struct tracker *t, struct allocation *a, unsigned plane, uint64_t first,
                        uint64_t bytes)
{
    struct tracked *k = &a->tracked[own_set(t)];
    bool is_read = plane == TRACK_READ;
    if (!(is_read ? k->read : k->written) && !begin_allocation(t, a, k, is_read))
        return false;
    if (is_read && !a->track_reads)
        return true;
    for (size_t c = first >> CHUNK_SHIFT, last = (first + bytes - 1) >> CHUNK_SHIFT; c <= last; c++)
        if ((!k->dirty || !(k->dirty[c] >> plane & 1)) && !begin_chunk(t, a, k, plane, c))
            return false;
    bits_set(k->bits[plane], first, bytes);
    return true;
}

/* The plane of atomics like this one; -1: those before and after it would not come out the same in any
 * order. */
static int atomic_plane(struct tracker *t, uint8_t kind)
{
    for (int i = 0; i < ATOMIC_KINDS && kind; i++) {
        uint8_t have = __atomic_load_n(&t->attempt->kind[i], __ATOMIC_RELAXED);
        if (have == 0 && __atomic_compare_exchange_n(&t->attempt->kind[i], &have, kind, false,
                                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            have = kind;
        if (have == kind)
            return TRACK_ATOMIC + i;
    }
    return -1;
}

static bool note_lanes(struct tracker *t, const struct access *access, unsigned plane)
{
    const struct memory *memory = t->attempt->sim->memory;
    struct allocation *a = access->inside;
    for (uint32_t rest = access->lanes; rest; rest &= rest - 1) {
        uint64_t address = access->address[__builtin_ctz(rest)];
        if (!access->inside)
            a = memory_recent(memory, access->pc, address);
        if (!a || !note(t, a, plane, address - a->info.address, (uint64_t)access->size))
            return tracker_stop(t, STOP_RESOURCE);
        if (access->inside && plane == TRACK_READ && !a->track_reads)
            return true; /* all lanes read the one allocation */
    }
    return true;
}

/* note(); the bits of where the instruction will probably be next are fetched. */
static inline bool note_ahead(struct tracker *t, struct allocation *a, unsigned plane, uint64_t first,
                              uint64_t bytes, int64_t leap)
{
    const uint64_t *bits = a->tracked[own_set(t)].bits[plane];
    if (leap && plane == TRACK_WRITE && bits)
        __builtin_prefetch((const void *)((uintptr_t)bits + (first + (uint64_t)leap) / 8));
    return note(t, a, plane, first, bytes);
}

bool tracker_access(struct tracker *t, const struct access *access)
{
    int plane = access->kind == ACCESS_LOAD    ? TRACK_READ
                : access->kind == ACCESS_STORE ? TRACK_WRITE
                                               : atomic_plane(t, access->commutes);
    if (attempt_stopped(t->attempt))
        return false;
    if (plane < 0)
        return tracker_stop(t, STOP_ORDER);
    struct allocation *a = access->inside;
    if (!a || access->shape == SHAPE_SCATTERED)
        return note_lanes(t, access, (unsigned)plane);
    uint64_t bytes = (uint64_t)access->size;
    if (access->shape == SHAPE_CONTIGUOUS)
        bytes *= (uint64_t)simd_lane_count(access->lanes);
    return note_ahead(t, a, (unsigned)plane, access->address[__builtin_ctz(access->lanes)] - a->info.address,
                      bytes, access->leap);
}

bool tracker_row(struct tracker *t, struct allocation *a, bool is_store, uint64_t first, uint64_t bytes,
                 int64_t leap)
{
    return !attempt_stopped(t->attempt) &&
           note_ahead(t, a, is_store ? TRACK_WRITE : TRACK_READ, first - a->info.address, bytes, leap);
}

bool tracker_written(const struct tracker *t, const struct allocation *a, size_t first, size_t size,
                     size_t *missing)
{
    size_t last = first + size - 1;
    if (a->written.all || size == 0)
        return true;
    for (size_t i = first / 64; i <= last / 64; i++) {
        uint64_t have = a->written.bits[i] | tracked_written_word(&a->tracked[own_set(t)], i) |
                        tracked_written_word(&a->tracked[open_set(t)], i);
        uint64_t lacking = bits_of_word(i, first, last) & ~have;
        if (lacking) {
            *missing = 64 * i + (size_t)__builtin_ctzll(lacking);
            return false;
        }
    }
    return true;
}

/* ---- conflicts ----------------------------------------------------------------------------------------- */

static bool planes_meet(const uint64_t *a, const uint64_t *b)
{
    uint64_t common = 0;
    for (size_t i = 0; i < CHUNK_WORDS; i++)
        common |= a[i] & b[i];
    return common != 0;
}

/* Whether a byte of the chunk that one of the sets writes is touched by the other. */
static bool sets_conflict(const struct tracked *a, const struct tracked *b, size_t chunk)
{
    if (!a->dirty || !b->dirty || !a->dirty[chunk] || !b->dirty[chunk])
        return false;
    for (unsigned p = 0; p < TRACK_PLANES; p++)
        for (unsigned q = 0; q < TRACK_PLANES; q++)
            if ((a->dirty[chunk] >> p & 1) && (b->dirty[chunk] >> q & 1) && (p != q || p == TRACK_WRITE) &&
                planes_meet(a->bits[p] + chunk * CHUNK_WORDS, b->bits[q] + chunk * CHUNK_WORDS))
                return true;
    return false;
}

static bool conflicts_with_others(const struct tracker *t, const struct allocation *a, size_t chunk)
{
    const struct tracked *mine = &a->tracked[own_set(t)];
    const struct attempt *attempt = t->attempt;
    if (sets_conflict(mine, &a->tracked[0], chunk))
        return true;
    for (unsigned w = 0; w < attempt->workers; w++)
        if (w != t->index && attempt->open[w].count &&
            sets_conflict(mine, &a->tracked[1 + attempt->workers + w], chunk))
            return true;
    return false;
}

/* Moves the chunk's bits from one set to another; false: out of memory. */
static bool move_chunk(struct allocation *a, unsigned from_set, unsigned to_set, struct chunk_list *to_list,
                       size_t chunk)
{
    struct tracked *from = &a->tracked[from_set], *to = &a->tracked[to_set];
    if (!make_dirty_map(a, to) || (to->dirty[chunk] == 0 && !list_add(to_list, a, chunk)))
        return false;
    for (unsigned p = 0; p < TRACK_PLANES; p++) {
        if (!(from->dirty[chunk] >> p & 1))
            continue;
        if (!make_plane(a, to, p))
            return false;
        uint64_t *d = to->bits[p] + chunk * CHUNK_WORDS;
        const uint64_t *s = from->bits[p] + chunk * CHUNK_WORDS;
        for (size_t i = 0; i < CHUNK_WORDS; i++)
            d[i] |= s[i];
        to->dirty[chunk] |= (uint8_t)(1u << p);
    }
    return true;
}

/* Which allocations any thread has read, and any has written, so far; without bits for reads that is too much. */
static bool join_flags(struct tracker *t)
{
    const struct memory *memory = t->attempt->sim->memory;
    bool fine = true;
    for (int i = 0; t->touched_more && i < memory->count; i++) {
        struct allocation *a = memory->list[i];
        if (a->info.freed)
            continue;
        a->tracked[0].read |= a->tracked[own_set(t)].read;
        a->tracked[0].written |= a->tracked[own_set(t)].written;
        fine &= a->track_reads || !(a->tracked[0].read && a->tracked[0].written);
    }
    t->touched_more = false;
    return fine;
}

static bool move_unit(struct tracker *t, struct chunk_list *from, unsigned from_set, unsigned to_set,
                      struct chunk_list *to, bool check)
{
    bool good = true;
    for (size_t i = 0; i < from->count; i++) {
        struct chunk_ref r = from->refs[i];
        if (check && good && conflicts_with_others(t, r.allocation, r.chunk))
            good = tracker_stop(t, STOP_ORDER);
        if (!move_chunk(r.allocation, from_set, to_set, to, r.chunk))
            good = tracker_stop(t, STOP_RESOURCE);
        tracked_clear_chunk(&r.allocation->tracked[from_set], r.chunk);
    }
    from->count = 0;
    return good;
}

static bool pass_on(struct tracker *t, unsigned to_set, struct chunk_list *to)
{
    if (!join_flags(t))
        return tracker_stop(t, STOP_RETRY);
    return move_unit(t, &t->dirty, own_set(t), to_set, to, true);
}

bool tracker_finish_unit(struct tracker *t)
{
    struct attempt *attempt = t->attempt;
    struct chunk_list *shown = &attempt->open[t->index];
    pthread_mutex_lock(&attempt->lock);
    bool good = pass_on(t, 0, &attempt->finished);
    if (good && shown->count)
        good = move_unit(t, shown, open_set(t), 0, &attempt->finished, false);
    pthread_mutex_unlock(&attempt->lock);
    return good && !attempt_stopped(attempt);
}

bool tracker_show_unit(struct tracker *t)
{
    struct attempt *attempt = t->attempt;
    pthread_mutex_lock(&attempt->lock);
    bool good = pass_on(t, open_set(t), &attempt->open[t->index]);
    pthread_mutex_unlock(&attempt->lock);
    return good && !attempt_stopped(attempt);
}
