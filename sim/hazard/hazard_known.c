/*
 * Lists of variables and versions, sorted, counted by reference and never changed while they are shared: many threads
 * know the same.
 */
#include "sim/hazard/hazard.h"

#include <stdlib.h>
#include <string.h>

/* A thread that has acquired from more variables than this is taken to know everything. */
#define KNOWN_LIMIT 4096

struct known *known_hold(struct known *k)
{
    if (k)
        k->references++;
    return k;
}

void known_drop(struct known *k)
{
    if (k && --k->references == 0)
        free(k);
}

static int compare(const struct known_variable *a, const struct known_variable *b)
{
    if (a->variable != b->variable)
        return a->variable < b->variable ? -1 : 1;
    return a->block < b->block ? -1 : a->block > b->block;
}

/* The first entry that is not before (variable, block). */
static int place_of(const struct known *k, int variable, int64_t block)
{
    const struct known_variable wanted = {.variable = variable, .block = block};
    int low = 0, high = k->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (compare(&k->list[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int known_version(const struct known *k, int variable, int64_t block)
{
    if (!k)
        return 0;
    int i = place_of(k, variable, block);
    return i < k->count && k->list[i].variable == variable && k->list[i].block == block ? k->list[i].version
                                                                                        : 0;
}

static struct known *create(int capacity)
{
    struct known *k = malloc(sizeof *k + (size_t)capacity * sizeof k->list[0]);
    if (k)
        *k = (struct known){.references = 1};
    return k;
}

/* Silent rather than wrong. The caller's list if there is no memory even for that. */
static struct known *know_everything(struct known *a)
{
    struct known *k = create(0);
    if (!k)
        return a;
    k->everything = true;
    known_drop(a);
    return k;
}

static bool includes(const struct known *a, const struct known *b)
{
    if (b->everything || b->count > a->count)
        return a->everything;
    for (int i = 0, j = 0; i < b->count && !a->everything; i++) {
        while (j < a->count && compare(&a->list[j], &b->list[i]) < 0)
            j++;
        if (j == a->count || compare(&a->list[j], &b->list[i]) != 0 ||
            a->list[j].version < b->list[i].version)
            return false;
    }
    return true;
}

static struct known *merge(struct known *a, const struct known *b)
{
    struct known *out = a->count + b->count <= KNOWN_LIMIT ? create(a->count + b->count) : NULL;
    if (!out)
        return know_everything(a);
    for (int i = 0, j = 0; i < a->count || j < b->count;) {
        int order = i == a->count ? 1 : j == b->count ? -1 : compare(&a->list[i], &b->list[j]);
        struct known_variable next = order <= 0 ? a->list[i] : b->list[j];
        if (order == 0 && b->list[j].version > next.version)
            next.version = b->list[j].version;
        i += order <= 0;
        j += order >= 0;
        out->list[out->count++] = next;
    }
    known_drop(a);
    return out;
}

struct known *known_join(struct known *a, struct known *b)
{
    if (!b || a == b)
        return a;
    if (!a)
        return known_hold(b);
    if (includes(a, b))
        return a;
    if (b->everything || includes(b, a)) {
        known_drop(a);
        return known_hold(b);
    }
    return merge(a, b);
}

struct known *known_learn(struct known *a, int variable, int64_t block, int version)
{
    if (a) {
        int i = place_of(a, variable, block);
        bool there =
            i < a->count && a->list[i].variable == variable && a->list[i].block == block && !a->everything;
        if (a->everything || (there && a->list[i].version >= version))
            return a;
        if (there && a->references == 1) {
            a->list[i].version = version;
            return a;
        }
    }
    struct known *one = create(1);
    if (!one)
        return a;
    one->list[one->count++] =
        (struct known_variable){.variable = variable, .version = version, .block = block};
    struct known *joined = known_join(a, one);
    known_drop(one);
    return joined;
}
