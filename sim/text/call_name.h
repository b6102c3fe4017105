/* Calls of CUDA C++ that are one PTX instruction each. */
#pragma once

#include <stddef.h>

/* "__shfl_down_sync()" for "shfl.sync.down.b32"; an instruction that is no such call stays as it is. */
void call_name(const char *instruction, char *text, size_t size);
