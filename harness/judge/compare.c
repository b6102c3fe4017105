/* Element by element: what came back against the reference. */
#include "harness/judge/compare.h"

#include <math.h>
#include <string.h>

#include "harness/lab/real.h"
#include "harness/lab/vectors.h"

size_t lab_type_size(enum lab_type type)
{
    switch (type) {
    case LAB_REAL: return sizeof(real);
    case LAB_INT32: return sizeof(int32_t);
    case LAB_UINT32: return sizeof(uint32_t);
    case LAB_UINT8: return 1;
    }
    return 0;
}

int compare_poison(enum lab_type type)
{
    return type == LAB_REAL ? 0xff : 0xa5;
}

double compare_got(const struct compare_view *view, int64_t index)
{
    if (view->doubles)
        return ((const double *)view->got)[index];
    switch (view->type) {
    case LAB_REAL: return (double)((const real *)view->got)[index];
    case LAB_INT32: return (double)((const int32_t *)view->got)[index];
    case LAB_UINT32: return (double)((const uint32_t *)view->got)[index];
    case LAB_UINT8: return (double)((const uint8_t *)view->got)[index];
    }
    return NAN;
}

bool compare_is_poison(const struct compare_view *view, int64_t index)
{
    size_t size = view->doubles ? sizeof(double) : lab_type_size(view->type);
    const unsigned char *byte = (const unsigned char *)view->got + (size_t)index * size;
    int poison = compare_poison(view->type);
    for (size_t i = 0; i < size; i++)
        if (byte[i] != poison)
            return false;
    return true;
}

bool compare_close(double got, double want, double tolerance)
{
    if (got == want)
        return true;                      /* also equal infinities, whose difference is NaN */
    return fabs(got - want) <= tolerance; /* false for NaN */
}

static void note_wrong(const struct compare_view *view, int64_t index, double got,
                       struct compare_result *result)
{
    if (result->wrong++ == 0)
        result->first = index;
    result->last = index;
    if (result->shown_count < COMPARE_SHOWN)
        result->shown[result->shown_count++] = index;
    if (compare_is_poison(view, index))
        result->unwritten++;
    else if (isnan(got))
        result->nan++;
    double error = fabs(got - view->want[index]);
    if (isfinite(error) && (result->worst_index < 0 || error > result->worst)) {
        result->worst = error;
        result->worst_index = index;
    }
}

bool compare_right(const struct compare_view *view, int64_t index)
{
    if (view->tolerance[index] < 0)
        return compare_is_poison(view, index);
    return compare_close(compare_got(view, index), view->want[index], view->tolerance[index]);
}

/* As compare_close, but for infinities and LAB_UNTOUCHED, of which it may say false though all is well. */
FOR_VECTORS static bool reals_agree(const real *got, const double *want, const double *tolerance,
                                    int64_t count)
{
    int wrong = 0;
    for (int64_t i = 0; i < count; i++)
        wrong |= !(fabs((double)got[i] - want[i]) <= tolerance[i]);
    return !wrong;
}

bool compare_agrees(const struct compare_view *view)
{
    if (view->type == LAB_REAL && !view->doubles &&
        reals_agree(view->got, view->want, view->tolerance, view->count))
        return true;
    for (int64_t i = 0; i < view->count; i++)
        if (!compare_right(view, i))
            return false;
    return true;
}

bool compare_run(const struct compare_view *view, struct compare_result *result)
{
    memset(result, 0, sizeof *result);
    result->worst_index = -1;
    for (int64_t i = 0; i < view->count; i++)
        if (!compare_right(view, i))
            note_wrong(view, i, compare_got(view, i), result);
    return result->wrong == 0;
}
