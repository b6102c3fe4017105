/* An attempt of several threads: what memory held before, beginning and end, commit and roll back. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "sim/memory/tracker_internal.h"

/* What a thread may keep of the bytes that were there before. */
#define SAVED_BYTES_MAX ((size_t)1 << 30)

bool tracker_reserve(void **list, size_t *capacity, size_t count, size_t element)
{
    if (count < *capacity)
        return true;
    size_t larger = *capacity ? 2 * *capacity : 256;
    void *grown = realloc(*list, larger * element);
    if (!grown)
        return false;
    *list = grown;
    *capacity = larger;
    return true;
}

void tracked_clear_chunk(struct tracked *k, size_t chunk)
{
    for (unsigned p = 0; p < TRACK_PLANES; p++)
        if (k->dirty[chunk] >> p & 1)
            memset(k->bits[p] + chunk * CHUNK_WORDS, 0, CHUNK_WORDS * sizeof *k->bits[p]);
    k->dirty[chunk] = 0;
}

/* ---- what memory held before ---------------------------------------------------------------------------- */

enum { CHUNK_UNSAVED, CHUNK_BEING_SAVED, CHUNK_SAVED };

/* A state for each chunk of the allocation; whoever needs it first makes it. */
static uint8_t *saved_states(struct allocation *a)
{
    uint8_t *states = __atomic_load_n(&a->saved, __ATOMIC_ACQUIRE), *made;
    if (states)
        return states;
    made = calloc(chunk_count(a) + 1, sizeof *made);
    if (!made)
        return NULL;
    if (__atomic_compare_exchange_n(&a->saved, &states, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return made;
    free(made);
    return states;
}

static bool arena_reserve(struct tracker *t, size_t size)
{
    if (t->arena_used + size <= t->arena_capacity)
        return true;
    size_t capacity = t->arena_capacity ? 2 * t->arena_capacity : 64 * CHUNK_BYTES;
    unsigned char *arena = capacity <= SAVED_BYTES_MAX ? realloc(t->arena, capacity) : NULL;
    if (!arena)
        return false;
    t->arena = arena;
    t->arena_capacity = capacity;
    return true;
}

static size_t bytes_in_chunk(const struct allocation *a, size_t chunk)
{
    size_t left = a->info.size - (chunk << CHUNK_SHIFT);
    return left < CHUNK_BYTES ? left : CHUNK_BYTES;
}

static bool copy_chunk(struct tracker *t, struct allocation *a, size_t chunk)
{
    size_t size = bytes_in_chunk(a, chunk);
    if (!arena_reserve(t, size) ||
        !tracker_reserve((void **)&t->saved, &t->saved_capacity, t->saved_count, sizeof *t->saved))
        return false;
    memcpy(t->arena + t->arena_used, a->host + (chunk << CHUNK_SHIFT), size);
    t->saved[t->saved_count++] = (struct saved_chunk){{a, chunk}, t->arena_used};
    t->arena_used += size;
    return true;
}

/* No thread writes to a chunk before its bytes are saved, so that they are the ones of before the attempt. */
bool tracker_save_chunk(struct tracker *t, struct allocation *a, size_t chunk)
{
    uint8_t *states = saved_states(a), expected = CHUNK_UNSAVED;
    if (!states)
        return false;
    if (__atomic_compare_exchange_n(&states[chunk], &expected, CHUNK_BEING_SAVED, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
        bool copied = copy_chunk(t, a, chunk);
        __atomic_store_n(&states[chunk], copied ? CHUNK_SAVED : CHUNK_UNSAVED, __ATOMIC_RELEASE);
        return copied;
    }
    while (__atomic_load_n(&states[chunk], __ATOMIC_ACQUIRE) != CHUNK_SAVED) {
        if (attempt_stopped(t->attempt))
            return false;
        sched_yield();
    }
    return true;
}

/* ---- beginning and end --------------------------------------------------------------------------------- */

void tracker_forget_allocation(struct allocation *a)
{
    for (unsigned s = 0; s < a->tracked_sets; s++) {
        for (unsigned p = 0; p < TRACK_PLANES; p++)
            free(a->tracked[s].bits[p]);
        free(a->tracked[s].dirty);
        free(a->tracked[s].touched.bits[0]);
        free(a->tracked[s].touched.bits[1]);
        free(a->tracked[s].touched.pages);
    }
    free(a->tracked);
    free(a->saved);
    a->tracked = NULL;
    a->tracked_sets = 0;
    a->saved = NULL;
}

static bool prepare_allocation(struct allocation *a, unsigned sets)
{
    if (a->tracked_sets < sets) {
        tracker_forget_allocation(a);
        a->tracked = calloc(sets, sizeof *a->tracked);
        if (!a->tracked)
            return false;
        a->tracked_sets = sets;
    }
    for (unsigned s = 0; s < sets; s++)
        a->tracked[s].read = a->tracked[s].written = false;
    return true;
}

bool attempt_begin(struct attempt *attempt, struct sim *sim, unsigned workers)
{
    memset(attempt, 0, sizeof *attempt);
    attempt->sim = sim;
    attempt->workers = workers;
    for (unsigned w = 0; w < workers; w++) {
        attempt->tracker[w].attempt = attempt;
        attempt->tracker[w].index = w;
    }
    bool good = true;
    for (int i = 0; good && i < sim->memory->count; i++)
        if (!sim->memory->list[i]->info.freed)
            good = prepare_allocation(sim->memory->list[i], set_count(attempt));
    pthread_mutex_init(&attempt->lock, NULL);
    return good;
}

/* What finished units have written is written for good. */
static void keep_written_bits(struct allocation *a, size_t chunk)
{
    size_t words = a->info.size / 64 + 2, first = chunk * CHUNK_WORDS;
    const struct tracked *k = &a->tracked[0];
    for (size_t i = first; !a->written.all && i < first + CHUNK_WORDS && i < words; i++)
        a->written.bits[i] |= tracked_written_word(k, i);
}

void attempt_commit(struct attempt *attempt)
{
    struct sim *sim = attempt->sim;
    for (size_t i = 0; sim->config.hazards && i < attempt->finished.count; i++)
        keep_written_bits(attempt->finished.refs[i].allocation, attempt->finished.refs[i].chunk);
    for (int i = 0; !sim->config.hazards && i < sim->memory->count; i++) {
        struct allocation *a = sim->memory->list[i];
        if (!a->info.freed && a->tracked[0].written)
            a->written.all =
                true; /* bytes that are stored while no watcher looks count as written ever after */
    }
}

void attempt_roll_back(struct attempt *attempt)
{
    for (unsigned w = 0; w < attempt->workers; w++) {
        const struct tracker *t = &attempt->tracker[w];
        for (size_t i = 0; i < t->saved_count; i++) {
            struct chunk_ref r = t->saved[i].where;
            memcpy(r.allocation->host + (r.chunk << CHUNK_SHIFT), t->arena + t->saved[i].offset,
                   bytes_in_chunk(r.allocation, r.chunk));
        }
    }
    const struct memory *memory = attempt->sim->memory;
    for (int i = 0; attempt->stop == STOP_RETRY && i < memory->count; i++) {
        struct allocation *a = memory->list[i];
        bool read = false, written = false;
        for (unsigned s = 0; !a->info.freed && s < set_count(attempt); s++) {
            read |= a->tracked[s].read;
            written |= a->tracked[s].written;
        }
        a->track_reads |= read && written;
    }
}

static void clear_list(struct chunk_list *list, unsigned set)
{
    for (size_t i = 0; i < list->count; i++)
        tracked_clear_chunk(&list->refs[i].allocation->tracked[set], list->refs[i].chunk);
    free(list->refs);
    *list = (struct chunk_list){NULL, 0, 0};
}

void attempt_end(struct attempt *attempt)
{
    clear_list(&attempt->finished, 0);
    for (unsigned w = 0; w < attempt->workers; w++) {
        struct tracker *t = &attempt->tracker[w];
        clear_list(&t->dirty, own_set(t));
        clear_list(&attempt->open[w], open_set(t));
        for (size_t i = 0; i < t->saved_count; i++)
            t->saved[i].where.allocation->saved[t->saved[i].where.chunk] = CHUNK_UNSAVED;
        free(t->saved);
        free(t->arena);
    }
    pthread_mutex_destroy(&attempt->lock);
}
