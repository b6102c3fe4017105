/* Lab 09: cases, references, tolerances and thresholds. */
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <tgmath.h>

#include "harness/lab/lab.h"
#include "harness/lab/products.h"
#include "harness/lab/task_parts.h"
#include "lab09.h"

/* ---- sizes --------------------------------------------------------------------------------------------- */

/* From element (0, 0) to the last one of the last row: nothing after it may be read. */
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

/* ---- inputs -------------------------------------------------------------------------------------------- */

/*
 * The bound of a long sum, 2^-24 (k + 8) of the sum of |a| |b|, is so wide that a product of numbers in half precision
 * would lie within it: their errors cancel. So there every number loses d >= LAB_LOST = 2.28e-4 if it is rounded to the 11
 * bits of half precision or TF32, and all products of an element of C have the same sign: that of the row times that of the
 * column, for both factors of product l have a sign of l's besides. If only the numbers of A are rounded, the sum loses the
 * sum of d |b| >= LAB_LOST |a| |b|, for |a| <= 1. That is more than the bound, 1.23e-4 at k = 2048, up to k = 3800.
 */
#define LONG_SUM 256

enum { OF_ROWS = 2, OF_COLUMNS, OF_PRODUCTS }; /* streams of signs */

static double sign(uint64_t seed, uint64_t stream, int64_t index)
{
    return lab_random_u64(seed, stream, (uint64_t)index) & 1 ? 1 : -1;
}

static void fill_signed(const struct lab_run *run, int buffer, const struct product *p)
{
    const struct lab_buffer *b = &run->buffer[buffer];
    const int64_t ld = buffer == 0 ? p->lda : p->ldb;
    real *x = b->data;
    lab_fill_precise(x, b->count, run->seed, (uint64_t)buffer);
    for (int64_t first = p->first, row = 0; first < b->count; first += ld, row++) {
        const double of_row = sign(run->seed, buffer == 0 ? OF_ROWS : OF_PRODUCTS, row);
        for (int64_t c = 0; c < ld && first + c < b->count; c++)
            x[first + c] *= (real)(of_row * sign(run->seed, buffer == 0 ? OF_PRODUCTS : OF_COLUMNS, c));
    }
}

static void fill_matrix(const struct lab_run *run, int buffer, const struct product *p)
{
    const struct lab_buffer *b = &run->buffer[buffer];
    if (p->k < LONG_SUM)
        lab_fill_real(b->data, b->count, run->seed, (uint64_t)buffer);
    else
        fill_signed(run, buffer, p);
}

static void fill_product(struct lab_run *run)
{
    const struct product p = product_of(run);
    fill_matrix(run, 0, &p);
    fill_matrix(run, 1, &p);
}

/* Rounding must show: if one factor of all products, or both, is not rounded, the sum is off by more than the bound up to k = 1,600. */
static void fill_tensor(struct lab_run *run)
{
    const struct product p = product_of(run);
    fill_signed(run, 0, &p);
    fill_signed(run, 1, &p);
}

static void fill_anywhere(struct lab_run *run)
{
    const struct product p = anywhere_of(run);
    fill_matrix(run, 0, &p);
    fill_matrix(run, 1, &p);
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
static double factor_of(int64_t k)
{
    return lab_sum_factor((k + 8) * (sizeof(real) == sizeof(double) ? 2 : 1));
}

/* `factor` times the sum of |a| |b| is the bound. */
static void expect_elements(const struct lab_run *run, const struct product *p, double factor,
                            struct lab_expect *expect)
{
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
    expect_elements(run, &p, factor_of(p.k), expect);
}

/* To the nearest number of 11 bits, as half precision has, of one that is 0 or between 1/2 and 1. */
static real half_of(real x)
{
    return (real)(rint((double)x * 0x1p11) * 0x1p-11);
}

/*
 * The product of the rounded numbers. PTX ISA, "wmma.mma": products and sums of f16 with sums in f32 are computed with at
 * least single precision; order and rounding are open. GPUs cut 16 products and the old sum 23 bits or more below the largest of
 * them, then add, in one step or in several: less than 18 units of 2^-23 of it (docs/simulator.md, "Tensor cores").
 */
static void expect_tensor(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    const struct product p = product_of(run);
    const int64_t calls = (p.k + 15) / 16;
    const double factor = 18 * 0x1p-23 * (double)calls;
    struct lab_run rounded = *run;
    (void)buffer;
    for (int i = 0; i < 2; i++) {
        const real *x = run->buffer[i].data;
        real *to = rounded.buffer[i].data = malloc((size_t)run->buffer[i].count * sizeof(real) + 1);
        if (!to)
            abort();
        for (int64_t j = 0; j < run->buffer[i].count; j++)
            to[j] = half_of(x[j]);
    }
    expect_elements(&rounded, &p, factor, expect);
    free(rounded.buffer[0].data);
    free(rounded.buffer[1].data);
}

static void expect_anywhere(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    const struct product p = anywhere_of(run);
    if (buffer >= 0)
        expect_elements(run, &p, factor_of(p.k), expect);
    else
        expect->want[0] = 1; /* yes, the same bits twice */
}

/* ---- what an output is made of ------------------------------------------------------------------------- */

/* A row of A and a column of B; the places between the rows of C are not computed. */
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
 * Not the lab's subject, but allowed if three or more half-precision numbers represent each float: this many
 * times the FP32 rate.
 */
#define TENSOR_CORES 16

/*
 * All stages are judged at one size, with the same inputs and references. The percentages below are an H100's at this
 * size, 66.9 TFLOP/s being the roof: those of the steps from `make bench-matmul` (docs/evidence/measured-h100.md), in float.
 */
#define TIMED                                                                                                \
    .gpu_arg = {2048, 2048, 2048, 2048, 2048, 2048}, .sim_arg = {1024, 2048, 64, 64, 2048, 2048},            \
    .bytes = bytes_product, .flops = flops_product, .flops_saved = TENSOR_CORES
static const int64_t limit_arg[LAB_MAX_ARGS] = {256, 256, 64, 64, 256, 256};

/*
 * A warp is two rows of 16 threads: its load of A reads two numbers, that of B 16 neighbors. In float these are 2 and
 * 2 sectors, in double 2 and 4; with blocks of 32 x 8, 2.5 and 4.5 on average. With x and y exchanged, 16 for A and 1
 * for B.
 */
static const struct lab_counter_limit limits_naive[] = {
    {LAB_LOAD_SECTORS_PER_REQUEST, 4, 5,
     "The 32 threads of a warp load numbers that lie apart, in more sectors than they fill. The threads of a warp are neighbors in "
     "threadIdx.x, which should count columns."},
    {LAB_STORE_SECTORS_PER_REQUEST, 8, 12,
     "The 32 threads of a warp store elements of C that lie apart. The threads of a warp are neighbors in threadIdx.x, which should "
     "count columns."},
    {.meaning = NULL},
};

/* Neighboring threads at neighboring addresses: 8 % of the roof (step 02). With x and y exchanged: 1.5 % (step 01). */
static const struct lab_speed speed_naive = {
    TIMED,
    .fraction = 0.04,
    .fraction_double = 0.04,
    .advice =
        "Let threadIdx.x count columns of C and threadIdx.y rows: then the threads of a warp load neighbors of B and store "
        "neighbors of C.",
};

/*
 * Loads per 100 multiply-adds: without a tile, 200; with tiles of T x T, 200 / T, which is 12.5 for T = 16. Even tiles of
 * 4 x 4 stay below the limit.
 */
static const struct lab_counter_limit limits_tile[] = {
    {LAB_LOADS_PER_PRODUCT, 60, 60,
     "The multiply-adds read the same numbers from global memory again and again, and no tile in shared memory. Load a tile of A "
     "and one of B into shared memory, once per block, and multiply from there."},
    {.meaning = NULL},
};

/*
 * With tiles of 16 x 16 each number from global memory is used 16 times, and each multiply-add still reads
 * two numbers from shared memory, which delivers 32 per cycle where 128 multiply-adds are possible: the reads alone
 * allow at most a quarter of the roof. An H100 reaches 12 % with tiles of 16 x 16, 14 % with 32 x 32, and 8 % without
 * tiles. In double 14 %; without tiles, modeled, 12 %, and the limit above decides.
 */
static const struct lab_speed speed_tile = {
    TIMED,
    .fraction = 0.10,
    .fraction_double = 0.10,
    .advice =
        "Load a tile of A and a tile of B into shared memory, one element of each per thread, with neighboring threads "
        "at neighboring addresses; then each thread reads its row and its column from there.",
};

/*
 * Reads of global and shared memory per 100 multiply-adds: a number of B serves eight of them, 112.5, and the tiles add 6.25.
 * With four rows per thread 137.5, one element per thread 206. Sectors: as for (c), below.
 */
static const struct lab_counter_limit limits_column[] = {
    {LAB_LOAD_SECTORS_PER_REQUEST, 10, 12,
     "Neighboring threads load numbers that are far apart. A row of A's tile has COLUMN_DEPTH neighboring numbers, a row of B's tile "
     "COLUMN_BLOCK: let neighboring threads load neighbors."},
    {LAB_READS_PER_PRODUCT, 130, 130,
     "There are too many reads per multiply-add. Read a number of B into a register once, and multiply it by the eight numbers of A "
     "in the rows that this thread computes: 9 reads for 8 multiply-adds."},
    {.meaning = NULL},
};

/*
 * Eight elements per thread, one below the other: 26 % (step 05); one element per thread 14 %. In double the step was not
 * measured, so there it need not be faster than (b)'s tiles, and the limits above decide.
 */
static const struct lab_speed speed_column = {
    TIMED,
    .fraction = 0.19,
    .fraction_double = 0.10,
    .advice =
        "Let each thread compute eight elements of a column of C: then a number of B, once in a register, serves eight "
        "multiply-adds.",
};

/*
 * Reads of global and shared memory: 16 for 64 multiply-adds and 3 % for the tiles, 28 %. With 4 x 4 elements per
 * thread 56 %, with eight in a column (step 05) 119 %.
 *
 * A warp's load reads 4 rows of 8 numbers of A, or 32 neighbors of B: 4 sectors in float, 8 in double. With tiles
 * that are 4 deep, these are 6 and 8. With neighboring threads on neighboring rows of A, there are 32 for A, 18 and
 * 20 on average.
 */
static const struct lab_counter_limit limits_registers[] = {
    {LAB_LOAD_SECTORS_PER_REQUEST, 10, 12,
     "Neighboring threads load numbers that lie apart. A row of A's tile has DEPTH neighboring numbers, a row of B's tile BLOCK: "
     "number the elements along the rows, and let neighboring threads load neighbors."},
    {LAB_READS_PER_PRODUCT, 60, 60,
     "There are too many reads per multiply-add. Let each thread read 8 numbers of A and 8 of B into registers, and multiply each "
     "number of A by each number of B: 16 reads for 64 multiply-adds."},
    {.meaning = NULL},
};

/*
 * With 8 x 8 elements per thread, 16 numbers from shared memory serve 64 multiply-adds. Plain code for that, one
 * tile at a time with two barriers, reaches 39 % (in double 38 %); 0.30 leaves room for other GPUs. Eight elements
 * per thread reach 26 %, one element 14 %.
 */
static const struct lab_speed speed_registers = {
    TIMED,
    .fraction = 0.30,
    .fraction_double = 0.30,
    .advice =
        "Let each thread compute 8 x 8 elements of C in registers: then it uses each of the 16 numbers that it reads "
        "from shared memory 8 times.",
};

/*
 * Loads per 100 multiply-adds, one number at a time, with tiles of 128 x 128: 1.56 (1/128 + 1/128); in vectors 0.39
 * in float and 0.78 in double. Tiles of 64 x 64 in vectors of four floats: 0.78. Reads of both memories: 8, in double
 * 14; one number at a time 28. Conflicts: eight neighbors per thread instead of two groups of four (step 07), and a
 * tile of A without padding, exceed the limit.
 */
static const struct lab_counter_limit limits_vectors[] = {
    {LAB_LOADS_PER_PRODUCT, 1.0, 1.0,
     "Global memory is read one number at a time. If the rows begin at multiples of 16 bytes, one 128-bit load reads four floats or "
     "two doubles."},
    {LAB_READS_PER_PRODUCT, 18, 24,
     "Shared memory is read one number at a time. If the tile of A is stored transposed, the numbers that a thread needs are neighbors, "
     "and one 128-bit load reads four floats or two doubles."},
    {LAB_SHARED_CONFLICTS, 2, 2,
     "There are bank conflicts: the vectors that a warp reads, or the numbers that it stores, lie in the same banks. Neighboring "
     "threads should read neighboring vectors, and each row of the transposed tile should be padded by one vector."},
    {.meaning = NULL},
};

/*
 * On an H100 the solution has 56 %, step 08 48 %, and step 07, with bank conflicts, 45 %; one number at a time (c) has 39 %.
 * In double (d) has 48 % and (c) 38 %, so there the limits above decide.
 */
static const struct lab_speed speed_vectors = {
    TIMED,
    .fraction = 0.43,
    .fraction_double = 0.33,
    .advice =
        "Load 128 bits at a time, from global memory and from the tiles in shared memory, and store C in the same way.",
};

/* What steps 10, 11 and cuBLAS reach on an H100 (67, 69 and 75 %), less a little. */
static const struct lab_level levels_matmul[] = {
    {0.66, 10, "asynchronous copies, warp tiles"},
    {0.745, 15, "what cuBLAS reaches on an H100"},
    {.fraction = 0},
};

/*
 * On an H100 two buffers have 63 % (in double 60), and one buffer, (d), 56 % (48); by the model 67 and 61 % in float.
 * These are too near to each other for a modeled time to tell them apart, so without a
 * GPU the order decides: a load that is issued before the 512 multiply-adds of a pair of tiles, and
 * used after them, has about 500 of them behind it on average (the first pair has none); one that is issued after them, none.
 */
static const struct lab_speed speed_matmul = {
    TIMED,
    .arithmetic_behind = 64,
    .fraction = 0.54,
    .fraction_double = 0.42,
    .advice =
        "Fetch the next tiles before these are multiplied, and put them into the other buffer afterward: then threads hardly wait for "
        "global memory, and one barrier per pair of tiles is enough.",
    .levels = levels_matmul,
};

/* ---- (g): softmax -------------------------------------------------------------------------------------- */

/* arg: rows, columns, what kind of numbers. */
enum { RANDOM, ALL_EQUAL, FAR_FROM_ZERO, ONE_HUGE, APART, MASKED };

static int shape_softmax(struct lab_run *run)
{
    const int64_t count = run->arg[0] * run->arg[1];
    run->buffer[0] = lab_device("d_x", LAB_IN, LAB_REAL, count);
    run->buffer[1] = lab_device("d_y", LAB_OUT, LAB_REAL, count);
    return 2;
}

/*
 * exp() of FAR_FROM_ZERO numbers is infinite in the even rows and zero in the others. The shares of numbers far APART go
 * down to zero. Even rows are MASKED after the diagonal, as words that come later in a text; odd rows in their first half.
 */
static double number_of(const struct lab_run *run, int64_t row, int64_t column)
{
    const int64_t columns = run->arg[1];
    const double x = lab_random(run->seed, 0, (uint64_t)(row * columns + column));
    const bool masked = row % 2 == 0 ? column > row : column < columns / 2;
    switch (run->arg[2]) {
    case ALL_EQUAL: return lab_random(run->seed, 0, (uint64_t)row);
    case FAR_FROM_ZERO: return row % 2 == 0 ? 1e4 + x : -1e4 + x;
    case ONE_HUGE:
        return lab_random_u64(run->seed, 1, (uint64_t)row) % (uint64_t)columns == (uint64_t)column ? 1e4 : x;
    case APART: return x * 1e3;
    case MASKED: return masked ? -HUGE_VAL : x;
    default: return x;
    }
}

static void fill_softmax(struct lab_run *run)
{
    real *x = run->buffer[0].data;
    for (int64_t i = 0; i < run->buffer[0].count; i++)
        x[i] = (real)number_of(run, i / run->arg[1], i % run->arg[1]);
}

/*
 * A row's largest element m, the sum S of e = exp(-t) with t = m - x, and the mean of t, weighted with e / S. For
 * infinite t, e is zero.
 */
struct row {
    lab_wide largest, sum, mean;
};

static struct row row_of(const real *x, int64_t columns)
{
    struct row row = {(lab_wide)-HUGE_VAL, 0, 0};
    for (int64_t i = 0; i < columns; i++)
        row.largest = x[i] > row.largest ? x[i] : row.largest;
    for (int64_t i = 0; i < columns; i++) {
        const lab_wide t = row.largest - x[i], e = exp(-t);
        row.sum += e;
        row.mean += e > 0 ? e * t : 0;
    }
    row.mean /= row.sum;
    return row;
}

/*
 * Roundings, in units of u, that a share e / S may be off by. Rounding t makes e wrong by a factor 1 + t u; with exp2(),
 * t log2(e) is rounded twice more: 3 t. exp() is off by 2 units in the last place (CUDA C++ Programming Guide,
 * Mathematical Functions), 4 u; a weighted mean of the same errors is the error of S, which takes columns / 32 + 64
 * additions (lab09.h), too; and a quotient of 2 units in the last place is off by 4 u.
 */
static double softmax_factor(const struct row *row, double t, int64_t columns)
{
    return lab_sum_factor((int64_t)ceil(3 * (t + (double)row->mean)) + 4 + 4 + columns / 32 + 64 + 4);
}

/* The elements from expect->first on, which may begin and end within a row. A share below the least normal number may be 0. */
static void expect_softmax(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    const int64_t columns = run->arg[1];
    struct row row = {0};
    (void)buffer;
    for (int64_t i = 0; i < expect->count; i++) {
        const int64_t index = expect->first + i;
        const real *x = (const real *)run->buffer[0].data + index / columns * columns;
        if (i == 0 || index % columns == 0)
            row = row_of(x, columns);
        const lab_wide t = row.largest - x[index % columns], share = exp(-t) / row.sum;
        expect->want[i] = (double)share;
        expect->tolerance[i] = sizeof(real) == sizeof(float) ? (double)FLT_MIN : DBL_MIN;
        if (share > 0)
            expect->tolerance[i] += (double)share * softmax_factor(&row, (double)t, columns);
    }
}

/* -infinity adds nothing to the sum. */
static bool is_finite_softmax(const struct lab_run *run, int64_t index, int64_t element)
{
    (void)index;
    return isfinite(((const real *)run->buffer[0].data)[element]);
}

static int needs_softmax(const struct lab_run *run, int buffer, int64_t index, struct lab_need *need)
{
    const int64_t columns = run->arg[1];
    (void)buffer;
    need[0] = (struct lab_need){.buffer = 0,
                                .first = index / columns * columns,
                                .count = columns,
                                .stride = 1,
                                .any_times = true,
                                .chosen = is_finite_softmax};
    return 1;
}

static void owner_softmax(const struct lab_run *run, int buffer, int64_t index, char *text, size_t size)
{
    (void)buffer;
    snprintf(text, size, "row %lld, column %lld", (long long)(index / run->arg[1]),
             (long long)(index % run->arg[1]));
}

/* Every element is read from memory once, and written once: what is read again can come from a cache. */
static double bytes_softmax(const int64_t *arg)
{
    return 2.0 * sizeof(real) * (double)arg[0] * (double)arg[1];
}

/*
 * Of each element, all counted as multiply-adds: exp() for the sum and for the result, 7 instructions each of nvcc's code in
 * float and 15 in double; two differences, an addition and a product.
 */
static double flops_softmax(const int64_t *arg)
{
    const double instructions = sizeof(real) == sizeof(float) ? 18 : 34;
    return 2 * instructions * (double)arg[0] * (double)arg[1];
}

/*
 * An H100 reaches 81 % of a copy's rate in float, 79 % in double (2026-11-28). By the model a block per row reaches 99 % in float on an
 * H100, an RTX 4060 Laptop and a T4 (the model's caches are generous), and a row per thread 15 to 22 %. In double exp() sets
 * the pace where there are few FP64 units: by the model 82, 78 and 78 %, and a row per thread 9, 47 and 39 %; there the limits
 * below decide, too. exp() once per element is enough.
 */
static const struct lab_speed speed_softmax = {
    .gpu_arg = {LAB_QUARTER_GIB / 4096, 4096, RANDOM},
    .sim_arg = {256, 4096, RANDOM},
    .bytes = bytes_softmax,
    .flops = flops_softmax,
    .flops_saved = 2,
    .fraction = 0.40,
    .fraction_double = 0.30,
    .advice =
        "Let the threads of a block share a row, with neighboring threads on neighboring elements: then few rows are in work "
        "at a time, and their elements are still in a cache when they are read again.",
};

/* A warp loads and stores 32 neighbors: 4 sectors in float, 8 in double, one more where a row begins between sectors; 16 in vectors
   of 16 bytes. With a row per thread 32. */
static const struct lab_counter_limit limits_softmax[] = {
    {LAB_LOAD_SECTORS_PER_REQUEST, 16.05, 16.05,
     "The threads of a warp load elements that lie apart. Let them take neighboring elements of one row."},
    {LAB_STORE_SECTORS_PER_REQUEST, 16.05, 16.05,
     "The threads of a warp store elements that lie apart. Let them take neighboring elements of one row."},
    {LAB_BYTES_LOADED, 1.6, 1.6,
     "The rows are read more than three times. Three are enough: for the largest element, for the sum, and for the results."},
    {.meaning = NULL},
};
static const int64_t limit_arg_softmax[LAB_MAX_ARGS] = {32, 512, RANDOM};

/* ---- the tables ---------------------------------------------------------------------------------------- */

/*
 * m, n, k, lda, ldb, ldc. (a) and (b) have the same cases. So do (c) and (d), around their tiles of 128 x 128 and 8;
 * (e) has some more. All have the same two large ones: primes, and more blocks than a GPU holds, with more than 2^24
 * elements.
 */
#define NO_ELEMENTS                                                                                          \
    {"no rows", {0, 5, 7, 7, 5, 5}, false}, {"no columns", {5, 0, 7, 7, 0, 0}, false},                       \
        {"k = 0: zeros", {17, 33, 0, 0, 33, 33}, false},                                                     \
    {                                                                                                        \
        "k = 0, rows apart", {17, 33, 0, 2, 35, 37}, false                                                   \
    }
#define SMALL                                                                                                \
    {"one element", {1, 1, 1, 1, 1, 1}, false}, {"a row times a column", {1, 1, 129, 129, 1, 1}, false},     \
        {"a column times a row", {33, 31, 1, 1, 31, 31}, false},                                             \
    {                                                                                                        \
        "15 x 17 x 31", {15, 17, 31, 31, 17, 17}, false                                                      \
    }
#define LONG                                                                                                 \
    {"one very long row", {1, 5003, 19, 19, 5003, 5003}, false},                                             \
    {                                                                                                        \
        "one very long column", {3001, 2, 21, 21, 2, 2}, false                                               \
    }
#define LARGE                                                                                                \
    {"509 x 521 x 523", {509, 521, 523, 523, 521, 521}, true},                                               \
        {"170 x 100003 x 7", {170, 100003, 7, 8, 100004, 100008}, true},                                     \
    {                                                                                                        \
        "a million rows", {1000000, 1, 1, 1, 1, 1}, true                                                     \
    }

static const struct lab_case cases_tile[] = {
    NO_ELEMENTS,
    SMALL,
    {"one tile", {32, 32, 32, 32, 32, 32}, false},
    {"one more than a tile", {33, 33, 33, 33, 33, 33}, false},
    {"one less than two tiles", {63, 31, 63, 63, 31, 31}, false},
    {"primes", {61, 97, 43, 43, 97, 97}, false},
    {"two tiles each way", {64, 64, 64, 64, 64, 64}, false},
    {"whole tiles, none square", {64, 96, 160, 160, 96, 96}, false},
    {"rows longer than their matrix", {37, 29, 41, 50, 31, 47}, false},
    {"padding of a vector", {36, 40, 24, 28, 44, 48}, false},
    LONG,
    LARGE,
    {NULL, {0}, false},
};

/* Around tiles of 64 x 64 and 8. */
static const struct lab_case cases_column[] = {
    NO_ELEMENTS,
    SMALL,
    {"one tile", {64, 64, 8, 8, 64, 64}, false},
    {"one more than a tile", {65, 65, 9, 9, 65, 65}, false},
    {"one less than a tile", {63, 63, 7, 7, 63, 63}, false},
    {"eight rows more than a tile", {72, 8, 24, 24, 8, 8}, false},
    {"primes", {61, 97, 43, 43, 97, 97}, false},
    {"whole tiles, none square", {64, 192, 40, 40, 192, 192}, false},
    {"rows longer than their matrix", {37, 69, 41, 50, 71, 87}, false},
    LONG,
    LARGE,
    {NULL, {0}, false},
};

#define AROUND_128                                                                                           \
    {"one tile of 128", {128, 128, 8, 8, 128, 128}, false},                                                  \
        {"one more than a tile", {129, 129, 17, 17, 129, 129}, false},                                       \
        {"one less than a tile", {127, 127, 15, 15, 127, 127}, false},                                       \
        {"whole tiles, none square", {128, 256, 40, 40, 256, 256}, false},                                   \
        {"primes", {131, 257, 67, 67, 257, 257}, false},                                                     \
        {"rows longer than their matrix", {67, 129, 41, 50, 131, 147}, false},                               \
        {"padding of a vector", {128, 256, 24, 28, 260, 264}, false},                                        \
        {"vectors that end before the rows do", {130, 134, 22, 24, 136, 140}, false},                        \
    {                                                                                                        \
        "a long k", {31, 33, 1031, 1031, 33, 33}, false                                                      \
    }

static const struct lab_case cases_registers[] = {
    NO_ELEMENTS, SMALL, AROUND_128, LONG, LARGE, {NULL, {0}, false},
};

/* The last three: shapes for which the steps have kernels of their own. */
static const struct lab_case cases_matmul[] = {
    NO_ELEMENTS,
    SMALL,
    AROUND_128,
    LONG,
    {"two rows of tiles, whole", {256, 512, 3, 3, 512, 512}, false},
    {"ten rows of tiles", {1157, 512, 3, 3, 512, 512}, false},
    {"a tile of rows, very wide", {127, 17001, 3, 3, 17001, 17001}, false},
    LARGE,
    {"640 x 768 x 520", {640, 768, 520, 520, 768, 768}, true},
    {"100003 x 100 x 20", {100003, 100, 20, 24, 100, 100}, true},
    {"1 x 4096 x 4096", {1, 4096, 4096, 4096, 4096, 4096}, true},
    {"127 x 4099 x 511", {127, 4099, 511, 511, 4099, 4099}, true},
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
    {"513 x 515 x 1000", {513, 515, 1000, 0, 3}, true},
    {"1 x 3000 x 5000", {1, 3000, 5000, 3, 2}, true},
    {NULL, {0}, false},
};

/* Around tiles of 16 x 16 and 16. */
static const struct lab_case cases_tensor[] = {
    NO_ELEMENTS,
    SMALL,
    {"one tile", {16, 16, 16, 16, 16, 16}, false},
    {"one more than a tile", {17, 17, 17, 17, 17, 17}, false},
    {"one less than two tiles", {31, 31, 31, 31, 31, 31}, false},
    {"primes", {61, 97, 43, 43, 97, 97}, false},
    {"whole tiles, none square", {32, 64, 48, 48, 64, 64}, false},
    {"rows longer than their matrix", {37, 29, 41, 50, 31, 47}, false},
    {"a long k", {31, 33, 1031, 1031, 33, 33}, false},
    LARGE,
    {NULL, {0}, false},
};

/* rows, columns, kind: around a warp and a block of 256. */
static const struct lab_case cases_softmax[] = {
    {"no rows", {0, 5, RANDOM}, false},
    {"no columns", {5, 0, RANDOM}, false},
    {"one column: ones", {3, 1, RANDOM}, false},
    {"one less than a warp", {7, 31, RANDOM}, false},
    {"one more than a warp", {40, 33, RANDOM}, false},
    {"a block of columns", {2, 256, RANDOM}, false},
    {"all equal", {3, 1000, ALL_EQUAL}, false},
    {"far from zero", {4, 300, FAR_FROM_ZERO}, false},
    {"one huge element per row", {70, 300, ONE_HUGE}, false},
    {"numbers far apart", {4, 300, APART}, false},
    {"some are -infinity", {33, 65, MASKED}, false},
    {"more than a block, many times", {3, 4097, RANDOM}, false},
    {"a million rows", {1000000, 7, MASKED}, true},
    {"a row of a million", {3, 1000003, ONE_HUGE}, true},
    {NULL, {0}, false},
};

/* What the stages have in common. */
#define PRODUCT                                                                                              \
    .arg_names = {"m", "n", "k", "lda", "ldb", "ldc"}, .size_arg = -1, .shape = shape_product,               \
    .fill = fill_product, .expect = expect_product, .needs = needs_product, .granule = 1,                    \
    .keeps_reference = true, .owner = owner_product, .limit_arg = limit_arg

/* The last rows of the table. Rounded to half precision, there is no product in double: then (f) is the last and left out. */
#ifdef REAL_DOUBLE
enum { SOFTMAX = 7, TENSOR, LEFT_OUT = 1 };
#else
enum { TENSOR = 7, SOFTMAX, LEFT_OUT = 0 };
#endif

static const struct lab_task tasks[] = {
    {
        .id = "naive",
        .part = "a",
        .title = "one element per thread",
        .points = 15,
        .cases = cases_tile,
        .same_bits = true,
        .speed = &speed_naive,
        .limits = limits_naive,
        PRODUCT,
    },
    {
        .id = "tile",
        .part = "b",
        .title = "tiles in shared memory",
        .points = 15,
        .cases = cases_tile,
        .same_bits = true,
        .speed = &speed_tile,
        .limits = limits_tile,
        PRODUCT,
    },
    {
        .id = "column",
        .part = "b",
        .title = "8 elements of a column per thread",
        .points = 10,
        .cases = cases_column,
        .same_bits = true,
        .speed = &speed_column,
        .limits = limits_column,
        PRODUCT,
    },
    {
        .id = "registers",
        .part = "c",
        .title = "8 x 8 elements per thread",
        .points = 20,
        .cases = cases_registers,
        .same_bits = true,
        .speed = &speed_registers,
        .limits = limits_registers,
        PRODUCT,
    },
    {
        .id = "vectors",
        .part = "d",
        .title = "128-bit loads, no conflicts",
        .points = 15,
        .cases = cases_registers,
        .same_bits = true,
        .speed = &speed_vectors,
        .limits = limits_vectors,
        PRODUCT,
    },
    {
        .id = "matmul",
        .part = "e",
        .title = "the next tiles during the products",
        .points = 15,
        .cases = cases_matmul,
        .same_bits = true,
        .speed = &speed_matmul,
        PRODUCT,
    },
    {
        .id = "anywhere",
        .part = "e",
        .title = "the same, anywhere, and the same bits",
        .points = 10,
        .arg_names = {"m", "n", "k", "pad", "first"},
        .size_arg = -1,
        .cases = cases_anywhere,
        .shape = shape_anywhere,
        .fill = fill_anywhere,
        .expect = expect_anywhere,
        .needs = needs_anywhere,
        .granule = 1,
        .result_count = 1,
        .same_bits = true,
        .result_names = {"the same bits twice"},
        .owner = owner_anywhere,
    },
    [TENSOR] =
        {
            .id = "tensor",
            .part = "f",
            .title = "optional: tensor cores, half precision",
            .optional = true,
            .arg_names = {"m", "n", "k", "lda", "ldb", "ldc"},
            .size_arg = -1,
            .cases = cases_tensor,
            .shape = shape_product,
            .fill = fill_tensor,
            .expect = expect_tensor,
            .needs = needs_product,
            .owner = owner_product,

            .same_bits = true,
        },
    [SOFTMAX] =
        {
            .id = "softmax",
            .part = "g",
            .title = "optional: softmax of rows",
            .optional = true,
            .arg_names = {"rows", "columns", "inputs"},
            .size_arg = -1,
            .cases = cases_softmax,
            .shape = shape_softmax,
            .fill = fill_softmax,
            .expect = expect_softmax,
            .granule = 1,
            .needs = needs_softmax,
            .owner = owner_softmax,
            .speed = &speed_softmax,
            .limits = limits_softmax,
            .limit_arg = limit_arg_softmax,
        },
};

const struct lab the_lab = {
    .name = "lab09",
    .folder = "lab09_matmul_tiled",
    .title = "Tiled matrix product",
    .tasks = tasks + LAB_FROM(5), /* the steps are other ways to do (e) */
    .task_count = LAB_FROM(5) > 0 ? 2 : sizeof tasks / sizeof *tasks - LEFT_OUT,
    .step = LAB_FROM(5) > 0,
};
