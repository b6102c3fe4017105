/* From PTX to the micro-operations of sim/core/code.h. */
#pragma once

#include <stdbool.h>

#include "sim/core/code.h"
#include "sim/core/types.h"

/*
 * Decodes kernel->func and what it calls into kernel->code; fills kernel->info, the variable lists, locs.
 * false, and a message that names the instruction, its source line and its PTX line, if it cannot.
 */
bool decode_kernel(struct sim_kernel *kernel, char message[512]);
void decode_free(struct sim_kernel *kernel);

/* What an open call of the function takes from the stack: *frame bytes, as ptxas has laid them out, or an estimate. */
void decode_set_frame(struct function_layout *layout, const size_t *frame);
