/* A launch that several host threads share: between grid_parallel.c, grid_prepare.c and grid_worker.c. */
#pragma once

#include "sim/hazard/hazard.h"
#include "sim/machine/grid.h"
#include "sim/memory/tracker.h"
#include "sim/model/counter.h"

/* Warp instructions that the first thread runs before it asks for help: some milliseconds. */
#define THREADS_FROM 100000
/* Blocks [first, end) of the order, done by one thread. */
struct unit {
    uint64_t first, end;
    unsigned worker;
    size_t log_begin, log_end; /* its part of the worker's log */
};

struct worker {
    struct shared_launch *shared;
    unsigned index;
    pthread_t thread;
    bool started;
    struct sim sim; /* the launch's, with a hazard detector of its own */
    struct launch launch;
    struct op_count *counts;
    struct counter_set *set;
    struct touch_log log;
    struct block *block;
    stamp_t first_stamp;
    uint64_t executed; /* since it was last added to the launch's … */
    uint64_t unshown;  /* … and since others could see what it has touched */
    uint64_t untold;   /* … and since the progress was last told */
    char message[1024];
};

/* A launch that threads share. */
struct shared_launch {
    struct grid *grid;
    struct attempt attempt; /* its lock is also for the next four */
    uint64_t next;          /* the first block of the order that no thread has taken */
    uint64_t executed, done;
    struct unit *units;
    size_t unit_count, unit_capacity;
    bool cost_known;    /* from a launch before: what it is worth has been decided */
    uint64_t help_from; /* instructions, see THREADS_FROM … */
    uint64_t show_from; /* … and SHOW_INSTRUCTIONS; both 0 in tests that want to see threads meet */
    unsigned count;     /* of workers */
    unsigned present;   /* in such tests: that have begun; atomic */
    bool careful;       /* the detectors' `careful` from the beginning on */
    struct worker worker[WORKERS_MAX];
};

/* What is kept from one launch to the next; buffers because fresh pages are slow. */
struct workers {
    uint64_t log_count;               /* of logs begun: gives each a number of its own */
    struct hazards *hazards[SHADOWS]; /* [0] is not used */
    struct buffers {
        touch_t *touches;
        size_t touch_capacity;
        unsigned char *arena;
        size_t arena_capacity;
    } buffers[WORKERS_MAX];
};

static inline struct tracker *tracker_of(const struct worker *w)
{
    return &w->shared->attempt.tracker[w->index];
}

/* ---- grid_prepare.c ------------------------------------------------------------------------------------ */

/* Gives each thread what it needs; false: the attempt is stopped. */
bool shared_prepare(struct shared_launch *s, struct grid *grid, const struct sim_launch *request);
void shared_release(struct shared_launch *s);

/* ---- grid_worker.c ------------------------------------------------------------------------------------- */

/* Whether a launch of so many instructions is worth the notes that other threads must make. */
bool shared_is_enough_work(const struct grid *grid, uint64_t instructions);
/* Runs units until there are none, or the attempt is stopped; the first thread asks for help now and then. */
void shared_run_units(struct worker *w);
void shared_ask_for_help(struct worker *w);
