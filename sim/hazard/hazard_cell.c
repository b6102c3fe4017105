/*
 * One lane and one granule of shadow: all rules. A granule remembers the last plain store, the last atomic
 * (or strong store) and two readers; an access is checked against them and takes its place among them.
 *
 * Where threads synchronize as whole warps and blocks, two readers are enough. If a later write by thread t
 * must be ordered behind all readers since the last barrier, it must be behind a reader of another warp than
 * t's, if there is one, and behind another lane of t's warp otherwise; of two readers from different warps
 * one is of another warp than t's, whoever t is. So of several readers two from different blocks are kept,
 * else from different warps, else those with the lowest and the highest number, which are also right for
 * tiles of a warp and for barriers of neighboring warps. Other kernels have lists of the other readers
 * (hazard_readers.c).
 *
 * One atomic is enough: each has seen the ones before it, so that what is ordered behind the last is ordered
 * behind all (PTX ISA, "Causality order": observation before base causality). So the last of many blocks to
 * count may set the counter back by a plain store.
 *
 * Stores of the value that is there already are no race: threads that all set a flag to 1 leave the same
 * whatever their order, and the CUDA C++ Programming Guide's own samples do so. Neither are they writes that
 * a reader could tell. A store that changes the value is one.
 */
#include "sim/hazard/hazard.h"
#include "sim/hazard/hazard_update.h"

#include <string.h>

static bool is_own(const struct pass *p, stamp_t stamp)
{
    return !p->is_global || (stamp >= p->own && stamp < p->own_end) ||
           (stamp >= p->stale && order_owner(p->s->hazards, stamp) == p->s->number);
}

/* Of no thread, or before the block's last barrier. */
static inline bool is_past(const struct pass *p, struct record r)
{
    return r.stamp < p->stale || (r.stamp >= p->own && r.stamp < p->block_base);
}

/* Whether the record, by thread `u` of its block, lies before what thread t does now; or is of no thread. */
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

bool cell_is_before(const struct pass *p, struct record r, unsigned t)
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

static uint32_t site_of(uint32_t who)
{
    return who >> WHO_SITE_SHIFT;
}

static bool same_warp(const struct pass *p, struct record r, unsigned t)
{
    return (r.who & WHO_THREAD) / WARP_LANES == t / WARP_LANES && is_own(p, r.stamp);
}

/* One is an atomic, the other a volatile store that is no flag: no fence of its thread is before it. */
static bool atomic_meets_volatile(const struct pass *p, struct record r, bool r_writes, unsigned t)
{
    if (!r_writes || p->access->kind == ACCESS_LOAD || !((p->flags ^ r.who) & WHO_VOLATILE))
        return false;
    return p->flags & WHO_VOLATILE ? p->s->fence[t] < p->s->first : !(r.who & WHO_FENCED);
}

static bool by_ticket(const struct pass *p, struct record r, unsigned t)
{
    const uint32_t owner = p->is_global ? order_owner(p->s->hazards, r.stamp) : p->s->number;
    return p->s->knows && acquire_by_ticket(p->s, t, owner, r.who & WHO_THREAD, r.stamp);
}

/*
 * Two relaxed stores, each of a value that its thread has read there and changed: no data race, but one of them is lost
 * if the threads take their turns in another order.
 */
static bool loses_update(const struct pass *p, struct record r, bool r_writes)
{
    const struct code *code = p->s->view->kernel->code; /* NULL: not known */
    const uint32_t site = site_of(r.who);
    return code && site != SITE_UNKNOWN && r_writes && p->access->kind == ACCESS_STORE &&
           p->access->order == ORDER_RELAXED &&
           update_shared_place(code, p->access->pc, p->s->hazards->pc_of_site[site], !is_own(p, r.stamp));
}

/* Two strong accesses, one of which writes: what keeps them from being morally strong, if anything. */
static enum race judge_strong(const struct pass *p, struct record r, bool r_writes, unsigned t)
{
    const uint8_t size = p->s->hazards->size_of_site[site_of(r.who)];
    const bool volatiles = p->flags & r.who & WHO_VOLATILE;
    if (size && size != p->access->element_size)
        return RACE_OF_SIZES;
    if (p->is_global && ((p->flags | r.who) & WHO_NARROW) && !is_own(p, r.stamp))
        return by_ticket(p, r, t) ? RACE_NONE : RACE_OF_SCOPES;
    /* Lanes of a warp that rely on running in step, as before Volta, are as wrong as with plain accesses. */
    if (volatiles && same_warp(p, r, t) && !p->is_global)
        return RACE_PLAIN;
    if (!volatiles && loses_update(p, r, r_writes))
        return by_ticket(p, r, t) ? RACE_NONE : RACE_OF_UPDATES;
    if (!volatiles && !atomic_meets_volatile(p, r, r_writes, t))
        return RACE_NONE;
    return by_ticket(p, r, t) ? RACE_NONE : RACE_OF_VOLATILES;
}

/* What two unordered accesses are: `r` is a reader, or an atomic or strong store. */
static enum race judge(const struct pass *p, struct record r, bool r_writes, unsigned t)
{
    const bool writes = p->access->kind != ACCESS_LOAD;
    if (!writes && !r_writes)
        return RACE_NONE;
    if (p->is_plain_store || (p->flags & WHO_PLAIN) || (!r_writes && (r.who & WHO_PLAIN)))
        return RACE_PLAIN;
    return judge_strong(p, r, r_writes, t);
}

/* Whether the other thread is a lane of this very store, to some of the same bytes. */
static bool shares_store(const struct pass *p, int lane, unsigned other_thread)
{
    const struct access *a = p->access;
    int other = (int)(other_thread % WARP_LANES);
    if (other_thread / WARP_LANES != p->warp || other == lane || !(a->lanes >> other & 1))
        return false;
    uint64_t distance = a->address[lane] - a->address[other] + (uint64_t)a->size;
    return distance != 0 && distance < 2 * (uint64_t)a->size;
}

bool cell_same_store(struct pass *p, int lane, unsigned other_thread)
{
    if (!shares_store(p, lane, other_thread))
        return false;
    int other = (int)(other_thread % WARP_LANES);
    if (stores_differ(p->access, lane, other))
        hazard_report_lanes(p, lane, other);
    else if (p->is_global && p->access->kind == ACCESS_STORE)
        hazard_note_again(p, lane, p->access->address[lane]);
    return true;
}

/* The record is of this very store, and that says all: reported, or no race since the values are the same. */
static bool settled_as_store(struct pass *p, int lane, struct record r, unsigned u, enum race race)
{
    if (p->access->kind != ACCESS_STORE || r.stamp != p->stamp || site_of(r.who) != p->site)
        return false;
    if (race == RACE_OF_VOLATILES)
        return shares_store(p, lane, u) && !stores_differ(p->access, lane, (int)(u % WARP_LANES));
    return cell_same_store(p, lane, u);
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
    const uint64_t address = p->base + ((uint64_t)g << p->granule_shift);
    if (p->is_plain_store && !store_changes(p->access, lane, bytes_of(p, lane))) {
        if (p->is_global)
            hazard_note_again(p, lane, address);
        return;
    }
    r.who = (r.who & ~(uint32_t)WHO_THREAD) | u;
    hazard_report_race(p, lane, address, r, true, RACE_PLAIN);
}

/*
 * Whether thread t has acquired the variable as it is now: then it has observed the last atomic or volatile store,
 * too. So each holder of a ticket lock may store the next number.
 */
static bool has_observed(const struct pass *p, int lane, unsigned t)
{
    const struct block_shadow *s = p->s;
    int variable =
        s->knows ? release_variable(s->hazards, release_key(s, p->access, p->access->address[lane])) : -1;
    if (variable < 0)
        return false;
    const struct variable *v = release_variable_at(s->hazards, variable);
    const bool was_last = v->last_block == s->number && v->last_thread == t; /* this very store may be one */
    const int version = was_last ? v->others : v->version;
    const struct known *own = acquire_of(s, t);
    if (version == 0)
        return false;
    return known_version(own, variable, -1) >= version || known_version(s->common, variable, -1) >= version ||
           known_version(own, variable, s->number) >= version;
}

static void check_record(struct pass *p, int lane, size_t g, uint32_t me, struct record r, bool r_writes)
{
    unsigned u, t;
    if (is_past(p, r) || !bytes_overlap(r.who, me, &u, &t) || is_before(p, r, u, t))
        return;
    r.who = (r.who & ~(uint32_t)WHO_THREAD) | u;
    const enum race race = judge(p, r, r_writes, t);
    const bool is_settled =
        r_writes && (race == RACE_PLAIN || race == RACE_OF_VOLATILES || race == RACE_OF_UPDATES);
    if (race == RACE_NONE || (is_settled && has_observed(p, lane, t)))
        return;
    if (settled_as_store(p, lane, r, u, race))
        return;
    if (p->access->kind == ACCESS_STORE && r_writes && !store_changes(p->access, lane, bytes_of(p, lane)))
        return;
    hazard_report_race(p, lane, p->base + ((uint64_t)g << p->granule_shift), r, r_writes, race);
}

static void check_more_readers(struct pass *p, int lane, size_t g, uint32_t me)
{
    int count;
    const struct reader *more = readers_at(p, g, &count);
    for (int i = 0; i < count; i++)
        for (uint32_t rest = more[i].lanes; rest; rest &= rest - 1) {
            const uint32_t who =
                (more[i].who & ~(uint32_t)(WHO_THREAD & ~WHO_WARP)) | (uint32_t)__builtin_ctz(rest);
            check_record(p, lane, g, me, (struct record){more[i].stamp, who}, false);
        }
}

/* A load past the coherent caches of what this launch has written, whoever did and whatever came between. */
static void check_coherence(struct pass *p, int lane, size_t g)
{
    struct record w = planes_write(p->planes, g), a = planes_atomic(p->planes, g);
    struct record r = a.stamp >= p->stale ? a : w;
    if (r.stamp >= p->stale)
        hazard_report_race(p, lane, p->base + ((uint64_t)g << p->granule_shift), r, true, RACE_OF_CACHES);
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

/* A read that races whatever the other thread does is the one that a report should name. */
static uint32_t with_site_of_plain(uint32_t me, uint32_t old)
{
    const uint32_t site = ~UINT32_C(0) << WHO_SITE_SHIFT;
    return (old & WHO_PLAIN) && !(me & WHO_PLAIN) ? (me & ~site) | (old & site) : me;
}

/* What a record becomes when it is replaced by `me`: if the same thread in the same interval, it did both. */
static uint32_t replacing(const struct pass *p, struct record old, uint32_t me)
{
    uint32_t merged;
    if (old.stamp != p->stamp)
        return me;
    if (((old.who ^ me) & (WHO_THREAD | WHO_BYTES)) == 0)
        return with_site_of_plain(me, old.who) | (old.who & WHO_DID);
    return bytes_merge(old.who, me, &merged) ? merged : me;
}

/* Neighboring bytes of neighboring threads are one record. */
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

static void note_reader(struct pass *p, int lane, size_t g, uint32_t me)
{
    const struct record_pairs *pairs = &p->planes->readers;
    unsigned t = pass_thread(p, lane);
    struct record r = pairs_first(pairs, g), o = pairs_other(pairs, g);
    if (merge_bytes(p, g, me))
        return;
    if (cell_is_before(p, r, t)) {
        set_reader(p, g, replacing(p, r, me));
        mark_spread(p, g);
    } else if (cell_is_before(p, o, t)) {
        set_other(p, g, replacing(p, o, me), !is_own(p, r.stamp));
    } else if (p->s->hazards->careful) {
        readers_add(p, g, me);
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
    p->planes->atomic_who[g] = p->s->fence[me & WHO_THREAD] >= p->s->first ? me | WHO_FENCED : me;
}

static void check_readers(struct pass *p, int lane, size_t g, uint32_t me)
{
    check_record(p, lane, g, me, pairs_first(&p->planes->readers, g), false);
    check_record(p, lane, g, me, pairs_other(&p->planes->readers, g), false);
    if (!p->s->hazards->careful)
        return;
    check_more_readers(p, lane, g, me);
    if (p->is_plain_store)
        readers_clear(p, g); /* who is ordered behind this store is ordered behind them */
}

static void access_granule(struct pass *p, int lane, size_t g, uint32_t me)
{
    const struct shadow_planes *s = p->planes;
    bool is_write = p->access->kind != ACCESS_LOAD;
    if (p->is_global && p->access->non_coherent)
        check_coherence(p, lane, g);
    check_write(p, lane, g, me);
    if (is_write)
        check_readers(p, lane, g, me);
    if (p->s->hazards->strong)
        check_record(p, lane, g, me, planes_atomic(s, g), true);
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
