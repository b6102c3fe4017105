/*
 * Copies. Where the sides are is checked at once, in api_copy_side.c; the bytes move when it is the copy's turn in its
 * stream (api_queue.h).
 */
#include "sim/api/api_graph.h"
#include "sim/api/api_copy.h"
#include "sim/api/api_copy_check.h"
#include "sim/api/api_memory.h"
#include "sim/api/api_queue.h"
#include "sim/api/api_record.h"
#include "sim/api/api_state.h"
#include "sim/origin/origin.h"

#include <stdlib.h>
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

void api_copy_row(const struct api_place *to, size_t to_offset, const struct api_place *from,
                  size_t from_offset, size_t width)
{
    const bool repeats = api_repeats(width);
    if (from->on_device)
        sim_mem_copied(api.sim, to->address + to_offset, from->address + from_offset, width);
    if (repeats && to->on_device &&
        sim_mem_repeat(api.sim, to->address + to_offset, width, from->bytes + from_offset, API_REPEATED))
        return;
    memmove(to->bytes + to_offset, from->bytes + from_offset,
            repeats && !to->on_device ? API_REPEATED : width);
    if (to->on_device && from->on_device)
        api_pass_written(to->address + to_offset, from->address + from_offset, width);
    else if (to->on_device)
        sim_mem_mark_written(api.sim, to->address + to_offset, width);
}

void api_change_read(unsigned char *bytes, size_t count)
{
    struct sim_config *config = sim_config(api.sim);
    const size_t word = config->double_is_meant ? sizeof(double) : sizeof(float);
    for (size_t at = word - 1; config->changed_read > 0 && at < count; at += word) {
        uint64_t *draw = &config->changed_draw;
        *draw = *draw * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407); /* Knuth's MMIX */
        if ((*draw >> 33) % config->changed_read == config->changed_read - 1)
            /* the highest bit of an exponent, if it is a real's last byte; and others, or changes could make up for each other */
            bytes[at] ^= (unsigned char)(0x40 | *draw >> 58);
    }
}

static void copy_rows(const struct api_box *box, const struct api_place *to, const struct api_place *from,
                      const struct api_box_side *to_side, const struct api_box_side *from_side,
                      const void *caller)
{
    for (size_t z = 0; z < box->depth; z++) {
        for (size_t y = 0; y < box->height; y++) {
            size_t to_offset = z * to_side->slice + y * to_side->pitch;
            size_t from_offset = z * from_side->slice + y * from_side->pitch;
            api_copy_row(to, to_offset, from, from_offset, box->width);
            if (from->on_device && !to->on_device)
                api_change_read(to->bytes + to_offset, box->width);
            api_record_row(to, to_offset, from, from_offset, box->width);
            sim_origin_copied(api.sim, to->on_device ? to->address + to_offset : 0,
                              from->on_device ? from->address + from_offset : 0, box->width, caller);
        }
    }
}

void api_touch_box(const struct api_work *work, const struct api_place *place,
                   const struct api_box_side *side, enum touch_kind kind)
{
    if (!work->touched || !place->shared)
        return;
    for (size_t z = 0; z < work->box.depth; z++)
        for (size_t y = 0; y < work->box.height; y++)
            touched_add(work->touched, kind, place->address + z * side->slice + y * side->pitch,
                        work->box.width);
}

/* Memory may have been freed since the call: that was another stream's, and is a hazard. */
static bool still_there(struct api_work *work)
{
    struct api_call call = {work->name, cudaSuccess, work->caller, work->outer, NULL};
    const cudaError_t last = cudaPeekAtLastError();
    const bool there = (work->staged || api_resolve(&call, &work->from) == cudaSuccess) &&
                       api_resolve(&call, &work->to) == cudaSuccess;
    cudaGetLastError();
    api_fail(last);
    return there;
}

static void run_copy(struct api_work *work)
{
    api_touch_box(work, &work->from, &work->from_side, TOUCH_READ);
    api_touch_box(work, &work->to, &work->to_side, TOUCH_WRITE);
    if (!still_there(work))
        return;
    if (work->staged)
        work->from.bytes = work->staged;
    api_check_written(work);
    copy_rows(&work->box, &work->to, &work->from, &work->to_side, &work->from_side, work->caller);
    api_record_copied((work->to.on_device ? RECORD_TO_DEVICE : 0) |
                      (work->from.on_device ? RECORD_FROM_DEVICE : 0));
    api_clock_copy(work->stream, (double)work->box.width * (double)work->box.height * (double)work->box.depth,
                   work->to.on_device, work->from.on_device);
}

/* ---- what a copy waits for ----------------------------------------------------------------------------- */

/* Pageable memory of the host is copied to a place of the driver's before the call returns; larger than that: at once. */
#define STAGED_MAX ((size_t)16 << 20)

static void release_staged(struct api_work *work)
{
    free(work->staged);
}

static bool stage(struct api_work *work)
{
    if (work->from.size > STAGED_MAX)
        return false;
    work->staged = malloc(work->from.size);
    if (work->staged)
        memcpy(work->staged, work->from.bytes, work->from.size);
    return work->staged != NULL;
}

/*
 * CUDA Runtime API, "API synchronization behavior". A copy that is not asynchronous is complete when it returns, except
 * inside the device, where the host does not wait. An asynchronous one waits if its destination is pageable memory, or
 * both sides are the host's; a pageable source has been read.
 */
static cudaError_t queue_copy(struct api_work *work, enum api_copy_way way)
{
    const bool to_pageable = !work->to.shared, from_pageable = !work->from.shared;
    const bool in_host = !work->to.on_device && !work->from.on_device;
    const bool in_device = work->to.on_device && work->from.on_device;
    if (way == API_COPY_OF_GRAPH || (way == API_COPY_WAITS && in_device)) {
        api_queue_add(work);
        return cudaSuccess;
    }
    if (way == API_COPY_WAITS || to_pageable || in_host)
        return api_queue_add_and_wait(work);
    if (from_pageable && !stage(work))
        api_queue_add_and_run(work);
    else
        api_queue_add(work);
    return cudaSuccess;
}

static cudaError_t check_box(const struct api_call *call, const struct api_box *box,
                             const struct api_box_side *to_side, const struct api_box_side *from_side,
                             struct api_place *to, struct api_place *from)
{
    if ((box->height > 1 || box->depth > 1) && (box->width > to_side->pitch || box->width > from_side->pitch))
        return api_fail_because(call, cudaErrorInvalidPitchValue, "rows of %zu bytes, but a pitch of %zu",
                                box->width,
                                to_side->pitch < from_side->pitch ? to_side->pitch : from_side->pitch);
    to->size = api_box_span(box, to_side);
    from->size = api_box_span(box, from_side);
    cudaError_t error = api_resolve(call, to);
    return error == cudaSuccess ? api_resolve(call, from) : error;
}

static bool is_empty(const struct api_box *box)
{
    return box->width == 0 || box->height == 0 || box->depth == 0;
}

static void remark_sizes(const struct api_call *call, const struct api_place *to,
                         const struct api_place *from, size_t size)
{
    api_remark_size(call, to->on_device ? to->address : 0, from->on_device ? from->address : 0, size);
    if (to->on_device)
        api_remark_piece(call, to->address, from->on_device ? NULL : from->bytes, size);
    if (from->on_device)
        api_remark_piece(call, from->address, NULL, size);
}

cudaError_t api_copy_box(const struct api_call *call, const struct api_box *box,
                         const struct api_box_side *to_side, const struct api_box_side *from_side,
                         enum cudaMemcpyKind kind, cudaStream_t handle, enum api_copy_way way)
{
    struct api_place to = {.role = "destination", .address = to_side->address};
    struct api_place from = {.role = "source", .address = from_side->address};
    struct CUstream_st *stream = api_find_stream(handle);
    if (!api_set_direction(kind, &to, &from))
        return api_fail_because(call, cudaErrorInvalidMemcpyDirection, "%d is not a direction", (int)kind);
    if (!stream)
        return api_fail(cudaErrorInvalidResourceHandle);
    cudaError_t error;
    if (way != API_COPY_WAITS && api_capture_copy(call, box, to_side, from_side, kind, handle, &error))
        return error;
    if (is_empty(box)) {
        if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDefault)
            api_remark_empty(call);
        return cudaSuccess;
    }
    error = check_box(call, box, to_side, from_side, &to, &from);
    if (error != cudaSuccess || api.pending != cudaSuccess)
        return error;
    if (box->height == 1 && box->depth == 1)
        remark_sizes(call, &to, &from, box->width);
    if (from.on_device && !to.on_device)
        api_remark_to_host(call, to.bytes, from.address,
                           box->height == 1 && box->depth == 1 ? box->width : 0);
    if (to.on_device && !from.on_device) {
        api_remark_filled(call, to.address, true);
        api_remark_pointer(call, from.bytes, box->width);
        api_note_from_host(call, from.bytes, box->width);
    }
    struct api_work *work = api_queue_new(call, stream, run_copy);
    work->kind = API_WORK_BOX;
    work->box = *box;
    work->to = to;
    work->from = from;
    work->to_side = *to_side;
    work->from_side = *from_side;
    work->release = release_staged;
    return queue_copy(work, way);
}

cudaError_t api_copy_now(const struct api_call *call, const struct api_box *box,
                         const struct api_box_side *to_side, const struct api_box_side *from_side,
                         struct CUstream_st *stream)
{
    struct api_work work = {.name = call->name, .stream = stream, .box = *box, .to_side = *to_side};
    work.from_side = *from_side;
    work.touched = api.queue.running ? api.queue.running->touched : NULL;
    work.to = (struct api_place){.role = "destination", .address = to_side->address};
    work.from = (struct api_place){.role = "source", .address = from_side->address};
    cudaError_t error = check_box(call, box, to_side, from_side, &work.to, &work.from);
    if (error == cudaSuccess && !is_empty(box))
        run_copy(&work);
    return error;
}

cudaError_t api_copy_bytes(const struct api_call *call, uintptr_t to, uintptr_t from, size_t size,
                           enum cudaMemcpyKind kind, cudaStream_t stream, enum api_copy_way way)
{
    struct api_box box = {size, 1, 1};
    struct api_box_side to_side = {to, size, size}, from_side = {from, size, size};
    return api_copy_box(call, &box, &to_side, &from_side, kind, stream, way);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
    API_ENTER(API_PLAIN);
    return api_copy_bytes(&call, (uintptr_t)to, (uintptr_t)from, size, kind, NULL, API_COPY_WAITS);
}
API_PER_THREAD(cudaMemcpy, ptds, (void *to, const void *from, size_t size, enum cudaMemcpyKind kind),
               (to, from, size, kind))

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    API_ENTER(API_PLAIN);
    return api_copy_bytes(&call, (uintptr_t)to, (uintptr_t)from, size, kind, stream, API_COPY_ASYNC);
}
API_PER_THREAD(cudaMemcpyAsync, ptsz,
               (void *to, const void *from, size_t size, enum cudaMemcpyKind kind, cudaStream_t stream),
               (to, from, size, kind, stream))

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                         size_t height, enum cudaMemcpyKind kind)
{
    API_ENTER(API_PLAIN);
    struct api_box box = {width, height, 1};
    struct api_box_side to_side = {(uintptr_t)to, to_pitch, 0}, from_side = {(uintptr_t)from, from_pitch, 0};
    return api_copy_box(&call, &box, &to_side, &from_side, kind, NULL, API_COPY_WAITS);
}
API_PER_THREAD(cudaMemcpy2D, ptds,
               (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                enum cudaMemcpyKind kind),
               (to, to_pitch, from, from_pitch, width, height, kind))

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    API_ENTER(API_PLAIN);
    struct api_box box = {width, height, 1};
    struct api_box_side to_side = {(uintptr_t)to, to_pitch, 0}, from_side = {(uintptr_t)from, from_pitch, 0};
    return api_copy_box(&call, &box, &to_side, &from_side, kind, stream, API_COPY_ASYNC);
}
API_PER_THREAD(cudaMemcpy2DAsync, ptsz,
               (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                enum cudaMemcpyKind kind, cudaStream_t stream),
               (to, to_pitch, from, from_pitch, width, height, kind, stream))

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t size)
{
    API_ENTER(API_PLAIN);
    if (to_device != 0 || from_device != 0)
        return api_fail(cudaErrorInvalidDevice);
    return api_copy_bytes(&call, (uintptr_t)to, (uintptr_t)from, size, cudaMemcpyDeviceToDevice, NULL,
                          API_COPY_WAITS);
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
