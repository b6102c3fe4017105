/* Groups of lanes: splitting, meeting, waiting. */
#include "sim/hazard/watch.h"
#include "sim/machine/warp.h"

#include <stdlib.h>
#include <string.h>

#include "sim/machine/cluster.h"
#include "sim/machine/exec.h"
#include "sim/machine/exec_undefined.h"
#include "sim/ptx/ptx.h"
#include "sim/text/place.h"

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
    if (code->undefined && code->undefined->from_start && block->launch->hazards && !block->launch->origin)
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
    warp->held = 0;
    warp->looked_at = 0;
    async_reset(warp->async);
    if (warp->undefined)
        undefined_start(warp->undefined, warp->block->launch->code->undefined);
    memset(warp->stack_used, 0, sizeof warp->stack_used);
    warp->state = WARP_READY;
    warp->group_count = 1;
    warp->running = 0;
    warp->groups[0] = (struct group){.lanes = lanes, .pc = warp->root.layout->entry, .frame = &warp->root};
}

/* Does the operation stand in the function of this frame? */
static bool is_in(const struct code *code, const struct frame *frame, int pc)
{
    const struct ptx_func *func = frame->layout->func;
    return code->instrs[pc] >= func->instrs && code->instrs[pc] < func->instrs + func->instr_count;
}

struct ptx_loc warp_loc(const struct warp *warp, const struct micro *op)
{
    return warp->block->launch->code->locs[op - warp->ops];
}

/* A function of a library, as of the toolkit's headers, or one whose source is not known. */
static bool is_foreign(const struct warp *warp, struct ptx_loc loc)
{
    const char *file = place_file(warp->block->view.kernel, loc);
    return file[0] == '\0' || strstr(file, "/include/") != NULL;
}

struct ptx_loc warp_running_loc(const struct warp *warp, const struct micro *op)
{
    const struct code *code = warp->block->launch->code;
    const bool runs = warp->running >= 0 && warp->running < warp->group_count;
    int pc = (int)(op - warp->ops);
    for (const struct frame *f = runs ? warp->groups[warp->running].frame : NULL;
         f && f->parent && is_in(code, f, pc) && is_foreign(warp, code->locs[pc]); f = f->parent)
        pc = f->return_pc - 1;
    return code->locs[pc];
}

/* ---- changing groups ----------------------------------------------------------------------------------- */

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
    warp_add_group(warp, lanes, pc, warp_running(warp)->frame);
}

void warp_split_later(struct warp *warp, uint32_t lanes, int pc)
{
    warp->mask &= ~lanes;
    warp_add_group(warp, lanes, pc, warp_running(warp)->frame)->yielded = true;
}

void warp_remove_empty_groups(struct warp *warp)
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

void warp_merge_groups(struct warp *warp)
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
    warp_remove_empty_groups(warp);
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
    if (warp->block->cluster)
        cluster_check_barrier(warp->block->cluster);
    wake_collectives(warp);
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
            shares_code_with(&warp->groups[i], warp_running(warp)))
            warp->groups[i].lanes &= ~lanes;
}

/* A group for each mask. */
static void wait_collective(struct warp *warp, const struct micro *op, uint32_t lanes, const uint32_t *masks)
{
    struct frame *frame = warp_running(warp)->frame;
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
    struct frame *frame = warp_running(warp)->frame;
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
