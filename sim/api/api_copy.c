/*
 * Copies. The device's work is done at once, whether the call is asynchronous or not; only its time is queued.
 * Where the sides are is checked first, in api_copy_side.c.
 */
#include "sim/api/api_graph.h"
#include "sim/api/api_copy.h"
#include "sim/api/api_memory.h"
#include "sim/api/api_state.h"

#include <string.h>

/* ---- boxes: every copy is one, most of them with a single row ------------------------------------------ */

size_t api_box_span(const struct api_box *box, const struct api_box_side *side)
{
    size_t slices, rows, span;
    if (__builtin_mul_overflow(box->depth - 1, side->slice, &slices) ||
        __builtin_mul_overflow(box->height - 1, side->pitch, &rows) ||
        __builtin_add_overflow(slices, rows, &span) || __builtin_add_overflow(span, box->width, &span))
        return SIZE_MAX;
    return span;
}

bool api_repeats(size_t size)
{
    return sim_config(api.sim)->sample_work > 0 && size >= API_REPEAT_FROM;
}

static void copy_row(const struct api_place *to, size_t to_offset, const struct api_place *from,
                     size_t from_offset, size_t width)
{
    const bool repeats = api_repeats(width);
    if (repeats && to->on_device &&
        sim_mem_repeat(api.sim, to->address + to_offset, width, from->bytes + from_offset, API_REPEATED))
        return;
    memmove(to->bytes + to_offset, from->bytes + from_offset,
            repeats && !to->on_device ? API_REPEATED : width);
    if (to->on_device)
        sim_mem_mark_written(api.sim, to->address + to_offset, width);
}

static void copy_rows(const struct api_box *box, const struct api_place *to, const struct api_place *from,
                      const struct api_box_side *to_side, const struct api_box_side *from_side)
{
    for (size_t z = 0; z < box->depth; z++) {
        for (size_t y = 0; y < box->height; y++) {
            size_t to_offset = z * to_side->slice + y * to_side->pitch;
            size_t from_offset = z * from_side->slice + y * from_side->pitch;
            copy_row(to, to_offset, from, from_offset, box->width);
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
    to.size = api_box_span(box, to_side);
    from.size = api_box_span(box, from_side);
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

cudaError_t api_copy_bytes(const struct api_call *call, uintptr_t to, uintptr_t from, size_t size,
                           enum cudaMemcpyKind kind, cudaStream_t stream, bool async)
{
    struct api_box box = {size, 1, 1};
    struct api_box_side to_side = {to, size, size}, from_side = {from, size, size};
    return api_copy_box(call, &box, &to_side, &from_side, kind, stream, async);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
    API_ENTER(API_SYNC);
    return api_copy_bytes(&call, (uintptr_t)to, (uintptr_t)from, size, kind, NULL, false);
}
API_PER_THREAD(cudaMemcpy, ptds);

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    API_ENTER(API_PLAIN);
    return api_copy_bytes(&call, (uintptr_t)to, (uintptr_t)from, size, kind, stream, true);
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

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t size)
{
    API_ENTER(API_SYNC);
    if (to_device != 0 || from_device != 0)
        return api_fail(cudaErrorInvalidDevice);
    return api_copy_bytes(&call, (uintptr_t)to, (uintptr_t)from, size, cudaMemcpyDeviceToDevice, NULL, false);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t size,
                                cudaStream_t stream)
{
    API_ENTER(API_PLAIN);
    if (to_device != 0 || from_device != 0)
        return api_fail(cudaErrorInvalidDevice);
    return api_copy_bytes(&call, (uintptr_t)to, (uintptr_t)from, size, cudaMemcpyDeviceToDevice, stream,
                          true);
}
