#include "calculators/limits.h"

#define MOST_REGISTERS 255

static int blocks_with(const struct sim_profile *profile, int registers, size_t shared, unsigned threads)
{
    const struct sim_kernel_info info = {.registers = registers, .shared_static = shared};
    struct sim_occupancy found;
    sim_occupancy(profile, &info, threads, 0, &found);
    return found.blocks_per_sm;
}

/* sim_occupancy gives the least of four limits. Each by itself is that of an SM that has enough of the rest. */
struct block_limits limits_of(const struct sim_profile *profile, int registers, size_t shared,
                              unsigned threads)
{
    const struct sim_kernel_info info = {.registers = registers, .shared_static = shared};
    struct sim_profile roomy = *profile;
    struct sim_occupancy found;
    struct block_limits limits;
    sim_occupancy(profile, &info, threads, 0, &found);
    limits.blocks = found.blocks_per_sm;
    limits.occupancy = found.warps_fraction;
    limits.limiter = found.limiter;
    limits.slots = profile->blocks_per_sm;
    roomy.blocks_per_sm = LIMIT_NONE;
    limits.threads = blocks_with(&roomy, 0, 0, threads);
    roomy.threads_per_sm = LIMIT_NONE * 1024;
    limits.shared = blocks_with(&roomy, 0, shared, threads);
    roomy.shared_per_sm = (size_t)LIMIT_NONE * 1024; /* of which each block has 1 KiB for the driver */
    limits.registers = blocks_with(&roomy, registers, 0, threads);
    return limits;
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
