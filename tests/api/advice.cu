/* Advice about managed memory, and prefetching: what is taken, and what is refused. */
#include "common/check.h"

enum { PAGES = 4, PAGE = 65536 * 32 };

#if CUDART_VERSION >= 13000
static struct cudaMemLocation place(int device)
{
    struct cudaMemLocation location;
    location.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
    location.id = device == cudaCpuDeviceId ? 0 : device;
    return location;
}
#define PREFETCH(pointer, size, device) cudaMemPrefetchAsync(pointer, size, place(device), 0, 0)
#else
static int place(int device)
{
    return device;
}
#define PREFETCH(pointer, size, device) cudaMemPrefetchAsync(pointer, size, device, 0)
#endif

int main(void)
{
    const size_t all = (size_t)PAGES * PAGE;
    char *x, *device;

    CHECK(cudaMallocManaged(&x, all));
    CHECK(cudaMalloc(&device, PAGE));
    CHECK(cudaMemAdvise(x, PAGE, cudaMemAdviseSetReadMostly, place(0)));
    CHECK(cudaMemAdvise(x, PAGE, cudaMemAdviseSetPreferredLocation, place(cudaCpuDeviceId)));
    CHECK(PREFETCH(x, PAGE, 0));
    CHECK(PREFETCH(x, all, cudaCpuDeviceId));
    CHECK(cudaMemAdvise(x, all, cudaMemAdviseUnsetReadMostly, place(0)));
    CHECK(cudaMemAdvise(x, all, cudaMemAdviseUnsetPreferredLocation, place(0)));
    CHECK(cudaMemAdvise(x, all, cudaMemAdviseSetAccessedBy, place(0)));
    CHECK(cudaMemAdvise(x, all, cudaMemAdviseUnsetAccessedBy, place(0)));

    printf("memory of the device: %s\n",
           cudaGetErrorName(cudaMemAdvise(device, PAGE, cudaMemAdviseSetReadMostly, place(0))));
    printf("too much: %s\n",
           cudaGetErrorName(cudaMemAdvise(x, 2 * all, cudaMemAdviseSetReadMostly, place(0))));
    cudaGetLastError();
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(device));
    CHECK(cudaFree(x));
    return 0;
}
