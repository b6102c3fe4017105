/* Advice about managed memory, and what can be asked about it afterwards. */
#include "common/check.h"

enum { PAGES = 4, PAGE = 65536 * 32 }; /* a driver may keep advice by larger pages: 2 MB are enough */

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

static int ask(enum cudaMemRangeAttribute attribute, const char *pointer, size_t size)
{
    int value = 12345;
    CHECK(cudaMemRangeGetAttribute(&value, sizeof value, attribute, pointer, size));
    return value;
}

static void show(const char *when, const char *x)
{
    const size_t all = (size_t)PAGES * PAGE;
    printf("%-20s read mostly %d, first part %d; preferred %d, first part %d; prefetched %d, first part %d\n",
           when, ask(cudaMemRangeAttributeReadMostly, x, all), ask(cudaMemRangeAttributeReadMostly, x, PAGE),
           ask(cudaMemRangeAttributePreferredLocation, x, all),
           ask(cudaMemRangeAttributePreferredLocation, x, PAGE),
           ask(cudaMemRangeAttributeLastPrefetchLocation, x, all),
           ask(cudaMemRangeAttributeLastPrefetchLocation, x, PAGE));
}

int main(void)
{
    const size_t all = (size_t)PAGES * PAGE;
    char *x, *device;
    int list[3] = {0, 0, 0};

    CHECK(cudaMallocManaged(&x, all));
    CHECK(cudaMalloc(&device, PAGE));
    show("nothing said:", x);
    CHECK(cudaMemAdvise(x, PAGE, cudaMemAdviseSetReadMostly, place(0)));
    CHECK(cudaMemAdvise(x, PAGE, cudaMemAdviseSetPreferredLocation, place(cudaCpuDeviceId)));
    CHECK(PREFETCH(x, PAGE, 0));
    show("the first part:", x);
    CHECK(cudaMemAdvise(x, all, cudaMemAdviseSetReadMostly, place(0)));
    CHECK(cudaMemAdvise(x, all, cudaMemAdviseSetPreferredLocation, place(0)));
    CHECK(PREFETCH(x, all, cudaCpuDeviceId));
    show("all of it:", x);
    CHECK(cudaMemAdvise(x, all, cudaMemAdviseUnsetReadMostly, place(0)));
    CHECK(cudaMemAdvise(x, all, cudaMemAdviseUnsetPreferredLocation, place(0)));
    CHECK(cudaMemAdvise(x, all, cudaMemAdviseSetAccessedBy, place(0)));
    show("taken back:", x);
    CHECK(cudaMemRangeGetAttribute(list, sizeof list, cudaMemRangeAttributeAccessedBy, x, all));
    printf("accessed by %d, %d, %d\n", list[0], list[1], list[2]);
    CHECK(cudaMemAdvise(x, all, cudaMemAdviseUnsetAccessedBy, place(0)));
    CHECK(cudaMemRangeGetAttribute(list, sizeof list, cudaMemRangeAttributeAccessedBy, x, all));
    printf("accessed by %d, %d, %d\n", list[0], list[1], list[2]);

    printf("memory of the device: %s\n",
           cudaGetErrorName(cudaMemAdvise(device, PAGE, cudaMemAdviseSetReadMostly, place(0))));
    printf("too much: %s\n",
           cudaGetErrorName(cudaMemAdvise(x, 2 * all, cudaMemAdviseSetReadMostly, place(0))));
    printf("a wrong size: %s\n",
           cudaGetErrorName(cudaMemRangeGetAttribute(list, 3, cudaMemRangeAttributeReadMostly, x, PAGE)));
    cudaGetLastError();
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(device));
    CHECK(cudaFree(x));
    return 0;
}
