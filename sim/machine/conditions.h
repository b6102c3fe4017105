/* Which comparisons let a thread come to an instruction, with the numbers that were compared. For reports. */
#pragma once

#include "sim/core/access.h"

/*
 * Appends, of the operation `pc` that the running group of the warp executes: " The thread comes there because 16 < 17
 * (line 177)." Only of comparisons of integers whose operands still hold what was compared; nothing, if there are none.
 * Where the array's number of elements is compared with something that is not the index `at`, that is told.
 */
void conditions_add(const struct block_view *block, unsigned warp, int lane, int pc,
                    const struct access_index *at, char *text, size_t size);
