/*
 * Lab 07, step 05: 128-bit loads and stores.
 *
 * The change: a thread's window begins at a multiple of four elements, so it can be loaded as whole vectors of
 * 16 bytes: 5 loads for 4 outputs instead of 19, and neighboring threads read neighboring vectors. One store for 4
 * outputs. At the ends of x and y, elements are loaded and outputs stored one by one. Expected: the kernel runs as
 * fast as memory can be copied.
 */
#include "common/check.h"
#include "lab07.h"

/* 16 bytes, which one instruction can load or store. */
#ifdef REAL_DOUBLE
typedef double2 vector;
#else
typedef float4 vector;
#endif
#define VECTOR_SIZE ((int)(sizeof(vector) / sizeof(real)))

#define THREADS 256
#define OUTPUTS VECTOR_SIZE /* per thread: 4, or 2 in double */
#define WINDOW  (LAB07_TAPS + OUTPUTS)

__constant__ real c_h[LAB07_TAPS];

__global__ void convolve(const real *d_x, int n, real *d_y)
{
    const int first = (blockIdx.x * THREADS + threadIdx.x) * OUTPUTS;
    const int outputs = n + LAB07_TAPS - 1;
    __align__(16) real window[WINDOW]; /* window[j] = x[first - 16 + j] */
    __align__(16) real sum[OUTPUTS];
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
#pragma unroll
    for (int j = 0; j < OUTPUTS; j++) {
        sum[j] = 0;
#pragma unroll
        for (int k = 0; k < LAB07_TAPS; k++) {
            sum[j] += c_h[k] * window[LAB07_TAPS + j - k];
        }
    }
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
