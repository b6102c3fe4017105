/* What did not happen: which thread's turn an access would have been, and what kept it away. */
#include <stdlib.h>
#include <string.h>

#include "sim/core/device.h"
#include "sim/memory/allocations.h"
#include "sim/origin/origin_guard.h"
#include "sim/origin/origin_sweep.h"
#include "sim/ptx/ptx.h"

struct search {
    struct origin_log *log;
    uint64_t first, bytes, address, size;
    bool store;
    /* The access nearest to the address, below it if there is one. */
    uint32_t near_entry;
    int near_lane;
    uint64_t near_address;
    int line; /* of an access to the array; 0: none was met */
    bool several;
};

static bool is_kind(const struct search *s, const struct origin_access *access)
{
    if (access->space != PTX_GLOBAL)
        return false;
    return s->store ? access->kind != ACCESS_LOAD : access->kind == ACCESS_LOAD;
}

/* Lower elements are nearer than higher ones. */
static bool is_nearer(const struct search *s, uint64_t address)
{
    if (s->near_entry == ORIGIN_NONE)
        return true;
    if ((address <= s->address) != (s->near_address <= s->address))
        return address <= s->address;
    return address <= s->address ? address > s->near_address : address < s->near_address;
}

static void visit_access(struct search *s, uint32_t number, const struct origin_access *access)
{
    const struct origin_entry *entry = &s->log->entries[number];
    const int line = origin_launch_of(s->log, entry->warp)->ops[entry->pc].instr->site.line;
    for (int lane = 0; lane < WARP_LANES; lane++) {
        if (!(access->lanes >> lane & 1))
            continue;
        for (unsigned at = 0; at < access->size; at += (unsigned)s->size) {
            const uint64_t address = origin_address(s->log, access, lane) + at;
            if (address - s->first >= s->bytes)
                continue;
            s->several = s->several || (s->line > 0 && line != s->line);
            s->line = line;
            if (!is_nearer(s, address))
                continue;
            s->near_entry = number;
            s->near_lane = lane;
            s->near_address = address;
        }
    }
}

static bool has_accesses(const struct origin_log *log, const struct origin_entry *entry)
{
    if (entry->warp == ORIGIN_NONE || entry->extra == ORIGIN_NONE)
        return false;
    const enum origin_op_kind kind = origin_launch_of(log, entry->warp)->ops[entry->pc].kind;
    return kind == ORIGIN_LOAD || kind == ORIGIN_STORE || kind == ORIGIN_ATOMIC || kind == ORIGIN_ASYNC;
}

static void find_near(struct search *s)
{
    s->near_entry = ORIGIN_NONE;
    for (size_t i = 0; i < s->log->entry_count; i++) {
        const struct origin_entry *entry = &s->log->entries[i];
        if (!has_accesses(s->log, entry))
            continue;
        for (uint32_t a = entry->extra; a != ORIGIN_NONE; a = s->log->accesses[a].next)
            if (is_kind(s, &s->log->accesses[a]))
                visit_access(s, (uint32_t)i, &s->log->accesses[a]);
    }
}

/* ---- the next thread ------------------------------------------------------------------------------------ */

static unsigned threads_of_block(const struct origin_launch *launch)
{
    return launch->block.x * launch->block.y * launch->block.z;
}

static size_t thread_count(const struct origin_launch *launch)
{
    return (size_t)(launch->warp_count / launch->warps_per_block) * threads_of_block(launch);
}

/* The thread's number in the grid, block after block. */
static size_t number_of(const struct origin_launch *launch, uint32_t warp, int lane)
{
    const uint32_t at = warp - launch->first_warp;
    return (size_t)(at / launch->warps_per_block) * threads_of_block(launch) +
           at % launch->warps_per_block * WARP_LANES + (unsigned)lane;
}

/* Whether lane `lane` of the entry accesses this address, by the instruction of near_entry. */
static bool is_access_to(const struct search *s, const struct origin_entry *entry, int lane, uint64_t address)
{
    const struct origin_entry *near = &s->log->entries[s->near_entry];
    const struct origin_launch *launch = origin_launch_of(s->log, near->warp);
    if (entry->warp - launch->first_warp >= launch->warp_count || entry->pc != near->pc)
        return false;
    for (uint32_t a = entry->extra; a != ORIGIN_NONE; a = s->log->accesses[a].next)
        if (is_kind(s, &s->log->accesses[a]) && (s->log->accesses[a].lanes >> lane & 1) &&
            origin_address(s->log, &s->log->accesses[a], lane) == address)
            return true;
    return false;
}

/*
 * How far apart the threads are that have neighboring elements: by which other one accesses the element before the nearest;
 * else 1.
 */
static int64_t find_stride(const struct search *s, const struct origin_launch *launch)
{
    const struct origin_entry *near = &s->log->entries[s->near_entry];
    const int64_t number = (int64_t)number_of(launch, near->warp, s->near_lane);
    for (size_t i = 0; i < s->log->entry_count; i++)
        for (int lane = 0; lane < WARP_LANES; lane++)
            if (is_access_to(s, &s->log->entries[i], lane, s->near_address - s->size) &&
                (int64_t)number_of(launch, s->log->entries[i].warp, lane) != number)
                return number - (int64_t)number_of(launch, s->log->entries[i].warp, lane);
    return 1;
}

/* Is there a thread behind the one that has the element before? */
static void tell_owner(const struct search *s, const struct origin_launch *launch,
                       struct sim_origin_absence *out)
{
    const struct origin_entry *near = &s->log->entries[s->near_entry];
    const int64_t stride = find_stride(s, launch);
    const size_t number = number_of(launch, near->warp, s->near_lane) + (size_t)stride;
    if (stride > 0)
        out->why = number < thread_count(launch) ? SIM_ORIGIN_ELSEWHERE : SIM_ORIGIN_NO_THREAD;
}

/* ---- nothing is near ----------------------------------------------------------------------------------- */

/* Which operations the threads of the launch came to; freed by the caller. */
static bool *find_reached(const struct origin_log *log, const struct origin_launch *launch)
{
    bool *ran = calloc((size_t)launch->code->count, sizeof *ran);
    for (size_t i = 0; ran && i < log->entry_count; i++)
        if (log->entries[i].warp - launch->first_warp < launch->warp_count)
            ran[log->entries[i].pc] = true;
    return ran;
}

static bool is_of_kind(const struct search *s, const struct origin_op *op)
{
    const bool kind =
        s->store ? op->kind == ORIGIN_STORE || op->kind == ORIGIN_ATOMIC : op->kind == ORIGIN_LOAD;
    return kind && op->instr->site.line > 0 && origin_is_global(op);
}

#define WARPS_ASKED 64

/* Whether another condition keeps the threads of another warp from the operation than those of the first one. */
static bool is_led_elsewhere(const struct search *s, const struct origin_launch *launch, int pc, int line)
{
    for (uint32_t w = 1; w < launch->warp_count && w < WARPS_ASKED; w++) {
        struct sim_origin_absence at = {0};
        origin_guard_of(s->log, launch, pc, launch->first_warp + w, 0, &at);
        if (at.guard.line > 0 && at.guard.line != line)
            return true;
    }
    return false;
}

/* Whether a copy of the operation that nvcc has made, in an unrolled loop or of an inlined function, was come to. */
static bool is_reached_in_a_copy(const struct search *s, const struct origin_launch *launch, const bool *ran,
                                 int pc)
{
    const struct ptx_loc line = launch->ops[pc].instr->site;
    for (int other = 0; other < launch->code->count; other++)
        if (ran[other] && is_of_kind(s, &launch->ops[other]) &&
            launch->ops[other].instr->site.line == line.line &&
            launch->ops[other].instr->site.file == line.file)
            return true;
    return false;
}

/*
 * The access of that kind that no thread of the launch came to. Of several lines it is not known which is meant, but where nothing else
 * of the array is accessed, and one condition keeps all threads from all of them.
 */
static bool tell_unreached_in(const struct search *s, const struct origin_launch *launch,
                              struct sim_origin_absence *out)
{
    bool *ran = find_reached(s->log, launch), one = true;
    int found = -1;
    struct sim_origin_absence first = {.why = SIM_ORIGIN_WHY_UNKNOWN};
    for (int pc = 0; ran && pc < launch->code->count; pc++) {
        struct sim_origin_absence at = {.why = SIM_ORIGIN_NOT_REACHED};
        if (ran[pc] || !is_of_kind(s, &launch->ops[pc]) || is_reached_in_a_copy(s, launch, ran, pc))
            continue;
        at.place = origin_place_at(launch, pc);
        origin_guard_of(s->log, launch, pc, launch->first_warp, 0, &at);
        if (found < 0)
            first = at, found = pc;
        one =
            one && (at.place.line == first.place.line ||
                    (s->near_entry == ORIGIN_NONE && at.guard.line > 0 && at.guard.line == first.guard.line));
    }
    free(ran);
    if (found < 0 || !one)
        return false;
    first.several = is_led_elsewhere(s, launch, found, first.guard.line);
    *out = first;
    return true;
}

static void tell_unreached(const struct search *s, struct sim_origin_absence *out)
{
    for (int i = 0; i < s->log->launch_count; i++)
        if (s->log->launches[i].warp_count > 0 && tell_unreached_in(s, &s->log->launches[i], out))
            return;
}

/* Whether the host copies the element to another place of the device, from where kernels may load it. */
static bool is_copied(const struct search *s)
{
    for (size_t i = 0; !s->store && i < s->log->copy_count; i++) {
        const struct origin_copy *copy = &s->log->copies[i];
        if (copy->from && copy->to && s->address - copy->from < copy->size)
            return true;
    }
    return false;
}

/* Whose element comes next is clear in one dimension only: elsewhere a row may end in between. */
static bool is_flat(const struct origin_launch *launch)
{
    return launch->grid.y * launch->grid.z * launch->block.y * launch->block.z == 1;
}

void sim_origin_absent(struct sim *sim, sim_addr first, size_t bytes, sim_addr address, size_t size,
                       bool store, struct sim_origin_absence *out)
{
    *out = (struct sim_origin_absence){0};
    struct search s = {
        .log = sim->origin, .first = first, .bytes = bytes, .address = address, .size = size, .store = store};
    if (!s.log || s.log->full || size < 1)
        return;
    find_near(&s);
    if (s.near_entry == ORIGIN_NONE) {
        if (!is_copied(&s))
            tell_unreached(&s, out);
        return;
    }
    const struct origin_entry *near = &s.log->entries[s.near_entry];
    const struct origin_launch *launch = origin_launch_of(s.log, near->warp);
    out->place = origin_place_of(s.log, s.near_entry);
    out->near = origin_thread_of(s.log, near->warp, s.near_lane);
    out->near_address = s.near_address;
    out->several = s.several;
    if (s.near_address == address)
        out->why = SIM_ORIGIN_DONE;
    else if (is_flat(launch) && s.near_address < address)
        tell_owner(&s, launch, out);
    if (store && (out->why == SIM_ORIGIN_WHY_UNKNOWN || out->why == SIM_ORIGIN_ELSEWHERE))
        tell_unreached_in(&s, launch, out);
}

/* ---- several threads store one element ----------------------------------------------------------------- */

static void note_owner(struct origin_log *log, uint64_t *owner, uint64_t at, uint32_t number, int lane,
                       struct sim_origin_overlap *out)
{
    const uint64_t id = (uint64_t)number * WARP_LANES + (unsigned)lane + 1;
    const uint64_t before = owner[at];
    if (before == UINT64_MAX) /* it is counted */
        return;
    owner[at] = id;
    if (!before)
        return;
    const uint32_t entry = (uint32_t)((before - 1) / WARP_LANES);
    const int other = (int)((before - 1) % WARP_LANES);
    if (log->entries[entry].warp == log->entries[number].warp && other == lane)
        return;
    if (out->count++ == 0) {
        out->thread[0] = origin_thread_of(log, log->entries[entry].warp, other);
        out->thread[1] = origin_thread_of(log, log->entries[number].warp, lane);
        out->place[0] = origin_place_of(log, entry);
        out->place[1] = origin_place_of(log, number);
        out->address = at;
    }
    owner[at] = UINT64_MAX;
}

bool sim_origin_overlaps(struct sim *sim, sim_addr first, size_t bytes, size_t size,
                         struct sim_origin_overlap *out)
{
    struct origin_log *log = sim->origin;
    uint64_t *owner = calloc(bytes / size + 1, sizeof *owner);
    *out = (struct sim_origin_overlap){0};
    for (size_t i = 0; owner && log && i < log->entry_count; i++) {
        const struct origin_entry *entry = &log->entries[i];
        if (!has_accesses(log, entry))
            continue;
        for (uint32_t a = entry->extra; a != ORIGIN_NONE; a = log->accesses[a].next) {
            const struct origin_access *access = &log->accesses[a];
            for (int lane = 0;
                 access->space == PTX_GLOBAL && access->kind == ACCESS_STORE && lane < WARP_LANES; lane++)
                for (unsigned at = 0; (access->lanes >> lane & 1) && at < access->size;
                     at += (unsigned)size) {
                    const uint64_t place = origin_address(log, access, lane) + at - first;
                    if (place < bytes)
                        note_owner(log, owner, place / size, (uint32_t)i, lane, out);
                }
        }
    }
    if (out->count)
        out->address = first + out->address * size;
    free(owner);
    return owner != NULL;
}
