/*
 * Races in global memory, inside a block and between blocks of a launch. Shadow hangs on each allocation and
 * is made when a kernel first touches it.
 */
#include "sim/hazard/hazard.h"

#include <stdlib.h>

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

void hazard_global_access(struct pass *p)
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
