/*
 * The shape of an error often says more than its numbers. Each test below looks at the wrong
 * elements only, or at all of them, and describes one mistake that beginners make.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/base/text.h"
#include "harness/judge/compare.h"

static const char *const keys[] = {
    [PATTERN_NONE] = "none",
    [PATTERN_UNWRITTEN] = "never-written",
    [PATTERN_ACCUMULATED] = "accumulated",
    [PATTERN_TAIL] = "tail-missing",
    [PATTERN_ZERO] = "all-zero",
    [PATTERN_NAN] = "nan",
    [PATTERN_FACTOR] = "factor",
    [PATTERN_SHIFTED] = "shifted",
    [PATTERN_REVERSED] = "reversed",
    [PATTERN_TRANSPOSED] = "transposed",
    [PATTERN_PRECISION] = "precision",
};

const char *pattern_key(enum pattern pattern)
{
    return keys[pattern];
}

/* What a pattern is looked for in. */
struct search {
    const struct compare_view *view;
    const struct compare_result *result;
    double scale; /* largest |want| */
    char *words;
};

#define SAY(s, ...) text_set((s)->words, PATTERN_WORDS, __VA_ARGS__)

static bool is_wrong(const struct search *s, int64_t i)
{
    return !compare_right(s->view, i);
}

/* Is `got` what element `other` should be? Tolerances are per element; a little is added for the
   rounding that `other` was allowed. */
static bool matches(const struct search *s, double got, int64_t other)
{
    double want = s->view->want[other];
    return compare_close(got, want, s->view->tolerance[other] + 1e-6 * fabs(want));
}

static double largest(const struct compare_view *view)
{
    double scale = 0;
    for (int64_t i = 0; i < view->count; i++)
        scale = fmax(scale, fabs(view->want[i]));
    return scale;
}

static bool find_unwritten(const struct search *s)
{
    if (s->result->unwritten == 0 || s->result->unwritten < s->result->wrong ||
        s->result->wrong < s->view->count)
        return false;
    SAY(s, "Nothing was written.");
    return true;
}

static bool find_accumulated(const struct search *s)
{
    const struct compare_view *v = s->view;
    if (!v->previous || s->result->wrong < (v->count + 1) / 2)
        return false;
    for (int64_t i = 0; i < v->count; i++) {
        double both = v->want[i] + v->previous[i];
        if (!compare_close(compare_got(v, i), both, 2 * v->tolerance[i] + 1e-6 * fabs(both)))
            return false;
    }
    SAY(s, "This is the result of this call plus that of the call before.");
    return true;
}

/* Wrong from some index to the end, all of it, and right before. */
static bool is_wrong_suffix(const struct search *s)
{
    return s->result->first > 0 && s->result->last == s->view->count - 1 &&
           s->result->wrong == s->view->count - s->result->first;
}

static bool find_tail(const struct search *s)
{
    if (!is_wrong_suffix(s) || s->result->unwritten < s->result->wrong)
        return false;
    SAY(s, "Everything from index %lld to the end was never written.", (long long)s->result->first);
    return true;
}

static bool find_zero(const struct search *s)
{
    for (int64_t i = 0; i < s->view->count; i++)
        if (compare_got(s->view, i) != 0)
            return false;
    SAY(s, "Every value is 0.");
    return true;
}

static bool find_nan(const struct search *s)
{
    if (s->result->nan == 0 || s->result->nan + s->result->unwritten < s->result->wrong)
        return false;
    SAY(s, "The wrong values are NaN (not a number).");
    return true;
}

/* The ratio at the largest wanted value: the least disturbed by rounding. */
static double ratio_at_largest(const struct search *s)
{
    int64_t at = 0;
    for (int64_t i = 1; i < s->view->count; i++)
        if (fabs(s->view->want[i]) > fabs(s->view->want[at]))
            at = i;
    return compare_got(s->view, at) / s->view->want[at];
}

static bool find_factor(const struct search *s)
{
    if (s->scale == 0 || s->result->wrong < (s->view->count + 1) / 2)
        return false;
    double factor = ratio_at_largest(s);
    double near = factor >= 1 ? round(factor) : 1 / round(1 / factor);
    if (factor < 0)
        near = round(factor);
    if (!isfinite(near) || near == 0 || fabs(near) > 4096 || fabs(near) < 1.0 / 4096 || near == 1)
        return false;
    for (int64_t i = 0; i < s->view->count; i++) {
        double want = near * s->view->want[i];
        double tolerance = fabs(near) * s->view->tolerance[i] + 1e-6 * fabs(want);
        if (!compare_close(compare_got(s->view, i), want, tolerance))
            return false;
    }
    const char *what = s->view->count == 1 ? "The value" : "Every value";
    if (fabs(near) < 1)
        SAY(s, "%s is 1/%g of what it should be, as if it were divided by %g.", what, 1 / near, 1 / near);
    else
        SAY(s, "%s is %g times what it should be.", what, near);
    return true;
}

/* Whether elements are mixed up, as their values show: where a wrong one's value belongs. */
typedef int64_t (*belongs_fn)(const struct search *s, int64_t i, int64_t by);

#define MIXED_UP_FEWEST 4 /* fewer, or fewer that differ, may be right by chance */

/* How many of the wrong elements hold what element belongs(i) should; 0: not nearly all of those that have such a one. */
static int64_t mixed_up(const struct search *s, belongs_fn belongs, int64_t by)
{
    int64_t matching = 0, examined = 0, changes = 0;
    double before = 0;
    for (int64_t i = s->result->first; i <= s->result->last; i++) {
        const int64_t other = belongs(s, i, by);
        if (other < 0 || other >= s->view->count || !is_wrong(s, i))
            continue;
        examined++;
        if (!matches(s, compare_got(s->view, i), other))
            continue;
        changes += matching == 0 || s->view->want[other] != before;
        before = s->view->want[other];
        matching++;
    }
    const bool most = matching * 10 >= examined * 9 && examined * 2 >= s->result->wrong;
    return most && matching >= 2 && changes >= (MIXED_UP_FEWEST < s->view->count ? MIXED_UP_FEWEST : 2)
               ? matching
               : 0;
}

static int64_t shifted(const struct search *s, int64_t i, int64_t by)
{
    (void)s;
    return i + by;
}

/* The other end of its block of `by` elements; the last block may be shorter. */
static int64_t mirrored(const struct search *s, int64_t i, int64_t by)
{
    const int64_t first = i - i % by, end = first + by < s->view->count ? first + by : s->view->count;
    return first + end - 1 - i;
}

/* A wrong element near the middle: those at the ends may hold what lies outside. */
static int64_t wrong_in_the_middle(const struct search *s)
{
    const int64_t middle = s->result->first + (s->result->last - s->result->first) / 2;
    int64_t i = middle;
    while (i <= s->result->last && !is_wrong(s, i))
        i++;
    for (; i > s->result->last || !is_wrong(s, i); i--)
        ;
    return i;
}

#define SHIFTS_TRIED 8

static bool find_shifted(const struct search *s)
{
    const int64_t probe = wrong_in_the_middle(s), most = 2 * (s->view->count - 1);
    int tried = 0;
    for (int64_t k = 2; k <= most + 1 && tried < SHIFTS_TRIED; k++) {
        const int64_t shift = k % 2 ? -(k / 2) : k / 2, other = probe + shift; /* 1, -1, 2, -2 … */
        if (other < 0 || other >= s->view->count || !matches(s, compare_got(s->view, probe), other))
            continue;
        const int64_t count = mixed_up(s, shifted, shift);
        tried++;
        if (!count)
            continue;
        SAY(s,
            "%lld of the %lld wrong elements hold what belongs elsewhere: element i what element i %c %lld should "
            "hold, as if an index were off by %lld.",
            (long long)count, (long long)s->result->wrong, shift > 0 ? '+' : '-', (long long)llabs(shift),
            (long long)llabs(shift));
        return true;
    }
    return false;
}

static bool find_reversed(const struct search *s)
{
    if (s->view->count < 3)
        return false;
    if (mixed_up(s, mirrored, s->view->count) == s->result->wrong) {
        SAY(s, "The values are right but in reverse order.");
        return true;
    }
    for (int64_t block = 1024; block >= 4; block /= 2) {
        if (block >= s->view->count || mixed_up(s, mirrored, block) != s->result->wrong)
            continue;
        SAY(s,
            "The values are right, but within every %lld elements their order is reversed: element i of them holds "
            "what element %lld - i should hold.",
            (long long)block, (long long)block - 1);
        return true;
    }
    return false;
}

static bool transposed_as(const struct search *s, int64_t rows, int64_t columns)
{
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < columns; c++)
            if (!matches(s, compare_got(s->view, c * rows + r), r * columns + c))
                return false;
    return true;
}

static bool find_transposed(const struct search *s)
{
    if (!s->view->arg)
        return false;
    for (int a = 0; a < LAB_MAX_ARGS; a++) {
        int64_t rows = s->view->arg[a];
        if (rows < 2 || s->view->count % rows != 0 || s->view->count / rows < 2)
            continue;
        if (!transposed_as(s, rows, s->view->count / rows))
            continue;
        SAY(s, "The values are right but rows and columns are exchanged.");
        return true;
    }
    return false;
}

static bool find_precision(const struct search *s)
{
    double largest_error = s->result->worst;
    for (int64_t i = s->result->first; i <= s->result->last; i++)
        if (!isfinite(compare_got(s->view, i)) && is_wrong(s, i))
            return false;
    if (s->result->worst_index < 0 || s->result->nan || s->result->unwritten || s->scale == 0 ||
        s->view->type != LAB_REAL || largest_error > s->scale * 0x1p-9)
        return false;
    double relative = largest_error / s->scale;
    SAY(s, "The values are nearly right: the largest error is %.1e of the largest value.", relative);
    return true;
}

/* Most telling first. */
static const struct {
    enum pattern pattern;
    bool (*find)(const struct search *s);
} searches[] = {
    {PATTERN_UNWRITTEN, find_unwritten},
    {PATTERN_ACCUMULATED, find_accumulated},
    {PATTERN_TAIL, find_tail},
    {PATTERN_ZERO, find_zero},
    {PATTERN_NAN, find_nan},
    {PATTERN_PRECISION, find_precision},
    {PATTERN_FACTOR, find_factor},
    {PATTERN_REVERSED, find_reversed},
    {PATTERN_TRANSPOSED, find_transposed},
    {PATTERN_SHIFTED, find_shifted},
};

enum pattern pattern_find(const struct compare_view *view, const struct compare_result *result,
                          char words[PATTERN_WORDS])
{
    struct search s = {view, result, largest(view), words};
    words[0] = '\0';
    if (result->wrong == 0)
        return PATTERN_NONE;
    for (size_t i = 0; i < sizeof searches / sizeof *searches; i++)
        if (searches[i].find(&s))
            return searches[i].pattern;
    return PATTERN_NONE;
}
