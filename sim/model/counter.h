/*
 * Counting: counter_access.c and counter_async.c know what one access costs, counter.c adds up, by operation while
 * a kernel runs and by source line when it has ended.
 */
#pragma once

#include <stdlib.h>

#include "sim/core/kernel.h"
#include "sim/memory/memory.h"
#include "sim/model/counters.h"

#define COUNTER_FIELDS (sizeof(struct sim_counters) / sizeof(uint64_t))

/* ---- for the machine ----------------------------------------------------------------------------------- */

struct counter_set; /* by micro-operation; merged by line when the launch ends */

/* The table by source line; NULL: out of memory. */
struct line_table *line_table_create(struct sim *sim);
void line_table_destroy(struct line_table *table);

struct counter_set *counter_set_create(const struct sim_kernel *kernel);
void counter_set_destroy(struct counter_set *set);
void counter_access(struct counter_set *set, const struct access *access);
/* The same for a full warp's load or store of the `bytes` of global memory from `first` on, neighbor by neighbor. */
void counter_row(struct counter_set *set, int pc, bool is_store, struct allocation *a, uint64_t first,
                 uint64_t bytes);
/* The same for a full warp's load of words of shared memory, neighbors or one word. */
void counter_shared_row(struct counter_set *set, int pc);
/* Adds `part` to what micro-operation `pc` has counted: issued instructions, branches, flops … which the
   interpreter knows for itself, once a launch. */
void counter_add(struct counter_set *set, int pc, const struct sim_counters *part);
/* Adds to sim's per-line table and returns the totals. */
void counter_set_collect(struct sim *sim, const struct sim_kernel *kernel, struct counter_set *set,
                         struct sim_counters *total);
/* Distinct 32-byte sectors that the lanes touch. */
int counter_sectors(const struct access *access);
int counter_requests(const struct access *access); /* that a load of global memory is */
/* Shared-memory wavefronts: 32 banks of 4 bytes, 64-bit by half-warps, 128-bit by quarter-warps;
   lanes that read the same word share it. Source: CUDA programming guide, shared memory. cp.async: see
   counter_async.c. */
int counter_wavefronts(const struct access *access);

/* ---- between the files of the counters ----------------------------------------------------------------- */

struct wavefronts {
    int needed, ideal; /* ideal: the same access without a bank conflict */
};

struct wavefronts counter_count_wavefronts(const struct access *access);
/* Of a cp.async, whose access names its `partner`: the global side past L1, and the shared side. */
int counter_copy_sectors(const struct access *access);
struct wavefronts counter_copy_wavefronts(const struct access *access);
int counter_local_sectors(const struct access *access);

/* Notes the sectors of a global access as touched in this launch; how many were touched for the first
 * time. */
unsigned counter_touch(const struct memory *memory, const struct access *access, uint64_t launch);
/* The same for the bytes from `first` on, all in one allocation; so are the other functions ..._row below. */
unsigned counter_touch_row(struct allocation *a, bool is_write, uint64_t launch, uint64_t first,
                           uint64_t bytes);

/* Where only clusters of a launch's blocks run: also notes the sectors as touched by the cluster. */
struct sample_touch {
    uint64_t launch, cluster; /* cluster: unique */
    bool drawn;               /* or first or last blocks of the grid */
};
void counter_touch_cluster_row(struct allocation *a, bool is_write, const struct sample_touch *sample,
                               uint64_t first, uint64_t bytes);
void counter_touch_cluster(const struct memory *memory, const struct access *access,
                           const struct sample_touch *sample);

/*
 * Where several threads share a launch, it is not known while it runs whose touch of a sector is the first in
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
void counter_log_row(struct touch_log *log, struct allocation *a, int pc, bool is_write, uint64_t first,
                     uint64_t bytes);
void counter_log_touch(struct touch_log *log, const struct memory *memory, const struct access *access);
/* Whether no sector was touched by two of the logs' threads. */
bool counter_touched_apart(const struct memory *memory, const struct touch_log *const *logs, unsigned count);
/* Then: the launch's own bits of touched sectors become all that the threads have touched. */
void counter_touched_together(const struct memory *memory, const struct touch_log *const *logs,
                              unsigned count, uint64_t launch);
/* A launch of which all blocks were run has ended: what it has touched is added to what was moved (sim_mem_moved_bytes), and to
 * `over_bus` where it is memory of the host. */
void counter_touched_add(const struct memory *memory, uint64_t launch, uint64_t over_bus[2]);
/* And: adds what the log's thread has counted. */
void counter_add_fresh(struct counter_set *set, const struct touch_log *log);
/* Else: counts touches [begin, end) of the log in the set, for sim's running launch. */
void counter_replay(struct counter_set *set, const struct touch_log *log, size_t begin, size_t end);
/* The request whose touches begin at touches[*i], which goes behind them: how many sectors are fresh now. */
unsigned counter_touch_again(const struct memory *memory, const struct touch_log *log, size_t *i, size_t end,
                             uint64_t launch, int *pc, bool *is_write);
/* Adds all of `part` to `set`; false: the order of the parts would matter, and `set` is worth nothing now. */
bool counter_set_merge(struct counter_set *set, const struct counter_set *part);

/* ---- for sample.c and who runs samples ------------------------------------------------------------------- */

/* From here on the set counts a cluster of this number, unique for the device. False: out of memory. */
bool counter_set_cluster(struct counter_set *set, uint64_t cluster, bool drawn);
/* What all operations have counted so far. */
void counter_set_total(const struct counter_set *set, struct sim_counters *total);
/*
 * set += scale * part. Of atomics on one address only those count `scale` times that more than one cluster of
 * `part` made; others are of a place that each block has for itself.
 */
void counter_set_extrapolate(struct counter_set *set, const struct counter_set *part, double scale);
/*
 * Multiplies what is counted of first touches, so that their totals become these: reads, writes. `unsure`:
 * unsure_sectors.
 */
void counter_set_footprint(struct counter_set *set, const double sectors[2], double unsure);
/* The memory, and the number of the launch, that the set counts for. */
const struct sim *counter_set_device(const struct counter_set *set);

/* What micro-operation `pc` has counted so far; NULL if there is no such operation. */
const struct sim_counters *counter_of(const struct counter_set *set, int pc);

/*
 * Atomics on the piece of global memory that has met most of them, in tenths of the time that an integer one takes there:
 * they wait for each other. `merged`: NULL, or by operation whether ptxas adds up first what lanes of a warp have for one
 * word: then these count once. Exact where few pieces are busy, else a lower bound.
 */
uint64_t counter_hottest_atomic(const struct counter_set *set, const bool *merged);
