/* Tiles of a matrix product and of a convolution, cut so that what is used again stays in a cache. */
#include "harness/lab/products.h"

#include <math.h>
#include <string.h>

#include "harness/lab/real.h"
#include "harness/lab/vectors.h"

#define DEPTH        256 /* rows of b that are used again for all rows of a */
#define MOST_COLUMNS 16
#define PIECE        2048 /* outputs of a convolution whose elements are converted at once */
#define MOST_TAPS    1024

struct kernels {
    int rows, columns, outputs;
    void (*tile)(const struct products_matrix *p, const real *a, const double *panel, int64_t depth,
                 double *want, double *magnitude);
    void (*convolve)(const struct products_convolution *c, const double *x_end, double *want,
                     double *magnitude);
};

#define UNROLLED            _Pragma("GCC unroll 8")
#define CONVOLUTION_VECTORS 4

#define NAME(x) x##_plain
#define TARGET
#define VECTOR_BYTES 16
#define TILE_ROWS    2
#define TILE_VECTORS 2
#include "harness/lab/products_kernel.h"

#if defined __x86_64__
#define NAME(x)      x##_avx2
#define TARGET       __attribute__((target("avx2,fma")))
#define VECTOR_BYTES 32
#define TILE_ROWS    3
#define TILE_VECTORS 2
#include "harness/lab/products_kernel.h"

#define NAME(x)      x##_avx512
#define TARGET       __attribute__((target("avx512f")))
#define VECTOR_BYTES 64
#define TILE_ROWS    6
#define TILE_VECTORS 2
#include "harness/lab/products_kernel.h"
#endif

static const struct kernels *choose_kernels(void)
{
#if defined __x86_64__
    if (__builtin_cpu_supports("avx512f"))
        return &kernels_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &kernels_avx2;
#endif
    return &kernels_plain;
}

/* ---- a matrix ------------------------------------------------------------------------------------------ */

/* The loops of products.h, for part of the rows and columns. */
FOR_VECTORS static void plain(const struct products_matrix *p, int64_t row, int64_t row_end, int64_t column,
                              int64_t column_end)
{
    for (int64_t i = row; i < row_end; i++) {
        double *want = p->want + i * p->ldc, *magnitude = p->magnitude + i * p->ldc;
        for (int64_t l = 0; l < p->depth; l++) {
            const double a = (double)p->a[i * p->lda + l];
            const real *b = p->b + l * p->ldb;
            for (int64_t j = column; j < column_end; j++) {
                const double product = a * (double)b[j];
                want[j] += product;
                magnitude[j] += fabs(product);
            }
        }
    }
}

/* Rows l0 .. l0 + depth - 1 and `columns` columns of b, one row behind the other. */
static void pack(const struct products_matrix *p, int64_t l0, int64_t depth, int64_t j, int columns,
                 double *panel)
{
    for (int64_t l = 0; l < depth; l++)
        for (int c = 0; c < columns; c++)
            panel[l * columns + c] = (double)p->b[(l0 + l) * p->ldb + j + c];
}

static void panel_times_rows(const struct products_matrix *p, const struct kernels *k, int64_t l0,
                             int64_t depth, int64_t j, int64_t rows)
{
    double panel[DEPTH * MOST_COLUMNS];
    pack(p, l0, depth, j, k->columns, panel);
    for (int64_t i = 0; i < rows; i += k->rows)
        k->tile(p, p->a + i * p->lda + l0, panel, depth, p->want + i * p->ldc + j,
                p->magnitude + i * p->ldc + j);
}

void products_matrix(const struct products_matrix *p)
{
    const struct kernels *k = choose_kernels();
    const int64_t rows = p->rows / k->rows * k->rows, columns = p->columns / k->columns * k->columns;
    for (int64_t l0 = 0; l0 < p->depth && rows > 0; l0 += DEPTH)
        for (int64_t j = 0; j < columns; j += k->columns)
            panel_times_rows(p, k, l0, p->depth - l0 < DEPTH ? p->depth - l0 : DEPTH, j, rows);
    plain(p, 0, rows, columns, p->columns);
    plain(p, rows, p->rows, 0, p->columns);
}

/* ---- a convolution ------------------------------------------------------------------------------------- */

/* x[first .. first + count - 1] of n, zeros where there is none. */
FOR_VECTORS static void convert(const real *x, int64_t n, int64_t first, int64_t count, double *to)
{
    const int64_t begin = first < 0 ? -first : 0, end = n - first < count ? n - first : count;
    for (int64_t i = 0; i < begin && i < count; i++)
        to[i] = 0;
    for (int64_t i = begin; i < end; i++)
        to[i] = (double)x[first + i];
    for (int64_t i = end > begin ? end : begin; i < count; i++)
        to[i] = 0;
}

FOR_VECTORS static void add(const double *from, int64_t count, double *to)
{
    for (int64_t i = 0; i < count; i++)
        to[i] += from[i];
}

/* Outputs first .. first + count - 1, count <= PIECE. */
static void convolve_piece(const struct products_convolution *c, const struct kernels *k, int64_t first,
                           int64_t count, double *want, double *magnitude)
{
    double x[MOST_TAPS + PIECE], sums[PIECE] = {0}, sizes[PIECE] = {0};
    const int64_t whole = (count + k->outputs - 1) / k->outputs * k->outputs; /* what the kernel computes */
    convert(c->x, c->n, first - c->taps + 1, c->taps - 1 + whole, x);
    for (int64_t i = 0; i < count; i += k->outputs)
        k->convolve(c, x + c->taps - 1 + i, sums + i, sizes + i);
    add(sums, count, want);
    add(sizes, count, magnitude);
}

void products_convolution(const struct products_convolution *c)
{
    const struct kernels *k = choose_kernels();
    for (int64_t i = 0; i < c->count; i += PIECE)
        convolve_piece(c, k, c->first + i, c->count - i < PIECE ? c->count - i : PIECE, c->want + i,
                       c->magnitude + i);
}
