/* What the program needs on the device beside the kernels that it times. */
#include "tests/gpu/kernels/kernels.h"
#include "tests/gpu/kernels/device.h"

static __global__ void fill(float *x, unsigned *u)
{
    for (unsigned i = INDEX; i < MODEL_RANDOM; i += gridDim.x * blockDim.x) {
        unsigned z = (i + 1) * 2654435761u;
        z = (z ^ z >> 15) * 2246822519u;
        z = (z ^ z >> 13) * 3266489917u;
        z ^= z >> 16;
        u[i] = z;
        x[i] = 0.5f + (z >> 8) * 0x1p-24f;
    }
}

void model_fill(float *x, unsigned *u)
{
    fill<<<1024, 256>>>(x, u);
}

static __global__ void keys(const unsigned *u, unsigned *p)
{
    for (unsigned i = INDEX; i < MODEL_RANDOM; i += gridDim.x * blockDim.x) {
        p[i] = u[i] >> 24;
    }
}

void model_keys(const unsigned *u, unsigned *p)
{
    keys<<<1024, 256>>>(u, p);
}

static __global__ void wait_clocks(long long clocks)
{
    const long long begin = clock64();
    while (clock64() - begin < clocks) {
    }
}

void model_delay(double milliseconds)
{
    wait_clocks<<<1, 1>>>((long long)(milliseconds * 2e6));
}
