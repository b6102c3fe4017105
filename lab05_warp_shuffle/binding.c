/* How the worker calls lab 05: each task's buffers and numbers, in the order of grader.c. */
#include "harness/lab/binding.h"
#include "lab05.h"

/* All of them: buffers d_x, d_y; args: n. */
static void run_syncwarp(struct lab_call *call)
{
    lab05_sum_syncwarp(call->buffer[0], (int)call->arg[0], call->buffer[1]);
}

static void run_shuffle(struct lab_call *call)
{
    lab05_sum_shuffle(call->buffer[0], (int)call->arg[0], call->buffer[1]);
}

static void run_warp_scan(struct lab_call *call)
{
    lab05_warp_scan(call->buffer[0], (int)call->arg[0], call->buffer[1]);
}

static void run_block_scan(struct lab_call *call)
{
    lab05_block_scan(call->buffer[0], (int)call->arg[0], call->buffer[1]);
}

/* Then d_count. */
static void run_compact(struct lab_call *call)
{
    lab05_compact(call->buffer[0], (int)call->arg[0], call->buffer[1], call->buffer[2]);
}

static void run_inside(struct lab_call *call)
{
    lab05_diverge_inside(call->buffer[0], (int)call->arg[0], call->buffer[1]);
}

static void run_between(struct lab_call *call)
{
    lab05_diverge_between(call->buffer[0], (int)call->arg[0], call->buffer[1]);
}

/* Then the room: d_sums. */
static void run_scan(struct lab_call *call)
{
    lab05_scan(call->buffer[0], (int)call->arg[0], call->buffer[1], call->buffer[2]);
}

/* d_sums and d_state. */
static void run_scan_once(struct lab_call *call)
{
    lab05_scan_once(call->buffer[0], (int)call->arg[0], call->buffer[1], call->buffer[2], call->buffer[3]);
}

const struct lab_binding lab_bindings[] = {
    {"syncwarp", run_syncwarp},     {"shuffle", run_shuffle}, {"warp_scan", run_warp_scan},
    {"block_scan", run_block_scan}, {"compact", run_compact}, {"inside", run_inside},
    {"between", run_between},       {"scan", run_scan},       {"scan_once", run_scan_once},
};
const int lab_binding_count = sizeof lab_bindings / sizeof *lab_bindings;
