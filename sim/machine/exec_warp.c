/*
 * What the lanes of a warp do together: shuffles, votes, matches, reductions, bar.warp.sync. Each waits until
 * the lanes that its mask names are there. Source: PTX ISA, shfl.sync, vote.sync, match.sync, redux.sync.
 */
#include <stdio.h>

#include "sim/hazard/watch.h"
#include "sim/machine/block_report.h"
#include "sim/machine/exec.h"
#include "sim/machine/exec_undefined.h"
#include "sim/origin/origin_log.h"
#include "sim/ptx/ptx.h"
#include "sim/text/call_name.h"
#include "sim/text/place.h"

/* ---- masks --------------------------------------------------------------------------------------------- */

static void describe_lanes(uint32_t lanes, char *text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    for (int first = 0; first < WARP_LANES && length < size; first++) {
        if (!lane_on(lanes, first))
            continue;
        int last = first;
        while (last + 1 < WARP_LANES && lane_on(lanes, last + 1))
            last++;
        length += (size_t)snprintf(text + length, size - length, first == last ? "%s%d" : "%s%d-%d",
                                   length ? ", " : "", first, last);
        first = last;
    }
}

static const char *instruction_text(const struct warp *warp, const struct micro *op)
{
    const struct ptx_instr *instr = warp->block->launch->code->instrs[op - warp->ops];
    return instr ? instr->text : "";
}

/* `lane_set`: those to speak of; `arrived`: all that execute the call, and `named`: that its mask names. */
static void file_mask_hazard(struct warp *warp, const struct micro *op, uint32_t lane_set, uint32_t arrived,
                             uint32_t named, const char *what)
{
    struct block *block = warp->block;
    if (!block->launch->hazards)
        return;
    char thread[96], place[320] = "", call[256] = "";
    int lane = __builtin_ctz(lane_set);
    op = exec_own_op(warp, op, lane);
    struct sim_hazard hazard = {.class = SIM_HAZARD_WARP_MASK, .kernel = block->view.kernel->info.name};
    hazard.here = place_of_lane(&block->view, warp->index, lane, warp_loc(warp, op), NULL);
    hazard.attendance =
        (struct sim_attendance){.threads = block->launch->thread_count, .warp = warp->index, .named = named};
    hazard.attendance.here[warp->index % BLOCK_WARPS_MAX] = arrived;
    place_thread_name(&block->view, warp->index, lane, thread, sizeof thread);
    call_name(instruction_text(warp, op), hazard.object, sizeof hazard.object);
    if (hazard.here.file[0])
        snprintf(place, sizeof place, "%.300s:%d: ", hazard.here.file, hazard.here.line);
    place_add_inner(&block->view, (int)(op - warp->ops), warp_loc(warp, op), call, sizeof call);
    place_add_call(&block->view, (int)(op - warp->ops), warp_loc(warp, op), call, sizeof call);
    snprintf(hazard.message, sizeof hazard.message, "%s%.90s by %s (lane %d of its warp): %s%s%s", place,
             hazard.object, thread, lane, what, call[0] ? "." : "", call);
    hazard_file(block->view.sim, &hazard);
}

/* A lane that executes a collective must be named in the mask that it passes. */
static void check_own_bits(struct warp *warp, const struct micro *op, uint32_t lanes, const row_u32 *masks)
{
    uint32_t missing = 0;
    FOR_LANES(lane, lanes)
    missing |= masks[lane] >> lane & 1 ? 0 : 1u << lane;
    if (!missing)
        return;
    char names[128], what[320];
    describe_lanes(missing, names, sizeof names);
    snprintf(
        what, sizeof what,
        "the mask 0x%08x does not name the lanes that execute it: %s. Pass a mask with a bit for each lane "
        "that takes part",
        masks[__builtin_ctz(missing)], names);
    file_mask_hazard(warp, op, missing, lanes, masks[__builtin_ctz(missing)], what);
}

/*
 * The lanes that go on now: 0 if all of them wait. A collective orders memory among its lanes as
 * bar.warp.sync does.
 */
static uint32_t begin_collective(struct warp *warp, const struct micro *op, uint32_t active,
                                 const row_u32 *masks)
{
    uint32_t lanes = warp_gather(warp, op, active, masks);
    if (warp->block->launch->hazards && lanes)
        check_own_bits(warp, op, lanes, masks);
    return lanes;
}

uint32_t exec_meet_all(struct warp *warp, const struct micro *op, uint32_t active)
{
    const uint32_t lanes = begin_collective(warp, op, active, row(warp, op->e));
    char names[128], what[256];
    if (!lanes || lanes == ~0u)
        return lanes;
    describe_lanes(lanes, names, sizeof names);
    snprintf(what, sizeof what,
             "only the lanes %s execute it; all 32 lanes of the warp must, or the result is undefined",
             names);
    file_mask_hazard(warp, op, lanes, lanes, ~0u, what);
    return lanes;
}

/* ---- several places ------------------------------------------------------------------------------------ */

/* Lanes that the mask of `first` names wait at another call, or with another mask. */
static void report_elsewhere(struct warp *warp, const struct group *first)
{
    const struct group *other = NULL;
    uint32_t others = 0;
    for (int i = 0; i < warp->group_count; i++) {
        const struct group *group = &warp->groups[i];
        if (group->state != GROUP_WARP_WAIT || !(group->lanes & first->value) ||
            (group->wait == first->wait && group->value == first->value))
            continue;
        others |= group->lanes & first->value;
        other = other ? other : group;
    }
    char names[128], what[460], at[64] = "";
    const int line = other ? warp_loc(warp, other->wait).line : 0;
    describe_lanes(others, names, sizeof names);
    if (line > 0)
        snprintf(at, sizeof at, ", %s line %d", line == warp_loc(warp, first->wait).line ? "also in" : "in",
                 line);
    snprintf(
        what, sizeof what,
        "its mask 0x%08x names lanes that wait %s: %s%s. Let all lanes that the mask names execute the same call "
        "with the same mask",
        first->value, other && other->value != first->value ? "with another mask" : "at another such call",
        names, at);
    file_mask_hazard(warp, first->wait, first->lanes, first->lanes, first->value, what);
}

bool exec_release_mismatched(struct warp *warp)
{
    report_elsewhere(warp, &warp->groups[0]);
    for (int i = 0; i < warp->group_count; i++) {
        warp->groups[i].state = GROUP_READY;
        warp->forced |= warp->groups[i].lanes;
    }
    return true;
}

/*
 * Since Volta, lanes that wait in several branches take part in one collective, if its qualifiers and the masks are the same:
 * PTX ISA, shfl.sync, vote.sync, match.sync, redux.sync, bar.warp.sync; CUDA C++ Programming Guide, Independent Thread
 * Scheduling.
 */
static bool meets(const struct warp *warp, const struct group *a, const struct group *b)
{
    return b->state == GROUP_WARP_WAIT && a->value == b->value &&
           strcmp(instruction_text(warp, a->wait), instruction_text(warp, b->wait)) == 0;
}

/* Lanes at one of the places will come to another one as well, where the lanes that they have just met are now. */
static bool one_is_behind_another(struct warp *warp, const struct group *group)
{
    for (int i = 0; i < warp->group_count; i++)
        for (int k = 0; k < warp->group_count; k++)
            if (meets(warp, group, &warp->groups[i]) && meets(warp, group, &warp->groups[k]) &&
                warp->groups[i].wait != warp->groups[k].wait &&
                block_bypass(warp->block, &warp->groups[i], &warp->groups[k]).comes_there)
                return true;
    return false;
}

/* What lanes at several places have for their common operation: dst, a, b, c, e; p, q. */
struct meeting {
    _Alignas(64) unsigned char rows[5][WARP_LANES * sizeof(uint64_t)];
    uint32_t preds[2];
    const struct micro *at[WARP_LANES];
};

static void copy_lanes(unsigned char *to, const unsigned char *from, size_t size, uint32_t lanes)
{
    FOR_LANES(lane, lanes)
    memcpy(to + lane * size, from + lane * size, size);
}

static void bring(struct warp *warp, const struct group *group, struct meeting *m)
{
    const struct micro *op = group->wait;
    const uint32_t rows[] = {op->dst, op->a, op->b, op->c, op->e};
    const size_t size = strstr(instruction_text(warp, op), ".b64") ? sizeof(uint64_t) : sizeof(uint32_t);
    frame_use(warp, group->frame);
    for (int i = 0; i < 5; i++)
        copy_lanes(m->rows[i], row(warp, rows[i]), i == 1 ? size : sizeof(uint32_t), group->lanes);
    m->preds[0] |= warp->preds[op->p] & group->lanes;
    m->preds[1] |= predicate_q(warp, op) & group->lanes;
    FOR_LANES(lane, group->lanes) m->at[lane] = op;
}

/* The results into the group's own registers. */
static void take(struct warp *warp, struct group *group, const struct meeting *m)
{
    frame_use(warp, group->frame);
    copy_lanes(row(warp, group->wait->dst), m->rows[0], sizeof(uint32_t), group->lanes);
    if (group->wait->p != PREDICATE_TRUE)
        set_predicate(warp, group->wait->p, group->lanes, m->preds[0]);
    group->state = GROUP_READY;
    group->pc++;
}

static void meet(struct warp *warp, const struct group waits, uint32_t here)
{
    struct meeting m = {.preds = {0}};
    const uint32_t size = sizeof m.rows[0];
    struct micro met = *waits.wait;
    unsigned char *const kept = warp->base[ROWS_WARP];
    for (int i = 0; i < warp->group_count; i++)
        if (meets(warp, &waits, &warp->groups[i]))
            bring(warp, &warp->groups[i], &m);
    m.preds[1] ^= met.flags & FLAG_NEGATE_P ? ~0u : 0; /* the operation does so again */
    met.dst = ROWS_WARP;
    met.a = ROWS_WARP | size;
    met.b = ROWS_WARP | 2 * size;
    met.c = ROWS_WARP | 3 * size;
    met.e = ROWS_WARP | 4 * size;
    met.p = 0;
    met.q = 1;
    warp->base[ROWS_WARP] = m.rows[0];
    warp->preds = m.preds;
    warp->met_at = m.at;
    met.run(warp, &met, here);
    warp->met_at = NULL;
    warp->base[ROWS_WARP] = kept;
    for (int i = 0; i < warp->group_count; i++)
        if (meets(warp, &waits, &warp->groups[i]))
            take(warp, &warp->groups[i], &m);
    frame_use(warp, warp_running(warp)->frame);
    if (warp->block->launch->origin) /* it knows operands of one place only */
        warp->block->launch->origin->full = true;
}

/* Lanes that wait here may be all that are needed, with those that wait elsewhere. */
static void meet_elsewhere(struct warp *warp, const struct group *group)
{
    uint32_t here = 0;
    for (int i = 0; i < warp->group_count; i++)
        here |= meets(warp, group, &warp->groups[i]) ? warp->groups[i].lanes : 0;
    if (group->value & warp->full & ~here)
        return;
    if (warp->block->launch->hazards && strncmp(instruction_text(warp, group->wait), "bar.warp", 8) != 0 &&
        one_is_behind_another(warp, group))
        report_elsewhere(warp, group);
    meet(warp, *group, here);
}

static enum step end_collective(struct warp *warp, const struct micro *op, uint32_t lanes, uint32_t active)
{
    for (int i = 0; lanes != active && i < warp->group_count; i++)
        if (warp->groups[i].state == GROUP_WARP_WAIT && warp->groups[i].wait == op)
            meet_elsewhere(warp, &warp->groups[i]);
    return lanes == active ? STEP_NEXT : STEP_SCHEDULE;
}

static enum step bar_warp(struct warp *warp, const struct micro *op, uint32_t active)
{
    const row_u32 *masks = row(warp, op->a);
    uint32_t lanes = begin_collective(warp, op, active, masks);
    for (uint32_t rest = warp->block->launch->hazards ? lanes : 0;
         rest;) { /* each mask is a barrier of its own */
        uint32_t same = 0;
        FOR_LANES(lane, rest) same |= masks[lane] == masks[__builtin_ctz(rest)] ? 1u << lane : 0;
        hazard_warp_sync(&warp->block->view, warp->index, same);
        rest &= ~same;
    }
    return end_collective(warp, op, lanes, active);
}

/* ---- shuffles ------------------------------------------------------------------------------------------ */

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

static void report_inactive_source(struct warp *warp, const struct micro *op, uint32_t reader, int source,
                                   uint32_t arrived, uint32_t mask)
{
    char what[320], names[128];
    describe_lanes(arrived, names, sizeof names);
    snprintf(what, sizeof what,
             "it reads lane %d, which %s: the value is undefined. The lanes that execute it: %s", source,
             lane_on(warp->full, source)
                 ? "does not execute this call"
                 : "does not execute this call (it has ended, or the block has no such thread)",
             names);
    file_mask_hazard(warp, op, reader, arrived, mask, what);
}

/* PTX ISA, shfl.sync: results are undefined if a thread reads from one that is not in its membermask. */
static void report_unnamed_source(struct warp *warp, const struct micro *op, unsigned reader, int source,
                                  uint32_t arrived, uint32_t mask)
{
    char what[256];
    snprintf(
        what, sizeof what,
        "lane %u reads lane %d, which its mask 0x%08x does not name: the value is undefined. The mask must "
        "have a bit for each lane that takes part, the lanes read from as well",
        reader, source, mask);
    file_mask_hazard(warp, op, 1u << reader, arrived, mask, what);
}

static enum step shuffle(struct warp *warp, const struct micro *op, uint32_t active, enum shuffle_mode mode)
{
    uint32_t lanes = begin_collective(warp, op, active, row(warp, op->e));
    row_u32 *d = row(warp, op->dst);
    const row_u32 *b = row(warp, op->b), *c = row(warp, op->c), *masks = row(warp, op->e);
    uint32_t a[WARP_LANES], valid = 0;
    uint8_t sources[WARP_LANES] = {0};
    memcpy(a, row(warp, op->a), sizeof a);
    FOR_LANES(lane, lanes)
    {
        bool inside;
        int source = shuffle_source(mode, (int)lane, b[lane], c[lane], &inside);
        valid |= inside ? 1u << lane : 0;
        sources[lane] = (uint8_t)source;
        if (!lane_on(lanes, source))
            report_inactive_source(warp, op, 1u << lane, source, lanes, masks[lane]);
        else if (!lane_on(masks[lane], source) && source != (int)lane) /* one's own bit: check_own_bits */
            report_unnamed_source(warp, op, lane, source, lanes, masks[lane]);
        d[lane] = lane_on(lanes, source) ? a[source] : 0; /* undefined; 0 is what devices give */
    }
    set_predicate(warp, op->p, lanes, valid);
    if (lanes && warp->block->launch->origin)
        origin_note_shuffle(warp->block->launch->origin, lanes, sources);
    if (lanes && warp->undefined)
        undefined_shuffle(warp, op, lanes, sources);
    return end_collective(warp, op, lanes, active);
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
    uint32_t lanes = begin_collective(warp, op, active, masks);
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
    return end_collective(warp, op, lanes, active);
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
    uint32_t lanes = begin_collective(warp, op, active, masks), agreed = 0, result[WARP_LANES];
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
    return end_collective(warp, op, lanes, active);
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
    uint32_t lanes = begin_collective(warp, op, active, masks);
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
    return end_collective(warp, op, lanes, active);
}

/* The lowest lane that the mask names leads: any choice will do that is always the same. */
static enum step elect(struct warp *warp, const struct micro *op, uint32_t active)
{
    const row_u32 *masks = row(warp, op->e);
    uint32_t lanes = begin_collective(warp, op, active, masks);
    row_u32 *d = row(warp, op->dst);
    for (uint32_t left = lanes; left;) {
        uint32_t party = same_mask(left, masks), leader = (uint32_t)__builtin_ctz(party);
        set_predicate(warp, op->p, party, 1u << leader);
        FOR_LANES(lane, party)
        d[lane] = leader;
        left &= ~party;
    }
    return end_collective(warp, op, lanes, active);
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
    {"shfl.up", shfl_up},
    {"shfl.down", shfl_down},
    {"shfl.bfly", shfl_bfly},
    {"shfl.idx", shfl_idx},
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
