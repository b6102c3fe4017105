/* Lab 02: cases, references, tolerances and thresholds. */
#include <math.h>
#include <stdio.h>

#include "harness/lab/task_parts.h"
#include "lab02.h"

/* ---- sizes and inputs ---------------------------------------------------------------------------------- */

static int shape_reduce(struct lab_run *run)
{
    run->buffer[0] = lab_device("d_x", LAB_IN, LAB_REAL, run->arg[0]);
    run->buffer[1] =
        lab_device("d_partial", LAB_OUT, LAB_REAL, lab_block_count(run->arg[0], LAB02_BLOCK_SIZE));
    return 2;
}

static int shape_transpose(struct lab_run *run)
{
    run->buffer[0] = lab_device("d_in", LAB_IN, LAB_REAL, run->arg[0] * run->arg[1]);
    run->buffer[1] = lab_device("d_out", LAB_OUT, LAB_REAL, run->arg[0] * run->arg[1]);
    return 2;
}

/* ---- references ---------------------------------------------------------------------------------------- */

/* Halving 128 elements, each of them passes through 7 additions: that is the tolerance (task_parts.h). */
static void expect_reduce(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    (void)buffer;
    lab_expect_block_sums(run, LAB02_BLOCK_SIZE, expect);
}

/* Nothing is computed: the tolerance stays 0. */
static void expect_transpose(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    const real *in = run->buffer[0].data;
    const int64_t rows = run->arg[0], cols = run->arg[1];
    (void)buffer;
    for (int64_t i = 0; i < expect->count; i++) {
        const int64_t out_row = (expect->first + i) / rows, out_col = (expect->first + i) % rows;
        expect->want[i] = in[out_col * cols + out_row];
    }
}

/* ---- what an output is made of ------------------------------------------------------------------------- */

static int needs_block(const struct lab_run *run, int buffer, int64_t index, struct lab_need *need)
{
    (void)buffer;
    return lab_needs_block(run, index, LAB02_BLOCK_SIZE, need);
}

static int needs_transpose(const struct lab_run *run, int buffer, int64_t index, struct lab_need *need)
{
    const int64_t rows = run->arg[0], cols = run->arg[1];
    (void)buffer;
    need[0] =
        (struct lab_need){.buffer = 0, .first = index % rows * cols + index / rows, .count = 1, .stride = 1};
    return 1;
}

/* ---- who computes what --------------------------------------------------------------------------------- */

static void owner_block(const struct lab_run *run, int buffer, int64_t index, char *text, size_t size)
{
    (void)run, (void)buffer;
    lab_owner_of_block(index, LAB02_BLOCK_SIZE, text, size);
}

static void owner_tile(const struct lab_run *run, int buffer, int64_t index, char *text, size_t size)
{
    const long long rows = run->arg[0], out_row = index / rows, out_col = index % rows;
    (void)buffer;
    snprintf(text, size, "row %lld, column %lld of d_out; the tile whose first element is d_in[%lld][%lld]",
             out_row, out_col, out_col / LAB02_TILE * LAB02_TILE, out_row / LAB02_TILE * LAB02_TILE);
}

/* ---- speed --------------------------------------------------------------------------------------------- */

static double bytes_reduce(const int64_t *arg)
{
    return lab_bytes_block_sums(arg[0], LAB02_BLOCK_SIZE);
}

static double bytes_transpose(const int64_t *arg)
{
    return 2.0 * sizeof(real) * (double)arg[0] * (double)arg[1];
}

/*
 * Now the memory has to bring each element once and no more, but seven steps with a barrier each still keep the
 * multiprocessors busier than the memory: on the H100 this takes as long as lab 01's version. 0.15 asks for the
 * method done plainly; in double there are twice the bytes to the same instructions. As in lab 01, the start of a
 * block for every 128 elements is what decides where memory is faster.
 */
static const struct lab_speed speed_reduce = {
    .gpu_arg = {100000000},
    .sim_arg = {1 << 21},
    .bytes = bytes_reduce,
    .fraction = 0.15,
    .fraction_double = 0.15,
    .roof = {.bandwidth = LAB_READ},
    .method = {.blocks = lab_blocks_of_128, .threads = LAB02_BLOCK_SIZE},
    .method_fraction = 0.75,
    .advice = "Read each element from global memory once and do all the additions in shared memory, halving "
              "the number of threads in each step.",
};

/* Shown for the contrast, not judged. */
static const struct lab_speed speed_interleaved = {
    .gpu_arg = {100000000},
    .sim_arg = {1 << 21},
    .bytes = bytes_reduce,
    .roof = {.bandwidth = LAB_READ},
};

/*
 * Both sides coalesced and no bank conflict: what is lost against a plain copy is the wait at the barrier,
 * between a block's reads and its writes, and that a block of 1024 threads starts and ends as one. 0.40
 * leaves room for both. An H100 reaches 0.50 of its
 * roof. An H200, with faster memory and the same multiprocessors, takes nearly as long and reaches 0.37.
 * There the method decides: one word per thread, of which both reach 0.6; 0.51 is asked for. With
 * bank conflicts an H100 reaches 0.4.
 */
static const struct lab_speed speed_transpose = {
    .gpu_arg = {8192, 6144},
    .sim_arg = {1536, 1024},
    .bytes = bytes_transpose,
    .fraction = 0.40,
    .fraction_double = 0.40,
    .method = {.bandwidth = LAB_WORD},
    .method_fraction = 0.51,
    .advice =
        "Both the reads and the writes of global memory should go along rows, by way of a tile in shared "
        "memory whose columns do not fall into one bank.",
};

/* Shown for the contrast, not judged. */
static const struct lab_speed speed_conflicts = {
    .gpu_arg = {8192, 6144},
    .sim_arg = {1536, 1024},
    .bytes = bytes_transpose,
};

/* A row of a tile is 32 words: 4 sectors in float, 8 in double; the rest is for a ragged edge. */
static const struct lab_counter_limit limits_transpose[] = {
    {LAB_SHARED_CONFLICTS, 0, 0,
     "Several lanes of a warp want different words from one bank at once, and are served one after another. "
     "Let each row of the tile begin one bank further than the row before."},
    {LAB_LOAD_SECTORS_PER_REQUEST, 4.05, 8.05,
     "A warp should read along a row of d_in: threadIdx.x counts columns there."},
    {LAB_STORE_SECTORS_PER_REQUEST, 4.05, 8.05,
     "A warp should write along a row of d_out: threadIdx.x counts the columns of d_out too."},
    {.meaning = NULL},
};

/*
 * Columns of one bank: the read takes 32 wavefronts instead of 1, the write 1: (33 - 2) / 2 = 1550 %. In
 * double 32 instead of 2, and 2: (34 - 4) / 4 = 750 %.
 */
static const struct lab_counter_limit limits_conflicts[] = {
    {LAB_SHARED_CONFLICTS, 1550, 750, "A column of the tile lies in a single bank."},
    {LAB_LOAD_SECTORS_PER_REQUEST, 4.05, 8.05, "A warp reads along a row of d_in."},
    {LAB_STORE_SECTORS_PER_REQUEST, 4.05, 8.05, "A warp writes along a row of d_out."},
    {.meaning = NULL},
};
/*
 * What divergence costs is lanes that idle while their warp executes an instruction, not branches: a sum by shuffles has
 * so few branches that 42 % of them part a warp, and 16 % of its lanes idle. So do 12 to 16 % where the threads that add
 * are neighbors, 29 % where every second, fourth, eighth thread adds, and 74 % where one thread adds all 128 numbers.
 */
static const struct lab_counter_limit limits_reduce[] = {
    {LAB_IDLE_LANES, 25, 25,
     "The lanes of a warp disagree at this branch (divergence): some of them work, and the others wait for them. Let half of "
     "the threads add in the first step, half of those in the next, and let the threads that add be neighbors, threadIdx.x < "
     "k: then whole warps are done."},
    {.meaning = NULL},
};
/* Every second, fourth, eighth thread adds: 29 % of the lanes idle. */
static const struct lab_counter_limit limits_interleaved[] = {
    {LAB_IDLE_LANES, 30, 30, "The threads that add are spread over all warps, and the others wait for them."},
    {.meaning = NULL},
};

/* A store of a warp touches a column of d_out: 32 sectors, each for one word. */
static const struct lab_counter_limit limits_naive[] = {
    {LAB_LOAD_SECTORS_PER_REQUEST, 4.05, 8.05, "A warp reads along a row of d_in."},
    {LAB_STORE_SECTORS_PER_REQUEST, 32, 32, "A warp writes down a column of d_out."},
    {.meaning = NULL},
};
static const int64_t limit_arg_reduce[LAB_MAX_ARGS] = {64 * LAB02_BLOCK_SIZE};
static const int64_t limit_arg_transpose[LAB_MAX_ARGS] = {256, 192};

/* ---- the tables ---------------------------------------------------------------------------------------- */

static const struct lab_case cases_reduce[] = {
    {"nothing at all", {0}, false},
    {"one element", {1}, false},
    {"one short of a warp", {31}, false},
    {"a warp", {32}, false},
    {"one more than a warp", {33}, false},
    {"one short of a block", {127}, false},
    {"a block", {128}, false},
    {"one more than a block", {129}, false},
    {"a prime", {1009}, false},
    {"many blocks, ragged end", {300007}, false}, /* more than an H100 holds at once */
    {"100,000,000 elements", {100000000}, true},
    {NULL, {0}, false},
};

static const struct lab_case cases_interleaved[] = {
    {"nothing at all", {0}, false},
    {"one element", {1}, false},
    {"one more than a block", {129}, false},
    {NULL, {0}, false},
};

static const struct lab_case cases_sum[] = {
    {"nothing at all", {0}, false},          {"one element", {1}, false},
    {"one more than a block", {129}, false}, {"many blocks, ragged end", {100003}, false},
    {"2^24 + 3", {(1 << 24) + 3}, true},     {NULL, {0}, false},
};

static const struct lab_case cases_transpose[] = {
    {"no rows", {0, 7}, false},
    {"no columns", {7, 0}, false},
    {"one element", {1, 1}, false},
    {"a single row", {1, 1009}, false},
    {"a single column", {1009, 1}, false},
    {"one short of a tile", {31, 33}, false},
    {"a tile", {32, 32}, false},
    {"one more than a tile", {33, 65}, false},
    {"wide, ragged", {37, 1000}, false},
    {"tall, ragged", {1000, 37}, false},
    {"whole tiles, not square", {192, 320}, false},
    {"4099 by 1021", {4099, 1021}, true},
    {"a column of 2^22 + 5", {(1 << 22) + 5, 1}, true},
    {NULL, {0}, false},
};

static const struct lab_case cases_conflicts[] = {
    {"no rows", {0, 7}, false},
    {"one element", {1, 1}, false},
    {"one more than a tile", {33, 65}, false},
    {"tall, ragged", {1000, 37}, false},
    {"4099 by 1021", {4099, 1021}, true},
    {NULL, {0}, false},
};

static const struct lab_task tasks[] = {
    {
        .id = "reduce",
        .part = "a",
        .title = "sums of blocks, in shared memory",
        .points = 40,
        .arg_names = {"n"},
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
        .id = "reduce_interleaved",
        .part = "a",
        .title = "the same in a worse order",
        .arg_names = {"n"},
        .size_arg = 0,
        .cases = cases_interleaved,
        .shape = shape_reduce,
        .expect = expect_reduce,
        .needs = needs_block,
        .granule = 1,
        .owner = owner_block,
        .speed = &speed_interleaved,
        .limits = limits_interleaved,
        .limit_arg = limit_arg_reduce,
        .shown_only = true,
    },
    {
        .id = "sum",
        .part = "a",
        .title = "the whole sum, any n, input intact",
        .points = 20,
        .arg_names = {"n"},
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
        .id = "transpose",
        .part = "b",
        .title = "transpose without a bank conflict",
        .points = 40,
        .arg_names = {"rows", "cols"},
        .size_arg = 0,
        .cases = cases_transpose,
        .shape = shape_transpose,
        .expect = expect_transpose,
        .needs = needs_transpose,
        .granule = 1,
        .owner = owner_tile,
        .speed = &speed_transpose,
        .limits = limits_transpose,
        .limit_arg = limit_arg_transpose,
    },
    {
        .id = "transpose_conflicts",
        .part = "b",
        .title = "the same with bank conflicts",
        .arg_names = {"rows", "cols"},
        .size_arg = 0,
        .cases = cases_conflicts,
        .shape = shape_transpose,
        .expect = expect_transpose,
        .needs = needs_transpose,
        .granule = 1,
        .owner = owner_tile,
        .speed = &speed_conflicts,
        .limits = limits_conflicts,
        .limit_arg = limit_arg_transpose,
        .shown_only = true,
    },
    {
        .id = "transpose_naive",
        .part = "b",
        .title = "the same without a tile",
        .arg_names = {"rows", "cols"},
        .size_arg = 0,
        .cases = cases_conflicts,
        .shape = shape_transpose,
        .expect = expect_transpose,
        .needs = needs_transpose,
        .granule = 1,
        .speed = &speed_conflicts,
        .limits = limits_naive,
        .limit_arg = limit_arg_transpose,
        .shown_only = true,
    },
};

const struct lab the_lab = {
    .name = "lab02",
    .folder = "lab02_shared_memory",
    .title = "Static shared memory",
    .tasks = tasks,
    .task_count = sizeof tasks / sizeof *tasks,
};
