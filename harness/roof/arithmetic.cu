/* Multiply-adds per second, in float and in double; and the clock at which they run. */
#include "harness/roof/calibrate.h"

#include <math.h>

#define CHAINS        16   /* independent multiply-adds per thread: more than enough to hide their latency */
#define ARITHMETIC_MS 3.0f /* length of one run */
#define MOST_STEPS    65536

/*
 * CHAINS independent chains x <- a x + b in registers; every thread writes the sum of its chains.
 * The host repeats some of them (chains_of): the results must be equal to the bit.
 */
template <typename number> __global__ void arithmetic(number *out, number a, number b, int steps)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    number x[CHAINS];
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
        x[c] = (number)(thread % 1024) + (number)c;
#pragma unroll 16
    for (int s = 0; s < steps; s++) {
#pragma unroll
        for (int c = 0; c < CHAINS; c++)
            x[c] = fma(x[c], a, b);
    }
    number sum = 0;
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
        sum += x[c];
    out[thread] = sum;
}

template <typename number> static number chains_of(unsigned thread, number a, number b, int steps)
{
    number sum = 0;
    for (int c = 0; c < CHAINS; c++) {
        number x = (number)(thread % 1024) + (number)c;
        for (int s = 0; s < steps; s++)
            x = fma(x, a, b);
        sum += x;
    }
    return sum;
}

/* Not constants of the kernel; they keep x between 1 and its start, and are exact in float. */
static const double factor = 0.9990234375, addend = 0.0009765625;

template <typename number> static void run_arithmetic(void *work)
{
    const struct work *w = (const struct work *)work;
    arithmetic<number><<<w->blocks, THREADS>>>((number *)w->to, (number)factor, (number)addend, w->steps);
}

/* Steps for a run of about ARITHMETIC_MS: GPUs differ by a factor of 100 in double precision. */
static int choose_steps(void (*run)(void *), struct work *w)
{
    w->steps = 256;
    const float ms = timer_median(run, w, 1, 3).median;
    const double steps = w->steps * (double)ARITHMETIC_MS / (ms > 1e-3f ? ms : 1e-3f);
    return steps > MOST_STEPS ? MOST_STEPS : steps < 64 ? 64 : (int)steps;
}

/* GFLOP/s of float or of double. */
template <typename number> static double gflops(struct work *w)
{
    number got[THREADS];
    int blocks_per_sm = 1;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_sm, arithmetic<number>, THREADS, 0));
    w->blocks = w->sm_count * blocks_per_sm;
    w->steps = choose_steps(run_arithmetic<number>, w);
    const float ms = median_ms(run_arithmetic<number>, w);
    const unsigned first = (unsigned)(w->blocks - 1) * THREADS;
    CHECK(cudaMemcpy(got, (number *)w->to + first, sizeof(got), cudaMemcpyDeviceToHost));
    for (unsigned t = 0; t < THREADS; t += THREADS / 2 + 1)
        if (got[t] != chains_of<number>(first + t, (number)factor, (number)addend, w->steps))
            fail("the arithmetic gave a wrong result");
    return 2.0 * CHAINS * (double)w->steps * w->blocks * THREADS / ms * 1e-6;
}

void measure_arithmetic(struct work *w)
{
    printf("fp32_gflops=%.6g\n", gflops<float>(w));
    printf("fp64_gflops=%.6g\n", gflops<double>(w));
}

/* ---- the clock ----------------------------------------------------------------------------------------- */

/* Counts cycles for `nanoseconds` of the GPU's own clock of real time. */
__global__ void count_cycles(unsigned *word, unsigned nanoseconds)
{
    unsigned long long begin, now;
    const long long cycles = clock64();
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
    do
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    while (now - begin < nanoseconds);
    word[0] = (unsigned)(clock64() - cycles);
    word[1] = (unsigned)(now - begin);
}

/* Right after the copies, so that the GPU has left its idle clock. */
void measure_clock(struct work *w)
{
    clear_words(w);
    count_cycles<<<1, 1>>>(w->word, 1000000);
    const unsigned cycles = read_word(w, 0), nanoseconds = read_word(w, 1);
    if (cycles == 0 || nanoseconds == 0)
        fail("the GPU's clock stands still");
    printf("clock_now_mhz=%.0f\n", 1e3 * cycles / nanoseconds);
}
