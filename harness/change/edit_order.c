/* The order of statements: neighbors exchanged; what stands before or behind a loop comes into it. */
#include <stdio.h>
#include <string.h>

#include "harness/change/edits.h"

static bool is_small(const struct repair_part *part)
{
    return part->length < REPAIR_TEXT - 4;
}

static void fill(const struct edits *edits, const struct repair_part *from, struct repair_part *to)
{
    memcpy(to->with, edits->program->text + from->at, (size_t)from->length);
    to->with[from->length] = ' ';
    to->with[from->length + 1] = '\0';
}

static void exchange(struct edits *edits, const struct statement *a, const struct statement *b)
{
    struct repair_part part[2] = {edits_span(edits, a->first, a->last), edits_span(edits, b->first, b->last)};
    char from[REPAIR_TEXT], to[REPAIR_TEXT];
    if (a->kind == STATEMENT_DECLARATION || b->kind == STATEMENT_DECLARATION ||
        !edits_wanted(edits, b->first))
        return;
    /* The longer one stays where it is: the shorter one goes to its other side. */
    const bool first_moves = part[0].length <= part[1].length;
    struct repair_part *moved = &part[first_moves ? 0 : 1], *goal = &part[first_moves ? 1 : 0];
    if (!is_small(moved))
        return;
    const int end = goal->at + (first_moves ? goal->length : 0);
    *goal = (struct repair_part){.at = end};
    fill(edits, moved, goal);
    edits_copy(edits, a->first, a->last, from, sizeof from);
    edits_copy(edits, b->first, b->last, to, sizeof to);
    const struct statement *of = first_moves ? a : b;
    edits_both(edits, REPAIR_MOVE, 2, part, edits->program->tokens.token[of->first].line,
               first_moves ? from : to,
               first_moves ? "behind the statement that follows" : "before the statement before it");
}

/* The block of a loop or an if; NULL: it has only one statement without braces. */
static const struct statement *body_of(const struct program *p, const struct statement *owner)
{
    const int number = (int)(owner - p->statement);
    for (int k = number + 1; k < p->statement_count && p->statement[k].first <= owner->last; k++)
        if (p->statement[k].parent == number)
            return p->statement[k].kind == STATEMENT_BLOCK ? &p->statement[k] : NULL;
    return NULL;
}

/* The neighbor of a loop, or of an if, comes into it: at its beginning, or at its end. */
static void take_in(struct edits *edits, const struct statement *s, const struct statement *owner, bool stays)
{
    const struct program *p = edits->program;
    const struct tokens *t = &p->tokens;
    const struct statement *body = body_of(p, owner);
    struct repair_part part[2] = {edits_span(edits, s->first, s->last)};
    char from[REPAIR_TEXT];
    const bool is_before = s->first < owner->first;
    if (!body || !is_small(&part[0]) || s->kind == STATEMENT_DECLARATION)
        return;
    part[1].at = is_before ? t->token[body->first].at + 1 : t->token[body->last].at;
    fill(edits, &part[0], &part[1]);
    memcpy(part[0].with, ";", 2);
    if (stays) {
        part[0].length = 0;
        part[0].with[0] = '\0';
    }
    edits_copy(edits, s->first, s->last, from, sizeof from);
    edits_both(edits, REPAIR_MOVE, 3, part, t->token[s->first].line, from,
               is_before ? owner->kind == STATEMENT_LOOP ? "at the beginning of the loop that follows"
                                                         : "in the `if` that follows"
               : owner->kind == STATEMENT_LOOP ? "at the end of the loop before it"
                                               : "in the `if` before it");
}

/* real sum = 0; before a loop that has another loop in it: again in each turn. */
static void start_again(struct edits *edits, const struct statement *s, const struct statement *loop)
{
    const struct program *p = edits->program;
    const struct tokens *t = &p->tokens;
    const struct statement *body = body_of(p, loop);
    for (int k = 0; body && k < p->variable_count; k++) {
        const struct variable *v = &p->variable[k];
        char name[64];
        if (v->name < s->first || v->name > s->last ||
            (v->class != CLASS_REAL && v->class != CLASS_INTEGER) || !token_is(t, v->name + 1, "="))
            continue;
        token_copy(t, v->name, name, sizeof name);
        edits_insert(edits, REPAIR_START, 4, body->first + 1, "%s = 0; ", name);
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
            edits_both(edits, REPAIR_ARGUMENTS, 2, part, p->tokens.token[here].line, from, to);
        }
    }
}

void edits_of_order(struct edits *edits)
{
    const struct program *p = edits->program;
    for (int k = 0; k < p->statement_count; k++) {
        const struct statement *s = &p->statement[k];
        if (s->parent < 0 || !edits_wanted(edits, s->first))
            continue;
        exchange_variables(edits, s);
        if (s->behind < 0)
            continue;
        const struct statement *next = &p->statement[s->behind];
        exchange(edits, s, next);
        if (next->kind == STATEMENT_LOOP || next->kind == STATEMENT_IF) {
            take_in(edits, s, next, false);
            take_in(edits, s, next, true);
        }
        if ((s->kind == STATEMENT_LOOP || s->kind == STATEMENT_IF) && edits_wanted(edits, next->first))
            take_in(edits, next, s, false);
        for (const struct statement *other = next; s->kind == STATEMENT_DECLARATION && other;
             other = other->behind >= 0 ? &p->statement[other->behind] : NULL)
            if (other->kind == STATEMENT_LOOP)
                start_again(edits, s, other);
    }
}
