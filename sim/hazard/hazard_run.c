/*
 * All lanes of an access against shadow. Plain loads and stores go through the loops of hazard_loops.h;
 * whatever needs a closer look goes lane by lane through hazard_cell.c, which knows all the rules.
 *
 * Lanes that are neighbors on neighboring words work on the shadow arrays in place. Other patterns are
 * split into such runs, or their cells are collected in arrays of their own first, and put back.
 */
#include "sim/hazard/hazard_loops.h"

#include <string.h>

ALWAYS_INLINE enum outcome pass_run_of(struct pass *p, const struct run *run, int count)
{
    const struct clock c = {.stale = p->stale,
                            .own = p->own,
                            .own_end = p->own_end,
                            .base = p->block_base,
                            .warp_base = p->warp_base,
                            .stamp = p->stamp,
                            .me0 = p->flags | pass_thread(p, (int)run->first_lane),
                            .non_coherent = p->access->non_coherent};
    const bool careful = p->s->hazards->careful || p->s->knows;
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

/* Lanes lane .. lane + lanes - 1 on neighboring granules. */
static void access_neighbors(struct pass *p, int lane, int lanes)
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

/* Atomics on one word, which no weak access has had in this interval: what one lane may do the others may. */
static bool lanes_are_alike(struct pass *p, size_t g)
{
    const struct record_pairs *r = &p->planes->readers;
    const stamp_t recent = p->is_global ? p->stale : p->block_base;
    int more = 0;
    if (p->access->kind != ACCESS_ATOMIC || p->access->size != 1 << p->granule_shift ||
        p->planes->write_stamp[g] >= recent || (r->stamp[g] >= recent && (r->who[g] & WHO_PLAIN)) ||
        (r->other_stamp[g] >= recent && (r->other_who[g] & WHO_PLAIN)))
        return false;
    if (p->s->hazards->careful)
        readers_at(p, g, &more);
    return more == 0;
}

/*
 * Lanes lane .. lane + lanes - 1 read the same bytes, or change them atomically. Where only whole warps and
 * blocks synchronize, the first and the last lane speak for all of them.
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
    if ((p->s->unusual || (p->s->hazards->careful && p->access->kind == ACCESS_LOAD)) &&
        !lanes_are_alike(p, granule_of(p, lane)))
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
    } else if (outcome != DONE && outcome != SETTLED) {
        put_back(p, &c, outcome);
        meet_again(p, &c, outcome == TAKE_WRITE);
    }
}

/* ---- atomics of words ---------------------------------------------------------------------------------- */

/*
 * Atomics of words, where none of the launch differ in size or scope, do not race with each other: each is noted as the
 * last, if no plain access of its word is of this interval. False: some is, and nothing has been noted.
 */
ALWAYS_INLINE bool all_quiet(struct pass *p, const uint32_t granule[32], int count)
{
    const struct shadow_planes *s = p->planes;
    const stamp_t recent = p->is_global ? p->stale : p->block_base, stale = p->stale;
    const stamp_t *ws = s->write_stamp, *rs = s->readers.stamp, *os = s->readers.other_stamp;
    int32_t used = 0, unwritten = 0;
    for (int i = 0; i < count; i++) {
        const uint32_t g = granule[i];
        used |= MASK(ws[g] >= recent) | MASK(rs[g] >= recent) | MASK(os[g] >= recent);
        unwritten |= MASK(ws[g] < stale);
    }
    p->unwritten |= !p->is_global && unwritten && !used;
    return !used;
}

static bool all_quiet_baseline(struct pass *p, const uint32_t granule[32], int count)
{
    return all_quiet(p, granule, count);
}

FOR_AVX2 static bool all_quiet_avx2(struct pass *p, const uint32_t granule[32], int count)
{
    return count == FULL ? all_quiet(p, granule, FULL) : all_quiet(p, granule, count);
}

/* The granules of the active lanes, and which lanes they are; returns how many. */
static int find_granules(const struct pass *p, uint32_t granule[32], uint32_t lane_of[32])
{
    int count = 0;
    for (int i = 0; p->access->lanes == ALL_LANES && i < FULL; i++) {
        lane_of[i] = (uint32_t)i;
        granule[i] = (uint32_t)((p->access->address[i] - p->base) >> 2);
    }
    if (p->access->lanes == ALL_LANES)
        return FULL;
    for (uint32_t rest = p->access->lanes; rest; rest &= rest - 1) {
        lane_of[count] = (uint32_t)__builtin_ctz(rest);
        granule[count++] = (uint32_t)granule_of(p, __builtin_ctz(rest));
    }
    return count;
}

static bool atomics_at_once(struct pass *p)
{
    const struct shadow_planes *s = p->planes;
    uint32_t granule[32], lane_of[32];
    if (p->s->hazards->uneven || p->granule_shift != 2 || s->count > UINT32_MAX)
        return false;
    const int count = find_granules(p, granule, lane_of);
    if (simd_avx2 ? !all_quiet_avx2(p, granule, count) : !all_quiet_baseline(p, granule, count))
        return false;
    const uint32_t me0 = p->flags | pass_thread(p, 0);
    stamp_t *restrict stamps = s->atomic_stamp;
    uint32_t *restrict whos = s->atomic_who;
    const stamp_t stamp = p->stamp;
    for (int i = 0; i < count; i++) {
        stamps[granule[i]] = stamp;
        whos[granule[i]] = me0 + lane_of[i];
    }
    return true;
}

/* ---- a whole access ------------------------------------------------------------------------------------ */

/* For each group of eight lanes whether they are neighbors, or have one address; else SCATTERED. */
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
            access_neighbors(p, k * GROUP, n * GROUP);
        else if (shape[k] == SHAPE_UNIFORM)
            access_lanes(p, lane_mask(k * GROUP, n * GROUP));
    }
}

void shadow_access(struct pass *p)
{
    const struct access *a = p->access;
    int first = __builtin_ctz(a->lanes), count = simd_lane_count(a->lanes);
    bool in_a_row = simd_in_a_row(a->lanes);
    enum access_shape shape[GROUPS];
    if (a->kind == ACCESS_ATOMIC && atomics_at_once(p))
        return;
    if (a->shape == SHAPE_CONTIGUOUS && in_a_row)
        access_neighbors(p, first, count);
    else if (a->shape == SHAPE_UNIFORM && in_a_row && a->kind != ACCESS_STORE)
        access_together(p, first, count);
    else if (find_groups(a, shape))
        access_groups(p, shape);
    else
        access_anywhere(p);
}
