/* Sums: elements that several threads or lines read, that go in twice while others are missing. */
#include "harness/cause/tally.h"

#include <math.h>
#include <string.h>

#include "sim/origin/origin.h"

/* Two threads, or two lines, read the element. */
void cause_say_readers(struct cause *c, const struct protocol_source *s)
{
    char first[128], second[128], at[256], there[256];
    if (!s || !s->has_second)
        return;
    cause_name_thread(c, &s->thread, first, sizeof first);
    cause_name_thread(c, &s->second, second, sizeof second);
    cause_name_place(c, cause_place_of(c, s->place), at, sizeof at);
    cause_name_place(c, cause_place_of(c, s->second_place), there, sizeof there);
    if (memcmp(&s->thread, &s->second, sizeof s->thread) == 0)
        SAY(c, "%s reads it more than once, at %s and %s.\n", first, at, there);
    else
        SAY(c, "More than one thread reads it: %s at %s, and %s at %s.\n", second, there, first, at);
    cause_set_place(c, cause_place_of(c, s->place));
}

/* Where what came of one use is added to what came of the other. */
static void say_join(struct cause *c)
{
    char at[256], use[256], thread[128];
    const struct protocol_origin *o = c->origin;
    cause_name_place(c, &o->fork_join, at, sizeof at);
    cause_name_thread(c, &o->fork_joiner, thread, sizeof thread);
    bool told = o->fork_join.line == 0 || o->fork_itself;
    for (int k = 0; k < 2; k++) {
        cause_name_place(c, &o->fork_use[k], use, sizeof use);
        told |= strcmp(at, use) == 0 && !o->fork_shuffled;
    }
    if (!told)
        SAY(c, "The two are added at %s, in %s.\n", at, thread);
}

/*
 * What a thread has at one place goes in more than once; `s`: the element in question. If that thread is not the one that reads
 * it, what it has there may be another's part, and only the places are told.
 */
void cause_say_fork(struct cause *c, const struct protocol_source *s)
{
    char made[256], at[2][256], thread[128], user[2][128];
    const struct protocol_origin *o = c->origin;
    if (o->fork_made.line == 0 || o->fork_use[0].line == 0 || o->fork_use[1].line == 0)
        return;
    cause_name_place(c, &o->fork_made, made, sizeof made);
    cause_name_thread(c, &o->fork_thread, thread, sizeof thread);
    for (int k = 0; k < 2; k++) {
        cause_name_place(c, &o->fork_use[k], at[k], sizeof at[k]);
        cause_name_thread(c, &o->fork_user[k], user[k], sizeof user[k]);
    }
    const bool reads = s && memcmp(&s->thread, &o->fork_thread, sizeof s->thread) == 0;
    const bool own = !reads || (strcmp(thread, user[0]) == 0 && strcmp(thread, user[1]) == 0);
    if (!reads)
        text_set(thread, sizeof thread, "a thread");
    if (o->fork_itself)
        SAY(c, "%s adds a value to itself, in %s.\n", at[0], user[0]);
    else if (o->fork_shuffled)
        SAY(c, "At %s, %s gets its own value from the shuffle, and so it goes in more than once.\n", at[1],
            thread);
    else if (own && strcmp(at[0], at[1]) == 0)
        SAY(c, "What %s has from %s goes in more than once at %s.\n", thread, made, at[0]);
    else if (own)
        SAY(c, "What %s has from %s goes in more than once: at %s, and at %s.\n", thread, made, at[1], at[0]);
    else
        SAY(c, "What %s has from %s goes in more than once: %s takes it at %s, and %s at %s.\n", thread, made,
            user[1], at[1], user[0], at[0]);
    say_join(c);
    cause_set_place(c, &o->fork_use[o->fork_shuffled ? 1 : 0]);
}

bool cause_say_doubled(struct cause *c, const struct tally *t)
{
    if (t->counted || t->of_many || t->any_times || t->is_factor || t->needed < 2 || t->doubled == 0 ||
        isnan(c->want) || isnan(c->got)) /* no number of times makes a NaN, or loses it */
        return false;
    fact_add_element(c->facts, FACT_DOUBLED, FACT_SEEN, t->first_doubled, c->call->run.buffer[t->buffer].name)
        ->value[0] = t->times;
    SAY(c, "%s[%lld]%s is included %u times instead.\n", c->call->run.buffer[t->buffer].name,
        (long long)t->first_doubled, t->doubled > 1 ? ", like others," : "", t->times);
    cause_say_readers(c, tally_source(c, t, t->first_doubled));
    cause_say_fork(c, tally_source(c, t, t->first_doubled));
    return true;
}
