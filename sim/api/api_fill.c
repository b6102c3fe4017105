/* Fills: one byte, over and over. */
#include "sim/api/api_graph.h"
#include "sim/api/api_copy.h"
#include "sim/api/api_memory.h"
#include "sim/api/api_queue.h"
#include "sim/api/api_record.h"
#include "sim/api/api_state.h"
#include "sim/origin/origin.h"

#include <stdlib.h>
#include <string.h>

void api_fill_row(const struct api_place *to, size_t offset, int value, size_t width)
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

static void run_fill(struct api_work *work)
{
    struct api_call call = {work->name, cudaSuccess, work->caller, work->outer, NULL};
    const struct api_box *box = &work->box;
    if (api_resolve(&call, &work->to) != cudaSuccess)
        return;
    for (size_t z = 0; z < box->depth; z++)
        for (size_t y = 0; y < box->height; y++) {
            const size_t offset = z * work->to_side.slice + y * work->to_side.pitch;
            api_fill_row(&work->to, offset, work->value, box->width);
            if (work->to.on_device)
                api_record(RECORD_FILL, work->to.address + offset, box->width, (unsigned char)work->value);
            sim_origin_copied(api.sim, work->to.on_device ? work->to.address + offset : 0, 0, box->width,
                              work->caller);
        }
    api_touch_box(work, &work->to, &work->to_side, TOUCH_WRITE);
    const double bytes = (double)box->width * (double)box->height * (double)box->depth;
    api_record_copied(RECORD_WAS_FILL);
    api_clock_fill(work->stream, bytes);
}

/* Elements of two or four bytes: nodes of graphs have such. */
static void run_fill_elements(struct api_work *work)
{
    struct api_call call = {work->name, cudaSuccess, work->caller, work->outer, NULL};
    if (api_resolve(&call, &work->to) != cudaSuccess)
        return;
    for (size_t y = 0; y < work->box.height; y++) {
        for (size_t x = 0; x < work->box.width; x += work->element_size)
            memcpy(work->to.bytes + y * work->to_side.pitch + x, &work->value, work->element_size);
        if (!work->to.on_device)
            continue;
        sim_mem_mark_written(api.sim, work->to.address + y * work->to_side.pitch, work->box.width);
        api_record_write(work->to.address + y * work->to_side.pitch, work->to.bytes + y * work->to_side.pitch,
                         work->box.width);
    }
    api_touch_box(work, &work->to, &work->to_side, TOUCH_WRITE);
}

static cudaError_t check_box(const struct api_call *call, const struct api_box *box,
                             const struct api_box_side *side, struct api_place *to)
{
    *to = (struct api_place){.role = "destination", .address = side->address, .must_device = true};
    if ((box->height > 1 || box->depth > 1) && box->width > side->pitch)
        return api_fail_because(call, cudaErrorInvalidValue, "rows of %zu bytes, but a pitch of %zu",
                                box->width, side->pitch);
    to->size = api_box_span(box, side);
    return api_resolve(call, to);
}

static bool is_empty(const struct api_box *box)
{
    return box->width == 0 || box->height == 0 || box->depth == 0;
}

static struct api_work *new_fill(const struct api_call *call, const struct api_box *box,
                                 const struct api_box_side *side, const struct api_place *to,
                                 struct CUstream_st *stream)
{
    struct api_work *work = api_queue_new(call, stream, run_fill);
    work->kind = API_WORK_BOX;
    work->box = *box;
    work->to = *to;
    work->to_side = *side;
    return work;
}

/* The host waits for a fill of its own memory, unless it is asynchronous ("API synchronization behavior"). */
static cudaError_t api_fill_box(const struct api_call *call, const struct api_box *box,
                                const struct api_box_side *side, int value, cudaStream_t handle,
                                enum api_copy_way way)
{
    struct CUstream_st *stream = api_find_stream(handle);
    struct api_place to;
    cudaError_t error;
    if (!stream)
        return api_fail(cudaErrorInvalidResourceHandle);
    if (api_capture_fill(call, box, side, value, handle, &error))
        return error;
    if (is_empty(box)) {
        if (value != 0)
            api_remark_no_bytes(call, value);
        return cudaSuccess;
    }
    error = check_box(call, box, side, &to);
    if (error != cudaSuccess || api.pending != cudaSuccess)
        return error;
    if (box->height == 1 && box->depth == 1)
        api_remark_size(call, to.on_device ? to.address : 0, 0, box->width);
    if (to.on_device)
        api_remark_filled(call, to.address, false);
    struct api_work *work = new_fill(call, box, side, &to, stream);
    work->value = value;
    if (way == API_COPY_WAITS && !to.on_device)
        return api_queue_add_and_wait(work);
    api_queue_add(work);
    return cudaSuccess;
}

cudaError_t api_fill_elements(const struct api_call *call, const struct api_fill_work *fill,
                              struct CUstream_st *stream)
{
    struct api_place to;
    if (fill->element_size == 1)
        return api_fill_box(call, &fill->box, &fill->side, (int)fill->value, stream, API_COPY_OF_GRAPH);
    if (is_empty(&fill->box))
        return cudaSuccess;
    cudaError_t error = check_box(call, &fill->box, &fill->side, &to);
    if (error != cudaSuccess)
        return error;
    struct api_work *work = new_fill(call, &fill->box, &fill->side, &to, stream);
    work->run = run_fill_elements;
    work->value = (int)fill->value;
    work->element_size = fill->element_size;
    api_queue_add(work);
    return cudaSuccess;
}

cudaError_t api_fill_now(const struct api_call *call, const struct api_box *box,
                         const struct api_box_side *side, int value, struct CUstream_st *stream)
{
    struct api_work work = {.name = call->name, .stream = stream, .box = *box, .to_side = *side};
    cudaError_t error = check_box(call, box, side, &work.to);
    work.value = value;
    work.touched = api.queue.running ? api.queue.running->touched : NULL;
    if (error == cudaSuccess && !is_empty(box))
        run_fill(&work);
    return error;
}

static cudaError_t fill_1d(const struct api_call *call, void *to, int value, size_t size, cudaStream_t stream,
                           enum api_copy_way way)
{
    struct api_box box = {size, 1, 1};
    struct api_box_side side = {(uintptr_t)to, size, size};
    return api_fill_box(call, &box, &side, value, stream, way);
}

cudaError_t cudaMemset(void *to, int value, size_t size)
{
    API_ENTER(API_PLAIN);
    return fill_1d(&call, to, value, size, NULL, API_COPY_WAITS);
}
API_PER_THREAD(cudaMemset, ptds, (void *to, int value, size_t size), (to, value, size))

cudaError_t cudaMemsetAsync(void *to, int value, size_t size, cudaStream_t stream)
{
    API_ENTER(API_PLAIN);
    return fill_1d(&call, to, value, size, stream, API_COPY_ASYNC);
}
API_PER_THREAD(cudaMemsetAsync, ptsz, (void *to, int value, size_t size, cudaStream_t stream),
               (to, value, size, stream))

static cudaError_t fill_2d(const struct api_call *call, void *to, size_t pitch, int value, size_t width,
                           size_t height, cudaStream_t stream, enum api_copy_way way)
{
    struct api_box box = {width, height, 1};
    struct api_box_side side = {(uintptr_t)to, pitch, 0};
    return api_fill_box(call, &box, &side, value, stream, way);
}

cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
    API_ENTER(API_PLAIN);
    return fill_2d(&call, to, pitch, value, width, height, NULL, API_COPY_WAITS);
}
API_PER_THREAD(cudaMemset2D, ptds, (void *to, size_t pitch, int value, size_t width, size_t height),
               (to, pitch, value, width, height))

cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream)
{
    API_ENTER(API_PLAIN);
    return fill_2d(&call, to, pitch, value, width, height, stream, API_COPY_ASYNC);
}
API_PER_THREAD(cudaMemset2DAsync, ptsz,
               (void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream),
               (to, pitch, value, width, height, stream))

static cudaError_t fill_3d(const struct api_call *call, const struct cudaPitchedPtr *memory, int value,
                           const struct cudaExtent *extent, cudaStream_t stream, enum api_copy_way way)
{
    struct api_box box = {extent->width, extent->height, extent->depth};
    struct cudaPos origin = {0, 0, 0};
    struct api_box_side side = api_side_3d(memory, &origin);
    return api_fill_box(call, &box, &side, value, stream, way);
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr memory, int value, struct cudaExtent extent)
{
    API_ENTER(API_PLAIN);
    return fill_3d(&call, &memory, value, &extent, NULL, API_COPY_WAITS);
}
API_PER_THREAD(cudaMemset3D, ptds, (struct cudaPitchedPtr memory, int value, struct cudaExtent extent),
               (memory, value, extent))

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr memory, int value, struct cudaExtent extent,
                              cudaStream_t stream)
{
    API_ENTER(API_PLAIN);
    return fill_3d(&call, &memory, value, &extent, stream, API_COPY_ASYNC);
}
API_PER_THREAD(cudaMemset3DAsync, ptsz,
               (struct cudaPitchedPtr memory, int value, struct cudaExtent extent, cudaStream_t stream),
               (memory, value, extent, stream))
