/* What did not happen: which thread's turn an access would have been, and what kept it away. */
#include <stdlib.h>
#include <string.h>

#include "sim/core/device.h"
#include "sim/memory/allocations.h"
#include "sim/origin/origin_guard.h"
#include "sim/origin/origin_sweep.h"
#include "sim/ptx/ptx.h"

/* What one thread does at the instruction that is looked at. */
struct turn {
    uint64_t first, last;
    int64_t distance;
    uint32_t count;
    bool regular; /* all at the same distance */
};

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
    const struct origin_launch *launch;
    struct turn *turns; /* [threads of the launch], of the instruction of near_entry */
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

/* ---- turns --------------------------------------------------------------------------------------------- */

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

static struct sim_origin_thread thread_numbered(const struct search *s, size_t number)
{
    const unsigned in_block = threads_of_block(s->launch);
    const uint32_t block = (uint32_t)(number / in_block), at = (uint32_t)(number % in_block);
    const uint32_t warp = s->launch->first_warp + block * s->launch->warps_per_block + at / WARP_LANES;
    return origin_thread_of(s->log, warp, (int)(at % WARP_LANES));
}

static void add_turn(struct turn *turn, uint64_t address)
{
    const int64_t distance = (int64_t)(address - turn->last);
    if (turn->count == 0)
        turn->first = address;
    else if (turn->count == 1)
        turn->distance = distance;
    turn->regular = turn->count == 1 || (turn->regular && distance == turn->distance);
    turn->last = address;
    turn->count++;
}

static bool find_turns(struct search *s)
{
    const struct origin_entry *near = &s->log->entries[s->near_entry];
    s->launch = origin_launch_of(s->log, near->warp);
    s->turns = calloc(thread_count(s->launch) + WARP_LANES, sizeof *s->turns);
    for (size_t i = 0; s->turns && i < s->log->entry_count; i++) {
        const struct origin_entry *entry = &s->log->entries[i];
        if (entry->warp - s->launch->first_warp >= s->launch->warp_count || entry->pc != near->pc ||
            entry->extra == ORIGIN_NONE)
            continue;
        for (uint32_t a = entry->extra; a != ORIGIN_NONE; a = s->log->accesses[a].next)
            for (int lane = 0; is_kind(s, &s->log->accesses[a]) && lane < WARP_LANES; lane++)
                if (s->log->accesses[a].lanes >> lane & 1)
                    add_turn(&s->turns[number_of(s->launch, entry->warp, lane)],
                             origin_address(s->log, &s->log->accesses[a], lane));
    }
    return s->turns != NULL;
}

static bool tell_row(struct search *s, struct sim_origin_absence *out)
{
    for (size_t i = 0; i < thread_count(s->launch); i++) {
        const struct turn *turn = &s->turns[i];
        if (turn->count < 2 || !turn->regular || turn->distance == 0)
            continue;
        const bool ends = turn->last + (uint64_t)turn->distance == s->address;
        if (!ends && turn->first - (uint64_t)turn->distance != s->address)
            continue;
        out->why = ends ? SIM_ORIGIN_ROW_ENDS : SIM_ORIGIN_ROW_BEGINS;
        out->near = thread_numbered(s, i);
        out->near_address = ends ? turn->last : turn->first;
        out->count = turn->count;
        out->distance = turn->distance;
        return true;
    }
    return false;
}

/* How far apart the threads are that have neighboring elements: by who accesses the one before the nearest; else 1. */
static int64_t find_stride(const struct search *s)
{
    const struct origin_entry *near = &s->log->entries[s->near_entry];
    const int64_t number = (int64_t)number_of(s->launch, near->warp, s->near_lane);
    for (size_t i = 0; i < thread_count(s->launch); i++)
        if (s->turns[i].count > 0 && s->turns[i].first == s->near_address - s->size)
            return number - (int64_t)i;
    return 1;
}

/* Is there a thread behind the one that has the element before? */
static void tell_owner(struct search *s, struct sim_origin_absence *out)
{
    const struct origin_entry *near = &s->log->entries[s->near_entry];
    const int64_t stride = find_stride(s);
    const size_t number = number_of(s->launch, near->warp, s->near_lane) + (size_t)stride;
    if (stride > 0)
        out->why = number < thread_count(s->launch) ? SIM_ORIGIN_ELSEWHERE : SIM_ORIGIN_NO_THREAD;
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
 * The access of that kind that no thread of the launch came to. Of several lines it is not known which is meant, but for
 * lines that one condition keeps all threads from.
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
        at.owner = origin_thread_of(s->log, launch->first_warp, 0);
        origin_guard_of(s->log, launch, pc, launch->first_warp, 0, &at);
        if (found < 0)
            first = at, found = pc;
        one = one &&
              (at.place.line == first.place.line || (at.guard.line > 0 && at.guard.line == first.guard.line));
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

static void tell_neighbor(struct search *s, struct sim_origin_absence *out)
{
    if (tell_row(s, out) || !is_flat(s->launch))
        return;
    if (s->near_address < s->address)
        tell_owner(s, out);
}

/* Whether no thread of the launch gets anything from another one, also not by global memory. */
static bool is_alone(const struct origin_launch *launch)
{
    bool alone = true;
    for (int pc = 0; pc < launch->code->count && alone; pc++) {
        const struct origin_op *op = &launch->ops[pc];
        const bool is_barrier = op->instr && strncmp(op->instr->op, "bar", 3) == 0;
        alone = op->kind != ORIGIN_SHUFFLE && op->kind != ORIGIN_ASYNC && op->kind != ORIGIN_OPAQUE &&
                op->kind != ORIGIN_ATOMIC && !is_barrier &&
                (op->kind != ORIGIN_STORE || origin_is_global(op));
    }
    return alone;
}

/* The element is loaded by another thread than the one that stores the value: what keeps this one from that line? */
static void tell_end(const struct search *s, const struct sim_origin_thread *end,
                     struct sim_origin_absence *out)
{
    const struct origin_entry *near = &s->log->entries[s->near_entry];
    const struct origin_launch *launch = origin_launch_of(s->log, near->warp);
    const int line = launch->ops[near->pc].instr->site.line;
    if (!is_alone(launch))
        return;
    for (uint32_t warp = launch->first_warp; warp < launch->first_warp + launch->warp_count; warp++) {
        const int lane = origin_lane_in(launch, warp, end);
        bool comes = lane < 0 || end->launch != launch - s->log->launches;
        for (size_t i = 0; i < s->log->entry_count && !comes; i++)
            comes = s->log->entries[i].warp == warp && (s->log->entries[i].lanes >> lane & 1) &&
                    launch->ops[s->log->entries[i].pc].kind == ORIGIN_LOAD &&
                    launch->ops[s->log->entries[i].pc].instr->site.line == line;
        if (comes)
            continue;
        out->owner = *end;
        origin_guard_of(s->log, launch, (int)near->pc, warp, lane, out);
    }
}

bool sim_origin_absent(struct sim *sim, sim_addr first, size_t bytes, sim_addr address, size_t size,
                       bool store, const struct sim_origin_thread *end, struct sim_origin_absence *out)
{
    *out = (struct sim_origin_absence){0};
    struct search s = {
        .log = sim->origin, .first = first, .bytes = bytes, .address = address, .size = size, .store = store};
    if (!s.log || s.log->full || size < 1)
        return true;
    find_near(&s);
    if (s.near_entry == ORIGIN_NONE) {
        if (!is_copied(&s))
            tell_unreached(&s, out);
    } else {
        out->place = origin_place_of(s.log, s.near_entry);
        out->near = origin_thread_of(s.log, s.log->entries[s.near_entry].warp, s.near_lane);
        out->near_address = s.near_address;
        out->several = s.several;
        if (s.near_address == address) {
            out->why = SIM_ORIGIN_DONE;
            if (end)
                tell_end(&s, end, out);
        } else if (!find_turns(&s))
            return false;
        else if (is_flat(s.launch) || !store)
            tell_neighbor(&s, out);
        if (store && (out->why == SIM_ORIGIN_WHY_UNKNOWN || out->why == SIM_ORIGIN_ELSEWHERE))
            tell_unreached_in(&s, s.launch, out);
        if (out->why == SIM_ORIGIN_ELSEWHERE)
            origin_behind_blocks(s.log, s.launch, first, bytes, address, store, out);
    }
    free(s.turns);
    return true;
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
