/*
 * Advice about managed memory, and prefetching. Nothing moves here, so nothing follows from either; but a
 * program can ask what it has said, page by page.
 */
#include "sim/api/api_memory.h"
#include "sim/api/api_state.h"

#include <stdlib.h>

enum { PAGE_BYTES = 4096 };

/* Where a page shall lie or was sent: nowhere, the host, or device 0. */
enum place_of_page { LOCATION_NONE, LOCATION_HOST, LOCATION_DEVICE };

struct api_page_advice {
    unsigned char read_mostly, by_device, by_host;
    unsigned char preferred, prefetched; /* enum place_of_page */
};

/* ---- the pages of a range ------------------------------------------------------------------------------ */

struct pages {
    struct api_page_advice *first;
    size_t count;
};

/* Those that [pointer, pointer + size) touches; the range must lie inside of one managed block. */
static cudaError_t find_pages(const struct api_call *call, const void *pointer, size_t size,
                              struct pages *out)
{
    struct api_host_block *block = api_find_host_block(pointer);
    if (!block || block->kind != API_HOST_MANAGED)
        return api_fail_because(call, cudaErrorInvalidValue, "%p is not managed memory", pointer);
    size_t offset = (size_t)((const char *)pointer - block->start);
    if (size == 0 || size > block->size - offset)
        return api_fail_because(call, cudaErrorInvalidValue,
                                "%zu bytes from byte %zu on: the managed memory there has %zu bytes", size,
                                offset, block->size);
    size_t all = (block->size + PAGE_BYTES - 1) / PAGE_BYTES;
    if (!block->advice)
        block->advice = calloc(all, sizeof *block->advice);
    if (!block->advice)
        return api_fail(cudaErrorMemoryAllocation);
    out->first = block->advice + offset / PAGE_BYTES;
    out->count = (offset + size - 1) / PAGE_BYTES - offset / PAGE_BYTES + 1;
    return cudaSuccess;
}

/* ---- advising and prefetching -------------------------------------------------------------------------- */

static void advise_page(struct api_page_advice *page, enum cudaMemoryAdvise advice,
                        enum place_of_page location)
{
    unsigned char *accessed = location == LOCATION_HOST ? &page->by_host : &page->by_device;
    switch (advice) {
    case cudaMemAdviseSetReadMostly: page->read_mostly = 1; break;
    case cudaMemAdviseUnsetReadMostly: page->read_mostly = 0; break;
    case cudaMemAdviseSetPreferredLocation: page->preferred = (unsigned char)location; break;
    case cudaMemAdviseUnsetPreferredLocation: page->preferred = LOCATION_NONE; break;
    case cudaMemAdviseSetAccessedBy: *accessed = 1; break;
    case cudaMemAdviseUnsetAccessedBy: *accessed = 0; break;
    }
}

static cudaError_t advise_pages(const struct api_call *call, const void *pointer, size_t size,
                                enum cudaMemoryAdvise advice, enum place_of_page location)
{
    bool needs_location = advice == cudaMemAdviseSetPreferredLocation ||
                          advice == cudaMemAdviseSetAccessedBy || advice == cudaMemAdviseUnsetAccessedBy;
    if ((int)advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy)
        return api_fail_because(call, cudaErrorInvalidValue, "%d is not an advice", (int)advice);
    if (needs_location && location == LOCATION_NONE)
        return api_fail_because(call, cudaErrorInvalidDevice, "the only device is device 0");
    struct pages pages;
    cudaError_t error = find_pages(call, pointer, size, &pages);
    for (size_t i = 0; error == cudaSuccess && i < pages.count; i++)
        advise_page(&pages.first[i], advice, location);
    return error;
}

static cudaError_t prefetch_pages(const struct api_call *call, const void *pointer, size_t size,
                                  enum place_of_page location, cudaStream_t stream)
{
    if (!api_stream_valid(stream))
        return api_fail(cudaErrorInvalidResourceHandle);
    if (location == LOCATION_NONE)
        return api_fail_because(call, cudaErrorInvalidDevice, "the only device is device 0");
    struct pages pages;
    cudaError_t error = find_pages(call, pointer, size, &pages);
    for (size_t i = 0; error == cudaSuccess && i < pages.count; i++)
        pages.first[i].prefetched = (unsigned char)location;
    return error;
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
    return advise_pages(&call, pointer, size, advice, location_from(location));
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
    return prefetch_pages(&call, pointer, size, location_from(location), stream);
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
    return advise_pages(&call, pointer, size, advice, location_of(device));
}

cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t size, int device, cudaStream_t stream)
{
    API_ENTER(API_PLAIN);
    return prefetch_pages(&call, pointer, size, location_of(device), stream);
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
    struct pages pages;
    return find_pages(&call, pointer, size > 0 ? size : 1, &pages); /* 0: all of it */
}
API_PER_THREAD(cudaStreamAttachMemAsync, ptsz,
               (cudaStream_t stream, void *pointer, size_t size, unsigned flags),
               (stream, pointer, size, flags))

/* ---- asking -------------------------------------------------------------------------------------------- */

/* The value that all pages have in the byte at `member`; LOCATION_NONE, and 0, if they differ. */
static int common_value(const struct pages *pages, size_t member)
{
    const unsigned char *first = (const unsigned char *)pages->first + member;
    for (size_t i = 0; i < pages->count; i++)
        if (first[i * sizeof(struct api_page_advice)] != *first)
            return 0;
    return *first;
}

static int device_number(int location)
{
    return location == LOCATION_HOST     ? cudaCpuDeviceId
           : location == LOCATION_DEVICE ? 0
                                         : cudaInvalidDeviceId;
}

/* The devices that all pages are advised to be accessed by, then cudaInvalidDeviceId. */
static void list_accessing(const struct pages *pages, int *list, size_t count)
{
    size_t used = 0;
    if (common_value(pages, offsetof(struct api_page_advice, by_device)))
        list[used++] = 0;
    if (used < count && common_value(pages, offsetof(struct api_page_advice, by_host)))
        list[used++] = cudaCpuDeviceId;
    while (used < count)
        list[used++] = cudaInvalidDeviceId;
}

#if CUDART_VERSION >= 12020
static int location_type(int location)
{
    return location == LOCATION_HOST     ? cudaMemLocationTypeHost
           : location == LOCATION_DEVICE ? cudaMemLocationTypeDevice
                                         : cudaMemLocationTypeInvalid;
}
#endif

static cudaError_t range_attribute(const struct pages *pages, int *data, size_t size, int attribute)
{
    int preferred = common_value(pages, offsetof(struct api_page_advice, preferred));
    int prefetched = common_value(pages, offsetof(struct api_page_advice, prefetched));
    if (!data || size == 0 || size % sizeof(int) != 0 ||
        (attribute != cudaMemRangeAttributeAccessedBy && size != sizeof(int)))
        return api_fail(cudaErrorInvalidValue);
    switch (attribute) {
    case cudaMemRangeAttributeReadMostly:
        *data = common_value(pages, offsetof(struct api_page_advice, read_mostly));
        return cudaSuccess;
    case cudaMemRangeAttributePreferredLocation: *data = device_number(preferred); return cudaSuccess;
    case cudaMemRangeAttributeLastPrefetchLocation: *data = device_number(prefetched); return cudaSuccess;
    case cudaMemRangeAttributeAccessedBy: list_accessing(pages, data, size / sizeof(int)); return cudaSuccess;
#if CUDART_VERSION >= 12020
    case cudaMemRangeAttributePreferredLocationType: *data = location_type(preferred); return cudaSuccess;
    case cudaMemRangeAttributeLastPrefetchLocationType: *data = location_type(prefetched); return cudaSuccess;
    case cudaMemRangeAttributePreferredLocationId: *data = device_number(preferred); return cudaSuccess;
    case cudaMemRangeAttributeLastPrefetchLocationId: *data = device_number(prefetched); return cudaSuccess;
#endif
    }
    return api_fail(cudaErrorInvalidValue);
}

cudaError_t cudaMemRangeGetAttribute(void *data, size_t size, enum cudaMemRangeAttribute attribute,
                                     const void *pointer, size_t count)
{
    API_ENTER(API_PLAIN);
    struct pages pages;
    cudaError_t error = find_pages(&call, pointer, count, &pages);
    return error == cudaSuccess ? range_attribute(&pages, data, size, (int)attribute) : error;
}

cudaError_t cudaMemRangeGetAttributes(void **data, size_t *sizes, enum cudaMemRangeAttribute *attributes,
                                      size_t attribute_count, const void *pointer, size_t count)
{
    API_ENTER(API_PLAIN);
    struct pages pages;
    cudaError_t error = find_pages(&call, pointer, count, &pages);
    if (error == cudaSuccess && (!data || !sizes || !attributes || attribute_count == 0))
        error = api_fail(cudaErrorInvalidValue);
    for (size_t i = 0; error == cudaSuccess && i < attribute_count; i++)
        error = range_attribute(&pages, data[i], sizes[i], (int)attributes[i]);
    return error;
}
