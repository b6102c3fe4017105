/* Launches, copies and fills that kernels asked for, run when the grid that asked has ended. */
#include "sim/api/api_copy.h"
#include "sim/api/api_launch.h"
#include "sim/api/api_state.h"
#include "sim/core/device.h"
#include "sim/machine/device_launch.h"
#include "sim/text/plain_name.h"

#include <stdlib.h>

/* The kernel's parameters lie behind one another in the buffer that its parent filled. */
static void **child_arguments(const struct device_launch *child)
{
    void **args = calloc((size_t)child->kernel->param_count + 1, sizeof *args);
    for (int i = 0; args && i < child->kernel->param_count; i++)
        args[i] = child->params + child->kernel->params[i].offset;
    return args;
}

/* As on a device, an impossible launch is left out; the host learns of it by the simulator's note only. */
static void run_child(const struct device_launch *child, struct CUstream_st *stream)
{
    char title[192];
    struct api_call call = {title, cudaSuccess, NULL, NULL, NULL};
    struct sim_launch launch = {NULL, child->grid, child->block, child->dynamic_shared,
                                NULL, false,       {0, 0, 0}};
    cudaError_t error, last = cudaPeekAtLastError();
    char name[128];
    plain_name(child->kernel->name, name, sizeof name);
    snprintf(title, sizeof title, "launch of %s from a kernel", name);
    struct api_function *function = api_find_function_named(&call, child->kernel->name, &error);
    launch.args = child_arguments(child);
    if (!function || !launch.args) {
        api_note(title, "it cannot run; nothing after it does");
        api.pending = cudaErrorNotSupported;
    } else {
        struct sim_kernel_info info;
        sim_kernel_info(function->kernel, &info);
        launch.kernel = function->kernel;
        if (api_check_launch(&call, function, &info, &launch) == cudaSuccess)
            api_run_launch(&launch, &info, stream);
    }
    cudaGetLastError(); /* what the host has heard so far stays, nothing is added */
    api_fail(last);
    free(launch.args);
}

/* A copy or fill that a kernel queued; bad addresses end as those of a kernel would. */
static void run_device_copy(const struct device_launch *copy, struct CUstream_st *stream)
{
    struct api_call call = {"a copy queued by a kernel", cudaSuccess, NULL, NULL, NULL};
    cudaError_t error, last = cudaPeekAtLastError();
    struct api_box box = {copy->size, 1, 1};
    struct api_box_side to = {copy->to, copy->size, copy->size}, from = {copy->from, copy->size, copy->size};
    if (copy->from != 0)
        error = api_copy_now(&call, &box, &to, &from, stream);
    else
        error = api_fill_now(&call, &box, &to, copy->value, stream);
    if (error != cudaSuccess)
        api.pending = cudaErrorIllegalAddress;
    cudaGetLastError();
    api_fail(last);
}

bool api_runs_children(void)
{
    return api.sim->device_launches->depth > 0;
}

/* First the others, each with its own children, then the tail launches. */
void api_run_children(struct CUstream_st *stream)
{
    struct device_launch *children = device_launch_take(api.sim);
    struct sim_result parent = api.last;
    api.sim->device_launches->depth++;
    for (int tail = 0; tail < 2; tail++)
        for (const struct device_launch *child = children; child; child = child->next)
            if (child->is_tail == (tail == 1) && api.pending == cudaSuccess && api.sticky == cudaSuccess) {
                if (child->kernel)
                    run_child(child, stream);
                else
                    run_device_copy(child, stream);
            }
    api.sim->device_launches->depth--;
    api.last = parent;
    while (children) {
        struct device_launch *next = children->next;
        device_launch_free(children);
        children = next;
    }
}
