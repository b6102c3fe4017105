/* Which pointer of the kernel's an access goes through, whatever is added to it. For reports about bad indices. */
#pragma once

#include <stdbool.h>

#include "sim/ptx/ptx.h"

/*
 * The address of the instruction is computed from exactly one parameter of 8 bytes of the kernel, by additions: *offset of it
 * in the parameter block, and true. False: from several, from none, or it cannot be told.
 */
bool ptx_base_parameter(const struct ptx_func *func, const struct ptx_instr *instr, size_t *offset);
