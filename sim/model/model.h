/* The time model without a launch around it, for its tests. */
#ifndef SIM_MODEL_H
#define SIM_MODEL_H

#include "sim/device/sim.h"

/* Fills result->seconds and result->limiter from result->counters: see sim_model_time in sim.h. */
void model_time(const struct sim_profile *profile, const struct sim_kernel_info *info, struct sim_dim3 grid,
                struct sim_dim3 block, size_t dynamic_shared, struct sim_result *result);

#endif
