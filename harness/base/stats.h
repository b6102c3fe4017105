/* Statistics of timed runs. */
#pragma once

struct stats {
    int count;
    double median;
    double quartile1, quartile3;
    double deviation; /* median absolute deviation from the median, unscaled */
    double low, high; /* 95 % confidence interval of the median, from order statistics */
};

/*
 * Sorts `sample` and describes it; count >= 1. The interval holds the median of the distribution
 * with 95 % confidence whatever its shape: ranks n/2 -+ 0.98 sqrt(n) (Conover, Practical
 * Nonparametric Statistics, section 3.2). Below six runs it is minimum to maximum.
 */
void stats_describe(double *sample, int count, struct stats *out);
