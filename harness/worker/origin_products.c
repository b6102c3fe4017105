/* Products that went into a value: rows of pairs of elements. */
#include <stdlib.h>

#include "harness/worker/origin_internal.h"

static void put_factor(const struct question *q, const struct sim_origin_leaf *leaf, int k,
                       struct protocol_product *to)
{
    to->buffer[k] =
        leaf->kind == SIM_ORIGIN_MEMORY ? origin_buffer_at(q->request, q->mailbox, leaf->address) : -1;
    if (to->buffer[k] >= 0)
        to->offset[k] = (int64_t)(leaf->address - q->mailbox->buffer_address[to->buffer[k]]);
}

/* Something that went into the value, as a factor of one product. */
struct factor {
    const struct sim_origin_leaf *leaf;
    const struct sim_origin_pair *pair;
};

/* The buffer with the lower number first, what is in none of them last. */
static struct protocol_product product(const struct question *q, const struct factor *first,
                                       const struct factor *second, struct protocol_origin *origin)
{
    struct protocol_product to = {
        .buffer = {-1, -1}, .count = 1, .place = origin_place_number(origin, &first->pair->place)};
    put_factor(q, first->leaf, 0, &to);
    if (second)
        put_factor(q, second->leaf, 1, &to);
    if (to.buffer[0] < 0 || (to.buffer[1] >= 0 && to.buffer[1] < to.buffer[0])) {
        const struct protocol_product was = to;
        to.buffer[0] = was.buffer[1], to.offset[0] = was.offset[1];
        to.buffer[1] = was.buffer[0], to.offset[1] = was.offset[0];
    }
    return to;
}

static bool follows(const struct protocol_product *row, const struct protocol_product *next)
{
    for (int k = 0; k < 2; k++) {
        const int64_t distance =
            next->offset[k] - (row->offset[k] + (int64_t)(row->count - 1) * row->distance[k]);
        if (row->buffer[k] != next->buffer[k] || (row->count > 1 && distance != row->distance[k]))
            return false;
    }
    return row->place == next->place;
}

static int compare_products(const void *a, const void *b)
{
    const struct protocol_product *x = a, *y = b;
    for (int k = 0; k < 2; k++) {
        if (x->buffer[k] != y->buffer[k])
            return x->buffer[k] < y->buffer[k] ? -1 : 1;
        if (x->offset[k] != y->offset[k])
            return x->offset[k] < y->offset[k] ? -1 : 1;
    }
    return 0;
}

static void put_rows(const struct protocol_product *list, int count, struct protocol_origin *to)
{
    struct protocol_product row = {0};
    for (int i = 0; i < count; i++) {
        if (i > 0 && follows(&row, &list[i])) {
            for (int k = 0; k < 2; k++)
                row.distance[k] =
                    list[i].offset[k] - (row.offset[k] + (int64_t)(row.count - 1) * row.distance[k]);
            row.count++;
            to->product[to->product_count - 1] = row;
            continue;
        }
        if (to->product_count >= PROTOCOL_MAX_PRODUCTS)
            return;
        row = list[i];
        to->product[to->product_count++] = row;
    }
}

static int compare_factors(const void *a, const void *b)
{
    const struct factor *x = a, *y = b;
    return x->pair->number < y->pair->number ? -1 : x->pair->number > y->pair->number;
}

/* All factors, product after product. */
static int list_factors(const struct sim_origin *from, struct factor *list)
{
    int count = 0;
    for (int i = 0; i < from->leaf_count; i++)
        for (int k = 0; from->leaves[i].times && k < from->leaves[i].pair_count; k++)
            list[count++] = (struct factor){&from->leaves[i], &from->pairs[from->leaves[i].first_pair + k]};
    if (count > 0)
        qsort(list, (size_t)count, sizeof *list, compare_factors);
    return count;
}

void origin_put_products(const struct question *q, const struct sim_origin *from, struct protocol_origin *to)
{
    struct factor *factor = calloc((size_t)from->pair_count + 1, sizeof *factor);
    struct protocol_product *list = calloc((size_t)from->pair_count + 1, sizeof *list);
    const int factors = factor ? list_factors(from, factor) : 0;
    int count = 0, next;
    for (int i = 0; list && i < factors; i = next) {
        for (next = i + 1; next < factors && factor[next].pair->number == factor[i].pair->number; next++)
            ;
        if (next - i <= 2 && factor[i].pair->number != UINT32_MAX) {
            list[count] = product(q, &factor[i], next - i == 2 ? &factor[i + 1] : NULL, to);
            count += list[count].buffer[0] >= 0;
        }
    }
    if (list && count > 0)
        qsort(list, (size_t)count, sizeof *list, compare_products);
    if (list)
        put_rows(list, count, to);
    free(factor);
    free(list);
}
