/*
 * One device. Each layer keeps its own state behind an opaque pointer, which sim/device/sim.c makes and
 * destroys: so two devices, or two host threads that run independent blocks, can live in one process.
 */
#pragma once

#include "sim/core/config.h"
#include "sim/core/report.h"

struct memory;          /* sim/memory: allocations and the bytes behind them */
struct hazards;         /* sim/hazard: reports and the state of the running launch */
struct line_table;      /* sim/model: counters by source line */
struct texture_table;   /* sim/memory: texture objects */
struct workers;         /* sim/machine: what threads that share a launch keep from one to the next */
struct touched_bytes;   /* sim/stream: what a launch touches */
struct device_launches; /* sim/machine: launches that kernels asked for */
struct origin_log;      /* sim/origin: everything that launches have executed */

/* One call of printf in a kernel: where its text ends in kernel_output, and its bytes in a device's buffer. */
struct printed_line {
    long end;
    size_t bytes;
};

/* A barrier of blocks, by its line: how often there was nothing for it to order, and how often there was. */
struct idle_barrier {
    const char *file; /* of the kernel's module */
    int line;
    uint64_t idle, busy;
    bool reached; /* since sim_barriers_reset */
};

#define IDLE_BARRIERS 16

struct sim {
    struct sim_config config;
    struct memory *memory;
    struct hazards *hazards;
    struct line_table *lines;
    struct texture_table *textures; /* NULL until there is one */
    struct sim_module *modules;     /* newest first, linked by `next` */
    struct workers *workers;        /* NULL until there are some */
    struct device_launches *device_launches;
    struct origin_log *origin;     /* NULL: nothing is recorded */
    uint64_t launch_count;         /* launches so far, this one included while it runs */
    uint64_t traffic;              /* bytes of L2 that launches have used so far: its clock */
    unsigned shared_by;            /* threads that ran the blocks of the last launch */
    struct touched_bytes *touched; /* notes the bytes that launches touch; NULL: not wanted */
    struct printed_line *printed;  /* since the host looked; with config.printf_limit */
    size_t printed_count, printed_room;
    size_t heap_used;     /* bytes that kernels have from malloc */
    uint64_t print_count; /* calls of printf by kernels' threads, since they were last counted */
    struct sim_hazard_place first_print; /* of them */
    struct sim_hazard_place
        two_steps; /* the first atomic behind which others came in, since sim_two_steps_reset; line 0: none */
    int second_step; /* and the line of the second */
    struct sim_hazard_place
        float_sum; /* the first atomic that added a real number in global memory, since sim_float_sum_reset; line 0: none */
    struct sim_hazard_place trap; /* where a thread came to one, since sim_trap_reset; file NULL: nowhere */
    struct idle_barrier idle_barriers[IDLE_BARRIERS]; /* where hazards are looked for; line 0 ends them */
};
