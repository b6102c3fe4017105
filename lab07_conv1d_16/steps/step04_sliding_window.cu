/*
 * Lab 07, step 04: four outputs per thread from a window in registers.
 *
 * The change: four neighboring outputs need 19 elements in all, which one thread loads once into
 * registers: fewer than 5 loads per output instead of 16, and no shared memory. Expected: a third of the
 * loads; but the threads of a warp now read addresses four elements apart, so each load touches four times
 * the sectors, and L1 has to serve them. Little gain before step 05.
 */
#include "common/check.h"
#include "lab07.h"

#define THREADS 256
#define OUTPUTS 4 /* per thread */
#define WINDOW  (LAB07_TAPS + OUTPUTS)

__constant__ real c_h[LAB07_TAPS];

__global__ void convolve(const real *d_x, int n, real *d_y)
{
    const int first = (blockIdx.x * THREADS + threadIdx.x) * OUTPUTS;
    real window[WINDOW]; /* window[j] = x[first - 16 + j] */
#pragma unroll
    for (int j = 0; j < WINDOW; j++) {
        const int from = first - LAB07_TAPS + j;
        window[j] = from >= 0 && from < n ? d_x[from] : 0;
    }
    /* All indices are constants when the loops are unrolled, so window is kept in registers. */
#pragma unroll
    for (int j = 0; j < OUTPUTS; j++) {
        real sum = 0;
#pragma unroll
        for (int k = 0; k < LAB07_TAPS; k++) {
            sum += c_h[k] * window[LAB07_TAPS + j - k];
        }
        if (first + j < n + LAB07_TAPS - 1) {
            d_y[first + j] = sum;
        }
    }
}

void lab07_convolve(const real *d_x, int n, const real *d_h, real *d_y)
{
    if (n == 0) {
        return;
    }
    CHECK(cudaMemcpyToSymbolAsync(c_h, d_h, sizeof(c_h), 0, cudaMemcpyDeviceToDevice));
    const int outputs = n + LAB07_TAPS - 1;
    const int of_block = THREADS * OUTPUTS;
    convolve<<<(outputs + of_block - 1) / of_block, THREADS>>>(d_x, n, d_y);
    CHECK(cudaGetLastError());
}
