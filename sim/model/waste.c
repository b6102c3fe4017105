/*
 * What costs most in a launch, and at which line: each kind of waste is valued by what the units take for it beyond
 * what the same work would take at best. The dearest one is told; where none is, the load that warps wait for.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/core/device.h"
#include "sim/model/instr.h"
#include "sim/model/model.h"
#include "sim/model/narrow.h"
#include "sim/model/timing_internal.h"
#include "sim/text/place.h"

#define SECTOR_BYTES 32.0
#define FEW_WARPS    8 /* of an SM: two per partition do not hide what memory takes */
#define AGAIN_LEAST  3 /* times that an element is loaded from global memory */

/* Atomics go to one address if most of them do; counter_hottest_atomic counts in tenths. */
#define ATOMIC_TENTHS 10
#define MOST          0.75

struct waste_line {
    const char *file;
    int line;
    double seconds[SIM_WASTES], first[SIM_WASTES], second[SIM_WASTES];
    double divergent;
};

struct waste_search {
    const struct costing *costing;
    const struct timing_launch *launch;
    struct waste_line *lines; /* [count], of as many as there are operations at most */
    int count;
    double sm_cycle; /* seconds that a cycle of all SMs that have blocks takes, divided among them */
};

static struct waste_line *line_of(struct waste_search *s, int op)
{
    const struct ptx_instr *instr = s->launch->code->instrs[op];
    const char *file = instr ? place_file(s->launch->kernel, instr->site) : "";
    const int line = instr ? instr->site.line : 0;
    for (int i = 0; i < s->count; i++)
        if (s->lines[i].line == line && strcmp(s->lines[i].file, file) == 0)
            return &s->lines[i];
    s->lines[s->count] = (struct waste_line){.file = file, .line = line};
    return &s->lines[s->count++];
}

static void add(struct waste_line *line, enum sim_waste_kind kind, double seconds, double first,
                double second)
{
    if (seconds <= 0)
        return;
    line->seconds[kind] += seconds;
    line->first[kind] += first;
    line->second[kind] += second;
}

/* ---- by operation -------------------------------------------------------------------------------------- */

/* What the operation's requests cost beyond those of neighbors: of L2, and of the path through L1. */
static double apart_seconds(const struct waste_search *s, int op, const struct pipeline_cost *cost,
                            double sectors, double ideal, double requests)
{
    const double times = (double)s->launch->counts[op].warps, least = later(ideal, requests);
    const double l2 = (double)cost->l2_bytes * times * (1 - least / sectors);
    const double data = (double)cost->data_cycles * times - later(requests, ideal / 4);
    const double memory = (double)cost->memory_bytes * times * (1 - least / sectors);
    return later(l2 / (s->launch->profile->l2_gbs * 1e9),
                 later(data * s->sm_cycle, memory / (s->launch->profile->dram_gbs * 2e9)));
}

static void value_global(struct waste_search *s, int op, const struct pipeline_cost *cost)
{
    const struct sim_counters *n = counter_of(s->launch->set, op);
    const double times = (double)s->launch->counts[op].warps;
    struct waste_line *line = line_of(s, op);
    const double loads = (double)n->global_load_sectors, load_ideal = (double)n->global_load_sectors_ideal,
                 load_requests = (double)n->global_load_requests;
    const double stores = (double)n->global_store_sectors,
                 store_ideal = (double)n->global_store_sectors_ideal,
                 store_requests = (double)n->global_store_requests;
    if (loads > 1.5 * load_ideal + load_requests)
        add(line, SIM_WASTE_LOADS_APART, apart_seconds(s, op, cost, loads, load_ideal, load_requests), loads,
            load_requests);
    if (stores > 1.5 * store_ideal + store_requests)
        add(line, SIM_WASTE_STORES_APART, apart_seconds(s, op, cost, stores, store_ideal, store_requests),
            stores, store_requests);
    if (n->global_atomic_requests)
        add(line, SIM_WASTE_ATOMICS, (double)cost->l2_bytes * times / (s->launch->profile->l2_gbs * 1e9),
            (double)s->launch->counts[op].lanes, 0);
    if (load_requests > 0)
        add(line, SIM_WASTE_AGAIN,
            later((double)cost->data_cycles * times * s->sm_cycle,
                  (double)cost->l2_bytes * times / (s->launch->profile->l2_gbs * 1e9)),
            load_ideal, (double)n->unique_sectors_read);
}

/* Does the machine code of this instruction access local memory? The PTX does so also where ptxas keeps an array in registers. */
static bool is_in_local_memory(const struct waste_search *s, int op)
{
    const struct machine_code *code = s->launch->machine_code;
    for (int i = 0; i < code->code.count; i++)
        if (code->ops[i] == op && code->code.instrs[i].unit == SASS_LOCAL)
            return true;
    return false;
}

static void value_counters(struct waste_search *s, int op)
{
    const struct sim_counters *n = counter_of(s->launch->set, op);
    const struct op_count *count = &s->launch->counts[op];
    const struct sim_profile *profile = s->launch->profile;
    const struct ptx_instr *instr = s->launch->code->instrs[op];
    struct waste_line *line = line_of(s, op);
    if (n->const_passes > 2 * n->const_requests)
        add(line, SIM_WASTE_CONSTANTS, 2 * (double)(n->const_passes - n->const_requests) * s->sm_cycle,
            (double)n->const_passes, (double)n->const_requests);
    const double needed = (double)(n->shared_load_wavefronts + n->shared_store_wavefronts);
    const double ideal = (double)(n->shared_load_wavefronts_ideal + n->shared_store_wavefronts_ideal);
    add(line, SIM_WASTE_CONFLICTS, (needed - ideal) * s->sm_cycle, needed, ideal);
    if (n->shared_atomic_passes > 2 * n->shared_atomic_requests)
        add(line, SIM_WASTE_SHARED_ATOMICS, (double)n->shared_atomic_passes * s->sm_cycle,
            (double)n->shared_atomic_passes, (double)n->shared_atomic_requests);
    if (n->local_requests && is_in_local_memory(s, op))
        add(line, SIM_WASTE_LOCAL,
            later((double)n->local_sectors / 4 * s->sm_cycle,
                  (double)n->local_sectors * SECTOR_BYTES / (profile->l2_gbs * 1e9)),
            0, 0);
    if (n->flops64 || (instr_is(instr, "cvt") && (n->issue_cycles[COST_FP64] || n->issue_cycles[COST_SFU])))
        add(line, SIM_WASTE_DOUBLE,
            ((double)n->issue_cycles[COST_FP64] * 32 / profile->fp64_lanes +
             (double)n->issue_cycles[COST_SFU] * 32 / profile->sfu_lanes) *
                s->sm_cycle,
            (double)n->flops64, 0);
    add(line, SIM_WASTE_IDLE_LANES,
        ((double)count->warps - (double)count->lanes / 32) / profile->issue_slots * s->sm_cycle,
        (double)count->lanes, 32 * (double)count->warps);
    line->divergent += (double)count->divergent;
}

/* Loads and stores of local memory that no line of the PTX asks for: ptxas had no register left. */
static void value_spills(struct waste_search *s)
{
    const struct machine_code *code = s->launch->machine_code;
    for (int i = 0; i < code->code.count; i++) {
        const int op = code->ops[i];
        const struct pipeline_cost *cost = &s->costing->costs[i];
        if (op < 0 || code->code.instrs[i].unit != SASS_LOCAL ||
            counter_of(s->launch->set, op)->local_requests)
            continue;
        const double times = (double)s->launch->counts[op].warps;
        add(line_of(s, op), SIM_WASTE_SPILLS,
            later((double)cost->data_cycles * times * s->sm_cycle,
                  (double)cost->l2_bytes * times / (s->launch->profile->l2_gbs * 1e9)),
            0, 0);
    }
}

static void value_operations(struct waste_search *s)
{
    const struct machine_code *code = s->launch->machine_code;
    bool *seen = calloc((size_t)s->launch->code->count + 1, sizeof *seen);
    for (int i = 0; seen && i < code->code.count; i++) {
        const int op = code->ops[i];
        if (op < 0 || seen[op] || code->code.instrs[i].unit != SASS_GLOBAL)
            continue;
        seen[op] = true;
        value_global(s, op, &s->costing->costs[i]);
    }
    free(seen);
    for (int op = 0; op < s->launch->code->count; op++)
        if (s->launch->counts[op].warps && s->launch->code->instrs[op])
            value_counters(s, op);
    value_spills(s);
}

/* ---- the dearest line ---------------------------------------------------------------------------------- */

static const struct waste_line *dearest(const struct waste_search *s, enum sim_waste_kind kind)
{
    const struct waste_line *best = NULL;
    for (int i = 0; i < s->count; i++)
        if (s->lines[i].line > 0 && s->lines[i].seconds[kind] > 0 &&
            (!best || s->lines[i].seconds[kind] > best->seconds[kind]))
            best = &s->lines[i];
    return best;
}

static void sum(const struct waste_search *s, enum sim_waste_kind kind, struct sim_waste *all)
{
    const struct waste_line *line = dearest(s, kind);
    *all = (struct sim_waste){.kind = kind, .file = line ? line->file : "", .line = line ? line->line : 0};
    for (int i = 0; i < s->count; i++) {
        all->seconds += s->lines[i].seconds[kind];
        all->figure[0] += s->lines[i].first[kind];
        all->figure[1] += s->lines[i].second[kind];
    }
}

/* Of what was counted for the dearest line: how often per request. */
static void set_ratio(const struct waste_search *s, struct sim_waste *waste)
{
    const struct waste_line *line = dearest(s, waste->kind);
    if (line)
        waste->figure[0] = ratio(line->first[waste->kind], line->second[waste->kind]);
    waste->figure[1] = 1;
}

/* Lanes that idle where a block has fewer elements than lanes are no matter of branches. */
static void set_idle_lanes(const struct waste_search *s, struct sim_waste *waste)
{
    const struct waste_line *best = NULL;
    waste->figure[0] = 100 - 100 * ratio(waste->figure[0], waste->figure[1]);
    for (int i = 0; i < s->count; i++)
        if (s->lines[i].line > 0 && s->lines[i].divergent > (best ? best->divergent : 0))
            best = &s->lines[i];
    waste->file = best ? best->file : "";
    waste->line = best ? best->line : 0;
    if (!best)
        waste->seconds = 0;
}

static void set_figures(const struct waste_search *s, struct sim_waste *waste)
{
    const struct timing_launch *launch = s->launch;
    switch (waste->kind) {
    case SIM_WASTE_LOCAL:
    case SIM_WASTE_SPILLS: waste->figure[0] = launch->machine_code->frame_bytes; break;
    case SIM_WASTE_IDLE_LANES: set_idle_lanes(s, waste); break;
    case SIM_WASTE_AGAIN:
        waste->figure[0] = ratio(waste->figure[0], waste->figure[1]);
        waste->seconds *= waste->figure[0] < AGAIN_LEAST ? 0 : 1 - 1 / waste->figure[0];
        break;
    case SIM_WASTE_DOUBLE:
        waste->seconds = waste->figure[0] > 0 ? waste->seconds : 0;
        waste->figure[0] = launch->profile->fp64_lanes;
        waste->figure[1] = launch->profile->fp32_lanes;
        break;
    case SIM_WASTE_ATOMICS: break;
    default: set_ratio(s, waste);
    }
}

static void take(struct sim_waste *best, const struct sim_waste *other)
{
    if (other->seconds > best->seconds)
        *best = *other;
}

/* ---- of the launch's shape ----------------------------------------------------------------------------- */

static void value_shape(const struct waste_search *s, const struct timing_result *time,
                        struct sim_waste *best)
{
    const struct timing_launch *launch = s->launch;
    const double blocks = (double)launch->blocks, sms = launch->profile->sm_count;
    const double each = smaller(launch->blocks_per_sm, (blocks + sms - 1) / sms);
    const double warps = (double)(int)each * launch->trace->warps,
                 most = launch->profile->threads_per_sm / 32.0;
    struct sim_waste few = {SIM_WASTE_FEW_BLOCKS, 0, {blocks, sms}, "", 0};
    if (2 * blocks <= sms)
        few.seconds = time->seconds * (1 - blocks / sms);
    take(best, &few);
    const double lanes = 32.0 * launch->trace->warps, empty = lanes - launch->threads;
    struct sim_waste small = {SIM_WASTE_SMALL_BLOCKS, 0, {lanes, empty}, "", 0};
    if (blocks >= sms && 2 * empty >= lanes)
        small.seconds = time->seconds * empty / lanes;
    take(best, &small);
    struct sim_waste lone = {SIM_WASTE_FEW_WARPS, 0, {warps, most}, "", 0};
    if (blocks >= sms && warps <= FEW_WARPS && strcmp(time->limiter, "latency") == 0)
        lone.seconds = time->seconds * (1 - warps / (2 * FEW_WARPS));
    take(best, &lone);
}

/* Instructions of the `idle` warps, which come to no access of global memory: about what more than `working` warps issue. */
static double idle_instructions(const struct timing_launch *launch, double working, double idle)
{
    double sum = 0;
    for (int op = 0; op < launch->code->count; op++)
        sum += later(0, smaller(idle, (double)launch->counts[op].warps - working));
    return sum;
}

static bool is_of_global_memory(const struct timing_launch *launch, int op)
{
    const struct sim_counters *n = counter_of(launch->set, op);
    return n && (n->global_load_requests || n->global_store_requests || n->global_atomic_requests);
}

/*
 * Warps that come to any access of global memory, for each that comes to the access that most of them come to: 2
 * where half of them take one branch and half the other, each with accesses of its own. Of the warps that were
 * watched.
 */
static double workers_per_access(const struct timing_launch *launch)
{
    const struct trace *trace = launch->trace;
    double any = 0, most = 0;
    for (int op = 0; op < launch->code->count; op++) {
        double of_op = 0;
        for (int i = 0; i < trace->count && is_of_global_memory(launch, op); i++)
            for (int w = 0; w < trace->warps && trace->blocks[i].run; w++)
                of_op += trace->blocks[i].warps[w].counts[op].warps > 0;
        most = later(most, of_op);
    }
    for (int i = 0; i < trace->count; i++)
        for (int w = 0; w < trace->warps && trace->blocks[i].run; w++) {
            bool works = false;
            for (int op = 0; op < launch->code->count && !works; op++)
                works = trace->blocks[i].warps[w].counts[op].warps > 0 && is_of_global_memory(launch, op);
            any += works;
        }
    return most > 0 ? any / most : 1;
}

/* Warps that come to no access of global memory: too many blocks were started. */
static void value_idle_warps(const struct waste_search *s, const struct timing_result *time,
                             struct sim_waste *best)
{
    const struct timing_launch *launch = s->launch;
    double working = 0;
    for (int op = 0; op < launch->code->count; op++) {
        if (is_of_global_memory(launch, op))
            working = later(working, (double)launch->counts[op].warps);
    }
    working *= workers_per_access(launch);
    const double all = (double)launch->blocks * launch->trace->warps, idle = all - working;
    struct sim_waste waste = {SIM_WASTE_IDLE_WARPS, 0, {100 * idle / all, 0}, "", 0};
    const double issue =
        idle_instructions(launch, working, idle) / launch->profile->issue_slots * s->sm_cycle;
    const double start = s->costing->machine.start_interval * (double)launch->blocks * idle / all /
                         launch->profile->sm_count / (launch->profile->clock_ghz * 1e9);
    if (working > 0 && idle > 0.4 * all)
        waste.seconds = smaller(time->seconds / 2, later(issue, start));
    take(best, &waste);
}

static void value_atomics_one(const struct waste_search *s, const struct timing_result *time,
                              struct sim_waste *best)
{
    if (strcmp(time->limiter, "atomics on one address") != 0)
        return;
    struct sim_waste waste;
    sum(s, SIM_WASTE_ATOMICS, &waste);
    if ((double)counter_hottest_atomic(s->launch->set, NULL) > ATOMIC_TENTHS * MOST * waste.figure[0])
        waste.kind = SIM_WASTE_ATOMICS_ONE;
    waste.seconds = time->seconds;
    take(best, &waste);
}

static void value_narrow(const struct waste_search *s, const struct timing_result *time,
                         struct sim_waste *best)
{
    struct sim_waste waste;
    narrow_find(s->launch, time->seconds, &waste);
    take(best, &waste);
}

/* The load whose results warps wait for longest, where nothing else explains half as much. */
static void value_waits(struct waste_search *s, const struct timing_result *time, const double *waited,
                        struct sim_waste *best)
{
    const struct machine_code *code = s->launch->machine_code;
    struct sim_waste waste = {.kind = SIM_WASTE_WAITS, .file = ""};
    int dearest_op = -1;
    double all = waited[code->code.count];
    for (int i = 0; i < code->code.count; i++)
        if (code->ops[i] >= 0 && s->launch->code->instrs[code->ops[i]])
            add(line_of(s, code->ops[i]), SIM_WASTE_WAITS, waited[i], 0, 0);
    for (int i = 0; i < s->count; i++)
        if (s->lines[i].line > 0 && s->lines[i].seconds[SIM_WASTE_WAITS] > 0 &&
            (dearest_op < 0 ||
             s->lines[i].seconds[SIM_WASTE_WAITS] > s->lines[dearest_op].seconds[SIM_WASTE_WAITS]))
            dearest_op = i;
    if (dearest_op < 0 || all <= 0)
        return;
    const double share = s->lines[dearest_op].seconds[SIM_WASTE_WAITS] / all;
    if (strcmp(time->limiter, "latency") != 0)
        return;
    waste.file = s->lines[dearest_op].file;
    waste.line = s->lines[dearest_op].line;
    waste.figure[0] = 100 * share;
    waste.seconds = time->seconds * share;
    if (best->seconds < 0.15 * time->seconds && share > 0.2)
        *best = waste;
}

/* What comes from where the lanes of a warp have their elements. */
static bool lies_apart(enum sim_waste_kind kind)
{
    return kind == SIM_WASTE_CONFLICTS || kind == SIM_WASTE_LOADS_APART || kind == SIM_WASTE_STORES_APART;
}

void waste_find(const struct costing *costing, const struct timing_result *time, const double *waited,
                struct sim_waste *waste, struct sim_waste *apart)
{
    const struct timing_launch *launch = costing->launch;
    const double sms = smaller((double)launch->blocks, launch->profile->sm_count);
    struct waste_search s = {.costing = costing, .launch = launch};
    *waste = *apart = (struct sim_waste){.file = ""};
    s.sm_cycle = 1 / (sms * launch->profile->clock_ghz * 1e9);
    s.lines = calloc((size_t)launch->code->count + 1, sizeof *s.lines);
    if (!s.lines)
        return;
    value_operations(&s);
    for (int kind = SIM_WASTE_NONE + 1; kind < SIM_WASTES; kind++) {
        struct sim_waste one;
        sum(&s, (enum sim_waste_kind)kind, &one);
        set_figures(&s, &one);
        if (one.line > 0 && kind != SIM_WASTE_ATOMICS &&
            (kind != SIM_WASTE_DOUBLE || !launch->kernel->sim->config.double_is_meant))
            take(waste, &one);
        if (one.line > 0 && lies_apart((enum sim_waste_kind)kind))
            take(apart, &one);
    }
    value_shape(&s, time, waste);
    value_idle_warps(&s, time, waste);
    value_atomics_one(&s, time, waste);
    value_narrow(&s, time, waste);
    value_waits(&s, time, waited, waste);
    free(s.lines);
}
