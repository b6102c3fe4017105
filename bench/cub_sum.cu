/* CUB's sum behind a plain function, for the ladder. */
#include <cub/cub.cuh>

#include "common/check.h"
#include "common/real.h"

/* Temporary memory is kept from call to call. */
extern "C" void cub_sum(const real *d_x, int n, real *d_y)
{
    static void *d_work = NULL;
    static size_t have = 0;
    size_t bytes = 0;
    CHECK(cub::DeviceReduce::Sum(NULL, bytes, d_x, d_y, n));
    if (bytes > have) {
        CHECK(cudaFree(d_work));
        CHECK(cudaMalloc(&d_work, bytes));
        have = bytes;
    }
    bytes = have;
    CHECK(cub::DeviceReduce::Sum(d_work, bytes, d_x, d_y, n));
}
