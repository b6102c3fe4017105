/*
 * What the two files of the counters share: counter_access.c knows what one access costs, counter.c adds up.
 */
#ifndef SIM_COUNTER_H
#define SIM_COUNTER_H

#include "memory.h"

#include <stdlib.h>

struct wavefronts {
    int needed, ideal; /* ideal: the same access without a bank conflict */
};

struct wavefronts counter_count_wavefronts(const struct access *access);
int counter_local_sectors(const struct access *access);

/* Notes the sectors of a global access as touched in this launch; how many were touched for the first time.
 */
unsigned counter_touch(const struct memory *memory, const struct access *access, uint64_t launch);

/* What micro-operation `pc` has counted so far; NULL if there is no such operation. */
const struct sim_counters *counter_of(const struct counter_set *set, int pc);

/*
 * Atomics on the global address that has met most of them, in units of the time that one takes there: those
 * of one address wait for each other. Exact where few addresses are busy, else a lower bound.
 */
uint64_t counter_hottest_atomic(const struct counter_set *set);

#endif
