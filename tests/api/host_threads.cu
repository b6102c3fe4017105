/* Several host threads with a stream and a last error of their own. */
#include "common/check.h"

#include <thread>

__global__ void fill(int *x, int n, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = value;
}

static void worker(int id, int *wrong)
{
    const int n = 500;
    int h[n], *x;
    cudaStream_t stream;

    if (id == 0)
        cudaSetDevice(99); /* its error belongs to this thread alone */
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMalloc(&x, sizeof(h)));
    for (int round = 0; round < 5; round++) {
        fill<<<4, 128, 0, stream>>>(x, n, 10 * id + round);
        CHECK(cudaMemcpyAsync(h, x, sizeof(h), cudaMemcpyDeviceToHost, stream));
        CHECK(cudaStreamSynchronize(stream));
        for (int i = 0; i < n; i++)
            *wrong += h[i] != 10 * id + round;
    }
    if (cudaGetLastError() != (id == 0 ? cudaErrorInvalidDevice : cudaSuccess))
        *wrong += 1000000;
    CHECK(cudaFree(x));
    CHECK(cudaStreamDestroy(stream));
}

int main(void)
{
    int wrong[4] = {0, 0, 0, 0};
    std::thread *threads[4];

    for (int i = 0; i < 4; i++)
        threads[i] = new std::thread(worker, i, &wrong[i]);
    for (int i = 0; i < 4; i++) {
        threads[i]->join();
        delete threads[i];
    }
    printf("%d %d %d %d wrong\n", wrong[0], wrong[1], wrong[2], wrong[3]);
    return 0;
}
