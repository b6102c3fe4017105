/* The places of global memory that meet most atomics: an address, or a piece of memory, has a slot by its hash. */
#pragma once

#include "sim/core/access.h"

enum { HOT_SLOTS = 1024 };

struct hot_place {
    uint64_t place, count;
    uint64_t merged; /* if lanes that meet on a word count once */
    int op;          /* the last operation of those that came here */
};

struct hot_places {
    struct hot_place slot[HOT_SLOTS];
};

/* By how many clusters of blocks each slot was changed. */
struct hot_clusters {
    uint64_t before[HOT_SLOTS];
    unsigned clusters[HOT_SLOTS];
};

/*
 * A warp's atomic. `keep`: no place may drive another one out of its slot, for which of them stays would depend on the
 * order of the blocks; false: it would have.
 */
bool hot_note(struct hot_places *hot, const struct access *access, bool keep);
/* The most units of a place, counter.h's counter_hottest_atomic. */
uint64_t hot_most(const struct hot_places *hot, const bool *merged);
/* Adds `part`; false: two places want one slot. */
bool hot_merge(struct hot_places *hot, const struct hot_places *part);
/* A cluster has ended: notes which slots it has changed. */
void hot_end_cluster(const struct hot_places *hot, struct hot_clusters *clusters);
/* Adds `part`, `scale` times where more than one cluster has changed a slot. */
void hot_extrapolate(struct hot_places *hot, const struct hot_places *part,
                     const struct hot_clusters *clusters, double scale);
