/* Random inputs that depend on nothing but (seed, stream, index). */
#include "harness/lab.h"

/* The finaliser of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators). */
static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* SplitMix64's sequence, begun at a state that (seed, stream) give. */
uint64_t lab_random_u64(uint64_t seed, uint64_t stream, uint64_t index)
{
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t state = mix(mix(seed + golden) ^ (stream * golden + 1));
    return mix(state + golden * (index + 1));
}

double lab_random(uint64_t seed, uint64_t stream, uint64_t index)
{
    return (double)(lab_random_u64(seed, stream, index) >> 11) * 0x1p-52 - 1.0;
}

/* As many random bits as a real holds, so that none is rounded up to 1. */
void lab_fill_real(real *x, int64_t count, uint64_t seed, uint64_t stream)
{
    const int bits = sizeof(real) == sizeof(float) ? 24 : 53;
    const double unit = bits == 24 ? 0x1p-23 : 0x1p-52;
    for (int64_t i = 0; i < count; i++)
        x[i] = (real)((double)(lab_random_u64(seed, stream, (uint64_t)i) >> (64 - bits)) * unit - 1.0);
}

void lab_fill_uint8(unsigned char *x, int64_t count, uint64_t seed, uint64_t stream, unsigned modulus)
{
    for (int64_t i = 0; i < count; i++)
        x[i] = (unsigned char)(lab_random_u64(seed, stream, (uint64_t)i) % modulus);
}

void lab_fill_whole(real *x, int64_t count, uint64_t seed, uint64_t stream, unsigned limit)
{
    const uint64_t values = 2 * (uint64_t)limit + 1;
    for (int64_t i = 0; i < count; i++) {
        const int64_t value = (int64_t)(lab_random_u64(seed, stream, (uint64_t)i) % values);
        x[i] = (real)(value - (int64_t)limit);
    }
}

struct lab_buffer lab_device(const char *name, enum lab_role role, enum lab_type type, int64_t count)
{
    return (struct lab_buffer){.name = name, .role = role, .type = type, .count = count};
}

struct lab_buffer lab_host(const char *name, enum lab_role role, enum lab_type type, int64_t count)
{
    return (struct lab_buffer){.name = name, .role = role, .type = type, .count = count, .on_host = true};
}
