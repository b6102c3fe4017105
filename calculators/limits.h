/* How many blocks of a kernel an SM holds, and what each of its resources would allow by itself. */
#ifndef CALCULATORS_LIMITS_H
#define CALCULATORS_LIMITS_H

#include "sim/model/model.h"

#define LIMIT_NONE SIM_SM_NO_LIMIT /* this resource is no limit */

struct block_limits {
    int threads, registers, shared, slots; /* blocks that each would allow */
    int blocks;       /* the least of them: that are resident; 0: it cannot be launched */
    double occupancy; /* of the SM's warp slots */
    const char *limiter;
};

/* `shared` bytes per block, static and dynamic together; 1 <= threads <= 1024. */
struct block_limits limits_of(const struct sim_profile *profile, int registers, size_t shared,
                              unsigned threads);
/* The most registers per thread, and the most bytes of shared memory per block, with which `blocks` fit; 0: none. */
int limits_registers_for(const struct sim_profile *profile, unsigned threads, int blocks);
size_t limits_shared_for(const struct sim_profile *profile, unsigned threads, int blocks);

#endif
