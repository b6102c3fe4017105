/* Accesses that nvcc puts on the line of a condition: which line makes them, by the text of the source. */
#pragma once

#include "sim/ptx/ptx.h"

/*
 * Where the one statement behind "if (i < n) {" became an instruction that runs under a condition, nvcc's .loc names the
 * line of the if; where both branches begin with the same load, none, so that the line before it stays. Reports would
 * then name a line that accesses nothing. Gives loads without a line that of the first operation that uses the value, and
 * the other such instructions of the module that of the next statement of their function that makes an access of their
 * kind; those with no such line, or whose source cannot be read, stay as they are.
 */
void access_lines_correct(struct ptx_module *module);
