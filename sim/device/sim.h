/*
 * The simulator's core: a device with memory, modules loaded on it, and kernels launched on it.
 *
 * In front of it stands the CUDA runtime API (api_*.c); beside it the harness reads counters,
 * hazards and modelled time through the same header. Nothing here prints or exits: whoever calls
 * decides what to say.
 *
 * One struct sim is one device. It is not shared between host threads without a lock of the caller.
 */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/ptx/ptx.h"

/* ---- the device ---------------------------------------------------------------------------------------- */

/* One GPU as the time model and the property queries see it; the table is in profile.c. */
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
    double pcie_gbs;                       /* copies between host and device, one direction */
    int memory_bus_bits, memory_clock_khz; /* twice their product is the bandwidth on paper */
};

const struct sim_profile *sim_profile_find(const char *key); /* NULL if there is none */
const struct sim_profile *sim_profile_at(int index);         /* NULL past the end */

struct sim_kernel;

struct sim_config {
    const struct sim_profile *profile;
    bool hazards;               /* look for races, uninitialised reads, barrier misuse */
    bool counters;              /* count requests, sectors, wavefronts by source line */
    uint64_t schedule_seed;     /* 0: warps and blocks in order; else an order drawn from it */
    uint64_t instruction_limit; /* warp instructions a launch may run; 0: no limit */
    unsigned threads;      /* of the host, that may share a launch: 0: as many as processors. Same results */
    uint64_t threads_from; /* warp instructions of a launch before others help; 0: the usual number */
    FILE *kernel_output;   /* where printf in a kernel goes */
    /* NULL, or called now and then while a launch runs, by the thread that launches. */
    void (*progress)(const struct sim_kernel *kernel, uint64_t blocks_begun, uint64_t blocks);
};

struct sim;

struct sim *sim_create(const struct sim_config *config);
void sim_destroy(struct sim *sim);
struct sim_config *sim_config(struct sim *sim); /* may be changed between launches */

/* ---- memory (memory.c) --------------------------------------------------------------------------------- */

/*
 * Device addresses lie in a reserved range that the host cannot touch: host code that follows a
 * device pointer faults, as on a real machine. The bytes behind an address are mapped elsewhere;
 * sim_mem_host gives them. Allocations are aligned to 256 bytes and separated by unmapped gaps of
 * at least 256 bytes, so that running over an end never lands in a neighbour. Fresh memory holds
 * 0xA5 bytes and counts as uninitialised until the host or a kernel writes it.
 */
typedef uint64_t sim_addr;

struct sim_allocation {
    sim_addr address;
    size_t size;
    char name[64];      /* "x", "d_partial", symbol's name; "" if nobody named it */
    const void *caller; /* return address of the cudaMalloc call, or NULL */
    uint64_t serial;    /* 1 for the first allocation of the device */
    bool freed;         /* kept for "use after free" messages until the address is used again */
};

sim_addr sim_mem_alloc(struct sim *sim, size_t size, const void *caller); /* 0: out of memory */
bool sim_mem_free(struct sim *sim, sim_addr address); /* false: not the start of a live one */
void sim_mem_name(struct sim *sim, sim_addr address, const char *name);
/* The live (or, failing that, freed) allocation that holds `address` or lies nearest below it. */
const struct sim_allocation *sim_mem_find(const struct sim *sim, sim_addr address);
/* Host view of [address, address + size) if all of it is one live allocation, else NULL. */
void *sim_mem_host(struct sim *sim, sim_addr address, size_t size);
bool sim_mem_is_device(const struct sim *sim, const void *pointer); /* inside the reserved range? */
/*
 * Makes [host, host + size) of the host's own memory an allocation whose device address is the host
 * address: managed, pinned and registered memory. The caller keeps the bytes, which count as
 * written; sim_mem_free only forgets the range. 0 if it overlaps another allocation.
 */
sim_addr sim_mem_adopt(struct sim *sim, void *host, size_t size, const void *caller);
/* Marks bytes as written (host copies in, memset). */
void sim_mem_mark_written(struct sim *sim, sim_addr address, size_t size);
void sim_mem_usage(const struct sim *sim, size_t *live_bytes, size_t *peak_bytes, int *live_count);

/* ---- modules (module.c) -------------------------------------------------------------------------------- */

struct sim_module;
struct sim_kernel;

/*
 * Takes ownership of `ptx`, places its .global and .const variables in device memory (const as
 * read-only for kernels) and applies initialisers and relocations. NULL and a message if it cannot.
 */
struct sim_module *sim_module_load(struct sim *sim, struct ptx_module *ptx, char message[256]);
void sim_module_unload(struct sim *sim, struct sim_module *module);
bool sim_module_symbol(struct sim_module *module, const char *name, sim_addr *address, size_t *size);

/*
 * The kernel called `name` (mangled), decoded on first use; NULL and a message that names the
 * first unsupported instruction with its source line and PTX line.
 */
struct sim_kernel *sim_module_kernel(struct sim_module *module, const char *name, char message[512]);

struct sim_kernel_info {
    const char *name;     /* mangled */
    size_t shared_static; /* bytes a block */
    size_t local_bytes;   /* a thread */
    size_t const_bytes;   /* of the module */
    size_t param_bytes;
    int param_count;
    int registers; /* from the cubin where there is one; else an estimate (see exact) */
    bool registers_exact;
    int max_threads; /* .maxntid or the device's */
};
void sim_kernel_info(const struct sim_kernel *kernel, struct sim_kernel_info *out);
/* Its parameters, as the parser found them. */
const struct ptx_func *sim_kernel_function(const struct sim_kernel *kernel);
void sim_kernel_set_registers(struct sim_kernel *kernel, int registers); /* from the cubin */

/* ---- launches (grid.c) --------------------------------------------------------------------------------- */

enum sim_status {
    SIM_OK = 0,
    SIM_OUT_OF_BOUNDS, /* illegal address: global, shared, local, const or a freed allocation */
    SIM_MISALIGNED,
    SIM_TRAP,
    SIM_ASSERT,
    SIM_DEADLOCK, /* no thread of the launch can ever run again */
    SIM_INSTRUCTION_LIMIT,
    SIM_UNSUPPORTED, /* an instruction reached at run time that the simulator cannot execute */
    SIM_OUT_OF_MEMORY,
};

struct sim_dim3 {
    unsigned x, y, z;
};

struct sim_counters {
    uint64_t launches, blocks, warps;
    uint64_t warp_instructions;   /* PTX instructions issued, once a warp; ncu counts SASS */
    uint64_t thread_instructions; /* the same, once an active, unpredicated lane */
    /* l1tex__t_{requests,sectors}_pipe_lsu_mem_global_op_{ld,st}; ideal: bytes asked for / 32 */
    uint64_t global_load_requests, global_load_sectors, global_load_sectors_ideal;
    uint64_t global_store_requests, global_store_sectors, global_store_sectors_ideal;
    uint64_t global_atomic_requests, global_atomic_sectors;
    uint64_t global_loads;      /* of a warp: one, though a texture fetch is several requests */
    uint64_t global_load_fresh; /* those of them with a sector that nobody touched before */
    uint64_t global_lines;      /* 128-byte lines, once a request: loads, stores and atomics */
    uint64_t local_requests, local_sectors;
    uint64_t const_requests;
    /* l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{ld,st}; ideal: no bank conflict */
    uint64_t shared_load_requests, shared_load_wavefronts, shared_load_wavefronts_ideal;
    uint64_t shared_store_requests, shared_store_wavefronts, shared_store_wavefronts_ideal;
    uint64_t shared_bypass_wavefronts; /* those of the stores that the data path is spared: cp.async.cg */
    uint64_t shared_atomic_requests;
    uint64_t branches, divergent_branches;
    uint64_t block_barriers;   /* bar.sync and its kin, once a warp */
    uint64_t flops32, flops64; /* once a lane; a multiply-add counts two */
    uint64_t issue_cycles[8];  /* SM cycles by cost class (ops.def), summed over all warps */
    uint64_t unique_sectors_read, unique_sectors_written; /* 32-byte sectors touched at least once */
};

void sim_counters_add(struct sim_counters *total, const struct sim_counters *part);

/* The same counts for one line of source; the harness shows the worst line of a kernel. */
struct sim_line_counters {
    const char *file;
    int line;
    struct sim_counters counts;
};

struct sim_launch {
    struct sim_kernel *kernel;
    struct sim_dim3 grid, block;
    size_t dynamic_shared;
    void **args; /* one pointer a parameter, as cudaLaunchKernel takes them */
    bool cooperative;
};

struct sim_result {
    enum sim_status status;
    char message[1024]; /* for status != OK: what, which thread, which line, what to do */
    struct sim_counters counters;
    uint64_t hottest_atomic; /* time units of the busiest address, see counter.h */
    int blocks_per_sm;       /* that are resident at a time, by sim_occupancy */
    double block_cycles;     /* a block's time with the SM to itself (latency.c); 0: not known */
    double seconds;          /* modelled time on sim_config.profile (model.c) */
    const char *limiter;     /* what the model says holds the kernel back: "DRAM bandwidth", … */
};

/* Runs the whole grid. The caller has checked the configuration against the device's limits. */
enum sim_status sim_launch_run(struct sim *sim, const struct sim_launch *launch, struct sim_result *result);

/* Counters by line of the launches since the last sim_lines_reset, worst first by `sectors`. */
int sim_lines(struct sim *sim, const struct sim_line_counters **out);
void sim_lines_reset(struct sim *sim);

/* ---- the time model (model.c) -------------------------------------------------------------------------- */

struct sim_occupancy {
    int blocks_per_sm;
    double warps_fraction; /* of the SM's warp slots */
    const char *limiter;   /* "registers", "shared memory", "threads", "blocks" */
};
void sim_occupancy(const struct sim_profile *profile, const struct sim_kernel_info *info,
                   unsigned threads_per_block, size_t dynamic_shared, struct sim_occupancy *out);

/* Fills result->seconds and result->limiter from result->counters: the largest of the roofs. */
void sim_model_time(const struct sim_profile *profile, const struct sim_launch *launch,
                    struct sim_result *result);
/* Modelled seconds to move `bytes` bytes in all (read + write) inside the device: the copy roof. */
double sim_model_copy_seconds(const struct sim_profile *profile, double bytes);

/* ---- hazards (hazard*.c) ------------------------------------------------------------------------------- */

enum sim_hazard_class {
    SIM_HAZARD_OUT_OF_BOUNDS,
    SIM_HAZARD_USE_AFTER_FREE,
    SIM_HAZARD_MISALIGNED,
    SIM_HAZARD_UNINITIALISED,
    SIM_HAZARD_RACE_SHARED,
    SIM_HAZARD_RACE_GLOBAL,
    SIM_HAZARD_BARRIER,   /* threads of a block at different barriers, or exited before one */
    SIM_HAZARD_WARP_MASK, /* a sync, vote or shuffle whose mask is wrong */
    SIM_HAZARD_DEADLOCK,
    SIM_HAZARD_READ_ONLY, /* store to constant memory or a const symbol */
};
const char *sim_hazard_class_name(enum sim_hazard_class c); /* "race in shared memory" … */

struct sim_hazard_place {
    const char *file; /* "" where unknown */
    int line;
    struct sim_dim3 block, thread;
    bool is_write, is_atomic;
};

struct sim_hazard {
    enum sim_hazard_class class;
    const char *kernel;            /* demangled where cheap, else as in the PTX */
    struct sim_hazard_place here;  /* the access that made it a hazard */
    struct sim_hazard_place there; /* races: the earlier access; else there.line == 0 */
    bool within_warp; /* races: both threads are lanes of one warp, in all pairs that were seen */
    sim_addr address;
    char object[96];   /* "shared array s_y, byte 128 of 512", "allocation x (4000 bytes) …" */
    char message[768]; /* the whole report for people, ends without a newline */
    uint64_t count;    /* how often the same pair of lines did it */
};

/* Reports so far, one for each (class, lines); at most 64 are kept. Lasts until reset. */
int sim_hazards(struct sim *sim, const struct sim_hazard **out);
void sim_hazards_reset(struct sim *sim);

/*
 * The device that the runtime API in this process uses, created on the first call. The harness's
 * simulator backend reads hazards and counters from it.
 */
struct sim *sim_current(void);

/*
 * The result of the last launch through the runtime API, and totals since the last reset: counters
 * of all launches, modelled seconds of all launches, copies and memsets, one after the other.
 */
const struct sim_result *sim_last_result(void);
void sim_totals(struct sim_counters *counters, double *seconds);
void sim_totals_reset(void);

/*
 * A program on its own says on stderr why a kernel stopped, and lists its hazards when it ends. A
 * host that reports them itself turns both off.
 */
void sim_report_at_exit(bool enabled);

#endif
