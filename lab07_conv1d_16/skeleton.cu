/*
 * Lab 07, a convolution with 16 taps: bound by memory. Four stages do the same work in four ways.
 *
 *     (a) naive     each thread reads 16 elements and 16 taps from global memory
 *     (b) tile      a block loads its elements into shared memory once; the taps lie in constant memory
 *     (c) window    a thread computes four neighboring outputs from elements that it keeps in registers
 *     (d) vectors   the same, with loads and stores of 16 bytes, at the speed of a copy
 *     (e) optional  two dimensions: a tile with a halo on two sides
 */
#include "common/check.h"
#include "lab07.h"

#define THREADS 256              /* per block, unless the caller chooses */
#define HALO    (LAB07_TAPS - 1) /* elements before the first output's own */

/* ---- (a) one output per thread ------------------------------------------------------------------------- */

__global__ void convolve_naive(const real *d_x, int n, const real *d_h, real *d_y)
{
    // TODO 1: This thread computes output i of n + 15; if there is no such output, it returns. Add up tap k times
    // x[i - k] for those of the 16 elements that exist: i - k may be negative, or n or more. Store the sum.
    // end of TODO 1
}

void lab07_convolve_naive(const real *d_x, int n, const real *d_h, real *d_y)
{
    // TODO 2: If n is 0, return without a launch. Otherwise launch blocks of THREADS threads, enough for n + 15
    // outputs (round up). CHECK(cudaGetLastError()) after the launch.
    // end of TODO 2
}

/* ---- (b) a tile with its halo in shared memory, taps in constant memory -------------------------------- */

/*
 * Constant memory: 64 KB that kernels can only read. When all threads of a warp read the same address at
 * the same time, one instruction serves the whole warp.
 */
__constant__ real c_h[LAB07_TAPS];

/* s_x[j] = x[first - HALO + j], where `first` is the block's first output: the halo, then its own elements. */
extern __shared__ real s_x[];

__device__ void load_tile(const real *d_x, int n, int first)
{
    // TODO 3: The block's threads together fill the HALO + blockDim.x slots of s_x, with 0 for elements that do not
    // exist. There are more slots than threads: thread t fills slots t, t + blockDim.x, ...
    // end of TODO 3
}

__global__ void convolve_tile(const real *d_x, int n, real *d_y)
{
    const int first = blockIdx.x * blockDim.x;
    load_tile(d_x, n, first);
    // TODO 4: Wait until the whole tile is loaded, then compute this thread's output from s_x and c_h. Where in
    // s_x is x[i - k]? Store the sum if there is such an output. No thread may return before the barrier.
    // end of TODO 4
}

void lab07_convolve_tile(const real *d_x, int n, const real *d_h, real *d_y, int threads)
{
    // TODO 5: Return if n is 0. Copy the taps from d_h into c_h, from device to device, with
    // cudaMemcpyToSymbolAsync; then launch blocks of `threads` threads, as many as n + 15 outputs need, with as
    // many bytes of shared memory as a tile takes. CHECK both.
    // end of TODO 5
}

/* ---- (c) a window in registers ------------------------------------------------------------------------- */

#define NEIGHBORS 4 /* outputs per thread */

/*
 * A thread computes outputs first ... first + NEIGHBORS - 1 from window[j] = x[first - HALO + j], its own array.
 * Such an array is kept in registers only if every index is known when the kernel is compiled. It is known
 * when all loops are unrolled: put "#pragma unroll" in front of each of them.
 */
__global__ void convolve_window(const real *d_x, int n, real *d_y)
{
    // TODO 6: Which output is the thread's first? Fill its window from global memory, with 0 for elements that do
    // not exist. Then, for each of its outputs, add up the 16 products and store the sum if the output exists.
    // end of TODO 6
}

void lab07_convolve_window(const real *d_x, int n, const real *d_h, real *d_y)
{
    // TODO 7: As in TODO 5, but now a block of THREADS threads computes THREADS * NEIGHBORS outputs, and it needs
    // no shared memory.
    // end of TODO 7
}

/* ---- (d) loads and stores of 16 bytes ------------------------------------------------------------------ */

/* 16 bytes, which one instruction can load or store. */
#ifdef REAL_DOUBLE
typedef double2 vector;
#else
typedef float4 vector;
#endif
#define VECTOR_SIZE ((int)(sizeof(vector) / sizeof(real)))

#define OUTPUTS VECTOR_SIZE            /* per thread: 4, or 2 in double */
#define WINDOW  (LAB07_TAPS + OUTPUTS) /* elements: one more than needed, to make whole vectors */

/*
 * Fills window[j] = x[first - 16 + j]. `first` is a multiple of OUTPUTS, so that whole vectors lie at
 * multiples of 16 bytes. A vector is loaded as  *(vector *)&window[j] = *(const vector *)&d_x[...].
 */
__device__ void load_window(const real *d_x, int n, int first, real *window)
{
    // TODO 8: If the whole window lies within x, load it by vectors. Otherwise load it element by element, with 0
    // for those that do not exist. Unroll both loops.
    // end of TODO 8
}

/* Writes sum[0 .. OUTPUTS - 1] to d_y[first ...]; d_y has `outputs` elements. */
__device__ void store_outputs(const real *sum, real *d_y, int outputs, int first)
{
    // TODO 9: If all OUTPUTS outputs exist, store them as a vector. Otherwise store those that exist, one by one.
    // end of TODO 9
}

__global__ void convolve(const real *d_x, int n, real *d_y)
{
    __align__(16) real window[WINDOW]; /* aligned, so that vectors can be stored to it */
    __align__(16) real sum[OUTPUTS];
    const int first = (blockIdx.x * THREADS + threadIdx.x) * OUTPUTS;
    load_window(d_x, n, first, window);
    // TODO 10: Compute sum[0 .. OUTPUTS - 1] as in TODO 6. This window begins one element earlier: which of its
    // elements is x[first + j - k]?
    // end of TODO 10
    store_outputs(sum, d_y, n + LAB07_TAPS - 1, first);
}

void lab07_convolve(const real *d_x, int n, const real *d_h, real *d_y)
{
    // TODO 11: As in TODO 7, with OUTPUTS outputs per thread.
    // end of TODO 11
}

/* ---- (e), optional: two dimensions --------------------------------------------------------------------- */

#define ROWS    8                /* of outputs per block */
#define COLUMNS 32               /* of outputs per block: a warp has one row */
#define REACH   (LAB07_SIDE - 1) /* rows above and columns to the left in the halo */

__constant__ real c_h2[LAB07_SIDE][LAB07_SIDE];

/*
 * The block's first output is (row, column), and tile[i][j] = x[row - REACH + i][column - REACH + j], 0 outside of x;
 * it has REACH + ROWS rows of REACH + COLUMNS elements. y has height + REACH rows of width + REACH elements.
 */
__global__ void convolve_2d(const real *d_x, int height, int width, real *d_y)
{
    // TODO 12: Load the tile in two loops, over i from threadIdx.y in steps of ROWS, and over j from threadIdx.x
    // in steps of COLUMNS. Then compute output (row + threadIdx.y, column + threadIdx.x); store it if it exists.
    // end of TODO 12
}

void lab07_convolve_2d(const real *d_x, int height, int width, const real *d_h, real *d_y)
{
    // TODO 13: As in TODO 5, with a two-dimensional grid (x for columns, y for rows) and blocks of dim3(COLUMNS, ROWS).
    // There are no outputs if height or width is 0.
    // end of TODO 13
}
