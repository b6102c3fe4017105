/* Conditions of a thread that depend on elements of memory: which of them decide what becomes of another element. */
#include <stdlib.h>

#include "sim/core/device.h"
#include "sim/origin/origin_guard.h"
#include "sim/origin/origin_sweep.h"
#include "sim/ptx/ptx.h"

#define CONDITIONS_MOST 8 /* of the thread that are looked at, from the last one on */

struct origin_lane origin_lane_of(const struct origin_launch *launch, const struct sim_origin_thread *thread)
{
    const struct sim_dim3 *grid = &launch->grid, *block = &launch->block;
    const uint32_t in_grid = thread->block.x + grid->x * (thread->block.y + grid->y * thread->block.z),
                   in_block = thread->thread.x + block->x * (thread->thread.y + block->y * thread->thread.z);
    return (struct origin_lane){launch->first_warp + in_grid * launch->warps_per_block +
                                    in_block / WARP_LANES,
                                (int)(in_block % WARP_LANES)};
}

/* The elements that the condition at an entry depends on, into *out; false: there are none. */
static bool look_at(const struct sim *sim, uint32_t entry, int lane, sim_addr address,
                    struct sim_origin_decision *out)
{
    struct origin_sweep sweep = {.log = sim->origin, .branch = entry, .branch_lane = lane};
    origin_sweep_run(&sweep);
    out->leaf_count = 0;
    for (size_t i = 0; i < sweep.found_count && out->leaf_count < SIM_ORIGIN_DECIDERS; i++) {
        const struct origin_found *found = &sweep.found[i];
        if (found->kind == SIM_ORIGIN_MEMORY && found->times > 0 && found->address != address)
            out->leaf[out->leaf_count++] = origin_leaf_of(sim, &sweep, found);
    }
    wants_destroy(&sweep.wants);
    free(sweep.found);
    out->place = origin_place_of(sim->origin, entry);
    return out->leaf_count > 0 && out->place.line > 0;
}

bool sim_origin_decided(struct sim *sim, const struct sim_origin_thread *thread, sim_addr address,
                        struct sim_origin_decision *out)
{
    const struct origin_log *log = sim->origin;
    uint32_t seen[CONDITIONS_MOST];
    int seen_count = 0;
    if (!log || log->full || thread->launch < 0 || thread->launch >= log->launch_count)
        return false;
    const struct origin_launch *launch = &log->launches[thread->launch];
    const struct origin_lane at = origin_lane_of(launch, thread);
    for (size_t i = log->entry_count; i-- > 0 && seen_count < CONDITIONS_MOST;) {
        const struct origin_entry *entry = &log->entries[i];
        if (entry->warp != at.warp || !(entry->lanes >> at.lane & 1) || entry->extra == ORIGIN_NONE)
            continue;
        const enum origin_op_kind kind = launch->ops[entry->pc].kind;
        bool known = kind != ORIGIN_BRANCH && kind != ORIGIN_SELECT;
        for (int k = 0; k < seen_count; k++)
            known |= seen[k] == entry->pc;
        if (known)
            continue;
        seen[seen_count++] = entry->pc;
        if (look_at(sim, (uint32_t)i, at.lane, address, out))
            return true;
    }
    return false;
}
