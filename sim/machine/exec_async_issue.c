/*
 * Asynchronous copies are issued: their addresses are checked, and what reads and writes is told to all who watch.
 * Source: PTX ISA, cp.async.
 */
#include <stdlib.h>

#include "sim/hazard/watch.h"
#include "sim/machine/exec_async.h"
#include "sim/model/counter.h"
#include "sim/model/trace.h"
#include "sim/origin/origin_log.h"

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

/* ---- addresses ----------------------------------------------------------------------------------------- */

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
static bool resolve_full(struct warp *warp, const struct micro *op, uint32_t readers,
                         const struct memory_detail *from, struct lane_access *lanes,
                         struct async_batch *batch)
{
    if (!readers)
        return true;
    if (!exec_resolve_copy(warp, op, readers, ACCESS_LOAD, from, batch->offset, lanes))
        return false;
    FOR_LANES(lane, readers)
    {
        batch->from[lane] = lanes->host[lane];
        batch->source[lane] = lanes->address[lane];
    }
    return true;
}

/* The lanes whose aligned source is read in part: some bytes, but not all that are written. */
static uint32_t find_partial(const struct micro *op, uint32_t readers, const struct lane_access *lanes,
                             const struct async_batch *batch)
{
    const uint64_t full = (uint64_t)((const struct async_detail *)op->detail)->to.element_size;
    uint32_t partial = 0;
    FOR_LANES(lane, readers)
    partial |= batch->read_size[lane] < full && lanes->address[lane] % full == 0 ? 1u << lane : 0;
    return partial;
}

/* The lanes' pieces of `size` bytes each: what remains of their bytes behind larger pieces, if it is so large. */
static bool resolve_piece(struct warp *warp, const struct micro *op, uint32_t partial, unsigned size,
                          const uint64_t sources[WARP_LANES], struct async_batch *batch)
{
    struct memory_detail piece = ((const struct async_detail *)op->detail)->from;
    struct lane_access lanes;
    uint32_t due = 0, first = 0;
    piece.element_size = (int)size;
    piece.is_counted = true;
    memcpy(lanes.address, sources, sizeof lanes.address);
    FOR_LANES(lane, partial)
    {
        const unsigned before = batch->read_size[lane] & ~(2 * size - 1);
        due |= batch->read_size[lane] & size ? 1u << lane : 0;
        first |= before == 0 ? 1u << lane : 0;
        lanes.address[lane] += before;
    }
    if (!due)
        return true;
    if (!exec_resolve_copy(warp, op, due, ACCESS_LOAD, &piece, NULL, &lanes))
        return false;
    FOR_LANES(lane, due & (first | lanes.bad))
    batch->from[lane] = lanes.host[lane];
    return true;
}

/*
 * What a lane does not read it does not touch (PTX ISA, cp.async: src-size): it may lie behind the end of the allocation.
 * So its bytes are checked in pieces of a power of two; they count as one request.
 */
static bool resolve_partial(struct warp *warp, const struct micro *op, uint32_t partial,
                            const struct lane_access *lanes, struct async_batch *batch)
{
    FOR_LANES(lane, partial)
    batch->source[lane] = lanes->address[lane];
    for (unsigned size = 8; size > 0; size /= 2)
        if (!resolve_piece(warp, op, partial, size, lanes->address, batch))
            return false;
    return true;
}

static void count_sources(struct warp *warp, const struct micro *op, uint32_t readers,
                          const struct lane_access *lanes, const struct async_batch *batch)
{
    const struct async_detail *detail = op->detail;
    struct access access = {
        .kind = ACCESS_LOAD,
        .space = PTX_GLOBAL,
        .size = detail->from.element_size,
        .element_size = detail->from.element_size,
        .lanes = readers,
        .address = lanes->address,
        .loc = warp_running_loc(warp, op),
        .pc = (int)(op - warp->ops),
        .path = detail->from.path,
        .partner = batch->offset,
    };
    access_find_shape(&access);
    counter_access(warp->block->view.counters, &access);
}

static bool resolve_sources(struct warp *warp, const struct micro *op, uint32_t readers,
                            struct lane_access *lanes, struct async_batch *batch)
{
    const struct memory_detail *from = &((const struct async_detail *)op->detail)->from;
    const uint32_t partial = find_partial(op, readers, lanes, batch);
    if (!partial)
        return resolve_full(warp, op, readers, from, lanes, batch);
    if (warp->block->launch->counters)
        count_sources(warp, op, readers, lanes, batch);
    struct memory_detail counted = *from;
    counted.is_counted = true;
    return resolve_partial(warp, op, partial, lanes, batch) &&
           resolve_full(warp, op, readers & ~partial, &counted, lanes, batch);
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
        .loc = warp_running_loc(warp, op),
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
    if (warp->block->trace)
        trace_access(warp->block->trace, warp->index, &lanes.access);
    if (warp->block->launch->origin)
        origin_note_access(warp->block->launch->origin, &lanes.access);
    memcpy(batch->offset, lanes.address, sizeof batch->offset);
    memcpy(batch->to, lanes.host, sizeof batch->to);
    return true;
}

void async_tell_hazards(struct warp *warp, const struct async_batch *batch, uint32_t lanes,
                        async_tell_fn tell)
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
    tell(&warp->block->view, warp->index, &access);
}

enum step async_copy(struct warp *warp, const struct micro *op, uint32_t active)
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
        async_tell_hazards(warp, batch, active, hazard_copy_issued);
    return STEP_NEXT;
}
