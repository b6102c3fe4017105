#include "sim/model/pipeline.h"

#include <stdlib.h>
#include <string.h>

#include "sim/model/walk.h"

#define PARTITIONS 4
#define SLOTS_MAX  64 /* warps of an SM */

/* By how much a memory that is always busy answers later than one that is idle, beyond the time in its queue. Fitted. */
#define LOADED_LATENCY 0.6

/* A queue of requests that is served at a fixed rate. */
struct server {
    double free, busy;
};

struct slot { /* of a warp */
    struct walk walk;
    uint32_t *done;
    double issued;                 /* cycle of its last one, or of what it waited for since */
    double ready;                  /* cycle of its next instruction, without what that waits for itself */
    double release[SASS_BARRIERS]; /* when its barriers will be released */
    int waits_for[SASS_BARRIERS];  /* enum pipeline_limiter: what will release them */
    int next;                      /* instruction; -1: none */
    bool runs, used, at_barrier;
    int block; /* place of its block */
};

struct place { /* of a block */
    int live, arrived;
    double last_arrival;
    bool used;
};

struct choice {
    struct slot *slot; /* NULL: none */
    double when;
    int reason;
};

struct pipeline {
    const struct pipeline_task *task;
    const struct pipeline_machine *machine;
    struct slot slots[SLOTS_MAX];
    int slot_count;
    struct place places[SLOTS_MAX];
    double clock[PARTITIONS];
    struct choice next[PARTITIONS]; /* whom each partition would let go, and when at the earliest … */
    bool stale[PARTITIONS];         /* … unless somebody was woken since */
    struct server units[PARTITIONS][SASS_UNITS];
    struct server data, l2, memory, constants;
    float *owed_l2,
        *owed_memory; /* [instructions + operations] shares of executions that have not come to a whole one */
    uint32_t *done;
    uint64_t started, finished, issued;
    double last_start, now;
    double waited[PIPELINE_LIMITERS];
    double stalled[PIPELINE_STALLS]; /* cycles of all warps that could not issue, by reason */
    double near;                     /* of the data path, busy with shared memory and shuffles */
    double integers;                 /* of the lanes for FP32, busy with integer multiply-adds */
};

static double later(double a, double b)
{
    return a > b ? a : b;
}

/* Serves a request that comes at `when`; returns when it is done. */
static double serve(struct server *server, double when, double cycles)
{
    server->free = later(server->free, when) + cycles;
    server->busy += cycles;
    return server->free;
}

/* ---- blocks come and go -------------------------------------------------------------------------------- */

static void advance(struct slot *slot)
{
    slot->next = walk_next(&slot->walk, &slot->runs);
}

static void start_block(struct pipeline *p, int place, double when)
{
    const struct pipeline_task *task = p->task;
    int warps = task->warps_per_block;
    size_t ptx_blocks = (size_t)task->code->ptx_block_count;
    double begin = later(when, p->last_start + p->machine->start_interval);
    if (p->started == 0)
        begin = 0;
    p->last_start = begin;
    p->places[place] = (struct place){.live = warps, .used = true};
    for (int w = 0; w < warps; w++) {
        int index = place * warps + w;
        struct slot *slot = &p->slots[index];
        *slot = (struct slot){.done = p->done + (size_t)index * ptx_blocks, .block = place, .used = true};
        memset(slot->done, 0, ptx_blocks * sizeof *slot->done);
        int kind = (int)(p->started % (uint64_t)task->kinds);
        walk_begin(&slot->walk, task->code, task->warps[kind * warps + w].wanted, slot->done, UINT64_MAX);
        slot->ready = slot->issued = begin + p->machine->start_latency;
        advance(slot);
    }
    p->started++;
    memset(p->stale, true, sizeof p->stale);
}

static void complete_barrier(struct pipeline *p, int place)
{
    struct place *block = &p->places[place];
    if (!block->live || block->arrived < block->live)
        return;
    for (int w = 0; w < p->task->warps_per_block; w++) {
        struct slot *slot = &p->slots[place * p->task->warps_per_block + w];
        if (!slot->used || !slot->at_barrier)
            continue;
        slot->at_barrier = false;
        double free = block->last_arrival + p->machine->barrier_latency;
        if (free > slot->ready) {
            p->waited[PIPELINE_BARRIER] += free - slot->ready;
            p->stalled[STALL_BARRIER] += free - slot->ready;
        }
        slot->ready = slot->issued = later(slot->ready, free);
    }
    block->arrived = 0;
    memset(p->stale, true, sizeof p->stale);
}

static void end_warp(struct pipeline *p, struct slot *slot)
{
    struct place *block = &p->places[slot->block];
    slot->used = false;
    if (slot->ready > p->now)
        p->now = slot->ready;
    if (--block->live > 0) {
        complete_barrier(p, slot->block);
        return;
    }
    p->finished++;
    block->used = false;
    if (p->started < p->task->blocks)
        start_block(p, slot->block, slot->ready);
}

/* ---- one instruction ----------------------------------------------------------------------------------- */

/* Whether this execution is one of the `share` that take the longer way. */
static bool falls_due(float *owed, float share)
{
    *owed += share;
    if (*owed < 0.999f)
        return false;
    *owed -= 1;
    return true;
}

static bool is_memory(int unit)
{
    return unit == SASS_GLOBAL || unit == SASS_LOCAL || unit == SASS_TEXTURE || unit == SASS_SHARED ||
           unit == SASS_SHUFFLE;
}

/* Instructions that were made from one micro-operation, unrolled, miss in turns. */
static int owner_of(const struct machine_code *code, int instr)
{
    return code->ops[instr] >= 0 ? code->code.count + code->ops[instr] : instr;
}

/* A request's way through L1, L2 and memory; when the result is there, and what it was waited for last. */
static double access_memory(struct pipeline *p, int instr, const struct sass *s, double when, int *reason)
{
    const struct pipeline_cost *cost = &p->task->costs[instr];
    const struct pipeline_machine *m = p->machine;
    bool near = s->unit == SASS_SHARED || s->unit == SASS_SHUFFLE;
    int owner = owner_of(p->task->code, instr);
    double at = serve(&p->data, when, (double)cost->data_cycles);
    p->near += near ? (double)cost->data_cycles : 0;
    *reason = near ? PIPELINE_SHARED : PIPELINE_L1;
    double done = at + (near ? m->latency[s->unit] : m->l1_latency) + (double)cost->extra_latency;
    if (cost->l2_bytes > 0) {
        double l2 = serve(&p->l2, at, (double)cost->l2_bytes / m->l2_bytes);
        if (falls_due(&p->owed_l2[owner], cost->l2_share)) {
            done = l2 + m->l2_latency;
            *reason = PIPELINE_L2;
        }
    }
    if (cost->memory_bytes > 0) {
        double memory = serve(&p->memory, at, (double)cost->memory_bytes / m->memory_bytes);
        if (falls_due(&p->owed_memory[owner], cost->memory_share)) {
            double load = p->memory.busy / (memory + 1);
            done = later(done, memory + m->memory_latency * (1 + LOADED_LATENCY * load));
            *reason = PIPELINE_MEMORY;
        }
    }
    return done;
}

static int limiter_of_unit(int unit)
{
    switch (unit) {
    case SASS_FMA: return PIPELINE_FMA;
    case SASS_IMAD:
    case SASS_ALU:
    case SASS_UNIFORM: return PIPELINE_INT;
    case SASS_HALF: return PIPELINE_HALF;
    case SASS_FP64: return PIPELINE_FP64;
    case SASS_XU: return PIPELINE_XU;
    case SASS_SHARED:
    case SASS_SHUFFLE: return PIPELINE_SHARED;
    default: return PIPELINE_LATENCY;
    }
}

/* FP32 and integer multiply-adds use the same lanes; an integer one takes more of them. */
static struct server *unit_of(struct pipeline *p, int partition, int unit)
{
    return &p->units[partition][unit == SASS_IMAD ? SASS_FMA : unit];
}

static void issue(struct pipeline *p, int partition, struct slot *slot, double when)
{
    const struct sass *s = &p->task->code->code.instrs[slot->next];
    const struct pipeline_machine *m = p->machine;
    double done = when + 1, read = when + 4;
    int reason = limiter_of_unit(s->unit);
    /* Where FP64 has as many lanes as a data-center GPU, it takes the issue slot for as long as it takes lanes. */
    bool holds = s->unit == SASS_FP64 && m->unit_cycles[SASS_FP64] <= 4;
    p->clock[partition] = when + (holds ? m->unit_cycles[SASS_FP64] : 1);
    p->issued++;
    slot->ready = when + (s->stall > 1 ? s->stall : 1);
    if (s->unit == SASS_UNIFORM &&
        falls_due(&p->owed_l2[slot->next], p->task->costs[slot->next].constant_share)) {
        slot->ready += m->constant_latency;
        slot->issued += m->constant_latency;
        p->stalled[STALL_CONST] += m->constant_latency;
    }
    if (slot->runs && s->unit != SASS_NONE) {
        double cycles = 0.5 * s->half_passes * m->unit_cycles[s->unit];
        double served = serve(unit_of(p, partition, s->unit), when, cycles);
        p->integers += s->unit == SASS_IMAD ? cycles : 0;
        if (is_memory(s->unit)) {
            done = access_memory(p, slot->next, s, served, &reason);
            read = served + (double)p->task->costs[slot->next].data_cycles + 10;
        } else {
            if (s->unit == SASS_CONST)
                served = serve(&p->constants, served, (double)p->task->costs[slot->next].data_cycles);
            done = served + m->latency[s->unit] + (double)p->task->costs[slot->next].extra_latency;
        }
    }
    if (s->release_result < SASS_BARRIERS) {
        slot->release[s->release_result] = later(slot->release[s->release_result], done);
        slot->waits_for[s->release_result] = reason;
    }
    if (s->release_read < SASS_BARRIERS) {
        slot->release[s->release_read] = later(slot->release[s->release_read], read);
        slot->waits_for[s->release_read] = reason;
    }
    if (s->unit == SASS_BARRIER && slot->runs) {
        struct place *block = &p->places[slot->block];
        slot->at_barrier = true;
        block->arrived++;
        block->last_arrival = later(block->last_arrival, when);
    }
    advance(slot);
    if (slot->at_barrier)
        complete_barrier(p, slot->block);
    if (slot->next < 0)
        end_warp(p, slot);
}

/* ---- who is next --------------------------------------------------------------------------------------- */

/* When the results are there that the slot's next instruction waits for. */
static double results_at(const struct slot *slot, const struct sass *s, int *reason)
{
    double when = slot->ready;
    *reason = PIPELINE_ISSUE;
    for (unsigned rest = s->wait; rest; rest &= rest - 1) {
        int k = __builtin_ctz(rest);
        if (slot->release[k] > when) {
            when = slot->release[k];
            *reason = slot->waits_for[k];
        }
    }
    return when;
}

/* When the slot's next instruction could be issued. */
static double possible_at(struct pipeline *p, int partition, struct slot *slot, int *reason)
{
    const struct sass *s = &p->task->code->code.instrs[slot->next];
    double when = results_at(slot, s, reason);
    /* A unit's queue holds a few instructions; then those behind wait where they are. */
    double queue = is_memory(s->unit) || s->unit == SASS_CONST ? 64 : 2;
    double unit = unit_of(p, partition, s->unit)->free - queue;
    if (is_memory(s->unit))
        unit = later(unit, p->data.free - queue);
    if (s->unit == SASS_CONST)
        unit = later(unit, p->constants.free - queue);
    if (s->unit == SASS_GLOBAL)
        unit = later(unit, later(p->l2.free, p->memory.free) - 2 * p->machine->memory_latency);
    if (unit > when && s->unit != SASS_NONE) {
        when = unit;
        *reason = limiter_of_unit(s->unit);
    }
    return when;
}

/* Of those that could go at the same time the oldest one. */
static struct choice choose(struct pipeline *p, int partition)
{
    struct choice best = {NULL, 0, 0};
    for (int i = partition; i < p->slot_count; i += PARTITIONS) {
        struct slot *slot = &p->slots[i];
        int reason;
        if (!slot->used || slot->at_barrier)
            continue;
        double when = later(possible_at(p, partition, slot, &reason), p->clock[partition]);
        if (!best.slot || when < best.when)
            best = (struct choice){slot, when, reason};
    }
    return best;
}

static int earliest(const struct pipeline *p)
{
    int best = -1;
    for (int k = 0; k < PARTITIONS; k++)
        if (p->next[k].slot && (best < 0 || p->next[k].when < p->next[best].when))
            best = k;
    return best;
}

/*
 * The partition whose turn it is. What was chosen before may have been put off since, for units have become busy: so it
 * is chosen once more, until it does not change.
 */
static int choose_partition(struct pipeline *p)
{
    for (int k = 0; k < PARTITIONS; k++)
        if (p->stale[k]) {
            p->next[k] = choose(p, k);
            p->stale[k] = false;
        }
    for (;;) {
        int best = earliest(p);
        if (best < 0)
            return -1;
        double before = p->next[best].when;
        p->next[best] = choose(p, best);
        if (p->next[best].slot && p->next[best].when <= before)
            return best;
    }
}

/* Why a warp waits whose next instruction's unit is taken. */
static int stall_of_unit(int unit)
{
    switch (unit) {
    case SASS_SHARED:
    case SASS_SHUFFLE: return STALL_QUEUE;
    case SASS_CONST: return STALL_CONST;
    case SASS_GLOBAL:
    case SASS_LOCAL:
    case SASS_TEXTURE: return STALL_MEMORY;
    case SASS_SPECIAL:
    case SASS_BARRIER: return STALL_RESULT;
    default: return STALL_UNIT;
    }
}

/* Notes why the warp that issues next has not issued before: as Nsight Compute's reasons for a stall. */
static void note_stalls(struct pipeline *p, int partition, struct slot *slot, double when)
{
    const struct sass *s = &p->task->code->code.instrs[slot->next];
    int reason;
    int ignored;
    double results = results_at(slot, s, &reason), possible = possible_at(p, partition, slot, &ignored);
    double ready = later(slot->ready, slot->issued + 1);
    bool far = reason == PIPELINE_L1 || reason == PIPELINE_L2 || reason == PIPELINE_MEMORY;
    p->stalled[STALL_FIXED] += ready - slot->issued - 1;
    p->stalled[far ? STALL_MEMORY : STALL_RESULT] += later(results - ready, 0);
    p->stalled[stall_of_unit(s->unit)] += possible - results;
    p->stalled[STALL_UNIT] += when - possible;
    slot->issued = when;
}

static bool step(struct pipeline *p)
{
    int partition = choose_partition(p);
    if (partition < 0)
        return false;
    struct choice best = p->next[partition];
    p->stale[partition] = true;
    if (best.when > p->clock[partition])
        p->waited[best.reason] += best.when - p->clock[partition];
    p->now = later(p->now, best.when);
    note_stalls(p, partition, best.slot, best.when);
    issue(p, partition, best.slot, best.when);
    return true;
}

/* ---- all together -------------------------------------------------------------------------------------- */

static bool prepare(struct pipeline *p, const struct pipeline_task *task)
{
    size_t slots = (size_t)(task->resident * task->warps_per_block);
    p->task = task;
    p->machine = task->machine;
    p->slot_count = (int)slots;
    size_t owners = (size_t)(task->code->code.count + task->code->op_count);
    p->owed_l2 = calloc(owners + 1, sizeof *p->owed_l2);
    p->owed_memory = calloc(owners + 1, sizeof *p->owed_memory);
    p->done = calloc(slots * (size_t)task->code->ptx_block_count + 1, sizeof *p->done);
    return p->owed_l2 && p->owed_memory && p->done;
}

/* How many instructions the blocks have in all. */
static double count_instructions(struct pipeline *p)
{
    const struct pipeline_task *task = p->task;
    double sum = 0;
    for (int i = 0; i < task->kinds * task->warps_per_block; i++) {
        struct walk walk;
        bool runs;
        memset(p->done, 0, (size_t)task->code->ptx_block_count * sizeof *p->done);
        walk_begin(&walk, task->code, task->warps[i].wanted, p->done, UINT64_C(1) << 24);
        while (walk_next(&walk, &runs) >= 0)
            sum++;
    }
    return sum / task->kinds * (double)task->blocks;
}

/* Runs up to `limit` instructions; whether there are more. */
static bool run_until(struct pipeline *p, uint64_t limit)
{
    while (p->issued < limit)
        if (!step(p))
            return false;
    return true;
}

/* Without barriers: that the oldest warp goes first makes more of them than there is on a GPU. */
static int most_stalled(const struct pipeline *p)
{
    int best = 0;
    for (int i = 0; i < STALL_BARRIER; i++)
        if (p->stalled[i] > p->stalled[best])
            best = i;
    return best;
}

static void report(const struct pipeline *p, struct pipeline_result *result)
{
    double time = p->now > 0 ? p->now : 1;
    static const int units[] = {SASS_FMA, SASS_ALU, SASS_FP64, SASS_HALF, SASS_XU};
    static const int names[] = {PIPELINE_FMA, PIPELINE_INT, PIPELINE_FP64, PIPELINE_HALF, PIPELINE_XU};
    result->busy[PIPELINE_MEMORY] = p->memory.busy / time;
    result->busy[PIPELINE_L2] = p->l2.busy / time;
    result->busy[p->near > 0.5 * p->data.busy ? PIPELINE_SHARED : PIPELINE_L1] = p->data.busy / time;
    result->busy[PIPELINE_CONST] = p->constants.busy / time;
    result->busy[PIPELINE_ISSUE] = (double)p->issued / PARTITIONS / time;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        for (int k = 0; k < PARTITIONS; k++)
            result->busy[names[i]] += p->units[k][units[i]].busy / PARTITIONS / time;
    /* The lanes for FP32 go by what they do for most of the time. */
    if (p->integers / PARTITIONS / time > 0.5 * result->busy[PIPELINE_FMA]) {
        result->busy[PIPELINE_INT] = later(result->busy[PIPELINE_INT], result->busy[PIPELINE_FMA]);
        result->busy[PIPELINE_FMA] = 0;
    }
    result->busy[PIPELINE_LATENCY] =
        (p->waited[PIPELINE_LATENCY] + p->waited[PIPELINE_MEMORY] + p->waited[PIPELINE_L2]) / PARTITIONS /
        time;
    result->busy[PIPELINE_BARRIER] = p->waited[PIPELINE_BARRIER] / (double)p->slot_count / time;
    result->stall = most_stalled(p);
    result->instructions = p->issued;
}

static void run(struct pipeline *p, struct pipeline_result *result)
{
    const struct pipeline_task *task = p->task;
    double all = count_instructions(p);
    for (int place = 0; place < task->resident && p->started < task->blocks; place++)
        start_block(p, place, 0);
    result->complete = !run_until(p, task->most_instructions / 2);
    double half_time = p->now, half = (double)p->issued;
    if (!result->complete)
        result->complete = !run_until(p, task->most_instructions);
    result->cycles = p->now;
    report(p, result);
    if (!result->complete && (double)p->issued > half && all > (double)p->issued)
        result->cycles += (all - (double)p->issued) * (p->now - half_time) / ((double)p->issued - half);
}

bool pipeline_run(const struct pipeline_task *task, struct pipeline_result *result)
{
    struct pipeline *p = calloc(1, sizeof *p);
    *result = (struct pipeline_result){0};
    bool good = p && task->resident * task->warps_per_block <= SLOTS_MAX && prepare(p, task);
    if (good)
        run(p, result);
    if (p) {
        free(p->owed_l2);
        free(p->owed_memory);
        free(p->done);
    }
    free(p);
    return good;
}
