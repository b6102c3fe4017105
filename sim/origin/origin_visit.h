/*
 * One instruction of the recording as the search comes by: between origin_sweep.c, which goes through it, and those
 * that know the instructions.
 */
#pragma once

#include "sim/origin/origin_sweep.h"

/* The instruction that is being looked at. */
struct origin_visit {
    struct origin_sweep *sweep;
    uint32_t number; /* of the entry */
    const struct origin_entry *entry;
    const struct origin_launch *launch;
    const struct origin_op *op;
    int registers; /* that its function may have */
    int lane;      /* that executes it */
};

#define FOR_LANES(lane, lanes)                                                                               \
    for (int lane = 0; lane < WARP_LANES; lane++)                                                            \
        if ((lanes) >> lane & 1)

/* ---- origin_visit.c: what is found, and what is wanted instead ----------------------------------------- */

void origin_add_found(struct origin_visit *s, struct origin_found found);
/* `note`: enum sim_origin_note, or -1 */
void origin_add_note(struct origin_visit *s, int note);
/* The instruction's line is one through which the value went. */
void origin_add_path(struct origin_visit *s);
/*
 * The number of this instruction among the places whose addresses are looked at; the last one stands for all that do
 * not fit.
 */
int origin_site_of(struct origin_visit *s);
void origin_add_uses(struct origin_visit *s, uint64_t sites, uint32_t uses);
void origin_want_register(struct origin_visit *s, int reg, int lane, struct register_want want);
/* Of a value: found here, as often as it is wanted. */
struct origin_found origin_found_for(struct register_want want, enum sim_origin_kind kind, int lane);
/* What was wanted comes from this operand, as the lane has it. */
void origin_want_operand(struct origin_visit *s, const struct ptx_operand *operand, int lane,
                         struct register_want want);
/* Of parts of one value: the most that is wanted of any of them. */
void origin_join_wants(struct register_want *sum, struct register_want one);
/* Takes what is wanted of the registers that the operand names, all together. */
struct register_want origin_take_results(struct origin_visit *s, struct register_wants *registers,
                                         const struct ptx_operand *to, int lane);
/* A part of a sum that two instructions take, or one twice, is kept: its elements go in twice. */
void origin_look_for_fork(struct origin_visit *s, struct register_want want, int lane);
bool origin_is_wanted(struct register_want want);

/* ---- origin_sweep_memory.c ----------------------------------------------------------------------------- */

void origin_step_load(struct origin_visit *s, struct register_wants *registers, int lane);
void origin_step_store(struct origin_visit *s, int lane);
/* What it adds goes into what is there; what it returns is what was there. */
void origin_step_atomic(struct origin_visit *s, struct register_wants *registers, int lane);
void origin_step_async(struct origin_visit *s, int lane);
