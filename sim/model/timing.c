#include "sim/model/timing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/model/cache.h"
#include "sim/model/model.h"
#include "sim/model/pipeline.h"
#include "sim/ptx/ptx.h"

#define SECTOR_BYTES 32.0

/* ---- the SM -------------------------------------------------------------------------------------------- */

/* Cycles for which an instruction of a warp occupies its partition's quarter of `lanes`. */
static double lane_cycles(int lanes)
{
    return lanes > 0 ? 32.0 * 4 / lanes : 32;
}

static inline double later(double a, double b)
{
    return a > b ? a : b;
}

/* The SM's share of a rate in GB/s, in bytes per cycle, if `active` SMs divide it; 64 is what one can take. */
static double share(const struct sim_profile *profile, double gbs, double active)
{
    double bytes = gbs / (active * profile->clock_ghz);
    return bytes < 64 ? bytes : 64;
}

static void fill_units(struct pipeline_machine *m, const struct sim_profile *profile)
{
    bool full_half = profile->cc_major >= 9 || (profile->cc_major == 8 && profile->cc_minor == 0);
    for (int unit = 0; unit < SASS_UNITS; unit++) {
        m->unit_cycles[unit] = 2;
        m->latency[unit] = 24;
    }
    m->unit_cycles[SASS_FMA] = lane_cycles(profile->fp32_lanes);
    m->unit_cycles[SASS_IMAD] = lane_cycles(profile->int_lanes);
    m->unit_cycles[SASS_ALU] = lane_cycles(profile->int_lanes);
    m->unit_cycles[SASS_HALF] = full_half ? 1 : 2;
    m->unit_cycles[SASS_FP64] = lane_cycles(profile->fp64_lanes);
    m->unit_cycles[SASS_XU] = lane_cycles(profile->sfu_lanes);
    m->unit_cycles[SASS_CONST] = 2;
    m->unit_cycles[SASS_TEXTURE] = 16; /* lab 07, step 08: 4 cycles of the SM */
    m->unit_cycles[SASS_SPECIAL] = 8;
    m->latency[SASS_FP64] = 8;
    m->latency[SASS_XU] = 18;
    m->latency[SASS_CONST] = 30;
    m->latency[SASS_SPECIAL] = 25;
    m->latency[SASS_SHARED] = 23;
    m->latency[SASS_SHUFFLE] = 22;
}

/* Memory reads and writes alone a little faster than in turns: GB/s for what the launch does. */
static double memory_rate(const struct timing_launch *launch)
{
    struct sim_counters total = {0};
    struct sim_rates rates;
    counter_set_total(launch->set, &total);
    sim_profile_rates(launch->profile, &rates);
    double all = (double)(total.unique_sectors_read + total.unique_sectors_written);
    double written = all > 0 ? (double)total.unique_sectors_written / all : 0;
    double alone = written < 0.5 ? rates.read_gbs : rates.write_gbs;
    double mixed = written < 0.5 ? 2 * written : 2 - 2 * written;
    return mixed * launch->profile->dram_gbs + (1 - mixed) * alone;
}

/*
 * Constants that the smallest cache does not have come from the next one, of 64 KiB or more, which the SM shares: 89
 * cycles on Volta. In the first wave of blocks one of four comes from L2: that cache has lines of 256 bytes. Jia et al.,
 * "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", 2018, section 3.4.
 */
#define CONSTANT_LATENCY 90.0

static struct pipeline_machine machine_of(const struct timing_launch *launch)
{
    const struct sim_profile *profile = launch->profile;
    double waves = (double)launch->blocks / (double)profile->sm_count / (double)launch->blocks_per_sm;
    waves = waves > 1 ? waves : 1;
    struct pipeline_machine m = {
        .l1_latency = 34,
        .l2_latency = 250,
        .memory_latency = profile->dram_latency_ns * profile->clock_ghz,
        .constant_latency = CONSTANT_LATENCY + 0.25 * (250 - CONSTANT_LATENCY) / waves,
        .barrier_latency = 20,
        .start_interval = 1.2 * profile->sm_count,
        .start_latency = 400,
    };
    double active = (double)launch->blocks < profile->sm_count ? (double)launch->blocks : profile->sm_count;
    m.l2_bytes = share(profile, profile->l2_gbs, active);
    m.memory_bytes = share(profile, memory_rate(launch), active);
    fill_units(&m, profile);
    return m;
}

/* ---- what an instruction costs ------------------------------------------------------------------------- */

struct costing {
    const struct timing_launch *launch;
    struct cache_counts *cache;  /* [operations] */
    size_t l1_bytes;             /* what shared memory leaves */
    bool stores_locally;         /* to local memory, nearly as often as it loads from there */
    struct pipeline_cost *costs; /* [instructions] */
    struct pipeline_machine machine;
    struct pipeline_warp *warps;
    uint32_t *wanted; /* [warps * ptx blocks] */
};

static double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

/*
 * What a sector takes of L2 beside one of a coalesced load, fitted to an H100: one that is written, one of which a part
 * is written somewhere, one of an atomic, and those that a request has because its lanes lie apart.
 */
#define STORE_SECTORS  1.6
#define PART_SECTORS   4.0
#define ATOMIC_SECTORS 3.2
#define ATOMIC_APART   5.0
#define LOAD_APART     2.0

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

/*
 * L2 has some 80 slices, among which lines are spread by a hash: of few lines the busiest slice has more than its share,
 * and what is stored at random waits for it. Of n lines in s places the fullest has about n / s + sqrt(2 n / s ln s).
 */
#define SLICES 80.0

static double busiest_slice(double lines)
{
    return 1 + sqrt(2 * log(SLICES) * SLICES / later(lines, 1));
}

static double sectors_in_l2(const struct sim_counters *n, double missed, double far)
{
    double loads = (double)n->global_load_sectors, stores = (double)n->global_store_sectors;
    double near = smaller(loads, (double)n->global_load_sectors_ideal + (double)n->global_load_requests);
    double whole = smaller(stores, (double)n->global_store_sectors_ideal);
    bool apart = n->global_atomic_sectors > 8 * n->global_atomic_requests;
    double lines = (double)n->unique_sectors_written / 4;
    double crowd = lines > 0 ? 1 + (busiest_slice(lines) - 1) * far : 1;
    return missed * (near + LOAD_APART * (loads - near)) + STORE_SECTORS * whole +
           crowd * (STORE_SECTORS + (PART_SECTORS - STORE_SECTORS) * far) * (stores - whole) +
           (apart ? ATOMIC_APART : ATOMIC_SECTORS) * (double)n->global_atomic_sectors;
}

/*
 * Bytes that memory moves for a sector. It moves pieces of 64 bytes; where requests have no locality, pages are opened
 * for little; what is written in part is read before. Fitted to an H100.
 */
#define PIECE_FAR    1.3
#define PIECE_PART   2.75
#define PIECE_ATOMIC 1.7

static double bytes_of_sector(const struct cache_counts *c, const struct sim_counters *n)
{
    double lone = ratio((double)c->lone_sectors, (double)c->met_sectors);
    double far = ratio((double)c->far_sectors, (double)c->missed_sectors);
    /* Of what is written, sectors that never become whole: the ideal number is that of the bytes. */
    double whole =
        smaller(1, ratio((double)n->global_store_sectors_ideal, (double)n->unique_sectors_written));
    double part = n->global_store_sectors ? 1 - whole : 0;
    double atomic = n->global_atomic_sectors ? far : 0;
    return SECTOR_BYTES * (1 + lone) * (1 + (PIECE_FAR - 1) * far) *
           (1 + part * (1 + (PIECE_PART - 1) * lone)) * (1 + (PIECE_ATOMIC - 1) * atomic);
}

/*
 * Of a request: as many cycles as L1's banks need for its words, or its tags for the lines. What one turn of the banks
 * could serve takes half a cycle more if it lies in two lines: a load that is not aligned.
 */
static double data_cycles(const struct cache_counts *c)
{
    double lines = ratio((double)c->lines, (double)c->requests);
    double tags = ratio((double)c->tags, (double)c->requests);
    double cycles = c->banked ? later(tags, ratio((double)c->wavefronts, (double)c->banked)) : lines;
    return later(cycles, 1 + 0.5 * smaller(lines - 1, 1));
}

static void cost_of_global(const struct costing *costing, int op, struct pipeline_cost *cost)
{
    const struct sim_counters *n = counter_of(costing->launch->set, op);
    const struct cache_counts *c = &costing->cache[op];
    double times = (double)costing->launch->counts[op].warps;
    if (!n || times == 0)
        return;
    bool seen = c->requests > 0;
    double loads = (double)n->global_load_requests, stores = (double)n->global_store_requests,
           atomics = (double)n->global_atomic_requests;
    double cycles = seen ? data_cycles(c) * (loads + stores + atomics) : (double)n->global_lines;
    double missed = seen ? ratio((double)c->missed_sectors, (double)c->sectors) : 1;
    double sectors = sectors_in_l2(n, missed, ratio((double)c->far_sectors, (double)c->missed_sectors)),
           bytes = seen ? bytes_of_sector(c, n) : SECTOR_BYTES;
    double moved = (double)n->unique_sectors_read * bytes + (double)n->unique_sectors_written * bytes;
    cost->data_cycles = (float)(cycles / times);
    cost->l2_bytes = (float)(sectors * SECTOR_BYTES / times);
    cost->memory_bytes = (float)(moved * costing->launch->cold / times);
    double waiting = (double)(c->missed_requests + c->late_requests);
    cost->l2_share = (float)(seen ? ratio(waiting, (double)c->requests) * (loads + atomics) / times : 1);
    double each = c->missed_requests ? waiting / (double)c->missed_requests : 1;
    cost->memory_share =
        (float)smaller((double)n->global_load_fresh * each * costing->launch->cold / times, 1);
}

/*
 * ptxas makes one wide load of neighbouring ones: it takes fewer wavefronts than they did, how many depends on how
 * many addresses the warp has. Fitted to what ncu counts (docs/measured-h100.md, lab 05, 08 and 09).
 */
static double merged_wavefronts(double wavefronts, double merged)
{
    return merged > 1 ? 1 + (merged * wavefronts - 1) * 0.35 : wavefronts;
}

/* Bytes that a load or store moves for a lane, by its type and vector length: 0: not known. */
static double op_bytes(const struct ptx_instr *instr)
{
    double count = 1, size = 0;
    for (int i = 0; instr && i < instr->mod_count; i++) {
        if (strcmp(instr->mods[i], "v2") == 0 || strcmp(instr->mods[i], "v4") == 0)
            count = instr->mods[i][1] - '0';
        else if (ptx_type_find(instr->mods[i]) != PTX_NOTYPE)
            size = ptx_type_size(ptx_type_find(instr->mods[i]));
    }
    return count * size;
}

/*
 * Shared memory has no atomic addition of floating-point numbers: ptxas makes a loop of load, add, compare and swap, in
 * which of the lanes that meet on a word one gets through each time.
 */
#define ATOMS_CAS  0x18d
#define CAS_CYCLES 90

/* If nearly all lanes of a warp meet on one word, it is taken to be that of the other warps, too. */
static double attempts(const struct timing_launch *launch, double passes)
{
    return passes > 24 ? passes * launch->trace->warps : passes;
}

static bool is_cas(const struct ptx_instr *instr)
{
    for (int i = 0; instr && i < instr->mod_count; i++)
        if (strcmp(instr->mods[i], "cas") == 0)
            return true;
    return false;
}

static void cost_of_shared(const struct costing *costing, int op, const struct sass *s,
                           struct pipeline_cost *cost)
{
    const struct sim_counters *n = counter_of(costing->launch->set, op);
    double times = (double)costing->launch->counts[op].warps;
    cost->data_cycles = 1;
    if (!n || times == 0)
        return;
    double passes = (double)(s->counts_lanes ? n->shared_atomic_words : n->shared_atomic_passes);
    double wavefronts = (double)n->shared_load_wavefronts + (double)n->shared_store_wavefronts -
                        (double)n->shared_bypass_wavefronts + 0.5 * (double)n->shared_atomic_requests +
                        0.9 * passes;
    double bytes = op_bytes(costing->launch->code->instrs[op]);
    double merged = s->kind == SASS_LOAD && bytes > 0 ? s->bytes / bytes : 1;
    cost->data_cycles = (float)merged_wavefronts(wavefronts / times, merged);
    if (s->opcode == ATOMS_CAS && n->shared_atomic_passes && !is_cas(costing->launch->code->instrs[op]))
        cost->extra_latency =
            (float)(CAS_CYCLES * attempts(costing->launch, (double)n->shared_atomic_passes / times));
}

/*
 * Local memory of the threads that an SM holds lies in L1 as long as there is room; a warp comes back to its own after
 * all others had their turn, so what is too much for L1 is always gone. What is stored goes through L1 to L2, and is
 * gone from L1 as well: arrays that are written again and again are read from L2.
 */
static double local_misses(const struct costing *costing)
{
    const struct timing_launch *launch = costing->launch;
    double bytes = (double)launch->machine_code->frame_bytes * launch->threads * launch->blocks_per_sm;
    double l1 = (double)costing->l1_bytes;
    if (costing->stores_locally)
        return 1;
    return bytes <= l1 ? 0 : bytes >= 1.5 * l1 ? 1 : (bytes - l1) / (0.5 * l1);
}

static void cost_of_local(const struct costing *costing, int op, const struct sass *s,
                          struct pipeline_cost *cost)
{
    const struct sim_counters *n = op >= 0 ? counter_of(costing->launch->set, op) : NULL;
    double times = op >= 0 ? (double)costing->launch->counts[op].warps : 0;
    double sectors =
        s->bytes > 4 ? s->bytes : 4; /* what was spilled: the same word of all lanes side by side */
    if (n && times > 0 && n->local_sectors)
        sectors = (double)n->local_sectors / times;
    double missed = local_misses(costing);
    cost->data_cycles = (float)(sectors > 4 ? sectors / 4 : 1);
    double each = s->kind == SASS_STORE ? (sectors > 4 ? PART_SECTORS : STORE_SECTORS) : 1;
    cost->l2_bytes = (float)(sectors * SECTOR_BYTES * missed * each);
    cost->l2_share = (float)(s->kind == SASS_STORE ? 0 : missed);
}

static bool stores_locally(const struct machine_code *code)
{
    int loads = 0, stores = 0;
    for (int i = 0; i < code->code.count; i++)
        if (code->code.instrs[i].unit == SASS_LOCAL)
            ++*(code->code.instrs[i].kind == SASS_STORE ? &stores : &loads);
    return 4 * stores > loads;
}

static void cost_of_constant(const struct costing *costing, int op, struct pipeline_cost *cost)
{
    const struct sim_counters *n = op >= 0 ? counter_of(costing->launch->set, op) : NULL;
    cost->data_cycles =
        n && n->const_requests ? (float)(2.0 * (double)n->const_passes / (double)n->const_requests) : 2;
}

/* Constants that come by ULDC: the words of each are read in turns, of which `missed` wait for another cache. */
static double constants_missed(const struct trace *trace)
{
    double reads = 0, missed = 0;
    for (int i = 0; i < trace->count; i++) {
        reads += (double)trace->blocks[i].constants.reads;
        missed += (double)trace->blocks[i].constants.missed;
    }
    return ratio(missed, reads);
}

static void cost_of_uniform(const struct costing *costing, int op, const struct sass *s, double missed,
                            struct pipeline_cost *cost)
{
    const struct sim_counters *n = op >= 0 ? counter_of(costing->launch->set, op) : NULL;
    double bytes = op >= 0 ? op_bytes(costing->launch->code->instrs[op]) : 0;
    if (n && n->const_requests && bytes > 0)
        cost->constant_share = (float)smaller(missed * s->bytes / bytes, 1);
}

static void fill_costs(struct costing *costing)
{
    const struct machine_code *code = costing->launch->machine_code;
    double missed = constants_missed(costing->launch->trace);
    costing->stores_locally = stores_locally(code);
    for (int i = 0; i < code->code.count; i++) {
        const struct sass *s = &code->code.instrs[i];
        struct pipeline_cost *cost = &costing->costs[i];
        int op = code->ops[i];
        if ((s->unit == SASS_GLOBAL || s->unit == SASS_TEXTURE) && op >= 0)
            cost_of_global(costing, op, cost);
        else if (s->unit == SASS_SHARED && op >= 0)
            cost_of_shared(costing, op, s, cost);
        else if (s->unit == SASS_CONST)
            cost_of_constant(costing, op, cost);
        else if (s->unit == SASS_UNIFORM)
            cost_of_uniform(costing, op, s, missed, cost);
        else if (s->unit == SASS_LOCAL)
            cost_of_local(costing, op, s, cost);
        else if (s->unit == SASS_SHUFFLE || s->unit == SASS_SHARED || s->unit == SASS_GLOBAL)
            cost->data_cycles = 1;
    }
}

/* ---- warps --------------------------------------------------------------------------------------------- */

/* How often each warp of the blocks watched ran each block of the PTX: as often as the operation in it that ran most. */
static void fill_wanted(struct costing *costing)
{
    const struct machine_code *code = costing->launch->machine_code;
    const struct trace *trace = costing->launch->trace;
    size_t blocks = (size_t)code->ptx_block_count, at = 0;
    for (int i = 0; i < trace->count; i++)
        for (int w = 0; w < trace->warps; w++, at++) {
            uint32_t *wanted = costing->wanted + at * blocks;
            for (int op = 0; op < trace->operations && trace->blocks[i].run; op++) {
                uint64_t times = trace->blocks[i].warps[w].counts[op].warps;
                uint32_t *most = &wanted[code->ptx_block[op]];
                if (times > *most)
                    *most = (uint32_t)times;
            }
            costing->warps[at].wanted = wanted;
        }
}

static bool is_vote(const struct sass *s)
{
    return s->opcode == 0x006 || s->opcode == 0x086 || s->opcode == 0x1c4; /* VOTE, VOTEU, REDUX */
}

static int traced_blocks(const struct trace *trace)
{
    int count = 0;
    while (count < trace->count && trace->blocks[count].run)
        count++;
    return count;
}

/* ---- all together -------------------------------------------------------------------------------------- */

/*
 * The pipeline's shares are those of the busiest SM while it has blocks. As Nsight Compute counts, a unit's share is over
 * all SMs and the whole time, which `cycles` is: of `rounds` blocks that the busiest SM has, the others have fewer.
 */
static void spread_over_sms(const struct timing_launch *launch, const struct pipeline_machine *machine,
                            double rounds, double cycles, struct pipeline_result *r)
{
    const struct sim_profile *profile = launch->profile;
    double sms = profile->sm_count, blocks = (double)launch->blocks, active = smaller(blocks, sms);
    double whole = r->cycles < cycles ? r->cycles / cycles : 1;
    /* L2 and memory: the SMs that have blocks share them, but none can take more than its own path carries. */
    double l2 = machine->l2_bytes * active * profile->clock_ghz / profile->l2_gbs;
    double memory = machine->memory_bytes * active * profile->clock_ghz / memory_rate(launch);
    for (int i = 0; i < PIPELINE_LIMITERS; i++) {
        double among = i == PIPELINE_L2 ? l2 / active : i == PIPELINE_MEMORY ? memory / active : 1 / sms;
        r->busy[i] *= whole * among * blocks / rounds;
    }
}

static const char *limiter_name(const struct pipeline_result *r)
{
    static const char *const names[PIPELINE_LIMITERS] = {
        [PIPELINE_MEMORY] = "DRAM bandwidth",
        [PIPELINE_L2] = "L2 bandwidth",
        [PIPELINE_L1] = "L1 throughput",
        [PIPELINE_SHARED] = "shared-memory bandwidth",
        [PIPELINE_ISSUE] = "instruction issue",
        [PIPELINE_FMA] = "FP32 arithmetic",
        [PIPELINE_INT] = "integer arithmetic",
        [PIPELINE_FP64] = "FP64 arithmetic",
        [PIPELINE_HALF] = "half-precision arithmetic",
        [PIPELINE_XU] = "special functions and conversions",
        [PIPELINE_LATENCY] = "latency",
        [PIPELINE_BARRIER] = "barriers",
        [PIPELINE_CONST] = "constant cache",
    };
    static const int stalls[PIPELINE_STALLS] = {
        [STALL_FIXED] = PIPELINE_LATENCY,   [STALL_MEMORY] = PIPELINE_LATENCY,
        [STALL_RESULT] = PIPELINE_LATENCY,  [STALL_UNIT] = PIPELINE_ISSUE,
        [STALL_QUEUE] = PIPELINE_SHARED,    [STALL_CONST] = PIPELINE_CONST,
        [STALL_BARRIER] = PIPELINE_BARRIER,
    };
    int best = stalls[r->stall];
    double most = 0.6; /* a unit that is busy for less holds no warp back: waiting does */
    for (int i = 0; i < PIPELINE_LIMITERS; i++)
        if (i != PIPELINE_LATENCY && i != PIPELINE_BARRIER && r->busy[i] > most) {
            best = i;
            most = r->busy[i];
        }
    return names[best];
}

/* Whether ptxas has the lanes of a warp add up what they have for one address: the atomics stand behind a vote. */
static bool adds_up_first(const struct timing_launch *launch)
{
    const struct machine_code *code = launch->machine_code;
    bool any = false;
    for (int i = 0; i < code->code.count; i++) {
        const struct sass *s = &code->code.instrs[i];
        bool votes = false;
        if (s->unit != SASS_GLOBAL || s->kind != SASS_ATOMIC)
            continue;
        for (int k = 0; k < code->code.count; k++)
            votes |= code->ops[k] == code->ops[i] && is_vote(&code->code.instrs[k]);
        if (!votes)
            return false;
        any = true;
    }
    return any;
}

/* The longest block of the launch by itself: as long as one that was watched, but for the operations that it has more. */
static double longest_alone(const struct costing *costing, const struct pipeline_task *task)
{
    const struct trace *trace = costing->launch->trace;
    struct pipeline_task alone = *task;
    struct pipeline_result one;
    int best = 0;
    for (int i = 1; i < task->kinds; i++)
        if (trace->blocks[i].operations > trace->blocks[best].operations)
            best = i;
    alone.kinds = 1;
    alone.blocks = 1;
    alone.warps = task->warps + (size_t)best * (size_t)task->warps_per_block;
    if (!pipeline_run(&alone, &one))
        return 0;
    double fixed = costing->machine.start_latency + costing->machine.memory_latency;
    double known = (double)trace->blocks[best].operations + 1, more = (double)trace->longest - known;
    double each = later(0.25, 6.0 / task->warps_per_block); /* where the block watched tells little of it */
    if (more < 8 * known)
        each = (one.cycles > fixed ? one.cycles - fixed : 0) / known;
    return one.cycles + (more > 0 ? more : 0) * each;
}

/* What the blocks watched have to do, as operations of a block, and what all blocks have. */
static double work_watched(const struct costing *costing, const struct pipeline_task *task)
{
    double watched = 0;
    for (int i = 0; i < task->kinds; i++)
        watched += (double)costing->launch->trace->blocks[i].operations / task->kinds;
    return watched;
}

static double work_of_all(const struct costing *costing)
{
    return (double)costing->launch->trace->executed / (double)costing->launch->trace->ended;
}

/* The blocks watched may have less or more to do than the others: then time goes with the work. */
static void adjust_for_others(const struct costing *costing, const struct pipeline_task *task,
                              struct pipeline_result *all)
{
    double watched = work_watched(costing, task), mean = work_of_all(costing);
    if (watched > 0 && (mean > 1.05 * watched || mean < 0.95 * watched))
        all->cycles *= mean / watched;
}

/* Nothing ends before the longest block does: 0 where no block is much longer than the others. */
static double least_cycles(const struct costing *costing, const struct pipeline_task *task)
{
    bool longer = (double)costing->launch->trace->longest > 1.5 * work_of_all(costing);
    return work_watched(costing, task) > 0 && longer ? longest_alone(costing, task) : 0;
}

/* From the last block's arrival at a grid's barrier until all go on; measured: 1.2 us on an H100, 1.1 on an H200. */
#define GRID_SYNC_SECONDS 1.2e-6

/* How often a block went through it: each time its first thread adds to a word of the launch's own. */
static double grid_barriers(const struct timing_launch *launch)
{
    const struct trace_warp *warp = &launch->trace->blocks[0].warps[0];
    uint64_t line = launch->workspace >> TRACE_LINE_SHIFT;
    double count = 0;
    for (unsigned i = 0; launch->workspace && i < warp->count; i++)
        count += trace_kind(warp->touches[i]) == TRACE_ATOMIC && trace_line(warp->touches[i]) == line;
    return count;
}

static void run_pipeline(const struct costing *costing, struct timing_result *result)
{
    const struct timing_launch *launch = costing->launch;
    const struct sim_profile *profile = launch->profile;
    struct pipeline_result r;
    struct sim_rates rates;
    uint64_t sms = (uint64_t)profile->sm_count;
    struct pipeline_task task = {
        .code = launch->machine_code,
        .machine = &costing->machine,
        .costs = costing->costs,
        .warps = costing->warps,
        .kinds = traced_blocks(launch->trace),
        .warps_per_block = launch->trace->warps,
        .resident = launch->blocks_per_sm,
        .blocks = (launch->blocks + sms - 1) / sms,
        .most_instructions = 300000,
    };
    if (!pipeline_run(&task, &r))
        return;
    adjust_for_others(costing, &task, &r);
    double cycles = later(r.cycles, least_cycles(costing, &task));
    spread_over_sms(launch, &costing->machine, (double)task.blocks, cycles, &r);
    result->seconds = cycles / (profile->clock_ghz * 1e9);
    result->limiter = limiter_name(&r);
    double units = (double)counter_hottest_atomic(launch->set, adds_up_first(launch));
    sim_profile_rates(profile, &rates);
    double atomics = units * rates.atomic_int_ns * 1e-10;
    result->seconds += GRID_SYNC_SECONDS * grid_barriers(launch);
    if (atomics > result->seconds) {
        result->seconds = atomics;
        result->limiter = "atomics on one address";
    }
}

/* Times that an SM is filled with blocks, at least once. */
static unsigned waves_of(const struct timing_launch *launch)
{
    uint64_t wave = (uint64_t)launch->profile->sm_count * (uint64_t)launch->blocks_per_sm;
    uint64_t waves = wave ? launch->blocks / wave : 1;
    return waves > 1000 ? 1000 : waves > 1 ? (unsigned)waves : 1;
}

bool timing_of_launch(const struct timing_launch *launch, struct timing_result *result)
{
    struct costing costing = {.launch = launch, .machine = machine_of(launch)};
    const struct trace *trace = launch->trace;
    size_t warps = (size_t)trace->count * (size_t)trace->warps;
    size_t l1 =
        launch->profile->shared_per_sm + 28 * 1024; /* 256 KiB in all where 228 can be shared memory */
    size_t taken = launch->shared * (size_t)launch->blocks_per_sm;
    costing.l1_bytes = l1 > taken ? l1 - taken : 0;
    *result = (struct timing_result){0};
    costing.cache = calloc((size_t)launch->code->count + 1, sizeof *costing.cache);
    costing.costs = calloc((size_t)launch->machine_code->code.count + 1, sizeof *costing.costs);
    costing.warps = calloc(warps + 1, sizeof *costing.warps);
    costing.wanted =
        calloc(warps * (size_t)launch->machine_code->ptx_block_count + 1, sizeof *costing.wanted);
    if (costing.cache && costing.costs && costing.warps && costing.wanted && traced_blocks(trace) > 0 &&
        launch->blocks_per_sm > 0 && cache_run(trace, costing.l1_bytes, waves_of(launch), costing.cache)) {
        fill_costs(&costing);
        fill_wanted(&costing);
        run_pipeline(&costing, result);
    }
    free(costing.cache);
    free(costing.costs);
    free(costing.warps);
    free(costing.wanted);
    return result->seconds > 0;
}
