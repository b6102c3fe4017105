/* Memory in stream order: cudaMallocAsync, pools of one's own, their attributes and counts. */
#include "common/check.h"

#include <string.h>

enum { MEGABYTE = 1 << 20 };

__global__ void fill(int *x, int value)
{
    x[threadIdx.x] = value;
}

static unsigned long long count(cudaMemPool_t pool, enum cudaMemPoolAttr attribute)
{
    unsigned long long value = 0;
    CHECK(cudaMemPoolGetAttribute(pool, attribute, &value));
    return value / MEGABYTE;
}

static int policy(cudaMemPool_t pool, enum cudaMemPoolAttr attribute)
{
    int value = -1;
    CHECK(cudaMemPoolGetAttribute(pool, attribute, &value));
    return value;
}

static void show(const char *when, cudaMemPool_t pool)
{
    printf("%-24s %llu MB used, at most %llu; as much is reserved: %s\n", when,
           count(pool, cudaMemPoolAttrUsedMemCurrent), count(pool, cudaMemPoolAttrUsedMemHigh),
           count(pool, cudaMemPoolAttrReservedMemCurrent) >= count(pool, cudaMemPoolAttrUsedMemCurrent)
               ? "yes"
               : "no");
}

static cudaMemPool_t the_usual_pool(void)
{
    cudaMemPool_t usual, current;
    CHECK(cudaDeviceGetDefaultMemPool(&usual, 0));
    CHECK(cudaDeviceGetMemPool(&current, 0));
    printf("the current pool is the default one: %s\n", usual == current ? "yes" : "no");
    printf("reuse: %d %d %d; threshold %llu\n", policy(usual, cudaMemPoolReuseFollowEventDependencies),
           policy(usual, cudaMemPoolReuseAllowOpportunistic),
           policy(usual, cudaMemPoolReuseAllowInternalDependencies),
           count(usual, cudaMemPoolAttrReleaseThreshold));
    return usual;
}

static cudaMemPool_t a_pool_of_its_own(void)
{
    cudaMemPool_t own;
    cudaMemPoolProps properties;
    unsigned long long threshold = 64 * MEGABYTE;
    memset(&properties, 0, sizeof properties);
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    CHECK(cudaMemPoolCreate(&own, &properties));
    CHECK(cudaMemPoolSetAttribute(own, cudaMemPoolAttrReleaseThreshold, &threshold));
    printf("threshold %llu MB\n", count(own, cudaMemPoolAttrReleaseThreshold));
    show("a new pool:", own);
    return own;
}

static void allocate_and_free(cudaMemPool_t own, cudaStream_t stream)
{
    int *a, *b, h[32];
    unsigned long long zero = 0;
    CHECK(cudaMallocFromPoolAsync((void **)&a, 4 * MEGABYTE, own, stream));
    CHECK(cudaMallocFromPoolAsync((void **)&b, 2 * MEGABYTE, own, stream));
    show("two allocations:", own);
    fill<<<1, 32, 0, stream>>>(a, 5);
    fill<<<1, 32, 0, stream>>>(b, 6);
    CHECK(cudaMemcpyAsync(h, a, sizeof h, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaFreeAsync(a, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("%d %d\n", h[0], h[31]);
    show("one freed:", own);
    CHECK(cudaMemPoolSetAttribute(own, cudaMemPoolAttrUsedMemHigh, &zero));
    show("the highest count anew:", own);
    printf("a count cannot be set: %s\n",
           cudaGetErrorName(cudaMemPoolSetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &zero)));
    cudaGetLastError();
    CHECK(cudaFree(b));
    show("cudaFree does, too:", own);
}

static void make_it_current(cudaMemPool_t own, cudaStream_t stream)
{
    int *a;
    CHECK(cudaDeviceSetMemPool(0, own));
    CHECK(cudaMallocAsync((void **)&a, MEGABYTE, stream));
    show("the current pool's:", own);
    CHECK(cudaFreeAsync(a, stream));
    CHECK(cudaStreamSynchronize(stream));
}

static void show_access(cudaMemPool_t own)
{
    enum cudaMemAccessFlags flags;
    struct cudaMemLocation here;
    here.type = cudaMemLocationTypeDevice;
    here.id = 0;
    CHECK(cudaMemPoolGetAccess(&flags, own, &here));
    printf("the device may read and write: %s\n", flags == cudaMemAccessFlagsProtReadWrite ? "yes" : "no");
}

int main(void)
{
    cudaStream_t stream;
    cudaMemPool_t usual = the_usual_pool(), current;
    CHECK(cudaStreamCreate(&stream));
    cudaMemPool_t own = a_pool_of_its_own();
    allocate_and_free(own, stream);
    show_access(own);
    make_it_current(own, stream);
    CHECK(cudaMemPoolTrimTo(own, 0));
    CHECK(cudaMemPoolDestroy(own));
    CHECK(cudaDeviceGetMemPool(&current, 0));
    printf("after its end the default one is current: %s\n", usual == current ? "yes" : "no");
    CHECK(cudaStreamDestroy(stream));
    return 0;
}
