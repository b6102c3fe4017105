/* Which condition keeps a thread from an instruction. */
#ifndef SIM_ORIGIN_GUARD_H
#define SIM_ORIGIN_GUARD_H

#include "sim/origin/origin_log.h"

/* Whether an access may go to global memory. */
bool origin_is_global(const struct origin_op *op);
struct sim_origin_place origin_place_at(const struct origin_launch *launch, int pc);
/* Of the variable or allocation that holds the address; "": it has no name. */
const char *origin_name_of(const struct sim *sim, sim_addr address);

/*
 * The last condition that thread `lane` of `warp` met of those that decide whether the operation `pc` is reached: its
 * place, into out->guard, and what it depends on, into out->state_….
 */
void origin_guard_of(struct origin_log *log, const struct origin_launch *launch, int pc, uint32_t warp,
                     int lane, struct sim_origin_absence *out);

/* Where the index is computed with which the lane made an access, into out->guard_path. */
void origin_index_of(struct origin_log *log, uint32_t entry, int lane, struct sim_origin_absence *out);

#endif
