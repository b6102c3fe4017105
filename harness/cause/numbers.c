/* Numbers in the code that went into a wrong value. */
#include "harness/cause/internal.h"
#include "harness/judge/compare.h"
#include "harness/lab/real.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/origin/origin.h"

#define LINES_BEHIND 8 /* that are looked through for a number */

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

/* Whether the value is off by that much, but for rounding. */
static bool is_error(const struct cause *c, double much)
{
    const double off = c->got - c->want;
    return much != 0 && isfinite(off) && fabs(off - much) <= 1e-4 * fabs(much) + 1e-5 * fabs(c->want);
}

#define MANY 1000000 /* a polynomial's number that goes in so often tells nothing */

/* Infinity or NaN, as an atomic operation on integers has it. */
static bool is_pattern(const struct protocol_source *s, double number)
{
    const uint32_t bits = (uint32_t)s->bits;
    return !isfinite(number) ||
           (s->size == 0 && ((bits & 0x7f800000) == 0x7f800000 || (s->bits >> 52 & 0x7ff) == 0x7ff) &&
            fabs(number) >= 8388608 / 2);
}

/* The only line of the next few ones in which the number stands, if the place's own line does not have it; else 0. */
static int line_of_number(const struct cause *c, const struct protocol_place *place, double number)
{
    char line[512];
    struct protocol_place at = *place;
    int found = 0;
    for (int k = 0; k < LINES_BEHIND; k++, at.line++) {
        if (!cause_read_line(c, &at, line) || line[0] == '}')
            break;
        for (char *text = line, *end; *text; text = end) {
            const bool begins =
                isdigit((unsigned char)*text) &&
                (text == line || !(isalnum((unsigned char)text[-1]) || strchr("_.", text[-1])));
            end = text + 1;
            if (!begins || strtod(text, &end) != number)
                continue;
            if (k == 0 || (found > 0 && found != at.line))
                return 0;
            found = at.line;
        }
    }
    return found;
}

/* Numbers in the code, other than 0, that are added beside the elements, or win a comparison against them. */
void cause_tell_numbers(struct cause *c)
{
    char at[256];
    FOR_SOURCES(s, c)
    {
        const double number = cause_number(s);
        if (s->kind != SIM_ORIGIN_IMMEDIATE || !s->times || number == 0 || s->times > MANY ||
            is_pattern(s, number))
            continue;
        struct protocol_place place = *cause_place_of(c, s->place);
        const int line = line_of_number(c, &place, number);
        place.line = line > 0 ? line : place.line;
        cause_name_place(c, &place, at, sizeof at);
        SAY(c, "The number %g at %s is used to compute it", number, at);
        if (s->times > 1)
            SAY(c, " %u times", s->times);
        if ((s->ways & SIM_ORIGIN_ADDEND) && !(s->ways & SIM_ORIGIN_FACTOR) &&
            is_error(c, number * s->times)) {
            SAY(c,
                ", which is exactly the error: a number used in place of a missing element, or as the start of a sum, must be 0");
            c->rank = CAUSE_DIFFERENCE;
        }
        SAY(c, ".\n");
        cause_set_place(c, &place);
    }
}

/* Several numbers that are added, and together are the error: what stands where an element should. */
void cause_tell_sum_of_numbers(struct cause *c)
{
    double sum = 0;
    int count = 0;
    FOR_SOURCES(s, c)
    {
        const double number = cause_number(s);
        if (s->kind != SIM_ORIGIN_IMMEDIATE || !s->times || number == 0 || !isfinite(number) ||
            !(s->ways & SIM_ORIGIN_ADDEND) || (s->ways & SIM_ORIGIN_FACTOR))
            continue;
        sum += number * s->times;
        count++;
    }
    if (count < 2 || !is_error(c, sum))
        return;
    SAY(c, "Together these numbers are exactly the error: they are added where only elements should be.\n");
    c->rank = CAUSE_DIFFERENCE;
}
