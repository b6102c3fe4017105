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
    {"<", "<=", REPAIR_COMPARE, 1},   {"<=", "<", REPAIR_COMPARE, 1},   {">", ">=", REPAIR_COMPARE, 1},
    {">=", ">", REPAIR_COMPARE, 1},   {"==", "!=", REPAIR_COMPARE, 1},  {"!=", "==", REPAIR_COMPARE, 1},
    {"<", ">=", REPAIR_COMPARE, 2},   {"<=", ">", REPAIR_COMPARE, 2},   {">", "<=", REPAIR_COMPARE, 2},
    {">=", "<", REPAIR_COMPARE, 2},   {"<", ">", REPAIR_COMPARE, 3},    {">", "<", REPAIR_COMPARE, 3},
    {"<=", ">=", REPAIR_COMPARE, 3},  {">=", "<=", REPAIR_COMPARE, 3},  {"==", "<", REPAIR_COMPARE, 3},
    {"+", "-", REPAIR_OPERATOR, 1},   {"-", "+", REPAIR_OPERATOR, 1},   {"*", "+", REPAIR_OPERATOR, 3},
    {"*", "/", REPAIR_OPERATOR, 3},   {"/", "*", REPAIR_OPERATOR, 2},   {"/", "%", REPAIR_OPERATOR, 1},
    {"%", "/", REPAIR_OPERATOR, 1},   {"+", "*", REPAIR_OPERATOR, 3},   {"<<", ">>", REPAIR_OPERATOR, 2},
    {">>", "<<", REPAIR_OPERATOR, 2}, {"&&", "||", REPAIR_OPERATOR, 1}, {"||", "&&", REPAIR_OPERATOR, 1},
    {"=", "+=", REPAIR_ASSIGN, 2},    {"+=", "=", REPAIR_ASSIGN, 1},    {"+=", "-=", REPAIR_ASSIGN, 2},
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
    edits_replace(edits, REPAIR_WITHOUT, is_condition ? 1 : 2, first, last, "%s", left);
    if (!token_in(t, i, " / % - << >> "))
        edits_replace(edits, REPAIR_WITHOUT, is_condition ? 1 : 3, first, last, "%s", right);
    if (token_is(t, i, "-")) {
        edits_replace(edits, REPAIR_WITHOUT, 4, first, last, "-(%s)", right);
        edits_replace(edits, REPAIR_OPERATOR, 3, first, last, "%s - (%s)", right, left);
    }
}

static void change_integer(struct edits *edits, int i, const char *text)
{
    char *end;
    const unsigned long long value = strtoull(text, &end, 0);
    edits_replace(edits, REPAIR_NUMBER, value < 2 ? 1 : 2, i, i, "%llu%s", value + 1, end);
    if (value > 0)
        edits_replace(edits, REPAIR_NUMBER, value < 3 ? 1 : 2, i, i, "%llu%s", value - 1, end);
    if (value > 2) {
        edits_replace(edits, REPAIR_NUMBER, 2, i, i, "%llu%s", value * 2, end);
        edits_replace(edits, REPAIR_NUMBER, 2, i, i, "%llu%s", value / 2, end);
    } else if (value == 2) {
        edits_replace(edits, REPAIR_NUMBER, 2, i, i, "4%s", end);
    }
}

static void change_number(struct edits *edits, int i)
{
    const struct tokens *t = &edits->program->tokens;
    char text[64];
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
    for (int i = 0; i < edits->program->tokens.count; i++) {
        if (!edits_wanted(edits, i))
            continue;
        exchange_operator(edits, i);
        leave_out(edits, i);
        change_number(edits, i);
    }
}
