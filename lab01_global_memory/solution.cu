/*
 * Lab 01, global memory.
 *
 *   warm-ups      every thread computes which element is its own
 *   (a) copy      neighboring threads touch neighboring elements, or elements that are far apart
 *   (b) sum       every block of threads adds up its part of an array; the host adds the blocks' sums
 *   (c) symbols   variables that stay on the GPU for as long as the program runs
 *
 * A function marked __global__ is a kernel. The host launches it; the GPU then runs the function once in
 * every thread of a grid of blocks. Inside a kernel, built-in variables tell each thread where it is:
 *
 *   threadIdx.x   the thread's number in its block   blockIdx.x   the block's number in the grid
 *   blockDim.x    threads per block                  gridDim.x    blocks in the grid
 *
 * Everything else here runs on the host. A name that begins with d_ points into the GPU's memory,
 * which only kernels and calls such as cudaMemcpy can access; a name that begins with h_ points into
 * the host's memory. README.md explains all of this.
 */
#include <stdlib.h>

#include "common/check.h"
#include "lab01.h"

/* ---- warm-ups: which element is mine? ------------------------------------------------------------------ */

/*
 * A kernel can be very short. Here the grid has exactly as many threads as there are elements; each
 * thread computes its own number in the grid and stores that number in its own element.
 */
__global__ void number_elements(int *d_number)
{
    // TODO 1: What is this thread's number in the whole grid? There are b whole blocks before block b.
    // Store the number in d_number, at the index that equals the number.
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    d_number[i] = i;
    // end of TODO 1
}

void lab01_number(int *d_number, int n)
{
    if (n == 0) {
        return; /* launching a grid without blocks is an error */
    }
    /* The launch: how many blocks, and how many threads in each. The host does not wait for them. */
    number_elements<<<n / LAB01_BLOCK_SIZE, LAB01_BLOCK_SIZE>>>(d_number);
    CHECK(cudaGetLastError());
}

/*
 * A launch starts only whole blocks: 1000 elements need 8 blocks of 128, or 1024 threads. The last 24
 * have no element and must do nothing, or they would change memory that belongs to something else.
 */
__global__ void twice(const real *d_x, real *d_twice, int n)
{
    // TODO 2: If there is an element for this thread, store twice its value in d_twice. This condition is
    // the guard.
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        d_twice[i] = 2 * d_x[i];
    }
    // end of TODO 2
}

void lab01_twice(const real *d_x, real *d_twice, int n)
{
    if (n == 0) {
        return;
    }
    const int blocks = (n + LAB01_BLOCK_SIZE - 1) / LAB01_BLOCK_SIZE; /* n / 128, rounded up */
    twice<<<blocks, LAB01_BLOCK_SIZE>>>(d_x, d_twice, n);
    CHECK(cudaGetLastError());
}

/*
 * Grids and blocks may have two dimensions, x and y. Then there are threadIdx.y, blockIdx.y and
 * blockDim.y as well. Neighboring threads differ in x. Memory has one dimension: a table is stored
 * row after row, so neighbors in a row are neighbors in memory.
 */
__global__ void multiplication_table(int *d_table, int rows, int columns)
{
    // TODO 3: x runs along a row and y from row to row. Compute this thread's column and row in the
    // grid. If the table has this column and this row, store row * column in its element. How many
    // elements come before row r?
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && column < columns) {
        d_table[row * columns + column] = row * column;
    }
    // end of TODO 3
}

void lab01_table(int *d_table, int rows, int columns)
{
    if (rows == 0 || columns == 0) {
        return;
    }
    const dim3 threads(16, 16); /* x, y */
    const dim3 blocks((columns + 15) / 16, (rows + 15) / 16);
    multiplication_table<<<blocks, threads>>>(d_table, rows, columns);
    CHECK(cudaGetLastError());
}

/* ---- (a) copy ------------------------------------------------------------------------------------------ */

/*
 * One thread per element. The 32 threads of a warp, which have consecutive numbers, execute each load
 * together: if they read 32 consecutive elements, memory delivers a few whole sectors of 32 bytes.
 * Such an access is called coalesced.
 */
__global__ void copy(const real *d_x, real *d_y, int n)
{
    // TODO 4: Let every thread of the grid copy one element: thread 0 of block 0 copies element 0, its
    // neighbor element 1, and so on; each block continues where the block before it ends. If the last
    // block has more threads than there are elements left, the extra threads must not touch memory.
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        d_y[i] = d_x[i];
    }
    // end of TODO 4
}

void lab01_copy(const real *d_x, real *d_y, int n)
{
    if (n == 0) {
        return;
    }
    /* Enough blocks for all n elements: n / 256, rounded up. */
    const int blocks = (n + LAB01_COPY_BLOCK_SIZE - 1) / LAB01_COPY_BLOCK_SIZE;
    copy<<<blocks, LAB01_COPY_BLOCK_SIZE>>>(d_x, d_y, n);
    CHECK(cudaGetLastError());
}

/*
 * The same copy, in an order that slows memory down. Imagine the n elements in a table with `stride`
 * elements per row: the threads go down its columns, so two neighboring threads are a whole row apart.
 * Every cell of the table has its own thread, so every element is copied exactly once, whatever n and
 * stride are. Cells past element n - 1 are skipped.
 */
__global__ void copy_with_stride(const real *d_x, real *d_y, int n, int stride, int rows)
{
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = thread % rows;
    const int column = thread / rows;
    const int i = row * stride + column;
    if (column < stride && i < n) {
        d_y[i] = d_x[i];
    }
}

void lab01_copy_stride(const real *d_x, real *d_y, int n, int stride)
{
    if (n == 0) {
        return;
    }
    const int rows = (n + stride - 1) / stride;
    const int cells = rows * stride;
    const int blocks = (cells + LAB01_COPY_BLOCK_SIZE - 1) / LAB01_COPY_BLOCK_SIZE;
    copy_with_stride<<<blocks, LAB01_COPY_BLOCK_SIZE>>>(d_x, d_y, n, stride, rows);
    CHECK(cudaGetLastError());
}

/* ---- (b) sum ------------------------------------------------------------------------------------------- */

/*
 * Reduction by halves. Each block owns 128 elements. The first 64 threads add the upper half of them
 * to the lower half; then 32 threads do the same with the 64 that are left, and so on. After seven
 * steps the block's first element is the sum. All of this happens in global memory, in the input itself.
 */
__global__ void reduce_by_halves(real *d_x, real *d_partial)
{
    const int tid = threadIdx.x;
    real *x = d_x + blockDim.x * blockIdx.x; /* this block's own elements: x[0] .. x[127] */

    // TODO 5: Start with an offset of half a block, and halve it after each step; the last step has offset
    // 1. In each step, every thread whose tid is below the offset adds to its own element the one that is
    // `offset` elements further on. All threads of the block must finish a step before the next one starts:
    // __syncthreads() waits until they have, and all must call it, even those that have nothing to add.
    for (int offset = blockDim.x / 2; offset > 0; offset /= 2) {
        if (tid < offset) {
            x[tid] += x[tid + offset];
        }
        __syncthreads();
    }
    // end of TODO 5

    if (tid == 0) {
        d_partial[blockIdx.x] = x[0];
    }
}

void lab01_reduce_blocks(real *d_x, int n, real *d_partial)
{
    const int blocks = n / LAB01_BLOCK_SIZE; /* no remainder: n is a multiple of 128 */
    if (blocks == 0) {
        return;
    }
    reduce_by_halves<<<blocks, LAB01_BLOCK_SIZE>>>(d_x, d_partial);
    CHECK(cudaGetLastError());
}

/*
 * The host adds the parts one after another. Once the sum is large, a `real` has no room for the
 * low bits of the next part: every addition loses them. So compute what was lost each time, and
 * subtract it from the next part (Kahan's compensated summation).
 */
double lab01_finish(const real *h_partial, int count)
{
    real sum = 0;
    real lost = 0; /* by how much the last sum was too large */
    for (int b = 0; b < count; b++) {
        const real part = h_partial[b] - lost;
        const real next = sum + part;
        // TODO 6: Without this step `lost` stays 0, and the sum of 781,250 equal parts is 0.5 % off in
        // float. The sum should grow by `part`. How much more does it really grow? Store that in `lost`.
        lost = (next - sum) - part;
        // end of TODO 6
        sum = next;
    }
    return sum;
}

double lab01_sum(real *d_x, int n)
{
    const int parts = n / LAB01_BLOCK_SIZE;
    if (parts == 0) {
        return 0.0;
    }
    real *h_partial = (real *)calloc(parts, sizeof(real)); /* nvcc compiles C++, which needs the cast */
    if (h_partial == NULL) {
        fprintf(stderr, "lab01_sum: the host has no memory for %d parts\n", parts);
        exit(1);
    }

    // TODO 7: Four steps. Allocate device memory for `parts` numbers (cudaMalloc). Reduce d_x into it with
    // lab01_reduce_blocks. Copy the parts to h_partial (cudaMemcpy; it waits until the kernel is done). Free
    // the device memory (cudaFree). Sizes are in bytes. Put a CHECK around every CUDA call.
    real *d_partial;
    CHECK(cudaMalloc(&d_partial, parts * sizeof(real)));
    lab01_reduce_blocks(d_x, n, d_partial);
    CHECK(cudaMemcpy(h_partial, d_partial, parts * sizeof(real), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_partial));
    // end of TODO 7

    const double sum = lab01_finish(h_partial, parts);
    free(h_partial);
    return sum;
}

/*
 * The five steps of the notes' section 4, all of them yours: the numbers come from the host and go back to the host.
 */
void lab01_twice_round_trip(const real *h_x, real *h_twice, int n)
{
    if (n == 0) {
        return;
    }
    // TODO 8: Allocate device memory for both arrays. Copy h_x to the device. Let lab01_twice do the work there. Copy
    // the result to h_twice, and free the memory. Put a CHECK around every CUDA call.
    const size_t bytes = n * sizeof(real);
    real *d_x, *d_twice;
    CHECK(cudaMalloc(&d_x, bytes));
    CHECK(cudaMalloc(&d_twice, bytes));
    CHECK(cudaMemcpy(d_x, h_x, bytes, cudaMemcpyHostToDevice));
    lab01_twice(d_x, d_twice, n);
    CHECK(cudaMemcpy(h_twice, d_twice, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_x));
    CHECK(cudaFree(d_twice));
    // end of TODO 8
}

/* ---- (c) symbols --------------------------------------------------------------------------------------- */

/*
 * Global memory that needs no allocation: it exists, filled with zeros, from the program's start to
 * its end. Kernels use these names directly. On the host the same names are only symbols, handles for
 * the calls below; there they are not addresses and have no value.
 */
__device__ real device_scale;
__device__ real device_coefficients[LAB01_COEFFICIENTS];

void lab01_symbol_write(real scale, const real h_coefficients[LAB01_COEFFICIENTS])
{
    // TODO 9: Copy `scale` into device_scale, and the four coefficients into device_coefficients.
    // cudaMemcpyToSymbol does this; lab01_symbol_read, below, shows the opposite direction.
    CHECK(cudaMemcpyToSymbol(device_scale, &scale, sizeof(real)));
    CHECK(cudaMemcpyToSymbol(device_coefficients, h_coefficients, LAB01_COEFFICIENTS * sizeof(real)));
    // end of TODO 9
}

/* One thread per x: the polynomial from the inside out, c0 + x (c1 + x (c2 + x c3)). */
__global__ void apply_polynomial(const real *d_x, real *d_y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const real x = d_x[i];
        real value = 0;
        for (int k = LAB01_COEFFICIENTS - 1; k >= 0; k--) {
            value = value * x + device_coefficients[k];
        }
        d_y[i] = device_scale * value;
    }
}

void lab01_symbol_apply(const real *d_x, real *d_y, int n)
{
    if (n == 0) {
        return;
    }
    const int blocks = (n + LAB01_BLOCK_SIZE - 1) / LAB01_BLOCK_SIZE;
    apply_polynomial<<<blocks, LAB01_BLOCK_SIZE>>>(d_x, d_y, n);
    CHECK(cudaGetLastError());
}

void lab01_symbol_read(real *scale, real h_coefficients[LAB01_COEFFICIENTS])
{
    /* The arguments: to which address, from which symbol, how many bytes. */
    CHECK(cudaMemcpyFromSymbol(scale, device_scale, sizeof(real)));
    CHECK(cudaMemcpyFromSymbol(h_coefficients, device_coefficients, LAB01_COEFFICIENTS * sizeof(real)));
}

/* With its address, the variable can be used like any other memory, by cudaMemcpy or by a kernel. */
real *lab01_symbol_address(void)
{
    void *address = NULL;
    CHECK(cudaGetSymbolAddress(&address, device_coefficients));
    return (real *)address;
}
