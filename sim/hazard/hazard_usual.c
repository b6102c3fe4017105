/*
 * The usual accesses of a full warp, done at once: plain loads and stores of neighboring words, loads of one
 * word, and of rows of words that are narrower than a warp.
 */
#include "sim/core/bits.h"
#include "sim/core/code.h"
#include "sim/hazard/hazard_loops.h"
#include "sim/memory/tracker.h"

/* ---- the usual access: a full warp on neighboring words ----------------------------------------------- */

static const uint32_t lanes_in_order[32] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                            16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

static inline struct settled_row *settled_row(struct block_shadow *s, size_t g)
{
    return &s->settled[g / FULL % SETTLED_ROWS];
}

ALWAYS_INLINE bool usual_access(struct block_shadow *s, unsigned warp, bool is_store, bool non_coherent,
                                const struct shadow_planes *planes, size_t g, uint32_t site, bool is_global)
{
    struct hazards *h = s->hazards;
    const struct clock c = {.stale = is_global ? h->launch_first : s->first,
                            .own = s->own,
                            .own_end = s->chunk_end,
                            .base = s->base,
                            .warp_base = s->warp[warp].base,
                            .stamp = s->warp[warp].stamp,
                            .me0 = (is_store ? 0 : WHO_PLAIN) | site << WHO_SITE_SHIFT | warp * WARP_LANES,
                            .non_coherent = non_coherent};
    struct run run = run_in_place(planes, g, h->strong);
    run.lane_of = lanes_in_order;
    const bool careful = h->careful || s->knows;
    bool unwritten = false;
    const enum outcome outcome = any_run(&c, &run, FULL, is_global, is_store, careful, &unwritten);
    if (!is_global && outcome == SETTLED && !unwritten)
        *settled_row(s, g) = (struct settled_row){s->epoch, g};
    return outcome != LOOK_CLOSER && !unwritten;
}

ALWAYS_INLINE bool usual_space(struct block_shadow *s, unsigned warp, bool is_store, bool non_coherent,
                               const struct shadow_planes *planes, size_t g, uint32_t site)
{
    return planes == &s->shared ? usual_access(s, warp, is_store, non_coherent, planes, g, site, false)
                                : usual_access(s, warp, is_store, non_coherent, planes, g, site, true);
}

static bool usual_baseline(struct block_shadow *s, unsigned warp, bool is_store, bool non_coherent,
                           const struct shadow_planes *planes, size_t g, uint32_t site)
{
    return usual_space(s, warp, is_store, non_coherent, planes, g, site);
}

FOR_AVX2 static bool usual_avx2(struct block_shadow *s, unsigned warp, bool is_store, bool non_coherent,
                                const struct shadow_planes *planes, size_t g, uint32_t site)
{
    return usual_space(s, warp, is_store, non_coherent, planes, g, site);
}

static bool usual_neighbors(struct block_shadow *s, unsigned warp, bool is_store, bool non_coherent,
                            const struct shadow_planes *planes, size_t g, uint32_t site)
{
    return simd_avx2 ? usual_avx2(s, warp, is_store, non_coherent, planes, g, site)
                     : usual_baseline(s, warp, is_store, non_coherent, planes, g, site);
}

/* Notes a store as written, and says whether all that a load reads was. */
static inline bool is_written(const struct block_shadow *s, struct allocation *allocation, bool is_store,
                              uint64_t address, size_t bytes)
{
    size_t first = (size_t)(address - allocation->info.address), missing;
    if (allocation->written.all)
        return true;
    if (s->view->tracker)
        return is_store || tracker_written(s->view->tracker, allocation, first, bytes, &missing);
    if (!is_store)
        return bits_all(allocation->written.bits, first, bytes, &missing);
    bits_set(allocation->written.bits, first, bytes);
    return true;
}

/* A row of cells that will be wanted soon, perhaps: numbers are added, not pointers. */
ALWAYS_INLINE void fetch_cells(const void *cells, int64_t bytes_ahead)
{
    uintptr_t next = (uintptr_t)cells + (uintptr_t)bytes_ahead;
    __builtin_prefetch((const void *)next);
    __builtin_prefetch((const void *)(next + 64));
}

/* The shadow of where the instruction will probably be next, if that is far from here. */
ALWAYS_INLINE void look_ahead(int64_t leap, bool is_store, const struct shadow_planes *planes, size_t g)
{
    if (leap == 0)
        return;
    fetch_cells(planes->write_stamp + g, leap);
    fetch_cells(planes->readers.stamp + g, leap);
    fetch_cells(is_store ? planes->write_who + g : planes->readers.who + g, leap);
    if (is_store)
        fetch_cells(planes->readers.other_stamp + g, leap);
}

bool hazard_row(const struct block_view *block, unsigned warp, const struct hazard_row *r)
{
    struct block_shadow *s = shadow_of(block);
    if (!s || warp >= s->warps)
        return true;
    struct allocation *a = r->allocation;
    const struct shadow_planes *planes = a->shadow[s->hazards->index];
    const size_t g = (size_t)(r->first / 4 - a->info.address / 4);
    if (block->undefined || s->undefined || !planes || planes->count == 0 || s->base < s->own ||
        !is_written(s, a, r->is_store, r->first, 4 * FULL))
        return false;
    s->deeds |= r->is_store ? DEED_STORE : DEED_LOAD;
    look_ahead(r->leap, r->is_store, planes, g);
    return usual_neighbors(s, warp, r->is_store, r->non_coherent, planes, g, hazard_site(s->hazards, r->pc));
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
            !is_written(s, allocation, a->kind == ACCESS_STORE, a->address[0], is_broadcast ? 4 : 4 * FULL))
            return false;
        planes = allocation->shadow[s->hazards->index];
        g -= (size_t)(allocation->info.address / 4);
        look_ahead(is_broadcast ? 0 : a->leap, a->kind == ACCESS_STORE, planes, g);
    } else if (s->granule_shift != 2) {
        return false;
    }
    if (planes->count == 0)
        return false;
    uint32_t site = hazard_site(s->hazards, a->pc);
    if (is_broadcast)
        return usual_broadcast(s, warp, 0, WARP_LANES - 1, planes, g, site, is_global);
    return usual_neighbors(s, warp, a->kind == ACCESS_STORE, a->non_coherent, planes, g, site);
}

/* ---- loads of shared memory of which nothing is to be found out ---------------------------------------- */

/* Whether the bytes lie in the one array that the operation means. */
static inline bool stays_in_array(const struct block_shadow *s, int pc, uint64_t first, uint64_t bytes)
{
    const struct array_bounds *array = &s->arrays[pc];
    const uint64_t end = array->size ? (uint64_t)array->first + array->size : s->view->shared_size;
    return !s->array_words && (!array->variable || (first >= array->first && first + bytes <= end));
}

bool hazard_load_is_known(const struct block_view *block, unsigned warp, int pc, uint64_t first, bool is_one)
{
    struct block_shadow *s = shadow_of(block);
    if (!s || warp >= s->warps)
        return true;
    const struct hazards *h = s->hazards;
    const size_t g = (size_t)(first / 4);
    const uint32_t site = pc < h->site_of_pc_count ? h->site_of_pc[pc] : SITE_UNKNOWN;
    if (site == SITE_UNKNOWN || block->cluster || s->undefined || s->granule_shift != 2 ||
        s->shared.count == 0 || h->careful || s->knows ||
        (s->arrays && !stays_in_array(s, pc, first, is_one ? 4 : 4 * FULL)))
        return false;
    const struct settled_row *row = settled_row(s, g);
    if (is_one ? !usual_broadcast(s, warp, 0, WARP_LANES - 1, &s->shared, g, site, false)
               : row->epoch != s->epoch || row->granule != g)
        return false;
    s->deeds |= DEED_SHARED;
    return true;
}

/* ---- loads of shared memory by groups of lanes --------------------------------------------------------- */

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
 * Each half of a warp reads the same 16 neighboring words: a row of a tile that is narrower than a warp. If
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
    const bool careful = h->careful || s->knows;
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
