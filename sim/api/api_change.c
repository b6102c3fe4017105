#include "sim/api/api_change.h"
#include "sim/api/api_state.h"

#include <string.h>

static struct {
    bool is_on;
    struct sim_launch_change change;
    struct sim_seen_launch seen[SIM_SEEN_LAUNCHES];
    int count;
} trial;

void sim_change_launches(const struct sim_launch_change *change)
{
    trial.is_on = change != NULL;
    trial.change = change ? *change : (struct sim_launch_change){.kind = SIM_LAUNCH_UNCHANGED};
    trial.count = 0;
}

int sim_seen_launches(const struct sim_seen_launch **list)
{
    *list = trial.seen;
    return trial.count;
}

/* ---- noting -------------------------------------------------------------------------------------------- */

static void note(const struct api_source *source, const struct sim_launch *launch)
{
    struct sim_seen_launch *seen = &trial.seen[trial.count];
    if (trial.count == SIM_SEEN_LAUNCHES)
        return;
    *seen = (struct sim_seen_launch){.line = source->line,
                                     .grid = launch->grid,
                                     .block = launch->block,
                                     .dynamic_shared = launch->dynamic_shared};
    snprintf(seen->file, sizeof seen->file, "%s", source->file);
    trial.count++;
}

/* ---- changing ------------------------------------------------------------------------------------------ */

static void change_shape(const struct sim_launch_change *change, struct sim_launch *launch)
{
    struct sim_dim3 *block = &launch->block;
    const uint32_t number = (uint32_t)change->number;
    uint32_t *blocks = change->at == 0 ? &launch->grid.x : &launch->grid.y;
    switch (change->kind) {
    case SIM_LAUNCH_BLOCKS: *blocks *= number; break;
    case SIM_LAUNCH_BLOCKS_MORE: *blocks += number; break;
    case SIM_LAUNCH_BLOCK_FLAT:
        block->x *= block->y;
        block->y = 1;
        break;
    case SIM_LAUNCH_THREADS: block->x = number; break;
    case SIM_LAUNCH_SHARED: launch->dynamic_shared = (size_t)change->number; break;
    default: break;
    }
}

static bool is_meant(const struct sim_launch_change *change, const struct api_source *source)
{
    const char *slash = strrchr(source->file, '/');
    return change->kind != SIM_LAUNCH_UNCHANGED && change->line == source->line &&
           strcmp(slash ? slash + 1 : source->file, change->file) == 0;
}

void api_change_launch(const struct api_call *call, struct sim_launch *launch)
{
    if (!trial.is_on)
        return;
    const struct api_source source = api_source_of_call(call);
    note(&source, launch);
    if (is_meant(&trial.change, &source))
        change_shape(&trial.change, launch);
}
