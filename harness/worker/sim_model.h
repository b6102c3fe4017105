/* What launches cost, and what of it is for nothing, from the simulator into the mailbox. */
#ifndef HARNESS_WORKER_SIM_MODEL_H
#define HARNESS_WORKER_SIM_MODEL_H

#include "harness/wire/protocol.h"
#include "sim/device/sim.h"

/* Lines of the host with many launches, or with many blocks that do nothing. */
void model_collect_sites(struct protocol_mailbox *mailbox);

/* MODEL: what costs most, the arithmetic (`counters`: of all launches), the shapes of the launches. */
void model_collect(const struct sim_counters *counters, struct protocol_mailbox *mailbox);

#endif
