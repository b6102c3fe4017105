/* The modeled time of a launch from its machine code: what each instruction costs (cache.h), one SM at work
 * (pipeline.h), and what the whole device cannot do faster. */
#pragma once

#include "sim/core/code.h"
#include "sim/core/config.h"
#include "sim/model/counter.h"
#include "sim/model/machine_code.h"
#include "sim/model/trace.h"
#include "sim/model/habit.h"
#include "sim/model/sm.h"
#include "sim/model/waste.h"

struct timing_launch {
    const struct sim_profile *profile;
    const struct machine_code *machine_code;
    const struct code *code;
    const struct sim_kernel *kernel;
    const struct op_count *counts; /* [operations], of the launch */
    const struct counter_set *set;
    struct trace *trace;
    uint64_t blocks;
    unsigned threads;   /* of a block */
    int blocks_per_sm;  /* by occupancy */
    size_t shared;      /* bytes of a block */
    uint64_t workspace; /* of a cooperative launch: where its blocks meet; else 0 */
    double cold;        /* of the sectors touched, the share that L2 does not have (residency.h) */
};

struct timing_result {
    double seconds;      /* from the first block's start to the last one's end */
    const char *limiter; /* as in sim_result */
    double error;        /* of seconds, for blocks that are unlike those watched: standard error, as a part */
    struct sim_waste waste;
    struct sim_habits habits;
    struct sim_sm sm; /* in time */
};

/* False: not all of it is known, or there is no memory. */
bool timing_of_launch(const struct timing_launch *launch, struct timing_result *result);
