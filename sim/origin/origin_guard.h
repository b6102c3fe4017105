/* Which condition keeps a thread from an instruction. */
#pragma once

#include "sim/origin/origin_log.h"

/* Whether an access may go to global memory. */
bool origin_is_global(const struct origin_op *op);
struct sim_origin_place origin_place_at(const struct origin_launch *launch, int pc);

/*
 * The last condition that thread `lane` of `warp` met of those that decide whether the operation `pc` is reached: its
 * place, into out->guard.
 */
void origin_guard_of(struct origin_log *log, const struct origin_launch *launch, int pc, uint32_t warp,
                     int lane, struct sim_origin_absence *out);
