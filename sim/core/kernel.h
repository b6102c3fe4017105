/* A kernel as every layer sees it, and what a launch asks for. Made by sim/device/module.c and sim/decode. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/ptx_kinds.h"
#include "sim/core/types.h"

struct sim_kernel_info {
    const char *name;     /* mangled */
    size_t shared_static; /* bytes per block */
    size_t local_bytes;   /* per thread, without what calls of unknown depth and alloca take */
    size_t const_bytes;   /* of the module */
    size_t param_bytes;
    int param_count;
    int registers; /* from the cubin where there is one; else an estimate (see exact) */
    bool registers_exact;
    int max_threads; /* .maxntid or the device's */
    struct sim_dim3
        cluster; /* blocks, as the kernel was compiled for (__cluster_dims__); 0: it says nothing */
};
struct sim_launch {
    struct sim_kernel *kernel;
    struct sim_dim3 grid, block;
    size_t dynamic_shared;
    void **args; /* one pointer a parameter, as cudaLaunchKernel takes them */
    bool cooperative;
    struct sim_dim3 cluster; /* blocks of a cluster; 0: as the kernel says, or each block is one */
};

/* A variable in the block's shared window or the thread's local window, for messages. */
struct kernel_variable {
    const char *name; /* as in the PTX */
    size_t offset;
    size_t size; /* extern shared array: 0, it reaches to the window's end */
};

struct code;         /* sim/core/code.h: the micro-operations */
struct ptx_func;     /* sim/ptx/ptx.h */
struct sim_module;   /* sim/device/module.h */
struct machine_code; /* sim/model/machine_code.h */
struct repeats;      /* sim/device/repeat.h */

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
    const char **files; /* the module's, by ptx_loc.file; see place_file */
    int file_count;
    int op_count;               /* micro-operations: access.pc is below it */
    const struct ptx_loc *locs; /* [op_count] */
    bool
        syncs_parts; /* has fences, acquires, releases, or barriers that need not be of whole warps or blocks */
    struct machine_code *machine; /* sim/model's, owned; NULL: none … */
    int machine_cc;               /* … for this compute capability; 0: not looked for yet */
    uint64_t block_cost;          /* operations a block in its last launch, 0: never launched */
    unsigned failed_attempts;     /* to run blocks on several threads, in a row … */
    unsigned alone_for;           /* … therefore so many launches without another */
    struct repeats *repeats;      /* of its launches, owned; NULL: none is kept */
    struct sim_kernel *next;      /* in the module */
};
