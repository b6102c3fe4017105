/* What a device is like: the GPU that it stands for, and what it looks for while kernels run. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/core/types.h"

/*
 * What a GPU can do besides copying and arithmetic, as harness/calibrate*.cu measures it: from these are the
 * modeled roofs. Copies count bytes read plus written.
 */
struct sim_rates {
    double read_gbs, write_gbs; /* reading alone, writing alone */
    double word_gbs, dword_gbs; /* copying with 4 and with 8 bytes per thread, in the best blocks */
    double block_ns[6];         /* from one block to the next, of 32, 64, ... 1024 threads */
    double atomic_int_ns;       /* from one to the next, all on one address */
    double atomic_float_ns, atomic_double_ns;
    double next_launch_us; /* from one launch to the next, queued one behind the other */
};

/* One GPU as the time model and the property queries see it; the table is in sim/model/profile.c. */
struct sim_profile {
    const char *key;  /* "h100": what --device and the environment take */
    const char *name; /* "NVIDIA H100 80GB HBM3" */
    int cc_major, cc_minor;
    int sm_count;
    double clock_ghz;        /* sustained */
    double dram_gbs, l2_gbs; /* GB/s, 1e9 */
    size_t dram_bytes, l2_bytes;
    int fp32_lanes, fp64_lanes; /* multiply-adds a clock and SM */
    int int_lanes, sfu_lanes;
    int issue_slots; /* warp instructions a clock and SM */
    size_t shared_per_sm, shared_per_block, shared_per_block_optin;
    int registers_per_sm, threads_per_sm, blocks_per_sm, threads_per_block;
    double launch_us; /* fixed cost of a kernel launch */
    double dram_latency_ns;
    double random_gsectors; /* 1e9 sectors per second that memory reads at random places; 0: by rule */
    double pcie_gbs;        /* copies between host and device, one direction */
    int memory_bus_bits, memory_clock_khz; /* twice their product is the bandwidth on paper */
    struct sim_rates measured;             /* all 0: not measured; see sim_profile_rates */
};

/*
 * cudaLimitStackSize: what calls of unknown depth and alloca may take per thread, as every device has it at first, and
 * at most: the local memory of a thread (CUDA C++ Programming Guide, "Compute Capabilities", technical specifications).
 */
#define STACK_LIMIT_DEFAULT ((size_t)1024)
#define STACK_LIMIT_MAX     ((size_t)512 << 10)

struct sim_config {
    const struct sim_profile *profile;
    bool hazards;           /* look for races, uninitialized reads, barrier misuse */
    bool volatile_is_fine;  /* say nothing of volatile accesses that nothing orders */
    bool double_is_meant;   /* else arithmetic in double precision may be a slip, and is told what it costs */
    bool machine_code;      /* with counters: have ptxas make machine code, for the modeled time */
    bool counters;          /* count requests, sectors, wavefronts by source line */
    uint64_t sample_work;   /* of larger launches run a sample of about so many warp instructions (see
                                   sim/machine/grid_sample.h), for modeled times; 0: run all blocks */
    uint64_t sample_seed;   /* which blocks those are is drawn from it; each launch takes the next one */
    uint64_t schedule_seed; /* 0: warps and blocks in order; else an order drawn from it */
    bool
        undisturbed; /* no thread gives way between two atomics on one word, as it does to show that they are two steps */
    uint64_t
        changed_read; /* one in so many words that go to the host has another value there, at random; 0: none */
    uint64_t changed_draw;      /* … from it */
    uint64_t instruction_limit; /* warp instructions a launch may run; 0: no limit */
    size_t stack_limit;         /* bytes per thread, cudaLimitStackSize; 0: STACK_LIMIT_DEFAULT */
    unsigned threads;      /* of the host, that may share a launch: 0: as many as processors. Same results */
    uint64_t threads_from; /* warp instructions of a launch before others help; 0: the usual number */
    FILE *kernel_output;   /* where printf in a kernel goes */
    size_t printf_limit;   /* bytes of the buffer for it: sim->printed says what would not fit; 0: no limit */
    size_t heap_limit;     /* bytes that kernels may have from malloc at once; 0: no limit */
    /*
     * Of launches that repeat one another, watch so many warp instructions and no more; 0: watch all. See
     * sim/device/repeat.h.
     */
    uint64_t repeat_work;
    /* NULL, or called now and then while a launch runs, by the thread that launches. */
    void (*progress)(const struct sim_kernel *kernel, uint64_t blocks_begun, uint64_t blocks);
};
