#include "sim/model/strata.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * The blocks in the middle stand for the grid unless blocks of other kinds are more than this part of all blocks, or of
 * all operations, or the mean, or the part of the
 * blocks that change global memory, differs by more than this.
 */
#define OTHERS 0.10

/* Kinds so far apart are alike: at most 1.5 times as many operations. */
#define ALIKE 1

/* How many of the grid's blocks are of each kind (trace_kind_of): [part][kind], in all 1. */
struct mixture {
    double of[TRACE_PARTS][TRACE_KINDS];
    double of_all[TRACE_KINDS];
};

/* ---- what is known of all blocks ----------------------------------------------------------------------- */

/* How many blocks each of those drawn stands for. */
static double scale_of_drawn(const struct trace *trace)
{
    return trace->drawn.blocks ? (double)(trace->grid - trace->exact.blocks) / (double)trace->drawn.blocks
                               : 0;
}

double strata_mean(const struct trace *trace)
{
    double scale = scale_of_drawn(trace);
    double blocks = (double)trace->exact.blocks + scale * (double)trace->drawn.blocks;
    double operations = (double)trace->exact.operations + scale * (double)trace->drawn.operations;
    return blocks > 0 ? operations / blocks : 0;
}

static double count_of(const uint32_t *of_kind)
{
    double sum = 0;
    for (int kind = 0; kind < TRACE_KINDS; kind++)
        sum += of_kind[kind];
    return sum;
}

/* Blocks of the part that were drawn; where there are none, of the next part that has some. */
static const uint32_t *drawn_near(const struct trace *trace, int part)
{
    for (int away = 0; away < TRACE_PARTS && trace->drawn.blocks; away++)
        for (int sign = -1; sign <= 1; sign += 2) {
            int p = part + sign * away;
            if (p >= 0 && p < TRACE_PARTS && count_of(trace->drawn.of_kind[p]) > 0)
                return trace->drawn.of_kind[p];
        }
    return NULL;
}

static void mix_part(const struct trace *trace, int part, double *of)
{
    const uint32_t *exact = trace->exact.of_kind[part], *drawn = drawn_near(trace, part);
    double blocks = (double)trace->grid / TRACE_PARTS, known = count_of(exact);
    double others = drawn && blocks > known ? (blocks - known) / count_of(drawn) : 0;
    for (int kind = 0; kind < TRACE_KINDS; kind++)
        if (exact[kind] || (drawn && drawn[kind])) /* most kinds there are not */
            of[kind] = (exact[kind] + (others > 0 ? others * drawn[kind] : 0)) / (double)trace->grid;
}

static void mix(const struct trace *trace, struct mixture *m)
{
    double all = 0;
    for (int part = 0; part < TRACE_PARTS; part++) {
        mix_part(trace, part, m->of[part]);
        for (int kind = 0; kind < TRACE_KINDS; kind++) {
            m->of_all[kind] += m->of[part][kind];
            all += m->of[part][kind];
        }
    }
    for (int kind = 0; all > 0 && kind < TRACE_KINDS; kind++)
        m->of_all[kind] /= all;
}

/* Operations of a block of that kind. */
static double operations_of(int kind)
{
    int size = kind % TRACE_SIZES;
    return ldexp(1 + 0.25 * (size & 3) + 0.125, size >> 2);
}

/* ---- which of those watched stand for what -------------------------------------------------------------- */

static int distance(const struct trace *trace, int block, int kind)
{
    if (!trace->blocks[block].run)
        return TRACE_KINDS;
    return abs(trace_kind_of(trace->blocks[block].operations, trace->blocks[block].acts) - kind);
}

/* From the kind to the nearest of the first `count` blocks watched. */
static int nearest(const struct trace *trace, int count, int kind)
{
    int least = TRACE_KINDS;
    for (int i = 0; i < count; i++)
        least = distance(trace, i, kind) < least ? distance(trace, i, kind) : least;
    return least;
}

/* Blocks that are like none of the first `count` watched: a part of all, by number or (`work`) by operations. */
static double unlike(const struct trace *trace, const struct mixture *m, int count, bool work)
{
    double others = 0, all = 0;
    for (int kind = 0; kind < TRACE_KINDS; kind++) {
        if (m->of_all[kind] == 0)
            continue;
        double weight = m->of_all[kind] * (work ? operations_of(kind) : 1);
        all += weight;
        others += nearest(trace, count, kind) > ALIKE ? weight : 0;
    }
    return all > 0 ? others / all : 0;
}

/* Standard deviation of the blocks' operations within parts of the grid. */
static double spread_within_parts(const struct mixture *m)
{
    double squares = 0, all = 0;
    for (int part = 0; part < TRACE_PARTS; part++) {
        double weight = 0, sum = 0, square = 0;
        for (int kind = 0; kind < TRACE_KINDS; kind++) {
            const double of = m->of[part][kind];
            if (of == 0)
                continue;
            const double operations = operations_of(kind);
            weight += of;
            sum += of * operations;
            square += of * operations * operations;
        }
        squares += weight > 0 ? square - sum * sum / weight : 0;
        all += weight;
    }
    return all > 0 && squares > 0 ? sqrt(squares / all) : 0;
}

/* Of all blocks, those that change global memory: a part. */
static double part_that_acts(const struct mixture *m)
{
    double sum = 0;
    for (int kind = TRACE_SIZES; kind < TRACE_KINDS; kind++)
        sum += m->of_all[kind];
    return sum;
}

static bool middle_is_like_all(const struct trace *trace, const struct mixture *m)
{
    double sum = 0, run = 0, acts = 0, mean = strata_mean(trace);
    if (spread_within_parts(m) > OTHERS * mean)
        return false;
    for (int i = 0; i < trace->count; i++) {
        sum += (double)trace->blocks[i].operations;
        run += trace->blocks[i].run;
        acts += trace->blocks[i].run && trace->blocks[i].acts;
    }
    return run > 0 && fabs(mean * run - sum) <= OTHERS * mean * run &&
           fabs(acts - run * part_that_acts(m)) <= OTHERS * run &&
           unlike(trace, m, trace->count, false) <= OTHERS && unlike(trace, m, trace->count, true) <= OTHERS;
}

/* The blocks of a kind are shared among the blocks watched that are nearest to it. */
static void assign(const struct trace *trace, const struct mixture *m, struct strata *strata)
{
    for (int kind = 0; kind < TRACE_KINDS; kind++) {
        int least = nearest(trace, trace->count, kind), ties = 0;
        if (m->of_all[kind] == 0 || least == TRACE_KINDS)
            continue;
        for (int i = 0; i < trace->count; i++)
            ties += distance(trace, i, kind) == least;
        for (int i = 0; i < trace->count; i++)
            for (int part = 0; part < TRACE_PARTS && distance(trace, i, kind) == least; part++)
                strata->share[part][i] += m->of[part][kind] / ties;
    }
}

static void take_mean(const struct trace *trace, struct strata *strata)
{
    double all = 0, sum = 0;
    for (int part = 0; part < TRACE_PARTS; part++)
        for (int i = 0; i < trace->count; i++) {
            all += strata->share[part][i];
            sum += strata->share[part][i] * (double)trace->blocks[i].operations;
        }
    strata->mean = all > 0 ? sum / all : 0;
}

static int more_first(const void *left, const void *right)
{
    const struct trace_block *a = left, *b = right;
    return (a->operations < b->operations) - (a->operations > b->operations);
}

/* All that were watched, the largest first: so blocks that are alike share the modeled L1. */
static void take_all_watched(struct trace *trace)
{
    int kept = 0;
    for (int i = 0; i < trace->allocated; i++) {
        struct trace_block block = trace->blocks[i];
        if (!block.run)
            continue;
        trace->blocks[i] = trace->blocks[kept];
        trace->blocks[kept++] = block;
    }
    trace->count = kept;
    qsort(trace->blocks, (size_t)kept, sizeof *trace->blocks, more_first);
}

void strata_settle(struct trace *trace)
{
    struct mixture *m = calloc(1, sizeof *m);
    if (!m)
        return;
    mix(trace, m);
    if (strata_mean(trace) > 0 && !middle_is_like_all(trace, m))
        trace->strata = calloc(1, sizeof *trace->strata);
    if (trace->strata) {
        take_all_watched(trace);
        assign(trace, m, trace->strata);
        take_mean(trace, trace->strata);
        trace->strata->spread = spread_within_parts(m);
    }
    trace->unlike = unlike(trace, m, trace->count, true);
    free(m);
}

/* ---- in which order ------------------------------------------------------------------------------------ */

/* The part's shares; where the grid is small and no block lies in it, those of the next one that has some. */
static const double *shares_near(const struct trace *trace, int part)
{
    const struct strata *strata = trace->strata;
    for (int away = 0; away < TRACE_PARTS; away++)
        for (int sign = -1; sign <= 1; sign += 2) {
            int p = part + sign * away;
            for (int i = 0; p >= 0 && p < TRACE_PARTS && i < trace->count; i++)
                if (strata->share[p][i] > 0)
                    return strata->share[p];
        }
    return strata->share[0];
}

/* With the tilt, the more operations a block has the more often it is taken. */
static double weight_of(const struct trace *trace, const double *share, int block, double tilt)
{
    double less = (double)trace->blocks[0].operations - (double)trace->blocks[block].operations;
    return share[block] * exp(-tilt * less);
}

/* Operations of a block, on average, with that tilt. */
static double tilted_mean(const struct trace *trace, double tilt)
{
    double mean = 0, all = 0;
    for (int part = 0; part < TRACE_PARTS; part++) {
        double weights = 0, sum = 0, blocks = 0;
        for (int i = 0; i < trace->count; i++) {
            double weight = weight_of(trace, trace->strata->share[part], i, tilt);
            blocks += trace->strata->share[part][i];
            weights += weight;
            sum += weight * (double)trace->blocks[i].operations;
        }
        mean += weights > 0 ? blocks * sum / weights : 0;
        all += blocks;
    }
    return all > 0 ? mean / all : 0;
}

/* Of `count` numbers from a normal distribution, the largest one, in standard deviations (Gumbel). */
static double largest_of(double count)
{
    double a = sqrt(2 * log(count > 2 ? count : 2));
    return a - (log(log(count > 3 ? count : 3)) + log(4 * M_PI)) / (2 * a) + 0.5772 / a;
}

void strata_tilt(struct trace *trace, int sms, uint64_t blocks, int resident)
{
    struct strata *strata = trace->strata;
    double count = (double)blocks, chosen = count < resident ? count : resident;
    double most = strata->mean + largest_of(sms) * strata->spread * sqrt(chosen) / count;
    double low = 0, high = 40 / ((double)trace->blocks[0].operations + 1);
    for (int i = 0; i < 30; i++) {
        double middle = 0.5 * (low + high);
        *(tilted_mean(trace, middle) < most ? &low : &high) = middle;
    }
    strata->tilt = strata->spread > 0 ? low : 0;
}

/* Each gets its turn as soon as it is owed one. */
void strata_order(const struct trace *trace, uint64_t count, int *order)
{
    double owed[TRACE_WATCHED] = {0};
    for (uint64_t k = 0; k < count; k++) {
        const double *share = shares_near(trace, (int)(((double)k + 0.5) / (double)count * TRACE_PARTS));
        double all = 0;
        int next = 0;
        for (int i = 0; i < trace->count; i++)
            all += weight_of(trace, share, i, trace->strata->tilt);
        for (int i = 0; i < trace->count; i++) {
            owed[i] += all > 0 ? weight_of(trace, share, i, trace->strata->tilt) / all : 0;
            next = owed[i] > owed[next] + 1e-9 ? i : next;
        }
        owed[next] -= 1;
        order[k] = next;
    }
}
