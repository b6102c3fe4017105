/* What the files of machine_code.h share: its parts, in the order in which they are made. False: out of memory. */
#pragma once

#include "sim/model/machine_code.h"

/* machine_code_blocks.c */
bool machine_code_find_ptx_blocks(struct machine_code *m, const struct code *ptx);
bool machine_code_find_blocks(struct machine_code *m);
bool machine_code_find_meetings(struct machine_code *m); /* immediate post-dominators */
