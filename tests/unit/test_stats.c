/* Statistics of timed runs, and the generator and bounds that labs use. */
#include <math.h>
#include "test.h"
#include "harness/base/stats.h"
#include "harness/lab/lab.h"

TEST(test_one_sample)
{
    double sample[] = {3};
    struct stats s;
    stats_describe(sample, 1, &s);
    assert_true(s.median == 3 && s.quartile1 == 3 && s.quartile3 == 3 && s.low == 3 && s.high == 3);
    assert_true(s.deviation == 0);
}

TEST(test_median_and_quartiles)
{
    double sample[] = {5, 1, 4, 2, 3};
    struct stats s;
    stats_describe(sample, 5, &s);
    assert_true(s.median == 3 && s.quartile1 == 2 && s.quartile3 == 4 && s.deviation == 1);
    assert_true(s.low == 1 && s.high == 5); /* five runs say no more than that */
    double even[] = {1, 2, 3, 4};
    stats_describe(even, 4, &s);
    assert_true(s.median == 2.5);
}

/* The interval of the median: 95 of 100 samples' intervals should hold the true median, and the interval
   should shrink with the number of runs. */
TEST(test_interval_covers_the_median)
{
    int covered = 0, trials = 1000, count = 40;
    double sample[160], width = 0, width_more = 0;
    struct stats s;
    for (int t = 0; t < trials; t++) {
        for (int i = 0; i < count; i++) /* skewed: the square of a uniform variable; median 1/4 */
            sample[i] = pow((lab_random(1, (uint64_t)t, (uint64_t)i) + 1) / 2, 2);
        stats_describe(sample, count, &s);
        covered += s.low <= 0.25 && 0.25 <= s.high;
        width += s.high - s.low;
        for (int i = 0; i < 4 * count; i++)
            sample[i] = pow((lab_random(2, (uint64_t)t, (uint64_t)i) + 1) / 2, 2);
        stats_describe(sample, 4 * count, &s);
        width_more += s.high - s.low;
    }
    assert_true(covered >= 940);
    assert_true(width_more < 0.65 * width);
}

TEST(test_outliers_do_not_move_the_median)
{
    double sample[21];
    struct stats s;
    for (int i = 0; i < 21; i++)
        sample[i] = i < 4 ? 1000 : 1;
    stats_describe(sample, 21, &s);
    assert_true(s.median == 1 && s.high == 1 && s.deviation == 0);
}

/* ---- inputs -------------------------------------------------------------------------------------------- */

TEST(test_random_depends_on_all_three)
{
    assert_true(lab_random_u64(1, 2, 3) == lab_random_u64(1, 2, 3));
    assert_true(lab_random_u64(1, 2, 3) != lab_random_u64(2, 2, 3));
    assert_true(lab_random_u64(1, 2, 3) != lab_random_u64(1, 3, 3));
    assert_true(lab_random_u64(1, 2, 3) != lab_random_u64(1, 2, 4));
    assert_true(lab_random_u64(1, 2, 3) != lab_random_u64(2, 1, 3));
}

TEST(test_random_is_uniform)
{
    double sum = 0, squares = 0, least = 1, most = -1;
    for (uint64_t i = 0; i < 100000; i++) {
        double x = lab_random(7, 1, i);
        sum += x, squares += x * x;
        least = fmin(least, x), most = fmax(most, x);
    }
    assert_true(fabs(sum / 100000) < 0.01 && fabs(squares / 100000 - 1.0 / 3) < 0.01);
    assert_true(least >= -1 && least < -0.999 && most < 1 && most > 0.999);
}

TEST(test_fills)
{
    static real x[10000];
    static unsigned char bytes[1000];
    int seen[3] = {0};
    lab_fill_real(x, 10000, 3, 0);
    for (int i = 0; i < 10000; i++)
        assert_true(x[i] >= -1 && x[i] < 1);
    lab_fill_whole(x, 10000, 3, 0, 500);
    for (int i = 0; i < 10000; i++)
        assert_true(x[i] == (real)rint((double)x[i]) && x[i] >= -500 && x[i] <= 500);
    lab_fill_uint8(bytes, 1000, 3, 0, 3);
    for (int i = 0; i < 1000; i++)
        seen[bytes[i]]++;
    assert_true(seen[0] > 250 && seen[1] > 250 && seen[2] > 250);
}

/* ---- bounds -------------------------------------------------------------------------------------------- */

TEST(test_sum_bound)
{
    double u = lab_roundoff();
    assert_true(1 + (real)u == 1 && (real)1 + (real)(2 * u) > 1);
    assert_true(lab_sum_bound(10, 0) == 0);
    assert_true(lab_sum_bound(10, 7) >= 70 * u && lab_sum_bound(10, 7) < 70.1 * u);
    assert_true(lab_sum_bound(10, INT64_MAX) == 10);
}

RUN_ALL
