/*
 * Shadow planes: ten arrays side by side, in memory that takes pages only where it is touched. A program that
 * only reads an array costs two of the ten.
 */
#include "hazard.h"

#include <string.h>

static struct record_pairs pairs_at(uint32_t *memory, size_t step)
{
    return (struct record_pairs){.stamp = (stamp_t *)memory,
                                 .who = memory + step,
                                 .other_stamp = (stamp_t *)(memory + 2 * step),
                                 .other_who = memory + 3 * step};
}

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
    planes->readers = pairs_at(planes->memory + 2 * step, step);
    planes->atomics = pairs_at(planes->memory + 6 * step, step);
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
