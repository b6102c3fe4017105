/*
 * A call whose time is modeled at the size that a GPU is judged at. The inputs repeat what is in the slots, the
 * outputs hold what fresh memory holds; nothing is copied back, for the simulator may run a sample of the blocks.
 */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/worker/backend.h"
#include "harness/worker/worker.h"

static cudaError_t fill_host(void *data, const char *slot, const struct protocol_buffer *spec)
{
    for (size_t done = 0; done < spec->full; done += spec->bytes)
        memcpy((char *)data + done, slot, spec->full - done < spec->bytes ? spec->full - done : spec->bytes);
    return cudaSuccess;
}

static cudaError_t create(struct worker *worker, struct worker_set *set, int i)
{
    const struct protocol_buffer *spec = &set->spec[i];
    const char *slot = worker->arena + spec->offset + spec->guard;
    if (spec->full == 0)
        return cudaSuccess;
    if (spec->on_host ? !(set->base[i] = malloc(spec->full))
                      : cudaMalloc(&set->base[i], spec->full) != cudaSuccess)
        return cudaErrorMemoryAllocation;
    set->data[i] = set->base[i];
    if (!spec->on_host)
        backend_name(set->base[i], spec->name);
    if (spec->role == PROTOCOL_OUT || spec->bytes == 0)
        return cudaSuccess;
    if (spec->on_host)
        return fill_host(set->data[i], slot, spec);
    return backend_repeat(set->data[i], spec->full, slot, spec->bytes) ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t create_all(struct worker *worker, struct worker_set *set)
{
    cudaError_t error = cudaSuccess;
    worker_set_destroy(set);
    set->used = true;
    set->count = (int)worker->request->buffer_count;
    memcpy(set->spec, worker->request->buffer, sizeof set->spec);
    for (int i = 0; i < set->count && error == cudaSuccess; i++)
        error = create(worker, set, i);
    return error;
}

void worker_model(struct worker *worker, struct protocol_reply *reply)
{
    const struct lab_binding *binding = worker_binding(worker->request->task);
    struct lab_call call;
    if (!binding) {
        reply->status = PROTOCOL_NO_TASK;
        return;
    }
    backend_begin(worker->request,
                  worker->mailbox); /* the buffers are larger than the host's memory may be */
    cudaError_t error = create_all(worker, &worker->single);
    if (error != cudaSuccess) {
        cudaGetLastError();
        worker_fail(reply, PROTOCOL_NO_MEMORY, (int)error);
        worker_set_destroy(&worker->single);
        return;
    }
    worker_fill_call(&call, &worker->single, worker->request->arg);
    backend_begin(worker->request, worker->mailbox);
    backend_buffers(worker->request, &worker->single);
    worker_call(worker, binding, &call);
    worker_settle(reply);
    fflush(stdout);
    backend_collect(worker->request, worker->mailbox);
    worker_set_destroy(&worker->single);
}
