/* How the worker calls lab 07. */
#include "harness/binding.h"
#include "lab07.h"

/* buffers: d_x, d_h, d_y; args: n, and what kind of numbers */
static void run_convolve(struct lab_call *call)
{
    lab07_convolve(call->buffer[0], (int)call->arg[0], call->buffer[1], call->buffer[2]);
}

const struct lab_binding lab_bindings[] = {
    {"edges", run_convolve},
    {"convolve", run_convolve},
};
const int lab_binding_count = sizeof lab_bindings / sizeof *lab_bindings;
