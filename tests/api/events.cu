/* Timing with events: on a GPU measured, on the simulator modeled; either way it must make sense. */
#include "common/check.h"

__global__ void work(float *x, int n, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float y = x[i];
        for (int r = 0; r < rounds; r++)
            y = y * 0.999f + 0.001f;
        x[i] = y;
    }
}

static float time_of(float *x, int n, int rounds)
{
    cudaEvent_t start, end;
    float milliseconds;

    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventRecord(start));
    work<<<(n + 127) / 128, 128>>>(x, n, rounds);
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&milliseconds, start, end));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(end));
    return milliseconds;
}

int main(void)
{
    const int n = 1 << 15;
    float *x, *host, none, some, more;
    cudaEvent_t never;

    CHECK(cudaMalloc(&x, n * sizeof(float)));
    CHECK(cudaMemset(x, 0, n * sizeof(float)));
    time_of(x, n, 1); /* warm-up */
    none = time_of(x, n, 0);
    some = time_of(x, n, 100);
    more = time_of(x, n, 3000);
    printf("positive: %s; longer with more work: %s\n", none > 0 ? "yes" : "no",
           more > some && more > none ? "yes" : "no");
    CHECK(cudaMallocHost(&host, 64 * n * sizeof(float)));
    CHECK(cudaFree(x));
    CHECK(cudaMalloc(&x, 64 * n * sizeof(float)));
    CHECK(cudaMemset(x, 0, 64 * n * sizeof(float)));
    for (int i = 0; i < 64 * n; i++)
        host[i] = 0;
    printf("the host's memory takes longer: %s\n",
           time_of(host, 64 * n, 1) > 2 * time_of(x, 64 * n, 1) ? "yes" : "no");
    CHECK(cudaFreeHost(host));
    CHECK(cudaEventCreate(&never));
    printf("never recorded: %s\n", cudaGetErrorName(cudaEventElapsedTime(&none, never, never)));
    cudaGetLastError();
    CHECK(cudaEventDestroy(never));
    CHECK(cudaFree(x));
    return 0;
}
