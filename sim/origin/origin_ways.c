/* The loop that a thread has left. */
#include <stdlib.h>
#include <string.h>

#include "sim/core/device.h"
#include "sim/origin/origin_guard.h"
#include "sim/origin/origin_sweep.h"
#include "sim/ptx/ptx.h"

struct origin_lane {
    uint32_t warp; /* its number */
    int lane;
};

static struct origin_lane origin_lane_of(const struct origin_launch *launch,
                                         const struct sim_origin_thread *thread)
{
    const struct sim_dim3 *grid = &launch->grid, *block = &launch->block;
    const uint32_t in_grid = thread->block.x + grid->x * (thread->block.y + grid->y * thread->block.z),
                   in_block = thread->thread.x + block->x * (thread->thread.y + block->y * thread->thread.z);
    return (struct origin_lane){launch->first_warp + in_grid * launch->warps_per_block +
                                    in_block / WARP_LANES,
                                (int)(in_block % WARP_LANES)};
}

struct runs {
    uint32_t count;
    size_t last; /* entry */
};

static bool loads_shared(const struct origin_op *op)
{
    bool shared = false;
    for (int i = 0; op->kind == ORIGIN_LOAD && i < op->instr->mod_count; i++)
        shared |= strncmp(op->instr->mods[i], "shared", 6) == 0;
    return shared;
}

#define UNROLLED_MOST 4 /* loads of one line; of more, the loop that they belong to has no branch */

static int loads_of_line(const struct origin_launch *launch, const struct sim_origin_place *place)
{
    int count = 0;
    for (int pc = 0; pc < launch->code->count; pc++) {
        const struct sim_origin_place at = loads_shared(&launch->ops[pc])
                                               ? origin_place_at(launch, pc)
                                               : (struct sim_origin_place){.line = 0};
        count += at.line == place->line && at.call_line == place->call_line;
    }
    return count;
}

bool sim_origin_left(struct sim *sim, const struct sim_origin_thread *thread, struct sim_origin_left *out)
{
    const struct origin_log *log = sim->origin;
    if (!log || log->full || thread->launch < 0 || thread->launch >= log->launch_count)
        return false;
    const struct origin_launch *launch = &log->launches[thread->launch];
    const struct origin_lane at = origin_lane_of(launch, thread);
    struct runs *runs = calloc((size_t)launch->code->count + 1, sizeof *runs);
    uint32_t best = ORIGIN_NONE;
    for (size_t i = 0; runs && i < log->entry_count; i++)
        if (log->entries[i].warp == at.warp && (log->entries[i].lanes >> at.lane & 1))
            runs[log->entries[i].pc] = (struct runs){runs[log->entries[i].pc].count + 1, i};
    *out = (struct sim_origin_left){.load = {.file = "", .inner_file = ""}};
    for (int pc = 0; runs && pc < launch->code->count; pc++) {
        const uint32_t met = loads_shared(&launch->ops[pc])
                                 ? origin_last_decision(log, launch, pc, at.warp, at.lane)
                                 : ORIGIN_NONE;
        if (met == ORIGIN_NONE || (runs[pc].count > 0 && met < runs[pc].last) ||
            launch->ops[pc].instr->site.line <= 0 ||
            (best != ORIGIN_NONE && (runs[pc].count == 0 || out->runs > 0)))
            continue;
        best = met;
        out->load = origin_place_at(launch, pc);
        out->runs = runs[pc].count;
    }
    if (best != ORIGIN_NONE)
        out->guard = origin_place_of(log, best);
    free(runs);
    return best != ORIGIN_NONE && out->guard.line > 0 && loads_of_line(launch, &out->load) <= UNROLLED_MOST;
}
