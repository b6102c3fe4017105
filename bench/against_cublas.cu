/*
 * Lab 09's steps and solution against cuBLAS, on this machine's GPU, in one run: GFLOP/s, per cent of the
 * FP32 rate that this run measured, and cuBLAS' time over ours. float only; cuBLAS computes in FP32 (no TF32,
 * pedantic).
 *
 *   against_cublas [m n k]         these sizes only
 *   against_cublas once m n k      every row called once, for a profiler; no table
 *
 * Every row and cuBLAS take turns; a time is the median of several batches between two events, after warm-up,
 * and every result is compared with cuBLAS' element by element.
 */
#include <cublas_v2.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/contestants.h"
#include "common/lab.h"

#define ROUNDS   5
#define BATCH_MS 4.0f   /* a batch has so many calls that it takes about this long */
#define MOST_MS  400.0f /* what takes longer than this is left out */

static const struct {
    int m, n, k;
} shapes[] = {
    {1024, 1024, 1024}, {2048, 2048, 2048}, {4096, 4096, 4096}, {8192, 8192, 8192},
    {4096, 4096, 64},   {127, 8191, 1023},  {1, 4096, 4096},
};

static float *d_a, *d_b, *d_c, *d_want;
static cublasHandle_t cublas;
static int m, n, k;

static void must(cublasStatus_t status, const char *what)
{
    if (status != CUBLAS_STATUS_SUCCESS) {
        fprintf(stderr, "against_cublas: %s failed: status %d\n", what, (int)status);
        exit(2);
    }
}

/* Row-major C = A B is column-major C^T = B^T A^T. */
static void run_cublas(int m, int n, int k, const float *d_a, int lda, const float *d_b, int ldb, float *d_c,
                       int ldc)
{
    const float one = 1, zero = 0;
    must(cublasSgemm(cublas, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, d_b, ldb, d_a, lda, &zero, d_c, ldc),
         "cublasSgemm");
}
static const struct contestant anchor = {"cuBLAS", run_cublas};

/* Row 0 is cuBLAS; the contestants follow. */
enum { ROWS = 1 + CONTESTANT_COUNT };

static const struct contestant *row(int index)
{
    return index == 0 ? &anchor : &contestants[index - 1];
}

/* One product; context: a struct contestant. */
static void call(void *context)
{
    const struct contestant *contestant = (const struct contestant *)context;
    contestant->run(m, n, k, d_a, k, d_b, n, contestant == &anchor ? d_want : d_c, n);
}

/* ---- inputs and comparison ----------------------------------------------------------------------------- */

__global__ void fill(float *x, size_t count, unsigned seed)
{
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        unsigned h = ((unsigned)i ^ (unsigned)(i >> 32)) * 2654435761u + seed;
        h = (h ^ h >> 15) * 2246822519u;
        h = (h ^ h >> 13) * 3266489917u;
        x[i] = (h >> 8) * (2.0f / 16777216) - 1;
    }
}

__global__ void find_largest_difference(const float *x, const float *y, size_t count, unsigned *largest)
{
    float most = 0;
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        const float difference = fabsf(x[i] - y[i]);
        most = difference <= most ? most : difference; /* a NaN stays */
    }
    atomicMax(largest,
              __float_as_uint(most)); /* not negative: the order of the bits is that of the numbers */
}

/* Both err by gamma of k times a sum of k products of at most 1 in size. */
static bool agrees_with_cublas(const struct contestant *contestant)
{
    static unsigned *d_largest = NULL;
    float largest;
    const size_t count = (size_t)m * n;
    if (d_largest == NULL) {
        CHECK(cudaMalloc(&d_largest, sizeof(*d_largest)));
    }
    CHECK(cudaMemset(d_c, 0xff, count * sizeof(float)));
    CHECK(cudaMemset(d_largest, 0, sizeof(*d_largest)));
    call((void *)contestant);
    find_largest_difference<<<512, 256>>>(d_c, d_want, count, d_largest);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&largest, d_largest, sizeof(largest), cudaMemcpyDeviceToHost));
    return largest <= 2 * (k + 8.0) * ldexp(1, -24) * k;
}

/* ---- time ---------------------------------------------------------------------------------------------- */

/* 16 chains of multiply-adds in registers, which share two operands: the most that the units can do. */
__global__ void multiply_add(float *y, float a, float b)
{
    float x[16];
    for (int i = 0; i < 16; i++) {
        x[i] = threadIdx.x * i;
    }
    for (int k = 0; k < 8192; k++) {
#pragma unroll
        for (int i = 0; i < 16; i++) {
            x[i] = x[i] * a + b;
        }
    }
    float sum = 0;
    for (int i = 0; i < 16; i++) {
        sum += x[i];
    }
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

static void run_multiply_add(void *sm_count)
{
    multiply_add<<<*(const int *)sm_count * 2, 1024>>>(d_c, 0.999f, 0.5f);
}

static double measure_rate(int sm_count)
{
    const struct timing t = timer_median(run_multiply_add, &sm_count, 1, ROUNDS);
    return 1e-6 * 2 * 16 * 8192 * 1024.0 * 2 * sm_count / t.median;
}

/* ---- the table ----------------------------------------------------------------------------------------- */

/* Of each row: how many calls make a batch (0: it takes too long), the times of the batches, and is it right? */
struct column {
    int calls;
    float ms[ROUNDS];
    bool right;
};

static void print_row(int index, const struct timing *t, const struct timing *cublas_time, double rate,
                      bool right)
{
    const double gflop = 2e-9 * m * n * k;
    printf("  %-24s %10.4f %10.0f %8.1f %8.3f%s\n", row(index)->name, t->median, 1e3 * gflop / t->median,
           1e5 * gflop / t->median / rate, cublas_time->median / t->median, right ? "" : "  WRONG");
}

static void take_turns(struct timer *timer, struct column *column)
{
    for (int round = 0; round < ROUNDS; round++) {
        for (int r = 0; r < ROWS; r++) {
            if (column[r].calls > 0) {
                column[r].ms[round] = timer_batch(timer, call, (void *)row(r), column[r].calls);
            }
        }
    }
}

static bool compare_shape(double rate)
{
    static struct column column[ROWS];
    struct timer timer;
    struct timing time[ROWS];
    bool all_right = true;
    CHECK(timer_init(&timer));
    call((void *)&anchor);
    for (int r = 0; r < ROWS; r++) {
        column[r].right = r == 0 || agrees_with_cublas(row(r));
        const float first = timer_batch(&timer, call, (void *)row(r), 1);
        column[r].calls = first > MOST_MS ? 0 : first > BATCH_MS ? 1 : (int)(BATCH_MS / first);
        all_right = all_right && column[r].right;
    }
    take_turns(&timer, column);
    CHECK(timer_destroy(&timer));
    printf("\n%d x %d x %d\n  %-24s %10s %10s %8s %8s\n", m, n, k, "", "ms", "GFLOP/s", "% rate", "ratio");
    for (int r = 0; r < ROWS; r++) {
        if (column[r].calls > 0) {
            time[r] = timer_describe(column[r].ms, ROUNDS);
            print_row(r, &time[r], &time[0], rate, column[r].right);
        }
    }
    return all_right;
}

/* ---- the program --------------------------------------------------------------------------------------- */

static const size_t most = (size_t)8192 * 8192; /* elements of a matrix */

static void prepare(void)
{
    CHECK(cudaMalloc(&d_a, most * sizeof(float)));
    CHECK(cudaMalloc(&d_b, most * sizeof(float)));
    CHECK(cudaMalloc(&d_c, most * sizeof(float)));
    CHECK(cudaMalloc(&d_want, most * sizeof(float)));
    fill<<<1024, 256>>>(d_a, most, 1);
    fill<<<1024, 256>>>(d_b, most, 12345);
    CHECK(cudaGetLastError());
    must(cublasCreate(&cublas), "cublasCreate");
    must(cublasSetMathMode(cublas, CUBLAS_PEDANTIC_MATH), "cublasSetMathMode");
}

/* Sizes from the command line. */
static void take_shape(char **text)
{
    m = atoi(text[0]), n = atoi(text[1]), k = atoi(text[2]);
    if (m < 1 || n < 1 || k < 1 || (size_t)m * n > most || (size_t)m * k > most || (size_t)k * n > most) {
        fprintf(stderr, "against_cublas: sizes from 1, and no matrix of more than 8192 x 8192 elements\n");
        exit(2);
    }
}

static void call_once_each(void)
{
    for (int r = 1; r < ROWS; r++) {
        call((void *)row(r));
    }
    CHECK(cudaDeviceSynchronize());
}

int main(int argc, char **argv)
{
    cudaDeviceProp device;
    bool right = true;
    CHECK(cudaGetDeviceProperties(&device, 0));
    prepare();
    if (argc == 5 && strcmp(argv[1], "once") == 0) {
        take_shape(argv + 2);
        call_once_each();
        return 0;
    }
    const double rate = measure_rate(device.multiProcessorCount);
    printf("%s, float, against cuBLAS %d: multiply-adds in registers %.0f GFLOP/s; ratio above 1: faster "
           "than cuBLAS\n",
           device.name, CUBLAS_VERSION, rate);
    if (argc == 4) {
        take_shape(argv + 1);
        return compare_shape(rate) ? 0 : 1;
    }
    for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++) {
        m = shapes[s].m, n = shapes[s].n, k = shapes[s].k;
        right = compare_shape(rate) && right;
    }
    return right ? 0 : 1;
}
