/* Median, quartiles and the confidence interval of the median. */
#include "harness/base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Linear interpolation between order statistics; `sorted` ascending, 0 <= q <= 1. */
static double quantile(const double *sorted, int count, double q)
{
    double at = q * (count - 1);
    int below = (int)floor(at);
    if (below >= count - 1)
        return sorted[count - 1];
    return sorted[below] + (at - below) * (sorted[below + 1] - sorted[below]);
}

static double absolute_deviation(const double *sorted, int count, double median)
{
    double *distance = malloc((size_t)count * sizeof *distance);
    if (!distance)
        return NAN;
    for (int i = 0; i < count; i++)
        distance[i] = fabs(sorted[i] - median);
    qsort(distance, (size_t)count, sizeof *distance, ascending);
    double deviation = quantile(distance, count, 0.5);
    free(distance);
    return deviation;
}

void stats_describe(double *sample, int count, struct stats *out)
{
    qsort(sample, (size_t)count, sizeof *sample, ascending);
    memset(out, 0, sizeof *out);
    out->count = count;
    out->median = quantile(sample, count, 0.5);
    out->quartile1 = quantile(sample, count, 0.25);
    out->quartile3 = quantile(sample, count, 0.75);
    out->deviation = absolute_deviation(sample, count, out->median);
    double half = 0.98 * sqrt(count);
    int low = (int)floor(count / 2.0 - half) - 1, high = (int)ceil(count / 2.0 + half);
    out->low = sample[low > 0 ? low : 0];
    out->high = sample[high < count - 1 ? high : count - 1];
}
