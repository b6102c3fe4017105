/*
 * Accesses as they come in from the machine: the usual ones are done at once (hazard_usual.c); for the others the
 * shadow of their memory is found, and hazard_run.c checks and notes all lanes.
 */
#include "sim/hazard/hazard.h"

#include <stdlib.h>
#include <string.h>

/* ---- shared memory: one cell per word until a thread accesses less than a word, then one per byte ------ */

/* Words become bytes: each has the cell of its word. */
static bool split_words(struct block_shadow *s)
{
    struct shadow_planes bytes, words = s->shared;
    if (!planes_create(&bytes, words.count * 4))
        return false;
    for (size_t plane = 0; plane < PLANES; plane++)
        for (size_t i = 0; i < bytes.count; i++)
            bytes.memory[plane * bytes.step + i] = words.memory[plane * words.step + i / 4];
    planes_destroy(&s->shared);
    s->shared = bytes;
    s->granule_shift = 0;
    return true;
}

static void shared_access(struct pass *p)
{
    struct block_shadow *s = p->owner;
    if (p->access->size < 4 && s->granule_shift == 2 && !split_words(s))
        return;
    if (s->shared.count == 0)
        return;
    p->planes = &s->shared;
    p->granule_shift = s->granule_shift;
    p->stale = p->own = s->first;
    p->own_end = INT32_MAX;
    p->base = 0;
    if (s->view->cluster) { /* other blocks may have been there: as in global memory */
        p->is_global = true;
        p->own = p->s->own;
        p->own_end = p->s->chunk_end;
        p->unwritten = true;
    }
    shadow_access(p);
    if (p->unwritten)
        written_check_shared(p);
    if (p->unwritten && p->access->kind != ACCESS_LOAD && !p->is_plain_store)
        written_mark_shared(p);
}

/* ---- global memory: shadow hangs on each allocation, made when a kernel first touches it --------------- */

static struct shadow_planes *planes_of(struct hazards *h, struct allocation *a)
{
    struct shadow_planes **shadow = &a->shadow[h->index];
    if (*shadow)
        return (*shadow)->count ? *shadow : NULL;
    *shadow = calloc(1, sizeof **shadow);
    uint64_t first = a->info.address / 4, last = (a->info.address + a->info.size - 1) / 4;
    if (*shadow && planes_create(*shadow, (size_t)(last - first) + 1))
        return *shadow;
    h->found |= h->index != 0; /* one thread may have the memory for it */
    return NULL;
}

static void forget_allocation(struct allocation *allocation)
{
    for (int i = 0; i < SHADOWS; i++) {
        if (!allocation->shadow[i])
            continue;
        planes_destroy(allocation->shadow[i]);
        free(allocation->shadow[i]);
        allocation->shadow[i] = NULL;
    }
}

const struct memory_watcher hazard_memory_watcher = {.fault = hazard_file, .forget = forget_allocation};

static void access_allocation(struct pass *p, struct allocation *a)
{
    p->planes = planes_of(p->s->hazards, a);
    p->base = a->info.address & ~UINT64_C(3);
    if (p->planes)
        shadow_access(p);
}

/* The active lanes whose address lies in the allocation. */
static uint32_t lanes_inside(const struct access *access, uint32_t lanes, const struct allocation *a)
{
    uint32_t inside = 0;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);
        if (access->address[lane] - a->info.address < a->info.size)
            inside |= UINT32_C(1) << lane;
    }
    return inside;
}

static void global_access(struct pass *p)
{
    const struct block_shadow *s = p->s;
    const struct memory *memory = s->hazards->sim->memory;
    const struct access *whole = p->access;
    p->is_global = true;
    p->granule_shift = 2;
    p->stale = s->hazards->launch_first;
    p->own = s->own;
    p->own_end = s->chunk_end;
    if (whole->shape != SHAPE_SCATTERED) {
        struct allocation *a = memory_recent(memory, whole->pc, whole->address[__builtin_ctz(whole->lanes)]);
        if (a)
            access_allocation(p, a);
        return;
    }
    struct access part = *whole;
    p->access = &part;
    for (uint32_t rest = whole->lanes; rest; rest &= ~part.lanes) {
        struct allocation *a = memory_recent(memory, whole->pc, whole->address[__builtin_ctz(rest)]);
        part.lanes = a ? lanes_inside(whole, rest, a) : rest & -rest;
        if (a)
            access_allocation(p, a);
    }
    p->access = whole;
}

/* ---- all accesses -------------------------------------------------------------------------------------- */

static bool is_strong(const struct access *access)
{
    return access->kind == ACCESS_ATOMIC || access->order != ORDER_WEAK;
}

static bool releases(const struct access *access)
{
    return access->kind != ACCESS_LOAD && (access->order == ORDER_RELEASE || access->order == ORDER_ACQ_REL);
}

/* An atomic whose result nothing uses tells its thread nothing, unless it says that it acquires. */
static bool is_read(const struct access *access)
{
    return access->kind == ACCESS_LOAD ||
           (access->kind == ACCESS_ATOMIC &&
            (!access->no_result || access->order == ORDER_ACQUIRE || access->order == ORDER_ACQ_REL));
}

/* The lane's strong write: releases what is behind its semantics, or behind a fence. */
static void signal_write(struct block_shadow *s, unsigned thread, const struct access *access, uint64_t key,
                         stamp_t released)
{
    const bool narrow = access->narrow && access->space != PTX_SHARED;
    const stamp_t fence = released ? released : s->fence[thread];
    const stamp_t wide = released ? released : access->space == PTX_SHARED ? fence : s->wide_fence[thread];
    release_write(s, thread, key, fence, narrow ? 0 : wide, released != 0, access->kind == ACCESS_ATOMIC);
}

/* The lanes of a compare-and-swap that find what they compare with; the others change nothing. */
static uint32_t swapping_lanes(const struct block_shadow *s, const struct access *access,
                               unsigned char *const host[32])
{
    const size_t size = (size_t)access->size;
    uint32_t swapping = 0;
    if (!access->compare)
        return access->lanes;
    for (uint32_t rest = access->lanes; rest; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        const unsigned char *now = host ? host[lane] : s->view->shared + access->address[lane];
        const bool equal = memcmp(now, (const char *)access->compare + (size_t)lane * size, size) == 0;
        bool taken = false; /* by a lane before */
        for (uint32_t before = swapping; equal && before; before &= before - 1)
            taken |= access->address[__builtin_ctz(before)] == access->address[lane];
        swapping |= equal && !taken ? UINT32_C(1) << lane : 0;
    }
    return swapping;
}

/* Atomic and volatile accesses, by which threads tell each other that something is done. */
static void signal_others(struct block_shadow *s, unsigned warp, const struct access *access,
                          unsigned char *const host[32])
{
    s->hazards->strong = true;
    stamp_t released = 0;
    if (releases(access))
        s->warp[warp].stamp = released = order_tick(s);
    else if (!s->fenced && !s->hazards->releases)
        return;
    const uint32_t site = hazard_site(s->hazards, access->pc);
    const uint32_t writers = access->kind == ACCESS_LOAD ? 0 : swapping_lanes(s, access, host);
    for (uint32_t rest = access->lanes; rest; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        const unsigned thread = warp * WARP_LANES + (unsigned)lane;
        const uint64_t key = release_key(s, access, access->address[lane]);
        if (s->hazards->releases && is_read(access))
            acquire_read(s, thread, key, access, site);
        if (writers >> lane & 1)
            signal_write(s, thread, access, key, released);
    }
}

void hazard_phase(const struct block_view *block, uint64_t address)
{
    struct block_shadow *s = shadow_of(block);
    const struct access at = {.space = PTX_SHARED};
    if (s)
        release_phase(s->hazards, release_key(s, &at, address));
}

static uint32_t reader_flags(const struct access *access)
{
    uint32_t flags = 0;
    if (access->kind == ACCESS_LOAD && access->order == ORDER_WEAK)
        flags |= WHO_PLAIN;
    else if (access->narrow)
        flags |= WHO_NARROW;
    if (access->kind != ACCESS_LOAD)
        flags |= WHO_STORE;
    if (access->order == ORDER_VOLATILE && !access->polled)
        flags |= WHO_VOLATILE;
    return flags;
}

static void check_races(struct block_shadow *s, unsigned warp, const struct access *access,
                        unsigned char *const host[32])
{
    uint32_t site = hazard_site(s->hazards, access->pc);
    bool plain_store = access->kind == ACCESS_STORE && access->order == ORDER_WEAK;
    if (is_strong(access)) {
        s->hazards->size_of_site[site] = (uint8_t)access->element_size;
        s->hazards->uneven |= access->kind != ACCESS_ATOMIC || access->narrow || access->size != 4;
    }
    struct pass p = {.s = s,
                     .owner = access->owner ? shadow_of(access->owner) : s,
                     .access = access,
                     .host = host,
                     .warp = warp,
                     .block_base = s->base,
                     .warp_base = s->warp[warp].base,
                     .stamp = s->warp[warp].stamp,
                     .site = site,
                     .flags = (plain_store ? 0 : reader_flags(access)) | site << WHO_SITE_SHIFT,
                     .is_plain_store = plain_store};
    if (access->space != PTX_SHARED)
        global_access(&p);
    else if (p.owner)
        shared_access(&p);
    if (access->owner && p.owner)
        p.owner->visited = true;
    else if (access->owner)
        hazard_report_ended(&p);
}

__attribute__((noinline)) static void access_any(struct block_shadow *s, unsigned warp,
                                                 const struct access *access, unsigned char *const host[32])
{
    struct access shaped;
    if (access->shape == SHAPE_UNKNOWN) {
        shaped = *access;
        access_find_shape(&shaped);
        access = &shaped;
    }
    if (access->space == PTX_LOCAL) {
        written_check_local(s, warp, access);
        return;
    }
    if (access->space == PTX_GLOBAL)
        written_check_global(s, warp, access);
    else if (access->space != PTX_SHARED)
        return;
    if (is_strong(access))
        signal_others(s, warp, access, host);
    check_races(s, warp, access, host);
}

/* A full warp's plain access to words in one of the two shapes that loops or a look at one word can do. */
static inline bool is_usual(const struct access *a)
{
    return a->lanes == ALL_LANES && a->size == 4 && a->order == ORDER_WEAK && a->kind != ACCESS_ATOMIC &&
           !a->kept && (a->shape == SHAPE_CONTIGUOUS || a->shape == SHAPE_UNIFORM) &&
           (a->space == PTX_SHARED || a->space == PTX_GLOBAL);
}

/* A full warp's load of words of shared memory, in groups of lanes that memory_resolve has found. */
static inline bool is_load_by_groups(const struct access *a)
{
    return a->shape == SHAPE_SCATTERED && a->space == PTX_SHARED && a->kind == ACCESS_LOAD && a->size == 4 &&
           a->lanes == ALL_LANES && a->order == ORDER_WEAK && a->group_shape[0];
}

static unsigned deed_of(const struct access *access)
{
    if (access->space == PTX_SHARED)
        return DEED_SHARED;
    return access->kind == ACCESS_LOAD ? DEED_LOAD : DEED_STORE;
}

void hazard_access(const struct block_view *block, unsigned warp, const struct access *access,
                   unsigned char *const host[32])
{
    struct block_shadow *s = shadow_of(block);
    if (!s || access->lanes == 0 || warp >= s->warps)
        return;
    if (access->space != PTX_LOCAL)
        s->deeds |= deed_of(access);
    if (access->space == PTX_SHARED && (access->kind != ACCESS_LOAD || access->order != ORDER_WEAK))
        s->epoch++;
    bool done = block->cluster && access->space == PTX_SHARED ? false
                : is_usual(access)                            ? shadow_usual_access(s, warp, access)
                : is_load_by_groups(access)                   ? shadow_usual_groups(s, warp, access)
                                                              : false;
    if (!done)
        access_any(s, warp, access, host);
    if (access->owner)
        undefined_replaced(access);
    else if (__builtin_expect(block->undefined || s->undefined, 0))
        undefined_access(s, warp, access);
    if (s->arrays && access->space == PTX_SHARED && !access->owner)
        arrays_check(s, warp, access);
}
