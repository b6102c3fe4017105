/*
 * Measures what the first GPU of this machine can do: the roofs against which the graders judge speed.
 *
 *     build/calibrate [MIB]      copies MIB MiB (default: 1024, less on small GPUs)
 *
 * Prints key=value lines; rates in 1e9 per second; a copy counts bytes read plus bytes written. Each
 * rate is the median of event-timed runs after a warm-up. What the kernels computed is checked, so
 * that no rate is one of work that did not happen. Exit: 0, or 2 with the reason on stderr.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK_EXIT_STATUS 2
#include "common/timer.h"

#define MAX_RUNS        21
#define RUN_BUDGET_MS   150.0f /* time for the runs of one measurement */
#define CHAINS          16 /* independent multiply-adds per thread: more than enough to hide their latency */
#define ARITHMETIC_MS   3.0f /* length of one run of the arithmetic kernels */
#define MAX_STEPS       65536
#define THREADS         256
#define FILL_MULTIPLIER 2654435761u

static void fail(const char *what)
{
    fprintf(stderr, "calibrate: %s\n", what);
    exit(2);
}

/* ---- kernels ------------------------------------------------------------------------------------------- */

/* word[i] = i * FILL_MULTIPLIER modulo 2^32. */
__global__ void fill(unsigned *word, size_t count)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride)
        word[i] = (unsigned)i * FILL_MULTIPLIER;
}

__global__ void count_wrong(const unsigned *word, size_t count, unsigned *wrong)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride)
        if (word[i] != (unsigned)i * FILL_MULTIPLIER)
            atomicAdd(wrong, 1u);
}

__global__ void copy(const float4 *from, float4 *to, size_t count)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        to[i] = from[i];
}

/* Adds up all words, modulo 2^32; four independent loads are in flight in each thread. */
__global__ void read_only(const uint4 *from, size_t count, unsigned *total)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
    for (; i + 3 * stride < count; i += 4 * stride) {
        uint4 a = from[i], b = from[i + stride], c = from[i + 2 * stride], d = from[i + 3 * stride];
        sum += a.x + a.y + a.z + a.w + b.x + b.y + b.z + b.w;
        sum += c.x + c.y + c.z + c.w + d.x + d.y + d.z + d.w;
    }
    for (; i < count; i += stride)
        sum += from[i].x + from[i].y + from[i].z + from[i].w;
    atomicAdd(total, sum);
}

/*
 * CHAINS independent chains x <- a x + b in registers; every thread writes the sum of its chains.
 * The host repeats some of them (chains_of): the results must be equal to the bit.
 */
template <typename number> __global__ void arithmetic(number *out, number a, number b, int steps)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    number x[CHAINS];
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
        x[c] = (number)(thread % 1024) + (number)c;
#pragma unroll 16
    for (int s = 0; s < steps; s++) {
#pragma unroll
        for (int c = 0; c < CHAINS; c++)
            x[c] = fma(x[c], a, b);
    }
    number sum = 0;
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
        sum += x[c];
    out[thread] = sum;
}

template <typename number> static number chains_of(unsigned thread, number a, number b, int steps)
{
    number sum = 0;
    for (int c = 0; c < CHAINS; c++) {
        number x = (number)(thread % 1024) + (number)c;
        for (int s = 0; s < steps; s++)
            x = fma(x, a, b);
        sum += x;
    }
    return sum;
}

/* ---- timing -------------------------------------------------------------------------------------------- */

struct work {
    void *from, *to; /* two buffers of `bytes` bytes */
    size_t bytes;    /* a multiple of 16 */
    unsigned *word;  /* one word on the device */
    int blocks;      /* one wave of THREADS-wide blocks */
    int steps;       /* of the arithmetic kernels */
};

static void run_memcpy(void *context)
{
    const struct work *w = (const struct work *)context;
    CHECK(cudaMemcpyAsync(w->to, w->from, w->bytes, cudaMemcpyDeviceToDevice, 0));
}

static void run_copy(void *context)
{
    const struct work *w = (const struct work *)context;
    size_t count = w->bytes / sizeof(float4);
    copy<<<(unsigned)((count + THREADS - 1) / THREADS), THREADS>>>((float4 *)w->from, (float4 *)w->to, count);
}

static void run_read(void *context)
{
    const struct work *w = (const struct work *)context;
    read_only<<<w->blocks, THREADS>>>((const uint4 *)w->from, w->bytes / sizeof(uint4), w->word);
}

/* Not constants of the kernel; they keep x between 1 and its start, and are exact in float. */
static const double factor = 0.9990234375, addend = 0.0009765625;

template <typename number> static void run_arithmetic(void *context)
{
    const struct work *w = (const struct work *)context;
    arithmetic<number><<<w->blocks, THREADS>>>((number *)w->to, (number)factor, (number)addend, w->steps);
}

/* Median milliseconds of up to MAX_RUNS runs, at least 5, within about RUN_BUDGET_MS. */
static float median_ms(void (*run)(void *), struct work *w)
{
    float warm = timer_median(run, w, 1, 1).median;
    int runs = warm > 0 ? (int)(RUN_BUDGET_MS / warm) : MAX_RUNS;
    runs = runs < 5 ? 5 : runs > MAX_RUNS ? MAX_RUNS : runs;
    return timer_median(run, w, 0, runs).median;
}

/* ---- measurements, each with the check that the work was done ------------------------------------------ */

/* GB/s, read plus written. */
static double measure_copy(void (*run)(void *), struct work *w)
{
    unsigned wrong = 0;
    CHECK(cudaMemset(w->to, 0xA5, w->bytes));
    CHECK(cudaMemset(w->word, 0, sizeof(unsigned)));
    float ms = median_ms(run, w);
    count_wrong<<<w->blocks, THREADS>>>((const unsigned *)w->to, w->bytes / sizeof(unsigned), w->word);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&wrong, w->word, sizeof(wrong), cudaMemcpyDeviceToHost));
    if (wrong != 0)
        fail("the copy is not equal to its source: this GPU or its driver does not work properly");
    return 2.0 * (double)w->bytes / ms * 1e-6;
}

static double measure_read(struct work *w)
{
    float ms = median_ms(run_read, w);
    unsigned total = 0;
    CHECK(cudaMemset(w->word, 0, sizeof(unsigned)));
    run_read(w);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&total, w->word, sizeof(total), cudaMemcpyDeviceToHost));
    unsigned long long count = w->bytes / sizeof(unsigned);
    /* 0 + 1 + … + (count - 1); count is even, so that the half is exact. */
    unsigned want = (unsigned)(count / 2 * (count - 1)) * FILL_MULTIPLIER;
    if (total != want)
        fail("the sum of what was read is wrong: this GPU or its driver does not work properly");
    return (double)w->bytes / ms * 1e-6;
}

/* Steps for a run of about ARITHMETIC_MS: GPUs differ by a factor of 100 in double precision. */
static int choose_steps(void (*run)(void *), struct work *w)
{
    w->steps = 256;
    float ms = median_ms(run, w);
    double steps = w->steps * (double)ARITHMETIC_MS / (ms > 1e-3f ? ms : 1e-3f);
    return steps > MAX_STEPS ? MAX_STEPS : steps < 64 ? 64 : (int)steps;
}

static double gflops(const struct work *w, float ms)
{
    return 2.0 * CHAINS * (double)w->steps * w->blocks * THREADS / ms * 1e-6;
}

/* GFLOP/s of float or of double. */
template <typename number> static double measure_arithmetic(struct work w)
{
    number got[THREADS];
    int blocks_per_sm = 1;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_sm, arithmetic<number>, THREADS, 0));
    w.blocks *= blocks_per_sm;
    w.steps = choose_steps(run_arithmetic<number>, &w);
    float ms = median_ms(run_arithmetic<number>, &w);
    unsigned first = (unsigned)(w.blocks - 1) * THREADS;
    CHECK(cudaMemcpy(got, (number *)w.to + first, sizeof(got), cudaMemcpyDeviceToHost));
    for (unsigned t = 0; t < THREADS; t += THREADS / 2 + 1)
        if (got[t] != chains_of<number>(first + t, (number)factor, (number)addend, w.steps))
            fail("the arithmetic gave a wrong result");
    return gflops(&w, ms);
}

/* ---- the device ---------------------------------------------------------------------------------------- */

static int attribute(enum cudaDeviceAttr which)
{
    int value = 0;
    CHECK(cudaDeviceGetAttribute(&value, which, 0));
    return value;
}

static void print_device(void)
{
    struct cudaDeviceProp properties;
    int driver = 0, runtime = 0;
    size_t free_bytes = 0, total_bytes = 0;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    CHECK(cudaDriverGetVersion(&driver));
    CHECK(cudaRuntimeGetVersion(&runtime));
    CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    printf("name=%s\n", properties.name);
    printf("cc=%d.%d\n", properties.major, properties.minor);
    printf("sm_count=%d\n", properties.multiProcessorCount);
    printf("clock_mhz=%d\n", attribute(cudaDevAttrClockRate) / 1000);
    printf("l2_bytes=%d\n", properties.l2CacheSize);
    printf("mem_bytes=%zu\n", total_bytes);
    printf("driver=%d.%d\n", driver / 1000, driver % 1000 / 10);
    printf("runtime=%d.%d\n", runtime / 1000, runtime % 1000 / 10);
}

/* Bytes to copy: as asked, or 1 GiB, but no more than a quarter of what is free; a multiple of 4 KiB. */
static size_t choose_bytes(const char *mib)
{
    size_t free_bytes = 0, total_bytes = 0;
    CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    size_t bytes = (size_t)1 << 30;
    if (mib != NULL) {
        char *end;
        long value = strtol(mib, &end, 10);
        if (*mib == '\0' || *end != '\0' || value < 1 || value > 65536)
            fail("usage: calibrate [MIB], with 1 to 65536 MiB to copy");
        bytes = (size_t)value << 20;
    }
    if (bytes > free_bytes / 4)
        bytes = free_bytes / 4;
    return bytes & ~(size_t)4095;
}

static void print_rates(struct work *w)
{
    /* Copies first: the arithmetic heats the GPU and writes into w->to. */
    double by_memcpy = measure_copy(run_memcpy, w);
    double by_kernel = measure_copy(run_copy, w);
    printf("copy_bytes=%zu\n", w->bytes);
    printf("copy_gbs=%.1f\n", by_memcpy > by_kernel ? by_memcpy : by_kernel);
    printf("copy_memcpy_gbs=%.1f\n", by_memcpy);
    printf("copy_kernel_gbs=%.1f\n", by_kernel);
    printf("read_gbs=%.1f\n", measure_read(w));
    w->blocks = attribute(cudaDevAttrMultiProcessorCount);
    printf("fp32_gflops=%.1f\n", measure_arithmetic<float>(*w));
    printf("fp64_gflops=%.1f\n", measure_arithmetic<double>(*w));
}

int main(int argc, char **argv)
{
    int devices = 0;
    cudaError_t error = cudaGetDeviceCount(&devices);
    if (error != cudaSuccess || devices == 0) {
        fprintf(stderr, "calibrate: no GPU that CUDA can use: %s\n",
                error != cudaSuccess ? cudaGetErrorString(error) : "none is visible");
        return 2;
    }
    print_device();

    struct work w = {};
    w.bytes = choose_bytes(argc > 1 ? argv[1] : NULL);
    w.blocks = 8 * attribute(cudaDevAttrMultiProcessorCount);
    CHECK(cudaMalloc(&w.from, w.bytes));
    CHECK(cudaMalloc(&w.to, w.bytes));
    CHECK(cudaMalloc(&w.word, sizeof(unsigned)));
    fill<<<w.blocks, THREADS>>>((unsigned *)w.from, w.bytes / sizeof(unsigned));
    CHECK(cudaGetLastError());
    print_rates(&w);
    CHECK(cudaFree(w.from));
    CHECK(cudaFree(w.to));
    CHECK(cudaFree(w.word));
    return 0;
}
