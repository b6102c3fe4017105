#include "harness/cause/argument.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cause/launch_internal.h"
#include "harness/source/value_internal.h"

/* The function that holds the line; NULL: none does. */
static const struct source_function *function_at(const struct reading *r, int line)
{
    for (int i = 0; i < r->source.count; i++) {
        const struct source_function *f = &r->source.function[i];
        if (f->of_student && line >= f->first && line <= f->last)
            return f;
    }
    return NULL;
}

/* What the function's only call hands over as this parameter; false: not known. */
static bool find_argument(const struct reading *r, const struct source_function *f, int number,
                          const char **begin, const char **end, const struct source_function **caller)
{
    const char *s = value_only_call(&r->source, f, caller);
    for (int i = 0; s && i < number; i++) {
        s = value_end_of_part(s + 1, (*caller)->end);
        s = *s == ',' ? s : NULL;
    }
    if (!s)
        return false;
    *begin = value_skip_blanks(s + 1, (*caller)->end);
    *end = value_end_of_part(*begin, (*caller)->end);
    return *end > *begin;
}

/* Behind the first line, or at the end if that is the only one. */
static void put_second(struct grader_finding *finding, const char *sentence)
{
    char rest[sizeof finding->cause];
    const char *first_end = strchr(finding->cause, '\n');
    const int first = (int)(first_end ? first_end - finding->cause : (long)strlen(finding->cause));
    text_set(rest, sizeof rest, "%s", first_end ? first_end + 1 : "");
    finding->cause[first] = '\0';
    text_append(finding->cause, sizeof finding->cause, "\n%s%s", sentence, rest);
}

/* ---- the loop over the parts ------------------------------------------------------------------------------- */

/* The limit of the last loop of the function that begins before the line's end: for (...; b < count; ...). */
struct limit {
    const char *begin, *end;
    int line;
    bool included; /* <= */
};

static bool find_limit(const struct reading *r, const struct source_function *f, int line,
                       struct limit *limit)
{
    const char *found = NULL;
    for (const char *at = f->body; (at = value_find_word(at, f->end, "for", 3)) != NULL; at += 3)
        if (value_line(&r->value, at) <= line)
            found = at;
    const char *s = found ? memchr(found, ';', (size_t)(f->end - found)) : NULL;
    const char *end = s ? memchr(s + 1, ';', (size_t)(f->end - s - 1)) : NULL;
    const char *less = end ? memchr(s, '<', (size_t)(end - s)) : NULL;
    if (!less || memchr(s, '&', (size_t)(end - s)) || memchr(s, '|', (size_t)(end - s)))
        return false;
    limit->included = less[1] == '=';
    limit->begin = value_skip_blanks(less + 1 + limit->included, end);
    limit->end = end;
    limit->line = value_line(&r->value, found);
    return true;
}

/* ", which is n at the call at line 89": of a limit that is a parameter of the function. */
static void say_handed_over(const struct reading *r, const struct source_function *f,
                            const struct limit *limit, char *text, size_t size)
{
    const struct source_function *caller = NULL;
    const char *begin, *end;
    char written[96];
    const int number = value_find_parameter(&r->source, f, limit->begin, (size_t)(limit->end - limit->begin));
    if (number < 0 || !find_argument(r, f, number, &begin, &end, &caller))
        return;
    launch_copy_expression(begin, end, written, sizeof written);
    text_append(text, size, ", for which line %d passes %s", value_line(&r->value, begin), written);
}

/* Of a sum of so many parts at this line. */
static bool say_limit(const struct reading *r, int line, long parts, char *text, size_t size)
{
    const struct source_function *f = function_at(r, line);
    struct limit limit;
    char written[96];
    double value;
    if (!f || !find_limit(r, f, line, &limit) || !value_of(&r->value, f, limit.begin, limit.end, &value))
        return false;
    const long turns = (long)value + limit.included;
    if (turns == parts || turns < 0)
        return false;
    launch_copy_expression(limit.begin, limit.end, written, sizeof written);
    text_append(text, size, "The loop at line %d ends at %s", limit.line, written);
    say_handed_over(r, f, &limit, text, size);
    text_append(text, size, ": that is %ld in this case, and there %s %ld part%s. ", (long)value,
                parts == 1 ? "is" : "are", parts, parts == 1 ? "" : "s");
    text_append(text, size, "%s\n",
                turns > parts ? "It reads past the end of what was copied." : "It leaves out the last ones.");
    return true;
}

/* Parts that were copied back as they should be; 0: it is not known, or not so. */
static long parts_of(const struct grader_finding *finding)
{
    const struct fact *right = fact_find(&finding->facts, FACT_PARTS);
    return right ? (long)right->value[0] : 0;
}

/* ---- arguments of the function that launches ----------------------------------------------------------------- */

/*
 * The function that launches has a parameter of the same name as an argument of the call, and is handed another
 * value for it: that may be meant, so both are told.
 */
static void say_argument(const struct reading *r, char *text, size_t size)
{
    const struct value_context *c = &r->value;
    const struct source_function *f = r->launcher, *caller = NULL;
    const char *begin, *end;
    char written[96];
    double value;
    for (int i = 0; f && f != c->entry && i < c->count; i++) {
        const int number =
            c->names[i] ? value_find_parameter(&r->source, f, c->names[i], strlen(c->names[i])) : -1;
        if (number < 0 || !find_argument(r, f, number, &begin, &end, &caller) || caller != c->entry ||
            !value_of(c, caller, begin, end, &value) || value == (double)c->args[i])
            continue;
        launch_copy_expression(begin, end, written, sizeof written);
        text_append(
            text, size,
            "Line %d passes %s as %s to %s, which launches the kernel: %.10g in this case, where %s is %lld.\n",
            value_line(c, begin), written, c->names[i], f->name, value, c->names[i], (long long)c->args[i]);
    }
}

static bool is_about_absence(const struct grader_finding *finding)
{
    static const enum fact_kind kinds[] = {FACT_MISSING, FACT_NOT_STORED, FACT_MANY_BLOCKS, FACT_NO_VALUE};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (fact_find(&finding->facts, kinds[i]))
            return true;
    return false;
}

/* ---- parameters without use ---------------------------------------------------------------------------------- */

static const char *parameters_end(const struct source *source, const struct source_function *f)
{
    const char *s = f->body;
    while (s > source->student && *s != ')')
        s--;
    return s;
}

/* Where the parameters begin: the parenthesis. */
static const char *parameters_begin(const struct source *source, const struct source_function *f)
{
    int depth = 0;
    for (const char *s = parameters_end(source, f); s > source->student; s--) {
        depth += *s == ')' ? 1 : *s == '(' ? -1 : 0;
        if (depth == 0)
            return s;
    }
    return NULL;
}

/* The last word of a parameter: its name, without [SIZE]. */
static size_t name_of_parameter(const char *begin, const char *end, const char **name)
{
    const char *bracket = memchr(begin, '[', (size_t)(end - begin));
    const char *last = bracket ? bracket : end;
    while (last > begin && !value_in_word(last[-1]))
        last--;
    *name = last;
    while (*name > begin && value_in_word((*name)[-1]))
        --*name;
    return (size_t)(last - *name);
}

/* Only of functions of the host that copy, fill or launch: others may be incomplete. */
static bool is_at_work(const struct source_function *f)
{
    const char *call = strstr(f->body, "cuda"), *launch = strstr(f->body, "<<<");
    return (call && call < f->end) || (launch && launch < f->end);
}

static void say_unused(const struct reading *r, const struct source_function *f, char *text, size_t size)
{
    const char *s = parameters_begin(&r->source, f), *end = parameters_end(&r->source, f), *name;
    while (s && s < end) {
        const char *next = value_end_of_part(s + 1, end);
        const size_t length = name_of_parameter(s + 1, next, &name);
        if (length > 0 && !value_is_word(name, length, "void") &&
            !value_find_word(f->body, f->end, name, length))
            text_append(text, size, "%s, at line %d, never uses its parameter %.*s.\n", f->name, f->first,
                        (int)length, name);
        s = next;
    }
}

static void say_all_unused(const struct reading *r, const char *task, char *text, size_t size)
{
    for (int i = 0; i < r->source.count; i++) {
        const struct source_function *f = &r->source.function[i];
        if (f->of_student && is_at_work(f) && source_uses_line(&r->source, task, f->first))
            say_unused(r, f, text, size);
    }
}

/* ---- all of it ----------------------------------------------------------------------------------------------- */

void argument_explain(const struct grader *grader, const struct call *call, struct grader_finding *finding)
{
    struct reading r;
    char text[sizeof finding->cause] = "";
    const long parts = parts_of(finding);
    if (finding->reason != REASON_VALUES || !finding->cause[0])
        return;
    if (launch_begin_reading(grader, call, &r)) {
        if (parts > 0 && finding->line > 0)
            say_limit(&r, finding->line, parts, text, sizeof text);
        else if (is_about_absence(finding))
            say_argument(&r, text, sizeof text);
        if (!text[0])
            say_all_unused(&r, call->task->id, text, sizeof text);
    }
    launch_end_reading(&r);
    if (text[0])
        put_second(finding, text);
}
