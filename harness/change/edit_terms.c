/* A term that may be missing: in an index, in a number that a variable begins with, in a step. */
#include <stdio.h>
#include <string.h>

#include "harness/change/edits.h"

/* A name alone whose type no term fits; what an atomic operation finds. */
static bool takes_no_term(const struct edits *edits, int first, int last)
{
    const struct variable *v = first == last ? edits_variable(edits->program, first) : NULL;
    for (int i = first; i <= last; i++)
        if (token_is_name(&edits->program->tokens, i) &&
            strncmp(edits->program->text + edits->program->tokens.token[i].at, "atomic", 6) == 0)
            return true;
    return (v && v->class != CLASS_INTEGER && v->class != CLASS_POINTER) ||
           (first == last && edits->program->tokens.token[first].kind == TOKEN_STRING);
}

static bool has_name(const struct tokens *t, int first, int last, int name)
{
    for (int i = first; i <= last; i++)
        if (token_is_name(t, i) && token_same(t, i, name))
            return true;
    return false;
}

static bool has_builtin(const struct tokens *t, int first, int last)
{
    for (int i = first; i <= last; i++)
        if (edits_is_builtin(t, i))
            return true;
    return false;
}

static void add_builtins(struct edits *edits, int first, int last, int cost)
{
    static const char *const builtins[] = {"threadIdx.x", "blockIdx.x * blockDim.x", "threadIdx.y",
                                           "blockIdx.y * blockDim.y"};
    char text[REPAIR_TEXT];
    tokens_copy(&edits->program->tokens, first, last, text, sizeof text);
    const bool has_some = has_builtin(&edits->program->tokens, first, last);
    const bool has_rows = edits_has(edits, "Idx.y") || edits_has(edits, "dim3");
    for (int k = 0; k < 4; k++)
        if (!strstr(text, builtins[k]) && (has_rows || k < 2))
            edits_replace(edits, REPAIR_TERM, cost + (has_some ? 0 : 2) + (k > 1), first, last, "%s + %s",
                          text, builtins[k]);
}

/*
 * Adds built-in variables, and the counter of a loop around it that does not stand there; to an index, where a block's part
 * may begin, any other number.
 */
static void add_names(struct edits *edits, int first, int last, int cost)
{
    const struct program *p = edits->program;
    const bool is_index = token_is(&p->tokens, first - 1, "[");
    char text[REPAIR_TEXT], name[64];
    if (takes_no_term(edits, first, last) ||
        (first == last && p->tokens.token[first].kind == TOKEN_NUMBER)) /* edit_names puts the name instead */
        return;
    tokens_copy(&edits->program->tokens, first, last, text, sizeof text);
    if (program_item_of(p, first)->is_device)
        add_builtins(edits, first, last, cost);
    for (int k = 0; k < p->variable_count; k++) {
        const struct variable *v = &p->variable[k];
        if (v->class != CLASS_INTEGER || v->is_global || !(is_index || v->loop >= 0) ||
            !edits_may_name(&p->tokens, v, first) || has_name(&p->tokens, first, last, v->name))
            continue;
        token_copy(&p->tokens, v->name, name, sizeof name);
        edits_replace(edits, REPAIR_TERM, cost + (v->loop >= 0 ? 0 : 3), first, last, "%s + %s", text, name);
        if (v->loop >= 0)
            edits_replace(edits, REPAIR_TERM, cost, first, last, "%s - %s", text, name);
    }
}

/* A variable's value, as it stands, in a sum or as an index: not what is compared, its address, or an element of it. */
static bool is_operand(const struct program *p, int i)
{
    const struct variable *v = edits_variable(p, i);
    return v && v->name != i && !program_is_set(&p->tokens, i) &&
           !token_in(&p->tokens, i + 1, " ( [ . -> < <= > >= == != ") &&
           !token_in(&p->tokens, i - 1, " & < <= > >= == != ");
}

static void add_one(struct edits *edits, int first, int last, int cost)
{
    char text[REPAIR_TEXT];
    if (takes_no_term(edits, first, last))
        return;
    tokens_copy(&edits->program->tokens, first, last, text, sizeof text);
    edits_replace(edits, REPAIR_TERM, cost + 2, first, last, "%s + 1", text);
    edits_replace(edits, REPAIR_TERM, cost + 1, first, last, "%s - 1", text);
}

/* Is the variable at token `at` a local one that is read nowhere else? Then what it lacks may be missing where it is set. */
static bool is_read_here_alone(const struct program *p, int at)
{
    const struct variable *v = edits_variable(p, at);
    if (!v || v->is_global || v->loop >= 0 || v->name < program_item_of(p, at)->body)
        return false;
    for (int i = v->name + 1; i <= v->last; i++)
        if (i != at && token_same(&p->tokens, i, v->name) && edits_variable(p, i) == v &&
            !program_is_set(&p->tokens, i))
            return false;
    return true;
}

/* What the loop compares its counter with: for (...; k < limit; ...). False: it is not understood. */
static bool limit_of(struct edits *edits, int loop, char *limit, size_t size)
{
    const struct tokens *t = &edits->program->tokens;
    const struct statement *s = &edits->program->statement[loop];
    const int close = s->condition < 0 ? -1 : t->token[s->condition].match;
    int from = s->condition, to;
    while (from < close && !token_is(t, from, ";"))
        from++;
    for (to = from + 1; to < close && !token_is(t, to, ";");)
        to++;
    if (!token_is(t, s->first, "for") || to >= close || !token_is(t, from + 2, "<") || to - 1 < from + 3)
        return false;
    tokens_copy(&edits->program->tokens, from + 3, to - 1, limit, size);
    return true;
}

/* The index is the counter of a loop around it alone, or the counter the other way round. */
static void count_otherwise(struct edits *edits, int first, int last, const struct variable *v)
{
    const struct program *p = edits->program;
    char name[64], limit[REPAIR_TEXT];
    token_copy(&p->tokens, v->name, name, sizeof name);
    if (first < last)
        edits_replace(edits, REPAIR_INDEX, 1, first, last, "%s", name);
    else if (limit_of(edits, v->loop, limit, sizeof limit))
        edits_replace(edits, REPAIR_INDEX, 2, first, last, "%s - 1 - %s", limit, name);
}

static void index_by_counter(struct edits *edits, int first, int last)
{
    const struct program *p = edits->program;
    for (int k = 0; k < p->variable_count; k++) {
        const struct variable *v = &p->variable[k];
        if (v->loop < 0 || first <= v->first || first > v->last ||
            !has_name(&p->tokens, first, last, v->name))
            continue;
        count_otherwise(edits, first, last, v);
    }
}

/* a[e] */
static void add_to_index(struct edits *edits, int open)
{
    const struct tokens *t = &edits->program->tokens;
    const int last = t->token[open].match - 1;
    if (last <= open || !program_statement_of(edits->program, open))
        return;
    bool is_set_for_it = false;
    for (int i = open + 1; i <= last; i++)
        is_set_for_it |= is_read_here_alone(edits->program, i);
    if (!is_set_for_it)
        add_one(edits, open + 1, last, 2);
    index_by_counter(edits, open + 1, last);
    if (!edits_is_array_size(edits->program, open + 1) && !is_set_for_it)
        add_names(edits, open + 1, last, 2);
    if (token_is(t, last + 2, "["))
        edits_replace(edits, REPAIR_ARGUMENTS, 1, open + 1, t->token[last + 2].match - 1, "%.*s][%.*s",
                      edits_span(edits, last + 3, t->token[last + 2].match - 1).length,
                      edits->program->text + t->token[last + 3].at, edits_span(edits, open + 1, last).length,
                      edits->program->text + t->token[open + 1].at);
}

/* int i = e; and i += e; and each of them in a for. */
static void add_to_value(struct edits *edits, int i)
{
    const struct tokens *t = &edits->program->tokens;
    const struct variable *v = edits_variable(edits->program, i - 1);
    const int last = token_end_of_part(t, i + 1);
    if (!token_in(t, i, " = += -= ") ||
        !(v ? v->class == CLASS_INTEGER || v->class == CLASS_POINTER : token_is_name(t, i - 2)))
        return;
    if (last <= i)
        return;
    add_names(edits, i + 1, last, 2);
    add_one(edits, i + 1, last, 2);
    char text[REPAIR_TEXT];
    tokens_copy(&edits->program->tokens, i + 1, last, text, sizeof text);
    if (takes_no_term(edits, i + 1, last))
        return;
    edits_replace(edits, REPAIR_TERM, 3, i + 1, last, "(%s) / 2", text);
    if (token_is(t, i, "+=")) {
        edits_replace(edits, REPAIR_TERM, 1, i + 1, last, "blockDim.x * gridDim.x");
        edits_replace(edits, REPAIR_TERM, 3, i + 1, last, "blockDim.x");
    }
}

/*
 * Tokens `first` to `last` become a sum or a product of which they are an operand elsewhere in the function; or, behind a
 * comparison `a <` at token `compared`, what `a` is compared with elsewhere. Both may be meant here, too.
 */
static void take_from_elsewhere(struct edits *edits, int first, int last, int compared)
{
    const struct program *p = edits->program;
    const struct tokens *t = &p->tokens;
    const struct item *item = program_item_of(p, first);
    const char *const list = compared ? " < <= > >= " : " + - * / % ";
    char own[REPAIR_TEXT], begun[REPAIR_TEXT], part[2][REPAIR_TEXT], text[REPAIR_TEXT];
    int from, to;
    tokens_copy(t, first, compared ? compared - 1 : last, own, sizeof own);
    tokens_copy(t, first, compared ? compared : last, begun, sizeof begun);
    for (int k = item->body; k < item->last; k++) {
        if (k == compared || !edits_split(t, k, list, &from, &to) || !edits_mean_the_same(p, from, to, first))
            continue;
        tokens_copy(t, from, k - 1, part[0], sizeof part[0]);
        tokens_copy(t, k + 1, to, part[1], sizeof part[1]);
        tokens_copy(t, from, to, text, sizeof text);
        const bool is_begun = strcmp(part[0], own) == 0;
        if (compared && is_begun)
            edits_replace(edits, REPAIR_COMPARE, 0, first, last, "%s %s", begun, part[1]);
        else if (!compared && (from > last || to < first) && (is_begun || strcmp(part[1], own) == 0))
            edits_replace(edits, REPAIR_TERM, 2, first, last, "(%s)", text);
    }
}

/* a % b: a may be negative. */
static void add_to_remainder(struct edits *edits, int i)
{
    const struct tokens *t = &edits->program->tokens;
    char left[REPAIR_TEXT], right[REPAIR_TEXT];
    int first, last;
    if (!edits_split(t, i, " % ", &first, &last))
        return;
    const bool in_brackets = edits->program->tokens.token[first].match == i - 1;
    tokens_copy(&edits->program->tokens, first + in_brackets, i - 1 - in_brackets, left, sizeof left);
    tokens_copy(&edits->program->tokens, i + 1, last, right, sizeof right);
    edits_replace(edits, REPAIR_REMAINDER, 1, first, i - 1, "(%s + %s)", left, right);
}

void edits_of_terms(struct edits *edits)
{
    const struct tokens *t = &edits->program->tokens;
    int first, last;
    for (int i = 0; i < t->count; i++) {
        if (!edits_wanted(edits, i))
            continue;
        if (token_is(t, i, "["))
            add_to_index(edits, i);
        add_to_value(edits, i);
        if (edits_split(t, i, " < <= > >= ", &first, &last))
            take_from_elsewhere(edits, first, last, i);
        add_to_remainder(edits, i);
        if (edits_is_builtin(t, i))
            take_from_elsewhere(edits, i, i + 2, 0);
        else if (is_operand(edits->program, i))
            take_from_elsewhere(edits, i, i, 0);
    }
}
