#include "calculators/limits.h"

#define MOST_REGISTERS 255

struct block_limits limits_of(const struct sim_profile *profile, int registers, size_t shared,
                              unsigned threads)
{
    const struct sim_kernel_info info = {.registers = registers, .shared_static = shared};
    struct sim_occupancy found;
    sim_occupancy(profile, &info, threads, 0, &found);
    return (struct block_limits){.threads = found.room[SIM_SM_WARPS].fits,
                                 .registers = found.room[SIM_SM_REGISTERS].fits,
                                 .shared = found.room[SIM_SM_SHARED].fits,
                                 .slots = found.room[SIM_SM_BLOCKS].fits,
                                 .blocks = found.blocks_per_sm,
                                 .occupancy = found.warps_fraction,
                                 .limiter = found.limiter};
}

int limits_registers_for(const struct sim_profile *profile, unsigned threads, int blocks)
{
    for (int registers = MOST_REGISTERS; registers > 0; registers--)
        if (limits_of(profile, registers, 0, threads).registers >= blocks)
            return registers;
    return 0;
}

size_t limits_shared_for(const struct sim_profile *profile, unsigned threads, int blocks)
{
    size_t least = 0, most = profile->shared_per_block_optin;
    while (least < most) {
        const size_t middle = (least + most + 1) / 2;
        if (limits_of(profile, 0, middle, threads).shared >= blocks)
            least = middle;
        else
            most = middle - 1;
    }
    return least;
}
