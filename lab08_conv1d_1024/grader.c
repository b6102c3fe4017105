/* Lab 08: cases, references, tolerances and thresholds. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/products.h"
#include "harness/task_parts.h"
#include "lab08.h"

/* ---- sizes and inputs ---------------------------------------------------------------------------------- */

static int shape_convolve(struct lab_run *run)
{
    return lab_shape_convolution(run, LAB08_TAPS);
}

/*
 * With whole numbers every sum is exact, so that one wrong term among 1024 shows. With numbers up to L the
 * sums of fast FIR, the largest that the contract thinks of, stay below 4 * 256 * (4 L)^2: below 2^24 in
 * float for L = 25, below 2^53 in double, where the products are too long for a float.
 */
static void fill_convolve(struct lab_run *run)
{
    lab_fill_convolution(run, LAB08_TAPS, sizeof(real) == sizeof(float) ? 25 : 600000);
}

/* ---- the reference ------------------------------------------------------------------------------------- */

/* A term passes through so many roundings in the reference, and not through 1024: see products_convolution. */
enum { RUN = 32, REFERENCE_ROUNDINGS = RUN + LAB08_TAPS / RUN };

/*
 * The contract's bound: 2400 rounded operations on the largest magnitude among seven neighbours. That leaves
 * room for two levels of fast FIR: a branch's term passes through 2 rounded sums of taps, 2 differences of
 * elements, 256 multiply-adds and 2 sums, 262 in all; and of the 9 branches' terms, written out, each level's
 * H0 + 2 H1 with x[2m] and H1 with x[2m - 1] triple the magnitude at most, with products that belong to the
 * output itself and to those up to three places beside it: 9 * 262 = 2358. And the reference's own roundings,
 * in double, which count if the kernel's are in double too.
 */
static void expect_convolve(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    const int64_t outputs = run->buffer[2].count, end = expect->first + expect->count;
    const int64_t from = expect->first > 3 ? expect->first - 3 : 0,
                  to = end + 3 < outputs ? end + 3 : outputs;
    double *want = calloc(2 * (size_t)(to - from) + 1, sizeof *want), *magnitude = want + (to - from);
    const struct products_convolution sums = {.x = run->buffer[0].data,
                                              .h = run->buffer[1].data,
                                              .n = run->arg[0],
                                              .taps = LAB08_TAPS,
                                              .run = RUN,
                                              .first = from,
                                              .count = to - from,
                                              .want = want,
                                              .magnitude = magnitude};
    const double factor = lab_sum_factor(2400);
    (void)buffer;
    if (!want)
        return; /* nothing will be within its tolerance, and the case says so */
    products_convolution(&sums);
    for (int64_t i = expect->first; i < end; i++) {
        double largest = 0;
        for (int64_t j = i - 3; j <= i + 3; j++)
            if (j >= from && j < to)
                largest = fmax(largest, magnitude[j - from]);
        expect->want[i - expect->first] = want[i - from];
        if (run->arg[1] != LAB_WHOLE)
            expect->tolerance[i - expect->first] =
                factor * largest + REFERENCE_ROUNDINGS * 0x1p-53 * magnitude[i - from];
    }
    free(want);
}

/* ---- what an output is made of ------------------------------------------------------------------------- */

static int needs_convolve(const struct lab_run *run, int buffer, int64_t index, struct lab_need *need)
{
    (void)buffer;
    return lab_needs_convolution(run, index, LAB08_TAPS, need);
}

/* ---- speed --------------------------------------------------------------------------------------------- */

static double bytes_convolve(const int64_t *arg)
{
    return lab_bytes_convolution(arg, LAB08_TAPS);
}

static double flops_convolve(const int64_t *arg)
{
    return lab_flops_convolution(arg, LAB08_TAPS);
}

/*
 * 256 multiply-adds per byte: arithmetic is the roof. On an H100 the kernel reaches 89 % of it at 2^24; at
 * 2^22, a fifth of a second of reference for each of several input sets, the copy of the taps takes its
 * share. 0.60 asks for outputs in registers and for operands without bank conflicts; one output a thread
 * reaches a tenth. In double the roof is the GPU's FP64 rate: half of FP32 on an H100, 1/64 on most others.
 */
static const struct lab_speed speed_convolve = {
    .gpu_arg = {1 << 22, LAB_RANDOM},
    .sim_arg = {1 << 18, LAB_RANDOM},
    .bytes = bytes_convolve,
    .flops = flops_convolve,
    .fraction = 0.60,
    .fraction_double = 0.50,
    .flops_saved = 16, /* fast FIR saves 1.5 times and more, an FFT 14 */
    .advice =
        "Nearly every instruction must be a multiply-add: keep many outputs and the window in registers, "
        "load by vectors, and let the taps come from constant memory.",
};

/*
 * None in float. In double nvcc's PTX, which the simulator counts, reads a few words a second time, one by
 * one; ptxas takes these loads out again, and ncu counts none. 16 outputs without a gap would give 300 and
 * 700 %.
 */
static const struct lab_counter_limit limits_convolve[] = {
    {LAB_SHARED_CONFLICTS, 2, 30,
     "Eight threads that read vectors together should meet eight different groups of banks: an odd number of "
     "vectors from one thread to the next."},
    {.meaning = NULL},
};
static const int64_t limit_arg_convolve[LAB_MAX_ARGS] = {10000, LAB_RANDOM};

/* ---- the tables ---------------------------------------------------------------------------------------- */

static const struct lab_case cases_edges[] = {
    {"nothing at all", {0, LAB_WHOLE}, false},
    {"one element", {1, LAB_WHOLE}, false},
    {"15", {15, LAB_WHOLE}, false},
    {"16", {16, LAB_WHOLE}, false},
    {"17", {17, LAB_WHOLE}, false},
    {"an impulse", {100, LAB_IMPULSE}, false},
    {"one short of the taps", {1023, LAB_WHOLE}, false},
    {"as many as taps", {1024, LAB_WHOLE}, false},
    {"one more than taps", {1025, LAB_WHOLE}, false},
    {"outputs one short of a block", {2560, LAB_WHOLE}, false},
    {"outputs of a whole block", {2561, LAB_WHOLE}, false},
    {"outputs one more than a block", {2562, LAB_WHOLE}, false},
    {"a prime", {10007, LAB_WHOLE}, false},
    {"2^24 + 3", {(1 << 24) + 3, LAB_WHOLE}, true},
    {NULL, {0}, false},
};

static const struct lab_case cases_convolve[] = {
    {"random, one element", {1, LAB_RANDOM}, false},
    {"random, a prime", {10007, LAB_RANDOM}, false},
    {"random, many blocks", {40009, LAB_RANDOM}, false},
    {"an impulse far inside", {20011, LAB_IMPULSE}, false},
    {"2,097,152", {2097152, LAB_RANDOM}, true},
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
        .title = "as fast as multiply-adds can be",
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
    .name = "lab08",
    .folder = "lab08_conv1d_1024",
    .title = "Convolution with 1024 taps: bound by arithmetic",
    .tasks = tasks,
    .task_count = sizeof tasks / sizeof *tasks,
};
