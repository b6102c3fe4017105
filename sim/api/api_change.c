#include "sim/api/api_change.h"
#include "sim/api/api_state.h"
#include "sim/text/plain_name.h"

#include <string.h>

#define ARGUMENTS 32 /* of a launch that is changed */

static struct {
    bool is_on;
    struct sim_launch_change change;
    struct sim_seen_launch seen[SIM_SEEN_LAUNCHES];
    int count;
    uint64_t blocks_before; /* of the launch before the one that is looked at */
    void *arguments[ARGUMENTS];
    int64_t number; /* that is passed instead of an argument */
} trial;

void sim_change_launches(const struct sim_launch_change *change)
{
    trial.is_on = change != NULL;
    trial.change = change ? *change : (struct sim_launch_change){.kind = SIM_LAUNCH_UNCHANGED};
    trial.count = 0;
    trial.blocks_before = 0;
}

int sim_seen_launches(const struct sim_seen_launch **list)
{
    *list = trial.seen;
    return trial.count;
}

/* ---- noting -------------------------------------------------------------------------------------------- */

static struct sim_seen_argument seen_argument(const struct ptx_var *parameter, const void *value)
{
    struct sim_seen_argument argument = {.size = (uint32_t)parameter->size, .type = parameter->type};
    memcpy(&argument.value, value,
           parameter->size < sizeof argument.value ? parameter->size : sizeof argument.value);
    argument.is_pointer = parameter->size == sizeof argument.value &&
                          sim_mem_is_device(api.sim, (const void *)(uintptr_t)argument.value);
    return argument;
}

static void note(const struct api_source *source, const struct sim_kernel *kernel,
                 const struct sim_launch *launch)
{
    const struct ptx_func *func = sim_kernel_function(kernel);
    struct sim_seen_launch *seen = &trial.seen[trial.count];
    if (trial.count == SIM_SEEN_LAUNCHES)
        return;
    *seen = (struct sim_seen_launch){.line = source->line,
                                     .grid = launch->grid,
                                     .block = launch->block,
                                     .dynamic_shared = launch->dynamic_shared,
                                     .argument_count = func->param_count};
    snprintf(seen->file, sizeof seen->file, "%s", source->file);
    plain_name(func->name, seen->kernel, sizeof seen->kernel);
    for (int i = 0; launch->args && i < func->param_count && i < SIM_SEEN_ARGUMENTS; i++)
        seen->argument[i] = seen_argument(&func->params[i].var, launch->args[i]);
    trial.count++;
}

/* ---- changing ------------------------------------------------------------------------------------------ */

static uint32_t *axis_of(struct sim_dim3 *size, int axis)
{
    return axis == 0 ? &size->x : axis == 1 ? &size->y : &size->z;
}

static void swap(uint32_t *a, uint32_t *b)
{
    const uint32_t was = *a;
    *a = *b;
    *b = was;
}

static void change_shape(const struct sim_launch_change *change, struct sim_launch *launch)
{
    struct sim_dim3 *block = &launch->block;
    uint32_t *blocks = axis_of(&launch->grid, change->at);
    const uint32_t number = (uint32_t)change->number;
    switch (change->kind) {
    case SIM_LAUNCH_BLOCKS_MORE: *blocks += number; break;
    case SIM_LAUNCH_BLOCKS_TIMES: *blocks *= number; break;
    case SIM_LAUNCH_BLOCKS_PART: *blocks = (*blocks + number - 1) / number; break;
    case SIM_LAUNCH_BLOCKS: *blocks = number; break;
    case SIM_LAUNCH_GRID_AXES: swap(&launch->grid.x, &launch->grid.y); break;
    case SIM_LAUNCH_BLOCK_AXES: swap(&block->x, &block->y); break;
    case SIM_LAUNCH_BLOCK_SQUARE: block->y = block->x; break;
    case SIM_LAUNCH_BLOCK_FLAT:
        block->x *= block->y;
        block->y = 1;
        break;
    case SIM_LAUNCH_THREADS: block->x = number; break;
    case SIM_LAUNCH_SHARED: launch->dynamic_shared = (size_t)change->number; break;
    default: break;
    }
}

/* Of all the launch's arguments a table of our own, to put others there. */
static bool take_arguments(const struct ptx_func *func, struct sim_launch *launch)
{
    const int count = func->param_count;
    if (!launch->args || count > ARGUMENTS || trial.change.at >= count || trial.change.from >= count)
        return false;
    memcpy(trial.arguments, launch->args, (size_t)count * sizeof *trial.arguments);
    launch->args = trial.arguments;
    return true;
}

static uint64_t size_of(const struct sim_dim3 *size)
{
    return (uint64_t)size->x * size->y * size->z;
}

static void change_argument(const struct sim_launch_change *change, const struct ptx_func *func,
                            struct sim_launch *launch)
{
    int32_t was;
    if (!take_arguments(func, launch))
        return;
    void **at = &trial.arguments[change->at];
    memcpy(&was, *at, sizeof was);
    switch (change->kind) {
    case SIM_LAUNCH_ARGUMENT_MORE: trial.number = was + change->number; break;
    case SIM_LAUNCH_ARGUMENT_NUMBER: trial.number = change->number; break;
    case SIM_LAUNCH_ARGUMENT_BLOCKS: trial.number = (int64_t)size_of(&launch->grid); break;
    case SIM_LAUNCH_ARGUMENT_BEFORE: trial.number = (int64_t)trial.blocks_before; break;
    case SIM_LAUNCH_ARGUMENT_THREADS: trial.number = (int64_t)size_of(&launch->block); break;
    case SIM_LAUNCH_EXCHANGE: {
        void *other = trial.arguments[change->from];
        trial.arguments[change->from] = *at;
        *at = other;
        return;
    }
    default: *at = trial.arguments[change->from]; return;
    }
    *at = &trial.number;
}

static bool is_meant(const struct sim_launch_change *change, const struct api_source *source)
{
    const char *slash = strrchr(source->file, '/');
    return change->kind != SIM_LAUNCH_UNCHANGED && change->line == source->line &&
           strcmp(slash ? slash + 1 : source->file, change->file) == 0;
}

bool api_change_launch(const struct api_call *call, const struct sim_kernel *kernel,
                       struct sim_launch *launch)
{
    const struct sim_launch_change *change = &trial.change;
    const struct ptx_func *func = sim_kernel_function(kernel);
    if (!trial.is_on)
        return true;
    const struct api_source source = api_source_of_call(call);
    note(&source, kernel, launch);
    if (is_meant(change, &source)) {
        if (change->kind == SIM_LAUNCH_NONE)
            return false;
        if (change->kind >= SIM_LAUNCH_EXCHANGE && change->kind <= SIM_LAUNCH_ARGUMENT_THREADS)
            change_argument(change, func, launch);
        else
            change_shape(change, launch);
    }
    trial.blocks_before = size_of(&launch->grid);
    return true;
}

bool api_change_delays(const struct api_call *call)
{
    if (!trial.is_on || trial.change.kind != SIM_LAUNCH_AFTER_NEXT)
        return false;
    const struct api_source source = api_source_of_call(call);
    return is_meant(&trial.change, &source);
}
