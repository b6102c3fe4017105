/*
 * Lab 07, step 10: a side path. The kernel of the text that this lab grew from (Velaciela, 2017), in CUDA C.
 *
 * The change: blocks of a single warp, 16 neighboring outputs per thread, 512 per block. The block loads 528 elements
 * into shared memory, one vector per thread at a time. Each thread reads its window of 32 from there, by vectors, and
 * keeps 16 sums, so that each element, once in a register, is used for up to 16 of them ("register blocking"). The
 * sums go back through shared memory, so that the block stores neighboring vectors: the reshape.
 *
 * Windows begin 16 elements apart, which would put all threads' vectors into two groups of banks. So each row of 16 is
 * followed by one unused vector, and the threads of a quarter of a warp read eight different groups.
 *
 * Expected: near the copy's speed. The author's kernel had 60 registers per thread, so that 32 blocks of one warp fit
 * on an SM of his GTX 970. How many blocks are needed? UNUSED_SHARED gives each block shared memory that it does not
 * use, so that fewer fit; README.md has the experiment.
 */
#include "common/check.h"
#include "lab07.h"

#ifdef REAL_DOUBLE
typedef double2 vector;
#else
typedef float4 vector;
#endif
#define VECTOR_SIZE ((int)(sizeof(vector) / sizeof(real)))

#ifndef UNUSED_SHARED
#define UNUSED_SHARED 0 /* bytes */
#endif
#define THREADS 32
#define OUTPUTS 16                      /* per thread */
#define TILE    (THREADS * OUTPUTS)     /* outputs per block */
#define PITCH   (OUTPUTS + VECTOR_SIZE) /* places per row of 16 elements */
#define PLACES  ((THREADS + 1) * PITCH) /* one row for the halo, and one per thread */
#define WINDOW  (LAB07_TAPS + OUTPUTS)

/* Where in s_x the block's element or output j is. */
static __device__ int place(int j)
{
    return j / OUTPUTS * PITCH + j % OUTPUTS;
}

/* s_x[place(j)] = x[from + j], 0 outside of x; `from` is a multiple of a vector. */
static __device__ void load_tile(const real *__restrict__ d_x, int n, int from, real *s_x)
{
    const int lane = threadIdx.x * VECTOR_SIZE;
    if (from >= 0 && from + LAB07_TAPS + TILE <= n) {
#pragma unroll
        for (int j = 0; j < LAB07_TAPS + TILE; j += THREADS * VECTOR_SIZE) {
            if (j + lane < LAB07_TAPS + TILE) {
                *(vector *)&s_x[place(j + lane)] = *(const vector *)&d_x[from + j + lane];
            }
        }
    } else {
        for (int j = threadIdx.x; j < LAB07_TAPS + TILE; j += THREADS) {
            s_x[place(j)] = from + j >= 0 && from + j < n ? d_x[from + j] : 0;
        }
    }
}

/* Each element of the window, once it is in a register, is added to all sums that it belongs to. */
static __device__ void add_up(const real *s_x, const real *__restrict__ d_h, real *sum)
{
    __align__(16) real tap[LAB07_TAPS];
    __align__(16) real x[WINDOW];
#pragma unroll
    for (int k = 0; k < LAB07_TAPS; k += VECTOR_SIZE) {
        *(vector *)&tap[k] = *(const vector *)&d_h[k];
    }
#pragma unroll
    for (int j = 0; j < WINDOW; j += VECTOR_SIZE) {
        *(vector *)&x[j] = *(const vector *)&s_x[threadIdx.x * PITCH + place(j)];
    }
#pragma unroll
    for (int j = 0; j < OUTPUTS; j++) {
        sum[j] = 0;
#pragma unroll
        for (int k = 0; k < LAB07_TAPS; k++) {
            sum[j] += tap[k] * x[LAB07_TAPS + j - k];
        }
    }
}

/* One vector per thread at a time: neighboring threads store neighboring vectors. At the end of y, one by one. */
static __device__ void store_tile(const real *s_y, real *d_y, int outputs, int first)
{
    const int lane = threadIdx.x * VECTOR_SIZE;
    if (first + TILE <= outputs) {
#pragma unroll
        for (int j = 0; j < TILE; j += THREADS * VECTOR_SIZE) {
            *(vector *)&d_y[first + j + lane] = *(const vector *)&s_y[place(j + lane)];
        }
    } else {
        for (int j = threadIdx.x; j < TILE && first + j < outputs; j += THREADS) {
            d_y[first + j] = s_y[place(j)];
        }
    }
}

__global__ void convolve(const real *__restrict__ d_x, int n, const real *__restrict__ d_h,
                         real *__restrict__ d_y)
{
    __shared__ __align__(16) real s_x[PLACES];
    __align__(16) real sum[OUTPUTS];
    const int first = blockIdx.x * TILE;
    load_tile(d_x, n, first - LAB07_TAPS, s_x);
    __syncthreads();
    add_up(s_x, d_h, sum);
    __syncthreads(); /* all windows have been read: the sums may overwrite them */
#pragma unroll
    for (int j = 0; j < OUTPUTS; j += VECTOR_SIZE) {
        *(vector *)&s_x[threadIdx.x * PITCH + j] = *(const vector *)&sum[j];
    }
    __syncthreads();
    store_tile(s_x, d_y, n + LAB07_TAPS - 1, first);
}

void lab07_convolve(const real *d_x, int n, const real *d_h, real *d_y)
{
    if (n == 0) {
        return;
    }
    if (UNUSED_SHARED > 0) {
        CHECK(cudaFuncSetAttribute(convolve, cudaFuncAttributeMaxDynamicSharedMemorySize, UNUSED_SHARED));
    }
    convolve<<<(n + LAB07_TAPS - 1 + TILE - 1) / TILE, THREADS, UNUSED_SHARED>>>(d_x, n, d_h, d_y);
    CHECK(cudaGetLastError());
}
