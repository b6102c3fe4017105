/* CUDA arrays: memory for texels that host code fills by copies and kernels read through textures. */
#include "sim/api/api_array.h"
#include "sim/api/api_copy.h"
#include "sim/api/api_memory.h"
#include "sim/api/api_record.h"
#include "sim/api/api_state.h"

#include <stdlib.h>

/* ---- formats ------------------------------------------------------------------------------------------- */

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind kind)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, kind};
}

/* 1, 2 or 4 channels, all of 8, 16 or 32 bits; floats have 16 or 32. */
size_t api_texel_size(const struct cudaChannelFormatDesc *format)
{
    const int bits[4] = {format->x, format->y, format->z, format->w};
    size_t channels = 0;
    if (bits[0] != 8 && bits[0] != 16 && bits[0] != 32)
        return 0;
    if (format->f != cudaChannelFormatKindSigned && format->f != cudaChannelFormatKindUnsigned &&
        (format->f != cudaChannelFormatKindFloat || bits[0] == 8))
        return 0;
    while (channels < 4 && bits[channels] == bits[0])
        channels++;
    for (size_t i = channels; i < 4; i++)
        if (bits[i] != 0)
            return 0;
    return channels == 3 ? 0 : channels * (size_t)bits[0] / 8;
}

cudaError_t api_check_format(const struct api_call *call, const struct cudaChannelFormatDesc *format)
{
    if (api_texel_size(format) != 0)
        return cudaSuccess;
    return api_fail_because(call, cudaErrorInvalidChannelDescriptor,
                            "texels of %d, %d, %d and %d bits: 1, 2 or 4 channels of 8, 16 or 32 bits are "
                            "possible, floats of 16 or 32",
                            format->x, format->y, format->z, format->w);
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *format, cudaArray_const_t array)
{
    API_ENTER(API_PLAIN);
    cudaError_t error = api_check_array(&call, array);
    if (error == cudaSuccess && !format)
        error = api_fail(cudaErrorInvalidValue);
    if (error == cudaSuccess)
        *format = array->format;
    return error;
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *width, const struct cudaChannelFormatDesc *format,
                                                 int device)
{
    API_ENTER(API_PLAIN);
    cudaError_t error = api_check_device(&call, device);
    if (error != cudaSuccess)
        return error;
    if (!width || !format || api_texel_size(format) == 0)
        return api_fail(cudaErrorInvalidValue);
    *width = ((size_t)1 << 28);
    return cudaSuccess;
}

/* ---- making and freeing -------------------------------------------------------------------------------- */

bool api_is_array(const void *address)
{
    for (const struct cudaArray *a = api.arrays; a; a = a->next)
        if (a == address)
            return true;
    return false;
}

cudaError_t api_check_array(const struct api_call *call, const struct cudaArray *array)
{
    if (api_is_array(array))
        return cudaSuccess;
    return api_fail_because(call, cudaErrorInvalidResourceHandle, "%p is not an array, or is one no longer",
                            (const void *)array);
}

void api_forget_arrays(void)
{
    while (api.arrays) {
        struct cudaArray *next = api.arrays->next;
        free(api.arrays);
        api.arrays = next;
    }
}

static cudaError_t check_new_array(const struct api_call *call, const struct cudaChannelFormatDesc *format,
                                   struct cudaExtent extent, unsigned flags)
{
    const unsigned known =
        cudaArrayLayered | cudaArrayCubemap | cudaArraySurfaceLoadStore | cudaArrayTextureGather;
    if ((flags & ~known) != 0)
        return api_fail_because(call, cudaErrorNotSupported,
                                "the simulator has no sparse arrays and no other special ones (flags 0x%x)",
                                flags);
    if ((flags & cudaArrayCubemap) &&
        (extent.width != extent.height || extent.depth == 0 || extent.depth % 6 != 0 ||
         (extent.depth != 6 && !(flags & cudaArrayLayered))))
        return api_fail_because(call, cudaErrorInvalidValue,
                                "a cube map has 6 square faces, or 6 in each layer: not %zu x %zu x %zu",
                                extent.width, extent.height, extent.depth);
    return api_check_format(call, format);
}

static cudaError_t new_array(const struct api_call *call, cudaArray_t *out,
                             const struct cudaChannelFormatDesc *format, struct cudaExtent extent,
                             unsigned flags)
{
    if (!out || !format || extent.width == 0)
        return api_fail(cudaErrorInvalidValue);
    cudaError_t error = check_new_array(call, format, extent, flags);
    if (error != cudaSuccess)
        return error;
    struct cudaArray *array = calloc(1, sizeof *array);
    if (!array)
        return api_fail(cudaErrorMemoryAllocation);
    *array = (struct cudaArray){.format = *format, .extent = extent, .flags = flags};
    array->texel_size = api_texel_size(format);
    array->pitch = (extent.width * array->texel_size + 31) / 32 * 32;
    array->slice = array->pitch * (extent.height > 0 ? extent.height : 1);
    size_t bytes = array->slice * (extent.depth > 0 ? extent.depth : 1);
    if (extent.width <= ((size_t)1 << 30) && extent.height <= 65536 && extent.depth <= 16384)
        array->address = sim_mem_alloc(api.sim, bytes, call->caller);
    if (array->address == 0) {
        free(array);
        return api_fail_because(call, cudaErrorMemoryAllocation, "%zu bytes for an array", bytes);
    }
    api_record_made(RECORD_ALLOCATE, array->address, bytes, call);
    array->next = api.arrays;
    api.arrays = array;
    *out = array;
    return cudaSuccess;
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format, size_t width,
                            size_t height, unsigned flags)
{
    API_ENTER(API_PLAIN);
    return new_array(&call, array, format, (struct cudaExtent){width, height, 0}, flags);
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format,
                              struct cudaExtent extent, unsigned flags)
{
    API_ENTER(API_PLAIN);
    return new_array(&call, array, format, extent, flags);
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
    API_ENTER(API_SYNC);
    if (!array)
        return cudaSuccess;
    cudaError_t error = api_check_array(&call, array);
    if (error != cudaSuccess)
        return error;
    for (struct cudaArray **link = &api.arrays; *link; link = &(*link)->next) {
        if (*link == array) {
            *link = array->next;
            break;
        }
    }
    sim_mem_free(api.sim, array->address);
    api_record(RECORD_FREE, array->address, 0, 0);
    free(array);
    return cudaSuccess;
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *format, struct cudaExtent *extent, unsigned *flags,
                             cudaArray_t array)
{
    API_ENTER(API_PLAIN);
    cudaError_t error = api_check_array(&call, array);
    if (error != cudaSuccess)
        return error;
    if (format)
        *format = array->format;
    if (extent)
        *extent = array->extent;
    if (flags)
        *flags = array->flags;
    return cudaSuccess;
}

/* ---- copies of rows: offsets and widths in bytes ------------------------------------------------------- */

/* The part of an array from byte `x` of row `y` on; `box` must lie inside. */
static cudaError_t array_side(const struct api_call *call, const struct cudaArray *array, size_t x, size_t y,
                              const struct api_box *box, struct api_box_side *side)
{
    cudaError_t error = api_check_array(call, array);
    if (error != cudaSuccess)
        return error;
    size_t width = array->extent.width * array->texel_size;
    size_t height = array->extent.height > 0 ? array->extent.height : 1;
    if (x > width || box->width > width - x || y > height || box->height > height - y)
        return api_fail_because(
            call, cudaErrorInvalidValue,
            "%zu bytes of %zu rows, from byte %zu of row %zu on, do not lie inside of the "
            "array of %zu bytes in each of %zu rows",
            box->width, box->height, x, y, width, height);
    *side = (struct api_box_side){array->address + y * array->pitch + x, array->pitch, array->slice};
    return cudaSuccess;
}

static cudaError_t copy_to_array(const struct api_call *call, cudaArray_t to, size_t x, size_t y,
                                 const void *from, size_t pitch, size_t width, size_t height,
                                 enum cudaMemcpyKind kind, cudaStream_t stream, enum api_copy_way way)
{
    struct api_box box = {width, height, 1};
    struct api_box_side to_side, from_side = {(uintptr_t)from, pitch, 0};
    cudaError_t error = array_side(call, to, x, y, &box, &to_side);
    return error != cudaSuccess ? error : api_copy_box(call, &box, &to_side, &from_side, kind, stream, way);
}

static cudaError_t copy_from_array(const struct api_call *call, void *to, size_t pitch,
                                   cudaArray_const_t from, size_t x, size_t y, size_t width, size_t height,
                                   enum cudaMemcpyKind kind, cudaStream_t stream, enum api_copy_way way)
{
    struct api_box box = {width, height, 1};
    struct api_box_side to_side = {(uintptr_t)to, pitch, 0}, from_side;
    cudaError_t error = array_side(call, from, x, y, &box, &from_side);
    return error != cudaSuccess ? error : api_copy_box(call, &box, &to_side, &from_side, kind, stream, way);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                                size_t width, size_t height, enum cudaMemcpyKind kind)
{
    API_ENTER(API_PLAIN);
    return copy_to_array(&call, to, x, y, from, pitch, width, height, kind, NULL, API_COPY_WAITS);
}
API_PER_THREAD(cudaMemcpy2DToArray, ptds,
               (cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                size_t height, enum cudaMemcpyKind kind),
               (to, x, y, from, pitch, width, height, kind))

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                                     size_t width, size_t height, enum cudaMemcpyKind kind,
                                     cudaStream_t stream)
{
    API_ENTER(API_PLAIN);
    return copy_to_array(&call, to, x, y, from, pitch, width, height, kind, stream, API_COPY_ASYNC);
}
API_PER_THREAD(cudaMemcpy2DToArrayAsync, ptsz,
               (cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                size_t height, enum cudaMemcpyKind kind, cudaStream_t stream),
               (to, x, y, from, pitch, width, height, kind, stream))

cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                  size_t width, size_t height, enum cudaMemcpyKind kind)
{
    API_ENTER(API_PLAIN);
    return copy_from_array(&call, to, pitch, from, x, y, width, height, kind, NULL, API_COPY_WAITS);
}
API_PER_THREAD(cudaMemcpy2DFromArray, ptds,
               (void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                size_t height, enum cudaMemcpyKind kind),
               (to, pitch, from, x, y, width, height, kind))

cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                       size_t width, size_t height, enum cudaMemcpyKind kind,
                                       cudaStream_t stream)
{
    API_ENTER(API_PLAIN);
    return copy_from_array(&call, to, pitch, from, x, y, width, height, kind, stream, API_COPY_ASYNC);
}
API_PER_THREAD(cudaMemcpy2DFromArrayAsync, ptsz,
               (void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                size_t height, enum cudaMemcpyKind kind, cudaStream_t stream),
               (to, pitch, from, x, y, width, height, kind, stream))

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                                     size_t from_x, size_t from_y, size_t width, size_t height,
                                     enum cudaMemcpyKind kind)
{
    API_ENTER(API_PLAIN);
    struct api_box box = {width, height, 1};
    struct api_box_side to_side, from_side;
    cudaError_t error = array_side(&call, to, to_x, to_y, &box, &to_side);
    if (error == cudaSuccess)
        error = array_side(&call, from, from_x, from_y, &box, &from_side);
    return error != cudaSuccess ? error
                                : api_copy_box(&call, &box, &to_side, &from_side, kind, NULL, API_COPY_WAITS);
}
API_PER_THREAD(cudaMemcpy2DArrayToArray, ptds,
               (cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
                size_t from_y, size_t width, size_t height, enum cudaMemcpyKind kind),
               (to, to_x, to_y, from, from_x, from_y, width, height, kind))

/* Old programs still use these. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* ---- copies of a run of bytes that goes on from row to row --------------------------------------------- */

/* Copies `size` bytes between an array, from byte x of row y on, and memory in one piece. */
static cudaError_t copy_run(const struct api_call *call, const struct cudaArray *array, size_t x, size_t y,
                            char *memory, size_t size, bool to_array, enum cudaMemcpyKind kind,
                            cudaStream_t stream, enum api_copy_way way)
{
    cudaError_t error = api_check_array(call, array);
    while (error == cudaSuccess && size > 0) {
        size_t row = array->extent.width * array->texel_size;
        size_t part = x < row && size > row - x ? row - x : size;
        size_t rows = x == 0 && part == row ? size / row : 1;
        if (to_array)
            error = copy_to_array(call, (cudaArray_t)(uintptr_t)array, x, y, memory, part, part, rows, kind,
                                  stream, way);
        else
            error = copy_from_array(call, memory, part, array, x, y, part, rows, kind, stream, way);
        memory += part * rows;
        size -= part * rows;
        x = 0;
        y += rows;
    }
    return error;
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t size,
                              enum cudaMemcpyKind kind)
{
    API_ENTER(API_PLAIN);
    return copy_run(&call, to, x, y, (char *)(uintptr_t)from, size, true, kind, NULL, API_COPY_WAITS);
}
API_PER_THREAD(cudaMemcpyToArray, ptds,
               (cudaArray_t to, size_t x, size_t y, const void *from, size_t size, enum cudaMemcpyKind kind),
               (to, x, y, from, size, kind))

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t size,
                                   enum cudaMemcpyKind kind, cudaStream_t stream)
{
    API_ENTER(API_PLAIN);
    return copy_run(&call, to, x, y, (char *)(uintptr_t)from, size, true, kind, stream, API_COPY_ASYNC);
}
API_PER_THREAD(cudaMemcpyToArrayAsync, ptsz,
               (cudaArray_t to, size_t x, size_t y, const void *from, size_t size, enum cudaMemcpyKind kind,
                cudaStream_t stream),
               (to, x, y, from, size, kind, stream))

cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t size,
                                enum cudaMemcpyKind kind)
{
    API_ENTER(API_PLAIN);
    return copy_run(&call, from, x, y, to, size, false, kind, NULL, API_COPY_WAITS);
}
API_PER_THREAD(cudaMemcpyFromArray, ptds,
               (void *to, cudaArray_const_t from, size_t x, size_t y, size_t size, enum cudaMemcpyKind kind),
               (to, from, x, y, size, kind))

cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x, size_t y, size_t size,
                                     enum cudaMemcpyKind kind, cudaStream_t stream)
{
    API_ENTER(API_PLAIN);
    return copy_run(&call, from, x, y, to, size, false, kind, stream, API_COPY_ASYNC);
}
API_PER_THREAD(cudaMemcpyFromArrayAsync, ptsz,
               (void *to, cudaArray_const_t from, size_t x, size_t y, size_t size, enum cudaMemcpyKind kind,
                cudaStream_t stream),
               (to, from, x, y, size, kind, stream))

/* Both sides go on from row to row: each step copies as much as neither of them is at its row's end. */
cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                                   size_t from_x, size_t from_y, size_t size, enum cudaMemcpyKind kind)
{
    API_ENTER(API_PLAIN);
    cudaError_t error = api_check_array(&call, to);
    if (error == cudaSuccess)
        error = api_check_array(&call, from);
    while (error == cudaSuccess && size > 0) {
        size_t to_row = to->extent.width * to->texel_size, from_row = from->extent.width * from->texel_size;
        size_t part = size;
        if (to_x >= to_row || from_x >= from_row)
            return api_fail(cudaErrorInvalidValue);
        part = part < to_row - to_x ? part : to_row - to_x;
        part = part < from_row - from_x ? part : from_row - from_x;
        struct api_box box = {part, 1, 1};
        struct api_box_side to_side, from_side;
        error = array_side(&call, to, to_x, to_y, &box, &to_side);
        if (error == cudaSuccess)
            error = array_side(&call, from, from_x, from_y, &box, &from_side);
        if (error == cudaSuccess)
            error = api_copy_box(&call, &box, &to_side, &from_side, kind, NULL, API_COPY_WAITS);
        size -= part;
        to_x += part;
        from_x += part;
        if (to_x == to_row) {
            to_x = 0;
            to_y++;
        }
        if (from_x == from_row) {
            from_x = 0;
            from_y++;
        }
    }
    return error;
}
API_PER_THREAD(cudaMemcpyArrayToArray, ptds,
               (cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
                size_t from_y, size_t size, enum cudaMemcpyKind kind),
               (to, to_x, to_y, from, from_x, from_y, size, kind))
