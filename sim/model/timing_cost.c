/* What each instruction costs: fitted figures are of an H100 80GB HBM3 (docs/model.md). */
#include <math.h>
#include <string.h>

#include "sim/core/device.h"
#include "sim/memory/memory.h"
#include "sim/model/timing_internal.h"
#include "sim/ptx/ptx.h"

#define SECTOR_BYTES 32.0

/*
 * What a sector takes of L2 beside one of a coalesced load, on an H100: one that is written, one of an atomic, the same if
 * its result is wanted, one that lanes apart load, one that an instruction fills in part. L2 serves the sectors of a line
 * together: so of the last two, a sector alone in its line takes more than each of four. bench/stores.cu stores 100e9
 * sectors in part per second by fours, and 58e9 alone; PART_ALONE is fitted with what else the kernels wait for, as are
 * the others. An H200 runs 99e9 atomics per second at random places in 1 to 32 MB, 75e9 if their results are wanted.
 */
#define STORE_SECTORS  1.6
#define ATOMIC_SECTORS 3.2
#define RESULT_SECTORS 4.5
#define LOAD_ALONE     2.0
#define PART_TOGETHER  2.8
#define PART_ALONE     4.2

/*
 * By how many cycles an atomic's result is later than what a load finds in L2, for one word on an H200: 502 instead of 292 in all.
 * On another one and for another word it was 275 instead of 265; for the mean of many words 399 instead of 287 (docs/model.md).
 */
#define ATOMIC_LATENCY 210

/*
 * L2 has some 80 slices, among which lines are spread by a hash: of few lines the busiest slice has more than its share,
 * and what is stored at random waits for it. Of n lines in s places the fullest has about n / s + sqrt(2 n / s ln s).
 */
#define SLICES 80.0

static double busiest_slice(double lines)
{
    return 1 + sqrt(2 * log(SLICES) * SLICES / later(lines, 1));
}

/* `each`: sectors of a line that a request touches; 0: not known. */
static double by_line(double together, double alone, double each)
{
    return each > 1 ? together + (alone - together) * (4 - smaller(each, 4)) / 3 : alone;
}

double timing_load_apart(double each)
{
    return by_line(1, LOAD_ALONE, each);
}

/* Those filled in part, if each of them is half full, or all; `ideal`: as many as the bytes would fill. */
static double sectors_in_part(double touched, double ideal)
{
    return smaller(touched, 2 * later(touched - ideal, 0));
}

static double sectors_in_l2(const struct sim_counters *n, const struct cache_counts *c, double missed,
                            double far, double atomic)
{
    double loads = (double)n->global_load_sectors, stores = missed * (double)n->global_store_sectors;
    double near = smaller(loads, (double)n->global_load_sectors_ideal + (double)n->global_load_requests);
    double part = sectors_in_part(stores, (double)n->global_store_sectors_ideal);
    double lines = (double)n->unique_sectors_written / 4;
    double each = ratio((double)c->sectors, (double)c->lines);
    double crowd = lines > 0 ? 1 + (busiest_slice(lines) - 1) * far : 1;
    return missed * (near + timing_load_apart(each) * (loads - near)) + STORE_SECTORS * (stores - part) +
           crowd * by_line(PART_TOGETHER, PART_ALONE, each) * part +
           atomic * (double)n->global_atomic_sectors;
}

/*
 * Bytes that memory moves for a sector. It moves pieces of 64 bytes; what is written in part is read before.
 * At random places each sector opens a page of its own: then the rate at which memory opens pages is the limit, and not
 * its bytes. What is written there, in part or by an atomic, is read before, and memory must turn round between the two.
 * Fitted to an H100 and an H200.
 */
#define FAR_WRITES 2.3

/* That random touches of memory take, as bytes of a stream. */
static double bytes_of_far_sector(const struct timing_launch *launch)
{
    const struct sim_profile *profile = launch->profile;
    double random = profile->random_gsectors > 0 ? profile->random_gsectors : 0.01 * profile->dram_gbs;
    return timing_memory_rate(launch) / random;
}

/* `times`: how often it comes; what L2 has lost before it was whole was written in part. */
static double bytes_of_sector(const struct costing *costing, const struct cache_counts *c,
                              const struct sim_counters *n, double times)
{
    double lone = ratio((double)c->lone_sectors, (double)c->met_sectors);
    double far = ratio((double)c->far_sectors, (double)c->missed_sectors);
    double stores = (double)n->global_store_sectors;
    double fills = ratio(sectors_in_part(stores, (double)n->global_store_sectors_ideal), stores);
    double part = stores > 0 ? later(costing->part, fills * (1 - exp(1 - times))) : 0;
    double atomic = n->global_atomic_sectors ? 1 : 0;
    double near = SECTOR_BYTES * (1 + lone) * (1 + part * (1 + lone));
    double apart = bytes_of_far_sector(costing->launch) * (1 + (FAR_WRITES - 1) * later(part, atomic));
    return (1 - far) * near + far * apart;
}

/*
 * Random touches come again when L2 has lost the sector: it keeps what was touched for a part of the launch's time, as
 * long as what comes in that time fits (Che, Tung, Wang, "Hierarchical web caching systems", 2002). Each half of L2 keeps
 * copies of what the other half's SMs read. An H200 takes as long for 2^22 loads from 64, 128 and 256 MB as if memory had
 * to send 57, 76 and 89 % of them: 33 to 39 of its 60 MB are room.
 */
#define ROOM_SHARE 0.6

/* `touches` of N sectors at random leave N (1 - exp(-touches / N)) different ones: touches / N from how many these are. */
static double touches_of_each(double touches, double unique)
{
    double low = 0, high = 64;
    for (int i = 0; i < 40; i++) {
        double middle = 0.5 * (low + high);
        *(touches * (1 - exp(-middle)) > unique * middle ? &low : &high) = middle;
    }
    return high;
}

struct timing_touched timing_touched(double touches, double unique, double random)
{
    struct timing_touched t = {.unique = unique};
    if (random > 0 && unique > 0 && touches > unique) {
        t.random = random;
        t.each = touches_of_each(touches, unique);
    }
    return t;
}

/* Whole pieces of memory (the rows of a tile) are read again by other blocks at about the same time. */
static double sectors_kept(const struct timing_touched *t, double kept)
{
    double random = t->random > 0 ? (1 - exp(-t->each * kept)) / (1 - exp(-t->each)) : 0;
    return t->unique * (t->random * random + (1 - t->random) * kept);
}

double timing_kept(const struct sim_profile *profile, const struct timing_touched *touched, int count)
{
    const double room = ROOM_SHARE * (double)profile->l2_bytes / SECTOR_BYTES;
    double low = 0, high = 1, sectors = 0;
    for (int i = 0; i < count; i++)
        sectors += touched[i].unique;
    for (int round = 0; round < 30 && sectors > room; round++) {
        double middle = 0.5 * (low + high), held = 0;
        for (int i = 0; i < count; i++)
            held += sectors_kept(&touched[i], middle);
        *(held < room ? &low : &high) = middle;
    }
    return high;
}

double timing_comes_again(const struct timing_touched *t, double kept)
{
    if (t->random == 0)
        return 1;
    double lost = exp(-t->each * kept);
    return 1 - t->random + t->random * (1 - lost + t->each * (1 - kept) * lost) / (1 - exp(-t->each));
}

static struct timing_touched touched_by(const struct costing *costing, int op)
{
    const struct sim_counters *n = counter_of(costing->launch->set, op);
    const struct cache_counts *c = &costing->cache[op];
    double missed = ratio((double)c->missed_sectors, (double)c->sectors);
    return timing_touched(
        missed * (double)(n->global_load_sectors + n->global_store_sectors + n->global_atomic_sectors),
        (double)(n->unique_sectors_read + n->unique_sectors_written),
        ratio((double)c->far_sectors, (double)c->missed_sectors) *
            ratio((double)c->lone_sectors, (double)c->met_sectors));
}

/* The allocation of the operation's first request that was watched; NULL: none was. */
static const struct allocation *place_of(const struct timing_launch *launch, int op)
{
    const struct trace *trace = launch->trace;
    for (int i = 0; i < trace->count; i++)
        for (int w = 0; w < trace->warps && trace->blocks[i].run; w++)
            for (unsigned k = 0; k < trace->blocks[i].warps[w].count; k++) {
                const trace_touch touch = trace->blocks[i].warps[w].touches[k];
                if (trace_op(touch) == op)
                    return memory_at(launch->kernel->sim->memory, trace_line(touch) << TRACE_LINE_SHIFT);
            }
    return NULL;
}

static double touches_of(const struct timing_touched *t)
{
    return t->unique * t->each / (1 - exp(-t->each));
}

void timing_share(struct timing_touched *t, const struct allocation **places, int count)
{
    for (int i = 0; i < count; i++) {
        const struct allocation *place = places[i];
        double touches = 0, unique = 0;
        for (int k = i; place && k < count; k++)
            if (places[k] == place) {
                touches += touches_of(&t[k]);
                unique += t[k].unique;
            }
        const double each = place ? touches_of_each(touches, unique) : 0;
        for (int k = i; place && k < count; k++)
            if (places[k] == place) {
                t[k].unique = unique * touches_of(&t[k]) / touches;
                t[k].each = each;
                places[k] = NULL;
            }
    }
}

/* Of all that an operation touches: bytes that memory moves for it, as far as L2 does not have it. */
static double memory_bytes(const struct costing *costing, int op)
{
    const struct timing_touched *t = &costing->touched[op];
    const struct cache_counts *c = &costing->cache[op];
    double times = timing_comes_again(t, costing->kept);
    return t->unique * times * costing->launch->cold *
           (c->requests ? bytes_of_sector(costing, c, counter_of(costing->launch->set, op), times)
                        : SECTOR_BYTES);
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

static void cost_of_global(const struct costing *costing, int op, const struct sass *s,
                           struct pipeline_cost *cost)
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
    bool returns = s->kind == SASS_ATOMIC && s->release_result < SASS_BARRIERS;
    double sectors = sectors_in_l2(n, c, missed, ratio((double)c->far_sectors, (double)c->missed_sectors),
                                   returns ? RESULT_SECTORS : ATOMIC_SECTORS);
    cost->extra_latency = returns ? ATOMIC_LATENCY : 0;
    cost->data_cycles = (float)(cycles / times);
    cost->l2_bytes = (float)(sectors * SECTOR_BYTES / times);
    cost->memory_bytes = (float)(memory_bytes(costing, op) / times);
    double waiting = (double)(c->missed_requests + c->late_requests);
    cost->l2_share = (float)(seen ? ratio(waiting, (double)c->requests) * (loads + atomics) / times : 1);
    if (cost->l2_share > 0)
        cost->load_bytes =
            (float)(missed * SECTOR_BYTES * (double)(n->global_load_sectors + n->global_atomic_sectors) /
                    (times * (double)cost->l2_share));
    double each = c->missed_requests ? waiting / (double)c->missed_requests : 1;
    cost->memory_share =
        (float)smaller((double)n->global_load_fresh * each * costing->launch->cold / times, 1);
}

/*
 * ptxas makes one wide load of neighboring ones: it takes fewer wavefronts than they did, how many depends on how
 * many addresses the warp has. Fitted to what ncu counts (docs/evidence/measured-h100.md, lab 05, 08 and 09).
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

static void cost_of_shared(const struct costing *costing, int op, const struct sass *s,
                           struct pipeline_cost *cost)
{
    const struct ptx_instr *instr = costing->launch->code->instrs[op];
    const struct sim_counters *n = counter_of(costing->launch->set, op);
    double times = (double)costing->launch->counts[op].warps;
    cost->data_cycles = 1;
    if (!n || times == 0)
        return;
    double passes = (double)(s->counts_lanes ? n->shared_atomic_words : n->shared_atomic_passes);
    double wavefronts = (double)n->shared_load_wavefronts + (double)n->shared_store_wavefronts -
                        (double)n->shared_bypass_wavefronts + 0.5 * (double)n->shared_atomic_requests +
                        0.9 * passes;
    double bytes = op_bytes(instr);
    double merged = s->kind == SASS_LOAD && bytes > 0 ? s->bytes / bytes : 1;
    cost->data_cycles = (float)merged_wavefronts(wavefronts / times, merged);
    if (s->opcode == ATOMS_CAS && n->shared_atomic_passes && !(instr && ptx_has_modifier(instr, "cas")))
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
    double each = s->kind == SASS_STORE ? (sectors > 4 ? PART_ALONE : STORE_SECTORS) : 1;
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

void timing_fill_costs(struct costing *costing)
{
    const struct machine_code *code = costing->launch->machine_code;
    double missed = constants_missed(costing->launch->trace);
    struct sim_counters total = {0};
    counter_set_total(costing->launch->set, &total);
    costing->part =
        ratio(sectors_in_part((double)total.unique_sectors_written, (double)total.global_store_sectors_ideal),
              (double)total.unique_sectors_written);
    costing->stores_locally = stores_locally(code);
    for (int op = 0; op < costing->launch->code->count; op++)
        costing->touched[op] = touched_by(costing, op);
    for (int op = 0; op < costing->launch->code->count; op++)
        costing->places[op] = costing->touched[op].random > 0 ? place_of(costing->launch, op) : NULL;
    timing_share(costing->touched, costing->places, costing->launch->code->count);
    costing->kept = timing_kept(costing->launch->profile, costing->touched, costing->launch->code->count);
    for (int i = 0; i < code->code.count; i++) {
        const struct sass *s = &code->code.instrs[i];
        struct pipeline_cost *cost = &costing->costs[i];
        int op = code->ops[i];
        if ((s->unit == SASS_GLOBAL || s->unit == SASS_TEXTURE) && op >= 0)
            cost_of_global(costing, op, s, cost);
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
