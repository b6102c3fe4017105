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

static struct sim_room registers_room(const struct sim_profile *profile, int registers, int warps)
{
    const int per_warp = round_up(registers * WARP, REGISTER_GRANULARITY);
    struct sim_room room = {per_warp * warps, profile->registers_per_sm, SIM_SM_NO_LIMIT};
    if (registers == 0)
        return room;
    /* The hardware checks as if a block's warps took registers in all partitions alike. */
    if (registers > REGISTERS_PER_THREAD ||
        per_warp * round_up(warps, PARTITIONS) > profile->registers_per_sm)
        room.fits = 0;
    else
        room.fits = profile->registers_per_sm / PARTITIONS / per_warp * PARTITIONS / warps;
    return room;
}

static struct sim_room shared_room(const struct sim_profile *profile, size_t bytes)
{
    const bool older = profile->cc_major < 8;
    const size_t step = older ? SHARED_GRANULARITY_7 : SHARED_GRANULARITY;
    const size_t taken = (bytes + (older ? 0 : SHARED_RESERVED) + step - 1) / step * step;
    struct sim_room room = {(int)taken, (int)profile->shared_per_sm, SIM_SM_NO_LIMIT};
    if (bytes > profile->shared_per_block_optin)
        room.fits = 0;
    else if (taken)
        room.fits = (int)(profile->shared_per_sm / taken);
    return room;
}

void sim_occupancy(const struct sim_profile *profile, const struct sim_kernel_info *info,
                   unsigned threads_per_block, size_t dynamic_shared, struct sim_occupancy *out)
{
    static const char *const names[SIM_SM_ROOMS] = {"threads", "registers", "shared memory", "blocks"};
    const int warps = (int)((threads_per_block + WARP - 1) / WARP), slots = profile->threads_per_sm / WARP;
    int least = 0;
    *out = (struct sim_occupancy){
        .room = {[SIM_SM_WARPS] = {warps, slots, warps > 0 ? slots / warps : 0},
                 [SIM_SM_REGISTERS] =
                     warps > 0 ? registers_room(profile, info->registers, warps) : (struct sim_room){0},
                 [SIM_SM_SHARED] = shared_room(profile, info->shared_static + dynamic_shared),
                 [SIM_SM_BLOCKS] = {1, profile->blocks_per_sm, profile->blocks_per_sm}}};
    for (int i = 1; i < SIM_SM_ROOMS; i++)
        least = out->room[i].fits < out->room[least].fits ? i : least;
    out->blocks_per_sm = out->room[least].fits;
    out->limiter = names[least];
    out->warps_fraction = (double)(out->blocks_per_sm * warps) / slots;
}
