/*
 * What is common to all that the lanes of a warp do together: who takes part, where lanes that wait at several places meet,
 * and what to say of masks that are wrong.
 */
#include <stdio.h>

#include "sim/hazard/watch.h"
#include "sim/machine/block_report.h"
#include "sim/machine/exec_collective.h"
#include "sim/origin/origin_log.h"
#include "sim/ptx/ptx.h"
#include "sim/text/call_name.h"
#include "sim/text/place.h"

/* ---- masks --------------------------------------------------------------------------------------------- */

void exec_describe_lanes(uint32_t lanes, char *text, size_t size)
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

struct sim_hazard exec_mask_hazard(struct warp *warp, const struct micro *op, uint32_t lane_set,
                                   uint32_t arrived, uint32_t named, const char *what)
{
    struct block *block = warp->block;
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
    place_add_inner(&block->view, (int)(op - warp->ops), warp_loc(warp, op), "does so", call, sizeof call);
    place_add_call(&block->view, (int)(op - warp->ops), warp_loc(warp, op), call, sizeof call);
    snprintf(hazard.message, sizeof hazard.message, "%s%.90s by %s (lane %d of its warp): %s%s%s", place,
             hazard.object, thread, lane, what, call[0] ? "." : "", call);
    return hazard;
}

static void file_mask_hazard(struct warp *warp, const struct micro *op, uint32_t lane_set, uint32_t arrived,
                             uint32_t named, const char *what)
{
    if (!warp->block->launch->hazards)
        return;
    const struct sim_hazard hazard = exec_mask_hazard(warp, op, lane_set, arrived, named, what);
    hazard_file(warp->block->view.sim, &hazard);
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
    exec_describe_lanes(missing, names, sizeof names);
    snprintf(
        what, sizeof what,
        "the mask 0x%08x does not name the lanes that execute it: %s. Pass a mask with a bit for each lane "
        "that takes part",
        masks[__builtin_ctz(missing)], names);
    file_mask_hazard(warp, op, missing, lanes, masks[__builtin_ctz(missing)], what);
}

uint32_t exec_begin_collective(struct warp *warp, const struct micro *op, uint32_t active,
                               const row_u32 *masks)
{
    uint32_t lanes = warp_gather(warp, op, active, masks);
    if (warp->block->launch->hazards && lanes)
        check_own_bits(warp, op, lanes, masks);
    return lanes;
}

uint32_t exec_meet_all(struct warp *warp, const struct micro *op, uint32_t active)
{
    const uint32_t lanes = exec_begin_collective(warp, op, active, row(warp, op->e));
    char names[128], what[256];
    if (!lanes || lanes == ~0u)
        return lanes;
    exec_describe_lanes(lanes, names, sizeof names);
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
    exec_describe_lanes(others, names, sizeof names);
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

enum step exec_end_collective(struct warp *warp, const struct micro *op, uint32_t lanes, uint32_t active)
{
    for (int i = 0; lanes != active && i < warp->group_count; i++)
        if (warp->groups[i].state == GROUP_WARP_WAIT && warp->groups[i].wait == op)
            meet_elsewhere(warp, &warp->groups[i]);
    return lanes == active ? STEP_NEXT : STEP_SCHEDULE;
}
