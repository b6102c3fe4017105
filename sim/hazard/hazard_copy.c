/*
 * Asynchronous copies to shared memory (PTX ISA, cp.async): their bytes may be written at any time from the issue
 * until the thread that copies has waited. Both ends are told as stores. Barriers order neither: who reads between the
 * two reads too early, even if a barrier stands behind the issue and another one before the wait. So the issue
 * forgets who has read before, and the end looks for accesses since.
 */
#include "sim/hazard/hazard.h"

static bool find_pass(struct block_shadow *s, unsigned warp, const struct access *copy, struct pass *p)
{
    const uint32_t site = hazard_site(s->hazards, copy->pc);
    *p = (struct pass){.s = s,
                       .access = copy,
                       .warp = warp,
                       .planes = &s->shared,
                       .granule_shift = s->granule_shift,
                       .stale = s->first,
                       .own = s->first,
                       .own_end = INT32_MAX,
                       .block_base = s->base,
                       .warp_base = s->warp[warp].base,
                       .stamp = s->warp[warp].stamp,
                       .site = site,
                       .flags = site << WHO_SITE_SHIFT,
                       .is_plain_store = true};
    return s->shared.count != 0;
}

static void forget_readers(struct pass *p, size_t g)
{
    p->planes->readers.stamp[g] = p->planes->readers.other_stamp[g] = 0;
    if (p->s->hazards->careful)
        readers_clear(p, g);
}

/* Another thread's access since the issue; copies of one instruction to one place are taken to be equal, as stores are. */
static void check_since(struct pass *p, int lane, size_t g, struct record r, bool writes)
{
    const unsigned other = r.who & WHO_THREAD;
    const bool same_copy = writes && r.who >> WHO_SITE_SHIFT == p->site && other / WARP_LANES == p->warp;
    if (r.stamp >= p->stale && other != pass_thread(p, lane) && !same_copy)
        hazard_report_race(p, lane, (uint64_t)g << p->granule_shift, r, writes, RACE_PLAIN);
}

static void check_granule(struct pass *p, int lane, size_t g)
{
    check_since(p, lane, g, planes_write(p->planes, g), true);
    check_since(p, lane, g, pairs_first(&p->planes->readers, g), false);
    check_since(p, lane, g, pairs_other(&p->planes->readers, g), false);
}

void hazard_copy_issued(const struct block_view *block, unsigned warp, const struct access *copy)
{
    struct block_shadow *s = shadow_of(block);
    struct pass p;
    hazard_access(block, warp, copy, NULL);
    if (!s || !find_pass(s, warp, copy, &p))
        return;
    for (uint32_t rest = copy->lanes; rest; rest &= rest - 1) {
        const size_t first = (size_t)copy->address[__builtin_ctz(rest)] >> p.granule_shift;
        for (size_t i = 0; i < (size_t)copy->size >> p.granule_shift; i++)
            forget_readers(&p, first + i);
    }
}

void hazard_copy_done(const struct block_view *block, unsigned warp, const struct access *copy)
{
    struct block_shadow *s = shadow_of(block);
    struct pass p;
    if (s && find_pass(s, warp, copy, &p))
        for (uint32_t rest = copy->lanes; rest; rest &= rest - 1) {
            const int lane = __builtin_ctz(rest);
            const size_t first = (size_t)copy->address[lane] >> p.granule_shift;
            for (size_t i = 0; i < (size_t)copy->size >> p.granule_shift; i++)
                check_granule(&p, lane, first + i);
        }
    hazard_access(block, warp, copy, NULL);
}
