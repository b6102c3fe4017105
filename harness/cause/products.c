/* Sums of products: which factors are multiplied by which. */
#include "harness/cause/internal.h"
#include "harness/judge/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/origin/origin.h"

#define LONGEST (1 << 20) /* products of a row that are looked at */

/* One product that went into the value, by the numbers of its elements: of buffer a, of buffer b. */
struct pair {
    int64_t element[2];
    const struct protocol_product *row;
};

struct rows {
    const struct lab_need *need[2]; /* the k-th of one belongs to the k-th of the other */
    int64_t wrong[2];     /* pairs whose element k belongs to the value, and the other one not to that */
    int64_t foreign[2];   /* pairs whose element k does not belong to the value */
    struct pair shown[2]; /* the first one of wrong[k], … */
    int64_t expected[2];  /* … and what belongs to its element k */
    int64_t shift
        [2]; /* by how much the other factor's place is off: of the first one; the same of all if `shifted` */
    bool shifted[2];
    bool along, against; /* wrong ones whose other factor moves the way that it should, or the other way */
};

static int64_t size_of(const struct cause *c, int buffer)
{
    return (int64_t)lab_type_size(c->call->run.buffer[buffer].type);
}

static struct pair pair_of(const struct cause *c, const struct protocol_product *row, uint64_t number)
{
    struct pair pair = {.row = row};
    for (int k = 0; k < 2; k++)
        pair.element[k] = (row->offset[k] + (int64_t)number * row->distance[k]) / size_of(c, row->buffer[k]);
    return pair;
}

/* The place of an element in a row of needs, or -1. */
static int64_t place_in(const struct lab_need *need, int64_t element)
{
    const int64_t k = (element - need->first) / need->stride;
    return k >= 0 && k < need->count && need->first + k * need->stride == element ? k : -1;
}

static void note_direction(struct rows *rows, const struct protocol_product *row)
{
    const bool same = ((row->distance[0] > 0) == (row->distance[1] > 0)) ==
                      (rows->need[0]->stride * rows->need[1]->stride > 0);
    if (row->count > 1 && row->distance[0] != 0 && row->distance[1] != 0) {
        rows->along |= same;
        rows->against |= !same;
    }
}

/* Element k of the pair is taken for right; the other one is what it is multiplied by. */
static void look_from(struct rows *rows, const struct pair *pair, int k)
{
    const struct lab_need *other = rows->need[1 - k];
    const int64_t at = place_in(rows->need[k], pair->element[k]);
    if (at < 0) {
        rows->foreign[k]++;
        return;
    }
    const int64_t expected = other->first + at * other->stride;
    if (pair->element[1 - k] == expected)
        return;
    rows->shifted[k] =
        rows->wrong[k] == 0 || (rows->shifted[k] && rows->shift[k] == pair->element[1 - k] - expected);
    if (rows->wrong[k]++ == 0) {
        rows->shift[k] = pair->element[1 - k] - expected;
        rows->shown[k] = *pair;
        rows->expected[k] = expected;
    }
    if (k == 0)
        note_direction(rows, pair->row);
}

/* The rows of products of an element of the one buffer and one of the other. */
#define FOR_PRODUCTS(row, c, rows)                                                                           \
    for (const struct protocol_product *row = (c)->origin->product;                                          \
         row < (c)->origin->product + (c)->origin->product_count &&                                          \
         row < (c)->origin->product + PROTOCOL_MAX_PRODUCTS;                                                 \
         row++)                                                                                              \
        if (row->buffer[0] == (rows)->need[0]->buffer && row->buffer[1] == (rows)->need[1]->buffer)

/* Whether the product of these elements is there. */
static bool is_there(const struct cause *c, const struct rows *rows, int64_t first, int64_t second)
{
    FOR_PRODUCTS(row, c, rows)
    for (uint64_t number = 0; number < row->count && number < LONGEST; number++) {
        const struct pair pair = pair_of(c, row, number);
        if (pair.element[0] == first && pair.element[1] == second)
            return true;
    }
    return false;
}

/* In how many products element k is. */
static int64_t count_uses(const struct cause *c, const struct rows *rows, int k, int64_t element)
{
    int64_t uses = 0;
    FOR_PRODUCTS(row, c, rows)
    for (uint64_t number = 0; number < row->count && number < LONGEST; number++)
        uses += pair_of(c, row, number).element[k] == element;
    return uses;
}

/* Whether all elements of row k are in products. */
static bool is_covered(const struct cause *c, const struct rows *rows, int k)
{
    const struct lab_need *need = rows->need[k];
    bool *seen = calloc((size_t)need->count + 1, sizeof *seen);
    int64_t covered = 0;
    if (!seen)
        return false;
    FOR_PRODUCTS(row, c, rows)
    for (uint64_t number = 0; number < row->count && number < LONGEST; number++) {
        const int64_t at = place_in(need, pair_of(c, row, number).element[k]);
        covered += at >= 0 && !seen[at];
        if (at >= 0)
            seen[at] = true;
    }
    free(seen);
    return covered == need->count;
}

static void look_at(struct rows *rows, const struct cause *c)
{
    FOR_PRODUCTS(row, c, rows)
    for (uint64_t number = 0; number < row->count && number < LONGEST; number++) {
        const struct pair pair = pair_of(c, row, number);
        look_from(rows, &pair, 0);
        look_from(rows, &pair, 1);
    }
}

/*
 * Which factor is taken for the right one. Where only the first row has elements that do not belong to the value, its
 * index is the wrong one; so it is where all of the second row are used, and not all of the first.
 */
static int right_factor(const struct rows *rows, const struct cause *c)
{
    if (rows->foreign[0] > 0 || rows->foreign[1] > 0)
        return rows->foreign[0] > 0 && rows->foreign[1] == 0 && rows->wrong[1] > 0;
    return c->origin->product_count < PROTOCOL_MAX_PRODUCTS && rows->wrong[1] > 0 &&
           !is_covered(c, rows, 0) && is_covered(c, rows, 1);
}

/* The place where an element of the buffer was loaded that went into the value; NULL: not known. */
static const struct protocol_source *source_of(const struct cause *c, int buffer, int64_t element)
{
    FOR_SOURCES(s, c)
    for (uint64_t k = 0; s->buffer == buffer && k < s->count && k < LONGEST; k++)
        if ((s->offset + (int64_t)k * s->distance) / size_of(c, buffer) == element)
            return s;
    return NULL;
}

/* Where the wrong factor came from global memory, if that is another line than the product's. */
static void say_loaded(struct cause *c, int buffer, int64_t element, const struct protocol_place *product)
{
    char at[256], thread[128];
    const struct protocol_source *s = source_of(c, buffer, element);
    const struct protocol_place *place = s ? cause_place_of(c, s->place) : NULL;
    if (!place || place->line == 0 || place->line == product->line)
        return;
    cause_name_place(c, place, at, sizeof at);
    cause_name_thread(c, &s->thread, thread, sizeof thread);
    const struct protocol_absence *a = &c->origin->absence;
    fact_add(c->facts, FACT_LOADED, FACT_SEEN, place);
    SAY(c, "%s[%lld] was loaded ", c->call->run.buffer[buffer].name, (long long)element);
    if (!(s->ways & SIM_ORIGIN_BY_COPY))
        SAY(c, "from global memory ");
    else if (a->why == SIM_ORIGIN_COPIED && a->buffer == (uint32_t)buffer && a->state[0])
        SAY(c, "from %s, to which the host copies it, ", a->state);
    else
        SAY(c, "from where the host copies it to, ");
    SAY(c, "at %s, by %s.\n", at, thread);
}

bool cause_is_no_element(const struct cause *c, int buffer, int64_t element)
{
    char text[CAUSE_ELEMENT];
    return !cause_describe(c, buffer, element, text);
}

/* Where it is loaded, if that is known and another line than the product's; else NULL. */
static const struct protocol_place *load_of(const struct cause *c, int buffer, int64_t element,
                                            const struct protocol_place *product)
{
    const struct protocol_source *s = source_of(c, buffer, element);
    const struct protocol_place *place = s ? cause_place_of(c, s->place) : NULL;
    return place && place->line > 0 && place->line != product->line ? place : NULL;
}

/* What the wrong element is in the contract's terms, and the one that belongs there. */
static void say_elements(struct cause *c, int buffer, int64_t is, int64_t expected)
{
    char wrong[CAUSE_ELEMENT], right[CAUSE_ELEMENT];
    const char *name = c->call->run.buffer[buffer].name;
    cause_describe(c, buffer, is, wrong);
    cause_describe(c, buffer, expected, right);
    if (wrong[0] && right[0])
        SAY(c, "%s[%lld] is %s; %s[%lld] is %s.\n", name, (long long)is, wrong, name, (long long)expected,
            right);
}

/* The factor `other` of the second row belongs to no element: the one that it would have is outside of the array. */
static void say_outside(struct cause *c, const struct rows *rows, int k, int64_t other)
{
    const struct lab_need *own = rows->need[k], *need = rows->need[1 - k];
    const int64_t steps = (other - need->first) / need->stride, partner = own->first + steps * own->stride;
    const struct lab_buffer *first = &c->call->run.buffer[own->buffer],
                            *second = &c->call->run.buffer[need->buffer];
    if (first->count == 0 || need->first + steps * need->stride != other ||
        (steps >= 0 && steps < need->count) || (partner >= 0 && partner < first->count))
        return;
    SAY(c,
        "%s[%lld] would belong to %s[%lld], which does not exist and counts as 0: %s has the elements 0 to %lld. Another "
        "element stands in for it.\n",
        second->name, (long long)other, first->name, (long long)partner, first->name,
        (long long)first->count - 1);
}

/*
 * The wrong product that is shown; the right one may be there as well, if the element is used more than once.
 * at: of the product; load: it is where the wrong factor is loaded.
 */
static void say_product(struct cause *c, const struct rows *rows, int k, const char *at, bool load)
{
    const struct pair *shown = &rows->shown[k];
    const char *first = c->call->run.buffer[rows->need[k]->buffer].name,
               *second = c->call->run.buffer[rows->need[1 - k]->buffer].name;
    const long long one = shown->element[k], other = shown->element[1 - k], expected = rows->expected[k];
    if (load)
        SAY(c, "For %s, %s[%lld] is loaded at %s, instead of %s[%lld]", c->name, second, other, at, second,
            expected);
    else if (is_there(c, rows, k ? expected : one, k ? one : expected))
        SAY(c,
            "For %s, %s[%lld] is multiplied not only by %s[%lld], as it should be, but also by %s[%lld], at %s",
            c->name, first, one, second, expected, second, other, at);
    else
        SAY(c, "For %s, %s[%lld] is multiplied by %s[%lld] at %s, instead of %s[%lld]", c->name, first, one,
            second, other, at, second, expected);
    if (rows->wrong[k] > 1)
        SAY(c, "; %lld products are wrong in this way", (long long)rows->wrong[k]);
    if (rows->wrong[k] > 1 && rows->shifted[k])
        SAY(c, ", and each time the index of %s is %lld too %s", second, (long long)llabs(rows->shift[k]),
            rows->shift[k] > 0 ? "high" : "low");
    SAY(c, ".\n");
    if (!load)
        say_outside(c, rows, k, other);
    const int64_t uses = count_uses(c, rows, k, one);
    if (uses > 1 && count_uses(c, rows, 1 - k, other) == 1)
        SAY(c,
            "%s[%lld] is a factor of %lld products and belongs in one: the same elements of %s are used again, where other "
            "ones belong.\n",
            first, one, (long long)uses, first);
}

static void say_direction(struct cause *c, const struct rows *rows, const char *first, const char *second)
{
    if (rows->against && !rows->along)
        SAY(c,
            "%s is used in the wrong direction, reversed: as the index of %s grows, that of %s should %s.\n",
            second, first, second,
            rows->need[0]->stride * rows->need[1]->stride > 0 ? "grow as well" : "fall");
}

/* `k`: the factor that is right, so that the other one is the wrong one. */
static void tell_rows(struct cause *c, const struct rows *rows, int k)
{
    const int right = rows->need[k]->buffer, wrong = rows->need[1 - k]->buffer;
    const char *first = c->call->run.buffer[right].name, *second = c->call->run.buffer[wrong].name;
    const struct pair *shown = &rows->shown[k];
    const struct protocol_place *place = cause_place_of(c, shown->row->place);
    char at[256], stored[256];
    const struct protocol_place *load = cause_is_no_element(c, wrong, shown->element[1 - k])
                                            ? load_of(c, wrong, shown->element[1 - k], place)
                                            : NULL;
    cause_name_place(c, load ? load : place, at, sizeof at);
    cause_name_place(c, &c->origin->store[0].place, stored, sizeof stored);
    say_product(c, rows, k, at, load != NULL);
    say_elements(c, wrong, shown->element[1 - k], rows->expected[k]);
    say_direction(c, rows, first, second);
    if (load) {
        fact_add(c->facts, FACT_LOADED, FACT_SEEN, load);
        cause_name_place(c, place, at, sizeof at);
        SAY(c, "%s[%lld] is multiplied by %s[%lld] at %s.\n", second, (long long)shown->element[1 - k], first,
            (long long)shown->element[k], at);
    } else {
        say_loaded(c, wrong, shown->element[1 - k], place);
    }
    cause_say_again(c);
    if (!cause_say_displaced(c))
        SAY(c, "%s is stored at %s.\n", c->name, stored);
    cause_keep_path(c);
    cause_set_place(c, load ? load : place);
    c->rank = CAUSE_PRODUCT;
}

/* Row r of the needs, and the one that its elements are multiplied by: the products that were computed against them. */
static bool look_at_rows(const struct cause *c, const struct lab_need *need, struct rows *rows)
{
    *rows = (struct rows){.need = {&need[0], &need[1]}};
    if (!need[0].with_next || need[0].buffer >= need[1].buffer)
        return false;
    look_at(rows, c);
    return true;
}

void cause_say_direction(struct cause *c)
{
    struct lab_need need[LAB_MAX_NEEDS] = {{0}};
    struct rows rows;
    const int count =
        c->call->task->needs ? c->call->task->needs(&c->call->run, c->buffer, c->index, need) : 0;
    for (int r = 0; r + 1 < count; r++) {
        if (!look_at_rows(c, &need[r], &rows))
            continue;
        const int right = right_factor(&rows, c);
        if (rows.wrong[right] > 0)
            say_direction(c, &rows, c->call->run.buffer[rows.need[right]->buffer].name,
                          c->call->run.buffer[rows.need[1 - right]->buffer].name);
    }
}

bool cause_tell_products(struct cause *c, const struct lab_need *need, int count)
{
    for (int r = 0; r + 1 < count; r++) {
        struct rows rows;
        if (!look_at_rows(c, &need[r], &rows))
            continue;
        const int right = right_factor(&rows, c);
        if (rows.wrong[right] > 0) {
            tell_rows(c, &rows, right);
            return true;
        }
    }
    return false;
}
