/* One pointer for both sides: cudaMallocManaged, __managed__, and pinned memory that a kernel reads. */
#include "common/check.h"

__managed__ int total;
__managed__ int table[4] = {1, 2, 3, 4};

__global__ void sum(const int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&total, x[i]);
    if (i < 4)
        table[i] *= 10;
}

__global__ void through_pointer(int *p)
{
    *p += 1;
}

int main(void)
{
    const int n = 1000;
    int *managed, *pinned, *mapped;

    CHECK(cudaMallocManaged(&managed, n * sizeof(int)));
    for (int i = 0; i < n; i++)
        managed[i] = i;
    total = 7;
    sum<<<4, 256>>>(managed, n);
    CHECK(cudaDeviceSynchronize());
    printf("total %d, table %d %d %d %d\n", total, table[0], table[1], table[2], table[3]);

    through_pointer<<<1, 1>>>(&total);
    through_pointer<<<1, 1>>>(managed + 5);
    CHECK(cudaDeviceSynchronize());
    printf("total %d, managed[5] %d\n", total, managed[5]);

    CHECK(cudaHostAlloc(&pinned, n * sizeof(int), cudaHostAllocMapped));
    for (int i = 0; i < n; i++)
        pinned[i] = 1;
    CHECK(cudaHostGetDevicePointer(&mapped, pinned, 0));
    total = 0;
    sum<<<4, 256>>>(mapped, n);
    CHECK(cudaDeviceSynchronize());
    printf("total %d\n", total);
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFree(managed));
    return 0;
}
