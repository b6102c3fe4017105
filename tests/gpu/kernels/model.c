/*
 * Times of the kernels in kernels.h: measured with events when linked with the CUDA runtime (model-gpu), modeled
 * when linked with the simulator (model-sim, -DON_SIMULATOR). CSV on standard output; a row per kernel and size.
 *
 *   model-gpu [--size small|medium|large]... [--list | --once] [NAME...]
 *   model-sim [--size small|medium|large]... [--list] [NAME...]
 *
 * --size: all three, if none is given. NAME: only kernels whose name contains one of them. --list: names and
 * sizes only. --once: a launch of each without timing, for ncu --profile-from-start off.
 *
 * What is measured. A row's launches come one after another, on the same buffers: what fits in L2 is there from
 * the launch before. `ms` is the time of ten such launches, event to event, divided by ten; they wait in the
 * stream behind a kernel that does nothing until the host has launched all, so that the device never waits. `single_ms`
 * is one launch between two events, in the same way. Medians, after two launches that do not count.
 */
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/timer.h"
#include "tests/gpu/kernels/device.h"
#include "tests/gpu/kernels/kernels.h"
#ifdef ON_SIMULATOR
#include "sim/device/sim.h"
#endif

#define BATCH         10 /* launches that `ms` is the mean of */
#define BATCHES       7
#define SINGLES       21
#define LONG_MS       0.5 /* kernels that take longer: fewer launches */
#define DELAY_MS      0.2
#define MOST_DELAY_MS 5
#define SLACK_WORDS   4096

static const char *const size_names[MODEL_SIZES] = {"small", "medium", "large"};

static const struct model_kernel *const tables[] = {
    model_streams,    model_patterns,  model_sums,         model_atomics, model_spaces,
    model_arithmetic, model_functions, model_warps,        model_shared,  model_launches,
    model_stencils,   model_matrices,  model_applications, model_bytes,   model_labs};

#define TABLES ((int)(sizeof tables / sizeof tables[0]))

static struct options {
    bool sizes[MODEL_SIZES];
    bool once, list;
    char **names;
    int name_count;
} options;

/* ---- one row ------------------------------------------------------------------------------------------- */

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#ifdef ON_SIMULATOR
static void print_head(void)
{
    puts("kernel,size,n,ms,limiter,launches,warp_instructions,simulated_in_s");
}

static void measure(const struct model_kernel *kernel, const struct model_buffers *b, int size)
{
    struct sim_counters counters;
    double seconds, begin = seconds_now();
    sim_config(sim_current())->machine_code = true;
    if (size != MODEL_LARGE) /* the caches are as a launch before has left them */
        kernel->run(b, kernel->n[size]);
    sim_totals_reset();
    kernel->run(b, kernel->n[size]);
    const cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {
        fprintf(stderr, "model: %s, %s: %s\n%s\n", kernel->name, size_names[size], cudaGetErrorString(error),
                sim_last_result()->message);
        exit(2);
    }
    sim_totals(&counters, &seconds);
    printf("%s,%s,%d,%.6f,%s,%llu,%llu,%.2f\n", kernel->name, size_names[size], kernel->n[size],
           1e3 * seconds, sim_last_result()->limiter, (unsigned long long)counters.launches,
           (unsigned long long)counters.warp_instructions, seconds_now() - begin);
}
#else
static struct timer timer;

static void print_head(void)
{
    if (!options.once)
        puts("kernel,size,n,ms,single_ms");
}

/* Milliseconds per launch, of `launches` one after another. *delay grows until the host is done before it is over. */
static float time_launches(const struct model_kernel *kernel, const struct model_buffers *b, int n,
                           int launches, double *delay)
{
    float milliseconds = 0;
    for (;;) {
        model_delay(*delay);
        CHECK(timer_start(&timer));
        const double begin = seconds_now();
        for (int i = 0; i < launches; i++)
            kernel->run(b, n);
        CHECK(cudaGetLastError());
        CHECK(timer_stop(&timer));
        const double host = 1e3 * (seconds_now() - begin);
        CHECK(timer_milliseconds(&timer, &milliseconds));
        if (host < 0.7 * *delay || *delay > MOST_DELAY_MS)
            return milliseconds / (float)launches;
        *delay *= 2;
    }
}

static void measure(const struct model_kernel *kernel, const struct model_buffers *b, int size)
{
    const int n = kernel->n[size];
    float batch[BATCHES], single[SINGLES];
    if (options.once) {
        CHECK(cudaProfilerStart());
        kernel->run(b, n);
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaProfilerStop());
        return;
    }
    double delay = DELAY_MS;
    const float first = time_launches(kernel, b, n, 1, &delay),
                second = time_launches(kernel, b, n, 1, &delay);
    const bool is_long = first > LONG_MS && second > LONG_MS;
    for (int i = 0; i < SINGLES; i++)
        single[i] = time_launches(kernel, b, n, 1, &delay);
    for (int i = 0; i < BATCHES; i++)
        batch[i] = time_launches(kernel, b, n, is_long ? 3 : BATCH, &delay);
    printf("%s,%s,%d,%.6f,%.6f\n", kernel->name, size_names[size], n, timer_describe(batch, BATCHES).median,
           timer_describe(single, SINGLES).median);
}
#endif

/* ---- all rows ------------------------------------------------------------------------------------------ */

static bool is_wanted(const char *name)
{
    for (int i = 0; i < options.name_count; i++)
        if (strstr(name, options.names[i]) != NULL)
            return true;
    return options.name_count == 0;
}

static void measure_all(const struct model_buffers *b)
{
    if (!options.list)
        print_head();
    for (int t = 0; t < TABLES; t++)
        for (const struct model_kernel *kernel = tables[t]; kernel->name != NULL; kernel++)
            for (int size = 0; is_wanted(kernel->name) && size < MODEL_SIZES; size++) {
                if (!options.sizes[size])
                    continue;
                if (options.list) {
                    printf("%s,%s,%d\n", kernel->name, size_names[size], kernel->n[size]);
                    continue;
                }
                if (kernel->prepare != NULL)
                    kernel->prepare(b, kernel->n[size]);
                CHECK(cudaGetLastError());
                measure(kernel, b, size);
                fflush(stdout);
            }
}

static void *device_memory(size_t words)
{
    void *memory;
    CHECK(cudaMalloc(&memory, (words + SLACK_WORDS) * 4));
    CHECK(cudaMemset(memory, 0, (words + SLACK_WORDS) * 4));
    return memory;
}

/* The large sizes use up to 512 MB of x and y, the others 64 MB. */
static struct model_buffers make_buffers(void)
{
    const bool large = options.sizes[MODEL_LARGE];
    float *x = device_memory(large ? 1 << 27 : 1 << 24);
    unsigned *u = device_memory(MODEL_RANDOM);
    struct model_buffers b = {.x = x, .u = u};
    b.y = device_memory(large ? 1 << 27 : 1 << 24);
    b.p = device_memory(large ? 1 << 26 : 1 << 24);
    CHECK(cudaDeviceGetAttribute(&b.sms, cudaDevAttrMultiProcessorCount, 0));
    model_fill(x, u);
    CHECK(cudaDeviceSynchronize());
    return b;
}

static bool read_options(int argc, char **argv)
{
    bool any = false;
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        bool known = strcmp(argv[i], "--once") == 0;
        options.once |= known;
        if (strcmp(argv[i], "--list") == 0)
            options.list = known = true;
        for (int size = 0; size < MODEL_SIZES && strcmp(argv[i], "--size") == 0 && i + 1 < argc; size++)
            if (strcmp(argv[i + 1], size_names[size]) == 0)
                options.sizes[size] = any = known = true;
        i += strcmp(argv[i], "--size") == 0;
        if (!known)
            return false;
    }
    for (int size = 0; size < MODEL_SIZES; size++)
        options.sizes[size] |= !any;
    options.names = argv + i;
    options.name_count = argc - i;
    return true;
}

int main(int argc, char **argv)
{
    if (!read_options(argc, argv)) {
        fprintf(stderr, "usage: %s [--size small|medium|large]... [--list | --once] [NAME...]\n", argv[0]);
        return 2;
    }
#ifdef ON_SIMULATOR
    sim_config(sim_current())->hazards = false;
    sim_report_at_exit(false);
#else
    CHECK(timer_init(&timer));
#endif
    const struct model_buffers none = {0};
    const struct model_buffers buffers = options.list ? none : make_buffers();
    measure_all(&buffers);
    return 0;
}
