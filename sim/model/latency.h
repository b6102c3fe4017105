/*
 * How long a block takes when nothing is in its way but itself: the sum, over the code that it ran, of the
 * longest chains of dependent instructions. With it the time model knows that loads which do not wait for one
 * another are in flight together, and what a kernel gains by independent work within a thread.
 */
#pragma once

#include "sim/core/code.h"
#include "sim/core/config.h"

struct counter_set;

/*
 * Cycles from a block's first instruction to its last, for the slowest of its warps. `counts` says how often
 * each operation was run by a warp in the launch; `set` knows how fresh each load's data was, NULL: from DRAM
 * always. 0 if there were no blocks.
 */
double latency_block_cycles(const struct sim_profile *profile, const struct code *code,
                            const struct op_count *counts, const struct counter_set *set, uint64_t blocks,
                            unsigned warps_per_block);
