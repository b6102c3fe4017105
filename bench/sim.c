/*
 * How fast the simulator is on this machine: warp instructions a second, on one core, with and without all
 * watchers; how much faster two threads run a launch than one; and how many bytes it keeps for each byte that
 * a program allocates.
 */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sim/device/sim.h"

extern const void *const bench_kernels[];

#define MATRIX  256
#define LARGE   640
#define STREAM  (1 << 22)
#define BEST_OF 5
#define ROUNDS  5
#define TWICE   1.8 /* wanted of two threads, where the blocks are independent */

struct bench {
    const char *name;
    struct sim_dim3 grid, block;
    int n;
    double wanted;            /* million warp instructions a second, nothing watched */
    double watched;           /* … and all watched */
    struct sim_dim3 two_grid; /* for two threads: some tenths of a second for one, where memory allows it */
    int two_n;
};

static const struct bench benches[] = {
    {"arithmetic loop", {64, 1, 1}, {256, 1, 1}, 1024, 50, 25, {64, 1, 1}, 8192},
    {"shared-memory matrix product, 32 x 32 tiles",
     {MATRIX / 32, MATRIX / 32, 1},
     {32, 32, 1},
     MATRIX,
     40,
     20,
     {LARGE / 32, LARGE / 32, 1},
     LARGE},
    {"the same, 16 x 16 tiles",
     {MATRIX / 16, MATRIX / 16, 1},
     {16, 16, 1},
     MATRIX,
     40,
     20,
     {LARGE / 16, LARGE / 16, 1},
     LARGE},
    {"streaming", {256, 1, 1}, {256, 1, 1}, STREAM, 25, 12.5, {256, 1, 1}, STREAM},
    {"shared-memory histogram by atomics", {64, 1, 1}, {256, 1, 1}, 256, 15, 15, {0}, 0},
    {"spin lock, every thread", {8, 1, 1}, {128, 1, 1}, 16, 8, 8, {0}, 0},
};

#define BENCHES ((int)(sizeof benches / sizeof benches[0]))

/* Seconds; of CLOCK_PROCESS_CPUTIME_ID: of processor time, since others may use the machine too. */
static double now(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Resident bytes of this process. */
static double resident(void)
{
    unsigned long pages = 0, whole = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    if (file == NULL || fscanf(file, "%lu %lu", &whole, &pages) != 2)
        pages = 0;
    if (file != NULL)
        fclose(file);
    return 4096.0 * (double)pages;
}

/* Seconds of one launch, by the clock. */
static double run(int index, float *out, const float *in, bool watched, unsigned threads, clockid_t clock)
{
    const struct bench *b = &benches[index];
    const struct sim_dim3 *g = threads == 1 && clock == CLOCK_PROCESS_CPUTIME_ID ? &b->grid : &b->two_grid;
    int n = g == &b->grid ? b->n : b->two_n;
    void *arguments[] = {&out, &in, &n};
    dim3 grid = {g->x, g->y, g->z}, block = {b->block.x, b->block.y, b->block.z};
    double begin;

    sim_config(sim_current())->hazards = watched;
    sim_config(sim_current())->counters = watched;
    sim_config(sim_current())->threads = threads;
    begin = now(clock);
    if (cudaLaunchKernel(bench_kernels[index], grid, block, arguments, 0, NULL) != cudaSuccess ||
        cudaDeviceSynchronize() != cudaSuccess) /* work is done as late as it may be */
        exit(1);
    return now(clock) - begin;
}

/* Million warp instructions a second, the best of several launches. */
static double measure(int index, float *out, const float *in, bool watched)
{
    double best = 0;

    for (int k = 0; k < BEST_OF; k++) {
        double seconds = run(index, out, in, watched, 1, CLOCK_PROCESS_CPUTIME_ID);
        double rate = (double)sim_last_result()->counters.warp_instructions / seconds / 1e6;

        best = rate > best ? rate : best;
    }
    return best;
}

/* How many times as fast two threads are, by the wall clock: the best times of each, taken in turns. */
static double measure_two(int index, float *out, const float *in, bool watched)
{
    double best[2] = {1e9, 1e9};

    for (int k = 0; k < ROUNDS; k++)
        for (unsigned t = 0; t < 2; t++) {
            double seconds = run(index, out, in, watched, 1 + t, CLOCK_MONOTONIC);

            best[t] = seconds < best[t] ? seconds : best[t];
        }
    return best[0] / best[1];
}

/* Processes that want a processor, this one included, on average over the last minute. */
static double load(void)
{
    double average = -1;

    return getloadavg(&average, 1) == 1 ? average : -1;
}

static int compare_two(float *out, const float *in)
{
    int missed = 0;

    printf("\ntwo threads, times as fast as one, by the wall clock   unwatched  all watched     wanted\n");
    for (int i = 0; i < BENCHES && benches[i].two_n > 0; i++) {
        double fast = measure_two(i, out, in, false), watched = measure_two(i, out, in, true);

        printf("%-44s %19.2f %12.2f %10.1f\n", benches[i].name, fast, watched, TWICE);
        missed += fast < TWICE || watched < TWICE;
    }
    printf("it takes two processors with nothing else to do; the load of this machine is %.1f\n\n", load());
    return missed;
}

int main(void)
{
    const size_t bytes = STREAM * sizeof(float);
    float *in, *out, *host = calloc(1, bytes);
    double before, after;
    int missed = 0;

    sim_report_at_exit(false);
    cudaFree(0);
    before = resident();
    cudaMalloc((void **)&in, bytes);
    cudaMalloc((void **)&out, bytes);
    cudaMemcpy(in, host, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(out, host, bytes, cudaMemcpyHostToDevice);
    printf("million warp instructions a second, one core   unwatched      wanted  all watched     wanted\n");
    for (int i = 0; i < BENCHES; i++) {
        double fast = measure(i, out, in, false), watched = measure(i, out, in, true);

        printf("%-44s %11.1f %11.0f %12.1f %10.1f\n", benches[i].name, fast, benches[i].wanted, watched,
               benches[i].watched);
        missed += fast < benches[i].wanted || watched < benches[i].watched;
    }
    after = resident();
    if (sysconf(_SC_NPROCESSORS_ONLN) > 1)
        missed += compare_two(out, in);
    printf("bytes kept for each byte allocated, the byte itself included: %.1f (at most 13)\n",
           (after - before) / (2.0 * (double)bytes));
    free(host);
    return missed > 0;
}
