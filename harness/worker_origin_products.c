/* Products that went into a value: rows of pairs of elements. */
#include <stdlib.h>

#include "harness/worker_origin_internal.h"

static void put_factor(const struct question *q, const struct sim_origin_leaf *leaf, int k,
                       struct protocol_product *to)
{
    to->buffer[k] =
        leaf->kind == SIM_ORIGIN_MEMORY ? origin_buffer_at(q->request, q->mailbox, leaf->address) : -1;
    if (to->buffer[k] >= 0)
        to->offset[k] = (int64_t)(leaf->address - q->mailbox->buffer_address[to->buffer[k]]);
}

/* The buffer with the lower number first, what is in none of them last. */
static struct protocol_product product(const struct question *q, const struct sim_origin_leaf *first,
                                       const struct sim_origin_leaf *second, struct protocol_origin *origin)
{
    struct protocol_product to = {
        .buffer = {-1, -1}, .count = 1, .place = origin_place_number(origin, &first->pair_place)};
    put_factor(q, first, 0, &to);
    if (second)
        put_factor(q, second, 1, &to);
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

static int compare_pairs(const void *a, const void *b)
{
    const struct sim_origin_leaf *x = *(const struct sim_origin_leaf *const *)a,
                                 *y = *(const struct sim_origin_leaf *const *)b;
    return x->pair < y->pair ? -1 : x->pair > y->pair;
}

void origin_put_products(const struct question *q, const struct sim_origin *from, struct protocol_origin *to)
{
    const struct sim_origin_leaf **leaf = calloc((size_t)from->leaf_count + 1, sizeof *leaf);
    struct protocol_product *list = calloc((size_t)from->leaf_count + 1, sizeof *list);
    int factors = 0, count = 0, next;
    for (int i = 0; leaf && i < from->leaf_count; i++)
        if (from->leaves[i].times && from->leaves[i].pair && from->leaves[i].pair != UINT32_MAX)
            leaf[factors++] = &from->leaves[i];
    if (leaf && factors > 0)
        qsort(leaf, (size_t)factors, sizeof *leaf, compare_pairs);
    for (int i = 0; list && i < factors; i = next) {
        for (next = i + 1; next < factors && leaf[next]->pair == leaf[i]->pair; next++)
            ;
        if (next - i <= 2) {
            list[count] = product(q, leaf[i], next - i == 2 ? leaf[i + 1] : NULL, to);
            count += list[count].buffer[0] >= 0;
        }
    }
    if (list && count > 0)
        qsort(list, (size_t)count, sizeof *list, compare_products);
    if (list)
        put_rows(list, count, to);
    free(leaf);
    free(list);
}
