/*
 * Lab 07, step 03: a tile of x with its halo in shared memory.
 *
 * The change: a block needs only 256 + 15 elements for its 256 outputs, instead of 16 times 256. Its threads
 * load them once, together, and then read them from shared memory. Expected: one load from global memory per
 * output instead of 16; but shared memory now answers as many reads as L1 did, at the same rate, so there is
 * little gain on a GPU whose L1 and shared memory are the same hardware.
 */
#include "common/check.h"
#include "lab07.h"

#define THREADS 256
#define HALO    (LAB07_TAPS - 1)

__constant__ real c_h[LAB07_TAPS];

__global__ void convolve(const real *d_x, int n, real *d_y)
{
    /* s_x[j] is x[first - HALO + j]: the halo, the 15 elements before the block's own, comes first. */
    __shared__ real s_x[HALO + THREADS];
    const int first = blockIdx.x * THREADS;
    for (int j = threadIdx.x; j < HALO + THREADS; j += THREADS) {
        const int from = first - HALO + j;
        s_x[j] = from >= 0 && from < n ? d_x[from] : 0;
    }
    __syncthreads();
    const int i = first + threadIdx.x;
    real sum = 0;
#pragma unroll
    for (int k = 0; k < LAB07_TAPS; k++) {
        sum += c_h[k] * s_x[HALO + threadIdx.x - k];
    }
    if (i < n + LAB07_TAPS - 1) {
        d_y[i] = sum;
    }
}

void lab07_convolve(const real *d_x, int n, const real *d_h, real *d_y)
{
    if (n == 0) {
        return;
    }
    CHECK(cudaMemcpyToSymbolAsync(c_h, d_h, sizeof(c_h), 0, cudaMemcpyDeviceToDevice));
    const int outputs = n + LAB07_TAPS - 1;
    convolve<<<(outputs + THREADS - 1) / THREADS, THREADS>>>(d_x, n, d_y);
    CHECK(cudaGetLastError());
}
