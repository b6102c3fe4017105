#include "sim/origin/origin_guard.h"

#include <stdlib.h>
#include <string.h>

#include "sim/origin/origin_sweep.h"
#include "sim/ptx/cfg.h"
#include "sim/ptx/ptx.h"

bool origin_is_global(const struct origin_op *op)
{
    for (int i = 0; i < op->instr->mod_count; i++) {
        const char *mod = op->instr->mods[i];
        if (strncmp(mod, "shared", 6) == 0 || strcmp(mod, "local") == 0 || strcmp(mod, "param") == 0 ||
            strcmp(mod, "const") == 0)
            return false;
    }
    return true;
}

/* ---- which conditions ---------------------------------------------------------------------------------- */

/* Marks the blocks at whose ends it is decided, directly or not, whether `block` is reached. */
static void mark_deciding(const struct cfg *cfg, int block, bool *marked)
{
    for (int at = 0; at < cfg->block_count; at++)
        if (!marked[at] && cfg_decides(cfg, at, block)) {
            marked[at] = true;
            mark_deciding(cfg, at, marked);
        }
}

/* The instruction's number in the kernel; -1: it belongs to another function. */
static int instruction_of(const struct ptx_func *func, const struct ptx_instr *instr)
{
    return instr >= func->instrs && instr < func->instrs + func->instr_count ? (int)(instr - func->instrs)
                                                                             : -1;
}

/* The last of these conditions that the lane met; ORIGIN_NONE: it met none. */
static uint32_t last_met(const struct origin_log *log, const struct origin_launch *launch,
                         const struct cfg *cfg, const bool *marked, uint32_t warp, int lane)
{
    const struct ptx_func *func = launch->code->functions[0].func;
    for (size_t i = log->entry_count; i-- > 0;) {
        const struct origin_entry *entry = &log->entries[i];
        if (entry->warp != warp || !(entry->lanes >> lane & 1) || entry->extra == ORIGIN_NONE ||
            launch->ops[entry->pc].kind != ORIGIN_BRANCH)
            continue;
        const struct ptx_instr *instr = launch->ops[entry->pc].instr;
        const int number = instruction_of(func, instr);
        const bool leaves = strcmp(instr->op, "bra") != 0 && (log->extras[entry->extra] >> lane & 1);
        if (number >= 0 && (leaves || marked[cfg->block_of[number]]))
            return (uint32_t)i;
    }
    return ORIGIN_NONE;
}

/* Of the conditions that decide directly, or (`all`) also those that decide whether one of them is reached. */
static uint32_t last_decision(const struct origin_log *log, const struct origin_launch *launch, int pc,
                              uint32_t warp, int lane, bool all)
{
    const struct ptx_func *func = launch->code->functions[0].func;
    const int number = instruction_of(func, launch->ops[pc].instr);
    uint32_t met = ORIGIN_NONE;
    if (number < 0)
        return met;
    struct cfg *cfg = cfg_build(func);
    bool *marked = calloc((size_t)cfg->block_count, sizeof *marked);
    const int block = cfg->block_of[number];
    for (int at = 0; marked && !all && at < cfg->block_count; at++)
        marked[at] = cfg_decides(cfg, at, block);
    if (marked && all)
        mark_deciding(cfg, block, marked);
    if (marked)
        met = last_met(log, launch, cfg, marked, warp, lane);
    free(marked);
    cfg_free(cfg);
    return met;
}

/*
 * The lane did not come to the operation. Where it met a condition that decides that directly, in a loop say, this one
 * kept it away, and not the end of the loop.
 */
void origin_guard_of(struct origin_log *log, const struct origin_launch *launch, int pc, uint32_t warp,
                     int lane, struct sim_origin_absence *out)
{
    uint32_t met = last_decision(log, launch, pc, warp, lane, false);
    if (met == ORIGIN_NONE)
        met = last_decision(log, launch, pc, warp, lane, true);
    if (met != ORIGIN_NONE) {
        out->guard = origin_place_of(log, met);
    } else if (instruction_of(launch->code->functions[0].func, launch->ops[pc].instr) >= 0 &&
               launch->ops[pc].instr->guard >= 0) {
        out->guard = origin_place_at(launch, pc);
    }
}
