/* How the worker calls lab 04: each task's buffers and numbers, in the order of grader.c. */
#include <cuda_runtime_api.h>
#include <math.h>

#include "harness/lab/binding.h"
#include "lab04.h"

/* buffers: d_x, d_y; args: n. The contract: *d_y is zero before. */
static void run_sum_race(struct lab_call *call)
{
    cudaMemset(call->buffer[1], 0, sizeof(real));
    lab04_sum_race(call->buffer[0], (int)call->arg[0], call->buffer[1]);
}

static void run_sum(struct lab_call *call)
{
    lab04_sum(call->buffer[0], (int)call->arg[0], call->buffer[1]);
}

/* buffers: d_key, d_count; args: n, keys (how they are distributed) */
static void run_global(struct lab_call *call)
{
    lab04_histogram_global(call->buffer[0], (int)call->arg[0], call->buffer[1]);
}

static void run_histogram(struct lab_call *call)
{
    lab04_histogram_shared(call->buffer[0], (int)call->arg[0], call->buffer[1]);
}

/* buffers: d_key, d_largest; args: n, keys */
static void run_largest_key(struct lab_call *call)
{
    lab04_largest_key(call->buffer[0], (int)call->arg[0], call->buffer[1]);
}

/* buffers: d_x, d_y; args: n */
static void run_max(struct lab_call *call)
{
    lab04_max(call->buffer[0], (int)call->arg[0], call->buffer[1]);
}

/*
 * The same; args: n, inputs. Results: is the maximum NaN, is its sign bit set, which number is it. No
 * comparison tells NaN from NaN, or +0 from -0: this does.
 */
static void run_special(struct lab_call *call)
{
    real y = 0;
    lab04_max(call->buffer[0], (int)call->arg[0], call->buffer[1]);
    cudaMemcpy(&y, call->buffer[1], sizeof y, cudaMemcpyDeviceToHost);
    call->result[0] = isnan(y) != 0;
    call->result[1] = !isnan(y) && signbit(y);
    call->result[2] = isnan(y) ? 0 : y;
}

const struct lab_binding lab_bindings[] = {
    {"sum_race", run_sum_race},       {"sum", run_sum},
    {"global", run_global},           {"global_one_bin", run_global},
    {"histogram", run_histogram},     {"one_bin", run_histogram},
    {"largest_key", run_largest_key}, {"max", run_max},
    {"special", run_special},
};
const int lab_binding_count = sizeof lab_bindings / sizeof *lab_bindings;
