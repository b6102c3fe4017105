/* Relations between at most 32 events: row x is the set of the events that x is related to. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { EVENTS_MAX = 32 };

struct relation {
    uint32_t row[EVENTS_MAX];
};

static inline bool related(const struct relation *r, int x, int y)
{
    return r->row[x] >> y & 1;
}

static inline void relate(struct relation *r, int x, int y)
{
    r->row[x] |= UINT32_C(1) << y;
}

static inline void relation_add(struct relation *r, const struct relation *other)
{
    for (int x = 0; x < EVENTS_MAX; x++)
        r->row[x] |= other->row[x];
}

/* Makes it transitive. */
static inline void relation_close(struct relation *r)
{
    for (int via = 0; via < EVENTS_MAX; via++)
        for (int x = 0; x < EVENTS_MAX; x++)
            if (related(r, x, via))
                r->row[x] |= r->row[via];
}

/* Whether a transitive relation is an order: it has no cycle. */
static inline bool relation_is_order(const struct relation *r)
{
    for (int x = 0; x < EVENTS_MAX; x++)
        if (related(r, x, x))
            return false;
    return true;
}

static inline bool relation_is_acyclic(const struct relation *r)
{
    struct relation closed = *r;

    relation_close(&closed);
    return relation_is_order(&closed);
}
