/* Counts of memory traffic, by micro-operation while a kernel runs. */
#include "sim/core/code.h"
#include "sim/core/need.h"
#include "sim/core/simd.h"
#include "sim/model/counter.h"
#include "sim/model/counter_hot.h"
#include "sim/model/counter_ranges.h"

#include <string.h>

/* Of a set that counts clusters: which one, and what each has changed. */
struct sampled {
    struct sample_touch touch;
    struct hot_clusters clusters;
};

struct counter_set {
    struct hot_places hot;
    struct sampled *sampled; /* NULL: all blocks are run */
    const struct sim_kernel *kernel;
    struct sim_counters *ops; /* [count] of micro-operations; pages that count nothing are never touched */
    int count;
    struct touch_log *log; /* NULL: touched sectors are counted at once */
    uint64_t atomics;      /* requests of atomics in shared memory … */
    uint64_t *
        asked; /* [ASKED], by every second byte there: the last of them that asked for it; made when needed */
};

/* No device has more shared memory than 256 KiB per block, and no atomic fewer bytes than two. */
#define ASKED (128 * 1024)

void sim_counters_add(struct sim_counters *total, const struct sim_counters *part)
{
    _Static_assert(sizeof(struct sim_counters) % sizeof(uint64_t) == 0, "all fields are 64-bit counts");
    uint64_t *t = (uint64_t *)total;
    const uint64_t *p = (const uint64_t *)part;
    for (size_t i = 0; i < COUNTER_FIELDS; i++)
        t[i] += p[i];
}

/* ---- a launch's set ------------------------------------------------------------------------------------ */

struct counter_set *counter_set_create(const struct sim_kernel *kernel)
{
    struct counter_set *set = calloc(1, sizeof *set);
    if (!set)
        return NULL;
    set->kernel = kernel;
    set->count = kernel->op_count;
    set->ops = calloc((size_t)set->count + 1, sizeof *set->ops);
    if (!set->ops) {
        free(set);
        return NULL;
    }
    return set;
}

void counter_set_destroy(struct counter_set *set)
{
    if (!set)
        return;
    free(set->sampled);
    free(set->ops);
    memory_unmap(set->asked, ASKED * sizeof *set->asked);
    free(set);
}

/* ---- global memory ------------------------------------------------------------------------------------- */

/* Lines of 128 bytes: L1 looks up one a cycle. */
static uint64_t count_lines(const struct access *access)
{
    uint64_t first = access->address[__builtin_ctz(access->lanes)], lines = 0, last = UINT64_MAX;
    uint64_t bytes = (uint64_t)access->size;
    if (access->shape == SHAPE_CONTIGUOUS)
        bytes *= (uint64_t)simd_lane_count(access->lanes);
    if (access->shape == SHAPE_CONTIGUOUS || access->shape == SHAPE_UNIFORM)
        return ((first + bytes - 1) >> 7) - (first >> 7) + 1;
    /* Scattered lanes that meet again in a line are mostly neighbors; others count twice. */
    for (uint32_t rest = access->lanes; rest; rest &= rest - 1) {
        uint64_t line = access->address[__builtin_ctz(rest)] >> 7;
        lines += line != last;
        last = line;
    }
    return lines;
}

/* What a load or store of a warp costs; `asked`: sectors that its bytes would fill. */
struct global_cost {
    uint64_t requests, sectors, asked, fresh;
};

static void add_global(struct sim_counters *c, bool is_store, struct global_cost cost)
{
    /* lanes that share a word need less */
    const uint64_t ideal = cost.asked < cost.sectors ? cost.asked : cost.sectors;
    if (is_store) {
        c->unique_sectors_written += cost.fresh;
        c->global_store_requests++;
        c->global_store_sectors += cost.sectors;
        c->global_store_sectors_ideal += ideal;
        return;
    }
    c->unique_sectors_read += cost.fresh;
    c->global_load_requests += cost.requests;
    c->global_load_sectors += cost.sectors;
    c->global_load_sectors_ideal += ideal;
    c->global_loads++;
    c->global_load_fresh += cost.fresh > 0;
}

static void count_global(struct counter_set *set, struct sim_counters *c, const struct access *access)
{
    const struct sim *sim = set->kernel->sim;
    struct global_cost cost = {
        .requests = (uint64_t)counter_requests(access),
        .sectors = (uint64_t)counter_sectors(access),
        .asked = ((uint64_t)simd_lane_count(access->lanes) * (uint64_t)access->size + 31) / 32};
    if (set->log)
        counter_log_touch(set->log, sim->memory, access);
    else
        cost.fresh = counter_touch(sim->memory, access, sim->launch_count);
    if (set->sampled)
        counter_touch_cluster(sim->memory, access, &set->sampled->touch);
    c->global_lines += count_lines(access);
    if (access->kind != ACCESS_ATOMIC) {
        add_global(c, access->kind == ACCESS_STORE, cost);
        return;
    }
    c->unique_sectors_written += cost.fresh;
    c->global_atomic_requests++;
    c->global_atomic_sectors += cost.sectors;
    if (!hot_note(&set->hot, access, set->log != NULL))
        set->log->failed = true;
}

void counter_row(struct counter_set *set, int pc, bool is_store, struct allocation *a, uint64_t first,
                 uint64_t bytes)
{
    const uint64_t last = first + bytes - 1;
    struct global_cost cost = {
        .requests = 1, .sectors = (uint64_t)sectors_of_range(first, bytes), .asked = bytes / SECTOR};
    if (set->log)
        counter_log_row(set->log, a, pc, is_store, first, bytes);
    else
        cost.fresh = counter_touch_row(a, is_store, set->kernel->sim->launch_count, first, bytes);
    if (set->sampled)
        counter_touch_cluster_row(a, is_store, &set->sampled->touch, first, bytes);
    set->ops[pc].global_lines += (last >> 7) - (first >> 7) + 1;
    add_global(&set->ops[pc], is_store, cost);
}

static unsigned char largest(const unsigned char count[32])
{
    unsigned char most = 0;
    for (int i = 0; i < 32; i++)
        most = count[i] > most ? count[i] : most;
    return most;
}

/* Atomics in one bank of 4 bytes wait for each other: the most lanes in any, and the most different words. */
static void count_passes(struct counter_set *set, struct sim_counters *c, const struct access *access)
{
    unsigned char lanes[32] = {0}, words[32] = {0};
    if (!set->asked)
        set->asked = memory_map_lazily(ASKED * sizeof *set->asked);
    if (!set->asked)
        sim_out_of_memory(ASKED * sizeof *set->asked, "counting atomics in shared memory");
    set->atomics++;
    for (uint32_t rest = access->lanes; rest; rest &= rest - 1) {
        const uint64_t address = access->address[__builtin_ctz(rest)];
        uint64_t *asked = &set->asked[address / 2 % ASKED];
        lanes[address / 4 % 32]++;
        words[address / 4 % 32] += *asked != set->atomics;
        *asked = set->atomics;
    }
    c->shared_atomic_passes += largest(lanes);
    c->shared_atomic_words += largest(words);
}

static void count_shared(struct counter_set *set, struct sim_counters *c, const struct access *access)
{
    if (access->kind == ACCESS_ATOMIC) {
        c->shared_atomic_requests++;
        count_passes(set, c, access);
        return;
    }
    struct wavefronts w = counter_count_wavefronts(access);
    if (access->kind == ACCESS_LOAD) {
        c->shared_load_requests++;
        c->shared_load_wavefronts += (uint64_t)w.needed;
        c->shared_load_wavefronts_ideal += (uint64_t)w.ideal;
    } else {
        c->shared_store_requests++;
        c->shared_store_wavefronts += (uint64_t)w.needed;
        c->shared_store_wavefronts_ideal += (uint64_t)w.ideal;
        c->shared_bypass_wavefronts += access->path == PATH_BYPASS ? (uint64_t)w.needed : 0;
    }
}

/* Different addresses among the lanes. */
static uint64_t count_words(const struct access *access)
{
    uint64_t words = 0;
    for (uint32_t rest = access->lanes; rest; words++)
        take_equal(access, &rest);
    return words;
}

void counter_access(struct counter_set *set, const struct access *access)
{
    if (!set || access->lanes == 0 || (unsigned)access->pc >= (unsigned)set->count)
        return;
    struct sim_counters *c = &set->ops[access->pc];
    switch (access->space) {
    case PTX_SHARED: count_shared(set, c, access); break;
    case PTX_LOCAL:
        c->local_requests++;
        c->local_sectors += (uint64_t)counter_local_sectors(access);
        break;
    case PTX_CONST:
        c->const_requests++;
        c->const_passes += count_words(access);
        break;
    case PTX_PARAM: break;
    default: count_global(set, c, access);
    }
}

void counter_shared_row(struct counter_set *set, int pc)
{
    struct sim_counters *c = &set->ops[pc];
    c->shared_load_requests++;
    c->shared_load_wavefronts++;
    c->shared_load_wavefronts_ideal++;
}

const struct sim_counters *counter_of(const struct counter_set *set, int pc)
{
    return (unsigned)pc < (unsigned)set->count ? &set->ops[pc] : NULL;
}

void counter_add(struct counter_set *set, int pc, const struct sim_counters *part)
{
    if (set && (unsigned)pc < (unsigned)set->count)
        sim_counters_add(&set->ops[pc], part);
}

uint64_t counter_hottest_atomic(const struct counter_set *set, const bool *merged)
{
    return hot_most(&set->hot, merged);
}

/* ---- a launch that several threads share --------------------------------------------------------------- */

bool counter_set_log(struct counter_set *set, struct touch_log *log)
{
    set->log = log;
    log->fresh = calloc((size_t)set->count + 1, sizeof *log->fresh);
    return log->fresh != NULL;
}

void counter_add_fresh(struct counter_set *set, const struct touch_log *log)
{
    for (int pc = 0; pc < set->count; pc++) {
        set->ops[pc].unique_sectors_read += log->fresh[pc].sectors[0];
        set->ops[pc].unique_sectors_written += log->fresh[pc].sectors[1];
        set->ops[pc].global_load_fresh += log->fresh[pc].loads;
    }
}

bool counter_set_merge(struct counter_set *set, const struct counter_set *part)
{
    if (!hot_merge(&set->hot, &part->hot))
        return false;
    for (int pc = 0; pc < set->count; pc++)
        sim_counters_add(&set->ops[pc], &part->ops[pc]);
    return !part->log || !part->log->failed;
}

void counter_replay(struct counter_set *set, const struct touch_log *log, size_t begin, size_t end)
{
    const struct sim *sim = set->kernel->sim;
    for (size_t i = begin; i < end;) {
        int pc;
        bool is_write;
        unsigned fresh = counter_touch_again(sim->memory, log, &i, end, sim->launch_count, &pc, &is_write);
        struct sim_counters *c = &set->ops[pc];
        *(is_write ? &c->unique_sectors_written : &c->unique_sectors_read) += fresh;
        if (!is_write)
            c->global_load_fresh += fresh > 0;
    }
}

/* ---- a sample of a launch ------------------------------------------------------------------------------ */

bool counter_set_cluster(struct counter_set *set, uint64_t cluster, bool drawn)
{
    if (!set->sampled)
        set->sampled = calloc(1, sizeof *set->sampled);
    if (!set->sampled)
        return false;
    hot_end_cluster(&set->hot, &set->sampled->clusters);
    set->sampled->touch = (struct sample_touch){set->kernel->sim->launch_count, cluster, drawn};
    return true;
}

void counter_set_total(const struct counter_set *set, struct sim_counters *total)
{
    for (int pc = 0; pc < set->count; pc++)
        sim_counters_add(total, &set->ops[pc]);
}

static uint64_t scaled(uint64_t count, double scale)
{
    return (uint64_t)((double)count * scale + 0.5);
}

void counter_set_extrapolate(struct counter_set *set, const struct counter_set *part, double scale)
{
    hot_end_cluster(&part->hot, &part->sampled->clusters);
    hot_extrapolate(&set->hot, &part->hot, &part->sampled->clusters, scale);
    for (int pc = 0; pc < set->count; pc++) {
        uint64_t *to = (uint64_t *)&set->ops[pc];
        const uint64_t *from = (const uint64_t *)&part->ops[pc];
        for (size_t i = 0; i < COUNTER_FIELDS; i++)
            to[i] += scaled(from[i], scale);
    }
}

void counter_set_footprint(struct counter_set *set, const double sectors[2], double unsure)
{
    struct sim_counters total = {0};
    counter_set_total(set, &total);
    const double reads = total.unique_sectors_read ? sectors[0] / (double)total.unique_sectors_read : 0;
    const double writes =
        total.unique_sectors_written ? sectors[1] / (double)total.unique_sectors_written : 0;
    if (set->count > 0)
        set->ops[0].unsure_sectors = (uint64_t)unsure;
    for (int pc = 0; pc < set->count; pc++) {
        struct sim_counters *c = &set->ops[pc];
        c->unique_sectors_read = scaled(c->unique_sectors_read, reads);
        c->unique_sectors_written = scaled(c->unique_sectors_written, writes);
        c->global_load_fresh = scaled(c->global_load_fresh, reads);
        if (c->global_load_fresh > c->global_loads)
            c->global_load_fresh = c->global_loads;
    }
}

const struct sim *counter_set_device(const struct counter_set *set)
{
    return set->kernel->sim;
}
