/* What warps did, step by step, in the protocol's terms. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/worker/origin_internal.h"

static void put_step(const struct sim_origin_traced *from, struct protocol_trace *trace)
{
    struct protocol_step_done *to = &trace->step[trace->count++];
    if (!trace->file[0])
        snprintf(trace->file, sizeof trace->file, "%s", from->file);
    to->line = strncmp(from->file, trace->file, sizeof trace->file - 1) == 0 ? from->line : 0;
    to->instructions = (uint32_t)from->instructions;
    to->lanes = origin_lanes_put(&from->lanes);
    to->what = from->is_access    ? PROTOCOL_ACCESS
               : from->is_barrier ? PROTOCOL_BARRIER
               : from->is_shuffle ? PROTOCOL_SHUFFLE
                                  : PROTOCOL_OTHER;
}

void origin_put_trace(struct sim *sim, const struct protocol_filter *filter, struct protocol_trace *trace)
{
    const uint32_t *block = filter->thread.block, *at = filter->thread.thread;
    const struct sim_origin_thread thread = {.block = {block[0], block[1], block[2]},
                                             .thread = {at[0], at[1], at[2]}};
    const struct sim_origin_filter asked = {.thread = filter->has_thread ? &thread : NULL,
                                            .kind = (enum sim_origin_traced_kind)(filter->wanted - 1)};
    struct sim_origin_traced *steps = calloc(PROTOCOL_MAX_TRACED, sizeof *steps);
    if (!steps)
        return;
    const size_t count = sim_origin_trace(sim, &asked, steps, PROTOCOL_MAX_TRACED, &trace->all);
    for (size_t i = 0; i < count; i++)
        put_step(&steps[i], trace);
    free(steps);
}
