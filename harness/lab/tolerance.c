/* How much rounding an honest computation in `real` may show. */
#include <math.h>
#include <stdlib.h>

#include "harness/lab/lab.h"
#include "harness/lab/parallel.h"
#include "harness/lab/real.h"

#define SUM_RUN 4096
#define SUM_PART                                                                                             \
    (256 * SUM_RUN) /* elements that one thread adds up on its own, whatever the number of threads */

double lab_roundoff(void)
{
    return sizeof(real) == sizeof(float) ? 0x1p-24 : 0x1p-53;
}

double lab_sum_factor(int64_t depth)
{
    const double k_u = (double)depth * lab_roundoff();
    if (!(k_u < 1))
        return 1; /* the bound means nothing here; all canceled is the worst there is */
    return depth == 0 ? 0 : k_u / (1 - k_u) + 0x1p-53;
}

double lab_sum_bound(double magnitude, int64_t depth)
{
    return lab_sum_factor(depth) * magnitude;
}

struct part_of_sum {
    lab_wide sum, size;
};

/* Four sums side by side, so that an addition need not wait for the one before. */
static struct part_of_sum add_run(const real *x, int64_t count)
{
    lab_wide even = 0, even_size = 0, odd = 0, odd_size = 0;
    int64_t i = 0;
    for (; i + 2 <= count; i += 2) {
        even += x[i];
        even_size += fabs((double)x[i]);
        odd += x[i + 1];
        odd_size += fabs((double)x[i + 1]);
    }
    if (i < count) {
        even += x[i];
        even_size += fabs((double)x[i]);
    }
    return (struct part_of_sum){even + odd, even_size + odd_size};
}

static struct part_of_sum add_part(const real *x, int64_t count)
{
    struct part_of_sum part = {0, 0};
    for (int64_t first = 0; first < count; first += SUM_RUN) {
        const struct part_of_sum run = add_run(x + first, count - first < SUM_RUN ? count - first : SUM_RUN);
        part.sum += run.sum;
        part.size += run.size;
    }
    return part;
}

struct long_sum {
    const real *x;
    int64_t count;
    struct part_of_sum *part;
};

static void add_parts(void *context, int64_t begin, int64_t end)
{
    const struct long_sum *sum = context;
    for (int64_t p = begin; p < end; p++) {
        const int64_t first = p * SUM_PART, left = sum->count - first;
        sum->part[p] = add_part(sum->x + first, left < SUM_PART ? left : SUM_PART);
    }
}

lab_wide lab_sum(const real *x, int64_t count, double *magnitude)
{
    const int64_t parts = (count + SUM_PART - 1) / SUM_PART;
    struct part_of_sum total = {0, 0}, *part = parts > 1 ? malloc((size_t)parts * sizeof *part) : NULL;
    struct long_sum sum = {x, count, part};
    if (part)
        parallel_pieces(parts, 1, 1, add_parts, &sum);
    for (int64_t p = 0; p < parts; p++) { /* in this order with one thread as with many */
        const int64_t first = p * SUM_PART, left = count - first;
        const struct part_of_sum here =
            part ? part[p] : add_part(x + first, left < SUM_PART ? left : SUM_PART);
        total.sum += here.sum;
        total.size += here.size;
    }
    free(part);
    *magnitude = (double)total.size;
    return total.sum;
}
