/* All blocks meet in the middle: cudaLaunchCooperativeKernel and grid.sync(). */
#include "common/check.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void rotate_twice(int *x, int *y, int n)
{
    cg::grid_group grid = cg::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[(i + 1) % n] = x[i];
    grid.sync();
    if (i < n)
        x[(i + 1) % n] = y[i];
}

int main(void)
{
    const int n = 1000;
    int h[n], *x, *y, wrong = 0, size = n, blocks;
    void *arguments[] = {&x, &y, &size};
    cudaDeviceProp p;

    for (int i = 0; i < n; i++)
        h[i] = i;
    CHECK(cudaGetDeviceProperties(&p, 0));
    CHECK(cudaMalloc(&x, sizeof(h)));
    CHECK(cudaMalloc(&y, sizeof(h)));
    CHECK(cudaMemcpy(x, h, sizeof(h), cudaMemcpyHostToDevice));
    CHECK(cudaLaunchCooperativeKernel((const void *)rotate_twice, dim3((n + 127) / 128), dim3(128), arguments,
                                      0, 0));
    CHECK(cudaMemcpy(h, x, sizeof(h), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        wrong += h[i] != (i + n - 2) % n;
    printf("cooperative launch: %d, %d wrong\n", p.cooperativeLaunch, wrong);

    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, rotate_twice, 128, 0));
    blocks = blocks * p.multiProcessorCount + 1;
    printf("one block too many: %s\n",
           cudaGetErrorName(cudaLaunchCooperativeKernel((const void *)rotate_twice, dim3(blocks), dim3(128),
                                                        arguments, 0, 0)));
    printf("it leaves: %s\n", cudaGetErrorName(cudaGetLastError()));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
    return 0;
}
