#include "sim/model/residency.h"

#include "sim/memory/memory.h"

#define SECTOR_BYTES 32u

/*
 * Bytes of an allocation that a launch has touched, and of L2 that they take: sectors that lie alone take half of what is
 * left of their line of 128 bytes. Fitted, to gathers from 64 MB.
 */
struct footprint {
    double bytes, room;
};

static struct footprint footprint_of(const struct allocation *a, uint64_t launch)
{
    const struct touched_sectors *t = &a->touched;
    const size_t words = (a->info.size / SECTOR_BYTES + 2) / 64 + 2;
    size_t sectors = 0, lines = 0;
    if (a->info.freed || t->launch != launch || !t->pages)
        return (struct footprint){0, 0};
    for (size_t i = 0; (i = touched_word(t, i, words)) < words; i++) {
        uint64_t both = (t->bits[0] ? t->bits[0][i] : 0) | (t->bits[1] ? t->bits[1][i] : 0);
        sectors += (size_t)__builtin_popcountll(both);
        both |= both >> 1;
        lines += (size_t)__builtin_popcountll((both | both >> 2) & UINT64_C(0x1111111111111111));
    }
    double bytes = (double)sectors * SECTOR_BYTES;
    return (struct footprint){bytes, 0.5 * (bytes + (double)lines * 4 * SECTOR_BYTES)};
}

/*
 * The share of its bytes that are still there, when `distance` bytes were touched since. L2 does not forget in exactly
 * that order, and each half of it keeps copies of what the other half's SMs read: so the change is gradual, from 40 %
 * of its size on. Fitted, to streams of 33 MB.
 */
static double share_that_stays(double distance, double l2_bytes)
{
    double share = (l2_bytes - distance) / (0.6 * l2_bytes);
    return share < 0 ? 0 : share > 1 ? 1 : share;
}

double residency_cold_share(struct sim *sim, uint64_t sectors)
{
    const struct memory *memory = sim->memory;
    double l2 = (double)sim->config.profile->l2_bytes, all = 0, cold = 0, room = 0;
    for (int i = 0; i < memory->count; i++) {
        const struct footprint f = footprint_of(memory->list[i], sim->launch_count);
        all += f.bytes;
        room += f.room;
    }
    double scale = all > 0 ? (double)sectors * SECTOR_BYTES / all : 0;
    scale = scale > 1 ? scale : 1;
    all *= scale;
    room *= scale;
    uint64_t before = sim->traffic;
    sim->traffic += (uint64_t)room;
    for (int i = 0; i < memory->count; i++) {
        struct allocation *a = memory->list[i];
        double bytes = scale * footprint_of(a, sim->launch_count).bytes;
        if (bytes == 0)
            continue;
        double distance = (double)(before - a->traffic) + room;
        cold += bytes * (a->traffic ? 1 - share_that_stays(distance, l2) : 1);
        a->traffic = sim->traffic;
    }
    return all > 0 ? cold / all : 0;
}
