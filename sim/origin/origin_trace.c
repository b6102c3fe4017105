/* What a warp did, step by step: for pictures. */
#include <string.h>

#include "sim/core/device.h"
#include "sim/origin/origin_log.h"
#include "sim/ptx/ptx.h"
#include "sim/text/place.h"

struct trace {
    const struct origin_log *log;
    const struct sim_origin_filter *filter;
    struct sim_origin_traced *steps;
    size_t count, most;
    uint64_t all;
    bool is_brief; /* steps of a warp that are alike are one */
    bool grows;    /* the step noted last was kept: what follows may belong to it */
};

/* The access of an instruction that is one, to global or shared memory; NULL: it is none. */
static const struct origin_access *access_of(const struct trace *t, const struct origin_entry *entry)
{
    const enum origin_op_kind kind = origin_launch_of(t->log, entry->warp)->ops[entry->pc].kind;
    if (entry->extra == ORIGIN_NONE || (kind != ORIGIN_LOAD && kind != ORIGIN_STORE && kind != ORIGIN_ATOMIC))
        return NULL;
    const struct origin_access *access = &t->log->accesses[entry->extra];
    return access->space == PTX_GLOBAL || access->space == PTX_SHARED ? access : NULL;
}

static bool is_in_block(const struct origin_launch *launch, uint32_t warp, const struct sim_dim3 *block)
{
    return (warp - launch->first_warp) / launch->warps_per_block ==
           block->x + launch->grid.x * (block->y + (uint64_t)launch->grid.y * block->z);
}

static bool is_asked(const struct trace *t, const struct origin_entry *entry,
                     const struct origin_access *access, const struct sim_origin_traced *step)
{
    const struct sim_origin_thread *thread = t->filter->thread;
    const struct origin_launch *launch = origin_launch_of(t->log, entry->warp);
    const bool global = access && access->space == PTX_GLOBAL;
    switch (t->filter->kind) {
    case SIM_ORIGIN_ALL_STORES: return global && access->kind != ACCESS_LOAD;
    case SIM_ORIGIN_ALL_LOADS: return global && access->kind == ACCESS_LOAD;
    case SIM_ORIGIN_OF_BLOCK:
        return (access || step->is_barrier || step->is_shuffle) &&
               (!thread || is_in_block(launch, entry->warp, &thread->block));
    default: return !thread || origin_lane_in(launch, entry->warp, thread) >= 0;
    }
}

/* In the kernel's own text, where that is known. */
static void place_step(const struct origin_launch *launch, const struct origin_entry *entry,
                       struct sim_origin_traced *step)
{
    const struct ptx_instr *instr = launch->ops[entry->pc].instr;
    const struct ptx_module *module = launch->code->module;
    const struct ptx_loc *loc = !instr ? NULL : instr->site.line > 0 ? &instr->site : &instr->loc;
    step->kernel = launch->kernel;
    step->file = "";
    if (!loc || loc->line <= 0 || loc->file <= 0 || loc->file >= module->file_count ||
        !module->files[loc->file])
        return;
    step->file = module->files[loc->file];
    step->line = loc->line;
}

static bool is_of_its_own(const struct sim_origin_traced *step)
{
    return step->is_access || step->is_barrier || step->is_shuffle;
}

static bool is_at(const struct sim_origin_traced *a, const struct sim_origin_traced *b)
{
    return a->line == b->line && a->is_access == b->is_access && a->lanes.launch == b->lanes.launch &&
           a->is_barrier == b->is_barrier && a->is_shuffle == b->is_shuffle && a->file == b->file;
}

/* Has the line had its share? */
static bool had_enough(const struct trace *t, const struct sim_origin_traced *step)
{
    int same = 0;
    for (size_t i = 0; i < t->count && t->filter->kind == SIM_ORIGIN_OF_WARP; i++)
        same += is_at(&t->steps[i], step);
    return same >= SIM_ORIGIN_STEPS_OF_LINE;
}

/* The step of the same warp that was kept last, if it is of the same kind and the same lanes; NULL: there is none. */
static struct sim_origin_traced *alike(const struct trace *t, const struct sim_origin_traced *step)
{
    const struct sim_origin_lanes *b = &step->lanes;
    for (size_t i = t->count; i > 0 && !step->is_barrier; i--) {
        struct sim_origin_traced *before = &t->steps[i - 1];
        const struct sim_origin_lanes *a = &before->lanes;
        if (a->first_thread == b->first_thread && a->launch == b->launch)
            return before->is_access == step->is_access && before->is_shuffle == step->is_shuffle &&
                           !before->is_barrier && a->lanes == b->lanes && a->is_store == b->is_store &&
                           a->is_atomic == b->is_atomic && a->is_shared == b->is_shared
                       ? before
                       : NULL;
    }
    return NULL;
}

static void add(struct trace *t, const struct sim_origin_traced *step)
{
    struct sim_origin_traced *last = t->grows ? &t->steps[t->count - 1] : NULL;
    if (t->is_brief)
        last = alike(t, step);
    else if (last && (is_of_its_own(step) || !is_at(last, step) || last->lanes.lanes != step->lanes.lanes))
        last = NULL;
    if (last) {
        last->instructions++;
        return;
    }
    t->all++;
    t->grows = t->count < t->most && !had_enough(t, step);
    if (t->grows)
        t->steps[t->count++] = *step;
}

/* All but the access: which threads, and from where a shuffle takes. */
static void take_lanes(const struct trace *t, const struct origin_entry *entry,
                       struct sim_origin_traced *step)
{
    const struct origin_launch *launch = origin_launch_of(t->log, entry->warp);
    const uint32_t warp = entry->warp - launch->first_warp;
    uint8_t source[WARP_LANES];
    step->lanes.lanes = entry->lanes;
    step->lanes.block = place_coordinates(warp / launch->warps_per_block, &launch->grid);
    step->lanes.first_thread = warp % launch->warps_per_block * WARP_LANES;
    if (!step->is_shuffle)
        return;
    memcpy(source, &t->log->extras[entry->extra], sizeof source);
    for (int lane = 0; lane < WARP_LANES; lane++)
        step->lanes.address[lane] = source[lane];
}

static void note(struct trace *t, const struct origin_entry *entry)
{
    const struct origin_launch *launch = origin_launch_of(t->log, entry->warp);
    const struct origin_op *op = &launch->ops[entry->pc];
    const struct origin_access *access = access_of(t, entry);
    struct sim_origin_traced step = {.instructions = 1,
                                     .is_access = access != NULL,
                                     .is_barrier = launch->code->ops[entry->pc].flags & FLAG_BARRIER,
                                     .is_shuffle = op->kind == ORIGIN_SHUFFLE && entry->extra != ORIGIN_NONE};
    if (!is_asked(t, entry, access, &step))
        return;
    if (access)
        origin_take_access(t->log, entry, access, &step.lanes);
    else
        take_lanes(t, entry, &step);
    step.lanes.launch = (int)(launch - t->log->launches);
    place_step(launch, entry, &step);
    if (is_of_its_own(&step) || step.line > 0)
        add(t, &step);
}

static void note_all(struct trace *t)
{
    t->count = 0;
    t->all = 0;
    for (size_t i = 0; t->log && i < t->log->entry_count; i++)
        if (t->log->entries[i].warp != ORIGIN_NONE)
            note(t, &t->log->entries[i]);
}

size_t sim_origin_trace(struct sim *sim, const struct sim_origin_filter *filter,
                        struct sim_origin_traced *steps, size_t most, uint64_t *all)
{
    struct trace t = {.log = sim->origin, .filter = filter, .steps = steps, .most = most};
    note_all(&t);
    if (t.all > most && filter->kind == SIM_ORIGIN_OF_BLOCK) {
        t.is_brief = true;
        note_all(&t);
    }
    *all = t.all;
    return t.count;
}
