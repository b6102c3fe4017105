/* What was copied back is right, and the host returns another number: what it did with the parts. */
#include "harness/cause/internal.h"
#include "harness/lab/real.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/source/program.h"

/* The parts that were copied back, as the host has them. */
struct parts {
    double part[PROTOCOL_MAX_PARTS * 8 / sizeof(real)];
    int count;
    double sum, tolerance;
};

static bool take_parts(const struct cause *c, struct parts *parts)
{
    const uint64_t bytes = c->origin->copied_bytes;
    real part;
    *parts = (struct parts){.count = (int)(bytes / sizeof(real))};
    if (bytes > sizeof c->origin->parts || bytes % sizeof(real) != 0 || parts->count == 0)
        return false;
    for (int i = 0; i < parts->count; i++) {
        memcpy(&part, (const char *)c->origin->parts + (size_t)i * sizeof part, sizeof part);
        parts->part[i] = (double)part;
        parts->sum += (double)part;
        parts->tolerance += 1e-6 * fabs((double)part);
    }
    return true;
}

static bool is_close(const struct parts *parts, double a, double b)
{
    return isfinite(a) && fabs(a - b) <= parts->tolerance;
}

void cause_tell_host(struct cause *c)
{
    char at[256];
    struct parts parts;
    cause_name_place(c, &c->origin->copied, at, sizeof at);
    cause_set_place(c, &c->origin->copied);
    c->rank = CAUSE_DIFFERENCE;
    const bool taken = take_parts(c, &parts);
    if (!taken || !is_close(&parts, c->want, parts.sum)) {
        SAY(c, "The values copied back at %s include every element once", at);
        if (taken)
            SAY(c, ", and add up to %.6g", parts.sum);
        SAY(c, ". What a kernel made of the elements is wrong, or what the host makes of these values.\n");
        return;
    }
    fact_add(c->facts, FACT_PARTS, FACT_SEEN, &c->origin->copied)->value[0] = parts.count;
    SAY(c,
        "The kernels are right: the %d part%s copied back at %s add%s up to %.6g. The host computes the wrong result "
        "from them.\n",
        parts.count, parts.count == 1 ? "" : "s", at, parts.count == 1 ? "s" : "", parts.sum);
}

/* ---- sums of the host alone ----------------------------------------------------------------------------------- */

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

/* Beside what a plain sum would give: the correction for what rounding loses, and not the sum, is wrong. */
static bool tell_correction(struct cause *c, const struct program *p, double plain)
{
    const double off = fabs(c->got - c->want), plain_off = fabs(plain - c->want);
    if (!isfinite(c->got))
        SAY(c, "The host's sum is not a number.\n");
    else if (off <= plain_off)
        return false;
    else if (say_correction(c, p, false))
        SAY(c,
            "The result is further off (%.2g) than a plain sum of the same numbers would be (%.2g): the correction for "
            "rounding errors is itself wrong. It must be the error of the last addition: what the sum grew by, minus "
            "what was added.\n",
            off, plain_off);
    else
        SAY(c,
            "The result is further off (%.2g) than rounding alone would leave a plain sum (%.2g): numbers are missing in it, "
            "or are in it more than once.\n",
            off, plain_off);
    return true;
}

bool cause_tell_host_sum(struct cause *c)
{
    const struct lab_buffer *buffer = c->call->run.buffer;
    struct program p;
    bool told = true;
    if (c->call->run.buffer_count != 1 || !buffer->on_host || buffer->type != LAB_REAL || c->buffer >= 0 ||
        buffer->count < 2)
        return false;
    program_read_file(&p, c->source);
    say_in_function(c, &p, buffer->name);
    if (c->got == sum_in_order(buffer->data, buffer->count, 0))
        SAY(c,
            "The result is that of a plain sum, to the last bit: the correction for rounding errors has no effect. Either it is not used, or it is 0 in each iteration.\n");
    else if (c->got == sum_in_order(buffer->data, buffer->count, -1))
        SAY(c,
            "The result is, to the last bit, that of a correction with the wrong sign: what each addition loses is subtracted once more instead of being added.\n");
    else
        told = tell_correction(c, &p, sum_in_order(buffer->data, buffer->count, 0));
    if (told) {
        say_correction(c, &p, true);
        c->rank = CAUSE_DIFFERENCE;
    } else {
        text_set(c->text, c->size, "%s", "");
        c->place->line = 0;
    }
    program_free(&p);
    return told;
}
