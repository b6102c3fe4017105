/* What the files of pipeline.h share: the SM while it is at work. */
#pragma once

#include "sim/model/pipeline.h"
#include "sim/model/walk.h"

#define PARTITIONS 4
#define SLOTS_MAX  64 /* warps of an SM */

/* A queue of requests that is served at a fixed rate. */
struct server {
    double free, busy;
};

#define LOADS_MAX 32 /* of a warp, under way at a time, that are counted */

struct slot { /* of a warp */
    struct walk walk;
    uint32_t *done;
    double issued;                  /* cycle of its last one, or of what it waited for since */
    double ready;                   /* cycle of its next instruction, without what that waits for itself */
    double release[SASS_BARRIERS];  /* when its barriers will be released */
    int waits_for[SASS_BARRIERS];   /* enum pipeline_limiter: what will release them … */
    int released_by[SASS_BARRIERS]; /* … and the instruction */
    double load_done[LOADS_MAX];    /* of the last loads from global memory, in turns: when they are done */
    unsigned loads;
    double arithmetic;                   /* instructions with floating-point numbers */
    double arithmetic_at[SASS_BARRIERS]; /* when the load was issued that releases the barrier … */
    bool of_load[SASS_BARRIERS];         /* … and that nothing has waited for yet */
    int next;                            /* instruction; -1: none */
    bool runs, used, at_barrier;
    int block; /* place of its block */
};

struct place { /* of a block */
    int live, arrived;
    double start, last_arrival;
    bool used;
};

struct choice {
    struct slot *slot; /* NULL: none */
    double when;
    double since; /* when it came to the full queue of L2 or memory; 0: to none */
    double start; /* of its block, if it waits there */
    int reason;
};

struct pipeline {
    const struct pipeline_task *task;
    const struct pipeline_machine *machine;
    struct slot slots[SLOTS_MAX];
    int slot_count;
    struct place places[SLOTS_MAX];
    double clock[PARTITIONS];
    struct choice next[PARTITIONS]; /* what each partition would issue, and when at the earliest … */
    bool stale[PARTITIONS];         /* … unless a warp was woken since */
    struct server units[PARTITIONS][SASS_UNITS];
    struct server data, l2, memory, constants, barriers;
    /* [instructions + operations]: shares of executions that have not come to a whole one. */
    float *owed_l2, *owed_memory;
    uint32_t *done;
    int *first_group, *block_operations; /* [ptx blocks] first group that decides, plus 1; operations */
    double left_out;                     /* see pipeline_result */
    bool runs_away;                      /* a walk does not end where the counts say */
    bool falls_short;                    /* walks have less arithmetic and memory than the counts say */
    uint64_t started, finished, issued;
    double last_start, now;
    double waited[PIPELINE_LIMITERS];
    double stalled[PIPELINE_STALLS]; /* cycles of all warps that could not issue, by reason */
    double *waited_for;              /* see pipeline_result */
    struct pipeline_load *load;      /* see pipeline_result */
    struct sim_sm *sm;               /* the same … */
    double sm_end;                   /* … and when to end with it */
    double near;                     /* of the data path, busy with shared memory and shuffles */
    double integers;                 /* of the lanes for FP32, busy with integer multiply-adds */
};

static inline double later(double a, double b)
{
    return a > b ? a : b;
}

static inline bool is_memory(int unit)
{
    return unit == SASS_GLOBAL || unit == SASS_LOCAL || unit == SASS_TEXTURE || unit == SASS_SHARED ||
           unit == SASS_SHUFFLE;
}

/* FP32 and integer multiply-adds use the same lanes; an integer one takes more of them. */
static inline struct server *unit_of(struct pipeline *p, int partition, int unit)
{
    return &p->units[partition][unit == SASS_IMAD ? SASS_FMA : unit];
}

/* Notes `amount` of a row of p->sm. */
static inline void note_time(struct pipeline *p, float *row, double from, double to, double amount)
{
    sm_add(p->sm, row, from, to < p->sm_end ? to : p->sm_end, amount);
}

/* The limiter (enum pipeline_limiter) that a busy unit stands for. */
int pipeline_limiter_of(int unit);
/* Puts the next block in this place, at `when` at the earliest. */
void pipeline_start_block(struct pipeline *p, int place, double when);
/* The warp issues its next instruction. */
void pipeline_issue(struct pipeline *p, int partition, struct slot *slot, double when);
