/*
 * Asynchronous copies to shared memory. Source: PTX ISA, cp.async. Barriers that live there: exec_mbarrier.c.
 *
 * A copy's addresses are checked when it is issued, its bytes move when the lane waits for them: whoever
 * reads shared memory before that finds what was there, as may happen on a GPU.
 */
#include <stdio.h>
#include <stdlib.h>

#include "sim/hazard/watch.h"
#include "sim/machine/exec_memory.h"
#include "sim/model/counter.h"
#include "sim/origin/origin_log.h"
#include "sim/text/place.h"

/* cp.async.mbarrier.arrive of some lanes, that has not happened yet. */
struct async_arrival {
    const struct micro *op;
    uint32_t lanes;
    uint64_t serial; /* it waits for batches below */
    uint64_t address[WARP_LANES];
};

/* One cp.async of a warp. */
struct async_batch {
    const struct micro *op;
    uint64_t serial;
    uint32_t lanes;                /* whose copy has not been done yet */
    uint32_t group[WARP_LANES];    /* the lane's group that it belongs to */
    uint8_t read_size[WARP_LANES]; /* bytes to read; the rest becomes 0 */
    uint64_t offset[WARP_LANES];   /* in shared memory */
    uint64_t source[WARP_LANES];   /* in global memory */
    unsigned char *to[WARP_LANES];
    unsigned char *from[WARP_LANES];
};

struct async_copies {
    struct async_batch *batches; /* in the order of issue */
    int count, capacity;
    uint64_t next_serial;
    uint32_t open_group[WARP_LANES]; /* number of the group that the next copy joins */
    struct async_arrival *arrivals;  /* at mbarriers, when copies are done: in the order of issue */
    int arrival_count, arrival_capacity;
};

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

static struct async_batch *new_batch(struct warp *warp)
{
    if (!warp->async && !(warp->async = calloc(1, sizeof *warp->async)))
        return NULL;
    struct async_copies *copies = warp->async;
    if (copies->count == copies->capacity) {
        int capacity = 2 * copies->capacity + 8;
        struct async_batch *batches = realloc(copies->batches, (size_t)capacity * sizeof *batches);
        if (!batches)
            return NULL;
        copies->batches = batches;
        copies->capacity = capacity;
    }
    return &copies->batches[copies->count++];
}

/* ---- issue --------------------------------------------------------------------------------------------- */

/* Bytes that each lane reads: all, what the operand says, or none. Returns the lanes that read any. */
static uint32_t find_read_sizes(const struct warp *warp, const struct micro *op, uint32_t active,
                                struct async_batch *batch)
{
    const struct async_detail *detail = op->detail;
    const uint32_t ignore = predicate_q(warp, op);
    const row_u32 *sizes = row(warp, op->c);
    uint32_t full = (uint32_t)detail->to.element_size, readers = 0;
    FOR_LANES(lane, active)
    {
        uint32_t size = !detail->has_read_size || sizes[lane] > full ? full : sizes[lane];
        batch->read_size[lane] = (uint8_t)(lane_on(ignore, (int)lane) ? 0 : size);
        readers |= batch->read_size[lane] ? 1u << lane : 0;
    }
    return readers;
}

/* Lanes that read at all have their source checked; others may point anywhere. */
static bool resolve_sources(struct warp *warp, const struct micro *op, uint32_t readers,
                            struct lane_access *lanes, struct async_batch *batch)
{
    const struct async_detail *detail = op->detail;
    if (!readers)
        return true;
    if (!exec_resolve_copy(warp, op, readers, ACCESS_LOAD, &detail->from, batch->offset, lanes))
        return false;
    memcpy(batch->from, lanes->host, sizeof batch->from);
    memcpy(batch->source, lanes->address, sizeof batch->source);
    return true;
}

/* Past L1, an instruction that may write zeros in place of what it reads is counted as a plain store. */
static bool stores_plainly(const struct micro *op)
{
    const struct async_detail *detail = op->detail;
    return detail->from.path == PATH_BYPASS && (detail->has_read_size || op->q != PREDICATE_TRUE);
}

/* The destinations: checked now. */
static bool resolve_destinations(struct warp *warp, const struct micro *op, uint32_t active, uint32_t readers,
                                 const uint64_t *sources, struct async_batch *batch)
{
    const struct async_detail *detail = op->detail;
    struct lane_access lanes;
    exec_fill_addresses(warp, &detail->to, lanes.address);
    lanes.access = (struct access){
        .kind = ACCESS_STORE,
        .space = PTX_SHARED,
        .size = detail->to.element_size,
        .element_size = detail->to.element_size,
        .lanes = active,
        .address = lanes.address,
        .loc = warp_loc(warp, op),
        .pc = (int)(op - warp->ops),
        .path = detail->from.path,
        .partner = stores_plainly(op) ? NULL : sources,
        .partner_lanes = readers,
    };
    char message[1024];
    enum sim_status status =
        memory_resolve(&warp->block->view, warp->index, &lanes.access, lanes.host, message);
    if (status != SIM_OK) {
        block_fault(warp->block, status, "%s", message);
        return false;
    }
    if (warp->block->launch->counters)
        counter_access(warp->block->view.counters, &lanes.access);
    if (warp->block->launch->origin)
        origin_note_access(warp->block->launch->origin, &lanes.access);
    memcpy(batch->offset, lanes.address, sizeof batch->offset);
    memcpy(batch->to, lanes.host, sizeof batch->to);
    return true;
}

/* The lanes' bytes may be written from the issue on until the lanes wait: the hazard detector hears of both ends. */
static void tell_hazards(struct warp *warp, const struct async_batch *batch, uint32_t lanes)
{
    const struct async_detail *detail = batch->op->detail;
    struct access access = {
        .kind = ACCESS_STORE,
        .space = PTX_SHARED,
        .size = detail->to.element_size,
        .element_size = detail->to.element_size,
        .lanes = lanes,
        .address = batch->offset,
        .loc = warp_loc(warp, batch->op),
        .pc = (int)(batch->op - warp->ops),
    };
    access_find_shape(&access);
    hazard_access(&warp->block->view, warp->index, &access, batch->to);
}

static enum step async_copy(struct warp *warp, const struct micro *op, uint32_t active)
{
    struct async_batch *batch = new_batch(warp);
    if (!batch)
        return exec_fault(warp, op, active, SIM_OUT_OF_MEMORY, "has too many asynchronous copies under way");
    batch->op = op;
    batch->serial = warp->async->next_serial++;
    batch->lanes = active;
    warp->block->copying += (unsigned)__builtin_popcount(active);
    memcpy(batch->group, warp->async->open_group, sizeof batch->group);
    const uint32_t readers = find_read_sizes(warp, op, active, batch);
    struct lane_access sources;
    exec_fill_addresses(warp, &((const struct async_detail *)op->detail)->from, sources.address);
    if (!resolve_destinations(warp, op, active, readers, sources.address, batch) ||
        !resolve_sources(warp, op, readers, &sources, batch))
        return STEP_FAULT;
    if (warp->block->launch->hazards)
        tell_hazards(warp, batch, active);
    return STEP_NEXT;
}

/* ---- completion ---------------------------------------------------------------------------------------- */

static void perform(struct warp *warp, struct async_batch *batch, uint32_t lanes)
{
    const struct async_detail *detail = batch->op->detail;
    size_t size = (size_t)detail->to.element_size;
    if (warp->block->launch->hazards)
        tell_hazards(warp, batch, lanes);
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
