/* __device__, __constant__ and __managed__ variables, read and written by the host. */
#include "sim/api/api_copy.h"
#include "sim/api/api_module.h"
#include "sim/api/api_remarks.h"

/* The bytes [offset, offset + size) of a variable. */
static cudaError_t symbol_bytes(const struct api_call *call, const void *symbol, size_t size, size_t offset,
                                const char **name, sim_addr *address)
{
    struct api_symbol found;
    cudaError_t error = api_find_symbol(call, symbol, &found);
    if (error != cudaSuccess)
        return error;
    if (offset > found.size || size > found.size - offset)
        return api_fail_because(
            call, cudaErrorInvalidValue, "%zu bytes from byte %zu on: the variable %s has only %zu bytes%s",
            size, offset, found.name, found.size,
            offset >= cudaMemcpyHostToDevice && offset <= cudaMemcpyDefault
                ? ". The fourth argument is the offset in bytes, the fifth the direction: is the "
                  "direction in the offset's place?"
                : "");
    *address = found.address + offset;
    *name = found.name;
    return cudaSuccess;
}

static cudaError_t copy_to_symbol(const struct api_call *call, const void *symbol, const void *from,
                                  size_t size, size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream,
                                  enum api_copy_way way)
{
    sim_addr address = 0;
    const char *name = "";
    if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return api_fail_because(call, cudaErrorInvalidMemcpyDirection,
                                "a symbol is on the device: the direction must end there");
    cudaError_t error = symbol_bytes(call, symbol, size, offset, &name, &address);
    if (error != cudaSuccess)
        return error;
    api_remark_symbol(call, name);
    return api_copy_bytes(call, address, (uintptr_t)from, size, kind, stream, way);
}

static cudaError_t copy_from_symbol(const struct api_call *call, void *to, const void *symbol, size_t size,
                                    size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream,
                                    enum api_copy_way way)
{
    sim_addr address = 0;
    const char *name = "";
    if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return api_fail_because(call, cudaErrorInvalidMemcpyDirection,
                                "a symbol is on the device: the direction must begin there");
    cudaError_t error = symbol_bytes(call, symbol, size, offset, &name, &address);
    if (error != cudaSuccess)
        return error;
    return api_copy_bytes(call, (uintptr_t)to, address, size, kind, stream, way);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t size, size_t offset,
                               enum cudaMemcpyKind kind)
{
    API_ENTER(API_PLAIN);
    return copy_to_symbol(&call, symbol, from, size, offset, kind, NULL, API_COPY_WAITS);
}
API_PER_THREAD(cudaMemcpyToSymbol, ptds,
               (const void *symbol, const void *from, size_t size, size_t offset, enum cudaMemcpyKind kind),
               (symbol, from, size, offset, kind))

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t size, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream)
{
    API_ENTER(API_PLAIN);
    return copy_to_symbol(&call, symbol, from, size, offset, kind, stream, API_COPY_ASYNC);
}
API_PER_THREAD(cudaMemcpyToSymbolAsync, ptsz,
               (const void *symbol, const void *from, size_t size, size_t offset, enum cudaMemcpyKind kind,
                cudaStream_t stream),
               (symbol, from, size, offset, kind, stream))

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t size, size_t offset,
                                 enum cudaMemcpyKind kind)
{
    API_ENTER(API_PLAIN);
    return copy_from_symbol(&call, to, symbol, size, offset, kind, NULL, API_COPY_WAITS);
}
API_PER_THREAD(cudaMemcpyFromSymbol, ptds,
               (void *to, const void *symbol, size_t size, size_t offset, enum cudaMemcpyKind kind),
               (to, symbol, size, offset, kind))

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t size, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream)
{
    API_ENTER(API_PLAIN);
    return copy_from_symbol(&call, to, symbol, size, offset, kind, stream, API_COPY_ASYNC);
}
API_PER_THREAD(cudaMemcpyFromSymbolAsync, ptsz,
               (void *to, const void *symbol, size_t size, size_t offset, enum cudaMemcpyKind kind,
                cudaStream_t stream),
               (to, symbol, size, offset, kind, stream))

cudaError_t cudaGetSymbolAddress(void **address, const void *symbol)
{
    API_ENTER(API_PLAIN);
    struct api_symbol found;
    cudaError_t error = api_find_symbol(&call, symbol, &found);
    if (error == cudaSuccess && !address)
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
    if (error == cudaSuccess && !size)
        error = api_fail(cudaErrorInvalidValue);
    if (error == cudaSuccess)
        *size = found.size;
    return error;
}
