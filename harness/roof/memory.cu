/* How fast memory is copied, read and written; and what one word per thread leaves of that. */
#include "harness/roof/calibrate.h"

#define STEADY_MS   8.0 /* of one run of measure_steady_copy */
#define STEADY_RUNS 3

/* ---- kernels ------------------------------------------------------------------------------------------- */

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

template <typename word> __global__ void copy(const word *from, word *to, size_t count)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        to[i] = from[i];
}

/* Adds up all words, modulo 2^32; four independent loads are in flight in each thread. One atomic per block. */
__global__ void read_only(const uint4 *from, size_t count, unsigned *total)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
    __shared__ unsigned s_sum;
    if (threadIdx.x == 0)
        s_sum = 0;
    __syncthreads();
    for (; i + 3 * stride < count; i += 4 * stride) {
        uint4 a = __ldcs(from + i), b = __ldcs(from + i + stride);
        uint4 c = __ldcs(from + i + 2 * stride), d = __ldcs(from + i + 3 * stride);
        sum += a.x + a.y + a.z + a.w + b.x + b.y + b.z + b.w;
        sum += c.x + c.y + c.z + c.w + d.x + d.y + d.z + d.w;
    }
    for (; i < count; i += stride)
        sum += from[i].x + from[i].y + from[i].z + from[i].w;
    atomicAdd(&s_sum, sum);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(total, s_sum);
}

/* As fill, 16 bytes per thread. */
__global__ void write_only(uint4 *to, size_t count)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned first = 4 * (unsigned)i * FILL_MULTIPLIER;
    if (i < count)
        to[i] = make_uint4(first, first + FILL_MULTIPLIER, first + 2 * FILL_MULTIPLIER,
                           first + 3 * FILL_MULTIPLIER);
}

/* ---- runs ---------------------------------------------------------------------------------------------- */

static unsigned blocks_for(size_t count, int threads)
{
    return (unsigned)((count + (size_t)threads - 1) / (size_t)threads);
}

static void run_memcpy(void *work)
{
    const struct work *w = (const struct work *)work;
    CHECK(cudaMemcpyAsync(w->to, w->from, w->bytes, cudaMemcpyDeviceToDevice, 0));
}

template <typename word> static void run_copy(void *work)
{
    const struct work *w = (const struct work *)work;
    const size_t count = w->bytes / sizeof(word);
    copy<<<blocks_for(count, w->threads), w->threads>>>((const word *)w->from, (word *)w->to, count);
}

void run_read(void *work)
{
    const struct work *w = (const struct work *)work;
    read_only<<<w->blocks, w->threads>>>((const uint4 *)w->from, w->bytes / sizeof(uint4), w->word);
}

static void run_write(void *work)
{
    const struct work *w = (const struct work *)work;
    const size_t count = w->bytes / sizeof(uint4);
    write_only<<<blocks_for(count, w->threads), w->threads>>>((uint4 *)w->to, count);
}

/* ---- measurements -------------------------------------------------------------------------------------- */

void fill_source(struct work *w)
{
    fill<<<8 * w->sm_count, THREADS>>>((unsigned *)w->from, w->bytes / sizeof(unsigned));
    CHECK(cudaGetLastError());
}

/* GB/s of `bytes` bytes in a run that leaves w->to as fill_source leaves w->from. */
static double filling_gbs(void (*run)(void *), struct work *w, double bytes)
{
    CHECK(cudaMemset(w->to, 0xA5, w->bytes));
    clear_words(w);
    const float ms = median_ms(run, w);
    count_wrong<<<8 * w->sm_count, THREADS>>>((const unsigned *)w->to, w->bytes / sizeof(unsigned), w->word);
    if (read_word(w, 0) != 0)
        fail("what was written is not what should be: this GPU or its driver does not work properly");
    return bytes / ms * 1e-6;
}

void measure_steady_copy(struct work *w)
{
    const double bytes = 2.0 * (double)w->bytes;
    w->threads = THREADS;
    const double one_ms =
        bytes / filling_gbs(run_copy<float4>, w, bytes) * 1e-6; /* and is what is copied right? */
    const int copies = one_ms < STEADY_MS ? (int)(STEADY_MS / one_ms) : 1;
    struct timer timer;
    double ms = 0;
    CHECK(timer_init(&timer));
    for (int run = 0; run < STEADY_RUNS; run++)
        ms += timer_batch(&timer, run_copy<float4>, w, copies);
    CHECK(timer_destroy(&timer));
    printf("copy_steady_gbs=%.5g\n", bytes * STEADY_RUNS / ms * 1e-6);
}

void measure_copy(struct work *w)
{
    const double bytes = 2.0 * (double)w->bytes;
    w->threads = THREADS;
    const double by_memcpy = filling_gbs(run_memcpy, w, bytes);
    const double by_kernel = filling_gbs(run_copy<float4>, w, bytes);
    printf("copy_bytes=%zu\n", w->bytes);
    printf("copy_gbs=%.5g\n", by_memcpy > by_kernel ? by_memcpy : by_kernel);
    printf("copy_memcpy_gbs=%.5g\n", by_memcpy);
    printf("copy_kernel_gbs=%.5g\n", by_kernel);
}

/* GB/s of a copy with one word per thread, in the best of three sizes of a block. */
template <typename word> static double word_gbs(struct work *w)
{
    double best = 0;
    for (w->threads = 128; w->threads <= 512; w->threads *= 2) {
        const double rate = filling_gbs(run_copy<word>, w, 2.0 * (double)w->bytes);
        best = rate > best ? rate : best;
    }
    return best;
}

void measure_words(struct work *w)
{
    printf("copy_word_gbs=%.5g\n", word_gbs<float>(w));
    printf("copy_dword_gbs=%.5g\n", word_gbs<double>(w));
}

/* The best of three grids that fill the GPU once. */
static double read_gbs(struct work *w)
{
    /* 0 + 1 + … + (count - 1); count is even, so that the half is exact. */
    const unsigned long long count = w->bytes / sizeof(unsigned);
    const unsigned want = (unsigned)(count / 2 * (count - 1)) * FILL_MULTIPLIER;
    double best = 0;
    for (w->threads = 256; w->threads <= 1024; w->threads *= 2) {
        w->blocks = w->sm_count * (2048 / w->threads);
        const double rate = (double)w->bytes / median_ms(run_read, w) * 1e-6;
        clear_words(w);
        run_read(w);
        if (read_word(w, 0) != want)
            fail("the sum of what was read is wrong: this GPU or its driver does not work properly");
        best = rate > best ? rate : best;
    }
    return best;
}

void measure_read_and_write(struct work *w)
{
    printf("read_gbs=%.5g\n", read_gbs(w));
    w->threads = THREADS;
    printf("write_gbs=%.5g\n", filling_gbs(run_write, w, (double)w->bytes));
}
