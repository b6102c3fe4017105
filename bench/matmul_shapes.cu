/*
 * Lab 09's steps and solution at awkward shapes, on this machine's GPU: every element of C must be equal to
 * what a plain kernel finds, with whole numbers, whose sums are exact in any order; nothing between C's rows
 * may change, NaN between the rows of A and B may not get in; and with random numbers two runs must give the
 * same bits.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench/contestants.h"
#include "common/check.h"

static const int sizes[] = {0, 1, 15, 16, 17, 31, 33, 64, 127, 129, 255, 257};
static const int long_shapes[][3] = {
    {1, 4096, 4096},
    {4096, 1, 333},
    {100003, 3, 17},
    {3, 100003, 17},
    {5, 7, 99991},
    {127, 8191, 1023},
    {509, 521, 523},
    {1024, 1024, 1024},
    {640, 2048, 72},
    /* a last round that an H100's SMs share, behind full rounds and alone */
    {2176, 2048, 840},
    {1280, 1024, 2056},
};

/* Whole numbers of at most 25, or any numbers; NaN behind each row. */
__global__ void fill(real *x, int rows, int columns, int pitch, unsigned seed, bool whole)
{
    const long long count = (long long)rows * pitch;
    for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        unsigned z = ((unsigned)i + seed) * 2654435761u;
        z = (z ^ z >> 15) * 2246822519u;
        z ^= z >> 13;
        x[i] = i % pitch >= columns ? (real)NAN
               : whole              ? (real)((int)(z >> 16) % 51) - 25
                                    : (real)(z >> 8) / 8388608 - 1;
    }
}

__global__ void count_different(int m, int n, int k, const real *a, int lda, const real *b, int ldb,
                                const real *c, int ldc, unsigned long long *different)
{
    const long long count = (long long)m * n;
    for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        const int row = (int)(i / n), column = (int)(i % n);
        double sum = 0;
        for (int d = 0; d < k; d++) {
            sum += (double)a[(size_t)row * lda + d] * b[(size_t)d * ldb + column];
        }
        if (!(c[(size_t)row * ldc + column] == sum)) { /* also NaN */
            atomicAdd(different, 1ull);
        }
    }
}

/* What is not C's: all its bits were set. */
__global__ void count_touched(int m, int n, const unsigned *c, int ldc, unsigned long long *different)
{
    const int words = sizeof(real) / sizeof(unsigned);
    const long long count = ((long long)m * ldc + 64) * words; /* and some behind the last row */
    for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        const long long element = i / words;
        if ((element % ldc >= n || element / ldc >= m) && c[i] != 0xffffffffu) {
            atomicAdd(different, 1ull);
        }
    }
}

__global__ void count_unequal_bits(const unsigned *x, const unsigned *y, long long words,
                                   unsigned long long *different)
{
    for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x) {
        if (x[i] != y[i]) {
            atomicAdd(different, 1ull);
        }
    }
}

#define MOST (1 << 25) /* elements of a matrix, with what lies between rows */

static real *d_a, *d_b, *d_c, *d_again;
static unsigned long long *d_different;
static int wrong = 0, shapes = 0;

/* gap: elements between the rows of each matrix; pitch: from row to row of C, at least 1. */
struct shape {
    int m, n, k, gap;
    int lda, ldb, ldc, pitch;
};

static void run(int who, const struct shape *s, real *d_result)
{
    contestants[who].run(s->m, s->n, s->k, d_a, s->lda, d_b, s->ldb, d_result, s->ldc);
}

/* Elements that are not as they should be: of whole numbers, else of two runs that are not alike. */
static unsigned long long count_wrong(int who, const struct shape *s, bool whole)
{
    const size_t bytes = ((size_t)s->m * s->pitch + 64) * sizeof(real);
    unsigned long long different = 0;
    CHECK(cudaMemset(d_c, 0xff, bytes));
    CHECK(cudaMemset(d_different, 0, sizeof(*d_different)));
    run(who, s, d_c);
    if (whole) {
        count_different<<<1024, 256>>>(s->m, s->n, s->k, d_a, s->lda, d_b, s->ldb, d_c, s->ldc, d_different);
        count_touched<<<256, 256>>>(s->m, s->n, (const unsigned *)d_c, s->pitch, d_different);
    } else {
        CHECK(cudaMemset(d_again, 0xff, bytes));
        run(who, s, d_again);
        count_unequal_bits<<<256, 256>>>((const unsigned *)d_c, (const unsigned *)d_again, bytes / 4,
                                         d_different);
    }
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&different, d_different, sizeof(different), cudaMemcpyDeviceToHost));
    return different;
}

static void try_shape(int m, int n, int k, int gap)
{
    const int ldc = n + 3 * gap;
    const struct shape s = {m, n, k, gap, k + gap, n + 2 * gap, ldc, ldc > 0 ? ldc : 1};
    shapes++;
    for (int whole = 1; whole >= 0; whole--) {
        fill<<<256, 256>>>(d_a, m, k, s.lda > 0 ? s.lda : 1, 1, whole);
        fill<<<256, 256>>>(d_b, k, n, s.ldb > 0 ? s.ldb : 1, 77, whole);
        CHECK(cudaGetLastError());
        for (int who = 0; who < CONTESTANT_COUNT; who++) {
            const unsigned long long different = count_wrong(who, &s, whole);
            if (different > 0) {
                printf("%s, %d x %d x %d, %d between rows, %s: %llu elements\n", contestants[who].name, m, n,
                       k, gap, whole ? "WRONG" : "TWO RUNS DIFFER", different);
                wrong++;
            }
        }
    }
}

int main(void)
{
    const int count = sizeof(sizes) / sizeof(sizes[0]);
    CHECK(cudaMalloc(&d_a, MOST * sizeof(real)));
    CHECK(cudaMalloc(&d_b, MOST * sizeof(real)));
    CHECK(cudaMalloc(&d_c, MOST * sizeof(real)));
    CHECK(cudaMalloc(&d_again, MOST * sizeof(real)));
    CHECK(cudaMalloc(&d_different, sizeof(*d_different)));
    for (int m = 0; m < count; m++) {
        for (int n = 0; n < count; n++) {
            /* Not all depths with all shapes, but each with many. */
            for (int k = (m + n) % 3; k < count; k += 3) {
                try_shape(sizes[m], sizes[n], sizes[k], (m + n + k) % 4);
            }
        }
    }
    for (size_t i = 0; i < sizeof(long_shapes) / sizeof(long_shapes[0]); i++) {
        try_shape(long_shapes[i][0], long_shapes[i][1], long_shapes[i][2], i % 2);
    }
    printf("matrix product, %s: %d programs at %d shapes, every element and two runs: %s\n",
           sizeof(real) == sizeof(float) ? "float" : "double", (int)CONTESTANT_COUNT, shapes,
           wrong ? "WRONG" : "equal");
    return wrong ? 1 : 0;
}
