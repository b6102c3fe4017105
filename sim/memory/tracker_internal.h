/* What tracker.c and attempt.c share. */
#pragma once

#include "sim/memory/tracker.h"

#define CHUNK_SHIFT 11
#define CHUNK_BYTES ((size_t)1 << CHUNK_SHIFT)
#define CHUNK_WORDS (CHUNK_BYTES / 64)
static inline size_t chunk_count(const struct allocation *a)
{
    return (a->info.size + CHUNK_BYTES - 1) >> CHUNK_SHIFT;
}

static inline unsigned set_count(const struct attempt *attempt)
{
    return 1 + 2 * attempt->workers;
}

static inline unsigned own_set(const struct tracker *t)
{
    return 1 + t->index;
}

static inline unsigned open_set(const struct tracker *t)
{
    return 1 + t->attempt->workers + t->index;
}

/* The bits of word i of what the set has written. */
static inline uint64_t tracked_written_word(const struct tracked *k, size_t i)
{
    uint64_t word = 0;
    for (unsigned plane = TRACK_WRITE; plane < TRACK_PLANES; plane++)
        word |= k->bits[plane] ? k->bits[plane][i] : 0;
    return word;
}

/* Makes room for one more element of the list; false: out of memory. */
bool tracker_reserve(void **list, size_t *capacity, size_t count, size_t element);
/* Keeps what the chunk holds, unless it is kept already: before the first write to it. */
bool tracker_save_chunk(struct tracker *t, struct allocation *a, size_t chunk);
/* The set has not touched the chunk. */
void tracked_clear_chunk(struct tracked *k, size_t chunk);
