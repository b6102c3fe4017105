/*
 * Shadow planes: eight arrays side by side, in memory that takes pages only where it is touched. A program
 * that only reads an array costs two of the eight.
 */
#include "sim/hazard/hazard.h"

#include <string.h>

bool planes_create(struct shadow_planes *planes, size_t count)
{
    size_t step = (count + 1023) / 1024 * 1024; /* each array begins a page of its own */
    memset(planes, 0, sizeof *planes);
    planes->memory = memory_map_lazily(step * PLANES * sizeof *planes->memory);
    if (!planes->memory)
        return false;
    planes->count = count;
    planes->step = step;
    planes->write_stamp = (stamp_t *)planes->memory;
    planes->write_who = planes->memory + step;
    planes->readers = (struct record_pairs){.stamp = (stamp_t *)(planes->memory + 2 * step),
                                            .who = planes->memory + 3 * step,
                                            .other_stamp = (stamp_t *)(planes->memory + 4 * step),
                                            .other_who = planes->memory + 5 * step};
    planes->atomic_stamp = (stamp_t *)(planes->memory + 6 * step);
    planes->atomic_who = planes->memory + 7 * step;
    return true;
}

void planes_destroy(struct shadow_planes *planes)
{
    memory_unmap(planes->memory, planes->step * PLANES * sizeof *planes->memory);
    memset(planes, 0, sizeof *planes);
}

void planes_clear(struct shadow_planes *planes)
{
    size_t count = planes->count;
    planes_destroy(planes);
    if (count)
        planes_create(planes, count);
}
