/* Sums: elements that several threads or lines read, that go in twice while others are missing, that are thrown away. */
#include <string.h>

#include "harness/grader_cause_tally.h"
#include "sim/origin/origin.h"

/* Two threads, or two lines, read the element. */
void cause_say_readers(struct cause *c, const struct protocol_source *s)
{
    char first[128], second[128], at[256], there[256];
    if (!s || !s->has_second)
        return;
    cause_name_thread(c, &s->thread, first, sizeof first);
    cause_name_thread(c, &s->second, second, sizeof second);
    cause_name_place(cause_place_of(c, s->place), at, sizeof at);
    cause_name_place(cause_place_of(c, s->second_place), there, sizeof there);
    if (memcmp(&s->thread, &s->second, sizeof s->thread) == 0)
        SAY(c, "%s reads it more than once, at %s and %s.\n", first, at, there);
    else
        SAY(c, "More than one thread reads it: %s at %s, and %s at %s.\n", second, there, first, at);
    cause_set_place(c, cause_place_of(c, s->place));
}

bool cause_say_doubled(struct cause *c, const struct tally *t)
{
    if (t->counted || t->of_many || t->is_factor || t->needed < 2 || t->doubled == 0)
        return false;
    SAY(c, "%s[%lld]%s goes into it %u times instead.\n", c->call->run.buffer[t->buffer].name,
        (long long)t->first_doubled, t->doubled > 1 ? ", like others," : "", t->times);
    cause_say_readers(c, tally_source(c, t, t->first_doubled));
    return true;
}

/* Of those that belong to it, in their order: none up to some point, and all from there on. */
static bool is_end_of_row(const struct tally *t)
{
    bool begun = false;
    for (int64_t i = 0; i < t->count; i++) {
        if (!t->need[i])
            continue;
        if (begun && !t->got[i])
            return false;
        begun = begun || t->got[i];
    }
    return begun;
}

void cause_say_thrown_away(struct cause *c, const struct tally *t)
{
    const struct protocol_absence *a = &c->origin->absence;
    if (a->why != SIM_ORIGIN_DONE || a->lost.line == 0 || !a->lost_adds || t->counted || t->of_many ||
        t->missing < 2 || !is_end_of_row(t))
        return;
    SAY(c,
        "Only the last of them count: what was added up before is thrown away. Probably the sum is set back in the "
        "loop, or = stands where += belongs.\n");
}
