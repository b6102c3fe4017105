/* Lab 04: cases, references, tolerances and thresholds. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>

#include "harness/lab/parallel.h"
#include "harness/lab/task_parts.h"
#include "lab04.h"

/* ---- sizes and inputs ---------------------------------------------------------------------------------- */

static int shape_histogram(struct lab_run *run)
{
    run->buffer[0] = lab_device("d_key", LAB_IN, LAB_UINT32, run->arg[0]);
    run->buffer[1] = lab_device("d_count", LAB_OUT, LAB_UINT32, LAB04_BINS);
    return 2;
}

/* arg[1]: how the keys are distributed. */
enum { UNIFORM, SKEWED, ONE_BIN };

/* Skewed: a bit is set only if three random ones are, so that two keys of three hold less than two bits. */
static void make_keys(void *context, int64_t begin, int64_t end)
{
    struct lab_run *run = context;
    unsigned *key = run->buffer[0].data;
    const unsigned only = (unsigned)lab_random_u64(run->seed, 1, 0) % LAB04_BINS;
    for (int64_t i = begin; i < end; i++) {
        const unsigned random = key[i];
        const unsigned bits = run->arg[1] == UNIFORM ? random : random & random >> 8 & random >> 16;
        key[i] = run->arg[1] == ONE_BIN ? only : bits % LAB04_BINS;
    }
}

static void fill_histogram(struct lab_run *run)
{
    lab_fill_uint32(run->buffer[0].data, run->arg[0], run->seed, 0);
    parallel_for(run->arg[0], make_keys, run);
}

static int shape_largest_key(struct lab_run *run)
{
    run->buffer[0] = lab_device("d_key", LAB_IN, LAB_UINT32, run->arg[0]);
    run->buffer[1] = lab_device("d_largest", LAB_OUT, LAB_UINT32, 1);
    return 2;
}

/* arg[1]: any keys; rising ones, of which each replaces the one before; the largest one first; zeros. */
enum { ANY_KEYS, RISING, FALLING, ZEROS };

static void fill_largest_key(struct lab_run *run)
{
    unsigned *key = run->buffer[0].data;
    const int64_t n = run->arg[0];
    lab_fill_uint32(key, n, run->seed, 0);
    for (int64_t i = 0; i < n && run->arg[1] != ANY_KEYS; i++)
        key[i] = run->arg[1] == ZEROS ? 0 : (unsigned)(run->arg[1] == RISING ? i + 1 : n - i) * 37;
}

/* arg[1]: what is special about the numbers. */
enum { WITH_NAN, WITH_INFINITY, MINUS_ZEROS, BOTH_ZEROS, NEGATIVE };

/* d_y is INOUT: what it holds is read by the binding, and looked at as three numbers. */
static int shape_special(struct lab_run *run)
{
    run->buffer[0] = lab_device("d_x", LAB_IN, LAB_REAL, run->arg[0]);
    run->buffer[1] = lab_device("d_y", LAB_INOUT, LAB_REAL, 1);
    return 2;
}

static void fill_special(struct lab_run *run)
{
    real *x = run->buffer[0].data;
    const int64_t n = run->arg[0];
    const int64_t somewhere = n > 0 ? (int64_t)(lab_random_u64(run->seed, 1, 0) % (uint64_t)n) : 0;
    ((real *)run->buffer[1].data)[0] = 3; /* must be overwritten */
    lab_fill_real(x, n, run->seed, 0);
    for (int64_t i = 0; i < n; i++) {
        if (run->arg[1] == MINUS_ZEROS || run->arg[1] == BOTH_ZEROS)
            x[i] = (real)-0.0;
        else if (run->arg[1] == NEGATIVE)
            x[i] = x[i] < 0 ? x[i] - 1 : -x[i] - 1;
    }
    if (n > 0 && run->arg[1] == WITH_NAN)
        x[somewhere] = NAN;
    if (n > 0 && run->arg[1] == WITH_INFINITY)
        x[somewhere] = INFINITY;
    if (n > 0 && run->arg[1] == BOTH_ZEROS)
        x[somewhere] = 0;
}

/* ---- references: all exact ----------------------------------------------------------------------------- */

/* What several threads gather: counts or a maximum, in any order. */
struct gathered {
    const void *input;
    struct lab_expect *expect;
    pthread_mutex_t mutex;
};

static void count_keys(void *context, int64_t begin, int64_t end)
{
    struct gathered *gathered = context;
    const unsigned *key = gathered->input;
    int64_t count[LAB04_BINS] = {0};
    for (int64_t i = begin; i < end; i++)
        count[key[i]]++;
    pthread_mutex_lock(&gathered->mutex);
    for (int b = 0; b < LAB04_BINS; b++)
        gathered->expect->want[b] += (double)count[b];
    pthread_mutex_unlock(&gathered->mutex);
}

static void expect_histogram(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    struct gathered gathered = {run->buffer[0].data, expect, PTHREAD_MUTEX_INITIALIZER};
    (void)buffer;
    parallel_for(run->arg[0], count_keys, &gathered);
}

static void find_max(void *context, int64_t begin, int64_t end)
{
    struct gathered *gathered = context;
    const real *x = gathered->input;
    double largest = -INFINITY;
    for (int64_t i = begin; i < end; i++)
        largest = fmax(largest, x[i]);
    pthread_mutex_lock(&gathered->mutex);
    gathered->expect->want[0] = fmax(gathered->expect->want[0], largest);
    pthread_mutex_unlock(&gathered->mutex);
}

static void expect_max(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    struct gathered gathered = {run->buffer[0].data, expect, PTHREAD_MUTEX_INITIALIZER};
    (void)buffer;
    expect->want[0] = -INFINITY;
    parallel_for(run->arg[0], find_max, &gathered);
}

static void expect_largest_key(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    const unsigned *key = run->buffer[0].data;
    (void)buffer;
    for (int64_t i = 0; i < run->arg[0]; i++)
        expect->want[0] = fmax(expect->want[0], key[i]);
}

static void expect_special(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    const real *x = run->buffer[0].data;
    double largest = -INFINITY;
    (void)buffer;
    for (int64_t i = 0; i < run->arg[0]; i++) {
        expect->want[0] = expect->want[0] || isnan(x[i]);
        if (x[i] > largest || (x[i] == largest && !signbit(x[i])))
            largest = x[i];
    }
    if (!expect->want[0]) {
        expect->want[1] = signbit(largest) != 0;
        expect->want[2] = largest;
    }
}

/* ---- what an output is made of ------------------------------------------------------------------------- */

static bool has_key(const struct lab_run *run, int64_t index, int64_t element)
{
    return ((const unsigned *)run->buffer[0].data)[element] == (unsigned)index;
}

static int needs_histogram(const struct lab_run *run, int buffer, int64_t index, struct lab_need *need)
{
    (void)buffer, (void)index;
    need[0] = (struct lab_need){
        .buffer = 0, .first = 0, .count = run->arg[0], .stride = 1, .counted = true, .chosen = has_key};
    return 1;
}

/* The largest number's place, +0 before -0. No rows if there is no number, or one is NaN. */
static int needs_max(const struct lab_run *run, int buffer, int64_t index, struct lab_need *need)
{
    const real *x = run->buffer[0].data;
    int64_t at = 0;
    (void)buffer, (void)index;
    for (int64_t i = 0; i < run->arg[0]; i++) {
        if (isnan(x[i]))
            return 0;
        if (x[i] > x[at] || (x[i] == x[at] && signbit(x[at]) && !signbit(x[i])))
            at = i;
    }
    need[0] = (struct lab_need){.buffer = 0, .first = at, .count = 1, .stride = 1, .of_many = true};
    return run->arg[0] > 0;
}

/* ---- who computes what --------------------------------------------------------------------------------- */

static void owner_bin(const struct lab_run *run, int buffer, int64_t index, char *text, size_t size)
{
    (void)run, (void)buffer;
    snprintf(text, size, "how many keys are %lld", (long long)index);
}

/* ---- speed --------------------------------------------------------------------------------------------- */

static double bytes_keys(const int64_t *arg)
{
    return sizeof(unsigned) * (double)arg[0];
}

/*
 * One atomic a block of 128, and all of them on one address: an H100 takes 2 ns for each, 1.57 ms for 1e8
 * elements in float, which is 8 % of the roof. Lab 06 does something about it. 0.05 asks for no more than
 * one atomic per block: one for each thread takes a hundred times as long. Where memory is faster, the method
 * decides: 1.77 ns for each block's atomic on an H100, 1.76 ns on an H200, of which 0.9 is reached and 0.55
 * asked for; one atomic for each warp is at 0.25.
 */
static const struct lab_speed speed_sum = {
    .gpu_arg = {100000000},
    .sim_arg = {1 << 20},
    .bytes = lab_bytes_sum,
    .fraction = 0.05,
    .fraction_double = 0.08,
    .roof = {.bandwidth = LAB_READ},
    .method = {.bandwidth = LAB_READ, .atomics = lab_blocks_of_128},
    .method_fraction = 0.55,
    .advice = "All atomics wait for one address: add the block's numbers up in shared memory first, so that "
              "there is one atomicAdd for each block.",
};

/*
 * Counting in shared memory keeps up with half of the bandwidth and more, whatever the keys are; on the H100
 * 72 % in either case. 0.40 leaves room for GPUs whose shared atomics are slower. Each
 * thread reads one word at a time: where memory is much faster than that (modeled: a B200), the method decides.
 */
static const struct lab_speed speed_histogram = {
    .gpu_arg = {1 << 26, UNIFORM},
    .roof = {.bandwidth = LAB_READ},
    .sim_arg = {1 << 21, UNIFORM},
    .all_blocks = true,
    .bytes = bytes_keys,
    .fraction = 0.40,
    .fraction_double = 0.40,
    .method = {.bandwidth = LAB_WORD_32},
    .method_fraction = 0.70,
    .advice =
        "Let each block count in 256 counters of its own, in shared memory, and add them to d_count once. "
        "No other atomics should go to global memory.",
};

static const struct lab_speed speed_one_bin = {
    .gpu_arg = {1 << 26, ONE_BIN},
    .roof = {.bandwidth = LAB_READ},
    .sim_arg = {1 << 21, ONE_BIN},
    .all_blocks = true,
    .bytes = bytes_keys,
    .fraction = 0.40,
    .fraction_double = 0.40,
    .method = {.bandwidth = LAB_WORD_32},
    .method_fraction = 0.70,
    .advice =
        "All keys are equal: every atomic in global memory waits for one address. Count in shared memory.",
};

/* Shown for the contrast, not judged. */
static const struct lab_speed speed_global = {
    .gpu_arg = {1 << 24, UNIFORM},
    .roof = {.bandwidth = LAB_READ},
    .sim_arg = {1 << 20, UNIFORM},
    .bytes = bytes_keys,
};
static const struct lab_speed speed_global_one_bin = {
    .gpu_arg = {1 << 24, ONE_BIN},
    .roof = {.bandwidth = LAB_READ},
    .sim_arg = {1 << 20, ONE_BIN},
    .bytes = bytes_keys,
};

/*
 * One compare-and-swap per block reaches 19.9 % of the roof on an H100 and 13.7 % on an H200, one per warp 5.3 %
 * (9.5 % in double), one per thread 0.2 % (0.3 %), 2026-11-22. 0.02 asks for no more than that threads agree on their
 * largest first.
 */
static const struct lab_speed speed_max = {
    .gpu_arg = {1 << 26},
    .roof = {.bandwidth = LAB_READ},
    .sim_arg = {1 << 20},
    .bytes = lab_bytes_sum,
    .fraction = 0.02,
    .fraction_double = 0.02,
    .advice =
        "All compare-and-swaps wait for one address: find the block's largest in shared memory first, so "
        "that there is one for each block.",
};

/* ---- the tables ---------------------------------------------------------------------------------------- */

/* At least two blocks, so that there is another block to race with. */
static const struct lab_case cases_race[] = {
    {"two blocks", {129}, false},
    {"many blocks, ragged end", {100003}, false},
    {"2^24", {1 << 24}, true},
    {NULL, {0}, false},
};

static const struct lab_case cases_sum[] = {
    {"nothing at all", {0}, false},
    {"one element", {1}, false},
    {"one short of a warp", {31}, false},
    {"one more than a warp", {33}, false},
    {"one short of a block", {127}, false},
    {"a block", {128}, false},
    {"one more than a block", {129}, false},
    {"a prime", {1009}, false},
    {"many blocks, ragged end", {100003}, false},
    {"100,000,000 elements", {100000000}, true},
    {NULL, {0}, false},
};

static const struct lab_case cases_global[] = {
    {"nothing at all", {0, UNIFORM}, false},
    {"uniform, ragged end", {50021, UNIFORM}, false},
    {NULL, {0}, false},
};

static const struct lab_case cases_global_one_bin[] = {
    {"one key", {1, ONE_BIN}, false},
    {"all in one bin", {50021, ONE_BIN}, false},
    {NULL, {0}, false},
};

static const struct lab_case cases_histogram[] = {
    {"no keys", {0, UNIFORM}, false},
    {"one key", {1, UNIFORM}, false},
    {"one more than a warp", {33, SKEWED}, false},
    {"as many as bins", {256, UNIFORM}, false},
    {"one more than a block", {513, UNIFORM}, false},
    {"a prime", {10007, UNIFORM}, false},
    {"skewed", {50021, SKEWED}, false},
    {"more than the GPU holds at once", {400009, UNIFORM}, false},
    {"2^24 + 3, skewed", {(1 << 24) + 3, SKEWED}, true},
    {NULL, {0}, false},
};

static const struct lab_case cases_one_bin[] = {
    {"one key", {1, ONE_BIN}, false},
    {"one short of a block", {511, ONE_BIN}, false},
    {"all in one bin", {100003, ONE_BIN}, false},
    {"2^26 in one bin", {1 << 26, ONE_BIN}, true},
    {NULL, {0}, false},
};

static const struct lab_case cases_largest_key[] = {
    {"no keys", {0, ANY_KEYS}, false},
    {"one key", {1, ANY_KEYS}, false},
    {"one more than a block", {129, ANY_KEYS}, false},
    {"rising", {1009, RISING}, false},
    {"falling", {1009, FALLING}, false},
    {"zeros", {300, ZEROS}, false},
    {"many blocks, ragged end", {20011, ANY_KEYS}, false},
    {"2^24 + 3", {(1 << 24) + 3, ANY_KEYS}, true},
    {NULL, {0}, false},
};

static const struct lab_case cases_max[] = {
    {"one element", {1}, false},
    {"one short of a warp", {31}, false},
    {"one more than a block", {129}, false},
    {"a prime", {1009}, false},
    {"many blocks, ragged end", {100003}, false},
    {"2^24 + 3", {(1 << 24) + 3}, true},
    {NULL, {0}, false},
};

static const struct lab_case cases_special[] = {
    {"nothing at all", {0, NEGATIVE}, false},
    {"all negative", {1009, NEGATIVE}, false},
    {"one NaN, alone", {1, WITH_NAN}, false},
    {"one NaN among many", {10007, WITH_NAN}, false},
    {"one infinity", {1009, WITH_INFINITY}, false},
    {"-0 only", {300, MINUS_ZEROS}, false},
    {"one +0 among many -0", {1009, BOTH_ZEROS}, false},
    {"2^24 + 3, one NaN", {(1 << 24) + 3, WITH_NAN}, true},
    {NULL, {0}, false},
};

static const struct lab_task tasks[] = {
    {
        .id = "sum_race",
        .part = "a",
        .title = "the wrong way: y += s",
        .arg_names = {"n"},
        .size_arg = 0,
        .cases = cases_race,
        .shape = lab_shape_sum,
        .fill = lab_fill_sum,
        .expect = lab_expect_sum,
        .needs = lab_needs_all,
        .shown_only = true,
        .intended_hazard = "race in global memory",
    },
    {
        .id = "sum",
        .part = "a",
        .title = "the whole sum in one kernel",
        .points = 25,
        .arg_names = {"n"},
        .size_arg = 0,
        .cases = cases_sum,
        .shape = lab_shape_sum,
        .fill = lab_fill_sum,
        .expect = lab_expect_sum,
        .needs = lab_needs_all,
        .gathers = LAB_SUM,
        .speed = &speed_sum,
    },
    {
        .id = "global",
        .part = "b",
        .title = "histogram with global atomics",
        .arg_names = {"n", "keys"},
        .size_arg = 0,
        .cases = cases_global,
        .shape = shape_histogram,
        .fill = fill_histogram,
        .expect = expect_histogram,
        .needs = needs_histogram,
        .owner = owner_bin,
        .speed = &speed_global,
        .shown_only = true,
    },
    {
        .id = "global_one_bin",
        .part = "b",
        .title = "the same, all keys equal",
        .arg_names = {"n", "keys"},
        .size_arg = 0,
        .cases = cases_global_one_bin,
        .shape = shape_histogram,
        .fill = fill_histogram,
        .expect = expect_histogram,
        .needs = needs_histogram,
        .owner = owner_bin,
        .speed = &speed_global_one_bin,
        .shown_only = true,
    },
    {
        .id = "histogram",
        .part = "b",
        .title = "histogram in shared memory",
        .points = 30,
        .arg_names = {"n", "keys"},
        .size_arg = 0,
        .cases = cases_histogram,
        .shape = shape_histogram,
        .fill = fill_histogram,
        .expect = expect_histogram,
        .needs = needs_histogram,
        .owner = owner_bin,
        .speed = &speed_histogram,
    },
    {
        .id = "one_bin",
        .part = "b",
        .title = "the same, all keys equal",
        .points = 10,
        .arg_names = {"n", "keys"},
        .size_arg = 0,
        .cases = cases_one_bin,
        .shape = shape_histogram,
        .fill = fill_histogram,
        .expect = expect_histogram,
        .needs = needs_histogram,
        .owner = owner_bin,
        .speed = &speed_one_bin,
    },
    {
        .id = "largest_key",
        .part = "c",
        .title = "the largest integer",
        .points = 10,
        .arg_names = {"n", "keys"},
        .size_arg = 0,
        .cases = cases_largest_key,
        .shape = shape_largest_key,
        .fill = fill_largest_key,
        .expect = expect_largest_key,
        .gathers = LAB_LARGEST,
    },
    {
        .id = "max",
        .part = "c",
        .title = "the largest, by compare-and-swap",
        .points = 15,
        .arg_names = {"n"},
        .size_arg = 0,
        .cases = cases_max,
        .shape = lab_shape_sum,
        .expect = expect_max,
        .needs = needs_max,
        .gathers = LAB_LARGEST,
        .right_without = 8, /* special values */
        .speed = &speed_max,
    },
    {
        .id = "special",
        .part = "c",
        .title = "NaN, infinity, -0 and +0",
        .points = 10,
        .arg_names = {"n", "inputs"},
        .size_arg = 0,
        .cases = cases_special,
        .shape = shape_special,
        .fill = fill_special,
        .expect = expect_special,
        .needs = needs_max,
        .result_count = 3,
        .result_buffer = 2, /* d_y */
        .result_names = {"is it NaN", "its sign bit", "the number"},
    },
};

const struct lab the_lab = {
    .name = "lab04",
    .folder = "lab04_atomics",
    .title = "Atomics",
    .tasks = tasks,
    .task_count = sizeof tasks / sizeof *tasks,
};
