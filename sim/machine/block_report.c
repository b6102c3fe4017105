#include "sim/core/faults.h"
#include "sim/hazard/watch.h"
#include "sim/machine/block_report.h"
#include "sim/ptx/ptx.h"
#include "sim/text/place.h"

#include <stdio.h>
#include <string.h>

#include "sim/machine/exec.h"

/* "reduce.cu:12" or "PTX line 80". */
static void name_place(const struct block *block, const struct micro *op, char *text, size_t size)
{
    const struct code *code = block->launch->code;
    ptrdiff_t pc = op - code->ops;
    const char *file = place_file(block->launch->kernel, code->locs[pc]), *slash = strrchr(file, '/');
    if (file[0])
        snprintf(text, size, "%.100s:%d", slash ? slash + 1 : file, code->locs[pc].line);
    else
        snprintf(text, size, "PTX line %d", code->instrs[pc] ? code->instrs[pc]->ptx_line : 0);
}

static unsigned first_thread(unsigned warp, uint32_t lanes)
{
    return warp * WARP_LANES + (unsigned)__builtin_ctz(lanes);
}

static struct sim_hazard begin_report(const struct block *block, enum sim_hazard_class class)
{
    return (struct sim_hazard){.class = class, .kernel = block->launch->kernel->info.name};
}

/* ---- threads of a block at different barriers ---------------------------------------------------------- */

/* A group that waits at the same barrier number, but at another place than the first one. */
static const struct group *elsewhere(const struct block *block, unsigned number, const struct micro *first,
                                     unsigned *warp_index)
{
    for (unsigned w = 0; w < block->launch->warp_count; w++) {
        const struct warp *warp = &block->warps[w];
        for (int g = 0; g < warp->group_count; g++) {
            const struct group *group = &warp->groups[g];
            if (group->state == GROUP_BLOCK_WAIT && group->barrier == number && group->wait != first) {
                *warp_index = w;
                return group;
            }
        }
    }
    return NULL;
}

static const struct group *first_waiting(const struct block *block, unsigned number, unsigned *warp_index)
{
    return elsewhere(block, number, NULL, warp_index);
}

static void report_divergent(struct block *block, unsigned number)
{
    unsigned w0 = 0, w1 = 0;
    const struct group *a = first_waiting(block, number, &w0);
    const struct group *b = a ? elsewhere(block, number, a->wait, &w1) : NULL;
    if (!b)
        return;
    char place_a[128], place_b[128], thread_a[96], thread_b[96];
    int lane_a = __builtin_ctz(a->lanes), lane_b = __builtin_ctz(b->lanes);
    name_place(block, a->wait, place_a, sizeof place_a);
    name_place(block, b->wait, place_b, sizeof place_b);
    place_thread_name(&block->view, w0, lane_a, thread_a, sizeof thread_a);
    place_thread_name(&block->view, w1, lane_b, thread_b, sizeof thread_b);
    struct sim_hazard hazard = begin_report(block, SIM_HAZARD_BARRIER);
    hazard.here = place_of_lane(&block->view, w0, lane_a, warp_loc(&block->warps[w0], a->wait), NULL);
    hazard.there = place_of_lane(&block->view, w1, lane_b, warp_loc(&block->warps[w1], b->wait), NULL);
    snprintf(hazard.object, sizeof hazard.object, "barrier %u", number);
    snprintf(hazard.message, sizeof hazard.message,
             "threads of one block wait at different barriers: %s at %s, %s at %s. All threads of a block "
             "must reach the same __syncthreads(): move it out of the branch that not all of them take",
             thread_a, place_a, thread_b, place_b);
    hazard_file(block->view.sim, &hazard);
}

/* The lowest thread of the block that has ended, or -1. */
static int ended_thread(const struct block *block)
{
    for (unsigned w = 0; w < block->launch->warp_count; w++) {
        unsigned left = block->launch->thread_count - w * WARP_LANES;
        uint32_t all = left >= WARP_LANES ? ~0u : (1u << left) - 1;
        uint32_t ended = all & ~block->warps[w].full;
        if (ended)
            return (int)first_thread(w, ended);
    }
    return -1;
}

static void report_skipped(struct block *block, unsigned number)
{
    unsigned w = 0;
    int ended = ended_thread(block);
    const struct group *group = first_waiting(block, number, &w);
    if (ended < 0 || !group || block->skipped_reported)
        return;
    block->skipped_reported = true;
    char place[128], thread[96], gone[96];
    int lane = __builtin_ctz(group->lanes);
    name_place(block, group->wait, place, sizeof place);
    place_thread_name(&block->view, w, lane, thread, sizeof thread);
    place_thread_name(&block->view, (unsigned)ended / WARP_LANES, ended % WARP_LANES, gone, sizeof gone);
    struct sim_hazard hazard = begin_report(block, SIM_HAZARD_BARRIER);
    hazard.here = place_of_lane(&block->view, w, lane, warp_loc(&block->warps[w], group->wait), NULL);
    snprintf(hazard.object, sizeof hazard.object, "barrier %u", number);
    snprintf(
        hazard.message, sizeof hazard.message,
        "%s ended without reaching the barrier at %s, where %s waits. A thread that has nothing to do must "
        "still reach every __syncthreads() of its block: skip the work, not the barrier",
        gone, place, thread);
    hazard_file(block->view.sim, &hazard);
}

void block_report_barrier(struct block *block, unsigned number)
{
    if (number == 0 && !block->barriers[number].expected) {
        report_divergent(block, number);
        report_skipped(block, number);
    }
}

/* ---- no thread can go on ------------------------------------------------------------------------------- */

/* "threads 0-31 of warp 0 at reduce.cu:12 (barrier 0)" for the first few groups that wait. */
static void list_waiting(const struct block *block, char *text, size_t size)
{
    size_t length = 0;
    int listed = 0;
    text[0] = '\0';
    for (unsigned w = 0; w < block->launch->warp_count; w++) {
        const struct warp *warp = &block->warps[w];
        for (int g = 0; g < warp->group_count && length < size; g++) {
            const struct group *group = &warp->groups[g];
            char place[128], thread[96];
            if (group->state == GROUP_READY || listed++ >= 4)
                continue;
            name_place(block, group->wait, place, sizeof place);
            place_thread_name(&block->view, w, __builtin_ctz(group->lanes), thread, sizeof thread);
            length +=
                (size_t)snprintf(text + length, size - length, "%s%s and %d more of warp %u wait at %s",
                                 length ? "; " : "", thread, __builtin_popcount(group->lanes) - 1, w, place);
        }
    }
    if (listed > 4 && length < size)
        snprintf(text + length, size - length, "; and %d groups more", listed - 4);
}

/* The first group that waits at a warp's collective for lanes that are elsewhere; NULL: none. */
static const struct group *waits_for_lanes(const struct block *block, unsigned *warp)
{
    for (*warp = 0; *warp < block->launch->warp_count; ++*warp)
        for (int g = 0; g < block->warps[*warp].group_count; g++)
            if (block->warps[*warp].groups[g].state == GROUP_WARP_WAIT)
                return &block->warps[*warp].groups[g];
    return NULL;
}

/* What a mask has to do with it; nothing is written if no group waits at a collective. */
static void explain_mask(const struct block *block, char *text, size_t size)
{
    unsigned w;
    const struct group *group = waits_for_lanes(block, &w);
    char place[128];
    text[0] = '\0';
    if (!group)
        return;
    const uint32_t missing = group->value & block->warps[w].full & ~group->lanes;
    name_place(block, group->wait, place, sizeof place);
    snprintf(
        text, size,
        "%d lanes of warp %u are at %s; the mask of that call, 0x%08x, names %d more lanes, which did not come "
        "there: all lanes that a mask names must execute the call (no branch may keep them away). ",
        __builtin_popcount(group->lanes), w, place, group->value, __builtin_popcount(missing));
}

/* A group that waits at a collective, or the first that waits at all. */
static struct sim_hazard_place place_of_waiting(const struct block *block)
{
    unsigned w;
    const struct group *group = waits_for_lanes(block, &w);
    for (unsigned i = 0; i < block->launch->warp_count && !group; i++)
        if (block->warps[i].group_count > 0 && block->warps[i].groups[0].wait) {
            group = &block->warps[i].groups[0];
            w = i;
        }
    if (!group)
        return (struct sim_hazard_place){0};
    return place_of_lane(&block->view, w, __builtin_ctz(group->lanes),
                         warp_loc(&block->warps[w], group->wait), NULL);
}

void block_report_deadlock(struct block *block)
{
    char waiting[700], mask[400];
    list_waiting(block, waiting, sizeof waiting);
    explain_mask(block, mask, sizeof mask);
    block_fault(
        block, SIM_DEADLOCK,
        "deadlock: no thread of the block can go on. %s%s. The threads that they wait for are at another "
        "barrier, or wait for them in turn",
        mask, waiting);
    struct sim_hazard hazard = begin_report(block, SIM_HAZARD_DEADLOCK);
    hazard.here = place_of_waiting(block);
    snprintf(hazard.message, sizeof hazard.message, "%.760s", block->message);
    if (!block->view.faults || block->view.faults->status == SIM_OK) /* else it may come of the fault */
        hazard_file(block->view.sim, &hazard);
}

void block_describe(const struct block *block, char *text, size_t size, struct sim_hazard_place *at)
{
    text[0] = '\0';
    for (unsigned w = 0; w < block->launch->warp_count; w++) {
        const struct warp *warp = &block->warps[w];
        for (int g = 0; g < warp->group_count; g++) {
            const struct group *group = &warp->groups[g];
            char place[128], thread[96];
            if (group->state != GROUP_READY)
                continue;
            name_place(block, &warp->ops[group->pc], place, sizeof place);
            place_thread_name(&block->view, w, __builtin_ctz(group->lanes), thread, sizeof thread);
            snprintf(text, size, "%s is at %s", thread, place);
            if (at)
                *at = place_of_lane(&block->view, w, __builtin_ctz(group->lanes),
                                    block->launch->code->locs[group->pc], NULL);
            return;
        }
    }
}
