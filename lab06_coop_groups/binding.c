/* How the worker calls lab 06: each task's buffers and numbers, in the order of grader.c. */
#include <cuda_runtime_api.h>
#include <string.h>

#include "harness/lab/binding.h"
#include "lab06.h"

/* buffers: d_x, d_y; args: n, tile */
static void run_tiles(struct lab_call *call)
{
    lab06_tile_sums(call->buffer[0], (int)call->arg[0], call->buffer[1], (int)call->arg[1]);
}

/* buffers: d_x, d_y; args: n, inputs (what kind of numbers) */
static void run_two_kernels(struct lab_call *call)
{
    lab06_sum_two_kernels(call->buffer[0], (int)call->arg[0], call->buffer[1]);
}

static void run_grid_sync(struct lab_call *call)
{
    lab06_sum_grid_sync(call->buffer[0], (int)call->arg[0], call->buffer[1]);
}

static void run_wide(struct lab_call *call)
{
    lab06_sum_wide(call->buffer[0], (int)call->arg[0], call->buffer[1]);
}

static void run_summit(struct lab_call *call)
{
    lab06_sum(call->buffer[0], (int)call->arg[0], call->buffer[1]);
}

/*
 * The same twice, of an array that begins `first` elements into d_x; args: n, inputs, first. Result: do
 * the two sums have the same bits (1: yes)?
 */
static void run_anywhere(struct lab_call *call)
{
    const real *x = (const real *)call->buffer[0] + call->arg[2];
    real sum[2] = {0, 1};
    for (int k = 0; k < 2; k++) {
        lab06_sum(x, (int)call->arg[0], call->buffer[1]);
        cudaMemcpy(&sum[k], call->buffer[1], sizeof(real), cudaMemcpyDeviceToHost);
    }
    call->result[0] = memcmp(&sum[0], &sum[1], sizeof(real)) == 0;
}

const struct lab_binding lab_bindings[] = {
    {"tiles", run_tiles}, {"two_kernels", run_two_kernels}, {"grid_sync", run_grid_sync},
    {"wide", run_wide},   {"summit", run_summit},           {"anywhere", run_anywhere},
};
const int lab_binding_count = sizeof lab_bindings / sizeof *lab_bindings;
