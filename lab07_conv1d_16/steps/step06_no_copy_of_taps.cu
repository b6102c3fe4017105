/*
 * Lab 07, step 06: no copy of the taps, only the kernel; two groups of outputs per thread.
 *
 * The change: the copy of the taps into constant memory is a separate operation on the GPU, which waits for the kernel
 * before it and makes the kernel after it wait. It costs a few us, about as long as the work itself takes for a
 * million elements. So each thread loads the 16 taps into registers itself, by vectors; once the first warp has loaded
 * them, they are in L1. That is 4 more loads per thread. To spread their cost over more outputs, a thread computes two
 * groups of 4; the second lies a whole block's width after the first, so that neighboring threads still read
 * neighboring vectors, and more loads are in flight. Expected: the speed of a copy, even for small n.
 */
#include "common/check.h"
#include "lab07.h"

#ifdef REAL_DOUBLE
typedef double2 vector;
#else
typedef float4 vector;
#endif
#define VECTOR_SIZE ((int)(sizeof(vector) / sizeof(real)))

#define THREADS 256
#define OUTPUTS VECTOR_SIZE /* per group: 4, or 2 in double */
#define GROUPS  2           /* per thread */
#define WINDOW  (LAB07_TAPS + OUTPUTS)
#define STRIDE  (THREADS * OUTPUTS) /* from a thread's group to its next */

/* window[j] = x[first - 16 + j], 0 outside of x. */
static __device__ void load_window(const real *d_x, int n, int first, real *window)
{
    if (first >= LAB07_TAPS && first + OUTPUTS <= n) {
#pragma unroll
        for (int j = 0; j < WINDOW; j += VECTOR_SIZE) {
            *(vector *)&window[j] = *(const vector *)&d_x[first - LAB07_TAPS + j];
        }
    } else {
#pragma unroll
        for (int j = 0; j < WINDOW; j++) {
            const int from = first - LAB07_TAPS + j;
            window[j] = from >= 0 && from < n ? d_x[from] : 0;
        }
    }
}

static __device__ void store_outputs(const real *sum, real *d_y, int outputs, int first)
{
    if (first + OUTPUTS <= outputs) {
#pragma unroll
        for (int j = 0; j < OUTPUTS; j += VECTOR_SIZE) {
            *(vector *)&d_y[first + j] = *(const vector *)&sum[j];
        }
    } else {
#pragma unroll
        for (int j = 0; j < OUTPUTS; j++) {
            if (first + j < outputs) {
                d_y[first + j] = sum[j];
            }
        }
    }
}

/* __restrict__: d_y does not overlap the others, so the compiler may move a load before a store. */
__global__ void convolve(const real *__restrict__ d_x, int n, const real *__restrict__ d_h,
                         real *__restrict__ d_y)
{
    __align__(16) real tap[LAB07_TAPS];
    __align__(16) real window[GROUPS][WINDOW];
    __align__(16) real sum[OUTPUTS];
    const int first = blockIdx.x * (GROUPS * STRIDE) + threadIdx.x * OUTPUTS;
    /* All loads come before the first use, so they are in flight together. */
#pragma unroll
    for (int k = 0; k < LAB07_TAPS; k += VECTOR_SIZE) {
        *(vector *)&tap[k] = *(const vector *)&d_h[k];
    }
#pragma unroll
    for (int group = 0; group < GROUPS; group++) {
        load_window(d_x, n, first + group * STRIDE, window[group]);
    }
#pragma unroll
    for (int group = 0; group < GROUPS; group++) {
#pragma unroll
        for (int j = 0; j < OUTPUTS; j++) {
            sum[j] = 0;
#pragma unroll
            for (int k = 0; k < LAB07_TAPS; k++) {
                sum[j] += tap[k] * window[group][LAB07_TAPS + j - k];
            }
        }
        store_outputs(sum, d_y, n + LAB07_TAPS - 1, first + group * STRIDE);
    }
}

void lab07_convolve(const real *d_x, int n, const real *d_h, real *d_y)
{
    if (n == 0) {
        return;
    }
    const int outputs = n + LAB07_TAPS - 1;
    const int of_block = GROUPS * STRIDE;
    convolve<<<(outputs + of_block - 1) / of_block, THREADS>>>(d_x, n, d_h, d_y);
    CHECK(cudaGetLastError());
}
