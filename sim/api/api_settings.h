/* Settings from the environment. */
#ifndef SIM_API_SETTINGS_H
#define SIM_API_SETTINGS_H

#include "sim/device/sim.h"

/* What the LABS_SIM_ variables ask for, see api_settings.c; a wrong one ends the program with status 2. */
struct sim_config api_settings(void);
/* The program, or who reads its summary, is told modeled times from now on: they follow from machine code. */
void api_expect_times(void);

#endif
