/*
 * Loops without branches over shadow cells: what plain loads and stores, the bulk of all accesses, do with
 * them. First "does anything need a closer look?", in steps that each cost more and are needed less often,
 * then "write it down". Always inline: hazard_run.c and hazard_usual.c compile them for any x86-64 and for
 * AVX2 (simd.h).
 */
#pragma once

#include "sim/hazard/hazard.h"
#include "sim/core/simd.h"

enum {
    GROUPS = ACCESS_GROUPS,
    GROUP = 8
}; /* tiles of 8, 16 and 32 threads a row consist of such groups of lanes */

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
    bool non_coherent; /* a load that may find old values of what the launch has written */
};

/* What a run came to. */
enum outcome {
    DONE,       /* nothing to write, or written */
    SETTLED,    /* nothing to write, whichever warp loads */
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

/* Stamps below mean that no access, or only what a barrier has settled, was there. */
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
    INDEPENDENT_LANES
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
    INDEPENDENT_LANES
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
    const int32_t written = any_from(run->write_stamp, count, recent);
    if (written &&
        (c->non_coherent || any_open(c, run->lane_of, count, is_global, run->write_stamp, run->write_who)))
        return LOOK_CLOSER;
    if (any_atomic(run, count, recent))
        return LOOK_CLOSER;
    if (!any_from(run->readers.stamp, count, recent)) {
        take(c, run->lane_of, count, run->readers.stamp, run->readers.who);
        return TAKE_READ;
    }
    if (!careful && !any_unsettled(c, run, count, is_global))
        return written ? DONE : SETTLED;
    if (!any_not_mine(c, run, count))
        return DONE;
    if (careful || run->strong) /* some readers may be strong ones */
        return LOOK_CLOSER;
    add_reader(c, run, count, is_global);
    return TAKE_BOTH;
}

ALWAYS_INLINE enum outcome store_run(const struct clock *c, const struct run *run, int count, bool is_global,
                                     bool careful)
{
    const stamp_t recent = recent_from(c, is_global);
    const struct record_pairs *r = &run->readers;
    int32_t written = any_from(run->write_stamp, count, recent);
    int32_t read = any_from(r->stamp, count, recent), other = any_from(r->other_stamp, count, recent);
    if ((written && any_open(c, run->lane_of, count, is_global, run->write_stamp, run->write_who)) ||
        (read && any_open(c, run->lane_of, count, is_global, r->stamp, r->who)) ||
        (other && any_open(c, run->lane_of, count, is_global, r->other_stamp, r->other_who)) ||
        (careful && other) || any_atomic(run, count, recent))
        return LOOK_CLOSER;
    take(c, run->lane_of, count, run->write_stamp, run->write_who);
    return TAKE_WRITE;
}

ALWAYS_INLINE enum outcome any_run(const struct clock *c, const struct run *run, int count, bool is_global,
                                   bool is_store, bool careful, bool *unwritten)
{
    return is_store ? store_run(c, run, count, is_global, careful)
                    : load_run(c, run, count, is_global, careful, unwritten);
}

#define HALF 16 /* half a warp: rows of tiles of 16 threads */

/* ---- a word that many read ----------------------------------------------------------------------------- */

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
    if (h->careful || h->strong || s->knows || written >= recent || (!is_global && written < stale))
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
