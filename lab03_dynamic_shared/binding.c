/* How the worker calls lab 03: each task's buffers and numbers, in the order of grader.c. */
#include <stdbool.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "harness/lab/binding.h"
#include "lab03.h"

/* buffers: d_x, d_partial; args: n, block_size */
static void run_reduce(struct lab_call *call)
{
    lab03_reduce_blocks(call->buffer[0], (int)call->arg[0], call->buffer[1], (int)call->arg[1]);
}

/* buffers: d_x; args: n, block_size; result: the sum */
static void run_sum(struct lab_call *call)
{
    call->result[0] = lab03_sum(call->buffer[0], (int)call->arg[0], (int)call->arg[1]);
}

/* buffers: d_x, d_label, d_partial; args: n, block_size */
static void run_run_ends(struct lab_call *call)
{
    lab03_run_ends(call->buffer[0], call->buffer[1], (int)call->arg[0], call->buffer[2], (int)call->arg[1]);
}

/* buffers: d_x, d_y; args: n, tile; result: the returned code */
static void run_reverse(struct lab_call *call)
{
    call->result[0] =
        lab03_reverse_tiles(call->buffer[0], call->buffer[1], (int)call->arg[0], (int)call->arg[1]);
}

/* Any error code of CUDA counts as cudaErrorInvalidValue: which one it is depends on the call that is refused. */
static int any_error(int code)
{
    const bool known = strncmp(cudaGetErrorName((cudaError_t)code), "cuda", 4) == 0;
    return known && code != cudaSuccess ? cudaErrorInvalidValue : code;
}

/*
 * buffers: d_x, d_y, d_z; args: n, tile, small. First a tile that no device has room for, into d_y; then
 * a small one, into d_z: the refusal must have no consequences. Results: what the first call returned, with
 * cudaErrorInvalidValue for any error code; the error that it left pending (0: none); what the second call returned.
 */
static void run_refused(struct lab_call *call)
{
    const int n = (int)call->arg[0];
    call->result[0] = any_error(lab03_reverse_tiles(call->buffer[0], call->buffer[1], n, (int)call->arg[1]));
    call->result[1] = cudaGetLastError();
    call->result[2] = lab03_reverse_tiles(call->buffer[0], call->buffer[2], n, (int)call->arg[2]);
}

const struct lab_binding lab_bindings[] = {
    {"reduce", run_reduce},   {"sum", run_sum},         {"run_ends", run_run_ends},
    {"reverse", run_reverse}, {"refused", run_refused},
};
const int lab_binding_count = sizeof lab_bindings / sizeof *lab_bindings;
