/* Launches that are noted for a host that tries what would make a program right: sim/device/launch_seen.h. */
#ifndef SIM_API_SEEN_H
#define SIM_API_SEEN_H

#include "sim/api/api_call.h"
#include "sim/device/launch_seen.h"

void api_see_launch(const struct api_call *call);

#endif
