/*
 * Against CUB, on the same data, in the same process:
 *
 *     lab 06's sum         DeviceReduce::Sum at 2^16, 2^22, 1e8 and 2^28
 *     lab 04's histogram   DeviceHistogram::HistogramEven, 256 bins, 2^26 keys, uniform and all equal
 *
 * The two take turns. `batch` is the time of one of 20 calls in a row, launches included; `single` that of a
 * call by itself, between two events. Medians. The result stays on the device. A ratio above 1: we are
 * faster.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cub/cub.cuh>

#include "common/lab.h"
#include "lab04_atomics/lab04.h"
#include "lab06_coop_groups/lab06.h"

#define RUNS  31
#define BATCH 20

static void *d_work;
static size_t work_bytes;
static real *d_x, *d_y;
static unsigned *d_key, *d_count;
static int n;

static void reserve(size_t bytes)
{
    if (bytes > work_bytes) {
        CHECK(cudaFree(d_work));
        CHECK(cudaMalloc(&d_work, bytes));
        work_bytes = bytes;
    }
}

/* ---- what is compared ---------------------------------------------------------------------------------- */

static void sum_ours(void *)
{
    lab06_sum(d_x, n, d_y);
}

static void sum_cub(void *)
{
    size_t bytes = work_bytes;
    CHECK(cub::DeviceReduce::Sum(d_work, bytes, d_x, d_y, n));
}

static void histogram_ours(void *)
{
    lab04_histogram_shared(d_key, n, d_count);
}

static void histogram_cub(void *)
{
    size_t bytes = work_bytes;
    CHECK(cub::DeviceHistogram::HistogramEven(d_work, bytes, d_key, d_count, LAB04_BINS + 1, 0u,
                                              (unsigned)LAB04_BINS, n));
}

/* ---- time ---------------------------------------------------------------------------------------------- */

/* [0]: ours, [1]: CUB's; each the median of a batch and of a single call. */
struct medians {
    float batch[2], single[2];
};

static struct medians take_turns(void (*ours)(void *), void (*cub_call)(void *))
{
    static float batch[2][RUNS], single[2][RUNS];
    void (*const call[2])(void *) = {ours, cub_call};
    struct medians medians;
    struct timer timer;
    CHECK(timer_init(&timer));
    for (int k = -2; k < RUNS; k++) {
        for (int who = 0; who < 2; who++) {
            batch[who][k < 0 ? 0 : k] = timer_batch(&timer, call[who], NULL, BATCH);
            single[who][k < 0 ? 0 : k] = timer_batch(&timer, call[who], NULL, 1);
        }
    }
    CHECK(timer_destroy(&timer));
    for (int who = 0; who < 2; who++) {
        medians.batch[who] = timer_describe(batch[who], RUNS).median;
        medians.single[who] = timer_describe(single[who], RUNS).median;
    }
    return medians;
}

static void print_row(const char *what, const struct medians *m, double bytes, bool right)
{
    printf("  %-28s %9.5f %9.5f %7.3f   %9.5f %9.5f %7.3f  %7.0f%s\n", what, m->batch[0], m->batch[1],
           m->batch[1] / m->batch[0], m->single[0], m->single[1], m->single[1] / m->single[0],
           1e-6 * bytes / m->batch[0], right ? "" : "  WRONG");
}

/* ---- the sums ------------------------------------------------------------------------------------------ */

__global__ void fill(real *x, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        x[i] = (real)((i * 2654435761u >> 8) % 1000) / 1000;
    }
}

static bool compare_sums(int count)
{
    char what[64];
    real sum[2];
    size_t bytes = 0;
    n = count;
    CHECK(cub::DeviceReduce::Sum(NULL, bytes, d_x, d_y, n));
    reserve(bytes);
    sum_ours(NULL);
    CHECK(cudaMemcpy(&sum[0], d_y, sizeof(real), cudaMemcpyDeviceToHost));
    sum_cub(NULL);
    CHECK(cudaMemcpy(&sum[1], d_y, sizeof(real), cudaMemcpyDeviceToHost));
    const bool right = fabs((double)sum[0] - sum[1]) <= (sizeof(real) == 4 ? 1e-5 : 1e-13) * sum[1];
    const struct medians medians = take_turns(sum_ours, sum_cub);
    snprintf(what, sizeof(what), "sum of %d", count);
    print_row(what, &medians, (double)count * sizeof(real), right);
    return right;
}

/* ---- the histograms ------------------------------------------------------------------------------------ */

__global__ void fill_keys(unsigned *key, int n, int one_bin)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const unsigned mixed = (i ^ i >> 15) * 2654435761u;
        key[i] = one_bin ? 77 : (mixed ^ mixed >> 13) * 2246822519u >> 24;
    }
}

static bool compare_histograms(int one_bin)
{
    unsigned count[2][LAB04_BINS];
    size_t bytes = 0;
    n = 1 << 26;
    fill_keys<<<1024, 256>>>(d_key, n, one_bin);
    CHECK(cudaGetLastError());
    CHECK(cub::DeviceHistogram::HistogramEven(NULL, bytes, d_key, d_count, LAB04_BINS + 1, 0u,
                                              (unsigned)LAB04_BINS, n));
    reserve(bytes);
    histogram_ours(NULL);
    CHECK(cudaMemcpy(count[0], d_count, sizeof(count[0]), cudaMemcpyDeviceToHost));
    histogram_cub(NULL);
    CHECK(cudaMemcpy(count[1], d_count, sizeof(count[1]), cudaMemcpyDeviceToHost));
    const bool right = memcmp(count[0], count[1], sizeof(count[0])) == 0;
    const struct medians medians = take_turns(histogram_ours, histogram_cub);
    print_row(one_bin ? "histogram, 2^26 in one bin" : "histogram, 2^26 uniform", &medians,
              (double)n * sizeof(unsigned), right);
    return right;
}

int main(void)
{
    cudaDeviceProp device;
    bool right = true;
    CHECK(cudaGetDeviceProperties(&device, 0));
    CHECK(cudaMalloc(&d_x, ((size_t)1 << 28) * sizeof(real)));
    CHECK(cudaMalloc(&d_y, sizeof(real)));
    CHECK(cudaMalloc(&d_key, ((size_t)1 << 26) * sizeof(unsigned)));
    CHECK(cudaMalloc(&d_count, LAB04_BINS * sizeof(unsigned)));
    fill<<<1024, 256>>>(d_x, 1 << 28);
    CHECK(cudaGetLastError());

    printf("%s, %s, against CUB %d: ms of a call; ratio above 1: faster than CUB\n", device.name,
           sizeof(real) == sizeof(float) ? "float" : "double", CUB_VERSION);
    printf("  %-28s %9s %9s %7s   %9s %9s %7s  %7s\n", "", "batch", "CUB", "ratio", "single", "CUB", "ratio",
           "GB/s");
    right = compare_sums(1 << 16) && right;
    right = compare_sums(1 << 22) && right;
    right = compare_sums(100000000) && right;
    right = compare_sums(1 << 28) && right;
    if (sizeof(real) == sizeof(float)) {
        right = compare_histograms(0) && right;
        right = compare_histograms(1) && right;
    }
    return right ? 0 : 1;
}
