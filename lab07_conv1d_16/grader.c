/* Lab 07: cases, references, tolerances and thresholds. */
#include <math.h>
#include <stdio.h>

#include "harness/lab/products.h"
#include "harness/lab/task_parts.h"
#include "harness/lab/vectors.h"
#include "lab07.h"

/* ---- sizes and inputs ---------------------------------------------------------------------------------- */

static int shape_convolve(struct lab_run *run)
{
    return lab_shape_convolution(run, LAB07_TAPS);
}

/* arg: n, numbers, threads of a block */
static int shape_tile(struct lab_run *run)
{
    if (run->arg[2] <= 0 || run->arg[2] > 1024 || run->arg[2] % 32 != 0)
        return -1;
    return shape_convolve(run);
}

/*
 * With whole numbers, every sum is exact, so that one wrong term shows: 16 products stay below 2^24 in float;
 * in double they are too large for a float to hold.
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
    /* And the rounding of the reference itself. */
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

/* ---- two dimensions ------------------------------------------------------------------------------------ */

/* arg: height, numbers, width */
struct picture {
    int64_t height, width; /* of x */
    int64_t rows, columns; /* of y; 0: there is none */
};

static struct picture picture_of(const int64_t *arg)
{
    const bool any = arg[0] > 0 && arg[2] > 0;
    return (struct picture){.height = arg[0],
                            .width = arg[2],
                            .rows = any ? arg[0] + LAB07_SIDE - 1 : 0,
                            .columns = any ? arg[2] + LAB07_SIDE - 1 : 0};
}

static int shape_2d(struct lab_run *run)
{
    const struct picture p = picture_of(run->arg);
    run->buffer[0] = lab_device("d_x", LAB_IN, LAB_REAL, p.height * p.width);
    run->buffer[1] = lab_device("d_h", LAB_IN, LAB_REAL, LAB07_SIDE * LAB07_SIDE);
    run->buffer[2] = lab_device("d_y", LAB_OUT, LAB_REAL, p.rows * p.columns);
    return 3;
}

/* As fill_convolve, with 25 products. */
static void fill_2d(struct lab_run *run)
{
    lab_fill_convolution(run, LAB07_SIDE * LAB07_SIDE, sizeof(real) == sizeof(float) ? 800 : 18000000);
}

#define SIDE_BY_SIDE 512 /* outputs of a row that are added up at a time: their sums stay in the cache */

/* Row r of x from column c - (LAB07_SIDE - 1) on, for `count` outputs; zeros outside of x. */
FOR_VECTORS static void read_row(const real *row, int64_t width, int64_t c, int64_t count, double *to)
{
    const int64_t first = c - (LAB07_SIDE - 1), end = count + LAB07_SIDE - 1;
    const int64_t begin = first < 0 ? -first : 0, stop = width - first < end ? width - first : end;
    for (int64_t k = 0; k < end; k++)
        to[k] = 0;
    for (int64_t k = begin; k < stop; k++)
        to[k] = (double)row[first + k];
}

FOR_VECTORS static void add_tap(double tap, const double *x, int64_t count, double *want, double *magnitude)
{
    for (int64_t k = 0; k < count; k++) {
        const double term = tap * x[k];
        want[k] += term;
        magnitude[k] += fabs(term);
    }
}

/* Outputs (r, c), (r, c + 1), ...: the terms h[i][j] x[r - i][c - j] that exist, in the order of i and j. */
static void sum_2d(const struct lab_run *run, const struct picture *p, int64_t r, int64_t c, int64_t count,
                   double *want, double *magnitude)
{
    const real *x = run->buffer[0].data, *h = run->buffer[1].data;
    double row[SIDE_BY_SIDE + LAB07_SIDE - 1];
    for (int64_t i = 0; i < LAB07_SIDE; i++) {
        if (r - i < 0 || r - i >= p->height)
            continue;
        read_row(x + (r - i) * p->width, p->width, c, count, row);
        for (int64_t j = 0; j < LAB07_SIDE; j++)
            add_tap((double)h[i * LAB07_SIDE + j], row + LAB07_SIDE - 1 - j, count, want, magnitude);
    }
}

static void expect_2d(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    enum { TERMS = LAB07_SIDE * LAB07_SIDE };
    const struct picture p = picture_of(run->arg);
    const double factor = run->arg[1] == LAB_RANDOM ? lab_sum_factor(TERMS + 1) + TERMS * 0x1p-53 : 0;
    (void)buffer;
    for (int64_t i = 0, count; i < expect->count; i += count) {
        const int64_t r = (expect->first + i) / p.columns, c = (expect->first + i) % p.columns;
        count = p.columns - c < SIDE_BY_SIDE ? p.columns - c : SIDE_BY_SIDE;
        count = expect->count - i < count ? expect->count - i : count;
        sum_2d(run, &p, r, c, count, expect->want + i, expect->tolerance + i);
        for (int64_t k = i; k < i + count; k++)
            expect->tolerance[k] *= factor;
    }
}

/* Does element `element` of x or h belong to output `index` of y? */
static bool is_in_window(const struct lab_run *run, int64_t index, int64_t element)
{
    const struct picture p = picture_of(run->arg);
    const int64_t i = index / p.columns - element / p.width, j = index % p.columns - element % p.width;
    return i >= 0 && i < LAB07_SIDE && j >= 0 && j < LAB07_SIDE;
}

static bool is_tap_used(const struct lab_run *run, int64_t index, int64_t element)
{
    const struct picture p = picture_of(run->arg);
    const int64_t r = index / p.columns - element / LAB07_SIDE, c = index % p.columns - element % LAB07_SIDE;
    return r >= 0 && r < p.height && c >= 0 && c < p.width;
}

static int needs_2d(const struct lab_run *run, int buffer, int64_t index, struct lab_need *need)
{
    const int64_t n = run->buffer[0].count;
    (void)buffer, (void)index;
    need[0] = (struct lab_need){.buffer = 0, .first = 0, .count = n, .stride = 1, .chosen = is_in_window};
    need[1] = (struct lab_need){
        .buffer = 1, .first = 0, .count = LAB07_SIDE * LAB07_SIDE, .stride = 1, .chosen = is_tap_used};
    return 2;
}

static void owner_2d(const struct lab_run *run, int buffer, int64_t index, char *text, size_t size)
{
    const struct picture p = picture_of(run->arg);
    (void)buffer;
    snprintf(text, size, "row %lld, column %lld", (long long)(index / p.columns),
             (long long)(index % p.columns));
}

static double bytes_2d(const int64_t *arg)
{
    const struct picture p = picture_of(arg);
    return sizeof(real) * ((double)p.height * (double)p.width + (double)p.rows * (double)p.columns);
}

static double flops_2d(const int64_t *arg)
{
    return 2.0 * LAB07_SIDE * LAB07_SIDE * (double)arg[0] * (double)arg[2];
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
 * In all stages every element must be read once and every output written once, so the copy's speed is the roof.
 * Steps 01, 03, 04 and 05 are the stages (a) to (d). With 2^28 floats or 2^27 doubles they reach these fractions of
 * it, measured by bench-conv on 2026-11-22 (docs/evidence/measured-h100.md, measured-h200.md):
 *
 *                            H100 float   double   H200 float   double
 *     01 naive                     50 %     60 %         36 %     42 %
 *     03 tile                      54 %     77 %         40 %     58 %
 *     04 window                    81 %     71 %         58 %     58 %
 *     05 vectors                  100 %     93 %         99 %     86 %
 *
 * The grader times single calls of a fourth of that size, and of an eighth for stages (a) and (b). The copy of the
 * taps adds about 5 us to 180, so that stage (d) has 97.6 % on an H100 and 94.1 % on an H200 (float), 92.5 and
 * 84.9 % (double).
 */

/*
 * A right kernel of another shape may be slower: with const __restrict__ and __ldg, the naive one reaches 31 % on an
 * H100 and 22 % on an H200 in float, 59 and 42 % in double (step 07). Kernels below these limits do not use
 * neighboring threads for neighboring outputs.
 */
static const struct lab_speed speed_naive = {
    .gpu_arg = {LAB_QUARTER_GIB / 2, LAB_RANDOM},
    .sim_arg = {1 << 20, LAB_RANDOM},
    .bytes = bytes_convolve,
    .flops = flops_convolve,
    .fraction = 0.18,
    .fraction_double = 0.30,
    .flops_saved = 16, /* see lab 08 */
    .advice =
        "Neighboring threads should compute neighboring outputs: thread threadIdx.x of block blockIdx.x computes "
        "output blockIdx.x * blockDim.x + threadIdx.x.",
};

/*
 * In float the tile is hardly faster than the naive kernel: 16 reads of shared memory replace 16 that L1
 * answered. So the loads from global memory distinguish this stage from the one before (limits_tile), and the
 * fraction only demands that it be no slower: 54 and 40 % less a fourth. Where memory is faster still (modeled: a
 * B200), one word per thread is the limit of the method.
 */
static const struct lab_speed speed_tile = {
    .gpu_arg = {LAB_QUARTER_GIB / 2, LAB_RANDOM, 256},
    .sim_arg = {1 << 20, LAB_RANDOM, 256},
    .bytes = bytes_convolve,
    .flops = flops_convolve,
    .fraction = 0.30,
    .fraction_double = 0.42,
    .method = {.bandwidth = LAB_WORD},
    .method_fraction = 0.50,
    .flops_saved = 16,
    .advice =
        "All threads of the block should load the tile together before one barrier, with neighboring threads "
        "loading neighboring elements; and the taps should be operands from constant memory.",
};

/*
 * Float: the window has 81 % of an H100's roof and the tile 54 %; 0.62 lies between, a fifth and an eighth away. On an
 * H200 they have 58 and 40 %, because loads of single words gain little from faster memory. There the time is compared
 * with a copy of one word per thread (2402 and 2706 GB/s): windows have 1.01 and 0.91 of it, tiles 0.68 and 0.63.
 * Double: the window is no faster than the tile on either GPU; its reads distinguish it (limits_window), and 0.45 is 71
 * and 58 % less a fourth.
 */
static const struct lab_speed speed_window = {
    .apart_is_meant = true, /* section 5 of the notes: each thread has neighboring elements */
    .gpu_arg = {LAB_QUARTER_GIB, LAB_RANDOM},
    .sim_arg = {1 << 20, LAB_RANDOM},
    .bytes = bytes_convolve,
    .flops = flops_convolve,
    .fraction = 0.62,
    .fraction_double = 0.45,
    .flops_saved = 16,
    .method = {.bandwidth = LAB_WORD},
    .method_fraction = 0.78,
    .advice =
        "Each thread should compute several neighboring outputs from a window in registers, so that an element is "
        "loaded once for all of them.",
};

/*
 * Float: 0.84 lies between the window (79 % in a single call on an H100, 57 % on an H200) and the vectors (97.6 and
 * 94.1 %), and leaves room for a copy of the taps that takes 25 us. Double: 0.75 lies between 70 and 58 % and 92.5 and
 * 84.9 %; a tile reaches 76 % there on an H100, and its reads distinguish it.
 */
static const struct lab_speed speed_convolve = {
    .apart_is_meant = true, /* four neighboring elements per thread, of which vectors take one load */
    .gpu_arg = {LAB_QUARTER_GIB, LAB_RANDOM},
    .sim_arg = {1 << 20, LAB_RANDOM},
    .bytes = bytes_convolve,
    .flops = flops_convolve,
    .fraction = 0.84,
    .fraction_double = 0.75,
    .flops_saved = 16,
    .advice =
        "Memory is the limit, so keep it busy: use 128-bit loads, each for four outputs, and no load for "
        "the taps.",
};

/*
 * Modeled for an H100, 2026-11-22, not measured: the solution reaches 38 % of the roof in float and 48 % in double.
 * Half of the lower figure is required, so that other ways to divide the work among threads pass, too. The method
 * decides where memory is much faster (modeled: a B200).
 */
static const struct lab_speed speed_2d = {
    .gpu_arg = {4096, LAB_RANDOM, 4096},
    .sim_arg = {512, LAB_RANDOM, 2048},
    .bytes = bytes_2d,
    .flops = flops_2d,
    .fraction = 0.19,
    .fraction_double = 0.19,
    .method = {.bandwidth = LAB_WORD},
    .method_fraction = 0.35,
    .flops_saved = 16,
    .advice =
        "Each warp should compute a row of outputs, and the block should load its tile once for all of them.",
};

/* ---- traffic ------------------------------------------------------------------------------------------- */

/* Neighboring words take 4 or 5 sectors per request in float, 8 or 9 in double: they may begin at any element of x. */
static const struct lab_counter_limit limits_naive[] = {
    {LAB_LOAD_SECTORS_PER_REQUEST, 6, 10,
     "The threads of a warp should read neighboring elements at the same time: thread t "
     "computes output t of its block."},
    {LAB_STORE_SECTORS_PER_REQUEST, 6, 10,
     "The threads of a warp should store neighboring outputs at the same time."},
    {.meaning = NULL},
};
static const int64_t limit_arg_convolve[LAB_MAX_ARGS] = {1 << 18, LAB_RANDOM};

/*
 * Loads per 100 multiply-adds: without a tile, 100, or 200 with loads of the taps; with it, 9 warps' loads serve
 * 8 warps' outputs of 16 multiply-adds each, which makes 7. A window in registers has 30.
 */
static const struct lab_counter_limit limits_tile[] = {
    {LAB_LOADS_PER_PRODUCT, 40, 40,
     "The multiply-adds read the same numbers from global memory again and again. Load the block's elements "
     "into shared memory once and the taps into constant memory, and multiply from there."},
    {LAB_SHARED_CONFLICTS, 100, 100,
     "Read x from a tile in shared memory, where neighboring threads read neighboring elements."},
    {.meaning = NULL},
};
static const int64_t limit_arg_tile[LAB_MAX_ARGS] = {1 << 18, LAB_RANDOM, 256};

/*
 * Reads per 100 multiply-adds. With or without a tile, each multiply-add reads its element of x: 100 and more. Four
 * outputs from a window of 19 elements: 30; two from 17: 53; with 16 loads for the taps: 55 and 103.
 */
static const struct lab_counter_limit limits_window[] = {
    {LAB_READS_PER_PRODUCT, 85, 85,
     "Nearly every multiply-add reads its element from global or shared memory. A thread whose outputs are neighbors can read "
     "each element once, and keep it in a register for all of them."},
    {.meaning = NULL},
};

/*
 * 128-bit loads of neighboring vectors take 16 sectors per request; scattered ones take up to 32. Five vectors for four
 * floats are 2.6 bytes per byte of x and y, nine for two doubles 4.5; a window loaded by single words has 9.7 and 9.5.
 */
static const struct lab_counter_limit limits_convolve[] = {
    {LAB_LOAD_SECTORS_PER_REQUEST, 16.5, 16.5,
     "The threads of a warp should load neighboring vectors: thread t begins its window at element 4 t."},
    {LAB_STORE_SECTORS_PER_REQUEST, 16.5, 16.5, "The threads of a warp should store neighboring vectors."},
    {LAB_READS_PER_PRODUCT, 85, 85,
     "Nearly every multiply-add reads its element from memory. Keep a window of x in registers, as in TODO 6."},
    {LAB_BYTES_LOADED, 6.5, 6.5,
     "Loads fetch each byte of x many times and use little of it: load the window by vectors of 16 bytes."},
    {.meaning = NULL},
};

/*
 * Without a tile 100, or 200 with the taps; with it, 24 warps' loads, of 12 rows of 36 elements, serve 8 warps'
 * outputs: 12.
 */
static const struct lab_counter_limit limits_2d[] = {
    {LAB_LOADS_PER_PRODUCT, 40, 40,
     "The multiply-adds read the same numbers from global memory again and again: load them into a tile once."},
    {.meaning = NULL},
};
static const int64_t limit_arg_2d[LAB_MAX_ARGS] = {256, LAB_RANDOM, 1024};

/* ---- the cases ----------------------------------------------------------------------------------------- */

static const struct lab_case cases_naive[] = {
    {"one element", {1, LAB_WHOLE}, false},
    {"nothing at all", {0, LAB_WHOLE}, false},
    {"one short of the taps", {15, LAB_WHOLE}, false},
    {"as many as taps", {16, LAB_WHOLE}, false},
    {"an impulse", {100, LAB_IMPULSE}, false},
    {"outputs one short of a block", {240, LAB_WHOLE}, false},
    {"outputs of a block", {241, LAB_WHOLE}, false},
    {"outputs one more than a block", {242, LAB_WHOLE}, false},
    {"random, a prime", {10007, LAB_RANDOM}, false},
    {"2^22 + 3, random", {(1 << 22) + 3, LAB_RANDOM}, true},
    {NULL, {0}, false},
};

static const struct lab_case cases_tile[] = {
    {"one element", {1, LAB_WHOLE, 256}, false},
    {"nothing at all", {0, LAB_WHOLE, 256}, false},
    {"one short of the taps, a warp", {15, LAB_WHOLE, 32}, false},
    {"one more than taps, a warp", {17, LAB_WHOLE, 32}, false},
    {"an impulse", {100, LAB_IMPULSE, 64}, false},
    {"outputs one short of a block", {240, LAB_WHOLE, 256}, false},
    {"outputs of a block", {241, LAB_WHOLE, 256}, false},
    {"outputs one more than a block", {242, LAB_WHOLE, 256}, false},
    {"blocks of 96", {1000, LAB_WHOLE, 96}, false},
    {"blocks of 128", {4999, LAB_WHOLE, 128}, false},
    {"the largest blocks", {5000, LAB_WHOLE, 1024}, false},
    {"random, a prime", {10007, LAB_RANDOM, 256}, false},
    {"2^22 + 3, random, blocks of 64", {(1 << 22) + 3, LAB_RANDOM, 64}, true},
    {"2^22 + 3, random", {(1 << 22) + 3, LAB_RANDOM, 256}, true},
    {NULL, {0}, false},
};

static const struct lab_case cases_window[] = {
    {"one element", {1, LAB_WHOLE}, false},
    {"nothing at all", {0, LAB_WHOLE}, false},
    {"one short of the taps", {15, LAB_WHOLE}, false},
    {"one more than taps", {17, LAB_WHOLE}, false},
    {"an impulse", {100, LAB_IMPULSE}, false},
    {"outputs one short of a block", {1008, LAB_WHOLE}, false},
    {"outputs of a block", {1009, LAB_WHOLE}, false},
    {"outputs one more than a block", {1010, LAB_WHOLE}, false},
    {"random, a prime", {10007, LAB_RANDOM}, false},
    {"2^22 + 3, random", {(1 << 22) + 3, LAB_RANDOM}, true},
    {NULL, {0}, false},
};

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

/* height, numbers, width */
static const struct lab_case cases_2d[] = {
    {"one element", {1, LAB_WHOLE, 1}, false},
    {"no rows", {0, LAB_WHOLE, 7}, false},
    {"no columns", {7, LAB_WHOLE, 0}, false},
    {"an impulse", {9, LAB_IMPULSE, 11}, false},
    {"smaller than the taps", {3, LAB_WHOLE, 4}, false},
    {"outputs of a block", {4, LAB_WHOLE, 28}, false},
    {"outputs one more than a block", {5, LAB_WHOLE, 29}, false},
    {"one row", {1, LAB_WHOLE, 1009}, false},
    {"one column", {503, LAB_WHOLE, 1}, false},
    {"primes", {61, LAB_WHOLE, 131}, false},
    {"random", {100, LAB_RANDOM, 120}, false},
    {"2003 x 3001", {2003, LAB_RANDOM, 3001}, true},
    {NULL, {0}, false},
};

/* ---- the tasks ----------------------------------------------------------------------------------------- */

/* The stages first, then the tasks that the files in steps/ do as well, then the optional one. */
enum { STAGES = 3, OPTIONAL = 1 };

static const struct lab_task tasks[] = {
    {
        .id = "naive",
        .part = "a",
        .title = "one output per thread",
        .points = 15,
        .arg_names = {"n", "inputs"},
        .size_arg = 0,
        .cases = cases_naive,
        .shape = shape_convolve,
        .fill = fill_convolve,
        .expect = expect_convolve,
        .needs = needs_convolve,
        .granule = 1,
        .speed = &speed_naive,
        .limits = limits_naive,
        .limit_arg = limit_arg_convolve,
    },
    {
        .id = "tile",
        .part = "b",
        .title = "a tile and its halo in shared memory",
        .points = 25,
        .arg_names = {"n", "inputs", "threads"},
        .size_arg = 0,
        .cases = cases_tile,
        .shape = shape_tile,
        .fill = fill_convolve,
        .expect = expect_convolve,
        .needs = needs_convolve,
        .granule = 1,
        .speed = &speed_tile,
        .limits = limits_tile,
        .limit_arg = limit_arg_tile,
    },
    {
        .id = "window",
        .part = "c",
        .title = "four outputs from a window in registers",
        .points = 20,
        .arg_names = {"n", "inputs"},
        .size_arg = 0,
        .cases = cases_window,
        .shape = shape_convolve,
        .fill = fill_convolve,
        .expect = expect_convolve,
        .needs = needs_convolve,
        .granule = 1,
        .speed = &speed_window,
        .limits = limits_window,
        .limit_arg = limit_arg_convolve,
    },
    {
        .id = "edges",
        .part = "d",
        .title = "vectors: every output, at every size",
        .points = 20,
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
        .part = "d",
        .title = "vectors: as fast as memory is copied",
        .points = 20,
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
    {
        .id = "two_dimensions",
        .part = "e",
        .title = "optional: 5 x 5 taps, a tile in 2-D",
        .optional = true,
        .arg_names = {"height", "inputs", "width"},
        .size_arg = -1,
        .cases = cases_2d,
        .shape = shape_2d,
        .fill = fill_2d,
        .expect = expect_2d,
        .needs = needs_2d,
        .owner = owner_2d,
        .granule = 1,
        .speed = &speed_2d,
        .limits = limits_2d,
        .limit_arg = limit_arg_2d,
    },
};

const struct lab the_lab = {
    .name = "lab07",
    .folder = "lab07_conv1d_16",
    .title = "Convolution with 16 taps: bound by memory",
    .tasks = tasks + LAB_FROM(STAGES),
    .task_count = sizeof tasks / sizeof *tasks - LAB_FROM(STAGES + OPTIONAL),
    .step = LAB_FROM(STAGES) > 0,
};
