/* Fills: one byte, over and over. */
#include "sim/api/api_graph.h"
#include "sim/api/api_copy.h"
#include "sim/api/api_memory.h"
#include "sim/api/api_state.h"

#include <stdlib.h>
#include <string.h>

static void fill_row(const struct api_place *to, size_t offset, int value, size_t width)
{
    if (api_repeats(width)) {
        unsigned char *pattern = malloc(API_REPEATED);
        bool done = pattern && to->on_device &&
                    sim_mem_repeat(api.sim, to->address + offset, width, memset(pattern, value, API_REPEATED),
                                   API_REPEATED);
        free(pattern);
        if (done)
            return;
    }
    memset(to->bytes + offset, value, width);
    if (to->on_device)
        sim_mem_mark_written(api.sim, to->address + offset, width);
}

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
    to.size = api_box_span(box, side);
    error = api_resolve(call, &to);
    if (error != cudaSuccess || api.pending != cudaSuccess)
        return error;
    for (size_t z = 0; z < box->depth; z++) {
        for (size_t y = 0; y < box->height; y++) {
            size_t offset = z * side->slice + y * side->pitch;
            fill_row(&to, offset, value, box->width);
        }
    }
    api.copied_bytes += (double)box->width * (double)box->height * (double)box->depth;
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
