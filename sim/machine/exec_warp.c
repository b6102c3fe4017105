/*
 * What the lanes of a warp do together: votes, matches, reductions, bar.warp.sync. Each waits until the lanes that its mask
 * names are there. Source: PTX ISA, vote.sync, match.sync, redux.sync.
 */
#include "sim/hazard/watch.h"
#include "sim/machine/exec_collective.h"

static enum step bar_warp(struct warp *warp, const struct micro *op, uint32_t active)
{
    const row_u32 *masks = row(warp, op->a);
    uint32_t lanes = exec_begin_collective(warp, op, active, masks);
    for (uint32_t rest = warp->block->launch->hazards ? lanes : 0;
         rest;) { /* each mask is a barrier of its own */
        uint32_t same = 0;
        FOR_LANES(lane, rest) same |= masks[lane] == masks[__builtin_ctz(rest)] ? 1u << lane : 0;
        hazard_warp_sync(&warp->block->view, warp->index, same);
        rest &= ~same;
    }
    return exec_end_collective(warp, op, lanes, active);
}

/* ---- votes, matches, reductions: over the lanes that pass the same mask -------------------------------- */

/* Lanes of `lanes` whose mask is that of its lowest; they act together. */
static uint32_t same_mask(uint32_t lanes, const row_u32 *masks)
{
    uint32_t first = masks[__builtin_ctz(lanes)], same = 0;
    FOR_LANES(lane, lanes)
    same |= masks[lane] == first ? 1u << lane : 0;
    return same;
}

static enum step vote(struct warp *warp, const struct micro *op, uint32_t active, enum vote_mode mode)
{
    const row_u32 *masks = row(warp, op->e);
    uint32_t lanes = exec_begin_collective(warp, op, active, masks);
    const uint32_t value = predicate_q(warp, op);
    row_u32 *d = row(warp, op->dst);
    for (uint32_t left = lanes; left;) {
        uint32_t party = same_mask(left, masks);
        /* A lane that its own mask does not name hears the result, but has no vote. */
        uint32_t voters = party & masks[__builtin_ctz(party)], yes = value & voters;
        bool result = mode == VOTE_ALL   ? yes == voters
                      : mode == VOTE_ANY ? yes != 0
                                         : yes == 0 || yes == voters;
        if (mode == VOTE_BALLOT)
            FOR_LANES(lane, party)
        d[lane] = yes;
        else set_predicate(warp, op->p, party, result ? ~0u : 0);
        left &= ~party;
    }
    return exec_end_collective(warp, op, lanes, active);
}

#define DEFINE_VOTE(name, mode)                                                                              \
    static enum step name(struct warp *warp, const struct micro *op, uint32_t active)                        \
    {                                                                                                        \
        return vote(warp, op, active, mode);                                                                 \
    }
DEFINE_VOTE(vote_all, VOTE_ALL)
DEFINE_VOTE(vote_any, VOTE_ANY)
DEFINE_VOTE(vote_uni, VOTE_UNIFORM)
DEFINE_VOTE(vote_ballot, VOTE_BALLOT)

/* Lanes of `party` that hold the same value as `lane`. */
static uint32_t equal_lanes(const struct warp *warp, const struct micro *op, uint32_t party, unsigned lane,
                            bool wide)
{
    const row_u64 *a64 = row(warp, op->a);
    const row_u32 *a32 = row(warp, op->a);
    uint32_t equal = 0;
    FOR_LANES(other, party)
    equal |= (wide ? a64[other] == a64[lane] : a32[other] == a32[lane]) ? 1u << other : 0;
    return equal;
}

static enum step match(struct warp *warp, const struct micro *op, uint32_t active, bool all, bool wide)
{
    const row_u32 *masks = row(warp, op->e);
    uint32_t lanes = exec_begin_collective(warp, op, active, masks), agreed = 0, result[WARP_LANES];
    for (uint32_t left = lanes; left;) {
        uint32_t party = same_mask(left, masks);
        FOR_LANES(lane, party)
        {
            uint32_t equal = equal_lanes(warp, op, party, lane, wide);
            result[lane] = all && equal != party ? 0 : equal;
            agreed |= equal == party ? 1u << lane : 0;
        }
        left &= ~party;
    }
    row_u32 *d = row(warp, op->dst);
    FOR_LANES(lane, lanes)
    d[lane] = result[lane];
    set_predicate(warp, op->p, lanes, agreed);
    return exec_end_collective(warp, op, lanes, active);
}

#define DEFINE_MATCH(name, all, wide)                                                                        \
    static enum step name(struct warp *warp, const struct micro *op, uint32_t active)                        \
    {                                                                                                        \
        return match(warp, op, active, all, wide);                                                           \
    }
DEFINE_MATCH(match_any_b32, false, false)
DEFINE_MATCH(match_any_b64, false, true)
DEFINE_MATCH(match_all_b32, true, false)
DEFINE_MATCH(match_all_b64, true, true)

static uint32_t reduce(enum atomic_op operation, bool is_signed, uint32_t x, uint32_t y)
{
    switch (operation) {
    case ATOMIC_ADD: return x + y;
    case ATOMIC_AND: return x & y;
    case ATOMIC_OR: return x | y;
    case ATOMIC_XOR: return x ^ y;
    case ATOMIC_MIN: return (is_signed ? (int32_t)x < (int32_t)y : x < y) ? x : y;
    default: return (is_signed ? (int32_t)x > (int32_t)y : x > y) ? x : y;
    }
}

static enum step redux(struct warp *warp, const struct micro *op, uint32_t active)
{
    const row_u32 *masks = row(warp, op->e);
    uint32_t lanes = exec_begin_collective(warp, op, active, masks);
    row_u32 *d = row(warp, op->dst);
    uint32_t a[WARP_LANES];
    memcpy(a, row(warp, op->a), sizeof a);
    for (uint32_t left = lanes; left;) {
        uint32_t party = same_mask(left, masks), rest = party & (party - 1);
        uint32_t result = a[__builtin_ctz(party)];
        FOR_LANES(lane, rest)
        result = reduce((enum atomic_op)op->imm, op->flags & FLAG_NEGATE_P, result, a[lane]);
        FOR_LANES(lane, party)
        d[lane] = result;
        left &= ~party;
    }
    return exec_end_collective(warp, op, lanes, active);
}

/* The lowest lane that the mask names leads: any choice will do that is always the same. */
static enum step elect(struct warp *warp, const struct micro *op, uint32_t active)
{
    const row_u32 *masks = row(warp, op->e);
    uint32_t lanes = exec_begin_collective(warp, op, active, masks);
    row_u32 *d = row(warp, op->dst);
    for (uint32_t left = lanes; left;) {
        uint32_t party = same_mask(left, masks), leader = (uint32_t)__builtin_ctz(party);
        set_predicate(warp, op->p, party, 1u << leader);
        FOR_LANES(lane, party)
        d[lane] = leader;
        left &= ~party;
    }
    return exec_end_collective(warp, op, lanes, active);
}

static enum step activemask(struct warp *warp, const struct micro *op, uint32_t active)
{
    row_u32 *d = row(warp, op->dst);
    FOR_LANES(lane, active)
    d[lane] = active;
    return STEP_NEXT;
}

const struct handler exec_warp_handlers[] = {
    {"bar.warp", bar_warp},
    {"vote.all", vote_all},
    {"vote.any", vote_any},
    {"vote.uni", vote_uni},
    {"vote.ballot", vote_ballot},
    {"match.any.b32", match_any_b32},
    {"match.any.b64", match_any_b64},
    {"match.all.b32", match_all_b32},
    {"match.all.b64", match_all_b64},
    {"redux", redux},
    {"activemask", activemask},
    {"elect", elect},
    {NULL, NULL},
};
