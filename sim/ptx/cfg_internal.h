/* What the files of the control-flow graph share. */
#pragma once

#include "sim/ptx/cfg.h"

/* Zeroed memory for `count` elements; without memory the program stops. */
void *cfg_alloc(size_t count, size_t size);

void cfg_find_order(struct cfg *cfg); /* cfg_order.c: fills order and rank */
