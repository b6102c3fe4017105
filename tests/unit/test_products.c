/* The fast sums of products against the plain loops: the same bits in float. */
#include <math.h>
#include "test.h"
#include "harness/lab/lab.h"
#include "harness/lab/parallel.h"
#include "harness/lab/products.h"

const struct lab the_lab;

static void check_matrix(int64_t rows, int64_t columns, int64_t depth, int64_t pad)
{
    const int64_t lda = depth + pad, ldb = columns + pad, ldc = columns + 2 * pad;
    const size_t size = (size_t)(rows * ldc) + 1;
    real *a = malloc(((size_t)(rows * lda) + 1) * sizeof *a);
    real *b = malloc(((size_t)(depth * ldb) + 1) * sizeof *b);
    double *got = calloc(2 * size, sizeof *got), *want = calloc(2 * size, sizeof *want);
    assert_true(a && b && got && want);
    lab_fill_real(a, rows * lda, 3, 0);
    lab_fill_real(b, depth * ldb, 3, 1);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            for (int64_t l = 0; l < depth; l++) {
                want[i * ldc + j] += (double)a[i * lda + l] * (double)b[l * ldb + j];
                want[(int64_t)size + i * ldc + j] += fabs((double)a[i * lda + l] * (double)b[l * ldb + j]);
            }
    const struct products_matrix product = {a, b, lda, ldb, ldc, rows, columns, depth, got, got + size};
    products_matrix(&product);
    assert_memory_equal(got, want, 2 * size * sizeof *got);
    free(a);
    free(b);
    free(got);
    free(want);
}

TEST(test_matrix)
{
    static const int sizes[] = {0, 1, 2, 5, 6, 7, 13, 16, 17, 33};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++)
            check_matrix(sizes[i], sizes[j], sizes[(i + j) % 10], (int64_t)(j % 3));
    check_matrix(13, 37, 515, 3);
}

static void check_convolution(int64_t n, int64_t taps, int64_t length, int64_t first, int64_t count)
{
    real *x = malloc(((size_t)n + 1) * sizeof *x), *h = malloc((size_t)taps * sizeof *h);
    double *got = calloc(2 * (size_t)count + 1, sizeof *got);
    assert_true(x && h && got);
    lab_fill_real(x, n, 4, 0);
    lab_fill_real(h, taps, 4, 1);
    const struct products_convolution sums = {x, h, n, taps, length, first, count, got, got + count};
    products_convolution(&sums);
    for (int64_t i = first; i < first + count; i++) {
        double want = 0, magnitude = 0;
        for (int64_t run = 0; run < taps; run += length) {
            double sum = 0;
            for (int64_t k = run; k < run + length; k++)
                if (i - k >= 0 && i - k < n) {
                    sum += (double)h[k] * (double)x[i - k];
                    magnitude += fabs((double)h[k] * (double)x[i - k]);
                }
            want += sum;
        }
        assert_true(got[i - first] == want && got[count + i - first] == magnitude);
    }
    free(x);
    free(h);
    free(got);
}

TEST(test_convolution)
{
    check_convolution(1, 32, 32, 0, 32);
    check_convolution(100, 64, 32, 0, 163);
    check_convolution(100, 16, 16, 17, 31);
    check_convolution(5000, 1024, 32, 0, 6023);
    check_convolution(5000, 1024, 32, 2047, 2049);
    check_convolution(0, 16, 16, 0, 0);
    check_convolution(1, 16, 16, 15, 1);
    check_convolution(3000, 16, 16, 2999, 16); /* only the last ones: a piece that x ends in */
    check_convolution(3000, 16, 16, 2048, 65);
}

/* Parts of a long sum are added in one order, whatever the number of threads. */
TEST(test_long_sum)
{
    const int64_t count = 5 * 1048576 + 77;
    real *x = malloc((size_t)count * sizeof *x);
    double magnitude, again;
    assert_non_null(x);
    lab_fill_real(x, count, 9, 0);
    const lab_wide sum = lab_sum(x, count, &magnitude);
    lab_wide parts = 0;
    for (int64_t first = 0; first < count; first += 1048576) {
        const int64_t left = count - first;
        parts += lab_sum(x + first, left < 1048576 ? left : 1048576, &again);
    }
    assert_true(sum == parts);
    lab_fill_whole(x, count, 9, 0, 500);
    int64_t whole = 0;
    for (int64_t i = 0; i < count; i++)
        whole += (int64_t)x[i];
    assert_true(lab_sum(x, count, &magnitude) == (lab_wide)whole);
    free(x);
}

TEST(test_blocks_of_memory)
{
    const size_t size = 9000001;
    char *a = malloc(size), *b = malloc(size);
    assert_true(a && b);
    parallel_set(a, 0x5a, size);
    for (size_t i = 0; i < size; i++)
        assert_int_equal(a[i], 0x5a);
    parallel_copy(b, a, size);
    assert_true(parallel_same(a, b, size));
    static const size_t places[] = {0, 1, 4095, 4096, 5000000, 9000000};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        b[places[i]] ^= 1;
        assert_false(parallel_same(a, b, size));
        b[places[i]] ^= 1;
    }
    assert_true(parallel_same(a, b, 0));
    free(a);
    free(b);
}

RUN_ALL
