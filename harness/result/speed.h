/* How fast a task is, how fast it could be, and what was counted. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "harness/base/stats.h"
#include "harness/lab/lab.h"
#include "harness/result/outcome.h"
#include "harness/wire/protocol.h"

enum speed_verdict {
    SPEED_NOT_TIMED, /* the task has no speed, or there is no time: then it is not passed */
    SPEED_ENOUGH,
    SPEED_TOO_SLOW,
    SPEED_INCONCLUSIVE, /* neither passed nor failed; the note says why, and what to do */
    SPEED_SHOWN,        /* no threshold */
    SPEED_WRONG,        /* an output of a timed run is wrong */
    SPEED_IMPOSSIBLE,   /* less time than this device needs for the work */
};

/* The longest part of some work on this machine. */
struct grader_part {
    double seconds;
    const char *what; /* "bytes at the rate of a copy" */
};

/* How a launch fills the GPU. blocks 0: not known. */
struct grader_waves {
    double blocks, wave; /* of the grid; that are resident at a time, on all SMs together */
    int blocks_per_sm;
};

struct grader_speed {
    enum speed_verdict verdict;
    bool asked; /* it was to be timed or modeled */
    bool modeled;
    int64_t arg[LAB_MAX_ARGS];
    double bytes, flops;
    struct stats time; /* seconds; modeled: only the median */
    double wall;       /* seconds a call by the grader's own clock, 0: not measured */
    bool wall_counts;  /* the events miss a part of the work */
    int sets;
    double roof;                     /* seconds that the roof allows */
    struct grader_part part, method; /* what the roof is; of the lab's method, seconds 0: none */
    double method_fraction;          /* of the method, that is asked for */
    double limit;                    /* seconds that are allowed; 0: no threshold */
    double copy_gbs, gflops;         /* the two roofs */
    bool memory_bound;               /* by arithmetic intensity, on this machine */
    struct grader_waves waves;       /* of the last launch */
    char kernel[96];                 /* modeled: of the launch that takes longest, … */
    struct sim_sm sm;                /* … on an SM; blocks 0: not known */
    char limiter[64];                /* modeled: what holds it back */
    char slow[1024];                 /* what costs most, in words (speed/slow.h); "": not known */
    double slow_share;               /* of the time of the launch that takes longest */
    bool slow_is_fault;              /* no right kernel has it on purpose */
    /* Work for nothing, in words (speed/work.h); "": none is known. */
    char many_launches[512], idle_blocks[512], excess[1024], alone[512];
    char loads[768], apart[768], kept[512];
    double alone_share; /* of the instructions, of what `alone` says */
    double less, more;  /* modeled: a GPU may take that much less or more, as parts of the time (model.h) */
    bool in_doubt;      /* modeled: fast enough only if a GPU takes less than that */
    double sampled_blocks;                      /* modeled: that were run, 0: all of every launch */
    char note[512];                             /* why it was not timed, or is inconclusive */
    const struct lab_level *level, *next_level; /* reached, and what comes after; NULL: none */
    struct grader_outcome outcome;              /* of SPEED_WRONG */
};

struct grader_counter {
    double value, limit;
    double
        per_needed; /* sectors per request, if requests beyond those that the task needs do not count; 0: as `value` */
    bool asked; /* the lab names it among its limits */
    bool exceeded;
    bool nothing_counted; /* no request of the kind: no limit holds */
};

struct grader_counters {
    bool measured;
    bool exceeded;
    int64_t arg
        [LAB_MAX_ARGS]; /* of the call: the lab's limit_arg, or what is modeled if limits are exceeded only there */
    struct grader_counter counter[LAB_COUNTER_COUNT]; /* limit < 0: not judged */
    struct protocol_counters totals;
    struct protocol_line worst[LAB_COUNTER_COUNT]; /* place.line 0: none */
    struct grader_outcome outcome;                 /* of the run they were counted in */
};

/* This machine's roofs, measured by calibrate. */
struct grader_roof {
    bool known;
    char name[128];
    char date[32];                    /* when they were measured */
    double copy_gbs, copy_steady_gbs; /* the best; of copies one behind the other, on average */
    double read_gbs, write_gbs, copy_word_gbs, copy_dword_gbs;
    double fp32_gflops, fp64_gflops;
    double block_ns[6]; /* of blocks of 32, 64, ... 1024 threads */
    double atomic_int_ns, atomic_float_ns, atomic_double_ns;
    double launch_us;
    double l2_bytes;
    double copy_now_gbs; /* in this run, as copy_steady_gbs */
    char busy[256];      /* why no speed can be judged now: the GPU is busy or throttled; "": it can */
    char why_not[512];   /* if not known */
};

double speed_seconds(const struct grader_speed *speed); /* what is judged and reported */
/* Of the launch that takes longest. */
void speed_take_sm(struct grader_speed *speed, const struct protocol_mailbox *mailbox);
void speed_take_waves(struct grader_speed *speed, const struct protocol_mailbox *mailbox);
