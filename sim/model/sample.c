/* See sample.h: which blocks, how sure, and how large the footprint is. */
#include "sim/model/sample.h"

#include <math.h>
#include <string.h>

#include "sim/ptx/ptx.h"

/* Blocks that the first round of a sample runs, at least and at most. */
enum { LEAST_BLOCKS = 12, MOST_BLOCKS = 4096, MOST_EDGE = 32 };
/* … and at least where so many would take more than all of a sample should: of blocks of millions of instructions. */
enum { FEW_BLOCKS = 6 };

#define SECTOR_BYTES 32

/* ---- which blocks -------------------------------------------------------------------------------------- */

static uint64_t clamp(uint64_t value, uint64_t least, uint64_t most)
{
    return value < least ? least : value > most ? most : value;
}

bool sample_plan_make(struct sample_plan *plan, uint64_t blocks, uint64_t run, uint64_t sample, bool is_dear,
                      uint64_t seed)
{
    uint64_t count = is_dear ? FEW_BLOCKS : clamp(sample, LEAST_BLOCKS, MOST_BLOCKS);
    *plan = (struct sample_plan){.blocks = blocks, .seed = seed};
    plan->tail = clamp(count / 8, 1, MOST_EDGE);
    plan->head = plan->tail > run ? plan->tail : run;
    uint64_t drawn = count - 2 * plan->tail;
    plan->segments = (int)(drawn < SAMPLE_SEGMENTS ? drawn : SAMPLE_SEGMENTS);
    plan->length = drawn / (uint64_t)plan->segments;
    if (blocks < plan->head + plan->tail + 2 * drawn)
        return false;
    uint64_t room = sample_between(plan) / (uint64_t)plan->segments / plan->length;
    plan->rounds = (int)(room < SAMPLE_ROUNDS ? room : SAMPLE_ROUNDS);
    return true;
}

static uint64_t draw(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* A segment has as many slots as there are rounds; each round takes another slot, and a place in it. */
uint64_t sample_cluster_at(const struct sample_plan *plan, int segment, int round)
{
    const uint64_t number = draw(plan->seed * SAMPLE_SEGMENTS + (uint64_t)segment);
    const uint64_t rounds = (uint64_t)plan->rounds, slots = rounds * (uint64_t)plan->segments;
    const uint64_t slot = rounds * (uint64_t)segment + (number + (uint64_t)round) % rounds;
    const uint64_t size = sample_between(plan) / slots; /* at the end a few blocks are never drawn */
    return plan->head + size * slot + draw(number + (uint64_t)round) % (size - plan->length + 1);
}

/* ---- how sure ------------------------------------------------------------------------------------------ */

static double sectors(const struct sim_counters *c)
{
    return (double)(c->global_load_sectors + c->global_store_sectors + c->global_atomic_sectors +
                    c->local_sectors);
}

static double wavefronts(const struct sim_counters *c)
{
    return (double)(c->shared_load_wavefronts + c->shared_store_wavefronts + c->shared_atomic_requests);
}

void sample_cluster_of(const struct sim_counters *before, const struct sim_counters *after,
                       struct sample_cluster *out)
{
    out->value[SAMPLE_INSTRUCTIONS] = (double)(after->warp_instructions - before->warp_instructions);
    out->value[SAMPLE_SECTORS] = sectors(after) - sectors(before);
    out->value[SAMPLE_WAVEFRONTS] = wavefronts(after) - wavefronts(before);
}

static double error_of(const struct sample_cluster *clusters, int count, int value, double part, double edges)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < count; i++)
        sum += clusters[i].value[value];
    const double mean = sum / count;
    for (int i = 0; i < count; i++)
        squares += (clusters[i].value[value] - mean) * (clusters[i].value[value] - mean);
    const double of_sum = sqrt(squares / (count - 1) * count * fmax(1 - part, 0));
    return sum > 0 ? of_sum / (sum + edges * part) : 0;
}

double sample_relative_error(const struct sample_cluster *clusters, int count, double part,
                             const struct sample_cluster *edges)
{
    double most = 0;
    for (int v = 0; v < SAMPLE_VALUES && count > 1; v++)
        most = fmax(most, error_of(clusters, count, v, part, edges->value[v]));
    return most;
}

/* ---- the footprint ------------------------------------------------------------------------------------- */

/* Sectors of the set in which `sum` random touches meet `distinct` different ones: distinct / set is 1 - e^-z where
   z = sum / set. By bisection in z. */
static double size_of_set(double sum, double distinct)
{
    double low = 1e-9, high = 1e9;
    for (int i = 0; i < 200; i++) {
        const double z = sqrt(low * high);
        *(-expm1(-z) / z > distinct / sum ? &low : &high) = z;
    }
    return sum / low;
}

/* Touches for so many times all of a range are taken to fill it. */
#define TIMES_TO_FILL 3

/* Random touches of a range by `clusters` clusters: of how many of them, on average, the sectors are met again. */
static double met_again(double sum, double distinct, int clusters)
{
    return clusters * (1 - distinct / sum);
}

/* Whether clusters meet no more often than random ones of the whole range would, chance and `more` of them included. */
static bool by_chance(double sum, double distinct, double span, int clusters, int more)
{
    const double expected = met_again(sum, -span * expm1(-sum / span), clusters);
    return met_again(sum, distinct, clusters) <= expected + 2 * sqrt(expected) + more;
}

double sample_footprint(double sum, double distinct, double all, double span, int clusters)
{
    double footprint = all;
    if (all >= TIMES_TO_FILL * span && by_chance(sum, distinct, span, clusters, 2))
        return span;
    if (distinct < 0.999 * sum) {
        double set = size_of_set(sum, distinct);
        if (by_chance(sum, distinct, span, clusters, 1))
            set = fmax(set, span); /* neighbors that overlap have been drawn: no sign of a small set */
        footprint = -set * expm1(-all / set);
    }
    return fmin(fmax(footprint, distinct), span);
}

/* `most`: no sector counted as touched by two clusters, as far as the range allows; both 0 where nothing was touched. */
static double footprint_of(const struct allocation *a, uint64_t launch, int is_write, double scale,
                           int clusters, double *most)
{
    const struct cluster_sectors *c = a->clusters;
    *most = 0;
    if (!c || c->launch != launch || a->touched.launch != launch || c->end[is_write] == 0)
        return 0;
    const double edges = (double)c->edges[is_write], drawn = (double)c->drawn[is_write];
    const size_t span = c->end[is_write] - c->first[is_write];
    *most = fmin(edges + scale * drawn, (double)span);
    return sample_footprint(edges + drawn, (double)a->touched.fresh[is_write], edges + scale * drawn,
                            (double)span, clusters);
}

void sample_extrapolate(struct counter_set *edges, const struct counter_set *drawn, double scale,
                        int clusters)
{
    const struct sim *sim = counter_set_device(edges);
    double sectors[2] = {0, 0}, unsure = 0;
    counter_set_extrapolate(edges, drawn, scale);
    for (int i = 0; i < sim->memory->count; i++)
        for (int is_write = 0; is_write < 2; is_write++) {
            double most;
            const double likely =
                footprint_of(sim->memory->list[i], sim->launch_count, is_write, scale, clusters, &most);
            sectors[is_write] += likely;
            sim->memory->list[i]->moved[is_write] += (uint64_t)(SECTOR_BYTES * fmax(most, likely));
            unsure += fmax(most - likely, 0);
        }
    counter_set_footprint(edges, sectors, unsure);
}

/* ---- do blocks depend on one another? ------------------------------------------------------------------ */

static bool of_shared_memory(const struct ptx_instr *instr)
{
    return ptx_has_modifier(instr, "shared") || ptx_has_modifier(instr, "shared::cta");
}

static bool writes_nothing(const struct ptx_instr *instr)
{
    return strcmp(instr->op, "st") == 0 || strcmp(instr->op, "red") == 0 || strcmp(instr->op, "call") == 0;
}

/* Whether anything reads the register that the instruction at `pc` sets first. */
static bool result_is_read(const struct code *code, int pc)
{
    const struct ptx_instr *atom = code->instrs[pc];
    if (atom->operand_count == 0 || atom->operands[0].kind != PTX_REG)
        return false;
    const int reg = atom->operands[0].reg;
    for (int i = 0; i < code->count; i++) {
        const struct ptx_instr *instr = code->instrs[i];
        for (int k = 0; instr && k < instr->operand_count; k++)
            if ((k > 0 || writes_nothing(instr)) && ptx_names(&instr->operands[k], reg))
                return true;
    }
    return false;
}

bool sample_depends(const struct code *code)
{
    static const char *const strong[] = {"volatile", "relaxed", "acquire", "mmio"};
    for (int pc = 0; pc < code->count; pc++) {
        const struct ptx_instr *instr = code->instrs[pc];
        if (!instr || of_shared_memory(instr))
            continue;
        if (strcmp(instr->op, "atom") == 0 && result_is_read(code, pc))
            return true;
        for (size_t i = 0; strcmp(instr->op, "ld") == 0 && i < sizeof strong / sizeof *strong; i++)
            if (ptx_has_modifier(instr, strong[i]))
                return true;
    }
    return false;
}
