/* How the worker calls lab 02: each task's buffers and numbers, in the order of grader.c. */
#include "harness/lab/binding.h"
#include "lab02.h"

/* buffers: d_x, d_partial; args: n */
static void run_reduce(struct lab_call *call)
{
    lab02_reduce_blocks(call->buffer[0], (int)call->arg[0], call->buffer[1]);
}

/* buffers: d_x, d_partial; args: n */
static void run_reduce_interleaved(struct lab_call *call)
{
    lab02_reduce_interleaved(call->buffer[0], (int)call->arg[0], call->buffer[1]);
}

/* buffers: d_x; args: n; result: the sum */
static void run_sum(struct lab_call *call)
{
    call->result[0] = lab02_sum(call->buffer[0], (int)call->arg[0]);
}

/* buffers: d_in, d_out; args: rows, cols */
static void run_transpose(struct lab_call *call)
{
    lab02_transpose(call->buffer[0], call->buffer[1], (int)call->arg[0], (int)call->arg[1]);
}

/* buffers: d_in, d_out; args: rows, cols */
static void run_transpose_conflicts(struct lab_call *call)
{
    lab02_transpose_conflicts(call->buffer[0], call->buffer[1], (int)call->arg[0], (int)call->arg[1]);
}

/* buffers: d_in, d_out; args: rows, cols */
static void run_transpose_naive(struct lab_call *call)
{
    lab02_transpose_naive(call->buffer[0], call->buffer[1], (int)call->arg[0], (int)call->arg[1]);
}

const struct lab_binding lab_bindings[] = {
    {"reduce", run_reduce},
    {"reduce_interleaved", run_reduce_interleaved},
    {"sum", run_sum},
    {"transpose", run_transpose},
    {"transpose_conflicts", run_transpose_conflicts},
    {"transpose_naive", run_transpose_naive},
};
const int lab_binding_count = sizeof lab_bindings / sizeof *lab_bindings;
