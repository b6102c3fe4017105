/*
 * One lane and one granule of shadow: all rules. A granule remembers the last plain store, the last atomic
 * (or strong store) and two readers; an access is checked against them and takes its place among them.
 *
 * Two readers are enough. If a later write by thread t must be ordered behind all readers since the last
 * barrier, it must be behind a reader of another warp than t's, if there is one, and behind another lane of
 * t's warp otherwise; of two readers from different warps one is of another warp than t's, whoever t is. So
 * of several readers two from different blocks are kept, else from different warps, else those with the
 * lowest and the highest number, which are also right for tiles of a warp and for barriers of neighbouring
 * warps.
 *
 * One atomic is enough: each has seen the ones before it, so that what is ordered behind the last is ordered
 * behind all. So the last of many blocks to count may set the counter back by a plain store.
 */
#include "sim/hazard/hazard.h"

#include <string.h>

static bool is_own(const struct pass *p, stamp_t stamp)
{
    return !p->is_global || (stamp >= p->own && stamp < p->own_end) ||
           (stamp >= p->stale && order_owner(p->s->hazards, stamp) == p->s->number);
}

/* Nobody's, or before the block's last barrier. */
static inline bool is_past(const struct pass *p, struct record r)
{
    return r.stamp < p->stale || (r.stamp >= p->own && r.stamp < p->block_base);
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

static const unsigned char *bytes_of(const struct pass *p, int lane)
{
    return p->host ? p->host[lane] : p->s->view->shared + p->access->address[lane];
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
    const uint32_t either = WHO_VOLATILE_READ | WHO_VOLATILE_WRITE;
    bool conflict = ((p->flags & WHO_VOLATILE_WRITE) && (r.who & either)) ||
                    ((p->flags & WHO_VOLATILE_READ) && (r.who & WHO_VOLATILE_WRITE));
    return conflict && !p->is_global && (r.who & WHO_THREAD) / WARP_LANES == t / WARP_LANES;
}

/* Whether two unordered accesses race: `r` is a reader or an atomic. */
static bool may_not_meet(const struct pass *p, struct record r, unsigned t)
{
    if (p->is_plain_store)
        return true;
    if (p->flags & WHO_PLAIN)
        return (r.who & WHO_STORE) != 0;
    if (p->flags & WHO_STORE)
        return (r.who & WHO_PLAIN) || warp_synchronous(p, r, t);
    return warp_synchronous(p, r, t);
}

bool cell_same_store(struct pass *p, int lane, unsigned other_thread)
{
    const struct access *a = p->access;
    int other = (int)(other_thread % WARP_LANES);
    if (other_thread / WARP_LANES != p->warp || other == lane || !(a->lanes >> other & 1))
        return false;
    uint64_t distance = a->address[lane] - a->address[other] + (uint64_t)a->size;
    if (distance == 0 || distance >= 2 * (uint64_t)a->size)
        return false;
    if (stores_differ(a, lane, other))
        hazard_report_lanes(p, lane, other);
    return true;
}

static uint32_t site_of(uint32_t who)
{
    return who >> WHO_SITE_SHIFT;
}

static void check_write(struct pass *p, int lane, size_t g, uint32_t me)
{
    struct record r = planes_write(p->planes, g);
    unsigned u, t;
    if (r.stamp < p->stale && !p->is_plain_store)
        p->unwritten = true;
    if (is_past(p, r) || !bytes_overlap(r.who, me, &u, &t) || is_before(p, r, u, t))
        return;
    if (p->is_plain_store && r.stamp == p->stamp && site_of(r.who) == p->site && cell_same_store(p, lane, u))
        return;
    if (p->is_plain_store && !store_changes(p->access, lane, bytes_of(p, lane)))
        return;
    r.who = (r.who & ~(uint32_t)WHO_THREAD) | u;
    hazard_report_race(p, lane, p->base + ((uint64_t)g << p->granule_shift), r, true);
}

static void check_record(struct pass *p, int lane, size_t g, uint32_t me, struct record r)
{
    unsigned u, t;
    if (is_past(p, r) || !bytes_overlap(r.who, me, &u, &t) || is_before(p, r, u, t))
        return;
    if (!may_not_meet(p, r, t))
        return;
    if (p->access->kind == ACCESS_STORE && r.stamp == p->stamp && site_of(r.who) == p->site &&
        cell_same_store(p, lane, u))
        return;
    if (p->is_plain_store && (r.who & WHO_STORE) && !store_changes(p->access, lane, bytes_of(p, lane)))
        return;
    r.who = (r.who & ~(uint32_t)WHO_THREAD) | u;
    hazard_report_race(p, lane, p->base + ((uint64_t)g << p->granule_shift), r, (r.who & WHO_STORE) != 0);
}

/* ---- taking a place ------------------------------------------------------------------------------------ */

static void set_reader(const struct pass *p, size_t g, uint32_t who)
{
    p->planes->readers.stamp[g] = p->stamp;
    p->planes->readers.who[g] = who;
}

static void set_other(const struct pass *p, size_t g, uint32_t who, bool spread)
{
    p->planes->readers.other_stamp[g] = p->stamp;
    p->planes->readers.other_who[g] = spread ? who | WHO_SPREAD : who;
}

/* What a record becomes when it is replaced by `me`: if the same thread in the same interval, it did both. */
static uint32_t replacing(const struct pass *p, struct record old, uint32_t me)
{
    uint32_t merged;
    if (old.stamp != p->stamp)
        return me;
    if (((old.who ^ me) & (WHO_THREAD | WHO_BYTES)) == 0)
        return me | (old.who & WHO_DID);
    return bytes_merge(old.who, me, &merged) ? merged : me;
}

/* Neighbouring bytes of neighbouring threads are one record. */
static bool merge_bytes(const struct pass *p, size_t g, uint32_t me)
{
    const struct record_pairs *pairs = &p->planes->readers;
    uint32_t merged;
    if (!(me & WHO_BYTES) || pairs->stamp[g] != p->stamp || !bytes_merge(pairs->who[g], me, &merged))
        return false;
    pairs->who[g] = merged;
    return true;
}

static void mark_spread(const struct pass *p, size_t g)
{
    const struct record_pairs *pairs = &p->planes->readers;
    struct record r = pairs_first(pairs, g), o = pairs_other(pairs, g);
    if (!p->is_global || r.stamp < p->stale || o.stamp < p->stale)
        return;
    const struct hazards *h = p->s->hazards;
    bool spread = order_owner(h, r.stamp) != order_owner(h, o.stamp);
    pairs->other_who[g] = spread ? o.who | WHO_SPREAD : o.who & ~(uint32_t)WHO_SPREAD;
}

/* Two stand, unordered with me and each other: of the three the two that lie farthest apart stay. */
static void choose_extremes(const struct pass *p, size_t g, uint32_t me)
{
    const struct record_pairs *pairs = &p->planes->readers;
    unsigned rt = pairs->who[g] & WHO_THREAD, ot = pairs->other_who[g] & WHO_THREAD, mt = me & WHO_THREAD;
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
    const struct record_pairs *pairs = &p->planes->readers;
    unsigned t = pass_thread(p, lane);
    struct record r = pairs_first(pairs, g), o = pairs_other(pairs, g);
    if (merge_bytes(p, g, me))
        return;
    if (is_before_lane(p, r, t)) {
        set_reader(p, g, replacing(p, r, me));
        mark_spread(p, g);
    } else if (is_before_lane(p, o, t)) {
        set_other(p, g, replacing(p, o, me), !is_own(p, r.stamp));
    } else if ((me & WHO_PLAIN) && !(r.who & o.who & WHO_PLAIN)) {
        if (r.who & WHO_PLAIN) /* a plain read races with more than a strong one */
            set_other(p, g, me, false);
        else
            set_reader(p, g, me);
        mark_spread(p, g);
    } else if (!(p->is_global && (o.who & WHO_SPREAD))) {
        if (is_own(p, r.stamp))
            choose_extremes(p, g, me);
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

static void note_atomic(const struct pass *p, size_t g, uint32_t me)
{
    p->planes->atomic_stamp[g] = p->stamp;
    p->planes->atomic_who[g] = me;
}

static void access_granule(struct pass *p, int lane, size_t g, uint32_t me)
{
    const struct shadow_planes *s = p->planes;
    bool is_write = p->access->kind != ACCESS_LOAD;
    check_write(p, lane, g, me);
    if (is_write) {
        check_record(p, lane, g, me, pairs_first(&s->readers, g));
        check_record(p, lane, g, me, pairs_other(&s->readers, g));
    }
    if (p->s->hazards->strong)
        check_record(p, lane, g, me, planes_atomic(s, g));
    if (p->is_plain_store)
        note_write(p, g, me);
    else if (is_write)
        note_atomic(p, g, me);
    else
        note_reader(p, lane, g, me);
}

void cell_access_lane(struct pass *p, int lane)
{
    const struct access *a = p->access;
    size_t g = (size_t)((a->address[lane] - p->base) >> p->granule_shift);
    int count = a->size >> p->granule_shift;
    uint32_t me = p->flags | pass_thread(p, lane);
    if (count == 0) {
        access_granule(p, lane, g, me | bytes_code(a->address[lane], a->size));
        return;
    }
    for (int i = 0; i < count; i++)
        access_granule(p, lane, g + (size_t)i, me);
}
