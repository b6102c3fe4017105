/* The list of launches from kernels; see device_launch.h. */
#include "sim/core/kernel.h"
#include "sim/machine/device_launch.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/device.h"
#include "sim/memory/allocations.h"
#include "sim/ptx/ptx.h"

struct device_launches *device_launches_create(void)
{
    return calloc(1, sizeof(struct device_launches));
}

void device_launches_destroy(struct device_launches *launches)
{
    free(launches);
}

static void append(struct device_launches *all, struct device_launch *launch)
{
    launch->next = NULL;
    *(all->launched ? &all->newest->next : &all->launched) = launch;
    all->newest = launch;
}

sim_addr device_launch_buffer(struct sim *sim, const struct device_launch *launch)
{
    struct device_launch *copy = malloc(sizeof *copy);
    if (!copy)
        return 0;
    *copy = *launch;
    copy->buffer = sim_mem_alloc(sim, launch->kernel->param_size + 1, NULL);
    if (!copy->buffer) {
        free(copy);
        return 0;
    }
    sim_mem_name(sim, copy->buffer, "parameters of a launch from a kernel");
    copy->next = sim->device_launches->asked;
    sim->device_launches->asked = copy;
    return copy->buffer;
}

bool device_launch_commit(struct sim *sim, sim_addr buffer, bool is_tail)
{
    struct device_launch **link = &sim->device_launches->asked, *launch;
    while (*link && (*link)->buffer != buffer)
        link = &(*link)->next;
    launch = *link;
    if (!launch)
        return false;
    size_t size = launch->kernel->param_size;
    launch->params = malloc(size + 1);
    if (!launch->params)
        return false;
    memcpy(launch->params, sim_mem_host(sim, buffer, size + 1), size);
    sim_mem_free(sim, buffer);
    launch->is_tail = is_tail;
    *link = launch->next;
    append(sim->device_launches, launch);
    return true;
}

bool device_launch_copy(struct sim *sim, const struct device_launch *copy)
{
    struct device_launch *launch = malloc(sizeof *launch);
    if (!launch)
        return false;
    *launch = *copy;
    append(sim->device_launches, launch);
    return true;
}

void device_launch_free(struct device_launch *launch)
{
    free(launch->params);
    free(launch);
}

struct device_launch *device_launch_take(struct sim *sim)
{
    struct device_launches *all = sim->device_launches;
    struct device_launch *taken = all->launched;
    while (all->asked) {
        struct device_launch *next = all->asked->next;
        sim_mem_free(sim, all->asked->buffer);
        device_launch_free(all->asked);
        all->asked = next;
    }
    all->launched = NULL;
    all->last_error = 0;
    return taken;
}
