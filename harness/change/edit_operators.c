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
    {"==", ">", REPAIR_COMPARE, 4},   {"<", "==", REPAIR_COMPARE, 4},   {"<", "!=", REPAIR_COMPARE, 4},
    {"!=", "<", REPAIR_COMPARE, 4},   {"==", ">=", REPAIR_COMPARE, 4},  {"==", "<=", REPAIR_COMPARE, 4},
    {"+", "-", REPAIR_OPERATOR, 1},   {"-", "+", REPAIR_OPERATOR, 1},   {"*", "+", REPAIR_OPERATOR, 3},
    {"*", "/", REPAIR_OPERATOR, 3},   {"/", "*", REPAIR_OPERATOR, 2},   {"/", "%", REPAIR_OPERATOR, 1},
    {"%", "/", REPAIR_OPERATOR, 1},   {"+", "*", REPAIR_OPERATOR, 3},   {"<<", ">>", REPAIR_OPERATOR, 2},
    {">>", "<<", REPAIR_OPERATOR, 2}, {"&&", "||", REPAIR_OPERATOR, 1}, {"||", "&&", REPAIR_OPERATOR, 1},
    {"&", "|", REPAIR_OPERATOR, 3},   {"|", "&", REPAIR_OPERATOR, 3},   {"&", "%", REPAIR_OPERATOR, 4},
    {"^", "+", REPAIR_OPERATOR, 3},   {"^", "&", REPAIR_OPERATOR, 3},   {"%", "&", REPAIR_OPERATOR, 5},
    {"=", "+=", REPAIR_ASSIGN, 2},    {"+=", "=", REPAIR_ASSIGN, 1},    {"-=", "+=", REPAIR_ASSIGN, 1},
    {"+=", "-=", REPAIR_ASSIGN, 2},   {"*=", "+=", REPAIR_ASSIGN, 2},   {"+=", "*=", REPAIR_ASSIGN, 3},
    {"/=", "*=", REPAIR_ASSIGN, 2},   {"*=", "/=", REPAIR_ASSIGN, 2},   {"<<=", ">>=", REPAIR_ASSIGN, 2},
    {">>=", "<<=", REPAIR_ASSIGN, 2}, {"/=", "-=", REPAIR_ASSIGN, 3},   {"-=", "/=", REPAIR_ASSIGN, 3},
    {"++", "--", REPAIR_ASSIGN, 3},   {"--", "++", REPAIR_ASSIGN, 2},   {"/", "-", REPAIR_OPERATOR, 4},
    {"-", "*", REPAIR_OPERATOR, 5},   {"-", "/", REPAIR_OPERATOR, 5},   {"%", "*", REPAIR_OPERATOR, 4},
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
        edits_copy(edits, first, i - 1, left, sizeof left);
    if (last > i)
        edits_copy(edits, i + 1, last, right, sizeof right);
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
    edits_copy(edits, first, i - 1, left, sizeof left);
    edits_copy(edits, i + 1, last, right, sizeof right);
    edits_replace(edits, REPAIR_WITHOUT, is_condition ? 1 : 2, first, last, "%s", left);
    if (!token_in(t, i, " / % - << >> "))
        edits_replace(edits, REPAIR_WITHOUT, is_condition ? 1 : 3, first, last, "%s", right);
    if (token_is(t, i, "-")) {
        edits_replace(edits, REPAIR_WITHOUT, 4, first, last, "-(%s)", right);
        edits_replace(edits, REPAIR_OPERATOR, 3, first, last, "%s - (%s)", right, left);
    }
    if (token_is(t, i, "/")) {
        edits_replace(edits, REPAIR_OPERATOR, 2, first, last, "(%s + %s - 1) / (%s)", left, right, right);
        edits_replace(edits, REPAIR_TYPE, 3, first, last, "(double)(%s) / %s", left, right);
    }
}

/* x + y * z: (x + y) * z, whose parentheses are forgotten; and the other way round. */
static void move_parentheses(struct edits *edits, int i)
{
    const struct tokens *t = &edits->program->tokens;
    int first, last, from, to;
    char left[REPAIR_TEXT], middle[REPAIR_TEXT], right[REPAIR_TEXT];
    if (!edits_split(t, i, " * / % ", &first, &last))
        return;
    edits_copy(edits, first, i - 1, middle, sizeof middle);
    edits_copy(edits, i + 1, last, right, sizeof right);
    if (token_in(t, first - 1, " + - ") && edits_is_binary(t, first - 1)) {
        edits_operands(t, first - 1, &from, &to);
        edits_copy(edits, from, first - 2, left, sizeof left);
        edits_replace(edits, REPAIR_OPERATOR, 2, from, last, "(%s %s %s) %.*s %s", left,
                      token_is(t, first - 1, "+") ? "+" : "-", middle, t->token[i].length,
                      t->text + t->token[i].at, right);
    }
    if (t->token[first].match == i - 1) {
        edits_copy(edits, first + 1, i - 2, middle, sizeof middle);
        edits_replace(edits, REPAIR_OPERATOR, 3, first, last, "%s %.*s %s", middle, t->token[i].length,
                      t->text + t->token[i].at, right);
    }
}

static void change_integer(struct edits *edits, int i, const char *text)
{
    char *end;
    const unsigned long long value = strtoull(text, &end, 0);
    const bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    if (hex) {
        edits_replace(edits, REPAIR_NUMBER, 1, i, i, "0xffffffffu");
        return;
    }
    edits_replace(edits, REPAIR_NUMBER, value < 2 ? 1 : 2, i, i, "%llu%s", value + 1, end);
    if (value > 0)
        edits_replace(edits, REPAIR_NUMBER, value < 3 ? 1 : 2, i, i, "%llu%s", value - 1, end);
    if (value > 2) {
        edits_replace(edits, REPAIR_NUMBER, 2, i, i, "%llu%s", value * 2, end);
        edits_replace(edits, REPAIR_NUMBER, 2, i, i, "%llu%s", value / 2, end);
        edits_replace(edits, REPAIR_NUMBER, 4, i, i, "0%s", end);
        edits_replace(edits, REPAIR_NUMBER, 4, i, i, "1%s", end);
    } else if (value == 2) {
        edits_replace(edits, REPAIR_NUMBER, 2, i, i, "4%s", end);
    }
    if (value > 1 && (value & (value - 1)) != 0)
        edits_replace(edits, REPAIR_NUMBER, 4, i, i, "%llu%s", value + 2, end);
    if (value > 15)
        edits_replace(edits, REPAIR_NUMBER, 5, i, i, "%llu%s", value * 4, end);
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
    const bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    if (!strchr(text, '.') && (hex || (!strchr(text, 'f') && !strchr(text, 'e')))) {
        change_integer(edits, i, text);
        return;
    }
    const double value = strtod(text, NULL);
    if (value != 0)
        edits_replace(edits, REPAIR_NUMBER, 2, i, i, "0.0f");
    if (value != 1)
        edits_replace(edits, REPAIR_NUMBER, 3, i, i, "1.0f");
    if (value != 0)
        edits_replace(edits, REPAIR_NUMBER, 2, i, i, "-%s", text);
    if (value != 0 && value != 1) {
        edits_replace(edits, REPAIR_NUMBER, 3, i, i, "(1 / %s)", text);
        edits_replace(edits, REPAIR_NUMBER, 3, i, i, "(2 * %s)", text);
    }
}

/* -x, !x and ~x without the sign. */
static void drop_sign(struct edits *edits, int i)
{
    const struct tokens *t = &edits->program->tokens;
    if (token_in(t, i, " - ! ~ ") && !edits_is_binary(t, i) && !token_in(t, i + 1, " = "))
        edits_replace(edits, REPAIR_WITHOUT, 2, i, i, " ");
}

static void exchange_choice(struct edits *edits, int i)
{
    const struct tokens *t = &edits->program->tokens;
    if (!token_is(t, i, "?"))
        return;
    int colon = i + 1, last, first, unused;
    while (colon < t->count && !token_in(t, colon, " : ; "))
        colon = t->token[colon].match > colon ? t->token[colon].match + 1 : colon + 1;
    if (!token_is(t, colon, ":"))
        return;
    edits_operands(t, i, &first, &unused);
    for (last = colon + 1; last < t->count && !token_in(t, last, " , ; ) ] } >>> ");)
        last = t->token[last].match > last ? t->token[last].match + 1 : last + 1;
    last--;
    char one[REPAIR_TEXT], other[REPAIR_TEXT];
    edits_copy(edits, i + 1, colon - 1, one, sizeof one);
    edits_copy(edits, colon + 1, last, other, sizeof other);
    edits_replace(edits, REPAIR_CONDITION, 2, i + 1, last, "%s : %s", other, one);
    edits_replace(edits, REPAIR_CONDITION, 3, i + 1, last, "%s : %s", one, one);
    edits_replace(edits, REPAIR_CONDITION, 3, i + 1, last, "%s : %s", other, other);
}

void edits_of_operators(struct edits *edits)
{
    for (int i = 0; i < edits->program->tokens.count; i++) {
        if (!edits_wanted(edits, i))
            continue;
        exchange_operator(edits, i);
        leave_out(edits, i);
        move_parentheses(edits, i);
        change_number(edits, i);
        drop_sign(edits, i);
        exchange_choice(edits, i);
    }
}
