/* Which part of an array each block accesses: whether an element lies behind the last block's part. */
#include <stdlib.h>

#include "sim/origin/origin_guard.h"
#include "sim/origin/origin_sweep.h"

/* What one block accesses of the array: the lowest and the highest address. */
struct part {
    uint64_t low, high;
    bool any;
};

static void add_access(struct part *part, const struct origin_log *log, const struct origin_access *access,
                       uint64_t first, size_t bytes)
{
    for (int lane = 0; lane < WARP_LANES; lane++) {
        const uint64_t address = access->lanes >> lane & 1 ? origin_address(log, access, lane) : 0;
        if (!(access->lanes >> lane & 1) || address - first >= bytes)
            continue;
        part->low = !part->any || address < part->low ? address : part->low;
        part->high =
            !part->any || address + access->size - 1 > part->high ? address + access->size - 1 : part->high;
        part->any = true;
    }
}

static void find_parts(const struct origin_log *log, const struct origin_launch *launch, uint64_t first,
                       size_t bytes, bool store, struct part *parts)
{
    for (size_t i = 0; i < log->entry_count; i++) {
        const struct origin_entry *entry = &log->entries[i];
        if (entry->warp - launch->first_warp >= launch->warp_count || entry->extra == ORIGIN_NONE)
            continue;
        const enum origin_op_kind kind = launch->ops[entry->pc].kind;
        if (kind != ORIGIN_LOAD && kind != ORIGIN_STORE && kind != ORIGIN_ATOMIC && kind != ORIGIN_ASYNC)
            continue;
        for (uint32_t a = entry->extra; a != ORIGIN_NONE; a = log->accesses[a].next)
            if (log->accesses[a].space == PTX_GLOBAL && (log->accesses[a].kind != ACCESS_LOAD) == store)
                add_access(&parts[(entry->warp - launch->first_warp) / launch->warps_per_block], log,
                           &log->accesses[a], first, bytes);
    }
}

bool origin_behind_blocks(const struct origin_log *log, const struct origin_launch *launch, uint64_t first,
                          size_t bytes, uint64_t address, bool store, struct sim_origin_absence *out)
{
    const uint32_t blocks = launch->warp_count / launch->warps_per_block;
    struct part *parts = calloc((size_t)blocks + 1, sizeof *parts);
    if (parts)
        find_parts(log, launch, first, bytes, store, parts);
    const uint64_t width = parts && blocks > 1 ? parts[1].low - parts[0].low : 0;
    bool behind = width > 0 && width < bytes && parts[0].any && address == parts[0].low + blocks * width;
    for (uint32_t b = 0; behind && b < blocks; b++)
        behind =
            parts[b].any && parts[b].low == parts[0].low + b * width && parts[b].high < parts[b].low + width;
    if (behind) {
        out->why = SIM_ORIGIN_NO_BLOCK;
        out->count = blocks;
        out->distance = (int64_t)width;
        out->guard = (struct sim_origin_place){.file = ""};
    }
    free(parts);
    return behind;
}
