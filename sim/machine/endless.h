/* What to say about a launch that does not end. */
#pragma once

#include "sim/core/report.h"
#include "sim/machine/block.h"

/*
 * No thread changes anything any more: fills the report's class, place and message. The class is SIM_HAZARD_ENDLESS
 * if the loop of some thread cannot end whatever the others do, else SIM_HAZARD_DEADLOCK.
 */
void endless_describe_waiting(struct block *const *blocks, unsigned count, struct sim_hazard *hazard);
/*
 * The launch has used up its instructions: the same. False: the loop might end, and the message is all that can be said.
 */
bool endless_describe_limit(struct block *const *blocks, unsigned count, uint64_t limit,
                            struct sim_hazard *hazard);
