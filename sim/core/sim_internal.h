/*
 * What the parts of the simulator know of each other, and what callers of sim.h need not see.
 *
 * Each part keeps its own state behind an opaque pointer in struct sim: memory.c, hazard.c and counter.c
 * create and destroy it through the functions named here. Nothing is global, so that two devices, or two
 * host threads that run independent blocks, can live in one process.
 */
#ifndef SIM_INTERNAL_H
#define SIM_INTERNAL_H

#include "sim/core/access.h"
#include "sim/machine/device_launch.h"
#include "sim/ptx/ptx.h"
#include "sim/device/sim.h"

struct memory;        /* memory.c: allocations and the bytes behind them */
struct hazards;       /* hazard.c: reports and the state of the running launch */
struct line_table;    /* counter.c: counters by source line */
struct texture_table; /* texture.c: texture objects */
struct workers;       /* grid_parallel.c: what threads that share a launch keep from one to the next */

struct sim {
    struct sim_config config;
    struct memory *memory;
    struct hazards *hazards;
    struct line_table *lines;
    struct texture_table *textures; /* NULL until there is one */
    struct sim_module *modules;     /* newest first, linked by `next` */
    struct workers *workers;        /* NULL until there are some */
    struct device_launches device_launches;
    uint64_t launch_count; /* launches so far, this one included while it runs */
    unsigned shared_by;    /* threads that ran the blocks of the last launch */
};

/* Made in this order by sim_create, released in the reverse one. NULL: out of memory. */
struct memory *memory_create(struct sim *sim);
void memory_destroy(struct memory *memory);
struct hazards *hazards_create(struct sim *sim);
struct hazards *hazards_create_for(struct sim *sim, unsigned index); /* below SHADOWS; 0: hazards_create */
void hazards_destroy(struct hazards *hazards);
void workers_destroy(struct workers *workers);
struct line_table *line_table_create(struct sim *sim);
void line_table_destroy(struct line_table *table);

/* Kernels may only read [address, address + size): a store or an atomic there is a fault. */
void memory_set_read_only(struct sim *sim, sim_addr address, size_t size);

/* ---- generic addresses --------------------------------------------------------------------------------- */

/*
 * Windows of the generic address space for the spaces that belong to a block or a thread; global
 * addresses are the same in both. Device memory (memory.c) must not overlap them, and they are not
 * valid host addresses either. Each window is 4 GiB.
 */
#define GENERIC_SHARED_BASE UINT64_C(0x7e01000000000000)
#define GENERIC_LOCAL_BASE  UINT64_C(0x7e02000000000000)
#define GENERIC_PARAM_BASE  UINT64_C(0x7e03000000000000)
#define GENERIC_WINDOW_SIZE UINT64_C(0x0000000100000000)

/*
 * The address in shared memory of a block's first variable. As on compute capability 9.0, where the system
 * keeps the first KiB, it is not 0: an offset that is taken for an address finds nothing. Only registers hold
 * addresses that begin here; in micro-operations and accesses they are offsets from 0 on.
 */
#define SHARED_FIRST_ADDRESS 1024

/* ---- cost classes: the index of sim_counters.issue_cycles ---------------------------------------------- */

/*
 * issue_cycles[c] counts machine instructions of class c, once a warp: a PTX instruction counts as many as
 * ptxas makes of it (ops.def), 0 for those that it removes. The time model divides by the lanes that
 * the profile has for the class: cycles of one SM = issue_cycles[c] * 32 / lanes(c).
 */
enum cost_class {
    COST_NONE, /* removed by ptxas, or counted elsewhere */
    COST_FP32,
    COST_INT,
    COST_FP64,
    COST_HALF,    /* f16x2 and the like */
    COST_SFU,     /* special functions, conversions, popc, clz, brev: a quarter of the lanes or fewer */
    COST_LSU,     /* loads, stores, atomics, shuffles: issue only; traffic is counted apart */
    COST_CONTROL, /* branches, calls, barriers, votes */
    COST_CLASSES
};

/* ---- kernels ------------------------------------------------------------------------------------------- */

/* A variable in the block's shared window or the thread's local window, for messages. */
struct kernel_variable {
    const char *name; /* as in the PTX */
    size_t offset;
    size_t size; /* extern shared array: 0, it reaches to the window's end */
};

struct code; /* decode.h: the micro-operations */

struct sim_kernel {
    struct sim *sim;
    struct sim_module *module;
    const struct ptx_func *func;
    struct sim_kernel_info info;
    struct code *code;
    struct kernel_variable *shared_vars; /* by offset */
    int shared_var_count;
    struct kernel_variable *local_vars;
    int local_var_count;
    const char **files; /* the module's, by ptx_loc.file; see kernel_file */
    int file_count;
    int op_count;               /* micro-operations: access.pc is below it */
    const struct ptx_loc *locs; /* [op_count] */
    uint64_t block_cost;        /* operations a block in its last launch, 0: never launched */
    unsigned failed_attempts;   /* to run blocks on several threads, in a row … */
    unsigned alone_for;         /* … therefore so many launches without another */
    struct sim_kernel *next;    /* in the module */
};

/* The name of the source file, or "" where unknown. */
const char *kernel_file(const struct sim_kernel *kernel, struct ptx_loc loc);

#endif
