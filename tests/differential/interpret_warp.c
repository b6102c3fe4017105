/*
 * Instructions of several lanes together. Source: PTX ISA 8.5, 9.7.9 shfl.sync, 9.7.13 vote.sync, match.sync,
 * bar.warp.sync.
 */
#include "interpret.h"

#include <string.h>

/* A lane waits here until interpret_together serves all of its mask. The mask is the last operand. */
static void do_wait(struct thread *t, const struct instruction *in)
{
    (void)in;
    t->state = AT_WARP;
}

/* The pseudo-code of the ISA, for one lane. */
static void shuffle(struct thread *lanes[WARP], const uint64_t values[WARP], uint32_t lane,
                    const struct instruction *in)
{
    struct thread *t = lanes[lane];
    uint32_t b = (uint32_t)read_operand(t, &in->operands[2]), c = (uint32_t)read_operand(t, &in->operands[3]);
    uint32_t bval = b & 0x1f, cval = c & 0x1f, mask = c >> 8 & 0x1f;
    uint32_t max_lane = (lane & mask) | (cval & ~mask), min_lane = lane & mask, j;
    bool inside;
    if (has_word(in, "up")) {
        j = lane - bval;
        inside = (int32_t)j >= (int32_t)max_lane;
    } else if (has_word(in, "down")) {
        j = lane + bval;
        inside = j <= max_lane;
    } else if (has_word(in, "bfly")) {
        j = lane ^ bval;
        inside = j <= max_lane;
    } else {
        j = min_lane | (bval & ~mask);
        inside = j <= max_lane;
    }
    if (!inside)
        j = lane;
    if (!lanes[j])
        fail("interpreter: line %d: lane %u shuffles with lane %u, which is not there", in->line, lane, j);
    write_result(t, in, values[j]);
    if (in->operands[0].second >= 0)
        write_register(t, in->operands[0].second, inside);
}

static void vote(struct thread *lanes[WARP], const uint64_t values[WARP], uint32_t mask,
                 const struct instruction *in)
{
    uint32_t ballot = 0;
    for (uint32_t i = 0; i < WARP; i++)
        ballot |= lanes[i] && values[i] ? UINT32_C(1) << i : 0;
    uint64_t result = has_word(in, "ballot") ? ballot
                      : has_word(in, "all")  ? ballot == mask
                      : has_word(in, "any")  ? ballot != 0
                                             : ballot == mask || ballot == 0;
    for (uint32_t i = 0; i < WARP; i++)
        if (lanes[i])
            write_result(lanes[i], in, result);
}

static void match_any(struct thread *lanes[WARP], const uint64_t values[WARP], const struct instruction *in)
{
    for (uint32_t i = 0; i < WARP; i++) {
        uint64_t same = 0;
        for (uint32_t k = 0; lanes[i] && k < WARP; k++)
            same |= lanes[k] && cut(values[k], in->type.bits) == cut(values[i], in->type.bits)
                        ? UINT64_C(1) << k
                        : 0;
        if (lanes[i])
            write_result(lanes[i], in, same);
    }
}

void interpret_together(struct thread *lanes[WARP], uint32_t mask)
{
    struct thread *first = lanes[__builtin_ctz(mask)];
    const struct instruction *in = &first->block->program->instructions[first->pc - 1];
    uint64_t values[WARP] = {0};
    for (uint32_t i = 0; i < WARP && in->operand_count > 1; i++)
        if (lanes[i])
            values[i] = read_operand(lanes[i], &in->operands[1]);
    for (uint32_t i = 0; i < WARP; i++)
        if (lanes[i] && strcmp(in->words[0], "shfl") == 0)
            shuffle(lanes, values, i, in);
    if (strcmp(in->words[0], "vote") == 0)
        vote(lanes, values, mask, in);
    if (strcmp(in->words[0], "match") == 0)
        match_any(lanes, values, in);
    for (uint32_t i = 0; i < WARP; i++)
        if (lanes[i])
            lanes[i]->state = RUNNING;
}

operation warp_operation(const struct instruction *in)
{
    static const char *const words[] = {"shfl", "vote", "match"};
    for (int i = 0; i < 3; i++)
        if (strcmp(words[i], in->words[0]) == 0)
            return do_wait;
    return NULL;
}
