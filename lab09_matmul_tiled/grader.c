/* Lab 09: cases, references, tolerances and thresholds. */
#include <math.h>
#include <stdio.h>

#include "harness/lab.h"
#include "harness/products.h"
#include "lab09.h"

/* ---- sizes --------------------------------------------------------------------------------------------- */

/* From element (0, 0) to the last one of the last row: behind that there is nothing that may be read. */
static int64_t elements(int64_t rows, int64_t columns, int64_t ld)
{
    return rows > 0 && columns > 0 ? (rows - 1) * ld + columns : 0;
}

/* One call's matrices; task `anywhere` names padding and misplacement instead of leading dimensions. */
struct product {
    int64_t m, n, k, lda, ldb, ldc, first;
};

static struct product product_of(const struct lab_run *run)
{
    const int64_t *arg = run->arg;
    return (struct product){arg[0], arg[1], arg[2], arg[3], arg[4], arg[5], 0};
}

static struct product anywhere_of(const struct lab_run *run)
{
    const int64_t m = run->arg[0], n = run->arg[1], k = run->arg[2], pad = run->arg[3];
    return (struct product){m, n, k, k + pad, n + pad + 1, n + pad + 2, run->arg[4]};
}

static int shape(struct lab_run *run, const struct product *p)
{
    run->buffer[0] = lab_device("d_a", LAB_IN, LAB_REAL, p->first + elements(p->m, p->k, p->lda));
    run->buffer[1] = lab_device("d_b", LAB_IN, LAB_REAL, p->first + elements(p->k, p->n, p->ldb));
    run->buffer[2] = lab_device("d_c", LAB_OUT, LAB_REAL, p->first + elements(p->m, p->n, p->ldc));
    return 3;
}

static int shape_product(struct lab_run *run)
{
    const struct product p = product_of(run);
    return p.lda < p.k || p.ldb < p.n || p.ldc < p.n ? -1 : shape(run, &p);
}

static int shape_anywhere(struct lab_run *run)
{
    const struct product p = anywhere_of(run);
    return shape(run, &p);
}

/* ---- the reference ------------------------------------------------------------------------------------- */

/* Columns `column` .. column + columns - 1 of `rows` rows from row i on. */
static void multiply(const struct lab_run *run, const struct product *p, int64_t i, int64_t rows,
                     int64_t column, int64_t columns, struct lab_expect *expect)
{
    const int64_t at = p->first + i * p->ldc + column - expect->first;
    const struct products_matrix sums = {.a = (const real *)run->buffer[0].data + p->first + i * p->lda,
                                         .b = (const real *)run->buffer[1].data + p->first + column,
                                         .lda = p->lda,
                                         .ldb = p->ldb,
                                         .ldc = p->ldc,
                                         .rows = rows,
                                         .columns = columns,
                                         .depth = p->k,
                                         .want = expect->want + at,
                                         .magnitude = expect->tolerance + at};
    if (rows > 0 && columns > 0)
        products_matrix(&sums);
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The elements of C between d_c[begin] and d_c[end - 1]: the rest of a row, whole rows, part of a row. */
static void multiply_range(const struct lab_run *run, const struct product *p, int64_t begin, int64_t end,
                           struct lab_expect *expect)
{
    const int64_t from = (begin > p->first ? begin : p->first) - p->first, to = end - p->first;
    if (from >= to)
        return;
    const int64_t row = from / p->ldc, last = to / p->ldc, column = from % p->ldc;
    if (column > 0 || last == row)
        multiply(run, p, row, 1, column, least(p->n, last == row ? to - row * p->ldc : p->n) - column,
                 expect);
    const int64_t whole = column > 0 || last == row ? row + 1 : row;
    multiply(run, p, whole, last - whole, 0, p->n, expect);
    if (last > row)
        multiply(run, p, last, 1, 0, least(p->n, to - last * p->ldc), expect);
}

/*
 * An element of C is a sum of k products. Each product is rounded once, or not at all if it is added by a
 * fused multiply-add, and passes through k additions and, where k is cut into parts, a few more: gamma of k +
 * 8 times the sum of |a| |b|. In double, the reference's own error counts as well, which is at most as large
 * again.
 */
static void expect_elements(const struct lab_run *run, const struct product *p, struct lab_expect *expect)
{
    const int64_t depth = (p->k + 8) * (sizeof(real) == sizeof(double) ? 2 : 1);
    const double factor = lab_sum_factor(depth);
    multiply_range(run, p, expect->first, expect->first + expect->count, expect);
    for (int64_t i = 0; i < expect->count; i++) {
        const int64_t at = expect->first + i - p->first;
        const bool inside = at >= 0 && at % p->ldc < p->n;
        expect->tolerance[i] = inside ? factor * expect->tolerance[i] : LAB_UNTOUCHED;
    }
}

static void expect_product(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    const struct product p = product_of(run);
    (void)buffer;
    expect_elements(run, &p, expect);
}

static void expect_anywhere(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    const struct product p = anywhere_of(run);
    if (buffer >= 0)
        expect_elements(run, &p, expect);
    else
        expect->want[0] = 1; /* yes, the same bits twice */
}

/* ---- what an output is made of ------------------------------------------------------------------------- */

/* A row of A and a column of B; between the rows of C nothing is made of anything. */
static int needs_of(const struct product *p, int64_t index, struct lab_need *need)
{
    const int64_t at = index - p->first, row = at / p->ldc, column = at % p->ldc;
    if (at < 0 || row >= p->m || column >= p->n)
        return 0;
    need[0] = (struct lab_need){
        .buffer = 0, .first = p->first + row * p->lda, .count = p->k, .stride = 1, .with_next = true};
    need[1] = (struct lab_need){.buffer = 1, .first = p->first + column, .count = p->k, .stride = p->ldb};
    return 2;
}

static int needs_product(const struct lab_run *run, int buffer, int64_t index, struct lab_need *need)
{
    const struct product p = product_of(run);
    (void)buffer;
    return needs_of(&p, index, need);
}

static int needs_anywhere(const struct lab_run *run, int buffer, int64_t index, struct lab_need *need)
{
    const struct product p = anywhere_of(run);
    (void)buffer;
    return needs_of(&p, index, need);
}

/* ---- who computes what --------------------------------------------------------------------------------- */

static void element_text(const struct product *p, int64_t index, char *text, size_t size)
{
    const int64_t i = index - p->first;
    if (i < 0 || i % p->ldc >= p->n)
        snprintf(text, size, "not an element of C");
    else
        snprintf(text, size, "row %lld, column %lld", (long long)(i / p->ldc), (long long)(i % p->ldc));
}

static void owner_product(const struct lab_run *run, int buffer, int64_t index, char *text, size_t size)
{
    const struct product p = product_of(run);
    (void)buffer;
    element_text(&p, index, text, size);
}

static void owner_anywhere(const struct lab_run *run, int buffer, int64_t index, char *text, size_t size)
{
    const struct product p = anywhere_of(run);
    (void)buffer;
    element_text(&p, index, text, size);
}

/* ---- speed --------------------------------------------------------------------------------------------- */

static double bytes_product(const int64_t *arg)
{
    return sizeof(real) * ((double)arg[0] * (double)arg[2] + (double)arg[2] * (double)arg[1] +
                           (double)arg[0] * (double)arg[1]);
}

static double flops_product(const int64_t *arg)
{
    return 2.0 * (double)arg[0] * (double)arg[1] * (double)arg[2];
}

/*
 * Not what the lab is about, but right where three halves or more stand in for a float: so many times the
 * FP32 rate.
 */
#define TENSOR_CORES 16

/*
 * With tiles of 16 x 16 each number from global memory is used 16 times, and each multiply-add still reads
 * two numbers from shared memory, which gives 32 a cycle to the 128 multiply-adds: a quarter of the roof at
 * most for the reading alone. An H100 reaches 12 % with tiles of 16 x 16, 14 % with 32 x 32, and 8 % without
 * tiles.
 */
/*
 * Without a tile every multiply-add needs two loads from global memory, 200 %; with tiles of T x T one of T, 12.5 % where T
 * is 16; even tiles of 4 x 4 stay below the limit.
 */
static const struct lab_counter_limit limits_tile[] = {
    {LAB_LOADS_PER_PRODUCT, 60, 60,
     "The multiply-adds take their numbers from global memory, the same ones again and again: no tile in shared memory is used "
     "for them. Load a tile of A and one of B into shared memory, once per block, and multiply from there."},
    {.meaning = NULL},
};
static const int64_t limit_arg_tile[LAB_MAX_ARGS] = {128, 128, 128, 128, 128, 128};

static const struct lab_speed speed_tile = {
    .gpu_arg = {2048, 2048, 2048, 2048, 2048, 2048},
    .sim_arg = {512, 1024, 64, 64, 1024, 1024},
    .bytes = bytes_product,
    .flops = flops_product,
    .fraction = 0.10,
    .fraction_double = 0.10,
    .flops_saved = TENSOR_CORES,
    .advice =
        "Load a tile of A and a tile of B into shared memory, one element a thread, neighbouring threads "
        "from neighbouring addresses; then each thread takes its row and column from there.",
};

/* What steps 07, 09, 11 and cuBLAS reach on an H100 (45, 61, 68 and 75 %), less a little. */
static const struct lab_level levels_matmul[] = {
    {0.44, 5, "128-bit loads"},
    {0.58, 5, "the next tile comes while this one is multiplied"},
    {0.66, 5, "warp tiles, asynchronous copies"},
    {0.745, 10, "what cuBLAS reaches on an H100"},
    {.fraction = 0},
};

/*
 * With 8 x 8 elements per thread, 16 numbers from shared memory serve 64 multiply-adds. Plain code for that,
 * one tile at a time with two barriers, reaches 40 % of the roof on an H100; 0.30 leaves room for other GPUs.
 * Eight elements per thread reach 26 %, one element 14 %.
 */
static const struct lab_speed speed_matmul = {
    .gpu_arg = {2048, 2048, 2048, 2048, 2048, 2048},
    .sim_arg = {1024, 2048, 64, 64, 2048, 2048},
    .bytes = bytes_product,
    .flops = flops_product,
    .fraction = 0.30,
    .fraction_double = 0.30,
    .flops_saved = TENSOR_CORES,
    .advice =
        "Let each thread compute 8 x 8 elements of C in registers: of the 16 numbers that it reads from "
        "shared memory each is then used 8 times.",
    .levels = levels_matmul,
};

/* ---- the tables ---------------------------------------------------------------------------------------- */

/* m, n, k, lda, ldb, ldc */
static const struct lab_case cases_tile[] = {
    {"no rows", {0, 5, 7, 7, 5, 5}, false},
    {"no columns", {5, 0, 7, 7, 0, 0}, false},
    {"k = 0: zeros", {17, 33, 0, 0, 33, 33}, false},
    {"one element", {1, 1, 1, 1, 1, 1}, false},
    {"a row times a column", {1, 1, 129, 129, 1, 1}, false},
    {"a column times a row", {33, 31, 1, 1, 31, 31}, false},
    {"15 x 17 x 31", {15, 17, 31, 31, 17, 17}, false},
    {"one tile", {32, 32, 32, 32, 32, 32}, false},
    {"one more than a tile", {33, 33, 33, 33, 33, 33}, false},
    {"one less than two tiles", {63, 31, 63, 63, 31, 31}, false},
    {"primes", {61, 97, 43, 43, 97, 97}, false},
    {"whole tiles, none square", {64, 96, 160, 160, 96, 96}, false},
    {"rows longer than their matrix", {37, 29, 41, 50, 31, 47}, false},
    {"padding of a vector", {36, 40, 24, 28, 44, 48}, false},
    {"one very long row", {1, 5003, 19, 19, 5003, 5003}, false},
    {"one very long column", {3001, 2, 21, 21, 2, 2}, false},
    {"1021 x 1009 x 1013", {1021, 1009, 1013, 1013, 1009, 1009}, true},
    {"1000 x 100003 x 7", {1000, 100003, 7, 8, 100004, 100008}, true},
    {NULL, {0}, false},
};

static const struct lab_case cases_matmul[] = {
    {"no rows", {0, 5, 7, 7, 5, 5}, false},
    {"no columns", {5, 0, 7, 7, 0, 0}, false},
    {"k = 0: zeros", {17, 33, 0, 0, 33, 33}, false},
    {"one element", {1, 1, 1, 1, 1, 1}, false},
    {"a row times a column", {1, 1, 129, 129, 1, 1}, false},
    {"a column times a row", {33, 31, 1, 1, 31, 31}, false},
    {"15 x 17 x 31", {15, 17, 31, 31, 17, 17}, false},
    {"one tile of 128", {128, 128, 8, 8, 128, 128}, false},
    {"one more than a tile", {129, 129, 17, 17, 129, 129}, false},
    {"one less than a tile", {127, 127, 15, 15, 127, 127}, false},
    {"whole tiles, none square", {128, 256, 40, 40, 256, 256}, false},
    {"primes", {131, 257, 67, 67, 257, 257}, false},
    {"rows longer than their matrix", {67, 129, 41, 50, 131, 147}, false},
    {"padding of a vector", {128, 256, 24, 28, 260, 264}, false},
    {"a long k", {31, 33, 1031, 1031, 33, 33}, false},
    {"one very long row", {1, 5003, 19, 19, 5003, 5003}, false},
    {"one very long column", {3001, 2, 21, 21, 2, 2}, false},
    {"ten rows of tiles", {1157, 512, 3, 3, 512, 512}, false},
    {"a tile of rows, very wide", {127, 17001, 3, 3, 17001, 17001}, false},
    {"1021 x 1009 x 1013", {1021, 1009, 1013, 1013, 1009, 1009}, true},
    {"1024 x 1024 x 1024", {1024, 1024, 1024, 1024, 1024, 1024}, true},
    {"1280 x 1536 x 520", {1280, 1536, 520, 520, 1536, 1536}, true},
    {"1000 x 100003 x 7", {1000, 100003, 7, 8, 100004, 100008}, true},
    {"100003 x 100 x 70", {100003, 100, 70, 72, 100, 100}, true},
    {"1 x 4096 x 4096", {1, 4096, 4096, 4096, 4096, 4096}, true},
    {"127 x 8191 x 1023", {127, 8191, 1023, 1023, 8191, 8191}, true},
    {NULL, {0}, false},
};

/* m, n, k, pad, first */
static const struct lab_case cases_anywhere[] = {
    {"nothing, misplaced by one", {0, 3, 3, 0, 1}, false},
    {"one element, misplaced by one", {1, 1, 1, 0, 1}, false},
    {"misplaced by one", {65, 70, 33, 0, 1}, false},
    {"misplaced by two, padded by two", {33, 129, 40, 2, 2}, false},
    {"misplaced by three, padded by one", {129, 31, 17, 1, 3}, false},
    {"in its place, rows that are not", {128, 128, 32, 0, 0}, false},
    {"k = 0", {40, 50, 0, 3, 1}, false},
    {"1023 x 1025 x 2000", {1023, 1025, 2000, 0, 3}, true},
    {"1 x 3000 x 5000", {1, 3000, 5000, 3, 2}, true},
    {NULL, {0}, false},
};

static const struct lab_task tasks[] = {
    {
        .id = "tile",
        .part = "a",
        .title = "tiles in shared memory",
        .points = 40,
        .arg_names = {"m", "n", "k", "lda", "ldb", "ldc"},
        .size_arg = -1,
        .cases = cases_tile,
        .shape = shape_product,
        .expect = expect_product,
        .needs = needs_product,
        .granule = 1,
        .keeps_reference = true,
        .owner = owner_product,
        .speed = &speed_tile,
        .limits = limits_tile,
        .limit_arg = limit_arg_tile,
    },
    {
        .id = "matmul",
        .part = "b",
        .title = "many results a thread",
        .points = 45,
        .arg_names = {"m", "n", "k", "lda", "ldb", "ldc"},
        .size_arg = -1,
        .cases = cases_matmul,
        .shape = shape_product,
        .expect = expect_product,
        .needs = needs_product,
        .granule = 1,
        .keeps_reference = true,
        .owner = owner_product,
        .speed = &speed_matmul,
    },
    {
        .id = "anywhere",
        .part = "c",
        .title = "the same, anywhere, and the same bits",
        .points = 15,
        .arg_names = {"m", "n", "k", "pad", "first"},
        .size_arg = -1,
        .cases = cases_anywhere,
        .shape = shape_anywhere,
        .expect = expect_anywhere,
        .needs = needs_anywhere,
        .granule = 1,
        .result_count = 1,
        .result_names = {"the same bits twice"},
        .owner = owner_anywhere,
    },
};

const struct lab the_lab = {
    .name = "lab09",
    .folder = "lab09_matmul_tiled",
    .title = "Tiled matrix product",
    .tasks = tasks,
    .task_count = sizeof tasks / sizeof *tasks,
};
