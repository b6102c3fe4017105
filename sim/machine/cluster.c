/* Clusters of blocks: numbers, their barrier, addresses in each other's shared memory. See cluster.h. */
#include "sim/machine/cluster.h"

#include <string.h>

#include "sim/hazard/watch.h"
#include "sim/machine/exec.h"

uint64_t cluster_block_number(const struct launch *launch, uint64_t number, unsigned rank)
{
    const struct sim_dim3 *grid = &launch->grid, *c = &launch->cluster;
    const uint64_t across = grid->x / c->x, down = grid->y / c->y;
    const uint64_t x = number % across * c->x + rank % c->x;
    const uint64_t y = number / across % down * c->y + rank / c->x % c->y;
    const uint64_t z = number / across / down * c->z + rank / c->x / c->y;
    return (z * grid->y + y) * grid->x + x;
}

/* ---- the barrier --------------------------------------------------------------------------------------- */

static bool all_have_arrived(const struct block *block)
{
    for (unsigned w = 0; w < block->launch->warp_count; w++)
        if (block->warps[w].full & ~block->warps[w].cluster_arrived)
            return false;
    return true;
}

/* Lanes that wait go on; those that have arrived and do something else will not wait. */
static void release(struct warp *warp)
{
    uint32_t waiting = 0;
    for (int i = 0; i < warp->group_count; i++)
        if (warp->groups[i].state == GROUP_BLOCK_WAIT && warp->groups[i].barrier == CLUSTER_BARRIER)
            waiting |= warp->groups[i].lanes;
    warp->cluster_passed |= warp->cluster_arrived & ~waiting;
    warp->cluster_arrived = 0;
    warp_release(warp, CLUSTER_BARRIER);
    if (waiting && warp->state == WARP_WAITING)
        warp->state = WARP_READY;
}

void cluster_check_barrier(struct cluster *cluster)
{
    uint32_t arrived = 0;
    for (unsigned r = 0; r < cluster->size; r++)
        if (!all_have_arrived(cluster->block[r]))
            return;
    for (unsigned r = 0; r < cluster->size; r++)
        for (unsigned w = 0; w < cluster->block[r]->launch->warp_count; w++) {
            arrived |= cluster->block[r]->warps[w].cluster_arrived;
            release(&cluster->block[r]->warps[w]);
        }
    if (arrived && cluster->block[0]->launch->hazards)
        hazard_cluster_barrier(cluster->view, cluster->size);
}

bool cluster_is_awaited(const struct block *block)
{
    return block->cluster && all_have_arrived(block);
}

static enum step arrive(struct warp *warp, const struct micro *op, uint32_t active)
{
    if (warp->cluster_arrived & active)
        return exec_fault(warp, op, active, SIM_TRAP,
                          "arrives at the barrier of the cluster again without having waited there");
    warp->cluster_arrived |= active;
    cluster_check_barrier(warp->block->cluster);
    return STEP_NEXT;
}

static enum step wait(struct warp *warp, const struct micro *op, uint32_t active)
{
    const uint32_t passed = active & warp->cluster_passed, waiting = active & ~passed;
    if (waiting & ~warp->cluster_arrived)
        return exec_fault(warp, op, active, SIM_TRAP,
                          "waits at the barrier of the cluster without having arrived there");
    warp->cluster_passed &= ~passed;
    if (!waiting)
        return STEP_NEXT;
    warp_wait_block(warp, op, waiting, CLUSTER_BARRIER, 0, 0);
    return STEP_SCHEDULE;
}

static enum step is_explicit(struct warp *warp, const struct micro *op, uint32_t active)
{
    set_predicate(warp, op->p, active, warp->block->launch->is_explicit ? ~0u : 0);
    return STEP_NEXT;
}

/* ---- addresses ----------------------------------------------------------------------------------------- */

static uint64_t place_of(uint64_t address)
{
    return address >> CLUSTER_SHIFT;
}

#define RANKS       256 /* that mapa keeps apart */
#define OFFSET_MASK ((UINT64_C(1) << CLUSTER_SHIFT) - 1)

#define DEFINE_ADDRESS(T)                                                                                    \
    static enum step mapa_##T(struct warp *warp, const struct micro *op, uint32_t active)                    \
    {                                                                                                        \
        row_##T *d = row(warp, op->dst);                                                                     \
        const row_##T *a = row(warp, op->a);                                                                 \
        const row_u32 *rank = row(warp, op->b);                                                              \
        FOR_LANES(lane, active)                                                                              \
        {                                                                                                    \
            const uint64_t offset = ((uint64_t)a[lane] - (uint64_t)op->imm) & OFFSET_MASK;                   \
            d[lane] = (row_##T)((uint64_t)op->imm + offset +                                                 \
                                ((uint64_t)rank[lane] % RANKS + 1) * (OFFSET_MASK + 1));                     \
        }                                                                                                    \
        return STEP_NEXT;                                                                                    \
    }                                                                                                        \
    static enum step getctarank_##T(struct warp *warp, const struct micro *op, uint32_t active)              \
    {                                                                                                        \
        row_u32 *d = row(warp, op->dst);                                                                     \
        const row_##T *a = row(warp, op->a);                                                                 \
        FOR_LANES(lane, active)                                                                              \
        {                                                                                                    \
            const uint64_t place = place_of((uint64_t)a[lane] - (uint64_t)op->imm);                          \
            d[lane] = place ? (row_u32)place - 1 : warp->block->cluster_rank;                                \
        }                                                                                                    \
        return STEP_NEXT;                                                                                    \
    }
DEFINE_ADDRESS(u32)
DEFINE_ADDRESS(u64)

struct cluster_part cluster_take(const struct block *block, uint64_t address[WARP_LANES], uint32_t *left)
{
    const struct cluster *cluster = block->cluster;
    const uint64_t place = place_of(address[__builtin_ctz(*left)]);
    struct cluster_part part = {.lanes = 0};
    FOR_LANES(lane, *left)
    part.lanes |= (uint32_t)(place_of(address[lane]) == place) << lane;
    *left &= ~part.lanes;
    if (place > cluster->size && place <= RANKS)
        part.absent = (unsigned)place;
    if (place == 0 || place > cluster->size)
        return part; /* the usual check says what is wrong */
    FOR_LANES(lane, part.lanes) address[lane] &= OFFSET_MASK;
    if (place - 1 != block->cluster_rank)
        part.owner = cluster->block[place - 1];
    return part;
}

const struct handler exec_cluster_handlers[] = {
    {"cluster.arrive", arrive},
    {"cluster.wait", wait},
    {"mov.is_explicit_cluster", is_explicit},
    {"mapa.b32", mapa_u32},
    {"mapa.b64", mapa_u64},
    {"getctarank.b32", getctarank_u32},
    {"getctarank.b64", getctarank_u64},
    {NULL, NULL},
};
