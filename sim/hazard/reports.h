/* The hazards that were found: what the harness reads. */
#pragma once

#include "sim/core/report.h"

const char *sim_hazard_class_name(enum sim_hazard_class c); /* "race in shared memory" … */

/* Reports so far, one for each (class, lines); at most 64 are kept. Lasts until reset. */
int sim_hazards(struct sim *sim, const struct sim_hazard **out);
void sim_hazards_reset(struct sim *sim);

/*
 * Where a thread has stored to an element of global memory what another thread stores or has stored there, and
 * nothing orders the two, the first time: message, place, and in `count` how often. Count 0: nowhere. No hazard, but
 * work that is done more than once.
 */
const struct sim_hazard *sim_stored_again(const struct sim *sim);
