/* Launches that repeat earlier ones: found by their arguments, compared by what they executed. */
#include "sim/device/repeat.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/device.h"
#include "sim/device/sim.h"
#include "sim/ptx/ptx.h"

/* Different launches of a kernel that are kept; a further one takes the place of the oldest. */
#define KEPT 32
/* At least so many are watched: the first one may be the only one that finds its data in no cache. */
#define WATCHED_AT_LEAST 2

struct repeat {
    struct sim_dim3 grid, block, cluster;
    size_t dynamic_shared;
    bool cooperative;
    unsigned char *params;
    unsigned watched;         /* launches in a row that were watched and executed the same … */
    uint64_t work;            /* … warp instructions of all of them */
    uint64_t executed;        /* a hash of how often the last one of them executed each operation … */
    uint64_t unwatched;       /* … and what is expected of one that is not watched */
    bool in_doubt;            /* one has not done so: the next is watched */
    struct sim_result result; /* of the last one that was watched */
};

struct repeats {
    unsigned count; /* of all that there ever were */
    struct repeat list[KEPT];
};

static bool same_size(struct sim_dim3 a, struct sim_dim3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool is_like(const struct repeat *r, const struct sim_launch *launch)
{
    const struct ptx_func *func = launch->kernel->func;
    if (!same_size(r->grid, launch->grid) || !same_size(r->block, launch->block) ||
        !same_size(r->cluster, launch->cluster) || r->dynamic_shared != launch->dynamic_shared ||
        r->cooperative != launch->cooperative)
        return false;
    for (int i = 0; i < func->param_count; i++)
        if (memcmp(r->params + func->params[i].offset, launch->args[i], func->params[i].var.size) != 0)
            return false;
    return true;
}

static struct repeat *keep(struct repeats *repeats, const struct sim_launch *launch)
{
    const struct ptx_func *func = launch->kernel->func;
    unsigned char *params = malloc(func->param_size + 1);
    if (!params)
        return NULL;
    struct repeat *r = &repeats->list[repeats->count++ % KEPT];
    free(r->params);
    *r = (struct repeat){.grid = launch->grid,
                         .block = launch->block,
                         .cluster = launch->cluster,
                         .dynamic_shared = launch->dynamic_shared,
                         .cooperative = launch->cooperative,
                         .params = params};
    for (int i = 0; i < func->param_count; i++)
        memcpy(params + func->params[i].offset, launch->args[i], func->params[i].var.size);
    return r;
}

struct repeat *repeat_of(struct sim *sim, const struct sim_launch *launch)
{
    const struct sim_config *config = &sim->config;
    if (!config->repeat_work || !(config->hazards || config->counters) || config->sample_work || sim->origin)
        return NULL;
    struct repeats **repeats = &launch->kernel->repeats;
    if (!*repeats)
        *repeats = calloc(1, sizeof **repeats);
    for (unsigned i = 0; *repeats && i < (*repeats)->count && i < KEPT; i++)
        if (is_like(&(*repeats)->list[i], launch))
            return &(*repeats)->list[i];
    return *repeats ? keep(*repeats, launch) : NULL;
}

bool repeat_is_known(const struct repeat *repeat, const struct sim *sim)
{
    return !repeat->in_doubt && repeat->watched >= WATCHED_AT_LEAST &&
           repeat->work >= sim->config.repeat_work;
}

/* FNV-1a, over words. */
static uint64_t hash_of_executed(const struct grid *grid)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int pc = 0; pc < grid->launch.code->count; pc++) {
        const uint64_t counts[] = {grid->counts[pc].warps, grid->counts[pc].lanes};
        for (int i = 0; i < 2; i++)
            hash = (hash ^ counts[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* Threads that wait for each other may take other turns where they are not watched: the same ones each time. */
static void note_unwatched(struct repeat *repeat, struct sim_result *result, uint64_t executed)
{
    repeat->in_doubt = result->status != SIM_OK || executed != repeat->unwatched;
    repeat->unwatched = executed;
    if (result->status != SIM_OK)
        return;
    *result = repeat->result;
    result->unwatched = true;
    result->unlike_watched = repeat->in_doubt;
}

static void note_watched(struct repeat *repeat, const struct grid *grid, uint64_t executed)
{
    if (repeat->watched == 0 || executed != repeat->executed) {
        repeat->watched = 0;
        repeat->work = 0;
        repeat->executed = repeat->unwatched = executed;
    }
    repeat->watched++;
    repeat->work += grid->executed;
    repeat->in_doubt = false;
    repeat->result = *grid->result;
}

void repeat_note(struct repeat *repeat, const struct grid *grid, bool unwatched)
{
    const uint64_t executed = hash_of_executed(grid);
    if (unwatched)
        note_unwatched(repeat, grid->result, executed);
    else
        note_watched(repeat, grid, executed);
}

void repeats_destroy(struct repeats *repeats)
{
    for (int i = 0; repeats && i < KEPT; i++)
        free(repeats->list[i].params);
    free(repeats);
}
