#include "sim/core/faults.h"
#include "sim/hazard/watch.h"
#include "sim/machine/block_report.h"
#include "sim/ptx/ptx.h"
#include "sim/text/place.h"

#include <stdio.h>
#include <string.h>

#include "sim/machine/exec.h"

void block_name_place(const struct block *block, const struct micro *op, char *text, size_t size)
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
    return (struct sim_hazard){
        .class = class, .kernel = block->launch->kernel->info.name, .parts_threads = true};
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

unsigned block_threads_at(const struct block *block, const struct micro *op)
{
    unsigned count = 0;
    for (unsigned w = 0; w < block->launch->warp_count; w++)
        for (int g = 0; g < block->warps[w].group_count; g++)
            if (block->warps[w].groups[g].wait == op && block->warps[w].groups[g].state != GROUP_READY)
                count += (unsigned)__builtin_popcount(block->warps[w].groups[g].lanes);
    return count;
}

static uint32_t ended_lanes(const struct block *block, unsigned warp)
{
    const unsigned left = block->launch->thread_count - warp * WARP_LANES;
    const uint32_t all = left >= WARP_LANES ? ~0u : (1u << left) - 1;
    return all & ~block->warps[warp].full;
}

void block_attend(const struct block *block, const struct micro *here, struct sim_attendance *attendance)
{
    attendance->threads = block->launch->thread_count;
    for (unsigned w = 0; w < block->launch->warp_count && w < BLOCK_WARPS_MAX; w++) {
        const struct warp *warp = &block->warps[w];
        attendance->ended[w] = ended_lanes(block, w);
        for (int g = 0; g < warp->group_count; g++)
            if (warp->groups[g].state != GROUP_READY)
                *(warp->groups[g].wait == here ? &attendance->here[w] : &attendance->there[w]) |=
                    warp->groups[g].lanes;
    }
}

#define BYPASSES ((int)(sizeof((struct block *)0)->bypasses / sizeof *((struct block *)0)->bypasses))

struct bypass block_bypass(struct block *block, const struct group *at, const struct group *to)
{
    struct bypass_known key = bypass_key(block->launch, at, to);
    for (int i = 0; i < BYPASSES && i < block->bypass_count; i++) {
        const struct bypass_known *k = &block->bypasses[i];
        if (k->at == key.at && k->to == key.to && k->at_wait == key.at_wait && k->to_wait == key.to_wait)
            return k->bypass;
    }
    /* A block that the time model watches is counted elsewhere. */
    key.bypass = bypass_find(block->launch, block->trace ? NULL : block->counts, at, to);
    block->bypasses[block->bypass_count++ % BYPASSES] = key;
    return key.bypass;
}

void block_name_condition(const struct block *block, const struct bypass *bypass, char *text, size_t size)
{
    const char *file = place_file(block->launch->kernel, bypass->branch), *slash = strrchr(file, '/');
    text[0] = '\0';
    if (bypass->branch.line > 0 && file[0] && bypass->with_line > 0)
        snprintf(text, size, "The conditions at %.100s:%d and line %d decide which threads come there. ",
                 slash ? slash + 1 : file, bypass->branch.line, bypass->with_line);
    else if (bypass->branch.line > 0 && file[0])
        snprintf(text, size, "The condition at %.100s:%d decides which threads come there. ",
                 slash ? slash + 1 : file, bypass->branch.line);
}

/* A group that waits, its warp, and their names in a report. */
struct waiter {
    const struct group *group;
    unsigned warp;
    char place[128], thread[96];
    struct sim_hazard_place at;
};

static void name_waiter(const struct block *block, struct waiter *w)
{
    const int lane = __builtin_ctz(w->group->lanes);
    block_name_place(block, w->group->wait, w->place, sizeof w->place);
    place_thread_name(&block->view, w->warp, lane, w->thread, sizeof w->thread);
    w->at =
        place_of_lane(&block->view, w->warp, lane, warp_loc(&block->warps[w->warp], w->group->wait), NULL);
}

/* Where the function is called that the barrier stands in. */
static void add_call(const struct block *block, const struct waiter *w, struct sim_hazard *hazard)
{
    const struct warp *warp = &block->warps[w->warp];
    const int pc = (int)(w->group->wait - warp->ops);
    char call[256] = "";
    place_add_inner(&block->view, pc, warp_loc(warp, w->group->wait), "does so", call, sizeof call);
    place_add_call(&block->view, pc, warp_loc(warp, w->group->wait), call, sizeof call);
    if (call[0])
        snprintf(hazard->message + strlen(hazard->message), sizeof hazard->message - strlen(hazard->message),
                 ".%.*s", (int)strlen(call) - 1, call);
}

static void report_divergent(struct block *block, unsigned number)
{
    struct waiter a = {0}, b = {0};
    char condition[256];
    a.group = first_waiting(block, number, &a.warp);
    b.group = a.group ? elsewhere(block, number, a.group->wait, &b.warp) : NULL;
    if (!b.group)
        return;
    struct bypass bypass = block_bypass(block, a.group, b.group);
    if (!bypass.found) { /* if any, `b` is the one that not all come to */
        const struct waiter kept = a;
        a = b;
        b = kept;
        bypass = block_bypass(block, a.group, b.group);
    }
    name_waiter(block, &a);
    name_waiter(block, &b);
    block_name_condition(block, &bypass, condition, sizeof condition);
    if (strcmp(a.place, b.place) == 0) /* unrolled, or inlined twice */
        snprintf(b.place, sizeof b.place, "the same line in another turn or call");
    struct sim_hazard hazard = begin_report(block, SIM_HAZARD_BARRIER);
    block->skipped_reported = true; /* what is out of step now ends so */
    hazard.here = a.at;
    hazard.there = b.at;
    block_attend(block, a.group->wait, &hazard.attendance);
    snprintf(hazard.object, sizeof hazard.object, "barrier %u", number);
    snprintf(
        hazard.message, sizeof hazard.message,
        "threads of one block wait at different barriers: %u of them at %.99s (such as %.80s), %u at %.99s (such as "
        "%.80s). %.160sAll threads of a block must reach the same __syncthreads()",
        block_threads_at(block, a.group->wait), a.place, a.thread, block_threads_at(block, b.group->wait),
        b.place, b.thread, condition);
    hazard_file(block->view.sim, &hazard);
}

/* The lowest thread of the block that has ended, or -1; and how many have. */
static int ended_threads(const struct block *block, unsigned *count)
{
    int first = -1;
    *count = 0;
    for (unsigned w = 0; w < block->launch->warp_count; w++) {
        const uint32_t ended = ended_lanes(block, w);
        if (ended && first < 0)
            first = (int)first_thread(w, ended);
        *count += (unsigned)__builtin_popcount(ended);
    }
    return first;
}

static void report_skipped(struct block *block, unsigned number)
{
    struct waiter a = {0};
    unsigned count;
    const int ended = ended_threads(block, &count);
    a.group = first_waiting(block, number, &a.warp);
    if (ended < 0 || !a.group || block->skipped_reported)
        return;
    block->skipped_reported = true;
    char gone[96], condition[256], who[160];
    name_waiter(block, &a);
    place_thread_name(&block->view, (unsigned)ended / WARP_LANES, ended % WARP_LANES, gone, sizeof gone);
    const struct bypass bypass = block_bypass(block, a.group, NULL);
    block_name_condition(block, &bypass, condition, sizeof condition);
    if (count > 1)
        snprintf(who, sizeof who, "%u of the %u threads of the block, such as %s,", count,
                 block->launch->thread_count, gone);
    else
        snprintf(who, sizeof who, "%s", gone);
    struct sim_hazard hazard = begin_report(block, SIM_HAZARD_BARRIER);
    hazard.here = a.at;
    block_attend(block, a.group->wait, &hazard.attendance);
    snprintf(hazard.object, sizeof hazard.object, "barrier %u", number);
    snprintf(
        hazard.message, sizeof hazard.message,
        "%.150s ended without reaching the barrier at %.99s, where %.80s waits. %.160sAll threads of a block must reach "
        "each of its __syncthreads()",
        who, a.place, a.thread, condition);
    add_call(block, &a, &hazard);
    hazard_file(block->view.sim, &hazard);
}

void block_report_barrier(struct block *block, unsigned number)
{
    if (number == 0 && !block->barriers[number].expected) {
        report_divergent(block, number);
        report_skipped(block, number);
    }
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
            block_name_place(block, &warp->ops[group->pc], place, sizeof place);
            place_thread_name(&block->view, w, __builtin_ctz(group->lanes), thread, sizeof thread);
            snprintf(text, size, "%s is at %s", thread, place);
            if (at)
                *at = place_of_lane(&block->view, w, __builtin_ctz(group->lanes),
                                    block->launch->code->locs[group->pc], NULL);
            return;
        }
    }
}
