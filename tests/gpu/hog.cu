/*
 * Something else that uses the GPU: build/tests/gpu/hog copy|compute|bursts SECONDS. copy: memory, in kernels of some
 * milliseconds one behind the other; compute: multiply-adds; bursts: copies for a tenth of a second, then nothing for
 * as long. For tests/gpu/busy.
 */
#include <string.h>
#include <time.h>

#include "common/check.h"

#define WORDS (64u << 20)

__global__ void copy_again(const uint4 *from, uint4 *to, unsigned count, int times)
{
    for (int k = 0; k < times; k++)
        for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
            to[i] = from[(i + k) % count];
}

__global__ void multiply_again(float *x, int times)
{
    float a = x[threadIdx.x];
    for (int k = 0; k < times; k++)
        a = a * 0.999f + 0.001f;
    x[blockIdx.x * blockDim.x + threadIdx.x] = a;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv)
{
    void *from, *to;
    const double begun = seconds(), limit = argc > 2 ? atof(argv[2]) : 10;
    const char *mode = argc > 1 ? argv[1] : "copy";
    const struct timespec tenth = {0, 100000000};
    CHECK(cudaMalloc(&from, 4ul * WORDS));
    CHECK(cudaMalloc(&to, 4ul * WORDS));
    CHECK(cudaMemset(from, 0, 4ul * WORDS));
    while (seconds() - begun < limit) {
        const double round = seconds();
        do {
            if (strcmp(mode, "compute") == 0)
                multiply_again<<<1056, 256>>>((float *)to, 1000000);
            else
                copy_again<<<1056, 256>>>((const uint4 *)from, (uint4 *)to, WORDS / 4, 20);
            CHECK(cudaGetLastError());
            CHECK(cudaDeviceSynchronize());
        } while (seconds() - round < 0.1);
        if (strcmp(mode, "bursts") == 0)
            nanosleep(&tenth, NULL);
    }
    return 0;
}
