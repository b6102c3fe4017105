/* Launches that are noted and changed for a host that tries what would make a program right: sim/device/launch_change.h. */
#ifndef SIM_API_CHANGE_H
#define SIM_API_CHANGE_H

#include "sim/api/api_call.h"
#include "sim/core/kernel.h"
#include "sim/device/launch_change.h"

/* Before a launch is checked: notes it, and changes it. */
void api_change_launch(const struct api_call *call, struct sim_launch *launch);

#endif
