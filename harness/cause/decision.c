/*
 * Conditions: what decides whether an element goes in, or whether a thread comes to a store, and from what that is
 * computed.
 */
#include "harness/cause/internal.h"
#include "harness/judge/compare.h"
#include "harness/source/source.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINES_MOST 8 /* that are told */

static int64_t size_of(const struct cause *c, uint32_t buffer)
{
    return (int64_t)lab_type_size(c->call->run.buffer[buffer].type);
}

static void name_decider(const struct cause *c, const struct protocol_decider *by, char *text, size_t size)
{
    if (by->buffer >= 0 && by->buffer < c->call->run.buffer_count)
        cause_name_element(c->call, by->buffer, by->offset / size_of(c, (uint32_t)by->buffer), text, size);
    else
        text_set(text, size, "another element in memory");
}

/* All blocks, or all threads, read one element of an array of many. */
static bool tell_common_decider(struct cause *c, const struct protocol_decider *by)
{
    const char *missing = cause_lacking(c, by->index_uses, &by->thread);
    char name[80], at[256];
    if (!missing || by->buffer < 0 || by->buffer >= c->call->run.buffer_count ||
        c->call->run.buffer[by->buffer].count < 2)
        return false;
    if (strncmp(missing, "blockIdx", 8) != 0)
        return cause_tell_index(c, &by->place, &by->index_place, by->index_uses, &by->thread, "read");
    name_decider(c, by, name, sizeof name);
    cause_name_place(c, &by->place, at, sizeof at);
    SAY(c, "Every block reads %s at %s: the index there does not depend on %s.\n", name, at, missing);
    cause_set_place(c, &by->place);
    return true;
}

bool cause_tell_decision(struct cause *c, int buffer, int64_t index)
{
    const struct protocol_decision *d = &c->origin->decision;
    char thread[128], at[256], name[80], reader[128], there[256];
    if (d->place.line == 0 || d->count == 0 || buffer < 0 || d->buffer != (uint32_t)buffer ||
        d->offset / size_of(c, d->buffer) != index)
        return false;
    bool known = false;
    for (uint32_t i = 0; i < d->count; i++)
        known |= d->by[i].buffer >= 0;
    if (!known) /* grid.sync() has conditions, too */
        return false;
    cause_name_thread(c, &d->thread, thread, sizeof thread);
    cause_name_place(c, &d->place, at, sizeof at);
    SAY(c, "Whether it is included may be decided at %s, where %s meets a condition that depends on ", at,
        thread);
    for (uint32_t i = 0; i < d->count; i++) {
        name_decider(c, &d->by[i], name, sizeof name);
        cause_name_thread(c, &d->by[i].thread, reader, sizeof reader);
        cause_name_place(c, &d->by[i].place, there, sizeof there);
        SAY(c, "%s%s, which %s reads at %s",
            i == 0              ? ""
            : i + 1 == d->count ? ", and "
                                : ", ",
            name, reader, there);
    }
    SAY(c, ".\n");
    for (uint32_t i = 0; i < d->count; i++)
        if (tell_common_decider(c, &d->by[i]))
            break;
    return true;
}

/* The line of the student's file without blanks and comments around it; false: it is of another file, or empty. */
static bool read_statement(const struct cause *c, const struct protocol_place *place, char *text, size_t size)
{
    char line[512];
    const bool known = cause_read_line(c, place, line);
    char *begin = line + strspn(line, " \t"), *comment = strstr(begin, "/*"), *other = strstr(begin, "//");
    if (comment)
        *comment = '\0';
    if (other)
        *other = '\0';
    size_t length = strlen(begin);
    while (length > 0 && strchr(" \t;{", begin[length - 1]))
        length--;
    text_set(text, size, "%.*s", (int)length, begin);
    return known && length > 0;
}

/* The variable that the statement gives a value; "": none, or it is no statement of this kind. */
static void name_assigned(const char *statement, char *name, size_t size)
{
    const char *end = strchr(statement, '=');
    text_set(name, size, "%s", "");
    if (!end || end == statement || end[1] == '=' || strchr("<>!", end[-1]))
        return;
    while (end > statement && strchr(" +-*/%&|^", end[-1]))
        end--;
    const char *begin = end;
    while (begin > statement && (isalnum((unsigned char)begin[-1]) || begin[-1] == '_'))
        begin--;
    text_set(name, size, "%.*s", (int)(end - begin), begin);
}

/*
 * The compiler computes once what several lines need, and names any of them. Lines are told that give a variable a value
 * which the condition, the access or a line told before it names.
 */
void cause_say_lines(struct cause *c, const struct protocol_absence *a, const char *what)
{
    char named[2048], statement[120], name[64], at[256];
    int told = 0;
    if (!cause_read_line(c, a->guard.line > 0 ? &a->guard : &a->place, named))
        return;
    for (uint32_t i = 0; i < a->guard_path_count && told < LINES_MOST; i++) {
        const struct protocol_place *place = &a->guard_path[i];
        if (place->line == 0 || place->line == a->guard.line || place->line == a->place.line ||
            !read_statement(c, place, statement, sizeof statement))
            continue;
        name_assigned(statement, name, sizeof name);
        if (!name[0] || !source_has_word(named, name))
            continue;
        text_append(named, sizeof named, " %s", statement);
        cause_name_place(c, place, at, sizeof at);
        SAY(c, "%s%s", told++ ? "; " : what, at);
        if (strlen(statement) + 1 < sizeof statement)
            SAY(c, " (%s)", statement);
    }
    if (told)
        SAY(c, ".\n");
}
