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

#include "common/check.h"

#define ROUNDS   5
#define BATCH_MS 4.0f   /* a batch has so many calls that it takes about this long */
#define MOST_MS  400.0f /* what takes longer than this is left out */

typedef void matmul_function(int m, int n, int k, const float *d_a, int lda, const float *d_b, int ldb,
                             float *d_c, int ldc);

/* CONTESTANTS: CONTESTANT(solution) CONTESTANT(step01_naive) ..., one for each object (see the Makefile). */
#define CONTESTANT(name) extern "C" matmul_function name;
CONTESTANTS
#undef CONTESTANT

#define CONTESTANT(name) +1
enum { COUNT = CONTESTANTS };
#undef CONTESTANT

#define CONTESTANT(name) {#name, name},
static const struct {
    const char *name;
    matmul_function *run;
} contestants[] = {CONTESTANTS};

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

/* Row-major C = A B is column-major C^T = B^T A^T. who == -1: cuBLAS. */
static void call(int who)
{
    const float one = 1, zero = 0;
    if (who < 0) {
        must(cublasSgemm(cublas, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, d_b, n, d_a, k, &zero, d_want, n),
             "cublasSgemm");
    } else {
        contestants[who].run(m, n, k, d_a, k, d_b, n, d_c, n);
    }
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
static bool agrees_with_cublas(int who)
{
    static unsigned *d_largest = NULL;
    float largest;
    const size_t count = (size_t)m * n;
    if (d_largest == NULL) {
        CHECK(cudaMalloc(&d_largest, sizeof(*d_largest)));
    }
    CHECK(cudaMemset(d_c, 0xff, count * sizeof(float)));
    CHECK(cudaMemset(d_largest, 0, sizeof(*d_largest)));
    call(who);
    find_largest_difference<<<512, 256>>>(d_c, d_want, count, d_largest);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&largest, d_largest, sizeof(largest), cudaMemcpyDeviceToHost));
    return largest <= 2 * (k + 8.0) * ldexp(1, -24) * k;
}

/* ---- time ---------------------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static float median(float *x, int count)
{
    qsort(x, count, sizeof(*x), by_size);
    return x[count / 2];
}

/* Milliseconds of one of `calls` calls in a row. */
static float time_calls(int who, int calls)
{
    static cudaEvent_t begin = NULL, end = NULL;
    float ms = 0;
    if (begin == NULL) {
        CHECK(cudaEventCreate(&begin));
        CHECK(cudaEventCreate(&end));
    }
    CHECK(cudaEventRecord(begin));
    for (int i = 0; i < calls; i++) {
        call(who);
    }
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    return ms / calls;
}

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

static double measure_rate(int sm_count)
{
    cudaEvent_t begin, end;
    float ms[ROUNDS];
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    for (int i = -1; i < ROUNDS; i++) {
        float time = 0;
        CHECK(cudaEventRecord(begin));
        multiply_add<<<sm_count * 2, 1024>>>(d_c, 0.999f, 0.5f);
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&time, begin, end));
        ms[i < 0 ? 0 : i] = time;
    }
    return 1e-6 * 2 * 16 * 8192 * 1024.0 * 2 * sm_count / median(ms, ROUNDS);
}

/* ---- the table ----------------------------------------------------------------------------------------- */

static bool compare_shape(double rate)
{
    static float ms[COUNT + 1][ROUNDS]; /* [0]: cuBLAS */
    static int calls[COUNT + 1];
    static bool right[COUNT + 1];
    bool all_right = true;
    const double gflop = 2e-9 * m * n * k;
    call(-1);
    for (int who = -1; who < COUNT; who++) {
        right[who + 1] = who < 0 || agrees_with_cublas(who);
        const float first = time_calls(who, 1);
        calls[who + 1] = first > MOST_MS ? 0 : first > BATCH_MS ? 1 : (int)(BATCH_MS / first);
        all_right = all_right && right[who + 1];
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int who = -1; who < COUNT; who++) {
            if (calls[who + 1] > 0) {
                ms[who + 1][round] = time_calls(who, calls[who + 1]);
            }
        }
    }
    const float anchor = median(ms[0], ROUNDS);
    printf("\n%d x %d x %d\n  %-24s %10s %10s %8s %8s\n", m, n, k, "", "ms", "GFLOP/s", "% rate", "ratio");
    for (int who = -1; who < COUNT; who++) {
        if (calls[who + 1] == 0) {
            continue;
        }
        const float time = median(ms[who + 1], ROUNDS);
        printf("  %-24s %10.4f %10.0f %8.1f %8.3f%s\n", who < 0 ? "cuBLAS" : contestants[who].name, time,
               1e3 * gflop / time, 1e5 * gflop / time / rate, anchor / time, right[who + 1] ? "" : "  WRONG");
    }
    return all_right;
}

int main(int argc, char **argv)
{
    cudaDeviceProp device;
    bool right = true;
    const size_t most = (size_t)8192 * 8192;
    CHECK(cudaGetDeviceProperties(&device, 0));
    CHECK(cudaMalloc(&d_a, most * sizeof(float)));
    CHECK(cudaMalloc(&d_b, most * sizeof(float)));
    CHECK(cudaMalloc(&d_c, most * sizeof(float)));
    CHECK(cudaMalloc(&d_want, most * sizeof(float)));
    fill<<<1024, 256>>>(d_a, most, 1);
    fill<<<1024, 256>>>(d_b, most, 12345);
    CHECK(cudaGetLastError());
    must(cublasCreate(&cublas), "cublasCreate");
    must(cublasSetMathMode(cublas, CUBLAS_PEDANTIC_MATH), "cublasSetMathMode");
    if (argc == 5 && strcmp(argv[1], "once") == 0) {
        m = atoi(argv[2]), n = atoi(argv[3]), k = atoi(argv[4]);
        for (int who = 0; who < COUNT; who++) {
            call(who);
        }
        CHECK(cudaDeviceSynchronize());
        return 0;
    }
    const double rate = measure_rate(device.multiProcessorCount);
    printf("%s, float, against cuBLAS %d: multiply-adds in registers %.0f GFLOP/s; ratio above 1: faster "
           "than cuBLAS\n",
           device.name, CUBLAS_VERSION, rate);
    for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]) && argc != 4; s++) {
        m = shapes[s].m, n = shapes[s].n, k = shapes[s].k;
        right = compare_shape(rate) && right;
    }
    if (argc == 4) {
        m = atoi(argv[1]), n = atoi(argv[2]), k = atoi(argv[3]);
        if (m < 1 || n < 1 || k < 1 || (size_t)m * n > most || (size_t)m * k > most || (size_t)k * n > most) {
            fprintf(stderr,
                    "against_cublas: sizes from 1, and no matrix of more than 8192 x 8192 elements\n");
            return 2;
        }
        right = compare_shape(rate);
    }
    return right ? 0 : 1;
}
