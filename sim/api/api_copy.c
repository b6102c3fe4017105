/*
 * Copies and fills. Every side of a copy is checked before a byte moves: does the address belong where
 * the direction says, and does the allocation there hold as many bytes. The device's work is done at
 * once, whether the call is asynchronous or not; only its time is queued.
 */
#include "sim/api/api_internal.h"

#include <string.h>

/* ---- checking one side --------------------------------------------------------------------------------- */

/* "16-byte allocation at 0x…" or "allocation d_x (16 bytes) at 0x…" */
static void describe(const struct sim_allocation *allocation, char *text, size_t size)
{
    snprintf(text, size, "%sallocation%s%s (%zu bytes) at 0x%llx", allocation->freed ? "freed " : "",
             allocation->name[0] != '\0' ? " " : "", allocation->name, allocation->size,
             (unsigned long long)allocation->address);
}

static cudaError_t outside(const struct api_call *call, const struct api_place *place)
{
    const struct sim_allocation *found = sim_mem_find(api.sim, place->address);
    if (!found)
        return api_fail_because(call, cudaErrorInvalidValue, "%s 0x%llx is no allocated device memory",
                                place->role, (unsigned long long)place->address);
    char text[200];
    describe(found, text, sizeof text);
    size_t offset = place->address - found->address;
    if (found->freed || offset >= found->size)
        return api_fail_because(call, cudaErrorInvalidValue,
                                "%s 0x%llx is no allocated device memory; %s: %s", place->role,
                                (unsigned long long)place->address,
                                found->freed && offset < found->size ? "it was" : "nearest below it", text);
    return api_fail_because(call, cudaErrorInvalidValue,
                            "%s: %zu bytes from byte %zu on, which is %zu beyond the end of the %s",
                            place->role, place->size, offset, place->size - (found->size - offset), text);
}

static cudaError_t resolve_host(const struct api_call *call, struct api_place *place)
{
    const struct api_host_block *block = api_find_host_block((const void *)place->address);
    place->on_device = false;
    place->bytes = (unsigned char *)place->address;
    if (place->address == 0)
        return api_fail_because(call, cudaErrorInvalidValue, "%s is a null pointer", place->role);
    if (!block && place->must_device)
        return api_fail_because(call, cudaErrorInvalidValue,
                                "%s %p is a host address, but a device address is needed there: are the "
                                "arguments in the right order (destination first), is the direction right?",
                                place->role, (void *)place->address);
    if (block && place->size > block->size - (size_t)((char *)place->bytes - block->start))
        return api_fail_because(call, cudaErrorInvalidValue,
                                "%s: %zu bytes do not fit behind byte %zu of the %zu bytes at %p",
                                place->role, place->size, (size_t)((char *)place->bytes - block->start),
                                block->size, (void *)block->start);
    return cudaSuccess;
}

cudaError_t api_resolve(const struct api_call *call, struct api_place *place)
{
    if (!sim_mem_is_device(api.sim, (const void *)place->address))
        return resolve_host(call, place);
    place->on_device = true;
    if (place->must_host)
        return api_fail_because(call, cudaErrorInvalidValue,
                                "%s %p is a device address, but a host address is needed there: are the "
                                "arguments in the right order (destination first), is the direction right?",
                                place->role, (void *)place->address);
    place->bytes = sim_mem_host(api.sim, place->address, place->size);
    return place->bytes ? cudaSuccess : outside(call, place);
}

bool api_set_direction(enum cudaMemcpyKind kind, struct api_place *to, struct api_place *from)
{
    to->must_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    from->must_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    to->must_host = kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost;
    from->must_host = kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice;
    return (unsigned)kind <= cudaMemcpyDefault;
}

/* ---- boxes: every copy is one, most of them with a single row ------------------------------------------ */

/* Bytes from the first to behind the last that the box touches; SIZE_MAX where they cannot be counted. */
static size_t box_span(const struct api_box *box, const struct api_box_side *side)
{
    size_t slices, rows, span;
    if (__builtin_mul_overflow(box->depth - 1, side->slice, &slices) ||
        __builtin_mul_overflow(box->height - 1, side->pitch, &rows) ||
        __builtin_add_overflow(slices, rows, &span) || __builtin_add_overflow(span, box->width, &span))
        return SIZE_MAX;
    return span;
}

static void copy_rows(const struct api_box *box, const struct api_place *to, const struct api_place *from,
                      const struct api_box_side *to_side, const struct api_box_side *from_side)
{
    for (size_t z = 0; z < box->depth; z++) {
        for (size_t y = 0; y < box->height; y++) {
            size_t to_offset = z * to_side->slice + y * to_side->pitch;
            size_t from_offset = z * from_side->slice + y * from_side->pitch;
            memmove(to->bytes + to_offset, from->bytes + from_offset, box->width);
            if (to->on_device)
                sim_mem_mark_written(api.sim, to->address + to_offset, box->width);
        }
    }
}

cudaError_t api_copy_box(const struct api_call *call, const struct api_box *box,
                         const struct api_box_side *to_side, const struct api_box_side *from_side,
                         enum cudaMemcpyKind kind, cudaStream_t stream, bool async)
{
    struct api_place to = {.role = "destination", .address = to_side->address};
    struct api_place from = {.role = "source", .address = from_side->address};
    if (!api_set_direction(kind, &to, &from))
        return api_fail_because(call, cudaErrorInvalidMemcpyDirection, "%d is no direction", (int)kind);
    if (!api_stream_valid(stream))
        return api_fail(cudaErrorInvalidResourceHandle);
    cudaError_t error;
    if (async && api_capture_copy(box, to_side, from_side, kind, stream, &error))
        return error;
    if (box->width == 0 || box->height == 0 || box->depth == 0)
        return cudaSuccess;
    if ((box->height > 1 || box->depth > 1) && (box->width > to_side->pitch || box->width > from_side->pitch))
        return api_fail_because(call, cudaErrorInvalidPitchValue, "rows of %zu bytes, but a pitch of %zu",
                                box->width,
                                to_side->pitch < from_side->pitch ? to_side->pitch : from_side->pitch);
    to.size = box_span(box, to_side);
    from.size = box_span(box, from_side);
    error = api_resolve(call, &to);
    if (error == cudaSuccess)
        error = api_resolve(call, &from);
    if (error != cudaSuccess || api.pending != cudaSuccess)
        return error;
    copy_rows(box, &to, &from, to_side, from_side);
    api_clock_copy(stream, (double)box->width * (double)box->height * (double)box->depth, to.on_device,
                   from.on_device, async);
    return cudaSuccess;
}

static cudaError_t api_copy(const struct api_call *call, void *to, const void *from, size_t size,
                            enum cudaMemcpyKind kind, cudaStream_t stream, bool async)
{
    struct api_box box = {size, 1, 1};
    struct api_box_side to_side = {(uintptr_t)to, size, size}, from_side = {(uintptr_t)from, size, size};
    return api_copy_box(call, &box, &to_side, &from_side, kind, stream, async);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
    API_ENTER(API_SYNC);
    return api_copy(&call, to, from, size, kind, NULL, false);
}
API_PER_THREAD(cudaMemcpy, ptds);

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    API_ENTER(API_PLAIN);
    return api_copy(&call, to, from, size, kind, stream, true);
}
API_PER_THREAD(cudaMemcpyAsync, ptsz);

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                         size_t height, enum cudaMemcpyKind kind)
{
    API_ENTER(API_SYNC);
    struct api_box box = {width, height, 1};
    struct api_box_side to_side = {(uintptr_t)to, to_pitch, 0}, from_side = {(uintptr_t)from, from_pitch, 0};
    return api_copy_box(&call, &box, &to_side, &from_side, kind, NULL, false);
}
API_PER_THREAD(cudaMemcpy2D, ptds);

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    API_ENTER(API_PLAIN);
    struct api_box box = {width, height, 1};
    struct api_box_side to_side = {(uintptr_t)to, to_pitch, 0}, from_side = {(uintptr_t)from, from_pitch, 0};
    return api_copy_box(&call, &box, &to_side, &from_side, kind, stream, true);
}
API_PER_THREAD(cudaMemcpy2DAsync, ptsz);

struct api_box_side api_side_3d(const struct cudaPitchedPtr *memory, const struct cudaPos *position)
{
    size_t slice = memory->pitch * memory->ysize;
    uintptr_t address =
        (uintptr_t)memory->ptr + position->z * slice + position->y * memory->pitch + position->x;
    return (struct api_box_side){address, memory->pitch, slice};
}

/* Positions in an array count texels. */
static struct api_box_side array_side_3d(const struct cudaArray *array, const struct cudaPos *position)
{
    uintptr_t address = (uintptr_t)array->address + position->z * array->slice + position->y * array->pitch +
                        position->x * array->texel_size;
    return (struct api_box_side){address, array->pitch, array->slice};
}

static cudaError_t check_in_array(const struct api_call *call, const struct cudaArray *array,
                                  const struct cudaPos *position, const struct cudaExtent *extent)
{
    size_t height = array->extent.height > 0 ? array->extent.height : 1;
    size_t depth = array->extent.depth > 0 ? array->extent.depth : 1;
    cudaError_t error = api_check_array(call, array);
    if (error != cudaSuccess)
        return error;
    if (position->x + extent->width > array->extent.width || position->y + extent->height > height ||
        position->z + extent->depth > depth)
        return api_fail_because(
            call, cudaErrorInvalidValue,
            "a box of %zu x %zu x %zu texels from (%zu, %zu, %zu) on does not lie inside of "
            "the array of %zu x %zu x %zu",
            extent->width, extent->height, extent->depth, position->x, position->y, position->z,
            array->extent.width, height, depth);
    return cudaSuccess;
}

/* The extent counts texels as soon as an array takes part, else bytes. */
static cudaError_t copy_3d(const struct api_call *call, const struct cudaMemcpy3DParms *p,
                           cudaStream_t stream, bool async)
{
    cudaError_t error = cudaSuccess;
    if (!p || (p->srcArray && p->srcPtr.ptr) || (p->dstArray && p->dstPtr.ptr))
        return api_fail(cudaErrorInvalidValue);
    if (p->dstArray)
        error = check_in_array(call, p->dstArray, &p->dstPos, &p->extent);
    if (error == cudaSuccess && p->srcArray)
        error = check_in_array(call, p->srcArray, &p->srcPos, &p->extent);
    if (error != cudaSuccess)
        return error;
    const struct cudaArray *array = p->dstArray ? p->dstArray : p->srcArray;
    struct api_box box = {p->extent.width * (array ? array->texel_size : 1), p->extent.height,
                          p->extent.depth};
    struct api_box_side to =
        p->dstArray ? array_side_3d(p->dstArray, &p->dstPos) : api_side_3d(&p->dstPtr, &p->dstPos);
    struct api_box_side from =
        p->srcArray ? array_side_3d(p->srcArray, &p->srcPos) : api_side_3d(&p->srcPtr, &p->srcPos);
    return api_copy_box(call, &box, &to, &from, p->kind, stream, async);
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *parameters)
{
    API_ENTER(API_SYNC);
    return copy_3d(&call, parameters, NULL, false);
}
API_PER_THREAD(cudaMemcpy3D, ptds);

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *parameters, cudaStream_t stream)
{
    API_ENTER(API_PLAIN);
    return copy_3d(&call, parameters, stream, true);
}
API_PER_THREAD(cudaMemcpy3DAsync, ptsz);

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t size)
{
    API_ENTER(API_SYNC);
    if (to_device != 0 || from_device != 0)
        return api_fail(cudaErrorInvalidDevice);
    return api_copy(&call, to, from, size, cudaMemcpyDeviceToDevice, NULL, false);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t size,
                                cudaStream_t stream)
{
    API_ENTER(API_PLAIN);
    if (to_device != 0 || from_device != 0)
        return api_fail(cudaErrorInvalidDevice);
    return api_copy(&call, to, from, size, cudaMemcpyDeviceToDevice, stream, true);
}

/* One device: both sides are on it. */
static cudaError_t copy_3d_peer(const struct api_call *call, const struct cudaMemcpy3DPeerParms *p,
                                cudaStream_t stream, bool async)
{
    struct cudaMemcpy3DParms parameters = {0};
    if (!p)
        return api_fail(cudaErrorInvalidValue);
    if (p->srcDevice != 0 || p->dstDevice != 0)
        return api_check_device(call, p->srcDevice != 0 ? p->srcDevice : p->dstDevice);
    parameters.srcArray = p->srcArray;
    parameters.srcPos = p->srcPos;
    parameters.srcPtr = p->srcPtr;
    parameters.dstArray = p->dstArray;
    parameters.dstPos = p->dstPos;
    parameters.dstPtr = p->dstPtr;
    parameters.extent = p->extent;
    parameters.kind = cudaMemcpyDeviceToDevice;
    return copy_3d(call, &parameters, stream, async);
}

cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *parameters)
{
    API_ENTER(API_SYNC);
    return copy_3d_peer(&call, parameters, NULL, false);
}
API_PER_THREAD(cudaMemcpy3DPeer, ptds);

cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *parameters, cudaStream_t stream)
{
    API_ENTER(API_PLAIN);
    return copy_3d_peer(&call, parameters, stream, true);
}
API_PER_THREAD(cudaMemcpy3DPeerAsync, ptsz);

/* ---- fills --------------------------------------------------------------------------------------------- */

cudaError_t api_fill_box(const struct api_call *call, const struct api_box *box,
                         const struct api_box_side *side, int value, cudaStream_t stream)
{
    struct api_place to = {.role = "destination", .address = side->address, .must_device = true};
    if (!api_stream_valid(stream))
        return api_fail(cudaErrorInvalidResourceHandle);
    cudaError_t error;
    if (api_capture_fill(box, side, value, stream, &error))
        return error;
    if (box->width == 0 || box->height == 0 || box->depth == 0)
        return cudaSuccess;
    if ((box->height > 1 || box->depth > 1) && box->width > side->pitch)
        return api_fail_because(call, cudaErrorInvalidValue, "rows of %zu bytes, but a pitch of %zu",
                                box->width, side->pitch);
    to.size = box_span(box, side);
    error = api_resolve(call, &to);
    if (error != cudaSuccess || api.pending != cudaSuccess)
        return error;
    for (size_t z = 0; z < box->depth; z++) {
        for (size_t y = 0; y < box->height; y++) {
            size_t offset = z * side->slice + y * side->pitch;
            memset(to.bytes + offset, value, box->width);
            if (to.on_device)
                sim_mem_mark_written(api.sim, to.address + offset, box->width);
        }
    }
    api_clock_work(
        stream, API_ENGINE_KERNEL,
        api_copy_seconds((double)box->width * (double)box->height * (double)box->depth / 2, true, true));
    return cudaSuccess;
}

static cudaError_t fill_1d(const struct api_call *call, void *to, int value, size_t size, cudaStream_t stream)
{
    struct api_box box = {size, 1, 1};
    struct api_box_side side = {(uintptr_t)to, size, size};
    return api_fill_box(call, &box, &side, value, stream);
}

cudaError_t cudaMemset(void *to, int value, size_t size)
{
    API_ENTER(API_PLAIN);
    return fill_1d(&call, to, value, size, NULL);
}
API_PER_THREAD(cudaMemset, ptds);

cudaError_t cudaMemsetAsync(void *to, int value, size_t size, cudaStream_t stream)
{
    API_ENTER(API_PLAIN);
    return fill_1d(&call, to, value, size, stream);
}
API_PER_THREAD(cudaMemsetAsync, ptsz);

static cudaError_t fill_2d(const struct api_call *call, void *to, size_t pitch, int value, size_t width,
                           size_t height, cudaStream_t stream)
{
    struct api_box box = {width, height, 1};
    struct api_box_side side = {(uintptr_t)to, pitch, 0};
    return api_fill_box(call, &box, &side, value, stream);
}

cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
    API_ENTER(API_PLAIN);
    return fill_2d(&call, to, pitch, value, width, height, NULL);
}
API_PER_THREAD(cudaMemset2D, ptds);

cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream)
{
    API_ENTER(API_PLAIN);
    return fill_2d(&call, to, pitch, value, width, height, stream);
}
API_PER_THREAD(cudaMemset2DAsync, ptsz);

static cudaError_t fill_3d(const struct api_call *call, const struct cudaPitchedPtr *memory, int value,
                           const struct cudaExtent *extent, cudaStream_t stream)
{
    struct api_box box = {extent->width, extent->height, extent->depth};
    struct cudaPos origin = {0, 0, 0};
    struct api_box_side side = api_side_3d(memory, &origin);
    return api_fill_box(call, &box, &side, value, stream);
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr memory, int value, struct cudaExtent extent)
{
    API_ENTER(API_PLAIN);
    return fill_3d(&call, &memory, value, &extent, NULL);
}
API_PER_THREAD(cudaMemset3D, ptds);

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr memory, int value, struct cudaExtent extent,
                              cudaStream_t stream)
{
    API_ENTER(API_PLAIN);
    return fill_3d(&call, &memory, value, &extent, stream);
}
API_PER_THREAD(cudaMemset3DAsync, ptsz);

/* ---- formats ------------------------------------------------------------------------------------------- */

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind kind)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, kind};
}
