/* parallel_for: each index once, whatever the count; and inputs that do not depend on the threads. */
#include "test.h"
#include "harness/lab/lab.h"
#include "harness/lab/parallel.h"

const struct lab the_lab;

static void count_visits(void *context, int64_t begin, int64_t end)
{
    unsigned char *visits = context;
    for (int64_t i = begin; i < end; i++)
        visits[i]++;
}

TEST(test_each_index_once)
{
    const int64_t counts[] = {0, 1, 99999, 100000, 200001, 1234567};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        unsigned char *visits = calloc((size_t)counts[c] + 1, 1);
        assert_non_null(visits);
        parallel_for(counts[c], count_visits, visits);
        for (int64_t i = 0; i < counts[c]; i++)
            assert_int_equal(visits[i], 1);
        assert_int_equal(visits[counts[c]], 0);
        free(visits);
    }
}

/* The first elements of a long array, filled by several threads, are a short array's, filled by one. */
TEST(test_fill_does_not_depend_on_threads)
{
    const int64_t length = 700001;
    const int64_t few = 1000;
    real *x = malloc((size_t)length * sizeof *x);
    real *y = malloc((size_t)few * sizeof *y);
    assert_true(x && y);
    lab_fill_real(x, length, 5, 2);
    lab_fill_real(y, few, 5, 2);
    assert_memory_equal(x, y, (size_t)few * sizeof *y);
    lab_fill_whole(x, length, 5, 2, 500);
    lab_fill_whole(y, few, 5, 2, 500);
    assert_memory_equal(x, y, (size_t)few * sizeof *y);
    assert_true(x[length - 1] >= -500 && x[length - 1] <= 500);
    free(x);
    free(y);
}

RUN_ALL
