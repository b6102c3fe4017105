#include "sim/model/counter_hot.h"

#include "sim/core/code.h"
#include "sim/model/counter_ranges.h"

/*
 * A slice of L2 serves the atomics on a piece of 512 bytes one after the other: for each sector that a request touches as
 * many as meet on one of its words. A floating-point addition also waits for the one before on the same word. Measured on
 * an H100: 0.73 ns, and 1.78 ns.
 */
enum { ATOMIC_PIECE_SHIFT = 9, ATOMIC_UNITS = 10, ATOMIC_FLOAT_UNITS = 24 };

static struct hot_place sum_of(struct hot_place a, struct hot_place b)
{
    return (struct hot_place){b.place, a.count + b.count, a.merged + b.merged, a.op > b.op ? a.op : b.op};
}

/* Busy places drive idle ones out of their slots (Misra and Gries, Finding repeated elements, 1982). */
static bool note_place(struct hot_places *hot, struct hot_place visit, bool keep)
{
    struct hot_place *slot = &hot->slot[visit.place * UINT64_C(0x9E3779B97F4A7C15) >> 54];
    if (slot->place == visit.place) {
        *slot = sum_of(*slot, visit);
    } else if (keep && slot->count) {
        return false;
    } else if (slot->count > 1) {
        slot->count--; /* by one, whatever the other has: few visits of an idle place cost a busy one little */
    } else {
        *slot = visit;
    }
    return true;
}

bool hot_note(struct hot_places *hot, const struct access *access, bool keep)
{
    bool good = true;
    uint64_t sector[WARP_LANES], most[WARP_LANES];
    int count = 0;
    for (uint32_t rest = access->lanes; rest;) {
        uint64_t address = access->address[__builtin_ctz(rest)], lanes = take_equal(access, &rest);
        int i = 0;
        while (i < count && sector[i] != address >> SECTOR_SHIFT)
            i++;
        if (i == count) {
            sector[count] = address >> SECTOR_SHIFT;
            most[count++] = 0;
        }
        most[i] = lanes > most[i] ? lanes : most[i];
        if (access->is_float)
            good &= note_place(
                hot, (struct hot_place){address, lanes * ATOMIC_FLOAT_UNITS, ATOMIC_FLOAT_UNITS, access->pc},
                keep);
    }
    /* Places: words by their addresses, pieces by numbers that no address has. */
    for (int i = 0; i < count; i++)
        good &= note_place(hot,
                           (struct hot_place){~(sector[i] >> (ATOMIC_PIECE_SHIFT - SECTOR_SHIFT)),
                                              most[i] * ATOMIC_UNITS, ATOMIC_UNITS, access->pc},
                           keep);
    return good;
}

uint64_t hot_most(const struct hot_places *hot, const bool *merged)
{
    uint64_t most = 0;
    for (int i = 0; i < HOT_SLOTS; i++) {
        const struct hot_place *slot = &hot->slot[i];
        uint64_t units = merged && merged[slot->op] ? slot->merged : slot->count;
        most = units > most ? units : most;
    }
    return most;
}

bool hot_merge(struct hot_places *hot, const struct hot_places *part)
{
    for (int i = 0; i < HOT_SLOTS; i++) {
        const struct hot_place *from = &part->slot[i];
        struct hot_place *to = &hot->slot[i];
        if (from->count && to->count && from->place != to->place)
            return false;
        if (from->count)
            *to = sum_of(*to, *from);
    }
    return true;
}

void hot_end_cluster(const struct hot_places *hot, struct hot_clusters *clusters)
{
    for (int i = 0; i < HOT_SLOTS; i++) {
        clusters->clusters[i] += hot->slot[i].count > clusters->before[i];
        clusters->before[i] = hot->slot[i].count;
    }
}

static uint64_t scaled(uint64_t count, double scale)
{
    return (uint64_t)((double)count * scale + 0.5);
}

void hot_extrapolate(struct hot_places *hot, const struct hot_places *part,
                     const struct hot_clusters *clusters, double scale)
{
    for (int i = 0; i < HOT_SLOTS; i++) {
        struct hot_place more = part->slot[i], *to = &hot->slot[i];
        double times = clusters->clusters[i] > 1 ? scale : 1;
        more.count = scaled(more.count, times);
        more.merged = scaled(more.merged, times);
        if (more.place == to->place)
            *to = sum_of(*to, more);
        else if (more.count > to->count)
            *to = more;
    }
}
