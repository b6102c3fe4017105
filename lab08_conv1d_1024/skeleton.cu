/*
 * Lab 08, a convolution with 1024 taps: bound by arithmetic.
 *
 * What counts now is that nearly every instruction is a multiply-add, and that its operands are in
 * registers.
 *
 *   data      a block's tile of x, with its halo of 1024 elements, in shared memory
 *   outputs   28 of them for each thread, in registers
 *   window    the elements that these need at the moment, in registers: a ring of 32 places. One vector is
 *             loaded for every 4 taps, and used for 112 multiply-adds
 *   taps      from constant memory, the same for all threads
 *
 * (In double all of these numbers are half as large.)
 */
#include "common/check.h"
#include "lab08.h"

/* 16 bytes that one instruction loads or stores: the widest there is. */
#ifdef REAL_DOUBLE
typedef double2 vector;
#else
typedef float4 vector;
#endif
#define VECTOR_SIZE ((int)(sizeof(vector) / sizeof(real)))

#define THREADS 128
#define OUTPUTS (7 * VECTOR_SIZE) /* of a thread: an odd number of vectors, for the banks' sake */
#define RING    (8 * VECTOR_SIZE) /* places of the window; divides 1024 */
#define TILE    (LAB08_TAPS + THREADS * OUTPUTS)

__constant__ real c_h[LAB08_TAPS];

/*
 * s_x[j] = x[first - 1024 + j], 0 where x has nothing, for the whole tile: the halo, then the elements with
 * the same numbers as the block's outputs. All threads of the block load it together.
 */
__device__ void load_tile(const real *d_x, int n, int first, real *s_x)
{
    const int from = first - LAB08_TAPS; /* of s_x[0]; a multiple of a vector */
    if (from >= 0 && from + TILE <= n) {
        for (int j = threadIdx.x * VECTOR_SIZE; j < TILE; j += THREADS * VECTOR_SIZE) {
            *(vector *)&s_x[j] = *(const vector *)&d_x[from + j];
        }
    } else {
        // TODO 1: The tile reaches over an end of x: the same element by element, with zeros.
        // end of TODO 1
    }
}

/* Writes sum[0 .. OUTPUTS - 1] to d_y[i ...]; `outputs` is the first output that does not exist. */
__device__ void store_outputs(const real *sum, real *d_y, int outputs, int i)
{
    if (i + OUTPUTS <= outputs) {
#pragma unroll
        for (int j = 0; j < OUTPUTS; j += VECTOR_SIZE) {
            *(vector *)&d_y[i + j] = *(const vector *)&sum[j];
        }
    } else {
        // TODO 2: Write those that exist, one by one.
        // end of TODO 2
    }
}

/*
 * The ring: x[i + j], where i is this thread's first output, lies in ring[j modulo RING]; j goes down to
 * -1023. OUTPUTS + VECTOR_SIZE - 1 of them are needed at a time, so there is a place for each, and none has
 * to move. In the turn that begins at tap k, everything is as if k were 0: i then stands for i - k. The loop
 * over a whole turn is unrolled, so that the compiler knows every index; your loops must be, too.
 */
__device__ void add_taps(const real *ring, int k, int t, real *sum)
{
    // TODO 3: For the taps u = t .. t + VECTOR_SIZE - 1 of this turn and all outputs j: add c_h[k + u] times
    // x[i + j - u], from the ring, to sum[j].
    // end of TODO 3
}

__global__ void convolve(const real *d_x, int n, real *d_y)
{
    __shared__ __align__(16) real s_x[TILE];
    __align__(16) real ring[RING];
    __align__(16) real sum[OUTPUTS];
    const int first = blockIdx.x * (THREADS * OUTPUTS);
    const real *mine = &s_x[LAB08_TAPS + threadIdx.x * OUTPUTS]; /* the element beside my first output */
    // TODO 4: Load the tile, let the block wait for it, and set sum[] to 0.
    // end of TODO 4
#pragma unroll
    for (int j = 0; j < OUTPUTS; j += VECTOR_SIZE) {
        *(vector *)&ring[j] = *(const vector *)&mine[j];
    }
#pragma unroll 1
    for (int k = 0; k < LAB08_TAPS; k += RING) {
#pragma unroll
        for (int t = 0; t < RING; t += VECTOR_SIZE) {
            /* The next vector to the left; its places in the ring are free. */
            *(vector *)&ring[RING - VECTOR_SIZE - t] = *(const vector *)&mine[-VECTOR_SIZE - t];
            add_taps(ring, k, t, sum);
        }
        mine -= RING; /* the next turn: `mine` now stands beside x[i - k] */
    }
    store_outputs(sum, d_y, n + LAB08_TAPS - 1, first + threadIdx.x * OUTPUTS);
}

void lab08_convolve(const real *d_x, int n, const real *d_h, real *d_y)
{
    if (n == 0) {
        return;
    }
    // TODO 5: Copy the taps into c_h, from device to device. Launch enough blocks for n + 1023 outputs.
    // CHECK both.
    // end of TODO 5
}
