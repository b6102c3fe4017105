/*
 * All lanes of an access against shadow. Plain loads and stores, the bulk of all accesses, go through loops
 * without branches over the shadow arrays: first "does anything need a closer look?", in three steps that
 * each cost more and are needed less often, then "write it down". Whatever does need a closer look goes lane
 * by lane through hazard_cell.c, which knows all the rules.
 *
 * Lanes that are neighbours on neighbouring words work on the shadow arrays in place. Other patterns are
 * split into such runs, or their cells are collected in arrays of their own first, and put back.
 */
#include "bits.h"
#include "hazard.h"
#include "simd.h"
#include "tracker.h"

#include <string.h>

#define FULL 32 /* cells of the usual run: its loops have a constant length */

/* The cells that the loops work on: cell i belongs to lane first_lane + lane_of[i]. */
struct run {
    stamp_t *write_stamp;
    uint32_t *write_who;
    struct record_pairs readers;
    const stamp_t *atomic_stamp; /* NULL: no need to look at them */
    bool strong;                 /* the launch has had atomic or strong accesses */
    int count;
    unsigned first_lane;
    const uint32_t *lane_of;
};

/* The cells from granule g on, in place. */
ALWAYS_INLINE struct run run_in_place(const struct shadow_planes *planes, size_t g, bool strong)
{
    return (struct run){.write_stamp = planes->write_stamp + g,
                        .write_who = planes->write_who + g,
                        .readers = {.stamp = planes->readers.stamp + g,
                                    .who = planes->readers.who + g,
                                    .other_stamp = planes->readers.other_stamp + g,
                                    .other_who = planes->readers.other_who + g},
                        .atomic_stamp = strong ? planes->atomic_stamp + g : NULL,
                        .strong = strong};
}

/* The clocks that the loops compare with, and the record of the run's lane 0. */
struct clock {
    stamp_t stale, own, own_end, base, warp_base, stamp;
    uint32_t me0;
};

/* What a run came to. */
enum outcome {
    DONE,       /* nothing to write, or written */
    TAKE_READ,  /* all cells now have this access as their reader */
    TAKE_WRITE, /* … as their last write */
    TAKE_BOTH,  /* both readers may have changed */
    LOOK_CLOSER /* nothing written: by the rules, lane by lane */
};

/* ---- the loops ----------------------------------------------------------------------------------------- */

/* All bits set if true: what a vector comparison yields. */
#define MASK(condition) (-(int32_t)(condition))

/*
 * A stamp that means something and is not before the block's last barrier. In global memory stamps of other
 * blocks lie outside [own, own_end).
 */
#define LIVE(stamp)                                                                                          \
    (is_global ? MASK((stamp) >= c->stale) & (MASK((stamp) < c->own) | MASK((stamp) >= c->base))             \
               : MASK((stamp) >= c->base))
#define OWN(stamp) (is_global ? MASK((stamp) >= c->own) & MASK((stamp) < c->own_end) : -1)

/* By the same thread, all of the word, or by its warp before the warp's last sync: certainly before. */
#define SAME(stamp, who, me)                                                                                 \
    (OWN(stamp) & (MASK((((who) ^ (me)) & (WHO_THREAD | WHO_BYTES)) == 0) |                                  \
                   (MASK((((who) ^ (me)) & WHO_WARP) == 0) & MASK((stamp) < c->warp_base))))

/* The record of the cell's lane. */
#define ME(i) (c->me0 + lane_of[i])

/* Stamps below mean that nobody, or only what a barrier has settled, was there. */
ALWAYS_INLINE stamp_t recent_from(const struct clock *c, bool is_global)
{
    return is_global ? c->stale : c->base;
}

ALWAYS_INLINE int32_t any_below(const stamp_t *stamps, int count, stamp_t limit)
{
    int32_t any = 0;
    for (int i = 0; i < count; i++)
        any |= MASK(stamps[i] < limit);
    return any;
}

ALWAYS_INLINE int32_t any_from(const stamp_t *stamps, int count, stamp_t from)
{
    int32_t any = 0;
    for (int i = 0; i < count; i++)
        any |= MASK(stamps[i] >= from);
    return any;
}

ALWAYS_INLINE void take(const struct clock *c, const uint32_t *lane_of, int count, stamp_t *restrict stamps,
                        uint32_t *restrict whos)
{
    for (int i = 0; i < count; i++) {
        stamps[i] = c->stamp;
        whos[i] = ME(i);
    }
}

/* Whether a record is neither of another launch or epoch nor certainly before. */
ALWAYS_INLINE int32_t any_open(const struct clock *c, const uint32_t *lane_of, int count, bool is_global,
                               const stamp_t *stamps, const uint32_t *whos)
{
    int32_t open = 0;
    for (int i = 0; i < count; i++)
        open |= LIVE(stamps[i]) & ~SAME(stamps[i], whos[i], ME(i));
    return open;
}

ALWAYS_INLINE int32_t any_atomic(const struct run *run, int count, stamp_t from)
{
    return run->atomic_stamp && any_from(run->atomic_stamp, count, from);
}

/* Whether some cell lacks two readers far enough apart to catch any later writer; one that has them needs no
 * third. */
ALWAYS_INLINE int32_t any_unsettled(const struct clock *c, const struct run *run, int count, bool is_global)
{
    const stamp_t recent = recent_from(c, is_global), *rs = run->readers.stamp,
                  *os = run->readers.other_stamp;
    const uint32_t *rw = run->readers.who, *ow = run->readers.other_who;
    int32_t unsettled = 0;
    for (int i = 0; i < count; i++) {
        uint32_t apart = is_global ? ow[i] & WHO_SPREAD : (rw[i] ^ ow[i]) & WHO_WARP;
        unsettled |= MASK(rs[i] < recent) | MASK(os[i] < recent) | MASK(apart == 0);
        unsettled |= MASK((rw[i] & ow[i] & WHO_PLAIN) == 0);
    }
    return unsettled;
}

/* Whether some cell's reader is not this very thread already. */
ALWAYS_INLINE int32_t any_not_mine(const struct clock *c, const struct run *run, int count)
{
    const uint32_t *lane_of = run->lane_of, *rw = run->readers.who;
    const stamp_t *rs = run->readers.stamp;
    int32_t differs = 0;
    for (int i = 0; i < count; i++)
        differs |= (rs[i] ^ c->stamp) | (int32_t)((rw[i] ^ ME(i)) & (WHO_THREAD | WHO_BYTES));
    return differs;
}

/* The choice of note_reader in hazard_cell.c, where all readers are plain and nothing is known of other
 * blocks. */
ALWAYS_INLINE void add_reader(const struct clock *c, const struct run *run, int count, bool is_global)
{
    const uint32_t *lane_of = run->lane_of;
    stamp_t *restrict rs = run->readers.stamp, *restrict os = run->readers.other_stamp;
    uint32_t *restrict rw = run->readers.who, *restrict ow = run->readers.other_who;
    for (int i = 0; i < count; i++) {
        const uint32_t me = ME(i);
        const stamp_t r = rs[i], o = os[i];
        int32_t mt = me & WHO_THREAD, rt = rw[i] & WHO_THREAD, ot = ow[i] & WHO_THREAD;
        int32_t r_gone = ~LIVE(r) | SAME(r, rw[i], me), o_gone = ~LIVE(o) | SAME(o, ow[i], me);
        int32_t spread = is_global ? MASK((ow[i] & WHO_SPREAD) != 0) : 0;
        int32_t crowded = ~r_gone & ~o_gone & ~spread, r_low = MASK(rt < ot);
        int32_t below = MASK(mt < rt) & MASK(mt < ot), above = MASK(mt > rt) & MASK(mt > ot);
        int32_t own_crowd = crowded & OWN(r), foreign_crowd = crowded & ~OWN(r);
        int32_t take_r = r_gone | (own_crowd & ((below & r_low) | (above & ~r_low)));
        int32_t take_o =
            (~r_gone & o_gone) | (own_crowd & ((below & ~r_low) | (above & r_low))) | foreign_crowd;
        uint32_t second = is_global ? me | (~(uint32_t)OWN(r) & WHO_SPREAD) : me;
        rs[i] = take_r ? c->stamp : r;
        rw[i] = take_r ? me : rw[i];
        os[i] = take_o ? c->stamp : o;
        ow[i] = take_o ? second : ow[i];
    }
}

/* ---- a load, a store ----------------------------------------------------------------------------------- */

ALWAYS_INLINE enum outcome load_run(const struct clock *c, const struct run *run, int count, bool is_global,
                                    bool careful, bool *unwritten)
{
    const stamp_t recent = recent_from(c, is_global);
    if (!is_global && any_below(run->write_stamp, count, c->stale))
        *unwritten = true; /* no plain store has been here: perhaps none at all */
    if (any_from(run->write_stamp, count, recent) &&
        any_open(c, run->lane_of, count, is_global, run->write_stamp, run->write_who))
        return LOOK_CLOSER;
    if (any_atomic(run, count, recent))
        return LOOK_CLOSER;
    if (!any_from(run->readers.stamp, count, recent)) {
        take(c, run->lane_of, count, run->readers.stamp, run->readers.who);
        return TAKE_READ;
    }
    if ((!careful && !any_unsettled(c, run, count, is_global)) || !any_not_mine(c, run, count))
        return DONE;
    if (careful || run->strong) /* some readers may be strong ones */
        return LOOK_CLOSER;
    add_reader(c, run, count, is_global);
    return TAKE_BOTH;
}

ALWAYS_INLINE enum outcome store_run(const struct clock *c, const struct run *run, int count, bool is_global)
{
    const stamp_t recent = recent_from(c, is_global);
    const struct record_pairs *r = &run->readers;
    int32_t written = any_from(run->write_stamp, count, recent);
    int32_t read = any_from(r->stamp, count, recent), other = any_from(r->other_stamp, count, recent);
    if ((written && any_open(c, run->lane_of, count, is_global, run->write_stamp, run->write_who)) ||
        (read && any_open(c, run->lane_of, count, is_global, r->stamp, r->who)) ||
        (other && any_open(c, run->lane_of, count, is_global, r->other_stamp, r->other_who)) ||
        any_atomic(run, count, recent))
        return LOOK_CLOSER;
    take(c, run->lane_of, count, run->write_stamp, run->write_who);
    return TAKE_WRITE;
}

ALWAYS_INLINE enum outcome any_run(const struct clock *c, const struct run *run, int count, bool is_global,
                                   bool is_store, bool careful, bool *unwritten)
{
    return is_store ? store_run(c, run, count, is_global)
                    : load_run(c, run, count, is_global, careful, unwritten);
}

#define HALF 16 /* half a warp: rows of tiles of 16 threads */

ALWAYS_INLINE enum outcome pass_run_of(struct pass *p, const struct run *run, int count)
{
    const struct clock c = {.stale = p->stale,
                            .own = p->own,
                            .own_end = p->own_end,
                            .base = p->block_base,
                            .warp_base = p->warp_base,
                            .stamp = p->stamp,
                            .me0 = p->flags | pass_thread(p, (int)run->first_lane)};
    const bool careful = p->s->hazards->careful || p->s->foreign;
    return p->is_global ? any_run(&c, run, count, true, p->is_plain_store, careful, &p->unwritten)
                        : any_run(&c, run, count, false, p->is_plain_store, careful, &p->unwritten);
}

ALWAYS_INLINE enum outcome pass_run(struct pass *p, const struct run *run)
{
    return run->count == FULL   ? pass_run_of(p, run, FULL)
           : run->count == HALF ? pass_run_of(p, run, HALF)
                                : pass_run_of(p, run, run->count);
}

static enum outcome pass_run_baseline(struct pass *p, const struct run *run)
{
    return pass_run(p, run);
}

FOR_AVX2 static enum outcome pass_run_avx2(struct pass *p, const struct run *run)
{
    return pass_run(p, run);
}

static enum outcome access_run(struct pass *p, const struct run *run)
{
    if (p->is_global && p->block_base < p->own)
        return LOOK_CLOSER; /* the last barrier lies before this chunk of stamps: the comparisons would not
                               hold */
    return simd_avx2 ? pass_run_avx2(p, run) : pass_run_baseline(p, run);
}

/* ---- the usual access: a full warp on neighbouring words ----------------------------------------------- */

static const uint32_t lanes_in_order[32] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                            16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

ALWAYS_INLINE bool usual_access(struct block_shadow *s, unsigned warp, const struct access *a,
                                const struct shadow_planes *planes, size_t g, uint32_t site, bool is_global)
{
    struct hazards *h = s->hazards;
    const bool is_store = a->kind == ACCESS_STORE;
    const struct clock c = {.stale = is_global ? h->launch_first : s->first,
                            .own = s->own,
                            .own_end = s->chunk_end,
                            .base = s->base,
                            .warp_base = s->warp[warp].base,
                            .stamp = s->warp[warp].stamp,
                            .me0 = (is_store ? 0 : WHO_PLAIN) | site << WHO_SITE_SHIFT | warp * WARP_LANES};
    struct run run = run_in_place(planes, g, h->strong);
    run.lane_of = lanes_in_order;
    const bool careful = h->careful || s->foreign;
    bool unwritten = false;
    return any_run(&c, &run, FULL, is_global, is_store, careful, &unwritten) != LOOK_CLOSER && !unwritten;
}

ALWAYS_INLINE bool usual_space(struct block_shadow *s, unsigned warp, const struct access *a,
                               const struct shadow_planes *planes, size_t g, uint32_t site)
{
    return a->space == PTX_SHARED ? usual_access(s, warp, a, planes, g, site, false)
                                  : usual_access(s, warp, a, planes, g, site, true);
}

static bool usual_baseline(struct block_shadow *s, unsigned warp, const struct access *a,
                           const struct shadow_planes *planes, size_t g, uint32_t site)
{
    return usual_space(s, warp, a, planes, g, site);
}

FOR_AVX2 static bool usual_avx2(struct block_shadow *s, unsigned warp, const struct access *a,
                                const struct shadow_planes *planes, size_t g, uint32_t site)
{
    return usual_space(s, warp, a, planes, g, site);
}

/* Notes a store as written, and says whether all that a load reads was. */
static inline bool is_written(const struct block_shadow *s, struct allocation *allocation,
                              const struct access *a, size_t bytes)
{
    size_t first = (size_t)(a->address[0] - allocation->info.address), missing;
    if (allocation->written.all)
        return true;
    if (s->view->tracker)
        return a->kind != ACCESS_LOAD ||
               tracker_written(s->view->tracker, allocation, first, bytes, &missing);
    if (a->kind == ACCESS_LOAD)
        return bits_all(allocation->written.bits, first, bytes, &missing);
    bits_set(allocation->written.bits, first, bytes);
    return true;
}

/*
 * A word that two lanes, and others between them, read by a plain load: if it is new to the block, the two
 * become its readers; it may have enough readers, or these, already. False: anything else.
 */
static inline bool usual_broadcast(const struct block_shadow *s, unsigned warp, int lane, int last_lane,
                                   const struct shadow_planes *planes, size_t g, uint32_t site,
                                   bool is_global)
{
    const struct hazards *h = s->hazards;
    const struct record_pairs *pairs = &planes->readers;
    const stamp_t stale = is_global ? h->launch_first : s->first, recent = is_global ? stale : s->base;
    const stamp_t stamp = s->warp[warp].stamp, written = planes->write_stamp[g];
    const uint32_t me0 = WHO_PLAIN | site << WHO_SITE_SHIFT | warp * WARP_LANES;
    const uint32_t first = me0 + (uint32_t)lane, last = me0 + (uint32_t)last_lane;
    if (h->careful || h->strong || s->foreign || written >= recent || (!is_global && written < stale))
        return false;
    if (pairs->stamp[g] < recent && pairs->other_stamp[g] < recent) {
        pairs->stamp[g] = pairs->other_stamp[g] = stamp;
        pairs->who[g] = first;
        pairs->other_who[g] = last;
        return true;
    }
    if (pairs->stamp[g] < recent || pairs->other_stamp[g] < recent)
        return false;
    uint32_t r = pairs->who[g], o = pairs->other_who[g];
    if (is_global ? o & WHO_SPREAD : (r ^ o) & WHO_WARP)
        return true;
    return pairs->stamp[g] == stamp && pairs->other_stamp[g] == stamp &&
           !((r ^ first) & (WHO_THREAD | WHO_BYTES)) && !((o ^ last) & (WHO_THREAD | WHO_BYTES));
}

/* A row of cells that will be wanted soon, perhaps: numbers are added, not pointers. */
ALWAYS_INLINE void fetch_cells(const void *cells, int64_t bytes_ahead)
{
    uintptr_t next = (uintptr_t)cells + (uintptr_t)bytes_ahead;
    __builtin_prefetch((const void *)next);
    __builtin_prefetch((const void *)(next + 64));
}

/* The shadow of where the instruction will probably be next, if that is far from here. */
ALWAYS_INLINE void look_ahead(const struct access *a, const struct shadow_planes *planes, size_t g)
{
    if (a->leap == 0 || a->shape != SHAPE_CONTIGUOUS)
        return;
    fetch_cells(planes->write_stamp + g, a->leap);
    fetch_cells(planes->readers.stamp + g, a->leap);
    fetch_cells(a->kind == ACCESS_LOAD ? planes->readers.who + g : planes->write_who + g, a->leap);
    if (a->kind != ACCESS_LOAD)
        fetch_cells(planes->readers.other_stamp + g, a->leap);
}

bool shadow_usual_access(struct block_shadow *s, unsigned warp, const struct access *a)
{
    const struct shadow_planes *planes = &s->shared;
    const bool is_global = a->space == PTX_GLOBAL, is_broadcast = a->shape == SHAPE_UNIFORM;
    size_t g = (size_t)(a->address[0] / 4);
    if (is_broadcast && a->kind != ACCESS_LOAD)
        return false;
    if (is_global) {
        struct allocation *allocation = memory_recent(s->hazards->sim->memory, a->pc, a->address[0]);
        if (!allocation || !allocation->shadow[s->hazards->index] || s->base < s->own ||
            !is_written(s, allocation, a, is_broadcast ? 4 : 4 * FULL))
            return false;
        planes = allocation->shadow[s->hazards->index];
        g -= (size_t)(allocation->info.address / 4);
        look_ahead(a, planes, g);
    } else if (s->granule_shift != 2) {
        return false;
    }
    if (planes->count == 0)
        return false;
    uint32_t site = hazard_site(s->hazards, a->pc);
    if (is_broadcast)
        return usual_broadcast(s, warp, 0, WARP_LANES - 1, planes, g, site, is_global);
    return simd_avx2 ? usual_avx2(s, warp, a, planes, g, site) : usual_baseline(s, warp, a, planes, g, site);
}

/* ---- patterns of lanes --------------------------------------------------------------------------------- */

static size_t granule_of(const struct pass *p, int lane)
{
    return (size_t)((p->access->address[lane] - p->base) >> p->granule_shift);
}

static void access_lanes(struct pass *p, uint32_t lanes)
{
    for (; lanes; lanes &= lanes - 1)
        cell_access_lane(p, __builtin_ctz(lanes));
}

static uint32_t lane_mask(int lane, int lanes)
{
    return (lanes == 32 ? ALL_LANES : (UINT32_C(1) << lanes) - 1) << lane;
}

/* The loops do for plain accesses of at least a granule. */
static bool is_usual(const struct pass *p)
{
    return (p->is_plain_store || (p->flags & WHO_PLAIN)) && p->access->size >> p->granule_shift > 0;
}

static uint32_t cell_lanes[5][32 << 4];

__attribute__((constructor)) static void fill_cell_lanes(void)
{
    for (int k = 0; k < 5; k++)
        for (uint32_t i = 0; i < 32u << k; i++)
            cell_lanes[k][i] = i >> k;
}

/* lane_of for lanes with 1, 2, 4, 8 and 16 granules each. */
static const uint32_t *lanes_of_cells(int shift)
{
    return cell_lanes[shift];
}

/* Lanes lane .. lane + lanes - 1 on neighbouring granules. */
static void access_neighbours(struct pass *p, int lane, int lanes)
{
    size_t g = granule_of(p, lane);
    int shift = __builtin_ctz((unsigned)p->access->size) - p->granule_shift;
    if (!is_usual(p)) {
        access_lanes(p, lane_mask(lane, lanes));
        return;
    }
    struct run run = run_in_place(p->planes, g, p->s->hazards->strong);
    run.count = lanes << shift;
    run.first_lane = (unsigned)lane;
    run.lane_of = lanes_of_cells(shift);
    if (access_run(p, &run) == LOOK_CLOSER)
        access_lanes(p, lane_mask(lane, lanes));
}

/*
 * Lanes lane .. lane + lanes - 1 read the same bytes, or change them atomically. Where only whole warps and
 * blocks synchronise, the first and the last lane speak for all of them.
 */
static void access_together(struct pass *p, int lane, int lanes)
{
    int last = lane + lanes - 1;
    bool usual = (p->flags & WHO_PLAIN) && p->access->size == 1 << p->granule_shift && lanes > 1 &&
                 (!p->is_global || p->block_base >= p->own);
    if (usual &&
        usual_broadcast(p->s, p->warp, lane, last, p->planes, granule_of(p, lane), p->site, p->is_global))
        return;
    cell_access_lane(p, lane);
    if (p->s->unusual)
        access_lanes(p, lane_mask(lane + 1, lanes - 1) & ~lane_mask(last, 1));
    if (last > lane)
        cell_access_lane(p, last);
}

/* ---- cells from anywhere ------------------------------------------------------------------------------- */

struct cells {
    stamp_t write_stamp[32], read_stamp[32], other_stamp[32];
    uint32_t write_who[32], read_who[32], other_who[32];
    uint32_t lane_of[32];
    size_t granule[32];
    int count;
};

static void find_cells(const struct pass *p, struct cells *c)
{
    c->count = 0;
    for (uint32_t rest = p->access->lanes; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest), i = c->count++;
        c->lane_of[i] = (uint32_t)lane;
        c->granule[i] = granule_of(p, lane);
    }
}

static void collect(const struct pass *p, struct cells *c)
{
    const struct shadow_planes *s = p->planes;
    for (int i = 0; i < c->count; i++) {
        size_t g = c->granule[i];
        c->write_stamp[i] = s->write_stamp[g];
        c->write_who[i] = s->write_who[g];
        c->read_stamp[i] = s->readers.stamp[g];
        c->read_who[i] = s->readers.who[g];
        c->other_stamp[i] = s->readers.other_stamp[g];
        c->other_who[i] = s->readers.other_who[g];
    }
}

/* What the cells have seen since the block's last barrier: nothing, plain accesses, atomics as well. */
enum use { UNUSED, USED, WITH_ATOMICS };

static enum use find_use(struct pass *p, const struct cells *c)
{
    const struct shadow_planes *s = p->planes;
    const stamp_t recent = p->is_global ? p->stale : p->block_base;
    int32_t used = 0, unwritten = 0, atomics = 0;
    for (int i = 0; i < c->count; i++) {
        size_t g = c->granule[i];
        used |= MASK(s->write_stamp[g] >= recent) | MASK(s->readers.stamp[g] >= recent) |
                MASK(s->readers.other_stamp[g] >= recent);
        unwritten |= MASK(s->write_stamp[g] < p->stale);
    }
    for (int i = 0; p->s->hazards->strong && i < c->count; i++)
        atomics |= MASK(s->atomic_stamp[c->granule[i]] >= recent);
    p->unwritten |= !p->is_global && unwritten && !p->is_plain_store;
    return atomics ? WITH_ATOMICS : used ? USED : UNUSED;
}

/* Every cell gets its lane's record; false: two lanes have the same one. */
static bool take_unused(const struct pass *p, const struct cells *c)
{
    stamp_t *stamps = p->is_plain_store ? p->planes->write_stamp : p->planes->readers.stamp;
    uint32_t *whos = p->is_plain_store ? p->planes->write_who : p->planes->readers.who, met = 0;
    const uint32_t me0 = p->flags | pass_thread(p, 0);
    for (int i = 0; i < c->count; i++) {
        stamps[c->granule[i]] = p->stamp;
        whos[c->granule[i]] = me0 + c->lane_of[i];
    }
    for (int i = 0; i < c->count; i++)
        met |= whos[c->granule[i]] ^ (me0 + c->lane_of[i]);
    return !met;
}

static void put_back(const struct pass *p, const struct cells *c, enum outcome outcome)
{
    const struct shadow_planes *s = p->planes;
    for (int i = 0; i < c->count; i++) {
        size_t g = c->granule[i];
        if (outcome == TAKE_WRITE) {
            s->write_stamp[g] = c->write_stamp[i];
            s->write_who[g] = c->write_who[i];
            continue;
        }
        s->readers.stamp[g] = c->read_stamp[i];
        s->readers.who[g] = c->read_who[i];
        if (outcome == TAKE_BOTH) {
            s->readers.other_stamp[g] = c->other_stamp[i];
            s->readers.other_who[g] = c->other_who[i];
        }
    }
}

/* Lanes that had the same granule as a later one, which has overwritten their record. */
static void meet_again(struct pass *p, const struct cells *c, bool is_store)
{
    const uint32_t *whos = is_store ? p->planes->write_who : p->planes->readers.who;
    const stamp_t *stamps = is_store ? p->planes->write_stamp : p->planes->readers.stamp;
    for (int i = 0; i < c->count; i++) {
        int lane = (int)c->lane_of[i];
        uint32_t who = whos[c->granule[i]];
        if ((who & WHO_THREAD) == pass_thread(p, lane) || stamps[c->granule[i]] != p->stamp)
            continue;
        if (is_store)
            cell_same_store(p, lane, who & WHO_THREAD);
        else
            cell_access_lane(p, lane);
    }
}

/* Lanes anywhere, one granule each. */
static void access_anywhere(struct pass *p)
{
    struct cells c;
    if (!is_usual(p) || p->access->size >> p->granule_shift != 1) {
        access_lanes(p, p->access->lanes);
        return;
    }
    find_cells(p, &c);
    enum use use = find_use(p, &c);
    if (use == UNUSED && !take_unused(p, &c))
        meet_again(p, &c, p->is_plain_store);
    else if (use == WITH_ATOMICS)
        access_lanes(p, p->access->lanes);
    if (use != USED)
        return;
    collect(p, &c);
    struct run run = {.write_stamp = c.write_stamp,
                      .write_who = c.write_who,
                      .readers = {.stamp = c.read_stamp,
                                  .who = c.read_who,
                                  .other_stamp = c.other_stamp,
                                  .other_who = c.other_who},
                      .strong = p->s->hazards->strong,
                      .count = c.count,
                      .lane_of = c.lane_of};
    enum outcome outcome = access_run(p, &run);
    if (outcome == LOOK_CLOSER) {
        access_lanes(p, p->access->lanes);
    } else if (outcome != DONE) {
        put_back(p, &c, outcome);
        meet_again(p, &c, outcome == TAKE_WRITE);
    }
}

/* ---- a whole access ------------------------------------------------------------------------------------ */

enum {
    GROUPS = ACCESS_GROUPS,
    GROUP = 8
}; /* tiles of 8, 16 and 32 threads a row consist of such groups of lanes */

/* For each group of eight lanes whether they are neighbours, or have one address; else SCATTERED. */
ALWAYS_INLINE void survey_groups(const uint64_t *address, uint64_t size, enum access_shape shape[GROUPS])
{
    for (int k = 0; k < GROUPS; k++) {
        uint64_t first = address[k * GROUP], apart = 0, different = 0;
        for (int i = 0; i < GROUP; i++) {
            apart |= address[k * GROUP + i] ^ (first + (uint64_t)i * size);
            different |= address[k * GROUP + i] ^ first;
        }
        shape[k] = !apart ? SHAPE_CONTIGUOUS : !different ? SHAPE_UNIFORM : SHAPE_SCATTERED;
    }
}

static void survey_groups_baseline(const uint64_t *address, uint64_t size, enum access_shape shape[GROUPS])
{
    survey_groups(address, size, shape);
}

FOR_AVX2 static void survey_groups_avx2(const uint64_t *address, uint64_t size,
                                        enum access_shape shape[GROUPS])
{
    survey_groups(address, size, shape);
}

/* Whether the active lanes are whole groups, each of a shape. */
static bool find_groups(const struct access *a, enum access_shape shape[GROUPS])
{
    bool known = true;
    for (int k = 0; k < GROUPS; k++) {
        shape[k] = a->group_shape[k];
        known &= shape[k] == SHAPE_CONTIGUOUS || shape[k] == SHAPE_UNIFORM;
    }
    if (known)
        return true;
    if (simd_avx2)
        survey_groups_avx2(a->address, (uint64_t)a->size, shape);
    else
        survey_groups_baseline(a->address, (uint64_t)a->size, shape);
    for (int k = 0; k < GROUPS; k++) {
        uint32_t lanes = a->lanes >> k * GROUP & 0xFF;
        if (lanes == 0)
            shape[k] = SHAPE_UNKNOWN;
        else if (lanes != 0xFF || shape[k] == SHAPE_SCATTERED)
            return false;
    }
    return true;
}

/* How many groups from group k on have its shape and continue each other. */
ALWAYS_INLINE int groups_together(const struct access *a, const enum access_shape shape[GROUPS], int k)
{
    const uint64_t step = shape[k] == SHAPE_CONTIGUOUS ? (uint64_t)a->size * GROUP : 0;
    int n = 1;
    while (k + n < GROUPS && shape[k + n] == shape[k] &&
           a->address[(k + n) * GROUP] == a->address[k * GROUP] + (uint64_t)n * step)
        n++;
    return n;
}

/* Group by group, those together that continue each other. */
static void access_groups(struct pass *p, const enum access_shape shape[GROUPS])
{
    const struct access *a = p->access;
    for (int k = 0, n; k < GROUPS; k += n) {
        n = groups_together(a, shape, k);
        if (shape[k] == SHAPE_UNIFORM && a->kind != ACCESS_STORE)
            access_together(p, k * GROUP, n * GROUP);
        else if (shape[k] == SHAPE_CONTIGUOUS)
            access_neighbours(p, k * GROUP, n * GROUP);
        else if (shape[k] == SHAPE_UNIFORM)
            access_lanes(p, lane_mask(k * GROUP, n * GROUP));
    }
}

/* Whether a plain load of these cells of shared memory has nothing to find out: written long ago, enough
 * readers. */
ALWAYS_INLINE bool is_settled(const struct clock *c, const struct run *run, int count)
{
    const stamp_t *ws = run->write_stamp, *rs = run->readers.stamp, *os = run->readers.other_stamp;
    const uint32_t *rw = run->readers.who, *ow = run->readers.other_who;
    int32_t open = 0;
    for (int i = 0; i < count; i++) {
        open |=
            MASK(ws[i] < c->stale) | MASK(ws[i] >= c->base) | MASK(rs[i] < c->base) | MASK(os[i] < c->base);
        open |= MASK(((rw[i] ^ ow[i]) & WHO_WARP) == 0) | MASK((rw[i] & ow[i] & WHO_PLAIN) == 0);
    }
    return !open;
}

/* Whether all cells have two plain readers since the last barrier, both of this warp. */
ALWAYS_INLINE bool are_read_by(const struct clock *c, const struct run *run, int count, uint32_t warp)
{
    const stamp_t *rs = run->readers.stamp, *os = run->readers.other_stamp;
    const uint32_t *rw = run->readers.who, *ow = run->readers.other_who, wanted = warp | WHO_PLAIN;
    int32_t differs = 0;
    for (int i = 0; i < count; i++) {
        differs |= MASK(rs[i] < c->base) | MASK(os[i] < c->base);
        differs |= (int32_t)(((rw[i] ^ wanted) | (ow[i] ^ wanted)) & (WHO_WARP | WHO_PLAIN));
    }
    return !differs;
}

/*
 * Each half of a warp reads the same 16 neighbouring words: a row of a tile that is narrower than a warp. If
 * they are new to the block, or have enough readers, or two of one other warp, both halves are done at once:
 * what is written down is what add_reader() would find best, for one half and then for the other.
 */
ALWAYS_INLINE bool usual_halves(const struct clock *c, const struct run *run)
{
    const struct record_pairs *r = &run->readers;
    if (is_settled(c, run, HALF))
        return true;
    if (any_below(run->write_stamp, HALF, c->stale) || any_from(run->write_stamp, HALF, c->base))
        return false;
    const uint32_t mine = c->me0 & WHO_WARP, others = r->who[0] & WHO_WARP;
    if (!any_from(r->stamp, HALF, c->base) && !any_from(r->other_stamp, HALF, c->base)) {
        take(c, lanes_in_order, HALF, r->stamp, r->who);
        take(c, lanes_in_order + HALF, HALF, r->other_stamp, r->other_who);
        return true;
    }
    if (others == mine || !are_read_by(c, run, HALF, others))
        return false;
    if (mine < others)
        take(c, lanes_in_order, HALF, r->stamp, r->who);
    else
        take(c, lanes_in_order + HALF, HALF, r->other_stamp, r->other_who);
    return true;
}

ALWAYS_INLINE bool usual_groups(struct block_shadow *s, unsigned warp, const struct access *a, uint32_t site)
{
    const struct hazards *h = s->hazards;
    const struct clock c = {.stale = s->first,
                            .own = s->own,
                            .own_end = s->chunk_end,
                            .base = s->base,
                            .warp_base = s->warp[warp].base,
                            .stamp = s->warp[warp].stamp,
                            .me0 = WHO_PLAIN | site << WHO_SITE_SHIFT | warp * WARP_LANES};
    const bool careful = h->careful || s->foreign;
    bool unwritten = false;
    if (!careful && !h->strong && access_in_equal_halves(a)) {
        const struct run run = run_in_place(&s->shared, (size_t)(a->address[0] / 4), false);
        if (usual_halves(&c, &run))
            return true;
    }
    for (int k = 0, n; k < GROUPS; k += n) {
        const size_t g = (size_t)(a->address[k * GROUP] / 4);
        if (a->group_shape[k] == SHAPE_UNIFORM) {
            for (n = 1; k + n < GROUPS && a->address[(k + n) * GROUP] == a->address[k * GROUP] &&
                        a->group_shape[k + n] == SHAPE_UNIFORM;)
                n++;
            if (!usual_broadcast(s, warp, k * GROUP, (k + n) * GROUP - 1, &s->shared, g, site, false))
                return false;
            continue;
        }
        n = 1;
        struct run run = run_in_place(&s->shared, g, h->strong);
        run.lane_of = lanes_in_order + k * GROUP;
        if (any_run(&c, &run, GROUP, false, false, careful, &unwritten) == LOOK_CLOSER || unwritten)
            return false;
    }
    return true;
}

static bool usual_groups_baseline(struct block_shadow *s, unsigned warp, const struct access *a,
                                  uint32_t site)
{
    return usual_groups(s, warp, a, site);
}

FOR_AVX2 static bool usual_groups_avx2(struct block_shadow *s, unsigned warp, const struct access *a,
                                       uint32_t site)
{
    return usual_groups(s, warp, a, site);
}

bool shadow_usual_groups(struct block_shadow *s, unsigned warp, const struct access *a)
{
    if (s->granule_shift != 2 || s->shared.count == 0)
        return false;
    uint32_t site = hazard_site(s->hazards, a->pc);
    return simd_avx2 ? usual_groups_avx2(s, warp, a, site) : usual_groups_baseline(s, warp, a, site);
}

void shadow_access(struct pass *p)
{
    const struct access *a = p->access;
    int first = __builtin_ctz(a->lanes), count = simd_lane_count(a->lanes);
    bool in_a_row = simd_in_a_row(a->lanes);
    enum access_shape shape[GROUPS];
    if (a->shape == SHAPE_CONTIGUOUS && in_a_row)
        access_neighbours(p, first, count);
    else if (a->shape == SHAPE_UNIFORM && in_a_row && a->kind != ACCESS_STORE)
        access_together(p, first, count);
    else if (find_groups(a, shape))
        access_groups(p, shape);
    else
        access_anywhere(p);
}
