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
    // end of TODO 1
}

void lab07_convolve_naive(const real *d_x, int n, const real *d_h, real *d_y)
{
    // TODO 2: If n is 0, return without a launch. Otherwise launch blocks of THREADS threads, enough for n + 15
    // outputs (round up). CHECK(cudaGetLastError()) after the launch.
    if (n == 0) {
        return;
    }
    const int outputs = n + LAB07_TAPS - 1;
    convolve_naive<<<(outputs + THREADS - 1) / THREADS, THREADS>>>(d_x, n, d_h, d_y);
    CHECK(cudaGetLastError());
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
    for (int j = threadIdx.x; j < HALO + blockDim.x; j += blockDim.x) {
        const int from = first - HALO + j;
        s_x[j] = from >= 0 && from < n ? d_x[from] : 0;
    }
    // end of TODO 3
}

__global__ void convolve_tile(const real *d_x, int n, real *d_y)
{
    const int first = blockIdx.x * blockDim.x;
    load_tile(d_x, n, first);
    // TODO 4: Wait until the whole tile is loaded, then compute this thread's output from s_x and c_h. Where in
    // s_x is x[i - k]? Store the sum if there is such an output. No thread may return before the barrier.
    __syncthreads();
    real sum = 0;
#pragma unroll
    for (int k = 0; k < LAB07_TAPS; k++) {
        sum += c_h[k] * s_x[HALO + threadIdx.x - k];
    }
    const int i = first + threadIdx.x;
    if (i < n + LAB07_TAPS - 1) {
        d_y[i] = sum;
    }
    // end of TODO 4
}

void lab07_convolve_tile(const real *d_x, int n, const real *d_h, real *d_y, int threads)
{
    // TODO 5: Return if n is 0. Copy the taps from d_h into c_h, from device to device, with
    // cudaMemcpyToSymbolAsync; then launch blocks of `threads` threads, as many as n + 15 outputs need, with as
    // many bytes of shared memory as a tile takes. CHECK both.
    if (n == 0) {
        return;
    }
    CHECK(cudaMemcpyToSymbolAsync(c_h, d_h, sizeof(c_h), 0, cudaMemcpyDeviceToDevice));
    const int outputs = n + LAB07_TAPS - 1;
    const size_t bytes = (HALO + threads) * sizeof(real);
    convolve_tile<<<(outputs + threads - 1) / threads, threads, bytes>>>(d_x, n, d_y);
    CHECK(cudaGetLastError());
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
    const int first = (blockIdx.x * THREADS + threadIdx.x) * NEIGHBORS;
    real window[HALO + NEIGHBORS];
#pragma unroll
    for (int j = 0; j < HALO + NEIGHBORS; j++) {
        const int from = first - HALO + j;
        window[j] = from >= 0 && from < n ? d_x[from] : 0;
    }
#pragma unroll
    for (int j = 0; j < NEIGHBORS; j++) {
        real sum = 0;
#pragma unroll
        for (int k = 0; k < LAB07_TAPS; k++) {
            sum += c_h[k] * window[HALO + j - k];
        }
        if (first + j < n + LAB07_TAPS - 1) {
            d_y[first + j] = sum;
        }
    }
    // end of TODO 6
}

void lab07_convolve_window(const real *d_x, int n, const real *d_h, real *d_y)
{
    // TODO 7: As in TODO 5, but now a block of THREADS threads computes THREADS * NEIGHBORS outputs, and it needs
    // no shared memory.
    if (n == 0) {
        return;
    }
    CHECK(cudaMemcpyToSymbolAsync(c_h, d_h, sizeof(c_h), 0, cudaMemcpyDeviceToDevice));
    const int outputs = n + LAB07_TAPS - 1;
    const int per_block = THREADS * NEIGHBORS;
    convolve_window<<<(outputs + per_block - 1) / per_block, THREADS>>>(d_x, n, d_y);
    CHECK(cudaGetLastError());
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
    // end of TODO 8
}

/* Writes sum[0 .. OUTPUTS - 1] to d_y[first ...]; d_y has `outputs` elements. */
__device__ void store_outputs(const real *sum, real *d_y, int outputs, int first)
{
    // TODO 9: If all OUTPUTS outputs exist, store them as a vector. Otherwise store those that exist, one by one.
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
#pragma unroll
    for (int j = 0; j < OUTPUTS; j++) {
        sum[j] = 0;
#pragma unroll
        for (int k = 0; k < LAB07_TAPS; k++) {
            sum[j] += c_h[k] * window[LAB07_TAPS + j - k];
        }
    }
    // end of TODO 10
    store_outputs(sum, d_y, n + LAB07_TAPS - 1, first);
}

void lab07_convolve(const real *d_x, int n, const real *d_h, real *d_y)
{
    // TODO 11: As in TODO 7, with OUTPUTS outputs per thread.
    if (n == 0) {
        return;
    }
    CHECK(cudaMemcpyToSymbolAsync(c_h, d_h, sizeof(c_h), 0, cudaMemcpyDeviceToDevice));
    const int outputs = n + LAB07_TAPS - 1;
    const int per_block = THREADS * OUTPUTS;
    convolve<<<(outputs + per_block - 1) / per_block, THREADS>>>(d_x, n, d_y);
    CHECK(cudaGetLastError());
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
    __shared__ real tile[REACH + ROWS][REACH + COLUMNS];
    const int row = blockIdx.y * ROWS, column = blockIdx.x * COLUMNS;
    for (int i = threadIdx.y; i < REACH + ROWS; i += ROWS) {
        for (int j = threadIdx.x; j < REACH + COLUMNS; j += COLUMNS) {
            const int r = row - REACH + i, c = column - REACH + j;
            const bool inside = r >= 0 && r < height && c >= 0 && c < width;
            tile[i][j] = inside ? d_x[r * width + c] : 0;
        }
    }
    __syncthreads();
    real sum = 0;
#pragma unroll
    for (int i = 0; i < LAB07_SIDE; i++) {
#pragma unroll
        for (int j = 0; j < LAB07_SIDE; j++) {
            sum += c_h2[i][j] * tile[REACH + threadIdx.y - i][REACH + threadIdx.x - j];
        }
    }
    const int r = row + threadIdx.y, c = column + threadIdx.x;
    if (r < height + REACH && c < width + REACH) {
        d_y[r * (width + REACH) + c] = sum;
    }
    // end of TODO 12
}

void lab07_convolve_2d(const real *d_x, int height, int width, const real *d_h, real *d_y)
{
    // TODO 13: As in TODO 5, with a two-dimensional grid (x for columns, y for rows) and blocks of dim3(COLUMNS, ROWS).
    // There are no outputs if height or width is 0.
    if (height == 0 || width == 0) {
        return;
    }
    CHECK(cudaMemcpyToSymbolAsync(c_h2, d_h, sizeof(c_h2), 0, cudaMemcpyDeviceToDevice));
    const int across = (width + REACH + COLUMNS - 1) / COLUMNS, down = (height + REACH + ROWS - 1) / ROWS;
    convolve_2d<<<dim3(across, down), dim3(COLUMNS, ROWS)>>>(d_x, height, width, d_y);
    CHECK(cudaGetLastError());
    // end of TODO 13
}
