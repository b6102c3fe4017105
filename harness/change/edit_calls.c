/* Arguments, and values at the beginning. */
#include <stdio.h>
#include <string.h>

#include "harness/change/edits.h"

/* As far as it shows: CLASS_OTHER is not known. */
static enum variable_class class_of(const struct program *p, int first, int last)
{
    const struct tokens *t = &p->tokens;
    const struct variable *v = first == last ? edits_variable(p, first) : NULL;
    if (v)
        return v->class;
    if (token_is(t, first, "&") || (token_is(t, first, "(") && token_in(t, t->token[first].match - 1, " * ")))
        return CLASS_POINTER;
    for (int i = first; i <= last; i++)
        if (token_is(t, i, "sizeof"))
            return CLASS_INTEGER;
    return first == last && t->token[first].kind == TOKEN_NUMBER ? CLASS_INTEGER : CLASS_OTHER;
}

/* A pointer for a number: that does not compile. */
static bool cannot_stand_for(enum variable_class a, enum variable_class b)
{
    return (a == CLASS_POINTER && (b == CLASS_INTEGER || b == CLASS_REAL)) ||
           (b == CLASS_POINTER && (a == CLASS_INTEGER || a == CLASS_REAL));
}

/* Blocks and threads only where no size follows: with fewer threads, too small a shared array is large enough, by luck. */
static void exchange_arguments(struct edits *edits, int comma)
{
    const struct tokens *t = &edits->program->tokens;
    int first = comma - 1;
    while (first > 0 && !token_in(t, first, " , ( <<< ; { "))
        first = t->token[first].match >= 0 && t->token[first].match < first ? t->token[first].match - 1
                                                                            : first - 1;
    first++;
    const int last = token_end_of_part(t, comma + 1);
    if (!token_in(t, first - 1, " ( <<< , ") || !token_in(t, last + 1, " , ) >>> "))
        return;
    if (token_is(t, first - 1, "<<<") && !token_is(t, last + 1, ">>>"))
        return;
    char one[REPAIR_TEXT], other[REPAIR_TEXT];
    tokens_copy(&edits->program->tokens, first, comma - 1, one, sizeof one);
    tokens_copy(&edits->program->tokens, comma + 1, last, other, sizeof other);
    if (strcmp(one, other) != 0 && !cannot_stand_for(class_of(edits->program, first, comma - 1),
                                                     class_of(edits->program, comma + 1, last)))
        edits_replace(edits, REPAIR_ARGUMENTS, 0, first, last, "%s, %s", other, one);
}

/* The function of the file that is called here; NULL: it is none. */
static const struct item *called_function(const struct program *p, int name)
{
    for (int i = 0; i < p->item_count; i++) {
        const struct item *item = &p->item[i];
        if (item->kind == ITEM_FUNCTION && item->name != name && token_same(&p->tokens, item->name, name))
            return item;
    }
    return NULL;
}

/* f(count) for f(outputs), of a launch f<<<...>>>(count) as well, if the parameter is called `count` and the caller has a variable of that name. */
static void name_as_parameter(struct edits *edits, int i)
{
    const struct program *p = edits->program;
    const struct tokens *t = &p->tokens;
    const int open = token_is(t, i + 1, "<<<") ? t->token[i + 1].match + 1 : i + 1;
    const struct item *function =
        token_is_name(t, i) && token_is(t, open, "(") ? called_function(p, i) : NULL;
    int first = open + 1;
    if (!function)
        return;
    for (int at = function->parameters + 1; at <= t->token[function->parameters].match; at++) {
        if (!token_in(t, at, " , ) "))
            continue;
        const int last = token_end_of_part(t, first);
        const struct variable *v =
            last >= first && token_is_name(t, at - 1) ? program_meaning(p, at - 1, first) : NULL;
        char name[64];
        if (v && !(first == last && token_same(t, first, v->name))) {
            token_copy(t, v->name, name, sizeof name);
            edits_replace(edits, REPAIR_NAME, -1, first, last, "%s", name);
        }
        first = last + 2;
    }
}

/* int s; begins with 0. */
static void change_start(struct edits *edits, const struct variable *v)
{
    if ((v->class == CLASS_REAL || v->class == CLASS_INTEGER) &&
        token_is(&edits->program->tokens, v->name + 1, ";"))
        edits_insert(edits, REPAIR_START, 1, v->name + 1, " = 0");
}

void edits_of_calls(struct edits *edits)
{
    const struct program *p = edits->program;
    for (int i = 0; i < p->tokens.count; i++) {
        name_as_parameter(edits, i);
        if (!edits_wanted(edits, i))
            continue;
        if (token_is(&p->tokens, i, ","))
            exchange_arguments(edits, i);
    }
    for (int k = 0; k < p->variable_count; k++)
        if (edits_wanted(edits, p->variable[k].name))
            change_start(edits, &p->variable[k]);
}
