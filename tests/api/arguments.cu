/* Kernels as C++ has them: templates, structures by value, mixed sizes, more than one launch interface. */
#include "common/check.h"

struct settings {
    char flag;
    double scale;
    int shift[3];
};

template <typename T, int N> __global__ void scaled(T *out, settings s, const T *in)
{
    if (threadIdx.x < N)
        out[threadIdx.x] = in[threadIdx.x] * (T)s.scale + (T)s.shift[2] + (T)s.flag;
}

__global__ void mixed(char a, long long b, short c, double d, float e, bool f, double *out)
{
    out[0] = a + b + c + d + e + f;
}

__global__ void geometry(int *out)
{
    if (threadIdx.x == 0 && threadIdx.y == 0 && blockIdx.x == gridDim.x - 1 && blockIdx.y == gridDim.y - 1) {
        out[0] = gridDim.x;
        out[1] = gridDim.y;
        out[2] = blockDim.x;
        out[3] = blockDim.y;
    }
}

template <typename T> static void run_scaled(const char *name)
{
    T h[4] = {1, 2, 3, 4}, *in, *out;
    settings s = {1, 2.0, {0, 0, 10}};

    CHECK(cudaMalloc(&in, sizeof(h)));
    CHECK(cudaMalloc(&out, sizeof(h)));
    CHECK(cudaMemcpy(in, h, sizeof(h), cudaMemcpyHostToDevice));
    scaled<T, 4><<<1, 32>>>(out, s, in);
    CHECK(cudaMemcpy(h, out, sizeof(h), cudaMemcpyDeviceToHost));
    printf("%s: %g %g %g %g\n", name, (double)h[0], (double)h[1], (double)h[2], (double)h[3]);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}

int main(void)
{
    double *out, h;
    int *shape, h_shape[4];

    run_scaled<float>("float");
    run_scaled<double>("double");
    run_scaled<int>("int");
    CHECK(cudaMalloc(&out, sizeof(double)));
    mixed<<<1, 1>>>(1, 1000000000000LL, -3, 0.5, 0.25f, true, out);
    CHECK(cudaMemcpy(&h, out, sizeof(h), cudaMemcpyDeviceToHost));
    printf("mixed: %.2f\n", h);

    CHECK(cudaMalloc(&shape, sizeof(h_shape)));
    void *arguments[] = {&shape};
    CHECK(cudaLaunchKernel((const void *)geometry, dim3(3, 2), dim3(4, 5), arguments, 0, 0));
    CHECK(cudaMemcpy(h_shape, shape, sizeof(h_shape), cudaMemcpyDeviceToHost));
    printf("geometry: %d x %d blocks of %d x %d\n", h_shape[0], h_shape[1], h_shape[2], h_shape[3]);

    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(7, 1);
    config.blockDim = dim3(2, 3);
    CHECK(cudaLaunchKernelEx(&config, geometry, shape));
    CHECK(cudaMemcpy(h_shape, shape, sizeof(h_shape), cudaMemcpyDeviceToHost));
    printf("geometry: %d x %d blocks of %d x %d\n", h_shape[0], h_shape[1], h_shape[2], h_shape[3]);
    CHECK(cudaFree(out));
    CHECK(cudaFree(shape));
    return 0;
}
