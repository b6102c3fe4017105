/* Accesses to global memory of which each lane loads or stores less than a 4-byte word. */
#pragma once

#include "sim/model/timing.h"

/* The waste of kind SIM_WASTE_NARROW of a launch that takes `seconds`; kind NONE: there is none. */
void narrow_find(const struct timing_launch *launch, double seconds, struct sim_waste *out);
