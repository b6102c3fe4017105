/* Comparison and patterns: what is wrong, what is not, and what it looks like. */
#include <math.h>
#include "test.h"
#include "harness/judge/compare.h"

#define MOST 4096

/* A reference of random numbers, what "came back", and the search for a pattern. */
static double want[MOST], tolerance[MOST], before[MOST];
static real got[MOST];
static struct compare_view view;
static struct compare_result result;
static char words[PATTERN_WORDS];

static void begin(int count, double allowed)
{
    memset(&view, 0, sizeof view);
    for (int i = 0; i < count; i++) {
        want[i] = lab_random(1, 2, (uint64_t)i) * 10;
        got[i] = (real)want[i];
        want[i] = (double)got[i];
        tolerance[i] = allowed;
    }
    view = (struct compare_view){
        .type = LAB_REAL, .got = got, .want = want, .tolerance = tolerance, .count = count};
}

static enum pattern find(void)
{
    assert_false(compare_run(&view, &result));
    return pattern_find(&view, &result, words);
}

static void poison(int from, int to)
{
    memset(got + from, compare_poison(LAB_REAL), (size_t)(to - from) * sizeof *got);
}

/* ---- comparison ---------------------------------------------------------------------------------------- */

TEST(test_close)
{
    assert_true(compare_close(1, 1, 0));
    assert_true(compare_close(1, 1.5, 0.5));
    assert_false(compare_close(1, 1.5, 0.49));
    assert_false(compare_close(NAN, 1, 1e300));
    assert_false(compare_close(1, NAN, 1e300));
    assert_false(compare_close(1, 1.1, NAN));
    assert_true(compare_close(INFINITY, INFINITY, 0));
    assert_false(compare_close(INFINITY, -INFINITY, 1));
    assert_false(compare_close(1e30, INFINITY, 1));
    assert_true(compare_close(0.0, -0.0, 0));
}

TEST(test_all_right)
{
    begin(100, 0);
    assert_true(compare_run(&view, &result));
    assert_int_equal(result.wrong, 0);
    assert_int_equal(pattern_find(&view, &result, words), PATTERN_NONE);
    view.count = 0;
    assert_true(compare_run(&view, &result));
}

TEST(test_counts)
{
    begin(100, 0.5);
    got[3] += 1;
    got[7] = (real)NAN;
    poison(20, 22);
    got[40] += (real)0.25; /* within tolerance */
    got[90] -= 3;
    assert_false(compare_run(&view, &result));
    assert_int_equal(result.wrong, 5);
    assert_int_equal(result.nan, 1);
    assert_int_equal(result.unwritten, 2);
    assert_int_equal(result.first, 3);
    assert_int_equal(result.last, 90);
    assert_int_equal(result.shown_count, 5);
    assert_int_equal(result.worst_index, 90);
    assert_true(fabs(result.worst - 3) < 1e-5);
}

/* What must not be written is right while it holds the poison, and wrong with any number in it. */
TEST(test_untouched)
{
    real got[] = {1, 0, 2};
    double want[] = {1, 0, 2}, tolerance[] = {0, LAB_UNTOUCHED, 0};
    memset(&got[1], compare_poison(LAB_REAL), sizeof got[1]);
    view =
        (struct compare_view){.type = LAB_REAL, .got = got, .want = want, .tolerance = tolerance, .count = 3};
    assert_true(compare_run(&view, &result));
    got[1] = 0;
    assert_false(compare_run(&view, &result));
    assert_int_equal(result.wrong, 1);
    assert_int_equal(result.first, 1);
}

TEST(test_integers)
{
    int32_t signed_got[] = {-5, 7};
    uint32_t unsigned_got[] = {4294967295u, 7};
    uint8_t byte_got[] = {255, 0xa5};
    double signed_want[] = {-5, 7}, unsigned_want[] = {4294967295.0, 7}, byte_want[] = {255, 0xa5},
           zero[] = {0, 0};
    view = (struct compare_view){.tolerance = zero, .count = 2};
    view.type = LAB_INT32, view.got = signed_got, view.want = signed_want;
    assert_true(compare_run(&view, &result));
    view.type = LAB_UINT32, view.got = unsigned_got, view.want = unsigned_want;
    assert_true(compare_run(&view, &result));
    view.type = LAB_UINT8, view.got = byte_got, view.want = byte_want;
    assert_true(compare_run(&view, &result)); /* the poison, but right */
    byte_want[1] = 0xa4;
    assert_false(compare_run(&view, &result));
    assert_int_equal(result.unwritten, 1);
}

/* The poison is a NaN in both types, and no NaN that hardware makes: it has the sign bit and all others. */
TEST(test_poison_is_nan)
{
    begin(4, 1e30);
    poison(0, 4);
    assert_true(isnan((double)got[0]));
    got[1] = (real)NAN;
    assert_true(compare_is_poison(&view, 0));
    assert_false(compare_is_poison(&view, 1));
    assert_false(compare_run(&view, &result));
    assert_int_equal(result.wrong, 2 + 2);
}

/* ---- patterns ------------------------------------------------------------------------------------------ */

TEST(test_unwritten)
{
    begin(300, 1e-6);
    poison(0, 300);
    assert_int_equal(find(), PATTERN_UNWRITTEN);
}

TEST(test_tail)
{
    begin(300, 1e-6);
    poison(256, 300);
    assert_int_equal(find(), PATTERN_TAIL);
    assert_non_null(strstr(words, "index 256"));
}

TEST(test_zero)
{
    begin(300, 1e-6);
    for (int i = 0; i < 300; i++)
        got[i] = 0;
    assert_int_equal(find(), PATTERN_ZERO);
}

TEST(test_nan)
{
    begin(300, 1e-6);
    got[17] = got[18] = (real)NAN;
    assert_int_equal(find(), PATTERN_NAN);
}

TEST(test_factor)
{
    static const double factors[] = {2, 32, 0.5, -1};
    for (size_t k = 0; k < 4; k++) {
        begin(300, 1e-6);
        for (int i = 0; i < 300; i++)
            got[i] = (real)(want[i] * factors[k]);
        assert_int_equal(find(), PATTERN_FACTOR);
    }
}

TEST(test_accumulated)
{
    begin(300, 1e-5);
    for (int i = 0; i < 300; i++) {
        before[i] = lab_random(5, 5, (uint64_t)i);
        got[i] = (real)(want[i] + before[i]);
    }
    view.previous = before;
    assert_int_equal(find(), PATTERN_ACCUMULATED);
}

TEST(test_shifted)
{
    static const struct {
        int shift;
        const char *says;
    } shifts[] = {{1, "i what element i + 1 "},
                  {-1, "i what element i - 1 "},
                  {7, "i + 7 should hold, as if an index were off by 7."},
                  {-100, "200 of the 300 wrong"}};
    for (size_t k = 0; k < sizeof shifts / sizeof *shifts; k++) {
        begin(300, 0);
        for (int i = 0; i < 300; i++) {
            const int from = i + shifts[k].shift;
            got[i] = from < 0 || from >= 300 ? 0 : (real)want[from];
        }
        assert_int_equal(find(), PATTERN_SHIFTED);
        assert_non_null(strstr(words, shifts[k].says));
    }
}

/* Few values, which are found everywhere: nothing is said of their order. */
TEST(test_not_shifted)
{
    begin(300, 0);
    for (int i = 0; i < 300; i++) {
        want[i] = i == 150;
        got[i] = i == 149;
    }
    assert_int_not_equal(find(), PATTERN_SHIFTED);
    assert_int_not_equal(find(), PATTERN_REVERSED);
}

/* Each block of 64 the wrong way round, the last of 44 as well. */
TEST(test_reversed_in_blocks)
{
    begin(300, 0);
    for (int i = 0; i < 300; i++) {
        const int first = i - i % 64, end = first + 64 < 300 ? first + 64 : 300;
        got[i] = (real)want[first + end - 1 - i];
    }
    assert_int_equal(find(), PATTERN_REVERSED);
    assert_non_null(strstr(words, "within every 64 elements"));
}

TEST(test_reversed)
{
    begin(301, 0);
    for (int i = 0; i < 301; i++)
        got[i] = (real)want[300 - i];
    assert_int_equal(find(), PATTERN_REVERSED);
}

TEST(test_transposed)
{
    const int64_t arg[LAB_MAX_ARGS] = {20, 30};
    begin(600, 0);
    view.arg = arg;
    for (int r = 0; r < 20; r++)
        for (int c = 0; c < 30; c++)
            got[c * 20 + r] = (real)want[r * 30 + c];
    assert_int_equal(find(), PATTERN_TRANSPOSED);
}

TEST(test_precision)
{
    begin(1000, 1e-6);
    for (int i = 0; i < 1000; i++)
        got[i] *= (real)(1 + 0x1p-12 * lab_random(3, 3, (uint64_t)i));
    assert_int_equal(find(), PATTERN_PRECISION);
}

/* Plain noise fits nothing, and nothing is claimed. */
TEST(test_no_pattern)
{
    begin(1000, 1e-6);
    for (int i = 0; i < 1000; i++)
        got[i] = (real)lab_random(9, 9, (uint64_t)i);
    assert_int_equal(find(), PATTERN_NONE);
    assert_string_equal(words, "");
}

/* Scalars: one double. */
TEST(test_scalar)
{
    double value = 6, wanted = 3, allowed = 1e-9;
    view = (struct compare_view){
        .doubles = true, .got = &value, .want = &wanted, .tolerance = &allowed, .count = 1};
    assert_int_equal(find(), PATTERN_FACTOR);
    value = 0;
    assert_int_equal(find(), PATTERN_ZERO);
    value = NAN;
    assert_int_equal(find(), PATTERN_NAN);
    value = 3;
    assert_true(compare_run(&view, &result));
}

TEST(test_every_pattern_has_a_key)
{
    for (int i = PATTERN_NONE; i <= PATTERN_PRECISION; i++)
        assert_non_null(pattern_key((enum pattern)i));
}

RUN_ALL
