/* Which elements went into a wrong value: missing ones, extra ones, doubled ones. */
#include "harness/grader_cause_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/origin/origin.h"

#define LISTED 3 /* elements that are named of many */

/* ---- elements: missing, extra, doubled ----------------------------------------------------------------- */

/* How often each element of a buffer went into the value, beside how often it should. */
struct tally {
    int buffer;
    int64_t count;
    uint32_t *got;
    unsigned char *need;
    int64_t missing, extra, doubled, needed; /* elements */
    int64_t first_missing, last_missing, first_extra, first_doubled;
    uint32_t times;   /* of the one doubled first */
    bool all_doubled; /* all that are needed went in equally often */
};

static bool is_element(const struct tally *t, int64_t i)
{
    return i >= 0 && i < t->count;
}

static void add_needs(struct tally *t, const struct lab_need *need, int rows)
{
    for (int r = 0; r < rows; r++)
        for (int64_t k = 0; need[r].buffer == t->buffer && k < need[r].count; k++)
            if (is_element(t, need[r].first + k * need[r].stride))
                t->need[need[r].first + k * need[r].stride] = 1;
}

static void add_sources(struct tally *t, const struct cause *c)
{
    const int64_t size = (int64_t)lab_type_size(c->call->run.buffer[t->buffer].type);
    for (uint32_t i = 0; i < c->origin->source_count && i < PROTOCOL_MAX_SOURCES; i++) {
        const struct protocol_source *s = &c->origin->source[i];
        for (uint64_t k = 0; s->buffer == t->buffer && k < s->count && k <= (uint64_t)t->count; k++) {
            const int64_t at = (s->offset + (int64_t)k * s->distance) / size;
            if (is_element(t, at))
                t->got[at] += s->times;
        }
    }
}

static void add_up(struct tally *t)
{
    t->first_missing = t->first_extra = t->first_doubled = -1;
    t->all_doubled = true;
    for (int64_t i = 0; i < t->count; i++) {
        t->needed += t->need[i];
        if (t->need[i] && !t->got[i]) {
            t->first_missing = t->missing++ == 0 ? i : t->first_missing;
            t->last_missing = i;
        } else if (!t->need[i] && t->got[i]) {
            t->first_extra = t->extra++ == 0 ? i : t->first_extra;
        } else if (t->got[i] > 1) {
            t->first_doubled = t->doubled++ == 0 ? i : t->first_doubled;
        }
    }
    if (t->first_doubled >= 0)
        t->times = t->got[t->first_doubled];
    for (int64_t i = 0; i < t->count; i++)
        t->all_doubled &= !t->need[i] || t->got[i] == t->times;
}

static bool make_tally(struct tally *t, const struct cause *c, int buffer, const struct lab_need *need,
                       int rows)
{
    *t = (struct tally){.buffer = buffer, .count = c->call->run.buffer[buffer].count};
    t->got = calloc((size_t)t->count + 1, sizeof *t->got);
    t->need = calloc((size_t)t->count + 1, 1);
    if (t->got && t->need) {
        add_needs(t, need, rows);
        add_sources(t, c);
        add_up(t);
    }
    return t->got && t->need;
}

static void free_tally(struct tally *t)
{
    free(t->got);
    free(t->need);
}

/* The source in which the element is. */
static const struct protocol_source *source_of(const struct cause *c, const struct tally *t, int64_t element)
{
    const int64_t size = (int64_t)lab_type_size(c->call->run.buffer[t->buffer].type);
    for (uint32_t i = 0; i < c->origin->source_count && i < PROTOCOL_MAX_SOURCES; i++) {
        const struct protocol_source *s = &c->origin->source[i];
        for (uint64_t k = 0; s->buffer == t->buffer && k < s->count && k <= (uint64_t)t->count; k++)
            if ((s->offset + (int64_t)k * s->distance) / size == element)
                return s;
    }
    return NULL;
}

static void name_list(const struct cause *c, const struct tally *t, bool missing, char *text, size_t size)
{
    const char *array = c->call->run.buffer[t->buffer].name;
    const int64_t total = missing ? t->missing : t->extra;
    int named = 0;
    text_set(text, size, "%s", "");
    if (missing && total > LISTED && t->last_missing - t->first_missing + 1 == total) {
        text_set(text, size, "%s[%lld] to %s[%lld]", array, (long long)t->first_missing, array,
                 (long long)t->last_missing);
        return;
    }
    for (int64_t i = 0; i < t->count && named < LISTED; i++) {
        if (missing ? !t->need[i] || t->got[i] : t->need[i] || !t->got[i])
            continue;
        text_append(text, size, "%s%s[%lld]", named ? ", " : "", array, (long long)i);
        named++;
    }
    if (total > named)
        text_append(text, size, " and %lld more", (long long)(total - named));
}

/* One element instead of another. */
static void tell_exchanged(struct cause *c, const struct tally *t)
{
    char thread[128], at[256];
    const char *array = c->call->run.buffer[t->buffer].name;
    const struct protocol_source *s = source_of(c, t, t->first_extra);
    cause_name_thread(c, &s->thread, thread, sizeof thread);
    cause_name_place(&s->place, at, sizeof at);
    SAY(c, "%s is computed from %s[%lld], and should be from %s[%lld]: %s reads it at %s.\n", c->name, array,
        (long long)t->first_extra, array, (long long)t->first_missing, thread, at);
    cause_tell_index(c, &s->place, s->index_uses, &s->thread, "reads");
    cause_set_place(c, &s->place);
}

static void tell_extra(struct cause *c, const struct tally *t)
{
    char list[256], thread[128], at[256];
    const struct protocol_source *s = source_of(c, t, t->first_extra);
    name_list(c, t, false, list, sizeof list);
    cause_name_thread(c, &s->thread, thread, sizeof thread);
    cause_name_place(&s->place, at, sizeof at);
    SAY(c, "Into %s go %s, which %s not belong to it; the first one is read by %s at %s.\n", c->name, list,
        t->extra == 1 ? "does" : "do", thread, at);
    cause_tell_index(c, &s->place, s->index_uses, &s->thread, "reads");
    cause_set_place(c, &s->place);
}

/* A number that a loop sets again and again: only what came after the last time counts. */
static bool tell_reset(struct cause *c)
{
    char at[256], thread[128];
    for (uint32_t i = 0; i < c->origin->source_count && i < PROTOCOL_MAX_SOURCES; i++) {
        const struct protocol_source *s = &c->origin->source[i];
        if (s->kind != SIM_ORIGIN_IMMEDIATE || s->bits != 0 || s->runs < 2)
            continue;
        cause_name_place(&s->place, at, sizeof at);
        cause_name_thread(c, &s->thread, thread, sizeof thread);
        SAY(c, "%s sets it to 0 again, %u times in %s: only what comes after the last time counts.\n", at,
            s->runs, thread);
        cause_set_place(c, &s->place);
        return true;
    }
    return false;
}

/* Whether nothing but numbers in the code went into the value. */
static bool is_constant(const struct cause *c)
{
    for (uint32_t i = 0; i < c->origin->source_count && i < PROTOCOL_MAX_SOURCES; i++)
        if (c->origin->source[i].kind != SIM_ORIGIN_IMMEDIATE)
            return false;
    return c->origin->source_count > 0;
}

static void tell_missing(struct cause *c, const struct tally *t)
{
    char list[256], at[256], thread[128];
    name_list(c, t, true, list, sizeof list);
    if (t->needed == 1)
        SAY(c, "%s should be made of %s, which does not go into it.\n", c->name, list);
    else
        SAY(c, "Into %s go %lld of the %lld elements of %s that belong to it; %s %s missing.\n", c->name,
            (long long)(t->needed - t->missing), (long long)t->needed, c->call->run.buffer[t->buffer].name,
            list, t->missing == 1 ? "is" : "are");
    if (tell_reset(c) || cause_tell_overwritten(c))
        return;
    if (c->origin->store_count == 0) {
        cause_name_place(&c->origin->copied, at, sizeof at);
        SAY(c, "No kernel stored what is copied back at %s.\n", at);
        cause_set_place(c, &c->origin->copied);
        return;
    }
    if (is_constant(c))
        SAY(c, "No input at all goes into it, only numbers that stand in the code.\n");
    cause_name_place(&c->origin->store[0].place, at, sizeof at);
    cause_name_thread(c, &c->origin->store[0].thread, thread, sizeof thread);
    SAY(c, "It is stored at %s by %s%s.\n", at, thread, c->origin->store_count > 1 ? ", and by others" : "");
    cause_say_path(c);
    cause_set_place(c, &c->origin->store[0].place);
}

static void tell_doubled(struct cause *c, const struct tally *t)
{
    char at[256];
    const struct protocol_origin *o = c->origin;
    const char *array = c->call->run.buffer[t->buffer].name;
    cause_name_place(&o->store[0].place, at, sizeof at);
    if (t->needed == 1)
        SAY(c, "%s[%lld] goes into %s %u times, and should go into it once.\n", array,
            (long long)t->first_doubled, c->name, t->times);
    else if (t->all_doubled)
        SAY(c, "Each element of %s that belongs to %s goes into it %u times.\n", array, c->name, t->times);
    else
        SAY(c,
            "%s[%lld] goes into %s %u times, and should go into it once (%lld elements go in too often).\n",
            array, (long long)t->first_doubled, c->name, t->times, (long long)t->doubled);
    if (c->buffer < 0)
        SAY(c, "What is copied back is stored at %s.\n", at);
    else if (o->store_count > 1)
        SAY(c, "%llu %s at %s.\n", (unsigned long long)o->store_count,
            o->store[0].is_atomic ? "threads add to it" : "times it is stored", at);
    else
        SAY(c, "It is stored once, at %s: it is added too often before that.\n", at);
    cause_say_path(c);
    cause_set_place(c, &o->store[0].place);
}

/* Constants, and memory outside of the call's buffers: it may hold copies of inputs. */
static bool has_other_memory(const struct cause *c)
{
    for (uint32_t i = 0; i < c->origin->source_count && i < PROTOCOL_MAX_SOURCES; i++) {
        const struct protocol_source *s = &c->origin->source[i];
        if (s->kind == SIM_ORIGIN_CONSTANT || s->kind == SIM_ORIGIN_CALL ||
            (s->kind == SIM_ORIGIN_MEMORY && s->buffer < 0))
            return true;
    }
    return false;
}

/* 1: told; 0: nothing is wrong; -1: the elements may have come by a way that is not followed. */
static int tell_tally(struct cause *c, const struct tally *t)
{
    if (t->missing == t->needed && t->extra == 0 && has_other_memory(c))
        return -1;
    if (t->missing == 1 && t->extra == 1)
        tell_exchanged(c, t);
    else if (t->extra > 0)
        tell_extra(c, t);
    else if (t->missing > 0)
        tell_missing(c, t);
    else if (t->doubled > 0)
        tell_doubled(c, t);
    else
        return 0;
    return 1;
}

/* 1: told; 0: the elements are those that belong to it; -1: not known. */
int cause_tell_elements(struct cause *c)
{
    const struct lab_task *task = c->call->task;
    struct lab_need need[LAB_MAX_NEEDS];
    const int rows = task->needs ? task->needs(&c->call->run, c->buffer, c->index, need) : 0;
    int told = 0;
    if (rows == 0 || c->origin->incomplete || c->origin->source_count > PROTOCOL_MAX_SOURCES)
        return -1;
    for (int b = 0; b < c->call->run.buffer_count && told <= 0; b++) {
        struct tally tally = {0};
        bool needed = false;
        for (int r = 0; r < rows; r++)
            needed |= need[r].buffer == b;
        if (needed && make_tally(&tally, c, b, need, rows)) {
            const int found = tell_tally(c, &tally);
            told = found ? found : told;
        }
        free_tally(&tally);
    }
    return told;
}
