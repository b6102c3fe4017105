/*
 * Lab 08, step 04: a layout without bank conflicts.
 *
 * The change: after each row of 16 elements the tile has a gap of 16 bytes. Neighboring threads now read 5 vectors
 * apart (9 in double), an odd number, so that any 8 of them use 8 different groups of banks. Expected: every load
 * of x takes the least possible time. If the arithmetic already hid the loads in step 03, this shows in the counters
 * more than in the time.
 */
#include "common/check.h"
#include "lab08.h"

#define THREADS 128
#define OUTPUTS 16 /* per thread; also the number of taps per round */
#define HALO    (LAB08_TAPS / OUTPUTS)

/* 16 bytes, which one instruction can load or store. */
#ifdef REAL_DOUBLE
typedef double2 vector;
#else
typedef float4 vector;
#endif
#define VECTOR_SIZE ((int)(sizeof(vector) / sizeof(real)))

/* Elements from one row of the tile to the next: the row and a gap of one vector. */
#define PITCH (OUTPUTS + VECTOR_SIZE)

/* Row r of the tile holds x[first + 16 (r - HALO) ...]: 64 rows of halo, then one row per thread. */
static __device__ void load_tile(const real *d_x, int n, int first, real *s_x)
{
    for (int j = threadIdx.x; j < (HALO + THREADS) * OUTPUTS; j += THREADS) {
        const int from = first - LAB08_TAPS + j;
        s_x[j / OUTPUTS * PITCH + j % OUTPUTS] = from >= 0 && from < n ? d_x[from] : 0;
    }
}

/* Computes this thread's 16 outputs from the tile. */
static __device__ void compute(const real *s_x, const real *s_h, real *sum)
{
    /* In round k: window[16 + j] = x[my first output - k + j], for j = -16 .. 15. */
    __align__(16) real window[2 * OUTPUTS];
    __align__(16) real tap[OUTPUTS];
    const real *row = &s_x[(HALO + threadIdx.x) * PITCH];
#pragma unroll
    for (int j = 0; j < OUTPUTS; j += VECTOR_SIZE) {
        *(vector *)&window[j] = *(const vector *)&row[j];
    }
#pragma unroll
    for (int j = 0; j < OUTPUTS; j++) {
        sum[j] = 0;
    }
    /* Unrolled twice: then moving 16 elements only renames registers, and takes no instructions. */
#pragma unroll 2
    for (int k = 0; k < LAB08_TAPS; k += OUTPUTS) {
        row -= PITCH;
#pragma unroll
        for (int j = 0; j < OUTPUTS; j++) {
            window[OUTPUTS + j] = window[j];
        }
#pragma unroll
        for (int j = 0; j < OUTPUTS; j += VECTOR_SIZE) {
            *(vector *)&window[j] = *(const vector *)&row[j];
            *(vector *)&tap[j] = *(const vector *)&s_h[k + j];
        }
#pragma unroll
        for (int t = 0; t < OUTPUTS; t++) {
#pragma unroll
            for (int j = 0; j < OUTPUTS; j++) {
                sum[j] += tap[t] * window[OUTPUTS + j - t];
            }
        }
    }
}

/* Writes those outputs that exist to y[i ...]. */
static __device__ void store_outputs(const real *sum, real *d_y, int outputs, int i)
{
#pragma unroll
    for (int j = 0; j < OUTPUTS; j++) {
        if (i + j < outputs) {
            d_y[i + j] = sum[j];
        }
    }
}

__global__ void convolve(const real *d_x, int n, const real *d_h, real *d_y)
{
    __shared__ __align__(16) real s_x[(HALO + THREADS) * PITCH];
    __shared__ __align__(16) real s_h[LAB08_TAPS];
    real sum[OUTPUTS];
    const int first = blockIdx.x * (THREADS * OUTPUTS);
    load_tile(d_x, n, first, s_x);
    for (int k = threadIdx.x; k < LAB08_TAPS; k += THREADS) {
        s_h[k] = d_h[k];
    }
    __syncthreads();
    compute(s_x, s_h, sum);
    store_outputs(sum, d_y, n + LAB08_TAPS - 1, first + threadIdx.x * OUTPUTS);
}

void lab08_convolve(const real *d_x, int n, const real *d_h, real *d_y)
{
    if (n == 0) {
        return;
    }
    const int outputs = n + LAB08_TAPS - 1;
    const int of_block = THREADS * OUTPUTS;
    convolve<<<(outputs + of_block - 1) / of_block, THREADS>>>(d_x, n, d_h, d_y);
    CHECK(cudaGetLastError());
}
