/* The warp's loop: one group of lanes, one operation after the other. */
#include "sim/machine/exec.h"

/*
 * Ends where the group must be looked at anew: another group waits at this pc or below it, the budget is used
 * up, or a handler says so. pc and mask live in registers here and in the warp for the handlers.
 */
enum step SIMD(warp_loop)(struct warp *warp)
{
    const struct micro *ops = warp->ops;
    struct op_count *counts = warp->counts;
    const uint32_t mask = warp->mask;
    const int stop = warp->stop;
    int64_t budget = warp->budget;
    int pc = warp->pc;
    enum step step = STEP_SCHEDULE;

    while (pc < stop && budget > 0) {
        const struct micro *op = &ops[pc];
        uint32_t active = mask & (warp->preds[op->guard] ^ op->guard_xor);
        counts[pc].warps++;
        counts[pc].lanes += (unsigned)__builtin_popcount(active);
        warp->budget = --budget; /* clocks look at it */
        warp->pc = ++pc;
        if (!active)
            continue;
        step = op->run(warp, op, active);
        if (__builtin_expect(step == STEP_NEXT, 1))
            continue;
        pc = warp->pc;
        if (step != STEP_JUMP)
            break;
    }
    warp->budget = budget;
    return step == STEP_FAULT ? STEP_FAULT : STEP_SCHEDULE;
}
