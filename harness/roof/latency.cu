/*
 * How long one load takes to come from L1, L2 and memory, and how many wavefronts shared memory serves:
 * chains of loads, each of which says where the next one is to be made.
 */
#include "harness/roof/calibrate.h"

#define LINE          32u /* words of a cache line: a chain has one word in each */
#define STEPS         16384
#define SHARED_WORDS  1024u
#define SHARED_STEPS  2048
#define MEMORY_FACTOR 8 /* a chain through memory is so many times as large as L2 */

/* ---- chains in global memory --------------------------------------------------------------------------- */

/* The line after line i of 2^k: each is met once before the first comes again, in an order without a pattern
   (a linear congruential generator with full period: Knuth, TAOCP 2, 3.2.1.2). */
static __host__ __device__ unsigned next_line(unsigned i, unsigned lines)
{
    return (i * 1664525u + 1013904223u) & (lines - 1);
}

__global__ void make_chain(unsigned *chain, unsigned lines)
{
    const unsigned stride = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < lines; i += stride)
        chain[(size_t)i * LINE] = next_line(i, lines);
}

/* From line 0, first `warm` steps that do not count. word[0]: the last line, word[1]: cycles. */
__global__ void follow(const unsigned *chain, unsigned warm, unsigned steps, unsigned *word)
{
    unsigned i = 0;
    for (unsigned s = 0; s < warm; s++)
        i = chain[(size_t)i * LINE];
    const long long begin = clock64();
    for (unsigned s = 0; s < steps; s++)
        i = chain[(size_t)i * LINE];
    word[1] = (unsigned)(clock64() - begin);
    word[0] = i;
}

static unsigned line_after(unsigned i, unsigned lines, unsigned steps)
{
    for (unsigned s = 0; s < steps; s++)
        i = next_line(i, lines);
    return i;
}

/*
 * Cycles of a load in a chain of `lines` lines. `warm` steps bring them into the cache that is meant; with
 * none, all caches are filled with other data first, and the chain is so long that the steps meet no line
 * twice.
 */
static double chain_cycles(struct work *w, unsigned lines, unsigned warm)
{
    make_chain<<<8 * w->sm_count, THREADS>>>((unsigned *)w->to, lines);
    if (warm == 0)
        run_read(w);
    follow<<<1, 1>>>((const unsigned *)w->to, warm, STEPS, w->word);
    if (read_word(w, 0) != line_after(0, lines, warm + STEPS))
        fail("a chain of loads ended in the wrong place");
    return (double)read_word(w, 1) / STEPS;
}

/* The largest power of two of lines within the limit. */
static unsigned lines_within(size_t bytes)
{
    unsigned lines = 1;
    while ((size_t)lines * 2 * LINE * sizeof(unsigned) <= bytes && lines < 1u << 30)
        lines *= 2;
    return lines;
}

void measure_latency(struct work *w)
{
    const size_t l2 = (size_t)attribute(cudaDevAttrL2CacheSize), line = LINE * sizeof(unsigned);
    const size_t within_l2 = l2 / 8 < w->bytes ? l2 / 8 : w->bytes;
    const size_t beyond = MEMORY_FACTOR * l2 < w->bytes ? MEMORY_FACTOR * l2 : w->bytes;
    const unsigned in_l2 = lines_within(within_l2), in_memory = lines_within(beyond);
    w->threads = THREADS;
    w->blocks = 8 * w->sm_count;
    printf("l1_cycles=%.4g\n", chain_cycles(w, (unsigned)((16u << 10) / line), STEPS));
    printf("l2_cycles=%.4g\n", chain_cycles(w, in_l2, in_l2));
    if (in_memory * line >= 2 * l2)
        printf("memory_cycles=%.4g\n", chain_cycles(w, in_memory, 0));
}

/* ---- shared memory ------------------------------------------------------------------------------------- */

/* Two chains per thread, in which a warp reads 32 neighboring words: a wavefront for each load. */
__global__ void follow_shared(unsigned *word, int steps)
{
    __shared__ unsigned next[SHARED_WORDS];
    next[threadIdx.x] = (threadIdx.x + 33) % SHARED_WORDS;
    __syncthreads();
    unsigned i = threadIdx.x, k = (threadIdx.x + 512) % SHARED_WORDS;
    const long long begin = clock64();
    for (int s = 0; s < steps; s++) {
        i = next[i];
        k = next[k];
    }
    __syncthreads();
    const long long cycles = clock64() - begin;
    if (i != (threadIdx.x + 33u * (unsigned)steps) % SHARED_WORDS || k != (i + 512) % SHARED_WORDS)
        atomicAdd(&word[0], 1u);
    if (blockIdx.x == 0 && threadIdx.x == 0)
        word[1] = (unsigned)cycles;
}

void measure_shared(struct work *w)
{
    follow_shared<<<w->sm_count, SHARED_WORDS>>>(w->word,
                                                 SHARED_STEPS); /* the clock rises, the code is loaded */
    clear_words(w);
    follow_shared<<<w->sm_count, SHARED_WORDS>>>(w->word, SHARED_STEPS);
    if (read_word(w, 0) != 0)
        fail("a chain of loads from shared memory ended in the wrong place");
    const double wavefronts = 2.0 * SHARED_STEPS * (SHARED_WORDS / 32);
    printf("shared_wavefronts_per_clock=%.4g\n", wavefronts / read_word(w, 1));
}
