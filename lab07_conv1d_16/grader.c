/* Lab 07: cases, references, tolerances and thresholds. */
#include <math.h>
#include <stdio.h>

#include "harness/products.h"
#include "harness/task_parts.h"
#include "lab07.h"

/* ---- sizes and inputs ---------------------------------------------------------------------------------- */

static int shape_convolve(struct lab_run *run)
{
    return lab_shape_convolution(run, LAB07_TAPS);
}

/*
 * With whole numbers every sum is exact, so that one wrong term shows: 16 products below 2^24 in float; in
 * double, above what a float could hold.
 */
static void fill_convolve(struct lab_run *run)
{
    lab_fill_convolution(run, LAB07_TAPS, sizeof(real) == sizeof(float) ? 900 : 20000000);
}

/* ---- the reference ------------------------------------------------------------------------------------- */

/* Each output passes through at most 16 rounded operations. */
static void expect_convolve(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    const struct products_convolution sums = {.x = run->buffer[0].data,
                                              .h = run->buffer[1].data,
                                              .n = run->arg[0],
                                              .taps = LAB07_TAPS,
                                              .run = LAB07_TAPS,
                                              .first = expect->first,
                                              .count = expect->count,
                                              .want = expect->want,
                                              .magnitude = expect->tolerance};
    /* And those of the reference itself. */
    const double factor = lab_sum_factor(LAB07_TAPS + 1) + LAB07_TAPS * 0x1p-53;
    (void)buffer;
    products_convolution(&sums);
    for (int64_t i = 0; i < expect->count; i++)
        expect->tolerance[i] = run->arg[1] == LAB_RANDOM ? factor * expect->tolerance[i] : 0;
}

/* ---- what an output is made of ------------------------------------------------------------------------- */

static int needs_convolve(const struct lab_run *run, int buffer, int64_t index, struct lab_need *need)
{
    (void)buffer;
    return lab_needs_convolution(run, index, LAB07_TAPS, need);
}

/* ---- speed --------------------------------------------------------------------------------------------- */

static double bytes_convolve(const int64_t *arg)
{
    return lab_bytes_convolution(arg, LAB07_TAPS);
}

static double flops_convolve(const int64_t *arg)
{
    return lab_flops_convolution(arg, LAB07_TAPS);
}

/*
 * Every element is read once and every output written once: the copy's speed is the roof, and on an H100 it
 * is reached. In one call by itself the copy of the taps costs 8 to 25 us beside the kernel's 180, so 0.75;
 * one output a thread reaches half of the roof.
 */
static const struct lab_speed speed_convolve = {
    .gpu_arg = {1 << 26, LAB_RANDOM},
    .sim_arg = {1 << 20, LAB_RANDOM},
    .bytes = bytes_convolve,
    .flops = flops_convolve,
    .fraction = 0.75,
    .fraction_double = 0.75,
    .flops_saved = 16, /* see lab 08 */
    .advice = "Memory is the limit, so it must not wait for anything else: 128-bit loads, each used for four "
              "outputs, and no load for the taps.",
};

/* 128-bit loads of neighbouring vectors take 16 sectors per request; what is scattered takes up to 32. */
static const struct lab_counter_limit limits_convolve[] = {
    {LAB_LOAD_SECTORS_PER_REQUEST, 16.5, 16.5,
     "The threads of a warp should load neighbouring vectors: thread t begins its window at element 4 t."},
    {LAB_STORE_SECTORS_PER_REQUEST, 16.5, 16.5, "The threads of a warp should store neighbouring vectors."},
    {.meaning = NULL},
};
static const int64_t limit_arg_convolve[LAB_MAX_ARGS] = {1 << 18, LAB_RANDOM};

/* ---- the tables ---------------------------------------------------------------------------------------- */

static const struct lab_case cases_edges[] = {
    {"nothing at all", {0, LAB_WHOLE}, false},
    {"one element", {1, LAB_WHOLE}, false},
    {"one short of the taps", {15, LAB_WHOLE}, false},
    {"as many as taps", {16, LAB_WHOLE}, false},
    {"one more than taps", {17, LAB_WHOLE}, false},
    {"an impulse", {100, LAB_IMPULSE}, false},
    {"1023", {1023, LAB_WHOLE}, false},
    {"1024", {1024, LAB_WHOLE}, false},
    {"1025", {1025, LAB_WHOLE}, false},
    {"outputs one short of a block", {4080, LAB_WHOLE}, false},
    {"outputs of whole blocks", {4081, LAB_WHOLE}, false},
    {"outputs one more than a block", {4082, LAB_WHOLE}, false},
    {"a prime", {10007, LAB_WHOLE}, false},
    {"2^24 + 3", {(1 << 24) + 3, LAB_WHOLE}, true},
    {NULL, {0}, false},
};

static const struct lab_case cases_convolve[] = {
    {"random, a prime", {10007, LAB_RANDOM}, false},
    {"random, many blocks", {100003, LAB_RANDOM}, false},
    {"random, a multiple of everything", {65536, LAB_RANDOM}, false},
    {"an impulse far inside", {50021, LAB_IMPULSE}, false},
    {"1,024,000", {1024000, LAB_RANDOM}, true},
    {"2^24 + 3, random", {(1 << 24) + 3, LAB_RANDOM}, true},
    {NULL, {0}, false},
};

static const struct lab_task tasks[] = {
    {
        .id = "edges",
        .part = "a",
        .title = "every output, at every size",
        .points = 50,
        .arg_names = {"n", "inputs"},
        .size_arg = 0,
        .cases = cases_edges,
        .shape = shape_convolve,
        .fill = fill_convolve,
        .expect = expect_convolve,
        .needs = needs_convolve,
        .granule = 1,
    },
    {
        .id = "convolve",
        .part = "b",
        .title = "as fast as memory is copied",
        .points = 50,
        .arg_names = {"n", "inputs"},
        .size_arg = 0,
        .cases = cases_convolve,
        .shape = shape_convolve,
        .fill = fill_convolve,
        .expect = expect_convolve,
        .needs = needs_convolve,
        .granule = 1,
        .speed = &speed_convolve,
        .limits = limits_convolve,
        .limit_arg = limit_arg_convolve,
    },
};

const struct lab the_lab = {
    .name = "lab07",
    .folder = "lab07_conv1d_16",
    .title = "Convolution with 16 taps: bound by memory",
    .tasks = tasks,
    .task_count = sizeof tasks / sizeof *tasks,
};
