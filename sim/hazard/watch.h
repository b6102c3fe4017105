/* The hazard detector as the machine knows it: whom to tell of launches, blocks, accesses and synchronization. */
#pragma once

#include "sim/core/access.h"
#include "sim/core/kernel.h"
#include "sim/core/report.h"
#include "sim/core/undefined.h"

/* NULL: out of memory. */
struct hazards *hazards_create(struct sim *sim);
struct hazards *hazards_create_for(struct sim *sim, unsigned index); /* below SHADOWS; 0: hazards_create */
void hazards_destroy(struct hazards *hazards);
extern const struct memory_watcher hazard_memory_watcher; /* for memory_watch */

void hazard_launch_begin(struct sim *sim, const struct sim_launch *launch);
void hazard_launch_end(struct sim *sim);
void hazard_block_begin(struct block_view *block);
void hazard_block_end(struct block_view *block);

/* Before the access takes effect; `host` as memory_resolve left it. Shared memory: NULL will do. */
void hazard_access(const struct block_view *block, unsigned warp, const struct access *access,
                   unsigned char *const host[32]);

/*
 * A full warp's plain access to neighboring words of global memory, as memory_find_row has found it. False: something
 * about it is special, and hazard_access must be told.
 */
struct hazard_row {
    int pc;
    bool is_store, non_coherent;
    uint64_t first;
    struct allocation *allocation;
    int64_t leap;
};
bool hazard_row(const struct block_view *block, unsigned warp, const struct hazard_row *row);

/*
 * A full warp's plain load of words of shared memory, neighbors from offset `first` on or `is_one` word: whether it has
 * nothing to find out, and is noted. False: hazard_access must be told.
 */
bool hazard_load_is_known(const struct block_view *block, unsigned warp, int pc, uint64_t first, bool is_one);

/*
 * A warp's cp.async, as a store to shared memory: the lanes issue their copies, and later have waited for them. Instead
 * of hazard_access.
 */
void hazard_copy_issued(const struct block_view *block, unsigned warp, const struct access *copy);
void hazard_copy_done(const struct block_view *block, unsigned warp, const struct access *copy);

/*
 * The lanes (by warp, NULL for every thread) have waited at the block's barrier of that number, which is complete. They
 * know what each of them did before, and those who arrived (PTX ISA, bar, barrier).
 */
void hazard_block_barrier(const struct block_view *block, unsigned barrier, const uint32_t *lanes_by_warp);
/* What the block's threads have done since this was asked last: bits. */
enum block_deed {
    DEED_SHARED = 1, /* shared memory was accessed */
    DEED_LOAD = 2,   /* a load of other memory that threads share */
    DEED_STORE = 4,  /* a store to it, or an atomic operation */
    DEED_UNKNOWN = 8
};
unsigned hazard_block_deeds(const struct block_view *block);
/* bar.arrive: the lanes do not wait, and learn nothing. */
void hazard_barrier_arrive(const struct block_view *block, unsigned barrier, unsigned warp, uint32_t lanes);
/* The phase of the mbarrier at that offset in shared memory is over: later arrivals are at the next one. */
void hazard_phase(const struct block_view *block, uint64_t address);
/* All threads of the cluster have arrived at its barrier: each knows what any of them did before. */
void hazard_cluster_barrier(struct block_view *const *cluster, unsigned size);
/* The lanes passed bar.warp.sync (or a collective that orders memory as it does). */
void hazard_warp_sync(const struct block_view *block, unsigned warp, uint32_t lanes);
/* membar / fence by the lanes; scope 0 block, 1 device, 2 system. */
void hazard_fence(const struct block_view *block, unsigned warp, uint32_t lanes, int scope);
/* The lanes have ended: barriers of the block and the warp do not wait for them, but order what they did. */
void hazard_exit(const struct block_view *block, unsigned warp, uint32_t lanes);

/*
 * The lane's undefined value (sim/core/undefined.h) reaches something at operation `pc`. `used`: the operation that first
 * computed with it; -1: this one. What stores write comes with the access.
 */
void hazard_undefined(const struct block_view *block, unsigned warp, int lane, int pc, int used,
                      enum undefined_reach reach);

/* The report of a shuffle is held back until the value that it gave the warp reaches something: hazard_undefined. */
void hazard_hold(const struct block_view *block, unsigned warp, int pc, const struct sim_hazard *hazard);
bool hazard_is_held(const struct block_view *block, unsigned warp, int pc);

/* Files a report (folded with an equal one): of memory, barriers and collectives. */
void hazard_file(struct sim *sim, const struct sim_hazard *hazard);
