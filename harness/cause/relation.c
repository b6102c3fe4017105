/* How the wrong value and the right one are related, as numbers: a square for a double, a mean for a sum. */
#include <math.h>

#include "harness/cause/internal.h"
#include "harness/judge/compare.h"
#include "harness/lab/real.h"

#define MOST_TIMES 4096

static bool is_same(double a, double b)
{
    return isfinite(a) && b != 0 && fabs(a - b) <= 1e-5 * fabs(b);
}

double cause_element_value(const struct lab_buffer *buffer, int64_t index)
{
    switch (buffer->type) {
    case LAB_REAL: return (double)((const real *)buffer->data)[index];
    case LAB_INT32: return ((const int32_t *)buffer->data)[index];
    case LAB_UINT32: return ((const uint32_t *)buffer->data)[index];
    case LAB_UINT8: return ((const unsigned char *)buffer->data)[index];
    default: return NAN;
    }
}

/* The only element of an input that went into the value; NULL: there are several, or none. */
static const struct protocol_source *only_element(const struct cause *c, double *value)
{
    const struct protocol_source *only = NULL;
    FOR_SOURCES(s, c)
    {
        if (!s->times || s->buffer < 0)
            continue;
        if (only || s->count != 1 || c->call->run.buffer[s->buffer].role != LAB_IN)
            return NULL;
        only = s;
    }
    if (only) {
        const struct lab_buffer *buffer = &c->call->run.buffer[only->buffer];
        *value = cause_element_value(buffer, only->offset / (int64_t)lab_type_size(buffer->type));
    }
    return only;
}

static bool tell_of_element(struct cause *c)
{
    char name[80];
    double x = NAN;
    const struct protocol_source *only = only_element(c, &x);
    if (!only || !isfinite(x))
        return false;
    cause_name_offset(c, (uint32_t)only->buffer, only->offset, name, sizeof name);
    if (is_same(c->got, x * x) && !is_same(c->got, x))
        SAY(c, "What is stored is the square of %s: the element is multiplied by itself.\n", name);
    else if (is_same(c->got, x))
        SAY(c, "What is stored is %s itself, %g.\n", name, x);
    else if (is_same(c->got, -x))
        SAY(c, "What is stored is %s with the opposite sign.\n", name);
    else
        return false;
    return true;
}

/* ", which is the number of threads per block"; nothing if no such number is known, or it is too small to tell. */
static void say_meaning(struct cause *c, double times)
{
    const struct protocol_launch *launch = c->mailbox->launch_count > 0 ? &c->mailbox->launch[0] : NULL;
    if (times < 3)
        return;
    if (launch && times == (double)launch->block[0] * launch->block[1] * launch->block[2]) {
        SAY(c, "; %g is the number of threads per block", times);
        return;
    }
    if (launch && times == (double)launch->grid[0] * launch->grid[1] * launch->grid[2]) {
        SAY(c, "; %g is the number of blocks", times);
        return;
    }
    for (int i = 0; i < LAB_MAX_ARGS; i++)
        if (c->call->task->arg_names[i] && (double)c->call->run.arg[i] == times) {
            SAY(c, "; %g is %s", times, c->call->task->arg_names[i]);
            return;
        }
}

/* A whole number that is close enough; 0: there is none. */
static double whole(double ratio)
{
    const double near = round(ratio);
    return near >= 2 && near <= MOST_TIMES && is_same(ratio, near) ? near : 0;
}

bool cause_tell_relation(struct cause *c)
{
    if (!isfinite(c->got) || !isfinite(c->want) || c->got == 0 || c->want == 0)
        return false;
    if (tell_of_element(c))
        return true;
    const double more = whole(c->got / c->want), less = whole(c->want / c->got);
    if (is_same(c->got, -c->want)) {
        SAY(c, "The value is right but for its sign.\n");
    } else if (more > 0) {
        SAY(c, "The value is %g times what it should be", more);
        say_meaning(c, more);
        SAY(c, ".\n");
    } else if (less > 0) {
        SAY(c, "The value is the right one divided by %g", less);
        say_meaning(c, less);
        SAY(c, ".\n");
    } else {
        return false;
    }
    return true;
}
