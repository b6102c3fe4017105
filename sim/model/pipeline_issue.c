/* What a warp does with its turn: requests, barriers, the end of a block and the start of the next one. */
#include <string.h>

#include "sim/model/pipeline_internal.h"

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

void pipeline_start_block(struct pipeline *p, int place, double when)
{
    const struct pipeline_task *task = p->task;
    int warps = task->warps_per_block;
    size_t ptx_blocks = (size_t)task->code->ptx_block_count;
    double begin = later(when, p->last_start + p->machine->start_interval);
    if (p->started == 0)
        begin = 0;
    p->last_start = begin;
    p->places[place] = (struct place){.live = warps, .used = true, .start = begin};
    for (int w = 0; w < warps; w++) {
        int index = place * warps + w;
        struct slot *slot = &p->slots[index];
        *slot = (struct slot){.done = p->done + (size_t)index * ptx_blocks, .block = place, .used = true};
        memset(slot->done, 0, ptx_blocks * sizeof *slot->done);
        int kind = task->order ? task->order[p->started] : (int)(p->started % (uint64_t)task->kinds);
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
            if (p->sm)
                note_time(p, p->sm->doing[SIM_SM_BARRIER], slot->ready, free, 1);
        }
        if (p->sm)
            note_time(p, p->sm->doing[SIM_SM_WORKS], slot->issued, slot->ready, 1);
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
    if (p->finished == SIM_SM_FILLINGS * (uint64_t)p->task->resident && p->now < p->sm_end)
        p->sm_end = p->now;
    block->used = false;
    if (p->started < p->task->blocks)
        pipeline_start_block(p, slot->block, slot->ready);
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
            done = l2 + m->l2_latency + (double)cost->extra_latency;
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

int pipeline_limiter_of(int unit)
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

/* What the load asks for is on its way. */
static void note_flight(struct pipeline *p, const struct sass *s, int instr, double when, double done,
                        int reason)
{
    if (p->sm && s->kind != SASS_STORE && (reason == PIPELINE_L2 || reason == PIPELINE_MEMORY))
        note_time(p, p->sm->bytes, when, done, (double)p->task->costs[instr].load_bytes);
}

/* What there is between a load and the use of its result. */
static void note_work(struct slot *slot, const struct sass *s, double done)
{
    const bool loads = s->unit == SASS_GLOBAL && s->kind == SASS_LOAD;
    slot->arithmetic += s->unit == SASS_FMA || s->unit == SASS_FP64 || s->unit == SASS_HALF;
    if (loads && slot->runs)
        slot->load_done[slot->loads++ % LOADS_MAX] = done;
    if (s->release_result < SASS_BARRIERS) {
        slot->of_load[s->release_result] = loads && slot->runs;
        slot->arithmetic_at[s->release_result] = slot->arithmetic;
    }
}

void pipeline_issue(struct pipeline *p, int partition, struct slot *slot, double when)
{
    const struct sass *s = &p->task->code->code.instrs[slot->next];
    const struct pipeline_machine *m = p->machine;
    const int instr = slot->next;
    double done = when + 1, read = when + 4;
    int reason = pipeline_limiter_of(s->unit);
    /* Where FP64 has as many lanes as a data-center GPU, it takes the issue slot for as long as it takes lanes. */
    bool holds = s->unit == SASS_FP64 && m->unit_cycles[SASS_FP64] <= 4;
    p->clock[partition] = when + (holds ? m->unit_cycles[SASS_FP64] : 1);
    p->issued++;
    slot->ready = when + (s->stall > 1 ? s->stall : 1);
    if (s->unit == SASS_UNIFORM &&
        falls_due(&p->owed_l2[slot->next], p->task->costs[slot->next].constant_share)) {
        if (p->sm)
            note_time(p, p->sm->doing[SIM_SM_RESULT], when, when + m->constant_latency, 1);
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
            note_flight(p, s, instr, when, done, reason);
            read = served + (double)p->task->costs[slot->next].data_cycles + 10;
        } else {
            if (s->unit == SASS_CONST)
                served = serve(&p->constants, served, (double)p->task->costs[slot->next].data_cycles);
            done = served + m->latency[s->unit] + (double)p->task->costs[slot->next].extra_latency;
        }
    }
    note_work(slot, s, done);
    if (s->release_result < SASS_BARRIERS) {
        slot->release[s->release_result] = later(slot->release[s->release_result], done);
        slot->waits_for[s->release_result] = reason;
        slot->released_by[s->release_result] = instr;
    }
    if (s->release_read < SASS_BARRIERS) {
        slot->release[s->release_read] = later(slot->release[s->release_read], read);
        slot->waits_for[s->release_read] = reason;
        slot->released_by[s->release_read] = instr;
    }
    if (s->unit == SASS_BARRIER && slot->runs) {
        struct place *block = &p->places[slot->block];
        slot->at_barrier = true;
        block->arrived++;
        block->last_arrival =
            later(block->last_arrival, serve(&p->barriers, when, m->barrier_cycles) - m->barrier_cycles);
    }
    advance(slot);
    if (s->kind == SASS_JUMP && slot->next >= 0 && slot->next != instr + 1)
        slot->ready += m->jump_cycles;
    if (slot->at_barrier)
        complete_barrier(p, slot->block);
    if (slot->next < 0)
        end_warp(p, slot);
}
