/* Arguments, values at the beginning, types, bytes for elements. */
#include <stdio.h>
#include <string.h>

#include "harness/change/edits.h"

/* The end of the argument that begins at token `first`. */
static int argument_end(const struct tokens *t, int first)
{
    int last = first;
    while (last < t->count && !token_in(t, last, " , ; ) } >>> "))
        last = t->token[last].match > last ? t->token[last].match + 1 : last + 1;
    return last - 1;
}

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

static void exchange_arguments(struct edits *edits, int comma)
{
    const struct tokens *t = &edits->program->tokens;
    int first = comma - 1;
    while (first > 0 && !token_in(t, first, " , ( <<< ; { "))
        first = t->token[first].match >= 0 && t->token[first].match < first ? t->token[first].match - 1
                                                                            : first - 1;
    first++;
    const int last = argument_end(t, comma + 1);
    if (!token_in(t, first - 1, " ( <<< , ") || !token_in(t, last + 1, " , ) >>> "))
        return;
    char one[REPAIR_TEXT], other[REPAIR_TEXT];
    edits_copy(edits, first, comma - 1, one, sizeof one);
    edits_copy(edits, comma + 1, last, other, sizeof other);
    if (strcmp(one, other) != 0 && !cannot_stand_for(class_of(edits->program, first, comma - 1),
                                                     class_of(edits->program, comma + 1, last)))
        edits_replace(edits, REPAIR_ARGUMENTS, 2, first, last, "%s, %s", other, one);
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

/* f(count) for f(outputs), if the parameter is called `count` and the caller has a variable of that name. */
static void name_as_parameter(struct edits *edits, int i)
{
    const struct program *p = edits->program;
    const struct tokens *t = &p->tokens;
    const int open = i + 1;
    const struct item *function =
        token_is_name(t, i) && token_is(t, open, "(") ? called_function(p, i) : NULL;
    int first = open + 1;
    if (!function)
        return;
    for (int at = function->parameters + 1; at <= t->token[function->parameters].match; at++) {
        if (!token_in(t, at, " , ) "))
            continue;
        const int last = argument_end(t, first);
        const struct variable *v =
            last >= first && token_is_name(t, at - 1) ? program_meaning(p, at - 1, first) : NULL;
        char name[64];
        if (v && !(first == last && token_same(t, first, v->name))) {
            token_copy(t, v->name, name, sizeof name);
            edits_replace(edits, REPAIR_NAME, 0, first, last, "%s", name);
        }
        first = last + 2;
    }
}

/* The third number of a launch counts bytes. */
static void count_bytes(struct edits *edits, int open)
{
    const struct tokens *t = &edits->program->tokens;
    int first = open + 1;
    if (!token_is(t, open, "<<<"))
        return;
    for (int number = 0; number < 2; number++)
        first = argument_end(t, first) + 2;
    const int last = argument_end(t, first);
    char text[REPAIR_TEXT];
    if (last < first || last >= t->token[open].match)
        return;
    edits_copy(edits, first, last, text, sizeof text);
    edits_replace(edits, REPAIR_BYTES, 2, first, last, "(%s) * sizeof(real)", text);
    edits_replace(edits, REPAIR_BYTES, 4, first, last, "(%s) * sizeof(int)", text);
    edits_replace(edits, REPAIR_BYTES, 4, first, last, "(%s) / sizeof(real)", text);
}

/* A launch without its third argument. */
static void add_shared_bytes(struct edits *edits, int open)
{
    const struct program *p = edits->program;
    const struct tokens *t = &p->tokens;
    int count = 1;
    if (!token_is(t, open, "<<<"))
        return;
    for (int i = open + 1; i < t->token[open].match; i++) {
        count += token_is(t, i, ",");
        if (t->token[i].match > i)
            i = t->token[i].match;
    }
    for (int k = 0; k < p->variable_count && count == 2; k++) {
        const struct variable *v = &p->variable[k];
        char name[64];
        if (v->class != CLASS_INTEGER || open <= v->first || open > v->last)
            continue;
        token_copy(t, v->name, name, sizeof name);
        edits_insert(edits, REPAIR_BYTES, 3, t->token[open].match, ", %s", name);
        edits_insert(edits, REPAIR_BYTES, 3, t->token[open].match, ", %s * sizeof(real)", name);
    }
}

/* int s; and real s = e; with another value. */
static void change_start(struct edits *edits, const struct variable *v)
{
    const struct program *p = edits->program;
    const struct tokens *t = &p->tokens;
    char name[64];
    token_copy(t, v->name, name, sizeof name);
    if ((v->class == CLASS_REAL || v->class == CLASS_INTEGER) && token_is(t, v->name + 1, ";"))
        edits_insert(edits, REPAIR_START, 1, v->name + 1, " = 0");
    if (v->class == CLASS_REAL && token_is(t, v->name + 1, "=")) {
        const int last = argument_end(t, v->name + 2);
        edits_replace(edits, REPAIR_START, 3, v->name + 2, last, "0");
        edits_replace(edits, REPAIR_START, 4, v->name + 2, last, "-INFINITY");
    }
    if (v->class == CLASS_POINTER && token_is(t, v->name + 1, "[") &&
        token_is(t, t->token[v->name + 1].match + 1, ";"))
        edits_insert(edits, REPAIR_START, 3, t->token[v->name + 1].match + 1, " = {}");
}

static void change_type(struct edits *edits, const struct variable *v)
{
    const struct program *p = edits->program;
    const struct tokens *t = &p->tokens;
    if (v->class == CLASS_INTEGER && !token_is(t, v->type, "auto")) {
        edits_replace(edits, REPAIR_TYPE, 3, v->type, v->type, "real");
        edits_replace(edits, REPAIR_TYPE, 4, v->type, v->type, "double");
        edits_replace(edits, REPAIR_TYPE, 3, v->type, v->type, "long long");
        edits_replace(edits, REPAIR_TYPE, 4, v->type, v->type,
                      token_in(t, v->type, " unsigned size_t ") ? "int" : "unsigned");
    }
    if (v->class == CLASS_REAL) {
        edits_replace(edits, REPAIR_TYPE, 3, v->type, v->type, "double");
        if (!token_is(t, v->type, "real"))
            edits_replace(edits, REPAIR_TYPE, 2, v->type, v->type, "real");
    }
}

/* Tokens `first` to `last`, of the variable at token `last`, become real_of(found), if the file has such a function of one parameter
   that makes the type at token `type` of the variable's. */
static void call_conversion(struct edits *edits, int first, int last, int type)
{
    const struct program *p = edits->program;
    const struct tokens *t = &p->tokens;
    const struct variable *from = edits_variable(p, last);
    for (int k = 0; from && k < p->item_count; k++) {
        const struct item *f = &p->item[k];
        char name[64], parameter[64];
        if (f->kind != ITEM_FUNCTION || f->is_kernel || f->parameters < 0 ||
            !token_same(t, f->name - 1, type))
            continue;
        const int close = t->token[f->parameters].match, begin = f->parameters + 1;
        const int taken = token_is(t, begin, "const") ? begin + 1 : begin;
        if (close != taken + 2 || !token_same(t, taken, from->type))
            continue;
        token_copy(t, f->name, name, sizeof name);
        token_copy(t, last, parameter, sizeof parameter);
        edits_replace(edits, REPAIR_TYPE, -4, first, last, "%s(%s)", name, parameter);
    }
}

/* (int)x, and the like. */
static void change_cast(struct edits *edits, int i)
{
    const struct tokens *t = &edits->program->tokens;
    if (!token_is(t, i, "(") || t->token[i].match != i + 2 || token_is_name(t, i - 1))
        return;
    if (token_is_name(t, i + 1) && token_is_name(t, i + 3))
        call_conversion(edits, i, i + 3, i + 1);
    if (!token_in(t, i + 1, " int unsigned long short char size_t real float double bool "))
        return;
    edits_replace(edits, REPAIR_TYPE, 2, i, i + 2, " ");
    edits_replace(edits, REPAIR_TYPE, 3, i, i + 2, "(double)");
}

/* Of "seen = found;", where the two have different types: seen = real_of(found). */
static void convert(struct edits *edits, int i)
{
    const struct program *p = edits->program;
    const struct tokens *t = &p->tokens;
    const struct variable *from = token_is_name(t, i) ? edits_variable(p, i) : NULL,
                          *to = from && token_is_name(t, i - 2) ? edits_variable(p, i - 2) : NULL;
    if (to && token_is(t, i - 1, "=") && token_is(t, i + 1, ";") && !token_same(t, from->type, to->type))
        call_conversion(edits, i, i, to->type);
}

/* fabs(e) and the like without the call. */
static void drop_call(struct edits *edits, int i)
{
    const struct tokens *t = &edits->program->tokens;
    char text[REPAIR_TEXT];
    if (!token_in(
            t, i,
            " fabs fabsf abs sqrt sqrtf floor floorf ceil ceilf round roundf trunc truncf rint rintf exp expf "
            "log logf ") ||
        !token_is(t, i + 1, "(") || t->token[i + 1].match <= i + 2)
        return;
    edits_copy(edits, i + 1, t->token[i + 1].match, text, sizeof text);
    edits_replace(edits, REPAIR_WITHOUT, 1, i, t->token[i + 1].match, "%s", text);
}

/* sizeof(x) of another type */
static void change_size(struct edits *edits, int i)
{
    const struct tokens *t = &edits->program->tokens;
    if (!token_is(t, i, "sizeof") || !token_is(t, i + 1, "("))
        return;
    const int last = t->token[i + 1].match;
    edits_replace(edits, REPAIR_BYTES, 2, i, last, "sizeof(real)");
    edits_replace(edits, REPAIR_BYTES, 3, i, last, "sizeof(int)");
    edits_replace(edits, REPAIR_BYTES, 3, i, last, "1");
}

void edits_of_calls(struct edits *edits)
{
    const struct program *p = edits->program;
    for (int i = 0; i < p->tokens.count; i++) {
        if (!edits_wanted(edits, i))
            continue;
        if (token_is(&p->tokens, i, ","))
            exchange_arguments(edits, i);
        name_as_parameter(edits, i);
        count_bytes(edits, i);
        add_shared_bytes(edits, i);
        change_cast(edits, i);
        convert(edits, i);
        drop_call(edits, i);
        change_size(edits, i);
    }
    for (int k = 0; k < p->variable_count; k++) {
        const struct variable *v = &p->variable[k];
        if (!edits_wanted(edits, v->name))
            continue;
        change_start(edits, v);
        change_type(edits, v);
    }
}
