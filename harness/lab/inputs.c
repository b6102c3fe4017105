/* Random inputs that depend on nothing but (seed, stream, index). */
#include <math.h>

#include "harness/lab/lab.h"
#include "harness/lab/parallel.h"
#include "harness/lab/real.h"

/* The finaliser of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators). */
static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* SplitMix64's sequence, begun at a state that (seed, stream) give. */
static const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);

static uint64_t first_state(uint64_t seed, uint64_t stream)
{
    return mix(mix(seed + golden) ^ (stream * golden + 1));
}

static inline uint64_t random_at(uint64_t state, int64_t index)
{
    return mix(state + golden * ((uint64_t)index + 1));
}

uint64_t lab_random_u64(uint64_t seed, uint64_t stream, uint64_t index)
{
    return random_at(first_state(seed, stream), (int64_t)index);
}

double lab_random(uint64_t seed, uint64_t stream, uint64_t index)
{
    return (double)(lab_random_u64(seed, stream, index) >> 11) * 0x1p-52 - 1.0;
}

/* One array to be filled, for the threads that share the work. */
struct fill {
    real *reals;
    unsigned char *bytes;
    unsigned *words;
    uint64_t state;
    uint64_t values; /* how many different ones */
    double unit;     /* of whole numbers */
};

/* A random whole number below `values`: the high half of a product (Lemire) is faster than a remainder. */
static uint64_t below(uint64_t random, uint64_t values)
{
    return (uint64_t)(((unsigned __int128)random * values) >> 64);
}

/* As many random bits as a real holds, so that none is rounded up to 1. */
static void fill_reals(void *context, int64_t begin, int64_t end)
{
    const struct fill *fill = context;
    const int bits = sizeof(real) == sizeof(float) ? 24 : 53;
    const double unit = bits == 24 ? 0x1p-23 : 0x1p-52;
    for (int64_t i = begin; i < end; i++) {
        const uint64_t random = random_at(fill->state, i);
        fill->reals[i] = (real)((double)(random >> (64 - bits)) * unit - 1.0);
    }
}

static void fill_bytes(void *context, int64_t begin, int64_t end)
{
    const struct fill *fill = context;
    for (int64_t i = begin; i < end; i++) {
        const uint64_t random = random_at(fill->state, i);
        fill->bytes[i] = (unsigned char)below(random, fill->values);
    }
}

static void fill_words(void *context, int64_t begin, int64_t end)
{
    const struct fill *fill = context;
    for (int64_t i = begin; i < end; i++)
        fill->words[i] = (unsigned)random_at(fill->state, i);
}

static void fill_whole(void *context, int64_t begin, int64_t end)
{
    const struct fill *fill = context;
    const int64_t limit = (int64_t)(fill->values / 2);
    for (int64_t i = begin; i < end; i++) {
        const uint64_t random = random_at(fill->state, i);
        fill->reals[i] = (real)((double)((int64_t)below(random, fill->values) - limit) * fill->unit);
    }
}

/* 1, ten random bits, 01111, random bits. */
static void fill_precise(void *context, int64_t begin, int64_t end)
{
    const struct fill *fill = context;
    const int bits = sizeof(real) == sizeof(float) ? 24 : 53, rest = bits - 16;
    for (int64_t i = begin; i < end; i++) {
        const uint64_t random = random_at(fill->state, i), low = random & ((UINT64_C(1) << rest) - 1);
        const uint64_t number = ((UINT64_C(1) << 10 | random >> 54) << 5 | 15) << rest | low;
        fill->reals[i] = (real)ldexp((double)number, -bits);
    }
}

void lab_fill_real(real *x, int64_t count, uint64_t seed, uint64_t stream)
{
    struct fill fill = {.reals = x, .state = first_state(seed, stream)};
    parallel_for(count, fill_reals, &fill);
}

void lab_fill_precise(real *x, int64_t count, uint64_t seed, uint64_t stream)
{
    struct fill fill = {.reals = x, .state = first_state(seed, stream)};
    parallel_for(count, fill_precise, &fill);
}

void lab_fill_uint8(unsigned char *x, int64_t count, uint64_t seed, uint64_t stream, unsigned modulus)
{
    struct fill fill = {.bytes = x, .state = first_state(seed, stream), .values = modulus};
    parallel_for(count, fill_bytes, &fill);
}

void lab_fill_uint32(unsigned *x, int64_t count, uint64_t seed, uint64_t stream)
{
    struct fill fill = {.words = x, .state = first_state(seed, stream)};
    parallel_for(count, fill_words, &fill);
}

void lab_fill_whole(real *x, int64_t count, uint64_t seed, uint64_t stream, unsigned limit)
{
    struct fill fill = {
        .reals = x, .state = first_state(seed, stream), .values = 2 * (uint64_t)limit + 1, .unit = 1};
    parallel_for(count, fill_whole, &fill);
}

void lab_fill_sixteenths(real *x, int64_t count, uint64_t seed, uint64_t stream, unsigned limit)
{
    struct fill fill = {
        .reals = x, .state = first_state(seed, stream), .values = 2 * (uint64_t)limit + 1, .unit = 1.0 / 16};
    parallel_for(count, fill_whole, &fill);
}

struct lab_buffer lab_device(const char *name, enum lab_role role, enum lab_type type, int64_t count)
{
    return (struct lab_buffer){.name = name, .role = role, .type = type, .count = count};
}

struct lab_buffer lab_host(const char *name, enum lab_role role, enum lab_type type, int64_t count)
{
    return (struct lab_buffer){.name = name, .role = role, .type = type, .count = count, .on_host = true};
}
