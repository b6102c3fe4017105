/*
 * One SM at work: the warps that it holds issue the instructions of their walks, cycle by cycle, in four partitions, wait
 * for results, units and memory as the machine code says, and make room for the next block when theirs is done.
 *
 * The other SMs are taken to do the same at the same time: this one has its share of the rates of L2 and memory.
 */
#pragma once

#include "sim/model/machine_code.h"
#include "sim/model/sm.h"

enum pipeline_limiter {
    PIPELINE_MEMORY,
    PIPELINE_L2,
    PIPELINE_L1,
    PIPELINE_SHARED,
    PIPELINE_ISSUE,
    PIPELINE_FMA,
    PIPELINE_INT,
    PIPELINE_FP64,
    PIPELINE_HALF,
    PIPELINE_XU,
    PIPELINE_LATENCY,
    PIPELINE_BARRIER,
    PIPELINE_CONST,
    PIPELINE_LIMITERS
};

/* Why a warp does not issue, in the order of Nsight Compute's names. */
enum pipeline_stall {
    STALL_FIXED,   /* wait: the cycles to the next instruction that machine code states */
    STALL_MEMORY,  /* long scoreboard, LG throttle: a result of memory, or its queue is full */
    STALL_RESULT,  /* short scoreboard: a result of another unit */
    STALL_UNIT,    /* math pipe throttle, not selected: the unit or the issue slot is taken */
    STALL_QUEUE,   /* MIO throttle: the queue of the path to shared memory is full */
    STALL_CONST,   /* MIO throttle: the same for constants; IMC miss */
    STALL_BARRIER, /* barrier */
    PIPELINE_STALLS
};

/* By how much a memory that is always busy answers later than one that is idle, beyond the time in its queue. Fitted. */
#define LOADED_LATENCY 0.6

/* An SM of a device; times in its cycles. */
struct pipeline_machine {
    double unit_cycles[SASS_UNITS]; /* that an instruction occupies the unit of its partition, or of the SM */
    double latency[SASS_UNITS];     /* to the result, for units that release a barrier; memory: see below */
    double l1_latency, l2_latency, memory_latency;
    double l2_bytes, memory_bytes; /* per cycle: this SM's share */
    double constant_latency;       /* of a constant that the cache beside the issue slots does not have */
    double barrier_latency;        /* from the last warp's arrival on */
    double barrier_cycles;         /* that each warp's arrival takes the SM */
    double jump_cycles;    /* to the first instruction behind a jump, beyond what machine code states */
    double start_interval; /* from one block's start to the next one's on this SM, at least */
    double start_latency;  /* from a free place to a new block's first instruction */
};

/* What one execution of an instruction of memory costs, on average. */
struct pipeline_cost {
    float data_cycles;   /* of the data path that L1 and shared memory share; of constants: of their cache */
    float extra_latency; /* beyond the unit's: repeated attempts, atomics */
    float l2_bytes, memory_bytes; /* that go beyond L1, and beyond L2 */
    float l2_share, memory_share; /* of its executions: those that wait for L2 and for memory */
    float constant_share;         /* of its executions: those that wait for a constant */
    float load_bytes;             /* that a load asked for which waits for L2 or memory */
};

struct pipeline_warp {
    const uint32_t *wanted; /* [ptx blocks], see walk.h */
};

struct pipeline_task {
    const struct machine_code *code;
    const struct pipeline_machine *machine;
    const struct pipeline_cost *costs; /* [instructions] */
    const struct pipeline_warp *warps; /* [kinds * warps_per_block] */
    int kinds;                         /* blocks that differ … */
    const int *order;                  /* [blocks] the kind of the i-th one to start; NULL: i % kinds */
    int warps_per_block, resident;     /* resident: blocks at a time */
    uint64_t blocks;                   /* of this SM in all */
    uint64_t most_instructions;        /* that are simulated; then the rest is extrapolated */
};

/* Of an instruction that loads from global memory: each time that a warp comes to what needs its result. */
struct pipeline_load {
    double times;
    double in_flight; /* loads of the warp that are under way then, this one included, summed up */
    double behind;    /* arithmetic of floating-point numbers that the warp issued since, summed up */
};

struct pipeline_result {
    double cycles;
    double busy[PIPELINE_LIMITERS]; /* share of the time that each was busy, or that warps waited for it */
    double *
        waited; /* [instructions + 1], the caller's, or NULL: cycles that warps waited for its result; the last: for anything */
    struct pipeline_load *loads; /* [instructions], the caller's, or NULL */
    struct sim_sm *sm;           /* the caller's, or NULL: what is known in time, in cycles */
    double sm_end;               /* … up to this cycle */
    int stall;                   /* enum pipeline_stall: what warps wait for most */
    double
        left_out; /* operations that the warps ran, for each that their walks have: more than 1 where ways are missed */
    uint64_t instructions; /* simulated */
    bool complete;         /* nothing was extrapolated */
};

/*
 * False: out of memory, or the walks do not end where the counts say, or run clearly less than was counted: then the
 * older model of the PTX stands in.
 */
bool pipeline_run(const struct pipeline_task *task, struct pipeline_result *result);
