/* What a bad launch returns: the error is there after the launch, is read once, and does no lasting harm. */
#include "common/check.h"

__global__ void plain(int *out)
{
    if (out != NULL)
        out[0] = 1;
}

__global__ void __launch_bounds__(128) bounded(int *out)
{
    if (out != NULL)
        out[0] = 1;
}

__global__ void with_shared(int *out)
{
    __shared__ int tile[1024];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (out != NULL)
        out[0] = tile[blockDim.x - 1 - threadIdx.x];
}

typedef void (*kernel_type)(int *);

/* `before`: what was returned before CUDA 13, which calls it cudaErrorInvalidValue. */
static void try_bad_launch(const char *what, cudaError_t before, kernel_type kernel, dim3 grid, dim3 block,
                           size_t shared)
{
    kernel<<<grid, block, shared>>>(NULL);
    cudaError_t error = cudaGetLastError(), again = cudaGetLastError();
    if (CUDART_VERSION < 13000)
        error = error == before ? cudaErrorInvalidValue : cudaErrorUnknown;
    printf("%-34s %s, then %s\n", what, cudaGetErrorName(error), cudaGetErrorName(again));
}

static void try_launch(const char *what, kernel_type kernel, dim3 grid, dim3 block, size_t shared)
{
    kernel<<<grid, block, shared>>>(NULL);
    cudaError_t error = cudaGetLastError(), again = cudaGetLastError();
    printf("%-34s %s, then %s\n", what, cudaGetErrorName(error), cudaGetErrorName(again));
}

static int optin_bytes(void)
{
    int bytes;
    CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    return bytes;
}

static void dimensions(void)
{
    try_launch("fine", plain, 1, 1, 0);
    try_bad_launch("no blocks", cudaErrorInvalidConfiguration, plain, 0, 32, 0);
    try_bad_launch("no threads", cudaErrorInvalidConfiguration, plain, 1, 0, 0);
    try_bad_launch("grid.y = 0", cudaErrorInvalidConfiguration, plain, dim3(1, 0), 32, 0);
    try_launch("1024 threads", plain, 1, 1024, 0);
    try_bad_launch("1025 threads", cudaErrorInvalidConfiguration, plain, 1, 1025, 0);
    try_bad_launch("32 x 33 threads", cudaErrorInvalidConfiguration, plain, 1, dim3(32, 33), 0);
    try_bad_launch("block.z = 65", cudaErrorInvalidConfiguration, plain, 1, dim3(1, 1, 65), 0);
    try_launch("grid.y = 65535", plain, dim3(1, 65535), 1, 0);
    try_bad_launch("grid.y = 65536", cudaErrorInvalidConfiguration, plain, dim3(1, 65536), 1, 0);
}

static void shared_memory(void)
{
    try_launch("48 KB of shared memory", plain, 1, 32, 49152);
    try_launch("one byte more", plain, 1, 32, 49153);
    try_launch("48 KB beside 4 KB", with_shared, 1, 32, 49152);
    try_launch("44 KB beside 4 KB", with_shared, 1, 32, 45056);
}

/* More than 48 KB, of which a device has `optin` bytes. */
static void shared_memory_asked_for(int optin)
{
    CHECK(cudaFuncSetAttribute(plain, cudaFuncAttributeMaxDynamicSharedMemorySize, optin));
    try_launch("all of it, asked for", plain, 1, 32, optin);
    try_launch("more than all of it", plain, 1, 32, optin + 1);
    printf("asking for too much: %s\n", cudaGetErrorName(cudaFuncSetAttribute(
                                            plain, cudaFuncAttributeMaxDynamicSharedMemorySize, optin + 1)));
    cudaGetLastError();
    printf("asking for too much beside 4 KB: %s\n",
           cudaGetErrorName(
               cudaFuncSetAttribute(with_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, optin - 4095)));
    cudaGetLastError();
    printf("asking for less than 0: %s\n",
           cudaGetErrorName(cudaFuncSetAttribute(plain, cudaFuncAttributeMaxDynamicSharedMemorySize, -1)));
    cudaGetLastError();
}

static void launch_bounds(void)
{
    try_launch("within launch bounds", bounded, 1, 128, 0);
    try_bad_launch("beyond launch bounds", cudaErrorLaunchOutOfResources, bounded, 1, 129, 0);
}

/* Peeking leaves the error where it is, reading it takes it away. */
static void peek_and_get(void)
{
    void *pointer;
    printf("out of memory: %s\n", cudaGetErrorName(cudaMalloc(&pointer, (size_t)1 << 50)));
    for (int i = 0; i < 2; i++)
        printf("peek: %s\n", cudaGetErrorName(cudaPeekAtLastError()));
    for (int i = 0; i < 2; i++)
        printf("get: %s\n", cudaGetErrorName(cudaGetLastError()));
}

int main(void)
{
    dimensions();
    shared_memory();
    shared_memory_asked_for(optin_bytes());
    launch_bounds();
    peek_and_get();
    CHECK(cudaDeviceSynchronize());
    return 0;
}
