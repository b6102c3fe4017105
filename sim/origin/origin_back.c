/* Copies by the host: what those to the host copied, and those that came too early. */
#include "sim/core/device.h"
#include "sim/memory/allocations.h"
#include "sim/origin/origin_guard.h"
#include "sim/origin/origin_sweep.h"
#include "sim/ptx/ptx.h"

#define COPIES_MOST 4 /* to the host that are looked at, from the last one on */

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
                                            .allocation = log->back_allocation,
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

/* ---- too early ------------------------------------------------------------------------------------------- */

static bool overlap(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size)
{
    return a < b + b_size && b < a + a_size;
}

static bool stores_to(const struct origin_log *log, const struct origin_entry *entry,
                      const struct origin_copy *copy)
{
    for (uint32_t a = entry->extra; a != ORIGIN_NONE; a = log->accesses[a].next) {
        const struct origin_access *access = &log->accesses[a];
        for (int lane = 0; access->space == PTX_GLOBAL && access->kind != ACCESS_LOAD && lane < WARP_LANES;
             lane++)
            if ((access->lanes >> lane & 1) &&
                overlap(origin_address(log, access, lane), access->size, copy->from, copy->size))
                return true;
    }
    return false;
}

/* The first entry that stores to what is copied: of a launch, or a copy within the device. ORIGIN_NONE: there is none. */
static uint32_t first_store(const struct origin_log *log, const struct origin_copy *copy)
{
    for (size_t i = 0; i < log->entry_count; i++) {
        const struct origin_entry *entry = &log->entries[i];
        if (entry->extra == ORIGIN_NONE)
            continue;
        if (entry->warp == ORIGIN_NONE) {
            const struct origin_copy *other = &log->copies[entry->extra];
            if (other->to && other->from && overlap(other->to, other->size, copy->from, copy->size))
                return (uint32_t)i;
            continue;
        }
        const enum origin_op_kind kind = origin_launch_of(log, entry->warp)->ops[entry->pc].kind;
        if ((kind == ORIGIN_STORE || kind == ORIGIN_ATOMIC || kind == ORIGIN_ASYNC) &&
            stores_to(log, entry, copy))
            return (uint32_t)i;
    }
    return ORIGIN_NONE;
}

/* Whether another allocation may lie at the address by now. */
static bool is_same_memory(const struct sim *sim, const struct origin_copy *copy)
{
    const struct sim_allocation *a = sim_mem_find(sim, copy->from);
    return a && a->serial == copy->serial && copy->from - a->address < a->size;
}

/* Whether the memory is copied to the host again once it has been stored: then the early copy may be meant. */
static bool is_copied_again(const struct origin_log *log, size_t number, uint32_t stored)
{
    const struct origin_copy *copy = &log->copies[number];
    for (size_t i = number + 1; i < log->copy_count; i++) {
        const struct origin_copy *other = &log->copies[i];
        if (is_to_host(other) && other->entry > stored &&
            overlap(other->from, other->size, copy->from, copy->size))
            return true;
    }
    return false;
}

bool sim_origin_copied_early(struct sim *sim, struct sim_origin_early *out)
{
    struct origin_log *log = sim->origin;
    int looked_at = 0;
    for (size_t i = log && !log->full ? log->copy_count : 0; i-- > 0 && looked_at < COPIES_MOST;) {
        const struct origin_copy *copy = &log->copies[i];
        if (!is_to_host(copy) || !is_same_memory(sim, copy))
            continue;
        looked_at++;
        const uint32_t first = first_store(log, copy);
        if (first == ORIGIN_NONE || first < copy->entry || log->entries[first].warp == ORIGIN_NONE ||
            is_copied_again(log, i, first))
            continue;
        *out = (struct sim_origin_early){
            .address = copy->from,
            .name = origin_name_of(sim, copy->from),
            .place = origin_place_of_call(log, copy->caller),
            .store = origin_place_of(log, first),
            .launch = (int)(origin_launch_of(log, log->entries[first].warp) - log->launches),
        };
        return true;
    }
    return false;
}
