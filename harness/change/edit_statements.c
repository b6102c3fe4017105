/* Barriers that come; a sum of several threads that becomes atomic. */
#include <stdio.h>
#include <string.h>

#include "harness/change/edits.h"

#define DEPTH_CALLED 8

static bool in_block(const struct program *p, const struct statement *s)
{
    return s->parent >= 0 && p->statement[s->parent].kind == STATEMENT_BLOCK;
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
            tokens_copy(&edits->program->tokens, s->first, i - 1, to, sizeof to);
            tokens_copy(&edits->program->tokens, i + 1, s->last - 1, value, sizeof value);
            edits_replace(edits, REPAIR_FUNCTION, 2, s->first, s->last, "atomicAdd(&%s, %s);", to, value);
        }
        if (t->token[i].match > i)
            i = t->token[i].match;
    }
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

void edits_of_statements(struct edits *edits)
{
    const struct program *p = edits->program;
    for (int k = 0; k < p->statement_count; k++) {
        const struct statement *s = &p->statement[k];
        if (s->parent < 0 || !edits_wanted(edits, s->first))
            continue;
        add_barrier(edits, s);
        add_atomically(edits, s);
    }
}
