/* From counts to time: device profiles, occupancy, the time model. */
#ifndef SIM_MODEL_H
#define SIM_MODEL_H

#include "sim/core/config.h"
#include "sim/core/kernel.h"
#include "sim/model/counters.h"

const struct sim_profile *sim_profile_find(const char *key); /* NULL if there is none */
const struct sim_profile *sim_profile_at(int index);         /* NULL past the end */

struct sim_result {
    enum sim_status status;
    char message[1024]; /* for status != OK: what, which thread, which line, what to do */
    struct sim_counters counters;
    uint64_t hottest_atomic; /* time units of the busiest address, see counter.h */
    int blocks_per_sm;       /* that are resident at a time, by sim_occupancy */
    double block_cycles;     /* a block's time with the SM to itself (latency.c); 0: not known */
    double seconds;          /* modelled time on sim_config.profile (model.c) */
    const char *limiter;     /* what the model says holds the kernel back: "DRAM bandwidth", … */
};

struct sim_occupancy {
    int blocks_per_sm;
    double warps_fraction; /* of the SM's warp slots */
    const char *limiter;   /* "registers", "shared memory", "threads", "blocks" */
};
void sim_occupancy(const struct sim_profile *profile, const struct sim_kernel_info *info,
                   unsigned threads_per_block, size_t dynamic_shared, struct sim_occupancy *out);

/* Fills result->seconds and result->limiter from result->counters: the largest of the roofs. */
void sim_model_time(const struct sim_profile *profile, const struct sim_launch *launch,
                    struct sim_result *result);
/* Modelled seconds to move `bytes` bytes in all (read + write) inside the device: the copy roof. */
double sim_model_copy_seconds(const struct sim_profile *profile, double bytes);

/* sim_model_time without a launch around it, for its tests. */
void model_time(const struct sim_profile *profile, const struct sim_kernel_info *info, struct sim_dim3 grid,
                struct sim_dim3 block, size_t dynamic_shared, struct sim_result *result);

#endif
