/*
 * Lab 07, a convolution with 16 taps: bound by memory.
 *
 * Each output needs 16 multiply-adds and 16 elements, 15 of which its neighbour needs as well. So a thread
 * makes four neighbouring outputs: it loads the 20 elements that these need into registers, its window, by
 * vectors of 16 bytes, and the taps come from constant memory. (In double a vector is two numbers, and a
 * thread makes two outputs.)
 *
 *     x        ... 12 13 14 15 | 16 17 18 19 | 20 21 ...
 *     window    [0 .......... 15   16 17 18 19]            of the thread whose first output is y[16]
 *                |           |    y[16] ... y[19]
 *                x[0]        x[15]
 */
#include "common/check.h"
#include "lab07.h"

/* 16 bytes that one instruction loads or stores: the widest there is. */
#ifdef REAL_DOUBLE
typedef double2 vector;
#else
typedef float4 vector;
#endif
#define VECTOR_SIZE ((int)(sizeof(vector) / sizeof(real)))

#define THREADS 256
#define OUTPUTS VECTOR_SIZE            /* of a thread: 4, or 2 in double */
#define WINDOW  (LAB07_TAPS + OUTPUTS) /* elements that it needs, rounded up to whole vectors */

/*
 * Constant memory: 64 KB that kernels only read. Where all threads of a warp read the same
 * address at the same time, it is as fast as a register.
 */
__constant__ real c_h[LAB07_TAPS];

/*
 * Fills window[j] = x[first - 16 + j]. `first` is a multiple of OUTPUTS, so that whole vectors lie at
 * multiples of 16 bytes. A vector is loaded as  *(vector *)&window[j] = *(const vector *)&d_x[...].
 */
__device__ void load_window(const real *d_x, int n, int first, real *window)
{
    if (first >= LAB07_TAPS && first + OUTPUTS <= n) {
        // TODO 1: The whole window lies within x: load it by vectors.
        // end of TODO 1
    } else {
        // TODO 2: It reaches over an end of x: element by element, 0 for what is not there.
        // end of TODO 2
    }
}

/* Writes sum[0 .. OUTPUTS - 1] to d_y[first ...]: as vectors, or one by one where the last output is among
 * them. */
__device__ void store_outputs(const real *sum, real *d_y, int outputs, int first)
{
    if (first + OUTPUTS <= outputs) {
#pragma unroll
        for (int j = 0; j < OUTPUTS; j += VECTOR_SIZE) {
            *(vector *)&d_y[first + j] = *(const vector *)&sum[j];
        }
    } else {
        // TODO 3: Write those that exist, one by one: output `outputs` is the first that does not.
        // end of TODO 3
    }
}

/*
 * Arrays in a thread lie in registers only if every index is known when the kernel is compiled. The compiler
 * knows it when the loops are unrolled: "#pragma unroll" in front of each of them. __align__(16) allows
 * vector loads and stores.
 */
__global__ void convolve(const real *d_x, int n, real *d_y)
{
    __align__(16) real window[WINDOW];
    __align__(16) real sum[OUTPUTS];
    const int first = (blockIdx.x * THREADS + threadIdx.x) * OUTPUTS;
    load_window(d_x, n, first, window);
#pragma unroll
    for (int j = 0; j < OUTPUTS; j++) {
        sum[j] = 0;
        // TODO 4: Add up output first + j: 16 taps c_h[k], each times the element of the window that
        // lies k places to the left of x[first + j].
        // end of TODO 4
    }
    store_outputs(sum, d_y, n + LAB07_TAPS - 1, first);
}

void lab07_convolve(const real *d_x, int n, const real *d_h, real *d_y)
{
    if (n == 0) {
        return;
    }
    // TODO 5: Copy the taps from d_h into c_h: cudaMemcpyToSymbolAsync, from device to device. Launch enough
    // blocks of THREADS threads for n + 15 outputs, OUTPUTS for each thread. CHECK both.
    // end of TODO 5
}
