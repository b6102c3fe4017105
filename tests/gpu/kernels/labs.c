/* The kernels of labs 01 to 06, and all steps of labs 07 to 09, as rows of the table. */
#include <stddef.h>

#include "lab01_global_memory/lab01.h"
#include "lab02_shared_memory/lab02.h"
#include "lab03_dynamic_shared/lab03.h"
#include "lab04_atomics/lab04.h"
#include "lab05_warp_shuffle/lab05.h"
#include "lab06_coop_groups/lab06.h"
#include "tests/gpu/kernels/device.h"
#include "tests/gpu/kernels/kernels.h"

#define X      (b->x)
#define Y      (b->y)
#define LABELS ((const unsigned char *)b->u)

/* lab01_NAME etc.: a call with n. */
#define CALL(name, ...)                                                                                      \
    static void run_##name(const struct model_buffers *b, int n)                                             \
    {                                                                                                        \
        __VA_ARGS__;                                                                                         \
    }

CALL(lab01_copy, lab01_copy(X, Y, n))
CALL(lab01_copy_stride, lab01_copy_stride(X, Y, n, 32))
CALL(lab01_reduce, lab01_reduce_blocks(Y, n, Y + n))
CALL(lab02_reduce, lab02_reduce_blocks(X, n, Y))
CALL(lab02_transpose_conflicts, lab02_transpose_conflicts(X, Y, n, n))
CALL(lab02_transpose, lab02_transpose(X, Y, n, n))
CALL(lab03_reduce_128, lab03_reduce_blocks(X, n, Y, 128))
CALL(lab03_reduce_1024, lab03_reduce_blocks(X, n, Y, 1024))
CALL(lab03_run_ends, lab03_run_ends(X, LABELS, n, Y, 128))
CALL(lab03_reverse_tiles, lab03_reverse_tiles(X, Y, n, 4096))
CALL(lab04_sum_race, lab04_sum_race(X, n, Y))
CALL(lab04_sum, lab04_sum(X, n, Y))
CALL(lab04_histogram_global, lab04_histogram_global(b->p, n, (unsigned *)Y))
CALL(lab04_histogram_shared, lab04_histogram_shared(b->p, n, (unsigned *)Y))
CALL(lab04_max, lab04_max(X, n, Y))
CALL(lab05_sum_syncwarp, lab05_sum_syncwarp(X, n, Y))
CALL(lab05_sum_shuffle, lab05_sum_shuffle(X, n, Y))
CALL(lab05_warp_scan, lab05_warp_scan(X, n, Y))
CALL(lab05_block_scan, lab05_block_scan(X, n, Y))
CALL(lab05_diverge_inside, lab05_diverge_inside(X, n, Y))
CALL(lab05_diverge_between, lab05_diverge_between(X, n, Y))
CALL(lab06_tile_sums_4, lab06_tile_sums(X, n, Y, 4))
CALL(lab06_tile_sums_32, lab06_tile_sums(X, n, Y, 32))
CALL(lab06_sum_two_kernels, lab06_sum_two_kernels(X, n, Y))
CALL(lab06_sum_grid_sync, lab06_sum_grid_sync(X, n, Y))
CALL(lab06_sum, lab06_sum(X, n, Y))

/* Keys below 256. */
static void make_keys(const struct model_buffers *b, int n)
{
    (void)n;
    model_keys(b->u, b->p);
}

#define STEP(name) void name(const float *d_x, int n, const float *d_h, float *d_y);
#include "conv_steps.h"
#undef STEP
#define STEP(name)                                                                                           \
    static void run_##name(const struct model_buffers *b, int n)                                             \
    {                                                                                                        \
        name(X, n, X + 4096, Y);                                                                             \
    }
#include "conv_steps.h"
#undef STEP

#define CONTESTANT(name)                                                                                     \
    void name(int m, int n, int k, const float *d_a, int lda, const float *d_b, int ldb, float *d_c,         \
              int ldc);                                                                                      \
    static void run_lab09_##name(const struct model_buffers *b, int n)                                       \
    {                                                                                                        \
        name(n, n, n, X, n, X + n * n, n, Y, n);                                                             \
    }
CONTESTANTS
#undef CONTESTANT

/* Elements of labs 01 to 06; sides of transposes. */
#define ROW(name)                                                                                            \
    {                                                                                                        \
#name, "lab", {1 << 16, 1 << 20, 1 << 23 }, run_##name, NULL                                         \
    }
#define SIDES(name)                                                                                          \
    {                                                                                                        \
#name, "lab", {256, 1024, 4096 }, run_##name, NULL                                                   \
    }
#define KEYS(name)                                                                                           \
    {                                                                                                        \
#name, "lab", {1 << 16, 1 << 20, 1 << 23 }, run_##name, make_keys                                    \
    }

const struct model_kernel model_labs[] = {
    ROW(lab01_copy),
    {"lab01_copy_stride", "lab", {1 << 16, 1 << 20, 1 << 22}, run_lab01_copy_stride, NULL},
    ROW(lab01_reduce),
    ROW(lab02_reduce),
    SIDES(lab02_transpose_conflicts),
    SIDES(lab02_transpose),
    ROW(lab03_reduce_128),
    ROW(lab03_reduce_1024),
    ROW(lab03_run_ends),
    ROW(lab03_reverse_tiles),
    ROW(lab04_sum_race),
    ROW(lab04_sum),
    KEYS(lab04_histogram_global),
    KEYS(lab04_histogram_shared),
    ROW(lab04_max),
    ROW(lab05_sum_syncwarp),
    ROW(lab05_sum_shuffle),
    ROW(lab05_warp_scan),
    ROW(lab05_block_scan),
    {"lab05_diverge_inside", "lab", {1 << 15, 1 << 18, 1 << 21}, run_lab05_diverge_inside, NULL},
    {"lab05_diverge_between", "lab", {1 << 15, 1 << 18, 1 << 21}, run_lab05_diverge_between, NULL},
    ROW(lab06_tile_sums_4),
    ROW(lab06_tile_sums_32),
    ROW(lab06_sum_two_kernels),
    ROW(lab06_sum_grid_sync),
    ROW(lab06_sum),
/* 16 taps: elements as above. 1024 taps: a sixteenth of them. */
#define STEP(name)                                                                                           \
    {#name,                                                                                                  \
     "lab",                                                                                                  \
     {#name[4] == '8' ? 1 << 13 : 1 << 16, #name[4] == '8' ? 1 << 16 : 1 << 20,                              \
      #name[4] == '8' ? 1 << 19 : 1 << 23},                                                                  \
     run_##name,                                                                                             \
     NULL},
#include "conv_steps.h"
#undef STEP
#define CONTESTANT(name) {"lab09_" #name, "lab", {128, 384, 768}, run_lab09_##name, NULL},
    CONTESTANTS
#undef CONTESTANT
    {NULL, NULL, {0, 0, 0}, NULL, NULL},
};
