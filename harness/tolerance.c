/* How much rounding an honest computation in `real` may show. */
#include <math.h>

#include "harness/lab.h"

#define SUM_RUN 4096

double lab_roundoff(void)
{
    return sizeof(real) == sizeof(float) ? 0x1p-24 : 0x1p-53;
}

double lab_sum_bound(double magnitude, int64_t depth)
{
    double k_u = (double)depth * lab_roundoff();
    if (!(k_u < 1))
        return magnitude; /* the bound means nothing here; all cancelled is the worst there is */
    return depth == 0 ? 0 : (k_u / (1 - k_u) + 0x1p-53) * magnitude;
}

long double lab_sum(const real *x, int64_t count, double *magnitude)
{
    long double sum = 0, size = 0;
    for (int64_t first = 0; first < count; first += SUM_RUN) {
        const int64_t end = count - first < SUM_RUN ? count : first + SUM_RUN;
        long double run = 0, run_size = 0;
        for (int64_t i = first; i < end; i++) {
            run += x[i];
            run_size += fabsl((long double)x[i]);
        }
        sum += run;
        size += run_size;
    }
    *magnitude = (double)size;
    return sum;
}
