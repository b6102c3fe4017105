/* Atomics in global and shared memory: one address and many, types, results used or not, loops of CAS. */
#include <stddef.h>

#include "tests/gpu/kernels/kernels.h"

/* ptxas adds up within a warp what goes to one address and whose result is not used. */
static __global__ void add_one_address(unsigned *y)
{
    atomicAdd(y, 1u);
}

static __global__ void add_one_address_float(float *y)
{
    atomicAdd(y, 1.0f);
}

static __global__ void add_one_address_double(double *y)
{
    atomicAdd(y, 1.0);
}

static __global__ void max_one_address(const unsigned *u, unsigned *y)
{
    atomicMax(y, u[INDEX]);
}

/* Its result is used: places in a list, of the elements that are large. */
static __global__ void append(const unsigned *u, unsigned *counter, float *y, unsigned limit, int n)
{
    const int i = INDEX;
    if (u[i] > limit) {
        y[atomicAdd(counter, 1u) % n] = i;
    }
}

static __global__ void ticket_per_warp(unsigned *counter, unsigned *y)
{
    unsigned ticket = 0;
    if (threadIdx.x % 32 == 0) {
        ticket = atomicAdd(counter, 1u);
    }
    y[INDEX] = __shfl_sync(0xffffffffu, ticket, 0);
}

/* Lane k of each warp adds to word k. */
static __global__ void add_32_addresses(float *y)
{
    atomicAdd(&y[threadIdx.x % 32], 1.0f);
}

static __global__ void add_own_address(float *y)
{
    atomicAdd(&y[INDEX], 1.0f);
}

static __global__ void add_own_address_64_bits(unsigned long long *y)
{
    atomicAdd(&y[INDEX], 1ull);
}

static __global__ void add_random(const unsigned *u, float *y, int log)
{
    atomicAdd(&y[u[INDEX] >> (32 - log)], 1.0f);
}

static __global__ void exchange_random(const unsigned *u, unsigned *y, int log)
{
    const unsigned old = atomicExch(&y[u[INDEX] >> (32 - log)], 7u);
    if (old == 9) {
        y[0] = 1;
    }
}

/* An atomic addition from atomicCAS, spread over n / 16 words, so that some collide. */
static __global__ void cas_loop(const unsigned *u, unsigned *y, int words)
{
    unsigned *place = &y[u[INDEX] % words], old = *place, seen;
    do {
        seen = old;
        old = atomicCAS(place, seen, seen + 1);
    } while (old != seen);
}

/* Adds n / gridDim / blockDim times in shared memory; neighbors are `apart` words apart. */
static __global__ void shared_add(unsigned *y, int apart, int rounds)
{
    __shared__ unsigned s[1024];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) {
        s[k] = 0;
    }
    __syncthreads();
    for (int r = 0; r < rounds; r++) {
        atomicAdd(&s[(threadIdx.x * apart + r) % 1024], (unsigned)r);
    }
    __syncthreads();
    y[INDEX] = s[threadIdx.x];
}

static __global__ void shared_add_float(float *y, int rounds)
{
    __shared__ float s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    for (int r = 0; r < rounds; r++) {
        atomicAdd(&s[(threadIdx.x + r * 32) % 256], 1.0f);
    }
    __syncthreads();
    y[INDEX] = s[threadIdx.x];
}

static __global__ void shared_max_result(const unsigned *u, unsigned *y, int rounds)
{
    __shared__ unsigned s[64];
    unsigned last = 0;
    if (threadIdx.x < 64) {
        s[threadIdx.x] = 0;
    }
    __syncthreads();
    for (int r = 0; r < rounds; r++) {
        last = atomicMax(&s[(threadIdx.x + last) % 64], u[INDEX] + r);
    }
    y[INDEX] = last;
}

#define Y(T) ((T *)b->y)

const struct model_kernel model_atomics[] = {
    {"add_one_address",
     "atomics",
     {1 << 18, 1 << 21, 1 << 24},
     RUN(add_one_address<<<n / 256, 256>>>(Y(unsigned)))},
    {"add_one_address_float",
     "atomics",
     {1 << 14, 1 << 17, 1 << 20},
     RUN(add_one_address_float<<<n / 256, 256>>>(b->y))},
    {"add_one_address_double",
     "atomics",
     {1 << 14, 1 << 16, 1 << 19},
     RUN(add_one_address_double<<<n / 256, 256>>>(Y(double)))},
    {"max_one_address",
     "atomics",
     {1 << 18, 1 << 20, 1 << 23},
     RUN(max_one_address<<<n / 256, 256>>>(b->u, Y(unsigned)))},
    {"append_half",
     "atomics",
     {1 << 18, 1 << 20, 1 << 22},
     RUN(append<<<n / 256, 256>>>(b->u, Y(unsigned), b->y + 1024, 1u << 31, n))},
    {"append_few",
     "atomics",
     {1 << 21, 1 << 23, 1 << 24},
     RUN(append<<<n / 256, 256>>>(b->u, Y(unsigned), b->y + 1024, 0xff000000u, n))},
    {"ticket_per_warp",
     "atomics",
     {1 << 18, 1 << 20, 1 << 23},
     RUN(ticket_per_warp<<<n / 128, 128>>>(Y(unsigned), Y(unsigned) + 1024))},
    {"add_32_addresses",
     "atomics",
     {1 << 17, 1 << 19, 1 << 21},
     RUN(add_32_addresses<<<n / 256, 256>>>(b->y))},
    {"add_own_address", "atomics", {1 << 22, 1 << 23, 1 << 25}, RUN(add_own_address<<<n / 256, 256>>>(b->y))},
    {"add_own_address_64_bits",
     "atomics",
     {1 << 18, 1 << 22, 1 << 24},
     RUN(add_own_address_64_bits<<<n / 256, 256>>>(Y(unsigned long long)))},
    {"add_random_1K_words",
     "atomics",
     {1 << 16, 1 << 19, 1 << 22},
     RUN(add_random<<<n / 256, 256>>>(b->u, b->y, 10))},
    {"add_random_4M_words",
     "atomics",
     {1 << 19, 1 << 21, 1 << 24},
     RUN(add_random<<<n / 256, 256>>>(b->u, b->y, 22))},
    {"add_random_128M_words",
     "atomics",
     {1 << 16, 1 << 19, 1 << 21},
     RUN(add_random<<<n / 256, 256>>>(b->u, b->y, n < 1 << 21 ? 24 : 27))},
    {"exchange_random",
     "atomics",
     {1 << 19, 1 << 21, 1 << 23},
     RUN(exchange_random<<<n / 256, 256>>>(b->u, Y(unsigned), 20))},
    {"cas_loop",
     "atomics",
     {1 << 15, 1 << 19, 1 << 21},
     RUN(cas_loop<<<n / 256, 256>>>(b->u, Y(unsigned), n / 16))},
    {"shared_add_neighbors",
     "shared atomics",
     {128, 256, 1024},
     RUN(shared_add<<<b->sms * 4, 256>>>(Y(unsigned), 1, n))},
    {"shared_add_8_apart",
     "shared atomics",
     {64, 256, 1024},
     RUN(shared_add<<<b->sms * 4, 256>>>(Y(unsigned), 8, n))},
    {"shared_add_one_address",
     "shared atomics",
     {16, 64, 256},
     RUN(shared_add<<<b->sms * 4, 256>>>(Y(unsigned), 0, n))},
    {"shared_add_float",
     "shared atomics",
     {128, 512, 2048},
     RUN(shared_add_float<<<b->sms * 4, 256>>>(b->y, n))},
    {"shared_max_result",
     "shared atomics",
     {128, 512, 2048},
     RUN(shared_max_result<<<b->sms * 2, 256>>>(b->u, Y(unsigned), n))},
    END,
};
