/* What the model asks of instructions of the PTX. */
#pragma once

#include <string.h>

#include "sim/ptx/ptx.h"

/* False for NULL. */
static inline bool instr_is(const struct ptx_instr *instr, const char *op)
{
    return instr && strcmp(instr->op, op) == 0;
}

/* A call ends a block, too: its counts are those of the code that it returns to. */
static inline bool instr_ends_block(const struct ptx_instr *instr)
{
    return instr_is(instr, "bra") || instr_is(instr, "brx") || instr_is(instr, "ret") ||
           instr_is(instr, "exit") || instr_is(instr, "call");
}
