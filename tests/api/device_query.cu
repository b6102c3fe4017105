/* What programs ask of a device before they begin. */
#include "common/check.h"

int main(void)
{
    int count, device, value, version;
    cudaDeviceProp p;
    size_t free_bytes, total;

    CHECK(cudaGetDeviceCount(&count));
    CHECK(cudaSetDevice(0));
    CHECK(cudaGetDevice(&device));
    CHECK(cudaGetDeviceProperties(&p, device));
    CHECK(cudaRuntimeGetVersion(&version));
    printf("at least one device: %s; device %d; has a name: %s\n", count >= 1 ? "yes" : "no", device,
           p.name[0] != '\0' ? "yes" : "no");
    printf("warps of %d, blocks of %d (%d x %d x %d)\n", p.warpSize, p.maxThreadsPerBlock, p.maxThreadsDim[0],
           p.maxThreadsDim[1], p.maxThreadsDim[2]);
    printf("grids of %d x %d x %d\n", p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2]);
    printf("%d KB of shared memory, %d KB of constant memory, %d registers a block\n",
           (int)(p.sharedMemPerBlock / 1024), (int)(p.totalConstMem / 1024), p.regsPerBlock);
    CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, device));
    printf("structure and attribute agree: %s\n", value == p.multiProcessorCount ? "yes" : "no");
    CHECK(cudaMemGetInfo(&free_bytes, &total));
    printf("memory: %s\n", free_bytes <= total && total <= p.totalGlobalMem ? "plausible" : "not plausible");
    printf("compiled with the runtime that it runs on: %s\n", version == CUDART_VERSION ? "yes" : "no");
    printf("device %d: %s\n", 64, cudaGetErrorName(cudaSetDevice(64)));
    cudaGetLastError();
    return 0;
}
