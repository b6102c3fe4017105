/*
 * Between the machine and those who watch it: one warp-wide memory access, and the block that makes it.
 * sim/memory checks and resolves it, sim/hazard looks for races and uninitialized reads, sim/model counts. The
 * watchers never change what a program computes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "sim/core/ptx_kinds.h"
#include "sim/core/types.h"

enum access_kind { ACCESS_LOAD, ACCESS_STORE, ACCESS_ATOMIC };

/*
 * How strongly an access is ordered: PTX ISA, "Memory Consistency Model", "Strong operations". All but .weak are strong.
 * .sc is .acq_rel here. Scopes: see `narrow`; .gpu and .sys are the same among threads of one device.
 */
enum access_order { ORDER_WEAK, ORDER_RELAXED, ORDER_VOLATILE, ORDER_ACQUIRE, ORDER_RELEASE, ORDER_ACQ_REL };

/* How loads of global memory reach it; both sides of a cp.async have one. */
enum access_path {
    PATH_L1,      /* one request for a warp */
    PATH_BYPASS,  /* past L1, cp.async.cg: sectors as they are wanted in shared memory */
    PATH_TEXTURE, /* a request, with its own sectors, for each quarter-warp, of 16 bytes for four lanes */
};

/* How the active lanes' addresses lie: found once by memory_resolve, used by all watchers. */
enum access_shape {
    SHAPE_UNKNOWN,    /* not looked for yet */
    SHAPE_CONTIGUOUS, /* active lanes follow one another, each `size` bytes behind the one before */
    SHAPE_UNIFORM,    /* all active lanes have the same address */
    SHAPE_SCATTERED   /* anything else */
};

#define ACCESS_GROUPS 4 /* of eight lanes each */

struct allocation; /* sim/memory/memory.h */
struct tracker;    /* sim/memory/tracker.h */
struct undefined_value;
struct undefined_loaded;
struct fault_log; /* sim/core/faults.h */

struct access {
    enum access_kind kind;
    enum access_order order;
    enum ptx_space space;    /* never GENERIC: the interpreter has resolved it, by lane groups */
    int size;                /* bytes per lane: element size times vector length, 1 to 16 */
    int element_size;        /* bytes of one element; an address must be a multiple of `size` */
    uint32_t lanes;          /* active lanes */
    const uint64_t *address; /* [32]; global: device address; shared: byte offset in the block's
                                window; local: byte offset in the thread's window */
    struct ptx_loc loc;
    int pc;                  /* micro-operation index: identifies the place in the kernel */
    enum access_shape shape; /* leave 0: filled in by memory_resolve */
    /* SCATTERED full warps in tiles of 8, 16 or 32 threads a row: the shape of each group of 8 lanes, else
     * 0. */
    unsigned char group_shape[ACCESS_GROUPS];
    /*
     * Stores, and atomics where origins are recorded, their last operand: element c of lane l stands, little-endian, at value[c] + l * value_stride. With it
     * lanes that store equal bytes to one address are told from lanes that overwrite each other.
     * value[0] == NULL: not known, and then such stores are taken to be equal.
     */
    const void *value[4];
    int value_stride;
    enum access_path path;
    /* A cp.async that is counted as one: the lanes' addresses on the other side, [32]; else NULL. */
    const uint64_t *partner;
    uint32_t partner_lanes; /* shared side: lanes that read; the others write zeros */
    bool narrow;            /* strong: of .cta scope, for threads of the block alone */
    bool polled;            /* volatile loads: a loop waits for the value */
    bool non_coherent;      /* loads: may find what was there before the launch (.nc, textures, surfaces) */
    bool of_phase;          /* mbarrier, test_wait: tells of arrivals at phases that are over */
    bool no_result;         /* atomics: the old value is dropped */
    bool is_ticket; /* atomics but compare-and-swap, without an order of their own, as atomicAdd() has none */
    const void *compare; /* compare-and-swap: what lane l compares with, at `size` times l; else NULL */
    uint16_t unused;     /* loads: bytes of a lane, as bits, that get into nothing but stores */
    uint16_t kept;       /* stores: bytes that are written as they were found, around a bit-field */
    bool put_back;       /* loads of which nothing counts: of the word around a bit-field that is set ... */
    bool structure;      /* ... or of a part of a structure that is copied */
    bool is_float;       /* atomics: of floating-point numbers */
    bool is_exchange;    /* atomics: the old bytes do not matter for the new ones, and may be undefined */
    uint8_t commutes; /* atomics: those of one kind come out the same in any order; 0: not so, or not known */
    int64_t leap;     /* global: from here to where the instruction will probably go next, 0: near */
    const struct block_view
        *owner;                /* shared memory of another block of the cluster; NULL: of the thread's own */
    struct allocation *inside; /* global: all lanes lie in it; NULL: several. Filled in by memory_resolve */
};

/* Whether both halves of a full warp lie on the same 16 neighbors: a row of a tile of 16 threads a row. */
static inline bool access_in_equal_halves(const struct access *a)
{
    static const unsigned char neighbors[ACCESS_GROUPS] = {SHAPE_CONTIGUOUS, SHAPE_CONTIGUOUS,
                                                           SHAPE_CONTIGUOUS, SHAPE_CONTIGUOUS};
    return memcmp(a->group_shape, neighbors, sizeof neighbors) == 0 &&
           a->address[8] == a->address[0] + 8 * (uint64_t)a->size && a->address[16] == a->address[0] &&
           a->address[24] == a->address[8];
}

/* Of an array, in units of what an access moves at once: which one, of how many; count 0: not known. */
struct access_index {
    int64_t index, count;
    const char *unit; /* "elements", "vectors" */
};

/* Who runs: fixed while a block lives. The hazard detector hangs its state on `shadow`. */
struct block_view {
    struct block_view *const
        *cluster; /* its cluster's blocks, itself among them; NULL: it is no part of one */
    struct sim *sim;
    const struct sim_kernel *kernel;
    struct sim_dim3 grid_dim, block_dim, block_index;
    uint64_t block_number; /* linear index in the grid */
    unsigned thread_count;
    unsigned char *shared; /* static + dynamic window */
    size_t shared_size;
    size_t shared_static;       /* dynamic part begins here (aligned) */
    unsigned char *local;       /* thread t's local window: local + t * local_size, t = warp * 32 + lane */
    size_t local_size;          /* bytes per thread */
    const unsigned char *param; /* the launch's parameter block: space PARAM, read only */
    size_t param_size;
    void *shadow; /* sim/hazard's, made by hazard_block_begin */
    /* What the store that runs writes without a value (undefined.h). NULL: nothing. Not in struct access, which is made
     * anew for each access. */
    const struct undefined_value *undefined;
    /* What a load that is followed finds without a value is noted here, not reported. NULL: none is followed. */
    struct undefined_loaded *loaded;
    struct counter_set *counters; /* sim/model's, may be NULL */
    struct fault_log *faults;     /* the launch goes on after a fault; NULL: it stops at the first one */
    struct tracker *tracker;      /* several threads run blocks of the launch: who touches what; else NULL */
    /* Appends to a report which comparisons let the lane come to operation `pc`: machine/conditions.h. */
    void (*add_conditions)(const struct block_view *block, unsigned warp, int lane, int pc,
                           const struct access_index *at, char *text, size_t size);
};
