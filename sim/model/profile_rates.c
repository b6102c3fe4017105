/*
 * Rates of devices that have not been measured. Each rule gives back what was measured on an H100 and an H200, which
 * differ in their memory only, to within 5 % (tests/unit/test_model.c); that other devices keep to it is assumed.
 */
#include "sim/model/model.h"

#include <math.h>

/* Of a copy. Measured: 1.03 and 1.05, 1.08 and 1.08. */
#define READ_SHARE  1.04
#define WRITE_SHARE 1.08

/*
 * With a word per thread, SMs set a limit besides the memory: bytes a clock and SM, read plus written. The two
 * limits are added in their fourth powers, which fits both devices: 2.40 of 3.01 and 2.71 of 4.24 TB/s with 4
 * bytes, 2.95 and 3.87 with 8.
 */
#define WORD_BYTES  10.6
#define DWORD_BYTES 18.5

/*
 * One unit of the device starts all blocks: it took 1.21 of the device's clocks for one, whatever its size. An SM
 * can only take as many as it has room for; an empty block lasts 427 clocks from its start to the start of
 * its successor, which shows with blocks of 1024.
 */
#define BLOCK_CLOCKS      1.21
#define BLOCK_LIFE_CLOCKS 427.0

/* Atomics on one address: clocks from one to the next. */
#define ATOMIC_INT_CLOCKS   1.49
#define ATOMIC_FLOAT_CLOCKS 3.52

/* From one queued launch to the next; 3.9 and 5.3 us were measured. */
#define NEXT_LAUNCH_US 4.5

static double both_limits(double a, double b)
{
    return pow(pow(a, -4) + pow(b, -4), -0.25);
}

static double block_ns(const struct sim_profile *profile, int threads)
{
    int room = profile->threads_per_sm / threads;
    if (room > profile->blocks_per_sm)
        room = profile->blocks_per_sm;
    return fmax(BLOCK_CLOCKS, BLOCK_LIFE_CLOCKS / (room * profile->sm_count)) / profile->clock_ghz;
}

void sim_profile_rates(const struct sim_profile *profile, struct sim_rates *rates)
{
    const double ghz = profile->clock_ghz, sm_ghz = profile->sm_count * ghz;
    *rates = profile->measured;
    if (rates->read_gbs > 0)
        return;
    rates->read_gbs = READ_SHARE * profile->dram_gbs;
    rates->write_gbs = WRITE_SHARE * profile->dram_gbs;
    rates->word_gbs = both_limits(profile->dram_gbs, WORD_BYTES * sm_ghz);
    rates->dword_gbs = both_limits(profile->dram_gbs, DWORD_BYTES * sm_ghz);
    for (int i = 0; i < 6; i++)
        rates->block_ns[i] = block_ns(profile, 32 << i);
    rates->atomic_int_ns = ATOMIC_INT_CLOCKS / ghz;
    rates->atomic_float_ns = rates->atomic_double_ns = ATOMIC_FLOAT_CLOCKS / ghz;
    rates->next_launch_us = NEXT_LAUNCH_US;
}
