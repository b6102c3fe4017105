/*
 * What L1 makes of the requests of the blocks that one SM holds at a time: the warps' requests are taken in turns,
 * one of each, through a cache with lines of 128 bytes in sectors of 32 that forgets what was used least recently.
 * Stores go through it and allocate nothing (CUDA guide, compute capability 7.x and later: write-through).
 */
#pragma once

#include "sim/model/trace.h"

/* Of one operation, over all requests that were noted. */
struct cache_counts {
    uint64_t requests, lines, sectors;
    uint64_t
        tags; /* turns that looking the lines up takes: four at a time, if they lie in different quarters */
    uint64_t banked, wavefronts;              /* requests, and turns that L1's banks need for their words */
    uint64_t missed_sectors, missed_requests; /* that L1 lacks; of atomics all, of stores those not joined */
    uint64_t late_requests;                   /* that hit what another warp's request is about to bring */
    uint64_t far_sectors;                     /* missed, by requests that spread over many pages of memory */
    /* Of lines that it was the first to touch: sectors that were touched, and those whose neighbor in a piece of 64 bytes
       was not. */
    uint64_t met_sectors, lone_sectors;
};

/*
 * Fills counts[operations]; false: out of memory. `l1_bytes`: what shared memory leaves. `waves`: times that the SM
 * holds so many blocks: lines that all of them read are there from the first time on.
 */
bool cache_run(const struct trace *trace, size_t l1_bytes, unsigned waves, struct cache_counts *counts);
