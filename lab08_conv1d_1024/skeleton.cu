/*
 * Lab 08, a convolution with 1024 taps: bound by arithmetic, in five stages.
 *
 *   (a) naive       one output per thread, straight from global memory; the taps from constant memory
 *   (b) tile        elements and taps in shared memory, 128 taps at a time
 *   (c) registers   12 outputs per thread; each number from shared memory is used 12 times
 *       vectors     16 outputs per thread, loaded by vectors without bank conflicts
 *   (d) ring        28 outputs per thread, loaded by vectors without bank conflicts; the window stays in place
 *   (e) in order    as (d), but neighboring threads store neighboring outputs
 *
 * Each stage has its own function, is graded by itself, and may use the functions of the stages before
 * it.
 */
#include "common/check.h"
#include "lab08.h"

#define THREADS 128 /* per block, in all stages */

__constant__ real c_h[LAB08_TAPS]; /* the taps; (b) keeps them in shared memory instead */

/* ---- (a) one output per thread ------------------------------------------------------------------------- */

/* One thread per output; c_h already holds the taps. */
__global__ void convolve_naive(const real *d_x, int n, real *d_y)
{
    // TODO 1: Which output is this thread's? Return if there is no such output. Add up its terms in a
    // register, but only those whose element exists. Store the sum.
    // end of TODO 1
}

void lab08_convolve_naive(const real *d_x, int n, const real *d_h, real *d_y)
{
    if (n == 0) {
        return;
    }
    // TODO 2: Copy the taps into c_h, from device to device, and launch one thread per output. CHECK
    // both.
    // end of TODO 2
}

/* ---- (b) in shared memory, one piece of the taps at a time --------------------------------------------- */

#define PIECE THREADS /* taps at a time; divides 1024 */

/*
 * s_x[j] = x[from + j] for j = 0 .. count - 1, and 0 where x has no such element: `from` may be negative.
 * All threads of the block call it together and share the work. It has no barrier: the caller waits
 * afterward.
 */
__device__ void load_elements(const real *d_x, int n, int from, int count, real *s_x)
{
    // TODO 3: Neighboring threads load neighboring elements, until all are loaded.
    // end of TODO 3
}

/* One thread per output. */
__global__ void convolve_tile(const real *d_x, int n, const real *d_h, real *d_y)
{
    // TODO 4: Shared memory for one piece: PIECE taps, from tap k on, and the PIECE + THREADS elements from
    // x[first - k - PIECE] on, where `first` is the block's first output. For each piece: load the elements and the
    // taps, one tap per thread; when all of them are in shared memory, add PIECE terms to this thread's sum. No thread
    // may load the next piece while another still needs this one. At the end, store the sum if there is such an
    // output.
    // end of TODO 4
}

void lab08_convolve_tile(const real *d_x, int n, const real *d_h, real *d_y)
{
    if (n == 0) {
        return;
    }
    const int outputs = n + LAB08_TAPS - 1;
    convolve_tile<<<(outputs + THREADS - 1) / THREADS, THREADS>>>(d_x, n, d_h, d_y);
    CHECK(cudaGetLastError());
}

/* ---- (c) several outputs per thread, a window in registers --------------------------------------------- */

#define WINDOW 12 /* neighboring outputs per thread, which need as many elements for one tap */

__global__ void convolve_registers(const real *d_x, int n, real *d_y)
{
    __shared__ real s_x[LAB08_TAPS + THREADS * WINDOW]; /* x[first - 1024 ...]: the halo for all taps first */
    const int first = blockIdx.x * (THREADS * WINDOW);
    load_elements(d_x, n, first - LAB08_TAPS, LAB08_TAPS + THREADS * WINDOW, s_x);
    __syncthreads();
    // TODO 5: This thread has WINDOW neighboring outputs, from i = first + threadIdx.x * WINDOW on. It keeps a sum for
    // each in registers, and also a window, with window[j] = x[i + j - k] at tap k. For each tap, add WINDOW terms;
    // then each element moves up by one place, and x[i - k - 1] is read into window[0]. Unroll all loops over j, and 16
    // iterations of the loop over the taps. Store those outputs that exist.
    // end of TODO 5
}

void lab08_convolve_registers(const real *d_x, int n, const real *d_h, real *d_y)
{
    if (n == 0) {
        return;
    }
    // TODO 6: As in TODO 2, but how many outputs does a block compute now?
    // end of TODO 6
}

/* ---- (c) the window by vectors ------------------------------------------------------------------------- */

/* 16 bytes, which one instruction can load or store. */
#ifdef REAL_DOUBLE
typedef double2 vector;
#else
typedef float4 vector;
#endif
#define VECTOR_SIZE ((int)(sizeof(vector) / sizeof(real)))

#define ROW       16                  /* outputs per thread, and elements per row of the tile */
#define PITCH     (ROW + VECTOR_SIZE) /* from one row to the next: after each there is a gap of one vector */
#define HALO_ROWS (LAB08_TAPS / ROW)
#define ROWS      (HALO_ROWS + THREADS)

/*
 * Row r of the tile, s_x[r * PITCH ...], holds the ROW elements of x from first - 1024 + r * ROW on, or 0 outside of x:
 * HALO_ROWS rows of halo, then one for each thread. All threads of the block load it together.
 */
__device__ void load_rows(const real *d_x, int n, int first, real *s_x)
{
    // TODO 7: As in TODO 3, for ROWS * ROW elements from x[first - 1024] on. Element j of them is in row j / ROW.
    // end of TODO 7
}

/* Computes this thread's outputs in sum[0 .. ROW - 1]. `row` points to x[i], its row of the tile. */
__device__ void compute_row(const real *row, real *sum)
{
    // TODO 8: The window, aligned to 16 bytes, holds two rows: in the step that begins at tap k, window[ROW + j] is
    // x[i - k + j] for j = -ROW ... ROW - 1. Set the sums to 0 and load x[i] ... x[i + ROW - 1] into the left half, by
    // vectors. Take the taps in steps of ROW. In each, copy the left half of the window to the right half, and load the
    // row to the left of it, by vectors; then add c_h[k + t] times window[ROW + j - t] to sum[j] for all ROW taps t and
    // outputs j. Unroll all loops over j and t, and two of the steps, so that the copies only rename registers.
    // end of TODO 8
}

__global__ void convolve_vectors(const real *d_x, int n, real *d_y)
{
    __shared__ __align__(16) real s_x[ROWS * PITCH];
    real sum[ROW];
    const int first = blockIdx.x * (THREADS * ROW), i = first + threadIdx.x * ROW;
    load_rows(d_x, n, first, s_x);
    __syncthreads();
    compute_row(&s_x[(HALO_ROWS + threadIdx.x) * PITCH], sum);
#pragma unroll
    for (int j = 0; j < ROW; j++) {
        if (i + j < n + LAB08_TAPS - 1) {
            d_y[i + j] = sum[j];
        }
    }
}

void lab08_convolve_vectors(const real *d_x, int n, const real *d_h, real *d_y)
{
    if (n == 0) {
        return;
    }
    CHECK(cudaMemcpyToSymbolAsync(c_h, d_h, sizeof(c_h), 0, cudaMemcpyDeviceToDevice));
    const int outputs = n + LAB08_TAPS - 1;
    const int of_block = THREADS * ROW;
    convolve_vectors<<<(outputs + of_block - 1) / of_block, THREADS>>>(d_x, n, d_y);
    CHECK(cudaGetLastError());
}

/* ---- (d) vectors without bank conflicts, and a ring of registers --------------------------------------- */

#define OUTPUTS (7 * VECTOR_SIZE) /* per thread: an odd number of vectors avoids bank conflicts */
#define RING    (8 * VECTOR_SIZE) /* slots of the window; divides 1024 */
#define TILE    (LAB08_TAPS + THREADS * OUTPUTS)

/*
 * s_x[j] = x[first - 1024 + j], or 0 outside of x, for the whole tile: the halo, then the elements with
 * the same indices as the block's outputs. All threads of the block load it together.
 */
__device__ void load_tile(const real *d_x, int n, int first, real *s_x)
{
    // TODO 9: If the whole tile lies within x, copy it by vectors: neighboring threads copy neighboring
    // vectors. Otherwise copy it element by element: you have a function for that.
    // end of TODO 9
}

/*
 * The ring: x[i + j], where i is this thread's first output, is in ring[j modulo RING]; the taps need j down to
 * -1023. A step needs OUTPUTS + VECTOR_SIZE - 1 elements, so each has a slot, and none has to
 * move. In the turn that begins at tap k, the slots are the same as for k = 0, with i - k instead of i.
 * Every loop is unrolled, so that the compiler knows every index.
 */
__device__ void add_taps(const real *ring, int k, int t, real *sum)
{
    // TODO 10: For the taps u = t .. t + VECTOR_SIZE - 1 of this turn and all outputs j, add c_h[k + u]
    // times x[i + j - u], from the ring, to sum[j].
    // end of TODO 10
}

/*
 * Computes this thread's outputs in sum[0 .. OUTPUTS - 1]. `mine` points to x[i] in the tile, mine[-1] is
 * x[i - 1], and so on.
 */
__device__ void compute_outputs(const real *mine, real *sum)
{
    // TODO 11: Declare the ring, aligned to 16 bytes. Set the sums to 0, and load x[i] .. x[i + OUTPUTS - 1]
    // into the ring, by vectors. Then write a loop over the turns that is not unrolled (#pragma unroll 1). In
    // each, for t = 0, VECTOR_SIZE, 2 VECTOR_SIZE, ... below RING: load the next vector to the left into the
    // slots that have become free, and call add_taps. After each turn, move `mine`, so that it points to
    // x[i - k] again.
    // end of TODO 11
}

/* Writes sum[0 .. OUTPUTS - 1] to d_y[i ...]; `outputs` is the first output that does not exist. */
__device__ void store_outputs(const real *sum, real *d_y, int outputs, int i)
{
    // TODO 12: If all OUTPUTS outputs exist, store them by vectors. Otherwise store those that exist, one by one.
    // end of TODO 12
}

__global__ void convolve(const real *d_x, int n, real *d_y)
{
    __shared__ __align__(16) real s_x[TILE];
    __align__(16) real sum[OUTPUTS];
    const int first = blockIdx.x * (THREADS * OUTPUTS);
    load_tile(d_x, n, first, s_x);
    __syncthreads();
    compute_outputs(&s_x[LAB08_TAPS + threadIdx.x * OUTPUTS], sum);
    store_outputs(sum, d_y, n + LAB08_TAPS - 1, first + threadIdx.x * OUTPUTS);
}

void lab08_convolve(const real *d_x, int n, const real *d_h, real *d_y)
{
    if (n == 0) {
        return;
    }
    // TODO 13: Copy the taps and launch, as in TODO 6, with OUTPUTS outputs per thread.
    // end of TODO 13
}

/* ---- (e) outputs stored in order ----------------------------------------------------------------------- */

/*
 * Writes the block's outputs to d_y[first ...]: THREADS * OUTPUTS of them, or as many as exist below
 * `outputs`. All threads call it together, each with its own sums. s_y is the block's tile, which other
 * threads may still be reading; it has room for all of the block's outputs and begins at a multiple of 16
 * bytes.
 */
__device__ void store_in_order(const real *sum, real *s_y, real *d_y, int outputs, int first)
{
    // TODO 14: Wait until the tile is no longer needed. Write this thread's sums into s_y by vectors, so that
    // s_y[j] is output first + j. When all threads' sums are there, copy them to d_y as load_tile copies x:
    // neighboring threads store neighboring vectors. Of a vector that reaches past the last output, store
    // the elements that exist.
    // end of TODO 14
}

__global__ void convolve_in_order(const real *d_x, int n, real *d_y)
{
    __shared__ __align__(16) real s_x[TILE];
    __align__(16) real sum[OUTPUTS];
    const int first = blockIdx.x * (THREADS * OUTPUTS);
    load_tile(d_x, n, first, s_x);
    __syncthreads();
    compute_outputs(&s_x[LAB08_TAPS + threadIdx.x * OUTPUTS], sum);
    store_in_order(sum, s_x, d_y, n + LAB08_TAPS - 1, first);
}

void lab08_convolve_in_order(const real *d_x, int n, const real *d_h, real *d_y)
{
    if (n == 0) {
        return;
    }
    CHECK(cudaMemcpyToSymbolAsync(c_h, d_h, sizeof(c_h), 0, cudaMemcpyDeviceToDevice));
    const int outputs = n + LAB08_TAPS - 1;
    const int of_block = THREADS * OUTPUTS;
    convolve_in_order<<<(outputs + of_block - 1) / of_block, THREADS>>>(d_x, n, d_y);
    CHECK(cudaGetLastError());
}

/* ---- (e) where it pays: few taps ----------------------------------------------------------------------- */

/*
 * The same convolution with LAB08_FEW taps, which c_h begins with. Half a multiply-add per byte in float: time goes to
 * loading and storing. `in_order`: each block stores its outputs as in (e), otherwise each thread its own, as in (d).
 */
__global__ void convolve_few(const real *d_x, int n, real *d_y, bool in_order)
{
    __shared__ __align__(16) real s_few[LAB08_FEW + THREADS * OUTPUTS];
    __align__(16) real elements[LAB08_FEW + OUTPUTS]; /* elements[LAB08_FEW + j] = x[i + j] */
    __align__(16) real sum[OUTPUTS] = {};
    const int first = blockIdx.x * (THREADS * OUTPUTS), outputs = n + LAB08_FEW - 1;
    load_elements(d_x, n, first - LAB08_FEW, LAB08_FEW + THREADS * OUTPUTS, s_few);
    __syncthreads();
#pragma unroll
    for (int j = 0; j < LAB08_FEW + OUTPUTS; j += VECTOR_SIZE) {
        *(vector *)&elements[j] = *(const vector *)&s_few[threadIdx.x * OUTPUTS + j];
    }
#pragma unroll
    for (int t = 0; t < LAB08_FEW; t++) {
#pragma unroll
        for (int j = 0; j < OUTPUTS; j++) {
            sum[j] += c_h[t] * elements[LAB08_FEW + j - t];
        }
    }
    if (in_order) {
        store_in_order(sum, s_few, d_y, outputs, first);
    } else {
        store_outputs(sum, d_y, outputs, first + threadIdx.x * OUTPUTS);
    }
}

static void launch_few(const real *d_x, int n, const real *d_h, real *d_y, bool in_order)
{
    if (n == 0) {
        return;
    }
    CHECK(cudaMemcpyToSymbolAsync(c_h, d_h, LAB08_FEW * sizeof(real), 0, cudaMemcpyDeviceToDevice));
    const int outputs = n + LAB08_FEW - 1, of_block = THREADS * OUTPUTS;
    convolve_few<<<(outputs + of_block - 1) / of_block, THREADS>>>(d_x, n, d_y, in_order);
    CHECK(cudaGetLastError());
}

void lab08_few(const real *d_x, int n, const real *d_h, real *d_y)
{
    launch_few(d_x, n, d_h, d_y, false);
}

void lab08_few_in_order(const real *d_x, int n, const real *d_h, real *d_y)
{
    launch_few(d_x, n, d_h, d_y, true);
}
