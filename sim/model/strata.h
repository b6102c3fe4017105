/*
 * What the blocks watched stand for. Of each block of a launch it is known how many operations it ran, and in which part
 * of the grid it lies (trace.h), and whether it changed global memory. Blocks of nearly as many operations that do so, or
 * do not, are a stratum: they are taken to be alike, and the watched blocks that are next to a stratum in size stand for it (stratified sampling; Cochran, Sampling
 * Techniques, chapter 5). So there is a time for grids of which a part finds nothing to do, whose blocks have more to do
 * the later they come, or whose first blocks are special.
 *
 * Where the blocks in the middle of the grid are like nearly all others, they alone stand for the grid.
 */
#pragma once

#include "sim/model/trace.h"

struct strata {
    /* Of the grid's blocks: in this part, and like this one of trace->blocks. */
    double share[TRACE_PARTS][TRACE_WATCHED];
    double mean; /* operations of those watched, each counted as often as it is taken */
    double
        spread; /* standard deviation of blocks' operations within a part: what an SM gets differs by chance */
    double tilt; /* see strata_tilt */
};

/*
 * To be called once, when all blocks have ended. If others than the blocks in the middle are needed, moves those to the
 * front of trace->blocks, changes trace->count and makes trace->strata. Sets trace->unlike.
 */
void strata_settle(struct trace *trace);

/*
 * For the i-th of `count` blocks of an SM, in the order in which they start, which of trace->blocks it is like. The
 * launch ends when the busiest SM does: it has more to do than the mean, by strata_tilt.
 */
void strata_order(const struct trace *trace, uint64_t count, int *order);

/*
 * How much more the busiest of `sms` has to do, each of which runs `blocks` blocks, `resident` at a time. Blocks of one
 * part of the grid go to SMs by chance, so the work of the first `resident` is a sum of that many drawn numbers, and the
 * largest of `sms` such sums counts; later blocks go to SMs that have finished others, which evens it out.
 */
void strata_tilt(struct trace *trace, int sms, uint64_t blocks, int resident);

/* Operations of a block of the launch, on average. */
double strata_mean(const struct trace *trace);
