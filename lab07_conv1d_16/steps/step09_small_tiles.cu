/*
 * Lab 07, step 09: small tiles in shared memory, back on the main path.
 *
 * The change: on a GPU with faster memory (an H200: 1.4 times as fast, with the same SMs) step 06 is slower than the
 * copy. A block waits for elements, computes, and stores, and while it computes it requests nothing. Memory stays busy
 * only if the blocks of an SM do these things at different times: many small blocks are better than a few large ones.
 * Besides, a window takes 20 registers per group, and five threads load each vector, four of them from L1. So this
 * step has blocks of two warps; a tile in shared memory, as in step 03, but loaded and read by vectors, each element
 * once from L1; and one window after another, so that there are registers for 14 blocks per SM. Expected: the copy's
 * speed on both GPUs.
 */
#include "common/check.h"
#include "lab07.h"

#ifdef REAL_DOUBLE
typedef double2 vector;
#else
typedef float4 vector;
#endif
#define VECTOR_SIZE ((int)(sizeof(vector) / sizeof(real)))

#define THREADS       64
#define BLOCKS_PER_SM 14
#define OUTPUTS       VECTOR_SIZE        /* per group: 4, or 2 in double */
#define GROUPS        (12 / VECTOR_SIZE) /* per thread: 3, or 6 */
#define WINDOW        (LAB07_TAPS + OUTPUTS)
#define STRIDE        (THREADS * OUTPUTS) /* from a thread's group to its next */
#define TILE          (GROUPS * STRIDE)   /* outputs per block: 768 */
#define ELEMENTS      (LAB07_TAPS + TILE) /* of x that a tile needs, rounded up to whole vectors */

/* s_x[j] = x[from + j], 0 outside of x; `from` is a multiple of a vector. */
static __device__ void load_tile(const real *__restrict__ d_x, int n, int from, real *s_x)
{
    const int at = threadIdx.x * VECTOR_SIZE;
    if (from >= 0 && from + ELEMENTS <= n) {
        /* No condition here, so all of a thread's loads are in flight before the first result is stored. */
#pragma unroll
        for (int group = 0; group < GROUPS; group++) {
            *(vector *)&s_x[group * STRIDE + at] = *(const vector *)&d_x[from + group * STRIDE + at];
        }
        if (at < LAB07_TAPS) {
            *(vector *)&s_x[TILE + at] = *(const vector *)&d_x[from + TILE + at];
        }
    } else {
        for (int j = threadIdx.x; j < ELEMENTS; j += THREADS) {
            s_x[j] = from + j >= 0 && from + j < n ? d_x[from + j] : 0;
        }
    }
}

static __device__ void store_outputs(const real *sum, real *d_y, int outputs, int first)
{
    if (first + OUTPUTS <= outputs) {
        *(vector *)&d_y[first] = *(const vector *)sum;
    } else {
#pragma unroll
        for (int j = 0; j < OUTPUTS; j++) {
            if (first + j < outputs) {
                d_y[first + j] = sum[j];
            }
        }
    }
}

__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    convolve(const real *__restrict__ d_x, int n, const real *__restrict__ d_h, real *__restrict__ d_y)
{
    __shared__ __align__(16) real s_x[ELEMENTS];
    __align__(16) real tap[LAB07_TAPS];
#pragma unroll
    for (int k = 0; k < LAB07_TAPS; k += VECTOR_SIZE) {
        *(vector *)&tap[k] = *(const vector *)&d_h[k];
    }
    load_tile(d_x, n, blockIdx.x * TILE - LAB07_TAPS, s_x);
    __syncthreads();
#pragma unroll
    for (int group = 0; group < GROUPS; group++) {
        __align__(16) real window[WINDOW];
        __align__(16) real sum[OUTPUTS];
        const int at = group * STRIDE + threadIdx.x * OUTPUTS; /* in the tile */
#pragma unroll
        for (int j = 0; j < WINDOW; j += VECTOR_SIZE) {
            *(vector *)&window[j] = *(const vector *)&s_x[at + j];
        }
#pragma unroll
        for (int j = 0; j < OUTPUTS; j++) {
            sum[j] = 0;
#pragma unroll
            for (int k = 0; k < LAB07_TAPS; k++) {
                sum[j] += tap[k] * window[LAB07_TAPS + j - k];
            }
        }
        store_outputs(sum, d_y, n + LAB07_TAPS - 1, blockIdx.x * TILE + at);
    }
}

void lab07_convolve(const real *d_x, int n, const real *d_h, real *d_y)
{
    if (n == 0) {
        return;
    }
    convolve<<<(n + LAB07_TAPS - 1 + TILE - 1) / TILE, THREADS>>>(d_x, n, d_h, d_y);
    CHECK(cudaGetLastError());
}
