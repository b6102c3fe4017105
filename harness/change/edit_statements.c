/* Conditions that go or turn round; statements that leave them; barriers that come. */
#include <stdio.h>
#include <string.h>

#include "harness/change/edits.h"

#define DEPTH_CALLED 8

static bool in_block(const struct program *p, const struct statement *s)
{
    return s->parent >= 0 && p->statement[s->parent].kind == STATEMENT_BLOCK;
}

/* The parentheses of an if or a while; of a for what stands between its semicolons. */
static bool condition_of(const struct tokens *t, const struct statement *s, int *first, int *last)
{
    if (s->condition < 0)
        return false;
    *first = s->condition + 1;
    *last = t->token[s->condition].match - 1;
    if (!token_is(t, s->first, "for"))
        return *last >= *first;
    int i = *first;
    while (i < *last && !token_is(t, i, ";"))
        i = t->token[i].match > i ? t->token[i].match + 1 : i + 1;
    *first = i + 1;
    for (i = *first; i < *last && !token_is(t, i, ";");)
        i = t->token[i].match > i ? t->token[i].match + 1 : i + 1;
    *last = i - 1;
    return token_is(t, i, ";") && *last >= *first;
}

static void change_condition(struct edits *edits, const struct statement *s)
{
    int first, last;
    char text[REPAIR_TEXT];
    if (!condition_of(&edits->program->tokens, s, &first, &last) || s->kind != STATEMENT_IF)
        return;
    edits_copy(edits, first, last, text, sizeof text);
    /* Of a comparison alone, the opposite comparison says it better. */
    const bool is_comparison = strpbrk(text, "=<>") && !strstr(text, "&&") && !strstr(text, "||");
    if (text[0] == '!')
        edits_replace(edits, REPAIR_CONDITION, 1, first, last, "%s", text + 1);
    else
        edits_replace(edits, REPAIR_CONDITION, is_comparison ? 3 : 1, first, last, "!(%s)", text);
    edits_replace(edits, REPAIR_CONDITION, 2, first, last, "true");
    edits_replace(edits, REPAIR_CONDITION, 3, first, last, "false");
}

/* x += y; of several threads */
static void add_atomically(struct edits *edits, const struct statement *s)
{
    const struct tokens *t = &edits->program->tokens;
    char to[REPAIR_TEXT], value[REPAIR_TEXT];
    if (s->kind != STATEMENT_SIMPLE)
        return;
    for (int i = s->first + 1; i < s->last - 1; i++) {
        const bool is_element = token_is(t, i - 1, "]") || token_is(t, s->first, "*");
        if (token_is(t, i, "+=") && is_element && !token_is(t, s->first, "for")) {
            edits_copy(edits, s->first, i - 1, to, sizeof to);
            edits_copy(edits, i + 1, s->last - 1, value, sizeof value);
            edits_replace(edits, REPAIR_FUNCTION, 2, s->first, s->last, "atomicAdd(&%s, %s);", to, value);
        }
        if (t->token[i].match > i)
            i = t->token[i].match;
    }
}

/* for (int i = a; i < b; i++) the other way round */
static void turn_loop(struct edits *edits, const struct statement *s)
{
    const struct tokens *t = &edits->program->tokens;
    const int open = s->condition, close = open < 0 ? -1 : t->token[open].match;
    int from, to;
    char type[REPAIR_TEXT], name[64], first[REPAIR_TEXT], last[REPAIR_TEXT];
    if (!token_is(t, s->first, "for"))
        return;
    for (from = open + 1; from < close && !token_is(t, from, "=");)
        from++;
    for (to = from; to < close && !token_is(t, to, ";");)
        to++;
    if (!token_in(t, to + 2, " < <= > >= ") || !token_same(t, to + 1, from - 1))
        return;
    int end = to + 3;
    while (end < close && !token_is(t, end, ";"))
        end++;
    const bool is_up = token_in(t, to + 2, " < <= "), equal = token_in(t, to + 2, " <= >= ");
    if (!token_in(t, end + 1, " ++ -- ") && !token_in(t, end + 2, " ++ -- "))
        return;
    edits_copy(edits, open + 1, from - 1, type, sizeof type);
    token_copy(t, from - 1, name, sizeof name);
    edits_copy(edits, from + 1, to - 1, first, sizeof first);
    edits_copy(edits, to + 3, end - 1, last, sizeof last);
    if (is_up)
        edits_replace(edits, REPAIR_TURN, 3, open + 1, close - 1, "%s = %s%s; %s >= %s; %s--", type, last,
                      equal ? "" : " - 1", name, first, name);
    else
        edits_replace(edits, REPAIR_TURN, 3, open + 1, close - 1, "%s = %s%s; %s <= %s; %s++", type, last,
                      equal ? "" : " + 1", name, first, name);
}

static bool is_barrier(const struct tokens *t, const struct statement *s)
{
    return s->kind == STATEMENT_SIMPLE && token_in(t, s->first, " __syncthreads __syncwarp ");
}

static void insert_barriers(struct edits *edits, int at)
{
    if (edits_has(edits, "__shared__"))
        edits_insert(edits, REPAIR_BARRIER, 2, at, "__syncthreads(); ");
    if (edits_has(edits, "warp") || edits_has(edits, "shfl"))
        edits_insert(edits, REPAIR_BARRIER, 4, at, "__syncwarp(); ");
}

/* How many loops are around it; a function that a kernel calls may be called anywhere, and counts as more. */
static int depth_of(const struct program *p, const struct statement *s)
{
    int depth = p->item[s->function].is_kernel ? 0 : DEPTH_CALLED;
    for (; s->parent >= 0; s = &p->statement[s->parent])
        depth += p->statement[s->parent].kind == STATEMENT_LOOP;
    return depth;
}

static void add_barrier(struct edits *edits, const struct statement *s)
{
    const struct program *p = edits->program;
    const struct tokens *t = &p->tokens;
    const int before = edits->count;
    if (!in_block(p, s))
        return;
    if (!is_barrier(t, s) && !(s->before >= 0 && is_barrier(t, &p->statement[s->before])))
        insert_barriers(edits, s->first);
    const struct statement *block = &p->statement[s->parent];
    if (s->behind < 0 && !is_barrier(t, s))
        insert_barriers(edits, block->last);
    if (is_barrier(t, s) && s->behind >= 0 && block->parent >= 0) {
        /* a barrier of the loop's end for one at its beginning, and the other way round */
        struct repair_part part[2] = {edits_span(edits, s->first, s->last),
                                      {.at = t->token[block->last].at, .with = "__syncthreads(); "}};
        edits_both(edits, REPAIR_BARRIER, 3, part, t->token[s->first].line, "", "__syncthreads();");
    }
    for (int i = before; i < edits->count; i++)
        edits->edit[i].depth = depth_of(p, s);
}

/* A barrier, or a statement, in an if or a loop: behind it, or before it, instead. */
static void take_out(struct edits *edits, const struct statement *s)
{
    const struct program *p = edits->program;
    const struct tokens *t = &p->tokens;
    if (s->kind == STATEMENT_DECLARATION || s->parent < 0 || !edits_wanted(edits, s->first))
        return;
    const struct statement *owner = &p->statement[s->parent];
    if (owner->kind == STATEMENT_BLOCK && owner->parent >= 0)
        owner = &p->statement[owner->parent];
    if (owner->kind != STATEMENT_IF && owner->kind != STATEMENT_LOOP)
        return;
    struct repair_part part[2] = {edits_span(edits, s->first, s->last), {.at = t->token[owner->last].at + 1}};
    char text[REPAIR_TEXT];
    const int cost = is_barrier(t, s) ? 1 : 3;
    if (part[0].length >= REPAIR_TEXT - 4)
        return;
    memcpy(part[1].with, edits->program->text + part[0].at, (size_t)part[0].length);
    part[1].with[part[0].length] = '\0';
    edits_copy(edits, s->first, s->last, text, sizeof text);
    memcpy(part[0].with, ";", 2);
    const int line = t->token[s->first].line;
    const bool is_loop = owner->kind == STATEMENT_LOOP;
    if (s->behind < 0)
        edits_both(edits, REPAIR_MOVE, cost, part, line, text,
                   is_loop ? "behind the loop" : "behind the `if`");
    if (s->before < 0) {
        part[1].at = t->token[owner->first].at;
        edits_both(edits, REPAIR_MOVE, cost, part, line, text,
                   is_loop ? "before the loop" : "before the `if`");
    }
}

void edits_of_statements(struct edits *edits)
{
    const struct program *p = edits->program;
    for (int k = 0; k < p->statement_count; k++) {
        const struct statement *s = &p->statement[k];
        if (s->parent < 0 || !edits_wanted(edits, s->first))
            continue;
        change_condition(edits, s);
        add_barrier(edits, s);
        add_atomically(edits, s);
        turn_loop(edits, s);
        take_out(edits, s);
    }
}
