/* What a launch has counted, with Nsight Compute's names and meanings; in all and by source line. */
#pragma once

#include <stdint.h>

#include "sim/core/types.h"

struct sim_counters {
    uint64_t launches, blocks, warps;
    /*
     * Blocks without a store or an atomic operation in global memory, or a call of printf and the like; of them,
     * those that load from it.
     */
    uint64_t idle_blocks, idle_loading_blocks;
    uint64_t idle_loads; /* what the latter load, an instruction of a warp counted once, as in global_loads */
    uint64_t idle_of_eighth
        [8]; /* idle blocks among the first eighth of the grid's blocks, the second, and so on */
    uint64_t warp_instructions;   /* PTX instructions issued, once a warp; ncu counts SASS */
    uint64_t thread_instructions; /* the same, once an active, unpredicated lane */
    /* l1tex__t_{requests,sectors}_pipe_lsu_mem_global_op_{ld,st}; ideal: bytes asked for / 32 */
    uint64_t global_load_requests, global_load_sectors, global_load_sectors_ideal;
    uint64_t global_store_requests, global_store_sectors, global_store_sectors_ideal;
    uint64_t global_atomic_requests, global_atomic_sectors;
    uint64_t global_loads;      /* of a warp: one, though a texture fetch is several requests */
    uint64_t global_load_fresh; /* those of them with a sector not touched before */
    uint64_t global_lines;      /* 128-byte lines, once a request: loads, stores and atomics */
    uint64_t local_requests, local_sectors;
    uint64_t const_requests;
    uint64_t const_passes; /* different words that they ask for, one after the other */
    /* l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{ld,st}; ideal: no bank conflict */
    uint64_t shared_load_requests, shared_load_wavefronts, shared_load_wavefronts_ideal;
    uint64_t shared_store_requests, shared_store_wavefronts, shared_store_wavefronts_ideal;
    uint64_t shared_bypass_wavefronts; /* those of the stores that the data path is spared: cp.async.cg */
    uint64_t shared_atomic_requests;
    uint64_t shared_atomic_words;  /* of them, as many as there are different words in the busiest bank … */
    uint64_t shared_atomic_passes; /* … and if lanes that meet on a word count one by one */
    uint64_t branches, divergent_branches;
    uint64_t exchanges;        /* shuffles and the like, from lane to lane without memory, once a warp */
    uint64_t block_barriers;   /* bar.sync and its kin, once a warp */
    uint64_t flops32, flops64; /* once a lane; a multiply-add counts two */
    uint64_t issue_cycles[8];  /* SM cycles by cost class (ops.def), summed over all warps */
    uint64_t unique_sectors_read, unique_sectors_written; /* 32-byte sectors touched at least once */
    uint64_t
        unsure_sectors; /* that may have been touched besides: what a sample tells of the former has a range */
};

void sim_counters_add(struct sim_counters *total, const struct sim_counters *part);

/* The same counts for one line of source; the harness shows the worst line of a kernel. */
struct sim_line_counters {
    const char *file;
    int line;
    struct sim_counters counts;
};

/* Counters by line of the launches since the last sim_lines_reset, worst first by `sectors`. */
int sim_lines(struct sim *sim, const struct sim_line_counters **out);
void sim_lines_reset(struct sim *sim);
