/*
 * Shuffles: the lanes of a warp hand values to each other. Source: PTX ISA, shfl.sync.
 */
#include <stdio.h>

#include "sim/hazard/watch.h"
#include "sim/machine/exec_collective.h"
#include "sim/machine/exec_undefined.h"
#include "sim/origin/origin_log.h"

/* The lane that `lane` reads from, and whether it is inside the segment. b: offset or index; c: clamp and
 * segment. */
static int shuffle_source(enum shuffle_mode mode, int lane, uint32_t b, uint32_t c, bool *inside)
{
    int offset = (int)(b & 31), clamp = (int)(c & 31), segment = (int)(c >> 8 & 31);
    int highest = (lane & segment) | (clamp & ~segment), lowest = lane & segment, source = 0;
    switch (mode) {
    case SHUFFLE_UP:
        source = lane - offset;
        *inside = source >= highest;
        break;
    case SHUFFLE_DOWN:
        source = lane + offset;
        *inside = source <= highest;
        break;
    case SHUFFLE_BFLY:
        source = lane ^ offset;
        *inside = source <= highest;
        break;
    case SHUFFLE_IDX:
        source = lowest | (offset & ~segment);
        *inside = source <= highest;
        break;
    }
    return *inside ? source : lane;
}

/*
 * The lane reads from one that takes no part, or that its mask does not name: what it gets is undefined (PTX ISA, shfl.sync).
 * It is told when the value reaches something; at once where it is not followed, or the other one must take part.
 * True: it is followed.
 */
static bool loses(struct warp *warp, const struct micro *op, int reader, int source, uint32_t arrived,
                  uint32_t mask)
{
    struct block *block = warp->block;
    const int pc = (int)(exec_own_op(warp, op, reader) - warp->ops);
    const bool is_there = warp->index * WARP_LANES + (unsigned)source < block->launch->thread_count;
    const bool must_come = lane_on(mask, source) && is_there;
    const bool follows = !must_come && undefined_follows_shuffle(warp, op, reader);
    if (!block->launch->hazards || (follows && hazard_is_held(&block->view, warp->index, pc)))
        return follows;
    char what[320], names[128];
    exec_describe_lanes(arrived, names, sizeof names);
    if (lane_on(arrived, source))
        snprintf(
            what, sizeof what,
            "lane %d reads lane %d, which its mask 0x%08x does not name: the value is undefined. The mask must "
            "have a bit for each lane that takes part, the lanes read from as well",
            reader, source, mask);
    else
        snprintf(
            what, sizeof what,
            "it reads lane %d, which does not execute this call: the value is undefined. The lanes that execute "
            "it: %s",
            source, names);
    const struct sim_hazard hazard = exec_mask_hazard(warp, op, 1u << reader, arrived, mask, what);
    if (follows)
        hazard_hold(&block->view, warp->index, pc, &hazard);
    else
        hazard_file(block->view.sim, &hazard);
    return follows;
}

static enum step shuffle(struct warp *warp, const struct micro *op, uint32_t active, enum shuffle_mode mode)
{
    uint32_t lanes = exec_begin_collective(warp, op, active, row(warp, op->e));
    row_u32 *d = row(warp, op->dst);
    const row_u32 *b = row(warp, op->b), *c = row(warp, op->c), *masks = row(warp, op->e);
    uint32_t a[WARP_LANES], valid = 0, lost = 0;
    uint8_t sources[WARP_LANES] = {0};
    memcpy(a, row(warp, op->a), sizeof a);
    FOR_LANES(lane, lanes)
    {
        bool inside;
        int source = shuffle_source(mode, (int)lane, b[lane], c[lane], &inside);
        valid |= inside ? 1u << lane : 0;
        sources[lane] = (uint8_t)source;
        if (!lane_on(lanes, source) ||
            (!lane_on(masks[lane], source) && source != (int)lane)) /* one's own bit: check_own_bits */
            lost |= loses(warp, op, (int)lane, source, lanes, masks[lane]) ? 1u << lane : 0;
        d[lane] = lane_on(lanes, source) ? a[source] : 0; /* undefined; 0 is what devices give */
    }
    set_predicate(warp, op->p, lanes, valid);
    if (lanes && warp->block->launch->origin)
        origin_note_shuffle(warp->block->launch->origin, lanes, sources);
    if (lanes && warp->undefined)
        undefined_shuffle(warp, op, lanes, sources);
    if (lost)
        undefined_lost(warp, op, lost);
    const enum step step = exec_end_collective(warp, op, lanes, active);
    return warp->begins_following ? STEP_SCHEDULE : step;
}

#define DEFINE_SHUFFLE(name, mode)                                                                           \
    static enum step name(struct warp *warp, const struct micro *op, uint32_t active)                        \
    {                                                                                                        \
        return shuffle(warp, op, active, mode);                                                              \
    }
DEFINE_SHUFFLE(shfl_up, SHUFFLE_UP)
DEFINE_SHUFFLE(shfl_down, SHUFFLE_DOWN)
DEFINE_SHUFFLE(shfl_bfly, SHUFFLE_BFLY)
DEFINE_SHUFFLE(shfl_idx, SHUFFLE_IDX)

const struct handler exec_shuffle_handlers[] = {
    {"shfl.up", shfl_up}, {"shfl.down", shfl_down}, {"shfl.bfly", shfl_bfly}, {"shfl.idx", shfl_idx},
    {NULL, NULL},
};
