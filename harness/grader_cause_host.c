/* What was copied back is right, and the host returns another number: what it did with the parts. */
#include "harness/grader_cause_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* What comes out if some parts at the beginning or the end are left out; false: not what came out. */
static bool tell_range(struct cause *c, const struct parts *parts)
{
    double sum = 0;
    for (int i = 0; i < parts->count; i++) {
        sum += parts->part[i];
        if (is_close(parts, c->got, parts->sum - sum)) {
            SAY(c, "The host adds too few parts: the result is what comes out without the first %s%.0d%s: it begins too late.\n",
                i == 0 ? "part, part 0" : "", i == 0 ? 0 : i + 1, i == 0 ? "" : " parts");
            return true;
        }
        if (is_close(parts, c->got, sum) && i + 1 < parts->count) {
            SAY(c, "The host adds only the first %d of %d parts: the last ones are left out.\n", i + 1, parts->count);
            return true;
        }
    }
    return false;
}

static double sum_in_integers(const struct parts *parts)
{
    int sum = 0;
    for (int i = 0; i < parts->count; i++)
        sum = (int)(sum + parts->part[i]);
    return sum;
}

static bool tell_result(struct cause *c, const struct parts *parts)
{
    if (c->got == sum_in_integers(parts) && parts->tolerance < 0.5) {
        SAY(c, "The result is what comes out if the host adds in an integer: each fraction is lost.\n");
        return true;
    }
    if (is_close(parts, c->got, -parts->sum)) {
        SAY(c, "The result has the wrong sign.\n");
        return true;
    }
    if (is_close(parts, c->got, 2 * parts->sum)) {
        SAY(c, "The host counts each part twice.\n");
        return true;
    }
    if (c->got == 0 && parts->count > 0) {
        SAY(c, "The host adds none of them: %s never added.\n", parts->count == 1 ? "part 0, the only one, is" : "the parts are");
        return true;
    }
    return tell_range(c, parts);
}

void cause_tell_host(struct cause *c)
{
    char at[256];
    struct parts parts;
    cause_name_place(&c->origin->copied, at, sizeof at);
    cause_set_place(c, &c->origin->copied);
    c->rank = CAUSE_ARITHMETIC;
    if (c->origin->copied_bytes % sizeof(real) != 0) {
        SAY(c, "Only %llu byte%s copied back at %s, of the %llu that are there: a copy takes a number of bytes, not of elements.\n",
            (unsigned long long)c->origin->copied_bytes, c->origin->copied_bytes == 1 ? " is" : "s are", at,
            (unsigned long long)c->origin->copied_of);
        return;
    }
    if (!take_parts(c, &parts) || !is_close(&parts, c->want, parts.sum)) {
        SAY(c, "What is copied back at %s is made of all the elements, each once: what the host makes of it is wrong, or not all of it is copied or used.\n",
            at);
        return;
    }
    SAY(c, "The kernels are right: the %d part%s copied back at %s add%s up to %.6g.\n", parts.count,
        parts.count == 1 ? "" : "s", at, parts.count == 1 ? "s" : "", parts.sum);
    if (!tell_result(c, &parts))
        SAY(c, "What the host computes from them is wrong.\n");
}
