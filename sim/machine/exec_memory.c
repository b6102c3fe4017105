/* Addresses: which space, whether they are good, who wants to know. */
#include "sim/core/address_space.h"
#include "sim/hazard/watch.h"
#include "sim/machine/cluster.h"
#include "sim/machine/exec_undefined.h"
#include "sim/model/counter.h"
#include "sim/model/trace.h"
#include "sim/origin/origin_log.h"
#include "sim/stream/touched.h"
#include "sim/text/place.h"

#include <stdio.h>
#include <string.h>

#include "sim/memory/tracker.h"

enum ptx_space generic_space(uint64_t address, uint64_t *offset)
{
    *offset = address;
    if (address - GENERIC_SHARED_BASE < GENERIC_WINDOW_SIZE) {
        *offset = address - GENERIC_SHARED_BASE - SHARED_FIRST_ADDRESS;
        return PTX_SHARED;
    }
    if (address - GENERIC_LOCAL_BASE < GENERIC_WINDOW_SIZE) {
        *offset = address - GENERIC_LOCAL_BASE;
        return PTX_LOCAL;
    }
    if (address - GENERIC_PARAM_BASE < GENERIC_WINDOW_SIZE) {
        *offset = address - GENERIC_PARAM_BASE;
        return PTX_PARAM;
    }
    return PTX_GLOBAL;
}

/* Where the values of a store stand, so that the watchers can tell equal ones. */
static void name_values(const struct warp *warp, const struct memory_detail *detail, struct access *access)
{
    for (int i = 0; i < detail->count && i < 4; i++)
        access->value[i] = (const unsigned char *)row(warp, detail->registers[i]) + detail->from_byte;
    access->value_stride = detail->register_size[0];
}

static void watch(struct warp *warp, const struct access *access, unsigned char *const host[WARP_LANES])
{
    hazard_access(&warp->block->view, warp->index, access, host);
    if (__builtin_expect(warp->block->loaded.lanes != 0, 0))
        undefined_found(warp, access->pc);
    if (access->space == PTX_SHARED && warp->async && !access->owner)
        async_check_access(warp, access);
    else if (access->space == PTX_GLOBAL && warp->block->copying && access->kind != ACCESS_LOAD)
        async_check_sources(warp, access);
}

/* Of a load ahead of the decision, the lanes count that will take its value. */
static void watch_chosen(struct warp *warp, const struct memory_detail *detail, const struct access *access,
                         unsigned char *const host[WARP_LANES])
{
    struct access chosen = *access;
    chosen.lanes &= warp->preds[detail->chosen_by] ^ (detail->chosen_if_not ? ~0u : 0);
    if (chosen.lanes != access->lanes) {
        chosen.shape = SHAPE_SCATTERED;
        memset(chosen.group_shape, 0, sizeof chosen.group_shape);
    }
    if (chosen.lanes)
        watch(warp, &chosen, host);
}

static bool is_global(enum ptx_space space)
{
    return space != PTX_SHARED && space != PTX_LOCAL && space != PTX_PARAM;
}

/* Shows the access to all who watch; false: the blocks depend on each other. */
static bool tell(struct warp *warp, const struct memory_detail *detail, struct access *access,
                 unsigned char *const host[WARP_LANES])
{
    struct block *block = warp->block;
    const struct launch *launch = block->launch;
    if (access->kind == ACCESS_STORE ? launch->hazards || launch->origin
                                     : access->kind == ACCESS_ATOMIC && launch->origin)
        name_values(warp, detail, access);
    if (launch->touched && is_global(access->space))
        touched_access(launch->touched, access, detail->scope);
    if (launch->hazards) {
        if (detail->is_speculative)
            watch_chosen(warp, detail, access, host);
        else
            watch(warp, access, host);
    }
    if (launch->counters && !detail->is_counted)
        counter_access(block->view.counters, access);
    if (is_global(access->space)) {
        block->loads +=
            access->kind == ACCESS_LOAD && access->space != PTX_CONST; /* all blocks read constants alike */
        block->acts |= access->kind != ACCESS_LOAD;
    }
    block->acts |= access->owner && access->kind != ACCESS_LOAD;
    if (block->trace)
        trace_access(block->trace, warp->index, access);
    if (launch->origin)
        origin_note_access(launch->origin, access);
    if (block->view.tracker && is_global(access->space) && !tracker_access(block->view.tracker, access)) {
        block_fault(block, SIM_TRAP, "the blocks depend on each other");
        return false;
    }
    return true;
}

/* Some lanes must not touch their bytes. True: the launch goes on without them; out->bad says which. */
static bool survive(struct warp *warp, const struct memory_detail *detail, struct access *access,
                    struct lane_access *out, enum sim_status status, const char *message)
{
    struct block *block = warp->block;
    if (!block_survives(block, status, message))
        return false;
    const uint32_t bad = memory_suppress(&block->view, warp->index, access, out->host);
    out->bad |= bad;
    access->shape = SHAPE_SCATTERED;
    access->inside = NULL;
    memset(access->group_shape, 0, sizeof access->group_shape);
    struct access good = *access;
    good.lanes &= ~bad;
    return !good.lanes || tell(warp, detail, &good, out->host);
}

static bool resolve_known(struct warp *warp, const struct memory_detail *detail, struct access *access,
                          struct lane_access *out)
{
    char message[1024];
    enum sim_status status = memory_resolve(&warp->block->view, warp->index, access, out->host, message);
    return status == SIM_OK ? tell(warp, detail, access, out->host)
                            : survive(warp, detail, access, out, status, message);
}

/* Shared memory of another block of the cluster: as if it were the block's own, at the same offsets. */
static bool resolve_owned(struct warp *warp, const struct memory_detail *detail, struct access *access,
                          struct lane_access *out, const struct block *owner)
{
    unsigned char *const own = warp->block->view.shared;
    warp->block->view.shared = owner->view.shared;
    access->owner = &owner->view;
    out->elsewhere = true;
    const bool good = resolve_known(warp, detail, access, out);
    warp->block->view.shared = own;
    return good;
}

static void report_absent(struct warp *warp, const struct access *access, const struct cluster_part *part)
{
    struct block *block = warp->block;
    const int lane = __builtin_ctz(part->lanes);
    struct sim_hazard h = {.class = SIM_HAZARD_OUT_OF_BOUNDS,
                           .kernel = block->launch->kernel->info.name,
                           .here = place_of_lane(&block->view, warp->index, lane, access->loc, access)};
    snprintf(
        h.message, sizeof h.message,
        "%s:%d: thread (%u,%u,%u) of block (%u,%u,%u) accesses shared memory of the block with rank %u in its "
        "cluster, which has %u block%s.",
        h.here.file, h.here.line, h.here.thread.x, h.here.thread.y, h.here.thread.z, h.here.block.x,
        h.here.block.y, h.here.block.z, part->absent - 1, block->cluster->size,
        block->cluster->size == 1 ? "" : "s");
    if (block->launch->hazards)
        hazard_file(block->view.sim, &h);
    block_fault(block, SIM_OUT_OF_BOUNDS, "%s", h.message);
}

/* Lanes that mean the same block's shared memory go together. */
static bool resolve_cluster(struct warp *warp, const struct memory_detail *detail, struct access *access,
                            struct lane_access *out)
{
    uint32_t left = access->lanes;
    while (left) {
        const struct cluster_part of_block = cluster_take(warp->block, out->address, &left);
        struct access part = *access;
        part.lanes = of_block.lanes;
        if (of_block.absent) {
            report_absent(warp, access, &of_block);
            return false;
        }
        if (!(of_block.owner ? resolve_owned(warp, detail, &part, out, of_block.owner)
                             : resolve_known(warp, detail, &part, out)))
            return false;
        if (part.lanes == access->lanes) {
            *access = part;
            return true;
        }
    }
    access->shape = SHAPE_SCATTERED;
    return true;
}

static bool resolve_space(struct warp *warp, const struct memory_detail *detail, struct access *access,
                          struct lane_access *out)
{
    return access->space == PTX_SHARED && warp->block->cluster && !access->partner
               ? resolve_cluster(warp, detail, access, out)
               : resolve_known(warp, detail, access, out);
}

/* Lanes of a generic access that lie in the same space go together; addresses become offsets. */
static bool resolve_generic(struct warp *warp, const struct memory_detail *detail, struct lane_access *out)
{
    uint32_t left = out->access.lanes;
    uint64_t offset, ignored;
    while (left) {
        const uint64_t first = out->address[__builtin_ctz(left)];
        const enum ptx_space space = generic_space(first, &offset);
        const uint64_t base = first - offset;
        uint32_t same = 0;
        FOR_LANES(lane, left)
        {
            const uint64_t address = out->address[lane];
            /* Windows begin at multiples of their size. */
            if ((address ^ first) >= GENERIC_WINDOW_SIZE && generic_space(address, &ignored) != space)
                continue;
            same |= 1u << lane;
            out->address[lane] = address - base;
        }
        struct access part = out->access;
        part.space = space;
        part.lanes = same;
        if (!resolve_space(warp, detail, &part, out))
            return false;
        if (same == out->access.lanes) {
            out->access = part;
            return true;
        }
        left &= ~same;
    }
    out->access.shape = SHAPE_SCATTERED;
    return true;
}

bool exec_resolve(struct warp *warp, const struct micro *op, uint32_t lanes, enum access_kind kind,
                  const struct memory_detail *detail, struct lane_access *out)
{
    return exec_resolve_copy(warp, op, lanes, kind, detail, NULL, out);
}

bool exec_resolve_copy(struct warp *warp, const struct micro *op, uint32_t lanes, enum access_kind kind,
                       const struct memory_detail *detail, const uint64_t *partner, struct lane_access *out)
{
    out->bad = 0;
    out->elsewhere = false;
    out->access = (struct access){
        .kind = kind,
        .order = detail->order,
        .space = detail->space,
        .size = detail->element_size * detail->count,
        .element_size = detail->element_size,
        .lanes = lanes,
        .address = out->address,
        .loc = warp_running_loc(warp, op),
        .pc = (int)(op - warp->ops),
        .narrow = detail->order != ORDER_WEAK && detail->scope == 0,
        .polled = detail->polled,
        .non_coherent = detail->non_coherent,
        .no_result = detail->no_result,
        .of_phase = detail->of_phase,
        .is_ticket = detail->is_ticket,
        .compare = detail->compares ? row(warp, op->b) : NULL,
        .unused = detail->unused,
        .kept = detail->kept,
        .put_back = detail->put_back,
        .structure = detail->structure,
        .is_exchange = detail->is_exchange,
        .is_float = detail->is_float,
        .commutes = detail->commutes,
        .path = detail->path,
        .partner = partner,
    };
    if (detail->space == PTX_GENERIC)
        return resolve_generic(warp, detail, out);
    return resolve_space(warp, detail, &out->access, out);
}

/* Nothing about the operation or who watches the block wants a look at the single lanes. */
static bool is_plain(const struct warp *warp, const struct memory_detail *detail)
{
    const struct block *block = warp->block;
    const struct launch *launch = block->launch;
    return detail->order == ORDER_WEAK && detail->path == PATH_L1 && !detail->is_speculative &&
           !detail->is_counted && !detail->kept && !launch->touched && !launch->origin && !block->trace &&
           !block->copying;
}

unsigned char *exec_row(struct warp *warp, const struct micro *op, bool is_store, uint64_t first,
                        uint64_t bytes)
{
    const struct memory_detail *detail = op->detail;
    struct block *block = warp->block;
    const struct launch *launch = block->launch;
    const int pc = (int)(op - warp->ops);
    struct hazard_row row = {
        .pc = pc, .is_store = is_store, .non_coherent = detail->non_coherent, .first = first};
    unsigned char *host;
    if (!is_plain(warp, detail) || (launch->hazards && bytes != 4 * WARP_LANES))
        return NULL;
    row.allocation = memory_find_row(&block->view, pc, first, bytes, is_store, &host, &row.leap);
    if (!row.allocation || (launch->hazards && !hazard_row(&block->view, warp->index, &row)))
        return NULL;
    if (block->view.tracker &&
        !tracker_row(block->view.tracker, row.allocation, is_store, first, bytes, row.leap))
        return NULL; /* the attempt has failed, as exec_resolve will say */
    if (launch->counters)
        counter_row(block->view.counters, pc, is_store, row.allocation, first, bytes);
    block->loads += !is_store;
    block->acts |= is_store;
    return host;
}

bool exec_load_is_known(struct warp *warp, const struct micro *op, uint32_t first, bool is_one)
{
    const struct block *block = warp->block;
    const struct launch *launch = block->launch;
    const int pc = (int)(op - warp->ops);
    if (((const struct memory_detail *)op->detail)->order != ORDER_WEAK || warp->async || block->trace ||
        launch->origin)
        return false;
    if (launch->hazards && !hazard_load_is_known(&block->view, warp->index, pc, first, is_one))
        return false;
    if (launch->counters)
        counter_shared_row(block->view.counters, pc);
    return true;
}

void exec_watch_shared(struct warp *warp, const struct micro *op, enum access_kind kind,
                       const uint64_t offsets[WARP_LANES], enum access_shape shape,
                       const unsigned char group_shape[ACCESS_GROUPS])
{
    const struct memory_detail *detail = op->detail;
    struct block *block = warp->block;
    struct access access = {
        .kind = kind,
        .order = detail->order,
        .space = PTX_SHARED,
        .size = detail->element_size,
        .element_size = detail->element_size,
        .lanes = ~0u,
        .address = offsets,
        .loc = warp_running_loc(warp, op),
        .pc = (int)(op - warp->ops),
        .shape = shape,
    };
    if (shape == SHAPE_SCATTERED)
        memcpy(access.group_shape, group_shape, sizeof access.group_shape);
    if (kind == ACCESS_STORE && (block->launch->hazards || block->launch->origin))
        name_values(warp, detail, &access);
    if (block->launch->hazards)
        watch(warp, &access, NULL);
    if (block->launch->counters)
        counter_access(block->view.counters, &access);
    if (block->trace)
        trace_access(block->trace, warp->index, &access);
    if (block->launch->origin)
        origin_note_access(block->launch->origin, &access);
}

void *exec_thread_pointer(struct warp *warp, const struct micro *op, int lane, uint64_t address, size_t size)
{
    struct lane_access lanes;
    uint64_t offset;
    enum ptx_space space = generic_space(address, &offset);
    if (space == PTX_PARAM || size > 16)
        return NULL;
    lanes.address[lane] = offset;
    struct access access = {
        .kind = ACCESS_LOAD,
        .space = space,
        .size = (int)size,
        .element_size = (int)size,
        .lanes = 1u << lane,
        .address = lanes.address,
        .loc = warp_running_loc(warp, op),
        .pc = (int)(op - warp->ops),
    };
    char message[1024];
    if (memory_resolve(&warp->block->view, warp->index, &access, lanes.host, message) != SIM_OK)
        return NULL;
    return lanes.host[lane];
}
