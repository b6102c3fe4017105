/* How the worker calls lab 01: each task's buffers and numbers, in the order of grader.c. */
#include <cuda_runtime_api.h>
#include <math.h>

#include "harness/lab/binding.h"
#include "lab01.h"

/* buffers: d_number; args: n */
static void run_number(struct lab_call *call)
{
    lab01_number(call->buffer[0], (int)call->arg[0]);
}

/* buffers: d_x, d_twice; args: n */
static void run_twice(struct lab_call *call)
{
    lab01_twice(call->buffer[0], call->buffer[1], (int)call->arg[0]);
}

/* buffers: d_table; args: rows, columns */
static void run_table(struct lab_call *call)
{
    lab01_table(call->buffer[0], (int)call->arg[0], (int)call->arg[1]);
}

/* buffers: d_x, d_y; args: n */
static void run_copy(struct lab_call *call)
{
    lab01_copy(call->buffer[0], call->buffer[1], (int)call->arg[0]);
}

/* buffers: d_x, d_y; args: n, stride */
static void run_copy_stride(struct lab_call *call)
{
    lab01_copy_stride(call->buffer[0], call->buffer[1], (int)call->arg[0], (int)call->arg[1]);
}

/* buffers: d_x, d_partial; args: n */
static void run_reduce(struct lab_call *call)
{
    lab01_reduce_blocks(call->buffer[0], (int)call->arg[0], call->buffer[1]);
}

/* buffers: h_partial; args: count; result: the sum */
static void run_finish(struct lab_call *call)
{
    call->result[0] = lab01_finish(call->buffer[0], (int)call->arg[0]);
}

/* buffers: d_x; args: n; result: the sum */
static void run_sum(struct lab_call *call)
{
    call->result[0] = lab01_sum(call->buffer[0], (int)call->arg[0]);
}

/* buffers: h_x, h_twice; args: n */
static void run_round_trip(struct lab_call *call)
{
    lab01_twice_round_trip(call->buffer[0], call->buffer[1], (int)call->arg[0]);
}

/* Results 0 to 4: what lab01_symbol_read finds, the scale and then the coefficients. */
static void read_symbols(struct lab_call *call)
{
    real scale = (real)NAN;
    real coefficients[LAB01_COEFFICIENTS];
    for (int k = 0; k < LAB01_COEFFICIENTS; ++k)
        coefficients[k] = (real)NAN;
    lab01_symbol_read(&scale, coefficients);
    call->result[0] = scale;
    for (int k = 0; k < LAB01_COEFFICIENTS; ++k)
        call->result[1 + k] = coefficients[k];
}

/* buffers: h_scale, h_coefficients, d_x, d_y; args: n. Write, apply, read back. */
static void run_symbols(struct lab_call *call)
{
    const real *scale = call->buffer[0];
    lab01_symbol_write(*scale, call->buffer[1]);
    lab01_symbol_apply(call->buffer[2], call->buffer[3], (int)call->arg[0]);
    read_symbols(call);
}

/*
 * The same buffers. After the write, the coefficients are replaced, in reverse order, through the
 * address that the lab gives; what follows must see the new ones.
 */
static void run_symbol_address(struct lab_call *call)
{
    const real *scale = call->buffer[0], *coefficients = call->buffer[1];
    real reversed[LAB01_COEFFICIENTS];
    for (int k = 0; k < LAB01_COEFFICIENTS; ++k)
        reversed[k] = coefficients[LAB01_COEFFICIENTS - 1 - k];
    lab01_symbol_write(*scale, coefficients);
    real *address = lab01_symbol_address();
    if (address)
        cudaMemcpy(address, reversed, sizeof reversed, cudaMemcpyHostToDevice);
    lab01_symbol_apply(call->buffer[2], call->buffer[3], (int)call->arg[0]);
    read_symbols(call);
}

const struct lab_binding lab_bindings[] = {
    {"number", run_number},
    {"twice", run_twice},
    {"table", run_table},
    {"copy", run_copy},
    {"copy_stride", run_copy_stride},
    {"reduce", run_reduce},
    {"finish", run_finish},
    {"sum", run_sum},
    {"round_trip", run_round_trip},
    {"symbols", run_symbols},
    {"symbol_address", run_symbol_address},
};
const int lab_binding_count = sizeof lab_bindings / sizeof *lab_bindings;
