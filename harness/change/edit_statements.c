/* Barriers that come; a sum of several threads that becomes atomic; a 0 that is stored before. */
#include <stdio.h>
#include <string.h>

#include "harness/change/edits.h"

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
        edits_insert(edits, REPAIR_BARRIER, 1, at, "__syncthreads(); ");
    if (edits_has(edits, "warp") || edits_has(edits, "shfl"))
        edits_insert(edits, REPAIR_BARRIER, 4, at, "__syncwarp(); ");
}

/* How many loops are around it; a function that a kernel calls may be called anywhere, and counts as more. */
static int depth_of(const struct program *p, const struct statement *s)
{
    int depth = p->item[s->function].is_kernel ? 0 : REPAIR_CALLED;
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
    if (s->behind < 0 && !is_barrier(t, s))
        insert_barriers(edits, p->statement[s->parent].last);
    for (int i = before; i < edits->count; i++)
        edits->edit[i].depth = depth_of(p, s);
}

/* The one statement that the condition keeps some threads from; NULL: there are more, or an else. */
static const struct statement *kept_from(const struct program *p, int at)
{
    const struct statement *own = NULL;
    for (int k = 0; k < p->statement_count; k++) {
        const struct statement *s = &p->statement[k];
        const bool is_inside = s->parent == at || (s->parent >= 0 && p->statement[s->parent].parent == at);
        if (!is_inside || s->kind == STATEMENT_BLOCK)
            continue;
        if (own || s->kind != STATEMENT_SIMPLE)
            return NULL;
        own = s;
    }
    return own;
}

/* if (i < n) a[t] = x[i]; where a[t] is 0 before, for the others. */
static void store_before(struct edits *edits, int at)
{
    const struct program *p = edits->program;
    const struct statement *s = &p->statement[at], *own = s->kind == STATEMENT_IF ? kept_from(p, at) : NULL;
    char text[REPAIR_TEXT];
    int end = own ? own->first + 1 : 0;
    if (!own || !in_block(p, s) || !token_is(&p->tokens, end, "["))
        return;
    end = p->tokens.token[end].match;
    tokens_copy(&p->tokens, own->first, end, text, sizeof text);
    if (token_is(&p->tokens, end + 1, "=") && edits_mean_the_same(p, own->first, end, s->first))
        edits_insert(edits, REPAIR_STORE, 1, s->first, "%s = 0; ", text);
}

/* for (...) v += e; where v is 0 before. */
static void clear_before(struct edits *edits, int at)
{
    const struct program *p = edits->program;
    const struct statement *s = &p->statement[at];
    for (int i = s->first; s->kind == STATEMENT_LOOP && in_block(p, s) && i <= s->last; i++) {
        const struct variable *v = token_is(&p->tokens, i, "+=") ? edits_variable(p, i - 1) : NULL;
        char name[64];
        if (!v || v->class != CLASS_REAL || v->is_global || !edits_may_name(&p->tokens, v, s->first))
            continue;
        token_copy(&p->tokens, v->name, name, sizeof name);
        edits_insert(edits, REPAIR_STORE, 1, s->first, "%s = 0; ", name);
    }
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
        store_before(edits, k);
        clear_before(edits, k);
    }
}
