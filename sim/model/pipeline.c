#include "sim/model/pipeline.h"

#include <stdlib.h>
#include <string.h>

#include "sim/model/pipeline_internal.h"

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

/*
 * When the slot's next instruction could be issued, and why not sooner. A queue of L2 and memory serves older blocks
 * first, and the warps of a block as they come: so it counts since when the warp has waited for a place there.
 */
static struct choice possible_at(struct pipeline *p, int partition, struct slot *slot)
{
    const struct sass *s = &p->task->code->code.instrs[slot->next];
    struct choice choice = {.slot = slot};
    const double results = choice.when = results_at(slot, s, &choice.reason);
    /* A unit's queue holds a few instructions; then those behind wait where they are. */
    double queue = is_memory(s->unit) || s->unit == SASS_CONST ? 64 : 2;
    double unit = unit_of(p, partition, s->unit)->free - queue;
    if (is_memory(s->unit))
        unit = later(unit, p->data.free - queue);
    if (s->unit == SASS_CONST)
        unit = later(unit, p->constants.free - queue);
    if (s->unit == SASS_GLOBAL) {
        double full = later(p->l2.free, p->memory.free) - 2 * p->machine->memory_latency;
        choice.since = full > later(unit, results) ? results : 0;
        choice.start = choice.since > 0 ? p->places[slot->block].start : 0;
        unit = later(unit, full);
    }
    if (unit > choice.when && s->unit != SASS_NONE) {
        choice.when = unit;
        choice.reason = pipeline_limiter_of(s->unit);
    }
    return choice;
}

static bool is_before(const struct choice *a, const struct choice *b)
{
    if (a->when != b->when)
        return a->when < b->when;
    return a->start != b->start ? a->start < b->start : a->since < b->since;
}

/* Of those that could go at the same time the one that is next in the queue, otherwise the oldest one. */
static struct choice choose(struct pipeline *p, int partition)
{
    struct choice best = {.slot = NULL};
    for (int i = partition; i < p->slot_count; i += PARTITIONS) {
        struct slot *slot = &p->slots[i];
        if (!slot->used || slot->at_barrier || (best.slot && slot->ready >= best.when))
            continue;
        struct choice choice = possible_at(p, partition, slot);
        choice.when = later(choice.when, p->clock[partition]);
        if (!best.slot || is_before(&choice, &best))
            best = choice;
        if (choice.when <= p->clock[partition])
            break; /* none can go sooner */
    }
    return best;
}

static int earliest(const struct pipeline *p)
{
    int best = -1;
    for (int k = 0; k < PARTITIONS; k++)
        if (p->next[k].slot && (best < 0 || is_before(&p->next[k], &p->next[best])))
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

/* Notes which instruction's result the warp has waited for. */
static void note_waits(struct pipeline *p, const struct slot *slot, const struct sass *s, double ready)
{
    double latest = ready;
    int instr = -1;
    for (unsigned rest = s->wait; rest; rest &= rest - 1) {
        int k = __builtin_ctz(rest);
        if (slot->release[k] > latest) {
            latest = slot->release[k];
            instr = slot->released_by[k];
        }
    }
    if (instr >= 0)
        p->waited_for[instr] += latest - ready;
}

/* The warp comes to what needs the results of loads. */
static void note_loads(struct pipeline *p, struct slot *slot, const struct sass *s, double ready)
{
    for (unsigned rest = s->wait; rest; rest &= rest - 1) {
        const int k = __builtin_ctz(rest);
        struct pipeline_load *load = &p->load[slot->released_by[k]];
        if (!slot->of_load[k])
            continue;
        slot->of_load[k] = false;
        load->times++;
        load->behind += slot->arithmetic - slot->arithmetic_at[k];
        for (int i = 0; i < LOADS_MAX; i++)
            load->in_flight += slot->load_done[i] > ready;
    }
}

static bool is_far(int reason)
{
    return reason == PIPELINE_L1 || reason == PIPELINE_L2 || reason == PIPELINE_MEMORY;
}

/* What the warp has done since it issued last: until its results were there, and from then on. */
static void note_doing(struct pipeline *p, const struct slot *slot, int unit, bool far, double results,
                       double possible, double when)
{
    float(*const doing)[SIM_SM_SPANS] = p->sm->doing;
    const double ready = later(slot->ready, slot->issued + 1);
    const int stall = stall_of_unit(unit);
    note_time(p, doing[SIM_SM_WORKS], slot->issued, ready, 1);
    note_time(p, doing[far ? SIM_SM_MEMORY : SIM_SM_RESULT], ready, results, 1);
    note_time(p, doing[stall == STALL_MEMORY ? SIM_SM_MEMORY : SIM_SM_RESULT], later(ready, results),
              possible, 1);
    note_time(p, doing[SIM_SM_WORKS], later(ready, possible), when, 1);
    note_time(p, p->sm->issued, when, when + 1, 1.0 / PARTITIONS);
}

/* Notes why the warp that issues next has not issued before: as Nsight Compute's reasons for a stall. */
static void note_stalls(struct pipeline *p, int partition, struct slot *slot, double when)
{
    const struct sass *s = &p->task->code->code.instrs[slot->next];
    int reason;
    double results = results_at(slot, s, &reason), possible = possible_at(p, partition, slot).when;
    double ready = later(slot->ready, slot->issued + 1);
    bool far = is_far(reason);
    if (p->load)
        note_loads(p, slot, s, ready);
    if (p->waited_for) {
        p->waited_for[p->task->code->code.count] += when - slot->issued;
        if (far)
            note_waits(p, slot, s, ready);
    }
    p->stalled[STALL_FIXED] += ready - slot->issued - 1;
    p->stalled[far ? STALL_MEMORY : STALL_RESULT] += later(results - ready, 0);
    p->stalled[stall_of_unit(s->unit)] += possible - results;
    p->stalled[STALL_UNIT] += when - possible;
    if (p->sm)
        note_doing(p, slot, s->unit, far, results, possible, when);
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
    pipeline_issue(p, partition, best.slot, best.when);
    return true;
}

/* ---- all together -------------------------------------------------------------------------------------- */

/* Which group stands for each block of the PTX, and how many operations it has. */
static bool prepare_blocks(struct pipeline *p)
{
    const struct machine_code *code = p->task->code;
    p->first_group = calloc((size_t)code->ptx_block_count + 1, sizeof *p->first_group);
    p->block_operations = calloc((size_t)code->ptx_block_count + 1, sizeof *p->block_operations);
    if (!p->first_group || !p->block_operations)
        return false;
    for (int g = code->group_count - 1; g >= 0; g--)
        if (code->groups[g].decides)
            p->first_group[code->groups[g].ptx_block] = g + 1;
    for (int op = 0; op < code->op_count; op++)
        p->block_operations[code->ptx_block[op]]++;
    return true;
}

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
    return p->owed_l2 && p->owed_memory && p->done && prepare_blocks(p);
}

/* Ways of fewer operations have none that is left out and would count. */
#define SHORT_WAY 32

/* Where warps wait for each other, the time does not go with what all of them have to do. */
static bool has_barriers(const struct machine_code *code)
{
    for (int i = 0; i < code->code.count; i++)
        if (code->code.instrs[i].unit == SASS_BARRIER)
            return true;
    return false;
}

/* Of PTX blocks that machine code was found for: operations that a walk should have run, and that it has. */
static void compare_work(const struct pipeline *p, const struct walk *walk, double *wanted, double *done)
{
    const struct machine_code *code = p->task->code;
    for (int g = 0; g < code->group_count; g++) {
        int block = code->groups[g].ptx_block;
        if (p->first_group[block] != g + 1)
            continue;
        double times = walk->wanted[block], operations = p->block_operations[block];
        *wanted += times * operations;
        *done += (walk->done[block] < times ? walk->done[block] : times) * operations;
    }
}

/* A walk of this length is cut off. If a loop was to end long before, its end was not recognized. */
#define WALK_MOST (UINT64_C(1) << 24)

static bool runs_away(const struct pipeline *p, const struct walk *walk)
{
    const struct machine_code *code = p->task->code;
    for (int g = 0; walk->left == 0 && g < code->group_count; g++)
        if (code->groups[g].decides &&
            walk->done[code->groups[g].ptx_block] / 2 > walk->wanted[code->groups[g].ptx_block])
            return true;
    return false;
}

/* How many blocks of that kind there are. */
static double blocks_of_kind(const struct pipeline_task *task, int kind)
{
    double count = 0;
    if (!task->order)
        return (double)task->blocks / task->kinds;
    for (uint64_t i = 0; i < task->blocks; i++)
        count += task->order[i] == kind;
    return count;
}

/*
 * ptxas may leave out or put off a few of the instructions that work. Fewer than this part of the least number of them are
 * a mistake of the walks, if a warp has more than a few.
 */
#define LEAST_PART 0.75
#define FEW_WORK   8

/* How many instructions the blocks have in all. */
static double count_instructions(struct pipeline *p)
{
    double wanted = 0, done = 0;
    const struct pipeline_task *task = p->task;
    double sum = 0, times = 0, works = 0, least = 0;
    for (int i = 0; i < task->kinds * task->warps_per_block; i++) {
        struct walk walk;
        bool runs;
        times = i % task->warps_per_block ? times : blocks_of_kind(task, i / task->warps_per_block);
        memset(p->done, 0, (size_t)task->code->ptx_block_count * sizeof *p->done);
        walk_begin(&walk, task->code, task->warps[i].wanted, p->done, WALK_MOST);
        for (int instr; (instr = walk_next(&walk, &runs)) >= 0; sum += times)
            works += runs && task->code->works[instr];
        for (int b = 0; walk.left && b < task->code->ptx_block_count; b++) /* all of it, if not cut off */
            least += task->code->least_work[b] * task->warps[i].wanted[b];
        p->runs_away |= runs_away(p, &walk);
        compare_work(p, &walk, &wanted, &done);
    }
    bool is_short = wanted < SHORT_WAY * task->kinds * task->warps_per_block;
    p->left_out = done > 0 && !is_short && !has_barriers(task->code) ? wanted / done : 1;
    p->falls_short =
        least > FEW_WORK * task->kinds * task->warps_per_block && works * p->left_out < LEAST_PART * least;
    return sum;
}

/* What warps are at when no more is run. */
static void note_rest(struct pipeline *p)
{
    p->sm_end = p->now < p->sm_end ? p->now : p->sm_end;
    for (int i = 0; i < p->slot_count; i++) {
        struct slot *slot = &p->slots[i];
        int reason;
        if (slot->used && slot->at_barrier) {
            note_time(p, p->sm->doing[SIM_SM_WORKS], slot->issued, slot->ready, 1);
            note_time(p, p->sm->doing[SIM_SM_BARRIER], slot->ready, p->now, 1);
        } else if (slot->used) {
            const struct sass *s = &p->task->code->code.instrs[slot->next];
            const double results = results_at(slot, s, &reason);
            note_doing(p, slot, s->unit, is_far(reason), results, possible_at(p, i % PARTITIONS, slot).when,
                       p->now);
        }
    }
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

static void run(struct pipeline *p, double all, struct pipeline_result *result)
{
    const struct pipeline_task *task = p->task;
    for (int place = 0; place < task->resident && p->started < task->blocks; place++)
        pipeline_start_block(p, place, 0);
    result->complete = !run_until(p, task->most_instructions / 2);
    double half_time = p->now, half = (double)p->issued;
    if (!result->complete)
        result->complete = !run_until(p, task->most_instructions);
    result->cycles = p->now;
    report(p, result);
    result->left_out = p->left_out;
    if (!result->complete && (double)p->issued > half && all > (double)p->issued)
        result->cycles += (all - (double)p->issued) * (p->now - half_time) / ((double)p->issued - half);
}

bool pipeline_run(const struct pipeline_task *task, struct pipeline_result *result)
{
    struct pipeline *p = calloc(1, sizeof *p);
    *result = (struct pipeline_result){.waited = result->waited, .loads = result->loads, .sm = result->sm};
    bool good = p && task->resident * task->warps_per_block <= SLOTS_MAX && prepare(p, task);
    double all = good ? count_instructions(p) : 0;
    good = good && !p->runs_away && !p->falls_short;
    if (good) {
        p->waited_for = result->waited;
        p->load = result->loads;
        p->sm = result->sm;
        p->sm_end = SIM_SM_CYCLES;
        if (p->sm)
            sm_begin(p->sm);
        run(p, all, result);
        if (p->sm)
            note_rest(p);
        result->sm_end = p->sm_end;
    }
    if (p) {
        free(p->owed_l2);
        free(p->owed_memory);
        free(p->done);
        free(p->first_group);
        free(p->block_operations);
    }
    free(p);
    return good;
}
