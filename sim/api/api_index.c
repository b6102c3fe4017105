#include "sim/api/api_index.h"
#include "sim/core/need.h"

#include <stdint.h>
#include <stdlib.h>

static size_t index_slot(const struct api_index *index, const void *key)
{
    size_t slot = ((uintptr_t)key * 0x9E3779B97F4A7C15u >> 20) & (index->room - 1);
    while (index->keys[slot] && index->keys[slot] != key)
        slot = (slot + 1) & (index->room - 1);
    return slot;
}

void api_index_add(struct api_index *index, const void *key, int value)
{
    struct api_index old = *index;
    if (2 * (index->used + 1) > index->room) {
        index->room = old.room == 0 ? 64 : 2 * old.room;
        index->keys =
            sim_need(index->room, sizeof *index->keys, "the table of the program's kernels and variables");
        index->values =
            sim_need(index->room, sizeof *index->values, "the table of the program's kernels and variables");
        index->used = 0;
        for (size_t i = 0; i < old.room; i++)
            if (old.keys[i])
                api_index_add(index, old.keys[i], old.values[i]);
        free(old.keys);
        free(old.values);
    }
    size_t slot = index_slot(index, key);
    index->used += !index->keys[slot];
    index->keys[slot] = key;
    index->values[slot] = value;
}

int api_index_find(const struct api_index *index, const void *key)
{
    if (index->room == 0 || !key)
        return -1;
    size_t slot = index_slot(index, key);
    return index->keys[slot] == key ? index->values[slot] : -1;
}
