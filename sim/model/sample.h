/*
 * Launches of which only a sample of the blocks is run (sim_config.sample_work), for the modeled time of large grids.
 *
 * Which blocks: the first ones and the last ones of the grid, and clusters: some blocks in a row, one cluster in
 * each of SAMPLE_SEGMENTS equal segments of the rest, at a place that is drawn from sim_config.sample_seed. If what
 * the clusters count differs much there are further rounds of them. sim/machine/grid_sample.c runs them.
 *
 * What is counted of first and last blocks stands for itself; what is counted of the clusters is multiplied by the
 * number of blocks that they stand for. The standard error of that follows from how the clusters differ
 * (cluster sampling; Cochran, Sampling Techniques, chapter 9).
 *
 * The footprint, sectors that are touched at all, does not grow like that: blocks share a table, or the edges of
 * their tiles. For each allocation, and for reads and writes apart, two numbers tell how it grows: the sectors that
 * each cluster touches, added up over the clusters, and how many different ones that were. If those are equal,
 * clusters share nothing, and the footprint grows with the number of blocks. If not, it is taken to be that of random
 * touches of some set of sectors, whose size follows from how often two clusters met. In no case is it larger than
 * the range between the first and the last sector that was touched; and it is all of that range if there are touches
 * for three times as much, and clusters do not meet more often than chance lets them. Two clusters that overlap
 * because they happen to be neighbors are no sign of a small set: then it is taken to be as large as the range. So it
 * is right for streams, tables, gathers and for everything that touches all of an array, and too large where
 * far-apart blocks share a part of one but drawn clusters did not.
 */
#pragma once

#include "sim/core/code.h"
#include "sim/model/counter.h"

enum { SAMPLE_SEGMENTS = 16, SAMPLE_ROUNDS = 4, SAMPLE_CLUSTERS = SAMPLE_SEGMENTS * SAMPLE_ROUNDS };

/* A further round of clusters is run if the relative error is larger. */
#define SAMPLE_ERROR 0.02

/* Which blocks: [0, head), [blocks - tail, blocks) and clusters of `length` blocks. */
struct sample_plan {
    uint64_t blocks, head, tail, length;
    int segments; /* at most SAMPLE_SEGMENTS */
    int rounds;   /* that there is room for, at most SAMPLE_ROUNDS */
    uint64_t seed;
};

/*
 * For a grid of `blocks` blocks, of which the first `run` have been run, a sample of about `sample` blocks; `is_dear`: of very
 * few, since each takes millions of instructions. False: so much of it would be run that all of it might be.
 */
bool sample_plan_make(struct sample_plan *plan, uint64_t blocks, uint64_t run, uint64_t sample, bool is_dear,
                      uint64_t seed);
/* Those from which the clusters are drawn. */
static inline uint64_t sample_between(const struct sample_plan *plan)
{
    return plan->blocks - plan->head - plan->tail;
}
/* The first block of the cluster that is drawn in the segment; clusters of different rounds do not overlap. */
uint64_t sample_cluster_at(const struct sample_plan *plan, int segment, int round);

/* What of a cluster tells how much clusters differ. */
enum { SAMPLE_INSTRUCTIONS, SAMPLE_SECTORS, SAMPLE_WAVEFRONTS, SAMPLE_VALUES };
struct sample_cluster {
    double value[SAMPLE_VALUES];
};
void sample_cluster_of(const struct sim_counters *before, const struct sim_counters *after,
                       struct sample_cluster *out);
/*
 * The standard error of the extrapolated total, as a part of it, of that value for which it is largest. `edges`:
 * what first and last blocks counted; `part`: of the blocks in between, that were run.
 */
double sample_relative_error(const struct sample_cluster *clusters, int count, double part,
                             const struct sample_cluster *edges);

/*
 * The footprint of all clusters that touched `sum` sectors, each its own, `distinct` of them different, when they
 * stand for clusters that touch `all`; in a range of `span` sectors. `clusters`: how many.
 */
double sample_footprint(double sum, double distinct, double all, double span, int clusters);

/*
 * Puts together what was counted: `edges` plus `scale` times `drawn`, with the footprint as above, and leaves it in
 * `edges`. Both sets counted for their device's running launch, `clusters` clusters in all.
 */
void sample_extrapolate(struct counter_set *edges, const struct counter_set *drawn, double scale,
                        int clusters);

/*
 * Whether blocks may depend on one another, so that a sample of them would do other things than all do: the code
 * looks at what atomics in global memory return, or loads from there strongly (volatile, relaxed, acquire).
 */
bool sample_depends(const struct code *code);
