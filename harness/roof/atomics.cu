/* Additions by atomics: all on one address, and spread over many. */
#include "harness/roof/calibrate.h"

#define PER_THREAD 64
#define SPREAD     (1u << 20) /* words */

/* One lane of each warp: ptxas adds up what a whole warp adds to one address, and sends one atomic. */
template <typename number> __global__ void add_same(number *sum, int times)
{
    if (threadIdx.x % 32 == 0)
        for (int i = 0; i < times; i++)
            atomicAdd(sum, (number)1);
}

__global__ void add_spread(unsigned *sum, int times)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < times; i++)
        atomicAdd(sum + ((thread + i * 7919u * 32u) & (SPREAD - 1)), 1u);
}

__global__ void sum_words(const unsigned *from, unsigned *total)
{
    atomicAdd(total, from[blockIdx.x * blockDim.x + threadIdx.x]);
}

template <typename number> static void run_same(void *work)
{
    const struct work *w = (const struct work *)work;
    add_same<<<w->blocks, THREADS>>>((number *)w->word, PER_THREAD);
}

static void run_spread(void *work)
{
    const struct work *w = (const struct work *)work;
    add_spread<<<w->blocks, THREADS>>>((unsigned *)w->to, PER_THREAD);
}

/* Nanoseconds of one atomic of many on one address. Their number is exact in float. */
template <typename number> static double same_ns(struct work *w)
{
    const int count = w->blocks * (THREADS / 32) * PER_THREAD;
    number sum = 0;
    const float ms = median_ms(run_same<number>, w);
    clear_words(w);
    run_same<number>(w);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&sum, w->word, sizeof sum, cudaMemcpyDeviceToHost));
    if (sum != (number)count)
        fail("atomics on one address gave a wrong sum");
    return ms * 1e6 / count;
}

/* 1e9 atomics per second; neighboring threads add to neighboring words. */
static double spread_rate(struct work *w)
{
    const float ms = median_ms(run_spread, w);
    CHECK(cudaMemset(w->to, 0, SPREAD * sizeof(unsigned)));
    clear_words(w);
    run_spread(w);
    sum_words<<<SPREAD / THREADS, THREADS>>>((const unsigned *)w->to, w->word);
    const unsigned count = (unsigned)w->blocks * THREADS * PER_THREAD;
    if (read_word(w, 0) != count)
        fail("atomics spread over many words gave a wrong sum");
    return count / ms * 1e-6;
}

void measure_atomics(struct work *w)
{
    w->blocks = 4 * w->sm_count;
    printf("atomic_int_ns=%.4g\n", same_ns<int>(w));
    printf("atomic_float_ns=%.4g\n", same_ns<float>(w));
    printf("atomic_double_ns=%.4g\n", same_ns<double>(w));
    w->blocks = 16 * w->sm_count;
    if (w->bytes >= SPREAD * sizeof(unsigned))
        printf("atomic_spread_gops=%.4g\n", spread_rate(w));
}
