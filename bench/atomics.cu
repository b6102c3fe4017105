/*
 * What does an atomic operation cost, beside a load and a store of the same word? First the latency: one thread, whose accesses wait for
 * one another. Then the time of 2^22 accesses, one per thread, at random words of arrays that fit in L2 and of larger ones.
 */
#include "common/timer.h"

#define THREADS  256
#define ACCESSES (1u << 22)
#define ROUNDS   200 /* of the one thread */
#define CALLS    10
#define RUNS     11

enum access { LOAD, STORE, ADD, ADD_RESULT, CAS, KINDS };
static const char *const names[KINDS] = {"load, past L1", "store", "atomicAdd, no result", "atomicAdd",
                                         "atomicCAS"};

template <enum access access> static __device__ unsigned touch(unsigned *word)
{
    switch (access) {
    case LOAD: return __ldcg(word);
    case STORE: *word = 0; return 0;
    case ADD: atomicAdd(word, 0); return 0;
    case ADD_RESULT: return atomicAdd(word, 0);
    default: return atomicCAS(word, 0, 0);
    }
}

/* A permutation of the numbers below 2^bits: odd factors, and shifts that can be undone. */
static __device__ unsigned shuffled(unsigned i, int bits)
{
    const unsigned mask = (1u << bits) - 1;
    i = i * 0x9e3779b1u & mask;
    i ^= i >> bits / 2;
    i = i * 0x85ebca77u & mask;
    i ^= i >> (bits / 2 + 1);
    return i * 0xc2b2ae3du & mask;
}

/* All words are 0. They are many, in 1 MB: of a single one it matters which (275 cycles of one atomicAdd, 502 of another). */
template <enum access access> static __global__ void follow(unsigned *words, long long *cycles)
{
    const long long begin = clock64();
    unsigned zero = 0;
    for (int i = 0; i < ROUNDS; i++) {
        zero = touch<access>(&words[shuffled(i, 18) + zero]);
    }
    *cycles = clock64() - begin + zero;
}

template <enum access access> static __global__ void touch_random(unsigned *words, int bits)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (touch<access>(&words[shuffled(i & ((1u << bits) - 1), bits)]) != 0) {
        __trap(); /* so the result is used */
    }
}

struct work {
    void (*kernel)(unsigned *words, int bits);
    unsigned *words;
    int bits;
};

static void run(void *context)
{
    const struct work *w = (const struct work *)context;
    for (int i = 0; i < CALLS; i++) {
        w->kernel<<<ACCESSES / THREADS, THREADS>>>(w->words, w->bits);
    }
}

template <enum access access> static void measure(unsigned *words, long long *cycles)
{
    struct work w = {touch_random<access>, words, 0};
    long long latency = 0;
    if (access != STORE && access != ADD) {      /* these wait for nothing */
        follow<access><<<1, 1>>>(words, cycles); /* brings the words into L2 */
        follow<access><<<1, 1>>>(words, cycles);
        CHECK(cudaMemcpy(&latency, cycles, sizeof latency, cudaMemcpyDeviceToHost));
    }
    printf("%-22s %8.0f", names[access], (double)latency / ROUNDS);
    for (int shift = 20; shift <= 29; shift++) { /* bytes of the array */
        w.bits = shift - 2;
        printf(" %6.1f", 1000 * timer_median(run, &w, 2, RUNS).median / CALLS);
    }
    printf("\n");
}

int main(void)
{
    const size_t bytes = (size_t)1 << 29;
    unsigned *words;
    long long *cycles;
    CHECK(cudaMalloc(&words, bytes));
    CHECK(cudaMemset(words, 0, bytes));
    CHECK(cudaMalloc(&cycles, sizeof *cycles));
    printf("%-22s %8s   us for 2^22 accesses at random words of 1, 2, 4, ... 512 MiB\n", "", "cycles");
    measure<LOAD>(words, cycles);
    measure<STORE>(words, cycles);
    measure<ADD>(words, cycles);
    measure<ADD_RESULT>(words, cycles);
    measure<CAS>(words, cycles);
    CHECK(cudaFree(words));
    CHECK(cudaFree(cycles));
    return 0;
}
