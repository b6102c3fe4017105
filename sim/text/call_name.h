/* Calls of CUDA C++ that are one PTX instruction each. */
#ifndef SIM_CALL_NAME_H
#define SIM_CALL_NAME_H

#include <stddef.h>

/* "__shfl_down_sync()" for "shfl.sync.down.b32"; an instruction that is no such call stays as it is. */
void call_name(const char *instruction, char *text, size_t size);

#endif
