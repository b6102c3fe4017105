/* Taking turns: which group of a warp runs, for how long, and who comes before it goes on. */
#include "sim/machine/warp.h"

#include <limits.h>

#include "sim/machine/exec.h"

/* A group may look this often at what could be a lock before others get their turn. */
#define SPIN_TURN 64
/* All groups of a warp together, before other warps get their turn. */
#define SPIN_SLICE (4 * SPIN_TURN)
/* So often a block lets others look at what it has just stored; beyond that it runs on, as it would without. */
#define TURNS_GIVEN_MAX 4096
/*
 * After the first of these, a slow warp stays away for so many rounds. A fast one comes as far meanwhile as it can:
 * it gives way itself, after it has drawn a number and after it has told something, before it looks at what the slow
 * one has told. The same holds for the first times that a slow warp has found what it waited for.
 */
#define HELD_TURNS  16
#define HELD_ROUNDS 5
/* Operations that a group may run while others of its warp could run. */
#define GROUP_TURN (1 << 20)

/* ---- giving way ------------------------------------------------------------------------------------- */

enum step warp_spin(struct warp *warp)
{
    warp->slice_spins++;
    return ++warp->spins >= SPIN_TURN ? STEP_SCHEDULE : STEP_NEXT;
}

/*
 * Of two blocks that begin one after the other, and of two warps that lie side by side, one is slow, where hazards
 * are looked for:
 * what a launch counts and takes is that of threads of one speed.
 */
static bool is_slow(const struct warp *warp)
{
    return warp->block->launch->hazards && (warp->block->pace + warp->index) % 2 == 0;
}

/* Other lanes of the same warp come before the running group goes on: those that have looked in vain, and `all` that can. */
static void let_groups_run(struct warp *warp, bool all)
{
    for (int i = 0; i < warp->group_count; i++) {
        struct group *group = &warp->groups[i];
        if (i == warp->running || group->state != GROUP_READY || !(all || group->yielded))
            continue;
        group->yielded = false;
        warp->spins = SPIN_TURN; /* the running one will have yielded */
    }
}

enum step warp_give_way(struct warp *warp)
{
    struct block *block = warp->block;
    if (block->turns_given >= TURNS_GIVEN_MAX)
        return STEP_NEXT;
    const bool is_early = block->turns_given++ < HELD_TURNS && block->launch->hazards;
    if (is_early && is_slow(warp))
        warp->held = HELD_ROUNDS;
    let_groups_run(warp, is_early);
    warp->slice_spins = SPIN_SLICE;
    return STEP_SCHEDULE;
}

bool warp_may_stop_between(const struct warp *warp)
{
    const struct block *block = warp->block;
    return block->launch->hazards && block->turns_given < HELD_TURNS && !block->view.sim->config.undisturbed;
}

enum step warp_look_away(struct warp *warp, enum step step)
{
    if (!is_slow(warp) || warp->block->looked_away >= HELD_TURNS)
        return step;
    warp->block->looked_away++;
    warp->held = HELD_ROUNDS;
    warp->slice_spins = SPIN_SLICE;
    return STEP_SCHEDULE;
}

/* ---- taking turns -------------------------------------------------------------------------------------- */

/* What the loop holds in warp->pc and warp->mask goes back into its group. */
static void save_running(struct warp *warp)
{
    warp_running(warp)->pc = warp->pc;
    warp_running(warp)->lanes = warp->mask;
    warp_running(warp)->spins = warp->spins;
}

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
        warp_merge_groups(warp);
    else
        warp_remove_empty_groups(warp);
    warp->running = best_group(warp);
    if (warp->running < 0)
        return false;
    struct group *group = warp_running(warp);
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
        const warp_loop_fn loop = launch->origin    ? warp_loop_recorded
                                  : warp->undefined ? warp_loop_undefined
                                                    : launch->code->loop;
        enum step step = loop(warp);
        slice -= before - warp->budget;
        warp->block->executed += (uint64_t)(before - warp->budget);
        save_running(warp);
        if (step == STEP_FAULT)
            return warp->state = WARP_FAULT;
        if (warp->spins >= SPIN_TURN || (warp->budget <= 0 && !alone)) {
            warp_running(warp)->yielded = true;
            warp_running(warp)->spins = 0;
        }
        if (warp->slice_spins >= SPIN_SLICE)
            return warp->state = WARP_SPINNING;
        if (slice <= 0) {
            warp_remove_empty_groups(warp); /* whoever looks at it now finds lanes that live */
            return warp->state = WARP_READY;
        }
    }
}
