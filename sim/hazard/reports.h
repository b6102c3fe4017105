/* The hazards that were found: what the harness reads. */
#ifndef SIM_REPORTS_H
#define SIM_REPORTS_H

#include "sim/core/report.h"

const char *sim_hazard_class_name(enum sim_hazard_class c); /* "race in shared memory" … */

/* Reports so far, one for each (class, lines); at most 64 are kept. Lasts until reset. */
int sim_hazards(struct sim *sim, const struct sim_hazard **out);
void sim_hazards_reset(struct sim *sim);

#endif
