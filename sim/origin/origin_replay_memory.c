/* Numbers that stand for elements, and the memory of a replay. */
#include <stdlib.h>

#include "sim/origin/origin_replay.h"
#include "sim/ptx/ptx.h"

#define COPIES_MOST 8 /* one behind the other */

/* ---- numbers ------------------------------------------------------------------------------------------- */

__extension__ typedef unsigned __int128 wide;

uint64_t replay_sum(uint64_t a, uint64_t b)
{
    if (a == REPLAY_UNKNOWN || b == REPLAY_UNKNOWN)
        return REPLAY_UNKNOWN;
    return (a + b) % REPLAY_FIELD;
}

uint64_t replay_product(uint64_t a, uint64_t b)
{
    if (a == REPLAY_UNKNOWN || b == REPLAY_UNKNOWN)
        return REPLAY_UNKNOWN;
    return (uint64_t)((wide)a * b % REPLAY_FIELD);
}

uint64_t replay_number_of(sim_addr address)
{
    uint64_t x = (uint64_t)address + UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (x ^ x >> 31) % (REPLAY_FIELD - 1) + 1;
}

/* ---- memory -------------------------------------------------------------------------------------------- */

sim_addr replay_source(const struct origin_log *log, sim_addr address, uint32_t before)
{
    for (int steps = 0; steps < COPIES_MOST; steps++) {
        const struct origin_copy *last = NULL;
        for (size_t i = 0; i < log->copy_count; i++)
            if (log->copies[i].to && log->copies[i].entry < before &&
                address - log->copies[i].to < log->copies[i].size)
                last = &log->copies[i];
        if (!last || !last->from)
            return address;
        address = last->from + (address - last->to);
        before = last->entry;
    }
    return address;
}

uint32_t replay_owner(const struct replay *r, uint32_t space, uint32_t warp, int lane)
{
    return space == PTX_LOCAL ? warp * WARP_LANES + (uint32_t)lane : space == PTX_SHARED ? r->first_warp : 0;
}

static size_t place_of(const struct replay *r, uint32_t space, uint32_t owner, uint64_t address)
{
    uint64_t hash = (address ^ (uint64_t)owner << 40 ^ (uint64_t)space << 58) * UINT64_C(0x9e3779b97f4a7c15);
    size_t i = (size_t)(hash >> 20) & (r->cell_capacity - 1);
    while (r->cells[i].space &&
           (r->cells[i].address != address || r->cells[i].owner != owner || r->cells[i].space != space))
        i = (i + 1) & (r->cell_capacity - 1);
    return i;
}

static bool grow(struct replay *r)
{
    struct replay_cell *old = r->cells;
    const size_t count = r->cell_capacity;
    r->cell_capacity = count ? 2 * count : 1024;
    r->cells = calloc(r->cell_capacity, sizeof *r->cells);
    r->failed |= !r->cells;
    for (size_t i = 0; i < count && r->cells; i++)
        if (old[i].space)
            r->cells[place_of(r, old[i].space, old[i].owner, old[i].address)] = old[i];
    free(old);
    return r->cells != NULL;
}

struct replay_cell *replay_cell_at(const struct replay *r, uint32_t space, uint32_t owner, uint64_t address)
{
    struct replay_cell *cell = r->cells ? &r->cells[place_of(r, space, owner, address)] : NULL;
    return cell && cell->space ? cell : NULL;
}

/* Returns what was there. */
uint64_t replay_put(struct replay *r, uint32_t space, uint32_t owner, uint64_t address, uint32_t size,
                    struct replay_number number)
{
    if ((!r->cells || 2 * r->cell_count >= r->cell_capacity) && !grow(r))
        return REPLAY_UNKNOWN;
    struct replay_cell *cell = &r->cells[place_of(r, space, owner, address)];
    const uint64_t was = cell->space && cell->size == size ? cell->value : REPLAY_UNKNOWN;
    r->cell_count += cell->space == 0;
    *cell = (struct replay_cell){.address = address,
                                 .value = number.value,
                                 .owner = owner,
                                 .space = space,
                                 .size = size,
                                 .hop = number.hop};
    /* What it covers, and what covers it, is there no longer. */
    for (uint64_t at = address >= 12 ? address - 12 : 0; at < address + size; at++) {
        struct replay_cell *other = at == address ? NULL : replay_cell_at(r, space, owner, at);
        if (other && other->address + other->size > address)
            other->value = REPLAY_UNKNOWN;
    }
    return was;
}
