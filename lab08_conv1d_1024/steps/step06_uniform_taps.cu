/*
 * Lab 08, step 06: the taps as uniform operands, from constant memory; 28 outputs per thread.
 *
 * The change: a multiply-add reads three registers, and the register file seems to have banks, too, so that not every
 * three registers can be read at once. A tap from constant memory goes through a uniform register, one for the whole
 * warp, so only two registers are left to read. Also, every cycle in which another instruction starts is lost for a
 * multiply-add; 28 outputs need only one 128-bit load per 4 taps, or 112 multiply-adds. The window is a ring of 32
 * places, unrolled over 32 taps, so nothing has to move. 28 elements are 7 vectors, an odd number: no gaps are needed.
 * Expected: 896 of 925 instructions of the loop are multiply-adds, so at best 96.9 % of the rate.
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

/* Adds VECTOR_SIZE taps, from number k + t on, to all outputs: tap by tap. */
static __device__ void add_taps(const real *ring, int k, int t, real *sum)
{
#pragma unroll
    for (int u = t; u < t + VECTOR_SIZE; u++) {
#pragma unroll
        for (int j = 0; j < OUTPUTS; j++) {
            sum[j] += c_h[k + u] * ring[(RING + j - u) % RING];
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
