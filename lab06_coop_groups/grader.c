/* Lab 06: cases, references, tolerances and thresholds. */
#include <math.h>
#include <stdio.h>

#include "harness/lab/parallel.h"
#include "harness/lab/task_parts.h"
#include "lab06.h"

/* ---- sizes and inputs ---------------------------------------------------------------------------------- */

static int shape_tiles(struct lab_run *run)
{
    const int64_t n = run->arg[0], tile = run->arg[1];
    run->buffer[0] = lab_device("d_x", LAB_IN, LAB_REAL, n);
    run->buffer[1] = lab_device("d_y", LAB_OUT, LAB_REAL, lab_block_count(n, tile));
    return 2;
}

/* arg[2]: how many elements stand before the first; 0 except in task `anywhere`. */
static int shape_sum(struct lab_run *run)
{
    run->buffer[0] = lab_device("d_x", LAB_IN, LAB_REAL, run->arg[0] + run->arg[2]);
    run->buffer[1] = lab_device("d_y", LAB_OUT, LAB_REAL, 1);
    return 2;
}

/* arg[1]: what kind of numbers. */
enum { WHOLE, RANDOM, ALTERNATING, ALL_EQUAL, ONE_HUGE };

static real typical(const struct lab_run *run)
{
    return (real)(1.5 + 0.4 * lab_random(run->seed, 1, 0));
}

static void fill_alike(void *context, int64_t begin, int64_t end)
{
    struct lab_run *run = context;
    real *x = run->buffer[0].data;
    const real a = typical(run), odd = run->arg[1] == ALTERNATING ? -a : a;
    for (int64_t i = begin; i < end; i++)
        x[i] = i % 2 == 1 ? odd : a;
}

/*
 * WHOLE: added without an error in any order, while the partial sums stay below 2^24 (2^53 in double; there
 * they are too large for a float to hold), so that one lost element shows. The others show what rounding
 * does: ALTERNATING a, -a, a, ... sums to nearly nothing; ALL_EQUAL is what an addition one by one fails at;
 * and beside ONE_HUGE number the others do not count for much.
 */
static void fill_sum(struct lab_run *run)
{
    real *x = run->buffer[0].data;
    const int64_t count = run->buffer[0].count;
    const real a = typical(run);
    if (run->arg[1] == WHOLE)
        lab_fill_whole(x, count, run->seed, 0, LAB_LARGEST_WHOLE);
    else if (run->arg[1] == ALTERNATING || run->arg[1] == ALL_EQUAL)
        parallel_for(count, fill_alike, run);
    else
        lab_fill_real(x, count, run->seed, 0);
    if (run->arg[1] == ONE_HUGE && count > 0)
        x[lab_random_u64(run->seed, 1, 0) % (uint64_t)count] = a * (real)1e9;
}

/* ---- references ---------------------------------------------------------------------------------------- */

/* By halves, an element of a tile of 2^k passes through k additions (task_parts.h). */
static void expect_tiles(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    (void)buffer;
    lab_expect_block_sums(run, run->arg[1], expect);
}

/*
 * An element passes through n / 16384 + 64 additions, says the contract: as many as a thread of
 * a grid of 16384 makes, and what it takes to bring the threads together (10 in a block of 1024, again 10
 * for the blocks' sums, a few for four sums in flight and for head and tail). No GPU of today holds
 * fewer threads than that, except for the very smallest. Whole numbers are exact.
 */
static void expect_sum(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    const real *x = (const real *)run->buffer[0].data + run->arg[2];
    const int64_t n = run->arg[0];
    double magnitude;
    if (buffer < 0) {
        expect->want[0] = 1; /* yes, the same bits twice */
        return;
    }
    expect->want[0] = (double)lab_sum(x, n, &magnitude);
    if (run->arg[1] != WHOLE)
        expect->tolerance[0] = lab_sum_bound(magnitude, n / 16384 + 64);
}

/* ---- what an output is made of ------------------------------------------------------------------------- */

static int needs_tile(const struct lab_run *run, int buffer, int64_t index, struct lab_need *need)
{
    (void)buffer;
    return lab_needs_block(run, index, run->arg[1], need);
}

static int needs_sum(const struct lab_run *run, int buffer, int64_t index, struct lab_need *need)
{
    (void)buffer, (void)index;
    need[0] = (struct lab_need){.buffer = 0, .first = run->arg[2], .count = run->arg[0], .stride = 1};
    return 1;
}

/* ---- who computes what --------------------------------------------------------------------------------- */

static void owner_tile(const struct lab_run *run, int buffer, int64_t index, char *text, size_t size)
{
    (void)buffer;
    snprintf(text, size, "the tile from d_x[%lld] on", (long long)index * run->arg[1]);
}

/* ---- speed --------------------------------------------------------------------------------------------- */

static double bytes_tiles(const int64_t *arg)
{
    return lab_bytes_block_sums(arg[0], arg[1]);
}

/*
 * With one element per thread, the rate at which blocks start is the limit. On an H100, blocks of 128 reach
 * 28 % of the roof in float, and blocks of 256 reach 47 % (78 % in double): 0.40 asks for the larger ones. An
 * H200 starts blocks no faster, and reaches 34 %. There the time is compared with the rate at which blocks of
 * 256 start: both GPUs reach 0.81 to 0.83 of it, 0.5 with blocks of 128, and 0.70 is required.
 */
static const struct lab_speed speed_tiles = {
    .gpu_arg = {LAB_QUARTER_GIB, 32},
    .sim_arg = {1 << 20, 32},
    .bytes = bytes_tiles,
    .fraction = 0.40,
    .fraction_double = 0.40,
    .roof = {.bandwidth = LAB_READ},
    .method = {.bandwidth = LAB_READ, .blocks = lab_blocks_of_256, .threads = 256},
    .method_fraction = 0.70,
    .advice = "Neighboring threads should read neighboring elements, each once; add them in registers.",
};

/*
 * A thread now adds hundreds of elements before it needs another thread, so the reduction itself costs almost
 * nothing. A plain loop reaches 73 % of the roof on an H100, because it has too few loads in flight. 0.50
 * asks for the loop, and for a grid that fills the GPU. Where memory is faster, 0.65 of the rate of one word per
 * thread is required, which is nearly the same on an H100.
 */
static const struct lab_speed speed_plain = {
    .gpu_arg = {100000000, WHOLE},
    .sim_arg = {1 << 21, WHOLE},
    .all_blocks = true,
    .bytes = lab_bytes_sum,
    .fraction = 0.50,
    .fraction_double = 0.50,
    .roof = {.bandwidth = LAB_READ},
    .method = {.bandwidth = LAB_WORD},
    .method_fraction = 0.65,
    .advice = "Let each thread first add many elements in a register, in a grid-stride loop; use no atomics; "
              "launch as many blocks as the GPU holds.",
};

/*
 * Wide loads, one at a time: 16 bytes from each of 2048 threads are 32 KB in flight per SM, four times what the plain loop has.
 * That loop reaches 71 to 73 % on an H100, this one 94 % (in double 93 and 98 %). The model gives 69 and 96 %, in double 98
 * and 98 %.
 */
static const struct lab_speed speed_wide = {
    .gpu_arg = {100000000, WHOLE},
    .sim_arg = {1 << 21, WHOLE},
    .all_blocks = true,
    .bytes = lab_bytes_sum,
    .fraction = 0.80,
    .fraction_double = 0.80,
    .roof = {.bandwidth = LAB_READ},
    .advice = "Load 16 bytes at a time: neighboring threads load neighboring vectors.",
};

/*
 * The summit: the roof is the rate of reading alone, a little more than that of a copy (H100: 3048 and 2991
 * GB/s, H200: 4554 and 4256). An H100 reaches 98 % of it. 0.84 (0.85 of the copy's) leaves room for GPUs
 * that need other numbers of threads and loads, and for the start of the kernel: 5 us, which is 6 % of the
 * roof on an H200.
 *
 * Four loads are asked for. Whoever adds each vector before the next one is loaded has 1 in flight when its result is
 * needed; with two begun together it is 2, then 1: 1.5 on average, and 2.5 with four. Enough warps hide that on an H100,
 * says the model: no points are lost unless the time passes only by the model's margin.
 */
static const struct lab_speed speed_summit = {
    .loads_in_flight = 1.25,
    .gpu_arg = {100000000, WHOLE},
    .sim_arg = {1 << 21, WHOLE},
    .all_blocks = true,
    .bytes = lab_bytes_sum,
    .fraction = 0.84,
    .fraction_double = 0.84,
    .roof = {.bandwidth = LAB_READ},
    .advice = "Too few loads are in flight: use 128-bit loads, and issue four of them before the first "
              "addition that needs one.",
};

/*
 * A warp's load of 32 vectors of 16 bytes takes 16 sectors; with 32-bit loads it would be 4, with 64-bit
 * ones 8. So the average tells the width: fewer means that elements were loaded one by one. The limit
 * is from above, and catches vectors that lie apart.
 */
static const struct lab_counter_limit limits_summit[] = {
    {LAB_LOAD_SECTORS_PER_REQUEST, 16.05, 16.05,
     "The threads of a warp should load neighboring vectors: thread t takes vector t, then the one that lies "
     "a whole grid further."},
    {.meaning = NULL},
};
static const int64_t limit_arg_summit[LAB_MAX_ARGS] = {1 << 18, RANDOM};

/* ---- the tables ---------------------------------------------------------------------------------------- */

static const struct lab_case cases_tiles[] = {
    {"nothing at all", {0, 8}, false},
    {"one element", {1, 2}, false},
    {"pairs, one left over", {33, 2}, false},
    {"tiles of 4", {127, 4}, false},
    {"tiles of 8, whole blocks", {256, 8}, false},
    {"tiles of 16, one more", {129, 16}, false},
    {"tiles of 32, one short", {31, 32}, false},
    {"tiles of 32, one more", {33, 32}, false},
    {"tiles of 8, a prime", {10007, 8}, false},
    {"tiles of 32, ragged end", {50021, 32}, false},
    {"2^24 + 3, tiles of 4", {(1 << 24) + 3, 4}, true},
    {NULL, {0}, false},
};

static const struct lab_case cases_sum[] = {
    {"nothing at all", {0, WHOLE}, false},
    {"one element", {1, WHOLE}, false},
    {"one more than a warp", {33, WHOLE}, false},
    {"one short of a block", {1023, WHOLE}, false},
    {"one more than a block", {1025, WHOLE}, false},
    {"many blocks, ragged end", {50021, WHOLE}, false},
    {"random", {50021, RANDOM}, false},
    {"alternating", {50021, ALTERNATING}, false},
    {"all equal", {50021, ALL_EQUAL}, false},
    {"one huge", {50021, ONE_HUGE}, false},
    {"more than the GPU holds at once", {300007, WHOLE}, false},
    {"1e8, random", {100000000, RANDOM}, true},
    {"1e8, all equal", {100000000, ALL_EQUAL}, true},
    {NULL, {0}, false},
};

static const struct lab_case cases_summit[] = {
    {"nothing at all", {0, WHOLE}, false},
    {"one element", {1, WHOLE}, false},
    {"one more than a vector", {5, WHOLE}, false},
    {"one more than a warp's vectors", {129, WHOLE}, false},
    {"one more than a block's vectors", {2049, WHOLE}, false},
    {"a part of a block's tile", {3000, WHOLE}, false},
    {"most of a block's tile", {6000, WHOLE}, false},
    {"one more than a block's tile", {8193, WHOLE}, false},
    {"many blocks, ragged end", {50021, WHOLE}, false},
    {"random", {50021, RANDOM}, false},
    {"alternating", {50021, ALTERNATING}, false},
    {"all equal", {50021, ALL_EQUAL}, false},
    {"one huge", {50021, ONE_HUGE}, false},
    {"four loads for some threads", {1200007, WHOLE}, false},
    {"1e8, random", {100000000, RANDOM}, true},
    {"1e8, alternating", {100000000, ALTERNATING}, true},
    {"1e8, all equal", {100000000, ALL_EQUAL}, true},
    {"1e8, one huge", {100000000, ONE_HUGE}, true},
    {NULL, {0}, false},
};

static const struct lab_case cases_anywhere[] = {
    {"nothing, misplaced by one", {0, WHOLE, 1}, false},
    {"one element, misplaced by one", {1, WHOLE, 1}, false},
    {"two elements, misplaced by one", {2, WHOLE, 1}, false},
    {"four elements, misplaced by three", {4, WHOLE, 3}, false},
    {"misplaced by one", {10007, RANDOM, 1}, false},
    {"misplaced by two", {10007, WHOLE, 2}, false},
    {"misplaced by three", {10007, ONE_HUGE, 3}, false},
    {"in its place", {50021, RANDOM, 0}, false},
    {"1e8, misplaced by three", {100000000, RANDOM, 3}, true},
    {NULL, {0}, false},
};

static const struct lab_task tasks[] = {
    {
        .id = "tiles",
        .part = "a",
        .title = "sums of tiles of 2 to 32",
        .points = 15,
        .arg_names = {"n", "tile"},
        .size_arg = 0,
        .cases = cases_tiles,
        .shape = shape_tiles,
        .expect = expect_tiles,
        .needs = needs_tile,
        .granule = 1,
        .owner = owner_tile,
        .speed = &speed_tiles,
    },
    {
        .id = "two_kernels",
        .part = "b",
        .title = "the sum in two kernels",
        .points = 15,
        .arg_names = {"n", "inputs"},
        .size_arg = 0,
        .cases = cases_sum,
        .shape = shape_sum,
        .fill = fill_sum,
        .expect = expect_sum,
        .needs = needs_sum,
        .speed = &speed_plain,
    },
    {
        .id = "grid_sync",
        .part = "c",
        .title = "the sum in one cooperative kernel",
        .points = 20,
        .arg_names = {"n", "inputs"},
        .size_arg = 0,
        .cases = cases_sum,
        .shape = shape_sum,
        .fill = fill_sum,
        .expect = expect_sum,
        .needs = needs_sum,
        .speed = &speed_plain,
    },
    {
        .id = "wide",
        .part = "d",
        .title = "wide loads, one at a time",
        .points = 10,
        .arg_names = {"n", "inputs"},
        .size_arg = 0,
        .cases = cases_summit,
        .shape = shape_sum,
        .fill = fill_sum,
        .expect = expect_sum,
        .needs = needs_sum,
        .speed = &speed_wide,
        .limits = limits_summit,
        .limit_arg = limit_arg_summit,
    },
    {
        .id = "summit",
        .part = "d",
        .title = "the sum as fast as memory is read",
        .points = 30,
        .arg_names = {"n", "inputs"},
        .size_arg = 0,
        .cases = cases_summit,
        .shape = shape_sum,
        .fill = fill_sum,
        .expect = expect_sum,
        .needs = needs_sum,
        .same_bits = true,
        .speed = &speed_summit,
        .limits = limits_summit,
        .limit_arg = limit_arg_summit,
    },
    {
        .id = "anywhere",
        .part = "d",
        .title = "d_x at any address; twice the same bits",
        .points = 10,
        .arg_names = {"n", "inputs", "first"},
        .size_arg = 0,
        .cases = cases_anywhere,
        .shape = shape_sum,
        .fill = fill_sum,
        .expect = expect_sum,
        .needs = needs_sum,
        .result_count = 1,
        .same_bits = true,
        .result_names = {"the same bits twice"},
    },
};

const struct lab the_lab = {
    .name = "lab06",
    .folder = "lab06_coop_groups",
    .title = "Cooperative groups, and the fastest sum",
    .tasks = tasks,
    .task_count = sizeof tasks / sizeof *tasks,
};
