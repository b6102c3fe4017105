/*
 * Lab 08, step 05: double buffering.
 *
 * The change: a block computes tile after tile. While it computes one, the next is already being copied into a
 * second buffer, asynchronously: no thread waits for it, and no register holds it. Expected: no gain where an
 * SM has many blocks, because the others compute while one waits for its tile; some gain where only one
 * block fits. -DBLOCKS_PER_SM=1 shows this.
 */
#include <cuda_pipeline.h>

#include "common/check.h"
#include "lab08.h"

#ifdef REAL_DOUBLE
#define THREADS 64
#else
#define THREADS 128
#endif
#define OUTPUTS 16
#define HALO    (LAB08_TAPS / OUTPUTS)

/* How many blocks are started per SM: as many as fit, or what -DBLOCKS_PER_SM says. */
#ifndef BLOCKS_PER_SM
#define BLOCKS_PER_SM 0
#endif
/* 0: the next tile is loaded after this one has been used, into the same buffer. */
#ifndef DOUBLE_BUFFER
#define DOUBLE_BUFFER 1
#endif

/* 16 bytes, which one instruction can load or store. */
#ifdef REAL_DOUBLE
typedef double2 vector;
#else
typedef float4 vector;
#endif
#define VECTOR_SIZE ((int)(sizeof(vector) / sizeof(real)))
#define PITCH       (OUTPUTS + VECTOR_SIZE)
#define ROW_VECTORS (OUTPUTS / VECTOR_SIZE)

/* Begins to load the tile of the outputs from `first` on. Every thread waits for its own part of it later. */
static __device__ void begin_tile(const real *d_x, int n, int first, real *s_x)
{
    for (int v = threadIdx.x; v < (HALO + THREADS) * ROW_VECTORS; v += THREADS) {
        const int from = first - LAB08_TAPS + v * VECTOR_SIZE;
        real *to = &s_x[v / ROW_VECTORS * PITCH + v % ROW_VECTORS * VECTOR_SIZE];
        if (from >= 0 && from + VECTOR_SIZE <= n) {
            __pipeline_memcpy_async(to, &d_x[from], sizeof(vector));
        } else {
            for (int j = 0; j < VECTOR_SIZE; j++) {
                to[j] = from + j >= 0 && from + j < n ? d_x[from + j] : 0;
            }
        }
    }
    __pipeline_commit();
}

/* Computes this thread's 16 outputs from a tile that has arrived. */
static __device__ void compute(const real *s_x, const real *s_h, real *sum)
{
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
    __shared__ __align__(16) real s_x[1 + DOUBLE_BUFFER][(HALO + THREADS) * PITCH];
    __shared__ __align__(16) real s_h[LAB08_TAPS];
    real sum[OUTPUTS];
    const int outputs = n + LAB08_TAPS - 1;
    const int stride = gridDim.x * (THREADS * OUTPUTS);
    int first = blockIdx.x * (THREADS * OUTPUTS);
    int buffer = 0;
    for (int k = threadIdx.x; k < LAB08_TAPS; k += THREADS) {
        s_h[k] = d_h[k];
    }
    begin_tile(d_x, n, first, s_x[0]);
    for (; first < outputs; first += stride) {
        /* This thread's part of the tile has arrived; after the barrier all of it has, and the other buffer is free. */
        __pipeline_wait_prior(0);
        __syncthreads();
        if (DOUBLE_BUFFER && first + stride < outputs) {
            begin_tile(d_x, n, first + stride, s_x[DOUBLE_BUFFER - buffer]);
        }
        compute(s_x[buffer], s_h, sum);
        store_outputs(sum, d_y, outputs, first + threadIdx.x * OUTPUTS);
        buffer = DOUBLE_BUFFER - buffer;
        if (!DOUBLE_BUFFER && first + stride < outputs) {
            __syncthreads(); /* all threads have used the tile */
            begin_tile(d_x, n, first + stride, s_x[0]);
        }
    }
}

void lab08_convolve(const real *d_x, int n, const real *d_h, real *d_y)
{
    if (n == 0) {
        return;
    }
    static int resident = 0; /* blocks that the GPU holds at a time; queried once */
    if (resident == 0) {
        int device = 0;
        int sm_count = 0;
        int fit = 0;
        CHECK(cudaGetDevice(&device));
        CHECK(cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, device));
        CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, (const void *)convolve, THREADS, 0));
        resident = sm_count * (BLOCKS_PER_SM > 0 ? min(BLOCKS_PER_SM, fit) : fit);
    }
    const int outputs = n + LAB08_TAPS - 1;
    const int of_block = THREADS * OUTPUTS;
    convolve<<<min((outputs + of_block - 1) / of_block, resident), THREADS>>>(d_x, n, d_h, d_y);
    CHECK(cudaGetLastError());
}
