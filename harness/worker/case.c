/*
 * One call of the student's function: copy in, call, see what went wrong, copy out. Its buffers stay for the next call: if
 * that has buffers of the same sizes, they are these, with other contents. Whoever takes the result for that of the same
 * pointers is wrong then.
 */
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/worker/backend.h"
#include "harness/worker/worker.h"

const struct lab_binding *worker_binding(const char *task)
{
    for (int i = 0; i < lab_binding_count; i++)
        if (strcmp(lab_bindings[i].task, task) == 0)
            return &lab_bindings[i];
    return NULL;
}

void worker_fill_call(struct lab_call *call, const struct worker_set *set, const int64_t *arg)
{
    memset(call, 0, sizeof *call);
    memcpy(call->arg, arg, sizeof call->arg);
    memcpy(call->buffer, set->data, sizeof call->buffer);
    for (int i = 0; i < LAB_MAX_RESULTS; i++)
        call->result[i] = NAN;
}

void worker_call(struct worker *worker, const struct lab_binding *binding, struct lab_call *call)
{
    worker->mailbox->student_running = 1;
    worker_heap_watch(true);
    binding->run(call);
    worker_heap_watch(false);
    worker->mailbox->student_running = 0;
}

void worker_fail(struct protocol_reply *reply, enum protocol_status status, int error)
{
    reply->status = (uint32_t)status;
    reply->error = error;
    snprintf(reply->error_name, sizeof reply->error_name, "%s", cudaGetErrorName((cudaError_t)error));
    snprintf(reply->error_text, sizeof reply->error_text, "%s", cudaGetErrorString((cudaError_t)error));
}

bool worker_settle(struct protocol_reply *reply)
{
    cudaError_t launch = cudaGetLastError();
    cudaError_t execution = cudaDeviceSynchronize();
    if (execution != cudaSuccess)
        worker_fail(reply, PROTOCOL_EXECUTION, (int)execution);
    else if (launch != cudaSuccess)
        worker_fail(reply, PROTOCOL_LAUNCH, (int)launch);
    return reply->status == PROTOCOL_OK;
}

static void tell_addresses(struct worker *worker)
{
    for (int i = 0; i < worker->single.count; i++)
        worker->mailbox->buffer_address[i] = (uint64_t)(uintptr_t)worker->single.data[i];
}

void worker_run_case(struct worker *worker, struct protocol_reply *reply)
{
    const struct lab_binding *binding = worker_binding(worker->request->task);
    if (!binding) {
        reply->status = PROTOCOL_NO_TASK;
        return;
    }
    int error = worker_set_create(worker, &worker->single, worker->request, false);
    if (error == cudaSuccess)
        error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {
        worker_fail(reply, PROTOCOL_NO_MEMORY, error);
        worker_set_destroy(&worker->single);
        return;
    }
    struct lab_call call;
    worker_fill_call(&call, &worker->single, worker->request->arg);
    tell_addresses(worker);
    backend_begin(worker->request, worker->mailbox);
    backend_buffers(worker->request, &worker->single);
    if (worker->request->kind == PROTOCOL_TRY)
        backend_note_launches();
    worker_call(worker, binding, &call);
    bool settled = worker_settle(reply);
    fflush(stdout);
    backend_collect(worker->request, worker->mailbox);
    memcpy(reply->result, call.result, sizeof reply->result);
    if (settled && (error = worker_set_fetch(worker, &worker->single, true, 0)) != cudaSuccess)
        worker_fail(reply, PROTOCOL_COPY_BACK, error);
}
