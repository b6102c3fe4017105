/*
 * A lab that exists for the harness's tests only: its "device" is the host (runtime.c), and its
 * student's functions misbehave on demand (student.c).
 */
#include <math.h>
#include <stdio.h>

#include "harness/lab/lab.h"

#define BLOCK 64

static int shape_copy(struct lab_run *run)
{
    run->buffer[0] = lab_device("d_x", LAB_IN, LAB_REAL, run->arg[0]);
    run->buffer[1] = lab_device("d_y", LAB_OUT, LAB_REAL, run->arg[0]);
    return run->arg[0] % 7 == 3 ? -1 : 2; /* some sizes are not allowed */
}

static void expect_copy(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    (void)buffer;
    const real *x = run->buffer[0].data;
    for (int64_t i = 0; i < expect->count; i++)
        expect->want[i] = x[i];
}

static int shape_sum(struct lab_run *run)
{
    run->buffer[0] = lab_device("d_x", LAB_INOUT, LAB_REAL, run->arg[0]);
    run->buffer[1] = lab_device("d_partial", LAB_OUT, LAB_REAL, (run->arg[0] + BLOCK - 1) / BLOCK);
    return 2;
}

static void expect_sum(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    const real *x = run->buffer[0].data;
    for (int64_t i = 0; i < run->arg[0]; i++) {
        int64_t at = buffer < 0 ? 0 : i / BLOCK;
        expect->want[at] += x[i];
        expect->tolerance[at] += fabs((double)x[i]);
    }
    for (int64_t b = 0; b < expect->count; b++)
        expect->tolerance[b] = lab_sum_bound(expect->tolerance[b], 6);
}

static void owner(const struct lab_run *run, int buffer, int64_t index, char *text, size_t size)
{
    (void)run, (void)buffer;
    snprintf(text, size, "block %lld", (long long)index / BLOCK);
}

static double bytes_copy(const int64_t *arg)
{
    return 2.0 * sizeof(real) * (double)arg[0];
}

static double flops_sum(const int64_t *arg)
{
    return (double)arg[0];
}

static double blocks_copy(const int64_t *arg)
{
    return (double)arg[0] / BLOCK;
}

static const struct lab_speed speed_copy = {
    .gpu_arg = {1 << 16},
    .sim_arg = {1 << 12},
    .bytes = bytes_copy,
    .fraction = 0.1,
    .fraction_double = 0.1,
    .advice = "copy faster",
    .method = {.bandwidth = LAB_WORD, .blocks = blocks_copy, .threads = BLOCK},
    .method_fraction = 0.3,
};

static const struct lab_speed speed_sum = {
    .gpu_arg = {1 << 14},
    .sim_arg = {1 << 12},
    .bytes = bytes_copy,
    .flops = flops_sum,
    .fraction = 0.001,
    .fraction_double = 0.001,
    .advice = "sum faster",
};

static const struct lab_counter_limit limits_copy[] = {
    {LAB_LOAD_SECTORS_PER_REQUEST, 4, 8, "neighbors should read neighbors"},
    {.meaning = NULL},
};
static const int64_t limit_arg[LAB_MAX_ARGS] = {1024};

static const struct lab_case cases[] = {
    {"nothing", {0}, false},
    {"one", {1}, false},
    {"a block", {64}, false},
    {"a prime", {1009}, false},
    {"ragged", {5000}, false},
    {"large", {100000}, true},
    {.name = NULL},
};

static const struct lab_task tasks[] = {
    {
        .id = "copy",
        .part = "a",
        .title = "copying",
        .points = 60,
        .arg_names = {"n"},
        .size_arg = 0,
        .cases = cases,
        .shape = shape_copy,
        .expect = expect_copy,
        .owner = owner,
        .speed = &speed_copy,
        .limits = limits_copy,
        .limit_arg = limit_arg,
    },
    {
        .id = "sum",
        .part = "b",
        .title = "adding",
        .points = 40,
        .arg_names = {"n"},
        .size_arg = 0,
        .cases = cases,
        .shape = shape_sum,
        .expect = expect_sum,
        .result_count = 1,
        .result_names = {"sum"},
        .speed = &speed_sum,
    },
    {
        .id = "again",
        .part = "a",
        .title = "copying, in another way",
        .optional = true,
        .arg_names = {"n"},
        .size_arg = 0,
        .cases = cases,
        .shape = shape_copy,
        .expect = expect_copy,
        .owner = owner,
        .speed = &speed_copy,
    },
};

const struct lab the_lab = {
    .name = "lab90",
    .folder = "lab90_fake",
    .title = "A lab for tests",
    .tasks = tasks,
    .task_count = 3,
};
