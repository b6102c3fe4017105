/* Lab 03: cases, references, tolerances and thresholds. */
#include <math.h>
#include <stdio.h>

#include "harness/lab/task_parts.h"
#include "lab03.h"

/* ---- sizes and inputs ---------------------------------------------------------------------------------- */

static int shape_reduce(struct lab_run *run)
{
    run->buffer[0] = lab_device("d_x", LAB_IN, LAB_REAL, run->arg[0]);
    run->buffer[1] = lab_device("d_partial", LAB_OUT, LAB_REAL, lab_block_count(run->arg[0], run->arg[1]));
    return 2;
}

static int shape_run_ends(struct lab_run *run)
{
    run->buffer[0] = lab_device("d_x", LAB_IN, LAB_REAL, run->arg[0]);
    run->buffer[1] = lab_device("d_label", LAB_IN, LAB_UINT8, run->arg[0]);
    run->buffer[2] = lab_device("d_partial", LAB_OUT, LAB_REAL, lab_block_count(run->arg[0], run->arg[1]));
    return 3;
}

/* Two labels only, so that about half of the elements go on their run, also across block edges. */
static void fill_run_ends(struct lab_run *run)
{
    lab_fill_real(run->buffer[0].data, run->arg[0], run->seed, 0);
    lab_fill_uint8(run->buffer[1].data, run->arg[0], run->seed, 1, 2);
}

/* A refusal must leave d_y alone, so here it is filled, and compared like an input. */
static int shape_refused(struct lab_run *run)
{
    run->buffer[0] = lab_device("d_x", LAB_IN, LAB_REAL, run->arg[0]);
    run->buffer[1] = lab_device("d_y", LAB_IN, LAB_REAL, run->arg[0]);
    run->buffer[2] = lab_device("d_z", LAB_OUT, LAB_REAL, run->arg[0]);
    return 3;
}

/* ---- references ---------------------------------------------------------------------------------------- */

/* Halving a block of B elements, each of them passes through log2 B additions (task_parts.h). */
static void expect_reduce(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    (void)buffer;
    lab_expect_block_sums(run, run->arg[1], expect);
}

/* The same depth; the elements inside a run count as zeros, and adding a zero is exact. */
static void expect_run_ends(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    const real *x = run->buffer[0].data;
    const unsigned char *label = run->buffer[1].data;
    const int64_t n = run->arg[0], block_size = run->arg[1];
    (void)buffer;
    for (int64_t k = 0; k < expect->count; k++) {
        const int64_t b = expect->first + k;
        lab_wide sum = 0, magnitude = 0;
        for (int64_t i = block_size * b; i < block_size * (b + 1) && i < n; i++) {
            if (i == n - 1 || label[i] != label[i + 1]) {
                sum += x[i];
                magnitude += fabs((double)x[i]);
            }
        }
        expect->want[k] = (double)sum;
        expect->tolerance[k] = lab_sum_bound((double)magnitude, lab_halving_depth(block_size));
    }
}

/* Nothing is computed: the tolerance stays 0. */
static void reverse(const struct lab_run *run, int64_t tile, struct lab_expect *expect)
{
    const real *x = run->buffer[0].data;
    const int64_t n = run->arg[0];
    for (int64_t k = 0; k < expect->count; k++) {
        const int64_t i = expect->first + k, first = i / tile * tile;
        const int64_t count = first + tile < n ? tile : n - first;
        expect->want[k] = x[first + count - 1 - (i - first)];
    }
}

/* The returned code is 0, as it stands there. */
static void expect_reverse(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    if (buffer >= 0)
        reverse(run, run->arg[1], expect);
}

/* An error code of CUDA came back, as binding.c maps it; none is pending; the small tile behind it was reversed. */
static void expect_refused(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    if (buffer >= 0) {
        reverse(run, run->arg[2], expect);
        return;
    }
    expect->want[0] = 1;
    expect->want[1] = 0;
    expect->want[2] = 0;
}

/* ---- what an output is made of ------------------------------------------------------------------------- */

static int needs_block(const struct lab_run *run, int buffer, int64_t index, struct lab_need *need)
{
    (void)buffer;
    return lab_needs_block(run, index, run->arg[1], need);
}

static bool ends_run(const struct lab_run *run, int64_t index, int64_t element)
{
    const unsigned char *label = run->buffer[1].data;
    (void)index;
    return element == run->arg[0] - 1 || label[element] != label[element + 1];
}

static int needs_run_ends(const struct lab_run *run, int buffer, int64_t index, struct lab_need *need)
{
    const int rows = needs_block(run, buffer, index, need);
    need[0].chosen = ends_run;
    return rows;
}

static int needs_reversed(const struct lab_run *run, int buffer, int64_t index, struct lab_need *need)
{
    const int64_t n = run->arg[0], tile = run->arg[1], first = index / tile * tile;
    const int64_t count = first + tile < n ? tile : n - first;
    (void)buffer;
    need[0] =
        (struct lab_need){.buffer = 0, .first = first + count - 1 - (index - first), .count = 1, .stride = 1};
    return 1;
}

/* ---- who computes what --------------------------------------------------------------------------------- */

static void owner_block(const struct lab_run *run, int buffer, int64_t index, char *text, size_t size)
{
    (void)buffer;
    lab_owner_of_block(index, run->arg[1], text, size);
}

static void owner_tile(const struct lab_run *run, int buffer, int64_t index, char *text, size_t size)
{
    (void)buffer;
    snprintf(text, size, "block %lld, element %lld of its tile", (long long)(index / run->arg[1]),
             (long long)(index % run->arg[1]));
}

/* ---- speed --------------------------------------------------------------------------------------------- */

static double bytes_reduce(const int64_t *arg)
{
    return lab_bytes_block_sums(arg[0], arg[1]);
}

/* The labels are one byte each. */
static double bytes_run_ends(const int64_t *arg)
{
    return bytes_reduce(arg) + (double)arg[0];
}

/*
 * The same work as in lab 02, instruction for instruction: where the array's size comes from costs
 * nothing at run time. The same thresholds, too.
 */
static const struct lab_speed speed_reduce = {
    .gpu_arg = {100000000, 128},
    .sim_arg = {1 << 21, 128},
    .bytes = bytes_reduce,
    .fraction = 0.15,
    .fraction_double = 0.15,
    .roof = {.bandwidth = LAB_READ},
    .method = {.blocks = lab_blocks_of_128, .threads = 128},
    .method_fraction = 0.75,
    .advice = "Read each element from global memory once and do all the additions in shared memory, halving "
              "the number of threads in each step.",
};

/*
 * The reduction again, with one more load, one more barrier, and a quarter more bytes. (Modeled: see lab
 * 02.) It reaches 0.31 of the roof on an H100, and 0.4 of what one word per thread gives; half of that is
 * asked for where memory is much faster than blocks.
 */
static const struct lab_speed speed_run_ends = {
    .gpu_arg = {1 << 25, 256},
    .sim_arg = {1 << 21, 256},
    .bytes = bytes_run_ends,
    .fraction = 0.12,
    .fraction_double = 0.12,
    .roof = {.bandwidth = LAB_READ},
    .method = {.bandwidth = LAB_WORD},
    .method_fraction = 0.20,
    .advice =
        "Load each label from global memory once: the neighboring thread's label is in shared memory already.",
};

/* How many elements take that many kilobytes. */
#define KILOBYTES(count) ((int64_t)((count)*1024 / sizeof(real)))

/*
 * A block that takes 64 KB of a multiprocessor's shared memory leaves room for one to three of its
 * kind, so few words are under way at any time, and nothing is read while a block writes. 0.20 is meant
 * to be reached with one resident block.
 */
static const struct lab_speed speed_reverse = {
    .gpu_arg = {1 << 25, KILOBYTES(64)},
    .sim_arg = {1 << 21, KILOBYTES(64)},
    .bytes = lab_bytes_map,
    .fraction = 0.20,
    .fraction_double = 0.20,
    .advice = "Neighboring threads should read neighboring elements of a tile, and write neighboring ones.",
};

/* ---- the tables ---------------------------------------------------------------------------------------- */

/*
 * Lanes that idle while their warp executes an instruction, as in lab 02: 10 to 22 % in right sums by halves or by shuffles, 78 %
 * where one thread adds all numbers of a block, which is fast enough for the threshold.
 */
static const struct lab_counter_limit limits_reduce[] = {
    {LAB_IDLE_LANES, 40, 40,
     "Some lanes of a warp work here, and the others wait for them (divergence). Let half of the threads add in the first "
     "step, half of those in the next, and let the threads that add be neighbors, threadIdx.x < k: then whole warps are done."},
    {.meaning = NULL},
};
static const int64_t limit_arg_reduce[LAB_MAX_ARGS] = {64 * 128, 128};

static const struct lab_case cases_reduce[] = {
    {"nothing at all", {0, 128}, false},
    {"one element", {1, 32}, false},
    {"one short of a block of 32", {31, 32}, false},
    {"one more than a block of 32", {33, 32}, false},
    {"a block of 64", {64, 64}, false},
    {"blocks of 128, a prime", {1009, 128}, false},
    {"one short of a block of 256", {255, 256}, false},
    {"two blocks of 512 and one more", {1025, 512}, false},
    {"a block of 1024", {1024, 1024}, false},
    {"blocks of 1024, ragged end", {300007, 1024}, false}, /* more than an H100 holds at once */
    {"blocks of 32, ragged end", {50021, 32}, false},
    {"100,000,000 elements", {100000000, 128}, true},
    {NULL, {0}, false},
};

static const struct lab_case cases_sum[] = {
    {"nothing at all", {0, 64}, false},
    {"one element", {1, 1024}, false},
    {"blocks of 64, ragged end", {20011, 64}, false},
    {"blocks of 512, ragged end", {100003, 512}, false},
    {"2^24 + 3, blocks of 256", {(1 << 24) + 3, 256}, true},
    {NULL, {0}, false},
};

static const struct lab_case cases_run_ends[] = {
    {"nothing at all", {0, 128}, false},
    {"one element", {1, 32}, false},
    {"a block of 32", {32, 32}, false},
    {"one more than a block of 32", {33, 32}, false},
    {"one short of a block", {127, 128}, false},
    {"two whole blocks", {256, 128}, false},
    {"blocks of 64, a prime", {10007, 64}, false},
    {"blocks of 512, ragged end", {50021, 512}, false},
    {"blocks of 1024, whole", {20 * 1024, 1024}, false},
    {"2^24 + 3, blocks of 256", {(1 << 24) + 3, 256}, true},
    {NULL, {0}, false},
};

/* Every GPU that gives a block more than 48 KB at all (compute capability 7.0 and up) gives it 64 KB. */
static const struct lab_case cases_reverse[] = {
    {"nothing at all", {0, 100}, false},
    {"tiles of one", {33, 1}, false},
    {"a tile larger than n", {100, 1000}, false},
    {"ragged tiles", {10007, 1000}, false},
    {"exactly 48 KB", {3 * KILOBYTES(48) + 5, KILOBYTES(48)}, false},
    {"one element more than 48 KB", {2 * KILOBYTES(48) + 7, KILOBYTES(48) + 1}, false},
    {"64 KB", {3 * KILOBYTES(64) - 1, KILOBYTES(64)}, false},
    {"2^24 + 3, tiles of 64 KB", {(1 << 24) + 3, KILOBYTES(64)}, true},
    {NULL, {0}, false},
};

/*
 * No GPU has a megabyte of shared memory in a multiprocessor. The tile of the first case is the smallest that has to be asked for,
 * so that who asks once only has not enough for what comes later.
 */
static const struct lab_case cases_refused[] = {
    {"one element, 1 MB, then more than 48 KB", {1, KILOBYTES(1024), KILOBYTES(48) + 1}, false},
    {"10007 elements, 1 MB, then 64 KB", {10007, KILOBYTES(1024), KILOBYTES(64)}, false},
    {NULL, {0}, false},
};

static const struct lab_task tasks[] = {
    {
        .id = "reduce",
        .part = "a",
        .title = "sums of blocks of any size",
        .points = 30,
        .arg_names = {"n", "block_size"},
        .size_arg = 0,
        .cases = cases_reduce,
        .shape = shape_reduce,
        .expect = expect_reduce,
        .needs = needs_block,
        .granule = 1,
        .owner = owner_block,
        .speed = &speed_reduce,
        .limits = limits_reduce,
        .limit_arg = limit_arg_reduce,
    },
    {
        .id = "sum",
        .part = "a",
        .title = "the whole sum",
        .points = 10,
        .arg_names = {"n", "block_size"},
        .size_arg = 0,
        .cases = cases_sum,
        .shape = lab_shape_returned_sum,
        .fill = lab_fill_returned_sum,
        .expect = lab_expect_sum,
        .needs = lab_needs_all,
        .result_count = 1,
        .result_names = {"sum"},
    },
    {
        .id = "run_ends",
        .part = "b",
        .title = "two arrays in one buffer",
        .points = 30,
        .arg_names = {"n", "block_size"},
        .size_arg = 0,
        .cases = cases_run_ends,
        .shape = shape_run_ends,
        .fill = fill_run_ends,
        .expect = expect_run_ends,
        .needs = needs_run_ends,
        .granule = 1,
        .owner = owner_block,
        .speed = &speed_run_ends,
    },
    {
        .id = "reverse",
        .part = "c",
        .title = "tiles of up to 64 KB, reversed",
        .points = 20,
        .arg_names = {"n", "tile"},
        .size_arg = 0,
        .cases = cases_reverse,
        .shape = lab_shape_map,
        .expect = expect_reverse,
        .needs = needs_reversed,
        .granule = 1,
        .result_count = 1,
        .result_names = {"returned code"},
        .owner = owner_tile,
        .speed = &speed_reverse,
    },
    {
        .id = "refused",
        .part = "c",
        .title = "a tile that no device has room for",
        .points = 10,
        .arg_names = {"n", "tile", "small"},
        .size_arg = 0,
        .cases = cases_refused,
        .shape = shape_refused,
        .expect = expect_refused,
        .granule = 1,
        .result_count = 3,
        .result_names = {"code of the refusal", "error left pending", "code of the small tile"},
        .error_is_answer = "lab03_reverse_tiles",
    },
};

const struct lab the_lab = {
    .name = "lab03",
    .folder = "lab03_dynamic_shared",
    .title = "Dynamic shared memory",
    .tasks = tasks,
    .task_count = sizeof tasks / sizeof *tasks,
};
