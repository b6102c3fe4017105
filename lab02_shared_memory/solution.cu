/*
 * Lab 02, static shared memory.
 *
 *   (a) sum         the reduction of lab 01 in shared memory: any n, and the input stays as it is
 *   (b) transpose   a tile of 32 by 32 in shared memory, with bank conflicts and without
 *
 * Shared memory is inside the multiprocessor that runs a block. Each block has its own copy of every
 * __shared__ array, all threads of the block can use it, and it is gone when the block ends.
 */
#include <stdlib.h>

#include "common/check.h"
#include "lab02.h"

/* ---- (a) sum ------------------------------------------------------------------------------------------- */

/*
 * Each thread loads its own element from global memory into shared memory, once; all the additions
 * happen there. Threads past the end of the data store a zero, which changes no sum, so the steps
 * that follow need not know how long the array is.
 */
__global__ void reduce_shared(const real *d_x, int n, real *d_partial)
{
    // TODO 1: Declare a shared array with a place for each of the block's LAB02_BLOCK_SIZE threads. Let
    // every thread put its element of d_x there, or 0 if the array has no such element. Then wait until
    // the whole block has done so.
    __shared__ real s_x[LAB02_BLOCK_SIZE];
    const int tid = threadIdx.x;
    const int i = blockIdx.x * blockDim.x + tid;
    s_x[tid] = i < n ? d_x[i] : 0;
    __syncthreads();
    // end of TODO 1

    // TODO 2: Reduce by halves as in lab 01, now in the shared array. At the end, let one thread of the block
    // write the block's sum to d_partial.
    for (int offset = blockDim.x / 2; offset > 0; offset /= 2) {
        if (tid < offset) {
            s_x[tid] += s_x[tid + offset];
        }
        __syncthreads();
    }
    if (tid == 0) {
        d_partial[blockIdx.x] = s_x[0];
    }
    // end of TODO 2
}

void lab02_reduce_blocks(const real *d_x, int n, real *d_partial)
{
    // TODO 3: Launch the kernel with enough blocks for all n elements; n need no longer be a multiple of
    // the block size. What about n = 0? Launching a grid without blocks is an error.
    const int blocks = (n + LAB02_BLOCK_SIZE - 1) / LAB02_BLOCK_SIZE;
    if (blocks > 0) {
        reduce_shared<<<blocks, LAB02_BLOCK_SIZE>>>(d_x, n, d_partial);
        CHECK(cudaGetLastError());
    }
    // end of TODO 3
}

/*
 * Given, to be timed beside yours: the same additions in another order. First neighbors are added, then neighbors of
 * neighbors, and so on; every second, fourth, eighth ... thread adds.
 */
__global__ void reduce_interleaved(const real *d_x, int n, real *d_partial)
{
    __shared__ real s_part[LAB02_BLOCK_SIZE];
    const int t = threadIdx.x;
    const int element = blockIdx.x * blockDim.x + t;
    s_part[t] = element < n ? d_x[element] : 0;
    __syncthreads();
    for (int distance = 1; distance < blockDim.x; distance *= 2) {
        if (t % (2 * distance) == 0) {
            s_part[t] += s_part[t + distance];
        }
        __syncthreads();
    }
    if (t == 0) {
        d_partial[blockIdx.x] = s_part[0];
    }
}

void lab02_reduce_interleaved(const real *d_x, int n, real *d_partial)
{
    const int needed = (n + LAB02_BLOCK_SIZE - 1) / LAB02_BLOCK_SIZE;
    if (needed > 0) {
        reduce_interleaved<<<needed, LAB02_BLOCK_SIZE>>>(d_x, n, d_partial);
        CHECK(cudaGetLastError());
    }
}

/* The host adds the blocks' sums in double, so that a large total does not lose the low bits of the next sum. */
static double add_on_host(const real *h_partial, int count)
{
    double sum = 0.0;
    for (int b = 0; b < count; b++) {
        sum += h_partial[b];
    }
    return sum;
}

double lab02_sum(const real *d_x, int n)
{
    const int parts = (n + LAB02_BLOCK_SIZE - 1) / LAB02_BLOCK_SIZE;
    if (parts == 0) {
        return 0.0;
    }
    const size_t bytes = parts * sizeof(real);
    real *h_partial = (real *)malloc(bytes);
    if (h_partial == NULL) {
        fprintf(stderr, "lab02_sum: the host has no memory for %d parts\n", parts);
        exit(1);
    }
    real *d_partial;
    CHECK(cudaMalloc(&d_partial, bytes));
    CHECK(cudaMemset(d_partial, 0, bytes)); /* zeros, until the kernel has written its sums */
    lab02_reduce_blocks(d_x, n, d_partial);
    CHECK(cudaMemcpy(h_partial, d_partial, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_partial));

    const double sum = add_on_host(h_partial, parts);
    free(h_partial);
    return sum;
}

/* ---- (b) transpose ------------------------------------------------------------------------------------- */

/* The number of tiles that cover the matrix: one block for each. */
static int tile_count(int rows, int cols)
{
    return ((rows + LAB02_TILE - 1) / LAB02_TILE) * ((cols + LAB02_TILE - 1) / LAB02_TILE);
}

/*
 * Given, to be timed beside the others: no tile. Each thread copies one element from where it is to where it belongs. A
 * warp reads along a row of d_in, and writes down a column of d_out.
 */
__global__ void transpose_naive(const real *d_in, real *d_out, int rows, int cols)
{
    const int across = (cols + LAB02_TILE - 1) / LAB02_TILE; /* tiles in a row of them */
    const int row = blockIdx.x / across * LAB02_TILE + threadIdx.y;
    const int column = blockIdx.x % across * LAB02_TILE + threadIdx.x;
    if (row < rows && column < cols) {
        d_out[column * rows + row] = d_in[row * cols + column];
    }
}

void lab02_transpose_naive(const real *d_in, real *d_out, int rows, int cols)
{
    const int tiles = tile_count(rows, cols);
    if (tiles > 0) {
        transpose_naive<<<tiles, dim3(LAB02_TILE, LAB02_TILE)>>>(d_in, d_out, rows, cols);
        CHECK(cudaGetLastError());
    }
}

/*
 * Row r, column c of the input becomes row c, column r of the output. A warp that reads along a row
 * would have to write down a column, 32 words that are far apart. So each block keeps a tile of 32 by
 * 32 in shared memory, where the order of accesses matters less. Each warp reads a row of its block's
 * part of d_in and, after the barrier, writes a row of its part of d_out. Both are coalesced.
 *
 * The block has 32 by 32 threads, numbered along x first, so a warp is one row of them. The grid has
 * one block per tile, and the tiles are numbered row by row.
 *
 * One problem remains. Shared memory has 32 banks, each 4 bytes wide; word k is in bank k % 32. In one
 * cycle each bank serves one word. But rows are 32 words long, so a column of this tile is in a single bank.
 */
__global__ void transpose_conflicts(const real *d_in, real *d_out, int rows, int cols)
{
    __shared__ real tile[LAB02_TILE][LAB02_TILE];
    const int tiles_across = (cols + LAB02_TILE - 1) / LAB02_TILE;
    const int top = blockIdx.x / tiles_across * LAB02_TILE;
    const int left = blockIdx.x % tiles_across * LAB02_TILE;

    const int r = top + threadIdx.y;
    const int c = left + threadIdx.x;
    if (r < rows && c < cols) {
        tile[threadIdx.y][threadIdx.x] = d_in[r * cols + c]; /* a row of the tile: 32 banks */
    }
    __syncthreads();

    const int out_row = left + threadIdx.y;
    const int out_col = top + threadIdx.x;
    if (out_row < cols && out_col < rows) {
        d_out[out_row * rows + out_col] = tile[threadIdx.x][threadIdx.y]; /* a column: one bank */
    }
}

void lab02_transpose_conflicts(const real *d_in, real *d_out, int rows, int cols)
{
    const int blocks = tile_count(rows, cols);
    if (blocks > 0) {
        const dim3 threads(LAB02_TILE, LAB02_TILE); /* a block with two dimensions: x, then y */
        transpose_conflicts<<<blocks, threads>>>(d_in, d_out, rows, cols);
        CHECK(cudaGetLastError());
    }
}

__global__ void transpose(const real *d_in, real *d_out, int rows, int cols)
{
    // TODO 4: The same transpose, with a tile whose rows and columns have no bank conflicts. In float: in
    // which bank must each row begin, so that the words of a column are in different banks?
    __shared__ real tile[LAB02_TILE][LAB02_TILE + 1]; /* one extra word per row: row y begins in bank y */
    const int tiles_across = (cols + LAB02_TILE - 1) / LAB02_TILE;
    const int top = blockIdx.x / tiles_across * LAB02_TILE;
    const int left = blockIdx.x % tiles_across * LAB02_TILE;

    const int r = top + threadIdx.y;
    const int c = left + threadIdx.x;
    if (r < rows && c < cols) {
        tile[threadIdx.y][threadIdx.x] = d_in[r * cols + c];
    }
    __syncthreads();

    const int out_row = left + threadIdx.y;
    const int out_col = top + threadIdx.x;
    if (out_row < cols && out_col < rows) {
        d_out[out_row * rows + out_col] = tile[threadIdx.x][threadIdx.y];
    }
    // end of TODO 4
}

void lab02_transpose(const real *d_in, real *d_out, int rows, int cols)
{
    const int blocks = tile_count(rows, cols);
    if (blocks > 0) {
        const dim3 threads(LAB02_TILE, LAB02_TILE);
        transpose<<<blocks, threads>>>(d_in, d_out, rows, cols);
        CHECK(cudaGetLastError());
    }
}
