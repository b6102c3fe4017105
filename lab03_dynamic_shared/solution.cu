/*
 * Lab 03, dynamic shared memory.
 *
 *   (a) sum       a shared array whose size is chosen at the launch, for blocks of 32 to 1024 threads
 *   (b) run ends  two arrays of different types in one buffer, because a launch provides only one
 *   (c) reverse   a tile that needs more than 48 KB
 *
 * A kernel declares   extern __shared__ real s_x[];   without a size, and the launch says how many
 * bytes each block gets:   kernel<<<blocks, threads, bytes>>>(…).
 */
#include <stdlib.h>

#include "common/check.h"
#include "lab03.h"

/* ---- (a) sum ------------------------------------------------------------------------------------------- */

/*
 * A __device__ function is called by kernels and runs in the calling thread. This one is lab 02's
 * reduction by halves: s_x has one number for each thread of the block. All threads of the block call it
 * together, after a __syncthreads(), and it leaves the block's sum in s_x[0]. Two kernels below call it.
 */
__device__ void reduce_by_halves(real *s_x)
{
    // TODO 1: Copy your reduction by halves from lab 02 (its TODO 2) into this function. The array is now a
    // parameter, and the block may have 32, 64, ... or 1024 threads. The calling kernel does the rest.
    const int tid = threadIdx.x;
    for (int offset = blockDim.x / 2; offset > 0; offset /= 2) {
        if (tid < offset) {
            s_x[tid] += s_x[tid + offset];
        }
        __syncthreads();
    }
    // end of TODO 1
}

__global__ void reduce_dynamic(const real *d_x, int n, real *d_partial)
{
    // TODO 2: As in lab 02, but the block may have any number of threads: declare the shared array without
    // a size, fill it (0 past the end of d_x), wait, call reduce_by_halves, and let one thread write the sum.
    extern __shared__ real s_x[];
    const int tid = threadIdx.x;
    const int i = blockIdx.x * blockDim.x + tid;
    s_x[tid] = i < n ? d_x[i] : 0;
    __syncthreads();
    reduce_by_halves(s_x);
    if (tid == 0) {
        d_partial[blockIdx.x] = s_x[0];
    }
    // end of TODO 2
}

static int block_count(int n, int block_size)
{
    return (n + block_size - 1) / block_size;
}

void lab03_reduce_blocks(const real *d_x, int n, real *d_partial, int block_size)
{
    // TODO 3: Launch reduce_dynamic with block_count(n, block_size) blocks of block_size threads, unless
    // this is 0 blocks. The third launch parameter is the shared memory that one block needs, in bytes. If
    // you leave it out it is 0, and the array that the kernel declares has no memory.
    const int blocks = block_count(n, block_size);
    if (blocks > 0) {
        reduce_dynamic<<<blocks, block_size, block_size * sizeof(real)>>>(d_x, n, d_partial);
        CHECK(cudaGetLastError());
    }
    // end of TODO 3
}

double lab03_sum(const real *d_x, int n, int block_size)
{
    const int parts = block_count(n, block_size);
    if (parts == 0) {
        return 0.0;
    }
    const size_t bytes = parts * sizeof(real);
    real *h_partial = (real *)malloc(bytes);
    if (h_partial == NULL) {
        fprintf(stderr, "lab03_sum: the host has no memory for %d parts\n", parts);
        exit(1);
    }
    real *d_partial;
    CHECK(cudaMalloc(&d_partial, bytes));
    CHECK(cudaMemset(d_partial, 0, bytes)); /* zeros, until the kernel has written its sums */
    lab03_reduce_blocks(d_x, n, d_partial, block_size);
    CHECK(cudaMemcpy(h_partial, d_partial, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_partial));

    double sum = 0.0;
    for (int b = 0; b < parts; b++) {
        sum += h_partial[b];
    }
    free(h_partial);
    return sum;
}

/* ---- (b) run ends -------------------------------------------------------------------------------------- */

/*
 * All dynamic shared arrays of a kernel begin at the same address: there is only one buffer. You must
 * divide it between two arrays yourself. Here the labels come first, one byte each, block_size + 1 of them;
 * the reals follow. The hardware reads a number of 4 or 8 bytes only from an address that is a multiple
 * of its size.
 *
 * __host__ __device__ compiles the function for host and device: the host needs the offset to compute the
 * size of the buffer, and the kernel needs it to find the reals.
 */
static __host__ __device__ int offset_of_reals(int block_size)
{
    int offset = block_size + 1; /* the first byte after the labels */
    // TODO 4: The reals begin at this offset, in bytes. Round it up to a multiple of sizeof(real).
    const int size = sizeof(real);
    offset = (offset + size - 1) / size * size;
    // end of TODO 4
    return offset;
}

/*
 * Whether an element ends a run depends on its label and the next label. Inside the block, the next one is
 * the neighboring thread's; only the block's last thread needs a label from the next block.
 */
__global__ void sum_run_ends(const real *d_x, const unsigned char *d_label, int n, real *d_partial)
{
    // TODO 5: Carve the labels and the reals out of one dynamic buffer of bytes, declared with
    // __align__(sizeof(real)) so that it begins at a suitable address. Store the block's elements and labels
    // there, and also the label after the block's last one, if it exists. Wait. Set every real that does not
    // end a run to 0. Wait, reduce, and let one thread write the sum.
    extern __shared__ __align__(sizeof(real)) unsigned char s_buffer[];
    unsigned char *s_label = s_buffer;
    real *s_x = (real *)(s_buffer + offset_of_reals(blockDim.x));
    const int tid = threadIdx.x;
    const int i = blockIdx.x * blockDim.x + tid;

    s_x[tid] = i < n ? d_x[i] : 0;
    if (i < n) {
        s_label[tid] = d_label[i];
    }
    if (tid == blockDim.x - 1 && i + 1 < n) {
        s_label[tid + 1] = d_label[i + 1];
    }
    __syncthreads();

    if (i + 1 < n && s_label[tid] == s_label[tid + 1]) {
        s_x[tid] = 0; /* the run goes on; no other thread reads this element now */
    }
    __syncthreads();
    reduce_by_halves(s_x);
    if (tid == 0) {
        d_partial[blockIdx.x] = s_x[0];
    }
    // end of TODO 5
}

void lab03_run_ends(const real *d_x, const unsigned char *d_label, int n, real *d_partial, int block_size)
{
    const int blocks = block_count(n, block_size);
    const size_t bytes = offset_of_reals(block_size) + block_size * sizeof(real);
    if (blocks > 0) {
        sum_run_ends<<<blocks, block_size, bytes>>>(d_x, d_label, n, d_partial);
        CHECK(cudaGetLastError());
    }
}

/* ---- (c) reverse --------------------------------------------------------------------------------------- */

#define REVERSE_THREADS 512

/*
 * A block reverses one tile, which may be far larger than the block: each thread handles element tid, then
 * tid + blockDim.x, and so on, so the warps still read and write neighboring elements. The last tile may
 * be shorter.
 */
__global__ void reverse_tiles(const real *d_x, real *d_y, int n, int tile)
{
    extern __shared__ real s_tile[];
    const int first = blockIdx.x * tile;
    const int count = min(tile, n - first);

    for (int k = threadIdx.x; k < count; k += blockDim.x) {
        s_tile[k] = d_x[first + k];
    }
    __syncthreads();
    for (int k = threadIdx.x; k < count; k += blockDim.x) {
        d_y[first + k] = s_tile[count - 1 - k];
    }
}

int lab03_reverse_tiles(const real *d_x, real *d_y, int n, int tile)
{
    const size_t bytes = tile * sizeof(real);
    const int blocks = block_count(n, tile);

    // TODO 6: For more than 48 KB per block, you must ask before you launch the kernel:
    // cudaFuncSetAttribute(reverse_tiles, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes). If the device
    // refuses, clear the error that the runtime remembers (cudaGetLastError), and return the error code: here
    // the caller can react to a refusal, so CHECK would be wrong.
    const cudaError_t answer =
        cudaFuncSetAttribute(reverse_tiles, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (answer != cudaSuccess) {
        cudaGetLastError();
        return answer;
    }
    // end of TODO 6

    if (blocks > 0) {
        reverse_tiles<<<blocks, REVERSE_THREADS, bytes>>>(d_x, d_y, n, tile);
    }
    return cudaGetLastError(); /* 0 is cudaSuccess; the call also clears the error */
}
