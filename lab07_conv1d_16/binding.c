/* How the worker calls lab 07. buffers: d_x, d_h, d_y; args: n, and what kind of numbers. */
#include "harness/lab/binding.h"
#include "lab07.h"

#ifndef LAB_STEPS
static void run_naive(struct lab_call *call)
{
    lab07_convolve_naive(call->buffer[0], (int)call->arg[0], call->buffer[1], call->buffer[2]);
}

/* args: then the threads of a block */
static void run_tile(struct lab_call *call)
{
    lab07_convolve_tile(call->buffer[0], (int)call->arg[0], call->buffer[1], call->buffer[2],
                        (int)call->arg[2]);
}

static void run_window(struct lab_call *call)
{
    lab07_convolve_window(call->buffer[0], (int)call->arg[0], call->buffer[1], call->buffer[2]);
}

/* args: height, numbers, width */
static void run_convolve_2d(struct lab_call *call)
{
    lab07_convolve_2d(call->buffer[0], (int)call->arg[0], (int)call->arg[2], call->buffer[1],
                      call->buffer[2]);
}
#endif

static void run_convolve(struct lab_call *call)
{
    lab07_convolve(call->buffer[0], (int)call->arg[0], call->buffer[1], call->buffer[2]);
}

const struct lab_binding lab_bindings[] = {
#ifndef LAB_STEPS
    {"naive", run_naive},
    {"tile", run_tile},
    {"window", run_window},
#endif
    {"edges", run_convolve},
    {"convolve", run_convolve},
#ifndef LAB_STEPS
    {"two_dimensions", run_convolve_2d},
#endif
};
const int lab_binding_count = sizeof lab_bindings / sizeof *lab_bindings;
