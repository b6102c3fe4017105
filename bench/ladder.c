/*
 * The ladder: every sum of labs 01 to 06, as their solutions have it, on the same numbers.
 *
 *     ladder N RUNS
 *
 * Linked with the CUDA runtime it measures, linked with the simulator it models: then the host's own
 * additions, which the model does not know, are not in the whole time. Each sum is checked. Exit: 1 if one is
 * wrong.
 */
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/lab.h"
#include "lab01_global_memory/lab01.h"
#include "lab02_shared_memory/lab02.h"
#include "lab03_dynamic_shared/lab03.h"
#include "lab04_atomics/lab04.h"
#include "lab05_warp_shuffle/lab05.h"
#include "lab06_coop_groups/lab06.h"

#define MOST_RUNS 99

static int n;
static int runs;
static bool modeled;
static real *d_input; /* as made; lab 01 writes over what it adds */
static real *d_x, *d_partial, *d_y;

/* ---- the steps ----------------------------------------------------------------------------------------- */

/* For the kernel's time: what runs on the device. For the whole: until the host has the sum. */
static void kernel_01(void)
{
    lab01_reduce_blocks(d_x, n, d_partial);
}
static double whole_01(void)
{
    return lab01_sum(d_x, n);
}
static void kernel_02(void)
{
    lab02_reduce_blocks(d_x, n, d_partial);
}
static double whole_02(void)
{
    return lab02_sum(d_x, n);
}
static void kernel_03(void)
{
    lab03_reduce_blocks(d_x, n, d_partial, 128);
}
static double whole_03(void)
{
    return lab03_sum(d_x, n, 128);
}
static void kernel_atomic(void)
{
    lab04_sum(d_x, n, d_y);
}
static void kernel_syncwarp(void)
{
    lab05_sum_syncwarp(d_x, n, d_y);
}
static void kernel_shuffle(void)
{
    lab05_sum_shuffle(d_x, n, d_y);
}
static void kernel_two(void)
{
    lab06_sum_two_kernels(d_x, n, d_y);
}
static void kernel_grid_sync(void)
{
    lab06_sum_grid_sync(d_x, n, d_y);
}
static void kernel_summit(void)
{
    lab06_sum(d_x, n, d_y);
}
#ifdef LADDER_CUB
void cub_sum(const real *d_x, int n, real *d_y); /* cub_sum.cu */
static void kernel_cub(void)
{
    cub_sum(d_x, n, d_y);
}
#endif

struct step {
    const char *lab, *name;
    void (*kernel)(void);
    double (*whole)(void); /* NULL: the sum is in *d_y */
};

static const struct step steps[] = {
    {"01", "global memory, host adds the parts", kernel_01, whole_01},
    {"02", "static shared memory", kernel_02, whole_02},
    {"03", "dynamic shared memory", kernel_03, whole_03},
    {"04", "one atomic per block", kernel_atomic, NULL},
    {"05", "last warp with __syncwarp", kernel_syncwarp, NULL},
    {"05", "shuffles", kernel_shuffle, NULL},
    {"06", "tiles, grid stride, two kernels", kernel_two, NULL},
    {"06", "one kernel with grid.sync()", kernel_grid_sync, NULL},
    {"06", "128-bit loads in flight", kernel_summit, NULL},
#ifdef LADDER_CUB
    {"--", "CUB DeviceReduce::Sum", kernel_cub, NULL},
#endif
};

/* ---- time ---------------------------------------------------------------------------------------------- */

/* The host's, in milliseconds. */
static double wall_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

/* Milliseconds since timer_start. */
static float stop(struct timer *timer)
{
    float ms = 0;
    CHECK(timer_stop(timer));
    CHECK(timer_milliseconds(timer, &ms));
    return ms;
}

static void restore_input(void)
{
    CHECK(cudaMemcpy(d_x, d_input, (size_t)n * sizeof(real), cudaMemcpyDeviceToDevice));
    CHECK(cudaDeviceSynchronize());
}

static double whole(const struct step *step)
{
    real sum;
    if (step->whole)
        return step->whole();
    step->kernel();
    CHECK(cudaMemcpy(&sum, d_y, sizeof sum, cudaMemcpyDeviceToHost));
    return sum;
}

struct figures {
    double kernel, whole; /* milliseconds */
    double sum;
};

/* Medians; the first run of each, which may load or allocate something, does not count. */
static struct figures measure(const struct step *step, struct timer *timer)
{
    float kernel[MOST_RUNS], total[MOST_RUNS];
    struct figures figures = {0};
    for (int k = -1; k < runs; k++) {
        restore_input();
        CHECK(timer_start(timer));
        step->kernel();
        kernel[k < 0 ? 0 : k] = stop(timer);
        restore_input();
        const double from = wall_clock();
        CHECK(timer_start(timer));
        figures.sum = whole(step);
        const double wall = wall_clock() - from;
        total[k < 0 ? 0 : k] = modeled ? stop(timer) : (float)wall;
    }
    figures.kernel = timer_describe(kernel, runs).median;
    figures.whole = timer_describe(total, runs).median;
    return figures;
}

/* ---- the table ----------------------------------------------------------------------------------------- */

static void *device_memory(size_t bytes)
{
    void *address = NULL;
    CHECK(cudaMalloc(&address, bytes));
    return address;
}

/* Numbers in [0, 1), of a linear congruential generator. Returns their sum. */
static double make_input(void)
{
    real *h_x = malloc((size_t)n * sizeof *h_x);
    long double sum = 0;
    unsigned long long state = 2026;
    if (!h_x) {
        fprintf(stderr, "ladder: no memory for %d numbers\n", n);
        exit(2);
    }
    for (int i = 0; i < n; i++) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        h_x[i] = (real)((double)(state >> 40) * 0x1p-24);
        sum += h_x[i];
    }
    d_input = device_memory((size_t)n * sizeof(real));
    CHECK(cudaMemcpy(d_input, h_x, (size_t)n * sizeof(real), cudaMemcpyHostToDevice));
    free(h_x);
    return (double)sum;
}

struct copy {
    void *from, *to;
    size_t bytes;
};

static void run_copy(void *context)
{
    const struct copy *copy = context;
    CHECK(cudaMemcpyAsync(copy->to, copy->from, copy->bytes, cudaMemcpyDeviceToDevice, 0));
}

/* GB/s that a copy inside the device moves, both ways together. */
static double copy_rate(void)
{
    const size_t bytes = (size_t)1 << 28;
    struct copy copy = {device_memory(bytes), device_memory(bytes), bytes};
    CHECK(cudaMemset(copy.from, 0, bytes));
    const struct timing t = timer_median(run_copy, &copy, 1, runs);
    CHECK(cudaFree(copy.from));
    CHECK(cudaFree(copy.to));
    return 1e-6 * 2.0 * (double)bytes / t.median;
}

static bool print_row(const struct step *step, const struct figures *f, const struct figures *first,
                      double roof, double want)
{
    const double rate = 1e-6 * (double)n * sizeof(real) / f->kernel; /* GB/s */
    /* Atomics add in any order, up to n / 128 additions: an error of at most n / 128 + 7 roundings. */
    const double u = sizeof(real) == sizeof(float) ? 0x1p-24 : 0x1p-53;
    const int roundings = n / 128 + 64;
    const bool right = fabs(f->sum - want) <= roundings * u * want;
    printf("  %-3s %-36s %10.4f %10.4f %8.0f %6.1f %8.2f %8.2f%s\n", step->lab, step->name, f->kernel,
           f->whole, rate, 100 * rate / roof, first->kernel / f->kernel, first->whole / f->whole,
           right ? "" : "  WRONG");
    return right;
}

static bool print_table(void)
{
    struct figures first = {0};
    struct timer timer;
    bool right = true;
    const double want = make_input(), roof = copy_rate();
    printf("; a copy moves %.0f GB/s\n", roof);
    printf("  %-3s %-36s %10s %10s %8s %6s %8s %8s\n", "lab", "", "kernel ms", "whole ms", "GB/s", "% copy",
           "kernel x", "whole x");
    CHECK(timer_init(&timer));
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        const struct figures figures = measure(&steps[i], &timer);
        if (i == 0)
            first = figures;
        right = print_row(&steps[i], &figures, &first, roof, want) && right;
    }
    CHECK(timer_destroy(&timer));
    return right;
}

int main(int argc, char **argv)
{
    struct cudaDeviceProp device;
    n = argc == 3 ? atoi(argv[1]) : 0;
    runs = argc == 3 ? atoi(argv[2]) : 0;
    if (n < 128 || n % 128 != 0 || runs < 1 || runs > MOST_RUNS) {
        fprintf(stderr, "usage: ladder N RUNS (N: a multiple of 128, as lab 01 wants it; 1 to %d runs)\n",
                MOST_RUNS);
        return 2;
    }
    CHECK(cudaGetDeviceProperties(&device, 0));
    modeled = strstr(device.name, "simulated") != NULL;
    d_x = device_memory((size_t)n * sizeof(real));
    d_partial = device_memory((size_t)n / 128 * sizeof(real));
    d_y = device_memory(sizeof(real));
    printf("%s: sum of %d %ss, %s", device.name, n, sizeof(real) == sizeof(float) ? "float" : "double",
           modeled ? "MODELED, not measured, and without the host's additions" : "medians");
    return print_table() ? 0 : 1;
}
