/*
 * What the two files of the counters share: counter_access.c knows what one access costs, counter.c adds up.
 */
#ifndef SIM_COUNTER_H
#define SIM_COUNTER_H

#include "sim/memory/memory.h"

#include <stdlib.h>

struct wavefronts {
    int needed, ideal; /* ideal: the same access without a bank conflict */
};

struct wavefronts counter_count_wavefronts(const struct access *access);
/* Of a cp.async, whose access names its `partner`: the global side past L1, and the shared side. */
int counter_copy_sectors(const struct access *access);
struct wavefronts counter_copy_wavefronts(const struct access *access);
int counter_local_sectors(const struct access *access);

/* Notes the sectors of a global access as touched in this launch; how many were touched for the first time.
 */
unsigned counter_touch(const struct memory *memory, const struct access *access, uint64_t launch);

/*
 * Where several threads share a launch, nobody knows while it runs whose touch of a sector is the first in
 * the order of the blocks. So each thread counts and logs the touches that are its first ones. Where threads
 * have touched different sectors, that was right; else the logs are counted afterwards, in the blocks' order.
 */
typedef uint64_t touch_t; /* which sectors, how many, which instruction: see counter_access.c */

/* Of an instruction: sectors that were new to the thread, by loads and by others, and loads that had any. */
struct fresh_count {
    uint64_t sectors[2], loads;
};

struct touch_log {
    touch_t *touches;
    size_t count, capacity;
    struct fresh_count *fresh; /* by instruction; made by counter_set_log */
    unsigned set;              /* of struct tracked: what this thread has touched */
    uint64_t launch;           /* unique: what the thread touched in another launch is forgotten */
    bool failed;               /* out of memory, or something whose order would matter */
};

/* The set's touches are logged; the caller keeps the log. False: out of memory. */
bool counter_set_log(struct counter_set *set, struct touch_log *log);
void counter_log_touch(struct touch_log *log, const struct memory *memory, const struct access *access);
/* Whether no sector was touched by two of the logs' threads. */
bool counter_touched_apart(const struct memory *memory, const struct touch_log *const *logs, unsigned count);
/* Then: adds what the log's thread has counted. */
void counter_add_fresh(struct counter_set *set, const struct touch_log *log);
/* Else: counts touches [begin, end) of the log in the set, for sim's running launch. */
void counter_replay(struct counter_set *set, const struct touch_log *log, size_t begin, size_t end);
/* The request whose touches begin at touches[*i], which goes behind them: how many sectors are fresh now. */
unsigned counter_touch_again(const struct memory *memory, const struct touch_log *log, size_t *i, size_t end,
                             uint64_t launch, int *pc, bool *is_write);
/* Adds all of `part` to `set`; false: the order of the parts would matter, and `set` is worth nothing now. */
bool counter_set_merge(struct counter_set *set, const struct counter_set *part);

/* What micro-operation `pc` has counted so far; NULL if there is no such operation. */
const struct sim_counters *counter_of(const struct counter_set *set, int pc);

/*
 * Atomics on the global address that has met most of them, in units of the time that one takes there: those
 * of one address wait for each other. Exact where few addresses are busy, else a lower bound.
 */
uint64_t counter_hottest_atomic(const struct counter_set *set);

#endif
