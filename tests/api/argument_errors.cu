/* What calls with bad arguments return; none of it does lasting harm. */
#include "common/check.h"

#include <stdlib.h>

__device__ int symbol[4];

__global__ void kernel(int *x, char c, double d)
{
    if (x != NULL)
        *x = c + (int)d;
}

static int host_variable[4];

static void say(const char *what, cudaError_t error)
{
    cudaError_t last = cudaGetLastError();
    printf("%-44s %s%s\n", what, cudaGetErrorName(error), last == error ? "" : ", and another last error");
}

static void memory(void)
{
    void *device, *pinned, *pointer, *host = calloc(1, 4096);

    CHECK(cudaMalloc(&device, 256));
    CHECK(cudaMallocHost(&pinned, 4096));
    say("cudaMalloc, nowhere to put the pointer", cudaMalloc((void **)NULL, 4));
    say("cudaFree of nothing", cudaFree(NULL));
    say("cudaFree of host memory", cudaFree(host));
    say("cudaFree of a pointer into an allocation", cudaFree((char *)device + 4));
    say("cudaFreeHost of nothing", cudaFreeHost(NULL));
    say("cudaFreeHost of memory from malloc", cudaFreeHost(host));
    say("cudaHostAlloc, unknown flags", cudaHostAlloc(&pointer, 4, 0x80));
    say("cudaMallocManaged of 0 bytes", cudaMallocManaged(&pointer, 0));
    say("cudaMallocManaged, no flags", cudaMallocManaged(&pointer, 4, 0));
    say("cudaHostRegister", cudaHostRegister(host, 4096, cudaHostRegisterDefault));
    say("cudaHostRegister again", cudaHostRegister(host, 4096, cudaHostRegisterDefault));
    say("cudaHostUnregister", cudaHostUnregister(host));
    say("cudaHostUnregister again", cudaHostUnregister(host));
    say("cudaHostRegister of 0 bytes", cudaHostRegister(host, 0, cudaHostRegisterDefault));
    say("cudaHostGetDevicePointer, ordinary memory", cudaHostGetDevicePointer(&pointer, host, 0));
    say("cudaHostGetDevicePointer, flags", cudaHostGetDevicePointer(&pointer, pinned, 1));
    CHECK(cudaFree(device));
    say("cudaFree twice", cudaFree(device));
    CHECK(cudaFreeHost(pinned));
    say("cudaFreeHost twice", cudaFreeHost(pinned));
    free(host);
}

static void copies(void)
{
    int *device, host[64] = {0};

    CHECK(cudaMalloc(&device, 256));
    say("cudaMemcpy of nothing to nowhere", cudaMemcpy(NULL, NULL, 0, cudaMemcpyHostToDevice));
    say("cudaMemcpy to nowhere", cudaMemcpy(NULL, host, 4, cudaMemcpyHostToDevice));
    say("cudaMemcpy, no direction", cudaMemcpy(device, host, 4, (enum cudaMemcpyKind)9));
    say("cudaMemcpy2D of no rows", cudaMemcpy2D(device, 16, host, 16, 16, 0, cudaMemcpyHostToDevice));
    say("cudaMemcpy2D, rows wider than the pitch",
        cudaMemcpy2D(device, 8, host, 16, 16, 2, cudaMemcpyHostToDevice));
    say("cudaMemset2D, rows wider than the pitch", cudaMemset2D(device, 8, 0, 16, 2));
    say("cudaMemset of nothing", cudaMemset(device, 0, 0));
    say("cudaMemset of nowhere", cudaMemset(NULL, 0, 4));
    say("cudaMemset of host memory", cudaMemset(host, 0, 4));
    say("cudaMemcpyToSymbol", cudaMemcpyToSymbol(symbol, host, 16));
    say("cudaMemcpyToSymbol, too much", cudaMemcpyToSymbol(symbol, host, 17));
    say("cudaMemcpyToSymbol, too far", cudaMemcpyToSymbol(symbol, host, 16, 4));
    say("cudaMemcpyToSymbol, wrong direction",
        cudaMemcpyToSymbol(symbol, host, 16, 0, cudaMemcpyDeviceToHost));
    say("cudaMemcpyFromSymbol, wrong direction",
        cudaMemcpyFromSymbol(host, symbol, 16, 0, cudaMemcpyHostToDevice));
    say("cudaMemcpyToSymbol, no symbol", cudaMemcpyToSymbol(host_variable, host, 16));
    CHECK(cudaFree(device));
}

static void streams_and_events(void)
{
    cudaStream_t stream, no_stream;
    cudaEvent_t first, second, untimed, none;
    float ms;

    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreate(&first));
    CHECK(cudaEventCreate(&second));
    CHECK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    say("cudaStreamCreateWithFlags, unknown flags", cudaStreamCreateWithFlags(&no_stream, 6));
    say("cudaEventCreateWithFlags, unknown flags", cudaEventCreateWithFlags(&none, 0x80));
    say("cudaEventInterprocess with timing", cudaEventCreateWithFlags(&none, cudaEventInterprocess));
    say("cudaEventQuery, never recorded", cudaEventQuery(first));
    say("cudaEventSynchronize, never recorded", cudaEventSynchronize(first));
    say("cudaStreamWaitEvent, never recorded", cudaStreamWaitEvent(stream, first, 0));
    say("cudaStreamWaitEvent, unknown flags", cudaStreamWaitEvent(stream, first, 8));
    say("cudaEventRecordWithFlags, unknown flags", cudaEventRecordWithFlags(first, stream, 8));
    say("cudaEventElapsedTime, never recorded", cudaEventElapsedTime(&ms, first, second));
    CHECK(cudaEventRecord(first, stream));
    CHECK(cudaEventRecord(untimed, stream));
    CHECK(cudaStreamSynchronize(stream));
    say("cudaEventElapsedTime, no timing", cudaEventElapsedTime(&ms, first, untimed));
    say("cudaEventQuery, over", cudaEventQuery(untimed));
    say("cudaStreamQuery, nothing to do", cudaStreamQuery(stream));
    CHECK(cudaEventDestroy(first));
    CHECK(cudaEventDestroy(second));
    CHECK(cudaEventDestroy(untimed));
    CHECK(cudaStreamDestroy(stream));
}

static void devices(void)
{
    cudaDeviceProp p;
    int value;

    say("cudaSetDevice(-1)", cudaSetDevice(-1));
    say("cudaSetDevice(99)", cudaSetDevice(99));
    say("cudaGetDeviceProperties of device 99", cudaGetDeviceProperties(&p, 99));
    say("cudaDeviceGetAttribute of device 99",
        cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 99));
    say("cudaDeviceGetAttribute, unknown one",
        cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)100000, 0));
    say("cudaDeviceEnablePeerAccess to itself", cudaDeviceEnablePeerAccess(0, 0));
    say("cudaDeviceGetP2PAttribute with itself",
        cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 0));
    say("cudaSetDeviceFlags, unknown ones", cudaSetDeviceFlags(0x10000));
    printf("%s; %s\n", cudaGetErrorName((cudaError_t)12345), cudaGetErrorString((cudaError_t)12345));
}

/* Another error since CUDA 13. */
static void say_no_kernel(const char *what, cudaError_t error)
{
    const cudaError_t expected =
        CUDART_VERSION >= 13000 ? cudaErrorInvalidResourceHandle : cudaErrorInvalidDeviceFunction;
    printf("%s: %s\n", what, error == expected ? "refused" : cudaGetErrorName(error));
    cudaGetLastError();
}

static void kernels(void)
{
    cudaFuncAttributes attributes;

    say_no_kernel("cudaFuncGetAttributes of no kernel",
                  cudaFuncGetAttributes(&attributes, (const void *)memory));
    say("cudaFuncSetAttribute, unknown one", cudaFuncSetAttribute(kernel, (enum cudaFuncAttribute)5, 1));
    say("cudaFuncSetAttribute, 101 per cent",
        cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
    say("cudaFuncSetAttribute, as it likes",
        cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, -1));
    say("cudaFuncSetCacheConfig", cudaFuncSetCacheConfig(kernel, cudaFuncCachePreferShared));
    say_no_kernel("cudaLaunchKernel of no kernel",
                  cudaLaunchKernel((const void *)memory, dim3(1), dim3(1), NULL, 0, 0));
}

int main(void)
{
    memory();
    copies();
    streams_and_events();
    devices();
    kernels();
    CHECK(cudaDeviceSynchronize());
    return 0;
}
