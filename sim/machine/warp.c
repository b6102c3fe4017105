/* Groups of lanes: splitting, meeting, waiting, taking turns. */
#include "sim/hazard/watch.h"
#include "sim/machine/warp.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "sim/machine/exec.h"
#include "sim/machine/exec_undefined.h"

/* A group may look this often at what could be a lock before others get their turn. */
#define SPIN_TURN 64
/* All groups of a warp together, before other warps get their turn. */
#define SPIN_SLICE (4 * SPIN_TURN)
/* So often a block lets others look at what it has just stored; beyond that it runs on, as it would without. */
#define TURNS_GIVEN_MAX 4096
/* Operations that a group may run while others of its warp could run. */
#define GROUP_TURN (1 << 20)

static bool shares_code_with(const struct group *a, const struct group *b)
{
    return a->frame == b->frame;
}

/* ---- life ---------------------------------------------------------------------------------------------- */

bool warp_create(struct warp *warp, struct block *block, unsigned index)
{
    const struct code *code = block->launch->code;
    memset(warp, 0, sizeof *warp);
    warp->block = block;
    warp->index = index;
    warp->ops = code->ops;
    warp->counts = block->counts;
    warp->watched = block->launch->hazards || block->launch->counters || block->launch->origin;
    warp->root = (struct frame){.references = 1, .layout = &code->functions[0]};
    warp->warp_rows = aligned_alloc(64, (code->warp_row_bytes + 64) / 64 * 64);
    if (!warp->warp_rows || !frame_reserve(warp, &warp->root)) {
        warp_destroy(warp);
        return false;
    }
    if (code->undefined && block->launch->hazards && !block->launch->origin)
        warp->undefined = undefined_create(code->undefined);
    warp->base[ROWS_LAUNCH] = block->launch->launch_rows;
    warp->base[ROWS_WARP] = warp->warp_rows;
    warp->base[ROWS_BLOCK] = block->block_rows;
    return true;
}

static void drop_groups(struct warp *warp)
{
    for (int i = 0; i < warp->group_count; i++)
        frame_release(warp->groups[i].frame);
    warp->group_count = 0;
}

void warp_destroy(struct warp *warp)
{
    drop_groups(warp);
    for (int k = 0; k < REGISTER_CLASSES; k++)
        free(warp->rows[k]);
    free(warp->predicates);
    free(warp->warp_rows);
    async_destroy(warp->async);
    undefined_destroy(warp->undefined);
    memset(warp, 0, sizeof *warp);
}

void warp_clear(struct warp *warp)
{
    const struct code *code = warp->block->launch->code;
    for (int k = 0; code->reads_undefined && k < REGISTER_CLASSES; k++)
        if (warp->rows[k])
            memset(warp->rows[k], 0, warp->rows_capacity[k]);
    memset(warp->predicates, 0, warp->predicate_capacity * sizeof *warp->predicates);
    warp->carry = 0;
}

void warp_start(struct warp *warp, uint32_t lanes)
{
    drop_groups(warp);
    warp->full = lanes;
    warp->forced = 0;
    async_reset(warp->async);
    if (warp->undefined)
        undefined_start(warp->undefined, warp->block->launch->code->undefined);
    memset(warp->stack_used, 0, sizeof warp->stack_used);
    warp->state = WARP_READY;
    warp->group_count = 1;
    warp->running = 0;
    warp->groups[0] = (struct group){.lanes = lanes, .pc = warp->root.layout->entry, .frame = &warp->root};
}

struct ptx_loc warp_loc(const struct warp *warp, const struct micro *op)
{
    return warp->block->launch->code->locs[op - warp->ops];
}

/* ---- changing groups ----------------------------------------------------------------------------------- */

static struct group *running_group(struct warp *warp)
{
    return &warp->groups[warp->running];
}

/* What the loop holds in warp->pc and warp->mask goes back into its group. */
static void save_running(struct warp *warp)
{
    running_group(warp)->pc = warp->pc;
    running_group(warp)->lanes = warp->mask;
    running_group(warp)->spins = warp->spins;
}

struct group *warp_add_group(struct warp *warp, uint32_t lanes, int pc, struct frame *frame)
{
    struct group *group = &warp->groups[warp->group_count++];
    *group = (struct group){.lanes = lanes, .pc = pc, .frame = frame};
    frame->references++;
    return group;
}

void warp_split(struct warp *warp, uint32_t lanes, int pc)
{
    warp->mask &= ~lanes;
    warp_add_group(warp, lanes, pc, running_group(warp)->frame);
}

static void remove_empty_groups(struct warp *warp)
{
    int kept = 0;
    for (int i = 0; i < warp->group_count; i++) {
        if (warp->groups[i].lanes == 0)
            frame_release(warp->groups[i].frame);
        else
            warp->groups[kept++] = warp->groups[i];
    }
    warp->group_count = kept;
}

/* Groups that can run and have met become one. */
static void merge_groups(struct warp *warp)
{
    for (int i = 0; i < warp->group_count; i++) {
        struct group *a = &warp->groups[i];
        for (int k = i + 1; k < warp->group_count && a->lanes && a->state == GROUP_READY; k++) {
            struct group *b = &warp->groups[k];
            if (b->state != GROUP_READY || b->pc != a->pc || !shares_code_with(a, b))
                continue;
            a->lanes |= b->lanes;
            a->yielded = false;
            a->spins = 0;
            b->lanes = 0;
        }
    }
    remove_empty_groups(warp);
}

/* A lane's end may be what others wait for: they look again. */
static void wake_collectives(struct warp *warp)
{
    for (int i = 0; i < warp->group_count; i++)
        if (warp->groups[i].state == GROUP_WARP_WAIT)
            warp->groups[i].state = GROUP_READY;
}

enum step warp_exit(struct warp *warp, uint32_t lanes)
{
    warp->full &= ~lanes;
    warp->mask &= ~lanes;
    warp->block->some_exited = true;
    mbarrier_finish(warp, lanes);
    async_finish(warp, lanes);
    if (warp->block->launch->hazards)
        hazard_exit(&warp->block->view, warp->index, lanes);
    wake_collectives(warp);
    return STEP_SCHEDULE;
}

enum step warp_spin(struct warp *warp)
{
    warp->slice_spins++;
    return ++warp->spins >= SPIN_TURN ? STEP_SCHEDULE : STEP_NEXT;
}

enum step warp_give_way(struct warp *warp)
{
    if (warp->block->turns_given >= TURNS_GIVEN_MAX)
        return STEP_NEXT;
    warp->block->turns_given++;
    warp->slice_spins = SPIN_SLICE;
    return STEP_SCHEDULE;
}

/* ---- waiting ------------------------------------------------------------------------------------------- */

/* Lanes that wait at this very collective, in the same frame. */
static uint32_t waiting_here(const struct warp *warp, const struct micro *op)
{
    uint32_t lanes = 0;
    for (int i = 0; i < warp->group_count; i++) {
        const struct group *group = &warp->groups[i];
        if (group->state == GROUP_WARP_WAIT && group->wait == op &&
            shares_code_with(group, &warp->groups[warp->running]))
            lanes |= group->lanes;
    }
    return lanes;
}

/* Of `here`, the lanes whose mask names no lane that lives and is missing. */
static uint32_t complete_lanes(const struct warp *warp, uint32_t here, const uint32_t *masks)
{
    uint32_t complete = 0;
    for (uint32_t rest = here; rest;) {
        uint32_t mask = masks[__builtin_ctz(rest)], same = 0;
        FOR_LANES(lane, rest)
        same |= masks[lane] == mask ? 1u << lane : 0;
        if ((mask & warp->full & ~same) == 0)
            complete |= same;
        rest &= ~same;
    }
    return complete;
}

static void take_waiting(struct warp *warp, const struct micro *op, uint32_t lanes)
{
    for (int i = 0; i < warp->group_count; i++)
        if (warp->groups[i].state == GROUP_WARP_WAIT && warp->groups[i].wait == op &&
            shares_code_with(&warp->groups[i], running_group(warp)))
            warp->groups[i].lanes &= ~lanes;
}

/* A group for each mask. */
static void wait_collective(struct warp *warp, const struct micro *op, uint32_t lanes, const uint32_t *masks)
{
    struct frame *frame = running_group(warp)->frame;
    warp->mask &= ~lanes;
    for (uint32_t rest = lanes; rest;) {
        const uint32_t mask = masks[__builtin_ctz(rest)];
        uint32_t same = 0;
        FOR_LANES(lane, rest)
        same |= masks[lane] == mask ? 1u << lane : 0;
        struct group *group = warp_add_group(warp, same, (int)(op - warp->ops), frame);
        group->state = GROUP_WARP_WAIT;
        group->wait = op;
        group->value = mask;
        rest &= ~same;
    }
}

static bool waits_at_such(const struct group *group, const struct micro *op, uint32_t mask)
{
    return group->state == GROUP_WARP_WAIT && group->wait->run == op->run && group->value == mask;
}

uint32_t warp_meet(struct warp *warp, const struct micro *op, uint32_t mask)
{
    uint32_t here = 0;
    for (int i = 0; i < warp->group_count; i++)
        here |= waits_at_such(&warp->groups[i], op, mask) ? warp->groups[i].lanes : 0;
    if (mask & warp->full & ~here)
        return 0;
    for (int i = 0; i < warp->group_count; i++)
        if (waits_at_such(&warp->groups[i], op, mask)) {
            warp->groups[i].state = GROUP_READY;
            warp->groups[i].pc++;
        }
    return here;
}

uint32_t warp_gather(struct warp *warp, const struct micro *op, uint32_t lanes, const uint32_t *masks)
{
    if (lanes & warp->forced) {
        warp->forced &= ~lanes;
        return lanes;
    }
    uint32_t first = masks[__builtin_ctz(lanes)], same = 1;
    FOR_LANES(lane, lanes)
    same &= masks[lane] == first;
    if (same && (first & warp->full & ~lanes) == 0)
        return lanes;
    uint32_t here = lanes | waiting_here(warp, op);
    uint32_t complete = complete_lanes(warp, here, masks);
    uint32_t stay = lanes & ~complete, join = complete & ~lanes;
    if (join) {
        take_waiting(warp, op, join);
        warp->mask |= join;
    }
    if (stay)
        wait_collective(warp, op, stay, masks);
    return complete;
}

void warp_wait_block(struct warp *warp, const struct micro *op, uint32_t lanes, unsigned barrier,
                     unsigned expected, uint32_t value)
{
    struct frame *frame = running_group(warp)->frame;
    warp->mask &= ~lanes;
    for (int i = 0; i < warp->group_count; i++) {
        struct group *group = &warp->groups[i];
        if (group->state == GROUP_BLOCK_WAIT && group->wait == op && group->frame == frame &&
            group->barrier == barrier && group->expected == expected) {
            group->lanes |= lanes;
            group->value |= value & lanes;
            return;
        }
    }
    struct group *group = warp_add_group(warp, lanes, warp->pc, frame);
    group->state = GROUP_BLOCK_WAIT;
    group->wait = op;
    group->barrier = barrier;
    group->expected = expected;
    group->value = value & lanes;
}

void warp_release(struct warp *warp, unsigned barrier)
{
    for (int i = 0; i < warp->group_count; i++)
        if (warp->groups[i].state == GROUP_BLOCK_WAIT && warp->groups[i].barrier == barrier)
            warp->groups[i].state = GROUP_READY;
}

/* ---- taking turns -------------------------------------------------------------------------------------- */

static bool runs_before(const struct group *a, const struct group *b)
{
    if (a->frame->depth != b->frame->depth)
        return a->frame->depth > b->frame->depth;
    return a->pc < b->pc;
}

static int best_group(const struct warp *warp)
{
    int best = -1;
    for (int i = 0; i < warp->group_count; i++) {
        const struct group *group = &warp->groups[i];
        if (group->state == GROUP_READY && !group->yielded &&
            (best < 0 || runs_before(group, &warp->groups[best])))
            best = i;
    }
    return best;
}

/* The lowest pc above the running group's at which one of its own depth stands. */
static int next_stop(const struct warp *warp)
{
    const struct group *running = &warp->groups[warp->running];
    int stop = INT_MAX;
    for (int i = 0; i < warp->group_count; i++) {
        const struct group *group = &warp->groups[i];
        if (group->state == GROUP_READY && !group->yielded && group->frame->depth == running->frame->depth &&
            group->pc > running->pc && group->pc < stop)
            stop = group->pc;
    }
    return stop;
}

/* Makes the best group the running one; false if none can run. */
static bool choose_group(struct warp *warp)
{
    if (warp->group_count > 1)
        merge_groups(warp);
    else
        remove_empty_groups(warp);
    warp->running = best_group(warp);
    if (warp->running < 0)
        return false;
    struct group *group = running_group(warp);
    frame_use(warp, group->frame);
    warp->mask = group->lanes;
    warp->pc = group->pc;
    warp->stop = warp->group_count > 1 ? next_stop(warp) : INT_MAX;
    warp->spins = group->spins;
    return true;
}

/* All that could run had their turn: they get another one. */
static bool end_round(struct warp *warp)
{
    bool any = false;
    for (int i = 0; i < warp->group_count; i++) {
        any |= warp->groups[i].state == GROUP_READY && warp->groups[i].yielded;
        warp->groups[i].yielded = false;
    }
    return any;
}

/*
 * No group can run, and some wait at collectives: if all that a waiting lane's mask names wait at collectives
 * too, they stand at different ones. Real hardware goes on, with wrong results; so do we, after a report.
 */
static bool free_mismatched(struct warp *warp)
{
    uint32_t waiting = 0;
    for (int i = 0; i < warp->group_count; i++)
        if (warp->groups[i].state == GROUP_WARP_WAIT)
            waiting |= warp->groups[i].lanes;
    if (!waiting || waiting != warp->full)
        return false;
    return exec_release_mismatched(warp);
}

static enum warp_state idle_state(const struct warp *warp)
{
    return warp->group_count == 0 ? WARP_DONE : WARP_WAITING;
}

enum warp_state warp_run(struct warp *warp, int64_t slice)
{
    const struct launch *launch = warp->block->launch;
    const warp_loop_fn loop = launch->origin    ? warp_loop_recorded
                              : warp->undefined ? warp_loop_undefined
                                                : launch->code->loop;
    warp->slice_spins = 0;
    for (;;) {
        if (!choose_group(warp)) {
            if (end_round(warp))
                return warp->state = WARP_SPINNING;
            if (free_mismatched(warp))
                continue;
            return warp->state = idle_state(warp);
        }
        bool alone = warp->group_count == 1;
        warp->budget = alone || slice < GROUP_TURN ? slice : GROUP_TURN;
        int64_t before = warp->turn = warp->budget;
        enum step step = loop(warp);
        slice -= before - warp->budget;
        warp->block->executed += (uint64_t)(before - warp->budget);
        save_running(warp);
        if (step == STEP_FAULT)
            return warp->state = WARP_FAULT;
        if (warp->spins >= SPIN_TURN || (warp->budget <= 0 && !alone)) {
            running_group(warp)->yielded = true;
            running_group(warp)->spins = 0;
        }
        if (warp->slice_spins >= SPIN_SLICE)
            return warp->state = WARP_SPINNING;
        if (slice <= 0)
            return warp->state = WARP_READY;
    }
}
