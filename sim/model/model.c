/*
 * The time model: how long a launch would take on the profile's device, from what the launch counted.
 *
 * Where the launch's machine code is known, timing.h has the time already, and this file only adds the launch itself.
 * What follows stands in where there is no ptxas, or where a file calls device code of other files.
 *
 * A kernel uses several parts of the device at once. Each part alone would take its time; the longest of
 * these is what limits the kernel, and those that are nearly as long get in its way: the times are added in
 * their fourth powers. No queue is simulated. Without machine code unseen kernels were off by 43 % on average, and half
 * of them by less than 25 % (docs/model.md).
 *
 *   DRAM            sectors that were touched at all, 32 bytes each, over the bandwidth of a copy
 *   L2              sectors that leave the SM: every first touch, every store and atomic, and those parts of
 *                   uncoalesced loads that come again later (see l2_sectors)
 *   L1 and shared   lines of 128 bytes and shared-memory wavefronts: one per cycle and SM
 *   atomics         those on one address, one after the other
 *   instructions    four warp instructions per cycle and SM, and for each class as many as an SM has lanes
 *   latency         a block waits for its loads, barriers and results (latency.c); an SM holds only so
 *                   many blocks (occupancy), so a grid takes its waves of blocks one after the other
 *   starting blocks an SM is given a new block only so often
 *
 * Fitted to one H100 80GB HBM3, nvcc 13.0. Measured there, and modeled, in ms:
 *   copy, 2^25 floats, one a thread, blocks of 128 / 256 / 1024     0.163 0.117 0.138    0.154 0.117 0.127
 *   sum of 1e8 floats, blocks of 128, in global / shared memory     0.475 0.474          0.56  0.50
 *   the same in shared memory, with an atomic for each block        1.57                 1.59
 *   16 taps, 2^28 floats, one output a thread                       1.19                 1.22
 */
#include "sim/model/model.h"
#include "sim/core/code.h"

#include <math.h>
#include <string.h>

#define SECTOR_BYTES   32.0
#define SECTORS_A_LINE 4.0

/* Fitted, see above: a block's start and end, and between two starts on an SM. */
#define BLOCK_CYCLES       700.0
#define BLOCK_WARP_CYCLES  14.0
#define BLOCK_START_CYCLES 140.0

struct work {
    const struct sim_profile *profile;
    const struct sim_counters *counters;
    double blocks;
    int warps_per_block;
    int blocks_per_sm;
    double block_cycles;   /* from latency.c */
    double hottest_atomic; /* tenths of integer atomics, see counter.h … */
    double atomic_ns;      /* … of which one takes so long */
    double busiest;        /* work of the busiest SM, as a share of all */
};

struct roof {
    const char *name;
    double seconds;
};

static double at_least(double value, double least)
{
    return value > least ? value : least;
}

static double cycles_to_seconds(const struct work *work, double cycles)
{
    return cycles / (work->profile->clock_ghz * 1e9);
}

/* ---- memory -------------------------------------------------------------------------------------------- */

static double dram_seconds(const struct work *work)
{
    const struct sim_counters *c = work->counters;
    double sectors = (double)c->unique_sectors_read + (double)c->unique_sectors_written;
    return sectors * SECTOR_BYTES / (work->profile->dram_gbs * 1e9);
}

/*
 * Loads that are touched again soon, by the same or the next warp, hit in L1. Those sectors that a request
 * touches beyond what it needs, and beyond the one that it needs when it is not aligned, are wanted again by
 * some other request much later, when L1 has lost them.
 */
static double l2_sectors(const struct sim_counters *c)
{
    double needed = at_least((double)c->global_load_sectors_ideal + (double)c->global_load_requests,
                             (double)c->unique_sectors_read);
    double loads = (double)c->unique_sectors_read + at_least((double)c->global_load_sectors - needed, 0);
    return loads + (double)c->global_store_sectors + 2 * (double)c->global_atomic_sectors;
}

static double l2_seconds(const struct work *work)
{
    return l2_sectors(work->counters) * SECTOR_BYTES / (work->profile->l2_gbs * 1e9);
}

/* L1 looks up a line of 128 bytes a cycle; a warp's local variables lie side by side in such lines. */
static double l1_seconds(const struct work *work)
{
    const struct sim_counters *c = work->counters;
    double lines = (double)c->global_lines + (double)c->local_sectors / SECTORS_A_LINE;
    return cycles_to_seconds(work, lines * work->busiest);
}

/* What goes past L1 fills shared memory without the data path: an H100's counter of it does not move. */
static double shared_seconds(const struct work *work)
{
    const struct sim_counters *c = work->counters;
    double wavefronts = (double)c->shared_load_wavefronts + (double)c->shared_store_wavefronts -
                        (double)c->shared_bypass_wavefronts + 2 * (double)c->shared_atomic_requests;
    return cycles_to_seconds(work, wavefronts * work->busiest);
}

/* ---- instructions -------------------------------------------------------------------------------------- */

static double class_lanes(const struct sim_profile *profile, int class)
{
    switch (class) {
    case COST_FP32:
    case COST_HALF: return profile->fp32_lanes;
    case COST_INT: return profile->int_lanes;
    case COST_FP64: return profile->fp64_lanes;
    case COST_SFU: return profile->sfu_lanes;
    default: return 32; /* load/store unit and branch unit: one warp a cycle */
    }
}

/* Machine instructions of a class. Words of constant memory are operands of other instructions. */
static double class_instructions(const struct sim_counters *c, int class)
{
    return (double)c->issue_cycles[class] - (class == COST_LSU ? (double)c->const_requests : 0);
}

static double lanes_seconds(const struct work *work, int class)
{
    double cycles = class_instructions(work->counters, class) * 32 / class_lanes(work->profile, class);
    return cycles_to_seconds(work, cycles * work->busiest);
}

static double issue_seconds(const struct work *work)
{
    double instructions = 0;
    for (int class = COST_NONE + 1; class < COST_CLASSES; class ++)
        instructions += class_instructions(work->counters, class);
    return cycles_to_seconds(work, instructions / work->profile->issue_slots * work->busiest);
}

/* ---- latency ------------------------------------------------------------------------------------------- */

static double latency_seconds(const struct work *work)
{
    double at_once = (double)work->blocks_per_sm * work->profile->sm_count;
    double waves = work->blocks / at_once;
    double block = BLOCK_CYCLES + BLOCK_WARP_CYCLES * work->warps_per_block + work->block_cycles;
    if (waves < 8)
        waves =
            (double)(uint64_t)(waves + 0.999999); /* few waves: a part of one takes as long as a whole one */
    return cycles_to_seconds(work, waves * block);
}

static double start_seconds(const struct work *work)
{
    return cycles_to_seconds(work, work->blocks * BLOCK_START_CYCLES * work->busiest);
}

/* ---- all together -------------------------------------------------------------------------------------- */

static struct roof larger(struct roof a, const char *name, double seconds)
{
    return seconds > a.seconds ? (struct roof){name, seconds} : a;
}

static struct roof instruction_roof(const struct work *work)
{
    struct roof roof = {"instruction issue", 0};
    double issue = issue_seconds(work);
    roof = larger(roof, "FP32 arithmetic", lanes_seconds(work, COST_FP32));
    roof = larger(roof, "half-precision arithmetic", lanes_seconds(work, COST_HALF));
    roof = larger(roof, "integer arithmetic", lanes_seconds(work, COST_INT));
    roof = larger(roof, "FP64 arithmetic", lanes_seconds(work, COST_FP64));
    roof = larger(roof, "special functions and conversions", lanes_seconds(work, COST_SFU));
    roof = larger(roof, "load/store instructions", lanes_seconds(work, COST_LSU));
    roof = larger(roof, "branches and barriers", lanes_seconds(work, COST_CONTROL));
    /* Arithmetic that fills its lanes fills the issue slots too: the lanes are what is short. */
    return larger(roof, issue < 1.05 * roof.seconds ? roof.name : "instruction issue", issue);
}

static struct roof all_roofs(const struct work *work)
{
    double l1 = l1_seconds(work), shared = shared_seconds(work); /* one data path serves both */
    struct roof roofs[] = {
        {"DRAM bandwidth", dram_seconds(work)},
        {"L2 bandwidth", l2_seconds(work)},
        {shared > l1 ? "shared-memory bandwidth" : "L1 throughput", l1 + shared},
        {"atomics on one address", work->hottest_atomic * work->atomic_ns * 1e-10},
        instruction_roof(work),
        {"latency", latency_seconds(work)},
        {"starting blocks", start_seconds(work)},
    };
    struct roof highest = {"launch overhead", work->profile->launch_us * 1e-6};
    double powers = 0;
    for (size_t i = 0; i < sizeof roofs / sizeof *roofs; i++) {
        highest = larger(highest, roofs[i].name, roofs[i].seconds);
        powers += roofs[i].seconds * roofs[i].seconds * roofs[i].seconds * roofs[i].seconds;
    }
    return (struct roof){highest.name, sqrt(sqrt(powers))};
}

void model_time(const struct sim_profile *profile, const struct sim_kernel_info *info, struct sim_dim3 grid,
                struct sim_dim3 block, size_t dynamic_shared, struct sim_result *result)
{
    struct work work = {.profile = profile, .counters = &result->counters};
    double blocks = at_least((double)grid.x * grid.y * grid.z, 1);
    unsigned threads = block.x * block.y * block.z;
    double rounds = (double)(uint64_t)((blocks + profile->sm_count - 1) / profile->sm_count);
    struct sim_occupancy occupancy;
    struct sim_rates rates;
    sim_occupancy(profile, info, threads, dynamic_shared, &occupancy);
    work.blocks = blocks;
    work.warps_per_block = (int)((threads + 31) / 32);
    work.blocks_per_sm = occupancy.blocks_per_sm > 0 ? occupancy.blocks_per_sm : 1;
    result->blocks_per_sm = occupancy.blocks_per_sm;
    memcpy(result->sm.room, occupancy.room, sizeof occupancy.room);
    result->sm.blocks = occupancy.blocks_per_sm;
    result->sm.threads = (int32_t)threads;
    result->sm.registers = info->registers;
    result->sm.shared = (int32_t)(info->shared_static + dynamic_shared);
    work.block_cycles = result->block_cycles;
    sim_profile_rates(profile, &rates);
    work.hottest_atomic = (double)result->hottest_atomic;
    work.atomic_ns = rates.atomic_int_ns;
    work.busiest = rounds / blocks;
    struct roof roof = all_roofs(&work);
    if (result->machine_seconds > 0)
        roof = (struct roof){result->machine_limiter, result->machine_seconds};
    for (int i = 0; i < 2; i++)
        roof = larger(roof, "the bus to the host", (double)result->bus_bytes[i] / (profile->pcie_gbs * 1e9));
    result->limiter = roof.name;
    result->seconds = profile->launch_us * 1e-6 + roof.seconds;
}

void sim_model_time(const struct sim_profile *profile, const struct sim_launch *launch,
                    struct sim_result *result)
{
    model_time(profile, &launch->kernel->info, launch->grid, launch->block, launch->dynamic_shared, result);
}

double sim_model_copy_seconds(const struct sim_profile *profile, double bytes)
{
    return bytes / (profile->dram_gbs * 1e9);
}
