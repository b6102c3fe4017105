#include "sim/model/habit.h"

#include "sim/model/instr.h"
#include "sim/model/reuse.h"
#include "sim/model/timing_internal.h"
#include "sim/text/place.h"

static void put_place(const struct timing_launch *launch, int op, struct sim_habit_place *place)
{
    const struct ptx_instr *instr = launch->code->instrs[op];
    place->file = place_file(launch->kernel, instr->site);
    place->line = instr->site.line;
    place->call_line = instr->call.file == instr->site.file ? instr->call.line : 0;
    place->from_line = instr->from.file == instr->site.file ? instr->from.line : 0;
}

static bool same_place(const struct ptx_instr *a, const struct ptx_instr *b)
{
    return a && b && a->site.file == b->site.file && a->site.line == b->site.line &&
           a->call.line == b->call.line && a->from.line == b->from.line;
}

static const struct reuse *reuse_of(const struct timing_launch *launch, int block)
{
    const struct trace_block *b = &launch->trace->blocks[block];
    return b->run ? b->reuse : NULL;
}

/* ---- stores to global memory --------------------------------------------------------------------------- */

/* Requests of a store in all blocks watched, and those of them that repeat an earlier one. */
static struct reuse_op stores_of(const struct timing_launch *launch, int op)
{
    struct reuse_op sum = {0};
    for (int i = 0; i < launch->trace->allocated && instr_is(launch->code->instrs[op], "st"); i++) {
        const struct reuse *reuse = reuse_of(launch, i);
        sum.requests += reuse ? reuse->ops[op].requests : 0;
        sum.again += reuse ? reuse->ops[op].again : 0;
    }
    return sum;
}

static void find_kept(const struct timing_launch *launch, struct sim_habits *habits)
{
    double requests = 0, again = 0, most = 0;
    for (int op = 0; op < launch->code->count; op++) {
        const struct reuse_op sum = stores_of(launch, op);
        requests += (double)sum.requests;
        again += (double)sum.again;
        if ((double)sum.again <= most)
            continue;
        most = (double)sum.again;
        put_place(launch, op, &habits->kept.place);
    }
    habits->kept.times = ratio(requests, requests - again);
}

/* ---- loads --------------------------------------------------------------------------------------------- */

/* Asynchronous copies overlap with arithmetic whatever waits for plain loads. */
static bool copies_asynchronously(const struct timing_launch *launch)
{
    for (int op = 0; op < launch->code->count; op++)
        if (instr_is(launch->code->instrs[op], "cp") && launch->counts[op].warps > 0)
            return true;
    return false;
}

static void find_loads(const struct costing *costing, struct sim_habits *habits)
{
    const struct machine_code *code = costing->launch->machine_code;
    const struct code *ptx = costing->launch->code;
    double most = 0;
    for (int i = 0; i < code->code.count; i++) {
        struct pipeline_load sum = {0};
        if (code->ops[i] < 0 || costing->loads[i].times == 0 || !ptx->instrs[code->ops[i]])
            continue;
        for (int k = 0; k < code->code.count; k++) {
            if (code->ops[k] < 0 || !same_place(ptx->instrs[code->ops[i]], ptx->instrs[code->ops[k]]))
                continue;
            sum.times += costing->loads[k].times;
            sum.in_flight += costing->loads[k].in_flight;
            sum.behind += costing->loads[k].behind;
        }
        if (sum.times <= most)
            continue;
        most = sum.times;
        put_place(costing->launch, code->ops[i], &habits->loads.place);
        habits->loads.in_flight = sum.in_flight / sum.times;
        habits->loads.behind = sum.behind / sum.times;
    }
}

void habit_find(const struct costing *costing, struct sim_habits *habits)
{
    *habits = (struct sim_habits){.kept.place.file = "", .loads.place.file = "", .apart.file = ""};
    find_kept(costing->launch, habits);
    if (!copies_asynchronously(costing->launch))
        find_loads(costing, habits);
}
