/*
 * Launches from kernels: what a grid asks for while it runs, kept until it has ended. Then its children run,
 * in the order in which they were launched: a parent cannot wait for them (since CUDA 12), so that no program
 * can tell. Source: CUDA C++ Programming Guide, "CUDA Dynamic Parallelism".
 */
#pragma once

#include "sim/core/types.h"

struct ptx_func;

#define DEVICE_LAUNCH_DEPTH 24 /* grids in a chain of parents and children */

/* A launch or, where `kernel` is NULL, a copy or fill of memory that a kernel asked for. */
struct device_launch {
    const struct ptx_func *kernel;
    sim_addr to, from; /* from == 0: fills with `value` */
    size_t size;
    int value;
    struct sim_dim3 grid, block;
    size_t dynamic_shared;
    unsigned char *params; /* kernel->param_size bytes; NULL while the parent has yet to launch it */
    sim_addr buffer;       /* where the parent writes them */
    bool is_tail;          /* cudaStreamTailLaunch: after all others, and their children */
    struct device_launch *next;
};

struct device_launches {
    struct device_launch *asked;    /* a buffer is there, its launch is not yet; in any order */
    struct device_launch *launched; /* oldest first … */
    struct device_launch *newest;   /* … and the last of them */
    int last_error;                 /* a cudaError_t, for cudaGetLastError in kernels */
    sim_addr texts;                 /* of errors, for cudaGetErrorString in kernels; 0: not asked for yet */
    int depth;                      /* of the grid that runs: 0 is one that the host launched */
};

/* What sim->device_launches points to; NULL: out of memory. */
struct device_launches *device_launches_create(void);
void device_launches_destroy(struct device_launches *launches);
/* A buffer in device memory for the parameters of a launch to come; 0: no memory. */
sim_addr device_launch_buffer(struct sim *sim, const struct device_launch *launch);
/* Launches what the buffer is for. false: it is no such buffer. */
bool device_launch_commit(struct sim *sim, sim_addr buffer, bool is_tail);
/* Appends a copy or a fill to the launches. false: no memory. */
bool device_launch_copy(struct sim *sim, const struct device_launch *copy);
/* Takes all launches of the grid that has ended, oldest first, and forgets buffers that were never used. */
struct device_launch *device_launch_take(struct sim *sim);
void device_launch_free(struct device_launch *launch); /* one */
