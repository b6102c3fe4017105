/*
 * Devices that the simulator can pretend to be. Kernels are compiled for compute capability 8.0, so none
 * is older.
 *
 * Where the figures are from:
 * - compute capability, SMs, memory size, L2 size, bus width, clocks: NVIDIA's architecture whitepapers
 * (A100, H100, GA102, Ada) and product pages; lanes and limits of an SM: CUDA C++ Programming Guide,
 * "Arithmetic Instructions" (throughput table) and "Compute Capabilities" (technical specifications).
 * - h100: clock, DRAM and FP32 rates as measured (copy 3002 GB/s, 66.35 TFLOP/s of multiply-adds, which is
 *   132 SMs x 128 lanes x 2 x 1.96 GHz).
 * - Other devices' dram_gbs: 0.9 of the bandwidth on paper (2 x memory clock x bus width), the share that was
 *   measured on the H100.
 * - l2_gbs, launch_us, dram_latency_ns, pcie_gbs: rounded from published microbenchmarks; good to 20 % or so.
 *   They decide only what DRAM and arithmetic do not.
 */
#include "sim/model/model.h"

#include <string.h>

#define KB *(size_t)1024
#define MB *(size_t)1048576
#define GB *(size_t)1073741824

static const struct sim_profile profiles[] = {
    {.key = "h100",
     .name = "NVIDIA H100 80GB HBM3 (simulated)",
     .cc_major = 9,
     .cc_minor = 0,
     .sm_count = 132,
     .clock_ghz = 1.98,
     .dram_gbs = 3000,
     .l2_gbs = 5500,
     .dram_bytes = 80 GB,
     .l2_bytes = 50 MB,
     .fp32_lanes = 128,
     .fp64_lanes = 64,
     .int_lanes = 64,
     .sfu_lanes = 16,
     .issue_slots = 4,
     .shared_per_sm = 228 KB,
     .shared_per_block = 48 KB,
     .shared_per_block_optin = 227 KB,
     .registers_per_sm = 65536,
     .threads_per_sm = 2048,
     .blocks_per_sm = 32,
     .threads_per_block = 1024,
     .launch_us = 2.5,
     .dram_latency_ns = 330,
     .pcie_gbs = 50,
     .memory_bus_bits = 5120,
     .memory_clock_khz = 2619000},
    {.key = "a100",
     .name = "NVIDIA A100-SXM4-40GB (simulated)",
     .cc_major = 8,
     .cc_minor = 0,
     .sm_count = 108,
     .clock_ghz = 1.41,
     .dram_gbs = 1400,
     .l2_gbs = 4000,
     .dram_bytes = 40 GB,
     .l2_bytes = 40 MB,
     .fp32_lanes = 64,
     .fp64_lanes = 32,
     .int_lanes = 64,
     .sfu_lanes = 16,
     .issue_slots = 4,
     .shared_per_sm = 164 KB,
     .shared_per_block = 48 KB,
     .shared_per_block_optin = 163 KB,
     .registers_per_sm = 65536,
     .threads_per_sm = 2048,
     .blocks_per_sm = 32,
     .threads_per_block = 1024,
     .launch_us = 3,
     .dram_latency_ns = 330,
     .pcie_gbs = 25,
     .memory_bus_bits = 5120,
     .memory_clock_khz = 1215000},
    {.key = "rtx3060",
     .name = "NVIDIA GeForce RTX 3060 (simulated)",
     .cc_major = 8,
     .cc_minor = 6,
     .sm_count = 28,
     .clock_ghz = 1.777,
     .dram_gbs = 324,
     .l2_gbs = 1100,
     .dram_bytes = 12 GB,
     .l2_bytes = 3 MB,
     .fp32_lanes = 128,
     .fp64_lanes = 2,
     .int_lanes = 64,
     .sfu_lanes = 16,
     .issue_slots = 4,
     .shared_per_sm = 100 KB,
     .shared_per_block = 48 KB,
     .shared_per_block_optin = 99 KB,
     .registers_per_sm = 65536,
     .threads_per_sm = 1536,
     .blocks_per_sm = 16,
     .threads_per_block = 1024,
     .launch_us = 3,
     .dram_latency_ns = 300,
     .pcie_gbs = 25,
     .memory_bus_bits = 192,
     .memory_clock_khz = 7501000},
    {.key = "rtx3090",
     .name = "NVIDIA GeForce RTX 3090 (simulated)",
     .cc_major = 8,
     .cc_minor = 6,
     .sm_count = 82,
     .clock_ghz = 1.695,
     .dram_gbs = 842,
     .l2_gbs = 2500,
     .dram_bytes = 24 GB,
     .l2_bytes = 6 MB,
     .fp32_lanes = 128,
     .fp64_lanes = 2,
     .int_lanes = 64,
     .sfu_lanes = 16,
     .issue_slots = 4,
     .shared_per_sm = 100 KB,
     .shared_per_block = 48 KB,
     .shared_per_block_optin = 99 KB,
     .registers_per_sm = 65536,
     .threads_per_sm = 1536,
     .blocks_per_sm = 16,
     .threads_per_block = 1024,
     .launch_us = 3,
     .dram_latency_ns = 300,
     .pcie_gbs = 25,
     .memory_bus_bits = 384,
     .memory_clock_khz = 9751000},
    {.key = "rtx4090",
     .name = "NVIDIA GeForce RTX 4090 (simulated)",
     .cc_major = 8,
     .cc_minor = 9,
     .sm_count = 128,
     .clock_ghz = 2.52,
     .dram_gbs = 907,
     .l2_gbs = 4500,
     .dram_bytes = 24 GB,
     .l2_bytes = 72 MB,
     .fp32_lanes = 128,
     .fp64_lanes = 2,
     .int_lanes = 64,
     .sfu_lanes = 16,
     .issue_slots = 4,
     .shared_per_sm = 100 KB,
     .shared_per_block = 48 KB,
     .shared_per_block_optin = 99 KB,
     .registers_per_sm = 65536,
     .threads_per_sm = 1536,
     .blocks_per_sm = 24,
     .threads_per_block = 1024,
     .launch_us = 3,
     .dram_latency_ns = 300,
     .pcie_gbs = 25,
     .memory_bus_bits = 384,
     .memory_clock_khz = 10501000},
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
