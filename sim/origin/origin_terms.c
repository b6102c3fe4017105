#include "sim/origin/origin_terms.h"

#include <stdlib.h>
#include <string.h>

#define MATCHED_MOST 4096 /* products on either side that are compared with one another */

sim_addr terms_element(const struct replay *r, uint64_t value, uint32_t hop)
{
    while (hop && r->hops[hop].before)
        hop = r->hops[hop].before;
    if (!value || !hop || (r->hops[hop].space != PTX_GLOBAL && r->hops[hop].space != PTX_CONST))
        return 0;
    const sim_addr address = replay_source(r->log, r->hops[hop].address, r->hops[hop].entry);
    return replay_number_of(address) == value ? address : 0;
}

/* One product that should be there, by numbers. */
struct needed {
    uint64_t value[2];
    sim_addr address[2];
    bool found;
};

int64_t terms_count(const struct terms *t)
{
    int64_t count = 0;
    for (int i = 0; i < t->factor_count; i++)
        count += t->factors[i].count;
    return count;
}

static struct needed needed_at(const struct sim_origin_factors *f, int64_t k)
{
    struct needed n = {
        .address = {f->first[0] + (sim_addr)(k * f->stride[0]), f->first[1] + (sim_addr)(k * f->stride[1])}};
    for (int i = 0; i < 2; i++)
        n.value[i] = replay_number_of(n.address[i]);
    return n;
}

bool terms_need(const struct terms *t, int side, uint64_t value)
{
    for (int i = 0; i < t->factor_count; i++)
        for (int64_t k = 0; k < t->factors[i].count; k++)
            if (needed_at(&t->factors[i], k).value[side] == value)
                return true;
    return false;
}

uint64_t terms_expected(const struct terms *t)
{
    uint64_t sum = 0;
    for (int i = 0; i < t->factor_count; i++)
        for (int64_t k = 0; k < t->factors[i].count; k++) {
            const struct needed n = needed_at(&t->factors[i], k);
            sum = replay_sum(sum, replay_product(n.value[0], n.value[1]));
        }
    return sum;
}

/* In the order of the first factor, then of the second. */
static int compare_needed(const void *a, const void *b)
{
    const struct needed *x = a, *y = b;
    for (int i = 0; i < 2; i++)
        if (x->value[i] != y->value[i])
            return x->value[i] < y->value[i] ? -1 : 1;
    return 0;
}

static struct needed *find_needed(struct needed *list, size_t count, const uint64_t value[2])
{
    const struct needed wanted = {.value = {value[0], value[1]}};
    struct needed *found = bsearch(&wanted, list, count, sizeof *list, compare_needed);
    while (found && found > list && compare_needed(found - 1, &wanted) == 0)
        found--;
    while (found && found < list + count && compare_needed(found, &wanted) == 0)
        if (!found->found)
            return found;
        else
            found++;
    return NULL;
}

/* Of the terms that are not needed: whose factor `same` is that of a product that is needed and not there. */
static uint32_t count_sharing(const struct terms *t, const bool *extra, const struct needed *list,
                              size_t count, int same, struct term_wrong *out)
{
    uint32_t sharing = 0;
    bool has_element = false;
    for (size_t i = 0; i < t->count; i++) {
        const struct needed *n = NULL;
        for (size_t k = 0; extra[i] && t->list[i].value[same] && k < count && !n; k++)
            if (!list[k].found && list[k].value[same] == t->list[i].value[same])
                n = &list[k];
        if (!n)
            continue;
        /* Of all of them the first one that has an element in its place. */
        const bool element = t->list[i].value[1 - same] != 0;
        if (sharing == 0 || (element && !has_element))
            *out = (struct term_wrong){.at = i, .wrong = 1 - same, .wanted = n->address[1 - same]};
        has_element |= element;
        sharing++;
    }
    out->count = sharing;
    return sharing;
}

/* How many of the terms have a factor that another one has as well; 0 does not count. */
static uint32_t count_repeated(const struct terms *t, int side)
{
    uint32_t repeated = 0;
    for (size_t i = 0; i < t->count; i++)
        for (size_t k = 0; k < i; k++)
            if (t->list[i].value[side] && t->list[k].value[side] == t->list[i].value[side]) {
                repeated++;
                break;
            }
    return repeated;
}

static uint32_t count_zeros(const struct terms *t, int side)
{
    uint32_t zeros = 0;
    for (size_t i = 0; i < t->count; i++)
        zeros += t->list[i].value[side] == 0;
    return zeros;
}

/*
 * Either factor may be the wrong one. A loop goes through all elements of one of them: where the terms use the same
 * element of one again and again, that is the wrong one; else the one that explains more terms, and then the one in
 * whose place there are zeros.
 */
static bool choose(const struct terms *t, const bool *extra, const struct needed *list, size_t count,
                   struct term_wrong *out)
{
    struct term_wrong by[2] = {{0}, {0}}; /* by[same] */
    const uint32_t sharing[2] = {count_sharing(t, extra, list, count, 0, &by[0]),
                                 count_sharing(t, extra, list, count, 1, &by[1])};
    const uint32_t repeated[2] = {count_repeated(t, 0), count_repeated(t, 1)};
    int same = sharing[0] >= sharing[1] ? 0 : 1;
    if (sharing[0] + sharing[1] == 0)
        return false;
    if (sharing[0] && sharing[1] && repeated[0] != repeated[1])
        same = repeated[0] < repeated[1] ? 0 : 1;
    else if (sharing[0] && sharing[1] && sharing[0] == sharing[1])
        same = count_zeros(t, 0) <= count_zeros(t, 1) ? 0 : 1;
    *out = by[same];
    return true;
}

bool terms_find_wrong(const struct terms *t, struct term_wrong *out)
{
    const int64_t most = terms_count(t);
    bool found = false;
    if (most <= 0 || most > MATCHED_MOST || t->count > MATCHED_MOST)
        return false;
    struct needed *list = malloc((size_t)most * sizeof *list);
    bool *extra = calloc(t->count + 1, sizeof *extra);
    size_t count = 0;
    for (int i = 0; list && i < t->factor_count; i++)
        for (int64_t k = 0; k < t->factors[i].count; k++) {
            list[count] = needed_at(&t->factors[i], k);
            count++;
        }
    if (list && extra) {
        qsort(list, count, sizeof *list, compare_needed);
        for (size_t i = 0; i < t->count; i++) {
            struct needed *n = find_needed(list, count, t->list[i].value);
            extra[i] = !n;
            if (n)
                n->found = true;
        }
        found = choose(t, extra, list, count, out);
    }
    free(list);
    free(extra);
    return found;
}
