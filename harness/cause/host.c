/* A value that the host returned: it is made of the right elements, or the host adds elements of its own. */
#include "harness/cause/internal.h"
#include "harness/lab/real.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/source/program.h"

void cause_tell_copied(struct cause *c)
{
    char at[256];
    cause_name_place(c, &c->origin->copied, at, sizeof at);
    cause_set_place(c, &c->origin->copied);
    c->rank = CAUSE_DIFFERENCE;
    SAY(c,
        "The values copied back at %s include every element once. What a kernel made of the elements is wrong, or what "
        "the host makes of these values.\n",
        at);
}

/* Kahan's sum; `sign` -1: what was lost is added where it should be subtracted; 0: it is not used. */
static double sum_in_order(const real *x, int64_t count, int sign)
{
    volatile real sum = 0, lost = 0;
    for (int64_t i = 0; i < count; i++) {
        const volatile real part = x[i] - (real)sign * lost;
        const volatile real next = sum + part;
        const volatile real grown = next - sum;
        lost = grown - part;
        sum = next;
    }
    return (double)sum;
}

/* The task's function; NULL: it is not found. */
static const struct item *function_of_task(const struct cause *c, const struct program *p)
{
    char name[64], end[64];
    text_set(end, sizeof end, "_%s", c->call->task->id);
    for (int i = 0; i < p->item_count; i++) {
        if (p->item[i].kind != ITEM_FUNCTION)
            continue;
        token_copy(&p->tokens, p->item[i].name, name, sizeof name);
        if (strlen(name) > strlen(end) && strcmp(name + strlen(name) - strlen(end), end) == 0)
            return &p->item[i];
    }
    return NULL;
}

#define LINES_MOST 8

/* The lines that set the variable, if one of them subtracts and the function does not return it; else none. */
static int lines_of_correction(const struct program *p, const struct variable *v, int line[LINES_MOST])
{
    const struct tokens *t = &p->tokens;
    bool subtracts = false;
    int count = 0;
    for (int i = v->name; i <= v->last; i++) {
        const struct statement *s = program_statement_of(p, i);
        const bool is_it = i == v->name || (token_same(t, i, v->name) && program_meaning(p, i, i) == v);
        if (!is_it || !s || s->kind == STATEMENT_LOOP)
            continue;
        if (token_is(t, s->first, "return"))
            return 0;
        if (!token_in(t, i + 1, " = += -= ") || count == LINES_MOST)
            continue;
        line[count++] = t->token[i].line;
        for (int k = i; k <= s->last; k++)
            subtracts |= token_in(t, k, " - -= ");
    }
    return subtracts && count >= 2 ? count : 0;
}

/* The variable that is set to a difference in the loop, and kept from one turn to the next: the lines that set it, of
   which the last one is returned; 0: there is none. */
static int say_correction(struct cause *c, const struct program *p, bool aloud)
{
    const struct item *function = function_of_task(c, p);
    for (int k = 0; k < p->variable_count && function; k++) {
        const struct variable *v = &p->variable[k];
        int line[LINES_MOST];
        char name[64];
        const int count = v->is_global || v->name < function->body || v->name > function->last
                              ? 0
                              : lines_of_correction(p, v, line);
        token_copy(&p->tokens, v->name, name, sizeof name);
        if (count > 0 && aloud)
            SAY(c, "The correction, %s, gets its values at lines ", name);
        for (int i = 0; i < count && aloud; i++)
            SAY(c, "%d%s", line[i], i + 1 == count ? ".\n" : i + 2 == count ? " and " : ", ");
        if (count > 0)
            return line[count - 1];
    }
    return 0;
}

/* The line is where the task's function sets the correction, or uses the array that it adds up. */
static void say_in_function(struct cause *c, const struct program *p, const char *array)
{
    const struct item *function = function_of_task(c, p);
    int use = function ? function->body : 0;
    while (function && use <= function->last && !token_is(&p->tokens, use, array))
        use++;
    if (!function || use > function->last)
        return;
    const int correction = say_correction(c, p, false);
    text_set(c->place->file, sizeof c->place->file, "%s", text_file_name(c->source));
    c->place->line = correction ? correction : p->tokens.token[use].line;
    SAY(c, "%s:%d: ", c->place->file, c->place->line);
}

bool cause_tell_host_sum(struct cause *c)
{
    const struct lab_buffer *buffer = c->call->run.buffer;
    struct program p;
    if (c->call->run.buffer_count != 1 || !buffer->on_host || buffer->type != LAB_REAL || c->buffer >= 0 ||
        buffer->count < 2)
        return false;
    const bool is_plain = c->got == sum_in_order(buffer->data, buffer->count, 0);
    if (!is_plain && c->got != sum_in_order(buffer->data, buffer->count, -1))
        return false;
    program_read_file(&p, c->source);
    say_in_function(c, &p, buffer->name);
    if (is_plain)
        SAY(c,
            "The result is that of a plain sum, to the last bit: the correction for rounding errors has no effect. Either it is not used, or it is 0 in each iteration.\n");
    else
        SAY(c,
            "The result is, to the last bit, that of a correction with the wrong sign: what each addition loses is subtracted once more instead of being added.\n");
    say_correction(c, &p, true);
    c->rank = CAUSE_DIFFERENCE;
    program_free(&p);
    return true;
}
