/*
 * Memory pools, and allocations in stream order. The address is there at once; the memory is there, and goes, when it is
 * the call's turn in its stream: for work that nothing orders with that, it is as if the whole allocation were written.
 * Every allocation of the simulator is fresh, so a pool is no more than a count of its bytes and attributes that can be
 * set and read back.
 */
#include "sim/api/api_graph.h"
#include "sim/api/api_memory.h"
#include "sim/api/api_queue.h"
#include "sim/api/api_state.h"

#include <stdlib.h>
#include <string.h>

/* An allocation that came from a pool. */
struct api_pooled {
    void *pointer;
    size_t size;
    struct CUmemPoolHandle_st *pool; /* NULL: destroyed meanwhile */
    struct api_pooled *next;
};

static bool pool_valid(cudaMemPool_t pool)
{
    for (const struct CUmemPoolHandle_st *p = api.pools.list; p; p = p->next)
        if (p == pool)
            return true;
    return false;
}

static cudaError_t get_pool(cudaMemPool_t *out, cudaMemPool_t pool, int device)
{
    if (device != 0)
        return api_fail(cudaErrorInvalidDevice);
    if (!out)
        return api_fail(cudaErrorInvalidValue);
    *out = pool;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    API_ENTER(API_PLAIN);
    return get_pool(pool, &api.pools.standard, device);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    API_ENTER(API_PLAIN);
    return get_pool(pool, api.pools.current, device);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    API_ENTER(API_PLAIN);
    if (device != 0)
        return api_fail(cudaErrorInvalidDevice);
    if (!pool_valid(pool))
        return api_fail(cudaErrorInvalidValue);
    api.pools.current = pool;
    return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties)
{
    API_ENTER(API_PLAIN);
    if (!pool || !properties)
        return api_fail(cudaErrorInvalidValue);
    struct CUmemPoolHandle_st *created = malloc(sizeof *created);
    if (!created)
        return api_fail(cudaErrorMemoryAllocation);
    *created = (struct CUmemPoolHandle_st)API_NEW_POOL;
    created->next = api.pools.list;
    api.pools.list = created;
    *pool = created;
    return cudaSuccess;
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    API_ENTER(API_PLAIN);
    struct CUmemPoolHandle_st **link = &api.pools.list;
    while (*link && *link != pool)
        link = &(*link)->next;
    if (!*link || *link == &api.pools.standard)
        return api_fail(cudaErrorInvalidValue);
    *link = pool->next;
    if (api.pools.current == pool)
        api.pools.current = &api.pools.standard;
    for (struct api_pooled *one = api.pools.allocations; one; one = one->next)
        if (one->pool == pool)
            one->pool = NULL;
    free(pool);
    return cudaSuccess;
}

/* ---- attributes ---------------------------------------------------------------------------------------- */

static bool attribute_known(enum cudaMemPoolAttr attribute)
{
    return attribute >= cudaMemPoolReuseFollowEventDependencies && attribute <= cudaMemPoolAttrUsedMemHigh;
}

/* The three reuse policies are an int each, all others are 64 bits wide. */
static size_t attribute_size(enum cudaMemPoolAttr attribute)
{
    return attribute <= cudaMemPoolReuseAllowInternalDependencies ? sizeof(int) : sizeof(uint64_t);
}

/* Counts cannot be set; the highest ones can be set back to the present ones, by 0. */
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    API_ENTER(API_PLAIN);
    uint64_t wanted = 0;
    if (!pool_valid(pool) || !value || !attribute_known(attribute))
        return api_fail(cudaErrorInvalidValue);
    memcpy(&wanted, value, attribute_size(attribute));
    if (attribute <= cudaMemPoolAttrReleaseThreshold) {
        pool->attributes[attribute] = wanted;
        return cudaSuccess;
    }
    if (wanted != 0 ||
        (attribute != cudaMemPoolAttrReservedMemHigh && attribute != cudaMemPoolAttrUsedMemHigh))
        return api_fail_because(
            &call, cudaErrorInvalidValue,
            "how much memory a pool has cannot be set; only the highest counts can, to 0");
    pool->attributes[attribute] = pool->attributes[attribute - 1];
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    API_ENTER(API_PLAIN);
    if (!pool_valid(pool) || !value || !attribute_known(attribute))
        return api_fail(cudaErrorInvalidValue);
    memcpy(value, &pool->attributes[attribute], attribute_size(attribute));
    return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t least)
{
    API_ENTER(API_PLAIN);
    (void)least;
    return pool_valid(pool) ? cudaSuccess : api_fail(cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *access, size_t count)
{
    API_ENTER(API_PLAIN);
    (void)access, (void)count;
    return pool_valid(pool) ? cudaSuccess : api_fail(cudaErrorInvalidValue);
}

/* The device itself can always read and write what comes from a pool. */
cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
                                 struct cudaMemLocation *location)
{
    API_ENTER(API_PLAIN);
    if (!flags || !location || !pool_valid(pool))
        return api_fail(cudaErrorInvalidValue);
    if (location->type != cudaMemLocationTypeDevice || location->id != 0)
        return api_fail(cudaErrorInvalidDevice);
    *flags = cudaMemAccessFlagsProtReadWrite;
    return cudaSuccess;
}

#if CUDART_VERSION >= 13000
static bool is_device_memory(const struct cudaMemLocation *location, enum cudaMemAllocationType type)
{
    return location && location->type == cudaMemLocationTypeDevice && location->id == 0 &&
           type == cudaMemAllocationTypePinned;
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *pool, struct cudaMemLocation *location,
                                     enum cudaMemAllocationType type)
{
    API_ENTER(API_PLAIN);
    if (!is_device_memory(location, type))
        return api_fail_because(&call, cudaErrorNotSupported, "the simulator has pools of device 0 only");
    return get_pool(pool, &api.pools.standard, 0);
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t *pool, struct cudaMemLocation *location,
                              enum cudaMemAllocationType type)
{
    API_ENTER(API_PLAIN);
    if (!is_device_memory(location, type))
        return api_fail_because(&call, cudaErrorNotSupported, "the simulator has pools of device 0 only");
    return get_pool(pool, api.pools.current, 0);
}

cudaError_t cudaMemSetMemPool(struct cudaMemLocation *location, enum cudaMemAllocationType type,
                              cudaMemPool_t pool)
{
    API_ENTER(API_PLAIN);
    if (!is_device_memory(location, type))
        return api_fail_because(&call, cudaErrorNotSupported, "the simulator has pools of device 0 only");
    if (!pool_valid(pool))
        return api_fail(cudaErrorInvalidValue);
    api.pools.current = pool;
    return cudaSuccess;
}
#endif

/* ---- allocations --------------------------------------------------------------------------------------- */

/* Reserved and used bytes are the same: nothing is kept that is not used. */
static void count_bytes(struct CUmemPoolHandle_st *pool, size_t more, size_t less)
{
    for (int current = cudaMemPoolAttrReservedMemCurrent; current <= cudaMemPoolAttrUsedMemCurrent;
         current += 2) {
        uint64_t *bytes = &pool->attributes[current], *high = &pool->attributes[current + 1];
        *bytes += more - less;
        *high = *bytes > *high ? *bytes : *high;
    }
}

void api_pool_forget(const void *pointer)
{
    struct api_pooled **link = &api.pools.allocations, *found;
    while (*link && (*link)->pointer != pointer)
        link = &(*link)->next;
    found = *link;
    if (!found)
        return;
    if (found->pool)
        count_bytes(found->pool, 0, found->size);
    *link = found->next;
    free(found);
}

void api_pool_forget_all(void)
{
    while (api.pools.allocations)
        api_pool_forget(api.pools.allocations->pointer);
}

/* On a device they would become nodes of the graph, which allocate and free whenever it is launched. */
static cudaError_t refuse_capture(const struct api_call *call, cudaStream_t stream)
{
    struct CUgraph_st *graph = api_stream_capture(stream);
    if (!graph)
        return cudaSuccess;
    api_spoil_capture(graph);
    return api_fail_because(
        call, cudaErrorNotSupported,
        "the simulator does not capture allocations into graphs: allocate before the capture, "
        "and free after the last launch");
}

static void touch_all(const struct api_work *work)
{
    if (work->touched)
        touched_add(work->touched, TOUCH_WRITE, (uintptr_t)work->pointer, work->size);
}

static void run_free(struct api_work *work)
{
    struct api_call call = {work->name, cudaSuccess, work->caller, work->outer, NULL};
    touch_all(work);
    api_free(&call, work->pointer);
}

static void run_malloc(struct api_work *work)
{
    touch_all(work);
}

static void queue_memory(const struct api_call *call, void *pointer, size_t size, struct CUstream_st *stream,
                         void (*run)(struct api_work *))
{
    struct api_work *work = api_queue_new(call, stream, run);
    work->pointer = pointer;
    work->size = size;
    api_queue_add(work);
}

static cudaError_t malloc_from(const struct api_call *call, void **pointer, size_t size,
                               struct CUmemPoolHandle_st *pool, cudaStream_t stream)
{
    if (!api_stream_valid(stream))
        return api_fail(cudaErrorInvalidResourceHandle);
    cudaError_t error = refuse_capture(call, stream);
    if (error == cudaSuccess)
        error = api_malloc(call, pointer, size);
    if (error != cudaSuccess || !*pointer)
        return error;
    struct api_pooled *one = malloc(sizeof *one);
    if (!one) {
        api_free(call, *pointer);
        return api_fail(cudaErrorMemoryAllocation);
    }
    *one = (struct api_pooled){*pointer, size, pool, api.pools.allocations};
    api.pools.allocations = one;
    count_bytes(pool, size, 0);
    queue_memory(call, *pointer, size, api_find_stream(stream), run_malloc);
    return cudaSuccess;
}

cudaError_t cudaMallocAsync(void **pointer, size_t size, cudaStream_t stream)
{
    API_ENTER(API_PLAIN);
    return malloc_from(&call, pointer, size, api.pools.current, stream);
}
API_PER_THREAD(cudaMallocAsync, ptsz, (void **pointer, size_t size, cudaStream_t stream),
               (pointer, size, stream))

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream)
{
    API_ENTER(API_PLAIN);
    if (!pool_valid(pool))
        return api_fail(cudaErrorInvalidValue);
    return malloc_from(&call, pointer, size, pool, stream);
}
API_PER_THREAD(cudaMallocFromPoolAsync, ptsz,
               (void **pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream),
               (pointer, size, pool, stream))

/* cudaFreeAsync has been called for it, and is not done yet. */
static bool is_being_freed(const void *pointer)
{
    for (const struct api_work *work = api.queue.first; work; work = work->next)
        if (work->run == run_free && work->pointer == pointer)
            return true;
    return false;
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    API_ENTER(API_PLAIN);
    if (!api_stream_valid(stream))
        return api_fail(cudaErrorInvalidResourceHandle);
    cudaError_t error = refuse_capture(&call, stream);
    if (error != cudaSuccess || !pointer)
        return error;
    const struct sim_allocation *found = sim_mem_find(api.sim, (sim_addr)(uintptr_t)pointer);
    if (!found || found->freed || found->address != (sim_addr)(uintptr_t)pointer ||
        !sim_mem_is_device(api.sim, pointer) || is_being_freed(pointer))
        return api_free_failed(&call, pointer);
    queue_memory(&call, pointer, found->size, api_find_stream(stream), run_free);
    return cudaSuccess;
}
API_PER_THREAD(cudaFreeAsync, ptsz, (void *pointer, cudaStream_t stream), (pointer, stream))
