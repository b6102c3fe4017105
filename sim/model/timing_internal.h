/* What the files about modeled time from machine code share. */
#pragma once

#include "sim/model/cache.h"
#include "sim/model/pipeline.h"
#include "sim/model/timing.h"

/* Sectors that an operation touches: different ones; the part of them at random, and how often each of these is touched. */
struct timing_touched {
    double unique, random, each;
};

struct costing {
    const struct timing_launch *launch;
    struct cache_counts *cache;  /* [operations] */
    size_t l1_bytes;             /* what shared memory leaves */
    double part;                 /* of the sectors written, those that never become whole */
    bool stores_locally;         /* to local memory, nearly as often as it loads from there */
    struct pipeline_cost *costs; /* [instructions] */
    struct pipeline_machine machine;
    struct pipeline_warp *warps;
    uint32_t *wanted;                 /* [warps * ptx blocks] */
    struct pipeline_load *loads;      /* [instructions] */
    struct timing_touched *touched;   /* [operations] */
    const struct allocation **places; /* [operations] scratch */
    double kept;                      /* see timing_kept */
    bool *merged;                     /* [operations] see counter_hottest_atomic */
};

static inline double later(double a, double b)
{
    return a > b ? a : b;
}

static inline double smaller(double a, double b)
{
    return a < b ? a : b;
}

static inline double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

/* timing_machine.c: the SM, with its share of what the launch leaves of L2 and memory. */
struct pipeline_machine timing_machine(const struct timing_launch *launch);
/* Of memory, in GB/s, for the launch's mix of reads and writes. */
double timing_memory_rate(const struct timing_launch *launch);
/* Times that an SM is filled with blocks, at least once. */
unsigned timing_waves(const struct timing_launch *launch);

/* waste.c: what costs most, and what does of struct sim_habits' `apart`; `waited`: [instructions + 1], see pipeline_result. */
void waste_find(const struct costing *costing, const struct timing_result *time, const double *waited,
                struct sim_waste *waste, struct sim_waste *apart);

/* timing_cost.c: fills costs. */
void timing_fill_costs(struct costing *costing);
/*
 * What a sector takes of L2 beside one of a coalesced load, if the lanes of its load lie apart; `each`: sectors of a line
 * that such a request touches; 0: not known.
 */
double timing_load_apart(double each);
struct timing_touched timing_touched(double touches, double unique, double random);
/*
 * A sector counts for the operation that touched it first. Operations that touch one place at random, as the copies of an
 * unrolled loop do, touch all of its sectors together: each gets a part of them by its touches. NULL: no such place.
 * `places` is used up.
 */
void timing_share(struct timing_touched *touched, const struct allocation **places, int count);
/* For which part of the launch's time L2 keeps what was touched. */
double timing_kept(const struct sim_profile *profile, const struct timing_touched *touched, int count);
/* How often memory has to send each sector then: 1 if L2 has it until it is touched for the last time. */
double timing_comes_again(const struct timing_touched *touched, double kept);

/*
 * timing_limiter.c: what holds the launch back, in words. `rounds`: blocks of the busiest SM; `cycles`: of the launch.
 * Turns result->busy into shares of all SMs.
 */
const char *timing_limiter(const struct timing_launch *launch, const struct pipeline_machine *machine,
                           double rounds, double cycles, struct pipeline_result *result);
