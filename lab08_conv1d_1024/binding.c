/* How the worker calls lab 08. */
#include "harness/lab/binding.h"
#include "lab08.h"

/* buffers: d_x, d_h, d_y; args: n, and what kind of numbers */
typedef void convolution(const real *d_x, int n, const real *d_h, real *d_y);

static void run(convolution *function, struct lab_call *call)
{
    function(call->buffer[0], (int)call->arg[0], call->buffer[1], call->buffer[2]);
}

static void run_convolve(struct lab_call *call)
{
    run(lab08_convolve, call);
}

#ifndef LAB_STEPS
static void run_naive(struct lab_call *call)
{
    run(lab08_convolve_naive, call);
}

static void run_tile(struct lab_call *call)
{
    run(lab08_convolve_tile, call);
}

static void run_registers(struct lab_call *call)
{
    run(lab08_convolve_registers, call);
}

static void run_vectors(struct lab_call *call)
{
    run(lab08_convolve_vectors, call);
}

static void run_in_order(struct lab_call *call)
{
    run(lab08_convolve_in_order, call);
}

static void run_few(struct lab_call *call)
{
    run(lab08_few, call);
}

static void run_few_in_order(struct lab_call *call)
{
    run(lab08_few_in_order, call);
}
#endif

const struct lab_binding lab_bindings[] = {
#ifndef LAB_STEPS
    {"naive", run_naive},
    {"tile", run_tile},
    {"registers", run_registers},
    {"vectors", run_vectors},
    {"in_order", run_in_order},
    {"few", run_few},
    {"few_in_order", run_few_in_order},
#endif
    {"edges", run_convolve},
    {"convolve", run_convolve},
};
const int lab_binding_count = sizeof lab_bindings / sizeof *lab_bindings;
