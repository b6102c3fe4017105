/* A device: made of its parts, in order. */
#include <stdlib.h>

#include "sim/core/device.h"
#include "sim/device/sim.h"
#include "sim/hazard/watch.h"
#include "sim/machine/device_launch.h"
#include "sim/machine/grid.h"
#include "sim/memory/memory.h"
#include "sim/memory/texture.h"
#include "sim/model/counter.h"
#include "sim/origin/origin.h"

struct sim *sim_create(const struct sim_config *config)
{
    struct sim *sim = calloc(1, sizeof *sim);
    if (!sim)
        return NULL;
    sim->config = *config;
    sim->memory = memory_create(sim);
    sim->hazards = sim->memory ? hazards_create(sim) : NULL;
    sim->lines = sim->hazards ? line_table_create(sim) : NULL;
    sim->device_launches = sim->lines ? device_launches_create() : NULL;
    if (sim->device_launches) {
        memory_watch(sim->memory, &hazard_memory_watcher);
        return sim;
    }
    sim_destroy(sim);
    return NULL;
}

void sim_destroy(struct sim *sim)
{
    if (!sim)
        return;
    while (sim->modules)
        sim_module_unload(sim, sim->modules);
    sim_origin_stop(sim);
    texture_table_destroy(sim);
    workers_destroy(sim->workers);
    free(sim->printed);
    device_launches_destroy(sim->device_launches);
    if (sim->lines)
        line_table_destroy(sim->lines);
    if (sim->hazards)
        hazards_destroy(sim->hazards);
    if (sim->memory)
        memory_destroy(sim->memory);
    free(sim);
}

struct sim_config *sim_config(struct sim *sim)
{
    return &sim->config;
}

uint64_t sim_prints(const struct sim *sim, struct sim_hazard_place *first)
{
    *first = sim->first_print;
    return sim->print_count;
}

bool sim_idle_barrier(const struct sim *sim, struct sim_hazard_place *at)
{
    for (const struct idle_barrier *b = sim->idle_barriers; b->line > 0; b++)
        if (b->reached && b->idle > 0 && b->busy == 0) {
            *at = (struct sim_hazard_place){.file = b->file, .line = b->line};
            return true;
        }
    return false;
}

void sim_barriers_reset(struct sim *sim)
{
    for (int i = 0; i < IDLE_BARRIERS; i++)
        sim->idle_barriers[i].reached = false;
}

int sim_two_steps(const struct sim *sim, struct sim_hazard_place *first)
{
    *first = sim->two_steps;
    return sim->second_step;
}

bool sim_trap(const struct sim *sim, struct sim_hazard_place *at)
{
    *at = sim->trap;
    return sim->trap.file != NULL;
}

void sim_trap_reset(struct sim *sim)
{
    sim->trap = (struct sim_hazard_place){0};
}

void sim_two_steps_reset(struct sim *sim)
{
    sim->two_steps = (struct sim_hazard_place){.file = ""};
    sim->second_step = 0;
}

bool sim_float_sum(const struct sim *sim, struct sim_hazard_place *first)
{
    *first = sim->float_sum;
    return first->line > 0;
}

void sim_float_sum_reset(struct sim *sim)
{
    sim->float_sum = (struct sim_hazard_place){.file = ""};
}

void sim_prints_reset(struct sim *sim)
{
    sim->print_count = 0;
    sim->first_print = (struct sim_hazard_place){.file = ""};
}
