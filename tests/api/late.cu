/*
 * Work that the host has not waited for. What a device shows depends on the moment; the simulator does work as late as it
 * may, so that a missing wait shows. Before each line that ends in "late" a kernel sleeps for some tenth of a second, so
 * that a GPU is late, too.
 */
#include "common/check.h"

#include <condition_variable>
#include <mutex>
#include <thread>

__global__ void fill(int *p, int n, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = value;
}

/* A GPU sleeps for up to twice as long as it is told, or not at all: 100 ms on the average. */
__global__ void sleep_a_while(void)
{
    for (int i = 0; i < 100; i++)
        __nanosleep(1000000);
}

__global__ void raise_flag(volatile int *flag)
{
    *flag = 1;
}

static std::mutex mutex;
static std::condition_variable woken;
static bool called;

static void CUDART_CB wake(void *)
{
    std::lock_guard<std::mutex> lock(mutex);
    called = true;
    woken.notify_one();
}

int main(void)
{
    const int n = 1000;
    int *d, *pinned, *managed, pageable[n] = {0};
    cudaStream_t stream;
    cudaEvent_t event;

    CHECK(cudaMalloc(&d, n * sizeof(int)));
    CHECK(cudaMallocHost(&pinned, n * sizeof(int)));
    CHECK(cudaMallocManaged(&managed, n * sizeof(int)));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreate(&event));

    sleep_a_while<<<1, 1, 0, stream>>>();
    fill<<<8, 128, 0, stream>>>(managed, n, 7);
    printf("managed: %d, late\n", managed[5]);
    CHECK(cudaStreamSynchronize(stream));
    printf("managed: %d\n", managed[5]);

    pinned[5] = 0;
    sleep_a_while<<<1, 1, 0, stream>>>();
    fill<<<8, 128, 0, stream>>>(d, n, 8);
    CHECK(cudaMemcpyAsync(pinned, d, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaEventRecord(event, stream));
    printf("pinned: %d, late\n", pinned[5]);
    CHECK(cudaEventSynchronize(event));
    printf("pinned: %d\n", pinned[5]);

    pinned[5] = 1;
    sleep_a_while<<<1, 1, 0, stream>>>();
    CHECK(cudaMemcpyAsync(d, pinned, n * sizeof(int), cudaMemcpyHostToDevice, stream));
    pinned[5] = 2; /* too early */
    CHECK(cudaMemcpyAsync(pageable, d, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    printf("pinned source: %d, late\n", pageable[5]); /* pageable memory: the call has waited */

    pageable[5] = 3;
    CHECK(cudaMemcpyAsync(d, pageable, n * sizeof(int), cudaMemcpyHostToDevice, stream));
    pageable[5] = 4; /* read already */
    CHECK(cudaMemcpy(pageable, d, n * sizeof(int), cudaMemcpyDeviceToHost));
    printf("pageable source: %d\n", pageable[5]);

    CHECK(cudaLaunchHostFunc(stream, wake, NULL));
    {
        std::unique_lock<std::mutex> lock(mutex);
        woken.wait(lock, [] { return called; });
    }
    printf("woken by the host function\n");
    volatile int *flag = pinned;
    *flag = 0;
    raise_flag<<<1, 1, 0, stream>>>(pinned);
    while (*flag == 0)
        ;
    printf("woken by a word in pinned memory\n");
    CHECK(cudaDeviceSynchronize());
    return 0;
}
