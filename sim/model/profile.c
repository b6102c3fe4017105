/*
 * Devices that the simulator can pretend to be, and where each figure is from:
 *
 *   [m]  measured: build/calibrate on one H100 80GB HBM3 and one H200, driver 580.159.04, 2026-11-22
 *        (docs/evidence/measured-h100.md, docs/evidence/measured-h200.md)
 *   [w]  NVIDIA's whitepapers (Volta, Turing, GA100, GA102, Ada, Hopper, Blackwell) and product pages: SMs, boost
 *        clock, memory size, L2 size, bus width, memory clock
 *   [g]  CUDA C++ Programming Guide: lanes of an SM from "Arithmetic Instructions", limits of an SM from
 *        "Compute Capabilities"; the limits agree with the toolkit's cuda_occupancy.h (tests/unit/test_model.c)
 *   [p]  published microbenchmarks, rounded, good to 20 % or so. Volta and Turing: Jia, Maggioni, Staiger, Scarpazza,
 *        Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking, 2018, and the same for the T4, 2019
 *   [f]  fitted: with it modeled times come nearest to those of tests/gpu/kernels that were measured. Of coalesced
 *        loads that hit in L2; what else costs more is in timing_cost.c. random_gsectors: from gather_512_MB and
 *        chase_all_256_MB (docs/evidence/data); an H200 has 6 stacks of memory where an H100 has 5
 *   [r]  a rule. dram_gbs: 0.9 of the bandwidth on paper, the share that was measured on the H100 (0.86 on the
 *        H200). launch_us, dram_latency_ns, l2_gbs where no source is named: those of the nearest relative.
 *        pcie_gbs: 0.8 of the link's rate. Rates besides: profile_rates.c
 *
 * l2_gbs, launch_us, dram_latency_ns and pcie_gbs decide only what DRAM and arithmetic do not.
 */
#include "sim/model/model.h"

#include <stdio.h>
#include <string.h>

#define KB *(size_t)1024
#define MB *(size_t)1048576
#define GB *(size_t)1073741824

/* Bandwidth on paper in GB/s, two transfers a clock; and the share of it that a copy reaches. [r] */
#define PAPER_GBS(bits, khz)      (2e-6 * (khz) * (bits) / 8)
#define MEMORY(bits, khz)         .memory_bus_bits = bits, .memory_clock_khz = khz
#define MEMORY_BY_RULE(bits, khz) MEMORY(bits, khz), .dram_gbs = 0.9 * PAPER_GBS(bits, khz)

/* What all have in common. [g] */
#define ANY_SM                                                                                               \
    .issue_slots = 4, .sfu_lanes = 16, .registers_per_sm = 65536, .threads_per_block = 1024,                 \
    .shared_per_block = 48 KB

/* One SM of a compute capability: lanes (multiply-adds a clock), shared memory, threads and blocks. [g] */
#define SM(major, minor, fp32, fp64, ints, threads, blocks)                                                  \
    ANY_SM, .cc_major = major, .cc_minor = minor, .fp32_lanes = fp32, .fp64_lanes = fp64, .int_lanes = ints, \
            .threads_per_sm = threads, .blocks_per_sm = blocks
/* Since 8.0 the driver keeps 1 KiB of each block. */
#define SHARED(size)     .shared_per_sm = size KB, .shared_per_block_optin = ((size)-1)KB
#define SHARED_ALL(size) .shared_per_sm = size KB, .shared_per_block_optin = size KB

#define SM_7_0  SM(7, 0, 64, 32, 64, 2048, 32), SHARED_ALL(96)
#define SM_7_5  SM(7, 5, 64, 2, 64, 1024, 16), SHARED_ALL(64)
#define SM_8_0  SM(8, 0, 64, 32, 64, 2048, 32), SHARED(164)
#define SM_8_6  SM(8, 6, 128, 2, 64, 1536, 16), SHARED(100)
#define SM_8_9  SM(8, 9, 128, 2, 64, 1536, 24), SHARED(100)
#define SM_9_0  SM(9, 0, 128, 64, 64, 2048, 32), SHARED(228)
#define SM_10_0 SM(10, 0, 128, 64, 64, 2048, 32), SHARED(228)
/* All lanes of a GeForce Blackwell take integers as well. [w] */
#define SM_12_0 SM(12, 0, 128, 2, 128, 1536, 24), SHARED(100)

static const struct sim_profile profiles[] = {
    {.key = "h100",
     .name = "NVIDIA H100 80GB HBM3 (simulated)",
     SM_9_0,
     .sm_count = 132,   /* [m] */
     .clock_ghz = 1.98, /* [m] */
     MEMORY(5120, 2619000),
     .dram_gbs = 3000, /* [m] */
     .l2_gbs = 9000,   /* [f] */
     .dram_bytes = 80 GB,
     .l2_bytes = 50 MB, /* [m] */
     .launch_us = 2.0,  /* [m] */
     .dram_latency_ns = 330,
     .random_gsectors = 30.5, /* [f] */
     .pcie_gbs = 50,
     .measured = {.read_gbs = 3110.6, /* [m] all of them */
                  .write_gbs = 3253.6,
                  .word_gbs = 2401.6,
                  .dword_gbs = 2947.1,
                  .block_ns = {0.6122, 0.6122, 0.6122, 0.6122, 0.6122, 0.809},
                  .atomic_int_ns = 0.7517,
                  .atomic_float_ns = 1.777,
                  .atomic_double_ns = 1.777,
                  .next_launch_us = 3.869}},
    {.key = "h200",
     .name = "NVIDIA H200 (simulated)",
     SM_9_0,
     .sm_count = 132,       /* [m] */
     .clock_ghz = 1.98,     /* [m] */
     MEMORY(6144, 3201000), /* [w] 4.8 TB/s; the clock as nvidia-smi shows it */
     .dram_gbs = 4240,      /* [m] */
     .l2_gbs = 10800,       /* [f] an H100's by L2's size: more slices of it work */
     .dram_bytes = 140 GB,
     .l2_bytes = 60 MB,       /* [m] */
     .launch_us = 1.75,       /* [f] kernels of less than 10 us take 0.27 us less than on an H100 */
     .dram_latency_ns = 325,  /* [m] 647 cycles */
     .random_gsectors = 37.5, /* [f] */
     .pcie_gbs = 50,
     .measured = {.read_gbs = 4436.7, /* [m] all of them */
                  .write_gbs = 4565.9,
                  .word_gbs = 2705.6,
                  .dword_gbs = 3869.7,
                  .block_ns = {0.6152, 0.6152, 0.6152, 0.6152, 0.6152, 0.809},
                  .atomic_int_ns = 0.7599,
                  .atomic_float_ns = 1.785,
                  .atomic_double_ns = 1.785,
                  .next_launch_us = 5.319}},
    {.key = "a100",
     .name = "NVIDIA A100-SXM4-40GB (simulated)",
     SM_8_0,
     .sm_count = 108,
     .clock_ghz = 1.41,
     MEMORY(5120, 1215000),
     .dram_gbs = 1400,
     .l2_gbs = 4000, /* [p] */
     .dram_bytes = 40 GB,
     .l2_bytes = 40 MB,
     .launch_us = 3,
     .dram_latency_ns = 330, /* [p] */
     .pcie_gbs = 25},
    {.key = "b200",
     .name = "NVIDIA B200 (simulated)",
     SM_10_0,
     .sm_count = 148,
     .clock_ghz = 1.965,
     MEMORY_BY_RULE(8192, 3996000), /* 8.2 TB/s on paper */
     .l2_gbs = 12000,               /* [r] two dies, each of them rather more than an H100's */
     .dram_bytes = 180 GB,
     .l2_bytes = 126 MB,
     .launch_us = 2.5,
     .dram_latency_ns = 400, /* [p] */
     .pcie_gbs = 50},
    {.key = "v100",
     .name = "Tesla V100-SXM2-16GB (simulated)",
     SM_7_0,
     .sm_count = 80,
     .clock_ghz = 1.53,
     MEMORY_BY_RULE(4096, 877000), /* [p] has 0.9 as well */
     .l2_gbs = 2155,               /* [p] */
     .dram_bytes = 16 GB,
     .l2_bytes = 6 MB,
     .launch_us = 3,
     .dram_latency_ns = 330,
     .pcie_gbs = 12.5},
    {.key = "t4",
     .name = "Tesla T4 (simulated)",
     SM_7_5,
     .sm_count = 40,
     .clock_ghz = 1.59, /* [w]; under its 70 W it is often less */
     MEMORY(256, 5001000),
     .dram_gbs = 240, /* [p] 0.75 of the bandwidth on paper */
     .l2_gbs = 1270,  /* [p] */
     .dram_bytes = 15 GB,
     .l2_bytes = 4 MB,
     .launch_us = 3,
     .dram_latency_ns = 330,
     .pcie_gbs = 12.5},
    {.key = "rtx3060",
     .name = "NVIDIA GeForce RTX 3060 (simulated)",
     SM_8_6,
     .sm_count = 28,
     .clock_ghz = 1.777,
     MEMORY_BY_RULE(192, 7501000),
     .l2_gbs = 1100, /* [p] */
     .dram_bytes = 12 GB,
     .l2_bytes = 3 MB,
     .launch_us = 3,
     .dram_latency_ns = 300, /* [p] */
     .pcie_gbs = 25},
    {.key = "rtx3090",
     .name = "NVIDIA GeForce RTX 3090 (simulated)",
     SM_8_6,
     .sm_count = 82,
     .clock_ghz = 1.695,
     MEMORY_BY_RULE(384, 9751000),
     .l2_gbs = 2500, /* [p] */
     .dram_bytes = 24 GB,
     .l2_bytes = 6 MB,
     .launch_us = 3,
     .dram_latency_ns = 300,
     .pcie_gbs = 25},
    {.key = "rtx4060laptop",
     .name = "NVIDIA GeForce RTX 4060 Laptop GPU (simulated)",
     SM_8_9,
     .sm_count = 24,
     .clock_ghz = 2.1, /* [w] from 1.47 to 2.37, by what the laptop lets it consume */
     MEMORY_BY_RULE(128, 8001000),
     .l2_gbs = 1000, /* [r] an RTX 4090's, by SMs and clock */
     .dram_bytes = 8 GB,
     .l2_bytes = 32 MB,
     .launch_us = 3,
     .dram_latency_ns = 300,
     .pcie_gbs = 12.5},
    {.key = "rtx4090",
     .name = "NVIDIA GeForce RTX 4090 (simulated)",
     SM_8_9,
     .sm_count = 128,
     .clock_ghz = 2.52,
     MEMORY_BY_RULE(384, 10501000),
     .l2_gbs = 4500, /* [p] */
     .dram_bytes = 24 GB,
     .l2_bytes = 72 MB,
     .launch_us = 3,
     .dram_latency_ns = 300,
     .pcie_gbs = 25},
    {.key = "rtx5090",
     .name = "NVIDIA GeForce RTX 5090 (simulated)",
     SM_12_0,
     .sm_count = 170,
     .clock_ghz = 2.407,
     MEMORY_BY_RULE(512, 14001000), /* GDDR7, 28 Gbit/s a pin */
     .l2_gbs = 6000,                /* [r] an RTX 4090's, by SMs */
     .dram_bytes = 32 GB,
     .l2_bytes = 96 MB,
     .launch_us = 3,
     .dram_latency_ns = 330,
     .pcie_gbs = 50},
};

const struct sim_profile *sim_profile_at(int index)
{
    int count = (int)(sizeof profiles / sizeof *profiles);
    return index >= 0 && index < count ? &profiles[index] : NULL;
}

const struct sim_profile *sim_profile_find(const char *key)
{
    for (int i = 0; sim_profile_at(i); i++)
        if (key && strcmp(profiles[i].key, key) == 0)
            return &profiles[i];
    return NULL;
}

void sim_profile_keys(char *text, size_t size)
{
    size_t used = 0;
    for (int i = 0; sim_profile_at(i) && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", profiles[i].key);
}

int sim_profile_code(const struct sim_profile *profile)
{
    int own = 10 * profile->cc_major + profile->cc_minor;
    return own > SIM_OLDEST_CODE ? own : SIM_OLDEST_CODE;
}
