/* A block in which no thread can go on: which wait is the cause, and which ones only follow. */
#include <stdio.h>

#include "sim/core/faults.h"
#include "sim/hazard/watch.h"
#include "sim/machine/block_report.h"
#include "sim/machine/exec.h"
#include "sim/ptx/ptx.h"
#include "sim/text/call_name.h"
#include "sim/text/place.h"

#define STOPS_MAX 8

/* A place where threads of the block wait: one group of them. */
struct stop {
    const struct group *group;
    unsigned warp;
};

struct stops {
    struct stop all[STOPS_MAX];
    int count;
};

static bool is_known(const struct stops *stops, const struct group *group)
{
    for (int i = 0; i < stops->count; i++)
        if (stops->all[i].group->wait == group->wait)
            return true;
    return false;
}

static struct stops find_stops(const struct block *block)
{
    struct stops stops = {.count = 0};
    for (unsigned w = 0; w < block->launch->warp_count; w++)
        for (int g = 0; g < block->warps[w].group_count; g++) {
            const struct group *group = &block->warps[w].groups[g];
            if (group->state != GROUP_READY && group->wait && stops.count < STOPS_MAX &&
                !is_known(&stops, group))
                stops.all[stops.count++] = (struct stop){group, w};
        }
    return stops;
}

/* The others of these threads went past it, and not the other way round: 2; each past the other's: 1. */
static int blame(struct block *block, const struct stops *stops, int at, struct bypass *bypass)
{
    int most = 0;
    for (int i = 0; i < stops->count; i++) {
        const struct group *here = stops->all[at].group, *there = stops->all[i].group;
        const struct bypass past = i == at ? (struct bypass){0} : block_bypass(block, here, there);
        if (!past.found)
            continue;
        const int much = block_bypass(block, there, here).found ? 1 : 2;
        if (much > most) {
            most = much;
            *bypass = past;
        }
    }
    return most;
}

/* The wait that others went past: they cannot come any more. group NULL: none is known to be that. */
static struct stop find_cause(struct block *block, const struct stops *stops, struct bypass *bypass)
{
    struct stop cause = {0};
    int most = 0;
    for (int i = 0; i < stops->count; i++) {
        struct bypass past = {0};
        const int much = blame(block, stops, i, &past);
        if (much > most || (much && much == most && stops->all[i].group->wait < cause.group->wait)) {
            most = much;
            cause = stops->all[i];
            *bypass = past;
        }
    }
    return cause;
}

/* The first group that waits at a warp's collective for lanes that are elsewhere. */
static struct stop waits_for_lanes(const struct stops *stops)
{
    for (int i = 0; i < stops->count; i++)
        if (stops->all[i].group->state == GROUP_WARP_WAIT)
            return stops->all[i];
    return (struct stop){0};
}

/* "thread (32,0,0) of block (0,0,0) and 31 more of warp 1 wait at reduce.cu:12" for the first few groups elsewhere. */
static void list_waiting(const struct block *block, const struct micro *but, char *text, size_t size)
{
    size_t length = 0;
    int listed = 0;
    text[0] = '\0';
    for (unsigned w = 0; w < block->launch->warp_count; w++) {
        const struct warp *warp = &block->warps[w];
        for (int g = 0; g < warp->group_count && length < size; g++) {
            const struct group *group = &warp->groups[g];
            const int more = __builtin_popcount(group->lanes) - 1;
            char place[128], thread[96], others[48] = "";
            if (group->state == GROUP_READY || group->wait == but || listed++ >= 3)
                continue;
            block_name_place(block, group->wait, place, sizeof place);
            place_thread_name(&block->view, w, __builtin_ctz(group->lanes), thread, sizeof thread);
            if (more)
                snprintf(others, sizeof others, " and %d more of warp %u", more, w);
            length += (size_t)snprintf(text + length, size - length, "%s%s%s %s at %s", length ? "; " : "",
                                       thread, others, more ? "wait" : "waits", place);
        }
    }
    if (listed > 3 && length < size)
        snprintf(text + length, size - length, "; and %d more group%s", listed - 3, listed > 4 ? "s" : "");
}

/* Of a barrier that others went past. */
static void describe_barrier(const struct block *block, const struct stop *cause, const char *condition,
                             char *text, size_t size)
{
    char place[128], waiting[450];
    const unsigned count = block_threads_at(block, cause->group->wait);
    const bool of_grid = bypass_is_grid_barrier(block->launch, cause->group->wait);
    block_name_place(block, cause->group->wait, place, sizeof place);
    list_waiting(block, cause->group->wait, waiting, sizeof waiting);
    snprintf(
        text, size,
        "deadlock: only %u of the %u threads of the block %s at the barrier%s at %.99s; the others went past it, and "
        "no thread can go on. %.160sEvery thread of %s must come to that barrier: no branch may lead past it. "
        "Elsewhere, %.440s",
        count, block->launch->thread_count, count == 1 ? "waits" : "wait",
        of_grid ? " of the whole grid" : "", place, condition, of_grid ? "every block" : "the block",
        waiting);
}

/* Of a warp's collective; `condition` may be empty. */
static void describe_collective(const struct block *block, const struct stop *cause, const char *condition,
                                char *text, size_t size)
{
    const struct group *group = cause->group;
    const uint32_t missing = group->value & block->warps[cause->warp].full & ~group->lanes;
    const int count = __builtin_popcount(missing), waiters = __builtin_popcount(group->lanes);
    const struct ptx_instr *instr = block->launch->code->instrs[group->wait - block->launch->code->ops];
    char place[128], waiting[450], call[64];
    call_name(instr ? instr->text : "", call, sizeof call);
    block_name_place(block, group->wait, place, sizeof place);
    list_waiting(block, group->wait, waiting, sizeof waiting);
    snprintf(
        text, size,
        "deadlock: no thread of the block can go on. %d lane%s of warp %u wait%s in %.40s at %.99s; the mask of that call, 0x%08x, "
        "names %d more lane%s, which did not come there: all lanes that a mask names must execute the call (no "
        "branch may keep them away). %.160s%s%.440s",
        waiters, waiters == 1 ? "" : "s", cause->warp, waiters == 1 ? "s" : "", call, place, group->value,
        count, count == 1 ? "" : "s", condition, waiting[0] ? "Elsewhere, " : "", waiting);
}

/* True: it is a barrier that others went past. */
static bool describe(struct block *block, struct stop *cause, char *text, size_t size)
{
    const struct stops stops = find_stops(block);
    struct bypass bypass = {0};
    char condition[256], waiting[500];
    *cause = find_cause(block, &stops, &bypass);
    block_name_condition(block, &bypass, condition, sizeof condition);
    if (!cause->group)
        *cause = waits_for_lanes(&stops);
    if (cause->group && cause->group->state == GROUP_WARP_WAIT) {
        describe_collective(block, cause, condition, text, size);
        return false;
    }
    if (cause->group) {
        describe_barrier(block, cause, condition, text, size);
        return true;
    }
    list_waiting(block, NULL, waiting, sizeof waiting);
    snprintf(text, size,
             "deadlock: no thread of the block can go on. %s. The threads that they wait for are at another "
             "barrier, or wait for them in turn",
             waiting);
    if (stops.count > 0)
        *cause = stops.all[0];
    return false;
}

void block_report_deadlock(struct block *block)
{
    char text[1000];
    struct stop cause;
    const bool parts_threads = describe(block, &cause, text, sizeof text);
    block_fault(block, SIM_DEADLOCK, "%s", text);
    struct sim_hazard hazard = {.class = SIM_HAZARD_DEADLOCK,
                                .kernel = block->launch->kernel->info.name,
                                .parts_threads = parts_threads};
    if (cause.group)
        block_attend(block, cause.group->wait, &hazard.attendance);
    if (cause.group && cause.group->state == GROUP_WARP_WAIT) {
        hazard.attendance.warp = cause.warp;
        hazard.attendance.named = cause.group->value;
    }
    if (cause.group)
        hazard.here = place_of_lane(&block->view, cause.warp, __builtin_ctz(cause.group->lanes),
                                    warp_loc(&block->warps[cause.warp], cause.group->wait), NULL);
    snprintf(hazard.message, sizeof hazard.message, "%.760s", block->message);
    if (!block->view.faults || block->view.faults->status == SIM_OK) /* else it may come of the fault */
        hazard_file(block->view.sim, &hazard);
}
