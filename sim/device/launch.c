/* A launch from beginning to end: its blocks run, watched, and what they counted becomes modeled time. */
#include <string.h>

#include "sim/core/device.h"
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

enum sim_status sim_launch_run(struct sim *sim, const struct sim_launch *request, struct sim_result *result)
{
    struct grid grid = {.result = result};
    memset(result, 0, sizeof *result);
    sim->launch_count++;
    if (grid_create(&grid, sim, request))
        run(&grid, sim, request);
    else
        result->status = grid_out_of_memory(&grid);
    grid_destroy(&grid);
    return result->status;
}
