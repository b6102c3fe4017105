/* Other names: of built-in variables, of variables of the same kind, of functions that do something similar. */
#include <stdio.h>
#include <string.h>

#include "harness/change/edits.h"

static const char *const families[] = {
    " atomicAdd atomicSub atomicExch ",
    " min max ",
    " fmin fmax fminf fmaxf ",
    " __syncwarp __syncthreads ",
    " __any_sync __all_sync __ballot_sync ",
    " return continue break ",
    " thread_rank meta_group_rank block_rank ",
    " num_threads size meta_group_size num_blocks ",
};

/* "break sum;" would be no statement. */
static bool returns_a_value(const struct tokens *t, int i)
{
    return token_is(t, i, "return") && !token_is(t, i + 1, ";");
}

static void exchange_word(struct edits *edits, int i)
{
    const struct tokens *t = &edits->program->tokens;
    for (int f = 0; f < (int)(sizeof families / sizeof *families); f++) {
        if (!token_in(t, i, families[f]))
            continue;
        for (const char *word = families[f] + 1; *word; word += strcspn(word, " ") + 1) {
            const int length = (int)strcspn(word, " ");
            char other[64];
            snprintf(other, sizeof other, "%.*s", length, word);
            if (!token_is(t, i, other) && !returns_a_value(t, i))
                edits_replace(edits, REPAIR_FUNCTION, 2, i, i, "%s", other);
        }
    }
}

static void exchange_builtin(struct edits *edits, int i)
{
    static const char *const names[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};
    const struct tokens *t = &edits->program->tokens;
    char own[32], axis = edits->program->text[t->token[i + 2].at];
    token_copy(t, i, own, sizeof own);
    if (token_is(t, i, "blockIdx") && !token_in(t, i + 3, " * "))
        edits_replace(edits, REPAIR_TERM, 0, i, i + 2, "blockIdx.%c * blockDim.%c", axis, axis);
    for (int k = 0; k < 4; k++)
        if (strcmp(names[k], own) != 0)
            edits_replace(edits, REPAIR_BUILTIN, 3, i, i + 2, "%s.%c", names[k], axis);
}

/* A name that is called, or a member, is no variable. */
static bool is_variable_use(const struct tokens *t, int i)
{
    return token_is_name(t, i) && !token_is(t, i + 1, "(") && !token_in(t, i - 1, " . -> :: ") &&
           !token_is(t, i + 1, "::");
}

static bool are_alike(const struct tokens *t, const struct variable *a, const struct variable *b)
{
    if (a->class != b->class || token_same(t, a->name, b->name))
        return false;
    return a->class == CLASS_INTEGER || a->class == CLASS_REAL || token_same(t, a->type, b->type);
}

/* … of the same function */
static bool are_parameters(const struct program *p, const struct variable *a, const struct variable *b)
{
    const struct item *of_a = program_item_of(p, a->name), *of_b = program_item_of(p, b->name);
    return of_a == of_b && of_a->kind == ITEM_FUNCTION && a->name < of_a->body && b->name < of_a->body;
}

static bool is_stored(const struct tokens *t, int i)
{
    return token_in(t, i + 1, " = += -= *= /= %= <<= >>= ++ -- ") || token_in(t, i - 1, " ++ -- ");
}

/* In for (int i = first; ...) it is i that is meant, mostly. */
static bool begins_with(const struct tokens *t, const struct variable *counter, const struct variable *own)
{
    return counter->loop >= 0 && token_is(t, counter->name + 1, "=") &&
           token_same(t, counter->name + 2, own->name) && token_is(t, counter->name + 3, ";");
}

/* An argument is not meant to be what the one beside it is. */
static bool is_beside(const struct tokens *t, int i, int name)
{
    return (token_is(t, i + 1, ",") && token_same(t, i + 2, name)) ||
           (token_is(t, i - 1, ",") && token_same(t, i - 2, name));
}

static void exchange_variable(struct edits *edits, int i, const struct variable *own)
{
    const struct program *p = edits->program;
    const struct tokens *t = &p->tokens;
    for (int k = 0; k < p->variable_count; k++) {
        const struct variable *v = &p->variable[k];
        char name[64];
        if (!are_alike(t, own, v) || v->is_global || !edits_may_name(&p->tokens, v, i) ||
            edits_variable(p, i) != own || is_beside(t, i, v->name))
            continue;
        token_copy(t, v->name, name, sizeof name);
        const bool is_close = (own->loop >= 0 && v->loop >= 0) || are_parameters(p, own, v);
        edits_replace(edits, REPAIR_NAME, begins_with(t, v, own) ? 0 : is_close ? 1 : 3, i, i, "%s", name);
    }
    if (own->class == CLASS_INTEGER && !is_stored(t, i)) {
        static const char *const builtins[] = {"blockIdx.x", "threadIdx.x", "blockDim.x", "gridDim.x"};
        for (int k = 0; k < 4 && program_item_of(p, i)->is_device; k++)
            edits_replace(edits, REPAIR_NAME, 3 + k, i, i, "%s", builtins[k]);
    }
    if (token_is(t, i - 1, "<<<"))
        edits_replace(edits, REPAIR_NUMBER, 2, i, i, "1");
}

/* threadIdx.x, or a number: a variable that counts the same way may have been meant. */
static void name_instead(struct edits *edits, int first, int last, int cost)
{
    const struct program *p = edits->program;
    for (int k = 0; k < p->variable_count; k++) {
        const struct variable *v = &p->variable[k];
        char name[64];
        const int more = v->is_global ? 3 : v->loop >= 0 ? -1 : 0;
        if (v->class != CLASS_INTEGER || !edits_may_name(&p->tokens, v, first))
            continue;
        token_copy(&p->tokens, v->name, name, sizeof name);
        edits_replace(edits, REPAIR_NAME, cost + more, first, last, "%s", name);
    }
}

/* The last token of x[i], or x[i][j], that begins with the name at token `i`; -1: it is no element of an array. */
static int element_end(const struct program *p, int i)
{
    const struct tokens *t = &p->tokens;
    const struct variable *v = edits_variable(p, i);
    int last = -1;
    if (!v || v->class != CLASS_POINTER || token_is(t, i - 1, "&"))
        return -1;
    for (int open = i + 1; token_is(t, open, "["); open = last + 1)
        last = t->token[open].match;
    return last;
}

/* For tokens `first` to `last`, an element: a variable of a real type. */
static void name_value(struct edits *edits, int first, int last)
{
    const struct program *p = edits->program;
    char name[64];
    for (int k = 0; k < p->variable_count && !is_stored(&p->tokens, last); k++) {
        const struct variable *v = &p->variable[k];
        if (v->class != CLASS_REAL || v->is_global || !edits_may_name(&p->tokens, v, first))
            continue;
        token_copy(&p->tokens, v->name, name, sizeof name);
        edits_replace(edits, REPAIR_NAME, 1, first, last, "%s", name);
    }
}

/* How often, and where first, the variable stands between two tokens. */
static int uses_of(const struct program *p, const struct variable *v, int first, int last, int *where)
{
    int count = 0;
    for (int i = first; i <= last; i++)
        if (edits_variable(p, i) == v && count++ == 0)
            *where = i;
    return count;
}

/* Two variables of a kind, each of which stands there once: each in the other's place. */
static void exchange_variables(struct edits *edits, const struct statement *s)
{
    const struct program *p = edits->program;
    int first = s->first, last = s->last;
    if (s->kind == STATEMENT_BLOCK)
        return;
    if (s->condition >= 0) {
        first = s->condition;
        last = p->tokens.token[first].match;
    }
    for (int a = 0; a < p->variable_count; a++) {
        const struct variable *x = &p->variable[a];
        int here = 0, there = 0;
        if (x->class == CLASS_OTHER || uses_of(p, x, first, last, &here) != 1)
            continue;
        for (int b = a + 1; b < p->variable_count; b++) {
            const struct variable *y = &p->variable[b];
            char one[64], other[64], from[REPAIR_TEXT], to[REPAIR_TEXT];
            if (y->class != x->class || uses_of(p, y, first, last, &there) != 1 || x->name == here ||
                y->name == there)
                continue;
            token_copy(&p->tokens, x->name, one, sizeof one);
            token_copy(&p->tokens, y->name, other, sizeof other);
            struct repair_part part[2] = {edits_span(edits, here, here), edits_span(edits, there, there)};
            snprintf(part[0].with, sizeof part[0].with, "%s", other);
            snprintf(part[1].with, sizeof part[1].with, "%s", one);
            snprintf(from, sizeof from, "%s` and `%s", one, other);
            snprintf(to, sizeof to, "%s` and `%s", other, one);
            edits_both(edits, REPAIR_ARGUMENTS, s->condition >= 0 ? 2 : 3, part, p->tokens.token[here].line,
                       from, to);
        }
    }
}

void edits_of_names(struct edits *edits)
{
    const struct program *p = edits->program;
    const struct tokens *t = &p->tokens;
    for (int i = 0; i < t->count; i++) {
        if (!edits_wanted(edits, i))
            continue;
        exchange_word(edits, i);
        if (edits_is_builtin(t, i)) {
            exchange_builtin(edits, i);
            name_instead(edits, i, i + 2, 3);
            i += 2;
            continue;
        }
        if (edits_is_array_size(p, i))
            continue;
        if (t->token[i].kind == TOKEN_NUMBER)
            name_instead(edits, i, i, 3);
        if (!is_variable_use(t, i))
            continue;
        const struct variable *own = edits_variable(p, i);
        if (own)
            exchange_variable(edits, i, own);
        const int end = element_end(p, i);
        if (end > 0)
            name_value(edits, i, end);
    }
    for (int k = 0; k < p->statement_count; k++)
        if (p->statement[k].parent >= 0 && edits_wanted(edits, p->statement[k].first))
            exchange_variables(edits, &p->statement[k]);
}
