/*
 * What the files of the hazard detector share.
 */
#ifndef SIM_HAZARD_H
#define SIM_HAZARD_H

#include "memory.h"

#define HAZARD_REPORTS 64

struct hazards {
    struct sim_hazard reports[HAZARD_REPORTS];
    int report_count;
};

#endif
