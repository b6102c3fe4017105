/*
 * The kernels of labs 01 to 03, and of all steps of labs 07 and 08, one launch each, for counting their
 * memory traffic: under Nsight Compute when linked with the CUDA runtime (traffic-gpu), by itself when linked
 * with the simulator (traffic-sim, -DON_SIMULATOR). tests/gpu/traffic compares the two.
 *
 *   traffic-sim [n [side]]    n elements for copies and sums (a multiple of 128), side x side for transposes
 */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab01_global_memory/lab01.h"
#include "lab02_shared_memory/lab02.h"
#include "lab03_dynamic_shared/lab03.h"
#ifdef ON_SIMULATOR
#include "sim/sim.h"
#endif

static real *d_x, *d_y;
static unsigned char *d_label;

static void must(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "traffic: %s: %s\n", what, cudaGetErrorString(error));
        exit(2);
    }
}

static void run_copy(int n, int side)
{
    (void)side;
    lab01_copy(d_x, d_y, n);
}

static void run_copy_stride(int n, int side)
{
    (void)side;
    lab01_copy_stride(d_x, d_y, n, 32);
}

static void run_reduce_global(int n, int side)
{
    (void)side;
    lab01_reduce_blocks(d_x, n, d_y);
}

static void run_reduce_shared(int n, int side)
{
    (void)side;
    lab02_reduce_blocks(d_x, n, d_y);
}

static void run_transpose_conflicts(int n, int side)
{
    (void)n;
    lab02_transpose_conflicts(d_x, d_y, side, side);
}

static void run_transpose(int n, int side)
{
    (void)n;
    lab02_transpose(d_x, d_y, side, side);
}

static void run_reduce_dynamic(int n, int side)
{
    (void)side;
    lab03_reduce_blocks(d_x, n, d_y, 128);
}

static void run_run_ends(int n, int side)
{
    (void)side;
    lab03_run_ends(d_x, d_label, n, d_y, 128);
}

static void run_reverse(int n, int side)
{
    (void)side;
    lab03_reverse_tiles(d_x, d_y, n, 4096);
}

/* Labs 07 and 08: conv_steps.h lists the steps; 1024 taps for a sixteenth of the elements. */
#define STEP(name) void name(const real *d_x, int n, const real *d_h, real *d_y);
#include "conv_steps.h"
#undef STEP
#define STEP(name)                                                                                           \
    static void run_##name(int n, int side)                                                                  \
    {                                                                                                        \
        (void)side;                                                                                          \
        name(d_x, strncmp(#name, "lab08", 5) == 0 ? n / 16 : n, d_x, d_y);                                   \
    }
#include "conv_steps.h"
#undef STEP

/* The names are those of the kernels, as Nsight Compute shows them. */
static const struct {
    const char *kernel;
    void (*run)(int n, int side);
} launches[] = {
    {"copy", run_copy},
    {"copy_with_stride", run_copy_stride},
    {"reduce_by_halves", run_reduce_global},
    {"reduce_shared", run_reduce_shared},
    {"transpose_conflicts", run_transpose_conflicts},
    {"transpose", run_transpose},
    {"reduce_dynamic", run_reduce_dynamic},
    {"sum_run_ends", run_run_ends},
    {"reverse_tiles", run_reverse},
#define STEP(name) {"kernel_" #name, run_##name},
#include "conv_steps.h"
#undef STEP
};

/* One row: load requests, load sectors, store requests, store sectors, shared load and store wavefronts. */
static void report(const char *kernel)
{
#ifdef ON_SIMULATOR
    const struct sim_counters *c = &sim_last_result()->counters;
    printf("%s %llu %llu %llu %llu %llu %llu\n", kernel, (unsigned long long)c->global_load_requests,
           (unsigned long long)c->global_load_sectors, (unsigned long long)c->global_store_requests,
           (unsigned long long)c->global_store_sectors, (unsigned long long)c->shared_load_wavefronts,
           (unsigned long long)c->shared_store_wavefronts);
#else
    (void)kernel;
#endif
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1 << 20;
    const int side = argc > 2 ? atoi(argv[2]) : 1024;
    if (n <= 0 || n % LAB01_BLOCK_SIZE != 0 || side <= 0) {
        fprintf(stderr, "traffic: n must be a positive multiple of %d, and side positive\n",
                LAB01_BLOCK_SIZE);
        return 2;
    }
    const size_t count = (size_t)n > (size_t)side * side ? (size_t)n : (size_t)side * side;
    must(cudaMalloc((void **)&d_x, count * sizeof(real)), "cudaMalloc");
    must(cudaMalloc((void **)&d_y, (count + 1024) * sizeof(real)), "cudaMalloc");
    must(cudaMalloc((void **)&d_label, n), "cudaMalloc");
    must(cudaMemset(d_x, 0, count * sizeof(real)), "cudaMemset");
    must(cudaMemset(d_y, 0, count * sizeof(real)), "cudaMemset");
    must(cudaMemset(d_label, 0, n), "cudaMemset");
    for (size_t i = 0; i < sizeof launches / sizeof launches[0]; i++) {
        launches[i].run(n, side);
        must(cudaDeviceSynchronize(), launches[i].kernel);
        report(launches[i].kernel);
    }
    return 0;
}
