/*
 * The same sum of products in float, in pairs of half (half2), in 8-bit integers (dp4a), and in 16 times 8 bits (dp2a):
 * values, errors, times. book/memories.md has the results.
 *
 *     make book-dot_products ARGS=4194304    on a GPU, or on the simulator: how many products
 */
#include <cuda_fp16.h>

#include "common/play.h"

#define THREADS 256
#define BLOCKS  264

struct problem {
    int n; /* a multiple of 4 */
    struct play_array a, b, half_a, half_b, byte_a, byte_b, short_a, sum;
};

/* Adds the values of the block's threads, and adds their sum to *d_sum. */
template <typename T> __device__ void add_up(T value, T *d_sum)
{
    for (int offset = 16; offset > 0; offset /= 2) {
        value += __shfl_down_sync(0xffffffff, value, offset);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(d_sum, value);
    }
}

__global__ void dot_float(const float *d_a, const float *d_b, int n, float *d_sum)
{
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        sum += d_a[i] * d_b[i];
    }
    add_up(sum, d_sum);
}

/* Two products per instruction. Sums of a few are kept in half, and then added in float. */
__global__ void dot_half2(const half2 *d_a, const half2 *d_b, int pairs, float *d_sum)
{
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pairs; i += gridDim.x * blockDim.x) {
        const half2 product = __hmul2(d_a[i], d_b[i]);
        sum += __low2float(product) + __high2float(product);
    }
    add_up(sum, d_sum);
}

/* Everything in half: a mistake, made on purpose. */
__global__ void dot_half2_sum(const half2 *d_a, const half2 *d_b, int pairs, float *d_sum)
{
    half2 sum = __float2half2_rn(0);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pairs; i += gridDim.x * blockDim.x) {
        sum = __hfma2(d_a[i], d_b[i], sum);
    }
    add_up(__low2float(sum) + __high2float(sum), d_sum);
}

/* Four products of 8 bits per instruction, added in 32: exact. All threads together need more than 32 bits. */
__global__ void dot_dp4a(const int *d_a, const int *d_b, int fours, unsigned long long *d_sum)
{
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < fours; i += gridDim.x * blockDim.x) {
        sum = __dp4a(d_a[i], d_b[i], sum);
    }
    add_up((unsigned long long)sum, d_sum);
}

/*
 * Two products of 16 and 8 bits per instruction: _lo takes the lower two bytes, _hi the upper two. The products are
 * 258 times larger than those of bytes: 32 bits are enough for the sum of four, but not for a thread's sum.
 */
__global__ void dot_dp2a(const int2 *d_a, const int *d_b, int fours, unsigned long long *d_sum)
{
    unsigned long long sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < fours; i += gridDim.x * blockDim.x) {
        const int2 a = d_a[i];
        sum += (unsigned)__dp2a_hi(a.y, d_b[i], __dp2a_lo(a.x, d_b[i], 0));
    }
    add_up(sum, d_sum);
}

static void run_float(void *context, int set)
{
    struct problem *p = (struct problem *)context;
    CHECK(cudaMemsetAsync(p->sum.set[set], 0, 8));
    dot_float<<<BLOCKS, THREADS>>>((const float *)p->a.set[set], (const float *)p->b.set[set], p->n,
                                   (float *)p->sum.set[set]);
}

static void run_half2(void *context, int set)
{
    struct problem *p = (struct problem *)context;
    CHECK(cudaMemsetAsync(p->sum.set[set], 0, 8));
    dot_half2<<<BLOCKS, THREADS>>>((const half2 *)p->half_a.set[set], (const half2 *)p->half_b.set[set],
                                   p->n / 2, (float *)p->sum.set[set]);
}

static void run_half2_sum(void *context, int set)
{
    struct problem *p = (struct problem *)context;
    CHECK(cudaMemsetAsync(p->sum.set[set], 0, 8));
    dot_half2_sum<<<BLOCKS, THREADS>>>((const half2 *)p->half_a.set[set], (const half2 *)p->half_b.set[set],
                                       p->n / 2, (float *)p->sum.set[set]);
}

static void run_dp4a(void *context, int set)
{
    struct problem *p = (struct problem *)context;
    CHECK(cudaMemsetAsync(p->sum.set[set], 0, 8));
    dot_dp4a<<<BLOCKS, THREADS>>>((const int *)p->byte_a.set[set], (const int *)p->byte_b.set[set], p->n / 4,
                                  (unsigned long long *)p->sum.set[set]);
}

static void run_dp2a(void *context, int set)
{
    struct problem *p = (struct problem *)context;
    CHECK(cudaMemsetAsync(p->sum.set[set], 0, 8));
    dot_dp2a<<<BLOCKS, THREADS>>>((const int2 *)p->short_a.set[set], (const int *)p->byte_b.set[set],
                                  p->n / 4, (unsigned long long *)p->sum.set[set]);
}

/* ---- inputs: numbers in [0, 1), as float, as half, and as whole 127ths and 32767ths --------------------- */

static double fill(const struct play *play, struct problem *p)
{
    float *a = play_numbers(p->n), *b = (float *)play_host(4ul * p->n);
    half *ha = (half *)play_host(2ul * p->n), *hb = (half *)play_host(2ul * p->n);
    signed char *ca = (signed char *)play_host(p->n), *cb = (signed char *)play_host(p->n);
    short *sa = (short *)play_host(2ul * p->n);
    double exact = 0;
    for (int i = 0; i < p->n; i++) {
        b[i] = (float)play_random(i + 77) / (1 << 24);
        exact += (double)a[i] * b[i];
        ha[i] = __float2half(a[i]);
        hb[i] = __float2half(b[i]);
        sa[i] = (short)(32767 * a[i] + 0.5f);
        ca[i] = (signed char)(127 * a[i] + 0.5f);
        cb[i] = (signed char)(127 * b[i] + 0.5f);
    }
    p->a = play_copies(play, a, 4ul * p->n);
    p->b = play_copies(play, b, 4ul * p->n);
    p->half_a = play_copies(play, ha, 2ul * p->n);
    p->half_b = play_copies(play, hb, 2ul * p->n);
    p->byte_a = play_copies(play, ca, p->n);
    p->byte_b = play_copies(play, cb, p->n);
    p->short_a = play_copies(play, sa, 2ul * p->n);
    p->sum = play_copies(play, NULL, 8);
    free(a), free(b), free(ha), free(hb), free(ca), free(cb), free(sa);
    return exact;
}

static void row(struct play *play, struct problem *p, const char *name, void (*work)(void *, int),
                double bytes, double exact, double scale)
{
    char title[64];
    const struct timing t = play_time(play, work, p);
    void *h_sum = play_fetch(&p->sum);
    const double sum = scale > 0 ? (double)*(unsigned long long *)h_sum / scale : *(float *)h_sum;
    const double error = (sum - exact) / exact;
    snprintf(title, sizeof title, "%s, error %.0e", name, error);
    play_row(play, title, t, bytes, 2.0 * p->n, error < 0.01 && error > -0.01);
    free(h_sum);
}

int main(int argc, char **argv)
{
    struct play play = play_begin();
    struct problem p;
    p.n = play_size(&play, argc, argv, 1, "n", 1 << 26, 1 << 17, 4) / 4 * 4;
    play_sets(&play, p.n);
    const double exact = fill(&play, &p);
    row(&play, &p, "float", run_float, 8.0 * p.n, exact, 0);
    row(&play, &p, "half2", run_half2, 4.0 * p.n, exact, 0);
    row(&play, &p, "half2 sums", run_half2_sum, 4.0 * p.n, exact, 0);
    row(&play, &p, "dp4a", run_dp4a, 2.0 * p.n, exact, 127.0 * 127.0);
    row(&play, &p, "dp2a", run_dp2a, 3.0 * p.n, exact, 32767.0 * 127.0);
    return play_end(&play);
}
