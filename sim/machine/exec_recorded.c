/* The warp's loop while everything is recorded: as exec_simd_loop.c's, one operation after the other. */
#include "sim/machine/exec.h"
#include "sim/origin/origin_log.h"

static void note(struct warp *warp, int pc, const struct micro *op, uint32_t active)
{
    struct origin_log *log = warp->block->launch->origin;
    const struct origin_op *known = origin_op_at(log, pc);
    const bool branch = known->kind == ORIGIN_BRANCH;
    if (known->kind == ORIGIN_IGNORED || (!active && !branch))
        return;
    origin_note(log, warp->origin_number, pc, warp->groups[warp->running].frame->depth,
                branch ? warp->mask : active);
    if (branch)
        origin_note_choice(log, active);
    else if (known->kind == ORIGIN_SELECT)
        origin_note_choice(log, predicate_q(warp, op));
}

enum step warp_loop_recorded(struct warp *warp)
{
    enum step step = STEP_SCHEDULE;
    const uint32_t mask = warp->mask;
    while (warp->pc < warp->stop && warp->budget > 0) {
        int pc = warp->pc;
        const struct micro *op = &warp->ops[pc];
        uint32_t active = mask & (warp->preds[op->guard] ^ op->guard_xor);
        warp->counts[pc].warps++;
        warp->counts[pc].lanes += (unsigned)__builtin_popcount(active);
        warp->budget--;
        warp->pc = pc + 1;
        note(warp, pc, op, active);
        if (!active)
            continue;
        step = op->run(warp, op, active);
        if (step != STEP_NEXT && step != STEP_JUMP)
            return step == STEP_FAULT ? STEP_FAULT : STEP_SCHEDULE;
    }
    return STEP_SCHEDULE;
}
