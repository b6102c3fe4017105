/*
 * The kernels of labs 01 to 06, of all steps of labs 07 to 09, and of lab 09's solution, called once each,
 * for counting their memory traffic: under Nsight Compute when linked with the CUDA runtime (traffic-gpu), by
 * itself when linked with the simulator (traffic-sim, -DON_SIMULATOR). tests/gpu/traffic compares the two.
 *
 *   traffic-sim [n [side [m n k]]]    n elements for copies and sums (a multiple of 128), side x side for
 *                                     transposes, m x k times k x n for matrix products
 *
 * Left out: what depends on who comes first, lab 04's maximum with atomicCAS and lab 06's grid.sync().
 */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab01_global_memory/lab01.h"
#include "lab02_shared_memory/lab02.h"
#include "lab03_dynamic_shared/lab03.h"
#include "lab04_atomics/lab04.h"
#include "lab05_warp_shuffle/lab05.h"
#include "lab06_coop_groups/lab06.h"
#include "lab09_matmul_tiled/lab09.h"
#ifdef ON_SIMULATOR
#include "sim/device/sim.h"
#endif

static real *d_x, *d_y;
static unsigned char *d_label;
static unsigned *d_key, *d_count;
static struct {
    int m, n, k;
} product = {512, 512, 256};

static void must(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "traffic: %s: %s\n", what, cudaGetErrorString(error));
        exit(2);
    }
}

/* Labs 01 to 06: the row's name, and the lab's function with its arguments. */
#define CALLS(X)                                                                                             \
    X("lab01 copy", copy, lab01_copy(d_x, d_y, n))                                                           \
    X("lab01 copy_stride", copy_stride, lab01_copy_stride(d_x, d_y, n, 32))                                  \
    X("lab01 reduce", reduce_global, lab01_reduce_blocks(d_x, n, d_y))                                       \
    X("lab02 reduce", reduce_shared, lab02_reduce_blocks(d_x, n, d_y))                                       \
    X("lab02 transpose_conflicts", transpose_conflicts, lab02_transpose_conflicts(d_x, d_y, side, side))     \
    X("lab02 transpose", transpose, lab02_transpose(d_x, d_y, side, side))                                   \
    X("lab03 reduce", reduce_dynamic, lab03_reduce_blocks(d_x, n, d_y, 128))                                 \
    X("lab03 run_ends", run_ends, lab03_run_ends(d_x, d_label, n, d_y, 128))                                 \
    X("lab03 reverse_tiles", reverse, lab03_reverse_tiles(d_x, d_y, n, 4096))                                \
    X("lab04 sum_race", sum_race, lab04_sum_race(d_x, n, d_y))                                               \
    X("lab04 sum", sum_atomic, lab04_sum(d_x, n, d_y))                                                       \
    X("lab04 histogram_global", histogram_global, lab04_histogram_global(d_key, n, d_count))                 \
    X("lab04 histogram_shared", histogram_shared, lab04_histogram_shared(d_key, n, d_count))                 \
    X("lab05 sum_syncwarp", sum_syncwarp, lab05_sum_syncwarp(d_x, n, d_y))                                   \
    X("lab05 sum_shuffle", sum_shuffle, lab05_sum_shuffle(d_x, n, d_y))                                      \
    X("lab05 warp_scan", warp_scan, lab05_warp_scan(d_x, n, d_y))                                            \
    X("lab05 block_scan", block_scan, lab05_block_scan(d_x, n, d_y))                                         \
    X("lab05 diverge_inside", diverge_inside, lab05_diverge_inside(d_x, n, d_y))                             \
    X("lab05 diverge_between", diverge_between, lab05_diverge_between(d_x, n, d_y))                          \
    X("lab06 tile_sums 4", tile_sums_4, lab06_tile_sums(d_x, n, d_y, 4))                                     \
    X("lab06 tile_sums 32", tile_sums_32, lab06_tile_sums(d_x, n, d_y, 32))                                  \
    X("lab06 sum_two_kernels", sum_two_kernels, lab06_sum_two_kernels(d_x, n, d_y))                          \
    X("lab06 sum", sum_summit, lab06_sum(d_x, n, d_y))
#define CALL(title, name, call)                                                                              \
    static void run_##name(int n, int side)                                                                  \
    {                                                                                                        \
        (void)n, (void)side;                                                                                 \
        call;                                                                                                \
    }
CALLS(CALL)
#undef CALL

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

/* Wide accesses at odd places (traffic_offset.cu), a quarter of the elements each. */
#define OFFSETS(X)                                                                                           \
    X(load_float2)                                                                                           \
    X(load_float4)                                                                                           \
    X(store_float2)                                                                                          \
    X(store_float4)                                                                                          \
    X(copy_async_4)                                                                                          \
    X(copy_async_8)                                                                                          \
    X(copy_async_16)
#define OFFSET(name)                                                                                         \
    void offset_##name(real *d_x, int n, real *d_y);                                                         \
    static void run_##name(int n, int side)                                                                  \
    {                                                                                                        \
        (void)side;                                                                                          \
        offset_##name(d_x, n / 512 * 128, d_y);                                                              \
    }
OFFSETS(OFFSET)
#undef OFFSET

/* Lab 09: the Makefile lists the solution and the steps, and gives each a name of its own. */
#define CONTESTANT(name)                                                                                     \
    void name(int m, int n, int k, const real *d_a, int lda, const real *d_b, int ldb, real *d_c, int ldc);  \
    static void run_##name(int n, int side)                                                                  \
    {                                                                                                        \
        (void)n, (void)side;                                                                                 \
        name(product.m, product.n, product.k, d_x, product.k, d_x, product.n, d_y, product.n);               \
    }
CONTESTANTS
#undef CONTESTANT

static const struct {
    const char *name;
    void (*run)(int n, int side);
} calls[] = {
#define CALL(title, name, call) {title, run_##name},
    CALLS(CALL)
#undef CALL
#define STEP(name) {#name, run_##name},
#include "conv_steps.h"
#undef STEP
#define CONTESTANT(name) {"lab09 " #name, run_##name},
        CONTESTANTS
#undef CONTESTANT
#define OFFSET(name) {"offset " #name, run_##name},
            OFFSETS(OFFSET)
#undef OFFSET
};

/*
 * One row: the name, how many kernels ran, then requests and sectors of loads, of stores and of atomics, then
 * requests and wavefronts of shared loads and stores, in the order of the columns in tests/gpu/traffic.
 */
static void report(const char *name)
{
#ifdef ON_SIMULATOR
    struct sim_counters c;
    double seconds;
    sim_totals(&c, &seconds);
    const uint64_t row[] = {c.launches,
                            c.global_load_requests,
                            c.global_load_sectors,
                            c.global_store_requests,
                            c.global_store_sectors,
                            c.global_atomic_requests,
                            c.global_atomic_sectors,
                            c.shared_load_requests,
                            c.shared_store_requests,
                            c.shared_load_wavefronts,
                            c.shared_store_wavefronts};
    printf("%s", name);
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
        printf("|%llu", (unsigned long long)row[i]);
    printf("\n");
    sim_totals_reset();
#else
    (void)name;
#endif
}

static size_t max_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1 << 20;
    const int side = argc > 2 ? atoi(argv[2]) : 1024;
    if (argc > 5) {
        product.m = atoi(argv[3]);
        product.n = atoi(argv[4]);
        product.k = atoi(argv[5]);
    }
    if (n <= 0 || n % LAB01_BLOCK_SIZE != 0 || side <= 0 || product.m <= 0 || product.n <= 0 ||
        product.k <= 0) {
        fprintf(stderr, "traffic: n must be a positive multiple of %d, and the other sizes positive\n",
                LAB01_BLOCK_SIZE);
        return 2;
    }
    const size_t largest = max_size(max_size((size_t)product.m * product.n, (size_t)product.m * product.k),
                                    (size_t)product.k * product.n);
    const size_t count = max_size(max_size((size_t)n, (size_t)side * side), largest);
    unsigned *keys = malloc((size_t)n * sizeof *keys);
    if (keys == NULL)
        return 2;
    for (int i = 0; i < n; i++)
        keys[i] = (unsigned)i * 2654435761u >> 24;
    must(cudaMalloc((void **)&d_x, (count + 1024) * sizeof(real)), "cudaMalloc");
    must(cudaMalloc((void **)&d_y, (count + 1024) * sizeof(real)), "cudaMalloc");
    must(cudaMalloc((void **)&d_label, n), "cudaMalloc");
    must(cudaMalloc((void **)&d_key, (size_t)n * sizeof *keys), "cudaMalloc");
    must(cudaMalloc((void **)&d_count, LAB04_BINS * sizeof *d_count), "cudaMalloc");
    must(cudaMemset(d_x, 0, (count + 1024) * sizeof(real)), "cudaMemset");
    must(cudaMemset(d_y, 0, count * sizeof(real)), "cudaMemset");
    must(cudaMemset(d_label, 0, n), "cudaMemset");
    must(cudaMemcpy(d_key, keys, (size_t)n * sizeof *keys, cudaMemcpyHostToDevice), "cudaMemcpy");
    free(keys);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        calls[i].run(n, side);
        must(cudaDeviceSynchronize(), calls[i].name);
        report(calls[i].name);
    }
    return 0;
}
