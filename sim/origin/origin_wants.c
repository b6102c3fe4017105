#include "sim/origin/origin_wants.h"

#include <stdlib.h>

#include "sim/origin/origin_log.h"

static uint32_t add_times(uint32_t a, uint32_t b)
{
    return a > UINT32_MAX - b ? UINT32_MAX : a + b;
}

static size_t spread(uint64_t key)
{
    key ^= key >> 31;
    key *= UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(key ^ key >> 29);
}

void wants_destroy(struct wants *wants)
{
    for (size_t i = 0; i < wants->warp_capacity; i++)
        for (int d = 0; wants->warps[i].warp != ORIGIN_NONE && d < WANTS_DEPTH; d++)
            free(wants->warps[i].depth[d].lane);
    for (int i = 0; i < wants->spare_count; i++)
        free(wants->spare[i]);
    free(wants->spare);
    free(wants->warps);
    free(wants->bytes);
    *wants = (struct wants){0};
}

/* ---- registers ----------------------------------------------------------------------------------------- */

static struct warp_wants *warp_slot(const struct wants *wants, uint32_t warp)
{
    size_t at = spread(warp) & (wants->warp_capacity - 1);
    while (wants->warps[at].warp != ORIGIN_NONE && wants->warps[at].warp != warp)
        at = (at + 1) & (wants->warp_capacity - 1);
    return &wants->warps[at];
}

static bool grow_warps(struct wants *wants)
{
    struct wants old = *wants;
    wants->warp_capacity = old.warp_capacity ? 2 * old.warp_capacity : 64;
    wants->warps = calloc(wants->warp_capacity, sizeof *wants->warps);
    if (!wants->warps) {
        *wants = old;
        wants->failed = true;
        return false;
    }
    for (size_t i = 0; i < wants->warp_capacity; i++)
        wants->warps[i].warp = ORIGIN_NONE;
    for (size_t i = 0; i < old.warp_capacity; i++)
        if (old.warps[i].warp != ORIGIN_NONE)
            *warp_slot(wants, old.warps[i].warp) = old.warps[i];
    free(old.warps);
    return true;
}

struct register_wants *wants_of_warp(struct wants *wants, uint32_t warp, int depth)
{
    if (wants->warp_count == 0 || depth >= WANTS_DEPTH)
        return NULL;
    struct warp_wants *slot = warp_slot(wants, warp);
    return slot->warp == warp && slot->depth[depth].open > 0 ? &slot->depth[depth] : NULL;
}

static struct register_want *room(struct wants *wants, int registers)
{
    if (wants->spare_count > 0 && wants->spare_registers == registers)
        return wants->spare[--wants->spare_count];
    return calloc((size_t)registers * WARP_LANES, sizeof(struct register_want));
}

void wants_rest_of(struct wants *wants, uint32_t warp, int depth)
{
    struct warp_wants *slot = wants->warp_count && depth < WANTS_DEPTH ? warp_slot(wants, warp) : NULL;
    struct register_wants *registers = slot && slot->warp == warp ? &slot->depth[depth] : NULL;
    if (!registers || registers->open > 0 || !registers->lane)
        return;
    if (wants->spare_count == wants->spare_capacity) {
        const int capacity = 2 * wants->spare_capacity + 16;
        struct register_want **spare = realloc(wants->spare, (size_t)capacity * sizeof *spare);
        if (!spare)
            return;
        wants->spare = spare;
        wants->spare_capacity = capacity;
    }
    if (wants->spare_count == 0)
        wants->spare_registers = registers->registers;
    if (wants->spare_registers != registers->registers)
        return;
    wants->spare[wants->spare_count++] = registers->lane;
    registers->lane = NULL;
}

void wants_add_register(struct wants *wants, uint32_t warp, int depth, int registers, int reg, int lane,
                        struct register_want want)
{
    if (depth >= WANTS_DEPTH || reg < 0 || reg >= registers ||
        (4 * wants->warp_count >= 3 * wants->warp_capacity && !grow_warps(wants)))
        return;
    struct warp_wants *slot = warp_slot(wants, warp);
    if (slot->warp != warp) {
        *slot = (struct warp_wants){.warp = warp};
        wants->warp_count++;
    }
    struct register_wants *at = &slot->depth[depth];
    if (!at->lane) {
        at->registers = registers;
        at->lane = room(wants, registers);
    }
    if (!at->lane) {
        wants->failed = true;
        return;
    }
    struct register_want *to = &at->lane[reg * WARP_LANES + lane];
    at->open += !to->times && !to->sites && !to->index;
    if (want.times && !to->times)
        memcpy(to->user, want.user, sizeof to->user);
    else if (want.times && !to->user[1])
        to->user[1] = want.user[0];
    to->times = add_times(to->times, want.times);
    to->minus = add_times(to->minus, want.minus);
    to->turned = to->turned ? to->turned : want.turned;
    to->crossed = to->crossed ? to->crossed : want.crossed;
    to->used = to->used ? to->used : want.used;
    to->index = add_times(to->index, want.index);
    to->ways |= want.ways;
    to->sites |= want.sites;
}

struct register_want wants_take_register(struct register_wants *registers, int reg, int lane)
{
    struct register_want *at = &registers->lane[reg * WARP_LANES + lane], want = *at;
    registers->open -= want.times || want.sites || want.index;
    *at = (struct register_want){0};
    return want;
}

/* ---- bytes --------------------------------------------------------------------------------------------- */

static struct byte_want *byte_slot(const struct wants *wants, uint32_t space, uint64_t owner,
                                   uint64_t address)
{
    size_t at = spread(address + (owner << 40) + space) & (wants->byte_capacity - 1);
    for (;; at = (at + 1) & (wants->byte_capacity - 1)) {
        struct byte_want *slot = &wants->bytes[at];
        if (!slot->space || (slot->address == address && slot->owner == owner && slot->space == space))
            return slot;
    }
}

static bool grow_bytes(struct wants *wants)
{
    struct wants old = *wants;
    wants->byte_capacity = old.byte_capacity ? 2 * old.byte_capacity : 256;
    wants->bytes = calloc(wants->byte_capacity, sizeof *wants->bytes);
    if (!wants->bytes) {
        *wants = old;
        wants->failed = true;
        return false;
    }
    for (size_t i = 0; i < old.byte_capacity; i++)
        if (old.bytes[i].space)
            *byte_slot(wants, old.bytes[i].space, old.bytes[i].owner, old.bytes[i].address) = old.bytes[i];
    free(old.bytes);
    return true;
}

struct byte_want *wants_find_byte(struct wants *wants, uint32_t space, uint64_t owner, uint64_t address)
{
    if (wants->byte_count == 0)
        return NULL;
    struct byte_want *slot = byte_slot(wants, space, owner, address);
    return slot->space && (slot->times || slot->index) ? slot : NULL;
}

static uint32_t user_of(const struct byte_reader *reader)
{
    return reader->entry == ORIGIN_NONE ? 0 : origin_pair(reader->entry, reader->lane);
}

struct register_want wants_of_byte(const struct byte_want *byte)
{
    return (struct register_want){.times = byte->times,
                                  .index = byte->index,
                                  .ways = byte->ways,
                                  .minus = byte->minus,
                                  .turned = byte->turned,
                                  .crossed = byte->crossed,
                                  .used = byte->used,
                                  .user = {user_of(&byte->reader), user_of(&byte->second)}};
}

void wants_add_byte(struct wants *wants, uint32_t space, uint64_t owner, uint64_t address,
                    struct register_want want, struct byte_reader reader)
{
    if (4 * wants->byte_count >= 3 * wants->byte_capacity && !grow_bytes(wants))
        return;
    struct byte_want *slot = byte_slot(wants, space, owner, address);
    if (!slot->space) {
        *slot = (struct byte_want){.address = address, .owner = owner, .space = space};
        wants->byte_count++;
    }
    const bool open = slot->times || slot->index;
    if (!open || slot->reader.entry == ORIGIN_NONE) {
        slot->reader = reader;
        slot->second.entry = ORIGIN_NONE;
    } else if (reader.entry != slot->reader.entry || reader.lane != slot->reader.lane) {
        slot->second = reader;
    }
    slot->ways = open ? slot->ways | want.ways : want.ways;
    slot->minus = add_times(open ? slot->minus : 0, want.minus);
    slot->turned = open && slot->turned ? slot->turned : want.turned;
    slot->crossed = open && slot->crossed ? slot->crossed : want.crossed;
    slot->used = open && slot->used ? slot->used : want.used;
    slot->times = add_times(slot->times, want.times);
    slot->index = add_times(slot->index, want.index);
}
