/* Sums of products: which factors are multiplied by which. */
#include "harness/grader_cause_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One product that went into the value, by the numbers of its elements. */
struct pair {
    int64_t first, second;
    const struct protocol_product *row;
};

struct rows {
    const struct lab_need *a, *b; /* the k-th of one belongs to the k-th of the other */
    int64_t wrong, right;
    struct pair shown; /* the first wrong one, and what its first factor should be multiplied by */
    int64_t expected;
    bool along, against; /* wrong ones whose second factor moves the way that it should, or the other way */
};

static int64_t size_of(const struct cause *c, int buffer)
{
    return (int64_t)lab_type_size(c->call->run.buffer[buffer].type);
}

static struct pair pair_of(const struct cause *c, const struct protocol_product *row, uint64_t k)
{
    return (struct pair){
        .first = (row->offset[0] + (int64_t)k * row->distance[0]) / size_of(c, row->buffer[0]),
        .second = (row->offset[1] + (int64_t)k * row->distance[1]) / size_of(c, row->buffer[1]),
        .row = row};
}

/* The place of an element in a row of needs, or -1. */
static int64_t place_in(const struct lab_need *need, int64_t element)
{
    const int64_t k = (element - need->first) / need->stride;
    return k >= 0 && k < need->count && need->first + k * need->stride == element ? k : -1;
}

static void look_at(struct rows *rows, const struct cause *c, const struct protocol_product *row)
{
    for (uint64_t k = 0; k < row->count && k < (1 << 20); k++) {
        const struct pair pair = pair_of(c, row, k);
        const int64_t at = place_in(rows->a, pair.first);
        if (at < 0)
            continue;
        const int64_t expected = rows->b->first + at * rows->b->stride;
        if (pair.second == expected) {
            rows->right++;
            continue;
        }
        if (rows->wrong++ == 0) {
            rows->shown = pair;
            rows->expected = expected;
        }
        if (row->count > 1) {
            const bool same =
                (row->distance[0] * row->distance[1] > 0) == (rows->a->stride * rows->b->stride > 0);
            rows->along |= same;
            rows->against |= !same;
        }
    }
}

static bool tell_rows(struct cause *c, const struct rows *rows)
{
    const char *first = c->call->run.buffer[rows->a->buffer].name,
               *second = c->call->run.buffer[rows->b->buffer].name;
    char at[256], stored[256];
    const struct protocol_place *place = cause_place_of(c, rows->shown.row->place);
    cause_name_place(place, at, sizeof at);
    cause_name_place(&c->origin->store[0].place, stored, sizeof stored);
    SAY(c, "For %s, %s[%lld] is multiplied by %s[%lld] at %s, instead of %s[%lld]", c->name, first,
        (long long)rows->shown.first, second, (long long)rows->shown.second, at, second,
        (long long)rows->expected);
    if (rows->wrong > 1)
        SAY(c, "; so it is with %lld products", (long long)rows->wrong);
    SAY(c, ".\n");
    if (rows->against && !rows->along)
        SAY(c, "%s is used in the wrong direction, reversed: with %s growing, %s should go %s.\n", second,
            first, second, rows->a->stride * rows->b->stride > 0 ? "up as well" : "down");
    SAY(c, "%s is stored at %s.\n", c->name, stored);
    cause_set_place(c, place);
    c->rank = CAUSE_PRODUCT;
    return true;
}

bool cause_tell_products(struct cause *c, const struct lab_need *need, int count)
{
    for (int r = 0; r + 1 < count; r++) {
        struct rows rows = {.a = &need[r], .b = &need[r + 1]};
        if (!need[r].with_next || need[r].buffer >= need[r + 1].buffer)
            continue;
        for (uint32_t i = 0; i < c->origin->product_count && i < PROTOCOL_MAX_PRODUCTS; i++) {
            const struct protocol_product *row = &c->origin->product[i];
            if (row->buffer[0] == need[r].buffer && row->buffer[1] == need[r + 1].buffer)
                look_at(&rows, c, row);
        }
        if (rows.wrong > 0)
            return tell_rows(c, &rows);
    }
    return false;
}
