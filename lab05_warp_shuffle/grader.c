/* Lab 05: cases, references, tolerances and thresholds. */
#include <math.h>
#include <stdio.h>

#include "harness/lab/task_parts.h"
#include "harness/lab/vectors.h"
#include "lab05.h"

/* ---- shapes and inputs --------------------------------------------------------------------------------- */

/* d_x, d_y and room for the sums of blocks, which is filled with numbers that mean nothing. */
static int shape_scan(struct lab_run *run)
{
    const int count = lab_shape_map(run);
    if (count < 0)
        return count;
    run->buffer[count] = lab_device("d_sums", LAB_INOUT, LAB_REAL, LAB05_SUMS(run->arg[0]));
    return count + 1;
}

static int shape_scan_once(struct lab_run *run)
{
    const int count = shape_scan(run);
    if (count < 0)
        return count;
    run->buffer[count] = lab_device("d_state", LAB_INOUT, LAB_UINT32, LAB05_SUMS(run->arg[0]));
    return count + 1;
}

enum { SUMS = 2, STATE };

/*
 * Half of the room for states looks as if another call had left it: small numbers, some of which a kernel that does not
 * clear them takes for its own.
 */
static void fill_state(const struct lab_run *run)
{
    unsigned *state = run->buffer[STATE].data;
    lab_fill_uint32(state, run->buffer[STATE].count, run->seed, STATE);
    for (int64_t i = 0; i < run->buffer[STATE].count; i++)
        state[i] = state[i] & 4 ? state[i] & 3 : state[i];
}

static void fill_scan(struct lab_run *run)
{
    lab_fill_sum(run);
    lab_fill_real(run->buffer[SUMS].data, run->buffer[SUMS].count, run->seed, SUMS);
    if (run->buffer_count > STATE)
        fill_state(run);
}

/* d_x, d_y and how many elements each block keeps. */
static int shape_compact(struct lab_run *run)
{
    const int count = lab_shape_map(run);
    if (count < 0)
        return count;
    run->buffer[count] =
        lab_device("d_count", LAB_OUT, LAB_UINT32, lab_block_count(run->arg[0], LAB05_SCAN_BLOCK));
    return count + 1;
}

/* arg[1]: of 16 elements so many are positive, on average; one in 16 of the others is 0. */
static void fill_compact(struct lab_run *run)
{
    real *x = run->buffer[0].data;
    lab_fill_real(x, run->arg[0], run->seed, 0);
    for (int64_t i = 0; i < run->arg[0]; i++) {
        const uint64_t draw = lab_random_u64(run->seed, 1, (uint64_t)i);
        const bool positive = (int64_t)(draw % 16) < run->arg[1], zero = draw / 16 % 16 == 0;
        x[i] = positive ? (real)(fabs((double)x[i]) + 0.5) : zero ? 0 : -(real)(fabs((double)x[i]) + 0.5);
    }
}

/* ---- references ---------------------------------------------------------------------------------------- */

static void scan(const struct lab_run *run, int64_t group, int64_t depth, struct lab_expect *expect)
{
    const real *x = (const real *)run->buffer[0].data + expect->first; /* of whole groups */
    const double factor = lab_sum_factor(depth);
    for (int64_t first = 0; first < expect->count; first += group) {
        const int64_t end = expect->count - first < group ? expect->count : first + group;
        lab_wide sum = 0, magnitude = 0;
        for (int64_t i = first; i < end; i++) {
            sum += x[i];
            magnitude += fabs((double)x[i]);
            expect->want[i] = (double)sum;
            expect->tolerance[i] = factor * (double)magnitude;
        }
    }
}

/*
 * In each of the five steps of a warp's scan an element passes through one addition. One after another,
 * as a thread alone might add, it would be up to 31; the bound leaves no room for that.
 */
static void expect_warp_scan(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    (void)buffer;
    scan(run, 32, 5, expect);
}

/* Five in its own warp, five in the scan of the warps' sums, and one that adds the two. */
static void expect_block_scan(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    (void)buffer;
    scan(run, LAB05_SCAN_BLOCK, 11, expect);
}

#define SIDE_BY_SIDE 32 /* elements at a time: one by one, each round would wait for the one before */

/* x[0], x[2], ... as even elements, the others as odd ones. */
FOR_VECTORS static void do_rounds(double x[SIDE_BY_SIDE])
{
    double even[SIDE_BY_SIDE / 2], odd[SIDE_BY_SIDE / 2];
    for (int j = 0; j < SIDE_BY_SIDE / 2; j++) {
        even[j] = x[2 * j];
        odd[j] = x[2 * j + 1];
    }
    for (int k = 0; k < LAB05_ROUNDS; k++)
        for (int j = 0; j < SIDE_BY_SIDE / 2; j++) {
            even[j] = even[j] * (255.0 / 256) + 1.0 / 512;
            odd[j] = odd[j] * (127 - odd[j]) * (1.0 / 128);
        }
    for (int j = 0; j < SIDE_BY_SIDE / 2; j++) {
        x[2 * j] = even[j];
        x[2 * j + 1] = odd[j];
    }
}

/*
 * All constants are sums of few powers of two, so they are exact; |x| stays below 1. A round of either kind
 * makes at most 2 rounding errors of u; whatever error is there already grows by at most 129/128 (odd, near
 * x = -1), which is e over 128 rounds. Together at most 2 * 128 * 2.72 u; and as much in the reference, which
 * is in double.
 */
static void expect_rounds(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    const real *in = (const real *)run->buffer[0].data + expect->first; /* an even element */
    (void)buffer;
    for (int64_t first = 0; first < expect->count; first += SIDE_BY_SIDE) {
        const int64_t left = expect->count - first, count = left < SIDE_BY_SIDE ? left : SIDE_BY_SIDE;
        double x[SIDE_BY_SIDE] = {0};
        for (int64_t j = 0; j < count; j++)
            x[j] = in[first + j];
        do_rounds(x);
        for (int64_t j = 0; j < count; j++) {
            expect->want[first + j] = x[j];
            expect->tolerance[first + j] = 2 * LAB05_ROUNDS * 2.72 * (lab_roundoff() + 0x1p-53);
        }
    }
}

/*
 * The scan of the whole array: sixteenths whose partial sums stay below 2^24 of them (lab_fill_sum), so that no order of
 * additions rounds, and one lost or doubled element shows in all sums after it.
 */
static void expect_scan(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    const real *x = (const real *)run->buffer[0].data + expect->first;
    double sum = expect->before;
    (void)buffer;
    for (int64_t i = 0; i < expect->count; i++)
        expect->want[i] = sum += x[i];
}

/* In four sums, so that an addition need not wait for the one before; they are exact. */
static double sum_of(const struct lab_run *run, int64_t first, int64_t count)
{
    const real *x = (const real *)run->buffer[0].data + first;
    double sum[4] = {0};
    for (int64_t i = 0; i < count; i++)
        sum[i % 4] += x[i];
    return sum[0] + sum[1] + sum[2] + sum[3];
}

/* Of d_y whole groups, from expect->first on; the elements behind the kept ones of a group stay as they were. */
static void expect_kept(const real *x, int64_t first, int64_t n, struct lab_expect *expect)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < LAB05_SCAN_BLOCK && first + i < n; i++)
        if (x[first + i] > 0)
            expect->want[first - expect->first + kept++] = x[first + i];
    for (; kept < LAB05_SCAN_BLOCK && first + kept < n; kept++)
        expect->tolerance[first - expect->first + kept] = LAB_UNTOUCHED;
}

static void expect_compact(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    const real *x = run->buffer[0].data;
    const int64_t n = run->arg[0], end = expect->first + expect->count;
    if (buffer == 1)
        for (int64_t first = expect->first; first < end; first += LAB05_SCAN_BLOCK)
            expect_kept(x, first, end, expect);
    else
        for (int64_t i = expect->first * LAB05_SCAN_BLOCK; i < n && i < end * LAB05_SCAN_BLOCK; i++)
            expect->want[i / LAB05_SCAN_BLOCK - expect->first] += x[i] > 0;
}

/* ---- what an output is made of ------------------------------------------------------------------------- */

/* Of a prefix sum: from the first element of its group on. */
static int needs_prefix(int64_t index, int64_t group, struct lab_need *need)
{
    need[0] = (struct lab_need){
        .buffer = 0, .first = index / group * group, .count = index % group + 1, .stride = 1};
    return 1;
}

static int needs_warp_scan(const struct lab_run *run, int buffer, int64_t index, struct lab_need *need)
{
    (void)run, (void)buffer;
    return needs_prefix(index, 32, need);
}

static int needs_block_scan(const struct lab_run *run, int buffer, int64_t index, struct lab_need *need)
{
    (void)run, (void)buffer;
    return needs_prefix(index, LAB05_SCAN_BLOCK, need);
}

/* All elements up to it. */
static int needs_scan(const struct lab_run *run, int buffer, int64_t index, struct lab_need *need)
{
    (void)run, (void)buffer;
    return needs_prefix(index, index + 1, need);
}

/* ---- who computes what --------------------------------------------------------------------------------- */

static void owner_warp(const struct lab_run *run, int buffer, int64_t index, char *text, size_t size)
{
    (void)run, (void)buffer;
    snprintf(text, size, "lane %lld of its group of 32", (long long)(index % 32));
}

static void owner_scan_block(const struct lab_run *run, int buffer, int64_t index, char *text, size_t size)
{
    (void)run, (void)buffer;
    snprintf(text, size, "block %lld, warp %lld, lane %lld", (long long)(index / LAB05_SCAN_BLOCK),
             (long long)(index % LAB05_SCAN_BLOCK / 32), (long long)(index % 32));
}

static void owner_piece(const struct lab_run *run, int buffer, int64_t index, char *text, size_t size)
{
    (void)run, (void)buffer;
    snprintf(text, size, "the block with piece %lld, round %lld, thread %lld",
             (long long)(index / LAB05_PIECE), (long long)(index % LAB05_PIECE / LAB05_SCAN_BLOCK),
             (long long)(index % LAB05_SCAN_BLOCK));
}

static void owner_kind(const struct lab_run *run, int buffer, int64_t index, char *text, size_t size)
{
    (void)run, (void)buffer;
    snprintf(text, size, "%s element %lld of its block", index % 2 == 0 ? "even" : "odd",
             (long long)(index % LAB05_BLOCK_SIZE));
}

/* ---- speed --------------------------------------------------------------------------------------------- */

/* A multiply and an add a round for even elements, two multiplies and a subtraction for odd ones. */
static double flops_rounds(const int64_t *arg)
{
    return 2.5 * LAB05_ROUNDS * (double)arg[0];
}

/*
 * Still one atomic for each block of 128, and on one address: that takes 1.57 ms on an H100 for 1e8
 * elements, 8 % of the roof in float, however the block adds. 0.05 asks for no more than those; as in lab 04
 * the atomics decide where memory is faster.
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
    .advice = "One atomicAdd for each block is enough: thread 0 does it, when the block has its sum.",
};

/*
 * A scan reads and writes each element once, like a copy, and some thirty instructions for a warp's 256
 * bytes are less than the memory needs for them. 0.50 leaves room for one element a thread. But a block of
 * 128 threads has only 512 bytes to read, and blocks start every 0.61 ns on an H100, 0.60 ns on an H200:
 * that alone is 0.56 of the roof of the one, 0.40 of the other's. So the method decides: a scan that is
 * right reaches 0.96 of the rate at which its blocks start, and 0.83 leaves a sixth.
 */
static const struct lab_speed speed_warp_scan = {
    .gpu_arg = {LAB_QUARTER_GIB},
    .sim_arg = {1 << 20},
    .bytes = lab_bytes_map,
    .fraction = 0.50,
    .fraction_double = 0.50,
    .method = {.blocks = lab_blocks_of_128, .threads = LAB05_BLOCK_SIZE},
    .method_fraction = 0.83,
    .advice = "Read each element once and write it once; keep everything in between in registers.",
};

/*
 * Two barriers, and the other warps wait while the first one scans: 0.30. Where memory is faster, 0.40 of
 * what one word per thread gives, which is the same on an H100.
 */
static const struct lab_speed speed_block_scan = {
    .gpu_arg = {LAB_QUARTER_GIB},
    .sim_arg = {1 << 20},
    .bytes = lab_bytes_map,
    .fraction = 0.30,
    .fraction_double = 0.30,
    .method = {.bandwidth = LAB_WORD},
    .method_fraction = 0.40,
    .advice = "Read each element once and write it once. Only the warps' sums, eight per block, go through "
              "shared memory.",
};

/*
 * Every element is read, half of them are written. One barrier, as many instructions as block_scan, which reaches 64 % of the
 * roof on an H100; a warp's stores are neighbors, but begin anywhere. Not measured on a GPU yet.
 */
static double bytes_compact(const int64_t *arg)
{
    return sizeof(real) * (double)arg[0] * (1 + (double)arg[1] / 16);
}

static const struct lab_speed speed_compact = {
    .gpu_arg = {LAB_QUARTER_GIB, 8},
    .sim_arg = {1 << 20, 8},
    .bytes = bytes_compact,
    .fraction = 0.25,
    .fraction_double = 0.25,
    .method = {.bandwidth = LAB_WORD},
    .method_fraction = 0.30,
    .advice =
        "Count with __ballot_sync and __popc: the places of a warp's kept elements need no loop and no shared memory.",
};

/*
 * In passes: scan_blocks reads and writes each element once, add_sums once more. So half of what is asked of
 * block_scan, 0.15 and 0.20, less a tenth for five more launches: 0.13 and 0.18. On an H100, block_scan takes 0.278 ms
 * for 2^26 floats and a copy of one word per thread about 0.2, together 0.37 of the roof. That is calculated; the whole
 * has not been measured. One thread that adds up the 262,144 sums of blocks needs far more than is allowed.
 */
static const struct lab_speed speed_scan = {
    .gpu_arg = {LAB_QUARTER_GIB / 4},
    .sim_arg = {1 << 20},
    .bytes = lab_bytes_map,
    .fraction = 0.13,
    .fraction_double = 0.13,
    .method = {.bandwidth = LAB_WORD},
    .method_fraction = 0.18,
    .advice =
        "Each element should be moved twice, not more: once when its block is scanned, once when the sum "
        "of the blocks before is added. The sums of blocks must be scanned in parallel, too.",
};

/*
 * In one pass each element moves once, but a block waits for the one before it. On an H100, 2026-11-22, the solution
 * took 1.63 ms for 2^26 floats, 50 ns per block, 11 % of the roof, and the scan in passes 0.54 ms, 33 %. What fails
 * is a chain: a block that tells nothing before it has the sum of all before it, at about a microsecond per block,
 * 0.5 % of the roof. At this size the simulator runs every block: a sample of blocks that wait for each other would
 * mean nothing.
 */
static const struct lab_speed speed_scan_once = {
    .gpu_arg = {1 << 22},
    .sim_arg = {1 << 22},
    .all_blocks = true,
    .bytes = lab_bytes_map,
    .fraction = 0.05,
    .fraction_double = 0.05,
    .method = {.bandwidth = LAB_WORD},
    .method_fraction = 0.07,
    .advice = "Tell the sum of the block's own piece before you look back: then the blocks after it need not "
              "wait until everything before it is known.",
};

/*
 * Bound by arithmetic. A round is one instruction for even elements (a multiply-add) and two for odd ones,
 * 5 flops instead of the 6 that three multiply-adds do: 83 % of the rate at best. A warp that has both
 * kinds runs both formulas for all of its lanes: 42 % at best. 0.50 lies between.
 */
static const struct lab_speed speed_between = {
    .gpu_arg = {1 << 23},
    .sim_arg = {1 << 19},
    .bytes = lab_bytes_map,
    .flops = flops_rounds,
    .fraction = 0.50,
    .fraction_double = 0.50,
    .flops_saved = 4, /* the even elements' formula is linear: its rounds can be put together */
    .advice = "A warp with elements of both kinds runs both formulas, each for half of its lanes. Let all "
              "lanes of a warp have elements of one kind.",
    .advice_counter = LAB_IDLE_LANES,
    .advice_from = 5,
};

/* Shown for the contrast, not judged. */
static const struct lab_speed speed_inside = {
    .gpu_arg = {1 << 23},
    .sim_arg = {1 << 19},
    .bytes = lab_bytes_map,
    .flops = flops_rounds,
    .flops_saved = 4,
};

/*
 * The stages whose lesson is shuffles. The four warps of a block of 128 threads need four stores and at most four loads of
 * their sums beside twenty shuffles: 2 accesses for each 32 elements. A tree in shared memory takes 28, which is 7; it may not
 * be hidden behind shuffles that do nothing. A tree of two steps whose 32 sums are added by shuffles has 14, 3.5, and passes.
 */
static const struct lab_counter_limit limits_shuffle[] = {
    {LAB_SHARED_PER_WARP, 4, 4,
     "the values of a warp are combined by way of shared memory here, and this stage is about shuffles, which need no "
     "memory: let the lanes of a warp hand on their values with __shfl_down_sync or __shfl_up_sync, and leave only one "
     "number of each warp in shared memory."},
    {.meaning = NULL},
};
static const int64_t limit_arg_shuffle[LAB_MAX_ARGS] = {64 * LAB05_BLOCK_SIZE};

/* Counted for whole blocks: then no branch has a reason to split a warp, and every lane has work. */
static const struct lab_counter_limit limits_divergence[] = {
    {LAB_DIVERGENT_BRANCHES, 0, 0,
     "Lanes of one warp take different sides of a branch. Even and odd elements must go to different warps: "
     "let the first half of the block's threads take the even ones."},
    {LAB_IDLE_LANES, 1, 1,
     "While some lanes of a warp run one formula, the others wait. All lanes of a warp need elements of the "
     "same kind."},
    {.meaning = NULL},
};
static const int64_t limit_arg_divergence[LAB_MAX_ARGS] = {64 * LAB05_BLOCK_SIZE};

/* ---- the tables ---------------------------------------------------------------------------------------- */

static const struct lab_case cases_sum[] = {
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

static const struct lab_case cases_scan[] = {
    {"nothing at all", {0}, false},
    {"one element", {1}, false},
    {"one short of a warp", {31}, false},
    {"a warp", {32}, false},
    {"one more than a warp", {33}, false},
    {"one short of a block", {255}, false},
    {"a block", {256}, false},
    {"one more than a block", {257}, false},
    {"a prime", {1009}, false},
    {"many blocks, ragged end", {50021}, false},
    {"2^24 + 3", {(1 << 24) + 3}, true},
    {NULL, {0}, false},
};

/* n, and how many of 16 elements are positive */
static const struct lab_case cases_compact[] = {
    {"nothing at all", {0, 8}, false},
    {"one element, kept", {1, 16}, false},
    {"one element, not kept", {1, 0}, false},
    {"one short of a warp", {31, 8}, false},
    {"one more than a warp, all kept", {33, 16}, false},
    {"a block, none kept", {256, 0}, false},
    {"a block, all kept", {256, 16}, false},
    {"a block, few kept", {256, 1}, false},
    {"one more than a block", {257, 8}, false},
    {"a prime", {1009, 8}, false},
    {"many blocks, ragged end", {50021, 5}, false},
    {"2^24 + 3", {(1 << 24) + 3, 8}, true},
    {NULL, {0}, false},
};

static const struct lab_case cases_whole_scan[] = {
    {"nothing at all", {0}, false},
    {"one element", {1}, false},
    {"one more than a warp", {33}, false},
    {"a block", {256}, false},
    {"one more than a block", {257}, false},
    {"one short of a piece", {2047}, false},
    {"a piece", {2048}, false},
    {"one more than a piece", {2049}, false},
    {"one more than 256 blocks", {65537}, false}, /* as many sums as a block scans, and one more element */
    {"one more than 257 blocks", {65793}, false},
    {"many blocks, ragged end", {300007}, false},
    {"2^24 + 3", {(1 << 24) + 3}, true}, /* 65,537 blocks: the sums of blocks of sums need a scan, too */
    {NULL, {0}, false},
};

static const struct lab_case cases_rounds[] = {
    {"nothing at all", {0}, false},
    {"one element", {1}, false},
    {"one short of a warp", {31}, false},
    {"one more than a warp", {33}, false},
    {"one short of half a block", {63}, false},
    {"one short of a block", {127}, false},
    {"a block", {128}, false},
    {"one more than a block", {129}, false},
    {"many blocks, ragged end", {10007}, false},
    {"2^22 + 3", {(1 << 22) + 3}, true},
    {NULL, {0}, false},
};

static const struct lab_task tasks[] = {
    {
        .id = "syncwarp",
        .part = "a",
        .title = "the sum, the last warp by itself",
        .points = 15,
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
        .id = "shuffle",
        .part = "b",
        .title = "the sum by shuffles",
        .points = 20,
        .arg_names = {"n"},
        .size_arg = 0,
        .cases = cases_sum,
        .shape = lab_shape_sum,
        .fill = lab_fill_sum,
        .expect = lab_expect_sum,
        .needs = lab_needs_all,
        .gathers = LAB_SUM,
        .speed = &speed_sum,
        .limits = limits_shuffle,
        .limit_arg = limit_arg_shuffle,
    },
    {
        .id = "warp_scan",
        .part = "c",
        .title = "prefix sums of warps",
        .points = 15,
        .arg_names = {"n"},
        .size_arg = 0,
        .cases = cases_scan,
        .shape = lab_shape_map,
        .expect = expect_warp_scan,
        .needs = needs_warp_scan,
        .granule = 32,
        .owner = owner_warp,
        .speed = &speed_warp_scan,
        .limits = limits_shuffle,
        .limit_arg = limit_arg_shuffle,
    },
    {
        .id = "block_scan",
        .part = "c",
        .title = "prefix sums of blocks",
        .points = 20,
        .arg_names = {"n"},
        .size_arg = 0,
        .cases = cases_scan,
        .shape = lab_shape_map,
        .expect = expect_block_scan,
        .needs = needs_block_scan,
        .granule = LAB05_SCAN_BLOCK,
        .owner = owner_scan_block,
        .speed = &speed_block_scan,
    },
    {
        .id = "compact",
        .part = "c",
        .title = "the positive ones of a block, packed",
        .points = 10,
        .arg_names = {"n", "positive"},
        .size_arg = 0,
        .cases = cases_compact,
        .shape = shape_compact,
        .fill = fill_compact,
        .expect = expect_compact,
        .granule = LAB05_SCAN_BLOCK,
        .speed = &speed_compact,
    },
    {
        .id = "inside",
        .part = "d",
        .title = "both branches in each warp",
        .arg_names = {"n"},
        .size_arg = 0,
        .cases = cases_rounds,
        .shape = lab_shape_map,
        .expect = expect_rounds,
        .needs = lab_needs_same,
        .granule = SIDE_BY_SIDE,
        .owner = owner_kind,
        .speed = &speed_inside,
        .limits = limits_divergence,
        .limit_arg = limit_arg_divergence,
        .shown_only = true,
    },
    {
        .id = "between",
        .part = "d",
        .title = "each warp takes one branch",
        .points = 20,
        .arg_names = {"n"},
        .size_arg = 0,
        .cases = cases_rounds,
        .shape = lab_shape_map,
        .expect = expect_rounds,
        .needs = lab_needs_same,
        .granule = SIDE_BY_SIDE,
        .owner = owner_kind,
        .speed = &speed_between,
        .limits = limits_divergence,
        .limit_arg = limit_arg_divergence,
    },
    {
        .id = "scan",
        .part = "e",
        .title = "optional: prefix sums of the whole array",
        .optional = true,
        .arg_names = {"n"},
        .size_arg = 0,
        .cases = cases_whole_scan,
        .shape = shape_scan,
        .fill = fill_scan,
        .expect = expect_scan,
        .granule = LAB05_PIECE,
        .sum_of = sum_of,
        .needs = needs_scan,
        .owner = owner_scan_block,
        .speed = &speed_scan,
    },
    {
        .id = "scan_once",
        .part = "f",
        .title = "optional: the same in one pass",
        .optional = true,
        .arg_names = {"n"},
        .size_arg = 0,
        .cases = cases_whole_scan,
        .shape = shape_scan_once,
        .fill = fill_scan,
        .expect = expect_scan,
        .granule = LAB05_PIECE,
        .sum_of = sum_of,
        .needs = needs_scan,
        .owner = owner_piece,
        .speed = &speed_scan_once,
    },
};

const struct lab the_lab = {
    .name = "lab05",
    .folder = "lab05_warp_shuffle",
    .title = "Inside a warp",
    .tasks = tasks,
    .task_count = sizeof tasks / sizeof *tasks,
};
