/*
 * Races in shared memory. Shadow has one cell a word until somebody accesses less than a word, then one a
 * byte.
 */
#include "sim/hazard/hazard.h"

#include <string.h>

/* Words become bytes: each has the cell of its word. */
static bool split_words(struct block_shadow *s)
{
    struct shadow_planes bytes, words = s->shared;
    if (!planes_create(&bytes, words.count * 4))
        return false;
    for (size_t plane = 0; plane < PLANES; plane++)
        for (size_t i = 0; i < bytes.count; i++)
            bytes.memory[plane * bytes.step + i] = words.memory[plane * words.step + i / 4];
    planes_destroy(&s->shared);
    s->shared = bytes;
    s->granule_shift = 0;
    return true;
}

void hazard_shared_access(struct pass *p)
{
    struct block_shadow *s = p->s;
    if (p->access->size < 4 && s->granule_shift == 2 && !split_words(s))
        return;
    if (s->shared.count == 0)
        return;
    p->planes = &s->shared;
    p->granule_shift = s->granule_shift;
    p->stale = p->own = s->first;
    p->own_end = INT32_MAX;
    shadow_access(p);
    if (p->unwritten)
        written_check_shared(p);
    if (p->access->kind != ACCESS_LOAD && !p->is_plain_store)
        written_mark_shared(p);
}
