/* How much rounding an honest computation in `real` may show. */
#include "harness/lab.h"

double lab_roundoff(void)
{
    return sizeof(real) == sizeof(float) ? 0x1p-24 : 0x1p-53;
}

double lab_sum_bound(double magnitude, int64_t depth)
{
    double k_u = (double)depth * lab_roundoff();
    if (!(k_u < 1))
        return magnitude; /* the bound means nothing here; all cancelled is the worst there is */
    return k_u / (1 - k_u) * magnitude;
}
