/* What to call an allocation in a message. */
#ifndef SIM_ALLOCATION_NAME_H
#define SIM_ALLOCATION_NAME_H

#include "sim/core/types.h"

/*
 * Its name; else where it was made, "the allocation of main.cu:12", if the program carries line information;
 * else "the unnamed allocation number 3". Looks the line up once for each place (source_line.h).
 */
void allocation_name(const struct sim_allocation *allocation, char *text, size_t size);

#endif
