#include "harness/cause/tally.h"

#include "harness/judge/compare.h"

#include <stdlib.h>
#include <string.h>

#include "sim/origin/origin.h"

#define LISTED 3 /* elements that are named of many */

static bool is_element(const struct tally *t, int64_t i)
{
    return i >= 0 && i < t->count;
}

static void add_needs(struct tally *t, const struct cause *c, const struct lab_need *need, int rows)
{
    for (int r = 0; r < rows; r++) {
        t->is_product |= need[r].with_next;
        if (need[r].buffer != t->buffer)
            continue;
        t->counted |= need[r].counted;
        t->of_many |= need[r].of_many;
        t->any_times |= need[r].any_times;
        for (int64_t k = 0; k < need[r].count; k++) {
            const int64_t at = need[r].first + k * need[r].stride;
            if (is_element(t, at) && (!need[r].chosen || need[r].chosen(&c->call->run, c->index, at)))
                t->need[at] = NEEDED;
            else if (is_element(t, at) && need[r].any_times && !t->need[at])
                t->need[at] = OPTIONAL; /* it changes nothing, as -infinity in a sum of exp() */
            else if (is_element(t, at) && rows == 1 && !t->need[at])
                t->need[at] = LEFT_OUT;
        }
    }
}

/* Elements that were only compared with the one that is needed. */
static bool is_bystander(const struct tally *t, const struct protocol_source *s)
{
    return t->of_many && (s->ways & SIM_ORIGIN_COMPARED);
}

/* Sums and differences: an element that is subtracted again has not gone in. */
static bool is_sum(const struct protocol_source *s)
{
    return s->times != UINT32_MAX && !(s->ways & (SIM_ORIGIN_FACTOR | SIM_ORIGIN_COMPARED));
}

/* How often the source's elements go in, one way or the other: once added and once subtracted is not at all. */
static uint32_t net_times(const struct protocol_source *s)
{
    if (!is_sum(s) || s->minus == 0 || s->minus > s->times)
        return s->times;
    const uint32_t plus = s->times - s->minus;
    return plus > s->minus ? plus - s->minus : s->minus - plus;
}

static bool is_cancelled(const struct tally *t, const struct protocol_source *s)
{
    return !t->counted && s->times && net_times(s) == 0;
}

/* `all`: also those of which what belongs there is multiplied by 0. */
static void add_sources(struct tally *t, const struct cause *c, bool all)
{
    const int64_t size = (int64_t)lab_type_size(c->call->run.buffer[t->buffer].type);
    for (uint32_t i = 0; i < c->origin->source_count && i < PROTOCOL_MAX_SOURCES; i++) {
        const struct protocol_source *s = &c->origin->source[i];
        for (uint64_t k = 0; s->buffer == t->buffer && k < s->count && k <= (uint64_t)t->count; k++) {
            const int64_t at = (s->offset + (int64_t)k * s->distance) / size;
            if (!is_element(t, at) || is_bystander(t, s))
                continue;
            if (!(s->ways & SIM_ORIGIN_MATTERS) && !(all && t->need[at] == NEEDED) && !t->counted)
                continue; /* 0 times the element */
            t->got[at] += t->counted ? s->index_times : net_times(s);
            if (is_cancelled(t, s) && t->need[at] == NEEDED)
                t->first_cancelled = t->cancelled++ == 0 ? at : t->first_cancelled;
        }
    }
}

static bool is_listed(const struct tally *t, bool missing, int64_t i)
{
    return missing ? t->need[i] == NEEDED && !t->got[i]
                   : t->need[i] != NEEDED && t->need[i] != OPTIONAL && t->got[i];
}

static void add_up(struct tally *t)
{
    t->needed = t->missing = t->extra = t->doubled = 0;
    t->first_missing = t->first_extra = t->first_doubled = -1;
    t->all_doubled = true;
    for (int64_t i = 0; i < t->count; i++) {
        t->needed += t->need[i] == NEEDED;
        if (is_listed(t, true, i))
            t->first_missing = t->missing++ == 0 ? i : t->first_missing;
        else if (is_listed(t, false, i)) {
            t->first_extra = t->extra++ == 0 ? i : t->first_extra;
        } else if (t->got[i] > 1) {
            t->first_doubled = t->doubled++ == 0 ? i : t->first_doubled;
        }
    }
    if (t->first_doubled >= 0)
        t->times = t->got[t->first_doubled];
    for (int64_t i = 0; i < t->count; i++)
        t->all_doubled &= t->need[i] != NEEDED || t->got[i] == t->times;
}

static void fill(struct tally *t, const struct cause *c, bool all)
{
    memset(t->got, 0, (size_t)t->count * sizeof *t->got);
    t->cancelled = 0;
    add_sources(t, c, all);
    add_up(t);
}

bool tally_make(struct tally *t, const struct cause *c, int buffer, const struct lab_need *need, int rows)
{
    *t = (struct tally){.buffer = buffer, .count = c->call->run.buffer[buffer].count};
    t->got = calloc((size_t)t->count + 1, sizeof *t->got);
    t->need = calloc((size_t)t->count + 1, 1);
    if (t->got && t->need) {
        add_needs(t, c, need, rows);
        fill(t, c, true);
        /* What is multiplied by 0 is missing if as many others stand for it; else an input may be 0. */
        if (t->missing == 0 && t->extra > 0) {
            fill(t, c, false);
            t->by_zero = t->missing == t->extra;
            if (!t->by_zero)
                fill(t, c, true);
        }
    }
    return t->got && t->need;
}

void tally_free(struct tally *t)
{
    free(t->got);
    free(t->need);
}

/* The source in which the element is. */
const struct protocol_source *tally_source(const struct cause *c, const struct tally *t, int64_t element)
{
    const int64_t size = (int64_t)lab_type_size(c->call->run.buffer[t->buffer].type);
    FOR_SOURCES(s, c)
    for (uint64_t k = 0; s->buffer == t->buffer && k < s->count && k <= (uint64_t)t->count; k++)
        if ((s->offset + (int64_t)k * s->distance) / size == element &&
            (t->counted ? s->index_times : net_times(s)))
            return s;
    return NULL;
}

void cause_say_cancelled(struct cause *c, const struct tally *t)
{
    char name[80], at[256];
    FOR_SOURCES(s, c)
    {
        if (s->buffer != t->buffer || t->cancelled == 0 || !is_cancelled(t, s))
            continue;
        const struct protocol_place *place = cause_place_of(c, s->minus_place);
        cause_name_offset(c, (uint32_t)s->buffer, s->offset, name, sizeof name);
        cause_name_place(c, place, at, sizeof at);
        SAY(c, "%s%s added to it and subtracted again", name, t->cancelled > 1 ? ", like others, is" : " is");
        if (place->line > 0)
            SAY(c, ", at %s", at);
        SAY(c, ".\n");
        cause_set_place(c, place);
        return;
    }
}

/* All of them are in one row: whether the last one is `total` behind the first. */
static bool is_row(const struct tally *t, bool missing, int64_t first, int64_t total)
{
    for (int64_t i = first; i < first + total; i++)
        if (i >= t->count || !is_listed(t, missing, i))
            return false;
    return total > LISTED;
}

void tally_name(const struct cause *c, const struct tally *t, bool missing, char *text, size_t size)
{
    const char *array = c->call->run.buffer[t->buffer].name;
    const int64_t total = missing ? t->missing : t->extra,
                  first = missing ? t->first_missing : t->first_extra;
    int named = 0;
    text_set(text, size, "%s", "");
    if (is_row(t, missing, first, total)) {
        text_set(text, size, "%s[%lld] to %s[%lld]", array, (long long)first, array,
                 (long long)(first + total - 1));
        return;
    }
    for (int64_t i = 0; i < t->count && named < LISTED; i++)
        if (is_listed(t, missing, i))
            text_append(text, size, "%s%s[%lld]", named++ ? ", " : "", array, (long long)i);
    if (total > named)
        text_append(text, size, " and %lld more element%s", (long long)(total - named),
                    total - named == 1 ? "" : "s");
}
