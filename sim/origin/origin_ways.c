/* Which way a thread goes: the loop that it has left, and the condition at which it goes another way than others. */
#include <stdlib.h>
#include <string.h>

#include "sim/core/device.h"
#include "sim/origin/origin_guard.h"
#include "sim/origin/origin_sweep.h"
#include "sim/ptx/ptx.h"

/* ---- what a thread has left ---------------------------------------------------------------------------- */

struct runs {
    uint32_t count;
    size_t last; /* entry */
};

static bool loads_shared(const struct origin_op *op)
{
    bool shared = false;
    for (int i = 0; op->kind == ORIGIN_LOAD && i < op->instr->mod_count; i++)
        shared |= strncmp(op->instr->mods[i], "shared", 6) == 0;
    return shared;
}

#define UNROLLED_MOST 4 /* loads of one line; of more, the loop that they belong to has no branch */

static int loads_of_line(const struct origin_launch *launch, const struct sim_origin_place *place)
{
    int count = 0;
    for (int pc = 0; pc < launch->code->count; pc++) {
        const struct sim_origin_place at = loads_shared(&launch->ops[pc])
                                               ? origin_place_at(launch, pc)
                                               : (struct sim_origin_place){.line = 0};
        count += at.line == place->line && at.call_line == place->call_line;
    }
    return count;
}

bool sim_origin_left(struct sim *sim, const struct sim_origin_thread *thread, struct sim_origin_left *out)
{
    const struct origin_log *log = sim->origin;
    if (!log || log->full || thread->launch < 0 || thread->launch >= log->launch_count)
        return false;
    const struct origin_launch *launch = &log->launches[thread->launch];
    const struct origin_lane at = origin_lane_of(launch, thread);
    struct runs *runs = calloc((size_t)launch->code->count + 1, sizeof *runs);
    uint32_t best = ORIGIN_NONE;
    for (size_t i = 0; runs && i < log->entry_count; i++)
        if (log->entries[i].warp == at.warp && (log->entries[i].lanes >> at.lane & 1))
            runs[log->entries[i].pc] = (struct runs){runs[log->entries[i].pc].count + 1, i};
    *out = (struct sim_origin_left){.load = {.file = "", .inner_file = ""}};
    for (int pc = 0; runs && pc < launch->code->count; pc++) {
        const uint32_t met = loads_shared(&launch->ops[pc])
                                 ? origin_last_decision(log, launch, pc, at.warp, at.lane)
                                 : ORIGIN_NONE;
        if (met == ORIGIN_NONE || (runs[pc].count > 0 && met < runs[pc].last) ||
            launch->ops[pc].instr->site.line <= 0 ||
            (best != ORIGIN_NONE && (runs[pc].count == 0 || out->runs > 0)))
            continue;
        best = met;
        out->load = origin_place_at(launch, pc);
        out->runs = runs[pc].count;
    }
    if (best != ORIGIN_NONE)
        out->guard = origin_place_of(log, best);
    free(runs);
    return best != ORIGIN_NONE && out->guard.line > 0 && loads_of_line(launch, &out->load) <= UNROLLED_MOST;
}

/* ---- one thread and others ----------------------------------------------------------------------------- */

#define OTHERS_LEAST 4 /* of fewer, many a condition is a matter of chance */

struct comparison {
    const struct origin_log *log;
    const struct origin_launch *launch;
    struct origin_lane one;
    uint32_t *others; /* [warps of the launch]: lanes */
    uint32_t other_count;
    size_t loaded; /* the entry at which the one thread loads its element */
    int pc;
};

/* How often the one thread, and the others, found the condition true and not. */
struct met {
    uint32_t one[2], others[2];
    size_t first; /* entry at which the one thread met it first */
};

/* The first load of the element. */
static bool find_load(struct comparison *c, sim_addr address)
{
    for (size_t i = 0; i < c->log->entry_count; i++) {
        const struct origin_entry *entry = &c->log->entries[i];
        if (entry->warp == ORIGIN_NONE || entry->extra == ORIGIN_NONE ||
            origin_launch_of(c->log, entry->warp)->ops[entry->pc].kind != ORIGIN_LOAD)
            continue;
        const struct origin_access *access = &c->log->accesses[entry->extra];
        for (int lane = 0; access->space == PTX_GLOBAL && lane < WARP_LANES; lane++) {
            if (!(access->lanes >> lane & 1) ||
                address - origin_address(c->log, access, lane) >= access->size)
                continue;
            c->launch = origin_launch_of(c->log, entry->warp);
            c->one = (struct origin_lane){entry->warp, lane};
            c->loaded = i;
            c->pc = (int)entry->pc;
            return true;
        }
    }
    return false;
}

static void find_others(struct comparison *c, sim_addr first, size_t bytes,
                        bool (*is_other)(const void *context, sim_addr address), const void *context)
{
    for (size_t i = 0; i < c->log->entry_count; i++) {
        const struct origin_entry *entry = &c->log->entries[i];
        if (entry->warp - c->launch->first_warp >= c->launch->warp_count || (int)entry->pc != c->pc ||
            entry->extra == ORIGIN_NONE)
            continue;
        const struct origin_access *access = &c->log->accesses[entry->extra];
        for (int lane = 0; access->space == PTX_GLOBAL && lane < WARP_LANES; lane++) {
            const uint32_t number = entry->warp - c->launch->first_warp;
            if (number / c->launch->warps_per_block !=
                    (c->one.warp - c->launch->first_warp) / c->launch->warps_per_block ||
                !(access->lanes >> lane & 1) || (c->others[number] >> lane & 1))
                continue;
            const uint64_t address = origin_address(c->log, access, lane);
            if (address - first >= bytes || !is_other(context, address))
                continue;
            c->others[number] |= 1u << lane;
            c->other_count++;
        }
    }
}

static void count_met(const struct comparison *c, struct met *met)
{
    for (size_t i = 0; i < c->log->entry_count; i++) {
        const struct origin_entry *entry = &c->log->entries[i];
        const uint32_t number = entry->warp - c->launch->first_warp;
        if (number >= c->launch->warp_count || entry->extra == ORIGIN_NONE)
            continue;
        const enum origin_op_kind kind = c->launch->ops[entry->pc].kind;
        if (kind != ORIGIN_BRANCH && kind != ORIGIN_SELECT)
            continue;
        struct met *at = &met[entry->pc];
        const uint32_t chosen = c->log->extras[entry->extra], others = c->others[number] & entry->lanes;
        at->others[0] += (uint32_t)__builtin_popcount(others & ~chosen);
        at->others[1] += (uint32_t)__builtin_popcount(others & chosen);
        if (entry->warp != c->one.warp || !(entry->lanes >> c->one.lane & 1) || i < c->loaded)
            continue;
        if (at->one[0] + at->one[1] == 0)
            at->first = i;
        at->one[chosen >> c->one.lane & 1]++;
    }
}

/* The first condition that the one thread met of those at which all others went the other way. */
static bool choose(const struct comparison *c, const struct met *met, struct sim_origin_way *out)
{
    size_t best = SIZE_MAX;
    for (int pc = 0; pc < c->launch->code->count; pc++)
        for (int way = 0; way < 2; way++)
            if (met[pc].one[way] > 0 && met[pc].one[!way] == 0 && met[pc].others[way] == 0 &&
                met[pc].others[!way] >= c->other_count && met[pc].first < best)
                best = met[pc].first;
    if (best == SIZE_MAX)
        return false;
    const struct sim_dim3 *block = &c->launch->block;
    out->place = origin_place_of(c->log, (uint32_t)best);
    out->thread = origin_thread_of(c->log, c->one.warp, c->one.lane);
    out->others = c->other_count;
    out->ends_block = out->thread.thread.x == block->x - 1 && out->thread.thread.y == block->y - 1 &&
                      out->thread.thread.z == block->z - 1;
    return out->place.line > 0;
}

bool sim_origin_way(struct sim *sim, sim_addr address, sim_addr first, size_t bytes,
                    bool (*is_other)(const void *context, sim_addr address), const void *context,
                    struct sim_origin_way *out)
{
    struct comparison c = {.log = sim->origin};
    bool found = false;
    if (!c.log || c.log->full || !find_load(&c, address))
        return false;
    struct met *met = calloc((size_t)c.launch->code->count + 1, sizeof *met);
    c.others = calloc((size_t)c.launch->warp_count + 1, sizeof *c.others);
    if (met && c.others) {
        find_others(&c, first, bytes, is_other, context);
        count_met(&c, met);
        found = c.other_count >= OTHERS_LEAST && choose(&c, met, out);
    }
    free(met);
    free(c.others);
    return found;
}
