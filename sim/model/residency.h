/*
 * What L2 still holds of what launches before have touched. It forgets what was used longest ago: an allocation that
 * was touched before so many bytes as it has room for is there no more.
 */
#pragma once

#include "sim/core/device.h"

/*
 * Of the sectors that the launch under way has touched, the share that comes from memory and not from
 * L2: 0 to 1. If only a sample of the launch was run, `sectors` is how many it touches in all; else 0. Then the
 * launch counts as a former one; call it once, when it has ended.
 */
double residency_cold_share(struct sim *sim, uint64_t sectors);
