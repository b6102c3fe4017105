/*
 * Between the interpreter and those who watch it. The interpreter describes each warp-wide memory
 * access and each synchronisation; memory.c resolves and checks addresses, hazard.c looks for races
 * and uninitialised reads, counter.c counts. The watchers never change what a program computes.
 */
#ifndef SIM_ACCESS_H
#define SIM_ACCESS_H

#include <string.h>

#include "sim/device/sim.h"

enum access_kind { ACCESS_LOAD, ACCESS_STORE, ACCESS_ATOMIC };

/* How strongly an access is ordered: PTX .weak / .relaxed / .volatile / .acquire / .release. */
enum access_order { ORDER_WEAK, ORDER_RELAXED, ORDER_VOLATILE, ORDER_ACQUIRE, ORDER_RELEASE, ORDER_ACQ_REL };

/* How loads of global memory reach it; both sides of a cp.async have one. */
enum access_path {
    PATH_L1,      /* one request for a warp */
    PATH_BYPASS,  /* past L1, cp.async.cg: sectors as they are wanted in shared memory */
    PATH_TEXTURE, /* a request, with its own sectors, for each quarter-warp, of 16 bytes for four lanes */
};

/* How the active lanes' addresses lie: found once by memory_resolve, used by all watchers. */
enum access_shape {
    SHAPE_UNKNOWN,    /* nobody has looked yet */
    SHAPE_CONTIGUOUS, /* active lanes follow one another, each `size` bytes behind the one before */
    SHAPE_UNIFORM,    /* all active lanes have the same address */
    SHAPE_SCATTERED   /* anything else */
};

#define ACCESS_GROUPS 4 /* of eight lanes each */

struct allocation; /* memory.h */
struct tracker;    /* tracker.h */

struct access {
    enum access_kind kind;
    enum access_order order;
    enum ptx_space space;    /* never GENERIC: the interpreter has resolved it, by lane groups */
    int size;                /* bytes a lane: element size times vector length, 1 to 16 */
    int element_size;        /* bytes of one element; an address must be a multiple of `size` */
    uint32_t lanes;          /* active lanes */
    const uint64_t *address; /* [32]; global: device address; shared: byte offset in the block's
                                window; local: byte offset in the thread's window */
    struct ptx_loc loc;
    int pc;                  /* micro-operation index: identifies the place in the kernel */
    enum access_shape shape; /* leave 0: filled in by memory_resolve */
    /* SCATTERED full warps in tiles of 8, 16 or 32 threads a row: the shape of each group of 8 lanes, else 0.
     */
    unsigned char group_shape[ACCESS_GROUPS];
    /*
     * Stores only: element c of lane l stands, little-endian, at value[c] + l * value_stride. With it
     * lanes that store equal bytes to one address are told from lanes that overwrite each other.
     * value[0] == NULL: not known, and then such stores are taken to be equal.
     */
    const void *value[4];
    int value_stride;
    enum access_path path;
    /* A cp.async that is counted as one: the lanes' addresses on the other side, [32]; else NULL. */
    const uint64_t *partner;
    uint32_t partner_lanes; /* shared side: lanes that read; the others write zeros */
    uint8_t
        computed; /* loads of vectors: bit e: element e goes into something else than stores; 0: none does */
    bool is_exchange; /* atomics: the old bytes do not matter for the new ones, so that they may be undefined
                       */
    uint8_t commutes; /* atomics: those of one kind come out the same in any order; 0: not so, or not known */
    int64_t leap;     /* global: from here to where the instruction will probably go next, 0: near */
    struct allocation *inside; /* global: all lanes lie in it; NULL: several. Filled in by memory_resolve */
};

/* Whether both halves of a full warp lie on the same 16 neighbours: a row of a tile of 16 threads a row. */
static inline bool access_in_equal_halves(const struct access *a)
{
    static const unsigned char neighbours[ACCESS_GROUPS] = {SHAPE_CONTIGUOUS, SHAPE_CONTIGUOUS,
                                                            SHAPE_CONTIGUOUS, SHAPE_CONTIGUOUS};
    return memcmp(a->group_shape, neighbours, sizeof neighbours) == 0 &&
           a->address[8] == a->address[0] + 8 * (uint64_t)a->size && a->address[16] == a->address[0] &&
           a->address[24] == a->address[8];
}

/* Who runs: fixed while a block lives. The hazard detector hangs its state on `shadow`. */
struct block_view {
    struct sim *sim;
    const struct sim_kernel *kernel;
    struct sim_dim3 grid_dim, block_dim, block_index;
    uint64_t block_number; /* linear index in the grid */
    unsigned thread_count;
    unsigned char *shared; /* static + dynamic window */
    size_t shared_size;
    size_t shared_static;       /* dynamic part begins here (aligned) */
    unsigned char *local;       /* thread t's local window: local + t * local_size, t = warp * 32 + lane */
    size_t local_size;          /* bytes a thread */
    const unsigned char *param; /* the launch's parameter block: space PARAM, read only */
    size_t param_size;
    void *shadow;                 /* hazard.c's, made by hazard_block_begin */
    struct counter_set *counters; /* counter.c's, may be NULL */
    struct tracker *tracker;      /* several threads run blocks of the launch: who touches what; else NULL */
};

/* ---- memory.c: checks a whole access before it happens ------------------------------------------------- */

/*
 * For each lane in access->lanes puts the host address of its bytes into host[lane]. Returns SIM_OK,
 * or the first fault (lowest lane), having filed a hazard report and put its text into `message`.
 * Global and const addresses are device addresses; a store to memory_set_read_only's ranges or with
 * space CONST is a fault. Fills in access->shape. Fast path: all lanes inside the allocation that was
 * hit last.
 */
enum sim_status memory_resolve(const struct block_view *block, unsigned warp, struct access *access,
                               unsigned char *host[32], char message[1024]);

/* Finds access->shape if it is not known yet. */
enum access_shape access_find_shape(struct access *access);

/* ---- hazard.c ------------------------------------------------------------------------------------------ */

void hazard_launch_begin(struct sim *sim, const struct sim_launch *launch);
void hazard_launch_end(struct sim *sim);
void hazard_block_begin(struct block_view *block);
void hazard_block_end(struct block_view *block);

/* Before the access takes effect; `host` as memory_resolve left it. Shared memory: NULL will do. */
void hazard_access(const struct block_view *block, unsigned warp, const struct access *access,
                   unsigned char *const host[32]);

/* All of `participants` (bit set by thread, NULL for every thread) passed a block-wide barrier. */
void hazard_block_barrier(const struct block_view *block, const uint32_t *lanes_by_warp);
/* The lanes passed bar.warp.sync (or a collective that orders memory as it does). */
void hazard_warp_sync(const struct block_view *block, unsigned warp, uint32_t lanes);
/* membar / fence by the lanes; scope 0 block, 1 device, 2 system. */
void hazard_fence(const struct block_view *block, unsigned warp, uint32_t lanes, int scope);
/* The lanes have ended: barriers of the block and the warp do not wait for them, but order what they did. */
void hazard_exit(const struct block_view *block, unsigned warp, uint32_t lanes);
/* All blocks of a cooperative launch passed grid.sync (seen as barrier traffic by hazard.c itself
   where the program builds it from atomics; this is for callers that know). */
void hazard_grid_barrier(struct sim *sim);

/* Files a report (folded with an equal one); used by memory.c, the barrier code and warp collectives. */
void hazard_file(struct sim *sim, const struct sim_hazard *hazard);

/* "thread (5,0,0) of block (0,0,0)" into text. */
void hazard_thread_name(const struct block_view *block, unsigned warp, int lane, char *text, size_t size);
struct sim_hazard_place hazard_place(const struct block_view *block, unsigned warp, int lane,
                                     struct ptx_loc loc, const struct access *access);
const char *hazard_file_name(const struct block_view *block, struct ptx_loc loc);

/* ---- counter.c ----------------------------------------------------------------------------------------- */

struct counter_set; /* by micro-operation; merged by line when the launch ends */

struct counter_set *counter_set_create(const struct sim_kernel *kernel);
void counter_set_destroy(struct counter_set *set);
void counter_access(struct counter_set *set, const struct access *access);
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

#endif
