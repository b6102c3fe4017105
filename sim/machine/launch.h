/* A launch as its blocks see it. */
#pragma once

#include "sim/core/code.h"
#include "sim/core/kernel.h"

/* What all blocks of a launch share. Read only while they run. */
struct launch {
    struct sim *sim;
    struct sim_kernel *kernel;
    const struct code *code;
    struct sim_dim3 grid, block;
    struct sim_dim3 cluster; /* blocks of a cluster */
    bool is_explicit;        /* … of which the launch or the kernel speaks */
    bool clustered;          /* blocks of a cluster know each other: there are several, or the code asks */
    size_t dynamic_shared, shared_size;
    size_t local_size;   /* of each thread's local window, with the stack … */
    size_t alloca_size;  /* … and the part at its end from which alloca takes */
    size_t stack_limit;  /* bytes that calls and alloca may take in all … */
    bool stack_is_tight; /* … if their depth or size is not known to the compiler */
    unsigned thread_count, warp_count;
    unsigned char *launch_rows; /* the code's template, special registers filled in */
    unsigned char *params;
    size_t param_size;
    sim_addr workspace; /* of a cooperative launch, else 0 */
    uint64_t seed;
    bool hazards, counters;
    struct fault_log *faults;      /* where it goes on after faults, else NULL; the grid's */
    struct trace *trace;           /* the blocks that the time model watches; NULL: none. Others' */
    struct origin_log *origin;     /* records what is executed; NULL: it does not. Others' */
    struct touched_bytes *touched; /* the device's */
};

static inline unsigned launch_cluster_size(const struct launch *launch)
{
    return launch->cluster.x * launch->cluster.y * launch->cluster.z;
}

/* Fills in what the request asks for; false: out of memory, and then launch_release is still to be called. */
bool launch_prepare(struct launch *launch, struct sim *sim, const struct sim_launch *request);
void launch_release(struct launch *launch);
