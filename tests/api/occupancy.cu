/* How many blocks fit: the occupancy calls and a kernel's attributes. */
#include "common/check.h"

__global__ void light(float *x)
{
    x[threadIdx.x] = 1;
}

__global__ void heavy(float *x)
{
    __shared__ float tile[10240]; /* 40 KB */
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

static size_t shared_for(int block_size)
{
    return 16 * block_size;
}

int main(void)
{
    cudaFuncAttributes attributes;
    cudaDeviceProp p;
    int blocks, grid, block;
    size_t dynamic;

    CHECK(cudaGetDeviceProperties(&p, 0));
    CHECK(cudaFuncGetAttributes(&attributes, heavy));
    printf("heavy: %d bytes of shared memory, at least one register: %s\n", (int)attributes.sharedSizeBytes,
           attributes.numRegs > 0 ? "yes" : "no");
    printf("at most %d threads, at most %d bytes of dynamic shared memory\n", attributes.maxThreadsPerBlock,
           attributes.maxDynamicSharedSizeBytes);

    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, light, 256, 0));
    printf("light, 256 threads: the SM is full: %s\n",
           blocks * 256 == p.maxThreadsPerMultiProcessor ? "yes" : "no");
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, light, 32, 0));
    printf("light, 32 threads: as many blocks as an SM holds: %s\n",
           blocks == p.maxBlocksPerMultiProcessor ? "yes" : "no");
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, heavy, 256, 0));
    printf("heavy, 256 threads: shared memory limits: %s\n",
           blocks == (int)(p.sharedMemPerMultiprocessor / (40960 + 1024)) ? "yes" : "no");
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, heavy, 256, 8193));
    printf("heavy, more shared memory than allowed: %d blocks\n", blocks);

    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, light, 0, 0));
    printf("best block is full warps: %s; grid fills the device: %s\n", block % 32 == 0 ? "yes" : "no",
           grid * block == p.multiProcessorCount * p.maxThreadsPerMultiProcessor ? "yes" : "no");
    CHECK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, light, shared_for, 0));
    printf("with shared memory by block size: %s\n", grid > 0 && block > 0 ? "found" : "none");
    CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&dynamic, light, 2, 256));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, light, 256, dynamic));
    printf("two blocks fit with that much: %s\n", blocks >= 2 ? "yes" : "no");
    printf("no threads: %s\n",
           cudaGetErrorName(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, light, 0, 0)));
    cudaGetLastError();
    return 0;
}
