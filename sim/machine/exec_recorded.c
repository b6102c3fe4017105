/* The warp's loop while everything is recorded: as exec_simd_loop.c's, one operation after the other. */
#include <string.h>

#include "sim/core/detail.h"
#include "sim/machine/exec.h"
#include "sim/origin/origin_log.h"

/* The lanes in which the operand, a floating-point number of `size` bytes, is 0 or -0, or (`nan`) no number. */
static uint32_t lanes_with(bool nan, const struct warp *warp, uint32_t operand, int size, uint32_t active)
{
    const unsigned char *values = row(warp, operand);
    const uint64_t infinity = size == 4 ? UINT64_C(0xff) << 56 : UINT64_C(0x7ff) << 53;
    uint32_t lanes = 0;
    for (int lane = 0; lane < WARP_LANES; lane++) {
        uint64_t bits = 0;
        memcpy(&bits, values + lane * size, (size_t)size);
        bits <<= 64 - 8 * size + 1; /* without the sign */
        lanes |= (uint32_t)(nan ? bits > infinity : bits == 0) << lane;
    }
    return lanes & active;
}

static void note(struct warp *warp, int pc, const struct micro *op, uint32_t active)
{
    struct origin_log *log = warp->block->launch->origin;
    const struct origin_op *known = origin_op_at(log, pc);
    const bool branch = known->kind == ORIGIN_BRANCH;
    const bool barrier = op->flags & FLAG_BARRIER; /* for sim_origin_trace */
    if ((known->kind == ORIGIN_IGNORED && !barrier) || (!active && !branch))
        return;
    origin_note(log, warp->origin_number, pc, warp->groups[warp->running].frame->depth,
                branch ? warp->mask : active);
    if (branch)
        origin_note_choice(log, active);
    else if (known->kind == ORIGIN_SELECT)
        origin_note_choice(log, predicate_q(warp, op));
}

/* An operation on floating-point numbers: which factors are 0, and where the result is NaN, but no operand. */
static enum step run_computing(struct warp *warp, const struct micro *op, const struct origin_op *known,
                               uint32_t active)
{
    const uint32_t operand[] = {op->a, op->b, op->c};
    const int size = known->element_size;
    uint32_t zeros[2], nans = 0;
    for (int i = 0; i < 2; i++)
        zeros[i] = lanes_with(false, warp, operand[i], size, active);
    for (int i = 0; i < known->source_count && i < 3; i++)
        nans |= lanes_with(true, warp, operand[i], size, active);
    const enum step step = op->run(warp, op, active);
    origin_note_numbers(warp->block->launch->origin, zeros,
                        lanes_with(true, warp, op->dst, size, active) & ~nans);
    return step;
}

/* Of a compare and swap: the lanes that found another value than the one that they expected. */
static uint32_t lanes_refused(struct warp *warp, const struct micro *op, const unsigned char *expected,
                              int size, uint32_t active)
{
    const unsigned char *found = row(warp, op->dst);
    uint32_t lanes = 0;
    for (int lane = 0; lane < WARP_LANES; lane++)
        if ((active >> lane & 1) && memcmp(found + lane * size, expected + lane * size, (size_t)size) != 0)
            lanes |= 1u << lane;
    return lanes;
}

/*
 * Also where the program does not look at what is found: the result is written, into a register that nothing reads.
 * Only this thread of the host runs kernels while they are recorded.
 */
static enum step run_swap(struct warp *warp, const struct micro *op, int size, uint32_t active)
{
    struct origin_log *log = warp->block->launch->origin;
    struct atomic_detail *detail = (struct atomic_detail *)op->detail;
    unsigned char expected[WARP_LANES * sizeof(uint64_t)];
    const bool discard = detail->discard;
    const int spins = warp->spins, slice_spins = warp->slice_spins;
    if (size > (int)sizeof(uint64_t))
        return op->run(warp, op, active);
    memcpy(expected, row(warp, op->b), (size_t)(WARP_LANES * size));
    detail->discard = false;
    enum step step = op->run(warp, op, active);
    detail->discard = discard;
    if (step != STEP_FAULT)
        origin_note_refused(log, lanes_refused(warp, op, expected, size, active));
    if (!discard || step == STEP_FAULT)
        return step;
    warp->spins = spins; /* it waits for nothing */
    warp->slice_spins = slice_spins;
    return STEP_NEXT;
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
        const struct origin_op *known = origin_op_at(warp->block->launch->origin, pc);
        step = known->swaps      ? run_swap(warp, op, known->element_size, active)
               : known->computes ? run_computing(warp, op, known, active)
                                 : op->run(warp, op, active);
        if (step != STEP_NEXT && step != STEP_JUMP)
            return step == STEP_FAULT ? STEP_FAULT : STEP_SCHEDULE;
    }
    return STEP_SCHEDULE;
}
