/*
 * Asynchronous copies to shared memory. Source: PTX ISA, cp.async. Barriers that live there: exec_mbarrier.c.
 *
 * A copy's addresses are checked when it is issued, its bytes move when the lane waits for them: whoever
 * reads shared memory before that finds what was there, as may happen on a GPU.
 */
#include <stdio.h>
#include <stdlib.h>

#include "sim/hazard/watch.h"
#include "sim/machine/exec_async.h"
#include "sim/text/place.h"

void async_destroy(struct async_copies *copies)
{
    if (copies) {
        free(copies->batches);
        free(copies->arrivals);
    }
    free(copies);
}

void async_reset(struct async_copies *copies)
{
    if (copies)
        copies->count = copies->arrival_count = 0;
}

/* ---- completion ---------------------------------------------------------------------------------------- */

static void perform(struct warp *warp, struct async_batch *batch, uint32_t lanes)
{
    const struct async_detail *detail = batch->op->detail;
    size_t size = (size_t)detail->to.element_size;
    if (warp->block->launch->hazards)
        async_tell_hazards(warp, batch, lanes, hazard_copy_done);
    FOR_LANES(lane, lanes)
    {
        size_t read = batch->read_size[lane];
        if (read)
            memcpy(batch->to[lane], batch->from[lane], read);
        memset(batch->to[lane] + read, 0, size - read);
    }
    batch->lanes &= ~lanes;
    warp->block->copying -= (unsigned)__builtin_popcount(lanes);
}

/* Copies of `lanes` in groups numbered below limit[lane], and in batches below `serial`, oldest first. */
static void complete(struct warp *warp, uint32_t lanes, const uint32_t limit[WARP_LANES], uint64_t serial)
{
    struct async_copies *copies = warp->async;
    int kept = 0;
    for (int i = 0; copies && i < copies->count; i++) {
        struct async_batch *batch = &copies->batches[i];
        uint32_t due = 0;
        FOR_LANES(lane, batch->lanes & lanes)
        due |= batch->group[lane] < limit[lane] && batch->serial < serial ? 1u << lane : 0;
        if (due)
            perform(warp, batch, due);
        if (batch->lanes)
            copies->batches[kept++] = *batch;
    }
    if (copies)
        copies->count = kept;
}

static void finish_before(struct warp *warp, uint32_t lanes, uint64_t serial)
{
    uint32_t limit[WARP_LANES];
    memset(limit, 0xff, sizeof limit);
    complete(warp, lanes, limit, serial);
}

void async_finish(struct warp *warp, uint32_t lanes)
{
    finish_before(warp, lanes, UINT64_MAX);
}

/* ---- arrivals at mbarriers, when copies are done ------------------------------------------------------- */

bool async_arrive_later(struct warp *warp, const struct micro *op, uint32_t lanes,
                        const uint64_t address[WARP_LANES])
{
    if (!warp->async && !(warp->async = calloc(1, sizeof *warp->async)))
        return false;
    struct async_copies *copies = warp->async;
    if (copies->arrival_count == copies->arrival_capacity) {
        int capacity = 2 * copies->arrival_capacity + 8;
        struct async_arrival *arrivals = realloc(copies->arrivals, (size_t)capacity * sizeof *arrivals);
        if (!arrivals)
            return false;
        copies->arrivals = arrivals;
        copies->arrival_capacity = capacity;
    }
    struct async_arrival *a = &copies->arrivals[copies->arrival_count++];
    *a = (struct async_arrival){.op = op, .lanes = lanes, .serial = copies->next_serial};
    memcpy(a->address, address, sizeof a->address);
    return true;
}

bool async_arrive_now(struct warp *warp, uint32_t lanes, async_arrive_fn arrive)
{
    struct async_copies *copies = warp->async;
    int kept = 0;
    for (int i = 0; copies && i < copies->arrival_count; i++) {
        struct async_arrival *a = &copies->arrivals[i];
        const uint32_t due = a->lanes & lanes;
        if (due) {
            finish_before(warp, due, a->serial);
            if (!arrive(warp, a->op, due, a->address))
                return false;
        }
        a->lanes &= ~due;
        if (a->lanes)
            copies->arrivals[kept++] = *a;
    }
    if (copies)
        copies->arrival_count = kept;
    return true;
}

/* ---- touched too early --------------------------------------------------------------------------------- */

static void report_early(const struct warp *warp, const struct async_batch *batch,
                         const struct access *access, int lane)
{
    const struct block_view *view = &warp->block->view;
    struct sim_hazard hazard = {.class = SIM_HAZARD_RACE_SHARED, .kernel = view->kernel->info.name};
    struct access copy = {.kind = ACCESS_STORE, .space = PTX_SHARED};
    char thread[96];
    hazard.here = place_of_lane(view, warp->index, lane, access->loc, access);
    hazard.there = place_of_lane(view, warp->index, lane, warp_loc(warp, batch->op), &copy);
    place_thread_name(view, warp->index, lane, thread, sizeof thread);
    snprintf(hazard.object, sizeof hazard.object, "byte %llu of shared memory",
             (unsigned long long)access->address[lane]);
    snprintf(
        hazard.message, sizeof hazard.message,
        "%.200s:%d: %s %s shared memory that its own asynchronous copy of line %d may still be writing: the "
        "copy must be waited for first, with cp.async.wait_group (__pipeline_wait_prior, cg::wait)",
        hazard.here.file, hazard.here.line, thread, access->kind == ACCESS_LOAD ? "reads" : "writes",
        hazard.there.line);
    hazard_file(view->sim, &hazard);
}

void async_check_access(struct warp *warp, const struct access *access)
{
    const struct async_copies *copies = warp->async;
    for (int i = 0; i < copies->count; i++) {
        const struct async_batch *batch = &copies->batches[i];
        uint64_t size = (uint64_t)((const struct async_detail *)batch->op->detail)->to.element_size;
        FOR_LANES(lane, batch->lanes & access->lanes)
        {
            uint64_t from = batch->offset[lane], at = access->address[lane];
            if (at < from + size && from < at + (uint64_t)access->size) {
                report_early(warp, batch, access, (int)lane);
                return;
            }
        }
    }
}

static void report_changed_source(const struct warp *warp, int lane, const struct access *access,
                                  const struct warp *copier, const struct async_batch *batch,
                                  int copying_lane)
{
    const struct block_view *view = &warp->block->view;
    struct sim_hazard hazard = {.class = SIM_HAZARD_RACE_GLOBAL, .kernel = view->kernel->info.name};
    struct access copy = {.kind = ACCESS_LOAD, .space = PTX_GLOBAL};
    char thread[96], other[96];
    hazard.here = place_of_lane(view, warp->index, lane, access->loc, access);
    hazard.there = place_of_lane(view, copier->index, copying_lane, warp_loc(copier, batch->op), &copy);
    hazard.address = access->address[lane];
    place_thread_name(view, warp->index, lane, thread, sizeof thread);
    place_thread_name(view, copier->index, copying_lane, other, sizeof other);
    snprintf(hazard.object, sizeof hazard.object, "global memory at 0x%llx",
             (unsigned long long)access->address[lane]);
    snprintf(
        hazard.message, sizeof hazard.message,
        "race on the source of an asynchronous copy (%.200s): %s changes it at line %d, and the copy of %s at line %d "
        "may not have read it yet. The copy must be waited for first, with cp.async.wait_group "
        "(__pipeline_wait_prior, cg::wait), and by another thread with a barrier behind the wait",
        hazard.here.file, thread, hazard.here.line, other, hazard.there.line);
    hazard_file(view->sim, &hazard);
}

/* Whether a copy of the batch still has to read bytes that the lane changes. */
static bool check_source(const struct warp *warp, int lane, const struct access *access,
                         const struct warp *copier, const struct async_batch *batch)
{
    FOR_LANES(copying, batch->lanes)
    {
        const uint64_t from = batch->source[copying], at = access->address[lane];
        if (at < from + batch->read_size[copying] && from < at + (uint64_t)access->size) {
            report_changed_source(warp, lane, access, copier, batch, (int)copying);
            return true;
        }
    }
    return false;
}

void async_check_sources(const struct warp *warp, const struct access *access)
{
    const struct block *block = warp->block;
    for (unsigned w = 0; w < block->launch->warp_count; w++) {
        const struct warp *copier = &block->warps[w];
        for (int i = 0; copier->async && i < copier->async->count; i++)
            FOR_LANES(lane, access->lanes)
        if (check_source(warp, (int)lane, access, copier, &copier->async->batches[i]))
            return;
    }
}

static enum step commit_group(struct warp *warp, const struct micro *op, uint32_t active)
{
    (void)op;
    if (warp->async)
        FOR_LANES(lane, active)
    warp->async->open_group[lane]++;
    return STEP_NEXT;
}

/* All but the last op->imm groups that were committed. */
static enum step wait_group(struct warp *warp, const struct micro *op, uint32_t active)
{
    uint32_t limit[WARP_LANES] = {0};
    if (!warp->async)
        return STEP_NEXT;
    FOR_LANES(lane, active)
    {
        uint32_t open = warp->async->open_group[lane];
        limit[lane] = open > (uint64_t)op->imm ? open - (uint32_t)op->imm : 0;
    }
    complete(warp, active, limit, UINT64_MAX);
    return STEP_NEXT;
}

static enum step wait_all(struct warp *warp, const struct micro *op, uint32_t active)
{
    (void)op;
    async_finish(warp, active);
    return STEP_NEXT;
}

const struct handler exec_async_handlers[] = {
    {"cp.async", async_copy},
    {"cp.async.commit_group", commit_group},
    {"cp.async.wait_group", wait_group},
    {"cp.async.wait_all", wait_all},
    {NULL, NULL},
};
