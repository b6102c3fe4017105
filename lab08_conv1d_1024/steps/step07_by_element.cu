/*
 * Lab 08, step 07: element by element instead of tap by tap.
 *
 * The change: only the order of the multiply-adds of a round. So far each tap was multiplied by all of its 28 elements
 * before the next tap; now each element is multiplied by the 4 taps of the round, one after another. Why should that
 * matter? A multiply-add still reads two registers, a sum and an element. The measurements fit registers in two banks,
 * one for even numbers and one for odd, where two registers of the same bank are read one after the other. The
 * compiler numbers the registers; in step 06's order, 54 of 896 pairs are in the same bank, in this order 12.
 * Expected: this saves 54 - 12 of about 980 cycles, up to 4 %.
 */
#include "common/check.h"
#include "lab08.h"

/* 16 bytes, which one instruction can load or store. */
#ifdef REAL_DOUBLE
typedef double2 vector;
#else
typedef float4 vector;
#endif
#define VECTOR_SIZE ((int)(sizeof(vector) / sizeof(real)))

#define THREADS 128
#define OUTPUTS (7 * VECTOR_SIZE) /* per thread: 28, or 14 in double */
#define RING    (8 * VECTOR_SIZE) /* places of the window; divides 1024 */
#define TILE    (LAB08_TAPS + THREADS * OUTPUTS)

__constant__ real c_h[LAB08_TAPS];

/* The block's part of x, 1024 elements of halo first, into shared memory; 0 outside of x. */
static __device__ void load_tile(const real *d_x, int n, int first, int count, real *s_x)
{
    const int from = first - LAB08_TAPS; /* of the tile's first element; a multiple of a vector */
    if (from >= 0 && from + count <= n) {
#pragma unroll 4
        for (int j = threadIdx.x * VECTOR_SIZE; j < count; j += THREADS * VECTOR_SIZE) {
            *(vector *)&s_x[j] = *(const vector *)&d_x[from + j];
        }
    } else {
        for (int j = threadIdx.x; j < count; j += THREADS) {
            s_x[j] = from + j >= 0 && from + j < n ? d_x[from + j] : 0;
        }
    }
}

/* Stores this thread's outputs from y[i] on. */
static __device__ void store_outputs(const real *sum, real *d_y, int outputs, int i)
{
    if (i + OUTPUTS <= outputs) {
#pragma unroll
        for (int j = 0; j < OUTPUTS; j += VECTOR_SIZE) {
            *(vector *)&d_y[i + j] = *(const vector *)&sum[j];
        }
    } else {
#pragma unroll
        for (int j = 0; j < OUTPUTS; j++) {
            if (i + j < outputs) {
                d_y[i + j] = sum[j];
            }
        }
    }
}

/* Adds VECTOR_SIZE taps, from number k + t on, to all outputs: element by element. */
static __device__ void add_taps(const real *ring, int k, int t, real *sum)
{
    /* Element i = x[... + i - t] serves tap k + u for output i + u - t, if that one exists. */
#pragma unroll
    for (int i = 1 - VECTOR_SIZE; i < OUTPUTS; i++) {
#pragma unroll
        for (int u = t; u < t + VECTOR_SIZE; u++) {
            const int j = i + u - t;
            if (j >= 0 && j < OUTPUTS) {
                sum[j] += c_h[k + u] * ring[(RING + i - t) % RING];
            }
        }
    }
}

__global__ void convolve(const real *d_x, int n, real *d_y)
{
    __shared__ __align__(16) real s_x[TILE];
    const int first = blockIdx.x * (THREADS * OUTPUTS);
    load_tile(d_x, n, first, TILE, s_x);
    __syncthreads();

    /* x[i + j] is in ring[j modulo RING], where i is this thread's first output; j goes down to -1023. */
    __align__(16) real ring[RING];
    __align__(16) real sum[OUTPUTS];
    const real *mine = &s_x[LAB08_TAPS + threadIdx.x * OUTPUTS];
#pragma unroll
    for (int j = 0; j < OUTPUTS; j += VECTOR_SIZE) {
        *(vector *)&ring[j] = *(const vector *)&mine[j];
    }
#pragma unroll
    for (int j = 0; j < OUTPUTS; j++) {
        sum[j] = 0;
    }
#pragma unroll 1
    for (int k = 0; k < LAB08_TAPS; k += RING) {
#pragma unroll
        for (int t = 0; t < RING; t += VECTOR_SIZE) {
            /* The next vector to the left; its places are free. */
            *(vector *)&ring[RING - VECTOR_SIZE - t] = *(const vector *)&mine[-VECTOR_SIZE - t];
            add_taps(ring, k, t, sum);
        }
        mine -= RING;
    }
    store_outputs(sum, d_y, n + LAB08_TAPS - 1, first + threadIdx.x * OUTPUTS);
}

void lab08_convolve(const real *d_x, int n, const real *d_h, real *d_y)
{
    if (n == 0) {
        return;
    }
    CHECK(cudaMemcpyToSymbolAsync(c_h, d_h, sizeof(c_h), 0, cudaMemcpyDeviceToDevice));
    const int outputs = n + LAB08_TAPS - 1;
    const int of_block = THREADS * OUTPUTS;
    convolve<<<(outputs + of_block - 1) / of_block, THREADS>>>(d_x, n, d_y);
    CHECK(cudaGetLastError());
}
