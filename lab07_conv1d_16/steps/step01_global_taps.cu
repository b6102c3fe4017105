/*
 * Lab 07, step 01: one output per thread, straight from the formula; the taps lie in global memory.
 *
 * The change: none yet. Expected: each output reads 16 elements and 16 taps, 128 bytes for 8 that have to
 * move. L1 answers nearly all of them, but that makes 32 requests per store: far from the roof.
 */
#include "common/check.h"
#include "lab07.h"

#define THREADS 256

__global__ void convolve(const real *d_x, int n, const real *d_h, real *d_y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n + LAB07_TAPS - 1) {
        return;
    }
    real sum = 0;
    for (int k = 0; k < LAB07_TAPS; k++) {
        const int j = i - k;
        if (j >= 0 && j < n) {
            sum += d_h[k] * d_x[j];
        }
    }
    d_y[i] = sum;
}

void lab07_convolve(const real *d_x, int n, const real *d_h, real *d_y)
{
    if (n == 0) {
        return;
    }
    const int outputs = n + LAB07_TAPS - 1;
    convolve<<<(outputs + THREADS - 1) / THREADS, THREADS>>>(d_x, n, d_h, d_y);
    CHECK(cudaGetLastError());
}
