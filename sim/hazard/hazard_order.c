/*
 * Who knows what, inside a block: stamps, barriers, warp syncs and fences.
 */
#include "sim/hazard/hazard.h"

#include <stdlib.h>
#include <string.h>

static stamp_t later(stamp_t a, stamp_t b)
{
    return a > b ? a : b;
}

static void raise_to(stamp_t *row, const stamp_t *other, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        row[i] = row[i] > other[i] ? row[i] : other[i];
}

/* ---- stamps -------------------------------------------------------------------------------------------- */

uint32_t order_owner(const struct hazards *h, stamp_t stamp)
{
    size_t chunk = (size_t)(stamp - h->launch_first) / STAMPS_PER_CHUNK;
    return chunk < h->chunk_capacity ? h->chunk_owner[chunk] : UINT32_MAX;
}

static bool note_owner(struct hazards *h, stamp_t first, uint32_t block)
{
    size_t chunk = (size_t)(first - h->launch_first) / STAMPS_PER_CHUNK;
    if (chunk >= h->chunk_capacity) {
        size_t capacity = h->chunk_capacity ? 2 * h->chunk_capacity : 1024;
        uint32_t *owner = realloc(h->chunk_owner, capacity * sizeof *owner);
        if (!owner)
            return false;
        h->chunk_owner = owner;
        h->chunk_capacity = capacity;
    }
    h->chunk_owner[chunk] = block;
    return true;
}

/* What warps that do not wait have brought to a barrier, until it is complete. */
struct arrival {
    stamp_t joined[BLOCK_WARPS]; /* what waiting warps will know of each */
    struct known *known;
};

static void drop_arrival(struct block_shadow *s, unsigned barrier)
{
    struct arrival *a = s->arrivals[barrier];
    if (a)
        known_drop(a->known);
    free(a);
    s->arrivals[barrier] = NULL;
}

static void drop_arrivals(struct block_shadow *s)
{
    for (unsigned i = 0; i < BLOCK_BARRIERS; i++)
        drop_arrival(s, i);
}

/* The clocks of a block at stamp `now`: everything before is known to everybody. */
static void know_everything(struct block_shadow *s)
{
    s->base = s->now;
    s->epoch++;
    for (unsigned w = 0; w < s->warps; w++) {
        struct warp_clock *c = &s->warp[w];
        c->stamp = c->base = s->now;
        c->partial = false;
    }
    s->unusual = s->tables = false;
}

static void take_chunk(struct block_shadow *s)
{
    struct hazards *h = s->hazards;
    stamp_t first = h->next_stamp;
    h->next_stamp += STAMPS_PER_CHUNK;
    if (first != s->chunk_end)
        s->own = first; /* stamps of other blocks lie between */
    s->now = first;
    s->chunk_end = first + STAMPS_PER_CHUNK;
}

/* Gives the block a fresh chunk of stamps. */
static void order_new_chunk(struct block_shadow *s)
{
    struct hazards *h = s->hazards;
    if (h->next_stamp > INT32_MAX - 4 * STAMPS_PER_CHUNK || !note_owner(h, h->next_stamp, s->number))
        order_start_over(h);
    else
        take_chunk(s);
}

static void restart_block(struct block_shadow *s)
{
    take_chunk(s);
    note_owner(s->hazards, s->now, s->number);
    s->first = s->own = s->now;
    know_everything(s);
    acquire_forget(s);
    drop_arrivals(s);
    memset(s->fence, 0, sizeof s->fence);
    memset(s->wide_fence, 0, sizeof s->wide_fence);
    memset(s->fence_before, 0, sizeof s->fence_before);
    s->fenced = false;
}

static void forget_tables(struct block_shadow *s)
{
    planes_clear(&s->shared);
    written_everything(s);
    for (unsigned w = 0; w < BLOCK_WARPS; w++) {
        free(s->warp[w].lane_known);
        s->warp[w].lane_known = NULL;
    }
    free(s->warp_known);
    s->warp_known = NULL;
}

void order_destroy(struct block_shadow *s)
{
    drop_arrivals(s);
    for (unsigned w = 0; w < BLOCK_WARPS; w++)
        free(s->warp[w].lane_known);
    free(s->warp_known);
}

void order_start_over(struct hazards *h)
{
    struct memory *memory = h->sim->memory;
    for (int i = 0; i < memory->count; i++)
        if (memory->list[i]->shadow[h->index])
            planes_clear(memory->list[i]->shadow[h->index]);
    for (struct block_shadow *s = h->idle; s; s = s->next)
        forget_tables(s);
    release_launch_end(h);
    h->launch_first = h->next_stamp = STAMPS_PER_CHUNK;
    for (struct block_shadow *s = h->live; s; s = s->next) {
        forget_tables(s);
        restart_block(s);
    }
}

stamp_t order_tick(struct block_shadow *s)
{
    if (++s->now >= s->chunk_end)
        order_new_chunk(s);
    return s->now;
}

void order_block_begin(struct block_shadow *s)
{
    s->chunk_end = 0;
    for (unsigned w = 0; w < s->warps; w++)
        s->warp[w].exited = 0;
    order_new_chunk(s);
    s->first = s->own = s->now;
    know_everything(s);
    if (s->fenced) {
        memset(s->fence, 0, sizeof s->fence);
        memset(s->wide_fence, 0, sizeof s->wide_fence);
        memset(s->fence_before, 0, sizeof s->fence_before);
    }
    s->fenced = false;
}

void order_block_end(struct block_shadow *s)
{
    acquire_forget(s);
    drop_arrivals(s);
}

/* ---- questions ----------------------------------------------------------------------------------------- */

stamp_t order_known_by_tables(const struct block_shadow *s, unsigned t, unsigned u)
{
    unsigned tw = t / WARP_LANES, uw = u / WARP_LANES;
    stamp_t known = 0;
    if (tw == uw && s->warp[tw].lane_known)
        known = s->warp[tw].lane_known[t % WARP_LANES * WARP_LANES + u % WARP_LANES];
    if (tw != uw && s->warp_known)
        known = s->warp_known[tw * BLOCK_WARPS + uw];
    return known;
}

/* Up to which stamp thread t knows what thread u of its block did; both differ. */
static stamp_t order_known(const struct block_shadow *s, unsigned t, unsigned u)
{
    stamp_t known = later(s->base, order_known_by_tables(s, t, u));
    return t / WARP_LANES == u / WARP_LANES ? later(known, s->warp[t / WARP_LANES].base) : known;
}

bool order_before(const struct block_shadow *s, struct record record, bool is_global, unsigned t)
{
    unsigned u = record.who & WHO_THREAD;
    uint32_t owner = is_global ? order_owner(s->hazards, record.stamp) : s->number;
    if (owner == s->number && (u == t || record.stamp < s->base || record.stamp < order_known(s, t, u)))
        return true;
    return s->knows && release_known(s, t, owner, u, record.stamp);
}

/* ---- events -------------------------------------------------------------------------------------------- */

static bool is_whole_block(const struct block_shadow *s, const uint32_t *lanes_by_warp)
{
    for (unsigned w = 0; lanes_by_warp && w < s->warps; w++)
        if (all_lanes_of(s, w) & ~(lanes_by_warp[w] | s->warp[w].exited))
            return false;
    return true;
}

/* Warps `lanes_by_warp` have waited at a barrier of some: each of them learns what any of them knew, and what arrived. */
static void join_warps(struct block_shadow *s, const uint32_t *lanes_by_warp, const struct arrival *arrival)
{
    if (!s->warp_known)
        s->warp_known = calloc(BLOCK_WARPS * BLOCK_WARPS, sizeof *s->warp_known);
    if (!s->warp_known)
        return;
    stamp_t now = order_tick(s), joined[BLOCK_WARPS] = {0};
    if (arrival)
        raise_to(joined, arrival->joined, BLOCK_WARPS);
    for (unsigned w = 0; w < s->warps; w++)
        if (lanes_by_warp[w]) {
            raise_to(joined, s->warp_known + w * BLOCK_WARPS, BLOCK_WARPS);
            joined[w] = now;
        }
    for (unsigned w = 0; w < s->warps; w++)
        if (lanes_by_warp[w]) {
            memcpy(s->warp_known + w * BLOCK_WARPS, joined, sizeof joined);
            s->warp[w].stamp = s->warp[w].base = now;
        }
    s->unusual = s->tables = s->hazards->careful = true;
    acquire_barrier(s, lanes_by_warp, false, arrival ? arrival->known : NULL);
}

void order_meet(struct block_shadow *s)
{
    order_tick(s);
    know_everything(s);
    acquire_barrier(s, NULL, true, NULL);
    if (s->fenced)
        memcpy(s->fence_before, s->wide_fence, sizeof s->fence_before);
}

void hazard_block_barrier(const struct block_view *block, unsigned barrier, const uint32_t *lanes_by_warp)
{
    struct block_shadow *s = shadow_of(block);
    if (!s || barrier >= BLOCK_BARRIERS)
        return;
    if (s->arrivals[barrier] || !is_whole_block(s, lanes_by_warp)) {
        join_warps(s, lanes_by_warp, s->arrivals[barrier]);
        drop_arrival(s, barrier);
        return;
    }
    order_meet(s);
}

unsigned hazard_block_deeds(const struct block_view *block)
{
    struct block_shadow *s = shadow_of(block);
    const unsigned deeds = s && !block->cluster ? s->deeds : DEED_UNKNOWN;
    if (s)
        s->deeds = 0;
    return deeds;
}

void hazard_barrier_arrive(const struct block_view *block, unsigned barrier, unsigned warp, uint32_t lanes)
{
    struct block_shadow *s = shadow_of(block);
    if (!s || warp >= s->warps || barrier >= BLOCK_BARRIERS || lanes == 0)
        return;
    if (!s->arrivals[barrier])
        s->arrivals[barrier] = calloc(1, sizeof *s->arrivals[barrier]);
    struct arrival *a = s->arrivals[barrier];
    if (!a)
        return;
    uint32_t by_warp[BLOCK_WARPS] = {0};
    by_warp[warp] = lanes;
    struct known *known = acquire_collect(s, by_warp);
    a->known = known_join(a->known, known);
    known_drop(known);
    if (s->warp_known)
        raise_to(a->joined, s->warp_known + warp * BLOCK_WARPS, BLOCK_WARPS);
    a->joined[warp] = s->warp[warp].stamp = order_tick(s);
}

/* A sync of some lanes: each of them learns what any of them knew of the warp's lanes. */
static void join_lanes(struct block_shadow *s, unsigned warp, uint32_t lanes)
{
    struct warp_clock *c = &s->warp[warp];
    if (!c->lane_known)
        c->lane_known = calloc(WARP_LANES * WARP_LANES, sizeof *c->lane_known);
    if (!c->lane_known)
        return;
    stamp_t now = order_tick(s), joined[WARP_LANES] = {0};
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        raise_to(joined, c->lane_known + __builtin_ctz(rest) * WARP_LANES, WARP_LANES);
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        joined[__builtin_ctz(rest)] = now;
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        memcpy(c->lane_known + __builtin_ctz(rest) * WARP_LANES, joined, sizeof joined);
    c->stamp = now;
    c->partial = true;
    s->unusual = s->tables = s->hazards->careful = true;
}

void hazard_warp_sync(const struct block_view *block, unsigned warp, uint32_t lanes)
{
    struct block_shadow *s = shadow_of(block);
    if (!s || warp >= s->warps || lanes == 0)
        return;
    if (all_lanes_of(s, warp) & ~(lanes | s->warp[warp].exited)) {
        join_lanes(s, warp, lanes);
    } else {
        s->warp[warp].stamp = s->warp[warp].base = order_tick(s);
        s->warp[warp].partial = false;
    }
    if (s->knows)
        acquire_sync(s, warp, lanes);
}

void hazard_fence(const struct block_view *block, unsigned warp, uint32_t lanes, int scope)
{
    struct block_shadow *s = shadow_of(block);
    if (!s || warp >= s->warps)
        return;
    stamp_t now = s->warp[warp].stamp = order_tick(s);
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        unsigned t = warp * WARP_LANES + (unsigned)__builtin_ctz(rest);
        s->fence[t] = now;
        s->fence_warp_base[t] = s->warp[warp].base;
        if (scope > 0) {
            s->wide_fence[t] = now;
            s->wide_base[t] = s->base;
        }
    }
    s->fenced = true;
    if (s->knows)
        acquire_fence(s, warp, lanes, scope > 0);
}

void hazard_exit(const struct block_view *block, unsigned warp, uint32_t lanes)
{
    struct block_shadow *s = shadow_of(block);
    if (s && warp < s->warps)
        s->warp[warp].exited |= lanes;
}
