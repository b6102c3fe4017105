/* What the host copied back last. */
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
