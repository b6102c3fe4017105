/* A launch from beginning to end: its blocks run, watched, and what they counted becomes modeled time. */
#include <string.h>

#include "sim/core/device.h"
#include "sim/device/repeat.h"
#include "sim/device/sim.h"
#include "sim/hazard/watch.h"
#include "sim/machine/grid.h"

static void run(struct grid *grid, struct sim *sim, const struct sim_launch *request)
{
    struct sim_result *result = grid->result;
    if (sim->config.hazards)
        hazard_launch_begin(sim, request);
    result->status = grid_run(grid, request);
    if (sim->config.hazards)
        hazard_launch_end(sim);
    grid_collect(grid);
    if (grid->next)
        request->kernel->block_cost = grid->executed / grid->next + 1;
    sim_model_time(sim->config.profile, request, result);
}

/* Of a launch that looks like others: its blocks may be independent though they were not while they were watched. */
static void stop_watching(struct sim *sim, struct sim_kernel *kernel)
{
    sim->config.hazards = sim->config.counters = false;
    kernel->failed_attempts = kernel->alone_for = 0;
}

enum sim_status sim_launch_run(struct sim *sim, const struct sim_launch *request, struct sim_result *result)
{
    struct grid grid = {.result = result};
    const bool hazards = sim->config.hazards, counters = sim->config.counters;
    struct repeat *repeat = repeat_of(sim, request);
    const bool unwatched = repeat && repeat_is_known(repeat, sim);
    if (unwatched)
        stop_watching(sim, request->kernel);
    memset(result, 0, sizeof *result);
    sim->launch_count++;
    if (grid_create(&grid, sim, request))
        run(&grid, sim, request);
    else
        result->status = grid_out_of_memory(&grid);
    if (repeat)
        repeat_note(repeat, &grid, unwatched);
    grid_destroy(&grid);
    sim->config.hazards = hazards;
    sim->config.counters = counters;
    return result->status;
}
