/*
 * Measures what the first GPU of this machine can do: the roofs against which the graders judge speed.
 *
 *     build/calibrate [MIB]      copies MIB MiB (default: 1024, less on small GPUs)
 *
 * Prints key=value lines; rates in 1e9 a second; a copy counts bytes read plus bytes written. Each
 * rate is the median of event-timed runs after a warm-up. What the kernels computed is checked, so
 * that no rate is one of work that did not happen. Exit: 0, or 2 with the reason on stderr.
 */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_RUNS        21
#define RUN_BUDGET_MS   150.0f /* time for the runs of one measurement */
#define CHAINS          16   /* independent multiply-adds a thread: more than enough to hide their latency */
#define ARITHMETIC_MS   3.0f /* length of one run of the arithmetic kernels */
#define MAX_STEPS       65536
#define THREADS         256
#define FILL_MULTIPLIER 2654435761u

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        cudaError_t check_error = (call);                                                                    \
        if (check_error != cudaSuccess) {                                                                    \
            fprintf(stderr, "calibrate: %s failed: %s\n", #call, cudaGetErrorString(check_error));           \
            exit(2);                                                                                         \
        }                                                                                                    \
    } while (0)

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
 * The host repeats some of them (float_chain, double_chain): the results must be equal to the bit.
 */
__global__ void arithmetic_float(float *out, float a, float b, int steps)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    float x[CHAINS];
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
        x[c] = (float)(thread % 1024) + (float)c;
#pragma unroll 16
    for (int s = 0; s < steps; s++) {
#pragma unroll
        for (int c = 0; c < CHAINS; c++)
            x[c] = fmaf(x[c], a, b);
    }
    float sum = 0;
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
        sum += x[c];
    out[thread] = sum;
}

__global__ void arithmetic_double(double *out, double a, double b, int steps)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    double x[CHAINS];
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
        x[c] = (double)(thread % 1024) + (double)c;
#pragma unroll 16
    for (int s = 0; s < steps; s++) {
#pragma unroll
        for (int c = 0; c < CHAINS; c++)
            x[c] = fma(x[c], a, b);
    }
    double sum = 0;
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
        sum += x[c];
    out[thread] = sum;
}

static float float_chain(unsigned thread, float a, float b, int steps)
{
    float sum = 0;
    for (int c = 0; c < CHAINS; c++) {
        float x = (float)(thread % 1024) + (float)c;
        for (int s = 0; s < steps; s++)
            x = fmaf(x, a, b);
        sum += x;
    }
    return sum;
}

static double double_chain(unsigned thread, double a, double b, int steps)
{
    double sum = 0;
    for (int c = 0; c < CHAINS; c++) {
        double x = (double)(thread % 1024) + (double)c;
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

static void run_memcpy(const struct work *w)
{
    CHECK(cudaMemcpyAsync(w->to, w->from, w->bytes, cudaMemcpyDeviceToDevice, 0));
}

static void run_copy(const struct work *w)
{
    size_t count = w->bytes / sizeof(float4);
    copy<<<(unsigned)((count + THREADS - 1) / THREADS), THREADS>>>((float4 *)w->from, (float4 *)w->to, count);
}

static void run_read(const struct work *w)
{
    read_only<<<w->blocks, THREADS>>>((const uint4 *)w->from, w->bytes / sizeof(uint4), w->word);
}

/* a and b are not constants of the kernel, and keep x between 1 and its start. */
static void run_float(const struct work *w)
{
    arithmetic_float<<<w->blocks, THREADS>>>((float *)w->to, 0.9990234375f, 0.0009765625f, w->steps);
}

static void run_double(const struct work *w)
{
    arithmetic_double<<<w->blocks, THREADS>>>((double *)w->to, 0.9990234375, 0.0009765625, w->steps);
}

static float run_once(void (*run)(const struct work *), const struct work *w, cudaEvent_t begin,
                      cudaEvent_t end)
{
    float ms = 0;
    CHECK(cudaEventRecord(begin, 0));
    run(w);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end, 0));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    return ms;
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Median milliseconds of up to MAX_RUNS runs, at least 5, within about RUN_BUDGET_MS. */
static float median_ms(void (*run)(const struct work *), const struct work *w)
{
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    float warm = run_once(run, w, begin, end);
    warm = run_once(run, w, begin, end);
    int runs = warm > 0 ? (int)(RUN_BUDGET_MS / warm) : MAX_RUNS;
    runs = runs < 5 ? 5 : runs > MAX_RUNS ? MAX_RUNS : runs;

    float ms[MAX_RUNS];
    for (int r = 0; r < runs; r++)
        ms[r] = run_once(run, w, begin, end);
    qsort(ms, runs, sizeof(ms[0]), compare_floats);
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    return ms[runs / 2];
}

/* ---- measurements, each with the check that the work was done ------------------------------------------ */

/* GB/s, read plus written. */
static double measure_copy(void (*run)(const struct work *), const struct work *w)
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

static double measure_read(const struct work *w)
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
static int choose_steps(void (*run)(const struct work *), struct work *w)
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

static double measure_float(struct work w)
{
    float got[THREADS];
    int blocks_per_sm = 1;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_sm, arithmetic_float, THREADS, 0));
    w.blocks *= blocks_per_sm;
    w.steps = choose_steps(run_float, &w);
    float ms = median_ms(run_float, &w);
    CHECK(cudaMemcpy(got, (float *)w.to + (size_t)(w.blocks - 1) * THREADS, sizeof(got),
                     cudaMemcpyDeviceToHost));
    for (int t = 0; t < THREADS; t += THREADS / 2 + 1)
        if (got[t] != float_chain((w.blocks - 1) * THREADS + t, 0.9990234375f, 0.0009765625f, w.steps))
            fail("the float arithmetic gave a wrong result");
    return gflops(&w, ms);
}

static double measure_double(struct work w)
{
    double got[THREADS];
    int blocks_per_sm = 1;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_sm, arithmetic_double, THREADS, 0));
    w.blocks *= blocks_per_sm;
    w.steps = choose_steps(run_double, &w);
    float ms = median_ms(run_double, &w);
    CHECK(cudaMemcpy(got, (double *)w.to + (size_t)(w.blocks - 1) * THREADS, sizeof(got),
                     cudaMemcpyDeviceToHost));
    for (int t = 0; t < THREADS; t += THREADS / 2 + 1)
        if (got[t] != double_chain((w.blocks - 1) * THREADS + t, 0.9990234375, 0.0009765625, w.steps))
            fail("the double arithmetic gave a wrong result");
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

    /* Copies first: the arithmetic heats the GPU and writes into w.to. */
    double by_memcpy = measure_copy(run_memcpy, &w);
    double by_kernel = measure_copy(run_copy, &w);
    printf("copy_bytes=%zu\n", w.bytes);
    printf("copy_gbs=%.1f\n", by_memcpy > by_kernel ? by_memcpy : by_kernel);
    printf("copy_memcpy_gbs=%.1f\n", by_memcpy);
    printf("copy_kernel_gbs=%.1f\n", by_kernel);
    printf("read_gbs=%.1f\n", measure_read(&w));
    w.blocks = attribute(cudaDevAttrMultiProcessorCount);
    printf("fp32_gflops=%.1f\n", measure_float(w));
    printf("fp64_gflops=%.1f\n", measure_double(w));
    CHECK(cudaFree(w.from));
    CHECK(cudaFree(w.to));
    CHECK(cudaFree(w.word));
    return 0;
}
