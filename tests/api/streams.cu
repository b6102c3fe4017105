/* Work in chunks on several streams, pinned memory, an event between streams, a host function. */
#include "common/check.h"

__global__ void square(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= x[i];
}

static void say(void *text)
{
    printf("host function: %s\n", (const char *)text);
}

int main(void)
{
    const int streams = 3, chunk = 1000;
    cudaStream_t stream[streams];
    cudaEvent_t copied;
    float *h, *d;
    int wrong = 0;
    static char text[] = "all chunks are back";

    CHECK(cudaMallocHost(&h, streams * chunk * sizeof(float)));
    CHECK(cudaMalloc(&d, streams * chunk * sizeof(float)));
    CHECK(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));
    for (int i = 0; i < streams * chunk; i++)
        h[i] = i;
    for (int s = 0; s < streams; s++) {
        float *h_part = h + s * chunk, *d_part = d + s * chunk;
        CHECK(cudaStreamCreateWithFlags(&stream[s], s == 0 ? cudaStreamDefault : cudaStreamNonBlocking));
        CHECK(cudaMemcpyAsync(d_part, h_part, chunk * sizeof(float), cudaMemcpyHostToDevice, stream[s]));
        square<<<(chunk + 63) / 64, 64, 0, stream[s]>>>(d_part, chunk);
        CHECK(cudaMemcpyAsync(h_part, d_part, chunk * sizeof(float), cudaMemcpyDeviceToHost, stream[s]));
        CHECK(cudaEventRecord(copied, stream[s]));
        if (s > 0)
            CHECK(cudaStreamWaitEvent(stream[0], copied, 0));
    }
    CHECK(cudaLaunchHostFunc(stream[0], say, text));
    for (int s = 0; s < streams; s++)
        CHECK(cudaStreamSynchronize(stream[s]));
    for (int i = 0; i < streams * chunk; i++)
        wrong += h[i] != (float)i * i;
    printf("%d wrong\n", wrong);
    for (int s = 0; s < streams; s++)
        CHECK(cudaStreamDestroy(stream[s]));
    CHECK(cudaEventDestroy(copied));
    CHECK(cudaFree(d));
    CHECK(cudaFreeHost(h));
    return 0;
}
