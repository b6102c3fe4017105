/* Lab 01: cases, references, tolerances and thresholds. */
#include <math.h>
#include <stdio.h>

#include "harness/lab/task_parts.h"
#include "lab01.h"

/* ---- sizes and inputs ---------------------------------------------------------------------------------- */

static int shape_number(struct lab_run *run)
{
    run->buffer[0] = lab_device("d_number", LAB_OUT, LAB_INT32, run->arg[0]);
    return run->arg[0] % LAB01_BLOCK_SIZE == 0 ? 1 : -1; /* whole blocks only */
}

static int shape_twice(struct lab_run *run)
{
    run->buffer[0] = lab_device("d_x", LAB_IN, LAB_REAL, run->arg[0]);
    run->buffer[1] = lab_device("d_twice", LAB_OUT, LAB_REAL, run->arg[0]);
    return 2;
}

static int shape_round_trip(struct lab_run *run)
{
    run->buffer[0] = lab_host("h_x", LAB_IN, LAB_REAL, run->arg[0]);
    run->buffer[1] = lab_host("h_twice", LAB_OUT, LAB_REAL, run->arg[0]);
    return 2;
}

static int shape_table(struct lab_run *run)
{
    run->buffer[0] = lab_device("d_table", LAB_OUT, LAB_INT32, run->arg[0] * run->arg[1]);
    return 1;
}

static int shape_reduce(struct lab_run *run)
{
    run->buffer[0] = lab_device("d_x", LAB_INOUT, LAB_REAL, run->arg[0]);
    run->buffer[1] = lab_device("d_partial", LAB_OUT, LAB_REAL, run->arg[0] / LAB01_BLOCK_SIZE);
    return run->arg[0] % LAB01_BLOCK_SIZE == 0 ? 2 : -1; /* whole blocks only */
}

static int shape_finish(struct lab_run *run)
{
    run->buffer[0] = lab_host("h_partial", LAB_IN, LAB_REAL, run->arg[0]);
    return 1;
}

/* All parts positive, so that the sum outgrows them: random ones, or 128 times 1.23 in every place. */
static void fill_finish(struct lab_run *run)
{
    real *part = run->buffer[0].data;
    const int equal = run->arg[1] != 0;
    for (int64_t b = 0; b < run->arg[0]; b++)
        part[b] = (real)(LAB01_BLOCK_SIZE * (real)1.23 * (equal ? 1 : 1 + lab_random(run->seed, 0, b) / 2));
}

static int shape_sum(struct lab_run *run)
{
    run->buffer[0] = lab_device("d_x", LAB_INOUT, LAB_REAL, run->arg[0]);
    return run->arg[0] % LAB01_BLOCK_SIZE == 0 ? 1 : -1;
}

static int shape_symbols(struct lab_run *run)
{
    run->buffer[0] = lab_host("h_scale", LAB_IN, LAB_REAL, 1);
    run->buffer[1] = lab_host("h_coefficients", LAB_IN, LAB_REAL, LAB01_COEFFICIENTS);
    run->buffer[2] = lab_device("d_x", LAB_IN, LAB_REAL, run->arg[0]);
    run->buffer[3] = lab_device("d_y", LAB_OUT, LAB_REAL, run->arg[0]);
    return 4;
}

/* ---- references ---------------------------------------------------------------------------------------- */

static void expect_number(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    (void)run, (void)buffer;
    for (int64_t i = 0; i < expect->count; i++)
        expect->want[i] = (double)(expect->first + i);
}

/* Exact: only the exponent changes. */
static void expect_twice(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    const real *x = run->buffer[0].data;
    (void)buffer;
    for (int64_t i = 0; i < expect->count; i++)
        expect->want[i] = 2 * (double)x[expect->first + i];
}

static void expect_table(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    const int64_t columns = run->arg[1];
    (void)buffer;
    for (int64_t i = 0; i < expect->count; i++)
        expect->want[i] = (double)((expect->first + i) / columns * ((expect->first + i) % columns));
}

/* A copy is exact: the tolerance stays 0. */
static void expect_copy(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    const real *x = run->buffer[0].data;
    (void)buffer;
    for (int64_t i = 0; i < expect->count; i++)
        expect->want[i] = x[expect->first + i];
}

/* Halving 128 elements, each of them passes through 7 additions: that is the tolerance (task_parts.h). */
static void expect_reduce(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    (void)buffer;
    lab_expect_block_sums(run, LAB01_BLOCK_SIZE, expect);
}

static double add_pairwise(const real *x, int64_t count)
{
    if (count < 2)
        return count == 1 ? x[0] : 0;
    return add_pairwise(x, count / 2) + add_pairwise(x + count / 2, count - count / 2);
}

/*
 * The contract lets the host lose what adding pairwise in `real` can: each part passes through
 * ceil(log2 count) additions, here one more, for Kahan's method may round twice. The reference adds
 * pairwise too, in double; in REAL=double it may lose as much, so the depth counts twice. All parts are
 * positive: the sum is the magnitude. A plain float loop over 781,250 equal parts is off by 0.5 %, some
 * 2,000 times this.
 */
static void expect_finish(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    const int64_t count = run->arg[0];
    int64_t depth = 1;
    (void)buffer;
    while (((int64_t)1 << (depth - 1)) < count)
        depth++;
    expect->want[0] = add_pairwise(run->buffer[0].data, count);
    expect->tolerance[0] = lab_sum_bound(expect->want[0], 2 * depth);
}

/*
 * s (c0 + c1 x + c2 x^2 + c3 x^3): in any order that is not wasteful a term passes through at most 3
 * multiplications for the powers and the coefficient, 3 additions and the scale. 8 roundings of the sum of
 * the terms' absolute values cover that.
 */
static void expect_polynomial(const struct lab_run *run, const double *c, struct lab_expect *expect)
{
    const long double scale = *(const real *)run->buffer[0].data;
    const real *x = (const real *)run->buffer[2].data + expect->first;
    for (int64_t i = 0; i < expect->count; i++) {
        long double sum = 0, magnitude = 0, power = 1;
        for (int k = 0; k < LAB01_COEFFICIENTS; k++, power *= x[i]) {
            sum += scale * c[k] * power;
            magnitude += fabsl(scale * c[k] * power);
        }
        expect->want[i] = (double)sum;
        expect->tolerance[i] = lab_sum_bound((double)magnitude, 8);
    }
}

/* What was written must come back bit for bit; `reversed`: after the write through the address. */
static void expect_either(const struct lab_run *run, int buffer, int reversed, struct lab_expect *expect)
{
    const real *given = run->buffer[1].data;
    double c[LAB01_COEFFICIENTS];
    for (int k = 0; k < LAB01_COEFFICIENTS; k++)
        c[k] = given[reversed ? LAB01_COEFFICIENTS - 1 - k : k];
    if (buffer >= 0) {
        expect_polynomial(run, c, expect);
        return;
    }
    expect->want[0] = *(const real *)run->buffer[0].data;
    for (int k = 0; k < LAB01_COEFFICIENTS; k++)
        expect->want[1 + k] = c[k];
}

static void expect_symbols(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    expect_either(run, buffer, 0, expect);
}

static void expect_symbol_address(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    expect_either(run, buffer, 1, expect);
}

/* ---- what an output is made of ------------------------------------------------------------------------- */

static int needs_block(const struct lab_run *run, int buffer, int64_t index, struct lab_need *need)
{
    (void)buffer;
    return lab_needs_block(run, index, LAB01_BLOCK_SIZE, need);
}

/* ---- who computes what --------------------------------------------------------------------------------- */

static void owner_element(const struct lab_run *run, int buffer, int64_t index, char *text, size_t size)
{
    (void)run, (void)buffer;
    snprintf(text, size, "block %lld, thread %lld", (long long)index / LAB01_BLOCK_SIZE,
             (long long)index % LAB01_BLOCK_SIZE);
}

/* In blocks of 16 x 16. */
static void owner_table(const struct lab_run *run, int buffer, int64_t index, char *text, size_t size)
{
    const long long row = index / run->arg[1], column = index % run->arg[1];
    (void)buffer;
    snprintf(text, size, "row %lld, column %lld: block (%lld, %lld), thread (%lld, %lld)", row, column,
             column / 16, row / 16, column % 16, row % 16);
}

static void owner_copy(const struct lab_run *run, int buffer, int64_t index, char *text, size_t size)
{
    (void)run, (void)buffer;
    snprintf(text, size, "block %lld, thread %lld", (long long)index / LAB01_COPY_BLOCK_SIZE,
             (long long)index % LAB01_COPY_BLOCK_SIZE);
}

static void owner_block(const struct lab_run *run, int buffer, int64_t index, char *text, size_t size)
{
    (void)run, (void)buffer;
    lab_owner_of_block(index, LAB01_BLOCK_SIZE, text, size);
}

/* ---- speed --------------------------------------------------------------------------------------------- */

/* What halving moves besides is waste. */
static double bytes_reduce(const int64_t *arg)
{
    return lab_bytes_block_sums(arg[0], LAB01_BLOCK_SIZE);
}

/*
 * The roof is the copy bandwidth. One word per thread does not reach it: on an H100, 2026-11-21, ten runs
 * gave this copy 0.73 to 0.74 of it in float (0.54 with blocks of 128 threads) and 0.92 to 0.93 in double;
 * 32 words apart, 0.04 and 0.06. The fractions leave a sixth and a quarter for other GPUs, so that the
 * spread of a good copy never reaches them. An H200 copies 1.4 times as fast, but one float per thread only
 * 1.1 times: 0.58 of its roof. There the method decides: one word per thread in blocks of the best size;
 * this copy reaches 0.92 to 0.93 of that on both, and 0.78 leaves a sixth. Blocks of 128 reach 0.68 on an
 * H100 and 0.63 on an H200.
 */
static const struct lab_speed speed_copy = {
    .gpu_arg = {1 << 25},
    .sim_arg = {1 << 21},
    .bytes = lab_bytes_map,
    .fraction = 0.60,
    .fraction_double = 0.70,
    .method = {.bandwidth = LAB_WORD},
    .method_fraction = 0.78,
    .advice = "Neighboring threads should copy neighboring elements: element blockIdx.x * blockDim.x + "
              "threadIdx.x, not a run of elements for each thread.",
};

/* Shown for the contrast, not judged. */
static const struct lab_speed speed_stride = {
    .gpu_arg = {1 << 25, 32},
    .sim_arg = {1 << 21, 32},
    .bytes = lab_bytes_map,
};

/*
 * Seven steps with a barrier each, most threads idle, for 4 bytes per thread: the instructions, not the
 * memory, set the pace. Half of the roof is out of reach with this method; 0.15 asks for no more than the
 * method, done plainly, gives. In double there are twice the bytes to the same instructions. On a GPU with
 * faster memory it is the start of a block
 * for every 128 elements that takes the time, 0.47 ms on an H100 and an H200 alike; the method reaches 0.99
 * of that, and 0.75 is asked for.
 */
static const struct lab_speed speed_reduce = {
    .gpu_arg = {100000000},
    .sim_arg = {1 << 21},
    .bytes = bytes_reduce,
    .fraction = 0.15,
    .fraction_double = 0.15,
    .roof = {.bandwidth = LAB_READ},
    .method = {.blocks = lab_blocks_of_128, .threads = LAB01_BLOCK_SIZE},
    .method_fraction = 0.75,
    .advice = "Each step needs half as many threads as the one before, seven steps for 128 elements; no "
              "element should be added by more than one thread.",
};

/* 32 floats are 128 bytes, 4 sectors of 32 bytes; 32 doubles are 8. The rest is for a ragged end. */
static const struct lab_counter_limit limits_copy[] = {
    {LAB_LOAD_SECTORS_PER_REQUEST, 4.05, 8.05,
     "The threads of a warp read words that lie apart, in more sectors than they fill. Let neighboring threads "
     "read neighboring words."},
    {LAB_STORE_SECTORS_PER_REQUEST, 4.05, 8.05,
     "The threads of a warp write words that lie apart. Let neighboring threads write neighboring "
     "words."},
    {.meaning = NULL},
};
static const int64_t limit_arg_copy[LAB_MAX_ARGS] = {1 << 16};

/* 16 neighboring ints of two rows each: 2 sectors per row where a row begins at a whole sector. */
static const struct lab_counter_limit limits_table[] = {
    {LAB_STORE_SECTORS_PER_REQUEST, 4.05, 4.05,
     "The threads of a warp write numbers that lie apart. Let x, which changes from thread to thread, "
     "run along a row."},
    {.meaning = NULL},
};
static const int64_t limit_arg_table[LAB_MAX_ARGS] = {256, 256};

/* With a stride of 32 every word lies in a sector of its own: 32, the most that there can be. */
static const struct lab_counter_limit limits_stride[] = {
    {LAB_LOAD_SECTORS_PER_REQUEST, 32, 32, "Neighboring threads are `stride` words apart."},
    {LAB_STORE_SECTORS_PER_REQUEST, 32, 32, "Neighboring threads are `stride` words apart."},
    {.meaning = NULL},
};
static const int64_t limit_arg_stride[LAB_MAX_ARGS] = {1 << 16, 32};

/* ---- the tables ---------------------------------------------------------------------------------------- */

static const struct lab_case cases_number[] = {
    {"nothing at all", {0}, false},     {"one block", {128}, false},
    {"two blocks", {2 * 128}, false},   {"1009 blocks", {1009 * 128}, false},
    {"2^24 elements", {1 << 24}, true}, {NULL, {0}, false},
};

static const struct lab_case cases_twice[] = {
    {"nothing at all", {0}, false},
    {"one element", {1}, false},
    {"one short of a block", {127}, false},
    {"a block", {128}, false},
    {"one more than a block", {129}, false},
    {"1000", {1000}, false},
    {"many blocks, ragged end", {100003}, false},
    {"2^24 + 1", {(1 << 24) + 1}, true}, /* as a float it is 2^24: a number of blocks made of it lacks one */
    {NULL, {0}, false},
};

static const struct lab_case cases_round_trip[] = {
    {"nothing at all", {0}, false},
    {"one element", {1}, false},
    {"1000", {1000}, false},
    {"many blocks, ragged end", {100003}, false},
    {"2^24 + 1", {(1 << 24) + 1}, true},
    {NULL, {0}, false},
};

static const struct lab_case cases_table[] = {
    {"no rows", {0, 5}, false},
    {"no columns", {5, 0}, false},
    {"one element", {1, 1}, false},
    {"one row", {1, 100}, false},
    {"one column", {100, 1}, false},
    {"a block", {16, 16}, false},
    {"one more each way", {17, 17}, false},
    {"wide", {10, 250}, false},
    {"high", {250, 10}, false},
    {"primes", {101, 211}, false},
    {"4099 x 4093", {4099, 4093}, true},
    {NULL, {0}, false},
};

static const struct lab_case cases_copy[] = {
    {"nothing at all", {0}, false},
    {"one element", {1}, false},
    {"one short of a warp", {31}, false},
    {"a warp", {32}, false},
    {"one more than a warp", {33}, false},
    {"one short of a block", {255}, false},
    {"a block", {256}, false},
    {"one more than a block", {257}, false},
    {"a prime", {1009}, false},
    {"many blocks, ragged end", {100003}, false},
    {"2^24 + 1", {(1 << 24) + 1}, true},
    {NULL, {0}, false},
};

static const struct lab_case cases_stride[] = {
    {"nothing at all", {0, 1}, false},
    {"stride 1", {1000, 1}, false},
    {"a stride larger than n", {5, 100}, false},
    {"stride 7, ragged", {1009, 7}, false},
    {"stride 32, ragged", {100003, 32}, false},
    {"2^24 + 3, stride 32", {(1 << 24) + 3, 32}, true},
    {NULL, {0}, false},
};

static const struct lab_case cases_reduce[] = {
    {"nothing at all", {0}, false},
    {"one block", {128}, false},
    {"two blocks", {2 * 128}, false},
    {"33 blocks", {33 * 128}, false},
    {"1009 blocks", {1009 * 128}, false},
    {"100,000,000 elements", {100000000}, true},
    {NULL, {0}, false},
};

static const struct lab_case cases_finish[] = {
    {"no parts", {0, 0}, false},
    {"one part", {1, 0}, false},
    {"three parts", {3, 0}, false},
    {"1000 parts", {1000, 0}, false},
    {"100,003 parts", {100003, 0}, false},
    {"781,250 equal parts", {781250, 1}, false},
    {NULL, {0}, false},
};

static const struct lab_case cases_sum[] = {
    {"nothing at all", {0}, false},           {"one block", {128}, false},
    {"two blocks", {2 * 128}, false},         {"1009 blocks", {1009 * 128}, false},
    {"131,073 blocks", {131073 * 128}, true}, {NULL, {0}, false},
};

static const struct lab_case cases_symbols[] = {
    {"nothing at all", {0}, false},          {"one element", {1}, false},
    {"one more than a block", {129}, false}, {"a prime", {10007}, false},
    {"2^20 + 7", {(1 << 20) + 7}, true},     {NULL, {0}, false},
};

#define SYMBOL_RESULTS "scale", "coefficients[0]", "coefficients[1]", "coefficients[2]", "coefficients[3]"

static const struct lab_task tasks[] = {
    {
        .id = "number",
        .part = "w",
        .title = "warm-up: each thread's own number",
        .points = 5,
        .arg_names = {"n"},
        .size_arg = 0,
        .cases = cases_number,
        .shape = shape_number,
        .expect = expect_number,
        .granule = 1,
        .owner = owner_element,
    },
    {
        .id = "twice",
        .part = "w",
        .title = "warm-up: the guard",
        .points = 5,
        .arg_names = {"n"},
        .size_arg = 0,
        .cases = cases_twice,
        .shape = shape_twice,
        .expect = expect_twice,
        .needs = lab_needs_same,
        .granule = 1,
        .owner = owner_element,
    },
    {
        .id = "table",
        .part = "w",
        .title = "warm-up: two dimensions",
        .points = 5,
        .arg_names = {"rows", "columns"},
        .size_arg = -1,
        .cases = cases_table,
        .shape = shape_table,
        .expect = expect_table,
        .granule = 1,
        .owner = owner_table,
        .limits = limits_table,
        .limit_arg = limit_arg_table,
    },
    {
        .id = "copy",
        .part = "a",
        .title = "coalesced copy",
        .points = 15,
        .arg_names = {"n"},
        .size_arg = 0,
        .cases = cases_copy,
        .shape = lab_shape_map,
        .expect = expect_copy,
        .needs = lab_needs_same,
        .granule = 1,
        .owner = owner_copy,
        .speed = &speed_copy,
        .limits = limits_copy,
        .limit_arg = limit_arg_copy,
    },
    {
        .id = "copy_stride",
        .part = "a",
        .title = "the same copy with a stride",
        .arg_names = {"n", "stride"},
        .size_arg = 0,
        .cases = cases_stride,
        .shape = lab_shape_map,
        .expect = expect_copy,
        .needs = lab_needs_same,
        .granule = 1,
        .speed = &speed_stride,
        .limits = limits_stride,
        .limit_arg = limit_arg_stride,
        .shown_only = true,
    },
    {
        .id = "reduce",
        .part = "b",
        .title = "sums of blocks, by halves in global memory",
        .points = 20,
        .arg_names = {"n"},
        .size_arg = 0,
        .cases = cases_reduce,
        .shape = shape_reduce,
        .expect = expect_reduce,
        .needs = needs_block,
        .granule = 1,
        .owner = owner_block,
        .speed = &speed_reduce,
    },
    {
        .id = "finish",
        .part = "b",
        .title = "the host adds the parts",
        .points = 10,
        .arg_names = {"count", "equal"},
        .size_arg = 0,
        .cases = cases_finish,
        .shape = shape_finish,
        .fill = fill_finish,
        .expect = expect_finish,
        .result_count = 1,
        .result_names = {"sum"},
    },
    {
        .id = "sum",
        .part = "b",
        .title = "the whole sum, device and host",
        .points = 15,
        .arg_names = {"n"},
        .size_arg = 0,
        .cases = cases_sum,
        .shape = shape_sum,
        .fill = lab_fill_returned_sum,
        .expect = lab_expect_sum,
        .needs = lab_needs_all,
        .result_count = 1,
        .result_names = {"sum"},
    },
    {
        .id = "round_trip",
        .part = "b",
        .title = "to the device, and back",
        .points = 10,
        .arg_names = {"n"},
        .size_arg = 0,
        .cases = cases_round_trip,
        .shape = shape_round_trip,
        .expect = expect_twice,
        .needs = lab_needs_same,
        .granule = 1,
    },
    {
        .id = "symbols",
        .part = "c",
        .title = "write symbols, use them, read them back",
        .points = 10,
        .arg_names = {"n"},
        .size_arg = 0,
        .cases = cases_symbols,
        .shape = shape_symbols,
        .expect = expect_symbols,
        .granule = 1,
        .result_count = 1 + LAB01_COEFFICIENTS,
        .result_names = {SYMBOL_RESULTS},
        .owner = owner_element,
    },
    {
        .id = "symbol_address",
        .part = "c",
        .title = "the same array through its address",
        .points = 5,
        .arg_names = {"n"},
        .size_arg = 0,
        .cases = cases_symbols,
        .shape = shape_symbols,
        .expect = expect_symbol_address,
        .granule = 1,
        .result_count = 1 + LAB01_COEFFICIENTS,
        .result_names = {SYMBOL_RESULTS},
        .owner = owner_element,
    },
};

const struct lab the_lab = {
    .name = "lab01",
    .folder = "lab01_global_memory",
    .title = "Global memory",
    .tasks = tasks,
    .task_count = sizeof tasks / sizeof *tasks,
};
