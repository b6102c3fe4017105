/* Advice about managed memory, and prefetching. Nothing moves here, so that nothing follows from either. */
#include "sim/api/api_memory.h"
#include "sim/api/api_state.h"

/* Where a page shall lie or be sent: neither, the host, or device 0. */
enum place_of_page { LOCATION_NONE, LOCATION_HOST, LOCATION_DEVICE };

/* [pointer, pointer + size) must lie inside of one managed block. */
static cudaError_t check_range(const struct api_call *call, const void *pointer, size_t size)
{
    const struct api_host_block *block = api_find_host_block(pointer);
    if (!block || block->kind != API_HOST_MANAGED)
        return api_fail_because(call, cudaErrorInvalidValue, "%p is not managed memory", pointer);
    const size_t offset = (size_t)((const char *)pointer - block->start);
    if (size == 0 || size > block->size - offset)
        return api_fail_because(call, cudaErrorInvalidValue,
                                "%zu bytes from byte %zu on: the managed memory there has %zu bytes", size,
                                offset, block->size);
    return cudaSuccess;
}

static cudaError_t advise(const struct api_call *call, const void *pointer, size_t size,
                          enum cudaMemoryAdvise advice, enum place_of_page location)
{
    const bool needs_location = advice == cudaMemAdviseSetPreferredLocation ||
                                advice == cudaMemAdviseSetAccessedBy ||
                                advice == cudaMemAdviseUnsetAccessedBy;
    if ((int)advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy)
        return api_fail_because(call, cudaErrorInvalidValue, "%d is not an advice", (int)advice);
    if (needs_location && location == LOCATION_NONE)
        return api_fail_because(call, cudaErrorInvalidDevice, "the only device is device 0");
    return check_range(call, pointer, size);
}

static cudaError_t prefetch(const struct api_call *call, const void *pointer, size_t size,
                            enum place_of_page location, cudaStream_t stream)
{
    if (!api_stream_valid(stream))
        return api_fail(cudaErrorInvalidResourceHandle);
    if (location == LOCATION_NONE)
        return api_fail_because(call, cudaErrorInvalidDevice, "the only device is device 0");
    return check_range(call, pointer, size);
}

/* Until 12.x the place is a device's number; from 12.2 on there is a second form with a cudaMemLocation. */
#if CUDART_VERSION >= 12020
static enum place_of_page location_from(struct cudaMemLocation location)
{
    return location.type == cudaMemLocationTypeHost                         ? LOCATION_HOST
           : location.type == cudaMemLocationTypeDevice && location.id == 0 ? LOCATION_DEVICE
                                                                            : LOCATION_NONE;
}

#if CUDART_VERSION >= 13000
cudaError_t cudaMemAdvise(const void *pointer, size_t size, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location)
#else
cudaError_t cudaMemAdvise_v2(const void *pointer, size_t size, enum cudaMemoryAdvise advice,
                             struct cudaMemLocation location)
#endif
{
    API_ENTER(API_PLAIN);
    return advise(&call, pointer, size, advice, location_from(location));
}

#if CUDART_VERSION >= 13000
cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t size, struct cudaMemLocation location,
                                 unsigned flags, cudaStream_t stream)
#else
cudaError_t cudaMemPrefetchAsync_v2(const void *pointer, size_t size, struct cudaMemLocation location,
                                    unsigned flags, cudaStream_t stream)
#endif
{
    API_ENTER(API_PLAIN);
    if (flags != 0)
        return api_fail(cudaErrorInvalidValue);
    return prefetch(&call, pointer, size, location_from(location), stream);
}
#endif

#if CUDART_VERSION < 13000
static enum place_of_page location_of(int device)
{
    return device == cudaCpuDeviceId ? LOCATION_HOST : device == 0 ? LOCATION_DEVICE : LOCATION_NONE;
}

cudaError_t cudaMemAdvise(const void *pointer, size_t size, enum cudaMemoryAdvise advice, int device)
{
    API_ENTER(API_PLAIN);
    return advise(&call, pointer, size, advice, location_of(device));
}

cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t size, int device, cudaStream_t stream)
{
    API_ENTER(API_PLAIN);
    return prefetch(&call, pointer, size, location_of(device), stream);
}
#endif
#if CUDART_VERSION >= 12020 && CUDART_VERSION < 13000
API_PER_THREAD(cudaMemPrefetchAsync_v2, ptsz,
               (const void *pointer, size_t size, struct cudaMemLocation location, unsigned flags,
                cudaStream_t stream),
               (pointer, size, location, flags, stream))
#endif
#if CUDART_VERSION >= 13000
API_PER_THREAD(cudaMemPrefetchAsync, ptsz,
               (const void *pointer, size_t size, struct cudaMemLocation location, unsigned flags,
                cudaStream_t stream),
               (pointer, size, location, flags, stream))
#else
API_PER_THREAD(cudaMemPrefetchAsync, ptsz,
               (const void *pointer, size_t size, int device, cudaStream_t stream),
               (pointer, size, device, stream))
#endif

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t size, unsigned flags)
{
    API_ENTER(API_PLAIN);
    (void)flags;
    if (!api_stream_valid(stream))
        return api_fail(cudaErrorInvalidResourceHandle);
    return check_range(&call, pointer, size > 0 ? size : 1); /* 0: all of it */
}
API_PER_THREAD(cudaStreamAttachMemAsync, ptsz,
               (cudaStream_t stream, void *pointer, size_t size, unsigned flags),
               (stream, pointer, size, flags))
