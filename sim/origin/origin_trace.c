/* What a warp did, step by step: for pictures. */
#include <string.h>

#include "sim/core/device.h"
#include "sim/origin/origin_log.h"
#include "sim/ptx/ptx.h"

struct trace {
    const struct origin_log *log;
    const struct sim_origin_filter *filter;
    struct sim_origin_traced *steps;
    size_t count, most;
    uint64_t all;
    bool grows; /* the step noted last was kept: what follows may belong to it */
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

static bool is_asked(const struct trace *t, const struct origin_entry *entry,
                     const struct origin_access *access)
{
    const struct sim_origin_thread *thread = t->filter->thread;
    if (t->filter->stores_only && (!access || access->kind == ACCESS_LOAD || access->space != PTX_GLOBAL))
        return false;
    return !thread || origin_lane_in(origin_launch_of(t->log, entry->warp), entry->warp, thread) >= 0;
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

static bool is_at(const struct sim_origin_traced *a, const struct sim_origin_traced *b)
{
    return a->line == b->line && a->is_access == b->is_access && a->lanes.launch == b->lanes.launch &&
           a->file == b->file;
}

/* Has the line had its share? */
static bool had_enough(const struct trace *t, const struct sim_origin_traced *step)
{
    int same = 0;
    for (size_t i = 0; i < t->count && !t->filter->stores_only; i++)
        same += is_at(&t->steps[i], step);
    return same >= SIM_ORIGIN_STEPS_OF_LINE;
}

static void add(struct trace *t, const struct sim_origin_traced *step)
{
    struct sim_origin_traced *last = t->grows ? &t->steps[t->count - 1] : NULL;
    if (last && !step->is_access && is_at(last, step) && last->lanes.lanes == step->lanes.lanes) {
        last->instructions++;
        return;
    }
    t->all++;
    t->grows = t->count < t->most && !had_enough(t, step);
    if (t->grows)
        t->steps[t->count++] = *step;
}

static void note(struct trace *t, const struct origin_entry *entry)
{
    const struct origin_launch *launch = origin_launch_of(t->log, entry->warp);
    const struct origin_access *access = access_of(t, entry);
    struct sim_origin_traced step = {.instructions = 1, .is_access = access != NULL};
    if (!is_asked(t, entry, access))
        return;
    if (access)
        origin_take_access(t->log, entry, access, &step.lanes);
    step.lanes.lanes = access ? access->lanes : entry->lanes;
    step.lanes.launch = (int)(launch - t->log->launches);
    place_step(launch, entry, &step);
    if (access || step.line > 0)
        add(t, &step);
}

size_t sim_origin_trace(struct sim *sim, const struct sim_origin_filter *filter,
                        struct sim_origin_traced *steps, size_t most, uint64_t *all)
{
    struct trace t = {.log = sim->origin, .filter = filter, .steps = steps, .most = most};
    for (size_t i = 0; t.log && i < t.log->entry_count; i++)
        if (t.log->entries[i].warp != ORIGIN_NONE)
            note(&t, &t.log->entries[i]);
    *all = t.all;
    return t.count;
}
