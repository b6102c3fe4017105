/* What the lanes of one warp accessed at a line: for drawings. */
#include <string.h>

#include "sim/core/device.h"
#include "sim/model/counter.h"
#include "sim/origin/origin_log.h"
#include "sim/ptx/ptx.h"
#include "sim/text/place.h"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool at_line(const struct origin_launch *launch, const struct ptx_loc *loc, const char *file, int line)
{
    const struct ptx_module *module = launch->code->module;
    if (loc->line != line || loc->file <= 0 || loc->file >= module->file_count || !module->files[loc->file])
        return false;
    return strcmp(base_name(module->files[loc->file]), base_name(file)) == 0;
}

static uint64_t number_of(const struct sim_dim3 *at, const struct sim_dim3 *size)
{
    return at->x + (uint64_t)size->x * (at->y + (uint64_t)size->y * at->z);
}

/* The lane of the warp that is the thread; -1: none. */
int origin_lane_in(const struct origin_launch *launch, uint32_t warp, const struct sim_origin_thread *thread)
{
    const uint64_t number = number_of(&thread->thread, &launch->block);
    const uint64_t wanted =
        number_of(&thread->block, &launch->grid) * launch->warps_per_block + number / WARP_LANES;
    return wanted == warp - launch->first_warp ? (int)(number % WARP_LANES) : -1;
}

static bool touches(const struct origin_log *log, const struct origin_access *access, int lane,
                    uint64_t address)
{
    return (access->lanes >> lane & 1) && address - origin_address(log, access, lane) < access->size;
}

static bool is_at(const struct origin_log *log, const struct origin_entry *entry,
                  const struct sim_origin_question *q)
{
    const struct origin_launch *launch = origin_launch_of(log, entry->warp);
    const struct ptx_instr *instr = launch->ops[entry->pc].instr;
    return instr && (at_line(launch, &instr->site, q->file, q->line) ||
                     at_line(launch, &instr->loc, q->file, q->line));
}

static bool fits(const struct origin_log *log, const struct origin_entry *entry,
                 const struct origin_access *access, const struct sim_origin_question *q)
{
    const struct origin_launch *launch = origin_launch_of(log, entry->warp);
    if ((access->space != PTX_GLOBAL && access->space != PTX_SHARED) || !is_at(log, entry, q))
        return false;
    if (!q->thread)
        return true;
    const int lane = origin_lane_in(launch, entry->warp, q->thread);
    return lane >= 0 && (q->thread->launch < 0 || q->thread->launch == launch - log->launches) &&
           (access->space == PTX_SHARED) == q->is_shared &&
           (access->kind == ACCESS_LOAD ? q->loads : q->stores) && touches(log, access, lane, q->address);
}

/* As the counters have it. */
static void count_cost(const struct origin_access *access, struct sim_origin_lanes *out)
{
    const struct access counted = {.kind = access->kind,
                                   .space = access->space,
                                   .size = out->size,
                                   .element_size = access->element_size,
                                   .lanes = out->lanes,
                                   .address = out->address};
    if (out->is_shared) {
        const struct wavefronts wavefronts = counter_count_wavefronts(&counted);
        out->cost = wavefronts.needed;
        out->least = wavefronts.ideal;
        return;
    }
    const int enough = (__builtin_popcount(out->lanes) * out->size + 31) / 32;
    out->cost = counter_sectors(&counted);
    out->least = enough < out->cost ? enough : out->cost;
}

void origin_take_access(const struct origin_log *log, const struct origin_entry *entry,
                        const struct origin_access *access, struct sim_origin_lanes *out)
{
    const struct origin_launch *launch = origin_launch_of(log, entry->warp);
    const uint32_t warp = entry->warp - launch->first_warp;
    memset(out, 0, sizeof *out);
    out->is_store = access->kind != ACCESS_LOAD;
    out->is_atomic = access->kind == ACCESS_ATOMIC;
    out->is_shared = access->space == PTX_SHARED;
    out->size = (int)access->size;
    out->lanes = access->lanes;
    out->launch = (int)(launch - log->launches);
    out->block = place_coordinates(warp / launch->warps_per_block, &launch->grid);
    out->first_thread = warp % launch->warps_per_block * WARP_LANES;
    for (int lane = 0; lane < WARP_LANES; lane++)
        if (access->lanes >> lane & 1)
            out->address[lane] = origin_address(log, access, lane);
    count_cost(access, out);
}

/* The recorded access if entry number i is one; else NULL. */
static const struct origin_access *access_at(const struct origin_log *log, size_t i)
{
    const struct origin_entry *entry = &log->entries[i];
    if (entry->warp == ORIGIN_NONE || entry->extra == ORIGIN_NONE)
        return NULL;
    const enum origin_op_kind kind = origin_launch_of(log, entry->warp)->ops[entry->pc].kind;
    const bool is_access = kind == ORIGIN_LOAD || kind == ORIGIN_STORE || kind == ORIGIN_ATOMIC;
    return is_access ? &log->accesses[entry->extra] : NULL;
}

bool sim_origin_lanes(struct sim *sim, const struct sim_origin_question *q, struct sim_origin_lanes *out)
{
    const struct origin_log *log = sim->origin;
    struct sim_origin_lanes other;
    bool found = false;
    for (size_t i = 0; log && i < log->entry_count; i++) {
        const struct origin_access *access = access_at(log, i);
        if (!access || !fits(log, &log->entries[i], access, q))
            continue;
        origin_take_access(log, &log->entries[i], access, found ? &other : out);
        if (found && memcmp(out, &other, sizeof other) != 0)
            return false;
        found = true;
        if (!q->thread)
            break;
    }
    return found;
}
