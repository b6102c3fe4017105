/*
 * The steps of labs 07 and 08 against the two roofs, in one process:
 *
 *     16 taps      cudaMemcpy from device to device of as many bytes; 2^28 outputs, and 1,024,000
 *     1024 taps    the FP32 rate: 16 independent chains of multiply-adds in registers; 2^24 outputs, and 2^21
 *
 * All take turns. A time is the median over the rounds of one of several calls in a row, with all that a call
 * does: the copy of the taps as well. The first and last outputs and a few thousand in between are compared
 * with sums in double.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "common/real.h"

#define ROUNDS    15
#define MAX_TAPS  1024
#define MAX_STEPS 32
#define CHAINS    16

extern "C" {
#define STEP(name) void name(const real *d_x, int n, const real *d_h, real *d_y);
#include "conv_steps.h"
#undef STEP
}

typedef void (*convolution)(const real *d_x, int n, const real *d_h, real *d_y);
static const struct {
    const char *name;
    convolution run;
} steps[] = {
#define STEP(name) {#name, name},
#include "conv_steps.h"
#undef STEP
};
static const int step_count = sizeof(steps) / sizeof(steps[0]);

static real *d_x, *d_h, *d_y;
static int sm_count;

/* ---- the anchors --------------------------------------------------------------------------------------- */

__global__ void chains(real *out, real a, real b, int length)
{
    real x[CHAINS];
#pragma unroll
    for (int c = 0; c < CHAINS; c++) {
        x[c] = threadIdx.x + c;
    }
#pragma unroll 16
    for (int s = 0; s < length; s++) {
#pragma unroll
        for (int c = 0; c < CHAINS; c++) {
            x[c] = fma(x[c], a, b);
        }
    }
    real sum = 0;
    for (int c = 0; c < CHAINS; c++) {
        sum += x[c];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* As many multiply-adds as n outputs of 1024 taps, rounded up to whole threads. */
static void run_chains(long long n, double *flops)
{
    const int threads = 256;
    const int blocks = 8 * sm_count;
    const int length = (int)(n * 1024 / ((long long)blocks * threads * CHAINS) / 16 + 1) * 16;
    chains<<<blocks, threads>>>(d_y, 0.999f, 0.001f, length);
    CHECK(cudaGetLastError());
    *flops = 2.0 * blocks * threads * CHAINS * length;
}

/* ---- time ---------------------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Step `which`, or the anchor (-1), once. */
static void call(int which, int taps, long long outputs, double *flops)
{
    if (which >= 0) {
        steps[which].run(d_x, (int)(outputs - taps + 1), d_h, d_y);
    } else if (taps == 16) {
        CHECK(cudaMemcpyAsync(d_y, d_x, outputs * sizeof(real), cudaMemcpyDeviceToDevice));
    } else {
        run_chains(outputs, flops);
    }
}

static float time_calls(int which, int taps, long long outputs, int calls, double *flops)
{
    static cudaEvent_t begin = NULL, end = NULL;
    float ms = 0;
    if (begin == NULL) {
        CHECK(cudaEventCreate(&begin));
        CHECK(cudaEventCreate(&end));
    }
    CHECK(cudaEventRecord(begin));
    for (int k = 0; k < calls; k++) {
        call(which, taps, outputs, flops);
    }
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    return ms / calls;
}

/* ---- right or wrong ------------------------------------------------------------------------------------ */

/* The element number i of x and of h: small random numbers, the same here and there. */
__host__ __device__ real number(long long i)
{
    unsigned z = (unsigned)i * 2654435761u + 12345u;
    z = (z ^ z >> 15) * 2246822519u;
    z ^= z >> 13;
    return (real)((int)(z >> 8) - (1 << 23)) / (1 << 23);
}

__global__ void fill(real *x, long long n, long long first)
{
    for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        x[i] = number(first + i);
    }
}

/* The largest error among y[first .. first + count - 1], in units of gamma_2400 times the magnitude. */
static double error_of(int taps, long long outputs, long long first, int count)
{
    static real y[4096];
    double worst = 0;
    CHECK(cudaMemcpy(y, d_y + first, count * sizeof(real), cudaMemcpyDeviceToHost));
    for (int j = 0; j < count; j++) {
        double sum = 0, magnitude = 1e-30;
        for (int k = 0; k < taps; k++) {
            const long long i = first + j - k;
            if (i >= 0 && i < outputs - taps + 1) {
                sum += (double)number(k - 5000) * number(i);
                magnitude += fabs((double)number(k - 5000) * number(i));
            }
        }
        const double error = fabs(y[j] - sum) / (2400 * 6e-8 * (magnitude + 0.5));
        worst = error <= worst ? worst : error; /* also NaN */
    }
    return worst;
}

static bool is_right(int which, int taps, long long outputs)
{
    const int count = 1500;
    CHECK(cudaMemset(d_y, 0xff, outputs * sizeof(real)));
    call(which, taps, outputs, NULL);
    const double ends =
        fmax(error_of(taps, outputs, 0, count), error_of(taps, outputs, outputs - count, count));
    return fmax(ends, error_of(taps, outputs, outputs / 3, count)) <= 1;
}

/* ---- the tables ---------------------------------------------------------------------------------------- */

static bool table(const char *lab, int taps, long long outputs, int calls)
{
    static float ms[MAX_STEPS + 1][ROUNDS]; /* [0]: the anchor */
    int which[MAX_STEPS + 1] = {-1};
    bool right[MAX_STEPS + 1] = {true};
    bool all_right = true;
    double flops = 0, anchor_rate = 0;
    int count = 1;
    for (int s = 0; s < step_count; s++) {
        if (strncmp(steps[s].name, lab, 5) == 0) {
            right[count] = is_right(s, taps, outputs);
            all_right = all_right && right[count];
            which[count++] = s;
        }
    }
    for (int round = -2; round < ROUNDS; round++) {
        for (int w = 0; w < count; w++) {
            ms[w][round < 0 ? 0 : round] = time_calls(which[w], taps, outputs, calls, &flops);
        }
    }
    printf("\n%d taps, %lld outputs, %d calls in a row\n", taps, outputs, calls);
    printf("  %-44s %9s %9s %10s %8s\n", "", "ms", "least", taps == 16 ? "GB/s" : "GFLOP/s", "%");
    for (int w = 0; w < count; w++) {
        const double work = taps == 16 ? 2.0 * outputs * sizeof(real) : w == 0 ? flops : 2.0 * taps * outputs;
        qsort(ms[w], ROUNDS, sizeof(float), by_size);
        const double rate = 1e-6 * work / ms[w][ROUNDS / 2];
        anchor_rate = w == 0 ? rate : anchor_rate;
        printf("  %-44s %9.5f %9.5f %10.1f %8.2f%s\n",
               w > 0        ? steps[which[w]].name
               : taps == 16 ? "cudaMemcpy"
                            : "multiply-adds in registers",
               ms[w][ROUNDS / 2], ms[w][0], rate, 100 * rate / anchor_rate, right[w] ? "" : "  WRONG");
    }
    return all_right;
}

int main(void)
{
    cudaDeviceProp device;
    bool right = true;
    CHECK(cudaGetDeviceProperties(&device, 0));
    sm_count = device.multiProcessorCount;
    long long most = 1 << 28;
    while (most > 1 << 20 && 2.5 * most * sizeof(real) > device.totalGlobalMem) {
        most /= 2;
    }
    CHECK(cudaMalloc(&d_x, most * sizeof(real)));
    CHECK(cudaMalloc(&d_y, most * sizeof(real)));
    CHECK(cudaMalloc(&d_h, MAX_TAPS * sizeof(real)));
    fill<<<1024, 256>>>(d_x, most, 0);
    fill<<<4, 256>>>(d_h, MAX_TAPS, -5000);
    CHECK(cudaGetLastError());
    printf("%s, float, medians of %d rounds; %% of the first row\n", device.name, ROUNDS);
    right = table("lab07", 16, most, 4) && right;
    right = table("lab07", 16, 1024000, 20) && right;
    right = table("lab08", 1024, most < 1 << 24 ? most : 1 << 24, 4) && right;
    right = table("lab08", 1024, 2097152, 20) && right;
    return right ? 0 : 1;
}
