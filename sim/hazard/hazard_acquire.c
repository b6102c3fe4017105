/*
 * What threads acquire: each thread for itself, until a barrier hands it on (PTX ISA, Memory Consistency Model, "Release
 * and acquire patterns").
 *
 * A strong read acquires if it has the semantics (.acquire, .acq_rel), or when a fence of its thread follows. Until
 * then it is *pending*. A read, a fence or an acquire of .cta scope tells a thread only of releases by its own block.
 *
 * What follows a strong read without a fence:
 *   a barrier of the block after an atomic without an order of its own (a ticket: atomicAdd and the like, but not the
 *     compare-and-swap that takes a lock; and no fence of .cta scope between): counts as a fence. So the sample of
 *     the CUDA C++ Programming Guide, "Memory Fence Functions", and threadFenceReduction of the CUDA samples let the
 *     last block read what the others wrote. cuda::atomic_ref is taken by its word;
 *   a volatile or other strong access after such a ticket: counts as ordered (acquire_by_ticket). It is no data race by
 *     the PTX ISA, whatever else it may be; the ScoR suite (Kamath, George, Basu: ScoRD, ISCA 2020) has it as right;
 *   a barrier of the block, or __syncwarp(), after any read: counts for releases by the same block, whose threads the
 *     barrier's own order among its participants (PTX ISA, bar.sync, bar.warp.sync) reaches;
 *   a barrier after a load of what another block has released: does not count. The flag must be read with acquire, or
 *     a fence must stand between the read and the barrier.
 */
#include "sim/hazard/hazard.h"

#include <stdlib.h>
#include <string.h>

#define PENDING_MAX 4

struct pending {
    int variable, version;
    bool narrow, is_ticket;
    bool fenced; /* by a fence of .cta scope, which does not reach the other block */
    bool nearby; /* in shared memory: only its own block can have released to it */
    uint32_t site;
    struct known *joined; /* what those who released with a wide scope had acquired */
};

struct acquired {
    struct known *here;
    struct known *at_fence,
        *at_wide_fence; /* what it was at the last fence of any scope, and of a wide one */
    int count;
    struct pending pending[PENDING_MAX];
    /* For reports: the last acquire of .cta scope, or strong read with such a fence behind it. */
    struct pending narrow;
};

const struct known *acquire_at_fence(const struct block_shadow *s, unsigned thread, bool wide)
{
    const struct acquired *a = s->acquired[thread];
    return !a ? NULL : wide ? a->at_wide_fence : a->at_fence;
}

const struct known *acquire_of(const struct block_shadow *s, unsigned thread)
{
    return s->acquired[thread] ? s->acquired[thread]->here : NULL;
}

static void drop_pending(struct acquired *a)
{
    for (int i = 0; i < a->count; i++)
        known_drop(a->pending[i].joined);
    a->count = 0;
}

static void clear(struct acquired *a)
{
    drop_pending(a);
    known_drop(a->here);
    known_drop(a->at_fence);
    known_drop(a->at_wide_fence);
    known_drop(a->narrow.joined);
    *a = (struct acquired){0};
}

static struct acquired *acquired_by(struct block_shadow *s, unsigned thread)
{
    if (!s->acquired[thread])
        s->acquired[thread] = calloc(1, sizeof *s->acquired[thread]);
    if (s->acquired[thread]) {
        s->acquiring[thread / WARP_LANES] |= UINT32_C(1) << thread % WARP_LANES;
        s->knows = true;
    }
    return s->acquired[thread];
}

void acquire_forget(struct block_shadow *s)
{
    for (unsigned w = 0; s->knows && w < BLOCK_WARPS; w++) {
        for (uint32_t rest = s->acquiring[w]; rest; rest &= rest - 1)
            clear(s->acquired[w * WARP_LANES + (unsigned)__builtin_ctz(rest)]);
        s->acquiring[w] = 0;
    }
    known_drop(s->common);
    s->common = NULL;
    s->knows = false;
}

void acquire_destroy(struct block_shadow *s)
{
    acquire_forget(s);
    for (unsigned t = 0; t < BLOCK_THREADS; t++) {
        free(s->acquired[t]);
        s->acquired[t] = NULL;
    }
}

/* ---- from a read to what it tells ---------------------------------------------------------------------- */

/* What releases by the thread's own block tell, whatever their scope. */
static struct known *learn_block(const struct block_shadow *s, struct known *k, const struct pending *p)
{
    struct known *joined = release_joined(s->hazards, s->number, p->variable, p->version);
    k = known_join(known_learn(k, p->variable, s->number, p->version), joined);
    known_drop(joined);
    return k;
}

static struct known *learn(const struct block_shadow *s, struct known *k, const struct pending *p, bool wide)
{
    if (wide)
        k = known_join(known_learn(k, p->variable, -1, p->version), p->joined);
    if (!wide || release_variable_at(s->hazards, p->variable)->narrow)
        k = learn_block(s, k, p);
    return k;
}

static void take(struct block_shadow *s, struct acquired *a, const struct pending *p, bool wide)
{
    a->here = learn(s, a->here, p, wide);
    s->unusual = s->hazards->careful = true;
    if (wide)
        return;
    known_hold(p->joined);
    known_drop(a->narrow.joined);
    a->narrow = *p;
}

static void set_pending(struct block_shadow *s, struct acquired *a, const struct pending *read)
{
    int i = 0;
    while (i < a->count && (a->pending[i].variable != read->variable || a->pending[i].narrow != read->narrow))
        i++;
    if (i == PENDING_MAX) { /* the oldest counts as acquired: silent rather than wrong */
        take(s, a, &a->pending[0], !a->pending[0].narrow);
        known_drop(a->pending[0].joined);
        memmove(a->pending, a->pending + 1, sizeof a->pending[0] * (PENDING_MAX - 1));
        i = --a->count;
    }
    if (i == a->count)
        a->pending[a->count++].joined = NULL;
    known_hold(read->joined);
    known_drop(a->pending[i].joined);
    a->pending[i] = *read;
}

/* Whether the thread has read just that already, or knows it. */
static bool is_old(const struct block_shadow *s, unsigned thread, const struct pending *read)
{
    const struct acquired *a = s->acquired[thread];
    if (!release_variable_at(s->hazards, read->variable)->narrow &&
        (known_version(s->common, read->variable, -1) >= read->version ||
         (a && known_version(a->here, read->variable, -1) >= read->version)))
        return true;
    for (int i = 0; a && i < a->count; i++)
        if (a->pending[i].variable == read->variable && a->pending[i].version == read->version &&
            a->pending[i].narrow == read->narrow && a->pending[i].is_ticket == read->is_ticket)
            return true;
    return false;
}

static bool acquires(const struct access *access)
{
    return access->order == ORDER_ACQUIRE || access->order == ORDER_ACQ_REL;
}

void acquire_read(struct block_shadow *s, unsigned thread, uint64_t key, const struct access *access,
                  uint32_t site)
{
    const int variable = release_variable(s->hazards, key);
    if (variable < 0)
        return;
    const struct variable *v = release_variable_at(s->hazards, variable);
    const struct pending read = {.variable = variable,
                                 .version = access->of_phase ? v->phase_version : v->version,
                                 .narrow = access->narrow && access->space != PTX_SHARED,
                                 .nearby = access->space == PTX_SHARED,
                                 .is_ticket = access->is_ticket,
                                 .site = site,
                                 .joined = access->of_phase ? v->phase_joined : v->joined};
    if (read.version == 0 || (!acquires(access) && is_old(s, thread, &read)))
        return;
    struct acquired *a = acquired_by(s, thread);
    if (!a)
        return;
    if (acquires(access))
        take(s, a, &read, !read.narrow);
    else
        set_pending(s, a, &read);
}

/* ---- fences and barriers ------------------------------------------------------------------------------- */

static void fence_one(struct block_shadow *s, struct acquired *a, bool wide)
{
    int kept = 0;
    for (int i = 0; i < a->count; i++) {
        struct pending *p = &a->pending[i];
        take(s, a, p, p->nearby || (wide && !p->narrow));
        p->fenced = true;
        if (!wide && !p->narrow && !p->nearby)
            a->pending[kept++] = *p; /* a wider fence may follow */
        else
            known_drop(p->joined);
    }
    a->count = kept;
    known_hold(a->here);
    known_drop(a->at_fence);
    a->at_fence = a->here;
    if (!wide)
        return;
    known_hold(a->here);
    known_drop(a->at_wide_fence);
    a->at_wide_fence = a->here;
}

void acquire_fence(struct block_shadow *s, unsigned warp, uint32_t lanes, bool wide)
{
    for (uint32_t rest = lanes & s->acquiring[warp]; rest; rest &= rest - 1)
        fence_one(s, s->acquired[warp * WARP_LANES + (unsigned)__builtin_ctz(rest)], wide);
}

/* What the thread's pending reads come to at a barrier: see above. */
static void barrier_one(struct block_shadow *s, struct acquired *a, bool of_block)
{
    for (int i = 0; i < a->count; i++) {
        const struct pending *p = &a->pending[i];
        if (p->nearby || (of_block && p->is_ticket && !p->narrow && !p->fenced))
            a->here = learn(s, a->here, p, true);
        else
            a->here = learn_block(s, a->here, p);
    }
}

struct known *acquire_collect(struct block_shadow *s, const uint32_t *lanes_by_warp)
{
    struct known *joined = NULL;
    for (unsigned w = 0; s->knows && w < s->warps; w++)
        for (uint32_t rest = s->acquiring[w] & (lanes_by_warp ? lanes_by_warp[w] : ALL_LANES); rest;
             rest &= rest - 1) {
            struct acquired *a = s->acquired[w * WARP_LANES + (unsigned)__builtin_ctz(rest)];
            barrier_one(s, a, true);
            joined = known_join(joined, a->here);
        }
    return joined;
}

static void set_here(struct block_shadow *s, unsigned thread, struct known *k)
{
    struct acquired *a = acquired_by(s, thread);
    if (a && a->here != k) {
        known_drop(a->here);
        a->here = known_hold(k);
    }
}

/* A barrier of all threads: what they know is what all know. */
static void become_common(struct block_shadow *s, struct known *joined)
{
    s->common = known_join(s->common, joined);
    for (unsigned w = 0; w < s->warps; w++)
        for (uint32_t rest = s->acquiring[w]; rest; rest &= rest - 1) {
            struct acquired *a = s->acquired[w * WARP_LANES + (unsigned)__builtin_ctz(rest)];
            known_drop(a->here);
            a->here = NULL;
            if (a->count == 0 && !a->narrow.site && !a->at_fence)
                s->acquiring[w] &= ~(rest & -rest);
        }
}

void acquire_barrier(struct block_shadow *s, const uint32_t *lanes_by_warp, bool whole, struct known *more)
{
    if (!s->knows && !more)
        return;
    struct known *joined = known_join(acquire_collect(s, lanes_by_warp), more);
    if (whole)
        become_common(s, joined);
    for (unsigned w = 0; joined && !whole && w < s->warps; w++)
        for (uint32_t rest = lanes_by_warp[w] & all_lanes_of(s, w); rest; rest &= rest - 1)
            set_here(s, w * WARP_LANES + (unsigned)__builtin_ctz(rest), joined);
    s->unusual |= joined && !whole;
    known_drop(joined);
}

void acquire_sync(struct block_shadow *s, unsigned warp, uint32_t lanes)
{
    struct known *joined = NULL;
    if (!(s->acquiring[warp] & lanes))
        return;
    for (uint32_t rest = lanes & s->acquiring[warp]; rest; rest &= rest - 1) {
        struct acquired *a = s->acquired[warp * WARP_LANES + (unsigned)__builtin_ctz(rest)];
        barrier_one(s, a, false);
        joined = known_join(joined, a->here);
    }
    for (uint32_t rest = lanes; joined && rest; rest &= rest - 1)
        set_here(s, warp * WARP_LANES + (unsigned)__builtin_ctz(rest), joined);
    if (joined)
        s->unusual = s->hazards->careful = true;
    known_drop(joined);
}

/* ---- reports ------------------------------------------------------------------------------------------- */

static bool would_tell(const struct block_shadow *s, const struct pending *p, bool wide, uint32_t block,
                       unsigned thread, stamp_t stamp)
{
    struct known *k = learn(s, NULL, p, wide);
    bool known = release_would_know(s, k, block, thread, stamp);
    known_drop(k);
    return known;
}

bool acquire_by_ticket(const struct block_shadow *s, unsigned t, uint32_t block, unsigned thread,
                       stamp_t stamp)
{
    const struct acquired *a = s->acquired[t];
    for (int i = 0; a && i < a->count; i++) {
        const struct pending *p = &a->pending[i];
        if (p->is_ticket && would_tell(s, p, p->nearby || !p->narrow, block, thread, stamp))
            return true;
    }
    return false;
}

uint32_t acquire_missed(const struct block_shadow *s, unsigned t, uint32_t block, unsigned thread,
                        stamp_t stamp, bool *too_narrow)
{
    const struct acquired *a = s->acquired[t];
    for (int i = 0; a && i < a->count; i++)
        if (would_tell(s, &a->pending[i], true, block, thread, stamp)) {
            *too_narrow = a->pending[i].narrow || a->pending[i].fenced;
            return a->pending[i].site;
        }
    *too_narrow = true;
    return a && a->narrow.site && would_tell(s, &a->narrow, true, block, thread, stamp) ? a->narrow.site
                                                                                        : SITE_UNKNOWN;
}
