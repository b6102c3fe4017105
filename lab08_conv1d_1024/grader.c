/* Lab 08: cases, references, tolerances and thresholds. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/lab/products.h"
#include "harness/lab/task_parts.h"
#include "lab08.h"

/* ---- sizes and inputs ---------------------------------------------------------------------------------- */

static int shape_convolve(struct lab_run *run)
{
    return lab_shape_convolution(run, LAB08_TAPS);
}

/*
 * With whole numbers, every sum is exact, so that one wrong term among 1024 shows. With numbers up to L, the
 * sums of fast FIR, the largest that the contract allows for, stay below 4 * 256 * (4 L)^2: below 2^24 in
 * float for L = 25, below 2^53 in double, where the products are too long for a float.
 */
static void fill_convolve(struct lab_run *run)
{
    lab_fill_convolution(run, LAB08_TAPS, sizeof(real) == sizeof(float) ? 25 : 600000);
}

/* ---- the reference ------------------------------------------------------------------------------------- */

/* A term passes through this many roundings in the reference, not through 1024: see products_convolution. */
enum { RUN = 32, REFERENCE_ROUNDINGS = RUN + LAB08_TAPS / RUN };

/*
 * The contract's bound: 2400 rounded operations on the largest magnitude among seven neighbors. That
 * leaves room for two levels of fast FIR: a branch's term passes through 2 rounded sums of taps, 2
 * differences of elements, 256 multiply-adds and 2 sums, 262 in all; and of the 9 branches' terms, written
 * out, each level's H0 + 2 H1 with x[2m] and H1 with x[2m - 1] triple the magnitude at most, with products
 * that belong to the output itself and to those up to three places away: 9 * 262 = 2358. The reference's own
 * roundings, in double, are added; they matter if the kernel computes in double, too.
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
        return; /* no output will be within its tolerance, and the case says so */
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

/* The same of a convolution with LAB08_FEW taps; each output passes through as many rounded operations. */
static int shape_few(struct lab_run *run)
{
    return lab_shape_convolution(run, LAB08_FEW);
}

static void fill_few(struct lab_run *run)
{
    lab_fill_convolution(run, LAB08_FEW, sizeof(real) == sizeof(float) ? 900 : 20000000);
}

static void expect_few(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    const struct products_convolution sums = {.x = run->buffer[0].data,
                                              .h = run->buffer[1].data,
                                              .n = run->arg[0],
                                              .taps = LAB08_FEW,
                                              .run = LAB08_FEW,
                                              .first = expect->first,
                                              .count = expect->count,
                                              .want = expect->want,
                                              .magnitude = expect->tolerance};
    const double factor = lab_sum_factor(LAB08_FEW + 1) + LAB08_FEW * 0x1p-53;
    (void)buffer;
    products_convolution(&sums);
    for (int64_t i = 0; i < expect->count; i++)
        expect->tolerance[i] = run->arg[1] == LAB_RANDOM ? factor * expect->tolerance[i] : 0;
}

/* ---- what an output is made of ------------------------------------------------------------------------- */

static int needs_convolve(const struct lab_run *run, int buffer, int64_t index, struct lab_need *need)
{
    (void)buffer;
    return lab_needs_convolution(run, index, LAB08_TAPS, need);
}

static int needs_few(const struct lab_run *run, int buffer, int64_t index, struct lab_need *need)
{
    (void)buffer;
    return lab_needs_convolution(run, index, LAB08_FEW, need);
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

static double bytes_few(const int64_t *arg)
{
    return lab_bytes_convolution(arg, LAB08_FEW);
}

static double flops_few(const int64_t *arg)
{
    return lab_flops_convolution(arg, LAB08_FEW);
}

/* Another algorithm may need this many times fewer operations: fast FIR two thirds, an FFT a fourteenth. */
#define SAVED 16

/*
 * The roof is the arithmetic: 256 multiply-adds per byte. All stages are timed at 2^22 elements, a fifth of
 * a second of reference for each of several input sets. Figures are of an H100: measured ones from
 * docs/evidence/measured-h100.md, modeled ones by the simulator at 2^22.
 *
 * (a) Modeled 12 % (double 25 %); 11 % was measured with the taps loaded from global memory as well, in
 * both. 0.06 is half of that.
 */
static const struct lab_speed speed_naive = {
    .gpu_arg = {1 << 22, LAB_RANDOM},
    .sim_arg = {1 << 16, LAB_RANDOM},
    .bytes = bytes_convolve,
    .flops = flops_convolve,
    .fraction = 0.06,
    .fraction_double = 0.06,
    .flops_saved = SAVED,
    .advice =
        "Compute one output per thread, and neighboring outputs in neighboring threads: then the 32 elements that a "
        "warp loads are neighbors, too.",
};

/*
 * (b) Modeled 16 % (double 18 %); 17 % was measured with all taps and elements in shared memory. Stage (a)
 * is nearly as fast: L1 is as fast as shared memory for suitable addresses. It fails here by the limit of
 * global loads. 0.12 leaves a quarter for other shapes.
 */
static const struct lab_speed speed_tile = {
    .gpu_arg = {1 << 22, LAB_RANDOM},
    .sim_arg = {1 << 16, LAB_RANDOM},
    .bytes = bytes_convolve,
    .flops = flops_convolve,
    .fraction = 0.12,
    .fraction_double = 0.12,
    .flops_saved = SAVED,
    .advice = "The loop over the terms should have only two loads from shared memory and a multiply-add: no "
              "comparison, no barrier.",
};

/*
 * (c) By the model, the solution reaches 70 % of the roof. A kernel with one load from shared memory per multiply-add
 * reaches at most 25 %: 32 words per cycle, and 128 multiply-adds. So does a window of 8 or 16 outputs, whose loads
 * take 8 or 16 cycles because of bank conflicts (modeled 24 %). 0.30 lies above both, and a loop that moves its
 * window with instructions (34 %) passes.
 */
static const struct lab_speed speed_registers = {
    .apart_is_meant = true, /* section 4 of the notes: threads read words that are 12 apart */
    .gpu_arg = {1 << 22, LAB_RANDOM},
    .sim_arg = {1 << 17, LAB_RANDOM},
    .bytes = bytes_convolve,
    .flops = flops_convolve,
    .fraction = 0.30,
    .fraction_double = 0.30,
    .flops_saved = SAVED,
    .advice =
        "Each number from shared memory should serve many multiply-adds. Are the window and the sums in registers, "
        "with all loops over them unrolled? Or do bank conflicts cancel the gain?",
};

/*
 * (c) by vectors: step 04, which has its taps in shared memory, reaches 78 % at 2^24 (double 77 %); stage (c) without vectors
 * 69 % at 2^22, so that a limit of its own asks for vectors without conflicts. 0.50 lies below what one call at 2^22 may take.
 */
static const struct lab_speed speed_vectors = {
    .gpu_arg = {1 << 22, LAB_RANDOM},
    .sim_arg = {1 << 17, LAB_RANDOM},
    .bytes = bytes_convolve,
    .flops = flops_convolve,
    .fraction = 0.50,
    .fraction_double = 0.40,
    .flops_saved = SAVED,
    .advice =
        "One read of 16 bytes brings four elements (two in double), and each serves 16 multiply-adds. Are all loops over the "
        "window unrolled, and does the distance from thread to thread avoid bank conflicts?",
};

/*
 * (d) On an H100 the kernel reaches 89 % of the roof at 2^24, and 72 % was measured at 2^22, where the copy
 * of the taps takes part of the time. 0.60 asks for outputs in registers. A limit of its own demands vector
 * loads without bank conflicts, which stage (c) does not have. In double the roof is the GPU's FP64
 * rate: half of FP32 on an H100, 1/64 on most others.
 */
static const struct lab_speed speed_convolve = {
    .gpu_arg = {1 << 22, LAB_RANDOM},
    .sim_arg = {1 << 18, LAB_RANDOM},
    .bytes = bytes_convolve,
    .flops = flops_convolve,
    .fraction = 0.60,
    .fraction_double = 0.50,
    .flops_saved = SAVED,
    .advice =
        "Nearly every instruction must be a multiply-add: keep many outputs and the window in registers, "
        "load by vectors, and let the taps come from constant memory.",
};

/*
 * (e) Less than for (d): the exchange takes 0.3 % of the time by the model, but 11 to 18 % on an H100, where calls take
 * 0.201 or 0.214 ms, 65 or 61 % of the roof, from one grading to the next; both leave 1.17 times the time or more.
 */
static const struct lab_speed speed_in_order = {
    .gpu_arg = {1 << 22, LAB_RANDOM},
    .sim_arg = {1 << 18, LAB_RANDOM},
    .bytes = bytes_convolve,
    .flops = flops_convolve,
    .fraction = 0.52,
    .fraction_double = 0.50,
    .flops_saved = SAVED,
    .advice = "Everything but the store should be as in stage (d): the exchange happens once per block.",
};

/*
 * (e) with few taps: bound by memory. By the model 98 % of a copy's rate, and 63 % if each thread stores its own
 * outputs; measured on an H100: 93 and 53 %. The limit of sectors asks for the exchange.
 */
static const struct lab_speed speed_few = {
    .gpu_arg = {1 << 26, LAB_RANDOM},
    .sim_arg = {1 << 18, LAB_RANDOM},
    .bytes = bytes_few,
    .flops = flops_few,
    .fraction = 0.40,
    .fraction_double = 0.40,
    .advice = "Store neighboring vectors in neighboring threads, by way of shared memory.",
};

/* ---- traffic ------------------------------------------------------------------------------------------- */

/*
 * 32 neighboring floats lie in 4 sectors, or in 5 if they begin inside one; doubles in 8 or 9. A term
 * takes one load; two if the tap is loaded as well.
 */
static const struct lab_counter_limit limits_naive[] = {
    {LAB_LOAD_SECTORS_PER_REQUEST, 5.05, 9.1,
     "Neighboring threads should load neighboring elements of d_x, at the same time."},
    {LAB_STORE_SECTORS_PER_REQUEST, 4.1, 8.2, "Neighboring threads should store neighboring outputs."},
    {LAB_LOADS_PER_PRODUCT, 120, 120,
     "Use one load per term: the taps should come from constant memory, c_h."},
    {.meaning = NULL},
};

/* 128 taps and 256 elements for 128 x 128 multiply-adds are 2.4 per 100; stage (a) has 100. */
static const struct lab_counter_limit limits_tile[] = {
    {LAB_LOADS_PER_PRODUCT, 10, 10,
     "The terms should come from shared memory. The threads of the block should load it together, once per piece "
     "of the taps."},
    {LAB_SHARED_CONFLICTS, 2, 2,
     "At each step, neighboring threads should read neighboring elements, and all threads the same tap."},
    {.meaning = NULL},
};

/*
 * The taps come from constant memory, the tile is loaded once for all of them, and each element that is read
 * serves 12 multiply-adds: 11 reads per 100. 30 leaves room for windows of 4; stage (b) has 200.
 */
static const struct lab_counter_limit limits_registers[] = {
    {LAB_LOADS_PER_PRODUCT, 1, 1, "The block's tile should be loaded once, for all taps."},
    {LAB_READS_PER_PRODUCT, 30, 30,
     "An element that is in a register should serve all of the thread's outputs."},
    {.meaning = NULL},
};

/*
 * Four vectors (eight in double) per 256 multiply-adds, and the tile, are 2.3 (6.6) reads per 100; stage (c) without vectors
 * has 11. Conflicts: because of the gap, a warp stores its part of the tile in two turns instead of one, 2 %; without a gap,
 * reads take four times as long (eight in double). In double there are 23 % more: see (d).
 */
static const struct lab_counter_limit limits_vectors[] = {
    {LAB_READS_PER_PRODUCT, 5, 8,
     "Read the window by vectors: one read of 16 bytes for every four taps (two in double)."},
    {LAB_SHARED_CONFLICTS, 10, 30,
     "Eight threads that read vectors together should use eight different groups of banks: leave a gap of one vector after each row "
     "of the tile, so that the distance from one thread to the next is an odd number of vectors."},
    {.meaning = NULL},
};

/*
 * There are none in float. In double nvcc's PTX, which the simulator runs, reads a few words a second time, one
 * by one; ptxas removes these loads, and ncu counts none. 16 outputs without a gap would give 300 and
 * 700 %; stage (c) has 294 %.
 */
static const struct lab_counter_limit limits_convolve[] = {
    {LAB_SHARED_CONFLICTS, 2, 30,
     "Eight threads that read vectors together should use eight different groups of banks: the distance from one "
     "thread to the next should be an odd number of vectors."},
    {.meaning = NULL},
};

/*
 * Neighboring vectors are 16 sectors per request, single elements 4 or 8; stage (d) has 25 to 32. Sums that
 * are written into shared memory one by one have bank conflicts, four lanes per bank: 8 % more wavefronts in
 * all, which cost hardly any time, and pass. If they were read with a stride of a block, there would be far more.
 */
static const struct lab_counter_limit limits_in_order[] = {
    {LAB_STORE_SECTORS_PER_REQUEST, 16.5, 16.5,
     "The threads of a warp should store neighboring vectors, not their own outputs."},
    {LAB_SHARED_CONFLICTS, 12, 42,
     "Eight threads that read or write vectors together should use eight different groups of banks; if they read "
     "single words, neighboring threads should read neighboring words."},
    {.meaning = NULL},
};

/* Few taps: the same sectors; load_elements loads single numbers. */
static const struct lab_counter_limit limits_few[] = {
    {LAB_STORE_SECTORS_PER_REQUEST, 16.5, 16.5,
     "The threads of a warp should store neighboring vectors, not their own outputs."},
    {.meaning = NULL},
};
static const int64_t limit_arg[LAB_MAX_ARGS] = {10000, LAB_RANDOM};

/* ---- the tables ---------------------------------------------------------------------------------------- */

/* (a), (b), (c): 3072 outputs are 24 blocks of 128, or 2 of 12 x 128. */
static const struct lab_case cases_stages[] = {
    {"nothing at all", {0, LAB_WHOLE}, false},
    {"one element", {1, LAB_WHOLE}, false},
    {"an impulse", {100, LAB_IMPULSE}, false},
    {"one short of the taps", {1023, LAB_WHOLE}, false},
    {"as many as taps", {1024, LAB_WHOLE}, false},
    {"one more than taps", {1025, LAB_WHOLE}, false},
    {"outputs one short of a block", {2048, LAB_WHOLE}, false},
    {"outputs of a whole block", {2049, LAB_WHOLE}, false},
    {"outputs one more than a block", {2050, LAB_WHOLE}, false},
    {"random, a prime", {10007, LAB_RANDOM}, false},
    {"2^20 + 3", {(1 << 20) + 3, LAB_WHOLE}, true},
    {NULL, {0}, false},
};

/* (c) by vectors: 2048 outputs are a block of 16 x 128. */
static const struct lab_case cases_vectors[] = {
    {"nothing at all", {0, LAB_WHOLE}, false},
    {"one element", {1, LAB_WHOLE}, false},
    {"17", {17, LAB_WHOLE}, false},
    {"an impulse", {100, LAB_IMPULSE}, false},
    {"outputs one short of a block", {1024, LAB_WHOLE}, false},
    {"outputs of a whole block", {1025, LAB_WHOLE}, false},
    {"outputs one more than a block", {1026, LAB_WHOLE}, false},
    {"random, a prime", {10007, LAB_RANDOM}, false},
    {"2^20 + 3", {(1 << 20) + 3, LAB_WHOLE}, true},
    {NULL, {0}, false},
};

/* With few taps the block has 3581 elements. */
static const struct lab_case cases_few[] = {
    {"few, nothing at all", {0, LAB_WHOLE}, false},
    {"few, one element", {1, LAB_WHOLE}, false},
    {"few, outputs of a whole block", {3581, LAB_WHOLE}, false},
    {"few, outputs one more than a block", {3582, LAB_WHOLE}, false},
    {"few, random, a prime", {10007, LAB_RANDOM}, false},
    {"few, 2^20 + 3", {(1 << 20) + 3, LAB_WHOLE}, true},
    {NULL, {0}, false},
};

/* (d), (e): 3584 outputs are a block of 28 x 128, or 2 of 14 x 128. */
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

static const struct lab_case cases_in_order[] = {
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
    {"2^20 + 3", {(1 << 20) + 3, LAB_WHOLE}, true},
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
        .id = "naive",
        .part = "a",
        .title = "one output per thread",
        .points = 15,
        .arg_names = {"n", "inputs"},
        .size_arg = 0,
        .cases = cases_stages,
        .shape = shape_convolve,
        .fill = fill_convolve,
        .expect = expect_convolve,
        .needs = needs_convolve,
        .granule = 1,
        .keeps_reference = true,
        .speed = &speed_naive,
        .limits = limits_naive,
        .limit_arg = limit_arg,
    },
    {
        .id = "tile",
        .part = "b",
        .title = "in shared memory, piece by piece",
        .points = 15,
        .arg_names = {"n", "inputs"},
        .size_arg = 0,
        .cases = cases_stages,
        .shape = shape_convolve,
        .fill = fill_convolve,
        .expect = expect_convolve,
        .needs = needs_convolve,
        .granule = 1,
        .keeps_reference = true,
        .speed = &speed_tile,
        .limits = limits_tile,
        .limit_arg = limit_arg,
    },
    {
        .id = "registers",
        .part = "c",
        .title = "a window in registers",
        .points = 15,
        .arg_names = {"n", "inputs"},
        .size_arg = 0,
        .cases = cases_stages,
        .shape = shape_convolve,
        .fill = fill_convolve,
        .expect = expect_convolve,
        .needs = needs_convolve,
        .granule = 1,
        .keeps_reference = true,
        .speed = &speed_registers,
        .limits = limits_registers,
        .limit_arg = limit_arg,
    },
    {
        .id = "vectors",
        .part = "c",
        .title = "the window by vectors",
        .points = 10,
        .arg_names = {"n", "inputs"},
        .size_arg = 0,
        .cases = cases_vectors,
        .shape = shape_convolve,
        .fill = fill_convolve,
        .expect = expect_convolve,
        .needs = needs_convolve,
        .granule = 1,
        .keeps_reference = true,
        .speed = &speed_vectors,
        .limits = limits_vectors,
        .limit_arg = limit_arg,
    },
    {
        .id = "edges",
        .part = "d",
        .title = "the ring: every output, at every size",
        .points = 15,
        .arg_names = {"n", "inputs"},
        .size_arg = 0,
        .cases = cases_edges,
        .shape = shape_convolve,
        .fill = fill_convolve,
        .expect = expect_convolve,
        .needs = needs_convolve,
        .granule = 1,
        .keeps_reference = true,
    },
    {
        .id = "convolve",
        .part = "d",
        .title = "as fast as multiply-adds can be",
        .points = 20,
        .arg_names = {"n", "inputs"},
        .size_arg = 0,
        .cases = cases_convolve,
        .shape = shape_convolve,
        .fill = fill_convolve,
        .expect = expect_convolve,
        .needs = needs_convolve,
        .granule = 1,
        .keeps_reference = true,
        .speed = &speed_convolve,
        .limits = limits_convolve,
        .limit_arg = limit_arg,
    },
    {
        .id = "in_order",
        .part = "e",
        .title = "outputs stored in order",
        .points = 5,
        .arg_names = {"n", "inputs"},
        .size_arg = 0,
        .cases = cases_in_order,
        .shape = shape_convolve,
        .fill = fill_convolve,
        .expect = expect_convolve,
        .needs = needs_convolve,
        .granule = 1,
        .keeps_reference = true,
        .speed = &speed_in_order,
        .limits = limits_in_order,
        .limit_arg = limit_arg,
    },
    {
        .id = "few",
        .part = "e",
        .title = "few taps, stored as in (d)",
        .arg_names = {"n", "inputs"},
        .size_arg = 0,
        .cases = cases_few,
        .shape = shape_few,
        .fill = fill_few,
        .expect = expect_few,
        .needs = needs_few,
        .granule = 1,
        .keeps_reference = true,
        .speed = &speed_few,
        .shown_only = true,
    },
    {
        .id = "few_in_order",
        .part = "e",
        .title = "few taps, stored in order",
        .points = 5,
        .arg_names = {"n", "inputs"},
        .size_arg = 0,
        .cases = cases_few,
        .shape = shape_few,
        .fill = fill_few,
        .expect = expect_few,
        .needs = needs_few,
        .granule = 1,
        .keeps_reference = true,
        .speed = &speed_few,
        .limits = limits_few,
        .limit_arg = limit_arg,
    },
};

const struct lab the_lab = {
    .name = "lab08",
    .folder = "lab08_conv1d_1024",
    .title = "Convolution with 1024 taps: bound by arithmetic",
    .tasks = tasks + LAB_FROM(4),
    .task_count = sizeof tasks / sizeof *tasks - LAB_FROM(7),
    .step = LAB_FROM(4) > 0,
};
