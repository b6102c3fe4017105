/*
 * Shadow planes: six arrays side by side, in memory that takes pages only where it is touched. A program that
 * only reads an array costs two of the six.
 */
#include "hazard.h"

#include <string.h>

#define PLANES 6

bool planes_create(struct shadow_planes *planes, size_t count)
{
    size_t padded = (count + 1023) / 1024 * 1024; /* each plane begins a page of its own */
    planes->count = count;
    planes->mapped = padded * PLANES * sizeof(uint32_t);
    char *memory = memory_map_lazily(planes->mapped);
    if (!memory)
        return false;
    size_t step = padded * sizeof(uint32_t);
    planes->write_stamp = (stamp_t *)(void *)memory;
    planes->write_who = (uint32_t *)(void *)(memory + step);
    planes->read_stamp = (stamp_t *)(void *)(memory + 2 * step);
    planes->read_who = (uint32_t *)(void *)(memory + 3 * step);
    planes->other_stamp = (stamp_t *)(void *)(memory + 4 * step);
    planes->other_who = (uint32_t *)(void *)(memory + 5 * step);
    return true;
}

void planes_destroy(struct shadow_planes *planes)
{
    memory_unmap(planes->write_stamp, planes->mapped);
    memset(planes, 0, sizeof *planes);
}

void planes_clear(struct shadow_planes *planes)
{
    size_t count = planes->count;
    if (!count)
        return;
    planes_destroy(planes);
    if (!planes_create(planes, count))
        planes->count = 0;
}
