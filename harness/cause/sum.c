/* Sums: elements that several threads or lines read, that go in twice while others are missing, that are thrown away. */
#include "harness/cause/tally.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
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

/* What a thread has at one place goes in twice. */
static void say_fork(struct cause *c)
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
    const bool own = strcmp(thread, user[0]) == 0 && strcmp(thread, user[1]) == 0;
    if (o->fork_itself)
        SAY(c, "%s adds a value to itself, in %s.\n", at[0], user[0]);
    else if (o->fork_shuffled)
        SAY(c, "At %s, %s gets its own value from the shuffle, which thus goes in twice.\n", at[1], thread);
    else if (own && strcmp(at[0], at[1]) == 0)
        SAY(c, "What %s has from %s goes in twice, both times at %s.\n", thread, made, at[0]);
    else if (own)
        SAY(c, "What %s has from %s goes in twice: at %s, and at %s.\n", thread, made, at[1], at[0]);
    else
        SAY(c, "What %s has from %s goes in twice: %s takes it at %s, and %s at %s.\n", thread, made, user[1],
            at[1], user[0], at[0]);
    say_join(c);
    cause_set_place(c, &o->fork_use[o->fork_shuffled ? 1 : 0]);
}

void cause_say_again(struct cause *c)
{
    char at[256], thread[128];
    const struct protocol_origin *o = c->origin;
    if (o->again.line > 0 && o->again_times > 0 && o->again_times + 1 == o->again_runs) {
        cause_name_place(c, &o->again, at, sizeof at);
        cause_name_thread(c, &o->again_thread, thread, sizeof thread);
        SAY(c,
            "In every turn of a loop, %u times, %s reads the same elements again at %s: the index there does not change "
            "from turn to turn.\n",
            o->again_runs, thread, at);
        cause_set_place(c, &o->again);
    }
    say_fork(c);
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
    cause_say_again(c);
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

/* ---- in the source ------------------------------------------------------------------------------------- */

#define LINE_SIZE 512

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The name that the line gives a new value: "sum" of "sum[i] += x;". `replaces`: by = alone. False: it gives none. */
static bool assigned(const char *line, char *name, size_t size, bool *replaces)
{
    const char *equal = strchr(line, '=');
    while (equal && (equal[1] == '=' || (equal > line && strchr("=!<>", equal[-1]))))
        equal = strchr(equal + 1 + (equal[1] == '='), '=');
    if (!equal || equal == line)
        return false;
    const char *end = equal;
    *replaces = !strchr("+-*/%&|^", end[-1]);
    while (end > line && (strchr("+-*/%&|^ ", end[-1]) || end[-1] == ']')) {
        if (end[-1] == ']')
            while (end > line && end[-1] != '[')
                end--;
        end--;
    }
    const char *begin = end;
    while (begin > line && is_name(begin[-1]))
        begin--;
    text_set(name, size, "%.*s", (int)(end - begin), begin);
    return name[0] && !isdigit((unsigned char)name[0]);
}

/* Whether `name` stands in the text as a word. */
static bool has_word(const char *text, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)) != NULL; at++)
        if ((at == text || !is_name(at[-1])) && !is_name(at[length]))
            return true;
    return false;
}

/* Whether the line is in a loop of its function, by how far it is indented. */
static bool is_in_loop(const char *path, int wanted)
{
    char line[LINE_SIZE];
    int indent = 0, loop = INT_MAX;
    FILE *file = fopen(path, "r");
    for (int number = 1; file && number <= wanted && fgets(line, sizeof line, file); number++) {
        indent = (int)strspn(line, " \t");
        if (line[0] == '{')
            loop = INT_MAX;
        else if (strncmp(line + indent, "for ", 4) == 0 || strncmp(line + indent, "while ", 6) == 0)
            loop = indent < loop ? indent : loop;
    }
    if (file)
        fclose(file);
    return indent > loop;
}

/* The compiler may have left out what only the last turn of a loop needs: the source shows it. */
void cause_say_replaced(struct cause *c, const struct tally *t)
{
    char line[LINE_SIZE], name[64], at[256];
    bool replaces;
    if (c->origin->absence.why == SIM_ORIGIN_DONE || t->counted || t->of_many || t->missing < 2 ||
        !is_end_of_row(t))
        return;
    FOR_SOURCES(s, c)
    {
        const struct protocol_place *place = cause_place_of(c, s->place);
        if (s->buffer != t->buffer || !s->times || !cause_read_line(c, place, line) ||
            !assigned(line, name, sizeof name, &replaces) || !replaces || !is_in_loop(c->source, place->line))
            continue;
        const char *text = line + strspn(line, " \t");
        if (strncmp(text, name, strlen(name)) != 0 || has_word(strchr(text, '='), name))
            continue;
        cause_name_place(c, place, at, sizeof at);
        SAY(c,
            "%s, which reads what is included, gives %s a new value with = in a loop: what it held before is lost. += adds "
            "to it.\n",
            at, name);
        cause_set_place(c, place);
        c->rank = CAUSE_RESET;
        return;
    }
}
