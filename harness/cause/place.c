/* Values that are stored where they do not belong: in a place that must stay as it is, or in that of another element. */
#include "harness/cause/tally.h"

#define OUTPUTS_MOST (1 << 20) /* that are looked through */

/* Which elements of a buffer go into something: the first, the last, how many. */
struct extent {
    int64_t first, last, count;
};

static struct extent extent_of(const struct tally *t)
{
    struct extent extent = {-1, -1, 0};
    for (int64_t i = 0; i < t->count; i++) {
        if (!t->got[i])
            continue;
        extent.first = extent.first < 0 ? i : extent.first;
        extent.last = i;
        extent.count += t->got[i]; /* more than are needed, if one goes in twice */
    }
    return extent;
}

static bool fits(const struct lab_need *need, const struct tally *t, const struct extent *extent)
{
    if (need->chosen || need->stride <= 0 || need->count != extent->count || need->first != extent->first ||
        need->first + (need->count - 1) * need->stride != extent->last)
        return false;
    for (int64_t k = 0; k < need->count; k++)
        if (!t->got[need->first + k * need->stride])
            return false;
    return true;
}

/* Are these just the elements that output `index` is made of? */
static bool belongs_to(const struct cause *c, int64_t index, const struct tally *tally,
                       const struct extent *extent)
{
    struct lab_need need[LAB_MAX_NEEDS] = {{0}};
    const int rows = c->call->task->needs(&c->call->run, c->buffer, index, need);
    int64_t needed = 0, got = 0;
    for (int r = 0; r < rows; r++) {
        for (int other = 0; other < r; other++)
            if (need[other].buffer == need[r].buffer)
                return false;
        if (need[r].counted || need[r].of_many ||
            !fits(&need[r], &tally[need[r].buffer], &extent[need[r].buffer]))
            return false;
        needed += need[r].count;
    }
    for (int b = 0; b < c->call->run.buffer_count; b++)
        got += extent[b].count;
    return rows > 0 && needed == got;
}

bool cause_say_displaced(struct cause *c)
{
    struct tally tally[LAB_MAX_BUFFERS] = {{0}};
    struct extent extent[LAB_MAX_BUFFERS] = {{0}};
    char name[80], at[256];
    int64_t total = 0, found = -1;
    if (c->buffer < 0 || !c->call->task->needs || c->origin->store_count == 0 || c->origin->incomplete ||
        c->origin->source_count > PROTOCOL_MAX_SOURCES)
        return false;
    for (int b = 0; b < c->call->run.buffer_count; b++)
        if (tally_make(&tally[b], c, b, NULL, 0)) {
            extent[b] = extent_of(&tally[b]);
            total += extent[b].count;
        }
    const int64_t count = c->call->run.buffer[c->buffer].count;
    for (int64_t i = 0; total > 1 && found < 0 && i < count && i < OUTPUTS_MOST; i++)
        if (i != c->index && belongs_to(c, i, tally, extent))
            found = i;
    for (int b = 0; b < c->call->run.buffer_count; b++)
        tally_free(&tally[b]);
    if (found < 0)
        return false;
    cause_name_element(c->call, c->buffer, found, name, sizeof name);
    cause_name_place(c, &c->origin->store[0].place, at, sizeof at);
    SAY(c, "%s holds what belongs in %s. It is stored at %s.\n", c->name, name, at);
    cause_tell_arrival(c);
    return true;
}

bool cause_tell_untouched(struct cause *c)
{
    char at[256], thread[128], owner[96] = "";
    const struct protocol_store *store = &c->origin->store[0];
    if (!c->untouched || c->origin->store_count == 0)
        return false;
    if (c->call->task->owner)
        c->call->task->owner(&c->call->run, c->buffer, c->index, owner, sizeof owner);
    cause_name_place(c, &store->place, at, sizeof at);
    cause_name_thread(c, &store->thread, thread, sizeof thread);
    SAY(c, "%s must stay as it is%s%s%s, but %s stores to it at %s.\n", c->name, owner[0] ? " (" : "", owner,
        owner[0] ? ")" : "", thread, at);
    cause_say_displaced(c);
    cause_keep_path(c);
    cause_set_place(c, &store->place);
    c->rank = CAUSE_INSTEAD;
    return true;
}
