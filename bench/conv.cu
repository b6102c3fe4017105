/*
 * The steps of labs 07 and 08 against the two roofs, in one process:
 *
 *     16 taps      cudaMemcpy from device to device of as many bytes; 2^28 outputs, and 1,024,000
 *     1024 taps    the FP32 rate: 16 independent chains of multiply-adds in registers; 2^24 outputs, and 2^21
 *
 * (in double: half as many). All take turns. A time is the median over the rounds of one of several calls in
 * a row, with all that a call does: the copy of the taps as well. The first and last outputs and a few
 * thousand in between are compared with sums in double. Before, all steps compute all outputs of awkward
 * sizes, of whole numbers, whose sums are exact in any order: every output must be equal.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/lab.h"

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
    chains<<<blocks, threads>>>(d_y, (real)0.999, (real)0.001, length);
    CHECK(cudaGetLastError());
    *flops = 2.0 * blocks * threads * CHAINS * length;
}

/* ---- time ---------------------------------------------------------------------------------------------- */

/* Step `which`, or the anchor (-1). */
struct job {
    int which, taps;
    long long outputs;
    double flops; /* out: of run_chains */
};

/* Once; context: a struct job. */
static void call(void *context)
{
    struct job *job = (struct job *)context;
    if (job->which >= 0) {
        steps[job->which].run(d_x, (int)(job->outputs - job->taps + 1), d_h, d_y);
    } else if (job->taps == 16) {
        CHECK(cudaMemcpyAsync(d_y, d_x, job->outputs * sizeof(real), cudaMemcpyDeviceToDevice));
    } else {
        run_chains(job->outputs, &job->flops);
    }
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

/* The largest error among y[first .. first + count - 1], in units of 3500 roundings of the magnitude. */
static double error_of(int taps, long long outputs, long long first, int count)
{
    static real y[4096];
    const double unit = sizeof(real) == sizeof(float) ? 0x1p-24 : 0x1p-53;
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
        const double error = fabs(y[j] - sum) / (3500 * unit * (magnitude + 0.5)); /* 2400, and sum's own */
        worst = error <= worst ? worst : error;                                    /* also NaN */
    }
    return worst;
}

static bool is_right(int which, int taps, long long outputs)
{
    const int count = 1500;
    struct job job = {which, taps, outputs, 0};
    CHECK(cudaMemset(d_y, 0xff, outputs * sizeof(real)));
    call(&job);
    const double ends =
        fmax(error_of(taps, outputs, 0, count), error_of(taps, outputs, outputs - count, count));
    return fmax(ends, error_of(taps, outputs, outputs / 3, count)) <= 1;
}

/* ---- awkward sizes ------------------------------------------------------------------------------------- */

__global__ void fill_whole(real *x, long long n, unsigned seed)
{
    for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned z = ((unsigned)i + seed) * 2654435761u;
        z = (z ^ z >> 15) * 2246822519u;
        x[i] = (real)((int)(z >> 16) % 51) - 25;
    }
}

__global__ void count_different(const real *x, long long n, const real *h, int taps, const real *y,
                                unsigned long long *different)
{
    for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n + taps - 1; i += gridDim.x * blockDim.x) {
        double sum = 0;
        for (int k = 0; k < taps; k++) {
            if (i - k >= 0 && i - k < n) {
                sum += (double)h[k] * x[i - k];
            }
        }
        if (!(y[i] == sum)) { /* also NaN */
            atomicAdd(different, 1ull);
        }
    }
}

/* Outputs of step s that are wrong for n elements of whole numbers; one behind the last must stay as it is. */
static unsigned long long count_wrong(int s, int taps, int n, unsigned long long *d_different)
{
    const long long outputs = n > 0 ? n + taps - 1 : 0;
    unsigned long long different;
    unsigned char behind[sizeof(real)];
    CHECK(cudaMemset(d_y, 0xff, (outputs + 1) * sizeof(real)));
    CHECK(cudaMemset(d_different, 0, sizeof(*d_different)));
    steps[s].run(d_x, n, d_h, d_y);
    if (outputs > 0) {
        count_different<<<4096, 256>>>(d_x, n, d_h, taps, d_y, d_different);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaMemcpy(&different, d_different, sizeof(different), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(behind, d_y + outputs, sizeof(real), cudaMemcpyDeviceToHost));
    for (size_t b = 0; b < sizeof(real); b++) {
        different += behind[b] != 0xff;
    }
    return different;
}

static bool all_sizes(void)
{
    static const int sizes[] = {0,    1,    15,    16,    17,     31,      33,           100,  127,
                                1009, 1023, 1024,  1025,  2560,   3583,    3584,         3585, 5119,
                                5121, 7169, 10007, 65537, 131071, 1000003, (1 << 24) + 3};
    const int count = sizeof(sizes) / sizeof(sizes[0]);
    unsigned long long *d_different;
    bool right = true;
    CHECK(cudaMalloc(&d_different, sizeof(*d_different)));
    fill_whole<<<1024, 256>>>(d_x, (1 << 24) + 3, 1);
    fill_whole<<<4, 256>>>(d_h, MAX_TAPS, 77);
    for (int s = 0; s < step_count; s++) {
        const int taps = strncmp(steps[s].name, "lab07", 5) == 0 ? 16 : 1024;
        for (int c = 0; c < count; c++) {
            const unsigned long long different = count_wrong(s, taps, sizes[c], d_different);
            if (different > 0) {
                printf("%s, n = %d: %llu outputs are WRONG\n", steps[s].name, sizes[c], different);
                right = false;
            }
        }
    }
    printf("%d steps at %d sizes from 0 to 2^24 + 3, all outputs: %s\n", step_count, count,
           right ? "equal" : "WRONG");
    CHECK(cudaFree(d_different));
    return right;
}

/* ---- the tables ---------------------------------------------------------------------------------------- */

/* One row each: the anchor, then the lab's steps. */
struct row {
    struct job job;
    float ms[ROUNDS];
    bool right;
};

static int make_rows(struct row *row, const char *lab, int taps, long long outputs)
{
    int count = 1;
    row[0].job = {-1, taps, outputs, 0};
    row[0].right = true;
    for (int s = 0; s < step_count; s++) {
        if (strncmp(steps[s].name, lab, 5) == 0) {
            row[count].job = {s, taps, outputs, 0};
            row[count++].right = is_right(s, taps, outputs);
        }
    }
    return count;
}

static void take_turns(struct row *row, int count, int calls)
{
    struct timer timer;
    CHECK(timer_init(&timer));
    for (int round = -2; round < ROUNDS; round++) {
        for (int w = 0; w < count; w++) {
            row[w].ms[round < 0 ? 0 : round] = timer_batch(&timer, call, &row[w].job, calls);
        }
    }
    CHECK(timer_destroy(&timer));
}

/* Bytes or flops of one call. */
static double work_of(const struct job *job)
{
    return job->taps == 16  ? 2.0 * job->outputs * sizeof(real)
           : job->which < 0 ? job->flops
                            : 2.0 * job->taps * job->outputs;
}

static bool table(const char *lab, int taps, long long outputs, int calls)
{
    static struct row row[MAX_STEPS + 1];
    const int count = make_rows(row, lab, taps, outputs);
    bool all_right = true;
    double anchor_rate = 0;
    take_turns(row, count, calls);
    printf("\n%d taps, %lld outputs, %d calls in a row\n", taps, outputs, calls);
    printf("  %-44s %9s %9s %10s %8s\n", "", "ms", "least", taps == 16 ? "GB/s" : "GFLOP/s", "%");
    for (int w = 0; w < count; w++) {
        const struct timing t = timer_describe(row[w].ms, ROUNDS);
        const double rate = 1e-6 * work_of(&row[w].job) / t.median;
        anchor_rate = w == 0 ? rate : anchor_rate;
        all_right = all_right && row[w].right;
        printf("  %-44s %9.5f %9.5f %10.1f %8.2f%s\n",
               w > 0        ? steps[row[w].job.which].name
               : taps == 16 ? "cudaMemcpy"
                            : "multiply-adds in registers",
               t.median, t.least, rate, 100 * rate / anchor_rate, row[w].right ? "" : "  WRONG");
    }
    return all_right;
}

int main(void)
{
    cudaDeviceProp device;
    bool right = true;
    CHECK(cudaGetDeviceProperties(&device, 0));
    sm_count = device.multiProcessorCount;
    const int halves = sizeof(real) / sizeof(float); /* in double, half as many */
    long long most = (1 << 28) / halves;
    while (most > 1 << 25 && 2.5 * most * sizeof(real) > device.totalGlobalMem) {
        most /= 2;
    }
    CHECK(cudaMalloc(&d_x, most * sizeof(real)));
    CHECK(cudaMalloc(&d_y, most * sizeof(real)));
    CHECK(cudaMalloc(&d_h, MAX_TAPS * sizeof(real)));
    printf("%s, %s, medians of %d rounds; %% of the first row\n", device.name,
           sizeof(real) == sizeof(float) ? "float" : "double", ROUNDS);
    right = all_sizes();
    fill<<<1024, 256>>>(d_x, most, 0);
    fill<<<4, 256>>>(d_h, MAX_TAPS, -5000);
    CHECK(cudaGetLastError());
    right = table("lab07", 16, most, 4) && right;
    right = table("lab07", 16, 1024000 / halves, 20) && right;
    right = table("lab08", 1024, (1 << 24) / halves, 4) && right;
    right = table("lab08", 1024, 2097152 / halves, 20) && right;
    return right ? 0 : 1;
}
