/*
 * Blocks of one launch on several host threads: what keeps the results those of one thread.
 *
 * The blocks are run as if they were independent, and whether they are is found out on the way. Every thread
 * notes which bytes of global memory its blocks touch. Blocks are independent if no byte that one of them
 * writes is touched by another, but for atomics of one kind whose result is not used: sums, minima and
 * the like of integers come out the same in any order. A block is a function of the bytes that it reads; so
 * if they turn out to be independent, each has done what it would have done alone, and memory holds what it
 * would hold.
 *
 * If not, or if something happens whose outcome depends on the order of blocks or that must be reported (a
 * fault, a hazard, a printf), the attempt is *stopped*: what was written is taken back, and one thread runs
 * the launch from its first block as if nothing had been. So the attempt never reports anything itself.
 *
 * What a thread's blocks touch is noted together, as a *unit*: the thread runs them in the order of the
 * launch anyway. Only a block that outlasts its slice, which would take turns with those behind it if there
 * were one thread, ends the unit.
 */
#pragma once

#include <pthread.h>

#include "sim/memory/memory.h"

#define WORKERS_MAX         32
#define WATCHED_WORKERS_MAX 4 /* with hazards: each has its own shadow of what it touches */

enum { ATOMIC_KINDS = 4 };

/* How a byte was touched: by loads, by stores, by atomics of the attempt's first, second … kind. */
enum track_plane { TRACK_READ, TRACK_WRITE, TRACK_ATOMIC, TRACK_PLANES = TRACK_ATOMIC + ATOMIC_KINDS };

/* What one set knows of one allocation. Bits are kept by chunks, so that few touched ones are soon
 * cleared. */
struct tracked {
    uint64_t *bits[TRACK_PLANES]; /* a bit a byte; NULL until there is one */
    uint8_t *dirty;               /* by chunk, a bit a plane: where its bits are not all 0 */
    bool read, written;           /* in this attempt at all */
    struct touched_sectors touched;
};

/* Why an attempt ends before its last block. */
enum track_stop {
    STOP_NOT,
    STOP_RETRY,   /* it knows better now what to look for: another attempt is worth it */
    STOP_ORDER,   /* the order of the blocks matters, or may do so */
    STOP_REPORT,  /* something must be reported */
    STOP_RESOURCE /* too little memory, too near to the limit of instructions */
};

struct chunk_ref {
    struct allocation *allocation;
    size_t chunk;
};

struct chunk_list {
    struct chunk_ref *refs;
    size_t count, capacity;
};

struct saved_chunk {
    struct chunk_ref where;
    size_t offset; /* of its bytes as they were, in the tracker's arena */
};

struct attempt;

/* One thread's part of an attempt. */
struct tracker {
    struct attempt *attempt;
    unsigned index;          /* of the thread: its set is number 1 + index */
    struct chunk_list dirty; /* of the unit under way */
    bool touched_more;       /* `read` or `written` of some allocation is new */
    struct saved_chunk *saved;
    size_t saved_count, saved_capacity;
    unsigned char *arena;
    size_t arena_used, arena_capacity;
};

struct attempt {
    struct sim *sim;
    unsigned workers;
    int stop;                   /* enum track_stop; atomic */
    uint8_t kind[ATOMIC_KINDS]; /* what the atomic planes stand for; atomic */
    pthread_mutex_t lock;       /* for what follows, and merging */
    struct chunk_list finished; /* set 0: units that are done */
    struct chunk_list
        open[WORKERS_MAX]; /* set 1 + workers + index: the first part of a unit that takes long */
    struct tracker tracker[WORKERS_MAX];
};

/* Makes room for the sets of so many threads; false: out of memory. */
bool attempt_begin(struct attempt *attempt, struct sim *sim, unsigned workers);
/* Afterwards, by one thread: memory stays as it is, and what was written counts as written … */
void attempt_commit(struct attempt *attempt);
/* … or becomes what it was; STOP_RETRY has taken note of what to look for. */
void attempt_roll_back(struct attempt *attempt);
void attempt_end(struct attempt *attempt);

/* The thread's unit is done: false, and the attempt stopped, if it is not independent of others. */
bool tracker_finish_unit(struct tracker *tracker);
/* A unit that takes long is not done yet: shows others what it has touched so far, and looks at them. */
bool tracker_show_unit(struct tracker *tracker);

/*
 * A checked access to global memory that is about to take effect. False: the attempt is stopped, and the
 * access must not happen.
 */
bool tracker_access(struct tracker *tracker, const struct access *access);
/* The same for a load or store of the `bytes` from `first` on, all in the allocation; `leap` as in struct access. */
bool tracker_row(struct tracker *tracker, struct allocation *a, bool is_store, uint64_t first, uint64_t bytes,
                 int64_t leap);
/* Whether all bytes were written before the launch or by this unit; else *missing is the first that was
 * not. */
bool tracker_written(const struct tracker *tracker, const struct allocation *allocation, size_t first,
                     size_t size, size_t *missing);
/* The first reason stays. Returns false. */
bool tracker_stop(struct tracker *tracker, enum track_stop why);

static inline bool attempt_stopped(const struct attempt *attempt)
{
    return __atomic_load_n(&attempt->stop, __ATOMIC_RELAXED) != STOP_NOT;
}

/* memory.c: the allocation is freed. */
void tracker_forget_allocation(struct allocation *allocation);
