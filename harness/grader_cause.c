#include "harness/grader_cause.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/origin/origin.h"

#define LISTED 3 /* elements that are named of many */

/* One wrong element, and what is known of it. */
struct cause {
    const struct call *call;
    const struct protocol_mailbox *mailbox;
    const struct protocol_origin *origin, *other; /* of this element, and of another one */
    int buffer;
    int64_t index;
    char name[64]; /* "d_y[256]" */
    char *text;
    size_t size;
    struct protocol_place *place;
};

#define SAY(c, ...) text_append((c)->text, (c)->size, __VA_ARGS__)

/* ---- names --------------------------------------------------------------------------------------------- */

static void name_element(const struct call *call, int buffer, int64_t index, char *name, size_t size)
{
    if (buffer < 0) {
        const char *result = call->task->result_names[index];
        text_set(name, size, "%s", result ? result : "the returned value");
        return;
    }
    text_set(name, size, "%s[%lld]", call->run.buffer[buffer].name, (long long)index);
}

static const struct protocol_launch *launch_of(const struct cause *c, const struct protocol_thread *thread)
{
    return thread->launch >= 0 && thread->launch < PROTOCOL_MAX_LAUNCHES &&
                   thread->launch < (int)c->mailbox->launch_count
               ? &c->mailbox->launch[thread->launch]
               : NULL;
}

static bool is_flat(const uint32_t size[3])
{
    return size[1] == 1 && size[2] == 1;
}

static void say_position(char *text, size_t size, const char *what, const uint32_t at[3], bool flat)
{
    if (flat)
        text_append(text, size, "%s %u", what, at[0]);
    else
        text_append(text, size, "%s (%u,%u,%u)", what, at[0], at[1], at[2]);
}

/* "thread 5 of block 1", or with all coordinates. */
static void name_thread(const struct cause *c, const struct protocol_thread *thread, char *text, size_t size)
{
    const struct protocol_launch *launch = launch_of(c, thread);
    text_set(text, size, "%s", "");
    say_position(text, size, "thread", thread->thread, launch && is_flat(launch->block));
    say_position(text, size, " of block", thread->block, launch && is_flat(launch->grid));
}

static const char *file_name(const struct protocol_place *place)
{
    const char *slash = strrchr(place->file, '/');
    return slash ? slash + 1 : place->file;
}

static void name_place(const struct protocol_place *place, char *text, size_t size)
{
    if (place->line > 0 && place->file[0])
        text_set(text, size, "%s:%d", file_name(place), place->line);
    else
        text_set(text, size, "an unknown line");
}

/* The first place that is given is that of the finding. */
static void set_place(struct cause *c, const struct protocol_place *place)
{
    if (c->place->line == 0)
        *c->place = *place;
}

/* "<<<3, 256>>>", or with all sizes. */
static void name_launch(const struct protocol_launch *launch, char *text, size_t size)
{
    text_set(text, size, "%s<<<", launch->kernel);
    if (is_flat(launch->grid))
        text_append(text, size, "%u, ", launch->grid[0]);
    else
        text_append(text, size, "(%u,%u,%u), ", launch->grid[0], launch->grid[1], launch->grid[2]);
    if (is_flat(launch->block))
        text_append(text, size, "%u>>>", launch->block[0]);
    else
        text_append(text, size, "(%u,%u,%u)>>>", launch->block[0], launch->block[1], launch->block[2]);
}

/* "lines 36, 39 and 43" of the file, through which the value went; false: there is none but the store's own. */
static bool name_path(const struct cause *c, char *text, size_t size)
{
    const struct protocol_origin *o = c->origin;
    int named = 0;
    text_set(text, size, "%s", "");
    for (uint32_t i = 0; i < o->path_count; i++) {
        char at[256];
        if (o->path[i].line == o->store[0].place.line || o->path[i].line == 0)
            continue;
        name_place(&o->path[i], at, sizeof at);
        text_append(text, size, "%s%s", named++ ? ", " : "", at);
    }
    return named > 0;
}

static void say_path(struct cause *c)
{
    char path[256];
    if (name_path(c, path, sizeof path))
        SAY(c, "On its way it passes %s.\n", path);
}

/* ---- indices ------------------------------------------------------------------------------------------- */

/*
 * What an index should depend on and does not: the launch has more than one of it, and this thread is not at 0, so that
 * it makes a difference here. NULL: nothing of the kind.
 */
static const char *lacking(const struct cause *c, uint32_t uses, const struct protocol_thread *thread)
{
    static const struct {
        uint32_t use;
        bool of_block;
        int axis;
        const char *name;
    } parts[] = {
        {SIM_ORIGIN_CTAID_X, true, 0, "blockIdx.x"}, {SIM_ORIGIN_TID_X, false, 0, "threadIdx.x"},
        {SIM_ORIGIN_CTAID_Y, true, 1, "blockIdx.y"}, {SIM_ORIGIN_TID_Y, false, 1, "threadIdx.y"},
        {SIM_ORIGIN_CTAID_Z, true, 2, "blockIdx.z"}, {SIM_ORIGIN_TID_Z, false, 2, "threadIdx.z"},
    };
    if (!launch_of(c, thread) || (uses & (SIM_ORIGIN_INDIRECT | SIM_ORIGIN_OTHER)))
        return NULL;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const uint32_t *at = parts[i].of_block ? thread->block : thread->thread;
        if (!(uses & parts[i].use) && at[parts[i].axis] != 0)
            return parts[i].name;
    }
    return NULL;
}

static bool uses_anything(uint32_t uses)
{
    return (uses & (SIM_ORIGIN_TID_X | SIM_ORIGIN_TID_Y | SIM_ORIGIN_TID_Z | SIM_ORIGIN_CTAID_X |
                    SIM_ORIGIN_CTAID_Y | SIM_ORIGIN_CTAID_Z | SIM_ORIGIN_LANE)) != 0;
}

/* ---- never stored -------------------------------------------------------------------------------------- */

static uint64_t threads_of(const struct protocol_launch *launch)
{
    uint64_t count = 1;
    for (int axis = 0; axis < 3; axis++)
        count *= (uint64_t)launch->grid[axis] * launch->block[axis];
    return count;
}

/* Another element is stored by several blocks or threads, with an index that does not tell them apart. */
static bool tell_shared_index(struct cause *c)
{
    const struct protocol_origin *o = c->other;
    char at[256], first[128], second[128];
    for (uint64_t i = 0; o->known && i < o->store_count && i < PROTOCOL_MAX_STORES; i++) {
        const struct protocol_store *store = &o->store[i];
        const char *missing = lacking(c, store->index_uses, &store->thread);
        if (!missing || store->is_atomic)
            continue;
        const struct protocol_store *last = &o->store[i > 0 ? 0 : 1];
        name_place(&store->place, at, sizeof at);
        name_thread(c, &store->thread, first, sizeof first);
        SAY(c, "The index with which %s stores does not depend on %s", at, missing);
        if (o->store_count > 1) {
            name_thread(c, &last->thread, second, sizeof second);
            SAY(c, ": %s and %s store the same element", first, second);
        }
        SAY(c, ".\n");
        set_place(c, &store->place);
        return true;
    }
    return false;
}

/* Whether the element before is stored by the thread of its number: each thread has an element. */
static bool has_thread_per_element(const struct cause *c, const struct protocol_launch *launch)
{
    if (!c->other->known || c->other->store_count == 0 || !is_flat(launch->grid) || !is_flat(launch->block))
        return false;
    const struct protocol_thread *thread = &c->other->store[0].thread;
    return c->index > 0 && (int64_t)thread->block[0] * launch->block[0] + thread->thread[0] == c->index - 1;
}

static bool tell_never_stored(struct cause *c)
{
    char launch[320], at[256], owner[96] = "";
    if (c->origin->store_count > 0)
        return false;
    if (c->mailbox->launch_count == 0) {
        SAY(c, "No kernel was launched, and nothing else stores %s: was the number of blocks 0?\n", c->name);
        return true;
    }
    const struct protocol_launch *first = &c->mailbox->launch[0];
    const bool alone = c->mailbox->launch_count == 1;
    const int64_t count = c->call->run.buffer[c->buffer].count, threads = (int64_t)threads_of(first);
    name_launch(first, launch, sizeof launch);
    if (first->place.line > 0) {
        name_place(&first->place, at, sizeof at);
        text_append(launch, sizeof launch, " at %s", at);
    }
    if (c->call->task->owner)
        c->call->task->owner(&c->call->run, c->buffer, c->index, owner, sizeof owner);
    SAY(c, "No thread stores %s%s%s%s.\n", c->name, owner[0] ? " (" : "", owner, owner[0] ? ")" : "");
    if (tell_shared_index(c))
        return true;
    if (alone && c->index >= threads && has_thread_per_element(c, first))
        SAY(c, "%s has %lld threads for %lld elements: is the number of blocks rounded up?\n", launch,
            (long long)threads, (long long)count);
    else if (alone)
        SAY(c,
            "%s was all that was launched: no thread of it takes this element, by its index or by a condition.\n",
            launch);
    else
        SAY(c, "%u kernels were launched, %s first.\n", c->mailbox->launch_count, launch);
    if (c->other->known && c->other->store_count > 0) {
        name_place(&c->other->store[0].place, at, sizeof at);
        SAY(c, "The element beside it is stored at %s.\n", at);
        set_place(c, &c->other->store[0].place);
    }
    return true;
}

/* ---- undefined ----------------------------------------------------------------------------------------- */

static bool tell_undefined(struct cause *c)
{
    char place[256], thread[128];
    for (uint32_t i = 0; i < c->origin->source_count && i < PROTOCOL_MAX_SOURCES; i++) {
        const struct protocol_source *s = &c->origin->source[i];
        if (s->kind != SIM_ORIGIN_UNWRITTEN && s->kind != SIM_ORIGIN_REGISTER)
            continue;
        name_thread(c, &s->thread, thread, sizeof thread);
        if (s->kind == SIM_ORIGIN_REGISTER) {
            SAY(c,
                "Into %s goes a variable of %s that was never set: give it a value where it is declared.\n",
                c->name, thread);
            set_place(c, &c->origin->store[0].place);
            return true;
        }
        name_place(&s->place, place, sizeof place);
        SAY(c, "Into %s goes memory that nothing has written: %s reads it at %s.\n", c->name, thread, place);
        set_place(c, &s->place);
        return true;
    }
    return false;
}

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

/* Of an index that leads to the wrong element: why, if that is known. */
static void tell_index(struct cause *c, const struct protocol_place *place, uint32_t uses,
                       const struct protocol_thread *thread, const char *what)
{
    char at[256];
    const char *missing = lacking(c, uses, thread);
    name_place(place, at, sizeof at);
    if (missing && !uses_anything(uses))
        SAY(c, "The index with which %s %s does not depend on the thread at all.\n", at, what);
    else if (missing)
        SAY(c, "The index with which %s %s does not depend on %s.\n", at, what, missing);
}

/* One element in the place of another. */
static void tell_exchanged(struct cause *c, const struct tally *t)
{
    char thread[128], at[256];
    const char *array = c->call->run.buffer[t->buffer].name;
    const struct protocol_source *s = source_of(c, t, t->first_extra);
    name_thread(c, &s->thread, thread, sizeof thread);
    name_place(&s->place, at, sizeof at);
    SAY(c, "%s is computed from %s[%lld], and should be from %s[%lld]: %s reads it at %s.\n", c->name, array,
        (long long)t->first_extra, array, (long long)t->first_missing, thread, at);
    tell_index(c, &s->place, s->index_uses, &s->thread, "reads");
    set_place(c, &s->place);
}

static void tell_extra(struct cause *c, const struct tally *t)
{
    char list[256], thread[128], at[256];
    const struct protocol_source *s = source_of(c, t, t->first_extra);
    name_list(c, t, false, list, sizeof list);
    name_thread(c, &s->thread, thread, sizeof thread);
    name_place(&s->place, at, sizeof at);
    SAY(c, "Into %s go %s, which %s not belong to it; the first one is read by %s at %s.\n", c->name, list,
        t->extra == 1 ? "does" : "do", thread, at);
    tell_index(c, &s->place, s->index_uses, &s->thread, "reads");
    set_place(c, &s->place);
}

/* A number that a loop sets again and again: only what came after the last time counts. */
static bool tell_reset(struct cause *c)
{
    char at[256], thread[128];
    for (uint32_t i = 0; i < c->origin->source_count && i < PROTOCOL_MAX_SOURCES; i++) {
        const struct protocol_source *s = &c->origin->source[i];
        if (s->kind != SIM_ORIGIN_IMMEDIATE || s->bits != 0 || s->runs < 2)
            continue;
        name_place(&s->place, at, sizeof at);
        name_thread(c, &s->thread, thread, sizeof thread);
        SAY(c, "%s sets it to 0 again, %u times in %s: only what comes after the last time counts.\n", at,
            s->runs, thread);
        set_place(c, &s->place);
        return true;
    }
    return false;
}

/* Several threads stored the element, one over the other. */
static bool tell_overwritten(struct cause *c)
{
    char at[256], thread[128], other[128];
    const struct protocol_origin *o = c->origin;
    if (c->buffer < 0 || o->store_count < 2 || o->store[0].is_atomic)
        return false;
    name_place(&o->store[0].place, at, sizeof at);
    name_thread(c, &o->store[0].thread, thread, sizeof thread);
    name_thread(c, &o->store[1].thread, other, sizeof other);
    if (memcmp(&o->store[0].thread, &o->store[1].thread, sizeof o->store[0].thread) == 0)
        return false;
    SAY(c, "%llu stores to it replace one another; the last one is by %s at %s, the one before by %s.\n",
        (unsigned long long)o->store_count, thread, at, other);
    tell_index(c, &o->store[0].place, o->store[0].index_uses, &o->store[0].thread, "stores");
    set_place(c, &o->store[0].place);
    return true;
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
    if (tell_reset(c) || tell_overwritten(c))
        return;
    if (c->origin->store_count == 0) {
        name_place(&c->origin->copied, at, sizeof at);
        SAY(c, "No kernel stored what is copied back at %s.\n", at);
        set_place(c, &c->origin->copied);
        return;
    }
    if (is_constant(c))
        SAY(c, "No input at all goes into it, only numbers that stand in the code.\n");
    name_place(&c->origin->store[0].place, at, sizeof at);
    name_thread(c, &c->origin->store[0].thread, thread, sizeof thread);
    SAY(c, "It is stored at %s by %s%s.\n", at, thread, c->origin->store_count > 1 ? ", and by others" : "");
    say_path(c);
    set_place(c, &c->origin->store[0].place);
}

static void tell_doubled(struct cause *c, const struct tally *t)
{
    char at[256];
    const struct protocol_origin *o = c->origin;
    const char *array = c->call->run.buffer[t->buffer].name;
    name_place(&o->store[0].place, at, sizeof at);
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
    say_path(c);
    set_place(c, &o->store[0].place);
}

/* Memory that is none of the call's buffers, and constants: copies of inputs that are not followed. */
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
static int tell_elements(struct cause *c)
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

/* ---- operations ---------------------------------------------------------------------------------------- */

static bool tell_steps(struct cause *c)
{
    char at[256];
    if (c->origin->step_count == 0)
        return false;
    name_place(&c->origin->step[0].place, at, sizeof at);
    switch (c->origin->step[0].note) {
    case SIM_ORIGIN_TO_INTEGER:
        SAY(c, "On the way to %s the number is turned into an integer at %s.\n", c->name, at);
        break;
    case SIM_ORIGIN_TO_FLOAT:
        SAY(c, "On the way to %s the number loses digits at %s: a double becomes a float.\n", c->name, at);
        break;
    case SIM_ORIGIN_TO_HALF:
        SAY(c, "On the way to %s the number loses digits at %s: it becomes a number in half precision.\n",
            c->name, at);
        break;
    default: SAY(c, "On the way to %s integers are divided at %s: what is left over is lost.\n", c->name, at);
    }
    set_place(c, &c->origin->step[0].place);
    return true;
}

/* Numbers in the code that go into the value beside the elements, other than 0. */
static void tell_numbers(struct cause *c)
{
    char at[256];
    for (uint32_t i = 0; i < c->origin->source_count && i < PROTOCOL_MAX_SOURCES; i++) {
        const struct protocol_source *s = &c->origin->source[i];
        double number = (double)(int64_t)s->bits;
        if (s->kind != SIM_ORIGIN_IMMEDIATE || s->bits == 0)
            continue;
        if (s->size == 4) {
            float single;
            memcpy(&single, &s->bits, sizeof single);
            number = single;
        } else if (s->size == 8) {
            memcpy(&number, &s->bits, sizeof number);
        }
        name_place(&s->place, at, sizeof at);
        SAY(c, "The number %g at %s goes into it%s", number, at, s->times > 1 ? "" : ".\n");
        if (s->times > 1)
            SAY(c, " %u times.\n", s->times);
    }
}

static void tell_arithmetic(struct cause *c)
{
    char at[256], thread[128];
    if (c->buffer < 0) {
        name_place(&c->origin->copied, at, sizeof at);
        SAY(c,
            "What is copied back at %s is made of all the elements, each once: what the host makes of it is wrong, "
            "or not all of it is used.\n",
            at);
        set_place(c, &c->origin->copied);
        return;
    }
    name_place(&c->origin->store[0].place, at, sizeof at);
    name_thread(c, &c->origin->store[0].thread, thread, sizeof thread);
    if (tell_overwritten(c))
        return;
    SAY(c,
        "%s is made of the elements that belong to it; what is computed from them is wrong. It is stored at %s by %s.\n",
        c->name, at, thread);
    say_path(c);
    tell_numbers(c);
    set_place(c, &c->origin->store[0].place);
}

/* Nothing is known of what it should be made of: the facts. */
static void tell_facts(struct cause *c)
{
    char at[256], thread[128];
    name_place(&c->origin->store[0].place, at, sizeof at);
    name_thread(c, &c->origin->store[0].thread, thread, sizeof thread);
    SAY(c, "%s is stored at %s by %s", c->name, at, thread);
    if (c->origin->store_count > 1)
        SAY(c, ", the last of %llu times", (unsigned long long)c->origin->store_count);
    SAY(c, ".\n");
    for (uint32_t i = 0; i < c->origin->source_count && i < PROTOCOL_MAX_SOURCES; i++)
        if (c->origin->source[i].kind == SIM_ORIGIN_CONSTANT) {
            name_place(&c->origin->source[i].place, at, sizeof at);
            SAY(c, "Constant memory goes into it, read at %s: does it hold what it should?\n", at);
            break;
        }
    set_place(c, &c->origin->store[0].place);
}

/* A value that the host returned: what it copied back last. */
static bool tell_returned(struct cause *c)
{
    if (!c->call->task->needs)
        return false;
    if (!c->origin->known && c->origin->copied.line == 0) {
        SAY(c, "Nothing is copied back from the device.\n");
        return true;
    }
    if (!c->origin->known)
        return false;
    if (tell_undefined(c))
        return true;
    const int elements = tell_elements(c);
    if (elements == 1 || tell_steps(c))
        return true;
    if (elements == 0)
        tell_arithmetic(c);
    return elements == 0;
}

int64_t cause_other_element(const struct call *call, int buffer, int64_t index)
{
    return index > 0 ? index - 1 : call->run.buffer[buffer].count - 1;
}

bool cause_of_value(const struct call *call, int buffer, int64_t index,
                    const struct protocol_mailbox *mailbox, char *text, size_t size,
                    struct protocol_place *place)
{
    struct cause c = {.call = call,
                      .mailbox = mailbox,
                      .origin = &mailbox->origin[0],
                      .other = &mailbox->origin[1],
                      .buffer = buffer,
                      .index = index,
                      .text = text,
                      .size = size,
                      .place = place};
    *place = (struct protocol_place){0};
    text_set(text, size, "%s", "");
    if (!c.origin->known && buffer >= 0)
        return false;
    name_element(call, buffer, index, c.name, sizeof c.name);
    if (buffer < 0)
        return tell_returned(&c);
    if (tell_never_stored(&c) || tell_undefined(&c))
        return true;
    const int elements = tell_elements(&c);
    if (elements == 1 || tell_steps(&c))
        return true;
    if (elements == 0)
        tell_arithmetic(&c);
    else
        tell_facts(&c);
    return true;
}
