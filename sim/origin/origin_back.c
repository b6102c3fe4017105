/* Copies by the host. */
#include "sim/core/device.h"
#include "sim/origin/origin_sweep.h"

static bool is_to_host(const struct origin_copy *copy)
{
    return !copy->to && copy->from;
}

bool sim_origin_copied_back(struct sim *sim, struct sim_origin_back *out)
{
    struct origin_log *log = sim->origin;
    for (size_t i = log ? log->copy_count : 0; i-- > 0;)
        if (is_to_host(&log->copies[i])) {
            *out = (struct sim_origin_back){.address = log->copies[i].from,
                                            .size = log->copies[i].size,
                                            .bytes = log->back,
                                            .byte_count = log->back_count,
                                            .place = origin_place_of_call(log, log->copies[i].caller),
                                            .entry = log->copies[i].entry};
            return true;
        }
    return false;
}

/* The launches that came before entry `number`. */
static int launches_before(const struct origin_log *log, uint32_t number)
{
    while (number-- > 0)
        if (log->entries[number].warp != ORIGIN_NONE)
            return (int)(origin_launch_of(log, log->entries[number].warp) - log->launches) + 1;
    return 0;
}

bool sim_origin_host_copy(struct sim *sim, int i, struct sim_origin_copy *out)
{
    struct origin_log *log = sim->origin;
    if (!log || i < 0 || (size_t)i >= log->copy_count)
        return false;
    const struct origin_copy *copy = &log->copies[i];
    *out = (struct sim_origin_copy){.to = copy->to,
                                    .from = copy->from,
                                    .size = copy->size,
                                    .launches = launches_before(log, copy->entry),
                                    .place = origin_place_of_call(log, copy->caller)};
    return true;
}
