/*
 * Clusters: what their barrier orders, and shared memory that other blocks reach. An access to it must lie before the
 * end of the block that it belongs to (CUDA Programming Guide, "Distributed Shared Memory"): with a barrier of the
 * cluster behind it, or by way of a flag.
 */
#include "sim/hazard/hazard.h"

#include <stdio.h>

/* The variable by which the blocks of a cluster tell each other: no address has these bits. */
static uint64_t key_of(const struct block_view *first)
{
    return UINT64_C(3) << 62 | first->block_number;
}

/*
 * As a barrier of all blocks would be written by hand: each block meets, one thread of it releases, and when all have, one
 * thread of each acquires. What threads do between their arrival and their wait counts as before it.
 */
void hazard_cluster_barrier(struct block_view *const *cluster, unsigned size)
{
    const struct access acquire = {.order = ORDER_ACQUIRE, .space = PTX_GLOBAL};
    const uint64_t key = key_of(cluster[0]);
    for (unsigned r = 0; r < size; r++) {
        struct block_shadow *s = shadow_of(cluster[r]);
        if (!s)
            continue; /* it has ended */
        order_meet(s);
        const stamp_t now = s->warp[0].stamp = order_tick(s);
        release_write(s, 0, key, now, now, true, true);
    }
    for (unsigned r = 0; r < size; r++)
        if (cluster[r]->shadow) {
            acquire_read(shadow_of(cluster[r]), 0, key, &acquire, SITE_UNKNOWN);
            order_meet(shadow_of(cluster[r]));
        }
}

/* ---- shared memory of a block that ends ---------------------------------------------------------------- */

static void report(struct hazards *h, const struct block_view *owner, const struct sim_hazard_place *who,
                   uint32_t site)
{
    const struct sim_dim3 *b = &owner->block_index;
    struct sim_hazard hazard = {.class = SIM_HAZARD_RACE_SHARED,
                                .kernel = owner->kernel->info.name,
                                .here = *who,
                                .space = SIM_SPACE_SHARED};
    if (hazard_seen(h, hazard.class, site, SITE_UNKNOWN, false))
        return;
    snprintf(hazard.object, sizeof hazard.object, "shared memory of block (%u,%u,%u)", b->x, b->y, b->z);
    snprintf(
        hazard.message, sizeof hazard.message,
        "%s%sline %d: thread (%u,%u,%u) of block (%u,%u,%u) %s shared memory of block (%u,%u,%u), which may have "
        "ended by then: nothing orders that before the block's end, and with it its shared memory is gone. A "
        "cluster.sync() must stand between the last access to other blocks' shared memory and the end of the kernel.",
        who->file, who->file[0] ? ", " : "", who->line, who->thread.x, who->thread.y, who->thread.z,
        who->block.x, who->block.y, who->block.z,
        who->is_atomic  ? "changes"
        : who->is_write ? "writes to"
                        : "reads from",
        b->x, b->y, b->z);
    hazard_remember(h, &hazard, site, SITE_UNKNOWN);
}

void hazard_report_ended(struct pass *p)
{
    const int lane = __builtin_ctz(p->access->lanes);
    const struct sim_hazard_place who = place_of_lane(p->s->view, p->warp, lane, p->access->loc, p->access);
    report(p->s->hazards, p->access->owner, &who, p->site);
}

/* Of another block, whose access no thread of the block that ends knows of. */
static bool is_open(const struct block_shadow *s, struct record r)
{
    if (r.stamp < s->first || order_owner(s->hazards, r.stamp) == s->number)
        return false;
    for (unsigned t = 0; t < s->threads; t++)
        if (order_before(s, r, true, t))
            return false;
    return true;
}

/* False: it is known, and so is what came before it. */
static bool look(const struct block_shadow *s, struct record r, bool writes)
{
    const uint32_t site = r.who >> WHO_SITE_SHIFT;
    if (!is_open(s, r))
        return false;
    const struct ptx_loc loc = hazard_site_loc(s->hazards, site);
    const struct sim_hazard_place who = {
        .file = place_file(s->view->kernel, loc),
        .line = loc.line,
        .block = place_coordinates(order_owner(s->hazards, r.stamp), &s->view->grid_dim),
        .thread = place_coordinates(r.who & WHO_THREAD, &s->view->block_dim),
        .is_write = writes,
        .is_atomic = writes && (r.who & WHO_STORE)};
    report(s->hazards, s->view, &who, site);
    return true;
}

void cluster_block_end(const struct block_shadow *s)
{
    const struct shadow_planes *p = &s->shared;
    for (size_t g = 0; g < p->count; g++)
        if (look(s, planes_write(p, g), true) || look(s, planes_atomic(p, g), true) ||
            look(s, pairs_first(&p->readers, g), false) || look(s, pairs_other(&p->readers, g), false))
            return; /* one is enough */
}
