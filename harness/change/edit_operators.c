/* Other operators, other numbers, without an operand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/change/edits.h"

struct exchange {
    const char *from, *to;
    enum repair_kind kind;
    int cost;
};

static const struct exchange exchanges[] = {
    {"<", "<=", REPAIR_COMPARE, 0},   {"<=", "<", REPAIR_COMPARE, 0},   {">", ">=", REPAIR_COMPARE, 0},
    {">=", ">", REPAIR_COMPARE, 0},   {"==", "!=", REPAIR_COMPARE, 0},  {"!=", "==", REPAIR_COMPARE, 0},
    {"<", ">=", REPAIR_COMPARE, 2},   {"<=", ">", REPAIR_COMPARE, 2},   {">", "<=", REPAIR_COMPARE, 2},
    {">=", "<", REPAIR_COMPARE, 2},   {"<", ">", REPAIR_COMPARE, 4},    {">", "<", REPAIR_COMPARE, 4},
    {"<=", ">=", REPAIR_COMPARE, 4},  {">=", "<=", REPAIR_COMPARE, 4},  {"+", "-", REPAIR_OPERATOR, 2},
    {"-", "+", REPAIR_OPERATOR, 2},   {"*", "+", REPAIR_OPERATOR, 3},   {"/", "*", REPAIR_OPERATOR, 3},
    {"/", "%", REPAIR_OPERATOR, 1},   {"%", "/", REPAIR_OPERATOR, 1},   {"+", "*", REPAIR_OPERATOR, 3},
    {"<<", ">>", REPAIR_OPERATOR, 2}, {">>", "<<", REPAIR_OPERATOR, 2}, {"&&", "||", REPAIR_OPERATOR, 1},
    {"||", "&&", REPAIR_OPERATOR, 1}, {"=", "+=", REPAIR_ASSIGN, 1},    {"+=", "=", REPAIR_ASSIGN, 2},
    {"+=", "-=", REPAIR_ASSIGN, 3},
};

/* A declaration's = stores nothing that is there already. */
static bool is_assignment(const struct edits *edits, int i)
{
    const struct statement *s = program_statement_of(edits->program, i);
    return s && s->kind == STATEMENT_SIMPLE && edits_wanted(edits, i);
}

/* With its operands, for people: the operator alone says little. */
static void exchange_at(struct edits *edits, int i, const struct exchange *e)
{
    const struct tokens *t = &edits->program->tokens;
    const int before = edits->count;
    char left[60] = "", right[60] = "";
    int first, last;
    /* A variable that gets a new value adds to nothing; an element may. */
    const bool is_variable = e->kind == REPAIR_ASSIGN && token_is(t, i, "=") && token_is_name(t, i - 1);
    edits_replace(edits, e->kind, e->cost + (is_variable ? 2 : 0), i, i, "%s", e->to);
    if (edits->count == before || e->kind == REPAIR_ASSIGN)
        return;
    edits_operands(t, i, &first, &last);
    if (first < i)
        tokens_copy(&edits->program->tokens, first, i - 1, left, sizeof left);
    if (last > i)
        tokens_copy(&edits->program->tokens, i + 1, last, right, sizeof right);
    if (strlen(left) + 1 >= sizeof left || strlen(right) + 1 >= sizeof right)
        return; /* they are cut: the operator alone says more */
    struct repair_edit *edit = &edits->edit[edits->count - 1];
    snprintf(edit->from, sizeof edit->from, "%s %s %s", left, e->from, right);
    snprintf(edit->to, sizeof edit->to, "%s %s %s", left, e->to, right);
}

static void exchange_operator(struct edits *edits, int i)
{
    const struct tokens *t = &edits->program->tokens;
    for (int e = 0; e < (int)(sizeof exchanges / sizeof *exchanges); e++) {
        const enum repair_kind kind = exchanges[e].kind;
        if (!token_is(t, i, exchanges[e].from))
            continue;
        if (kind == REPAIR_ASSIGN ? token_is(t, i, "=") && !is_assignment(edits, i) : !edits_is_binary(t, i))
            continue;
        if (strcmp(exchanges[e].to, "=") == 0 && edits_stands_in(t, i, "for"))
            continue; /* for (...; ...; i = 16) would not end */
        exchange_at(edits, i, &exchanges[e]);
    }
}

/* a + b: only a, only b. What is left of b is as long as the text. */
static void leave_out(struct edits *edits, int i)
{
    const struct tokens *t = &edits->program->tokens;
    int first, last;
    if (!edits_split(t, i, " + - * / % && || << >> & | ", &first, &last))
        return;
    char left[REPAIR_TEXT], right[REPAIR_TEXT];
    const bool is_condition = token_in(t, i, " && || ");
    tokens_copy(&edits->program->tokens, first, i - 1, left, sizeof left);
    tokens_copy(&edits->program->tokens, i + 1, last, right, sizeof right);
    edits_replace(edits, REPAIR_WITHOUT, 0, first, last, "%s", left);
    if (!token_in(t, i, " / % - << >> "))
        edits_replace(edits, REPAIR_WITHOUT, is_condition ? 1 : 4, first, last, "%s", right);
}

static void change_integer(struct edits *edits, int i, const char *text)
{
    char *end;
    const unsigned long long value = strtoull(text, &end, 0);
    if (value > 0)
        edits_replace(edits, REPAIR_NUMBER, value < 3 ? 0 : 3, i, i, "%llu%s", value - 1, end);
    if (value > 1)
        edits_replace(edits, REPAIR_NUMBER, 1, i, i, "%llu%s", value * 2, end);
    if (value > 2)
        edits_replace(edits, REPAIR_NUMBER, 0, i, i, "%llu%s", value / 2, end);
    edits_replace(edits, REPAIR_NUMBER, value < 2 ? 3 : 4, i, i, "%llu%s", value + 1, end);
}

/* What a maximum begins with, in a file that looks for one. */
static void begin_below_all(struct edits *edits, int i)
{
    const struct tokens *t = &edits->program->tokens;
    const struct variable *v = token_is(t, i - 1, "=") ? edits_variable(edits->program, i - 2) : NULL;
    if (token_is(t, i, "0") && token_in(t, i - 1, " = : ( , ") && token_in(t, i + 1, " ; , ) ") &&
        (!v || v->class == CLASS_REAL) && (edits_has(edits, "max") || edits_has(edits, "INFINITY")))
        edits_replace(edits, REPAIR_START, 1, i, i, "-INFINITY");
}

/* *p-- for *--p, and the other way round */
static void step_before(struct edits *edits, int i)
{
    const struct tokens *t = &edits->program->tokens;
    const int first = token_is_name(t, i - 1) ? i - 1 : i;
    char one[64], other[64];
    token_copy(t, first, one, sizeof one);
    token_copy(t, first + 1, other, sizeof other);
    if (token_is_name(t, first) != token_is_name(t, first + 1) && token_in(t, first - 1, " * [ "))
        edits_replace(edits, REPAIR_OPERATOR, 1, first, first + 1, "%s%s", other, one);
}

static void change_number(struct edits *edits, int i)
{
    const struct tokens *t = &edits->program->tokens;
    char text[64];
    begin_below_all(edits, i);
    if (token_in(t, i, " NAN INFINITY "))
        edits_replace(edits, REPAIR_NUMBER, 2, i, i, "0");
    if (t->token[i].kind != TOKEN_NUMBER)
        return;
    token_copy(t, i, text, sizeof text);
    if (!strpbrk(text, ".xXfe"))
        change_integer(edits, i, text);
}

void edits_of_operators(struct edits *edits)
{
    const struct tokens *t = &edits->program->tokens;
    for (int i = 0; i < t->count; i++) {
        if (!edits_wanted(edits, i))
            continue;
        exchange_operator(edits, i);
        leave_out(edits, i);
        change_number(edits, i);
        if (token_in(t, i, " ++ -- "))
            step_before(edits, i);
    }
}
