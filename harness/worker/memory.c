/* Buffers of the student's function: allocated, filled from the slots, and brought back. */
#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "harness/lab/pieces.h"
#include "harness/worker/backend.h"
#include "harness/worker/worker.h"

static size_t slot_size(const struct protocol_buffer *spec)
{
    return spec->bytes + 2 * spec->guard;
}

static cudaError_t buffer_allocate(const struct protocol_buffer *spec, void **base)
{
    *base = NULL;
    if (slot_size(spec) == 0)
        return cudaSuccess;
    if (!spec->on_host)
        return cudaMalloc(base, slot_size(spec));
    if (posix_memalign(base, 256, slot_size(spec)) != 0)
        return cudaErrorMemoryAllocation;
    return cudaSuccess;
}

static cudaError_t buffer_poison(const struct protocol_buffer *spec, void *data)
{
    if (spec->bytes == 0)
        return cudaSuccess;
    if (spec->on_host)
        memset(data, (int)spec->poison, spec->bytes);
    else
        backend_poison(data, (int)spec->poison, spec->bytes);
    return cudaSuccess;
}

/* Of an OUT buffer the guards only: it is poisoned in its place. Without guards it is not written at all, so that
   in the simulator reading it stays a mistake. */
static cudaError_t buffer_upload(const struct protocol_buffer *spec, const char *slot, void *base)
{
    const size_t after = spec->guard + spec->bytes;
    if (slot_size(spec) == 0 || (spec->role == PROTOCOL_OUT && spec->guard == 0))
        return cudaSuccess;
    if (spec->on_host)
        memcpy(base, slot, slot_size(spec));
    if (spec->on_host)
        return cudaSuccess;
    if (spec->role != PROTOCOL_OUT)
        return cudaMemcpy(base, slot, slot_size(spec), cudaMemcpyHostToDevice);
    const cudaError_t error = cudaMemcpy(base, slot, spec->guard, cudaMemcpyHostToDevice);
    return error ? error
                 : cudaMemcpy((char *)base + after, slot + after, spec->guard, cudaMemcpyHostToDevice);
}

static cudaError_t buffer_download(const struct protocol_buffer *spec, char *slot, const void *base)
{
    if (slot_size(spec) == 0)
        return cudaSuccess;
    if (!spec->on_host)
        return cudaMemcpy(slot, base, slot_size(spec), cudaMemcpyDeviceToHost);
    memcpy(slot, base, slot_size(spec));
    return cudaSuccess;
}

/* Without guards, which only a fetch of everything looks at. */
static cudaError_t buffer_download_pieces(const struct protocol_buffer *spec, char *slot, const void *base,
                                          uint64_t draw)
{
    cudaError_t error = cudaSuccess;
    for (uint64_t i = 0; i < pieces_count(spec->bytes) && error == cudaSuccess; i++) {
        const uint64_t at = spec->guard + i * PIECE_BYTES;
        if (piece_is_drawn(draw, spec->bytes, i))
            error = cudaMemcpyAsync(slot + at, (const char *)base + at, piece_bytes(spec->bytes, i),
                                    cudaMemcpyDefault, 0);
    }
    return error == cudaSuccess ? cudaStreamSynchronize(0) : error;
}

static cudaError_t buffer_keep_pristine(const struct protocol_buffer *spec, const void *data, void **pristine)
{
    if (spec->role != PROTOCOL_INOUT || spec->bytes == 0)
        return cudaSuccess;
    cudaError_t error = *pristine ? cudaSuccess : cudaMalloc(pristine, spec->bytes);
    if (error == cudaSuccess)
        error = cudaMemcpy(*pristine, data, spec->bytes, cudaMemcpyDefault);
    return error;
}

static cudaError_t buffer_fill(struct worker *worker, struct worker_set *set, int i, bool keep_pristine)
{
    const struct protocol_buffer *spec = &set->spec[i];
    cudaError_t error;
    if (!spec->on_host && set->base[i])
        backend_name(set->base[i], spec->name);
    error = buffer_upload(spec, worker->arena + spec->offset, set->base[i]);
    if (error == cudaSuccess && spec->role == PROTOCOL_OUT)
        error = buffer_poison(spec, set->data[i]);
    if (error == cudaSuccess && keep_pristine)
        error = buffer_keep_pristine(spec, set->data[i], &set->pristine[i]);
    return error;
}

/* Whether the buffers of the set can take the contents of the request's, in the same places. */
static bool has_room(const struct worker_set *set, const struct protocol_request *request)
{
    bool same = set->used && set->count == (int)request->buffer_count;
    for (int i = 0; i < set->count && same; i++) {
        const struct protocol_buffer *here = &set->spec[i], *there = &request->buffer[i];
        same = here->bytes == there->bytes && here->guard == there->guard && here->role == there->role &&
               here->on_host == there->on_host;
    }
    return same;
}

static cudaError_t allocate(struct worker_set *set, const struct protocol_request *request)
{
    cudaError_t error = cudaSuccess;
    memset(set, 0, sizeof *set);
    set->used = true;
    set->count = (int)request->buffer_count;
    for (int i = 0; i < set->count && error == cudaSuccess; i++) {
        set->spec[i] = request->buffer[i];
        error = buffer_allocate(&set->spec[i], &set->base[i]);
        set->data[i] = set->base[i] ? (char *)set->base[i] + set->spec[i].guard : NULL;
    }
    return error;
}

/* New memory at other addresses while the old is still there, unless there is too little for both. */
static cudaError_t move(struct worker_set *set, const struct protocol_request *request)
{
    struct worker_set old = *set;
    const bool together = allocate(set, request) == cudaSuccess;
    if (!together) {
        cudaGetLastError(); /* is not the student's */
        worker_set_destroy(set);
    }
    worker_set_destroy(&old);
    return together ? cudaSuccess : allocate(set, request);
}

/* The memory of the call before, if the sizes are the same and no other is asked for: so no address can be kept, either. */
static cudaError_t make_room(struct worker_set *set, const struct protocol_request *request)
{
    if (request->elsewhere)
        return move(set, request);
    if (has_room(set, request))
        return cudaSuccess;
    worker_set_destroy(set);
    return allocate(set, request);
}

int worker_set_create(struct worker *worker, struct worker_set *set, const struct protocol_request *request,
                      bool keep_pristine)
{
    cudaError_t error = make_room(set, request);
    size_t bytes = 0;
    memcpy(set->spec, request->buffer, sizeof set->spec);
    for (int i = 0; i < set->count; i++)
        bytes += slot_size(&set->spec[i]);
    backend_share(worker->arena, worker->arena_bytes, bytes);
    for (int i = 0; i < set->count && error == cudaSuccess; i++)
        error = buffer_fill(worker, set, i, keep_pristine);
    return (int)error;
}

int worker_set_reset(struct worker_set *set)
{
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < set->count && error == cudaSuccess; i++) {
        if (set->pristine[i])
            error = cudaMemcpy(set->data[i], set->pristine[i], set->spec[i].bytes, cudaMemcpyDefault);
        else if (set->spec[i].role == PROTOCOL_OUT)
            error = buffer_poison(&set->spec[i], set->data[i]);
    }
    return (int)error;
}

/* Of two blocks of memory, a part at a time. */
static cudaError_t exchange(char *one, char *other, size_t bytes, void *room)
{
    cudaError_t error = cudaSuccess;
    for (size_t at = 0; at < bytes && error == cudaSuccess; at += EXCHANGE_BYTES) {
        const size_t part = bytes - at < EXCHANGE_BYTES ? bytes - at : EXCHANGE_BYTES;
        error = cudaMemcpyAsync(room, one + at, part, cudaMemcpyDefault, 0);
        if (error == cudaSuccess)
            error = cudaMemcpyAsync(one + at, other + at, part, cudaMemcpyDefault, 0);
        if (error == cudaSuccess)
            error = cudaMemcpyAsync(other + at, room, part, cudaMemcpyDefault, 0);
    }
    return error == cudaSuccess ? cudaStreamSynchronize(0) : error;
}

static void exchange_pointers(void **one, void **other)
{
    void *kept = *one;
    *one = *other;
    *other = kept;
}

/* With guards. What INOUT buffers start again from, and the slots, belong to the contents. */
int worker_set_exchange(struct worker_set *one, struct worker_set *other, void *room)
{
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < one->count && error == cudaSuccess; i++) {
        error = exchange(one->base[i], other->base[i], slot_size(&one->spec[i]), room);
        exchange_pointers(&one->base[i], &other->base[i]);
        exchange_pointers(&one->data[i], &other->data[i]);
    }
    return (int)error;
}

int worker_set_fetch(struct worker *worker, struct worker_set *set, bool everything, uint64_t draw)
{
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < set->count && error == cudaSuccess; i++) {
        const struct protocol_buffer *spec = &set->spec[i];
        char *slot = worker->arena + spec->offset;
        if (everything || (spec->role == PROTOCOL_OUT && (draw == 0 || spec->bytes < LONG_OUTPUT)))
            error = buffer_download(spec, slot, set->base[i]);
        else if (spec->role == PROTOCOL_OUT)
            error = buffer_download_pieces(spec, slot, set->base[i], draw);
    }
    return (int)error;
}

void worker_set_destroy(struct worker_set *set)
{
    for (int i = 0; i < set->count; i++) {
        if (set->spec[i].on_host)
            free(set->base[i]);
        else if (set->base[i])
            cudaFree(set->base[i]);
        if (set->pristine[i])
            cudaFree(set->pristine[i]);
    }
    memset(set, 0, sizeof *set);
}
