/* Launches that are noted and changed for a host that tries what would make a program right: sim/device/launch_change.h. */
#ifndef SIM_API_CHANGE_H
#define SIM_API_CHANGE_H

#include "sim/api/api_call.h"
#include "sim/core/kernel.h"
#include "sim/device/launch_change.h"

/* Before a launch of `kernel` is checked: notes it, and changes it. False: it must not take place. */
bool api_change_launch(const struct api_call *call, const struct sim_kernel *kernel,
                       struct sim_launch *launch);

/* Whether the launch that is now to be queued comes after the next one. */
bool api_change_delays(const struct api_call *call);

#endif
