/*
 * Occupancy: how many blocks of a kernel an SM can hold at once. The limits are counted as NVIDIA's
 * occupancy calculator counts them (cuda_occupancy.h of the toolkit, against which
 * tests/unit/test_model.c checks this file); compute capability 7.0 and newer.
 */
#include "sim/model/model.h"

#define WARP                 32
#define PARTITIONS           4   /* of an SM: each has its own registers and scheduler */
#define REGISTER_GRANULARITY 256 /* a warp is given registers in such pieces */
#define REGISTERS_PER_THREAD 255 /* at most */
#define SHARED_GRANULARITY   128
#define SHARED_RESERVED      1024 /* of each block, for the driver */
#define SHARED_GRANULARITY_7 256  /* before compute capability 8.0, where nothing is reserved */

static int round_up(int value, int step)
{
    return (value + step - 1) / step * step;
}

/* INT_MAX-like: no limit from this resource. */
static const int unlimited = 1 << 30;

static int blocks_by_registers(const struct sim_profile *profile, int registers, int warps)
{
    int per_warp = round_up(registers * WARP, REGISTER_GRANULARITY);
    if (registers == 0)
        return unlimited;
    /* The hardware checks as if a block's warps took registers in all partitions alike. */
    if (registers > REGISTERS_PER_THREAD ||
        per_warp * round_up(warps, PARTITIONS) > profile->registers_per_sm)
        return 0;
    int warps_per_partition = profile->registers_per_sm / PARTITIONS / per_warp;
    return warps_per_partition * PARTITIONS / warps;
}

static int blocks_by_shared(const struct sim_profile *profile, size_t bytes)
{
    bool older = profile->cc_major < 8;
    size_t step = older ? SHARED_GRANULARITY_7 : SHARED_GRANULARITY;
    size_t taken = (bytes + (older ? 0 : SHARED_RESERVED) + step - 1) / step * step;
    if (bytes > profile->shared_per_block_optin)
        return 0;
    return taken ? (int)(profile->shared_per_sm / taken) : unlimited;
}

void sim_occupancy(const struct sim_profile *profile, const struct sim_kernel_info *info,
                   unsigned threads_per_block, size_t dynamic_shared, struct sim_occupancy *out)
{
    int warps = (int)((threads_per_block + WARP - 1) / WARP);
    int warp_slots = profile->threads_per_sm / WARP;
    struct {
        int blocks;
        const char *name;
    } limits[] = {
        {warps > 0 ? warp_slots / warps : 0, "threads"},
        {warps > 0 ? blocks_by_registers(profile, info->registers, warps) : 0, "registers"},
        {blocks_by_shared(profile, info->shared_static + dynamic_shared), "shared memory"},
        {profile->blocks_per_sm, "blocks"},
    };
    out->blocks_per_sm = limits[0].blocks;
    out->limiter = limits[0].name;
    for (int i = 1; i < 4; i++) {
        if (limits[i].blocks < out->blocks_per_sm) {
            out->blocks_per_sm = limits[i].blocks;
            out->limiter = limits[i].name;
        }
    }
    out->warps_fraction = (double)(out->blocks_per_sm * warps) / warp_slots;
}
