/* From counts to time: device profiles, occupancy, the time model. */
#pragma once

#include "sim/core/config.h"
#include "sim/core/kernel.h"
#include "sim/model/alone.h"
#include "sim/model/arithmetic.h"
#include "sim/model/counters.h"
#include "sim/model/habit.h"
#include "sim/model/sm.h"
#include "sim/model/waste.h"

const struct sim_profile *sim_profile_find(const char *key); /* NULL if there is none */
const struct sim_profile *sim_profile_at(int index);         /* NULL past the end */
/* The keys of all profiles, "h100, h200, ..."; cut at `size`. */
void sim_profile_keys(char *text, size_t size);
/* The measured rates or, for a device that was not measured, what follows from its size (profile_rates.c). */
void sim_profile_rates(const struct sim_profile *profile, struct sim_rates *rates);
/*
 * The oldest compute capability for which code is looked for, 80 for 8.0: kernels are not compiled for older
 * devices. The profile of an older one runs their code, and tells what it would take there, if it had all
 * the instructions that 8.0 has (cp.async, redux, ...).
 */
#define SIM_OLDEST_CODE 80
int sim_profile_code(const struct sim_profile *profile); /* compute capability of the code it runs */

struct sim_result {
    enum sim_status status;
    char message[1024]; /* for status != OK: what, which thread, which line, what to do */
    struct sim_counters counters;
    uint64_t hottest_atomic; /* time units of the busiest address, see counter.h */
    uint64_t bus_bytes[2];   /* of pinned and registered memory of the host: read, stored; each sector once */
    uint64_t sampled_blocks; /* that were run, if only a sample was: the counters are extrapolated; else 0 */
    double relative_error;   /* standard error of the extrapolated counters, as a part of them (sample.h) */
    double unlike_error;     /* of the modeled time, for blocks unlike those watched (strata.h): the same */
    int blocks_per_sm;       /* that are resident at a time, by sim_occupancy */
    double block_cycles;     /* a block's time with the SM to itself (latency.c); 0: not known */
    double machine_seconds;  /* the same from machine code (timing.h); 0: there is none */
    const char *machine_limiter;
    struct sim_waste waste;           /* what costs most, from machine code; kind 0: not known */
    struct sim_arithmetic arithmetic; /* where there is machine code; */
    struct sim_alone alone;           /* the same */
    struct sim_habits habits;         /* the same */
    struct sim_sm sm;                 /* the same, as far as it is about time */
    double seconds;                   /* modeled time on sim_config.profile (model.c) */
    const char *limiter;              /* what the model says holds the kernel back: "DRAM bandwidth", … */
    /* Not watched: counters and times are those of an earlier launch, … */
    bool unwatched;
    bool
        unlike_watched; /* … which executed its operations another number of times; see sim/device/repeat.h */
};

struct sim_occupancy {
    int blocks_per_sm;
    double warps_fraction; /* of the SM's warp slots */
    const char *limiter;   /* "registers", "shared memory", "threads", "blocks" */
    struct sim_room room[SIM_SM_ROOMS];
};
void sim_occupancy(const struct sim_profile *profile, const struct sim_kernel_info *info,
                   unsigned threads_per_block, size_t dynamic_shared, struct sim_occupancy *out);

/* Fills result->seconds and result->limiter from result->counters: the largest of the roofs. */
void sim_model_time(const struct sim_profile *profile, const struct sim_launch *launch,
                    struct sim_result *result);
/*
 * Of 10 kernels that are held back by `limiter`, a GPU takes for 9 between 1 - less and 1 + more times the modeled
 * time; NULL or an unknown name: of kernels of any kind (band.c).
 */
struct sim_band {
    double less, more;
};
struct sim_band sim_model_band(const char *limiter);
/* Of 10 kernels, how many kept these margins on the GPU of this profile: those that the model was checked with, others. */
struct sim_kept {
    const char *on; /* "an H100"; NULL: none was measured there */
    int checked, unmet;
};
struct sim_kept sim_model_kept(const char *key);
/* Modeled seconds to move `bytes` bytes in all (read + write) inside the device: the copy roof. */
double sim_model_copy_seconds(const struct sim_profile *profile, double bytes);

/* sim_model_time without a launch around it, for its tests. */
void model_time(const struct sim_profile *profile, const struct sim_kernel_info *info, struct sim_dim3 grid,
                struct sim_dim3 block, size_t dynamic_shared, struct sim_result *result);
