/* __device__, __constant__ and __managed__ variables, read and written by the host. */
#include "api_internal.h"

#include <string.h>

/* The bytes [offset, offset + size) of a variable. */
static cudaError_t api_symbol_bytes(const struct api_call *call, const void *symbol, size_t size,
                                    size_t offset, sim_addr *address)
{
    struct api_symbol found;
    cudaError_t error = api_find_symbol(call, symbol, &found);

    if (error != cudaSuccess)
        return error;
    if (offset > found.size || size > found.size - offset)
        return api_fail_because(call, cudaErrorInvalidValue,
                                "%zu bytes from byte %zu on: the variable %s has only %zu bytes", size,
                                offset, found.name, found.size);
    *address = found.address + offset;
    return cudaSuccess;
}

static cudaError_t api_copy_checked(const struct api_call *call, struct api_place *to, struct api_place *from,
                                    cudaStream_t stream, bool async)
{
    cudaError_t error = cudaSuccess;

    if (!api_stream_valid(stream))
        return api_fail(cudaErrorInvalidResourceHandle);
    if (to->size == 0)
        return cudaSuccess;
    error = api_resolve(call, to);
    if (error == cudaSuccess)
        error = api_resolve(call, from);
    if (error != cudaSuccess || api.pending != cudaSuccess)
        return error;
    memmove(to->bytes, from->bytes, to->size);
    if (to->on_device)
        sim_mem_mark_written(api.sim, to->address, to->size);
    api_clock_copy(stream, (double)to->size, to->on_device, from->on_device, async);
    return cudaSuccess;
}

static cudaError_t api_to_symbol(const struct api_call *call, const void *symbol, const void *from,
                                 size_t size, size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream,
                                 bool async)
{
    struct api_place to = {.role = "destination", .size = size};
    struct api_place source = {.role = "source", .address = (uintptr_t)from, .size = size};
    sim_addr address = 0;
    cudaError_t error;

    if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return api_fail_because(call, cudaErrorInvalidMemcpyDirection,
                                "a symbol is on the device: the direction must end there");
    error = api_symbol_bytes(call, symbol, size, offset, &address);
    if (error != cudaSuccess)
        return error;
    to.address = address;
    api_set_direction(kind, &to, &source);
    return api_copy_checked(call, &to, &source, stream, async);
}

static cudaError_t api_from_symbol(const struct api_call *call, void *to, const void *symbol, size_t size,
                                   size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream, bool async)
{
    struct api_place target = {.role = "destination", .address = (uintptr_t)to, .size = size};
    struct api_place from = {.role = "source", .size = size};
    sim_addr address = 0;
    cudaError_t error;

    if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return api_fail_because(call, cudaErrorInvalidMemcpyDirection,
                                "a symbol is on the device: the direction must begin there");
    error = api_symbol_bytes(call, symbol, size, offset, &address);
    if (error != cudaSuccess)
        return error;
    from.address = address;
    api_set_direction(kind, &target, &from);
    return api_copy_checked(call, &target, &from, stream, async);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t size, size_t offset,
                               enum cudaMemcpyKind kind)
{
    API_ENTER(API_SYNC);
    return api_to_symbol(&call, symbol, from, size, offset, kind, NULL, false);
}
API_PER_THREAD(cudaMemcpyToSymbol, ptds);

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t size, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream)
{
    API_ENTER(API_PLAIN);
    return api_to_symbol(&call, symbol, from, size, offset, kind, stream, true);
}
API_PER_THREAD(cudaMemcpyToSymbolAsync, ptsz);

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t size, size_t offset,
                                 enum cudaMemcpyKind kind)
{
    API_ENTER(API_SYNC);
    return api_from_symbol(&call, to, symbol, size, offset, kind, NULL, false);
}
API_PER_THREAD(cudaMemcpyFromSymbol, ptds);

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t size, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream)
{
    API_ENTER(API_PLAIN);
    return api_from_symbol(&call, to, symbol, size, offset, kind, stream, true);
}
API_PER_THREAD(cudaMemcpyFromSymbolAsync, ptsz);

cudaError_t cudaGetSymbolAddress(void **address, const void *symbol)
{
    API_ENTER(API_PLAIN);
    struct api_symbol found;
    cudaError_t error = api_find_symbol(&call, symbol, &found);

    if (error == cudaSuccess && address == NULL)
        error = api_fail(cudaErrorInvalidValue);
    if (error == cudaSuccess)
        *address = (void *)(uintptr_t)found.address;
    return error;
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol)
{
    API_ENTER(API_PLAIN);
    struct api_symbol found;
    cudaError_t error = api_find_symbol(&call, symbol, &found);

    if (error == cudaSuccess && size == NULL)
        error = api_fail(cudaErrorInvalidValue);
    if (error == cudaSuccess)
        *size = found.size;
    return error;
}
