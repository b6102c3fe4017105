/*
 * Shadow: for each granule the last plain write and two more accesses that matter. An access is checked
 * against them and takes their place.
 *
 * Neighbouring lanes on neighbouring words, the usual case, are handled by loops without branches over the
 * shadow arrays: first "does anything need a closer look?", then "write it down". Whatever needs a closer
 * look goes granule by granule through the functions in the middle of this file, which know all rules.
 *
 * Two readers are enough. If a later write by thread t must be ordered behind all readers since the last
 * barrier, it must be behind a reader of another warp than t's, if there is one, and behind another lane of
 * t's warp otherwise; of two readers from different warps one is of another warp than t's, whoever t is. So
 * of several readers two from different blocks are kept, else from different warps, else those with the
 * lowest and the highest number, which are also right for tiles of a warp and for barriers of neighbouring
 * warps.
 */
#include "hazard.h"

#include <string.h>

/* ---- planes
 * ------------------------------------------------------------------------------------------------ */

#define PLANES 6

bool planes_create(struct shadow_planes *planes, size_t count)
{
    size_t padded = (count + 1023) / 1024 * 1024; /* each plane begins a page of its own */
    planes->count = count;
    planes->mapped = padded * PLANES * sizeof(uint32_t);
    char *memory = memory_map_lazily(planes->mapped);
    if (!memory)
        return false;
    size_t step = padded * sizeof(uint32_t);
    planes->write_stamp = (stamp_t *)(void *)memory;
    planes->write_who = (uint32_t *)(void *)(memory + step);
    planes->read_stamp = (stamp_t *)(void *)(memory + 2 * step);
    planes->read_who = (uint32_t *)(void *)(memory + 3 * step);
    planes->other_stamp = (stamp_t *)(void *)(memory + 4 * step);
    planes->other_who = (uint32_t *)(void *)(memory + 5 * step);
    return true;
}

void planes_destroy(struct shadow_planes *planes)
{
    memory_unmap(planes->write_stamp, planes->mapped);
    memset(planes, 0, sizeof *planes);
}

void planes_clear(struct shadow_planes *planes)
{
    size_t count = planes->count;
    if (!count)
        return;
    planes_destroy(planes);
    if (!planes_create(planes, count))
        planes->count = 0;
}

static struct record last_write(const struct shadow_planes *p, size_t g)
{
    return (struct record){p->write_stamp[g], p->write_who[g]};
}

static struct record reader(const struct shadow_planes *p, size_t g)
{
    return (struct record){p->read_stamp[g], p->read_who[g]};
}

static struct record other_reader(const struct shadow_planes *p, size_t g)
{
    return (struct record){p->other_stamp[g], p->other_who[g]};
}

/* ---- one lane, one granule: all rules
 * ------------------------------------------------------------------------- */

static unsigned thread_of(const struct pass *p, int lane)
{
    return p->warp * WARP_LANES + (unsigned)lane;
}

static bool is_own(const struct pass *p, stamp_t stamp)
{
    return !p->is_global || (stamp >= p->own && stamp < p->own_end) ||
           (stamp >= p->stale && order_owner(p->s->hazards, stamp) == p->s->number);
}

/* Whether the record, by thread `u` of its block, lies before what thread t does now; or is nobody's. */
static bool is_before(const struct pass *p, struct record r, unsigned u, unsigned t)
{
    if (r.stamp < p->stale)
        return true;
    if (r.stamp >= p->own && r.stamp < p->own_end) {
        if (r.stamp < p->block_base || u == t || (u / WARP_LANES == t / WARP_LANES && r.stamp < p->warp_base))
            return true;
        if (!p->s->unusual)
            return false;
    }
    r.who = (r.who & ~(uint32_t)WHO_THREAD) | u;
    return order_before(p->s, r, p->is_global, t);
}

static bool is_before_lane(const struct pass *p, struct record r, unsigned t)
{
    return is_before(p, r, r.who & WHO_THREAD, t);
}

/* Whether the new value of a lane differs from what memory holds. */
static bool store_changes(const struct access *access, int lane, const unsigned char *old)
{
    int elements = access->size / access->element_size;
    for (int i = 0; i < elements && access->value[0]; i++) {
        const char *value = (const char *)access->value[i] + lane * access->value_stride;
        if (memcmp(value, old + i * access->element_size, (size_t)access->element_size) != 0)
            return true;
    }
    return false;
}

static bool stores_differ(const struct access *access, int a, int b)
{
    int elements = access->size / access->element_size;
    for (int i = 0; i < elements && access->value[0]; i++) {
        const char *value = access->value[i];
        if (memcmp(value + a * access->value_stride, value + b * access->value_stride,
                   (size_t)access->element_size) != 0)
            return true;
    }
    return false;
}

/*
 * Volatile accesses of one warp's lanes to shared memory are no better than plain ones: that is how code
 * relied on lanes running in step before Volta.
 */
static bool warp_synchronous(const struct pass *p, struct record r, unsigned t)
{
    return !p->is_global && (r.who & p->flags & WHO_VOLATILE) &&
           (r.who & WHO_THREAD) / WARP_LANES == t / WARP_LANES && ((r.who | p->flags) & WHO_STORE);
}

/* Whether two unordered accesses may not meet: `r` as a reader or atomic. */
static bool reader_conflicts(const struct pass *p, struct record r, unsigned t)
{
    if (p->is_plain_store)
        return true;
    if (p->flags & WHO_PLAIN)
        return (r.who & WHO_STORE) != 0;
    if (p->flags & WHO_STORE)
        return (r.who & WHO_PLAIN) || warp_synchronous(p, r, t);
    return warp_synchronous(p, r, t);
}

/* Another lane of this very store to the same bytes: -1 if there is none. */
static int lane_of_same_store(const struct pass *p, int lane, unsigned other_thread)
{
    const struct access *a = p->access;
    int other = (int)(other_thread % WARP_LANES);
    if (other_thread / WARP_LANES != p->warp || other >= lane || !(a->lanes >> other & 1))
        return -1;
    uint64_t distance = a->address[lane] - a->address[other] + (uint64_t)a->size;
    return distance > 0 && distance < 2 * (uint64_t)a->size ? other : -1;
}

static uint32_t site_of(uint32_t who)
{
    return who >> WHO_SITE_SHIFT;
}

static void check_write(struct pass *p, int lane, size_t g, uint32_t me)
{
    struct record r = last_write(p->planes, g);
    unsigned u, t;
    if (r.stamp < p->stale || !bytes_overlap(r.who, me, &u, &t) || is_before(p, r, u, t))
        return;
    if (p->is_plain_store) {
        int other = r.stamp == p->stamp && site_of(r.who) == p->site ? lane_of_same_store(p, lane, u) : -1;
        if (other >= 0) {
            if (stores_differ(p->access, lane, other))
                hazard_report_lanes(p, lane, other);
            return;
        }
    }
    if (p->is_plain_store && !store_changes(p->access, lane, p->host[lane]))
        return;
    r.who = (r.who & ~(uint32_t)WHO_THREAD) | u;
    hazard_report_race(p, lane, p->base + ((uint64_t)g << p->granule_shift), r, true);
}

static void check_reader(struct pass *p, int lane, size_t g, uint32_t me, struct record r)
{
    unsigned u, t;
    if (r.stamp < p->stale || !bytes_overlap(r.who, me, &u, &t) || is_before(p, r, u, t))
        return;
    if (!reader_conflicts(p, r, t))
        return;
    if (p->is_plain_store && (r.who & WHO_STORE) && !store_changes(p->access, lane, p->host[lane]))
        return;
    r.who = (r.who & ~(uint32_t)WHO_THREAD) | u;
    hazard_report_race(p, lane, p->base + ((uint64_t)g << p->granule_shift), r, (r.who & WHO_STORE) != 0);
}

static void set_reader(const struct pass *p, size_t g, uint32_t who)
{
    p->planes->read_stamp[g] = p->stamp;
    p->planes->read_who[g] = who;
}

static void set_other(const struct pass *p, size_t g, uint32_t who, bool spread)
{
    p->planes->other_stamp[g] = p->stamp;
    p->planes->other_who[g] = spread ? who | WHO_SPREAD : who;
}

/* What a reader's record becomes when it is replaced by `me`: the same thread in the same interval did both.
 */
static uint32_t replacing(const struct pass *p, struct record old, uint32_t me)
{
    uint32_t merged;
    if (old.stamp != p->stamp)
        return me;
    if (((old.who ^ me) & (WHO_THREAD | WHO_BYTES)) == 0)
        return me | (old.who & (WHO_PLAIN | WHO_STORE | WHO_VOLATILE));
    return bytes_merge(old.who, me, &merged) ? merged : me;
}

/* Neighbouring bytes of neighbouring threads are one record. */
static bool merge_bytes(const struct pass *p, size_t g, uint32_t me)
{
    uint32_t merged;
    if (!(me & WHO_BYTES) || p->planes->read_stamp[g] != p->stamp ||
        !bytes_merge(p->planes->read_who[g], me, &merged))
        return false;
    p->planes->read_who[g] = merged;
    return true;
}

static void set_spread(const struct pass *p, size_t g)
{
    struct record r = reader(p->planes, g), o = other_reader(p->planes, g);
    if (!p->is_global || r.stamp < p->stale || o.stamp < p->stale)
        return;
    const struct hazards *h = p->s->hazards;
    bool spread = order_owner(h, r.stamp) != order_owner(h, o.stamp);
    p->planes->other_who[g] = spread ? o.who | WHO_SPREAD : o.who & ~(uint32_t)WHO_SPREAD;
}

/* Two readers stand, unordered with me and each other: of the three the two that lie farthest apart stay. */
static void choose_extremes(const struct pass *p, size_t g, struct record r, struct record o, uint32_t me)
{
    unsigned rt = r.who & WHO_THREAD, ot = o.who & WHO_THREAD, mt = me & WHO_THREAD;
    bool below = mt < rt && mt<ot, above = mt> rt && mt > ot;
    if (!below && !above)
        return;
    if (below == (rt < ot))
        set_reader(p, g, me);
    else
        set_other(p, g, me, false);
}

static void note_reader(const struct pass *p, int lane, size_t g, uint32_t me)
{
    unsigned t = thread_of(p, lane);
    struct record r = reader(p->planes, g), o = other_reader(p->planes, g);
    if (merge_bytes(p, g, me))
        return;
    if (is_before_lane(p, r, t)) {
        set_reader(p, g, replacing(p, r, me));
        set_spread(p, g);
    } else if (is_before_lane(p, o, t)) {
        set_other(p, g, replacing(p, o, me), !is_own(p, r.stamp));
    } else if (!(p->is_global && (o.who & WHO_SPREAD))) {
        if (is_own(p, r.stamp))
            choose_extremes(p, g, r, o, me);
        else
            set_other(p, g, me, true); /* both are of one other block */
    }
}

static void note_write(const struct pass *p, size_t g, uint32_t me)
{
    uint32_t merged;
    if ((me & WHO_BYTES) && p->planes->write_stamp[g] == p->stamp &&
        bytes_merge(p->planes->write_who[g], me, &merged))
        me = merged;
    p->planes->write_stamp[g] = p->stamp;
    p->planes->write_who[g] = me;
}

static void access_granule(struct pass *p, int lane, size_t g, uint32_t me)
{
    check_write(p, lane, g, me);
    if (p->is_plain_store || p->s->hazards->strong) {
        check_reader(p, lane, g, me, reader(p->planes, g));
        check_reader(p, lane, g, me, other_reader(p->planes, g));
    }
    if (p->is_plain_store)
        note_write(p, g, me);
    else
        note_reader(p, lane, g, me);
}

static void access_lane(struct pass *p, int lane)
{
    const struct access *a = p->access;
    size_t g = (size_t)((a->address[lane] - p->base) >> p->granule_shift);
    int count = a->size >> p->granule_shift;
    uint32_t me = p->flags | thread_of(p, lane);
    if (count == 0) {
        access_granule(p, lane, g, me | bytes_code(a->address[lane], a->size));
        return;
    }
    for (int i = 0; i < count; i++)
        access_granule(p, lane, g + (size_t)i, me);
}

/* ---- runs: neighbouring lanes on neighbouring granules
 * --------------------------------------------------------- */

struct run {
    size_t first;    /* granule */
    int count;       /* granules */
    int lane, lanes; /* first lane, number of lanes */
    int shift;       /* a lane has 1 << shift granules */
};

/* All bits set if true: what a vector comparison yields. */
#define MASK(condition) (-(int32_t)(condition))

/*
 * A stamp that means something and is not before the block's last barrier. In global memory stamps of
 * other blocks lie below `own` or beyond `own_end`.
 */
#define LIVE(stamp)                                                                                          \
    (is_global ? MASK((stamp) >= stale) & (MASK((stamp) < own) | MASK((stamp) >= base))                      \
               : MASK((stamp) >= base))
#define OWN(stamp) (is_global ? MASK((stamp) >= own) & MASK((stamp) < own_end) : -1)

/* By the same thread (and all of the word), or by its warp before the warp's last sync: certainly before. */
#define SAME(stamp, who, me)                                                                                 \
    (OWN(stamp) & (MASK((((who) ^ (me)) & (WHO_THREAD | WHO_BYTES)) == 0) |                                  \
                   (MASK((((who) ^ (me)) & WHO_WARP) == 0) & MASK((stamp) < warp_base))))

#define BLOCK_CONSTANTS                                                                                      \
    const stamp_t stale = p->stale, own = p->own, own_end = p->own_end, base = p->block_base;                \
    const stamp_t warp_base = p->warp_base;                                                                  \
    const stamp_t stamp = p->stamp;                                                                          \
    const uint32_t me0 = p->flags | thread_of(p, run->lane);                                                 \
    (void)stale, (void)own, (void)own_end, (void)base, (void)warp_base, (void)stamp, (void)me0

#define ALWAYS_INLINE static inline __attribute__((always_inline))

struct findings {
    int32_t written; /* there is a live write */
    int32_t read;    /* there is a live reader */
    int32_t open;    /* some granule's readers do not yet say that this warp reads it */
    int32_t strong;  /* some reader may be an atomic */
};

ALWAYS_INLINE struct findings survey_read(const struct pass *p, const struct run *run, int count,
                                          bool is_global)
{
    BLOCK_CONSTANTS;
    const stamp_t *ws = p->planes->write_stamp + run->first, *rs = p->planes->read_stamp + run->first;
    const stamp_t *os = p->planes->other_stamp + run->first;
    const uint32_t *rw = p->planes->read_who + run->first, *ow = p->planes->other_who + run->first;
    int32_t written = 0, read = 0, open = 0;
    uint32_t strong = 0;
    for (int i = 0; i < count; i++) {
        uint32_t me = me0 + ((uint32_t)i >> run->shift);
        int32_t live = LIVE(rs[i]), both = live & LIVE(os[i]);
        int32_t mine = MASK(rs[i] == stamp) & MASK(((rw[i] ^ me) & (WHO_THREAD | WHO_BYTES)) == 0);
        int32_t apart = OWN(rs[i]) & OWN(os[i]) & MASK(((rw[i] ^ ow[i]) & WHO_WARP) != 0);
        int32_t spread = is_global ? MASK((ow[i] & WHO_SPREAD) != 0) : 0;
        written |= LIVE(ws[i]);
        read |= live;
        open |= ~(mine | (both & (apart | spread)));
        strong |= rw[i] | ow[i];
    }
    return (struct findings){written, read, open, (int32_t)(strong & WHO_STORE)};
}

ALWAYS_INLINE void fill_readers(const struct pass *p, const struct run *run, int count)
{
    stamp_t *restrict rs = p->planes->read_stamp + run->first;
    uint32_t *restrict rw = p->planes->read_who + run->first;
    uint32_t me0 = p->flags | thread_of(p, run->lane);
    stamp_t stamp = p->stamp;
    for (int i = 0; i < count; i++) {
        rs[i] = stamp;
        rw[i] = me0 + ((uint32_t)i >> run->shift);
    }
}

/* note_reader for granules whose readers are all of this launch's plain ones, without knowledge of other
 * blocks. */
ALWAYS_INLINE void add_readers(const struct pass *p, const struct run *run, int count, bool is_global)
{
    BLOCK_CONSTANTS;
    stamp_t *restrict rs = p->planes->read_stamp + run->first, *restrict os =
                                                                   p->planes->other_stamp + run->first;
    uint32_t *restrict rw = p->planes->read_who + run->first, *restrict ow =
                                                                  p->planes->other_who + run->first;
    for (int i = 0; i < count; i++) {
        uint32_t me = me0 + ((uint32_t)i >> run->shift), mt = me & WHO_THREAD;
        stamp_t r = rs[i], o = os[i];
        uint32_t rt = rw[i] & WHO_THREAD, ot = ow[i] & WHO_THREAD;
        int32_t r_gone = ~LIVE(r) | SAME(r, rw[i], me), o_gone = ~LIVE(o) | SAME(o, ow[i], me);
        int32_t spread = is_global ? MASK((ow[i] & WHO_SPREAD) != 0) : 0;
        int32_t crowded = ~r_gone & ~o_gone & ~spread, r_low = MASK((int32_t)rt < (int32_t)ot);
        int32_t below = MASK((int32_t)mt < (int32_t)rt) & MASK((int32_t)mt < (int32_t)ot);
        int32_t above = MASK((int32_t)mt > (int32_t)rt) & MASK((int32_t)mt > (int32_t)ot);
        int32_t own_crowd = crowded & OWN(r);
        int32_t take_r = r_gone | (own_crowd & ((below & r_low) | (above & ~r_low)));
        int32_t take_o =
            (~r_gone & o_gone) | (own_crowd & ((below & ~r_low) | (above & r_low))) | (crowded & ~OWN(r));
        uint32_t second = is_global ? me | (~(uint32_t)OWN(r) & WHO_SPREAD) : me;
        rs[i] = take_r ? stamp : r;
        rw[i] = take_r ? me : rw[i];
        os[i] = take_o ? stamp : o;
        ow[i] = take_o ? second : ow[i];
    }
}

/* Whether any granule has an access that is not obviously before the store. */
ALWAYS_INLINE int32_t survey_write(const struct pass *p, const struct run *run, int count, bool is_global)
{
    BLOCK_CONSTANTS;
    const stamp_t *ws = p->planes->write_stamp + run->first, *rs = p->planes->read_stamp + run->first;
    const stamp_t *os = p->planes->other_stamp + run->first;
    int32_t any = 0;
    for (int i = 0; i < count; i++)
        any |= LIVE(ws[i]) | LIVE(rs[i]) | LIVE(os[i]);
    return any;
}

ALWAYS_INLINE int32_t survey_write_closely(const struct pass *p, const struct run *run, int count,
                                           bool is_global)
{
    BLOCK_CONSTANTS;
    const stamp_t *ws = p->planes->write_stamp + run->first, *rs = p->planes->read_stamp + run->first;
    const stamp_t *os = p->planes->other_stamp + run->first;
    const uint32_t *ww = p->planes->write_who + run->first, *rw = p->planes->read_who + run->first;
    const uint32_t *ow = p->planes->other_who + run->first;
    int32_t bad = 0;
    for (int i = 0; i < count; i++) {
        uint32_t me = me0 + ((uint32_t)i >> run->shift);
        bad |= LIVE(ws[i]) & ~SAME(ws[i], ww[i], me);
        bad |= LIVE(rs[i]) & ~SAME(rs[i], rw[i], me);
        bad |= LIVE(os[i]) & ~SAME(os[i], ow[i], me);
    }
    return bad;
}

ALWAYS_INLINE void fill_writes(const struct pass *p, const struct run *run, int count)
{
    stamp_t *restrict ws = p->planes->write_stamp + run->first;
    uint32_t *restrict ww = p->planes->write_who + run->first;
    uint32_t me0 = p->flags | thread_of(p, run->lane);
    stamp_t stamp = p->stamp;
    for (int i = 0; i < count; i++) {
        ws[i] = stamp;
        ww[i] = me0 + ((uint32_t)i >> run->shift);
    }
}

static void access_lanes_slowly(struct pass *p, const struct run *run)
{
    for (int i = 0; i < run->lanes; i++)
        access_lane(p, run->lane + i);
}

/* True: done; false: needs a closer look. */
ALWAYS_INLINE bool read_run(struct pass *p, const struct run *run, int count, bool is_global)
{
    struct findings f = survey_read(p, run, count, is_global);
    if (f.written || (f.strong && p->s->hazards->strong))
        return false;
    if (!f.read)
        fill_readers(p, run, count);
    else if (p->s->hazards->careful || p->s->foreign)
        return false;
    else if (f.open)
        add_readers(p, run, count, is_global);
    return true;
}

ALWAYS_INLINE bool write_run(struct pass *p, const struct run *run, int count, bool is_global)
{
    if (survey_write(p, run, count, is_global) && survey_write_closely(p, run, count, is_global))
        return false;
    fill_writes(p, run, count);
    return true;
}

ALWAYS_INLINE bool any_run(struct pass *p, const struct run *run, int count)
{
    if (p->is_global)
        return p->is_plain_store ? write_run(p, run, count, true) : read_run(p, run, count, true);
    return p->is_plain_store ? write_run(p, run, count, false) : read_run(p, run, count, false);
}

/* Granules of a run that one call of the loops takes: the compiler unrolls for the full warp. */
#define FULL 32

static void access_run(struct pass *p, const struct run *run)
{
    bool done;
    if (p->is_global && p->block_base < p->own)
        done = false; /* the last barrier lies before this chunk of stamps: the loops' comparisons would not
                         hold */
    else if (run->count == FULL)
        done = any_run(p, run, FULL);
    else
        done = any_run(p, run, run->count);
    if (!done)
        access_lanes_slowly(p, run);
}

/* ---- one granule for many lanes
 * -------------------------------------------------------------------------------- */

static bool settled(const struct pass *p, size_t g)
{
    struct record r = reader(p->planes, g), o = other_reader(p->planes, g);
    return !p->is_global && r.stamp >= p->block_base && o.stamp >= p->block_base &&
           ((r.who ^ o.who) & WHO_WARP);
}

static bool read_by_these(const struct pass *p, size_t g, unsigned first, unsigned last)
{
    struct record r = reader(p->planes, g), o = other_reader(p->planes, g);
    return r.stamp == p->stamp && o.stamp == p->stamp && (r.who & WHO_THREAD) == first &&
           (o.who & WHO_THREAD) == last;
}

/*
 * Lanes lane .. lane + lanes - 1 read the same bytes, or change them atomically. Where only whole warps and
 * blocks synchronise, the first and the last lane speak for all of them.
 */
static void access_together(struct pass *p, int lane, int lanes)
{
    int last = lane + lanes - 1;
    const struct access *a = p->access;
    size_t g = (size_t)((a->address[lane] - p->base) >> p->granule_shift);
    if (a->kind == ACCESS_LOAD && a->size == 1 << p->granule_shift && !p->s->hazards->careful &&
        !p->s->hazards->strong) {
        stamp_t written = p->planes->write_stamp[g];
        bool clean = written < p->stale || (!p->is_global && written < p->block_base);
        if (clean && (settled(p, g) || read_by_these(p, g, thread_of(p, lane), thread_of(p, last))))
            return;
    }
    access_lane(p, lane);
    if (p->s->unusual)
        for (int i = lane + 1; i < last; i++)
            access_lane(p, i);
    if (last > lane)
        access_lane(p, last);
}

/* ---- a whole access
 * ---------------------------------------------------------------------------------------------- */

static bool vector_ok(const struct pass *p)
{
    return (p->is_plain_store || (p->flags & WHO_PLAIN)) && p->access->size >> p->granule_shift > 0;
}

static void access_neighbours(struct pass *p, int lane, int lanes)
{
    const struct access *a = p->access;
    struct run run = {.first = (size_t)((a->address[lane] - p->base) >> p->granule_shift),
                      .lane = lane,
                      .lanes = lanes,
                      .shift = __builtin_ctz((unsigned)a->size) - p->granule_shift};
    if (lanes < 4 || !vector_ok(p)) {
        access_lanes_slowly(p, &run);
        return;
    }
    run.count = lanes << run.shift;
    access_run(p, &run);
}

/* Splits the lanes into runs of one address and runs of neighbours. */
static void access_scattered(struct pass *p)
{
    const struct access *a = p->access;
    const uint64_t *address = a->address;
    uint64_t size = (uint64_t)a->size;
    bool together = a->kind != ACCESS_STORE;
    for (uint32_t rest = a->lanes; rest;) {
        int lane = __builtin_ctz(rest), lanes = 1;
        if (together)
            while (lane + lanes < 32 && (rest >> (lane + lanes) & 1) &&
                   address[lane + lanes] == address[lane])
                lanes++;
        bool same = lanes > 1;
        while (!same && lane + lanes < 32 && (rest >> (lane + lanes) & 1) &&
               address[lane + lanes] == address[lane] + (uint64_t)lanes * size)
            lanes++;
        if (same)
            access_together(p, lane, lanes);
        else
            access_neighbours(p, lane, lanes);
        uint32_t done = lanes == 32 ? ALL_LANES : ((UINT32_C(1) << lanes) - 1) << lane;
        rest &= ~done;
    }
}

void shadow_access(struct pass *p)
{
    const struct access *a = p->access;
    int first = __builtin_ctz(a->lanes), count = __builtin_popcount(a->lanes);
    uint32_t shifted = a->lanes >> first;
    bool in_a_row = (shifted & (shifted + 1)) == 0;
    if (a->shape == SHAPE_CONTIGUOUS && in_a_row)
        access_neighbours(p, first, count);
    else if (a->shape == SHAPE_UNIFORM && in_a_row && a->kind != ACCESS_STORE)
        access_together(p, first, count);
    else
        access_scattered(p);
}
