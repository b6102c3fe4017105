/*
 * A block: its warps, its barriers, its shared memory. It can be suspended between any two slices, so that
 * blocks that wait for one another all make progress.
 */
#pragma once

#include "sim/core/access.h"
#include "sim/core/device.h"
#include "sim/core/kernel.h"
#include "sim/core/report.h"
#include "sim/core/undefined.h"
#include "sim/machine/bypass.h"
#include "sim/machine/launch.h"
#include "sim/machine/warp.h"

#define BARRIER_COUNT   16
#define BLOCK_WARPS_MAX 32

struct barrier {
    unsigned waiting_warps;    /* all of whose lanes wait at it */
    unsigned arrived_threads;  /* by bar.arrive */
    unsigned expected;         /* threads, 0: all of the block */
    const struct micro *first; /* who waits: for messages */
    unsigned first_warp;
};

enum block_state {
    BLOCK_READY,    /* could go on */
    BLOCK_SPINNING, /* could go on, but all its warps wait for something outside */
    BLOCK_DONE,
    BLOCK_FAULT,
};

#define COUNTED_BARRIERS 4

struct barrier_count { /* of a source line */
    struct ptx_loc loc;
    unsigned idle, busy; /* as in struct idle_barrier */
};

struct block {
    struct block_view view;
    struct cluster *cluster; /* NULL: blocks do not know each other */
    unsigned cluster_rank;
    bool ended; /* and others of its cluster have not */
    const struct launch *launch;
    struct undefined_loaded loaded; /* view.loaded */
    struct warp *warps;
    unsigned live_warps;
    struct barrier barriers[BARRIER_COUNT];
    bool used;        /* by an earlier block */
    bool some_exited; /* a thread ended since the last look: barriers may be complete */
    bool skipped_reported;
    struct bypass_known bypasses[4]; /* the last answers, of all blocks that this context has run */
    int bypass_count;                /* so many were looked for */
    const struct micro *
        last_barrier; /* complete, of all threads; NULL: none is to be judged. Where hazards are looked for */
    struct ptx_loc last_barrier_loc;
    unsigned deeds_before; /* that barrier: enum block_deed */
    struct barrier_count
        counted[COUNTED_BARRIERS]; /* which of its barriers ordered something, not handed over yet */
    int barrier_count;             /* of counted[] */
    unsigned char *block_rows;
    struct op_count *counts;   /* [code->count], of whoever runs the block */
    struct trace_block *trace; /* where the time model watches it; NULL: it does not */
    unsigned *order;           /* in which warps run */
    uint64_t random;
    uint64_t executed; /* operations, over the block's life */
    uint64_t changes;  /* atomics that changed what they found */
    bool holds;        /* in the last round a warp was held: that the others only waited means nothing yet */
    unsigned looked_away; /* so often did a slow warp, having found what it waited for */
    unsigned turns_given; /* to others, after stores that they may wait for */
    unsigned pace;    /* its place in the order of blocks, moved by the seed: decides which warps are slow */
    uint64_t slept;   /* cycles that passed without any */
    uint64_t loads;   /* from global memory, an instruction of a warp counted once */
    bool acts;        /* stores there, or does what shows outside in another way */
    unsigned copying; /* lanes' copies that are under way, of all warps: exec_async.c */
    enum sim_status status;
    char *message; /* [1024], the launch's */
};

/* A context for blocks of the launch, to be started again and again; NULL: out of memory. */
struct block *block_create(const struct launch *launch, struct op_count *counts, struct counter_set *set,
                           char message[1024]);
void block_destroy(struct block *block);
/* `place`: in the order of the launch's blocks. */
void block_start(struct block *block, uint64_t number, uint64_t place);
/* Runs about `slice` operations; the hazard detector is told when the block begins and ends. */
enum block_state block_run(struct block *block, int64_t slice);
/* The source place where a thread that still runs is, as text and, unless NULL, as a place. */
void block_describe(const struct block *block, char *text, size_t size, struct sim_hazard_place *at);

/* The warp's thread hit a fault: status and message, unless there is one already. */
void block_fault(struct block *block, enum sim_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/*
 * An access that must not happen, which has been reported: whether the launch goes on without it. Else it is a fault.
 * It goes on where one thread of the host runs the blocks and hazards are looked for.
 */
bool block_survives(struct block *block, enum sim_status status, const char *message);
/* bar.arrive: the lanes do not wait, and count as `expected` wants it. */
void block_arrive(struct block *block, unsigned barrier, unsigned expected, unsigned warp, uint32_t lanes);

/*
 * The block has ended: which of its barriers ordered nothing is handed to the simulator. `deeds` since the last: enum
 * block_deed.
 */
void block_end_barriers(struct block *block, unsigned deeds);

/* What a thread of the host has counted of barriers, in its own copy of the simulator, is added. */
void block_add_barriers(struct sim *sim, const struct sim *worker);

/* ---- between block.c and block_barrier.c --------------------------------------------------------------- */

/* Every lane of the warp waits: at one barrier of the block, or it is stuck. */
void block_note_waiting(struct block *block, struct warp *warp);
/* A warp has ended: barriers that waited for it may be complete. */
void block_note_done(struct block *block);
