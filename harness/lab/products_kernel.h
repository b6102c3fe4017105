/*
 * The inner loops of products.c for one set of vector instructions; included once for each. To be defined
 * before: NAME(x) gives x a name of its own, TARGET the function attribute, VECTOR_BYTES, and TILE_ROWS x
 * TILE_VECTORS, the part of the matrix that fits into registers.
 */

typedef double NAME(lanes) __attribute__((vector_size(VECTOR_BYTES)));
typedef double NAME(loose)
    __attribute__((vector_size(VECTOR_BYTES), aligned(8), may_alias)); /* in an array of double */
typedef int64_t NAME(bits) __attribute__((vector_size(VECTOR_BYTES)));
enum { NAME(LANES) = VECTOR_BYTES / 8, NAME(COLUMNS) = TILE_VECTORS * VECTOR_BYTES / 8 };

/* TILE_ROWS x COLUMNS elements; `panel` holds `depth` rows of COLUMNS numbers of b. w and m are registers: nothing here may
   take their address. */
TARGET static void NAME(tile)(const struct products_matrix *p, const real *a, const double *panel,
                              int64_t depth, double *want, double *magnitude)
{
    NAME(lanes) w[TILE_ROWS][TILE_VECTORS], m[TILE_ROWS][TILE_VECTORS];
    UNROLLED for (int r = 0; r < TILE_ROWS; r++)
    {
        UNROLLED for (int v = 0; v < TILE_VECTORS; v++)
        {
            w[r][v] = *(const NAME(loose) *)(want + r * p->ldc + v * NAME(LANES));
            m[r][v] = *(const NAME(loose) *)(magnitude + r * p->ldc + v * NAME(LANES));
        }
    }
    for (int64_t l = 0; l < depth; l++) {
        NAME(lanes) b[TILE_VECTORS], size[TILE_VECTORS];
        UNROLLED for (int v = 0; v < TILE_VECTORS; v++)
        {
            b[v] = *(const NAME(loose) *)(panel + l * NAME(COLUMNS) + v * NAME(LANES));
            size[v] = (NAME(lanes))((NAME(bits))b[v] & INT64_MAX);
        }
        UNROLLED for (int r = 0; r < TILE_ROWS; r++)
        {
            const double x = (double)a[r * p->lda + l], x_size = fabs(x);
            UNROLLED for (int v = 0; v < TILE_VECTORS; v++)
            {
                w[r][v] += x * b[v];
                m[r][v] += x_size * size[v];
            }
        }
    }
    UNROLLED for (int r = 0; r < TILE_ROWS; r++)
    {
        UNROLLED for (int v = 0; v < TILE_VECTORS; v++)
        {
            *(NAME(loose) *)(want + r * p->ldc + v * NAME(LANES)) = w[r][v];
            *(NAME(loose) *)(magnitude + r * p->ldc + v * NAME(LANES)) = m[r][v];
        }
    }
}

/* CONVOLUTION_VECTORS vectors of outputs; x_end[-k] is the element that tap k of the first output meets. */
TARGET static void NAME(outputs)(const struct products_convolution *c, const double *x_end, double *want,
                                 double *magnitude)
{
    NAME(lanes) sum[CONVOLUTION_VECTORS], size[CONVOLUTION_VECTORS];
    UNROLLED for (int v = 0; v < CONVOLUTION_VECTORS; v++) size[v] = (NAME(lanes)){0};
    for (int64_t run = 0; run < c->taps; run += c->run) {
        UNROLLED for (int v = 0; v < CONVOLUTION_VECTORS; v++) sum[v] = (NAME(lanes)){0};
        for (int64_t k = run; k < run + c->run; k++) {
            const double h = (double)c->h[k], h_size = fabs(h);
            UNROLLED for (int v = 0; v < CONVOLUTION_VECTORS; v++)
            {
                const NAME(lanes) x = *(const NAME(loose) *)(x_end - k + v * NAME(LANES));
                sum[v] += h * x;
                size[v] += h_size * (NAME(lanes))((NAME(bits))x & INT64_MAX);
            }
        }
        UNROLLED for (int v = 0; v < CONVOLUTION_VECTORS; v++) * (NAME(loose) *)(want + v * NAME(LANES)) +=
            sum[v];
    }
    UNROLLED for (int v = 0; v < CONVOLUTION_VECTORS; v++) * (NAME(loose) *)(magnitude + v * NAME(LANES)) +=
        size[v];
}

static const struct kernels NAME(kernels) = {TILE_ROWS, NAME(COLUMNS), CONVOLUTION_VECTORS *NAME(LANES),
                                             NAME(tile), NAME(outputs)};

#undef NAME
#undef TARGET
#undef VECTOR_BYTES
#undef TILE_ROWS
#undef TILE_VECTORS
