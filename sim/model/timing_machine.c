#include "sim/model/model.h"
#include "sim/model/timing_internal.h"

/* Cycles for which an instruction of a warp occupies its partition's quarter of `lanes`. */
static double lane_cycles(int lanes)
{
    return lanes > 0 ? 32.0 * 4 / lanes : 32;
}

/* The SM's share of a rate in GB/s, in bytes per cycle, if `active` SMs divide it; 64 is what one can take. */
static double share(const struct sim_profile *profile, double gbs, double active)
{
    double bytes = gbs / (active * profile->clock_ghz);
    return bytes < 64 ? bytes : 64;
}

static void fill_units(struct pipeline_machine *m, const struct sim_profile *profile)
{
    bool full_half = profile->cc_major >= 9 || (profile->cc_major == 8 && profile->cc_minor == 0);
    for (int unit = 0; unit < SASS_UNITS; unit++) {
        m->unit_cycles[unit] = 2;
        m->latency[unit] = 24;
    }
    m->unit_cycles[SASS_FMA] = lane_cycles(profile->fp32_lanes);
    m->unit_cycles[SASS_IMAD] = lane_cycles(profile->int_lanes);
    m->unit_cycles[SASS_ALU] = lane_cycles(profile->int_lanes);
    m->unit_cycles[SASS_HALF] = full_half ? 1 : 2;
    m->unit_cycles[SASS_FP64] = lane_cycles(profile->fp64_lanes);
    m->unit_cycles[SASS_XU] = lane_cycles(profile->sfu_lanes);
    m->unit_cycles[SASS_CONST] = 2;
    m->unit_cycles[SASS_TEXTURE] = 16; /* lab 07, step 08: 4 cycles of the SM */
    m->unit_cycles[SASS_SPECIAL] = 8;
    m->latency[SASS_FP64] = 8;
    m->latency[SASS_XU] = 18;
    m->latency[SASS_CONST] = 30;
    m->latency[SASS_SPECIAL] = 25;
    m->latency[SASS_SHARED] = 23;
    m->latency[SASS_SHUFFLE] = 22;
}

/* Memory reads and writes alone a little faster than in turns: GB/s for what the launch does. */
double timing_memory_rate(const struct timing_launch *launch)
{
    struct sim_counters total = {0};
    struct sim_rates rates;
    counter_set_total(launch->set, &total);
    sim_profile_rates(launch->profile, &rates);
    double all = (double)(total.unique_sectors_read + total.unique_sectors_written);
    double written = all > 0 ? (double)total.unique_sectors_written / all : 0;
    double alone = written < 0.5 ? rates.read_gbs : rates.write_gbs;
    double mixed = written < 0.5 ? 2 * written : 2 - 2 * written;
    return mixed * launch->profile->dram_gbs + (1 - mixed) * alone;
}

/*
 * Constants that the smallest cache does not have come from the next one, of 64 KiB or more, which the SM shares: 89
 * cycles on Volta. In the first wave of blocks one of four comes from L2: that cache has lines of 256 bytes. Jia et al.,
 * "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", 2018, section 3.4.
 */
#define CONSTANT_LATENCY 90.0

/*
 * Threads that arrive at a __syncthreads() per cycle and SM: "16 operations per clock cycle for devices of compute
 * capability 7.x as well as 8.x" (CUDA C++ Programming Guide, "Synchronization Instruction"). On an H100 sixteen
 * warps that meet at two barriers take 87 cycles, 64 of them by this rate (barriers_64 in tests/gpu/kernels).
 */
#define BARRIER_THREADS 16.0

/*
 * A warp that jumps has its next instruction fetched anew. On an H100 the loop of one_long_block takes 29.6 cycles where
 * machine code states 24, and that of half_of_the_sms 73.8 where it states 68 (tests/gpu/kernels; one or two warps per
 * partition, so that no others fill the time).
 */
#define JUMP_CYCLES 5.0

struct pipeline_machine timing_machine(const struct timing_launch *launch)
{
    const struct sim_profile *profile = launch->profile;
    double waves = (double)launch->blocks / (double)profile->sm_count / (double)launch->blocks_per_sm;
    waves = waves > 1 ? waves : 1;
    struct pipeline_machine m = {
        .l1_latency = 34,
        .l2_latency = 250,
        .memory_latency = profile->dram_latency_ns * profile->clock_ghz,
        .constant_latency = CONSTANT_LATENCY + 0.25 * (250 - CONSTANT_LATENCY) / waves,
        .barrier_latency = 20,
        .barrier_cycles = 32 / BARRIER_THREADS,
        .jump_cycles = JUMP_CYCLES,
        .start_interval = 1.2 * profile->sm_count,
        .start_latency = 400,
    };
    double active = (double)launch->blocks < profile->sm_count ? (double)launch->blocks : profile->sm_count;
    m.l2_bytes = share(profile, profile->l2_gbs, active);
    m.memory_bytes = share(profile, timing_memory_rate(launch), active);
    fill_units(&m, profile);
    return m;
}

unsigned timing_waves(const struct timing_launch *launch)
{
    uint64_t wave = (uint64_t)launch->profile->sm_count * (uint64_t)launch->blocks_per_sm;
    uint64_t waves = wave ? launch->blocks / wave : 1;
    return waves > 1000 ? 1000 : waves > 1 ? (unsigned)waves : 1;
}
